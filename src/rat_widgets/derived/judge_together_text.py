"""What the checks say of judges that err together, in terms of labelled rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from jaxtyping import Bool

from rat_widgets.derived.judge_check_text import (
    SHOWN,
    call_of,
    class_of,
    does_pass,
    of_all,
    passed_of,
    truth_of,
)
from rat_widgets.errors import RatError
from rat_widgets.inference.diagnose import Message
from rat_widgets.labels.counts import PATTERN_COLUMNS
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.priors import judge_keys

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.labels.judges import Judge

__all__ = ["together_message"]

_CURE: Final = {"dependence": "saturated"}
# More calls, and names, than these are not written out.
_MOST_CALLS: Final = 3
_MOST_NAMES: Final = 12


def together_message(
    counts: PatternCounts, judges: Sequence[int], cuts: Sequence[int], *, is_some: bool = False
) -> Message:
    """Judges that err together more often than each by itself would.

    Parameters
    ----------
    counts : PatternCounts
    judges : sequence of int
        Their positions, two or more.
    cuts : sequence of int
        Of every judge of the counts: from this answer on, counted from 0, a verdict passes.
    is_some : bool
        Whether these are the rows of some systems: not of those for which a judge differs.
    """
    keys = judge_keys(counts.judges)
    names = _and([repr(keys[j]) for j in judges])
    return Message(
        "warning",
        "judges_dependent",
        f"The judges {names} err together: {_shown(counts, judges)}{of_all(counts, is_some)}.",
        f"Do not take them as independent{_ways_out(counts, judges, cuts)}.",
    )


def _ways_out(counts: PatternCounts, judges: Sequence[int], cuts: Sequence[int]) -> str:
    them = [counts.judges[j] for j in judges]
    keep = _keep(counts, judges, cuts)
    if not _can_be_saturated(counts, them):
        ways = ["saturate two or three of them", *keep]
        return f". They are too many to be saturated all together: {', or '.join(reversed(ways))}"
    if len(them) > _MOST_CALLS:
        saturate = 'give each of them dependence="saturated", as rat.cured does'
    else:
        saturate = " and ".join(call_of(judge, _CURE) for judge in them)
    return f": {'; or '.join([saturate, *keep])}"


def _can_be_saturated(counts: PatternCounts, them: Sequence[Judge]) -> bool:
    saturated = tuple(replace(judge, depends_on=None, dependence="saturated") for judge in them)
    try:
        emissions_of(saturated, counts.retrieval_levels)
    except RatError:
        return False
    return True


def _keep(counts: PatternCounts, judges: Sequence[int], cuts: Sequence[int]) -> list[str]:
    """To keep the one of them that tells best, by the labelled rows; of one truth they must be."""
    targets = {counts.judges[j].of for j in judges}
    if len(targets) > 1:
        return []
    told = [(one.youden, j, one) for j in judges if (one := _Told.of(counts, j, cuts[j])).is_known]
    if not told:
        return ["keep the better one" if len(judges) == 2 else "keep the best one"]
    # The first of equals.
    _, j, one = max(told, key=lambda each: each[0])
    (of,), top = targets, len(counts.retrieval_levels) - 1
    true = class_of(counts, of, top if of == "retrieval" else 1)
    false = "others" if of == "retrieval" and top > 1 else class_of(counts, of, 0)
    return [
        f"keep {judge_keys(counts.judges)[j]!r} alone, which tells {true} from {false} best: by "
        f"human labels it {does_pass(counts.judges[j], cuts[j])} {one.passed[1]:,} of {one.n[1]:,} "
        f"and {one.passed[0]:,} of {one.n[0]:,}"
    ]


class _Told(NamedTuple):
    """What a judge passes of the labelled rows on which it should not, and on which it should."""

    passed: tuple[int, int]
    n: tuple[int, int]

    @classmethod
    def of(cls, counts: PatternCounts, j: int, cut: int) -> _Told:
        judge, rows = counts.judges[j], counts.counts.sum(axis=0)
        truth, verdict = truth_of(counts, judge.of), counts.patterns[:, FIRST_JUDGE + j]
        if judge.of == "task":
            truth = np.where(
                counts.patterns[:, PATTERN_COLUMNS.index("abstention")] == 1, -1, truth
            )
        top = len(counts.retrieval_levels) - 1 if judge.of == "retrieval" else 1
        sides = []
        for is_side in ((truth >= 0) & (truth < top), truth == top):
            inside = is_side & (verdict >= 0)
            sides.append(passed_of(judge, rows[inside], verdict[inside], cut))
        (failed_passed, n_failed), (passed, n) = sides
        return cls((failed_passed, passed), (n_failed, n))

    @property
    def is_known(self) -> bool:
        return min(self.n) > 0

    @property
    def youden(self) -> float:
        """TPR less FPR, half a row added to every count."""
        fpr, tpr = ((k + 0.5) / (n + 1) for k, n in zip(self.passed, self.n, strict=True))
        return tpr - fpr


def _shown(counts: PatternCounts, judges: Sequence[int]) -> str:
    """The pair of them that errs together most often, against what chance gives."""
    keys = judge_keys(counts.judges)
    rows = counts.counts.sum(axis=0).astype(float)
    best = (-np.inf, 0.0, 0.0, 0.0, "")
    for first, second in combinations(judges, 2):
        wrong, n, strata = _errors(counts, first, second)
        weight = rows * n
        observed = float(weight[wrong[0] & wrong[1]].sum())
        expected = 0.0
        for stratum in np.unique(strata[n]):
            inside = np.where(strata == stratum, weight, 0.0)
            total = inside.sum()
            if total:
                expected += float(inside[wrong[0]].sum() * inside[wrong[1]].sum() / total)
        who = "both are" if len(judges) == 2 else f"{keys[first]!r} and {keys[second]!r} are both"
        best = max(best, (observed - expected, observed, expected, float(weight.sum()), who))
    _, observed, expected, n_rows, who = best
    if observed > expected:
        is_shown = observed - expected >= SHOWN * np.sqrt(expected)
        return (
            f"on {observed:,.0f} of the {n_rows:,.0f} rows with human labels {who} wrong, "
            f"where independent errors would give {expected:,.1f}"
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


def _and(names: list[str]) -> str:
    if len(names) > _MOST_NAMES:
        names = [*names[:_MOST_NAMES], f"{len(names) - _MOST_NAMES} more"]
    return f"{', '.join(names[:-1])} and {names[-1]}"
