"""Where the parts of a tree's picture stand: columns when it is wide, an outline when narrow."""

from __future__ import annotations

from typing import Final

from rat_widgets.figures.opening import NARROW_WIDTH, Opening, draw_opening
from rat_widgets.figures.scene import Run
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tree_blocks import paragraph, stat_block
from rat_widgets.figures.tree_columns import draw_columns
from rat_widgets.figures.tree_content import TreeContent
from rat_widgets.figures.tree_outline import draw_outline
from rat_widgets.figures.tree_sheet import Sheet

__all__ = ["NARROW_WIDTH", "OUTLINE_WIDTH", "arrange"]

OUTLINE_WIDTH: Final = 900.0
"""Below this width, px, the tree is an outline."""


def arrange(content: TreeContent, width: float) -> Sheet:
    """The whole picture of `width` px; its height is the sheet's `y`."""
    pad = 16.0 if width < NARROW_WIDTH else 24.0
    sheet = Sheet(width=width, pad=pad, y=pad)
    opening = Opening(
        title="Evaluation tree",
        name=content.name,
        place=content.place,
        headline=content.headline,
        deck=content.deck,
        notes=content.notes,
    )
    draw_opening(sheet, opening)
    _statistics(sheet, content)
    if width < OUTLINE_WIDTH:
        draw_outline(sheet, content)
    else:
        draw_columns(sheet, content)
    _footer(sheet, content)
    return sheet


def _statistics(sheet: Sheet, content: TreeContent) -> None:
    sheet.rule(24)
    n_columns, gap = (2, 16.0) if sheet.width < 700 else (4, 24.0)
    width = (sheet.inner - (n_columns - 1) * gap) / n_columns
    top = sheet.y + 12
    for i, stat in enumerate(content.stats):
        x = sheet.pad + (i % n_columns) * (width + gap)
        if i and i % n_columns == 0:
            top = sheet.y + 14
        marks, data, end = stat_block(stat, x, top, width)
        sheet.y = max(sheet.y, end)
        sheet.marks += marks
        sheet.data += data


def _footer(sheet: Sheet, content: TreeContent) -> None:
    sheet.rule(22)
    run = Run(text=content.rows, role="ink-2", size=SIZES["s"])
    marks, sheet.y = paragraph(
        [run], sheet.pad, sheet.y + 12, min(sheet.inner, 1000), line_height=18
    )
    sheet.marks += marks
    sheet.y += sheet.pad - 4
