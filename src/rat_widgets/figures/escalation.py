"""An escalation band as a picture: errors by what is sent on, and the band on the score."""

from __future__ import annotations

from functools import partial
from typing import Final

from rat_widgets.figures.axes import (
    Field,
    Scale,
    area,
    boxes_along,
    clearest,
    polyline,
    round_ticks,
    small,
)
from rat_widgets.figures.scene import Anchor, Box, Circle, Datum, Line, Mark, Rect, Run, Scene, Text
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tool_sheet import STACKED, begin, finish, ledger_beside, tool_scene
from rat_widgets.figures.tree_sheet import Sheet
from rat_widgets.views import wording
from rat_widgets.views.escalation import EscalationPath, EscalationPoint, EscalationView
from rat_widgets.views.tree import Estimate

__all__ = ["escalation_scene"]

_SENT: Final = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_LEFT: Final = 42.0
_HEIGHT: Final = 300.0
_MOST: Final = 620.0
_GAP: Final = 44.0
_STRIP: Final = 26.0
_FILLS: Final = {"fail": "rule", "send": "r-tint", "pass": "good-tint"}
_SPOTS: Final[tuple[tuple[float, float, Anchor], ...]] = (
    (10, -12, "start"), (10, 20, "start"), (-10, -12, "end"), (-10, 20, "end"),
    (10, -30, "start"), (10, 38, "start"), (-10, -30, "end"), (-10, 38, "end"),
    (14, 4, "start"), (-14, 4, "end"), (10, -48, "start"), (-10, -48, "end"),
    (10, -66, "start"), (-10, -66, "end"),
)  # fmt: skip

_ALONG: Final[tuple[tuple[float, Anchor], ...]] = (
    (1.0, "end"), (0.8, "end"), (0.6, "end"), (0.4, "end"), (0.0, "start"), (0.2, "start"),
)  # fmt: skip


def escalation_scene(view: EscalationView, *, theme: str = "light", width: float = 940) -> Scene:
    """The picture as marks in px; see `tool_scene`. Below 740 px the numbers stand
    under the chart.
    """
    return tool_scene(view.words, partial(_arrange, view), theme=theme, width=width)


def _arrange(view: EscalationView, width: float) -> Sheet:
    sheet = begin(view.words, width)
    side = min(_MOST, sheet.inner if width < STACKED else 0.58 * sheet.inner)
    left, top = sheet.pad, sheet.y
    field = _field(view, left, top, side)
    sheet.marks += _ground(view, field)
    marks, data = _course(view, field)
    sheet.marks += marks
    sheet.data += data
    sheet.y = _strip(sheet, view.paths, field.x.start, field.x.end, field.y.start + 66)
    ledger_beside(sheet, view.words, view.interval, top=top, side=side, gap=_GAP)
    return finish(sheet, view.words)


def _field(view: EscalationView, left: float, top: float, side: float) -> Field:
    """Sent on from left to right, wrong from below."""
    start, upper = left + _LEFT, top + 24
    points = (*view.course, view.chosen, view.nothing, view.everything)
    highest = max((p.error.upper or 0.0) for p in points)
    highest = min(1.0, 1.02 * max(highest, 1.3 * (view.target or 0.0), 0.01))
    ticks = round_ticks(0.0, highest, 4)
    if ticks[-1] < highest - 1e-9:
        ticks = (*ticks, min(1.0, ticks[-1] + ticks[1]))
    return Field(
        Scale(0.0, 1.0, start, left + side - 8, _SENT),
        Scale(0.0, ticks[-1], upper + _HEIGHT - 24, upper, ticks),
    )


def _ground(view: EscalationView, field: Field) -> list[Mark]:
    x, y = field.x, field.y
    marks: list[Mark] = [
        Text(x=x.start - _LEFT, y=y.end - 12, runs=(small("end wrong", "ink-2"),)),
        *field.rows([wording.pin_percent(tick) for tick in y.ticks]),
        *field.columns([wording.pin_percent(tick) for tick in x.ticks], "rows sent on"),
    ]
    return marks


def _course(view: EscalationView, field: Field) -> tuple[list[Mark], list[Datum]]:
    """The course with its intervals, and in front the three ways with their names."""
    steps = sorted(view.course, key=lambda p: p.sent.value or 0.0)
    line = [_place(p, field) for p in steps]
    uppers = [(x, field.y(p.error.upper or 0.0)) for (x, _), p in zip(line, steps, strict=True)]
    lowers = [(x, field.y(p.error.lower or 0.0)) for (x, _), p in zip(line, steps, strict=True)]
    marks: list[Mark] = [area(uppers, lowers, "r-band")]
    if view.target is not None:
        level = field.y(view.target)
        left, right = field.x.start, field.x.end
        marks.append(Line(x1=left, y1=level, x2=right, y2=level, role="good", is_dashed=True))
    marks.append(polyline(line, "r", 1.5))
    taken = boxes_along(line, 3)
    named = (view.nothing, view.everything, view.chosen)
    for p in named:
        x, y = _place(p, field)
        top, bottom = field.y(p.error.upper or 0.0), field.y(p.error.lower or 0.0)
        is_chosen = p is view.chosen
        role = "ink" if is_chosen else "ink-3"
        marks.append(Line(x1=x, y1=top, x2=x, y2=bottom, role=role, width=1.5))
        disc = Circle(x=x, y=y, r=5, fill="ink")
        ring = Circle(x=x, y=y, r=3.8, fill="bg", stroke="ink-3", width=1.5)
        marks.append(disc if is_chosen else ring)
        taken.append(Box(left=x - 6, right=x + 6, top=min(top, y - 6), bottom=max(bottom, y + 6)))
    marks += _names(view, field, taken)
    data = [_datum(p, f"step {i}", field) for i, p in enumerate(steps)]
    return marks, data + [_datum(p, p.name, field) for p in named]


