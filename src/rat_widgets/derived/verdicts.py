"""Two columns about the same rows: labels of people, verdicts of a judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, KeysView, Mapping, Set
from numbers import Number
from typing import Any, Final

import numpy as np
from jaxtyping import Int8

from rat_widgets.errors import (
    ArgumentError,
    ArgumentTypeError,
    LabelValueError,
    MissingColumnError,
)
from rat_widgets.labels.coding import Chunk, value_codes
from rat_widgets.labels.faults import values_hint
from rat_widgets.labels.frames import frame_of, require_distinct
from rat_widgets.labels.scalars import INVALID, MISSING, UNKNOWN, LabelReader

__all__ = ["read_pair"]

_NO_LABEL: Final = 3

_Pair = tuple[Int8[np.ndarray, " row"], Int8[np.ndarray, " row"], tuple[str, str]]


def read_pair(
    human: Any, judge: Any, data: Any, values: Mapping[Any, Any] | None, unknown: Any
) -> _Pair:
    """Labels, verdicts and the names of the two columns; see `judge_report`.

    Labels are 0, 1 or `MISSING`; verdicts also `UNKNOWN`.
    """
    reader = LabelReader(values)
    unsure = _read_unknown(unknown, reader)
    names = (_name(human, "human"), _name(judge, "judge"))
    truth, verdicts = (
        _read(_chunks(column, data, argument), f"{name!r} ({argument})", reader, allowed)
        for column, argument, name, allowed in (
            (human, "human", names[0], ()),
            (judge, "judge", names[1], unsure),
        )
    )
    _require_pair(human, judge, len(truth), len(verdicts))
    return truth, verdicts, names


def _read_unknown(unknown: object, reader: LabelReader) -> tuple[object, ...]:
    """Values that decide nothing."""
    if unknown is None:
        return ()
    many = isinstance(unknown, (list, tuple, set, frozenset))
    found = tuple(unknown) if many else (unknown,)  # type: ignore[arg-type]
    for value in found:
        if reader.read(value) in (0, 1, MISSING):
            raise ArgumentError.build(
                f"`unknown` has {value!r:.80}, which already reads as a label or as missing.",
                accepted="Verdicts that are neither 1 nor 0 nor missing.",
            )
    return found


def _name(column: object, argument: str) -> str:
    if isinstance(column, str):
        return column
    name = getattr(column, "name", None)
    return name if isinstance(name, str) and name else argument


def _read(
    chunks: Iterable[Chunk],
    where: str,
    reader: LabelReader,
    unsure: tuple[object, ...],
) -> Int8[np.ndarray, " row"]:
    """Labels of one column: 0, 1, `MISSING`, or `UNKNOWN`."""
    parts = [_codes(chunk, reader, unsure) for chunk in chunks]
    codes = np.concatenate([codes for codes, _ in parts]) if parts else np.zeros(0, np.int8)
    odd = [cell for _, cells in parts for cell in cells]
    if odd:
        shown = ", ".join(f"{cell!r:.60}" for cell in odd[:3]) + (", ..." if odd[3:] else "")
        n = int((codes == _NO_LABEL).sum())
        raise LabelValueError.build(
            f"The column {where} holds {shown} in {n:,} row{'s' * (n > 1)}.",
            accepted=reader.accepted(),
            hint=_hint(odd, reader),
        )
    return codes


def _hint(odd: list[Any], reader: LabelReader) -> str:
    if any(isinstance(cell, Number) for cell in odd):
        return "turn scores into labels first, with a threshold, and keep missing cells missing."
    if not any(isinstance(cell, str) for cell in odd):
        return "cast the column to 0 and 1 first."
    return f"{values_hint(odd, reader)} A verdict that decides nothing is named by `unknown=`."


def _codes(
    chunk: Chunk, reader: LabelReader, unsure: tuple[object, ...]
) -> tuple[Int8[np.ndarray, " row"], list[Any]]:
    """Codes of the cells, and the distinct cells that are no labels."""
    try:
        index, cells = value_codes(chunk)
    except TypeError as err:
        raise LabelValueError.build(
            "A column holds cells that cannot be compared: lists, structs or objects.",
            accepted=reader.accepted(),
        ) from err
    table = np.array([*(_code(cell, reader, unsure) for cell in cells), MISSING], dtype=np.int8)
    codes = table[index]
    odd = set(index[codes == _NO_LABEL].tolist())
    return codes, [cell for i, cell in enumerate(cells) if i in odd]


def _code(cell: object, reader: LabelReader, unsure: tuple[object, ...]) -> int:
    code = reader.read(cell)
    if code != INVALID:
        return code
    return UNKNOWN if cell in unsure else _NO_LABEL


def _chunks(column: Any, data: Any, argument: str) -> Iterator[Chunk]:
    if data is not None:
        frame = frame_of(data)
        require_distinct(frame.columns)
        if not isinstance(column, str) or column not in frame.columns:
            raise MissingColumnError.for_column(
                column if isinstance(column, str) else type(column).__name__,
                argument,
                [str(name) for name in frame.columns],
                "give the names of two of its columns.",
            )
        for (chunk,), _ in frame.slices([column]):
            yield chunk
        return
    yield _plain(column, argument)


def _plain(column: Any, argument: str) -> Chunk:
    """A column of any library as a pandas series or a list."""
    is_frame = getattr(column, "ndim", 1) != 1 or hasattr(column, "columns")
    has_no_order = isinstance(column, Set) and not isinstance(column, KeysView)
    if isinstance(column, (str, bytes, Mapping)) or is_frame or has_no_order:
        raise ArgumentTypeError.build(
            f"`{argument}` is {type(column).__name__}, not a column.",
            accepted="Two columns of labels; or their names, with the frame as `data=`.",
            hint='rat.judge_report("human", "judge", data=df)',
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
            f"`{argument}` is {column!r:.80}.", accepted="A series, an array or a list of labels."
        ) from err


def _require_pair(human: Any, judge: Any, n_human: int, n_judge: int) -> None:
    if n_human != n_judge:
        raise ArgumentError.build(
            f"`human` has {n_human:,} rows and `judge` has {n_judge:,}.",
            accepted="Two columns about the same rows.",
        )
    if isinstance(human, str) and human == judge:
        raise ArgumentError.build(
            f"`human` and `judge` are both the column {human!r}.",
            accepted="Two columns: people's labels, and the verdicts of the judge.",
        )
    ours: Any = getattr(human, "index", None)
    theirs: Any = getattr(judge, "index", None)
    if hasattr(ours, "equals") and hasattr(theirs, "equals") and not ours.equals(theirs):
        raise ArgumentError.build(
            "`human` and `judge` have different indexes: their rows may not be the same.",
            accepted="Two series with one index.",
            hint="put both into one frame and name its columns, `data=df`.",
        )
