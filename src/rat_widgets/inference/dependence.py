"""Score tests of what the model takes for granted of judges: that nothing but the truth matters.

A judge's answers may lean on something else: an answer that is wrong passes more often where
retrieval failed. Write f for the answer (0 and 1, or the level), x for the other variable. Within
a class of one truth the probability of an answer is tilted by exp(d x f); the model says d = 0.
Two judges that err together are a tilt by exp(d h1 h2), h being f less its mean and divided by
its standard deviation. A row's score of d is the tilt's exponent, with f centred, averaged over
the worlds that the row may be in: rows without a human label count, too, as far as they tell.

What the unknown probabilities explain is taken out (Neyman's C(alpha)), at the mode of the
likelihood: a prior of its own weight would lean on the score at rates near 0 and 1. Variances are
those over what rows might have shown (`might_show`), so that labels may have been bought by A
and by verdicts. Tails are corrected for skewness (Wilson and Hilferty). How often the clearest of
all tests is as clear by chance is counted on tables drawn from the model, which keeps what the
tests have in common.

References
----------
Neyman (1959), "Optimal asymptotic tests of composite statistical hypotheses"; Wilson and Hilferty
(1931), "The distribution of chi-square".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np
from jaxtyping import Float, Int8
from scipy.special import ndtr

from rat_widgets.inference.might_show import what_rows_might_show
from rat_widgets.inference.splits import Splits, local_mode, splits_of
from rat_widgets.inference.threads import product as inner
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.worlds import worlds_of

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.labels.judges import Judge
    from rat_widgets.model.priors import Priors

__all__ = ["DependenceTests", "JudgeTest", "Tested", "dependence_tests"]

# Labels by which the unknown probabilities are held away from 0 and 1.
_FAINT: Final = 0.1
# Less information about a tilt than this, and nothing can be said about it.
_LEAST_INFORMATION: Final = 0.1
_MOST: Final = 1 - 2.0**-53
# Of a pattern that an `abstained_rate` of 0 or 1 excludes.
_TINY: Final = 1e-300
# A skewness below this is none.
_STRAIGHT: Final = 1e-6
# The least share of tables drawn that is looked up.
_SHOWN: Final = 0.05
# Tables drawn from the model, and numbers that they may take.
_FEWEST: Final = 400
_MOST_DRAWN: Final = 2000
_NUMBERS: Final = 1_000_000
_SEED: Final = 0

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
    """

    judges: tuple[int, ...]
    context: Context | None
    truth: int | None
    z: float
    p: float


class Tested(NamedTuple):
    """Tests, and what each gives where the model holds.

    Attributes
    ----------
    tests : tuple of JudgeTest
    by_chance : array, shape (draw, test)
        P-values on labels drawn from the model.
    """

    tests: tuple[JudgeTest, ...]
    by_chance: Float[np.ndarray, "draw test"]

    def only(self, kept: Callable[[JudgeTest], bool]) -> Tested:
        """Those that are kept."""
        inside = [kept(test) for test in self.tests]
        tests = tuple(test for test, keep in zip(self.tests, inside, strict=True) if keep)
        return Tested(tests, self.by_chance[:, inside])

    def threshold(self, level: float) -> float:
        """The p-value below which the least of these lies in this share of tables, by chance.

        Below a share that the draws can show it is taken to be proportional.
        """
        shown = max(level, _SHOWN)
        return float(np.quantile(self.by_chance.min(axis=1, initial=1.0), shown)) * level / shown


