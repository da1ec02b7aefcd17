"""How a judge's report reads: in a terminal and in a notebook."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from rat_widgets.derived.printed import shown
from rat_widgets.derived.report_tables import aligned, html_list, html_table
from rat_widgets.labels.keys import one_line

if TYPE_CHECKING:
    from rat_widgets.derived.judge_report import JudgeReport

__all__ = ["notes_of", "reasons_of", "report_html", "report_text"]

_BARS: Final = {
    "kappa": "kappa",
    "fail_recall": "recall of fail",
    "probability": "probability of meeting both",
}
_SURE: Final = 0.95
_TITLES: Final = ("accuracy", "kappa")


def reasons_of(
    observed: Mapping[str, float | None], bars: Mapping[str, float], met: Mapping[str, bool]
) -> tuple[str, ...]:
    """One sentence per bar; none for a probability that was not asked for."""
    said = []
    for bar, name in _BARS.items():
        if bar == "probability" and bars[bar] <= 0:
            continue
        value = observed[bar]
        if value is None:
            said.append(f"{name} is undefined, and at least {bars[bar]:g} is asked")
        else:
            side = "meets" if met[bar] else "is below"
            said.append(f"{name} {value:.2f} {side} the bar of {bars[bar]:g}")
    return tuple(said)


def notes_of(
    table: Sequence[Sequence[int]], probability: float, may_gate: bool, n_unknown: int
) -> tuple[str, ...]:
    """What else a reader should know."""
    (caught, missed), (refused, passed) = table
    n_fail, n_pass, n = caught + missed, refused + passed, caught + missed + refused + passed
    notes = []
    if n == 0:
        notes.append("No row has both a label and a verdict that decides.")
    for value, said, by_people in (
        ("pass", missed + passed, n_pass),
        ("fail", caught + refused, n_fail),
    ):
        if n and said == n:
            notes.append(
                f"The judge says {value} on every row: its accuracy is people's share of {value}."
            )
        if n and by_people == n:
            notes.append(f"People say {value} on every row: nothing tells a judge from a constant.")
    if n and caught + passed == n and n_fail and n_pass:
        notes.append("Judge and people agree on every row: check that one is not a copy.")
    if n and caught + passed < max(n_fail, n_pass):
        always = "pass" if n_pass >= n_fail else "fail"
        notes.append(
            f"Saying {always} on every row would be more accurate: {max(n_fail, n_pass) / n:.2f}."
        )
    if n and 1 - _SURE < probability < _SURE:
        notes.append(
            f"These rows do not settle it: both bars are truly met with probability "
            f"{probability:.2f}. More rows that people fail ({n_fail:,} here) would tell."
        )
    if n_unknown:
        notes.append(f"On {n_unknown:,} labelled rows the judge decides nothing: not compared.")
    return tuple(notes)


def report_text(report: JudgeReport) -> str:
    """The report as plain text."""
    lines = [_headline(report)]
    lines += [f"  {reason}" for reason in report.reasons]
    lines += ["", *aligned(_measures(report)), "", *aligned(_table(report))]
    lines += ["", *(f" ! {note}" for note in report.notes)] if report.notes else []
    return "\n".join(lines)


def report_html(report: JudgeReport) -> str:
    """The report as HTML that takes its colours from the page around it."""
    parts = ['<div class="rat-judge-report" style="font: inherit; line-height: 1.4">']
    parts.append(f"<p><strong>{html.escape(_headline(report))}</strong></p>")
    parts += [html_list(report.reasons), html_list(report.notes)]
    parts += [html_table(_measures(report)), html_table(_table(report)), "</div>"]
    return "".join(parts)


def _headline(report: JudgeReport) -> str:
    who = one_line(report.judge)
    rows = f"{report.n:,} rows compared with {one_line(report.human)}"
    left_out = report.n_missing + report.n_unknown
    rows += f", {left_out:,} left out" if left_out else ""
    return f"{who}: {report.verdict} ({rows})"


def _measures(report: JudgeReport) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("", "value", f"{100 * report.ci_prob:g}% interval")]
    rows += [(name, *shown(getattr(report, name))) for name in _TITLES]
    for value in ("fail", "pass"):
        rows.append((f"precision of {value}", *shown(report.precision[value])))
        rows.append((f"recall of {value}", *shown(report.recall[value])))
    return rows


def _table(report: JudgeReport) -> list[tuple[str, ...]]:
    (caught, missed), (refused, passed) = report.table
    n = max(report.n, 1)

    def total(rows: int) -> str:
        return f"{rows:,} ({rows / n:.2f})"

    human, judge = report.human_distribution, report.judge_distribution
    return [
        ("", "judge: fail", "judge: pass", "people"),
        ("people: fail", f"{caught:,}", f"{missed:,}", total(human["fail"])),
        ("people: pass", f"{refused:,}", f"{passed:,}", total(human["pass"])),
        ("judge", total(judge["fail"]), total(judge["pass"]), f"{report.n:,}"),
    ]
