"""A length slope to its view."""

from __future__ import annotations

from typing import Final

from rat_widgets.derived.length_course import LengthBin
from rat_widgets.derived.length_slope import LengthSlope
from rat_widgets.derived.printed import Measured, counted
from rat_widgets.labels.keys import one_line
from rat_widgets.views import wording
from rat_widgets.views.length_slope import LengthGroup, LengthPoint, LengthView
from rat_widgets.views.sentences import Segment
from rat_widgets.views.tool_words import ToolLine, ToolWords
from rat_widgets.views.tree import Estimate

__all__ = ["length_view"]

_NAMES: Final = {"all": "answers", "fail": "people fail", "pass": "people pass"}


def length_view(found: LengthSlope) -> LengthView:
    """The view of a length slope."""
    n = found.n_rows - found.n_missing
    beside = "" if found.human is None else f" beside {found.human}"
    return LengthView(
        words=ToolWords(
            title="Does it like long answers?",
            name=f"{found.verdict} on {found.length}{beside}",
            place=counted(n, "row"),
            headline=_headline(found),
            deck=_deck(found),
            ledger=_ledger(found),
            notes=found.notes,
        ),
        interval=f"log odds a doubling, {wording.pin_percent(found.ci_prob)} interval",
        length=one_line(found.length),
        low=min(b.low for b in found.bins),
        high=max(b.high for b in found.bins),
        groups=tuple(
            LengthGroup(
                key=curve.among,
                name=_NAMES[curve.among],
                points=tuple(_point(b) for b in found.bins if b.among == curve.among),
                curve=curve.points,
            )
            for curve in found.curves
        ),
    )


def _point(b: LengthBin) -> LengthPoint:
    m = b.share
    text = wording.estimate(m.value, m.lower, m.upper)
    span = f"{b.low:.4g}" if b.low == b.high else f"{b.low:.4g} to {b.high:.4g}"
    return LengthPoint(
        length=b.length,
        span=span,
        rows=counted(b.n, "row"),
        share=Estimate(value=m.value, lower=m.lower, upper=m.upper, text=text),
    )


def _headline(found: LengthSlope) -> tuple[Segment, ...]:
    """How much more or less often answers twice as long pass."""
    value, lower, upper = (
        end or 0.0 for end in (found.change.value, found.change.lower, found.change.upper)
    )
    opening = "Answers twice as long pass "
    if found.human is not None:
        opening = "Of answers that people judge alike, those twice as long pass "
    if lower <= 0 <= upper:
        return ((opening, ""), ("about as often", "good"), (", as far as these rows tell.", ""))
    n = wording.pin_percent(abs(value)).removesuffix("%")
    way = "more often" if value > 0 else "less often"
    return ((f"{opening}{n} points ", ""), (way, "evidence"), (".", ""))


def _deck(found: LengthSlope) -> tuple[Segment, ...]:
    m = found.change
    value, lower, upper = (100 * (end or 0.0) for end in (m.value, m.lower, m.upper))
    text = wording.estimate(value, lower, upper, is_rate=False)
    sure = wording.percent(found.p_longer)
    return (
        ("Points per doubling: ", ""),
        (text, "strong"),
        (". Longer answers pass more often with probability ", ""),
        (sure, "strong"),
        (".", ""),
    )


def _ledger(found: LengthSlope) -> tuple[ToolLine, ...]:
    if found.human is None:
        return (_line("All answers", found.slope),)
    lines = [_line("Answers judged alike", found.slope)]
    lines += [_line(f"those people {key}", m) for key, m in found.by_label.items()]
    return (*lines, _line("Labels disregarded", found.unadjusted))


def _line(label: str, m: Measured) -> ToolLine:
    text = wording.decimal(m.value or 0.0)
    ends = f"{wording.decimal(m.lower or 0.0)} to {wording.decimal(m.upper or 0.0)}"
    return ToolLine(label=label, text=text, interval=ends)
