"""A picture as frozen marks in px, whatever draws it: no Plotly, no SVG.

The origin is the upper left corner; y grows downwards. Marks name colour roles of
`rat_widgets.figures.theme`. A `Datum` ties a place of the picture to the numbers said there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from rat_widgets.figures.metrics import text_width

__all__ = [
    "Anchor",
    "Area",
    "Box",
    "Circle",
    "Datum",
    "DatumKind",
    "Line",
    "Mark",
    "Path",
    "PathStep",
    "QueryMarks",
    "Rect",
    "Run",
    "Scene",
    "Text",
]

Anchor: TypeAlias = Literal["start", "middle", "end"]
DatumKind: TypeAlias = Literal[
    "statistics",
    "branches",
    "worlds",
    "beliefs",
    "rates",
    "judges",
    "study",
    "allocation",
    "reliability",
    "escalation",
    "drift",
    "length",
]
PathStep: TypeAlias = tuple[str, tuple[float, ...]]
"""A command of SVG paths (M, L, C or Z, absolute) and its coordinates."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Box:
    """A bounding box in px."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        """Whether the two share more than an edge."""
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """A piece of a text in one colour, weight and size (px)."""

    text: str
    role: str = "ink"
    weight: int = 400
    size: float = 14.0

    @property
    def width(self) -> float:
        """Estimated width, px."""
        return text_width(self.text, self.size, self.weight)


@dataclass(frozen=True, kw_only=True, slots=True)
class Text:
    """One line of text; (x, y) is its anchor on the baseline. `hover` is the text in full."""

    x: float
    y: float
    runs: tuple[Run, ...]
    anchor: Anchor = "start"
    hover: str = ""

    @property
    def text(self) -> str:
        """The line without its styles."""
        return "".join(run.text for run in self.runs)

    @property
    def size(self) -> float:
        """The largest size on the line, px."""
        return max(run.size for run in self.runs)

    @property
    def box(self) -> Box:
        """About where the ink is: from the ascenders to the descenders."""
        width = sum(run.width for run in self.runs)
        left = self.x - {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        size = self.size
        return Box(
            left=left, top=self.y - 0.76 * size, right=left + width, bottom=self.y + 0.22 * size
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A straight line, horizontal or vertical where its ends are round."""

    x1: float
    y1: float
    x2: float
    y2: float
    role: str
    width: float = 1.0
    is_round: bool = False
    is_dotted: bool = False
    is_dashed: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Path:
    """Lines and Bezier curves in one stroke, with round joins."""

    steps: tuple[PathStep, ...]
    role: str
    width: float = 1.25
    is_dashed: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Area:
    """A filled shape without an outline."""

    steps: tuple[PathStep, ...]
    fill: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Circle:
    """A disc, a ring, or both."""

    x: float
    y: float
    r: float
    fill: str
    stroke: str = ""
    width: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Rect:
    """A rectangle with round corners."""

    x: float
    y: float
    width: float
    height: float
    radius: float = 0.0
    fill: str = ""
    stroke: str = ""
    stroke_width: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class QueryMarks:
    """A strip of marks, one per query: dots or crosses of radius `r`, each with an opacity.

    `stroke` is the width of a cross's lines, px.
    """

    key: str
    xs: tuple[float, ...]
    y: float
    r: float
    form: Literal["dot", "cross"]
    role: str
    stroke: float
    opacities: tuple[float, ...]
    hover: str


Mark: TypeAlias = Text | Line | Path | Area | Circle | Rect | QueryMarks


@dataclass(frozen=True, kw_only=True, slots=True)
class Datum:
    """Numbers said at a place: what a reader sees when pointing there, and gets back as data."""

    kind: DatumKind
    key: str
    x: float
    y: float
    value: float | None
    lower: float | None
    upper: float | None
    text: str
    hover: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """A whole picture. `title` and `description` say in words what it shows."""

    width: float
    height: float
    theme: str
    title: str
    description: str
    marks: tuple[Mark, ...]
    data: tuple[Datum, ...]

    @property
    def texts(self) -> tuple[Text, ...]:
        """The text marks, in reading order."""
        return tuple(mark for mark in self.marks if isinstance(mark, Text))
