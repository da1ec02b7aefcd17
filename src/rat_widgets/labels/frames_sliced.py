"""pandas frames and PyArrow tables, read slice by slice."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import Any, Final, Self

import numpy as np
from jaxtyping import Float, Int, UInt64

from rat_widgets.labels.coding import Chunk, distinct_rows, value_codes
from rat_widgets.labels.frames import SLICE_ROWS
from rat_widgets.labels.keys import is_missing
from rat_widgets.labels.tally import Coder, Tally, tally_of

__all__ = ["ArrowFrame", "PandasFrame"]

_N_PROBED: Final = 2048
_SHIFT: Final = np.uint64(32)
_ODD: Final = np.uint64(0x9E3779B97F4A7C15)


class SlicedFrame(ABC):
    """What pandas and PyArrow share: they are read slice by slice."""

    columns: list[Any]
    n_rows: int

    @abstractmethod
    def _column(self, name: str) -> Any:
        """A column as the library knows it."""

    @abstractmethod
    def _cut(self, column: Any, start: int, stop: int) -> Chunk:
        """Some rows of a column."""

    @abstractmethod
    def _hashes(self, chunk: Chunk) -> UInt64[np.ndarray, " row"]:
        """One hash per row."""

    @abstractmethod
    def _codes(self, name: str) -> tuple[Any, Any]:
        """A column's codes, and the values they stand for."""

    def slices(self, names: Sequence[str | None]) -> Iterator[tuple[list[Chunk | None], int]]:
        """Slices of columns in the order of the rows, each with its number of rows."""
        columns = [None if name is None else self._column(name) for name in names]
        for start in range(0, self.n_rows, SLICE_ROWS):
            stop = min(start + SLICE_ROWS, self.n_rows)
            yield [None if c is None else self._cut(c, start, stop) for c in columns], stop - start

    def collected(self) -> Self:
        """The same rows in memory, in one order."""
        return self

    def tally(self, by: Sequence[str], labels: Sequence[str | None], coder: Coder) -> Tally:
        """Rows per group and combination of labels."""
        return tally_of(
            coder, (coder.slice_codes(chunks, n) for chunks, n in self.slices([*by, *labels]))
        )

    def repeats(self, keys: Sequence[str]) -> bool:
        """Whether two rows agree in all of these columns.

        Hashes that all differ prove that the rows do; only where two are equal are the values
        themselves compared, which takes several times the memory.
        """
        hashes = np.zeros(self.n_rows, dtype=np.uint64)
        start = 0
        for chunks, n_rows in self.slices(keys):
            part = hashes[start : start + n_rows]
            for chunk in chunks:
                part ^= part >> _SHIFT
                part *= _ODD
                part += self._hashes(chunk)
            start += n_rows
        hashes.sort()
        if not (hashes[1:] == hashes[:-1]).any():
            return False
        return _codes_repeat([self._codes(key) for key in keys], self.n_rows)


class PandasFrame(SlicedFrame):
    """A pandas data frame; copy-on-write keeps it as it was when it was handed over."""

    kind = "pandas"

    def __init__(self, frame: Any) -> None:
        """Whether two rows have the same values in all of these columns."""
        self._frame = frame.copy(deep=False)
        self.columns = list(frame.columns)
        self.n_rows = len(frame)

    @property
    def native(self) -> Any:
        """The frame as the caller's library knows it."""
        return self._frame.copy(deep=False)

    def _column(self, name: str) -> Any:
        return self._frame[name]

    def _cut(self, column: Any, start: int, stop: int) -> Chunk:
        return column.iloc[start:stop]

    def _hashes(self, chunk: Chunk) -> UInt64[np.ndarray, " row"]:
        return _hashes(chunk)

    def _codes(self, name: str) -> tuple[Any, Any]:
        return self._frame[name].factorize()

    def n_missing(self, name: str) -> int:
        """Rows without a value in this column."""
        return int(self._frame[name].isna().sum())

    def has_plain_cells(self, name: str) -> bool:
        """Whether the cells can be compared: no lists, no structs."""
        column = self._frame[name]
        if column.dtype != object:
            return True
        try:
            for start in range(0, self.n_rows, SLICE_ROWS):
                column.iloc[start : start + SLICE_ROWS].factorize()
        except TypeError:
            return False
        return True

    def taken(
        self, positions: Int[np.ndarray, " row"], name: str, values: Float[np.ndarray, " row"]
    ) -> Any:
        """A native frame of some rows, and one column of numbers more."""
        rows = self._frame.iloc[positions].copy()
        rows[name] = values
        return rows


