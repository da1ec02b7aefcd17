"""Tally: how often each group shows each combination of raw labels, before any policy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from jaxtyping import Int, Int8, Int64

from rat_widgets.labels.coding import (
    Chunk,
    distinct_rows,
    label_codes,
    not_plain_error,
    value_codes,
)
from rat_widgets.labels.keys import GroupKey, KeyValue, is_missing, plain_value
from rat_widgets.labels.scalars import LabelReader

__all__ = ["Coder", "SliceCodes", "Tally", "tally_of"]

_MERGE_AT: Final = 1_000_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Tally:
    """Rows per group and combination of raw labels.

    Parameters
    ----------
    groups : tuple of tuple
        Distinct keys, in order of appearance; ``((),)`` when there are no grouping columns.
    group : int64 array, shape (combination,)
        Index into `groups`.
    codes : int8 array, shape (combination, label)
        0, 1, -1 where missing, 2 where the cell is not a label; one column per label column.
        R's with K levels: the number of the level from 0, and K where the cell is no level.
    rows : int64 array, shape (combination,)
        How many rows show the combination.
    without_group : tuple of int
        For each grouping column, rows without a value there (they are in no combination).
    """

    groups: tuple[GroupKey, ...]
    group: Int64[np.ndarray, " combination"]
    codes: Int8[np.ndarray, "combination label"]
    rows: Int64[np.ndarray, " combination"]
    without_group: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class SliceCodes:
    """One slice of rows in codes: the combinations it shows, and which row shows which."""

    by: Int64[np.ndarray, "combination by"]
    codes: Int8[np.ndarray, "combination label"]
    rows: Int64[np.ndarray, " combination"]
    combination: Int[np.ndarray, " row"]


class Coder:
    """Turns slices of raw columns into codes that mean the same in every slice.

    Parameters
    ----------
    by : sequence of str
        The grouping columns, which come first.
    readers : sequence of LabelReader
        One per label column.
    """

    def __init__(self, *, by: Sequence[str], readers: Sequence[LabelReader]) -> None:
        self.by = tuple(by)
        self.n_by = len(self.by)
        self.readers = tuple(readers)
        self.n_labels = len(self.readers)
        self._index: list[dict[KeyValue, int]] = [{} for _ in self.by]

    def slice_codes(self, chunks: Sequence[Chunk | None], n_rows: int) -> SliceCodes:
        """The combinations of one slice; a column that is None has no label anywhere."""
        columns: list[Int[np.ndarray, " row"]] = []
        sizes: list[int] = []
        tables = []
        for name, chunk, index in zip(self.by, chunks[: self.n_by], self._index, strict=True):
            try:
                codes, values = value_codes(chunk)
            except TypeError as err:
                raise not_plain_error(name) from err
            tables.append(self._codes_over_slices(index, values))
            columns.append(codes)
            sizes.append(len(values) + 1)
        for chunk, reader in zip(chunks[self.n_by :], self.readers, strict=True):
            if chunk is not None:
                columns.append(label_codes(chunk, reader))
                sizes.append(reader.n_values + 2)
        combination, first, rows = distinct_rows(columns, sizes, n_rows)
        by = np.full((len(first), self.n_by), -1, dtype=np.int64)
        codes = np.full((len(first), self.n_labels), -1, dtype=np.int8)
        rest = iter(columns)
        for i, table in enumerate(tables):
            by[:, i] = table[next(rest)[first]]
        for i, chunk in enumerate(chunks[self.n_by :]):
            if chunk is not None:
                codes[:, i] = next(rest)[first]
        return SliceCodes(by=by, codes=codes, rows=rows.astype(np.int64), combination=combination)

    def keys(self, by: Int64[np.ndarray, "combination by"]) -> list[GroupKey]:
        """Group keys of coded rows."""
        values = [list(index) for index in self._index]
        return [tuple(values[i][code] for i, code in enumerate(row)) for row in by.tolist()]

    @staticmethod
    def _codes_over_slices(
        index: dict[KeyValue, int], values: Iterable[Any]
    ) -> Int64[np.ndarray, " value"]:
        """Code over all slices of each value of this slice, with -1 for missing at the end."""
        table = [
            -1 if is_missing(raw) else index.setdefault(plain_value(raw), len(index))
            for raw in values
        ]
        return np.array([*table, -1], dtype=np.int64)


def tally_of(coder: Coder, slices: Iterator[SliceCodes]) -> Tally:
    """The sum over slices."""
    by = np.zeros((0, coder.n_by), dtype=np.int64)
    codes = np.zeros((0, coder.n_labels), dtype=np.int8)
    rows = np.zeros(0, dtype=np.int64)
    pending: list[SliceCodes] = []
    waiting = 0
    for part in slices:
        # which row shows what is as long as the table: only the combinations are kept
        pending.append(replace(part, combination=part.combination[:0].copy()))
        waiting += len(part.rows)
        if waiting > _MERGE_AT:
            by, codes, rows = _merged(by, codes, rows, pending)
            pending, waiting = [], 0
    by, codes, rows = _merged(by, codes, rows, pending)
    without_group = tuple(int(rows[by[:, i] == -1].sum()) for i in range(coder.n_by))
    whole = (by != -1).all(axis=1)
    by, codes, rows = by[whole], codes[whole], rows[whole]
    if coder.n_by == 0:
        groups: tuple[GroupKey, ...] = ((),)
        group = np.zeros(len(rows), dtype=np.int64)
    else:
        keys, group = np.unique(by, axis=0, return_inverse=True)
        groups, group = tuple(coder.keys(keys)), group.reshape(-1)
    return Tally(groups=groups, group=group, codes=codes, rows=rows, without_group=without_group)


def _merged(
    by: Int64[np.ndarray, "combination by"],
    codes: Int8[np.ndarray, "combination label"],
    rows: Int64[np.ndarray, " combination"],
    parts: list[SliceCodes],
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    by = np.concatenate([by, *(part.by for part in parts)])
    codes = np.concatenate([codes, *(part.codes for part in parts)])
    rows = np.concatenate([rows, *(part.rows for part in parts)])
    columns = [*by.T, *codes.T]
    sizes = [int(c.max(initial=-1)) + 2 for c in columns]
    combination, first, _ = distinct_rows(columns, sizes, len(rows))
    total = np.zeros(len(first), dtype=np.int64)
    np.add.at(total, combination, rows)
    return by[first], codes[first], total
