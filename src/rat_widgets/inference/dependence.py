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
and by verdicts. What becomes of the scores is in `departures`.

Judges that several groups share are tested on all of them: scores add up. The probabilities of
each group are its own, at its mode; the judges' rates are those of all groups together.

References
----------
Neyman (1959), "Optimal asymptotic tests of composite statistical hypotheses".
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int, Int8
from scipy.special import expit, logit

from rat_widgets.inference.departures import Context, DependenceTests, Tilt
from rat_widgets.inference.might_show import what_rows_might_show
from rat_widgets.inference.splits import Splits, local_mode, splits_of
from rat_widgets.inference.threads import product as inner
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.worlds import worlds_of

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.labels.judges import Judge
    from rat_widgets.model.priors import Priors

__all__ = ["GroupScores", "dependence_tests", "drawn_tables", "group_scores"]

# Labels by which the unknown probabilities are held away from 0 and 1.
_FAINT: Final = 0.1
# Of a pattern that an `abstained_rate` of 0 or 1 excludes.
_TINY: Final = 1e-300
# Of rates on the scale of logits.
_LONGEST_STEP: Final = 2.0
# Tables drawn from the model, and numbers that they may take.
_FEWEST: Final = 400
_MOST_DRAWN: Final = 2000
_NUMBERS: Final = 1_000_000


class _Scores(NamedTuple):
    """Scores of one group's patterns: those of the tilts, and those of the parameters' logits."""

    tilts: tuple[Tilt, ...]
    p: Float[np.ndarray, " parameter"]
    seen: Float[np.ndarray, " pattern"]
    expected: Float[np.ndarray, " pattern"]
    score: Float[np.ndarray, "pattern tilt"]
    gaps: Float[np.ndarray, "pattern parameter"]


class _Part(NamedTuple):
    """One group's share of sums over groups, less what its own probabilities explain.

    `score` and `gaps` are left of the tilts' scores and of the rates'; `u`, `slope`, what they
    add up to; `variance`, `information` and `shared` are the expected products of tilts, of rates
    and of rates with tilts.
    """

    score: Float[np.ndarray, "pattern tilt"]
    gaps: Float[np.ndarray, "pattern rate"]
    u: Float[np.ndarray, " tilt"]
    slope: Float[np.ndarray, " rate"]
    variance: Float[np.ndarray, " tilt"]
    information: Float[np.ndarray, "rate rate"]
    shared: Float[np.ndarray, "rate tilt"]

    @classmethod
    def of(
        cls,
        found: _Scores,
        prior: Float[np.ndarray, "parameter 2"],
        own: Int[np.ndarray, " own"],
        rates: Int[np.ndarray, " rate"],
    ) -> _Part:
        """The group's own probabilities are `own`; `rates` are the judges'."""
        a, b = prior[own].T
        p, mine = found.p[own], found.gaps[:, own]
        weighted = mine * found.expected[:, None]
        known = inner(mine.T, weighted) + np.diag((a + b) * p * (1 - p))
        towards = np.concatenate([found.score, found.gaps[:, rates]], axis=1)
        explained = np.linalg.solve(known, inner(weighted.T, towards))
        left = towards - inner(mine, explained)
        slope = found.seen @ mine + a - (a + b) * p
        total = found.seen @ towards - slope @ explained
        n = found.score.shape[1]
        weighted_left = left * found.expected[:, None]
        return cls(
            score=left[:, :n],
            gaps=left[:, n:],
            u=total[:n],
            slope=total[n:],
            variance=(found.score * weighted_left[:, :n]).sum(axis=0),
            information=inner(found.gaps[:, rates].T, weighted_left[:, n:]),
            shared=inner(found.gaps[:, rates].T, weighted_left[:, :n]),
        )