class _Tilt(NamedTuple):
    judges: tuple[int, ...]
    context: Context | None
    truth: int | None
    score: Float[np.ndarray, " pattern"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DependenceTests:
    """All tests of one group's judges, made by `dependence_tests`."""

    tilts: tuple[_Tilt, ...]
    u: Float[np.ndarray, " tilt"]
    left: Float[np.ndarray, "pattern tilt"]
    expected: Float[np.ndarray, " pattern"]
    variance: Float[np.ndarray, " tilt"]
    beyond: Float[np.ndarray, "draw pattern"]

    def all(self) -> Tested:
        """Each by itself."""
        return self._tested(self.u, self.left, self.variance)

    def given(self, found: Sequence[JudgeTest]) -> Tested:
        """What is left of the others once these tilts are let in, to first order."""
        taken = [(test.judges, test.context) for test in found]
        inside = [i for i, tilt in enumerate(self.tilts) if (tilt.judges, tilt.context) in taken]
        inside = [i for i in inside if self.variance[i] > _LEAST_INFORMATION]
        if not inside:
            return self.all()
        weighted = self.left[:, inside] * self.expected[:, None]
        shared = inner(self.left.T, weighted)
        explained = np.linalg.lstsq(shared[inside], shared.T, rcond=1e-9)[0]
        left = self.left - inner(self.left[:, inside], explained)
        u = self.u - self.u[inside] @ explained
        variance = self.variance - (shared.T * explained).sum(axis=0)
        # What is let in has nothing left, but for rounding.
        variance[inside] = 0
        return self._tested(u, left, variance)

    def _tested(
        self,
        u: Float[np.ndarray, " tilt"],
        left: Float[np.ndarray, "pattern tilt"],
        variance: Float[np.ndarray, " tilt"],
    ) -> Tested:
        told = variance > _LEAST_INFORMATION
        scale = np.sqrt(np.where(told, variance, 1.0))
        skewness = np.einsum("kt,kt,kt,k->t", left, left, left, self.expected) / scale**3
        z = _normal(np.vstack([u, inner(self.beyond, left)]) / scale, skewness)
        # Judges that disagree more than the truth explains are no danger to anybody.
        two_sided = np.array([tilt.context is not None for tilt in self.tilts], dtype=bool)
        tails = np.where(two_sided, 2 * ndtr(-np.abs(z)), ndtr(-z))
        tails[:, ~told] = 1
        families: dict[tuple[tuple[int, ...], Context | None], list[int]] = {}
        for i, tilt in enumerate(self.tilts):
            families.setdefault((tilt.judges, tilt.context), []).append(i)
        tests, p_values = [], np.ones((len(z), len(families)))
        for k, ((judges, context), members) in enumerate(families.items()):
            n_told = int(told[members].sum())
            least = np.minimum(tails[:, members].min(axis=1), _MOST)
            p_values[:, k] = -np.expm1(n_told * np.log1p(-least)) if n_told else 1
            best = min(members, key=lambda i: float(tails[0, i]))
            tests.append(
                JudgeTest(
                    judges=judges,
                    context=context,
                    truth=self.tilts[best].truth if n_told else None,
                    z=float(z[0, best]) if n_told else np.nan,
                    p=float(p_values[0, k]),
                )
            )
        return Tested(tuple(tests), p_values[1:])


def dependence_tests(
    counts: PatternCounts,
    priors: Priors,
    start: Float[np.ndarray, " parameter"],
    *,
    verdicts_stay: bool | None = None,
) -> DependenceTests:
    """Every judge against every other variable, every pair of judges, and all of one truth.

    Parameters
    ----------
    counts : PatternCounts
        A single group.
    priors : Priors
        What is beyond a flat prior counts as labels.
    start : array, shape (parameter,)
        Where the mode is looked for: the posterior means.
    verdicts_stay : bool, optional
        See `what_rows_might_show`.
    """
    rows = what_rows_might_show(counts, verdicts_stay=verdicts_stay)
    there = rows.seen > 0
    prior = np.maximum(priors.as_array() - 1, 0) + _FAINT
    held = sorted(priors.held_at)
    fitted = splits_of(rows.patterns[there], counts.judges, counts.retrieval_levels)
    p = local_mode(fitted, rows.seen[there], prior, start, held)
    splits = splits_of(rows.patterns, counts.judges, counts.retrieval_levels)
    joint = splits.joint(p)
    total = np.maximum(joint.sum(axis=1), _TINY)
    member = joint / total[:, None]
    expected = rows.expected(total)
    tilts = tuple(_tilts(counts, splits, p, rows.patterns, member))
    free = np.setdiff1d(np.arange(len(p)), held)
    gaps = np.einsum("kw,kwp->kp", member, splits.yes - (splits.yes + splits.no) * p)[:, free]
    a, b = prior[free].T
    known = inner(gaps.T, gaps * expected[:, None]) + np.diag((a + b) * p[free] * (1 - p[free]))
    slope = rows.seen @ gaps + a - (a + b) * p[free]
    score = np.array([tilt.score for tilt in tilts]).reshape(len(tilts), len(total)).T
    explained = np.linalg.solve(known, inner(gaps.T, score * expected[:, None]))
    left = score - inner(gaps, explained)
    return DependenceTests(
        tilts=tilts,
        u=rows.seen @ score - slope @ explained,
        left=left,
        expected=expected,
        # What the prior explains is no row's: it is in the variance, not in the skewness.
        variance=(score * left * expected[:, None]).sum(axis=0),
        beyond=_by_chance(expected),
    )


def _by_chance(expected: Float[np.ndarray, " pattern"]) -> Float[np.ndarray, "draw pattern"]:
    """Tables drawn from the model, less what is expected."""
    n_draws = int(np.clip(_NUMBERS // max(1, len(expected)), _FEWEST, _MOST_DRAWN))
    drawn = np.random.default_rng(_SEED).poisson(expected, size=(n_draws, len(expected)))
    return drawn - expected


def _tilts(
    counts: PatternCounts,
    splits: Splits,
    p: Float[np.ndarray, " parameter"],
    patterns: Int8[np.ndarray, "pattern column"],
    member: Float[np.ndarray, "pattern world"],
) -> Iterator[_Tilt]:
    worlds = worlds_of(counts.retrieval_levels)
    truths: dict[Context, np.ndarray] = {
        "retrieval": worlds.level,
        "abstention": worlds.abstained,
        "task": worlds.right,
    }
    judged = range(len(counts.judges))
    gaps = [_gaps(counts.judges[j], splits, p, j, patterns) for j in judged]
    for j, judge in enumerate(counts.judges):
        of = np.where((worlds.abstained == 1) & (judge.of == "task"), -1, truths[judge.of])
        for context, value in truths.items():
            if context in _untested(judge):
                continue
            x = value / value.max()
            for truth in sorted({int(c) for c in of if c >= 0}):
                inside = of == truth
                if len(set(x[inside].tolist())) < 2:
                    continue
                for gap, _ in gaps[j]:
                    score = (member * gap * (inside * x)).sum(axis=1)
                    yield _Tilt((j,), context, truth, score)
    pairs = {}
    for i, j in combinations(judged, 2):
        if "saturated" in (counts.judges[i].dependence, counts.judges[j].dependence):
            continue
        (first, first_sd), (second, second_sd) = gaps[i][0], gaps[j][0]
        with np.errstate(divide="ignore", invalid="ignore"):
            both = np.nan_to_num(first * second / (first_sd * second_sd), posinf=0, neginf=0)
        pairs[i, j] = (member * both).sum(axis=1)
        yield _Tilt((i, j), None, None, pairs[i, j])
    for target in truths:
        same = tuple(j for j in judged if counts.judges[j].of == target)
        inner = [pair for pair in combinations(same, 2) if pair in pairs]
        if len(inner) > 1:
            yield _Tilt(same, None, None, np.sum([pairs[pair] for pair in inner], axis=0))


def _untested(judge: Judge) -> tuple[str, ...]:
    """What the errors of a judge are known to depend on, or cannot be seen to depend on."""
    if judge.dependence == "saturated":
        return ("retrieval", "abstention", "task")
    known = judge.depends_on
    return tuple(
        name
        for name in (judge.of, known, "abstention" if judge.of == "task" else None)
        if name is not None
    )


def _gaps(
    judge: Judge,
    splits: Splits,
    p: Float[np.ndarray, " parameter"],
    j: int,
    patterns: Int8[np.ndarray, "pattern column"],
) -> list[tuple[Float[np.ndarray, "pattern world"], Float[np.ndarray, " world"]]]:
    """The answer less its mean in each world, and its spread; then "cannot tell" alone."""
    probability = splits.answer_probabilities(p)[j]
    n_levels = len(judge.answers)
    answers = np.arange(probability.shape[1])
    values = [np.where(answers < n_levels, answers / (n_levels - 1), 0.5)]
    if judge.has_unknown:
        values.append((answers == n_levels).astype(float))
    verdict = patterns[:, FIRST_JUDGE + j]
    found = []
    for value in values:
        mean = probability @ value
        spread = np.sqrt(np.maximum(probability @ value**2 - mean**2, 0))
        gap = np.where(verdict[:, None] >= 0, value[np.maximum(verdict, 0)][:, None] - mean, 0.0)
        found.append((gap, spread))
    return found


def _normal(
    z: Float[np.ndarray, "draw tilt"], skewness: Float[np.ndarray, " tilt"]
) -> Float[np.ndarray, "draw tilt"]:
    """What has this skewness, as a standard normal."""
    some = np.where(np.abs(skewness) < _STRAIGHT, _STRAIGHT, skewness)
    cube = np.cbrt(np.maximum(1 + some * z / 2, 0.0))
    return np.where(np.abs(skewness) < _STRAIGHT, z, 6 / some * (cube - 1) + some / 6)
