"""Is a judge that all groups share the same instrument in all of them: what human labels show.

For each group, its own verdicts on rows with a human label are set against what the other
groups' rows predict: passes among k rows are Beta-binomial with the others' passes and fails. A
judge that prefers the answers of its own family passes more of them, the right and the wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.inference.diagnose import Message
from rat_widgets.labels.counts import PATTERN_COLUMNS
from rat_widgets.labels.keys import key_labels
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.priors import judge_keys

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["labelled_verdicts", "sharing_messages"]

# Chance that something is said of judges who are the same everywhere, over all judges and groups.
_FALSE_ALARMS: Final = 0.06
# Where rows were labelled by verdict, which is fine, passes among labelled rows are not the rate.
_SELECTED: Final = 0.01
# With fewer labels of one kind even a rate of 0.5 in place of 0.15 is hardly ever noticed.
_FEWEST: Final = 10
# Outcomes beyond so many standard deviations, and as many rows more, are left out.
_REACH: Final = 15
# With more outcomes than that either rate shows alone what there is to see.
_FEW: Final = 10_000
_LogRatio = Callable[[Float[np.ndarray, " k"]], Float[np.ndarray, " k"]]
_OF: Final = {
    "retrieval": ("misses", "hits"),
    "task": ("wrong answers", "right answers"),
    "abstention": ("answers", "abstentions"),
}


_Odd = tuple[int, int, Int[np.ndarray, " 2"], Int[np.ndarray, " 2"]]


class _Seen(NamedTuple):
    """Rows with verdict and human label, by truth (0, 1) and verdict (0, 1), and those without.

    Groups whose rows were labelled by verdict count as without.
    """

    labelled: Int[np.ndarray, "group 2 2"]
    unlabelled: Int[np.ndarray, "group 2"]


def sharing_messages(counts: PatternCounts) -> tuple[tuple[Message, ...], ...]:
    """For each group, judges whose rates there are not those of the other groups.

    Of judges with ``share="all"`` that give verdicts of two kinds whose rates depend on the truth
    alone. Tails of the Beta-binomial, of passes among rows with truth 1, with truth 0 and of both
    together, are corrected for their number by Bonferroni.
    """
    found: list[list[Message]] = [[] for _ in counts.groups]
    names, keys = key_labels(counts.groups), judge_keys(counts.judges)
    seen = _tested(counts)
    for j in seen:
        for g, said in enumerate(_unchecked(counts, j, seen[j], names, keys[j])):
            found[g] += said
    for j, odd in _all_odd(seen).items():
        for g, which, own, others in odd:
            what = _OF[counts.judges[j].of][which]
            found[g].append(
                Message(
                    "warning",
                    "rates_differ",
                    f"{keys[j]!r} is not the same judge for {names[g]!r}: of its {what} it passes "
                    f"{own[1]:,} of {own.sum():,}, of the other groups' {others[1]:,} of "
                    f"{others.sum():,}.",
                    f'share="partial" for {keys[j]!r} lets its rates differ as far as the labels '
                    'say, share="group" without bounds.',
                )
            )
    return tuple(tuple(one) for one in found)


def labelled_verdicts(counts: PatternCounts) -> dict[int, Int[np.ndarray, "group 2 2"]]:
    """Of each judge whose rates differ between groups: rows by group, truth (0, 1) and verdict.

    What `sharing_messages` speaks of, judge by position; groups whose rows were labelled by verdict
    have none.
    """
    seen = _tested(counts)
    return {j: seen[j].labelled for j, odd in _all_odd(seen).items() if odd}


def _tested(counts: PatternCounts) -> dict[int, _Seen]:
    tested = [j for j, judge in enumerate(counts.judges) if judge.share == "all" and judge.is_plain]
    return {} if counts.n_groups < 2 else {j: _seen(counts, j) for j in tested}


def _all_odd(seen: Mapping[int, _Seen]) -> dict[int, list[_Odd]]:
    """Groups in which a judge is another one, by judge."""
    n_tests = sum(int(np.isfinite(_tails(one.labelled)).sum()) for one in seen.values())
    alarms = _FALSE_ALARMS / max(n_tests, 1)
    return {j: list(_odd_ones(one.labelled, alarms)) for j, one in seen.items()}


def _unchecked(
    counts: PatternCounts, j: int, seen: _Seen, names: Sequence[str], key: str
) -> Iterator[list[Message]]:
    """Groups that are read with rates of others, and have too few labels to show whether they may.

    Only where the other groups have the labels that are missing here.
    """
    by_truth = seen.labelled.sum(axis=2)
    others = _others(by_truth)
    for g, (own, rest, only) in enumerate(zip(by_truth, others, seen.unlabelled, strict=True)):
        which = int(np.argmin(own))
        if own[which] >= _FEWEST or rest[which] < _FEWEST or only.sum() <= own.sum():
            yield []
            continue
        what = _OF[counts.judges[j].of][which]
        labelled = f"{own[which]:,} of its {what}" if own[which] else f"none of its {what}"
        yield [
            Message(
                "info",
                "rates_unchecked",
                f"{key!r} is taken to be the same judge for {names[g]!r} as for the other groups: "
                f"with a human label on {labelled} it could differ and not show.",
                f'Label more of its rows, or allow for it with share="partial" for {key!r}.',
            )
        ]


def _seen(counts: PatternCounts, j: int) -> _Seen:
    judge, patterns = counts.judges[j], counts.patterns
    verdict = patterns[:, FIRST_JUDGE + j]
    truth = patterns[:, PATTERN_COLUMNS.index(judge.of)].astype(np.intp)
    if judge.of == "retrieval":
        top = len(counts.retrieval_levels) - 1
        truth = np.where(truth >= 0, truth == top, -1)
    rows = np.rint(counts.effective).astype(np.int64)
    labelled = np.zeros((counts.n_groups, 2, 2), dtype=np.int64)
    unlabelled = np.zeros((counts.n_groups, 2), dtype=np.int64)
    for v in (0, 1):
        said = verdict == v
        unlabelled[:, v] = rows[:, said & (truth == -1)].sum(axis=1)
        for t in (0, 1):
            labelled[:, t, v] = rows[:, said & (truth == t)].sum(axis=1)
    return _Seen(_without_selection(labelled, unlabelled), unlabelled)


def _others(table: Any) -> Any:
    """Of each group the sum over the others."""
    return table.sum(axis=0) - table


def _odd_ones(labelled: Int[np.ndarray, "group 2 2"], level: float) -> Iterator[_Odd]:
    """Groups that differ from the others, the clearest first, each then left out of the others.

    With the truth at which it shows, and fails and passes there, its own and the others'.
    """
    kept = labelled.copy()
    while True:
        tails = np.nan_to_num(_tails(kept), nan=1.0)
        g = int(tails.min(axis=1).argmin())
        if tails[g].min() >= level:
            return
        which = int(tails[g, :2].argmin())
        yield g, which, kept[g, which], _others(kept)[g, which]
        kept = kept.copy()
        kept[g] = 0


def _tails(labelled: Int[np.ndarray, "group 2 2"]) -> Float[np.ndarray, "group 3"]:
    """Two-sided mid-p of each group's passes given truth 0, given 1, and of both; else NaN."""
    others = _others(labelled)
    result = np.full((len(labelled), 3), np.nan)
    for g, (own, rest) in enumerate(zip(labelled, others, strict=True)):
        both = []
        for t in (0, 1):
            n = int(own[t].sum())
            if not n or not rest[t].sum():
                continue
            both.append(_beta_binomial(n, int(rest[t, 1]), int(rest[t, 0])))
            result[g, t] = both[-1].two_sided(int(own[t, 1]))
        if len(both) == 2 and max(len(one.p) for one in both) < _FEW:
            result[g, 2] = both[0].and_(both[1]).two_sided(int(own[:, 1].sum()))
    return result