def _scores(
    counts: PatternCounts,
    prior: Float[np.ndarray, "parameter 2"],
    start: Float[np.ndarray, " parameter"],
    known: Int[np.ndarray, " known"],
) -> _Scores:
    """At the mode of one group, but for what is known."""
    rows = what_rows_might_show(counts)
    there = rows.seen > 0
    fitted = splits_of(rows.patterns[there], counts.judges, counts.retrieval_levels)
    p = local_mode(fitted, rows.seen[there], prior, start, known.tolist())
    splits = splits_of(rows.patterns, counts.judges, counts.retrieval_levels)
    joint = splits.joint(p)
    total = np.maximum(joint.sum(axis=1), _TINY)
    member = joint / total[:, None]
    tilts, scores = [], np.zeros((0, len(total)))
    found = list(_tilts(counts, splits, p, rows.patterns, member))
    if found:
        tilts, columns = zip(*found, strict=True)
        scores = np.array(columns)
    return _Scores(
        tilts=tuple(tilts),
        p=p,
        seen=rows.seen,
        expected=rows.expected(total),
        score=scores.T,
        gaps=np.einsum("kw,kwp->kp", member, splits.yes - (splits.yes + splits.no) * p),
    )


def drawn_tables(
    expected: Float[np.ndarray, " pattern"], n_draws: int, seed: int
) -> Float[np.ndarray, "draw pattern"]:
    """Tables drawn from the model, less what is expected."""
    drawn = np.random.default_rng(seed).poisson(expected, size=(n_draws, len(expected)))
    return drawn - expected


class GroupScores(NamedTuple):
    """Scores of every group, and the judges' rates that they share; made by `group_scores`.

    Attributes
    ----------
    scores, parts : lists of the groups'
    rates : array, shape (rate,)
        The parameters that are rates and are not held.
    places : tuple of tuples
        Of each judge the parameters that are its rates.
    prior_slope, prior_information : arrays, shapes (rate,) and (rate, rate)
        What the prior says of the rates.
    """

    scores: list[_Scores]
    parts: list[_Part]
    rates: Int[np.ndarray, " rate"]
    places: tuple[tuple[int, ...], ...]
    prior_slope: Float[np.ndarray, " rate"]
    prior_information: Float[np.ndarray, "rate rate"]

    def nearer(self, start: Float[np.ndarray, " parameter"]) -> Float[np.ndarray, " parameter"]:
        """The start with the rates a step of Newton's method nearer the mode of these groups."""
        information = np.sum([part.information for part in self.parts], axis=0)
        slope = np.sum([part.slope for part in self.parts], axis=0)
        step = np.linalg.solve(information + self.prior_information, slope + self.prior_slope).clip(
            -_LONGEST_STEP, _LONGEST_STEP
        )
        moved = start.copy()
        moved[self.rates] = expit(logit(self.scores[0].p[self.rates]) + step)
        return moved


def group_scores(
    counts: PatternCounts,
    priors: Priors,
    start: Float[np.ndarray, " parameter"],
) -> GroupScores:
    """Scores of all tilts and of the judges' rates, in one group or in several that share these.

    Parameters
    ----------
    counts : PatternCounts
        One group, or several that share all judges.
    priors : Priors
        What is beyond a flat prior counts as labels.
    start : array, shape (parameter,)
        The posterior means, from where the mode is looked for; of several groups those of one,
        and the rates of all.
    """
    prior = np.maximum(priors.as_array() - 1, 0) + _FAINT
    held = np.array(sorted(priors.held_at), dtype=int)
    n_theta = len(worlds_of(counts.retrieval_levels).parameters)
    own = np.setdiff1d(np.arange(n_theta), held)
    rates = np.setdiff1d(np.arange(n_theta, len(start)), held)
    # What groups share is not looked for in one of them.
    known = np.union1d(held, rates) if counts.n_groups > 1 else held
    scores = [_scores(counts.group(g), prior, start, known) for g in range(counts.n_groups)]
    p = scores[0].p[rates]
    a, b = prior[rates].T
    places = emissions_of(counts.judges, counts.retrieval_levels).places
    return GroupScores(
        scores=scores,
        parts=[_Part.of(one, prior, own, rates) for one in scores],
        rates=rates,
        places=tuple(tuple(n_theta + rate for rate in one) for one in places),
        prior_slope=a - (a + b) * p,
        prior_information=np.diag((a + b) * p * (1 - p)),
    )


