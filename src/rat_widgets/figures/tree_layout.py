"""Where the parts of a tree's picture stand: columns when it is wide, an outline when narrow."""

from __future__ import annotations

from typing import Final

from rat_widgets.figures.flow import one_line
from rat_widgets.figures.metrics import cut
from rat_widgets.figures.scene import Rect, Run, Text
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tree_blocks import paragraph, stat_block
from rat_widgets.figures.tree_columns import draw_columns
from rat_widgets.figures.tree_content import TreeContent
from rat_widgets.figures.tree_outline import draw_outline
from rat_widgets.figures.tree_sheet import Sheet
from rat_widgets.views.sentences import Segment

__all__ = ["NARROW_WIDTH", "OUTLINE_WIDTH", "arrange"]

OUTLINE_WIDTH: Final = 900.0
"""Below this width, px, the tree is an outline."""
NARROW_WIDTH: Final = 620.0
"""Below this width, px, the margins and the headline are smaller."""

_DECK_ROLES: Final = {"strong": ("ink", 600), "whatif": ("whatif", 600)}
_HEADLINE_ROLES: Final = {"task": "t", "good": "good", "whatif": "whatif"}


def arrange(content: TreeContent, width: float) -> Sheet:
    """The whole picture of `width` px; its height is the sheet's `y`."""
    pad = 16.0 if width < NARROW_WIDTH else 24.0
    sheet = Sheet(width=width, pad=pad, y=pad)
    _opening(sheet, content)
    _statistics(sheet, content)
    if width < OUTLINE_WIDTH:
        draw_outline(sheet, content)
    else:
        draw_columns(sheet, content)
    _footer(sheet, content)
    return sheet


def _opening(sheet: Sheet, content: TreeContent) -> None:
    """What this is and of which system, headline, deck, notes."""
    x, small = sheet.pad, SIZES["s"]
    title = Run(text="Evaluation tree", weight=600, size=small)
    y = sheet.y + 14
    sheet.marks.append(Text(x=x, y=y, runs=(title,)))
    room = sheet.inner - title.width - 14
    place = Run(text=content.place, role="ink-3", size=small)
    if content.name:
        name = one_line(content.name)
        shown = cut(name, room - (place.width + 16 if content.place else 0), small)
        runs = (Run(text=shown, role="ink-2", size=small),)
        hover = name if shown != name else ""
        sheet.marks.append(Text(x=x + title.width + 14, y=y, runs=runs, hover=hover))
    if content.place:
        sheet.marks.append(Text(x=x + sheet.inner, y=y, anchor="end", runs=(place,)))
    is_narrow = sheet.width < NARROW_WIDTH
    size = 18.5 if is_narrow else SIZES["xl"]
    marks, sheet.y = paragraph(
        [_headline_run(segment, size) for segment in content.headline],
        x,
        sheet.y + 24,
        min(sheet.inner, 1232),
        line_height=1.32 * size,
        together=frozenset(text for text, role in content.headline if role == "interval"),
    )
    sheet.marks += marks
    if content.deck:
        marks, sheet.y = paragraph(
            [_deck_run(segment) for segment in content.deck],
            x,
            sheet.y + 5,
            min(sheet.inner, 1344),
            line_height=20.3,
        )
        sheet.marks += marks
    _notes(sheet, content)


def _headline_run(segment: Segment, size: float) -> Run:
    text, role = segment
    if role == "interval":
        return Run(text=text, role="ink-2", size=0.78 * size)
    return Run(text=text, role=_HEADLINE_ROLES.get(role, "ink"), weight=600, size=size)


def _deck_run(segment: Segment) -> Run:
    text, role = segment
    colour, weight = _DECK_ROLES.get(role, ("ink-2", 400))
    return Run(text=text, role=colour, weight=weight)


def _notes(sheet: Sheet, content: TreeContent) -> None:
    """Warnings on a tinted ground with a bar at the left; the rest quieter."""
    for note in content.notes:
        is_loud = note.level != "info"
        x = sheet.pad + (14 if is_loud else 0)
        role = "ink" if is_loud else "ink-2"
        top = sheet.y + 12
        run = Run(text=one_line(note.text), role=role, size=SIZES["s"])
        room = min(sheet.inner - (24 if is_loud else 0), 860)
        marks, end = paragraph([run], x, top + (6 if is_loud else 0), room, line_height=18)
        if is_loud:
            bar = "bad" if note.level == "problem" else "warn"
            wide = max((t.box.right for t in marks if isinstance(t, Text)), default=x) - x + 24
            wide = min(wide, sheet.inner)
            height = end - top + 6
            sheet.marks += [
                Rect(x=sheet.pad, y=top, width=wide, height=height, fill="warn-bg"),
                Rect(x=sheet.pad, y=top, width=3, height=height, fill=bar),
            ]
            end += 6
        sheet.marks += marks
        sheet.y = end


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
