"""What verdicts alone show of a judge, whatever was fitted: a copy, and passes nobody checked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rat_widgets.inference.diagnose import Message
from rat_widgets.labels.counts import PATTERN_COLUMNS
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.priors import judge_keys

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["verdict_messages"]

# A good judge agrees with people on so few rows by chance.
_FEWEST_FOR_A_COPY: Final = 30


def verdict_messages(counts: PatternCounts) -> list[Message]:
    """Judges of one group that look like a copy of the human label, or pass what nobody checked."""
    rows = counts.counts.sum(axis=0)
    messages = []
    for j, (judge, key) in enumerate(zip(counts.judges, judge_keys(counts.judges), strict=True)):
        verdict = counts.patterns[:, FIRST_JUDGE + j]
        truth = counts.patterns[:, PATTERN_COLUMNS.index(judge.of)]
        letter = {"retrieval": "R", "abstention": "A", "task": "T"}[judge.of]
        n_both = int(rows[(verdict >= 0) & (truth >= 0)].sum())
        top = len(judge.answers) - 1
        is_same = top == 1 and not rows[(verdict != truth) & ((verdict >= 0) | (truth >= 0))].any()
        if is_same and n_both >= _FEWEST_FOR_A_COPY:
            messages.append(
                Message(
                    "warning",
                    "judge_is_label",
                    f"The verdicts of {key!r} are the human labels of {letter} on all "
                    f"{n_both:,} rows, and nowhere else.",
                    "If its column is a copy of the labels, leave it out: it says nothing new.",
                )
            )
        is_passed = verdict == top
        n_passed = int(rows[is_passed].sum())
        has_checks = rows[(verdict >= 0) & (verdict < top) & (truth >= 0)].any()
        if n_passed and has_checks and not rows[is_passed & (truth >= 0)].any():
            did = "passed" if top == 1 else "gave its top grade"
            one = f"The one row that {key!r} {did} has no"
            none = f"None of the {n_passed:,} rows that {key!r} {did} has a"
            messages.append(
                Message(
                    "warning",
                    "passed_unchecked",
                    f"{one if n_passed == 1 else none} human label of {letter}: nobody has "
                    "checked what it lets through.",
                    f"Label {letter} by hand on some of them.",
                )
            )
    return messages
