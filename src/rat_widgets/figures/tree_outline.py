"""The tree as an outline for narrow pictures: one part below the other, indented."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rat_widgets.figures.scene import Datum, Line, Mark, Run, Text
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tree_blocks import branch_block, paragraph
from rat_widgets.figures.tree_content import TreeContent
from rat_widgets.figures.tree_ledger import (
    SIGN_WIDTH,
    LedgerColumns,
    leaf_block,
    ledger_columns,
    ledger_head,
    ledger_total,
    mark_pitch,
)
from rat_widgets.figures.tree_sheet import Sheet, legend

__all__ = ["draw_outline"]

_INDENT: Final = 14.0


def _parts(content: TreeContent) -> Iterator[tuple[int, str]]:
    """The level of indentation and the key of each part; "" stands for all queries."""
    keys = content.keys
    yield 0, "" if keys.is_graded else keys.top.retrieval
    for band in keys.bands:
        if keys.is_graded:
            yield 0, band.retrieval
        yield 1, band.abstain
        yield 2, band.correct
        yield 3, band.right
        yield 3, band.wrong
        yield 2, band.abstained


def draw_outline(sheet: Sheet, content: TreeContent) -> None:
    """One below the other, indented by level, with rails at the left."""
    left = sheet.pad
    right = left + min(sheet.inner, 560.0)
    has_rows = sheet.inner >= 560
    columns = ledger_columns(content, right, step=52, has_rows=has_rows)
    leaves = {leaf.world: leaf for leaf in content.leaves}
    deepest = left + 3 * _INDENT + SIGN_WIDTH
    pitch = mark_pitch(content, (columns.words if has_rows else right) - deepest)
    is_prior = content.stats[0].is_dotted
    sheet.y += 20
    spans: dict[int, list[float]] = {}
    for i, (level, key) in enumerate(_parts(content)):
        x = left + _INDENT * level
        marks: list[Mark] = []
        data: list[Datum] = []
        if not key:
            head = Run(text="All 100 queries", weight=600)
            seen = [Run(text=content.root, role="ink-3", size=SIZES["xs"])]
            marks, end = paragraph(seen, x, sheet.y + 25, right - x, line_height=15)
            marks.insert(0, Text(x=x, y=sheet.y + 20, runs=(head,)))
        elif key in leaves:
            marks, data, end = leaf_block(
                leaves[key],
                x,
                sheet.y + 5,
                columns=columns,
                pitch=pitch,
                is_grey=is_prior,
                is_stacked=True,
            )
        else:
            room, branch = right - x, content.branches[key]
            marks, data, end = branch_block(
                branch, x, sheet.y + 6, min(250.0, room - 110), title_width=room
            )
            end += 4
        start = sheet.y
        sheet.marks += marks
        sheet.data += data
        sheet.y = end
        if i == 0:
            _heads(sheet, content, columns)
        for rail in range(level):
            _extend(spans, rail, start, end)
        for rail in list(spans):
            if rail >= level:
                sheet.marks.append(_rail(left, rail, spans.pop(rail)))
    sheet.marks += [_rail(left, rail, span) for rail, span in spans.items()]
    marks, sheet.y = ledger_total(content, left, sheet.y + 8, right, columns)
    sheet.marks += marks


def _heads(sheet: Sheet, content: TreeContent, columns: LedgerColumns) -> None:
    """What a mark is, and the heads of the ledger's columns."""
    right = (columns.rows - 34) if columns.rows else columns.task - 52
    n_lines = len(legend(sheet.pad, right, 0))
    sheet.y += 20 + 14 * max(2, n_lines)
    sheet.marks += ledger_head(content, columns, sheet.y)
    sheet.marks += legend(sheet.pad, right, sheet.y + 1)
    sheet.y += 6


def _extend(spans: dict[int, list[float]], rail: int, start: float, end: float) -> None:
    spans.setdefault(rail, [start + 6, end])[1] = end


def _rail(left: float, rail: int, span: Sequence[float]) -> Line:
    x = left + _INDENT * rail + 1
    return Line(x1=x, y1=span[0], x2=x, y2=span[1] - 6, role="rule-2", width=1.5)
