"""What the checks of judges say, in terms of the rows that people have labelled."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from jaxtyping import Bool, Int

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
    "depends_message",
    "passed_of",
    "shares_apart",
    "together_message",
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
    upper = f"{judge.answers[cut]}{' or better' * (cut < len(judge.answers) - 1)}"
    does = f"gives {upper} to" if judge.is_graded else "passes"
    text = (
        f"The errors of judge {key!r} depend on {_ON[context]}: of the labelled "
        f"{_class(counts, judge.of, truth)} it {does} {parts[0]} and {parts[1]}"
        f"{'' if is_shown else ', and the verdicts on other rows show more'}"
        f"{_of_all(counts, is_some)}."
    )
    cure = _call(judge, keywords)
    return Message(
        "warning",
        "judge_depends",
        text,
        f"Give it rates of its own in each case: {cure}. Without that P(T) and P(G) may be off.",
    )


def together_message(counts: PatternCounts, test: JudgeTest, *, is_some: bool = False) -> Message:
    """Judges that err together more often than each by itself would; see `depends_message`."""
    keys = judge_keys(counts.judges)
    judges = [counts.judges[j] for j in test.judges]
    names = _and([repr(keys[j]) for j in test.judges])
    cures = " and ".join(_call(judge, {"dependence": "saturated"}) for judge in judges)
    return Message(
        "warning",
        "judges_dependent",
        f"The judges {names} err together: {_together(counts, test)}{_of_all(counts, is_some)}.",
        f"Do not take them as independent: {cures}; or keep the better one.",
    )


def _of_all(counts: PatternCounts, is_some: bool) -> str:
    """Of a check that was made on the rows of several systems, and not on those of others."""
    if counts.n_groups == 1 and not is_some:
        return ""
    which = "the one system" if counts.n_groups == 1 else f"{counts.n_groups:,} systems"
    return f" (over the rows of {which}{' for which no judge differs' if is_some else ''})"


def _together(counts: PatternCounts, test: JudgeTest) -> str:
    """The pair of them that errs together most often, against what chance gives."""
    rows = counts.counts.sum(axis=0).astype(float)
    best = (-np.inf, 0.0, 0.0, 0.0)
    for i, first in enumerate(test.judges):
        for second in test.judges[i + 1 :]:
            wrong, n, strata = _errors(counts, first, second)
            weight = rows * n
            observed = float(weight[wrong[0] & wrong[1]].sum())
            expected = 0.0
            for stratum in np.unique(strata[n]):
                inside = np.where(strata == stratum, weight, 0.0)
                total = inside.sum()
                if total:
                    expected += float(inside[wrong[0]].sum() * inside[wrong[1]].sum() / total)
            best = max(best, (observed - expected, observed, expected, float(weight.sum())))
    _, observed, expected, n_rows = best
    if observed > expected:
        is_shown = observed - expected >= SHOWN * np.sqrt(expected)
        return (
            f"on {observed:,.0f} of the {n_rows:,.0f} rows with human labels "
            f"{'both' if len(test.judges) == 2 else 'two of them'} are wrong, where independent "
            f"errors would give {expected:,.1f}"
            f"{'' if is_shown else ', and the verdicts on other rows agree more'}"
        )
    return "their verdicts agree more often than the truth explains, on rows without human labels"


def _errors(
    counts: PatternCounts, first: int, second: int
) -> tuple[list[Bool[np.ndarray, " pattern"]], Bool[np.ndarray, " pattern"], Any]:
    """Of each pattern: who is wrong, whether both truths are known, and which they are."""
    wrong, known, strata = [], np.ones(len(counts.patterns), bool), np.zeros(len(counts.patterns))
    for j in (first, second):
        judge = counts.judges[j]
        truth = truth_of(counts, judge.of)
        verdict = counts.patterns[:, FIRST_JUDGE + j].astype(float)
        n_levels = len(judge.answers)
        top = len(counts.retrieval_levels) - 1 if judge.of == "retrieval" else 1
        known &= (truth >= 0) & (verdict >= 0)
        said = np.where(verdict < n_levels, verdict / (n_levels - 1), 0.5)
        wrong.append(np.abs(said - truth / top) >= 0.5)
        strata = 10 * strata + truth
    return wrong, known, strata


def truth_of(counts: PatternCounts, name: str) -> Any:
    """What a pattern shows of R, A or T; not right where A=1 was seen."""
    value = counts.patterns[:, PATTERN_COLUMNS.index(name)].astype(int)
    return np.where(counts.patterns[:, 1] == 1, 0, value) if name == "task" else value


def passed_of(judge: Judge, rows: Any, verdict: Any, cut: int) -> tuple[int, int]:
    """How many of the rows a judge passes, from this answer on, and how many there are."""
    passes = (verdict < len(judge.answers)) & (verdict >= cut)
    return int(rows[passes].sum()), int(rows.sum())


def shares_apart(first: Int[np.ndarray, " 2"], second: Int[np.ndarray, " 2"]) -> float:
    """By how many standard errors a share of passes exceeds another; 0 where either has no rows.

    Both are counts of fails and passes.
    """
    n, m = first.sum(), second.sum()
    if not n or not m:
        return 0.0
    p = (first[1] + second[1] + 0.5) / (n + m + 1)
    return float((first[1] / n - second[1] / m) / np.sqrt(p * (1 - p) * (1 / n + 1 / m)))


def _class(counts: PatternCounts, of: str, truth: int) -> str:
    levels = counts.retrieval_levels
    if of == "retrieval" and len(levels) > 2:
        return f"rows with R={levels[truth]!r}"
    return OF_TRUTH[of, truth]


def _call(judge: Judge, cure: Mapping[str, str]) -> str:
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


def _and(names: list[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"
