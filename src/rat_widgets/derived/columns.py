"""Columns about the same rows, of any library: labels, numbers and words."""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Mapping, Set
from itertools import pairwise
from numbers import Number, Real
from typing import Any, Final

import numpy as np
from jaxtyping import Float, Int, Int8

from rat_widgets.errors import (
    ArgumentError,
    ArgumentTypeError,
    LabelValueError,
    MissingColumnError,
)
from rat_widgets.labels.coding import Chunk, plain_numbers, value_codes
from rat_widgets.labels.faults import values_hint
from rat_widgets.labels.frames import frame_of, require_distinct
from rat_widgets.labels.keys import is_missing
from rat_widgets.labels.scalars import INVALID, MISSING, UNKNOWN, LabelReader

__all__ = ["Columns", "column_name"]

_NO_LABEL: Final = 3


def column_name(column: object, argument: str) -> str:
    """What a column is called: its name in a frame, its own, or the argument's."""
    if isinstance(column, str):
        return column
    name = getattr(column, "name", None)
    return name if isinstance(name, str) and name else argument


class Columns:
    """Reads the columns of one call, and refuses those that are not about the same rows.

    Parameters
    ----------
    data : frame or None
        Where columns are looked up that are given by name.
    values : mapping or None
        How text reads as a label.
    call : str
        A call that works, for hints.
    unsure : str
        How a verdict that decides nothing is given, for hints.
    """

    def __init__(
        self,
        data: Any,
        values: Mapping[Any, Any] | None,
        call: str,
        *,
        unsure: str = "reads as None through `values`: it is missing",
    ) -> None:
        self.reader = LabelReader(values)
        self._frame = None if data is None else frame_of(data)
        if self._frame is not None:
            require_distinct(self._frame.columns)
        self._call = call
        self._unsure = unsure
        self._read: list[tuple[str, Any, int]] = []

    def labels(
        self, column: Any, argument: str, unsure: tuple[object, ...] = ()
    ) -> Int8[np.ndarray, " row"]:
        """Labels of one column: 0, 1, `MISSING`, or `UNKNOWN` for one of `unsure`."""
        parts = [_label_codes(c, self.reader, unsure) for c in self._chunks(column, argument)]
        codes = np.concatenate([codes for codes, _ in parts]) if parts else np.zeros(0, np.int8)
        odd = [cell for _, cells in parts for cell in cells]
        if odd:
            shown = ", ".join(f"{cell!r:.60}" for cell in odd[:3]) + (", ..." if odd[3:] else "")
            n = int((codes == _NO_LABEL).sum())
            raise LabelValueError.build(
                f"The column {column_name(column, argument)!r} ({argument}) holds {shown} in "
                f"{n:,} row{'s' * (n > 1)}.",
                accepted=self.reader.accepted(),
                hint=_label_hint(odd, self.reader, self._unsure),
            )
        return self._kept(argument, column, codes)

    def numbers(
        self, column: Any, argument: str, *, low: float, high: float, accepted: str
    ) -> Float[np.ndarray, " row"]:
        """Numbers of one column from `low` to `high`, NaN where missing."""
        parts = [_numbers(c, argument, accepted) for c in self._chunks(column, argument)]
        numbers = np.concatenate(parts) if parts else np.zeros(0)
        outside = (numbers < low) | (numbers > high) | np.isinf(numbers)
        if outside.any():
            n = int(outside.sum())
            raise LabelValueError.build(
                f"The column {column_name(column, argument)!r} ({argument}) holds "
                f"{numbers[outside][0]:g}; {n:,} row{'s are' if n > 1 else ' is'} out of range.",
                accepted=accepted,
            )
        return self._kept(argument, column, numbers)

    def words(
        self, column: Any, argument: str, meanings: Mapping[Any, int], accepted: str
    ) -> Int[np.ndarray, " row"]:
        """Words of one column as numbers, -1 where missing."""
        parts = [np.zeros(0, dtype=np.int64)]
        for chunk in self._chunks(column, argument):
            codes, cells = _cells(chunk, accepted)
            found = [-1 if is_missing(c) else meanings.get(c, -2) for c in cells]
            if -2 in found:
                raise LabelValueError.build(
                    f"The column {column_name(column, argument)!r} ({argument}) holds "
                    f"{cells[found.index(-2)]!r:.60}.",
                    accepted=accepted,
                )
            parts.append(np.array([*found, -1])[codes])
        return self._kept(argument, column, np.concatenate(parts))

    def keys(self, column: Any, argument: str) -> tuple[Int[np.ndarray, " row"], list[Any]]:
        """Code of each cell, -1 where missing, and the values in the order that they come in."""
        index: dict[Any, int] = {}
        parts = [np.zeros(0, dtype=np.int64)]
        for chunk in self._chunks(column, argument):
            codes, cells = _cells(chunk, "Plain values: numbers, text or dates.")
            own = np.full(len(cells) + 1, -1)
            seen, first = np.unique(codes, return_index=True)
            for i in seen[np.argsort(first)]:
                if i >= 0 and not is_missing(cells[i]):
                    own[i] = index.setdefault(cells[i], len(index))
            parts.append(own[codes])
        return self._kept(argument, column, np.concatenate(parts)), list(index)

    def _kept(self, argument: str, column: Any, read: Any) -> Any:
        self._read.append((argument, column, len(read)))
        for (name, one, n_one), (other_name, other, n_other) in pairwise(self._read):
            if n_one != n_other:
                raise ArgumentError.build(
                    f"`{name}` has {n_one:,} rows and `{other_name}` has {n_other:,}.",
                    accepted="Columns about the same rows.",
                )
            _require_one_index(name, one, other_name, other)
        names = [given for _, given, _ in self._read if isinstance(given, str)]
        if len(set(names)) < len(names):
            twice = next(given for given in names if names.count(given) > 1)
            both = [f"`{name}`" for name, given, _ in self._read if given == twice]
            raise ArgumentError.build(
                f"{' and '.join(both)} are both the column {twice!r}.",
                accepted="Columns that say different things about the same rows.",
            )
        return read

    def _chunks(self, column: Any, argument: str) -> Iterator[Chunk]:
        if self._frame is None:
            yield _plain(column, argument, self._call)
            return
        if not isinstance(column, str) or column not in self._frame.columns:
            raise MissingColumnError.for_column(
                column if isinstance(column, str) else type(column).__name__,
                argument,
                [str(name) for name in self._frame.columns],
                "give the names of its columns.",
            )
        for (chunk,), _ in self._frame.slices([column]):
            yield chunk


