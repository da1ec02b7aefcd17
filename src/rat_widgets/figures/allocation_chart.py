"""The chart of a plan: half-widths along the budget, names at line ends, a needle at the budget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rat_widgets.figures.scene import Area, Circle, Line, Mark, Path, PathStep, Run, Text
from rat_widgets.figures.theme import SIZES
from rat_widgets.views import wording
from rat_widgets.views.allocation import AllocationCourse, AllocationView
from rat_widgets.views.allocation_words import COURSES, OPTIMAL, amount, half

__all__ = ["allocation_chart", "hue_of", "spread_out"]

_LEFT: Final = 38.0
_TOP: Final = 20.0
_BOTTOM: Final = 26.0
_NAMES: Final = {"wide": 132.0, "narrow": 100.0}
_LINE: Final = 16.0
_NARROW: Final = 460.0
_STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)

_Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class _Field:
    """From budgets and half-widths to px."""

    left: float
    right: float
    top: float
    base: float
    end: float
    highest: float

    def x(self, budget: float) -> float:
        return self.left + min(budget / self.end, 1.0) * (self.right - self.left)

    def y(self, width: float) -> float:
        return self.base - width / 2 / self.highest * (self.base - self.top)

    def curve(self, budgets: Sequence[float], widths: Sequence[float]) -> list[_Point]:
        return [(self.x(b), self.y(w)) for b, w in zip(budgets, widths, strict=True)]


def hue_of(view: AllocationView) -> str:
    """The colour role of what is to be narrow."""
    return view.target.hue or "ink"


def allocation_chart(
    view: AllocationView, left: float, top: float, width: float, height: float
) -> list[Mark]:
    """Marks of the chart in this frame, px."""
    answer, controls = view.answer, view.controls
    shown = [course for course in answer.courses if course.key not in controls.hidden]
    is_narrow = width < _NARROW
    ticks = _up_ticks(answer.now / 2)
    field = _Field(
        left=left + _LEFT,
        right=left + width - _NAMES["narrow" if is_narrow else "wide"],
        top=top + _TOP,
        base=top + height - _BOTTOM,
        end=answer.budgets[-1],
        highest=ticks[-1],
    )
    hue = hue_of(view)
    marks = _grid(view, field, ticks)
    advised = view.courses.get(answer.advised or "")
    if advised is not None and advised.lower and advised.upper and hue != "ink":
        around = field.curve(answer.budgets, advised.upper)
        around += reversed(field.curve(answer.budgets, advised.lower))
        marks.append(Area(steps=_steps(around, is_closed=True), fill=f"{hue}-tint"))
    last = sorted(shown, key=lambda course: course.key == answer.advised)
    marks += [_line(view, field, course) for course in last]
    marks += _names(view, field, shown, is_narrow)
    return marks + _needle(view, field, advised)


def _steps(points: Sequence[_Point], *, is_closed: bool = False) -> tuple[PathStep, ...]:
    steps: list[PathStep] = [("L" if i else "M", point) for i, point in enumerate(points)]
    return (*steps, ("Z", ())) if is_closed else tuple(steps)


def _line(view: AllocationView, field: _Field, course: AllocationCourse) -> Mark:
    is_advised = course.key == view.answer.advised
    is_mix = course.key == OPTIMAL
    return Path(
        steps=_steps(field.curve(view.answer.budgets, course.widths)),
        role=hue_of(view) if is_advised else "ink-3" if is_mix else "rule-2",
        width=2.75 if is_advised else 1.35,
        is_dashed=is_mix and not is_advised,
    )


def _names(
    view: AllocationView, field: _Field, shown: Sequence[AllocationCourse], is_narrow: bool
) -> list[Mark]:
    ends = [field.y(course.widths[-1]) for course in shown]
    marks: list[Mark] = []
    for course, end, place in zip(
        shown, ends, spread_out(ends, _LINE, field.top, field.base), strict=True
    ):
        is_advised = course.key == view.answer.advised
        role = hue_of(view) if is_advised else "ink-2"
        lead = [(field.right + 2, end), (field.right + 11, place)]
        marks.append(Path(steps=_steps(lead), role=role if is_advised else "rule-2", width=1))
        name = COURSES[course.key].name
        run = Run(
            text=name.replace("half ", "½ ") if is_narrow else name,
            role=role,
            weight=600 if is_advised else 400,
            size=SIZES["s"],
        )
        marks.append(Text(x=field.right + 14, y=place + 4, runs=(run,)))
    return marks


def _needle(view: AllocationView, field: _Field, advised: AllocationCourse | None) -> list[Mark]:
    budget, is_rate = view.controls.budget, view.target.is_rate
    x = field.x(budget)
    is_left = x > field.left + 0.6 * (field.right - field.left)
    said = Run(text=f"{amount(budget)} more {view.unit}", size=SIZES["s"])
    marks: list[Mark] = [
        Line(x1=x, y1=field.top - 8, x2=x, y2=field.base, role="ink", width=1.5),
        Text(
            x=x + (-8 if is_left else 8),
            y=field.top - 4,
            anchor="end" if is_left else "start",
            runs=(said,),
        ),
    ]
    if advised is None or budget <= 0:
        return marks
    y = field.y(advised.width)
    shown = Run(text=half(advised.width, is_rate=is_rate), role=hue_of(view), weight=600)
    has_room = x > field.left + 52
    marks += [
        Circle(x=x, y=y, r=4.5, fill=hue_of(view), stroke="bg", width=1.5),
        Text(
            x=x + (-9 if has_room else 9),
            y=y + (17 if has_room else -9),
            anchor="end" if has_room else "start",
            runs=(shown,),
        ),
    ]
    return marks


def _grid(view: AllocationView, field: _Field, ticks: Sequence[float]) -> list[Mark]:
    marks: list[Mark] = []
    is_rate = view.target.is_rate
    for tick in ticks:
        y = field.y(2 * tick)
        text = f"{100 * tick:.4g}" if is_rate else f"{tick:.4g}"
        run = Run(text=text, role="ink-3", size=SIZES["xs"])
        role = "rule-2" if tick == 0 else "rule"
        marks.append(Line(x1=field.left, y1=y, x2=field.right, y2=y, role=role))
        marks.append(Text(x=field.left - 8, y=y + 4, anchor="end", runs=(run,)))
    for share in (0, 0.25, 0.5, 0.75, 1):
        text = wording.count(wording.rounded(share * field.end))
        run = Run(text=text, role="ink-3", size=SIZES["xs"])
        x = field.left + share * (field.right - field.left)
        marks.append(Text(x=x, y=field.base + 18, anchor="middle", runs=(run,)))
    return marks


def _up_ticks(top: float) -> tuple[float, ...]:
    """Round numbers from 0 to at least `top`, four or five of them."""
    raw = max(top, 1e-3) / 4
    power = 10.0 ** math.floor(math.log10(raw))
    step = next(s * power for s in _STEPS if s * power >= raw * 0.999)
    n = math.ceil(max(top, 1e-3) / step - 1e-9)
    return tuple(i * step for i in range(n + 1))


def spread_out(wanted: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places at least `gap` apart, near the wanted ones, within [low, high]."""
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    places = [wanted[i] for i in order]
    for _ in range(80):
        for i in range(1, len(places)):
            lack = gap - (places[i] - places[i - 1])
            if lack > 0:
                places[i] += lack / 2
                places[i - 1] -= lack / 2
    over = max(0.0, places[-1] - high) if places else 0.0
    under = max(0.0, low - places[0] + over) if places else 0.0
    made = [0.0] * len(places)
    for i, place in zip(order, places, strict=True):
        made[i] = place - over + under
    return made