def _place(p: EscalationPoint, field: Field) -> tuple[float, float]:
    return field.at(p.sent.value or 0.0, p.error.value or 0.0)


def _names(view: EscalationView, field: Field, taken: list[Box]) -> list[Mark]:
    """Names of the three ways and of the target, each where it covers least."""
    marks: list[Mark] = []
    boxes = list(taken)
    names: list[Box] = []
    if view.target is not None:
        y = field.y(view.target)
        boxes += boxes_along([(field.x.start, y), (field.x.end, y)], 1)
    at_chosen = _place(view.chosen, field)
    for p in (view.chosen, view.nothing, view.everything):
        if p is not view.chosen and _place(p, field) == at_chosen:
            continue
        is_chosen = p is view.chosen
        name_run = Run(text=p.name, role="ink" if is_chosen else "ink-2", size=SIZES["xs"],
                       weight=600 if is_chosen else 400)  # fmt: skip
        x, y = _place(p, field)
        # The name alone where there is no room for the number, which the ledger has.
        spots = [
            Text(x=x + dx, y=y + dy, runs=runs, anchor=side)
            for runs in ((name_run, small(f" {_rate(p.error)}", "ink-2")), (name_run,))
            for dx, dy, side in _SPOTS
        ]
        inside = [spot for spot in spots if _is_inside(spot.box, field)]
        if inside:
            name = clearest(inside, boxes, names)
            marks.append(name)
            names.append(name.box)
    if view.target is not None:
        run = small(f"target {wording.pin_percent(view.target)}", "good")
        y = field.y(view.target)
        spots = [
            Text(x=field.x(at), y=y + dy, runs=(run,), anchor=side)
            for dy in (-5, 13)
            for at, side in _ALONG
        ]
        marks.append(
            clearest([s for s in spots if s.box.bottom < field.y.start] or spots, boxes, names)
        )
    return marks


def _rate(e: Estimate) -> str:
    return f"{wording.pin_percent(e.value or 0.0)} wrong"


def _is_inside(box: Box, field: Field) -> bool:
    x, y = field.x, field.y
    return box.left > x.start + 2 and box.right < x.end and y.end < box.top < box.bottom < y.start


def _datum(p: EscalationPoint, key: str, field: Field) -> Datum:
    x, y = _place(p, field)
    way = p.name or "band"
    return Datum(
        kind="escalation",
        key=key,
        x=x,
        y=y,
        value=p.error.value,
        lower=p.error.lower,
        upper=p.error.upper,
        text=p.error.text,
        hover=f"{way} ({p.span}): {p.sent.text} sent on, {p.error.text} wrong",
    )


def _strip(
    sheet: Sheet, paths: tuple[EscalationPath, ...], left: float, right: float, top: float
) -> float:
    """The score from 0 to 1 and what becomes of it; where the strip ends."""
    marks, scale = sheet.marks, Scale(0.0, 1.0, left, right, _SENT)
    marks.append(Text(x=left - _LEFT, y=top - 8, runs=(small("what becomes of a score", "ink-2"),)))
    ends: list[tuple[float, str, Anchor]] = [(0.0, "0", "middle"), (1.0, "1", "middle")]
    for path in paths:
        x1, x2 = scale(path.low), scale(path.high)
        if x2 - x1 < 0.5:
            continue
        marks.append(Rect(x=x1, y=top, width=x2 - x1, height=_STRIP, fill=_FILLS[path.key]))
        if path.low > 0:
            ends.append((path.low, f"{path.low:.4g}", "middle"))
        for text in (f"{path.name}: {path.text}", path.name):
            run = small(text, "ink")
            if run.width < x2 - x1 - 8:
                at = (x1 + x2) / 2
                marks.append(Text(x=at, y=top + 17, anchor="middle", runs=(run,)))
                break
    last = -1000.0
    for at, text, anchor in sorted(ends):
        run = small(text)
        x = scale(at)
        is_end = at == 1.0
        if x - run.width / 2 > last + 4 and (is_end or x + run.width / 2 < scale(1.0) - 10):
            marks.append(Text(x=x, y=top + _STRIP + 15, anchor=anchor, runs=(run,)))
            last = x + run.width / 2
    marks.append(Text(x=right, y=top + _STRIP + 30, anchor="end", runs=(small("score", "ink-2"),)))
    return top + _STRIP + 36
