"""Polars, DuckDB and the rest of narwhals: counted by a group-by in their own engine."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.errors import FrameChangedError, FrameError
from rat_widgets.labels.coding import Chunk, not_plain_error
from rat_widgets.labels.frames import SLICE_ROWS, Frame, frame_of
from rat_widgets.labels.tally import Coder, SliceCodes, Tally, tally_of

__all__ = ["EngineFrame"]


class EngineFrame:
    """A frame that narwhals reads; lazy ones are asked for counts and stay where they are."""

    def __init__(self, data: Any) -> None:
        import narwhals as nw

        table = nw.from_native(data)
        self.kind = str(table.implementation).removeprefix("Implementation.").lower()
        self.is_lazy = isinstance(table, nw.LazyFrame)
        if self.kind == "polars" and not self.is_lazy:
            data = data.clone()
        self._data = data
        self._table = nw.from_native(data)
        try:
            self.columns = list(data.columns if self.kind == "duckdb" else ())
            self.columns = self.columns or self._table.collect_schema().names()
        except Exception as err:  # whatever an engine raises
            raise _unreadable(self.kind, err) from err

    @property
    def native(self) -> Any:
        """The frame as the caller's library knows it."""
        return self._data.clone() if self.kind == "polars" else self._data

    def _named(self, names: Sequence[str]) -> tuple[Any, list[str]]:
        """The columns under plain names: engines read stars and patterns into a column's name."""
        import narwhals as nw

        prefix = "rat_"
        while any(str(column).casefold().startswith(prefix) for column in self.columns):
            prefix += "_"
        plain = [f"{prefix}{i}" for i in range(len(names))]
        self._require_plain_cells(names)
        if self.kind == "duckdb":
            # the relation's own column expression takes a column called * for all of them
            chosen = ", ".join(
                f"{_quoted(name)} AS {_quoted(new)}" for name, new in zip(names, plain, strict=True)
            )
            return nw.from_native(self._data.project(chosen)), plain
        table = self._table
        if self.kind == "polars" and not self.is_lazy:
            table = table.lazy()
        return table.rename(dict(zip(names, plain, strict=True))).select(plain), plain

    def has_plain_cells(self, name: str) -> bool:
        """Whether the cells can be compared: no lists, no structs."""
        dtype = self._table.collect_schema()[name]
        return not (dtype.is_nested() or str(dtype) == "Object")

    def _require_plain_cells(self, names: Sequence[str]) -> None:
        for name in names:
            if not self.has_plain_cells(name):
                raise not_plain_error(name)

    def _distinct(self, names: Sequence[str]) -> tuple[list[list[Any]], np.ndarray]:
        """Distinct rows of these columns, column by column, and how many rows show each."""
        import narwhals as nw

        if not names:
            n_rows = _collected(self._table.select(nw.len().alias("n_rows")))
            return [], np.array(n_rows["n_rows"].to_list(), dtype=np.int64)
        table, plain = self._named(names)
        counted = _collected(table.group_by(plain).agg(nw.len().alias("n_rows")))
        counts = np.array(counted["n_rows"].to_list(), dtype=np.int64)
        return [counted[name].to_list() for name in plain], counts

    def tally(self, by: Sequence[str], labels: Sequence[str | None], coder: Coder) -> Tally:
        """Rows per group and combination of labels."""
        names = list(dict.fromkeys([*by, *(name for name in labels if name is not None)]))
        columns, counts = self._distinct(names)
        column = dict(zip(names, columns, strict=True))
        chunks: list[Chunk | None] = [column[name] for name in by]
        chunks += [None if name is None else column[name] for name in labels]
        part = coder.slice_codes(chunks, len(counts))
        rows = np.zeros(len(part.rows), dtype=np.int64)
        np.add.at(rows, part.combination, counts)
        summed = SliceCodes(by=part.by, codes=part.codes, rows=rows, combination=part.combination)
        return tally_of(coder, iter([summed]))

    def slices(self, names: Sequence[str | None]) -> Iterator[tuple[list[Chunk | None], int]]:
        """Slices of columns in the order of the rows, each with its number of rows."""
        import narwhals as nw

        used = list(dict.fromkeys(name for name in names if name is not None))
        if not used:
            yield [None for _ in names], int(_collected(self._table.select(nw.len())).item())
            return
        table, plain = self._named(used)
        table = _collected(table)
        column = dict(zip(used, plain, strict=True))
        for start in range(0, len(table), SLICE_ROWS):
            part = table[start : start + SLICE_ROWS]
            chunks = [None if name is None else _chunk(part[column[name]]) for name in names]
            yield chunks, len(part)

    def repeats(self, keys: Sequence[str]) -> bool:
        """Whether two rows have the same values in all of these columns."""
        import narwhals as nw

        table, plain = self._named(keys)
        counted = table.group_by(plain).agg(nw.len().alias("n_rows"))
        return len(_collected(counted.filter(nw.col("n_rows") > 1).select("n_rows").head(1))) > 0

    def n_missing(self, name: str) -> int:
        """Rows without a value in this column."""
        import narwhals as nw

        table, (plain,) = self._named([name])
        is_missing = nw.col(plain).is_null()
        if self._table.collect_schema()[name].is_float():
            is_missing = is_missing | nw.col(plain).is_nan()
        return len(_collected(table.filter(is_missing).select(plain)))

    def collected(self) -> Frame:
        """The same rows in memory, in one order."""
        if not self.is_lazy:
            return self
        try:
            return frame_of(_collected(self._table))
        except Exception as err:  # whatever an engine raises when its source is gone
            raise FrameChangedError.build(
                f"The {self.kind} table can no longer be read: {err.__cause__ or err}",
                hint="rows are read again when they are asked for: keep the source open.",
            ) from err

    def taken(
        self, positions: Int[np.ndarray, " row"], name: str, values: Float[np.ndarray, " row"]
    ) -> Any:
        """A native frame of some rows, and one column of numbers more."""
        import narwhals as nw

        table = _collected(self._table)
        rows = table[positions.tolist()] if len(positions) else table.head(0)
        column = nw.new_series(name, values, nw.Float64, backend=rows.implementation)
        return nw.to_native(rows.with_columns(column))


def _quoted(name: str) -> str:
    """A column's name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def _chunk(series: Any) -> Chunk:
    """Numbers as an array with NaN for missing, anything else as Python values.

    True and False stay what they are: 1 and 0 they are to some readers alone.
    """
    import narwhals as nw

    dtype = series.dtype
    if dtype == nw.Boolean and not series.is_null().any():
        return series.to_numpy()
    if dtype.is_integer() or dtype.is_float():
        return series.cast(nw.Float64).to_numpy()
    return series.to_list()


def _collected(table: Any) -> Any:
    """An eager frame; relations become PyArrow tables, or pandas where that is not installed."""
    import narwhals as nw

    if isinstance(table, nw.DataFrame):
        return table
    backend = None
    if not table.implementation.is_polars():
        has_arrow = importlib.util.find_spec("pyarrow") is not None
        backend = "pyarrow" if has_arrow else "pandas"
    try:
        return table.collect(backend=backend)
    except Exception as err:  # whatever an engine raises
        raise _unreadable(str(table.implementation.value), err) from err


def _unreadable(kind: str, err: Exception) -> FrameError:
    said = " ".join(str(err).split()) or type(err).__name__
    return FrameError.build(
        f"The {kind} table cannot be read: {said:.300}",
        accepted="A table that its own library can compute, whose source is still open.",
        hint="collect it first to see where it fails.",
    )
