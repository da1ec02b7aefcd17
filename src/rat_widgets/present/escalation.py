"""An escalation band to its view."""

from __future__ import annotations

from rat_widgets.derived.band_course import BandStep
from rat_widgets.derived.escalation import EscalationBand, Route
from rat_widgets.derived.printed import Measured, counted
from rat_widgets.views import wording
from rat_widgets.views.escalation import EscalationPath, EscalationPoint, EscalationView
from rat_widgets.views.sentences import Segment
from rat_widgets.views.tool_words import ToolLine, ToolWords, range_text, tenths
from rat_widgets.views.tree import Estimate

__all__ = ["escalation_view"]


def escalation_view(band: EscalationBand) -> EscalationView:
    """The view of an escalation band."""
    routes = band.routes
    return EscalationView(
        words=ToolWords(
            title="Which scores are in doubt?",
            name=f"{band.score} beside {band.human}",
            place=f"{counted(band.held_out.n, 'row')} held out",
            headline=_headline(band),
            deck=_deck(band),
            ledger=_ledger(band),
            notes=band.notes,
        ),
        interval=f"{wording.pin_percent(band.ci_prob)} interval",
        chosen=_point("this band", routes["cascade"], _span(band.low, band.high)),
        nothing=_point("nothing sent", routes["nothing sent"], "one threshold"),
        everything=_point("everything sent", routes["everything sent"], "every score is sent on"),
        course=tuple(_point("", step, _span(step.low, step.high)) for step in band.course),
        paths=_paths(band),
        target=band.target,
    )


def _point(name: str, at: Route | BandStep, span: str) -> EscalationPoint:
    return EscalationPoint(name=name, span=span, sent=_estimate(at.sent), error=_estimate(at.error))


def _estimate(m: Measured) -> Estimate:
    text = tenths(m.value, m.lower, m.upper)
    return Estimate(value=m.value, lower=m.lower, upper=m.upper, text=text)


def _span(low: float, high: float) -> str:
    if low == high:
        return f"one threshold, {low:.4g}"
    return f"{low:.4g} to {high:.4g} is sent on"


def _headline(band: EscalationBand) -> tuple[Segment, ...]:
    """What sending on brings."""
    outcome = band.held_out
    error = _percent(band.routes["cascade"].error)
    alone = _percent(band.routes["nothing sent"].error)
    if outcome.n_sent == 0:
        return (("The score alone ", "good"), (f"gets {error} of rows wrong: none is sent on.", ""))
    if outcome.n_sent == outcome.n:
        return (
            ("Everything is ", ""),
            ("sent on", "evidence"),
            (f", and {error} of rows end wrong; the score alone gets {alone} wrong.", ""),
        )
    return (
        (f"Sending on {_percent(band.routes['cascade'].sent, is_whole=True)} of rows ", ""),
        (f"leaves {error} wrong", "evidence"),
        (f"; the score alone gets {alone} wrong.", ""),
    )


def _percent(m: Measured, *, is_whole: bool = False) -> str:
    return wording.percent(m.value) if is_whole else wording.pin_percent(m.value or 0.0)


def _deck(band: EscalationBand) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    if band.target is not None and band.p_target is not None:
        segments += [
            ("The error rate is at most the target of ", ""),
            (wording.pin_percent(band.target), "strong"),
            (" with probability ", ""),
            (wording.percent(band.p_target), "strong"),
            (". ", ""),
        ]
    rows = f"Every number is of rows that did not choose the band; {band.n_fit:,} others did."
    return (*segments, (rows, ""))


def _ledger(band: EscalationBand) -> tuple[ToolLine, ...]:
    lines = [_line("Sent on", band.routes["cascade"].sent)]
    names = {"cascade": "Wrong", "nothing sent": "with nothing sent",
             "everything sent": "with everything sent"}  # fmt: skip
    lines += [_line(name, band.routes[key].error) for key, name in names.items()]
    for key, name, n in (
        ("fail", "Automatic fails, right", band.held_out.n_failed),
        ("pass", "Automatic passes, right", band.held_out.n_passed),
    ):
        if n:
            lines.append(_line(name, band.accuracy[key]))
    prices = band.prices
    if prices.has_errors or prices.cheap or prices.expensive != 1:
        costs = {"cascade": "Cost of a row", "nothing sent": "with nothing sent",
                 "everything sent": "with everything sent"}  # fmt: skip
        for key, name in costs.items():
            text = f"{band.routes[key].cost:.4g}"
            lines.append(ToolLine(label=name, text=text, interval=""))
    return tuple(lines)


def _line(label: str, m: Measured) -> ToolLine:
    text = "\N{EN DASH}" if m.value is None else wording.pin_percent(m.value)
    return ToolLine(label=label, text=text, interval=range_text(m.lower, m.upper))


def _paths(band: EscalationBand) -> tuple[EscalationPath, ...]:
    """What becomes of scores, those of the held-out rows counted."""
    outcome = band.held_out
    given = (
        ("fail", "fail", 0.0, band.low, outcome.n_failed),
        ("send", "send on", band.low, band.high, outcome.n_sent),
        ("pass", "pass", band.high, 1.0, outcome.n_passed),
    )
    return tuple(
        EscalationPath(key=key, name=name, low=low, high=high, n=n, text=counted(n, "row"))
        for key, name, low, high, n in given
    )
