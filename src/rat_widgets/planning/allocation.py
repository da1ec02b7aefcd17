"""Allocation: widths of every strategy along a budget, the best mixture, and which to advise.

The same answers are given by the browser's engine from the same numbers; golden vectors hold the
two together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Float
from scipy.special import ndtri

from rat_widgets.derived.meant import quantity_hint
from rat_widgets.derived.quantities import QUANTITIES
from rat_widgets.errors import ArgumentError
from rat_widgets.planning.convex import Problem, solve
from rat_widgets.planning.outlook import Numbers, Outlook

__all__ = [
    "OPTIMAL",
    "ORDER",
    "Allocation",
    "Course",
    "Part",
    "Terms",
    "allocate_budget",
    "budget_grid",
]

OPTIMAL: Final = "optimal"
"""Key of the best mixture among the courses."""

ORDER: Final = (
    "r_then_t", "t_then_r", "all_joint", "half_joint_r", "half_joint_t", "all_r", "all_t"
)  # fmt: skip
"""The named courses: of equals the first one is advised."""

_STEPS: Final = 24
_SPREAD: Final = (0.05, 0.95)
# A mixture is advised when it is narrower than the best named strategy by more than this.
_WORTH_MIXING: Final = 0.02
# Intervals that differ by less are alike.
_ALIKE: Final = 1e-3
_FAR: Final = 1e12
_NEVER: Final = 5e-4
_DUST: Final = 2e-3


@dataclass(frozen=True, kw_only=True, slots=True)
class Terms:
    """What a reader asks for.

    Attributes
    ----------
    target : str
    budget : float
        Units, or rows with `by_rows`.
    most : float
        Where the axis of budgets ends.
    prices : mapping
    n0 : float
        Joint rows there are, where rows are made up.
    by_rows : bool
        Whether every row that is labelled counts 1, whatever is labelled on it.
    left_out : tuple of str
        Courses that are not to be advised.
    """

    target: str
    budget: float
    most: float
    prices: Mapping[str, float]
    n0: float
    by_rows: bool = False
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Course:
    """One strategy along the budgets.

    Attributes
    ----------
    widths : array, shape (budget,)
    lower, upper : arrays, shape (budget,), or None
        Where 90% of the draws of the posterior put the width.
    width, width_lower, width_upper : float
        The same at the budget that was asked.
    spent : float
        Less than the budget where a pool runs out.
    needed : float or None
        Units, or rows, with which it gets as narrow as the advised course is at the budget.
    """

    widths: Float[np.ndarray, " budget"]
    lower: Float[np.ndarray, " budget"] | None
    upper: Float[np.ndarray, " budget"] | None
    width: float
    width_lower: float | None
    width_upper: float | None
    spent: float
    needed: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A part of the best mixture: so many rows of a kind, and what is bought there.

    `share` is that of the spending.
    """

    rows: str
    buy: str
    share: float
    n_rows: float
    cost: float


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Allocation:
    """The answer.

    Attributes
    ----------
    now : float
        Width without a purchase.
    budgets : array, shape (budget,)
        From 0 to the end of the axis.
    courses : mapping
        Course by key; `OPTIMAL` is the best mixture.
    advised : str or None
        Key of the course to take; None when all are left out.
    parts : tuple of Part
        The best mixture at the budget, the largest share first.
    """

    now: float
    budgets: Float[np.ndarray, " budget"]
    courses: Mapping[str, Course]
    advised: str | None
    parts: tuple[Part, ...]


def budget_grid(most: float) -> Float[np.ndarray, " budget"]:
    """Budgets at which curves are known: denser where they bend."""
    return np.asarray(most * (np.arange(_STEPS + 1) / _STEPS) ** 1.5)


def allocate_budget(outlook: Outlook, terms: Terms, *, ci_prob: float = 0.95) -> Allocation:
    """Widths of all courses under the terms.

    Parameters
    ----------
    outlook : Outlook
    terms : Terms
    ci_prob : float
        Probability inside the intervals.
    """
    ask = _Question(outlook, terms, 2 * float(ndtri((1 + ci_prob) / 2)))
    budgets = budget_grid(terms.most)
    asked = np.append(budgets, terms.budget)
    at = outlook.at
    named = {key: ask.along(at, rows, asked) for key, rows in outlook.passes.items()}
    shares = [ask.best(budget) for budget in asked.tolist()]
    mixed = np.array([ask.mixed(at, s, b) for s, b in zip(shares, asked.tolist(), strict=True)])
    widths = {OPTIMAL: mixed, **named}
    spent = {key: ask.spent(key, shares[-1]) for key in widths}
    last = {key: float(found[-1]) for key, found in widths.items()}
    advised = _advised(last, spent, terms.left_out)
    goal = None if advised is None else last[advised]
    now = float(mixed[0])
    courses = {}
    for key, found in widths.items():
        ends = _ends(ask, key, shares, asked, now)
        courses[key] = Course(
            widths=found[:-1],
            lower=None if ends is None else ends[0, :-1],
            upper=None if ends is None else ends[1, :-1],
            width=float(found[-1]),
            width_lower=None if ends is None else float(ends[0, -1]),
            width_upper=None if ends is None else float(ends[1, -1]),
            spent=spent[key],
            needed=spent[key] if key == advised else _needed(ask, key, goal, asked, found),
        )
    return Allocation(
        now=now,
        budgets=budgets,
        courses=courses,
        advised=advised,
        parts=ask.parts(shares[-1]),
    )


