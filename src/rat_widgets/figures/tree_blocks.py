"""Parts of a tree's picture, each placed where it is told: geometry in px and nothing else.

A block is its marks, its data and where it ends; `rat_widgets.figures.tree_layout` arranges
the blocks in columns or as an outline.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from rat_widgets.figures.flow import named_lines, shortened, wrap
from rat_widgets.figures.metrics import text_width
from rat_widgets.figures.scene import (
    Anchor,
    Circle,
    Datum,
    DatumKind,
    Line,
    Mark,
    Path,
    Rect,
    Run,
    Text,
)
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tree_content import (
    BranchContent,
    StatContent,
    parts_of,
    weight_text,
)
from rat_widgets.views.tree import Estimate

__all__ = ["branch_block", "branch_rise", "datum_at", "edge", "paragraph", "stat_block"]

_LINE: Final = 19.0

XS, S, XXL = (SIZES[name] for name in ("xs", "s", "2xl"))


def paragraph(
    runs: Iterable[Run],
    x: float,
    top: float,
    width: float,
    *,
    line_height: float,
    together: frozenset[str] = frozenset(),
) -> tuple[list[Mark], float]:
    """Lines of text from `top` down, and where the paragraph ends."""
    marks: list[Mark] = []
    y = top
    for line in wrap(runs, width, together=together):
        size = max(run.size for run in line)
        marks.append(Text(x=x, y=y + line_height / 2 + 0.35 * size, runs=line))
        y += line_height
    return marks, y


def datum_at(
    kind: DatumKind, key: str, place: tuple[float, float], estimate: Estimate, hover: str
) -> Datum:
    """An estimate said at a place (x, y) of the picture."""
    return Datum(
        kind=kind,
        key=key,
        x=place[0],
        y=place[1],
        value=estimate.value,
        lower=estimate.lower,
        upper=estimate.upper,
        text=estimate.text,
        hover=hover,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Axis:
    """A horizontal axis from `left` to `right` px that stands for the numbers of `scale`."""

    left: float
    right: float
    y: float
    scale: tuple[float, float] = (0.0, 1.0)

    def at(self, value: float) -> float:
        """Where a number stands, px."""
        low, high = self.scale
        share = (value - low) / (high - low) if high > low else 0.5
        return self.left + min(1.0, max(0.0, share)) * (self.right - self.left)

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    def marks(self) -> list[Mark]:
        """A hairline with ticks at its ends and in the middle."""
        line = Line(x1=self.left, y1=self.y, x2=self.right, y2=self.y, role="rule-2")
        ticks = (self.left, self.middle, self.right)
        return [line, *(Line(x1=x, y1=self.y, x2=x, y2=self.y + 4, role="rule-2") for x in ticks)]


def _interval(
    estimate: Estimate, axis: _Axis, y: float, role: str, *, is_dotted: bool
) -> list[Mark]:
    """The bar of the credible interval; nothing when the estimate is undefined."""
    if estimate.lower is None or estimate.upper is None:
        return []
    left, right = axis.at(estimate.lower), axis.at(estimate.upper)
    bar = Line(
        x1=left, y1=y, x2=right, y2=y, role=role, width=2, is_round=True, is_dotted=is_dotted
    )
    return [bar]


def stat_block(
    stat: StatContent, x: float, top: float, width: float
) -> tuple[list[Mark], list[Datum], float]:
    """Name and symbol, the big number with its interval, an axis with bar and point."""
    role = "ink-3" if stat.is_grey else stat.hue
    shown = shortened(stat.label, lambda text: text_width(text, S) <= width, S)
    label = Run(text=shown, role="ink-2", size=S)
    symbol = Run(text=stat.symbol, role="ink-3", size=S)
    hover = stat.label if shown != stat.label else ""
    marks: list[Mark] = [Text(x=x, y=top + 13, runs=(label,), hover=hover)]
    if label.width + 8 + symbol.width <= width:
        marks.append(Text(x=x + width, y=top + 13, anchor="end", runs=(symbol,)))
    words, interval_words = parts_of(stat.estimate)
    number = Run(text=words, role=role, weight=600, size=XXL)
    interval = Run(text=f"\N{EN SPACE}{interval_words}", role="ink-2", size=S)
    y_axis = top + 72
    if number.width + interval.width <= width:
        marks.append(Text(x=x, y=top + 47, runs=(number, interval)))
    else:
        below = replace(interval, text=interval_words)
        marks.append(Text(x=x, y=top + 47, runs=(number,)))
        marks.append(Text(x=x, y=top + 64, runs=(below,)))
        y_axis += 17
    axis = _Axis(left=x + 4, right=x + width - 4, y=y_axis, scale=stat.scale)
    marks += axis.marks()
    low, high = stat.scale
    ends = ("0", "50", "100%") if stat.is_rate else (weight_text(low), "", weight_text(high))
    places: tuple[tuple[float, Anchor], ...] = (
        (axis.left, "start"),
        (axis.middle, "middle"),
        (axis.right, "end"),
    )
    for text, (at, anchor) in zip(ends, places):
        if text:
            runs = (Run(text=text, role="ink-3", size=11),)
            marks.append(Text(x=at, y=y_axis + 17, anchor=anchor, runs=runs))
    bar_role = "prior" if stat.is_grey else stat.hue
    y_bar = y_axis - 9
    marks += _interval(stat.estimate, axis, y_bar, bar_role, is_dotted=stat.is_dotted)
    x_point = axis.middle
    if stat.estimate.value is not None:
        x_point = axis.at(stat.estimate.value)
        if stat.hue == "t":
            marks.append(Rect(x=x_point - 3.2, y=y_bar - 3.2, width=6.4, height=6.4, fill=bar_role))
        else:
            marks.append(Circle(x=x_point, y=y_bar, r=3.7, fill=bar_role))
    hover = f"{stat.label}: {stat.estimate.text}"
    datum = datum_at("statistics", stat.key, (x_point, y_bar), stat.estimate, hover)
    return marks, [datum], y_axis + 20


def _question(branch: BranchContent) -> tuple[Run, ...]:
    return (
        Run(text=branch.question, role="ink-2"),
        Run(text=branch.answer, role="ink-3" if branch.is_grey else "ink", weight=600),
        Run(text=branch.tail, role="ink-2"),
    )


def branch_rise(branch: BranchContent, width: float) -> float:
    """How much higher than with one line each the title and the question are, px.

    `width` is that of both.
    """
    titles = named_lines(Run(text=branch.title, weight=600), width)
    return _LINE * (len(titles) + len(wrap(_question(branch), width)) - 2)


def branch_block(
    branch: BranchContent,
    x: float,
    top: float,
    width: float,
    *,
    title_width: float | None = None,
    question_width: float | None = None,
) -> tuple[list[Mark], list[Datum], float]:
    """One step: title, question, axis with bar and ring, estimate, how many labels.

    What stands above the axis may be given more room than `width` px.
    """
    titles = named_lines(Run(text=branch.title, weight=600), title_width or width)
    more = _LINE * (len(titles) - 1)
    role = "ink-3" if branch.is_grey else "ink"
    number, interval = parts_of(branch.estimate)
    question, y = paragraph(
        _question(branch),
        x,
        top + _LINE + more,
        question_width or width,
        line_height=_LINE,
    )
    marks: list[Mark] = [
        *(Text(x=x, y=top + 14 + _LINE * i, runs=line) for i, line in enumerate(titles)),
        *question,
    ]
    y_axis = y + 13
    axis = _Axis(left=x + 6, right=x + min(width, 250) - 12, y=y_axis)
    hue = "prior" if branch.is_grey else branch.hue
    marks += axis.marks()
    marks += _interval(branch.estimate, axis, y_axis, hue, is_dotted=branch.is_dotted)
    x_ring = axis.middle
    if branch.estimate.value is not None:
        x_ring = axis.at(branch.estimate.value)
        marks.append(Circle(x=x_ring, y=y_axis, r=4.6, fill="bg", stroke=hue, width=1.6))
    marks.append(
        Text(
            x=x,
            y=y_axis + 21,
            runs=(
                Run(text=number, role=role, weight=600),
                Run(text=f"\N{EN SPACE}{interval}" if interval else "", role="ink-2", size=S),
            ),
        )
    )
    seen = [Run(text=branch.seen, role="ink-3", size=XS)]
    labels, end = paragraph(seen, x, y_axis + 27, width, line_height=15)
    marks += labels
    hover = "; ".join(filter(None, (f"{branch.phrase}: {branch.estimate.text}", branch.seen)))
    datum = datum_at("branches", branch.key, (x_ring, y_axis), branch.estimate, hover)
    return marks, [datum], end


def edge(x1: float, y1: float, x2: float, y2: float, bend: float) -> Path:
    """From a node to the next: one bend within `bend` px, then straight on to `x2`."""
    curve = (x1 + 0.55 * bend, y1, x1 + 0.45 * bend, y2, x1 + bend, y2)
    steps = [("M", (x1, y1)), ("C", curve)]
    if x2 > x1 + bend:
        steps.append(("L", (x2, y2)))
    return Path(steps=tuple(steps), role="rule-2")
