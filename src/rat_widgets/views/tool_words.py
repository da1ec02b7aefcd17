"""Words around the chart of a tool for judges: finding, reasons, a ledger of numbers, notes."""

from __future__ import annotations

from dataclasses import dataclass

from rat_widgets.views import wording
from rat_widgets.views.sentences import Segment

__all__ = ["ToolLine", "ToolWords", "range_text", "tenths"]


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolLine:
    """A number of the ledger: what it is, the number, its interval ("" where it has none)."""

    label: str
    text: str
    interval: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolWords:
    """What is said beside a chart.

    `title` says what kind of picture it is, `name` of which columns, `place` how many rows it
    rests on; `headline` is the finding in a sentence, `deck` what it rests on.
    """

    title: str
    name: str
    place: str
    headline: tuple[Segment, ...]
    deck: tuple[Segment, ...]
    ledger: tuple[ToolLine, ...]
    notes: tuple[str, ...]


def tenths(value: float | None, lower: float | None, upper: float | None) -> str:
    """A small rate and its interval with a decimal: "3.3% (2.5% to 4.2%)"."""
    if value is None:
        return "\N{EN DASH}"
    between = range_text(lower, upper)
    return f"{wording.pin_percent(value)} ({between})" if between else wording.pin_percent(value)


def range_text(lower: float | None, upper: float | None) -> str:
    """The interval of a small rate: "2.5% to 4.2%"; "" where there is none."""
    if lower is None or upper is None:
        return ""
    return f"{wording.pin_percent(lower)} to {wording.pin_percent(upper)}"
