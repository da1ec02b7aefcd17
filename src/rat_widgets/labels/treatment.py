"""From raw labels to patterns: abstention, contradictions and errored rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, get_args

import numpy as np
from jaxtyping import Bool, Int8

from rat_widgets.labels.canonical import merged_patterns
from rat_widgets.labels.counts import PATTERN_COLUMNS, PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.labels.tally import Tally

__all__ = ["CONTRADICTION", "ERRORED_AS", "Contradiction", "ErroredAs", "Judged", "Treatment"]

Contradiction = Literal["error", "drop", "trust_abstention", "trust_answer"]
ErroredAs = Literal["excluded", "failures"]
CONTRADICTION: Final = get_args(Contradiction)
ERRORED_AS: Final = get_args(ErroredAs)

_ABSTENTION, _TASK, _FIRST_JUDGE = 1, 2, len(PATTERN_COLUMNS)


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """What becomes of combinations of raw labels.

    Parameters
    ----------
    patterns : int8 array, shape (combination, 4 + judge)
    is_errored, is_contradictory : bool array, shape (combination,)
        An errored row is never contradictory.
    is_counted : bool array, shape (combination,)
        Whether its rows are in the pattern counts.
    """

    patterns: Int8[np.ndarray, "combination column"]
    is_errored: Bool[np.ndarray, " combination"]
    is_contradictory: Bool[np.ndarray, " combination"]
    is_counted: Bool[np.ndarray, " combination"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Treatment:
    """How raw labels become patterns.

    Parameters
    ----------
    judges : tuple of Judge
    levels : tuple of str
        Levels of retrieval, the lowest first.
    always_answers : bool
        Whether A is 0 on every row.
    on_contradiction : "error", "drop", "trust_abstention" or "trust_answer"
        What T=1 with A=1 turns into; "error" leaves it to the caller to raise.
    errored_as : "excluded" or "failures"
    """

    judges: tuple[Judge, ...]
    levels: tuple[str, ...]
    always_answers: bool
    on_contradiction: Contradiction
    errored_as: ErroredAs

    def judged(self, codes: Int8[np.ndarray, "combination label"]) -> Judged:
        """Patterns of combinations of raw labels.

        Parameters
        ----------
        codes : int8 array, shape (combination, 4 + judge + 1)
            Retrieval, abstention, task, answerable, the judges, errored.
        """
        patterns = codes[:, :-1].copy()
        for i, judge in enumerate(self.judges):
            verdicts = patterns[:, _FIRST_JUDGE + i]
            verdicts[verdicts >= judge.n_answers] = -1  # text that is no verdict
        if self.always_answers:
            patterns[:, _ABSTENTION] = 0
        is_errored = codes[:, -1] == 1
        is_contradictory = (patterns[:, _ABSTENTION] == 1) & (patterns[:, _TASK] == 1) & ~is_errored
        is_counted = np.ones(len(codes), dtype=bool)
        if self.on_contradiction == "drop":
            is_counted &= ~is_contradictory
        elif self.on_contradiction == "trust_answer":
            patterns[is_contradictory, _ABSTENTION] = 0
        if self.errored_as == "failures":
            # no answer came: there is nothing that a judge of the task or of abstention saw
            silent = [
                _FIRST_JUDGE + i for i, judge in enumerate(self.judges) if judge.of != "retrieval"
            ]
            patterns[np.ix_(is_errored, silent)] = -1
            patterns[np.ix_(is_errored, [_ABSTENTION, _TASK])] = 0
        else:
            is_counted &= ~is_errored
        abstained = patterns[:, _ABSTENTION] == 1
        patterns[np.ix_(abstained, [_TASK, *self.task_judges])] = -1
        return Judged(
            patterns=patterns,
            is_errored=is_errored,
            is_contradictory=is_contradictory,
            is_counted=is_counted,
        )

    @property
    def task_judges(self) -> list[int]:
        """Columns of the patterns that hold verdicts about the task."""
        return [_FIRST_JUDGE + i for i, judge in enumerate(self.judges) if judge.of == "task"]

    def counts(self, tally: Tally, *, by: tuple[str, ...]) -> PatternCounts:
        """The pattern counts of a tally."""
        judged = self.judged(tally.codes)
        n_groups = len(tally.groups)
        kept = judged.is_counted
        patterns, group, rows = judged.patterns[kept], tally.group[kept], tally.rows[kept]
        unique, _ = merged_patterns(patterns, np.ones((1, len(patterns)), dtype=np.int64))
        place = {row.tobytes(): i for i, row in enumerate(unique)}
        column = np.array([place[row.tobytes()] for row in patterns], dtype=np.int64)
        counts = np.zeros((n_groups, len(unique)), dtype=np.int64)
        np.add.at(counts, (group, column), rows)
        per_group = {}
        lost = judged.is_contradictory & ~kept
        for name, mask in (("errored", judged.is_errored), ("dropped", lost)):
            total = np.zeros(n_groups, dtype=np.int64)
            np.add.at(total, tally.group[mask], tally.rows[mask])
            per_group[name] = total
        return PatternCounts(
            by=by,
            groups=tally.groups,
            judges=self.judges,
            retrieval_levels=self.levels,
            patterns=unique,
            counts=counts,
            errored=per_group["errored"],
            dropped=per_group["dropped"],
        )
