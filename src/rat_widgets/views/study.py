"""The view of an allocation study: width, error and coverage by strategy and budget."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Self

from rat_widgets.errors import ViewError
from rat_widgets.views import codec, wording
from rat_widgets.views.sentences import Segment

__all__ = ["Measure", "StudyPoint", "StudyView"]

# Widths that differ by less are told apart by their cost.
_SAME_WIDTH = 0.01


@dataclass(frozen=True, kw_only=True, slots=True)
class Measure:
    """A mean over replications, its Monte Carlo standard error (None: not known), its wording."""

    value: float
    mcse: float | None
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class StudyPoint:
    """What came out for one strategy, budget and target."""

    strategy: str
    target: str
    budget: float
    width: Measure
    mae: Measure
    coverage: Measure
    cost: Measure
    replications: int


@dataclass(frozen=True, kw_only=True, slots=True)
class StudyView:
    """A study as it is shown.

    `unit` is that of budgets; `begins` says what every table begins with; `targets` are labels by
    key; `check` says how far widths are from an engine's, or that they were drawn by one.
    """

    kind: Literal["study"] = "study"
    version: Literal[1] = 1
    generator: str
    unit: Literal["rows", "units"]
    ci_prob: float
    begins: str
    strategies: tuple[str, ...]
    targets: dict[str, str]
    points: tuple[StudyPoint, ...]
    check: str

    def __post_init__(self) -> None:
        for i, point in enumerate(self.points):
            if point.strategy not in self.strategies or point.target not in self.targets:
                raise ViewError.build(
                    f"At points[{i}]: {point.strategy!r} or {point.target!r} is not known.",
                    accepted="Points of the strategies and targets of the view.",
                )

    def curve(self, strategy: str, target: str) -> list[StudyPoint]:
        """The points of one strategy and target, by budget."""
        chosen = [p for p in self.points if (p.strategy, p.target) == (strategy, target)]
        return sorted(chosen, key=lambda point: point.budget)

    def budget_text(self, budget: float) -> str:
        """A budget with its unit: "500 rows", "500 units"."""
        return f"{wording.count(wording.rounded(budget))} {self.unit}"

    def best(self, target: str) -> StudyPoint | None:
        """At the largest budget the narrowest interval, of those about as narrow the cheapest."""
        last = max((p.budget for p in self.points), default=None)
        there = [p for p in self.points if p.target == target and p.budget == last]
        if not there:
            return None
        least = min(point.width.value for point in there)
        near = [point for point in there if point.width.value <= (1 + _SAME_WIDTH) * least]
        return min(near, key=lambda point: (wording.rounded(point.cost.value), point.width.value))

    def headline(self) -> list[Segment]:
        """What to buy at the largest budget, in one sentence."""
        best = {key: self.best(key) for key in self.targets}
        found = {key: point for key, point in best.items() if point is not None}
        if not found:
            return [("Nothing is simulated yet.", "")]
        first = next(iter(found.values()))
        segments: list[Segment] = [
            (f"With {self.budget_text(first.budget)} on top of {self.begins}, ", "")
        ]
        for i, (key, point) in enumerate(found.items()):
            segments += [
                ("" if i == 0 else "; " if i < len(found) - 1 else "; and ", ""),
                (point.strategy, "good"),
                (f" gives the narrowest interval of {self.targets[key]}, ", ""),
                (point.width.text, "strong"),
            ]
        return [*segments, (".", "")]

    def to_dict(self) -> dict[str, object]:
        """Plain values for JSON."""
        return dict(codec.to_dict(self))

    def to_json(self) -> str:
        """Compact JSON text."""
        return codec.to_json(self)

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """A view read from plain values; see `codec.from_dict` for the errors."""
        return codec.from_dict(cls, data)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """A view read from JSON; see `codec.from_json` for the errors."""
        return codec.from_json(cls, text)