def _require_one_index(name: str, one: Any, other_name: str, other: Any) -> None:
    ours: Any = getattr(one, "index", None)
    theirs: Any = getattr(other, "index", None)
    if hasattr(ours, "equals") and hasattr(theirs, "equals") and not ours.equals(theirs):
        raise ArgumentError.build(
            f"`{name}` and `{other_name}` have different indexes: their rows may not be the same.",
            accepted="Series with one index.",
            hint="put both into one frame and name its columns, `data=df`.",
        )


def _label_hint(odd: list[Any], reader: LabelReader, unsure: str) -> str:
    if any(isinstance(cell, Number) for cell in odd):
        return "turn scores into labels first, with a threshold, and keep missing cells missing."
    if not any(isinstance(cell, str) for cell in odd):
        return "cast the column to 0 and 1 first."
    return f"{values_hint(odd, reader)} A verdict that decides nothing {unsure}."


def _label_codes(
    chunk: Chunk, reader: LabelReader, unsure: tuple[object, ...]
) -> tuple[Int8[np.ndarray, " row"], list[Any]]:
    """Codes of the cells, and the distinct cells that are no labels."""
    index, cells = _cells(chunk, reader.accepted())
    table = np.array([*(_code(cell, reader, unsure) for cell in cells), MISSING], dtype=np.int8)
    codes = table[index]
    odd = set(index[codes == _NO_LABEL].tolist())
    return codes, [cell for i, cell in enumerate(cells) if i in odd]


def _code(cell: object, reader: LabelReader, unsure: tuple[object, ...]) -> int:
    code = reader.read(cell)
    if code != INVALID:
        return code
    return UNKNOWN if cell in unsure else _NO_LABEL


def _numbers(chunk: Chunk, argument: str, accepted: str) -> Float[np.ndarray, " row"]:
    plain = plain_numbers(chunk)
    if plain is not None and plain.dtype.kind in "biuf":
        return plain.astype(np.float64)
    codes, cells = _cells(chunk, accepted)
    text = [c for c in cells if not is_missing(c) and not isinstance(c, Real)]
    if text:
        raise LabelValueError.build(
            f"`{argument}` holds {text[0]!r:.60}, which is no number.",
            accepted=accepted,
            hint="`pd.to_numeric(column)` reads numbers that were written as text."
            if isinstance(text[0], str)
            else None,
        )
    return np.array([*(np.nan if is_missing(c) else float(c) for c in cells), np.nan])[codes]


def _cells(chunk: Chunk, accepted: str) -> tuple[Int[np.ndarray, " row"], list[Any]]:
    try:
        return value_codes(chunk)
    except TypeError as err:
        raise LabelValueError.build(
            "A column holds cells that cannot be compared: lists, structs or objects.",
            accepted=accepted,
        ) from err


def _plain(column: Any, argument: str, call: str) -> Chunk:
    """A column of any library as a pandas series or a list."""
    is_frame = getattr(column, "ndim", 1) != 1 or hasattr(column, "columns")
    has_no_order = isinstance(column, Set) and not isinstance(column, KeysView)
    if isinstance(column, (str, bytes, Mapping)) or is_frame or has_no_order:
        raise ArgumentTypeError.build(
            f"`{argument}` is {type(column).__name__}, not a column.",
            accepted="Columns about the same rows; or their names, with the frame as `data=`.",
            hint=call,
        )
    if hasattr(column, "factorize") and hasattr(column, "dtype") and hasattr(column, "iloc"):
        return column
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(column, name):
            return list(getattr(column, name)())
    try:
        return list(column)
    except TypeError as err:
        raise ArgumentTypeError.build(
            f"`{argument}` is {column!r:.80}.", accepted="A series, an array or a list."
        ) from err