def _advised(
    widths: Mapping[str, float], spent: Mapping[str, float], left_out: tuple[str, ...]
) -> str | None:
    """The narrowest named course, or the mixture where it is narrower by more than a trifle.

    Of courses about as narrow the one that spends least, and of these the first.
    """
    is_mix_shown = OPTIMAL not in left_out
    named = [key for key in ORDER if key not in left_out]
    if not named:
        return OPTIMAL if is_mix_shown else None
    least = min(widths[key] for key in named)
    best = min(
        (key for key in named if widths[key] <= (1 + _ALIKE) * least),
        key=lambda key: round(spent[key], 6),
    )
    if is_mix_shown and widths[OPTIMAL] < (1 - _WORTH_MIXING) * least:
        return OPTIMAL
    return best


def _needed(
    ask: _Question,
    key: str,
    goal: float | None,
    asked: Float[np.ndarray, " budget"],
    widths: Float[np.ndarray, " budget"],
) -> float | None:
    """The budget with which a course gets as narrow as `goal`; None when it never does.

    Between known budgets of the best mixture precision, 1 / width**2, is all but linear.
    """
    if goal is None:
        return None
    if key != OPTIMAL:
        return ask.needed(key, goal)
    order = np.argsort(asked, kind="stable")
    precision = np.maximum.accumulate(1 / widths[order] ** 2)
    return float(np.interp(1 / goal**2, precision, asked[order]))


def _ends(
    ask: _Question,
    key: str,
    shares: list[np.ndarray],
    asked: Float[np.ndarray, " budget"],
    now: float,
) -> Float[np.ndarray, "2 budget"] | None:
    """Where the draws put the widths.

    The width without a purchase is known. Labels that take the share s of the width away let
    the estimate go that far to what the truth is, in logarithms of the width.
    """
    spread = ask.outlook.spread
    if not spread:
        return None
    if key == OPTIMAL:
        table = [
            [ask.mixed(at, s, b) for s, b in zip(shares, asked.tolist(), strict=True)]
            for at in spread
        ]
    else:
        table = [list(ask.along(at, ask.outlook.passes[key], asked)) for at in spread]
    widths = np.array(table)
    first = widths[:, :1]
    return np.quantile(widths * (now / first) ** (widths / first), _SPREAD, axis=0)


