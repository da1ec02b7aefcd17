"""The view of a reliability curve: what a score says, and what people say."""

from __future__ import annotations

from dataclasses import dataclass

from rat_widgets.views.tool_words import ToolWords
from rat_widgets.views.tree import Estimate

__all__ = ["ReliabilityBin", "ReliabilityView"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ReliabilityBin:
    """Rows with scores from `low` to `high`; `share` of them people pass."""

    low: float
    high: float
    n: int
    mean_score: float
    share: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class ReliabilityView:
    """The curve in bins, the recalibrated score between its `knots`, and the words."""

    words: ToolWords
    interval: str
    bins: tuple[ReliabilityBin, ...]
    knots: tuple[tuple[float, float], ...]
