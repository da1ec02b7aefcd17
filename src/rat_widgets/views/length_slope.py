"""The view of a length slope: what a judge passes by the length of answers."""

from __future__ import annotations

from dataclasses import dataclass

from rat_widgets.views.tool_words import ToolWords
from rat_widgets.views.tree import Estimate

__all__ = ["LengthGroup", "LengthPoint", "LengthView"]


@dataclass(frozen=True, kw_only=True, slots=True)
class LengthPoint:
    """Answers of about one length, and the share of them that the judge passes."""

    length: float
    span: str
    rows: str
    share: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class LengthGroup:
    """Answers that people "fail" or "pass", or "all": their points, and the slope's curve."""

    key: str
    name: str
    points: tuple[LengthPoint, ...]
    curve: tuple[tuple[float, float], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class LengthView:
    """The groups with their words; `low` and `high` are the shortest and the longest answer."""

    words: ToolWords
    interval: str
    length: str
    low: float
    high: float
    groups: tuple[LengthGroup, ...]
