"""Tests of judges made of scores: how clear each is, and how clear all are by chance.

Tails are corrected for skewness (Wilson and Hilferty). Whether anything is wrong at all is asked
of the sum, over all tests, of the Bayes factor of a departure of ordinary size against none: of
all tests at one level that has the highest power on average over such departures, and tests that
can tell little take little of the level. How large the sum is by chance is counted on tables drawn
from the model, which keeps what the tests have in common.

References
----------
Wilson and Hilferty (1931), "The distribution of chi-square"; Wakefield (2009), "Bayes factors for
genome-wide association studies: comparison with P-values", for the factor of an estimate that is
nearly normal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal, NamedTuple

import numpy as np
from jaxtyping import Bool, Float
from scipy.special import log_ndtr, logsumexp, ndtr

__all__ = [
    "LEANING",
    "LEAST_INFORMATION",
    "Context",
    "DependenceTests",
    "JudgeTest",
    "Tested",
    "Tilt",
    "chance_threshold",
]

# Less information about a tilt than this, and nothing can be said about it.
LEAST_INFORMATION: Final = 0.1
_MOST: Final = 1 - 2.0**-53
# A skewness below this is none.
_STRAIGHT: Final = 1e-6
# Standard deviation of an ordinary tilt: of a rate on the scale of logits, and of what judges that
# err together have in common, which is the correlation of their errors where it is small.
LEANING: Final = 1.0
_TOGETHER: Final = 0.5
# The least share of tables drawn that is looked up.
_SHOWN: Final = 0.05
# Tables, of those drawn, by which it is told what would be found; steps that look for it.
_LOOKED_AT: Final = 400
_STEPS: Final = 40
_FARTHEST: Final = 50.0

Context = Literal["retrieval", "abstention", "task"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeTest:
    """What one test says.

    Attributes
    ----------
    judges : tuple of int
        Positions of the judges: one whose errors may lean on `context`, or those that may err
        together.
    context : "retrieval", "abstention", "task" or None
    truth : int or None
        The class of the judged truth in which it shows most: its value, of graded retrieval the
        level. None of judges that err together.
    z : float
        Standard normal, if the model holds; positive where a judge passes more with the context
        at 1, or where judges agree more than the truth explains. NaN where the rows tell nothing.
    p : float
        P(at least so far out | the model), over all classes; 1 where the rows tell nothing.
    log_bf : float
        Log of the Bayes factor of a departure of ordinary size, in any of the classes, against
        none; -inf where the rows tell nothing.
    tilt : Tilt or None
        In the class in which it shows most.
    information : float
        About that tilt.
    """

    judges: tuple[int, ...]
    context: Context | None
    truth: int | None
    z: float
    p: float
    log_bf: float
    tilt: Tilt | None = None
    information: float = 0.0


class Tested(NamedTuple):
    """Tests, and what each gives where the model holds.

    Attributes
    ----------
    tests : tuple of JudgeTest
    by_chance : array, shape (draw, test)
        `JudgeTest.log_bf` on labels drawn from the model.
    beside : array, shape (draw, test)
        The part of it that is of other classes than the one in which the table shows most.
    """

    tests: tuple[JudgeTest, ...]
    by_chance: Float[np.ndarray, "draw test"]
    beside: Float[np.ndarray, "draw test"]

    @property
    def evidence(self) -> float:
        """Log of the sum of the Bayes factors of all tests; -inf where nothing can be told."""
        return float(logsumexp([-np.inf, *(test.log_bf for test in self.tests)]))

    def only(self, kept: Callable[[JudgeTest], bool]) -> Tested:
        """Those that are kept."""
        inside = [kept(test) for test in self.tests]
        tests = tuple(test for test, keep in zip(self.tests, inside, strict=True) if keep)
        return Tested(tests, self.by_chance[:, inside], self.beside[:, inside])

    def threshold(self, level: float) -> float:
        """The evidence that is exceeded in this share of tables, by chance."""
        if not self.tests:
            return -np.inf
        return chance_threshold(logsumexp(self.by_chance, axis=1), level)

    def detectable(self, level: float, power: float = 0.9) -> tuple[float, ...]:
        """Of each test the least departure that is found in this share of tables, to first order.

        As `Tilt.size` has it; NaN where the rows tell nothing. All else is as in the model.
        """
        threshold = self.threshold(level)
        return tuple(
            np.nan
            if test.tilt is None
            else test.tilt.size(_least(self._needed(k, threshold), power) / test.information**0.5)
            for k, test in enumerate(self.tests)
        )

    def _needed(self, k: int, threshold: float) -> Float[np.ndarray, " draw"]:
        """The statistic of a test with which a table drawn from the model would be spoken of."""
        test = self.tests[k]
        some = self.by_chance[:_LOOKED_AT]
        others = logsumexp(np.delete(some, k, axis=1), axis=1) if some.shape[1] > 1 else -np.inf
        with np.errstate(divide="ignore"):
            missing = np.log(-np.expm1(np.minimum(others - threshold, 0.0)))
        needed = threshold + missing - self.beside[:_LOOKED_AT, k]
        two_sided = np.array(test.context is not None)
        told = test.information * np.where(two_sided, LEANING, _TOGETHER) ** 2
        share = told / (1 + told)
        z = np.zeros(len(needed))
        for _ in range(3 if not two_sided else 1):
            half = 0.0 if two_sided else np.log(2) + log_ndtr(z * np.sqrt(share))
            z = np.sqrt(np.maximum((2 * (needed - half) + np.log1p(told)) / share, 0.0))
        return z


def _least(needed: Float[np.ndarray, " draw"], power: float) -> float:
    """The mean of a normal statistic that exceeds what is needed in this share of tables."""
    low, high = 0.0, _FARTHEST
    for _ in range(_STEPS):
        middle = (low + high) / 2
        is_enough = ndtr(middle - needed).mean() >= power
        low, high = (low, middle) if is_enough else (middle, high)
    return high


def chance_threshold(by_chance: Float[np.ndarray, " draw"], level: float) -> float:
    """The log of a sum of Bayes factors that is exceeded in this share of tables, by chance.

    Below a share that the draws can show, the sum is taken to exceed k times a value in the k-th
    part of the tables; it does so in fewer.
    """
    shown = max(level, _SHOWN)
    exceeded = float(np.quantile(by_chance, 1 - shown, method="higher"))
    return exceeded + float(np.log(shown / level))


class Tilt(NamedTuple):
    """What a score is about: see `JudgeTest`; `truth` is a single class.

    `answers` are values from 0 to 1 and their probabilities in that class, where no tilt is.
    """

    judges: tuple[int, ...]
    context: Context | None
    truth: int | None
    answers: tuple[tuple[float, float], ...] = ()

    def size(self, tilt: float) -> float:
        """How far a tilt moves what can be seen, from 0 to 1.

        Of one judge it is the difference between the mean answers where the other variable is 1 and
        0, of yes and no that between the shares that pass; of judges that err together the
        correlation of their errors, exact where both are wrong and right equally often.
        """
        if self.context is None:
            return float(np.tanh(tilt))
        value, p = np.array(self.answers).T
        up, down = (p * np.exp(sign * tilt / 2 * (value - 0.5)) for sign in (1, -1))
        return float(value @ up / up.sum() - value @ down / down.sum())


@dataclass(frozen=True, kw_only=True)
class DependenceTests:
    """Scores of all tilts, less what the unknown probabilities explain, by `dependence_tests`.

    Attributes
    ----------
    tilts : tuple of Tilt
    u : array, shape (tilt,)
        The scores of the table.
    left : array, shape (pattern, tilt)
        What a row of each pattern adds to them; patterns of several groups one after the other.
    expected : array, shape (pattern,)
        Rows of each pattern, if the model holds.
    variance : array, shape (tilt,)
    by_chance : array, shape (draw, tilt)
        Scores of tables drawn from the model.
    """

    tilts: tuple[Tilt, ...]
    u: Float[np.ndarray, " tilt"]
    left: Float[np.ndarray, "pattern tilt"]
    expected: Float[np.ndarray, " pattern"]
    variance: Float[np.ndarray, " tilt"]
    by_chance: Float[np.ndarray, "draw tilt"]

    def all(self) -> Tested:
        """Each by itself."""
        return self._alone

    @cached_property
    def _alone(self) -> Tested:
        u, left, variance, by_chance = self.u, self.left, self.variance, self.by_chance
        told = variance > LEAST_INFORMATION
        scale = np.sqrt(np.where(told, variance, 1.0))
        skewness = np.einsum("kt,kt,kt,k->t", left, left, left, self.expected) / scale**3
        z = _normal(np.vstack([u, by_chance]) / scale, skewness)
        # Judges that disagree more than the truth explains are no danger to anybody.
        two_sided = np.array([tilt.context is not None for tilt in self.tilts], dtype=bool)
        tails = np.where(two_sided, 2 * ndtr(-np.abs(z[0])), ndtr(-z[0]))
        factors = _log_bayes_factors(z, scale**2, two_sided)
        families: dict[tuple[tuple[int, ...], Context | None], list[int]] = {}
        for i, tilt in enumerate(self.tilts):
            families.setdefault((tilt.judges, tilt.context), []).append(i)
        tests, log_bf = [], np.full((len(z), len(families)), -np.inf)
        beside = np.zeros((len(z) - 1, len(families)))
        for k, ((judges, context), members) in enumerate(families.items()):
            some = [i for i in members if told[i]]
            best = min(some, key=lambda i: float(tails[i]), default=None)
            if best is not None:
                log_bf[:, k] = factors[:, some].sum(axis=1)
                beside[:, k] = log_bf[1:, k] - factors[1:, best]
            tests.append(
                JudgeTest(
                    judges=judges,
                    context=context,
                    truth=None if best is None else self.tilts[best].truth,
                    z=np.nan if best is None else float(z[0, best]),
                    p=1.0 if best is None else _least_of(float(tails[best]), len(some)),
                    log_bf=float(log_bf[0, k]),
                    tilt=None if best is None else self.tilts[best],
                    information=0.0 if best is None else float(variance[best]),
                )
            )
        return Tested(tuple(tests), log_bf[1:], beside)


def _least_of(tail: float, n: int) -> float:
    """P(the least of n independent p-values is at most this)."""
    return float(-np.expm1(n * np.log1p(-min(tail, _MOST))))


def _log_bayes_factors(
    z: Float[np.ndarray, "draw tilt"],
    information: Float[np.ndarray, " tilt"],
    two_sided: Bool[np.ndarray, " tilt"],
) -> Float[np.ndarray, "draw tilt"]:
    """Of a tilt that is normal around 0, or its positive half, against none."""
    told = information * np.where(two_sided, LEANING, _TOGETHER) ** 2
    share = told / (1 + told)
    both = (share * z**2 - np.log1p(told)) / 2
    return both + np.where(two_sided, 0.0, np.log(2) + log_ndtr(z * np.sqrt(share)))


def _normal(
    z: Float[np.ndarray, "draw tilt"], skewness: Float[np.ndarray, " tilt"]
) -> Float[np.ndarray, "draw tilt"]:
    """What has this skewness, as a standard normal."""
    some = np.where(np.abs(skewness) < _STRAIGHT, _STRAIGHT, skewness)
    cube = np.cbrt(np.maximum(1 + some * z / 2, 0.0))
    return np.where(np.abs(skewness) < _STRAIGHT, z, 6 / some * (cube - 1) + some / 6)
