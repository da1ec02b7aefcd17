"""The columns of a stored label table.

A block holds rows that share their items. A column is written where it varies: once for the
block, once for each item, or once for each system and item. A string has one digit per item and
a point where the label is missing; numbers of more digits stand in a list. A system has no row
for an item that is missing in every column of that system.
"""

from __future__ import annotations

from typing import Any, Final

__all__ = ["columns_of"]

_MISSING: Final = "."

Column = list[Any]


def columns_of(table: dict[str, Any]) -> dict[str, Column]:
    """Values of each column, in the table's order; None where missing, text where it has texts."""
    columns: dict[str, Column] = {name: [] for name in table["columns"]}
    for block in table["blocks"]:
        items = {name: _codes(written) for name, written in block["items"].items()}
        for system, written in block["systems"].items():
            answers = {name: _codes(codes) for name, codes in written.items()}
            for name, values in _rows(block["shared"], items, system, answers).items():
                columns[name] += values
    for name, texts in table.get("texts", {}).items():
        columns[name] = [None if code is None else texts[code] for code in columns[name]]
    return columns


def _rows(
    shared: dict[str, int], items: dict[str, Column], system: str, answers: dict[str, Column]
) -> dict[str, Column]:
    """The columns of one system in one block, without the items it has no label for."""
    there = [any(code is not None for code in codes) for codes in zip(*answers.values())]
    n_rows = sum(there)
    repeated = {"system": system, **shared}
    varying = {**items, **answers}
    return {
        **{name: [value] * n_rows for name, value in repeated.items()},
        **{name: [v for v, kept in zip(codes, there) if kept] for name, codes in varying.items()},
    }


def _codes(written: str | Column) -> Column:
    """Codes of a column: a digit or a point each, or numbers as they are."""
    if isinstance(written, str):
        return [None if mark == _MISSING else int(mark) for mark in written]
    return written
