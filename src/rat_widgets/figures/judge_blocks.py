"""Parts of a picture of judges, each placed where it is told: geometry in px and nothing else."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from rat_widgets.figures.flow import one_line
from rat_widgets.figures.judge_content import BeliefContent, JudgeCard, RateContent
from rat_widgets.figures.judge_rows import level_rows, system_rows
from rat_widgets.figures.metrics import cut
from rat_widgets.figures.opening import note_block
from rat_widgets.figures.scene import Area, Circle, Datum, Line, Mark, Path, PathStep, Run, Text
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tree_blocks import datum_at, paragraph
from rat_widgets.views.judge import Density, Spread

__all__ = ["belief_block", "card_block", "scale_of"]

XS, S, L = (SIZES[name] for name in ("xs", "s", "l"))

_INSET: Final = 9.0
_HEIGHT: Final = 50.0
_LABEL: Final = 146.0
_FLAT: Final = 0.16
_STEPS: Final = 48

Block = tuple[list[Mark], list[Datum], float]
"""Marks, data, and where the block ends."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Columns:
    """Where a rate's label, axis and number stand; the label is above where there is no room."""

    left: float
    axis: tuple[float, float]
    out: float
    is_stacked: bool

    def at(self, p: float) -> float:
        low, high = self.axis
        return low + _INSET + p * (high - low - 2 * _INSET)


def _columns(left: float, width: float) -> _Columns:
    is_stacked = width < 480
    start = left if is_stacked else left + 152
    end = left + width - 112
    return _Columns(left=left, axis=(start, end), out=end + 14, is_stacked=is_stacked)


def card_block(card: JudgeCard, left: float, top: float, width: float) -> Block:
    """One judge: question and name, its rates over their densities, what follows, warnings."""
    letter = Run(text=card.letter, role=card.role, weight=600)
    question = Run(text=f" {card.question}", weight=600)
    marks: list[Mark] = [Text(x=left, y=top + 15, runs=(letter, question))]
    used = letter.width + question.width + 16
    name = one_line(card.key)
    y = top + 20
    if used + 60 <= width:
        shown = cut(name, width - used, S)
        run = Run(text=shown, role="ink-2", size=S)
        hover = name if shown != name else ""
        marks.append(Text(x=left + width, y=top + 15, anchor="end", runs=(run,), hover=hover))
    else:
        marks.append(
            Text(x=left, y=y + 13, runs=(Run(text=cut(name, width, S), role="ink-2", size=S),))
        )
        y += 18
    data: list[Datum] = []
    columns = _columns(left, width)
    needles: list[tuple[float, float]] = []
    for i, rate in enumerate(card.rates):
        made, said, end, needle = _rate_block(rate, card.role, columns, y + 8)
        marks += made
        data += said
        needles.append(needle)
        y = end + (8 if card.levels else 28 if i == 0 else 2)
    if len(needles) >= 2 and not card.levels:
        marks += _bracket(needles[0], needles[1], card, columns)
    if card.levels:
        made, said, y = level_rows(
            card.levels, card.things, card.role, left=left, top=y + 8, width=width
        )
        marks += made
        data += said
    is_beside = card.rates and not columns.is_stacked
    start = columns.axis[0] + _INSET if is_beside else left
    room = left + width - start
    for text, role in ((card.line, "ink-2"), (card.seen, "ink-3")):
        if text:
            made, y = paragraph(
                [Run(text=text, role=role, size=S)], start, y + 6, room, line_height=17
            )
            marks += made
    if card.youden is not None and card.rates:
        place = (start + 40, y - 24)
        data.append(datum_at("judges", card.key, place, card.youden, f"{card.key}: {card.line}"))
    if card.systems:
        made, y = system_rows(
            card.systems,
            card.systems_title,
            card.things,
            card.role,
            left=left,
            top=y + 10,
            axis=columns.axis,
            is_stacked=columns.is_stacked,
        )
        marks += made
    for note in card.warnings:
        made, y = note_block(note, left, y + 10, width)
        marks += made
    return marks, data, y


