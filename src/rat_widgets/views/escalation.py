"""The view of an escalation band: what is sent on, what ends wrongly, and the way there."""

from __future__ import annotations

from dataclasses import dataclass

from rat_widgets.views.tool_words import ToolWords
from rat_widgets.views.tree import Estimate

__all__ = ["EscalationPath", "EscalationPoint", "EscalationView"]


@dataclass(frozen=True, kw_only=True, slots=True)
class EscalationPoint:
    """A band, or a way without one: `name` says which, "" for a step of the course."""

    name: str
    span: str
    sent: Estimate
    error: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class EscalationPath:
    """Scores from `low` to `high`, what becomes of their rows, and how many there are."""

    key: str
    name: str
    low: float
    high: float
    n: int
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class EscalationView:
    """The chosen band and the two ways without one, the course from one to the other, the paths.

    `target` is the largest error rate asked for, None where none was.
    """

    words: ToolWords
    interval: str
    chosen: EscalationPoint
    nothing: EscalationPoint
    everything: EscalationPoint
    course: tuple[EscalationPoint, ...]
    paths: tuple[EscalationPath, ...]
    target: float | None
