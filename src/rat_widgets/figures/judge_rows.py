"""Rows under a judge's rates in a picture: its grades, and its rates in each system."""

from __future__ import annotations

from typing import Final

from rat_widgets.figures.flow import one_line
from rat_widgets.figures.judge_rows_content import LevelContent, SystemContent
from rat_widgets.figures.metrics import cut, text_width
from rat_widgets.figures.scene import Circle, Datum, Line, Mark, Rect, Run, Text
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tree_blocks import datum_at, paragraph

__all__ = ["MOST_SYSTEMS", "level_rows", "system_rows"]

XS, S = SIZES["xs"], SIZES["s"]
Block = tuple[list[Mark], list[Datum], float]

MOST_SYSTEMS: Final = 20
"""Of more systems the picture shows those where the judge is best and worst, half of either."""

_LEVEL: Final = 20.0
_CASE: Final = 22.0
_SYSTEM: Final = 24.0
_BAR: Final = 10.0
_INSET: Final = 9.0
_GAP: Final = 6.0
_UNBROKEN: Final = "\N{NO-BREAK SPACE}"


def level_rows(
    levels: tuple[LevelContent, ...],
    things: tuple[str, str],
    role: str,
    *,
    left: float,
    top: float,
    width: float,
) -> Block:
    """How often what is good and what is bad gets each grade: a bar, and the number beside it."""
    label = 161.0 if width >= 480 else 76.0
    column = (width - label) / 2
    starts = (left, left + label, left + label + column)
    is_graded = any(level.said != level.name for level in levels)
    head = ("grade" if is_graded else "in all", *(f"of 100 {what}" for what in things))
    marks: list[Mark] = [
        Text(
            x=x,
            y=top + 12,
            runs=(Run(text=cut(text, column - 8, XS), role="ink-3", size=XS),),
        )
        for x, text in zip(starts, head, strict=True)
    ]
    data: list[Datum] = []
    y = top + 18
    case = ""
    for level in levels:
        if level.case != case:
            case = level.case
            run = Run(text=cut(case, width, XS), role="ink-3", size=XS)
            marks.append(Text(x=left, y=y + 16, runs=(run,)))
            y += _CASE
        name = Run(text=cut(one_line(level.name), label - 8, S), size=S)
        marks.append(Text(x=left, y=y + 13, runs=(name,)))
        for x, (key, estimate) in zip(starts[1:], level.shares, strict=True):
            bar = 0.42 * column * (estimate.value or 0.0)
            fill = f"{role}-{'fill' if level.passes else 'tint'}"
            marks.append(Rect(x=x, y=y + 4, width=bar, height=_BAR, fill=fill))
            marks.append(Line(x1=x, y1=y + 4, x2=x, y2=y + 4 + _BAR, role=role))
            number = Run(text=estimate.text, role="ink-2", size=S)
            marks.append(Text(x=x + bar + _GAP, y=y + 13, runs=(number,)))
            place = (x + bar, y + 4 + _BAR / 2)
            data.append(datum_at("rates", key, place, estimate, f"{level.said}: {estimate.text}"))
        y += _LEVEL
    return marks, data, y


def system_rows(
    systems: tuple[SystemContent, ...],
    title: str,
    key: tuple[str, str],
    role: str,
    *,
    left: float,
    top: float,
    axis: tuple[float, float],
    is_stacked: bool,
) -> tuple[list[Mark], float]:
    """TPR, a dot, and FPR, a ring, of every system on the axis of the rates above."""
    start, end = axis
    runs = [Run(text=title, role="ink-2", size=S)]
    for mark, what in zip("\N{BLACK CIRCLE}\N{WHITE CIRCLE}", key, strict=True):
        runs.append(Run(text=f"   {mark}", role=role, size=S))
        unbroken = f" {what}".replace(" ", _UNBROKEN)
        runs.append(Run(text=unbroken, role="ink-2", size=S))
    marks, y = paragraph(runs, left, top, axis[1] + 110 - left, line_height=16)
    low, high = start + _INSET, end - _INSET
    y += 6
    label = end - left if is_stacked else start - left - 8
    case = ""
    for row in _few(systems):
        if row.case != case:
            case = row.case
            run = Run(text=cut(case, end - left, XS), role="ink-3", size=XS)
            marks.append(Text(x=left, y=y + 16, runs=(run,)))
            y += _CASE
        weight, ink = (600, "ink") if row.is_shown else (400, "ink-2")
        shown = _with_both_ends(one_line(row.name), label, weight)
        name = Run(text=shown, role=ink, weight=weight, size=S)
        if is_stacked:
            marks.append(Text(x=left, y=y + 12, runs=(name,)))
            y += 14
        else:
            marks.append(Text(x=left, y=y + 16, runs=(name,)))
        hue = role if row.is_shown else "judge"
        for x in (low, (low + high) / 2, high):
            marks.append(Line(x1=x, y1=y, x2=x, y2=y + _SYSTEM, role="rule"))
        for estimate, dy, fill in ((row.tpr, 8.0, hue), (row.fpr, 16.0, "bg")):
            if estimate.value is None or estimate.lower is None or estimate.upper is None:
                continue
            a, x, b = (
                low + p * (high - low) for p in (estimate.lower, estimate.value, estimate.upper)
            )
            marks.append(Line(x1=a, y1=y + dy, x2=b, y2=y + dy, role=hue, width=2, is_round=True))
            marks.append(Circle(x=x, y=y + dy, r=3.2, fill=fill, stroke=hue, width=1.5))
        number = Run(text=row.numbers, role=ink, weight=weight, size=S)
        marks.append(Text(x=end + 14, y=y + 16, runs=(number,), hover=row.said))
        y += _SYSTEM
    return marks, y


def _with_both_ends(name: str, width: float, weight: int) -> str:
    """The name; of a long one its beginning and its last words, which tell it from others."""
    if text_width(name, S, weight) <= width:
        return name
    words = name.split(" ")
    end = ""
    while len(words) > 1 and text_width(f"{words[-1]} {end}", S, weight) <= width / 2:
        end = f"{words.pop()} {end}".rstrip()
    room = width - text_width(f" {end}", S, weight) if end else width
    return f"{cut(' '.join(words), room, S, weight)} {end}".rstrip()


def _few(systems: tuple[SystemContent, ...]) -> tuple[SystemContent, ...]:
    """The systems that there is room for; the one shown is among them."""
    cases = list(dict.fromkeys(row.case for row in systems))
    n = len(systems) // max(1, len(cases))
    if n <= MOST_SYSTEMS:
        return systems
    half = MOST_SYSTEMS // 2
    ends = {*range(half), *range(n - half, n)}
    return tuple(row for i, row in enumerate(systems) if i % n in ends or row.is_shown)