def _rate_block(
    rate: RateContent, role: str, columns: _Columns, top: float
) -> tuple[list[Mark], list[Datum], float, tuple[float, float]]:
    marks: list[Mark] = []
    hue = "whatif" if rate.is_pinned else role
    given = Run(text=rate.given, size=S)
    name = Run(text=rate.name, role="ink-3", size=XS)
    if columns.is_stacked:
        beside = Run(text=f" {rate.name}", role="ink-3", size=XS)
        room = columns.out + 98 - columns.left
        lines, top = paragraph([given, beside], columns.left, top, room, line_height=15)
        marks += lines
    base = top + _HEIGHT
    if not columns.is_stacked:
        _, height = paragraph([given], columns.left, 0, _LABEL, line_height=15)
        lines, _ = paragraph([given], columns.left, base - 11 - height, _LABEL, line_height=15)
        marks += lines
        lines, _ = paragraph([name], columns.left, base - 9, _LABEL, line_height=13.5)
        marks += lines
    low, high = columns.at(0), columns.at(1)
    marks.append(Line(x1=low, y1=base, x2=high, y2=base, role="rule-2"))
    for x in (low, (low + high) / 2, high):
        marks.append(Line(x1=x, y1=base, x2=x, y2=base + 4, role="rule-2"))
    if rate.density is not None:
        marks += _density(rate.density, role, columns, base)
    marks += _prior(rate.prior, columns, base)
    value = rate.spread.value if rate.spread.value is not None else 0.5
    x = columns.at(value)
    if rate.is_pinned and rate.fitted is not None and rate.fitted.value is not None:
        at = columns.at(rate.fitted.value)
        marks.append(Circle(x=at, y=base, r=3, fill="bg", stroke=role, width=1.25))
    marks.append(Line(x1=x, y1=base - _HEIGHT + 4, x2=x, y2=base, role=hue, width=1.5))
    fill = "whatif" if rate.is_pinned else "bg"
    marks.append(Circle(x=x, y=base, r=5.4, fill=fill, stroke=hue, width=1.4))
    ink = "whatif" if rate.is_pinned else "ink-3" if rate.is_open else "ink"
    number = Run(text=rate.number, role=ink, weight=600, size=L)
    does = Run(text=f"{rate.does} ", role="ink-2", size=S)
    if does.width + number.width > 98:
        marks.append(Text(x=columns.out, y=base - 30, runs=(does,)))
        marks.append(Text(x=columns.out, y=base - 11, runs=(number,)))
    else:
        marks.append(Text(x=columns.out, y=base - 13, runs=(does, number)))
    marks.append(
        Text(x=columns.out, y=base + 4, runs=(Run(text=rate.span, role="ink-2", size=XS),))
    )
    said = datum_at("rates", rate.key, (x, base), rate.spread, rate.sentence)
    return marks, [said], base + 8, (x, base)


def _density(density: Density, role: str, columns: _Columns, base: float) -> list[Mark]:
    n = len(density.heights)
    span = density.stop - density.start
    points = [
        (columns.at(density.start + span * i / max(1, n - 1)), base - (_HEIGHT - 6) * h / 99)
        for i, h in enumerate(density.heights)
    ]
    if len(points) < 2:
        return []
    first, last = points[0], points[-1]
    line: list[PathStep] = [("M", first), *(("L", p) for p in points[1:])]
    area: list[PathStep] = [*line, ("L", (last[0], base)), ("L", (first[0], base)), ("Z", ())]
    return [
        Area(steps=tuple(area), fill=f"{role}-tint"),
        Path(steps=tuple(line), role=role, width=1.5),
    ]


