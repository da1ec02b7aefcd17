"""How a data report reads: in a terminal and in a notebook."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Final

from rat_widgets._markup import prose_html
from rat_widgets.labels.keys import one_line, value_label

if TYPE_CHECKING:
    from rat_widgets.labels.checks import ColumnReport, DataReport
    from rat_widgets.labels.clusters import ClusterReport
    from rat_widgets.labels.findings import Finding
    from rat_widgets.labels.keys import GroupKey

__all__ = ["cluster_text", "report_html", "report_text"]

_N_GROUPS: Final = 8
_N_PATTERNS: Final = 12
_SIGN: Final = {"problem": "!!", "warning": " !", "info": " -"}
_TREATED: Final = {
    "error": "refused",
    "drop": "dropped",
    "trust_abstention": "taken as abstentions",
    "trust_answer": "taken as answers",
    "excluded": "left out",
    "failures": "counted as answered and wrong",
}
_RATES: Final = {"retrieval": "P(R)", "abstention": "P(A)", "task": "P(T)"}


def report_text(report: DataReport) -> str:
    """The report as plain text."""
    lines = ["Data report", *(f"  {line}" for line in _facts(report))]
    lines += ["", *_aligned(_column_rows(report))]
    lines += ["", *_aligned(_pattern_rows(report))]
    if more := len(report.patterns) - _N_PATTERNS:
        lines += [f"  and {more} more patterns"] if more > 0 else []
    if len(report.rows_per_group) > 1:
        lines += ["", *_aligned(_group_rows(report))]
        if (more := len(report.rows_per_group) - _N_GROUPS) > 0:
            lines.append(f"  and {more:,} more groups")
    lines.append("")
    if not report.findings:
        lines.append("Everything that the model asks for can be learnt from these data.")
    for level, text, advice in _said(report.findings):
        lines += [f"{_SIGN[level]} {text}", f"   {advice}"]
    return "\n".join(lines)


def report_html(report: DataReport) -> str:
    """The report as HTML that takes its colours from the page around it."""
    parts = ['<div class="rat-data-report" style="font: inherit; line-height: 1.4">']
    parts.append("<p>" + "<br>".join(_escaped(line) for line in _facts(report)) + "</p>")
    for title, rows, n_more in (
        ("Labels", _column_rows(report), 0),
        ("Patterns", _pattern_rows(report), len(report.patterns) - _N_PATTERNS),
        ("Groups", _group_rows(report), len(report.rows_per_group) - _N_GROUPS),
    ):
        if title == "Groups" and len(report.rows_per_group) < 2:
            continue
        parts.append(_html_table(title, rows))
        if n_more > 0:
            parts.append(f"<p>and {n_more:,} more</p>")
    if report.findings:
        parts.append("<ul>")
        for level, text, advice in _said(report.findings):
            said = prose_html(f"{text} {advice}")
            parts.append(f"<li><strong>{_escaped(level)}</strong>: {said}</li>")
        parts.append("</ul>")
    else:
        parts.append("<p>Everything that the model asks for can be learnt from these data.</p>")
    parts.append("</div>")
    return "".join(parts)


def _said(findings: Iterable[Finding]) -> Iterator[tuple[str, str, str]]:
    """Level, text and advice; what follows each other with one advice is said together."""
    for (level, advice), alike in groupby(findings, key=lambda f: (f.level, f.advice)):
        yield level, " ".join(finding.text for finding in alike), advice


def _n(n: int, what: str, does: str = "", of: str = "") -> str:
    """'1 cell of j holds', '2 cells of j hold', '2 errored rows'."""
    parts = [f"{n:,} {what}{'' if n == 1 else 's'}", of and f"of {of}"]
    parts.append(does + "s" * (n == 1) if does else "")
    return " ".join(filter(None, parts))


def _facts(report: DataReport) -> list[str]:
    """One sentence per line about rows, contradictions and errors."""
    rows = f"{report.n_rows:,} rows, {report.n_counted:,} counted"
    rows += f", {len(report.patterns)} distinct patterns"
    if report.by:
        rows += f", {len(report.rows_per_group):,} groups by {', '.join(map(one_line, report.by))}"
    facts = [rows]
    if report.n_contradictory:
        facts.append(
            f"{_n(report.n_contradictory, 'row', 'say')} both abstained and solved (A=1, T=1): "
            f"{_TREATED[report.on_contradiction]}"
        )
    if report.n_verdicts_set_aside:
        facts.append(
            "labels and verdicts about the task on abstained rows: "
            f"{report.n_verdicts_set_aside:,} set aside, they say nothing"
        )
    for column in report.columns:
        if column.n_unreadable:
            cells = _n(column.n_unreadable, "cell", "hold", one_line(column.column))
            facts.append(f"{cells} text that is no verdict: counted as missing")
    facts += _clusters(report)
    if report.n_errored:
        facts.append(f"{_n(report.n_errored, 'errored row')}: {_TREATED[report.errored_as]}")
        for name, bounds in report.bounds.items():
            if bounds.observed is not None:
                facts.append(
                    f"{_RATES[name]} observed {bounds.observed:.3f}; between {bounds.lower:.3f} "
                    f"and {bounds.upper:.3f} whatever the errored rows would have been"
                )
    return facts


def _clusters(report: DataReport) -> list[str]:
    """What clusters do to the one group, or to the groups where they do least and most."""
    if len(report.clusters) == 1:
        return [cluster_text(report.clusters[0])]
    if not report.clusters:
        return []
    names = [_group_name(key) for key, _ in report.rows_per_group]
    effects = [max(found.deff) for found in report.clusters]
    least, most = (f(range(len(effects)), key=effects.__getitem__) for f in (min, max))
    return [
        f"clusters: counts are divided by design effects from {effects[least]:.2f} "
        f"({names[least]}) to {effects[most]:.2f} ({names[most]})"
    ]


def cluster_text(found: ClusterReport) -> str:
    """'120 clusters of 2.5 rows, intraclass correlation 0.31 (T): counts are divided by 1.6'."""
    size = found.n_rows / max(1, found.n_clusters)
    said = f"{_n(found.n_clusters, 'cluster')} of {size:.3g} rows on average"
    labelled, others = found.deff
    if max(found.deff) == 1:
        return f"{said}: alike no more than other rows, so that every row counts as one"
    both = f"{said}, intraclass correlation {found.correlation:.2f} ({found.label}): "
    if found.n_labelled in (0, found.n_rows) or round(labelled, 2) == round(others, 2):
        return f"{both}counts are divided by the design effect {max(found.deff):.2f}"
    return (
        f"{both}counts are divided by the design effect {labelled:.2f} where people labelled R or "
        f"T, and elsewhere by {others:.2f}"
    )


def _column_rows(report: DataReport) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("label", "column", "1", "0", "missing", "")]
    for column in report.columns:
        only = column.only_value
        rows.append(
            (
                column.role,
                one_line(column.column),
                f"{column.n_ones:,}",
                f"{column.n_zeros:,}",
                f"{column.n_missing:,}",
                _remark(column, only),
            )
        )
    return rows


def _remark(column: ColumnReport, only: int | None) -> str:
    others = [f"{column.n_unknown:,} cannot tell"] if column.n_unknown else []
    others += [f"{column.n_unreadable:,} unreadable"] if column.n_unreadable else []
    if only is not None and not column.n_unknown:
        name = only if column.by_level is None else one_line(list(column.by_level)[only])
        return ", ".join([f"always {name}", *others])
    levels = [f"{one_line(name)} {n:,}" for name, n in (column.by_level or {}).items()]
    return ", ".join([*levels, *others])


def _pattern_rows(report: DataReport) -> list[tuple[str, ...]]:
    letters = {"retrieval": "R", "abstention": "A", "task": "T"}
    rows: list[tuple[str, ...]] = [("pattern", "rows")]
    for pattern in report.patterns[:_N_PATTERNS]:
        shown = " ".join(
            f"{letters.get(name, one_line(name))}={one_line(value)}"
            for name, value in pattern.shown.items()
        )
        rows.append((shown or "nothing seen", f"{pattern.n_rows:,}"))
    return rows


def _group_name(key: GroupKey) -> str:
    return " / ".join(one_line(value_label(value)) for value in key)


def _group_rows(report: DataReport) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("group", "rows")]
    for key, n_rows in report.rows_per_group[:_N_GROUPS]:
        rows.append((_group_name(key), f"{n_rows:,}"))
    return rows


def _aligned(rows: Iterable[tuple[str, ...]]) -> list[str]:
    """Columns of text, the first two to the left, the others to the right."""
    table = list(rows)
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    last = len(widths) - 1
    lines = []
    for row in table:
        cells = [
            cell.ljust(w) if _is_left(i, last) else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  " + "  ".join(cells).rstrip())
    return lines


def _is_left(column: int, last: int) -> bool:
    return column == 0 or (last > 1 and column in (1, last))


def _html_table(title: str, rows: list[tuple[str, ...]]) -> str:
    last = len(rows[0]) - 1
    out = [
        '<table style="color: inherit; background: transparent; border-collapse: collapse">'
        f'<caption style="text-align: left; font-weight: 600">{_escaped(title)}</caption>'
    ]
    for n, row in enumerate(rows):
        tag = 'th scope="col"' if n == 0 else "td"
        cells = "".join(
            f'<{tag} style="padding: 0.1em 0.8em 0.1em 0; '
            f'text-align: {"left" if _is_left(i, last) else "right"}">'
            f"{_escaped(cell)}</{tag[:2]}>"
            for i, cell in enumerate(row)
        )
        out.append(f"<tr>{cells}</tr>")
    out.append("</table>")
    return "".join(out)


def _escaped(text: str) -> str:
    return html.escape(text, quote=True)
