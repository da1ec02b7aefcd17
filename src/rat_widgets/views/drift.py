"""The view of a judge's drift: versions on the same items, and rates over time."""

from __future__ import annotations

from dataclasses import dataclass

from rat_widgets.views.tool_words import ToolWords
from rat_widgets.views.tree import Estimate

__all__ = ["DriftChange", "DriftLine", "DriftOffset", "DriftView", "DriftWindow"]


@dataclass(frozen=True, kw_only=True, slots=True)
class DriftLine:
    """An offset among some items: all of them, or those that people "fail" or "pass"."""

    key: str
    name: str
    offset: Estimate


@dataclass(frozen=True, kw_only=True, slots=True)
class DriftOffset:
    """A version beside the one it is compared with, on `pairs` items of both."""

    version: str
    reference: str
    pairs: str
    lines: tuple[DriftLine, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class DriftWindow:
    """A stretch of time: what the judge passes, by label of people where there are some."""

    start: str
    end: str
    n: int
    rates: dict[str, Estimate]
    kappa: Estimate | None
    arrivals: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class DriftChange:
    """Where rates change: the window that begins there, and the rates before and after."""

    window: int
    since: str
    text: str
    before: dict[str, float]
    after: dict[str, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class DriftView:
    """Versions, windows and changes with their words; any of the three may be empty."""

    words: ToolWords
    interval: str
    offsets: tuple[DriftOffset, ...]
    windows: tuple[DriftWindow, ...]
    changes: tuple[DriftChange, ...]
