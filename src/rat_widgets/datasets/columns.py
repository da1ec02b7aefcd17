"""The columns of a stored label table.

A block holds rows that share their items. A column is written where it varies: once for the
block, once for each item, or once for each system and item. A string has one digit per item and
a point where the label is missing; numbers of more digits stand in a list, and a run of them as
its first number and its length. Columns of grades from 0 to 3 that miss nothing are packed by
threes: their names stand together, and a character is three grades. A system has no row for an
item that is missing in every column of that system; a table without systems has one, without a
name.
"""

from __future__ import annotations

import string
from typing import Any, Final

__all__ = ["PACKED", "columns_of"]

PACKED: Final = string.ascii_letters + string.digits + "-_"
"""Characters of three grades a, b and c: the one at 16 a + 4 b + c."""

_MISSING: Final = "."

Column = list[Any]


def columns_of(table: dict[str, Any]) -> dict[str, Column]:
    """Values of each column, in the table's order; None where missing, text where it has texts."""
    columns: dict[str, Column] = {name: [] for name in table["columns"]}
    for block in table["blocks"]:
        items = _written(block["items"])
        for system, written in block["systems"].items():
            rows = _rows(block["shared"], items, system, _written(written))
            for name in columns:
                columns[name] += rows[name]
    for name, texts in table.get("texts", {}).items():
        columns[name] = [None if code is None else texts[code] for code in columns[name]]
    return columns


def _rows(
    shared: dict[str, int], items: dict[str, Column], system: str, answers: dict[str, Column]
) -> dict[str, Column]:
    """The columns of one system in one block, without the items it has no label for."""
    there = [any(code is not None for code in codes) for codes in zip(*answers.values())]
    if not answers:
        there = [True] * len(items["item"])
    n_rows = sum(there)
    repeated = {"system": system, **shared}
    varying = {**items, **answers}
    return {
        **{name: [value] * n_rows for name, value in repeated.items()},
        **{name: [v for v, kept in zip(codes, there) if kept] for name, codes in varying.items()},
    }


def _written(columns: dict[str, Any]) -> dict[str, Column]:
    """The codes of every column, those that are packed apart from each other."""
    codes: dict[str, Column] = {}
    for names, written in columns.items():
        together = names.split(" ")
        if len(together) > 1:
            codes |= zip(together, _unpacked(written), strict=True)
        else:
            codes[names] = _codes(written)
    return codes


def _unpacked(written: str) -> tuple[Column, Column, Column]:
    """Three columns of grades from one string."""
    numbers = [PACKED.index(mark) for mark in written]
    return [n // 16 for n in numbers], [n // 4 % 4 for n in numbers], [n % 4 for n in numbers]


def _codes(written: str | Column | dict[str, int]) -> Column:
    """Codes of a column: a digit or a point each, a run of numbers, or numbers as they are."""
    if isinstance(written, str):
        return [None if mark == _MISSING else int(mark) for mark in written]
    if isinstance(written, dict):
        return [*range(written["first"], written["first"] + written["n"])]
    return written
