"""A length slope as a picture: what a judge passes by length, of answers judged alike."""

from __future__ import annotations

import math
from functools import partial
from typing import Final

from rat_widgets.figures.axes import Field, Scale, polyline, small
from rat_widgets.figures.metrics import cut
from rat_widgets.figures.scene import Circle, Datum, Line, Mark, Scene, Text
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tool_sheet import STACKED, begin, finish, ledger_beside, tool_scene
from rat_widgets.figures.tree_sheet import Sheet
from rat_widgets.views import wording
from rat_widgets.views.length_slope import LengthGroup, LengthPoint, LengthView

__all__ = ["length_scene"]

_SHARES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_LEFT: Final = 42.0
_RIGHT: Final = 78.0
_HEIGHT: Final = 300.0
_MOST: Final = 680.0
_GAP: Final = 36.0
_ROLES: Final = {"all": "ink", "fail": "bad", "pass": "good"}
_BASE: Final = 100.0
_UNCOUNTED: Final = 1e6
_TICK: Final = 60.0


def length_scene(view: LengthView, *, theme: str = "light", width: float = 940) -> Scene:
    """The picture as marks in px; see `tool_scene`. Below 740 px the numbers stand
    under the chart.
    """
    return tool_scene(view.words, partial(_arrange, view), theme=theme, width=width)


def _arrange(view: LengthView, width: float) -> Sheet:
    sheet = begin(view.words, width)
    side = min(_MOST, sheet.inner if width < STACKED else 0.62 * sheet.inner)
    left, top = sheet.pad, sheet.y
    field = _field(view, left, top, side)
    sheet.marks += _ground(view, field)
    names: list[tuple[float, LengthGroup]] = []
    for group in view.groups:
        _series(sheet, view, group, field)
        names.append((field.y(group.curve[-1][1]), group))
    sheet.marks += _names(names, field)
    sheet.y = field.y.start + 40
    ledger_beside(sheet, view.words, view.interval, top=top, side=side, gap=_GAP)
    return finish(sheet, view.words)


def _field(view: LengthView, left: float, top: float, side: float) -> Field:
    """Doublings of the length from left to right."""
    start = left + _LEFT
    end = left + side - (_RIGHT if len(view.groups) > 1 else 12)
    low, high = math.log2(view.low), math.log2(view.high)
    upper = top + 24
    return Field(
        Scale(low, high, start, end, _doublings(low, high, int((end - start) / _TICK))),
        Scale(0.0, 1.0, upper + _HEIGHT - 24, upper, _SHARES),
    )


def _doublings(low: float, high: float, most: int) -> tuple[float, ...]:
    """Logarithms of 100 and of its doublings and halves, or of every second, third, ..."""
    base = math.log2(_BASE)
    first, last = math.ceil(low - base), math.floor(high - base)
    step = max(1, math.ceil((last - first + 1) / max(most, 1)))
    return tuple(base + k for k in range(first, last + 1) if k % step == 0)


def _ground(view: LengthView, field: Field) -> list[Mark]:
    x, y = field.x, field.y
    title = "share that the judge passes" + (", of answers that" if len(view.groups) > 1 else "")
    name = cut(f"{view.length}, log scale", x.end - x.start, SIZES["xs"])
    return [
        Text(x=x.start - _LEFT, y=y.end - 12, runs=(small(title, "ink-2"),)),
        *field.rows([wording.pin_percent(tick) for tick in y.ticks]),
        *field.columns([_length(2.0**tick) for tick in x.ticks], name),
    ]


def _length(value: float) -> str:
    is_counted = _BASE <= value < _UNCOUNTED
    return wording.count(wording.rounded(value)) if is_counted else f"{value:.3g}"


def _series(sheet: Sheet, view: LengthView, group: LengthGroup, field: Field) -> None:
    """The curve of the slope, and in front the shares that were seen."""
    role = _ROLES[group.key]
    line = [field.at(math.log2(length), share) for length, share in group.curve]
    sheet.marks.append(polyline(line, role, 1.5))
    for i, point in enumerate(group.points):
        e = point.share
        px, py = field.at(math.log2(point.length), e.value or 0.0)
        low, high = field.y(e.lower or 0.0), field.y(e.upper or 0.0)
        sheet.marks += [
            Line(x1=px, y1=low, x2=px, y2=high, role=role, width=1.25),
            Circle(x=px, y=py, r=4, fill=role),
        ]
        sheet.data.append(_datum(view, group, point, f"{group.key} {i}", (px, py)))


def _datum(
    view: LengthView, group: LengthGroup, point: LengthPoint, key: str, at: tuple[float, float]
) -> Datum:
    e = point.share
    of = point.rows if group.key == "all" else f"{point.rows} that {group.name}"
    return Datum(
        kind="length",
        key=key,
        x=at[0],
        y=at[1],
        value=e.value,
        lower=e.lower,
        upper=e.upper,
        text=e.text,
        hover=f"{view.length} {point.span}: the judge passes {e.text} of {of}",
    )


def _names(ends: list[tuple[float, LengthGroup]], field: Field) -> list[Mark]:
    """What the curves are, beside their ends."""
    if len(ends) < 2:
        return []
    places: list[float] = []
    ordered = sorted(ends, key=lambda end: end[0])
    for y, _ in ordered:
        places.append(max(y, places[-1] + 15) if places else y)
    below = max(0.0, places[-1] + 6 - field.y.start)  # the axis has texts of its own
    return [
        Text(x=field.x.end + 8, y=y + 4 - below, runs=(small(group.name, _ROLES[group.key]),))
        for y, (_, group) in zip(places, ordered, strict=True)
    ]
