"""Information: how many bits about G a labelled row tells, beyond its A.

I(G; labels | A) = H(G | A) - H(G | A, labels), in bits: by how much the uncertainty about G on a
row shrinks when its labels are seen, A being known anyway (appendix F of the paper).
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd
from jaxtyping import Float, Int8
from scipy.special import xlogy

from rat_widgets.derived.intervals import credible_interval, read_interval
from rat_widgets.derived.policy import Policy
from rat_widgets.derived.posterior import Posterior
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.judges import Judge
from rat_widgets.model.likelihood import FIRST_JUDGE, world_memberships
from rat_widgets.model.memberships import memberships
from rat_widgets.model.simulated_tables import read_judge_rates
from rat_widgets.model.worlds import Worlds, world_probabilities
from rat_widgets.planning.patterns import (
    Prices,
    label_patterns,
    patterns,
    rule_tables,
    theta_array,
    tree_of,
)
from rat_widgets.planning.strategies import Strategy, read_strategies

__all__ = ["information_table"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Systems:
    """Where information is asked: one point, or draws of it, with the judges' rates.

    Attributes
    ----------
    theta : array, shape (..., 3K - 1)
    tpr, fpr : arrays, shape (..., judge)
    rates : array, shape (..., rate), or None
        Of a posterior every rate of its judges.
    """

    theta: Float[np.ndarray, "*draws theta"]
    tree: Worlds
    policy: Policy
    judges: tuple[Judge, ...]
    tpr: Float[np.ndarray, "*draws judge"]
    fpr: Float[np.ndarray, "*draws judge"]
    rates: Float[np.ndarray, "*draws rate"] | None

    @classmethod
    def of_posterior(cls, post: Posterior, policy: Any, judges: Any) -> Self:
        if judges is not None:
            raise ArgumentTypeError.build(
                "`judges` was given together with a posterior, which knows its own.",
                accepted="Judges with their rates go with a Theta.",
            )
        draws, tree = post.draws, post.tree

        def flat(array: np.ndarray) -> np.ndarray:
            return array.reshape(array.shape[0] * array.shape[1], *array.shape[2:])

        return cls(
            theta=flat(post.theta),
            tree=tree,
            policy=post.policy if policy is None else _policy(policy, tree),
            judges=post.counts.judges,
            tpr=flat(draws.tpr),
            fpr=flat(draws.fpr),
            rates=flat(draws.rates),
        )

    @classmethod
    def of_theta(cls, theta: Any, policy: Any, judges: Any) -> Self:
        rates = read_judge_rates(() if judges is None else judges)
        named = {} if isinstance(judges, Mapping) else {j.column: j for j, *_ in judges or ()}
        tree = tree_of(theta)
        return cls(
            theta=theta_array(theta),
            tree=tree,
            policy=_policy("adherence" if policy is None else policy, tree),
            judges=tuple(named.get(c) or Judge(c, of=of) for c, (of, _, _) in rates.items()),  # type: ignore[arg-type]
            tpr=np.array([tpr for _, tpr, _ in rates.values()]),
            fpr=np.array([fpr for _, _, fpr in rates.values()]),
            rates=None,
        )

    @property
    def verdict_price(self) -> float:
        """What the verdicts on one row cost; NaN when a judge's cost is not known."""
        return sum((np.nan if j.cost is None else j.cost for j in self.judges), 0.0)


def _policy(policy: Any, tree: Worlds) -> Policy:
    return Policy.from_spec(policy, tree.levels)


