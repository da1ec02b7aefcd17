"""Tables beside the model's: verdicts taken for labels, and people's labels alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from jaxtyping import Bool, Int

from rat_widgets.labels.counts import PATTERN_COLUMNS

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["human_counts", "naive_counts", "with_judges"]

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
    """What people saw, and A: the counts without verdicts."""
    return with_judges(counts, [])


def naive_counts(counts: PatternCounts) -> PatternCounts:
    """The counts in which every verdict is taken for the label where no person's is there.

    Of several judges of one truth the majority of the verdicts on the row counts; a tie, and
    "cannot tell", leave the label missing. A right answer was given, whatever a detector of
    abstention says.
    """
    shown = counts.patterns[:, :_FIRST_JUDGE].copy()
    hit, declined, solved = (_majority(counts, of) for of in ("retrieval", "abstention", "task"))
    top = len(counts.retrieval_levels) - 1
    if top > 1:  # "not a hit" names no level where several lie below the top
        hit = np.where(hit == 0, -1, hit)
    _fill(shown, _RETRIEVAL, np.where(hit == 1, top, hit), shown[:, _RETRIEVAL] == -1)
    is_open = (shown[:, _ABSTENTION] == -1) & (shown[:, _TASK] != 1)
    _fill(shown, _ABSTENTION, declined, is_open)
    _fill(shown, _TASK, solved, shown[:, _TASK] == -1)
    shown[shown[:, _ABSTENTION] == 1, _TASK] = -1
    return replace(counts, judges=(), patterns=shown)


def _fill(
    shown: Int[np.ndarray, "pattern 4"],
    column: int,
    label: Int[np.ndarray, " pattern"],
    where: Bool[np.ndarray, " pattern"],
) -> None:
    shown[where, column] = label[where]


def _majority(counts: PatternCounts, of: str) -> Int[np.ndarray, " pattern"]:
    """The verdict that most judges of a truth give; -1 when they are tied or say nothing."""
    mine = [_FIRST_JUDGE + i for i, judge in enumerate(counts.judges) if judge.of == of]
    verdicts = counts.patterns[:, mine]
    balance = (verdicts == 1).sum(axis=1) - (verdicts == 0).sum(axis=1)
    return np.where(balance == 0, -1, balance > 0)
