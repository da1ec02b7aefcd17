"""c-optimal designs: shares of spending that make variances small, with a proof of how small.

Minimise F(w), a weighted sum or the largest of the variances c_k' M(w)^-1 c_k, where
M(w) = base + sum_s w_s gain_s, over w >= 0 with sum w <= 1 and, for each stratum of a finite
pool, sum w_s use_s <= 1. F is convex, so that a primal-dual bound holds for every w (the general
equivalence theorem; Kiefer 1974, Pukelsheim 1993): with d_s = -dF/dw_s,
F(w) - F* <= max_v sum_s (v_s - w_s) d_s. The maximum is over the same set; prices of spending and
of rows bound it from above.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Float

__all__ = ["Problem", "Solution", "solve"]

_GROWTH: Final = 20.0
_STEPS: Final = 100
_PRECISE: Final = 1e-8
# Shares below are dust of the barrier.
_DUST: Final = 1e-5
# What spending the budget has to be worth, as a share of F: among equals the cheapest is best.
_THRIFT: Final = 1e-6


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Problem:
    """A design problem.

    Attributes
    ----------
    base : array, shape (factor, factor)
        Information that there is; positive definite.
    gains : array, shape (scheme, factor, factor)
        What the whole budget spent on one scheme would add.
    gradients : array, shape (target, factor)
        One per target, times the root of its weight.
    is_minimax : bool
        Whether F is the largest of the variances, not their sum.
    use : array, shape (stratum, scheme)
        Share of a finite stratum's rows that the whole budget spent on one scheme would label;
        0 in other strata.
    """

    base: Float[np.ndarray, "factor factor"]
    gains: Float[np.ndarray, "scheme factor factor"]
    gradients: Float[np.ndarray, "target factor"]
    is_minimax: bool
    use: Float[np.ndarray, "stratum scheme"]

    def variances(self, shares: Float[np.ndarray, " scheme"]) -> Float[np.ndarray, " target"]:
        """c_k' M(w)^-1 c_k."""
        return self._solved(shares)[0]

    def value(self, shares: Float[np.ndarray, " scheme"]) -> float:
        """F(w)."""
        variances = self.variances(shares)
        return float(variances.max() if self.is_minimax else variances.sum())

    def _solved(
        self, shares: Float[np.ndarray, " scheme"]
    ) -> tuple[Float[np.ndarray, " target"], Float[np.ndarray, "target factor"], np.ndarray]:
        inverse = np.linalg.inv(self.base + np.einsum("s,sij->ij", shares, self.gains))
        solved = self.gradients @ inverse
        return (solved * self.gradients).sum(axis=1), solved, inverse

    def derivatives(
        self, shares: Float[np.ndarray, " scheme"]
    ) -> tuple[
        Float[np.ndarray, " target"],
        Float[np.ndarray, "target scheme"],
        Float[np.ndarray, "target scheme scheme"],
    ]:
        """Variances, their slopes and their curvatures in the shares."""
        variances, solved, inverse = self._solved(shares)
        moved = np.einsum("sij,kj->ksi", self.gains, solved)
        slopes = -np.einsum("ksi,ki->ks", moved, solved)
        return variances, slopes, 2 * moved @ inverse @ moved.transpose(0, 2, 1)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Solution:
    """Shares and how good they are.

    Attributes
    ----------
    shares : array, shape (scheme,)
        Of the budget.
    value : float
        F at these shares.
    gap : float
        No shares have an F that is smaller by more.
    gains_per_share : array, shape (scheme,)
        -dF/dw: equal for all schemes that are used where no stratum runs out, smaller for the
        others.
    """

    shares: Float[np.ndarray, " scheme"]
    value: float
    gap: float
    gains_per_share: Float[np.ndarray, " scheme"]


def solve(problem: Problem) -> Solution:
    """The best shares, by a barrier method."""
    n = len(problem.gains)
    most = problem.use.sum(axis=1).max(initial=0.0)
    state = _State(problem, np.full(n, 0.5 / max(n, most)))
    sharpness = (n + len(problem.use) + 2) / state.scale
    state.centre(sharpness)
    while (n + len(problem.use) + 2) / sharpness > _PRECISE * state.scale:
        sharpness *= _GROWTH
        state.centre(sharpness)
    shares = _cleaned(problem, state.shares)
    return _certified(problem, shares, _mixture(problem, state, sharpness))


