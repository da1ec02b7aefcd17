"""Tables beside the model's: verdicts taken for labels, and people's labels alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from jaxtyping import Bool, Float, Int

from rat_widgets.labels.counts import PATTERN_COLUMNS
from rat_widgets.labels.effective import carried_effects

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["human_counts", "leaves_abstention_out", "naive_counts", "with_judges"]

_FIRST_JUDGE: Final = len(PATTERN_COLUMNS)
_RETRIEVAL, _ABSTENTION, _TASK = range(3)


def with_judges(counts: PatternCounts, kept: Sequence[int]) -> PatternCounts:
    """The counts with the verdicts of some judges only, by their positions."""
    columns = [*range(_FIRST_JUDGE), *(_FIRST_JUDGE + i for i in kept)]
    return replace(
        counts,
        judges=tuple(counts.judges[i] for i in kept),
        patterns=counts.patterns[:, columns],
    )


def human_counts(counts: PatternCounts) -> PatternCounts:
    """The rows that people labelled, without verdicts.

    Rows of which nobody labelled R or T are left out. But T is labelled on answers only: where R
    was never labelled, or the labelled rows differ from the others in how often they declined
    (they were chosen by A), the others stay with their A, since leaving them out would bias P(A).
    """
    is_labelled = (counts.patterns[:, [_RETRIEVAL, _TASK]] >= 0).any(axis=1)
    abstention = counts.patterns[:, _ABSTENTION]
    kept = [
        rows
        if not rows[counts.patterns[:, _RETRIEVAL] >= 0].any()
        or _differ_in_abstention(abstention, worth, is_labelled)
        else rows * is_labelled
        for rows, worth in zip(counts.counts, counts.effective, strict=True)
    ]
    return with_judges(replace(counts, counts=np.array(kept).reshape(counts.counts.shape)), [])


def leaves_abstention_out(counts: PatternCounts) -> bool:
    """Whether `human_counts` leaves out rows whose A is seen."""
    all_rows, kept = (
        int(c.counts[:, c.patterns[:, _ABSTENTION] >= 0].sum())
        for c in (counts, human_counts(counts))
    )
    return kept < all_rows


def _differ_in_abstention(
    abstention: Int[np.ndarray, " pattern"],
    rows: Float[np.ndarray, " pattern"],
    is_labelled: Bool[np.ndarray, " pattern"],
) -> bool:
    """Whether P(A=1) of labelled rows is more than three standard errors from that of the rest."""
    parts = (is_labelled, ~is_labelled)
    yes, no = (np.array([rows[part & (abstention == a)].sum() for part in parts]) for a in (1, 0))
    n = yes + no
    pooled = yes.sum() / max(1, n.sum())
    if n.min() == 0 or pooled in (0.0, 1.0):
        return False
    apart = yes[0] / n[0] - yes[1] / n[1]
    return bool(abs(apart) > 3 * np.sqrt(pooled * (1 - pooled) * (1 / n).sum()))


def naive_counts(counts: PatternCounts, cuts: Sequence[int] | None = None) -> PatternCounts:
    """The counts in which every verdict is taken for the label where no person's is there.

    Of several judges of one truth the majority of the verdicts on the row counts; a tie, and
    "cannot tell", leave the label missing. A right answer was given, whatever a detector of
    abstention says. Where R has several levels what is no hit stands at the level below the top.

    Parameters
    ----------
    counts : PatternCounts
    cuts : sequence of int, optional
        Of each judge the answer from which on a verdict passes: of a graded judge by default the
        first one above the middle, and the top grade of one that has as many as R has levels.
    """
    top = len(counts.retrieval_levels) - 1
    if cuts is None:
        cuts = [j.top_level(top) or (len(j.answers) + 1) // 2 for j in counts.judges]
    shown = counts.patterns[:, :_FIRST_JUDGE].copy()
    hit, declined, solved = (
        _majority(counts, of, cuts) for of in ("retrieval", "abstention", "task")
    )
    level = np.where(hit == -1, -1, np.where(hit == 1, top, top - 1))
    _fill(shown, _RETRIEVAL, level, shown[:, _RETRIEVAL] == -1)
    is_open = (shown[:, _ABSTENTION] == -1) & (shown[:, _TASK] != 1)
    _fill(shown, _ABSTENTION, declined, is_open)
    _fill(shown, _TASK, solved, shown[:, _TASK] == -1)
    shown[shown[:, _ABSTENTION] == 1, _TASK] = -1
    deff = carried_effects(counts.counts, counts.deff, counts.patterns, shown)
    return replace(counts, judges=(), patterns=shown, deff=deff)


def _fill(
    shown: Int[np.ndarray, "pattern 4"],
    column: int,
    label: Int[np.ndarray, " pattern"],
    where: Bool[np.ndarray, " pattern"],
) -> None:
    shown[where, column] = label[where]


def _majority(counts: PatternCounts, of: str, cuts: Sequence[int]) -> Int[np.ndarray, " pattern"]:
    """The verdict that most judges of a truth give; -1 when they are tied or say nothing."""
    balance = np.zeros(len(counts.patterns), dtype=np.int64)
    for i, judge in enumerate(counts.judges):
        if judge.of == of:
            verdict = counts.patterns[:, _FIRST_JUDGE + i]
            decides = (verdict >= 0) & (verdict < len(judge.answers))
            balance += np.where(decides, np.where(verdict >= cuts[i], 1, -1), 0)
    return np.where(balance == 0, -1, balance > 0)
