"""The sheet that a tree's picture is put on, part by part."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from rat_widgets.figures.scene import Datum, Line, Mark, Run, Text
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tree_blocks import paragraph

__all__ = ["Sheet", "legend"]

_LEGEND: Final = "Each mark is 1 of 100 queries; a fading mark is one we are less sure of"


@dataclass(slots=True)
class Sheet:
    """Marks and data as they are placed; `y` is where the next part begins."""

    width: float
    pad: float
    y: float
    marks: list[Mark] = field(default_factory=list)
    data: list[Datum] = field(default_factory=list)

    @property
    def inner(self) -> float:
        """Width between the margins."""
        return self.width - 2 * self.pad

    def rule(self, gap: float) -> None:
        """A hairline `gap` px below what is there."""
        self.y += gap
        right = self.width - self.pad
        self.marks.append(Line(x1=self.pad, y1=self.y, x2=right, y2=self.y, role="rule"))


def legend(left: float, right: float, bottom: float) -> list[Mark]:
    """What a mark is, on lines that end at `bottom`."""
    runs = [Run(text=_LEGEND, role="ink-2", size=SIZES["xs"])]
    marks, height = paragraph(runs, left, 0, right - left, line_height=14)
    top = bottom - height
    return [replace(mark, y=mark.y + top) for mark in marks if isinstance(mark, Text)]