class _State:
    """Shares, and for a minimax design a bound on the variances, inside all constraints."""

    def __init__(self, problem: Problem, shares: Float[np.ndarray, " scheme"]) -> None:
        self._problem = problem
        self.shares = shares
        self.scale = problem.value(np.zeros_like(shares))
        self.thrift = _THRIFT * self.scale
        self.top = 1.1 * self.scale if problem.is_minimax else 0.0

    def centre(self, sharpness: float) -> None:
        """Newton steps to the minimum of sharpness x F less the logs of all slacks."""
        for _ in range(_STEPS):
            slope, step = self._newton(sharpness)
            if -float(slope @ step) < 1e-8:
                return
            self._walk(step, slope, sharpness)

    def _newton(self, sharpness: float) -> tuple[np.ndarray, np.ndarray]:
        """Slope and step, in the shares and, of a minimax design, the bound.

        Slacks near 0 are kept out of the curvature, which they would swamp: rows of their own
        hold what they pull with.
        """
        problem, shares = self._problem, self.shares
        variances, slopes, curvatures = problem.derivatives(shares)
        walls = np.vstack([np.ones(len(shares)), problem.use])
        slacks = 1 - walls @ shares
        scale = shares
        if problem.is_minimax:
            over = self.top - variances
            walls = np.pad(np.vstack([walls, slopes]), ((0, 0), (0, 1)))
            walls[-len(over) :, -1] = -1
            slacks, scale = np.append(slacks, over), np.append(shares, self.top)
            inner = np.pad(np.einsum("k,kst->st", 1 / over, curvatures), (0, 1))
            slope = np.append(self.thrift * sharpness - 1 / shares, sharpness)
        else:
            inner = sharpness * curvatures.sum(axis=0)
            slope = sharpness * (slopes.sum(axis=0) + self.thrift) - 1 / shares
        slope = slope + walls.T @ (1 / slacks)
        inner = inner * scale * scale[:, None]
        inner[np.arange(len(shares)), np.arange(len(shares))] += 1
        across = walls * scale / slacks[:, None]
        system = np.block([[inner, across.T], [across, -np.eye(len(slacks))]])
        right = np.append(-scale * slope, np.zeros(len(slacks)))
        return slope, scale * np.linalg.solve(system, right)[: len(scale)]

    def _barrier(self, shares: np.ndarray, top: float, sharpness: float) -> float:
        problem = self._problem
        slacks = [shares, [1 - shares.sum()], 1 - problem.use @ shares]
        variances = problem.variances(shares)
        aim = float(variances.sum())
        if problem.is_minimax:
            slacks.append(top - variances)
            aim = top
        inside = np.concatenate(slacks)
        if (inside <= 0).any():
            return np.inf
        return float(sharpness * (aim + self.thrift * shares.sum()) - np.log(inside).sum())

    def _walk(self, step: np.ndarray, slope: np.ndarray, sharpness: float) -> None:
        """As far along the step as pays, inside all constraints."""
        n = len(self.shares)
        move, lift = step[:n], float(step[n]) if len(step) > n else 0.0
        use = self._problem.use
        room = np.concatenate([self.shares, [1 - self.shares.sum()], 1 - use @ self.shares])
        change = np.concatenate([move, [-move.sum()], -use @ move])
        falls = change < 0
        length = min(1.0, 0.99 * float((room[falls] / -change[falls]).min(initial=np.inf)))
        before = self._barrier(self.shares, self.top, sharpness)
        while length > 1e-12:
            shares, top = self.shares + length * move, self.top + length * lift
            after = self._barrier(shares, top, sharpness)
            if after <= before + 1e-4 * length * float(slope @ step) + 1e-12 * abs(before):
                self.shares, self.top = shares, top
                return
            length /= 2


def _mixture(problem: Problem, state: _State, sharpness: float) -> Float[np.ndarray, " target"]:
    """Weights of the targets at the optimum: all 1 unless it is a minimax."""
    variances = problem.variances(state.shares)
    if not problem.is_minimax:
        return np.ones(len(variances))
    pull = 1 / (sharpness * (state.top - variances))
    return np.asarray(pull / pull.sum())


def _cleaned(problem: Problem, shares: np.ndarray) -> Float[np.ndarray, " scheme"]:
    """Without dust, and using up what the constraints leave."""
    kept = np.where(shares < _DUST, 0.0, shares)
    load = max(float(kept.sum()), float((problem.use @ kept).max(initial=0.0)))
    if load <= 0:
        return kept
    return np.asarray(kept / load) if load > 1 - 1e-4 else kept


def _certified(
    problem: Problem, shares: np.ndarray, mixture: Float[np.ndarray, " target"]
) -> Solution:
    """The solution with its bound, for which the targets are weighed by `mixture`."""
    variances, slopes, _ = problem.derivatives(shares)
    gains = -(mixture @ slopes)
    value = problem.value(shares)
    lower = float(mixture @ variances) - (_most(gains, problem.use) - float(gains @ shares))
    return Solution(
        shares=shares, value=value, gap=max(value - lower, 0.0), gains_per_share=np.asarray(gains)
    )


def _most(gains: Float[np.ndarray, " scheme"], use: Float[np.ndarray, "stratum scheme"]) -> float:
    """An upper bound of sum v_s gains_s over all admissible shares v, which is reached.

    For a price of spending the best price of each stratum's rows is what its best scheme gains
    beyond; the sum is convex and linear between the prices at which a stratum's best scheme
    changes or stops to pay.
    """
    is_finite = (use > 0).any(axis=0)
    free = float(gains[~is_finite].max(initial=0.0))
    lines = [_prices_of_change(gains[row > 0], row[row > 0]) for row in use]
    prices = np.maximum(np.concatenate([[free], *lines]), free)
    best = np.inf
    for price in prices.tolist():
        rows = [_beyond(gains[row > 0] - price, row[row > 0]) for row in use]
        best = min(best, price + sum(rows))
    return best


def _beyond(gains: Float[np.ndarray, " scheme"], use: Float[np.ndarray, " scheme"]) -> float:
    """What the rows of a stratum are worth at these gains."""
    return max(0.0, *(gains / use).tolist())


def _prices_of_change(
    gains: Float[np.ndarray, " scheme"], use: Float[np.ndarray, " scheme"]
) -> Float[np.ndarray, " price"]:
    """Prices of spending at which two schemes pay alike, or one stops to pay."""
    rates, steps = gains / use, 1 / use
    apart = abs(steps[:, None] - steps) > 1e-12 * np.max(steps)
    crossing = (rates[:, None] - rates)[apart] / (steps[:, None] - steps)[apart]
    return np.asarray([*gains, *crossing.ravel(), 0.0])
