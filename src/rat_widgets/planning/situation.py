"""Situation: what is known, and which rows may be labelled next; widths that follow from it.

Widths are those of the Fisher information and the delta method, 2 z sqrt(c' M^-1 c), at one
planning point and in expectation over the labels: good where the posterior is near normal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from jaxtyping import Float
from scipy.special import ndtri

from rat_widgets.derived.intervals import read_interval
from rat_widgets.derived.policy import Policy
from rat_widgets.derived.posterior import Posterior
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.planning.patterns import Prices, read_budget
from rat_widgets.planning.point import Point, read_already, targets_of
from rat_widgets.planning.schemes import Bought, Stratum, fresh_rows, pool_strata, whole
from rat_widgets.planning.strategies import Strategy, read_strategy

__all__ = ["Situation", "expected_width", "variances", "width_of"]

_STRATA = ("abstained", "answered")


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Situation:
    """Before a purchase.

    Attributes
    ----------
    point : Point
    base : array, shape (factor, factor)
        Information in the priors, the labels there are, and A of the pool.
    strata : tuple of Stratum
        Rows that may be labelled.
    """

    point: Point
    base: Float[np.ndarray, "factor factor"]
    strata: tuple[Stratum, ...]

    @classmethod
    def of(cls, x: Any, *, already: Any = None, pool: Any = None, policy: Any = None) -> Self:
        """The situation of a plan; see `rat.optimal_design` for the arguments."""
        point = Point.of(x, policy=policy)
        own = x.counts if isinstance(x, Posterior) else None
        labelled = already if already is not None else own
        patterns, counts = read_already(labelled, point)
        if pool is None and own is not None:
            strata = pool_strata(patterns, counts, point)
            if strata:
                return cls(point=point, base=point.known(patterns, counts), strata=strata)
        if pool is None or (isinstance(pool, str) and pool == "fresh"):
            base = point.known(patterns, counts)
            return cls(point=point, base=base, strata=(fresh_rows(point),))
        more, rows = _read_pool(pool, point)
        strata = pool_strata(more, rows, point)
        if not strata:
            raise ArgumentError.build(
                "No row of the pool lacks a label: there is nothing to buy.",
                accepted="Rows whose A is seen and whose R, or T of an answer, is not.",
                hint='pool="fresh" draws new rows.',
            )
        if not _is_the_same(pool, labelled):
            patterns, counts = np.concatenate([patterns, more]), np.append(counts, rows)
        return cls(point=point, base=point.known(patterns, counts), strata=strata)

    @property
    def is_fresh(self) -> bool:
        """Whether rows are drawn anew, their A being seen as they come."""
        return bool(np.isinf(self.strata[0].n_rows))

    def one_pass(self, strategy: Strategy) -> tuple[Bought, float]:
        """What a strategy buys on the whole pool or on one fresh row, and how often it can."""
        return whole(strategy, self.strata, self.point)[0], np.inf if self.is_fresh else 1.0

    def after(
        self, strategy: Strategy, budget: float, prices: Prices
    ) -> Float[np.ndarray, "factor factor"]:
        """Information when a budget was spent by a strategy, or its rows have run out."""
        bought, most = self.one_pass(strategy)
        cost = bought.cost(prices)
        if cost <= 0:
            return self.base
        return np.asarray(self.base + min(budget / cost, most) * bought.gain)


def width_of(variance: float, ci_prob: float) -> float:
    """Width of a normal interval."""
    return float(2 * ndtri((1 + ci_prob) / 2) * np.sqrt(variance))


def variances(
    information: Float[np.ndarray, "factor factor"], gradients: Float[np.ndarray, "target factor"]
) -> Float[np.ndarray, " target"]:
    """C' M^-1 c of each gradient."""
    return np.asarray((gradients * np.linalg.solve(information, gradients.T).T).sum(axis=1))


def expected_width(
    theta: Any,
    already: Any = None,
    strategy: Any = "all_joint",
    budget: float = 500,
    *,
    prices: Prices | Mapping[str, float] | None = None,
    pool: Any = None,
    target: str | Sequence[str] = "policy_adherence",
    policy: str | Mapping[str, float] | Policy | None = None,
    ci_prob: float = 0.95,
) -> Any:
    """Expected width of a target's interval after a purchase, to first order.

    Parameters
    ----------
    theta : Theta, GradedTheta or Posterior
    already : int, PatternCounts, Labels or Posterior, optional
        Labels there are: of a number so many joint rows. A Posterior's own by default.
    strategy : str, Strategy, mapping or function
        See `read_strategy`. On a finite pool it takes rows at random; labels that a row has
        already are not bought again.
    budget : float
        Units; 0 for the width without a purchase.
    prices, pool, policy
        As in `rat.optimal_design`.
    target : str or sequence of str
        Key of a quantity.
    ci_prob : float
        Probability inside the interval.

    Returns
    -------
    float, or dict of target -> float when several were asked
    """
    ci_prob, _ = read_interval(ci_prob, "eti")
    price = Prices.of(prices)
    units = 0.0 if budget == 0 and not isinstance(budget, bool) else read_budget(budget, price)
    situation = Situation.of(theta, already=already, pool=pool, policy=policy)
    names = list(targets_of(target))
    gradients = np.stack([situation.point.gradient(name) for name in names])
    left = variances(situation.after(read_strategy(strategy), units, price), gradients)
    found = {n: width_of(v, ci_prob) for n, v in zip(names, left.tolist(), strict=True)}
    return found[names[0]] if isinstance(target, str) else found


def _is_the_same(pool: Any, labelled: Any) -> bool:
    """Whether the pool's rows are among the labelled ones: then their A is known already."""
    mine, theirs = (
        x if isinstance(x, PatternCounts) else getattr(x, "counts", None) for x in (pool, labelled)
    )
    return isinstance(mine, PatternCounts) and mine == theirs


def _read_pool(pool: Any, point: Point) -> tuple[np.ndarray, np.ndarray]:
    """Patterns and counts of the rows that may be labelled."""
    if isinstance(pool, PatternCounts) or isinstance(getattr(pool, "counts", None), PatternCounts):
        return read_already(pool, point)
    patterns = np.full((2, point.n_columns), -1, dtype=np.int8)
    patterns[:, 1] = (1, 0)
    if isinstance(pool, Mapping):
        if not pool or not set(pool) <= set(_STRATA):
            raise ArgumentError.build(
                f"`pool` is {pool!r:.80}.",
                accepted="Rows without labels of R and T: 'abstained' and 'answered'.",
                hint='pool={"abstained": 400, "answered": 600}',
            )
        return patterns, np.array([_rows(pool.get(name, 0)) for name in _STRATA])
    away = float(point.worlds[point.tree.abstained == 1].sum())
    return patterns, _rows(pool) * np.array([away, 1 - away])


def _rows(n: Any) -> float:
    if isinstance(n, bool) or not isinstance(n, (int, float, np.integer, np.floating)):
        raise ArgumentTypeError.build(
            f"`pool` is {n!r:.80}.",
            accepted="A number of rows whose A is seen, their numbers by A, Labels, "
            'PatternCounts, or "fresh".',
        )
    if not 0 <= n < np.inf:
        raise ArgumentError.build(f"`pool` has {n!r} rows.", accepted="0 or more.")
    return float(n)
