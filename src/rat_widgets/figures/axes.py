"""Axes of charts in px: scales, round ticks, a thin grid, and room for a name on the chart."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rat_widgets.figures.scene import Area, Box, Line, Mark, Path, PathStep, Run, Text
from rat_widgets.figures.theme import SIZES

__all__ = [
    "Field",
    "Point",
    "Scale",
    "area",
    "boxes_along",
    "clearest",
    "polyline",
    "round_ticks",
    "short",
    "small",
]

_STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)
_PLACES: Final = 8

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Scale:
    """From values to px, and where the ticks are."""

    low: float
    high: float
    start: float
    end: float
    ticks: tuple[float, ...]

    def __call__(self, value: float) -> float:
        """The place of a value; of one beyond the ends, the end."""
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


@dataclass(frozen=True, slots=True)
class Field:
    """The ground of a chart: two scales, the upright one from below."""

    x: Scale
    y: Scale

    def at(self, x: float, y: float) -> Point:
        """The place of a pair of values."""
        return self.x(x), self.y(y)

    def rows(self, texts: Sequence[str]) -> list[Mark]:
        """A hairline and its text for each tick of the upright scale."""
        marks: list[Mark] = []
        for tick, text in zip(self.y.ticks, texts, strict=True):
            y = self.y(tick)
            role = "rule-2" if tick == self.y.low else "rule"
            marks.append(Line(x1=self.x.start, y1=y, x2=self.x.end, y2=y, role=role))
            marks.append(Text(x=self.x.start - 7, y=y + 4, anchor="end", runs=(small(text),)))
        return marks

    def columns(self, texts: Sequence[str], title: str) -> list[Mark]:
        """The texts of the level scale's ticks, and what it measures under their right end."""
        y = self.y.start
        marks: list[Mark] = [
            Text(x=self.x(tick), y=y + 16, anchor="middle", runs=(small(text),))
            for tick, text in zip(self.x.ticks, texts, strict=True)
        ]
        marks.append(Text(x=self.x.end, y=y + 31, anchor="end", runs=(small(title),)))
        return marks


def small(text: str, role: str = "ink-3") -> Run:
    """A run in the smallest size."""
    return Run(text=text, role=role, size=SIZES["xs"])


def round_ticks(low: float, high: float, n: int) -> tuple[float, ...]:
    """Round numbers from `low` to `high`, about `n` of them."""
    raw = (high - low) / max(n, 1)
    scale = 10.0 ** math.floor(math.log10(raw))
    step = next(s * scale for s in _STEPS if s * scale >= raw * 0.999)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return tuple(i * step for i in range(first, last + 1))


def short(tick: float) -> str:
    """A tick without needless zeros."""
    text = f"{tick:.4f}".rstrip("0").rstrip(".") or "0"
    return text.replace("-", "\N{MINUS SIGN}")


def polyline(points: Sequence[Point], role: str, width: float, *, is_dashed: bool = False) -> Path:
    """Straight lines from point to point."""
    return Path(steps=_steps(points), role=role, width=width, is_dashed=is_dashed)


def area(upper: Sequence[Point], lower: Sequence[Point], fill: str) -> Area:
    """What lies between two lines."""
    return Area(steps=(*_steps([*upper, *reversed(lower)]), ("Z", ())), fill=fill)


def _steps(points: Sequence[Point]) -> tuple[PathStep, ...]:
    return tuple(("L" if i else "M", point) for i, point in enumerate(points))


def clearest(texts: Sequence[Text], obstacles: Sequence[Box], names: Sequence[Box] = ()) -> Text:
    """The text that covers least of what is there, and no name if it can; of equals the first."""
    free = [text for text in texts if not any(text.box.overlaps(name) for name in names)]
    return min(free or texts, key=lambda text: sum(_shared(text.box, box) for box in obstacles))


def boxes_along(points: Sequence[Point], reach: float) -> list[Box]:
    """Small boxes along straight lines from point to point."""
    made = []
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        n = 1 + int(max(abs(x2 - x1), abs(y2 - y1)) / _PLACES)
        for k in range(n):
            xs = (x1 + (x2 - x1) * k / n, x1 + (x2 - x1) * (k + 1) / n)
            ys = (y1 + (y2 - y1) * k / n, y1 + (y2 - y1) * (k + 1) / n)
            made.append(
                Box(
                    left=min(xs) - reach,
                    right=max(xs) + reach,
                    top=min(ys) - reach,
                    bottom=max(ys) + reach,
                )
            )
    return made


def _shared(a: Box, b: Box) -> float:
    width = min(a.right, b.right) - max(a.left, b.left)
    height = min(a.bottom, b.bottom) - max(a.top, b.top)
    return max(width, 0.0) * max(height, 0.0)
