"""One panel of a study's picture: a measure of one target against the budget."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

from rat_widgets.figures.axes import Scale, round_ticks, short
from rat_widgets.figures.scene import Circle, Datum, Line, Mark, Path, Run, Text
from rat_widgets.figures.theme import SIZES
from rat_widgets.views import wording
from rat_widgets.views.study import Measure, StudyPoint, StudyView

__all__ = ["PANELS", "Stroke", "panel", "stroke_of"]

PANELS: Final = ("width", "mae", "coverage")

_TITLES: Final = {
    "width": "Width of the {ci} interval",
    "mae": "Mean absolute error",
    "coverage": "Coverage",
}
_LEFT: Final = 44.0
_BOTTOM: Final = 34.0
_TOP: Final = 24.0
_BESIDE: Final = 1.6
_MONTE_CARLO: Final = 1.96

Frame = tuple[float, float, float, float]
"""Left, top, width and height, px."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Stroke:
    """How a strategy's line looks: colour, dashes, and rings or discs for its points."""

    role: str
    is_dashed: bool = False
    is_ring: bool = False

    def mark(self, x: float, y: float) -> Circle:
        """A point on the line."""
        if self.is_ring:
            return Circle(x=x, y=y, r=3.2, fill="bg", stroke=self.role, width=1.6)
        return Circle(x=x, y=y, r=3.4, fill=self.role)


_STROKES: Final = {
    "all_joint": Stroke(role="ink"),
    "all_r": Stroke(role="r"),
    "all_t": Stroke(role="t"),
    "half_joint_r": Stroke(role="r", is_dashed=True, is_ring=True),
    "half_joint_t": Stroke(role="t", is_dashed=True, is_ring=True),
    "r_then_t": Stroke(role="good"),
    "t_then_r": Stroke(role="whatif"),
    "judge_only": Stroke(role="judge", is_dashed=True),
}
_OTHERS: Final = ("a", "bad", "judge", "ink-2")


def stroke_of(strategy: str, position: int) -> Stroke:
    """The line of a strategy; those of a user's own by their position."""
    if strategy in _STROKES:
        return _STROKES[strategy]
    role = _OTHERS[position % len(_OTHERS)]
    return Stroke(role=role, is_dashed=position // len(_OTHERS) % 2 == 1, is_ring=True)


def _moved(scale: Scale, by: float) -> Scale:
    return replace(scale, start=scale.start + by, end=scale.end + by)


def panel(
    view: StudyView, name: str, target: str, strokes: dict[str, Stroke], frame: Frame
) -> tuple[list[Mark], list[Datum]]:
    """Marks and data of one measure of one target."""
    left, top, width, height = frame
    points = [p for p in view.points if p.target == target]
    x = _budget_scale(points, left + _LEFT, left + width - 8)
    y = _value_scale(name, points, top + height - _BOTTOM, top + _TOP)
    title = _TITLES[name].format(ci=wording.pin_percent(view.ci_prob))
    marks: list[Mark] = [
        Text(x=left, y=top + 12, runs=(Run(text=title, role="ink-2", size=SIZES["s"]),)),
        *_axes(view, name, x, y),
    ]
    data: list[Datum] = []
    middle = (len(view.strategies) - 1) / 2
    for i, strategy in enumerate(view.strategies):
        curve = view.curve(strategy, target)
        if curve:
            # Bars of one budget stand side by side.
            beside = 0.0 if name == "width" else _BESIDE * (i - middle)
            made, read = _curve(view, name, curve, strokes[strategy], (_moved(x, beside), y))
            marks += made
            data += read
    return marks, data


def _curve(
    view: StudyView,
    name: str,
    curve: list[StudyPoint],
    stroke: Stroke,
    scales: tuple[Scale, Scale],
) -> tuple[list[Mark], list[Datum]]:
    x, y = scales
    at = [(x(point.budget), y(_measure(point, name).value)) for point in curve]
    steps = tuple(("L" if i else "M", place) for i, place in enumerate(at))
    marks: list[Mark] = [Path(steps=steps, role=stroke.role, width=1.8, is_dashed=stroke.is_dashed)]
    data = []
    for point, (px, py) in zip(curve, at, strict=True):
        measure = _measure(point, name)
        low, high = _ends(measure)
        if y(low) - y(high) > 3:
            bar = Line(x1=px, y1=y(low), x2=px, y2=y(high), role=stroke.role, width=1)
            marks.append(bar)
        marks.append(stroke.mark(px, py))
        title = _TITLES[name].format(ci=wording.pin_percent(view.ci_prob)).lower()
        data.append(
            Datum(
                kind="study",
                key=f"{name} {point.strategy} {point.target} {point.budget:g}",
                x=px,
                y=py,
                value=measure.value,
                lower=low,
                upper=high,
                text=measure.text,
                hover=f"{point.strategy}, {view.budget_text(point.budget)}: {title} of "
                f"{view.targets[point.target]} {measure.text}; cost {point.cost.text}",
            )
        )
    return marks, data


def _measure(point: StudyPoint, name: str) -> Measure:
    measures: dict[str, Measure] = {
        "width": point.width, "mae": point.mae, "coverage": point.coverage
    }  # fmt: skip
    return measures[name]


def _ends(measure: Measure) -> tuple[float, float]:
    half = _MONTE_CARLO * (measure.mcse or 0.0)
    return max(0.0, measure.value - half), measure.value + half


def _axes(view: StudyView, name: str, x: Scale, y: Scale) -> list[Mark]:
    marks: list[Mark] = []
    for tick in y.ticks:
        is_base = tick == y.low
        text = wording.pin_percent(tick) if name == "coverage" else short(tick)
        run = Run(text=text, role="ink-3", size=SIZES["xs"])
        marks.append(Line(x1=x.start, y1=y(tick), x2=x.end, y2=y(tick),
                          role="rule-2" if is_base else "rule"))  # fmt: skip
        marks.append(Text(x=x.start - 7, y=y(tick) + 4, anchor="end", runs=(run,)))
    if name == "coverage":
        level = y(view.ci_prob)
        marks.append(Line(x1=x.start, y1=level, x2=x.end, y2=level, role="ink-3", is_dashed=True))
    for tick in x.ticks:
        run = Run(text=wording.count(wording.rounded(tick)), role="ink-3", size=SIZES["xs"])
        marks.append(Text(x=x(tick), y=y.start + 16, anchor="middle", runs=(run,)))
    unit = {"rows": "rows labelled", "units": "cost"}[view.unit]
    run = Run(text=unit, role="ink-3", size=SIZES["xs"])
    marks.append(Text(x=x.end, y=y.start + 29, anchor="end", runs=(run,)))
    return marks


def _budget_scale(points: list[StudyPoint], start: float, end: float) -> Scale:
    high = max((point.budget for point in points), default=1.0)
    n = 4 if end - start < 260 else 6
    return Scale(0.0, high, start, end, round_ticks(0.0, high, n))


def _value_scale(name: str, points: list[StudyPoint], start: float, end: float) -> Scale:
    measures = [_measure(point, name) for point in points]
    if name == "coverage":
        lowest = min((_ends(measure)[0] for measure in measures), default=0.9)
        low = max(0.0, math.floor(min(lowest, 0.9) * 20) / 20)
        return Scale(low, 1.0, start, end, round_ticks(low, 1.0, 4))
    high = 1.04 * max((_ends(measure)[1] for measure in measures), default=1.0)
    return Scale(0.0, high or 1.0, start, end, round_ticks(0.0, high or 1.0, 4))
