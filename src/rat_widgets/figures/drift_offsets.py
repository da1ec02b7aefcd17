"""How far versions of a judge are apart: an interval in points for each, about zero."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rat_widgets.figures.axes import Scale, round_ticks, short, small
from rat_widgets.figures.flow import one_line
from rat_widgets.figures.metrics import cut
from rat_widgets.figures.scene import Circle, Datum, Line, Run, Text
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tree_blocks import paragraph
from rat_widgets.figures.tree_sheet import Sheet
from rat_widgets.views.drift import DriftLine, DriftOffset, DriftView

__all__ = ["offsets_block"]

_NARROW: Final = 520.0
_TEXT: Final = 150.0
_HIGH: Final = 44.0
_FLAT: Final = 24.0
_ROLES: Final = {"all": "ink", "fail": "bad", "pass": "good"}


@dataclass(frozen=True, kw_only=True, slots=True)
class _Columns:
    """Where names begin, numbers end, and intervals are between; a name above its row or not."""

    left: float
    right: float
    scale: Scale
    is_narrow: bool


def offsets_block(sheet: Sheet, view: DriftView, room: float) -> None:
    """Rows with a dot and an interval each, from the sheet's `y` down."""
    left, right = sheet.pad, sheet.pad + room
    is_narrow = room < _NARROW
    reference = one_line(view.offsets[0].reference)
    title = f"Points more of the same items that pass than with {cut(reference, 260, SIZES['s'])}"
    run = Run(text=title, weight=600, size=SIZES["s"])
    marks, y = paragraph([run], left, sheet.y, room, line_height=18)
    sheet.marks += marks
    start = left + (8 if is_narrow else min(230.0, 0.32 * room))
    scale = _scale(view, start, right - _TEXT - 14)
    columns = _Columns(left=left, right=right, scale=scale, is_narrow=is_narrow)
    top = y = y + 12
    for offset in view.offsets:
        for _ in offset.lines:
            if is_narrow:
                _grid(sheet, scale, y + 20, y + 40)
            y += _HIGH if is_narrow else _FLAT
        y += 8
    if not is_narrow:
        _grid(sheet, scale, top, y)
    for tick in scale.ticks:
        text = small(_points(tick))
        sheet.marks.append(Text(x=scale(tick), y=y + 16, anchor="middle", runs=(text,)))
    sheet.y, y = y + 30, top
    for offset in view.offsets:
        for line in offset.lines:
            y = _row(sheet, offset, line, columns, y)
        y += 8


def _scale(view: DriftView, start: float, end: float) -> Scale:
    """As far to the left of zero as to the right."""
    ends = [
        abs(end or 0.0)
        for offset in view.offsets
        for line in offset.lines
        for end in (line.offset.lower, line.offset.upper)
    ]
    reach = min(1.0, max(1.05 * max(ends), 0.01))
    half = round_ticks(0.0, reach, 2)
    return Scale(-reach, reach, start, end, (*(-tick for tick in half[:0:-1]), *half))


def _grid(sheet: Sheet, scale: Scale, top: float, bottom: float) -> None:
    for tick in scale.ticks:
        x, role = scale(tick), "ink-3" if tick == 0 else "rule"
        sheet.marks.append(Line(x1=x, y1=top, x2=x, y2=bottom, role=role))


def _points(tick: float) -> str:
    return short(round(100 * tick, 2))


def _row(
    sheet: Sheet, offset: DriftOffset, line: DriftLine, columns: _Columns, top: float
) -> float:
    """One offset, and where its row ends."""
    left, right, scale, is_narrow = columns.left, columns.right, columns.scale, columns.is_narrow
    is_first = line.key == "all"
    e, role = line.offset, _ROLES[line.key]
    name = one_line(line.name)
    room = (right - left) if is_narrow else scale.start - left - 14
    text = cut(name, room, SIZES["s"], 600 if is_first else 400)
    label = Run(
        text=text, role="ink" if is_first else "ink-2", weight=600 if is_first else 400,
        size=SIZES["s"],
    )  # fmt: skip
    hover = f"{name}, {offset.pairs}" if text != name else ""
    y = top + (30 if is_narrow else 12)
    at = (left, top + 14) if is_narrow else (left, y + 4)
    x, low, high = (scale(end or 0.0) for end in (e.value, e.lower, e.upper))
    sheet.marks += [
        Line(x1=low, y1=y, x2=high, y2=y, role=role, width=1.5),
        Circle(x=x, y=y, r=4.2, fill=role),
        Text(x=at[0], y=at[1], runs=(label,), hover=hover),
        Text(x=right, y=y + 4, anchor="end", runs=(small(e.text, "ink-2"),)),
    ]
    sheet.data.append(
        Datum(
            kind="drift",
            key=f"offset {offset.version} {line.key}",
            x=x,
            y=y,
            value=e.value,
            lower=e.lower,
            upper=e.upper,
            text=e.text,
            hover=f"{line.name}: {e.text} points of {offset.pairs} with a verdict of both",
        )
    )
    return top + (_HIGH if is_narrow else _FLAT)