def dependence_tests(found: GroupScores) -> DependenceTests:
    """Every judge against every other variable, every pair of judges, and all of one truth."""
    scores, parts = found.scores, found.parts
    information = np.sum([part.information for part in parts], axis=0) + found.prior_information
    shared = np.sum([part.shared for part in parts], axis=0)
    slope = np.sum([part.slope for part in parts], axis=0) + found.prior_slope
    explained = np.linalg.solve(information, shared)
    left = [part.score - inner(part.gaps, explained) for part in parts]
    n_draws = int(np.clip(_NUMBERS // max(len(x) for x in left), _FEWEST, _MOST_DRAWN))
    by_chance = [
        inner(drawn_tables(one.expected, n_draws, g), left[g]) for g, one in enumerate(scores)
    ]
    return DependenceTests(
        tilts=scores[0].tilts,
        u=np.sum([part.u for part in parts], axis=0) - slope @ explained,
        left=np.concatenate(left),
        expected=np.concatenate([one.expected for one in scores]),
        # What the prior explains is no row's: it is in the variance, not in the skewness.
        variance=np.sum([part.variance for part in parts], axis=0) - (shared * explained).sum(0),
        by_chance=np.sum(by_chance, axis=0),
    )


def _tilts(
    counts: PatternCounts,
    splits: Splits,
    p: Float[np.ndarray, " parameter"],
    patterns: Int8[np.ndarray, "pattern column"],
    member: Float[np.ndarray, "pattern world"],
) -> Iterator[tuple[Tilt, Float[np.ndarray, " pattern"]]]:
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
                for gap in gaps[j]:
                    score = (member * gap.less_mean * (inside * x)).sum(axis=1)
                    yield Tilt((j,), context, truth, gap.answers(inside)), score
    pairs = {}
    for i, j in combinations(judged, 2):
        if "saturated" in (counts.judges[i].dependence, counts.judges[j].dependence):
            continue
        first, second = gaps[i][0], gaps[j][0]
        with np.errstate(divide="ignore", invalid="ignore"):
            both = first.less_mean * second.less_mean / (first.spread * second.spread)
        both = np.nan_to_num(both, posinf=0, neginf=0)
        pairs[i, j] = (member * both).sum(axis=1)
        yield Tilt((i, j), None, None), pairs[i, j]
    for target in truths:
        same = tuple(j for j in judged if counts.judges[j].of == target)
        within = [pair for pair in combinations(same, 2) if pair in pairs]
        if len(within) > 1:
            yield Tilt(same, None, None), np.sum([pairs[pair] for pair in within], axis=0)


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


class _Gap(NamedTuple):
    """Of a judge what its answers stand for, and that less its mean in each world."""

    less_mean: Float[np.ndarray, "pattern world"]
    spread: Float[np.ndarray, " world"]
    value: Float[np.ndarray, " answer"]
    probability: Float[np.ndarray, "world answer"]

    def answers(self, inside: Bool[np.ndarray, " world"]) -> tuple[tuple[float, float], ...]:
        """Values and their probabilities in some worlds, each of these alike."""
        shares = self.probability[inside].mean(axis=0)
        return tuple(zip(self.value.tolist(), shares.tolist(), strict=True))


def _gaps(
    judge: Judge,
    splits: Splits,
    p: Float[np.ndarray, " parameter"],
    j: int,
    patterns: Int8[np.ndarray, "pattern column"],
) -> list[_Gap]:
    """Of the answer; then of "cannot tell" alone."""
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
        found.append(_Gap(gap, spread, value, probability))
    return found