def information_table(
    x: Any,
    *,
    policy: str | Mapping[str, float] | Policy | None = None,
    prices: Prices | Mapping[str, float] | None = None,
    strategies: Any = None,
    judges: Any = None,
    ci_prob: float = 0.95,
) -> pd.DataFrame:
    """Bits about G that one row tells under each strategy; see `rat.information`.

    Parameters
    ----------
    x : Posterior, Theta, GradedTheta, or array of draws, shape (..., 3K - 1)

    Notes
    -----
    Of draws the bits are taken draw by draw and then averaged.
    """
    ci_prob, _ = read_interval(ci_prob, "eti")
    make = _Systems.of_posterior if isinstance(x, Posterior) else _Systems.of_theta
    at, chosen, price = make(x, policy, judges), read_strategies(strategies), Prices.of(prices)
    if not at.policy.is_binary:
        raise ArgumentError.build(
            f"The policy {at.policy.name!r} has weights other than 0 and 1: G is not yes or no.",
            accepted="Bits are about a yes-or-no outcome: adherence, task_success, no_harm, or "
            "weights of 0 and 1.",
            hint="for other weights ask how narrow the interval gets: rat.optimal_design(...).",
        )
    rows = {name: _row(at, strategy, price) for name, strategy in chosen.items()}
    table: dict[str, list[float]] = {"bits": [], "bits_per_cost": []}
    if at.theta.ndim > 1:
        table |= {"lower": [], "upper": []}
    for bits, per_cost in rows.values():
        table["bits"].append(float(bits.mean()))
        table["bits_per_cost"].append(float(per_cost.mean()))
        if at.theta.ndim > 1:
            lower, upper = credible_interval(bits.ravel(), ci_prob=ci_prob)
            table["lower"].append(float(lower))
            table["upper"].append(float(upper))
    frame = pd.DataFrame(table, index=pd.Index(list(rows), name="strategy"))
    frame.attrs = {"ci_prob": ci_prob, "policy": at.policy.name, "prices": price.to_dict()}
    return frame


def _row(
    at: _Systems, strategy: Strategy, price: Prices
) -> tuple[Float[np.ndarray, "*draws"], Float[np.ndarray, "*draws"]]:
    """Bits of a row, and bits per unit of cost; NaN where nothing is paid or no price is known."""
    if strategy.buys_nothing:
        bits = _verdict_bits(at)
        cost = np.full_like(bits, at.verdict_price)
    else:
        bits = _label_bits(at, strategy)
        cost = patterns(strategy, at.theta).cost(price)
    return bits, np.divide(bits, cost, out=np.full_like(bits, np.nan), where=cost > 0)


def _label_bits(at: _Systems, strategy: Strategy) -> Float[np.ndarray, "*draws"]:
    """Bits of the labels that are bought, verdicts not being looked at."""
    worlds = world_probabilities(at.theta)
    n_patterns = len(label_patterns(at.tree.n_levels))
    bits = np.zeros(worlds.shape[:-1])
    for share, table in rule_tables(strategy, at.tree):
        shown = (table.pattern == np.arange(n_patterns)[:, None]).astype(float)
        bits += share * _gained(worlds[..., None, :] * shown, at)
    return bits


def _verdict_bits(at: _Systems) -> Float[np.ndarray, "*draws"]:
    """Bits of all verdicts on a row of which nobody labels anything; 0 without judges."""
    if not at.judges:
        return np.zeros(at.theta.shape[:-1])
    shown = _verdict_patterns(at.judges)
    if at.rates is not None:
        joint = memberships(shown, at.theta, at.rates, at.judges, at.tree.levels)
        return _gained(joint, at)
    joint = world_memberships(shown, at.theta, at.tpr, at.fpr, judges=at.judges)
    return _gained(joint, at)


def _verdict_patterns(judges: Sequence[Judge]) -> Int8[np.ndarray, "pattern column"]:
    """A with every combination of verdicts; those about T where it was answered only."""
    said = [tuple(range(judge.n_answers)) for judge in judges]
    rows = []
    for a in (0, 1):
        heard = [(-1,) if a and j.of == "task" else s for j, s in zip(judges, said, strict=True)]
        rows += [[-1, a, -1, *[-1] * (FIRST_JUDGE - 3), *v] for v in itertools.product(*heard)]
    return np.array(rows, dtype=np.int8)


def _gained(
    joint: Float[np.ndarray, "*draws pattern world"], at: _Systems
) -> Float[np.ndarray, "*draws"]:
    """H(G | A) - H(G | pattern), in bits, of patterns that all show A.

    Parameters
    ----------
    joint : array, shape (..., pattern, world)
        P(world and what the pattern shows).
    """
    is_away = at.tree.abstained == 1
    worlds = world_probabilities(at.theta)
    by_a = np.stack([worlds * ~is_away, worlds * is_away], axis=-2)
    return np.asarray(np.maximum(_entropy(by_a, at.policy) - _entropy(joint, at.policy), 0.0))


def _entropy(
    joint: Float[np.ndarray, "*draws pattern world"], policy: Policy
) -> Float[np.ndarray, "*draws"]:
    """H(G | pattern) in bits."""
    shown = joint.sum(axis=-1)
    good = np.minimum(joint @ np.array(policy.weights), shown)
    bad = shown - good
    return np.asarray((xlogy(shown, shown) - xlogy(good, good) - xlogy(bad, bad)).sum(-1) / _LN2)


_LN2 = float(np.log(2))
