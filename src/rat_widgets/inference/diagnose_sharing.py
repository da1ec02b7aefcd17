"""A judge that all groups share: groups of which too little is labelled to show that it differs."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.inference.diagnose import Message
from rat_widgets.labels.counts import PATTERN_COLUMNS
from rat_widgets.labels.keys import GroupKey, key_labels
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.priors import judge_keys

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["apart_call", "labelled_verdicts", "sharing_messages"]

# Where rows were labelled by verdict, which is fine, passes among labelled rows are not the rate.
_SELECTED: Final = 0.01
# With fewer labels of one kind even a rate of 0.5 in place of 0.15 is hardly ever noticed.
_FEWEST: Final = 10
# Outcomes beyond so many standard deviations, and as many rows more, are left out.
_REACH: Final = 15
_LogRatio = Callable[[Float[np.ndarray, " k"]], Float[np.ndarray, " k"]]
_OF: Final = {
    "retrieval": ("misses", "hits"),
    "task": ("wrong answers", "right answers"),
    "abstention": ("answers", "abstentions"),
}


class _Seen(NamedTuple):
    """Rows with verdict and human label, by truth (0, 1) and verdict (0, 1), and those without.

    Groups whose rows were labelled by verdict count as without.
    """

    labelled: Int[np.ndarray, "group 2 2"]
    unlabelled: Int[np.ndarray, "group 2"]


def sharing_messages(counts: PatternCounts) -> tuple[tuple[Message, ...], ...]:
    """For each group, judges whose rates are taken to be those elsewhere, and could differ unseen.

    Of judges with ``share="all"`` that give verdicts of two kinds whose rates depend on the truth
    alone. Whether rates differ is asked after the fit, of all rows: see `sharing`.
    """
    found: list[list[Message]] = [[] for _ in counts.groups]
    names, keys = key_labels(counts.groups), judge_keys(counts.judges)
    for j, seen in _shared_ones(counts).items():
        for g, said in enumerate(_unchecked(counts, j, seen, names, keys[j])):
            found[g] += said
    return tuple(tuple(one) for one in found)


def labelled_verdicts(
    counts: PatternCounts, judges: Collection[int]
) -> dict[int, Int[np.ndarray, "group 2 2"]]:
    """Of these judges, by position: rows by group, truth (0, 1) and verdict.

    None of judges with other than two verdicts; groups whose rows were labelled by verdict have
    none.
    """
    seen = _shared_ones(counts)
    return {j: seen[j].labelled for j in judges if j in seen}


def _shared_ones(counts: PatternCounts) -> dict[int, _Seen]:
    """Rows of each judge that all groups share, by position."""
    asked = [j for j, judge in enumerate(counts.judges) if judge.share == "all" and judge.is_plain]
    return {} if counts.n_groups < 2 else {j: _seen(counts, j) for j in asked}


def _unchecked(
    counts: PatternCounts, j: int, seen: _Seen, names: Sequence[str], key: str
) -> Iterator[list[Message]]:
    """Groups that are read with rates of others, and have too few labels to show whether they may.

    Only where the other groups have the labels that are missing here; a warning where these are
    more than its own, so that they decide.
    """
    by_truth = seen.labelled.sum(axis=2)
    others = _others(by_truth)
    for g, (own, rest, only) in enumerate(zip(by_truth, others, seen.unlabelled, strict=True)):
        which = int(np.argmin(own))
        if own[which] >= _FEWEST or rest[which] < _FEWEST or only.sum() <= own.sum():
            yield []
            continue
        what = _OF[counts.judges[j].of][which]
        # Without a label of its own a fit of the system alone has nothing to go by.
        apart = apart_call(counts.groups[g]) if own.sum() else ""
        alone = f", or with {apart} where it may well be another case" if apart else ""
        labelled = f"{own[which]:,} of its {what}" if own[which] else f"none of its {what}"
        yield [
            Message(
                "warning" if rest.sum() > own.sum() else "info",
                "rates_unchecked",
                f"{key!r} is taken to be the same judge for {names[g]!r} as for the other groups: "
                f"with a human label on {labelled} it could differ and not show.",
                f'Label more of its rows, or allow for it with share="partial" for {key!r}{alone}.',
            )
        ]


def apart_call(key: GroupKey) -> str:
    """The keyword of `rat.fit` that fits a group by itself."""
    return f"apart=[{(key[0] if len(key) == 1 else key)!r}]"


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

    def two_sided(self, at: int) -> float:
        """Twice the smaller tail, half of the outcome itself counted in each."""
        i = at - self.first
        if not 0 <= i < len(self.p):
            return 0.0
        below, above = self.p[:i].sum(), self.p[i + 1 :].sum()
        return float(2 * min(below, above) + self.p[i])


def _hypergeometric(n: int, marked: int, drawn: int) -> _Outcomes:
    """Marked ones among those drawn of n."""
    share = marked / n
    sd = math.sqrt(drawn * share * (1 - share) * (n - drawn) / max(n - 1, 1))

    def log_ratio(k: Float[np.ndarray, " k"]) -> Float[np.ndarray, " k"]:
        return np.log((marked - k) * (drawn - k)) - np.log((k + 1) * (n - marked - drawn + k + 1))

    ends = (max(0, drawn - n + marked), min(marked, drawn))
    return _Outcomes.of(drawn * share, sd, ends, log_ratio)
