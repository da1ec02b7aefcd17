"""Optimal: the purchase that makes intervals as narrow as a budget can."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import numpy as np
from jaxtyping import Float

from rat_widgets.derived.intervals import read_interval
from rat_widgets.derived.policy import Policy
from rat_widgets.errors import ArgumentError
from rat_widgets.planning.convex import Problem, Solution, solve
from rat_widgets.planning.design import Allotment, Comparison, Design
from rat_widgets.planning.design_text import advice_of
from rat_widgets.planning.patterns import Prices, read_budget
from rat_widgets.planning.point import targets_of
from rat_widgets.planning.schemes import Scheme, schemes_of
from rat_widgets.planning.situation import Situation, variances, width_of
from rat_widgets.planning.strategies import NAMED, Strategy

__all__ = ["best_design"]

_CRITERIA: Final = ("weighted", "minimax")
# Labels that would take away less of the variance than this tell nothing.
_NOTHING: Final = 1e-6


def best_design(
    x: Any,
    *,
    target: str | Sequence[str] | Mapping[str, float] = "policy_adherence",
    prices: Prices | Mapping[str, float] | None = None,
    budget: float = 500,
    already: Any = None,
    pool: Any = None,
    criterion: str = "weighted",
    policy: str | Mapping[str, float] | Policy | None = None,
    ci_prob: float = 0.95,
) -> Design:
    """The best purchase at a planning point; see `rat.optimal_design`.

    Parameters
    ----------
    x : Theta, GradedTheta or Posterior
    """
    price = Prices.of(prices)
    units = read_budget(budget, price)
    aims = _Aims.of(target, criterion, ci_prob)
    situation = Situation.of(x, already=already, pool=pool, policy=policy)
    plan = _Plan(
        situation=situation,
        schemes=schemes_of(situation.strata, situation.point),
        gradients=np.stack([situation.point.gradient(name) for name in aims.weights]),
        aims=aims,
        units=units,
        price=price,
    )
    problem = plan.problem()
    solution = solve(problem)
    plan.require_news(problem, solution)
    return plan.design(solution, problem)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Aims:
    """What is to be narrow."""

    weights: Mapping[str, float]
    is_minimax: bool
    ci_prob: float

    @classmethod
    def of(cls, target: Any, criterion: str, ci_prob: float) -> Self:
        ci_prob, _ = read_interval(ci_prob, "eti")
        if criterion not in _CRITERIA:
            raise ArgumentError.build(
                f"`criterion` is {criterion!r}.",
                accepted='"weighted" (the sum of the variances) or "minimax" (the largest).',
            )
        return cls(weights=targets_of(target), is_minimax=criterion == "minimax", ci_prob=ci_prob)

    @property
    def array(self) -> Float[np.ndarray, " target"]:
        return np.array(list(self.weights.values()))

    def value(self, found: Float[np.ndarray, " target"]) -> float:
        """The criterion at these variances."""
        weighted = self.array * found
        return float(weighted.max() if self.is_minimax else weighted.sum())

    def widths(self, found: Float[np.ndarray, " target"]) -> dict[str, float]:
        return {
            name: width_of(v, self.ci_prob)
            for name, v in zip(self.weights, found.tolist(), strict=True)
        }


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class _Plan:
    """Everything that a design follows from."""

    situation: Situation
    schemes: tuple[Scheme, ...]
    gradients: Float[np.ndarray, "target factor"]
    aims: _Aims
    units: float
    price: Prices

    def rows_for_all(self) -> Float[np.ndarray, " scheme"]:
        """Rows that the whole budget pays for, spent on one scheme."""
        return self.units / np.array([s.bought.cost(self.price) for s in self.schemes])

    def problem(self) -> Problem:
        rows, strata = self.rows_for_all(), self.situation.strata
        owner = np.array([s.stratum for s in self.schemes])
        finite = [i for i, stratum in enumerate(strata) if np.isfinite(stratum.n_rows)]
        use = [np.where(owner == i, rows / strata[i].n_rows, 0.0) for i in finite]
        return Problem(
            base=self.situation.base,
            gains=rows[:, None, None] * np.stack([s.bought.gain for s in self.schemes]),
            gradients=np.sqrt(self.aims.array)[:, None] * self.gradients,
            is_minimax=self.aims.is_minimax,
            use=np.reshape(use, (len(finite), len(self.schemes))),
        )

    def require_news(self, problem: Problem, solution: Solution) -> None:
        """An error when no label that can be bought tells anything."""
        now = problem.value(np.zeros(len(problem.gains)))
        if now > 0 and solution.value < now * (1 - _NOTHING):
            return
        rows = ", ".join(stratum.name for stratum in self.situation.strata)
        raise ArgumentError.build(
            f"No label tells anything about {', '.join(self.aims.weights)} here: nothing is "
            f"identified by labels of R and T on the rows there are ({rows}).",
            accepted="A target that R or T bear on, and rows that lack them.",
            hint='another `target`, another `pool`, or pool="fresh".',
        )

    def design(self, solution: Solution, problem: Problem) -> Design:
        situation, aims = self.situation, self.aims
        rows = self.rows_for_all() * solution.shares
        after = situation.base + np.einsum("s,sij->ij", solution.shares, problem.gains)
        made = Design(
            targets=aims.weights,
            criterion="minimax" if aims.is_minimax else "weighted",
            prices=self.price.to_dict(),
            budget=self.units,
            spent=self.units * float(solution.shares.sum()),
            ci_prob=aims.ci_prob,
            allotments=self.allotments(rows),
            widths=aims.widths(variances(after, self.gradients)),
            widths_now=aims.widths(variances(situation.base, self.gradients)),
            compared={
                name: self.compared(strategy, solution)
                for name, strategy in NAMED.items()
                if not strategy.buys_nothing
            },
            gap=solution.gap,
            efficiency=max(0.0, 1 - solution.gap / solution.value),
            pool=None if situation.is_fresh else {s.name: s.n_rows for s in situation.strata},
            n_drawn=float(rows.sum()) if situation.is_fresh else 0.0,
            mixture=self.mixture(rows) if situation.is_fresh else None,
            theta=dict(zip(situation.point.names, situation.point.values.tolist(), strict=True)),
            policy=situation.point.policy.as_dict(),
        )
        return replace(made, advice=advice_of(made))

    def allotments(self, rows: Float[np.ndarray, " scheme"]) -> tuple[Allotment, ...]:
        """What is bought by kind of row, the largest share first."""
        found: dict[tuple[str, str], np.ndarray] = {}
        for scheme, n in zip(self.schemes, rows.tolist(), strict=True):
            for key, numbers in self._by_kind(scheme, n) if n > 0 else ():
                found[key] = found.get(key, np.zeros(3)) + numbers
        price = np.array([0.0, self.price.R, self.price.T])
        total = sum(float(price @ numbers) for numbers in found.values())
        made = [
            Allotment(
                rows=kind,
                buy=buy,
                share=float(price @ numbers) / total,
                n_rows=float(numbers[0]),
                n_r=float(numbers[1]),
                n_t=float(numbers[2]),
                cost=float(price @ numbers),
            )
            for (kind, buy), numbers in found.items()
        ]
        return tuple(sorted(made, key=lambda a: -a.cost))

    def _by_kind(self, scheme: Scheme, n: float) -> list[tuple[tuple[str, str], np.ndarray]]:
        """Rows, labels of R and of T; of fresh rows those that abstain apart from the others."""
        bought, stratum = scheme.bought.times(n), self.situation.strata[scheme.stratum]
        if not self.situation.is_fresh:
            numbers = np.array([n, bought.n_r, bought.n_t])
            return [((stratum.name, scheme.text(stratum)), numbers)]
        point = self.situation.point
        away = float(point.worlds[point.tree.abstained == 1].sum())
        n_away = n * away if scheme.rule.abstained else 0.0
        parts = [(("abstained", "R"), np.array([n_away, n_away, 0.0]))] if n_away else []
        if scheme.rule.first is not None:
            numbers = np.array([n * (1 - away), bought.n_r - n_away, bought.n_t])
            parts.append((("answered", scheme.rule.text_of_answers()), numbers))
        return parts

    def mixture(self, rows: Float[np.ndarray, " scheme"]) -> Strategy:
        """The design as shares of fresh rows."""
        used = [(s.rule, n) for s, n in zip(self.schemes, rows.tolist(), strict=True) if n > 0]
        total = sum(n for _, n in used)
        return Strategy("optimal", tuple((n / total, rule) for rule, n in used))

    def compared(self, strategy: Strategy, solution: Solution) -> Comparison:
        """A strategy at equal cost, and at equal width."""
        found = variances(self.situation.after(strategy, self.units, self.price), self.gradients)
        needed = self._needed(strategy, solution.value)
        spent = self.units * float(solution.shares.sum())
        return Comparison(
            widths=self.aims.widths(found),
            ratio=float(np.sqrt(solution.value / self.aims.value(found))),
            budget=needed,
            saving=None if needed is None else 1 - spent / needed,
        )

    def _needed(self, strategy: Strategy, value: float) -> float | None:
        """Units with which a strategy brings the criterion down to `value`, if it ever does.

        In the coordinates in which the information there is becomes the identity and that of a
        row diagonal, each variance is a sum of u**2 / (1 + m s) after m rows.
        """
        bought, most = self.situation.one_pass(strategy)
        cost = bought.cost(self.price)
        if cost <= 0:
            return None
        root = np.linalg.inv(np.linalg.cholesky(self.situation.base))
        gains, axes = np.linalg.eigh(root @ bought.gain @ root.T)
        gains, parts = np.clip(gains, 0.0, None), (self.gradients @ root.T @ axes) ** 2

        def left(m: float) -> float:
            return self.aims.value((parts / (1 + m * gains)).sum(axis=1))

        low, high = 0.0, min(most, 1.0)
        while left(high) > value * (1 + _NOTHING):
            if high >= most or high > 1e12:
                return None
            low, high = high, min(most, 2 * high)
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if left(middle) > value else (low, middle)
        return cost * high