def _without_selection(
    labelled: Int[np.ndarray, "group 2 2"], unlabelled: Int[np.ndarray, "group 2"]
) -> Int[np.ndarray, "group 2 2"]:
    """The labelled rows, none of those of a group whose rows were labelled by verdict."""
    by_verdict = labelled.sum(axis=1)
    total = by_verdict + unlabelled
    n, n_labelled = total.sum(axis=1), by_verdict.sum(axis=1)
    kept = labelled.copy()
    for g in np.flatnonzero((n_labelled > 0) & (n_labelled < n)):
        p = _hypergeometric(int(n[g]), int(total[g, 1]), int(n_labelled[g]))
        if p.two_sided(int(by_verdict[g, 1])) < _SELECTED:
            kept[g] = 0
    return kept


class _Outcomes(NamedTuple):
    """P(first), P(first + 1), ... of a whole number; what is left out is next to impossible."""

    first: int
    p: Float[np.ndarray, " outcome"]

    @classmethod
    def of(cls, middle: float, sd: float, ends: tuple[int, int], log_ratio: _LogRatio) -> Self:
        """From log P(k + 1) / P(k) and a rough middle, within the ends."""
        reach = math.ceil(_REACH * sd) + _REACH
        first, last = max(ends[0], int(middle) - reach), min(ends[1], int(middle) + reach)
        logs = np.concatenate([[0.0], np.cumsum(log_ratio(np.arange(first, last, dtype=float)))])
        weight = np.exp(logs - logs.max())
        return cls(first, weight / weight.sum())

    def and_(self, other: _Outcomes) -> _Outcomes:
        """The sum of two that are independent."""
        return _Outcomes(self.first + other.first, np.convolve(self.p, other.p))

    def two_sided(self, at: int) -> float:
        """Twice the smaller tail, half of the outcome itself counted in each."""
        i = at - self.first
        if not 0 <= i < len(self.p):
            return 0.0
        below, above = self.p[:i].sum(), self.p[i + 1 :].sum()
        return float(2 * min(below, above) + self.p[i])


def _beta_binomial(n: int, passed: int, failed: int) -> _Outcomes:
    """Passes among n rows after so many passes and fails, from a flat prior."""
    a, b = passed + 1, failed + 1
    total = a + b
    sd = math.sqrt(n * a * b * (total + n) / (total + 1)) / total

    def log_ratio(k: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
        return np.log((n - k) * (k + a)) - np.log((k + 1) * (n - k - 1 + b))

    return _Outcomes.of(n * a / total, sd, (0, n), log_ratio)


def _hypergeometric(n: int, marked: int, drawn: int) -> _Outcomes:
    """Marked ones among those drawn of n."""
    share = marked / n
    sd = math.sqrt(drawn * share * (1 - share) * (n - drawn) / max(n - 1, 1))

    def log_ratio(k: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
        return np.log((marked - k) * (drawn - k)) - np.log((k + 1) * (n - marked - drawn + k + 1))

    ends = (max(0, drawn - n + marked), min(marked, drawn))
    return _Outcomes.of(drawn * share, sd, ends, log_ratio)
