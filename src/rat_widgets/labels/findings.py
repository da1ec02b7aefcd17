"""What a table cannot tell, and which labels would tell it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from rat_widgets.labels.counts import PATTERN_COLUMNS, PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.labels.keys import one_line
from rat_widgets.labels.roles import Roles
from rat_widgets.labels.unreadable import Unreadable

__all__ = ["Finding", "findings_of"]

_COLUMN = {"retrieval": 0, "abstention": 1, "task": 2}
_LETTER = {"retrieval": "R", "abstention": "A", "task": "T"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """One thing to know about the data.

    Parameters
    ----------
    level : "problem", "warning" or "info"
        A problem is something that these data cannot tell, whatever their number.
    code : str
        Stable name of the kind of finding.
    text, advice : str
        What was found, and what to do about it.
    """

    level: Literal["problem", "warning", "info"]
    code: str
    text: str
    advice: str


def findings_of(
    counts: PatternCounts, roles: Roles, unreadable: Iterable[Unreadable]
) -> tuple[Finding, ...]:
    """Everything worth saying about the counts of one table, problems first."""
    if counts.n_rows == 0:
        return (
            Finding(
                level="problem",
                code="no_rows",
                text="There are no rows to learn from.",
                advice="Every estimate is its prior.",
            ),
        )
    found = [
        *_never_seen(counts),
        *_never_joint(counts),
        *_hidden_where(counts),
        *(finding for i, judge in enumerate(counts.judges) for finding in _judge(counts, i, judge)),
        *_unreadable(unreadable),
        *_one_value(counts),
        *_selection(counts, roles),
        *_answerable(counts),
        *_groups(counts),
    ]
    order = ("problem", "warning", "info")
    return tuple(sorted(found, key=lambda finding: order.index(finding.level)))


def _rows(counts: PatternCounts, mask: np.ndarray) -> int:
    return int(counts.counts[:, mask].sum())


def _never_seen(counts: PatternCounts) -> list[Finding]:
    retrieval, abstention, task = counts.patterns.T[:3]
    found = []
    if not (retrieval != -1).any():
        found.append(
            Finding(
                level="problem",
                code="retrieval_never_seen",
                text="R was never seen: nothing tells hits from misses.",
                advice="Label R on some rows, chosen at random or by A; on those rows label T too.",
            )
        )
    if not (abstention != -1).any():
        found.append(
            Finding(
                level="problem",
                code="abstention_never_seen",
                text="A was never seen: abstentions and wrong answers look alike.",
                advice="Detect abstentions in the answers (a rule will do), "
                'or say abstention="never" when the system answers every query.',
            )
        )
    answered = abstention != 1
    if answered.any() and not (task != -1).any():
        found.append(
            Finding(
                level="problem",
                code="task_never_seen",
                text="T was never seen: nothing says whether answers are right.",
                advice="Label T on some answered rows where R is labelled as well.",
            )
        )
    return found


def _never_joint(counts: PatternCounts) -> list[Finding]:
    retrieval, _, task = counts.patterns.T[:3]
    if not ((retrieval != -1).any() and (task != -1).any()):
        return []
    if ((retrieval != -1) & (task != -1)).any():
        return []
    return [
        Finding(
            level="problem",
            code="never_joint",
            text="R and T were never seen on the same row: how often answers are right "
            "after a hit and after a miss cannot be told apart.",
            advice="Label both on some answered rows.",
        )
    ]


def _hidden_where(counts: PatternCounts) -> list[Finding]:
    """Labels bought after looking at others, so that one kind of row never shows them."""
    retrieval, abstention, task = counts.patterns.T[:3]
    if not ((retrieval != -1) & (task != -1)).any():
        return []
    answered, unknown = abstention == 0, abstention == -1
    # Label, the rows that lack it, rows on which it was seen that would tell of these as well.
    kinds = [
        ("R", retrieval, abstention == 1, unknown, "abstentions", "hits"),
        ("R", retrieval, task == 0, unknown | (answered & (task == -1)), "wrong answers", "hits"),
        ("R", retrieval, task == 1, unknown | (answered & (task == -1)), "right answers", "hits"),
        *(
            ("T", task, answered & (retrieval == i), retrieval == -1, f"answers {after}", "right")
            for i, after in enumerate(_after(counts))
        ),
    ]
    judged = {letter: _is_judged(counts, role) for role, letter in _LETTER.items()}
    found = []
    for letter, label, where, elsewhere, which, question in kinds:
        seen = label != -1
        hidden = where.any() and not (seen & (where | elsewhere)).any()
        if hidden and not (judged[letter] & where).any():
            found.append(
                Finding(
                    level="problem",
                    code="hidden_where",
                    text=f"{letter} was never seen on {which}: how many of them were {question} "
                    "comes from the prior.",
                    advice=f"Label {letter} on some of them.",
                )
            )
    return found


def _after(counts: PatternCounts) -> list[str]:
    """How each level of R reads where something happens after it."""
    levels = counts.retrieval_levels
    if len(levels) == 2:
        return ["after a miss", "after a hit"]
    return [f"where R is {one_line(name)!r}" for name in levels]


def _is_judged(counts: PatternCounts, role: str) -> np.ndarray:
    """Patterns with a verdict about one label."""
    columns = [len(PATTERN_COLUMNS) + i for i, j in enumerate(counts.judges) if j.of == role]
    return np.asarray((counts.patterns[:, columns] != -1).any(axis=1))


def _judge(counts: PatternCounts, index: int, judge: Judge) -> list[Finding]:
    verdict = counts.patterns[:, len(PATTERN_COLUMNS) + index]
    truth = counts.patterns[:, _COLUMN[judge.of]]
    letter = _LETTER[judge.of]
    if not (verdict != -1).any():
        return [
            Finding(
                level="warning",
                code="judge_without_verdicts",
                text=f"The judge {judge.name!r} has no verdicts that count.",
                advice="Check its column, or leave it out.",
            )
        ]
    found = _passed_without_human(counts, judge, verdict, truth)
    top = len(counts.retrieval_levels) - 1 if judge.of == "retrieval" else 1
    is_said = verdict != -1
    seen = {
        0: _rows(counts, is_said & (truth != -1) & (truth < top)),
        1: _rows(counts, is_said & (truth == top)),
    }
    if not any(seen.values()):
        return [
            Finding(
                level="problem",
                code="judge_without_truth",
                text=f"The judge {judge.name!r} was never compared with {letter}: "
                "its rates come from the prior and from the other columns only.",
                advice=f"Label {letter} on some of the rows that it judged.",
            )
        ]
    return found + [
        Finding(
            level="warning",
            code="judge_rate_without_truth",
            text=f"The judge {judge.name!r} was never compared with {letter}={value}: "
            f"its {'TPR' if value else 'FPR'} comes from the prior only.",
            advice=f"Label {letter} on rows where the judge said {value}.",
        )
        for value, n_rows in seen.items()
        if n_rows == 0
    ]


def _unreadable(verdicts: Iterable[Unreadable]) -> list[Finding]:
    return [
        Finding(level="warning", code="unreadable", text=lost.text, advice=lost.advice)
        for lost in verdicts
        if lost.is_notable
    ]


def _passed_without_human(
    counts: PatternCounts, judge: Judge, verdict: np.ndarray, truth: np.ndarray
) -> list[Finding]:
    """A verdict that nobody has looked behind: what the judge lets through is the costly kind."""
    letter = _LETTER[judge.of]
    found = []
    top = len(judge.answers) - 1
    shown = ("passed", "failed") if top == 1 else ("gave its top grade", "gave its lowest grade")
    for value, did in zip((top, 0), shown, strict=True):
        said = verdict == value
        n_said, n_seen = _rows(counts, said), _rows(counts, said & (truth != -1))
        if n_said and not n_seen and (truth != -1).any():
            one = f"The one row that the judge {judge.name!r} {did} has no"
            none = f"None of the {n_said:,} rows that the judge {judge.name!r} {did} has a"
            found.append(
                Finding(
                    level="warning",
                    code="verdict_without_human",
                    text=f"{one if n_said == 1 else none} human label of {letter}.",
                    advice=f"Label {letter} on some of them, chosen at random.",
                )
            )
    return found


def _one_value(counts: PatternCounts) -> list[Finding]:
    consequence = {
        ("retrieval", 1): "what happens after a miss comes from the prior only",
        ("retrieval", 0): "what happens after a hit comes from the prior only",
        ("abstention", 1): "nothing was answered, so nothing is known about T",
        ("abstention", 0): "no abstention was seen; their rate is bounded, not known to be 0",
        ("task", 1): "no wrong answer was seen; their rate is bounded, not known to be 0",
        ("task", 0): "no right answer was seen; their rate is bounded, not known to be 0",
    }
    found = []
    for role, column in _COLUMN.items():
        values = {int(v) for v in counts.patterns[:, column] if v != -1}
        if role == "retrieval" and len(counts.retrieval_levels) > 2:
            found += _levels_never_seen(counts, values)
        elif len(values) == 1:
            (value,) = values
            found.append(
                Finding(
                    level="info",
                    code="single_valued",
                    text=f"{_LETTER[role]} is {value} wherever it was seen: "
                    f"{consequence[role, value]}.",
                    advice="Check that the column means what its name says.",
                )
            )
    return found


def _levels_never_seen(counts: PatternCounts, values: set[int]) -> list[Finding]:
    """Levels of graded retrieval that no row shows, where some show another."""
    unseen = [name for i, name in enumerate(counts.retrieval_levels) if i not in values]
    if not unseen or not values:
        return []
    names = ", ".join(repr(one_line(name)) for name in unseen)
    return [
        Finding(
            level="info",
            code="level_never_seen",
            text=f"R was never {names}: what happens there comes from the prior only.",
            advice="Check the names of the levels, or leave out those that do not occur.",
        )
    ]


def _selection(counts: PatternCounts, roles: Roles) -> list[Finding]:
    if roles.stratum is not None and roles.stratum in roles.by:
        return []
    if roles.stratum is None:
        otherwise = "name it with `stratum=` and make one group of each stratum with `by=`."
    else:
        otherwise = f"make one group of each stratum: by={roles.stratum!r}."
    found = []
    for role, asked in (
        ("retrieval", np.ones(len(counts.patterns), dtype=bool)),
        ("task", counts.patterns[:, _COLUMN["abstention"]] != 1),
    ):
        seen = counts.patterns[:, _COLUMN[role]] != -1
        n_seen, n_asked = _rows(counts, seen & asked), _rows(counts, asked)
        if 0 < n_seen < n_asked:
            where = "answered rows" if role == "task" else "rows"
            found.append(
                Finding(
                    level="info",
                    code=f"selection_{role}",
                    text=f"{_LETTER[role]} is labelled on {n_seen:,} of {n_asked:,} {where}.",
                    advice="The estimates are right if these were chosen at random, by A or by a "
                    "judge's verdict; if by anything else (hard cases, a topic), " + otherwise,
                )
            )
    return found


def _answerable(counts: PatternCounts) -> list[Finding]:
    hit = len(counts.retrieval_levels) - 1
    odd = _rows(counts, (counts.patterns[:, 0] == hit) & (counts.patterns[:, 3] == 0))
    if not odd:
        return []
    at = one_line(counts.retrieval_levels[-1]) if hit > 1 else 1
    return [
        Finding(
            level="warning",
            code="hit_but_unanswerable",
            text=f"{odd:,} {'row is' if odd == 1 else 'rows are'} a hit (R={at}) although the "
            "corpus holds no answer (answerable=0).",
            advice="One of the two labels is wrong on these rows.",
        )
    ]


def _groups(counts: PatternCounts) -> list[Finding]:
    if counts.n_groups < 2:
        return []
    found = []
    for role, column in _COLUMN.items():
        seen = counts.patterns[:, column] != -1
        if role == "task":
            seen |= counts.patterns[:, _COLUMN["abstention"]] == 1
        without = [
            key
            for key, n in zip(counts.groups, counts.counts[:, seen].sum(axis=1), strict=True)
            if n == 0
        ]
        if without and len(without) < counts.n_groups:
            names = ", ".join("/".join(map(one_line, key)) for key in without[:3])
            found.append(
                Finding(
                    level="warning",
                    code=f"groups_without_{role}",
                    text=f"{_LETTER[role]} was never seen in {len(without):,} of "
                    f"{counts.n_groups:,} groups: {names}{', ...' if len(without) > 3 else ''}.",
                    advice="Those groups say nothing about it.",
                )
            )
    return found
