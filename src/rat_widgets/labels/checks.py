"""The data report: what a table holds, what was set aside, what cannot be learnt from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from jaxtyping import Int8

from rat_widgets.labels.checks_text import report_html, report_text
from rat_widgets.labels.clusters import ClusterReport
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.findings import Finding, findings_of
from rat_widgets.labels.keys import GroupKey
from rat_widgets.labels.roles import FIRST_VERDICT, Roles
from rat_widgets.labels.tally import Tally
from rat_widgets.labels.treatment import Judged
from rat_widgets.labels.unreadable import unreadable_verdicts

__all__ = ["ColumnReport", "DataReport", "PatternReport", "RateBounds", "data_report"]

_RETRIEVAL, _ABSTENTION, _TASK = range(3)


@dataclass(frozen=True, kw_only=True, slots=True)
class ColumnReport:
    """One label column: how many rows say 1, say 0, or say nothing (before any policy).

    Of a judge, `n_unknown` rows say that it cannot tell, and `n_unreadable` hold text that is no
    verdict: the call went wrong, and the verdict counts as missing.
    Of graded retrieval, and of a graded judge, `n_ones` are the rows at the top level, `n_zeros`
    those at any other, and `by_level` has the rows of each level, the lowest first; else None.
    """

    role: str
    column: str
    n_ones: int
    n_zeros: int
    n_missing: int
    n_unknown: int = 0
    n_unreadable: int = 0
    by_level: dict[str, int] | None = None

    @property
    def only_value(self) -> int | None:
        """The value, when all the labels that there are have the same one."""
        if self.by_level is not None:
            seen = [i for i, n in enumerate(self.by_level.values()) if n]
            return seen[0] if len(seen) == 1 else None
        if (self.n_ones == 0) == (self.n_zeros == 0):
            return None
        return 1 if self.n_ones else 0


@dataclass(frozen=True, kw_only=True, slots=True)
class PatternReport:
    """One pattern: the labels that it shows, by column (missing ones left out), and its rows."""

    shown: dict[str, int | str]
    n_rows: int


@dataclass(frozen=True, kw_only=True, slots=True)
class RateBounds:
    """An observed rate without the errored rows, and with all of them as 0 or all as 1.

    Worst cases, not credible intervals. None where there is nothing to take a rate of.
    """

    observed: float | None
    lower: float | None
    upper: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class DataReport:
    """What `labels.check()` found; prints well and renders in a notebook.

    Parameters
    ----------
    n_rows, n_counted : int
        Rows of the table, and rows in the pattern counts.
    by : tuple of str
    rows_per_group : tuple of (key, int)
        Counted rows of each group, in the order of ``counts.groups``.
    columns : tuple of ColumnReport
    patterns : tuple of PatternReport
        The most frequent first.
    n_contradictory : int
        Rows that say A=1 and T=1.
    on_contradiction : str
        What was done with them.
    n_verdicts_set_aside : int
        Labels and verdicts about the task on abstained rows: they say nothing and are not used.
    n_errored : int
    errored_as : str
        What was done with errored rows.
    bounds : dict
        `RateBounds` of P(R=1) (the top level), P(A=1) and P(T=1), by ``retrieval``,
        ``abstention``, ``task``.
    findings : tuple of Finding
        What is not identified, and what else to know, with advice.
    clusters : tuple of ClusterReport
        What clusters do to each group, in the order of `rows_per_group`; empty without them.
    """

    n_rows: int
    n_counted: int
    by: tuple[str, ...]
    rows_per_group: tuple[tuple[GroupKey, int], ...]
    columns: tuple[ColumnReport, ...]
    patterns: tuple[PatternReport, ...]
    n_contradictory: int
    on_contradiction: str
    n_verdicts_set_aside: int
    n_errored: int
    errored_as: str
    bounds: dict[str, RateBounds]
    findings: tuple[Finding, ...]
    clusters: tuple[ClusterReport, ...] = ()

    @property
    def missing(self) -> dict[str, int]:
        """Rows without a label, by column."""
        return {column.column: column.n_missing for column in self.columns}

    @property
    def single_valued(self) -> dict[str, int]:
        """Columns whose labels all have one value, and that value."""
        return {c.column: c.only_value for c in self.columns if c.only_value is not None}

    @property
    def unidentified(self) -> tuple[Finding, ...]:
        """The findings that say what these data cannot tell."""
        return tuple(finding for finding in self.findings if finding.level == "problem")

    @property
    def ok(self) -> bool:
        """Whether everything that the model asks for can be learnt from these data."""
        return not self.unidentified

    def to_dict(self) -> dict[str, Any]:
        """The report as values that JSON can hold."""
        plain = asdict(self)
        plain["by"] = list(self.by)
        plain["rows_per_group"] = [[list(key), n] for key, n in self.rows_per_group]
        for name in ("columns", "patterns", "findings"):
            plain[name] = list(plain[name])
        plain["clusters"] = [one._asdict() for one in self.clusters]
        return plain

    def __str__(self) -> str:
        return report_text(self)

    def __repr__(self) -> str:
        return report_text(self)

    def _repr_html_(self) -> str:
        return report_html(self)


def data_report(
    tally: Tally,
    counts: PatternCounts,
    roles: Roles,
    clusters: Sequence[ClusterReport] = (),
) -> DataReport:
    """The report on one table."""
    judged = roles.treatment.judged(tally.codes)
    columns = tuple(
        ColumnReport(
            role=role,
            column=column,
            n_ones=int(tally.rows[codes == _top(i, roles)].sum()),
            n_zeros=int(tally.rows[(codes >= 0) & (codes < _top(i, roles))].sum()),
            n_missing=int(tally.rows[codes == -1].sum()),
            by_level=_by_level(i, codes, tally, roles),
            **_of_judge(i - FIRST_VERDICT, codes, tally, roles),
        )
        for i, (role, column, codes) in enumerate(
            zip(roles.label_arguments, roles.labels, tally.codes.T, strict=True)
        )
        if column is not None
    )
    return DataReport(
        n_rows=int(tally.rows.sum()),
        n_counted=counts.n_rows,
        by=roles.by,
        rows_per_group=tuple(zip(counts.groups, counts.rows_per_group.tolist(), strict=True)),
        columns=columns,
        patterns=_patterns(counts),
        n_contradictory=int(tally.rows[judged.is_contradictory].sum()),
        on_contradiction=roles.treatment.on_contradiction,
        n_verdicts_set_aside=_verdicts_set_aside(tally, judged, roles),
        n_errored=int(tally.rows[judged.is_errored].sum()),
        errored_as=roles.treatment.errored_as,
        bounds=_bounds(tally, judged, len(roles.treatment.levels) - 1),
        findings=findings_of(counts, roles, unreadable_verdicts(tally, roles)),
        clusters=tuple(clusters),
    )


def _of_judge(
    index: int, codes: Int8[np.ndarray, " combination"], tally: Tally, roles: Roles
) -> dict[str, int]:
    """Rows on which a judge cannot tell, and on which what it said cannot be read."""
    if not 0 <= index < len(roles.judges):
        return {}
    judge = roles.judges[index]
    n_levels, n_answers = len(judge.answers), judge.n_answers
    return {
        "n_unknown": int(tally.rows[(codes >= n_levels) & (codes < n_answers)].sum()),
        "n_unreadable": int(tally.rows[codes >= n_answers].sum()),
    }


def _scale(index: int, roles: Roles) -> tuple[str, ...]:
    """The values of a label column that have an order, the lowest first."""
    if index == 0:
        return roles.treatment.levels
    is_verdict = 0 <= index - FIRST_VERDICT < len(roles.judges)
    return roles.judges[index - FIRST_VERDICT].answers if is_verdict else ("0", "1")


def _top(index: int, roles: Roles) -> int:
    """The label that stands for success."""
    return len(_scale(index, roles)) - 1


def _by_level(
    index: int, codes: Int8[np.ndarray, " combination"], tally: Tally, roles: Roles
) -> dict[str, int] | None:
    levels = _scale(index, roles)
    if len(levels) == 2:
        return None
    return {name: int(tally.rows[codes == i].sum()) for i, name in enumerate(levels)}


def _patterns(counts: PatternCounts) -> tuple[PatternReport, ...]:
    totals = counts.counts.sum(axis=0)
    order = np.argsort(-totals, kind="stable")
    names = _names_of_values(counts)
    return tuple(
        PatternReport(
            shown={
                column: named[value] if named else int(value)
                for column, named, value in zip(
                    counts.columns, names, counts.patterns[i], strict=True
                )
                if value != -1
            },
            n_rows=int(totals[i]),
        )
        for i in order
    )


def _names_of_values(counts: PatternCounts) -> list[tuple[str, ...]]:
    """Of each column of the patterns what its values are called; empty where they are 0 and 1."""
    levels = counts.retrieval_levels
    names: list[tuple[str, ...]] = [()] * len(counts.columns)
    names[0] = levels if len(levels) > 2 else ()
    for i, judge in enumerate(counts.judges, start=len(names) - len(counts.judges)):
        if judge.is_graded or judge.has_unknown:
            names[i] = (*judge.answers, *([str(judge.unknown)] if judge.has_unknown else []))
    return names


def _verdicts_set_aside(tally: Tally, judged: Judged, roles: Roles) -> int:
    abstained = (judged.patterns[:, _ABSTENTION] == 1) & judged.is_counted
    verdicts = tally.codes[:, [_TASK, *roles.treatment.task_judges]] != -1
    return int((verdicts.sum(axis=1) * tally.rows)[abstained].sum())


def _bounds(tally: Tally, judged: Judged, hit: int) -> dict[str, RateBounds]:
    """Rates over the rows that did not err, and what the errored ones could make of them."""
    fine = judged.is_counted & ~judged.is_errored
    patterns, rows = judged.patterns[fine], tally.rows[fine]
    n_errored = int(tally.rows[judged.is_errored].sum())
    answered = patterns[:, _ABSTENTION] != 1
    abstains = _rate(patterns[:, _ABSTENTION], rows)
    right = _rate(patterns[answered, _TASK], rows[answered])
    task = None if right is None else right * (1 - (abstains or 0.0))
    rates = {
        "retrieval": _rate(patterns[:, _RETRIEVAL], rows, hit),
        "abstention": abstains,
        "task": task,
    }
    share = n_errored / max(n_errored + int(rows.sum()), 1)
    return {
        name: RateBounds(
            observed=rate,
            lower=None if rate is None else (1 - share) * rate,
            upper=None if rate is None else (1 - share) * rate + share,
        )
        for name, rate in rates.items()
    }


def _rate(labels: Int8[np.ndarray, " row"], rows: np.ndarray, one: int = 1) -> float | None:
    seen = int(rows[labels != -1].sum())
    return int(rows[labels == one].sum()) / seen if seen else None