class _Question:
    """The terms applied to the numbers."""

    def __init__(self, outlook: Outlook, terms: Terms, factor: float) -> None:
        self.outlook = outlook
        self._terms = terms
        self._factor = factor
        if terms.target not in outlook.targets:
            raise ArgumentError.build(
                f"There is no target {terms.target!r}.",
                accepted=f"Targets are {', '.join(outlook.targets)}.",
                hint="A is seen for free: nothing is bought for `abstention`."
                if terms.target == "abstention"
                else quantity_hint(terms.target, QUANTITIES),
            )
        self._target = outlook.targets.index(terms.target)
        n_rows = np.array([outlook.strata[s.stratum].n_rows for s in outlook.schemes])
        self._n_rows = np.asarray(n_rows)

    def _base(self, at: Numbers) -> Float[np.ndarray, "factor factor"]:
        return at.base if self.outlook.n0 is None else at.base + self._terms.n0 * at.joint

    def costs(self, at: Numbers) -> Float[np.ndarray, " scheme"]:
        """Cost of a row under each scheme."""
        if self._terms.by_rows:
            return np.ones(len(at.n_r))
        return np.asarray(self._terms.prices["R"] * at.n_r + self._terms.prices["T"] * at.n_t)

    def _width(self, at: Numbers, information: Float[np.ndarray, "factor factor"]) -> float:
        c = at.gradients[self._target]
        return self._factor * float(np.sqrt(c @ np.linalg.solve(information, c)))

    def mixed(self, at: Numbers, shares: Float[np.ndarray, " scheme"], budget: float) -> float:
        """Width when shares of a budget are spent on the schemes."""
        rows = np.minimum(shares * budget / self.costs(at), self._n_rows)
        return self._width(at, self._base(at) + np.einsum("s,sij->ij", rows, at.gains))

    def _lines(
        self, at: Numbers, rows: Float[np.ndarray, " scheme"]
    ) -> tuple[float, np.ndarray, np.ndarray]:
        """Cost of a pass, and terms u and s of the variance sum u / (1 + m s) after m passes."""
        cost = float(rows @ self.costs(at))
        if self._terms.by_rows:
            cost = self.outlook.n_pass
        root = np.linalg.inv(np.linalg.cholesky(self._base(at)))
        gain = np.einsum("s,sij->ij", rows, at.gains)
        slopes, axes = np.linalg.eigh(root @ gain @ root.T)
        parts = (at.gradients[self._target] @ root.T @ axes) ** 2
        return cost, parts, np.clip(slopes, 0.0, None)

    def along(
        self, at: Numbers, rows: Float[np.ndarray, " scheme"], budgets: Float[np.ndarray, " budget"]
    ) -> Float[np.ndarray, " budget"]:
        """Widths of a strategy at the budgets."""
        cost, parts, slopes = self._lines(at, rows)
        most = np.inf if self.outlook.is_fresh else 1.0
        passes = np.minimum(budgets / cost, most) if cost > 0 else np.zeros_like(budgets)
        return self._factor * np.sqrt((parts / (1 + passes[:, None] * slopes)).sum(axis=1))

    def best(self, budget: float) -> Float[np.ndarray, " scheme"]:
        """Shares of a budget that make the target's interval narrowest."""
        outlook, at = self.outlook, self.outlook.at
        if budget <= 0:
            return np.zeros(len(outlook.schemes))
        rows = budget / self.costs(at)
        finite = [i for i, stratum in enumerate(outlook.strata) if np.isfinite(stratum.n_rows)]
        owner = np.array([s.stratum for s in outlook.schemes])
        use = [np.where(owner == i, rows / outlook.strata[i].n_rows, 0.0) for i in finite]
        problem = Problem(
            base=self._base(at),
            gains=rows[:, None, None] * at.gains,
            gradients=at.gradients[[self._target]],
            is_minimax=False,
            use=np.reshape(use, (len(finite), len(outlook.schemes))),
        )
        return solve(problem).shares

    def needed(self, key: str, goal: float) -> float | None:
        """The budget with which a strategy gets as narrow as `goal`; None when it never does."""
        cost, parts, slopes = self._lines(self.outlook.at, self.outlook.passes[key])
        most = np.inf if self.outlook.is_fresh else 1.0
        if cost <= 0:
            return None

        def width(budget: float) -> float:
            passes = min(budget / cost, most)
            return self._factor * float(np.sqrt((parts / (1 + passes * slopes)).sum()))

        wanted = goal * (1 + _NEVER)
        low, high = 0.0, max(self._terms.budget, 1.0)
        while width(high) > wanted:
            if high > _FAR or width(2 * high) >= width(high):
                return None
            low, high = high, 2 * high
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if width(middle) > wanted else (low, middle)
        return high

    def spent(self, key: str, shares: Float[np.ndarray, " scheme"]) -> float:
        """What of the budget can be spent: a pool runs out."""
        budget = self._terms.budget
        if key == OPTIMAL:
            return budget * float(shares.sum())
        cost = self._lines(self.outlook.at, self.outlook.passes[key])[0]
        return budget if self.outlook.is_fresh and cost > 0 else min(budget, cost)

    def parts(self, shares: Float[np.ndarray, " scheme"]) -> tuple[Part, ...]:
        """The mixture by kind of row; of fresh rows those that abstain apart from the others."""
        outlook, at, price = self.outlook, self.outlook.at, self._terms.prices
        rows = shares * self._terms.budget / self.costs(at)
        found: dict[tuple[str, str], np.ndarray] = {}
        for i, scheme in enumerate(outlook.schemes):
            stratum, n = outlook.strata[scheme.stratum], float(rows[i])
            cost = n * (price["R"] * at.n_r[i] + price["T"] * at.n_t[i])
            if not outlook.is_fresh:
                pieces = [((stratum.name, scheme.text(stratum)), n, cost)]
            else:
                n_away = n * at.away if scheme.rule.abstained else 0.0
                pieces = [(("abstained", "R"), n_away, n_away * price["R"])]
                if scheme.rule.first is not None:
                    rest = ("answered", scheme.rule.text_of_answers())
                    pieces.append((rest, n * (1 - at.away), cost - n_away * price["R"]))
            for kind, n_rows, units in pieces:
                found[kind] = found.get(kind, np.zeros(2)) + np.array([n_rows, units])
        total = sum(float(units) for _, units in found.values())
        made = [
            Part(rows=kind, buy=buy, share=float(u) / total, n_rows=float(n), cost=float(u))
            for (kind, buy), (n, u) in found.items()
            if total > 0 and u > _DUST * total
        ]
        return tuple(sorted(made, key=lambda part: -part.cost))
