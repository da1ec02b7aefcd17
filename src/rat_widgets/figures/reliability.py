"""A reliability curve as a picture: the share that people pass by score, and rows below."""

from __future__ import annotations

from functools import partial
from typing import Final

from rat_widgets.figures.axes import (
    Field,
    Point,
    Scale,
    boxes_along,
    clearest,
    polyline,
    small,
)
from rat_widgets.figures.scene import Anchor, Box, Circle, Datum, Line, Mark, Rect, Scene, Text
from rat_widgets.figures.tool_sheet import STACKED, begin, finish, ledger_beside, tool_scene
from rat_widgets.figures.tree_sheet import Sheet
from rat_widgets.views import wording
from rat_widgets.views.reliability import ReliabilityBin, ReliabilityView

__all__ = ["reliability_scene"]

_TICKS: Final = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_LEFT: Final = 42.0
_STRIP: Final = 62.0
_MOST: Final = 540.0
_GAP: Final = 44.0
_CROWDED: Final = 40
_FEW: Final = 10
_NAME: Final = 110.0
_BESIDE: Final[tuple[tuple[float, float, Anchor], ...]] = ((-7, -6, "end"), (9, 8, "start"))
_AROUND: Final[tuple[tuple[float, float, Anchor], ...]] = (
    (-4, -8, "end"), (-4, 17, "end"), (6, -8, "start"), (6, 17, "start"),
)  # fmt: skip


def reliability_scene(view: ReliabilityView, *, theme: str = "light", width: float = 940) -> Scene:
    """The picture as marks in px; see `tool_scene`. Below 740 px the numbers stand
    under the chart.
    """
    return tool_scene(view.words, partial(_arrange, view), theme=theme, width=width)


def _arrange(view: ReliabilityView, width: float) -> Sheet:
    sheet = begin(view.words, width)
    side = min(_MOST, sheet.inner if width < STACKED else 0.56 * sheet.inner)
    top, left = sheet.y, sheet.pad
    field = _field(left, top, side)
    sheet.marks += _ground(field)
    marks, data = _curve(view, field)
    sheet.marks += marks
    sheet.data += data
    sheet.y = _strip(sheet, view.bins, field)
    ledger_beside(sheet, view.words, view.interval, top=top, side=side, gap=_GAP)
    return finish(sheet, view.words)


def _field(left: float, top: float, side: float) -> Field:
    """A square with room for the words at its left and above it."""
    start, upper = left + _LEFT, top + 24
    length = side - _LEFT - 8
    return Field(
        Scale(0.0, 1.0, start, start + length, _TICKS),
        Scale(0.0, 1.0, upper + length, upper, _TICKS),
    )


def _ground(field: Field) -> list[Mark]:
    x, y = field.x, field.y
    title = small("people pass", "ink-2")
    return [
        Text(x=x.start - _LEFT, y=y.end - 12, runs=(title,)),
        *field.rows([wording.pin_percent(tick) for tick in _TICKS]),
        Line(x1=x.start, y1=y.start, x2=x.end, y2=y.end, role="rule-2", is_dashed=True),
    ]


def _curve(view: ReliabilityView, field: Field) -> tuple[list[Mark], list[Datum]]:
    """Recalibration, and dots with intervals in front of it."""
    knots = [field.at(at, to) for at, to in view.knots]
    first, last = knots[0], knots[-1]
    line = [(field.x.start, first[1]), *knots, (field.x.end, last[1])]
    recalibrated = polyline(line, "whatif-fill", 1.5)
    marks: list[Mark] = []
    is_crowded = len(view.bins) > _CROWDED
    data, taken = [], boxes_along(line, 3)
    for b in view.bins:
        px, py = field.at(b.mean_score, b.share.value or 0.0)
        top, bottom = field.y(b.share.upper or 0.0), field.y(b.share.lower or 0.0)
        marks += _dot(b, (px, py), (top, bottom), is_crowded=is_crowded)
        taken.append(Box(left=px - 5, right=px + 5, top=top, bottom=bottom))
        data.append(_datum(b, px, py))
    marks = [*marks, recalibrated] if is_crowded else [recalibrated, *marks]
    return [*marks, *_names(view, field, taken)], data


