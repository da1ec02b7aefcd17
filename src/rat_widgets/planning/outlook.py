"""Outlook: every number from which widths after any purchase follow, for any price and budget.

Information adds up: what is known already, plus rows times what a row adds. So a handful of small
matrices at the planning point answers every question about budgets, prices and mixtures by linear
algebra alone, in this process or in a reader's browser.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from jaxtyping import Float

from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.quantities import quantities_of
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors
from rat_widgets.model.theta import GradedTheta, Theta
from rat_widgets.planning.information import information_table
from rat_widgets.planning.patterns import patterns
from rat_widgets.planning.point import Point, read_already
from rat_widgets.planning.rules import Rule
from rat_widgets.planning.schemes import Scheme, Stratum, schemes_of
from rat_widgets.planning.situation import Situation
from rat_widgets.planning.strategies import NAMED, Strategy

__all__ = ["Bits", "Numbers", "Outlook", "outlook_of"]

_EDGE: Final = 1e-6
_LEAST_DRAWS: Final = 8
# A on fresh rows is free: there is nothing to buy for it.
_FREE: Final = "abstention"


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Numbers:
    """The numbers at one point of the parameter space.

    Attributes
    ----------
    base : array, shape (factor, factor)
        Information in the priors and in what is known already, joint rows of `n0` apart.
    joint : array, shape (factor, factor)
        What one more joint row that is known already would add.
    gains : array, shape (scheme, factor, factor)
        What one row under each scheme adds.
    gradients : array, shape (target, factor)
    n_r, n_t : arrays, shape (scheme,)
        Expected labels on one row.
    away : float
        P(A=1).
    theta : array, shape (theta,)
    """

    base: Float[np.ndarray, "factor factor"]
    joint: Float[np.ndarray, "factor factor"]
    gains: Float[np.ndarray, "scheme factor factor"]
    gradients: Float[np.ndarray, "target factor"]
    n_r: Float[np.ndarray, " scheme"]
    n_t: Float[np.ndarray, " scheme"]
    away: float
    theta: Float[np.ndarray, " theta"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Bits:
    """What a fresh row tells of G, in bits, and the labels of it; None where G is not yes or no."""

    bits: float | None
    lower: float | None
    upper: float | None
    n_r: float
    n_t: float


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Outlook:
    """Everything that a plan for one system follows from.

    Attributes
    ----------
    targets : tuple of str
        In the order of the gradients.
    values : tuple of float
        What each target is at the planning point.
    strata : tuple of Stratum
    schemes : tuple of Scheme
    passes : mapping
        Strategy -> rows under each scheme when it goes once over the pool, or over one fresh row.
    n_pass : float
        Rows of such a pass.
    bits : mapping
        Strategy -> Bits.
    at : Numbers
        At the planning point.
    spread : tuple of Numbers
        At draws of the posterior; empty where the truth is taken as known.
    n0 : float or None
        Joint rows that are made up as the point predicts, whose number may be changed; None where
        rows are in hand, or where A of the pool is not as the point predicts.
    known : tuple of arrays
        Patterns and counts of the rows that are known, made-up joint rows of `n0` apart.
    priors : mapping
        Parameter -> (alpha, beta).
    """

    targets: tuple[str, ...]
    values: tuple[float, ...]
    strata: tuple[Stratum, ...]
    schemes: tuple[Scheme, ...]
    passes: Mapping[str, Float[np.ndarray, " scheme"]]
    n_pass: float
    bits: Mapping[str, Bits]
    at: Numbers
    spread: tuple[Numbers, ...]
    n0: float | None
    known: tuple[np.ndarray, np.ndarray]
    priors: Mapping[str, tuple[float, float]]

    @property
    def is_fresh(self) -> bool:
        """Whether rows are drawn anew, their A being seen as they come."""
        return bool(np.isinf(self.strata[0].n_rows))


def outlook_of(
    x: Theta | GradedTheta | Posterior,
    *,
    already: Any = None,
    pool: Any = None,
    policy: Any = None,
    room: int = 9_000,
    draws: int = 16,
) -> Outlook:
    """The outlook of a plan.

    Parameters
    ----------
    x : Theta, GradedTheta or Posterior
    already, pool, policy
        As in `rat.optimal_design`. A number of rows already labelled may be changed later on.
    room : int
        About so many numbers may go into the spread; with fewer draws than 8 there is none.
    draws : int
        At most so many.
    """
    is_made_up = already is None or isinstance(already, (int, float))
    n0 = float(already or 0) if is_made_up and not isinstance(x, Posterior) else None
    situation = Situation.of(x, already=already, pool=pool, policy=policy)
    point = situation.point
    base = situation.base
    if n0 is not None:
        base = Situation.of(x, already=0, pool=pool, policy=policy).base
        if not np.allclose(base + n0 * _joint_row(point), situation.base, rtol=1e-6):
            n0, base = None, situation.base
    targets = _targets_of(point)
    schemes = schemes_of(situation.strata, point)
    size = (2 + len(schemes)) * point.prior.size * (point.prior.size + 1) // 2
    size += len(targets) * point.prior.size
    n_draws = min(draws, room // size)
    spread: tuple[Numbers, ...] = ()
    labelled = 0 if n0 is not None else already
    if labelled is None and isinstance(x, Posterior):
        labelled = x.counts
    known = _known_rows(labelled, pool, situation)
    if isinstance(x, Posterior) and n_draws >= _LEAST_DRAWS:
        spread = tuple(
            _numbers(p, p.known(*known), schemes_of(situation.strata, p), targets)
            for p in _points(x, point, n_draws)
        )
    bought = {name: s for name, s in NAMED.items() if not s.buys_nothing}
    return Outlook(
        targets=targets,
        values=tuple(_value(x, point, target) for target in targets),
        strata=situation.strata,
        schemes=schemes,
        passes={name: _pass(s, situation.strata, schemes, point) for name, s in bought.items()},
        n_pass=1.0 if situation.is_fresh else sum(s.n_rows for s in situation.strata),
        bits=_bits(x, point, bought),
        at=_numbers(point, base, schemes, targets),
        spread=spread,
        n0=n0,
        known=known,
        priors=_priors(x, point),
    )


def _targets_of(point: Point) -> tuple[str, ...]:
    """Quantities that labels bear on, and the rates of judges."""
    keys = [q.key for q in quantities_of(point.tree.levels) if q.key != _FREE]
    defined = [key for key in keys if np.isfinite(point.gradient(key)).all()]
    return (*defined, *point.names[len(point.theta) :])


def _value(x: Any, point: Point, target: str) -> float:
    if target in point.names:
        return float(point.values[point.names.index(target)])
    if isinstance(x, Posterior):
        return float(np.nanmean((x.with_policy(point.policy))[target]))
    levels = point.tree.levels
    if target == "policy_adherence":
        return float(point.policy.value(point.worlds))
    from rat_widgets.derived.quantities import find_quantity, quantity_draws

    return float(quantity_draws(find_quantity(target, levels), point.worlds, levels))


def _numbers(
    point: Point,
    base: Float[np.ndarray, "factor factor"],
    schemes: Sequence[Scheme],
    targets: Sequence[str],
) -> Numbers:
    return Numbers(
        base=base,
        joint=_joint_row(point),
        gains=np.stack([scheme.bought.gain for scheme in schemes]),
        gradients=np.stack([point.gradient(target) for target in targets]),
        n_r=np.array([scheme.bought.n_r for scheme in schemes]),
        n_t=np.array([scheme.bought.n_t for scheme in schemes]),
        away=float(point.worlds[point.tree.abstained == 1].sum()),
        theta=point.theta,
    )


def _joint_row(point: Point) -> Float[np.ndarray, "factor factor"]:
    """What one joint row tells on average."""
    nothing = point.known(np.zeros((0, point.n_columns), dtype=np.int8), np.zeros(0))
    return np.asarray(point.known(*point.joint_rows(1.0)) - nothing)


def _points(post: Posterior, mean: Point, n: int) -> list[Point]:
    """The planning point moved to draws that lie evenly in the chains."""
    rates = post.draws.by_name()
    n_theta = len(mean.theta)
    columns = [post.theta.reshape(-1, n_theta)]
    columns += [np.asarray(rates[name]).reshape(-1, 1) for name in mean.names[n_theta:]]
    table = np.concatenate(columns, axis=1)
    chosen = np.linspace(0, len(table) - 1, n).astype(int)
    weight = mean.prior / (mean.values * (1 - mean.values))
    values = np.clip(table[chosen], _EDGE, 1 - _EDGE)
    return [replace(mean, values=v, prior=weight * v * (1 - v)) for v in values]


def _priors(x: Any, point: Point) -> dict[str, tuple[float, float]]:
    if isinstance(x, Posterior):
        return {name: (a, b) for name, (a, b) in x.draws.priors.to_dict().items()}
    flat = Priors.from_spec(None, (), point.tree.levels).to_dict()
    return {name: (a, b) for name, (a, b) in flat.items()}


def _known_rows(labelled: Any, pool: Any, situation: Situation) -> tuple[np.ndarray, np.ndarray]:
    """Patterns and counts of all rows that are known before a purchase, those of the pool too."""
    point = situation.point
    patterns_, counts = read_already(labelled, point)
    if pool is None or isinstance(pool, str):
        return patterns_, counts
    table = pool if isinstance(pool, PatternCounts) else getattr(pool, "counts", None)
    own = labelled if isinstance(labelled, PatternCounts) else getattr(labelled, "counts", None)
    if isinstance(table, PatternCounts):
        if table == own:
            return patterns_, counts
        more, rows = read_already(table, point)
    else:
        more = np.stack([stratum.pattern for stratum in situation.strata])
        rows = np.array([stratum.n_rows for stratum in situation.strata])
    return np.concatenate([patterns_, more]), np.append(counts, rows)


def _pass(
    strategy: Strategy, strata: Sequence[Stratum], schemes: Sequence[Scheme], point: Point
) -> Float[np.ndarray, " scheme"]:
    """Rows under each scheme when a strategy goes over all rows: what it buys there is one of them.

    A label that a row has already is not bought again.
    """
    at = {(s.stratum, _buys(s.rule, strata[s.stratum], point)): i for i, s in enumerate(schemes)}
    rows = np.zeros(len(schemes))
    for k, stratum in enumerate(strata):
        n = 1.0 if np.isinf(stratum.n_rows) else stratum.n_rows
        for share, rule in strategy.parts:
            scheme = at.get((k, _buys(rule, stratum, point)))
            if scheme is not None:
                rows[scheme] += share * n
    return rows


def _buys(rule: Rule, stratum: Stratum, point: Point) -> tuple[bool, ...]:
    """Whether R, and whether T, is bought in each world that a row of the stratum may be in."""
    tree = point.tree
    retrieval, abstained, task = stratum.pattern[:3].tolist()
    is_possible = np.ones(len(tree.names), dtype=bool)
    for seen, truth in ((retrieval, tree.level), (abstained, tree.abstained), (task, tree.right)):
        if seen != -1:
            is_possible &= np.asarray(truth) == seen
    asked_r, asked_t = rule.sees(tree)
    bought = [asked_r & (retrieval == -1), asked_t & (task == -1)]
    return tuple(bool(b) for asked in bought for b in asked[is_possible])


def _bits(x: Any, point: Point, strategies: Mapping[str, Strategy]) -> dict[str, Bits]:
    """Bits of fresh rows; of a posterior their mean over draws with its interval."""
    rows = {name: patterns(s, point.theta) for name, s in strategies.items()}
    labels = {name: (float(row.n_r), float(row.n_t)) for name, row in rows.items()}
    if not point.policy.is_binary:
        return {
            name: Bits(bits=None, lower=None, upper=None, n_r=n_r, n_t=n_t)
            for name, (n_r, n_t) in labels.items()
        }
    table = information_table(x, policy=point.policy, strategies=list(strategies))
    found = table.to_dict("index")
    has_draws = "lower" in table.columns
    return {
        name: Bits(
            bits=float(found[name]["bits"]),
            lower=float(found[name]["lower"]) if has_draws else None,
            upper=float(found[name]["upper"]) if has_draws else None,
            n_r=labels[name][0],
            n_t=labels[name][1],
        )
        for name in strategies
    }