def _prior(prior: tuple[float, float], columns: _Columns, base: float) -> list[Mark]:
    """The prior's own height: a flat one is a low line, a firm one rises, up to a limit."""
    a, b = prior
    tall = _HEIGHT - 6
    if abs(a - 1) < 0.01 and abs(b - 1) < 0.01:
        y = base - _FLAT * tall
        return [Line(x1=columns.at(0), y1=y, x2=columns.at(1), y2=y, role="prior", is_dashed=True)]
    xs = [(i + 0.5) / _STEPS for i in range(_STEPS)]
    logs = [(a - 1) * math.log(x) + (b - 1) * math.log1p(-x) for x in xs]
    most = max(logs)
    share = min(0.9, max(_FLAT, _FLAT * math.sqrt(a + b)))
    points = [(columns.at(x), base - share * tall * math.exp(y - most)) for x, y in zip(xs, logs)]
    steps: list[PathStep] = [("M", points[0]), *(("L", p) for p in points[1:])]
    return [Path(steps=tuple(steps), role="prior", width=1.0, is_dashed=True)]


def _bracket(
    tpr: tuple[float, float], fpr: tuple[float, float], card: JudgeCard, columns: _Columns
) -> list[Mark]:
    """The line from needle to needle: Youden's J, how far the judge tells the truths apart."""
    top = tpr[1] + 9
    middle = top + 9
    # Above the label of the second rate where that stands over its axis.
    bottom = middle + 5 if columns.is_stacked else fpr[1] - _HEIGHT + 1
    steps: list[PathStep] = [
        ("M", (fpr[0], bottom)),
        ("L", (fpr[0], middle)),
        ("L", (tpr[0], middle)),
        ("L", (tpr[0], top)),
    ]
    runs = (
        Run(text="tells apart ", role="ink-2", size=S),
        Run(text=card.apart, weight=600, size=S),
    )
    return [
        Path(steps=tuple(steps), role="ink-3", width=1.0),
        Text(x=columns.out, y=middle + 8, runs=runs),
    ]


def scale_of(beliefs: Sequence[BeliefContent]) -> tuple[float, ...]:
    """Ticks of the axis on which these beliefs stand."""
    ends = [
        e for b in beliefs for _, _, s, _ in b.ways for e in (s.lower, s.upper) if e is not None
    ]
    if all(b.is_rate for b in beliefs):
        top = next(t for t in (0.2, 0.4, 0.6, 0.8, 1.0) if max(ends, default=1.0) <= t + 1e-9)
        step = top / 4 if top != 0.6 else 0.2
        return tuple(step * i for i in range(round(top / step) + 1))
    low, high = min(ends, default=-1.0), max(ends, default=1.0)
    step = next(
        s for k in range(-3, 9) for s in (10.0**k, 2 * 10.0**k, 5 * 10.0**k) if s * 5 >= high - low
    )
    start, stop = math.floor(low / step), math.ceil(high / step)
    return tuple(step * i for i in range(start, max(stop, start + 1) + 1))


