"""pandas frames and PyArrow tables, read slice by slice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.labels.coding import Chunk, value_codes
from rat_widgets.labels.frames import SLICE_ROWS, SlicedFrame

__all__ = ["ArrowFrame", "PandasFrame"]


class PandasFrame(SlicedFrame):
    """A pandas data frame; copy-on-write keeps it as it was when it was handed over."""

    kind = "pandas"

    def __init__(self, frame: Any) -> None:
        self._frame = frame.copy(deep=False)
        self.columns = list(frame.columns)
        self.n_rows = len(frame)

    @property
    def native(self) -> Any:
        return self._frame.copy(deep=False)

    def _column(self, name: str) -> Any:
        return self._frame[name]

    def _cut(self, column: Any, start: int, stop: int) -> Chunk:
        return column.iloc[start:stop]

    def repeats(self, keys: Sequence[str]) -> bool:
        return _repeats([self._frame[key].factorize() for key in keys], self.n_rows)

    def n_missing(self, name: str) -> int:
        return int(self._frame[name].isna().sum())

    def has_plain_cells(self, name: str) -> bool:
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
        self, positions: Int[np.ndarray, "row"], name: str, values: Float[np.ndarray, "row"]
    ) -> Any:
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
        return self._table

    def _column(self, name: str) -> Any:
        return self._table.column(self.columns.index(name))

    def _cut(self, column: Any, start: int, stop: int) -> Chunk:
        import pyarrow as pa

        part = column.slice(start, stop - start)
        if pa.types.is_dictionary(part.type):
            part = part.unify_dictionaries()
        if part.num_chunks == 1:
            return part.chunk(0)
        if part.num_chunks == 0:
            return pa.array([], type=part.type)
        return part.combine_chunks()

    def repeats(self, keys: Sequence[str]) -> bool:
        return _repeats(
            [value_codes(self._cut(self._column(key), 0, self.n_rows)) for key in keys],
            self.n_rows,
        )

    def n_missing(self, name: str) -> int:
        import pyarrow as pa
        import pyarrow.compute as pc

        column = self._column(name)
        if pa.types.is_floating(column.type):
            return int(pc.sum(pc.is_null(column, nan_is_null=True)).as_py() or 0)
        return int(column.null_count)

    def has_plain_cells(self, name: str) -> bool:
        import pyarrow as pa

        return not pa.types.is_nested(self._column(name).type)

    def taken(
        self, positions: Int[np.ndarray, "row"], name: str, values: Float[np.ndarray, "row"]
    ) -> Any:
        import pyarrow as pa

        return self._table.take(pa.array(positions)).append_column(
            name, pa.array(values, type=pa.float64())
        )


def _repeats(coded: list[tuple[Any, Any]], n_rows: int) -> bool:
    """Whether a combination of codes occurs twice."""
    key = np.zeros(n_rows, dtype=np.int64)
    cells = 1
    for codes, values in coded:
        size = len(values) + 1
        if cells * size > 1 << 62:
            key = np.unique(key, return_inverse=True)[1]
            cells = n_rows
        key *= size
        key += codes
        key += 1
        cells *= size
    if cells < n_rows:
        return True
    if cells <= 8 * n_rows + 4096:
        seen = np.zeros(cells, dtype=bool)
        seen[key] = True
        return int(np.count_nonzero(seen)) < n_rows
    key.sort()
    return bool((key[1:] == key[:-1]).any())
