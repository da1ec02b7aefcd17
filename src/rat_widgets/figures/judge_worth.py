"""What judged rows are worth in human labels, as a part of a picture."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from rat_widgets.figures.scene import Circle, Mark, Path, PathStep, Run, Text
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tree_blocks import paragraph

__all__ = ["worth_block"]

XS, XXL = (SIZES[name] for name in ("xs", "2xl"))

_MARK: Final = 9.0
_MOST_MARKS: Final = 300


def worth_block(
    segments: Sequence[tuple[str, str]],
    *,
    n_human: int,
    worth: float,
    left: float,
    top: float,
    width: float,
) -> tuple[list[Mark], float]:
    """The worth of the judged rows: a large number, what it means, and as many marks."""
    (big, _), *rest = segments
    number = Run(text=big, weight=600, size=XXL)
    text = [Run(text=part) for part, _ in rest]
    marks: list[Mark] = [Text(x=left, y=top + 27, runs=(number,))]
    beside = left + number.width + 14
    if width - number.width - 14 < 170:
        lines, y = paragraph(text, left, top + 38, width, line_height=20)
    else:
        lines, y = paragraph(text, beside, top, width - number.width - 14, line_height=20)
        y = max(y, top + 36)
    marks += lines
    if worth < 1 or n_human == 0:
        return marks, y
    per = _labels_per_mark(n_human + worth)
    n_solid, n_hollow = round(n_human / per), round(worth / per)
    in_row = max(1, int((width - 4) // _MARK))
    for i in range(n_solid + n_hollow):
        x, mark_y = left + 4 + (i % in_row) * _MARK, y + 12 + (i // in_row) * _MARK
        if i < n_solid:
            marks.append(Circle(x=x, y=mark_y, r=2.9, fill="ink"))
        else:
            marks.append(_diamond(x, mark_y))
    y += 12 + math.ceil((n_solid + n_hollow) / in_row) * _MARK
    unit = "1 label" if per == 1 else f"{per:,} labels"
    key = f"\N{BLACK CIRCLE} human   \N{WHITE DIAMOND} what the judged rows add; one mark is {unit}"
    lines, y = paragraph([Run(text=key, role="ink-2", size=XS)], left, y, width, line_height=16)
    return [*marks, *lines], y


def _labels_per_mark(n: float) -> int:
    steps = (1, 2, 5)
    return next(s * 10**k for k in range(12) for s in steps if n / (s * 10**k) <= _MOST_MARKS / 2)


def _diamond(x: float, y: float) -> Path:
    d = 3.4
    steps: tuple[PathStep, ...] = (
        ("M", (x, y - d)),
        ("L", (x + d, y)),
        ("L", (x, y + d)),
        ("L", (x - d, y)),
        ("Z", ()),
    )
    return Path(steps=steps, role="judge", width=1.2)
