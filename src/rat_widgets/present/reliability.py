"""A score's reliability to its view: the finding in words, and the curve."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

from rat_widgets.derived.printed import Measured, counted
from rat_widgets.derived.reliability import Bin, Reliability
from rat_widgets.views import wording
from rat_widgets.views.reliability import ReliabilityBin, ReliabilityView
from rat_widgets.views.sentences import Segment
from rat_widgets.views.tool_words import ToolLine, ToolWords
from rat_widgets.views.tree import Estimate

__all__ = ["reliability_view"]

# From this share of the calibration error on the score is off one way, or at both ends.
_ONE_WAY: Final = 0.8
_BOTH_ENDS: Final = 0.2
_BY_CHANCE: Final = 0.05
_END: Final = 0.05
_FEW: Final = 10
_HALF: Final = 0.5


def reliability_view(report: Reliability) -> ReliabilityView:
    """The view of a reliability report."""
    return ReliabilityView(
        words=ToolWords(
            title="Is the score a probability?",
            name=f"{report.score} beside {report.human}",
            place=counted(report.n, "row"),
            headline=_headline(report),
            deck=_deck(report),
            ledger=_ledger(report),
            notes=report.notes,
        ),
        interval=f"{wording.pin_percent(report.ci_prob)} interval",
        bins=tuple(
            ReliabilityBin(
                low=b.low, high=b.high, n=b.n, mean_score=b.mean_score, share=_rate(b.share)
            )
            for b in report.bins
        ),
        knots=report.knots,
    )


def _rate(m: Measured) -> Estimate:
    text = wording.estimate(m.value, m.lower, m.upper)
    return Estimate(value=m.value, lower=m.lower, upper=m.upper, text=text)


def _headline(report: Reliability) -> tuple[Segment, ...]:
    """Which way the score is off, or that these rows cannot tell."""
    said, passed = map(_of_100, _mean(report.bins))
    if report.p_calibrated > _BY_CHANCE:
        return (
            ("These rows do not tell the score from a ", ""),
            ("calibrated", "good"),
            (f" one: it says {said} of 100 pass, people pass {passed}.", ""),
        )
    shape = _shape(report)
    if shape in ("high", "low"):
        return (
            ("The score is ", ""),
            (f"too {shape}", "evidence"),
            (f": it says {said} of 100 pass, people pass {passed}.", ""),
        )
    (low, low_share), (high, high_share) = _places(report.bins, shape)
    words = {
        "sure": ("too sure", " of itself"),
        "unsure": ("not sure enough", ""),
        "": ("off", f" by {_of_100(report.ece.value)} of 100 on average"),
    }[shape]
    return (
        ("The score is ", ""),
        (words[0], "evidence"),
        (
            f"{words[1]}: where it says {_of_100(low)} of 100, people pass {_of_100(low_share)}, "
            f"and where it says {_of_100(high)}, {_of_100(high_share)}.",
            "",
        ),
    )


def _places(bins: Sequence[Bin], shape: str) -> tuple[tuple[float, float], tuple[float, float]]:
    """Mean score and share of passes in both halves of a score that is not sure, else at both ends.

    An end is so many bins as hold a twentieth of the rows, and ten.
    """
    if shape == "unsure":
        below = [b for b in bins if b.mean_score < _HALF]
        return _mean(below), _mean(bins[len(below) :])
    least = max(_FEW, sum(b.n for b in bins) * _END)
    return _mean(_first(bins, least)), _mean(_first(bins[::-1], least))


def _first(bins: Sequence[Bin], least: float) -> Sequence[Bin]:
    """The first bins that hold so many rows."""
    before = itertools.accumulate((b.n for b in bins), initial=0)
    return [b for b, n in zip(bins, before, strict=False) if n < least]


def _mean(bins: Sequence[Bin]) -> tuple[float, float]:
    """Mean score and share of passes of the rows of some bins."""
    n = sum(b.n for b in bins)
    said = sum(b.n * b.mean_score for b in bins)
    return said / n, sum(b.n * (b.share.value or 0.0) for b in bins) / n


def _shape(report: Reliability) -> str:
    """How the score is off: "high", "low", "sure", "unsure", or "" for none of these."""
    off = [(b.n * (b.mean_score - (b.share.value or 0.0)), b.mean_score) for b in report.bins]
    total = sum(abs(d) for d, _ in off)
    net = sum(d for d, _ in off)
    if abs(net) >= _ONE_WAY * total:
        return "high" if net > 0 else "low"
    below = sum(d for d, score in off if score < _HALF)
    above = net - below
    if min(abs(below), abs(above)) < _BOTH_ENDS * total or below * above >= 0:
        return ""
    return "sure" if above > 0 else "unsure"


def _of_100(x: float | None) -> str:
    return wording.count(wording.rounded(100 * (x or 0.0)))


def _deck(report: Reliability) -> tuple[Segment, ...]:
    value, chance = report.ece.value or 0.0, report.ece_by_chance
    segments: list[Segment] = [
        ("Calibration error ", ""),
        (wording.thousandths(value), "strong"),
        ("; a calibrated score would show ", ""),
        (wording.thousandths(chance), "strong"),
        (" on such rows by chance alone", ""),
    ]
    if report.p_calibrated <= _BY_CHANCE:
        p = report.p_calibrated
        often = "fewer than 1 of 1,000" if p < 0.001 else f"{wording.pin_percent(p)} of"
        segments.append((f", and as much as here in {often} draws", ""))
    return (*segments, (".", ""))


def _ledger(report: Reliability) -> tuple[ToolLine, ...]:
    chance = wording.thousandths(report.ece_by_chance)
    return (
        _line("Calibration error", report.ece),
        ToolLine(label="by chance alone", text=chance, interval=""),
        _line("Brier score", report.brier),
        _line("Brier of one share", report.brier_constant),
        _line("Brier, recalibrated", report.brier_recalibrated),
    )


def _line(label: str, m: Measured) -> ToolLine:
    ends = ""
    if m.lower is not None and m.upper is not None:
        ends = f"{wording.thousandths(m.lower)} to {wording.thousandths(m.upper)}"
    return ToolLine(label=label, text=wording.thousandths(m.value or 0.0), interval=ends)
