"""A second look at a table that cannot be read: which rows, which values, what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from numbers import Number
from typing import Any, Final

import numpy as np

from rat_widgets.errors import ContradictionError, DuplicateItemError, LabelValueError
from rat_widgets.labels.coding import Chunk, cell_codes, label_codes
from rat_widgets.labels.frames import Frame
from rat_widgets.labels.keys import is_missing
from rat_widgets.labels.roles import Roles
from rat_widgets.labels.scalars import GradeReader, LabelReader
from rat_widgets.labels.unreadable import Unreadable

__all__ = [
    "contradiction_error",
    "duplicate_item_error",
    "label_error",
    "missing_error",
    "only_text",
    "rows_text",
    "unreadable_error",
    "values_hint",
]

_N_SHOWN: Final = 5
_N_VALUES: Final = 1000
_YES: Final = {"yes", "y", "true", "t", "1", "pass", "passed", "correct", "right", "hit", "success"}
_NO: Final = {"no", "n", "false", "f", "0", "fail", "failed", "incorrect", "wrong", "miss"}


@dataclass(slots=True)
class Found:
    """Cells that are at fault: how many, in which rows first, with which values."""

    n: int
    positions: list[int]
    values: Counter[Any]


def found(frame: Frame, column: str, is_fault: Callable[[Any], bool]) -> Found:
    """Look through one column for cells at fault."""
    result = Found(0, [], Counter())
    start = 0
    for (chunk,), n_rows in frame.slices([column]):
        try:
            codes, values = cell_codes(chunk)
        except TypeError:
            values = [_Unhashable(v) for v in _cells(chunk)]
            codes = np.arange(n_rows)
        missing = is_fault(None)
        at_fault = np.array([*(is_fault(_raw(value)) for value in values), missing], dtype=bool)
        hits = np.flatnonzero(at_fault[codes])
        result.n += len(hits)
        result.positions += (hits[: _N_SHOWN - len(result.positions)] + start).tolist()
        if len(result.values) < _N_VALUES:
            for code, n in zip(*np.unique(codes[hits], return_counts=True), strict=True):
                result.values[None if code < 0 else values[code]] += int(n)
        start += n_rows
    return result


def rows_text(n: int, positions: Sequence[int]) -> str:
    """'3 rows (rows 4, 7 and 9, counting from 0)'."""
    shown = [str(i) for i in positions]
    listing = ", ".join(shown) + (", ..." if n > len(shown) else "")
    return f"{n:,} row{'s' * (n != 1)} (row{'s' * (n != 1)} {listing}, counting from 0)"


def label_error(frame: Frame, roles: Roles, reader: LabelReader, label: int) -> LabelValueError:
    """The error for a label column with a cell that is not a label."""
    column, argument = str(roles.labels[label]), roles.label_arguments[label]
    what = found(frame, column, lambda raw: reader.read(raw) == reader.n_values)
    common = [_raw(value) for value, _ in what.values.most_common(4)]
    numbers = any(isinstance(value, Number) for value in common)
    if not reader.takes_bool and any(isinstance(value, bool) for value in common):
        hint = "write a level or a score in place of True and False, which say yes and no alone."
    elif isinstance(reader, GradeReader):
        hint = (
            "name all its answers in `levels`, the lowest first, or `unknown`; or mend the cells."
        )
        if reader.cuts is not None:
            hint = "divide scores by the highest one that there can be, or mend the cells."
    elif numbers and argument.startswith("judge "):
        hint = (
            f"name the levels of a judge that grades, rat.Judge({column!r}, ..., levels=(1, 2, 3))"
            ", or the `cuts` of its scores; or turn scores into 0 and 1 first, with a threshold."
        )
    elif numbers and argument == "retrieval":
        hint = (
            "name the levels of graded retrieval, the lowest first, retrieval_levels=(0, 1, 2); or "
            "turn scores into labels first, with a threshold."
        )
    elif numbers:
        hint = "turn scores into labels first, with a threshold, and keep missing cells missing."
    elif argument == "errored" and any(isinstance(value, str) for value in common):
        # A column of messages: mapping a message to missing would count its row as sound.
        hint = (
            "make a column that is true where a call failed, such as "
            f"df[{column!r}].notna(), and name that one."
        )
    elif any(isinstance(value, str) for value in common):
        hint = values_hint(common, reader)
    else:
        hint = "cast the column to 0 and 1 first."
    return LabelValueError.build(
        f"The column {column!r} ({argument}) holds {_shown(common)} in "
        f"{rows_text(what.n, what.positions)}.",
        accepted=reader.accepted(),
        hint=hint,
    )


def unreadable_error(
    frame: Frame, roles: Roles, reader: LabelReader, lost: Unreadable
) -> LabelValueError:
    """The error for a judge most of whose cells are text that is no verdict."""
    what = found(frame, lost.column, lambda raw: reader.read(raw) == reader.n_values)
    common = [_raw(value) for value, _ in what.values.most_common(4)]
    share = lost.n_unreadable / lost.n_cells
    return LabelValueError.build(
        f"The column {lost.column!r} (judge {lost.name!r}) holds text that is no verdict in "
        f"{lost.n_unreadable:,} of {lost.n_cells:,} cells ({share:.0%}): {_shown(common)}.",
        accepted=f"{reader.accepted()} Other text counts as a missing verdict in up to half of "
        "the cells.",
        hint=f"{values_hint(common, reader)} Where these calls did fail, make the cells missing.",
    )


def only_text(frame: Frame, roles: Roles, reader: LabelReader, label: int) -> bool:
    """Whether every cell of the column that is no label is text, and none a plain yes or no."""
    column = str(roles.labels[label])
    what = found(frame, column, lambda raw: reader.read(raw) == reader.n_values)
    cells = [_raw(value) for value in what.values]
    return what.n > 0 and all(isinstance(cell, str) and not _is_plain(cell) for cell in cells)


def _shown(common: Sequence[Any]) -> str:
    """The most common values, three of them."""
    return ", ".join(f"{value!r:.80}" for value in common[:3]) + (", ..." if common[3:] else "")


def values_hint(common: Sequence[Any], reader: LabelReader) -> str:
    """What `values` might say about the text that there is; `common` holds some text."""
    texts = [value for value in common if isinstance(value, str)]
    guess = {t: 1 if t.strip().casefold() in _YES else 0 for t in texts if _is_plain(t)}
    if reader.mapping:
        known = ", ".join(repr(key) for key in list(reader.mapping)[:5])
        return f"`values` knows {known}; add {texts[0]!r:.60} to it, or map it to None."
    if guess:
        entries = ", ".join(f"{text!r}: {code}" for text, code in guess.items())
        return f"say how text reads: values={{{entries}}}."
    return f"say how text reads: values={{{texts[0]!r:.60}: 1, ...}}, with 1, 0 or None for each."


def _is_plain(text: str) -> bool:
    return text.strip().casefold() in _YES | _NO


def missing_error(frame: Frame, column: str, argument: str) -> LabelValueError:
    """The error for a grouping, item or trial column with missing cells."""
    what = found(frame, column, is_missing)
    needs = {"by": "belongs to a group", "item": "has an item", "trial": "has a trial number"}
    return LabelValueError.build(
        f"The column {column!r} ({argument}) has no value in {rows_text(what.n, what.positions)}.",
        accepted=f"Every row {needs.get(argument, 'has a value')}.",
        hint="fill the missing cells with a value of their own, or drop those rows.",
    )


def contradiction_error(
    frame: Frame, roles: Roles, readers: Sequence[LabelReader], n: int
) -> ContradictionError:
    """The error for rows with T=1 and A=1, with the three ways out."""
    positions: list[int] = []
    items: list[Any] = []
    start = 0
    names = [roles.abstention, roles.task, roles.errored, roles.item]
    for chunks, n_rows in frame.slices(names):
        used = (readers[1], readers[2], readers[-1])
        labels = [
            None if c is None else label_codes(c, reader)
            for c, reader in zip(chunks[:3], used, strict=True)
        ]
        hit = (labels[0] == 1) & (labels[1] == 1)
        if labels[2] is not None:
            hit = hit & (labels[2] != 1)
        for i in np.flatnonzero(hit)[: _N_SHOWN - len(positions)]:
            positions.append(start + int(i))
            if chunks[3] is not None:
                items.append(_cell(chunks[3], int(i)))
        start += n_rows
        if len(positions) == _N_SHOWN:
            break
    of_items = f", items {', '.join(f'{item!r:.40}' for item in items)}" if items else ""
    return ContradictionError.build(
        f"{rows_text(n, positions)[:-1]}{of_items}) "
        f"say both {roles.abstention}=1, abstained, and {roles.task}=1, solved.",
        accepted="An abstention solves no task. Often these are hedged answers, "
        '"the context does not say, but ...".',
        hint="choose what they count as: "
        'on_contradiction="trust_answer" takes them as answered (A=0, T=1); '
        '"trust_abstention" as abstentions (A=1, T set aside); '
        '"drop" leaves these rows out and counts them.',
    )


def duplicate_item_error(frame: Frame, roles: Roles) -> DuplicateItemError:
    """The error for an item that occurs more than once in a group."""
    keys = [*roles.by, str(roles.item), *([roles.trial] if roles.trial else [])]
    seen: dict[tuple[Any, ...], int] = {}
    example: tuple[Any, ...] = ()
    first = second = start = 0
    for chunks, n_rows in frame.slices(keys):
        for i, key in enumerate(zip(*map(_cells, chunks), strict=True), start=start):
            if key in seen:
                example, first, second = key, seen[key], i
                break
            seen[key] = i
        if example:
            break
        start += n_rows
    group = ", ".join(f"{c}={v!r:.40}" for c, v in zip(roles.by, example, strict=False))
    item = example[len(roles.by)] if example else None
    again = f" in trial {example[-1]!r:.40}" if roles.trial and example else ""
    hints = []
    if not roles.trial:
        hints.append('trial="<column>" when a query was run several times')
    hints.append('by="<column>" when the table holds several systems or conditions')
    return DuplicateItemError.build(
        f"The item {item!r:.60}{again} occurs more than once"
        + (f" in the group {group}" if group else "")
        + f": rows {first} and {second}, counting from 0.",
        accepted="In each group, an item has one row" + (" per trial." if roles.trial else "."),
        hint="; ".join(hints) + ".",
    )


class _Unhashable:
    """Holds a cell that cannot be a key."""

    def __init__(self, raw: Any) -> None:
        self.raw = raw


def _raw(value: Any) -> Any:
    raw = value.raw if isinstance(value, _Unhashable) else value
    return raw.item() if isinstance(raw, np.generic) else raw


def _cells(chunk: Chunk) -> list[Any]:
    if isinstance(chunk, list):
        return chunk
    return list(chunk.to_pylist() if hasattr(chunk, "to_pylist") else chunk.tolist())


def _cell(chunk: Chunk, i: int) -> Any:
    return _cells(chunk[i : i + 1] if not hasattr(chunk, "iloc") else chunk.iloc[i : i + 1])[0]