def _dot(
    b: ReliabilityBin, at: Point, ends: tuple[float, float], *, is_crowded: bool
) -> list[Mark]:
    """A bin's share and interval; bins of few rows are rings, and many bins are small."""
    x, y = at
    if is_crowded:
        whisker = Line(x1=x, y1=ends[0], x2=x, y2=ends[1], role="rule")
        return [whisker, Circle(x=x, y=y, r=2, fill="ink-2")]
    if b.n < _FEW:
        whisker = Line(x1=x, y1=ends[0], x2=x, y2=ends[1], role="rule-2", width=1.25)
        return [whisker, Circle(x=x, y=y, r=3.6, fill="bg", stroke="ink-3", width=1.5)]
    whisker = Line(x1=x, y1=ends[0], x2=x, y2=ends[1], role="ink", width=1.5)
    return [whisker, Circle(x=x, y=y, r=4.2, fill="ink")]


def _names(view: ReliabilityView, field: Field, taken: list[Box]) -> list[Mark]:
    """What the two lines are, where they cover least."""
    x, y = field.x, field.y
    diagonal = boxes_along([(x.start, y.start), (x.end, y.end)], 2)
    as_said = [
        Text(x=x(at) + dx, y=y(at) + 4 + dy, anchor=anchor, runs=(small("as the score says"),))
        for at in (0.9, 0.1, *(k / 20 for k in range(3, 18)))
        for dx, dy, anchor in _BESIDE
        if x.start + 4 < x(at) + dx + (_NAME if anchor == "start" else -_NAME) < x.end
    ]
    named = clearest(as_said, [*taken, *diagonal])
    curve = [(x(at), y(to)) for at, to in view.knots]
    spots = [(x.end, curve[-1][1]), (x.start, curve[0][1]), *curve[1:-1]]
    recalibrated = [
        Text(x=px + dx, y=py + dy, anchor=anchor, runs=(small("recalibrated", "whatif"),))
        for px, py in spots[:60]
        for dx, dy, anchor in _AROUND
        if x.start < px + dx + (90 if anchor == "start" else -90) < x.end
        and y.end + 10 < py + dy < y.start
    ]
    if not recalibrated:
        return [named]
    return [named, clearest(recalibrated, [*taken, *diagonal], [named.box])]


def _datum(b: ReliabilityBin, px: float, py: float) -> Datum:
    rows = f"{wording.count(b.n)} {'row' if b.n == 1 else 'rows'}"
    return Datum(
        kind="reliability",
        key=f"{b.low:g} to {b.high:g}",
        x=px,
        y=py,
        value=b.share.value,
        lower=b.share.lower,
        upper=b.share.upper,
        text=b.share.text,
        hover=f"Scores {wording.decimal(b.low)} to {wording.decimal(b.high)}, "
        f"{wording.decimal(b.mean_score)} on average: people pass {b.share.text} of {rows}",
    )


def _strip(sheet: Sheet, bins: tuple[ReliabilityBin, ...], field: Field) -> float:
    """Rows of each bin as bars under the chart, on the same scale; where the strip ends."""
    x, base = field.x, field.y.start + 26 + _STRIP
    title = small("rows", "ink-2")
    marks = sheet.marks
    marks.append(Text(x=x.start - 7, y=base, anchor="end", runs=(title,)))
    most = max(b.n for b in bins)
    numbers: list[Text] = []
    for b in sorted(bins, key=lambda b: -b.n):
        left, right = x(b.low), x(b.high)
        if right - left < 2:
            left, right = left - 2, left + 2
        height = max((_STRIP - 16) * b.n / most, 1.0)
        gap = 1.0 if right - left > 6 else 0.0
        marks.append(
            Rect(x=left + gap, y=base - height, width=right - left - 2 * gap, height=height,
                 fill="rule-2")
        )  # fmt: skip
        number = small(wording.count(b.n))
        fits = number.width < right - left + 8 and len(bins) <= _CROWDED
        text = Text(x=(left + right) / 2, y=base - height - 5, anchor="middle", runs=(number,))
        # The largest bin has its number in any case.
        if not numbers or (fits and not any(text.box.overlaps(other.box) for other in numbers)):
            numbers.append(text)
    marks += numbers
    marks.append(Line(x1=x.start, y1=base, x2=x.end, y2=base, role="rule-2"))
    for tick in x.ticks:
        run = small(wording.decimal(tick)[:3])
        marks.append(Text(x=x(tick), y=base + 16, anchor="middle", runs=(run,)))
    marks.append(Text(x=x.end, y=base + 31, anchor="end", runs=(small("score", "ink-2"),)))
    return base + 36
