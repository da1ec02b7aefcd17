"""A judge's drift to its view."""

from __future__ import annotations

import re
from typing import Final

from rat_widgets.derived.drift import JudgeDrift
from rat_widgets.derived.drift_offsets import Offset
from rat_widgets.derived.drift_windows import Change, Window
from rat_widgets.derived.printed import Measured, counted
from rat_widgets.labels.keys import one_line
from rat_widgets.views import wording
from rat_widgets.views.drift import DriftChange, DriftLine, DriftOffset, DriftView, DriftWindow
from rat_widgets.views.sentences import Segment
from rat_widgets.views.tool_words import ToolLine, ToolWords
from rat_widgets.views.tree import Estimate

__all__ = ["drift_view"]

_LONGEST: Final = 40
_MOST: Final = 3
# What is less probable is told as probable.
_SURE: Final = 0.95
_SECONDS: Final = re.compile(r"(?<=\d\d:\d\d):00$")
_AMONG: Final = {
    "fail": "answers that people fail",
    "pass": "answers that people pass",
}


def drift_view(drift: JudgeDrift) -> DriftView:
    """The view of a judge's drift."""
    return DriftView(
        words=ToolWords(
            title="Has the judge changed?",
            name=drift.verdict,
            place=counted(drift.n_rows - drift.n_missing, "verdict"),
            headline=_headline(drift),
            deck=_deck(drift),
            ledger=tuple(_kappa_line(name, m) for name, m in drift.kappa.items()),
            notes=drift.notes,
        ),
        interval=f"{wording.pin_percent(drift.ci_prob)} interval",
        offsets=tuple(_offset(o) for o in drift.offsets if o.n_pairs),
        windows=tuple(_window(w) for w in drift.windows),
        changes=tuple(
            DriftChange(
                window=c.window,
                since=_time(c.since),
                text=wording.percent(c.probability),
                before=c.before,
                after=c.after,
            )
            for c in drift.changes
        ),
    )


def _offset(o: Offset) -> DriftOffset:
    lines = [DriftLine(key="all", name=_name(o.version), offset=_points(o.offset))]
    lines += [
        DriftLine(key=key, name=_AMONG[key], offset=_points(m)) for key, m in o.by_label.items()
    ]
    return DriftOffset(
        version=o.version,
        reference=o.reference,
        pairs=counted(o.n_pairs, "item"),
        lines=tuple(lines),
    )


def _window(w: Window) -> DriftWindow:
    rates = {key: _rate(m) for key, m in w.by_label.items()} or {"all": _rate(w.pass_rate)}
    return DriftWindow(
        start=_time(w.start),
        end=_time(w.end),
        n=w.n,
        rates=rates,
        kappa=None if w.kappa is None or w.kappa.value is None else _kappa(w.kappa),
        arrivals=w.arrivals,
    )


def _rate(m: Measured) -> Estimate:
    text = wording.estimate(m.value, m.lower, m.upper)
    return Estimate(value=m.value, lower=m.lower, upper=m.upper, text=text)


def _kappa(m: Measured) -> Estimate:
    text = wording.estimate(m.value, m.lower, m.upper, is_rate=False)
    return Estimate(value=m.value, lower=m.lower, upper=m.upper, text=text)


def _points(m: Measured) -> Estimate:
    """A difference of shares, worded in points."""
    value, lower, upper = (100 * (end or 0.0) for end in (m.value, m.lower, m.upper))
    text = wording.estimate(value, lower, upper, is_rate=False)
    return Estimate(value=m.value, lower=m.lower, upper=m.upper, text=text)


def _kappa_line(version: str, m: Measured) -> ToolLine:
    text = "\N{EN DASH}" if m.value is None else wording.decimal(m.value)
    ends = ""
    if m.lower is not None and m.upper is not None:
        ends = f"{wording.decimal(m.lower)} to {wording.decimal(m.upper)}"
    return ToolLine(label=f"kappa, {one_line(version)}", text=text, interval=ends)


def _name(text: str) -> str:
    """A name in a sentence, not too long."""
    name = one_line(text)
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}\N{HORIZONTAL ELLIPSIS}"


def _time(text: str) -> str:
    """A time without seconds that say nothing."""
    return _SECONDS.sub("", text)


def _headline(drift: JudgeDrift) -> tuple[Segment, ...]:
    """The largest change, that there is none, or how far versions are apart."""
    if drift.changes:
        change, kind = max(
            ((c, k) for c in drift.changes for k in c.before if k in c.after),
            key=lambda found: abs(found[0].after[found[1]] - found[0].before[found[1]]),
        )
        return _changed(change, kind)
    offsets = [o for o in drift.offsets if o.n_pairs]
    if drift.windows:
        n = counted(len(drift.windows), "window")
        return (("No change", "good"), (f" of the judge shows in {n} of time.", ""))
    if not offsets:
        return (("The versions share no item: nothing can be compared.", ""),)
    return _apart(max(offsets, key=lambda o: abs(o.offset.value or 0.0)))


def _changed(change: Change, kind: str) -> tuple[Segment, ...]:
    before, after = change.before[kind], change.after[kind]
    way = "more" if after > before else "fewer"
    among = f" {_AMONG[kind]}" if kind in _AMONG else " than before"
    return (
        (f"Since {_name(_time(change.since))} the judge {_passes(change)} ", ""),
        (way, "evidence"),
        (
            f"{among}: {wording.percent(after)}, where it was {wording.percent(before)}.",
            "",
        ),
    )


def _passes(change: Change) -> str:
    return "passes" if change.probability >= _SURE else "probably passes"


def _apart(o: Offset) -> tuple[Segment, ...]:
    version, reference = _name(o.version), _name(o.reference)
    value, lower, upper = (end or 0.0 for end in (o.offset.value, o.offset.lower, o.offset.upper))
    if lower <= 0 <= upper:
        return (
            (f"{version} and {reference} pass ", ""),
            ("about as many", "good"),
            (f" of the same {counted(o.n_pairs, 'item')}.", ""),
        )
    n = wording.pin_percent(abs(value)).removesuffix("%")
    return (
        (f"{version} passes {n} points ", ""),
        ("more" if value > 0 else "fewer", "evidence"),
        (f" of the same {counted(o.n_pairs, 'item')} than {reference}.", ""),
    )


def _deck(drift: JudgeDrift) -> tuple[Segment, ...]:
    segments: list[Segment] = []
    for i, change in enumerate(drift.changes[:_MOST]):
        segments += [
            ("Probability of a change since " if i == 0 else ", since ", ""),
            (_name(_time(change.since)), "strong"),
            (f": {wording.percent(change.probability)}", ""),
        ]
    if drift.changes:
        n_more = len(drift.changes) - _MOST
        segments.append((f", and {n_more} more. " if n_more > 0 else ". ", ""))
    for o in drift.offsets[:_MOST]:
        if o.n_pairs:
            segments.append(
                (
                    f"{_name(o.version)} turns {wording.count(o.to_pass)} fails of "
                    f"{_name(o.reference)} into passes, and {wording.count(o.to_fail)} passes "
                    "into fails. ",
                    "",
                )
            )
    if drift.windows and not drift.changes:
        least = wording.percent(drift.probability)
        segments.append((f"Marked would be a change with a probability of {least} or more.", ""))
    return tuple(segments)
