"""How every picture begins: what it is, the finding, why, and what a reader must know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rat_widgets.figures.flow import one_line
from rat_widgets.figures.metrics import cut
from rat_widgets.figures.scene import Mark, Rect, Run, Text
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tree_blocks import paragraph
from rat_widgets.figures.tree_sheet import Sheet
from rat_widgets.views.sentences import Segment
from rat_widgets.views.tree import Note

__all__ = ["NARROW_WIDTH", "Opening", "draw_notes", "draw_opening", "note_block"]

NARROW_WIDTH: Final = 620.0
"""Below this width, px, the margins and the headline are smaller."""

_DECK_ROLES: Final = {"strong": ("ink", 600), "whatif": ("whatif", 600)}
_HEADLINE_ROLES: Final = {"evidence": "r", "task": "t", "good": "good", "whatif": "whatif"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Opening:
    """What stands at the head of a picture."""

    title: str
    name: str
    place: str
    headline: tuple[Segment, ...]
    deck: tuple[Segment, ...]
    notes: tuple[Note, ...]


def draw_opening(sheet: Sheet, content: Opening) -> None:
    """What this is and of which system, headline, deck, notes, from the sheet's `y` down."""
    x, small = sheet.pad, SIZES["s"]
    title = Run(text=content.title, weight=600, size=small)
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
    draw_notes(sheet, content.notes)


def _headline_run(segment: Segment, size: float) -> Run:
    text, role = segment
    if role == "interval":
        return Run(text=text, role="ink-2", size=0.78 * size)
    return Run(text=text, role=_HEADLINE_ROLES.get(role, "ink"), weight=600, size=size)


def _deck_run(segment: Segment) -> Run:
    text, role = segment
    colour, weight = _DECK_ROLES.get(role, ("ink-2", 400))
    return Run(text=text, role=colour, weight=weight)


def draw_notes(sheet: Sheet, notes: Sequence[Note]) -> None:
    """The notes, one under the other, from the sheet's `y` down."""
    for note in notes:
        marks, sheet.y = note_block(note, sheet.pad, sheet.y + 12, sheet.inner)
        sheet.marks += marks


def note_block(note: Note, left: float, top: float, width: float) -> tuple[list[Mark], float]:
    """A warning on a tinted ground with a bar at the left; anything else quieter."""
    is_loud = note.level != "info"
    x = left + (14 if is_loud else 0)
    run = Run(text=one_line(note.text), role="ink" if is_loud else "ink-2", size=SIZES["s"])
    room = min(width - (24 if is_loud else 0), 860)
    marks, end = paragraph([run], x, top + (6 if is_loud else 0), room, line_height=18)
    if not is_loud:
        return marks, end
    wide = max((t.box.right for t in marks if isinstance(t, Text)), default=x) - x + 24
    height = end - top + 6
    ground: list[Mark] = [
        Rect(x=left, y=top, width=min(wide, width), height=height, fill="warn-bg"),
        Rect(
            x=left, y=top, width=3, height=height, fill="bad" if note.level == "problem" else "warn"
        ),
    ]
    return [*ground, *marks], end + 6
