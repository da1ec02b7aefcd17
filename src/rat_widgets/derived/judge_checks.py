"""Do judges err as the model takes for granted? What was tested, found, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from rat_widgets.derived.judge_check_text import depends_message, together_message
from rat_widgets.derived.selection import VERDICT
from rat_widgets.inference.dependence import DependenceTests, JudgeTest, dependence_tests
from rat_widgets.labels.counts import PATTERN_COLUMNS
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.priors import judge_keys

if TYPE_CHECKING:
    from rat_widgets.derived.posterior import Posterior
    from rat_widgets.inference.diagnose import Message
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["LEVEL", "JudgeChecks", "JudgeFinding", "judge_checks"]

LEVEL: Final = 0.1
"""Share of tables, all judges well-behaved, in which something is said.

Of tables with several groups it is the share in which any group has something said of it.
"""

_COLUMNS: Final = ("check", "judge", "other", "truth", "n_human", "statistic", "p_value", "said")


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeFinding:
    """One departure from the model, and its cure as keywords of `rat.Judge`.

    Attributes
    ----------
    judges : tuple of str
        Keys of the judges concerned, as in ``tpr[key]``.
    cure : dict
        What to add to each of these judges: ``{"depends_on": "retrieval"}`` or
        ``{"dependence": "saturated"}``; see `judge_cures.cured`.
    message : Message
        The same in words.
    """

    judges: tuple[str, ...]
    cure: dict[str, str]
    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeChecks:
    """All checks of one system's judges.

    Attributes
    ----------
    counts : PatternCounts
    tests, said : tuples of JudgeTest
        All, and those that the diagnosis speaks of, the clearest first.
    cuts : tuple of int
        Of each judge the answer from which on a verdict passes.
    """

    counts: PatternCounts
    tests: tuple[JudgeTest, ...]
    said: tuple[JudgeTest, ...]
    cuts: tuple[int, ...] = ()

    @property
    def findings(self) -> tuple[JudgeFinding, ...]:
        """What was found, in words and with a cure."""
        return tuple(_finding(self.counts, test, self.cuts) for test in self.said)

    def frame(self) -> pd.DataFrame:
        """One row per check.

        Returns
        -------
        DataFrame
            ``check``, "depends_on" (its errors depend on another variable) or
            "together" (judges err together); the key of the ``judge``, and the ``other``: the
            variable, or the other judges' keys; the ``truth`` among which it shows most (1, 0, or
            the level of R); ``n_human``, rows that show everything concerned; ``statistic``, a
            standard normal where all is well, positive where the judge passes more with the other
            variable at 1, or where judges agree more than the truth explains; ``p_value``; and
            ``said``, whether the diagnosis speaks of it. Checks that no labelled row speaks of are
            left out. See `inference.dependence`.
        """
        keys = judge_keys(self.counts.judges)
        rows: list[dict[str, Any]] = []
        for test in self.tests:
            first, *others = (keys[j] for j in test.judges)
            rows.append(
                {
                    "check": "depends_on" if test.context else "together",
                    "judge": first,
                    "other": test.context or ", ".join(others),
                    "truth": test.truth,
                    "n_human": _rows_with_labels(self.counts, test),
                    "statistic": test.z,
                    "p_value": test.p,
                    "said": any(test is one for one in self.said),
                }
            )
        frame = pd.DataFrame(rows, columns=list(_COLUMNS))
        return frame.astype({"truth": "Int8", "n_human": int, "statistic": float, "said": bool})


def judge_checks(posterior: Posterior) -> JudgeChecks:
    """The checks of a posterior's judges on the rows that it was fitted from."""
    counts = posterior.counts.without_answerable()
    if posterior.selection != VERDICT:
        # Rows bought by outcome are another mixture of worlds: they are looked at by themselves.
        has_label = (counts.patterns[:, [0, 2]] >= 0).any(axis=1)
        counts = replace(counts, counts=counts.counts * has_label)
    n_groups = 1 if posterior.labels is None else posterior.labels.counts.n_groups
    if not counts.judges or not counts.n_rows:
        return JudgeChecks(counts=counts, tests=(), said=())
    draws = posterior.draws
    start = np.concatenate([x.mean(axis=(0, 1)) for x in (draws.theta, draws.rates)])
    tests = dependence_tests(counts, draws.priors, start)
    kept = tests.all().only(lambda test: _rows_with_labels(counts, test) > 0).tests
    which = partial(dependence_tests, counts, draws.priors, start, verdicts_stay=True)
    said = _said(tests, kept, which, LEVEL / max(1, n_groups))
    return JudgeChecks(counts=counts, tests=kept, said=tuple(said), cuts=draws.cuts if said else ())


def _said(
    tests: DependenceTests,
    kept: Sequence[JudgeTest],
    which: Callable[[], DependenceTests],
    level: float,
) -> list[JudgeTest]:
    """What is worth a word: the clearest test, then what it does not explain.

    A judge that leans on something seems to lean on all that goes with it, and makes others seem
    to lean on something, too: after each finding the rest is tested with it let in. Where the
    model is wrong it is wrong about how rare verdicts are, too: which test is the clearest is
    looked up with verdicts as they are.
    """
    said: list[JudgeTest] = []
    as_they_are: DependenceTests | None = None
    while True:
        unsaid = [
            (test.judges, test.context)
            for test in kept
            if all(not _is_about(test, one) and _go_together(test, one) for one in said)
        ]
        left = tests.given(said).only(partial(_is_among, unsaid))
        if not left.tests or min(test.p for test in left.tests) >= left.threshold(level):
            return said
        as_they_are = as_they_are or which()
        others = as_they_are.given(said).only(partial(_is_among, unsaid)).tests
        clearest = min(others, key=lambda test: test.p)
        said.append(next(test for test in kept if _is_about(test, clearest)))


def _is_among(names: Sequence[tuple[tuple[int, ...], str | None]], test: JudgeTest) -> bool:
    return (test.judges, test.context) in names


def _is_about(test: JudgeTest, other: JudgeTest) -> bool:
    return (test.judges, test.context) == (other.judges, other.context)


def _go_together(test: JudgeTest, other: JudgeTest) -> bool:
    """Whether both may be said: of a judge one thing, but that it may err with several others."""
    first, second = set(test.judges), set(other.judges)
    if not first & second:
        return True
    return not (test.context or other.context or first <= second or second <= first)


def _finding(counts: PatternCounts, test: JudgeTest, cuts: tuple[int, ...]) -> JudgeFinding:
    keys = judge_keys(counts.judges)
    if test.context:
        is_known = counts.judges[test.judges[0]].depends_on is not None
        cure = {"dependence": "saturated"} if is_known else {"depends_on": str(test.context)}
        message = depends_message(counts, test, cure, cuts[test.judges[0]])
    else:
        cure, message = {"dependence": "saturated"}, together_message(counts, test)
    return JudgeFinding(judges=tuple(keys[j] for j in test.judges), cure=cure, message=message)


def _rows_with_labels(counts: PatternCounts, test: JudgeTest) -> int:
    """Rows that show all that a test is about: verdicts, their truths, and the context.

    Where A=1 was seen there is no T, which is known all the same.
    """
    shown = counts.patterns >= 0
    shown[:, PATTERN_COLUMNS.index("task")] |= counts.patterns[:, 1] == 1
    columns = [FIRST_JUDGE + j for j in test.judges]
    about = {counts.judges[j].of for j in test.judges} | ({test.context} if test.context else set())
    columns += [PATTERN_COLUMNS.index(name) for name in about]
    return int(counts.counts.sum(axis=0)[shown[:, columns].all(axis=1)].sum())
