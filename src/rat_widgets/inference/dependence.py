"""Score tests of what the model takes for granted of judges: that nothing but the truth matters.

A judge's answers may lean on something else: an answer that is wrong passes more often where
retrieval failed. Write f for the answer (0 and 1, or the level), x for the other variable. Within
a class of one truth the probability of an answer is tilted by exp(d x f); the model says d = 0.
Two judges that err together are a tilt by exp(d h1 h2), h being f less its mean and divided by
its standard deviation. A row's score of d is the tilt's exponent, with f centred, averaged over
the worlds that the row may be in: rows without a human label count, too, as far as they tell.

What the unknown probabilities explain is taken out (Neyman's C(alpha)), at the mode of the
likelihood: a prior of its own weight would lean on the score at rates near 0 and 1. Variances are
those over the labels of R and T that a row might have shown, given its A and its verdicts, so
that labels may have been bought by A and by verdicts. Tails are corrected for skewness (Wilson
and Hilferty).

References
----------
Neyman (1959), "Optimal asymptotic tests of composite statistical hypotheses"; Wilson and Hilferty
(1931), "The distribution of chi-square".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

import numpy as np
from jaxtyping import Float, Int8
from scipy.special import ndtr

from rat_widgets.inference.splits import Splits, local_mode, splits_of
from rat_widgets.inference.threads import product as inner
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.worlds import worlds_of

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.labels.judges import Judge
    from rat_widgets.model.priors import Priors

__all__ = ["DependenceTests", "JudgeTest", "dependence_tests"]

# Labels by which the unknown probabilities are held away from 0 and 1.
_FAINT: Final = 0.1
# Less information about a tilt than this, and nothing can be said about it.
_LEAST_INFORMATION: Final = 0.1
_MOST: Final = 1 - 2.0**-53
# Of a pattern that an `abstained_rate` of 0 or 1 excludes.
_TINY: Final = 1e-300

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

    def all(self) -> tuple[JudgeTest, ...]:
        """Each by itself."""
        return tuple(_combined(self.tilts, self.u, self.variance, self._skewness(self.left)))

    def given(self, found: Sequence[JudgeTest]) -> tuple[JudgeTest, ...]:
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
        return tuple(_combined(self.tilts, u, variance, self._skewness(left)))

    def _skewness(self, left: Float[np.ndarray, "pattern tilt"]) -> Float[np.ndarray, " tilt"]:
        return np.einsum("kt,kt,kt,k->t", left, left, left, self.expected)


def dependence_tests(
    counts: PatternCounts, priors: Priors, start: Float[np.ndarray, " parameter"]
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
    """
    rows = _rows(counts)
    splits = splits_of(rows.patterns, counts.judges, counts.retrieval_levels)
    prior = np.maximum(priors.as_array() - 1, 0) + _FAINT
    held = sorted(priors.held_at)
    p = local_mode(splits, rows.seen, prior, start, held)
    joint = splits.joint(p)
    total = np.maximum(joint.sum(axis=1), _TINY)
    member = joint / total[:, None]
    expected = rows.n[rows.stratum] * total / np.bincount(rows.stratum, total)[rows.stratum]
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
    )


class _Rows(NamedTuple):
    """Patterns that were seen, and those that might have been in their place."""

    patterns: Int8[np.ndarray, "pattern column"]
    seen: Float[np.ndarray, " pattern"]
    stratum: np.ndarray
    n: Float[np.ndarray, " stratum"]


def _rows(counts: PatternCounts) -> _Rows:
    """Each stratum has one A and the same verdicts, and shows the same labels."""
    n_levels = len(counts.retrieval_levels)
    strata: dict[tuple[int, ...], float] = {}
    found: dict[tuple[int, ...], float] = {}
    number = counts.effective.sum(axis=0)
    for pattern, n in zip(counts.patterns.tolist(), number.tolist(), strict=True):
        r, a, t, _, *verdicts = pattern
        if n:
            key = (int(r >= 0), a, int(t >= 0), *verdicts)
            strata[key] = strata.get(key, 0) + n
            found[(r, a, t, -1, *verdicts)] = found.get((r, a, t, -1, *verdicts), 0) + n
    patterns, stratum = [], []
    for i, (shows_r, a, shows_t, *verdicts) in enumerate(strata):
        for r, t in product(range(n_levels) if shows_r else (-1,), range(2) if shows_t else (-1,)):
            patterns.append((r, a, t, -1, *verdicts))
            stratum.append(i)
    return _Rows(
        np.array(patterns, dtype=np.int8).reshape(len(patterns), counts.patterns.shape[1]),
        np.array([found.get(pattern, 0) for pattern in patterns], dtype=float),
        np.array(stratum, dtype=int),
        np.array(list(strata.values()), dtype=float),
    )


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


def _combined(
    tilts: Sequence[_Tilt],
    u: Float[np.ndarray, " tilt"],
    variance: Float[np.ndarray, " tilt"],
    skewness: Float[np.ndarray, " tilt"],
) -> Iterator[JudgeTest]:
    """One test for each judge and context over the classes of truth, and one for each set."""
    families: dict[tuple[tuple[int, ...], Context | None], list[int]] = {}
    for i, tilt in enumerate(tilts):
        families.setdefault((tilt.judges, tilt.context), []).append(i)
    for (judges, context), members in families.items():
        told = [i for i in members if variance[i] > _LEAST_INFORMATION]
        if not told:
            yield JudgeTest(judges=judges, context=context, truth=None, z=np.nan, p=1.0)
            continue
        scale = np.sqrt(np.maximum(variance, 0))
        z = {i: _normal(u[i] / scale[i], skewness[i] / scale[i] ** 3) for i in told}
        # Judges that disagree more than the truth explains are no danger to anybody.
        tails = {i: float(2 * ndtr(-abs(z[i])) if context else ndtr(-z[i])) for i in told}
        best = min(told, key=lambda i: tails[i])
        yield JudgeTest(
            judges=judges,
            context=context,
            truth=tilts[best].truth,
            z=z[best],
            p=float(-np.expm1(len(told) * np.log1p(-min(tails[best], _MOST)))),
        )


def _normal(z: float, skewness: float) -> float:
    """What has this skewness, as a standard normal."""
    if abs(skewness) < 1e-6:
        return float(z)
    inner = max(1 + skewness * z / 2, 0.0)
    return float(6 / skewness * (np.cbrt(inner) - 1) + skewness / 6)