def belief_block(
    belief: BeliefContent,
    ticks: Sequence[float],
    left: float,
    top: float,
    width: float,
    *,
    is_whatif: bool,
) -> Block:
    """One quantity three ways, on an axis with the ticks given."""
    runs = [Run(text=belief.name, role=belief.role, weight=600)]
    if belief.symbol:
        runs.append(Run(text=f"  {belief.symbol}", role="ink-3", size=S))
    marks: list[Mark] = [Text(x=left, y=top + 14, runs=tuple(runs))]
    label = 124.0 if width > 380 else 112.0
    start, stop = left + label, left + width - (66.0 if belief.is_rate else 104.0)
    y0, y1 = top + 24, top + 24 + 72

    def at(value: float) -> float:
        share = (value - ticks[0]) / (ticks[-1] - ticks[0])
        return start + min(1.0, max(0.0, share)) * (stop - start)

    joint = belief.ways[-1][2]
    if joint.lower is not None and joint.upper is not None:
        low, high = at(joint.lower), max(at(joint.upper), at(joint.lower) + 1)
        box = (("M", (low, y0)), ("L", (high, y0)), ("L", (high, y1)), ("L", (low, y1)), ("Z", ()))
        marks.append(Area(steps=box, fill=f"{'whatif' if is_whatif else belief.role}-band"))
    marks += _ticks(ticks, at, (y0, y1), is_rate=belief.is_rate)
    data: list[Datum] = []
    for i, (way, words, spread, span) in enumerate(belief.ways):
        y = y0 + 12 + 24 * i
        is_joint, is_naive = way == "joint", way == "naive"
        weight, ink = (600, "ink") if is_joint else (400, "ink-2")
        marks.append(
            Text(x=left, y=y + 4, runs=(Run(text=words, role=ink, weight=weight, size=S),))
        )
        hue = (
            "judge"
            if is_naive
            else "ink"
            if not is_joint
            else "whatif"
            if is_whatif
            else belief.role
        )
        is_open = is_joint and belief.is_open
        marks += _interval(spread, at, y, hue, is_naive=is_naive, is_open=is_open)
        faint = is_naive or is_open
        run = Run(text=span, role="ink-3" if faint else "ink", weight=weight, size=S)
        marks.append(Text(x=left + width, y=y + 4, anchor="end", runs=(run,)))
        value = spread.value if spread.value is not None else ticks[0]
        hover = f"{belief.name}, {words}: {spread.text}"
        data.append(datum_at("beliefs", f"{way}: {belief.key}", (at(value), y), spread, hover))
    if belief.fitted is not None and belief.fitted.value is not None:
        x = at(belief.fitted.value)
        steps = (("M", (x, y1 - 4)), ("L", (x - 4, y1 + 3)), ("L", (x + 4, y1 + 3)), ("Z", ()))
        marks.append(Path(steps=steps, role=belief.role, width=1.25))
    return marks, data, y1 + 20


def _ticks(
    ticks: Sequence[float],
    at: Callable[[float], float],
    between: tuple[float, float],
    *,
    is_rate: bool,
) -> list[Mark]:
    """Hairlines with their numbers, as many as stand apart."""
    marks: list[Mark] = []
    right = -math.inf
    for i, tick in enumerate(ticks):
        x = at(tick)
        marks.append(Line(x1=x, y1=between[0], x2=x, y2=between[1], role="rule"))
        text = f"{100 * tick:.0f}" if is_rate else f"{tick:g}".replace("-", "\N{MINUS SIGN}")
        text += "%" if is_rate and i == len(ticks) - 1 else ""
        run = Run(text=text, role="ink-3", size=10.5)
        if x - run.width / 2 > right + 4:
            marks.append(Text(x=x, y=between[1] + 14, anchor="middle", runs=(run,)))
            right = x + run.width / 2
    return marks


def _interval(
    spread: Spread,
    at: Callable[[float], float],
    y: float,
    hue: str,
    *,
    is_naive: bool,
    is_open: bool,
) -> list[Mark]:
    """2 px for the interval, 6 px for its middle half, a hole at the median.

    A diamond stands for verdicts taken as truth; what nothing identifies is dotted.
    """
    if spread.lower is None or spread.upper is None or spread.middle is None:
        return []
    low, high = at(spread.lower), at(spread.upper)
    q25, q50, q75 = (at(q) for q in spread.middle)
    line = Line(x1=low, y1=y, x2=high, y2=y, role=hue, width=2, is_round=True, is_dotted=is_open)
    marks: list[Mark] = [line]
    if is_open:
        return marks
    if is_naive:
        d = 5.5
        box: tuple[PathStep, ...] = (
            ("M", (q50, y - d)),
            ("L", (q50 + d, y)),
            ("L", (q50, y + d)),
            ("L", (q50 - d, y)),
            ("Z", ()),
        )
        return [*marks, Area(steps=box, fill="bg"), Path(steps=box, role=hue, width=1.4)]
    marks.append(Line(x1=q25, y1=y, x2=q75, y2=y, role=hue, width=6, is_round=True))
    return [*marks, Circle(x=q50, y=y, r=1.7, fill="bg")]
