"""One face for every data frame: columns, counts in its own engine, slices, chosen rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.coding import Chunk
from rat_widgets.labels.tally import Coder, Tally

__all__ = ["SLICE_ROWS", "Frame", "frame_of", "free_name", "require_distinct"]

SLICE_ROWS: Final = 1 << 18


class Frame(Protocol):
    """What reading labels asks of a data frame; it never changes the caller's."""

    kind: str
    columns: list[Any]

    @property
    def native(self) -> Any:
        """The frame as the caller's library knows it."""

    def tally(self, by: Sequence[str], labels: Sequence[str | None], coder: Coder) -> Tally:
        """Rows per group and combination of labels; a label that is None has no column."""

    def slices(self, names: Sequence[str | None]) -> Iterator[tuple[list[Chunk | None], int]]:
        """Slices of columns in the order of the rows, each with its number of rows."""

    def repeats(self, keys: Sequence[str]) -> bool:
        """Whether two rows have the same values in all of these columns."""

    def n_missing(self, name: str) -> int:
        """Rows without a value in this column."""

    def has_plain_cells(self, name: str) -> bool:
        """Whether the cells can be compared and grouped by: no lists, no structs."""

    def collected(self) -> Frame:
        """The same rows in memory, in one order."""

    def taken(
        self, positions: Int[np.ndarray, " row"], name: str, values: Float[np.ndarray, " row"]
    ) -> Any:
        """A native frame of some rows, all columns, and one column of numbers more."""


def require_distinct(columns: Sequence[object]) -> None:
    """Refuse a table of which a name does not say which column is meant."""
    twice = sorted({str(c) for c in columns if list(columns).count(c) > 1})
    if twice:
        raise ArgumentError.build(
            f"The table has two columns called {twice[0]!r}.",
            accepted="Every column has a name of its own.",
            hint="rename one of them.",
        )


def free_name(name: str, columns: Sequence[object]) -> str:
    """The name, with as many underscores as it takes to differ from every column."""
    taken = {str(column).casefold() for column in columns}
    while name.casefold() in taken:
        name += "_"
    return name


def frame_of(data: Any) -> Frame:
    """The face of a data frame of any supported library.

    Raises
    ------
    ArgumentTypeError
        When `data` is no table.
    """
    import narwhals as nw

    from rat_widgets.labels.frames_engine import EngineFrame
    from rat_widgets.labels.frames_sliced import ArrowFrame, PandasFrame

    data = nw.to_native(data, pass_through=True)
    if nw.dependencies.is_pandas_dataframe(data):
        return PandasFrame(data)
    if nw.dependencies.is_pyarrow_table(data):
        return ArrowFrame(data)
    table = nw.from_native(data, pass_through=True)
    if isinstance(table, (nw.DataFrame, nw.LazyFrame)):
        return EngineFrame(data)
    if hasattr(data, "__arrow_c_stream__"):
        import pyarrow as pa

        try:
            return ArrowFrame(pa.table(data))
        except (pa.ArrowException, TypeError, ValueError) as err:
            raise _not_a_table(data) from err
    raise _not_a_table(data)


def _not_a_table(data: object) -> ArgumentTypeError:
    hint = "one row per query, one column per label."
    if isinstance(data, dict) or (isinstance(data, (list, tuple)) and data):
        hint = "`pd.DataFrame(...)` makes a table of it: " + hint
    elif isinstance(data, (str, bytes)) or hasattr(data, "__fspath__"):
        hint = "read the file first, for instance with `pd.read_csv(...)`."
    elif hasattr(data, "to_frame"):
        hint = "this is one column; pass the table that it came from."
    return ArgumentTypeError.build(
        f"A table was expected, not {type(data).__module__}.{type(data).__qualname__}.",
        accepted="pandas, Polars (eager or lazy), PyArrow tables, DuckDB relations, "
        "and what narwhals reads.",
        hint=hint,
    )
