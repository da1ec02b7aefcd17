"""What the pictures of the tools for judges have in common: opening, ledger, notes, text."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import Final

from rat_widgets.figures.axes import small
from rat_widgets.figures.flow import one_line
from rat_widgets.figures.metrics import cut
from rat_widgets.figures.opening import NARROW_WIDTH, Opening, draw_notes, draw_opening
from rat_widgets.figures.scene import Line, Mark, Run, Scene, Text
from rat_widgets.figures.sheet_scene import sheet_scene
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tree_sheet import Sheet
from rat_widgets.views import sentences
from rat_widgets.views.tool_words import ToolLine, ToolWords
from rat_widgets.views.tree import Note

__all__ = ["STACKED", "begin", "finish", "ledger", "ledger_beside", "tool_scene", "tool_text"]

STACKED: Final = 740.0
"""Below this width, px, the numbers stand under the chart."""

_ROW: Final = 23.0
_WIDEST: Final = 420.0
_ENDS: Final = 98.0
_COLUMNS: Final = 80
_LEAST: Final = 40.0


def tool_scene(
    words: ToolWords, arrange: Callable[[float], Sheet], *, theme: str, width: float
) -> Scene:
    """A picture as marks in px.

    Parameters
    ----------
    words : ToolWords
        What it says, also to those who cannot see it.
    arrange : function of the width
    theme : {"light", "dark", "auto"}
    width : float
        Width in px, from 320 up.

    Raises
    ------
    ArgumentError
        When the theme is not known or the width is out of range.
    """
    return sheet_scene(
        arrange,
        theme=theme,
        width=width,
        title=sentences.plain(words.headline),
        description=tool_text(words),
    )


def begin(words: ToolWords, width: float) -> Sheet:
    """A sheet with the opening on it."""
    pad = 16.0 if width < NARROW_WIDTH else 24.0
    sheet = Sheet(width=width, pad=pad, y=pad)
    title = Run(text=words.title, weight=600, size=SIZES["s"])
    place = Run(text=words.place, size=SIZES["s"])
    room = sheet.inner - title.width - place.width - 30
    draw_opening(
        sheet,
        Opening(
            title=words.title,
            name=words.name if room > _LEAST else "",
            place=words.place,
            headline=words.headline,
            deck=words.deck,
            notes=(),
        ),
    )
    sheet.y += 18
    return sheet


def finish(sheet: Sheet, words: ToolWords) -> Sheet:
    """The notes, and the lower margin."""
    draw_notes(sheet, [Note(level="info", text=note) for note in words.notes])
    sheet.y += sheet.pad
    return sheet


def ledger(
    lines: Sequence[ToolLine], head: str, left: float, top: float, width: float
) -> tuple[list[Mark], float]:
    """Numbers in rows with a hairline between, and where they end; `head` names the intervals."""
    right = left + width
    marks: list[Mark] = [Text(x=right, y=top + 11, anchor="end", runs=(small(head),))]
    y = top + 18
    for line in lines:
        value = Run(text=line.text, weight=600, size=SIZES["s"])
        room = width - _ENDS - value.width - 20
        name = one_line(line.label)
        shown = cut(name, room, SIZES["s"])
        label = Run(text=shown, role="ink-2", size=SIZES["s"])
        marks += [
            Line(x1=left, y1=y, x2=right, y2=y, role="rule"),
            Text(x=left, y=y + 16, runs=(label,), hover=name if shown != name else ""),
            Text(x=right - _ENDS, y=y + 16, anchor="end", runs=(value,)),
        ]
        if line.interval:
            marks.append(Text(x=right, y=y + 16, anchor="end", runs=(small(line.interval),)))
        y += _ROW
    return marks, y


def ledger_beside(
    sheet: Sheet, words: ToolWords, head: str, *, top: float, side: float, gap: float
) -> None:
    """The numbers beside a chart that is `side` px wide and began at `top`, or under it."""
    x, y, room = sheet.pad, sheet.y + 8, side
    if sheet.width >= STACKED:
        x, y, room = x + side + gap, top + 16, min(sheet.inner - side - gap, _WIDEST)
    marks, end = ledger(words.ledger, head, x, y, room)
    sheet.marks += marks
    sheet.y = max(sheet.y, end) + 6


def tool_text(words: ToolWords) -> str:
    """The finding, the ledger and the notes, for those who cannot see the picture."""
    lines = textwrap.wrap(sentences.plain(words.headline), _COLUMNS)
    lines += textwrap.wrap(sentences.plain(words.deck), _COLUMNS)
    for line in words.ledger:
        ends = f" ({line.interval})" if line.interval else ""
        lines.append(f"{one_line(line.label)}: {line.text}{ends}")
    return "\n".join([*lines, *map(one_line, words.notes)]) + "\n"