class ArrowFrame(SlicedFrame):
    """A PyArrow table."""

    kind = "pyarrow"

    def __init__(self, table: Any) -> None:
        self._table = table
        self.columns = list(table.column_names)
        self.n_rows = table.num_rows

    @property
    def native(self) -> Any:
        """The frame as the caller's library knows it."""
        return self._table

    def _column(self, name: str) -> Any:
        return self._table.column(self.columns.index(name))

    def _cut(self, column: Any, start: int, stop: int) -> Chunk:
        import pyarrow as pa
        import pyarrow.compute as pc

        part = column.slice(start, stop - start)
        if pa.types.is_run_end_encoded(part.type):
            chunks = [pc.run_end_decode(chunk) for chunk in part.chunks]
            part = pa.chunked_array(chunks, type=part.type.value_type)
        if pa.types.is_dictionary(part.type):
            part = part.unify_dictionaries()
        if part.num_chunks == 1:
            return part.chunk(0)
        if part.num_chunks == 0:
            return pa.array([], type=part.type)
        return part.combine_chunks()

    def _hashes(self, chunk: Chunk) -> UInt64[np.ndarray, " row"]:
        return _hashes(chunk.to_pandas())

    def _codes(self, name: str) -> tuple[Any, Any]:
        return value_codes(self._cut(self._column(name), 0, self.n_rows))

    def n_missing(self, name: str) -> int:
        """Rows without a value in this column."""
        import pyarrow as pa
        import pyarrow.compute as pc

        column = self._column(name)
        kind = column.type
        if pa.types.is_dictionary(kind) or pa.types.is_run_end_encoded(kind):
            # what is encoded may be null where the codes are not
            return sum(_n_missing(*value_codes(chunk)) for (chunk,), _ in self.slices([name]))
        if pa.types.is_floating(kind):
            return int(pc.sum(pc.is_null(column, nan_is_null=True)).as_py() or 0)
        return int(column.null_count)

    def has_plain_cells(self, name: str) -> bool:
        """Whether the cells can be compared: no lists, no structs."""
        import pyarrow as pa

        kind = self._column(name).type
        return pa.types.is_run_end_encoded(kind) or not pa.types.is_nested(kind)

    def taken(
        self, positions: Int[np.ndarray, " row"], name: str, values: Float[np.ndarray, " row"]
    ) -> Any:
        """A native frame of some rows, and one column of numbers more."""
        import pyarrow as pa

        try:
            rows = self._table.take(pa.array(positions))
        except pa.ArrowNotImplementedError:  # views of text have no such kernel in Arrow 26
            starts = np.split(positions, np.flatnonzero(np.diff(positions) != 1) + 1)
            rows = pa.concat_tables(
                [self._table.slice(0, 0)]
                + [self._table.slice(run[0], len(run)) for run in starts if len(run)]
            )
        return rows.append_column(name, pa.array(values, type=pa.float64()))


def _hashes(series: Any) -> UInt64[np.ndarray, " row"]:
    """A hash of each cell, by way of the distinct values where these are few."""
    import pandas as pd

    if series.dtype.kind in "biuf":
        return np.asarray(pd.util.hash_pandas_object(series, index=False, categorize=False))
    if series.iloc[:_N_PROBED].nunique() <= _N_PROBED // 2:
        codes, values = series.factorize(use_na_sentinel=False)
        return _value_hashes(list(values))[codes]
    if isinstance(series.dtype, pd.StringDtype) and series.dtype.storage == "pyarrow":
        return _value_hashes(series.array.__arrow_array__().to_pylist())
    return _value_hashes(series.tolist())


def _value_hashes(values: list[Any]) -> UInt64[np.ndarray, " value"]:
    return np.fromiter(map(hash, values), np.int64, len(values)).view(np.uint64)


def _n_missing(codes: Int[np.ndarray, " row"], values: list[Any]) -> int:
    return int(np.array([*map(is_missing, values), True])[codes].sum())


def _codes_repeat(coded: Sequence[tuple[Any, Any]], n_rows: int) -> bool:
    """Whether a combination of codes occurs twice."""
    columns = [np.asarray(codes) for codes, _ in coded]
    _, _, counts = distinct_rows(columns, [len(values) + 1 for _, values in coded], n_rows)
    return bool((counts > 1).any())
