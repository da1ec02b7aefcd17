"""How a report on agreement reads: in a terminal and in a notebook."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Final

from rat_widgets.derived.report_tables import aligned, html_list, html_table
from rat_widgets.labels.keys import one_line

if TYPE_CHECKING:
    from rat_widgets.derived.agreement import Agreement, Coefficient

__all__ = ["report_html", "report_text"]

_N_PAIRS: Final = 30


def report_text(report: Agreement) -> str:
    """The report as plain text."""
    lines = [_headline(report), "", *aligned(_coefficients(report))]
    if report.pairs:
        lines += ["", *aligned(_pairs(report)), *_rest(report)]
    lines += ["", *(f" ! {note}" for note in report.notes)] if report.notes else []
    return "\n".join(lines)


def report_html(report: Agreement) -> str:
    """The report as HTML that takes its colours from the page around it."""
    parts = ['<div class="rat-agreement" style="font: inherit; line-height: 1.4">']
    parts.append(f"<p>{html.escape(_headline(report))}</p>{html_list(report.notes)}")
    parts.append(html_table(_coefficients(report)))
    if report.pairs:
        parts += [html_table(_pairs(report)), html_list(_rest(report))]
    return "".join([*parts, "</div>"])


def _headline(report: Agreement) -> str:
    return (
        f"{report.n_ratings:,} ratings of {report.n_items:,} items by {len(report.raters)} "
        f"raters; {report.n_shared:,} item{' has' if report.n_shared == 1 else 's have'} two or "
        "more"
    )


def _coefficients(report: Agreement) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("", "value", f"{100 * report.ci_prob:g}% bootstrap interval")]
    if report.alpha is not None:
        rows.append((f"Krippendorff's alpha, {report.scale}", *_shown(report.alpha)))
    rows.append(("Cohen's kappa, average over pairs", *_shown(report.kappa)))
    rows.append(("same rating, share of pairs", *_shown(report.observed)))
    return rows


def _pairs(report: Agreement) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("raters", "items", "same", "kappa", "interval")]
    for pair in report.pairs[:_N_PAIRS]:
        observed = "" if pair.observed is None else f"{pair.observed:.2f}"
        who = " and ".join(map(one_line, pair.raters))
        rows.append((who, f"{pair.n_items:,}", observed, *_shown(pair.kappa)))
    return rows


def _rest(report: Agreement) -> list[str]:
    more = len(report.pairs) - _N_PAIRS
    return [f"and {more:,} more pairs: `.to_frame()` has them all"] if more > 0 else []


def _shown(coefficient: Coefficient) -> tuple[str, str]:
    if coefficient.value is None:
        return "undefined", ""
    return f"{coefficient.value:.2f}", f"{coefficient.lower:.2f} to {coefficient.upper:.2f}"
