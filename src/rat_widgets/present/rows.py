"""What was labelled, in one sentence."""

from __future__ import annotations

import numpy as np

from rat_widgets.labels.counts import PatternCounts
from rat_widgets.views import wording

__all__ = ["judged_rows_sentence", "n_joint", "rows_sentence"]


def n_joint(counts: PatternCounts) -> int:
    """Rows that show everything: R and A, and T where the system answered."""
    r, a, t = (counts.patterns[:, i] for i in range(3))
    complete = (r != -1) & ((a == 1) | ((a == 0) & (t != -1)))
    return int(counts.counts[0][complete].sum())


def rows_sentence(
    counts: PatternCounts,
    ci_prob: float,
    errored_as: str | None = None,
    *,
    is_of_rows: bool = False,
) -> str:
    """What was labelled: "600 rows: R on all, A on all; T on 310 of 376 answers".

    `errored_as` is the keyword of `Labels.from_frame`; None when it is not known. Whether the
    numbers are about exactly these rows is said where they are.
    """
    n = counts.counts[0]
    r, a, t = (counts.patterns[:, i] for i in range(3))
    total = int(n.sum())
    ranges = f"Ranges are {_percent(ci_prob)} credible intervals."
    if is_of_rows:
        ranges = f"Numbers are about exactly these rows, not the population. {ranges}"
    aside = _aside(int(counts.errored[0]), int(counts.dropped[0]), errored_as)
    if total == 0:
        return f"0 rows.{aside} {ranges}"
    answered = a != 1
    what = "answers" if (a != -1).all() else "rows that may be answers"
    if n[answered].sum() == 1:
        what = "answer" if (a != -1).all() else "row that may be an answer"
    seen = [
        _seen("R", int(n[r != -1].sum()), total, ""),
        _seen("A", int(n[a != -1].sum()), total, ""),
    ]
    task = _seen("T", int(n[answered & (t != -1)].sum()), int(n[answered].sum()), what)
    return f"{_rows(total)}: {', '.join(seen)}; {task}.{aside} {ranges}"


def judged_rows_sentence(
    counts: PatternCounts,
    ci_prob: float,
    *,
    n_human: int,
    n_only: int,
    errored_as: str | None = None,
) -> str:
    """Who labelled what: "200 rows with labels by people, 5,000 with verdicts only"."""
    aside = _aside(int(counts.errored[0]), int(counts.dropped[0]), errored_as)
    ranges = f"Ranges are {_percent(ci_prob)} credible intervals."
    rest = counts.n_rows - n_human - n_only
    said = f"{_rows(n_human)} with labels by people, {wording.count(n_only)} with verdicts only"
    said += f", {wording.count(rest)} with neither" if rest else ""
    return f"{said}.{aside} {ranges}"


def _aside(errored: int, dropped: int, errored_as: str | None) -> str:
    how = {"excluded": "set aside as errored", "failures": "errored, counted as failures"}
    said = f" {_rows(errored)} {how.get(errored_as or '', 'marked as errored')}." if errored else ""
    return said + (f" {_rows(dropped)} dropped as contradictory." if dropped else "")


def _rows(n: int) -> str:
    return f"{wording.count(n)} row{'' if n == 1 else 's'}"


def _seen(letter: str, n: int, total: int, what: str) -> str:
    if total == 0:
        return f"no {what} to ask {letter} of"
    if total == 1 and what:
        return f"{letter} {'on' if n else 'not on'} the one {what}"
    if n == total:
        return f"{letter} on all{' ' + wording.count(total) + ' ' + what if what else ''}"
    if n == 0:
        return f"{letter} on none{' of ' + wording.count(total) + ' ' + what if what else ''}"
    of = f" of {wording.count(total)} {what}" if what else ""
    return f"{letter} on {wording.count(n)}{of}"


def _percent(ci_prob: float) -> str:
    return f"{np.format_float_positional(100 * ci_prob, trim='-')}%"
