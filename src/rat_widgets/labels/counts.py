"""PatternCounts: how many rows of each group show each pattern of labels.

The data enter the model only through these counts: 100 rows and 100 million rows that show
the same patterns cost the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, Final

import numpy as np
from jaxtyping import Float, Int8, Int64

from rat_widgets.errors import ArgumentError, ArgumentTypeError, CountsError
from rat_widgets.labels.canonical import (
    canonical_groups,
    groups_apart,
    merged_patterns,
    whole_numbers,
)
from rat_widgets.labels.counts_json import counts_from_dict, counts_from_json, counts_to_dict
from rat_widgets.labels.effective import combined_effects, kinds_of_rows, read_effects
from rat_widgets.labels.judges import Judge
from rat_widgets.labels.keys import GroupKey
from rat_widgets.labels.levels import TWO_LEVELS, read_levels
from rat_widgets.labels.united import united

__all__ = ["PATTERN_COLUMNS", "TWO_LEVELS", "PatternCounts"]

PATTERN_COLUMNS: Final = ("retrieval", "abstention", "task", "answerable")
_RETRIEVAL, _ABSTENTION, _TASK, _ANSWERABLE = range(4)


def _no_effects() -> Float[np.ndarray, "group 2"]:
    return np.zeros((0, 2))


def _no_rows() -> Int64[np.ndarray, " group"]:
    return np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class PatternCounts:
    """Counts of distinct label patterns, per group: all that the model sees of the data.

    Whatever it is made from, the value is canonical: groups sorted, patterns sorted and
    unique, none without rows, arrays read-only. Where A=1 was seen, T and the verdicts of
    task judges say nothing and are -1.

    Parameters
    ----------
    by : tuple of str
        The grouping columns; empty when there are no groups.
    groups : tuple of tuple
        One key per group, one value per grouping column; ``((),)`` when there are no groups.
    judges : tuple of Judge
        In the order of their columns in `patterns`.
    retrieval_levels : tuple of str
        Names of the levels of R, the lowest first.
    patterns : int8 array, shape (pattern, 4 + judge)
        Columns `PATTERN_COLUMNS`, then one per judge: 0, 1, or -1 where nothing was seen; of R
        the number of its level, from 0, and so of a graded judge's answer; where a judge said that
        it cannot tell, one more than its last answer.
    counts : int64 array, shape (group, pattern)
        Rows that show each pattern.
    errored : int64 array, shape (group,)
        Rows marked as errored: set aside, or counted as failures, as the caller chose.
    dropped : int64 array, shape (group,)
        Contradictory rows that were dropped.
    deff : array, shape (group, 2)
        Design effect: how many rows say as much as one independent row, of rows that show a human
        label of R or T, and of the others. The model divides the counts by it; 1 unless rows
        come in clusters. One number per group stands for both.
    apart : tuple of tuple
        Keys of groups that share no judge with the others, whatever the judges say of that: each
        is fitted by itself. Of one group alone it says how it was fitted beside others.
    """

    by: tuple[str, ...] = ()
    groups: tuple[GroupKey, ...] = ((),)
    judges: tuple[Judge, ...] = ()
    retrieval_levels: tuple[str, ...] = TWO_LEVELS
    patterns: Int8[np.ndarray, "pattern column"]
    counts: Int64[np.ndarray, "group pattern"]
    errored: Int64[np.ndarray, " group"] = field(default_factory=_no_rows)
    dropped: Int64[np.ndarray, " group"] = field(default_factory=_no_rows)
    deff: Float[np.ndarray, "group 2"] = field(default_factory=_no_effects)
    apart: tuple[GroupKey, ...] = ()

    def __post_init__(self) -> None:
        by, judges = tuple(self.by), tuple(self.judges)
        try:
            levels = read_levels(self.retrieval_levels)
        except (ArgumentError, ArgumentTypeError) as err:
            raise CountsError(str(err)) from err
        if not all(isinstance(judge, Judge) for judge in judges):
            raise CountsError.build(
                "`judges` holds something that is not a Judge.", accepted="rat.Judge(...) only."
            )
        n_columns = len(PATTERN_COLUMNS) + len(judges)
        patterns = whole_numbers(self.patterns, "patterns", shape=(None, n_columns))
        counts = whole_numbers(
            self.counts, "counts", shape=(len(self.groups), len(patterns)), least=0
        )
        tallies = {}
        for name in ("errored", "dropped"):
            rows = getattr(self, name)
            left_out = rows.size == 0 if isinstance(rows, np.ndarray) else rows in ((), [])
            rows = np.zeros(len(self.groups), np.int64) if left_out else rows
            tallies[name] = whole_numbers(rows, name, shape=(len(self.groups),), least=0)
        most = np.ones(n_columns, dtype=np.int64)
        most[_RETRIEVAL] = len(levels) - 1
        most[len(PATTERN_COLUMNS) :] = [judge.n_answers - 1 for judge in judges]
        if not ((patterns >= -1) & (patterns <= most)).all():
            of_r = f" (of R: 0 to {len(levels) - 1})" if len(levels) > 2 else ""
            if any(judge.is_graded for judge in judges):
                of_r += " (of graded judges: up to the number of their levels)"
            raise CountsError.build(
                f"`patterns` holds a value outside -1, 0 and 1{of_r}.",
                accepted="1 and 0 are labels, -1 stands for a label that was not seen.",
            )
        groups, order = canonical_groups(by, self.groups)
        task_judges = [
            len(PATTERN_COLUMNS) + i for i, judge in enumerate(judges) if judge.of == "task"
        ]
        patterns = patterns.astype(np.int8)
        abstained = patterns[:, _ABSTENTION] == 1
        patterns[np.ix_(abstained, [_TASK, *task_judges])] = -1
        patterns, counts = merged_patterns(patterns, counts[order])
        values = {
            "by": by,
            "groups": groups,
            "judges": judges,
            "retrieval_levels": levels,
            "patterns": patterns,
            "counts": counts,
            "errored": tallies["errored"][order],
            "dropped": tallies["dropped"][order],
            "deff": read_effects(self.deff, len(self.groups))[order],
            "apart": groups_apart(self.apart, groups),
        }
        for name, value in values.items():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)
            object.__setattr__(self, name, value)

    @property
    def columns(self) -> tuple[str, ...]:
        """What each column of `patterns` is: the four labels, then the judges' names."""
        return (*PATTERN_COLUMNS, *(judge.name for judge in self.judges))

    @property
    def is_pooled(self) -> bool:
        """Whether a judge is pooled over several groups."""
        n_together = self.n_groups - len(self.apart)
        return n_together > 1 and any(judge.share == "partial" for judge in self.judges)

    def parts(self) -> list[PatternCounts]:
        """Counts of what is fitted together: the groups that are not `apart`, then each that is."""
        if not self.apart:
            return [self]
        alone = [i for i, key in enumerate(self.groups) if key in self.apart]
        rest = [i for i in range(self.n_groups) if i not in alone]
        return [self.select(part) for part in (rest, *([i] for i in alone)) if part]

    @property
    def n_groups(self) -> int:
        """Number of groups; 1 when there is no grouping."""
        return len(self.groups)

    @property
    def n_rows(self) -> int:
        """Rows in the patterns, over all groups (errored rows that were set aside are not)."""
        return int(self.counts.sum())

    @property
    def rows_per_group(self) -> Int64[np.ndarray, " group"]:
        """Rows in the patterns of each group."""
        return self.counts.sum(axis=1)

    @property
    def is_scaled(self) -> bool:
        """Whether rows say less than as many independent ones in some group."""
        return bool((self.deff > 1).any())

    @property
    def effective(self) -> Float[np.ndarray, "group pattern"]:
        """Independent rows that say as much: the counts divided by the design effects."""
        return self.counts / (self.deff @ kinds_of_rows(self.patterns))

    def rows_by_kind(self) -> Int64[np.ndarray, "group 2"]:
        """Rows of each group that show a human label of R or T, and the others."""
        return self.counts @ kinds_of_rows(self.patterns).T.astype(np.int64)

    def group(self, index: int) -> PatternCounts:
        """One group alone, under its key."""
        return self.select([index])

    def select(self, indices: Iterable[int]) -> PatternCounts:
        """Some of the groups, each once.

        Raises
        ------
        CountsError
            When an index is out of range, or occurs twice.
        """
        chosen = list(indices) if isinstance(indices, Iterable) else [indices]
        for i in chosen:
            is_whole = isinstance(i, (int, np.integer)) and not isinstance(i, bool)
            if not is_whole or not -self.n_groups <= i < self.n_groups:
                raise CountsError.build(
                    f"There is no group {i!r}.",
                    accepted=f"Groups are numbered from 0 to {self.n_groups - 1}.",
                )
        groups = tuple(self.groups[i] for i in chosen)
        return replace(
            self,
            groups=groups,
            apart=tuple(key for key in self.apart if key in groups),
            counts=self.counts[chosen],
            errored=self.errored[chosen],
            dropped=self.dropped[chosen],
            deff=self.deff[chosen],
        )

    def pooled(self) -> PatternCounts:
        """The sum over groups, without grouping."""
        return replace(
            self,
            by=(),
            groups=((),),
            apart=(),
            counts=self.counts.sum(axis=0, keepdims=True),
            errored=self.errored.sum(keepdims=True),
            dropped=self.dropped.sum(keepdims=True),
            deff=combined_effects(self.rows_by_kind()[:, None], self.deff[:, None]),
        )

    def without_answerable(self) -> PatternCounts:
        """The counts as they are when nobody looked at `answerable`."""
        patterns = self.patterns.copy()
        patterns[:, _ANSWERABLE] = -1
        return replace(self, patterns=patterns)

    def as_answerability(self) -> PatternCounts | None:
        """Counts in which *answerable* stands in retrieval's place; None when never seen.

        R and its judges are left out. Where A and *answerable* are seen on every row, so are T
        and the other judges, which say nothing more. Elsewhere they stay: which rows show A or
        *answerable* may depend on them.
        """
        abstention, answerable = self.patterns[:, _ABSTENTION], self.patterns[:, _ANSWERABLE]
        if not (answerable != -1).any():
            return None
        if (abstention != -1).all() and (answerable != -1).all():
            patterns = np.full((len(self.patterns), len(PATTERN_COLUMNS)), -1, dtype=np.int8)
            patterns[:, _ABSTENTION] = abstention
            patterns[:, _RETRIEVAL] = answerable
            return replace(self, judges=(), patterns=patterns, retrieval_levels=TWO_LEVELS)
        patterns = self.patterns.copy()
        patterns[:, _RETRIEVAL] = answerable
        of_retrieval = [
            len(PATTERN_COLUMNS) + i for i, j in enumerate(self.judges) if j.of == "retrieval"
        ]
        patterns[:, [_ANSWERABLE, *of_retrieval]] = -1
        return replace(self, patterns=patterns, retrieval_levels=TWO_LEVELS)

    def __add__(self, other: object) -> PatternCounts:
        """The counts of both tables together: groups and patterns are united."""
        if not isinstance(other, PatternCounts):
            return NotImplemented
        return replace(self, **united(self, other))

    def __radd__(self, other: object) -> PatternCounts:
        """Lets `sum` start from 0."""
        if other == 0 and isinstance(other, int):
            return self
        return NotImplemented

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PatternCounts):
            return NotImplemented
        both = ((getattr(self, f.name), getattr(other, f.name)) for f in fields(self))
        return all(
            np.array_equal(a, b) if isinstance(a, np.ndarray) else bool(a == b) for a, b in both
        )

    def __reduce__(self) -> tuple[Any, ...]:
        # made anew, so that copies are read-only too
        return partial(type(self), **{f.name: getattr(self, f.name) for f in fields(self)}), ()

    def __hash__(self) -> int:
        values = (getattr(self, f.name) for f in fields(self))
        return hash(tuple(v.tobytes() if isinstance(v, np.ndarray) else v for v in values))

    def __repr__(self) -> str:
        parts = [f"{self.n_rows:,} rows", f"{len(self.patterns)} patterns"]
        if self.by:
            parts.append(f"{self.n_groups:,} groups by {', '.join(map(repr, self.by))}")
        if len(self.retrieval_levels) > 2:
            parts.append(f"R is {', '.join(self.retrieval_levels)}")
        if self.judges:
            parts.append("judges " + ", ".join(f"{j.name!r} of {j.of}" for j in self.judges))
        for name in ("errored", "dropped"):
            if total := int(getattr(self, name).sum()):
                parts.append(f"{total:,} {name}")
        if self.is_scaled:
            parts.append(f"design effect up to {self.deff.max():.2f}")
        return f"PatternCounts({'; '.join(parts)})"

    def to_dict(self) -> dict[str, Any]:
        """The counts as values that JSON can hold."""
        return counts_to_dict(self)

    @classmethod
    def from_dict(cls, data: object) -> PatternCounts:
        """The counts that `to_dict` wrote.

        Raises
        ------
        CountsError
            When `data` is something else.
        """
        return cls(**counts_from_dict(data))

    def to_json(self) -> str:
        """The counts as JSON text."""
        return json.dumps(self.to_dict(), allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> PatternCounts:
        """The counts that `to_json` wrote.

        Raises
        ------
        CountsError
            When the text is not JSON, or holds something else.
        """
        return cls(**counts_from_json(text))

    @classmethod
    def from_patterns(
        cls,
        rows: Sequence[Sequence[int]],
        counts: Sequence[int],
        *,
        judges: Sequence[Judge] = (),
        retrieval_levels: Sequence[str] | None = None,
    ) -> PatternCounts:
        """Ungrouped counts from a list of patterns; columns that are left out were not seen.

        Parameters
        ----------
        rows : sequence, shape (pattern, 1 to 4 + judge)
            Values in the order of `columns`.
        counts : sequence, shape (pattern,)
        judges : sequence of Judge
        retrieval_levels : sequence of str, optional
            Names of the levels of R, the lowest first; miss and hit when left out.
        """
        levels = TWO_LEVELS if retrieval_levels is None else retrieval_levels
        try:
            listed = [list(row) for row in rows]
            measured = tuple(judges)
            totals = np.asarray(list(counts))
        except (TypeError, ValueError) as err:
            raise CountsError.build(
                f"Patterns cannot be made of {rows!r:.60} and {counts!r:.60}.",
                accepted="A list of patterns, a list of as many counts, a list of judges.",
                hint="PatternCounts.from_patterns([[1, 0, 1], [0, 1]], [12, 3])",
            ) from err
        width = len(PATTERN_COLUMNS) + len(measured)
        for i, row in enumerate(listed):
            if len(row) > width:
                raise CountsError.build(
                    f"Pattern {i} has {len(row)} values.", accepted=f"At most {width}."
                )
        patterns = whole_numbers(
            [[*row, *[-1] * (width - len(row))] for row in listed], "patterns", shape=(None, width)
        )
        return cls(
            judges=measured,
            patterns=patterns,
            counts=totals[None],
            retrieval_levels=tuple(levels),
        )
