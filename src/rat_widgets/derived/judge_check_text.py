"""What the checks of judges say, in terms of the rows that people have labelled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from jaxtyping import Int

from rat_widgets.inference.diagnose import Message
from rat_widgets.labels.counts import PATTERN_COLUMNS
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.priors import judge_keys

if TYPE_CHECKING:
    from rat_widgets.inference.departures import JudgeTest
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.labels.judges import Judge

__all__ = [
    "OF_TRUTH",
    "SHOWN",
    "call_of",
    "class_of",
    "depends_message",
    "does_pass",
    "of_all",
    "passed_of",
    "shares_apart",
    "truth_of",
]

SHOWN: Final = 1.645
"""Labelled rows show what is at least so many standard errors."""

OF_TRUTH: Final = {
    ("retrieval", 1): "hits",
    ("retrieval", 0): "misses",
    ("abstention", 1): "abstentions",
    ("abstention", 0): "answers",
    ("task", 1): "right answers",
    ("task", 0): "wrong answers",
}
_ON: Final = {
    "retrieval": "retrieval",
    "abstention": "whether the system declined",
    "task": "whether the answer is right",
}
_IN_CONTEXT: Final = {
    ("retrieval", 1): "where retrieval succeeded",
    ("retrieval", 0): "where retrieval failed",
    ("abstention", 1): "where the system declined",
    ("abstention", 0): "where it answered",
    ("task", 1): "where the answer was right",
    ("task", 0): "where it was not",
}


def depends_message(
    counts: PatternCounts,
    test: JudgeTest,
    keywords: Mapping[str, str],
    cut: int,
    *,
    is_some: bool = False,
) -> Message:
    """A judge whose errors lean on another variable.

    Parameters
    ----------
    counts : PatternCounts
    test : JudgeTest
    keywords : mapping
        Its cure.
    cut : int
        From this answer on, counted from 0, a verdict passes.
    is_some : bool
        Whether these are the rows of some systems: not of those for which a judge differs.
    """
    (j,) = test.judges
    judge, context, truth = counts.judges[j], test.context or "", test.truth or 0
    key = judge_keys(counts.judges)[j]
    rows = counts.counts.sum(axis=0)
    is_true = truth_of(counts, judge.of) == truth
    verdict = counts.patterns[:, FIRST_JUDGE + j]
    x = truth_of(counts, context)
    top = len(counts.retrieval_levels) - 1 if context == "retrieval" else 1
    parts, shares = [], []
    for side in (1, 0):
        inside = is_true & (verdict >= 0) & ((x == top) if side else (x >= 0) & (x < top))
        passed, n = passed_of(judge, rows[inside], verdict[inside], cut)
        parts.append(f"{passed:,} of {n:,} {_IN_CONTEXT[context, side]}")
        shares.append(np.array([n - passed, passed]))
    # Rows without labels are evidence, too: where those with labels alone hardly show it, say so.
    is_shown = np.sign(test.z) * shares_apart(*shares) >= SHOWN
    text = (
        f"The errors of judge {key!r} depend on {_ON[context]}: of the labelled "
        f"{class_of(counts, judge.of, truth)} it {does_pass(judge, cut)} {parts[0]} and {parts[1]}"
        f"{'' if is_shown else ', and the verdicts on other rows show more'}"
        f"{of_all(counts, is_some)}."
    )
    cure = call_of(judge, keywords)
    return Message(
        "warning",
        "judge_depends",
        text,
        f"Give it rates of its own in each case: {cure}. Without that P(T) and P(G) may be off.",
    )


def of_all(counts: PatternCounts, is_some: bool) -> str:
    """Of a check that was made on the rows of several systems, and not on those of others."""
    if counts.n_groups == 1 and not is_some:
        return ""
    which = "the one system" if counts.n_groups == 1 else f"{counts.n_groups:,} systems"
    return f" (over the rows of {which}{' for which no judge differs' if is_some else ''})"


def truth_of(counts: PatternCounts, name: str) -> Any:
    """What a pattern shows of R, A or T; not right where A=1 was seen."""
    value = counts.patterns[:, PATTERN_COLUMNS.index(name)].astype(int)
    return np.where(counts.patterns[:, 1] == 1, 0, value) if name == "task" else value


def passed_of(judge: Judge, rows: Any, verdict: Any, cut: int) -> tuple[int, int]:
    """How many of the rows a judge passes, from this answer on, and how many there are."""
    passes = (verdict < len(judge.answers)) & (verdict >= cut)
    return int(rows[passes].sum()), int(rows.sum())


def does_pass(judge: Judge, cut: int) -> str:
    """What a judge does to rows that it passes, from this answer on."""
    if not judge.is_graded:
        return "passes"
    return f"gives {judge.answers[cut]}{' or better' * (cut < len(judge.answers) - 1)} to"


def shares_apart(first: Int[np.ndarray, " 2"], second: Int[np.ndarray, " 2"]) -> float:
    """By how many standard errors a share of passes exceeds another; 0 where either has no rows.

    Both are counts of fails and passes.
    """
    n, m = first.sum(), second.sum()
    if not n or not m:
        return 0.0
    p = (first[1] + second[1] + 0.5) / (n + m + 1)
    return float((first[1] / n - second[1] / m) / np.sqrt(p * (1 - p) * (1 / n + 1 / m)))


def class_of(counts: PatternCounts, of: str, truth: int) -> str:
    """What rows of one truth are called."""
    levels = counts.retrieval_levels
    if of == "retrieval" and len(levels) > 2:
        return f"rows with R={levels[truth]!r}"
    return OF_TRUTH[of, truth]


def call_of(judge: Judge, cure: Mapping[str, str]) -> str:
    """The judge as it is written, with its cure: what the caller set of it stays."""
    implied = {"column", *cure}
    if judge.name == judge.column:
        implied.add("name")
    if judge.cuts is not None:
        implied.add("levels")  # named by the cuts
    if "dependence" in cure:
        implied.add("depends_on")  # let in by it
    said = {
        each.name: getattr(judge, each.name)
        for each in fields(judge)
        if each.name not in implied and getattr(judge, each.name) != each.default
    }
    keywords = ", ".join(f"{name}={_literal(value)}" for name, value in {**said, **cure}.items())
    return f'rat.Judge("{judge.column}", {keywords})'


def _literal(value: object) -> str:
    if isinstance(value, Mapping):
        return repr(dict(value))
    return f'"{value}"' if isinstance(value, str) else repr(value)
