"""What a diagnosis says of R where nothing tells of it: once, and quietly.

Of answers that judges judged, with no R on any row, P(T) and P(A) are what is asked. That P(R) is
the prior's is true, and no reason to distrust them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from rat_widgets.inference.diagnose import Message
from rat_widgets.labels.counts import PATTERN_COLUMNS
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.worlds import worlds_of

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["Hidden", "hidden_r", "is_told_of"]

_HIDDEN: Final = Message(
    "info",
    "not_identified",
    "No row shows R and no judge speaks of it: P(R), and what depends on R such as P(G), rests on "
    "the prior.",
    "Label R on some rows, together with T where the row was answered, if these matter.",
)


class Hidden(NamedTuple):
    """An R that nothing tells of.

    Attributes
    ----------
    message : Message
        What is said of it.
    names : frozenset of str
        Parameters that are one thing after a miss and another after a hit: those of the tree, and
        the rates of saturated judges. They are as open as P(R); P(A), P(T), and what judges pass
        in all, are not.
    """

    message: Message
    names: frozenset[str]


def hidden_r(groups: Sequence[PatternCounts]) -> Hidden | None:
    """What is said where judges judged, no row of these groups shows R, and no judge speaks of it.

    None elsewhere, and without judges: such a table is read for the tree, which begins with R.
    """
    judges = groups[0].judges
    if not judges or any("retrieval" in (judge.of, judge.depends_on) for judge in judges):
        return None
    return None if is_told_of(groups, "retrieval") else Hidden(_HIDDEN, _by_r(groups[0]))


def is_told_of(groups: Sequence[PatternCounts], truth: str) -> bool:
    """Whether a row of these groups shows "retrieval" or "task", or a verdict on it."""
    columns = [PATTERN_COLUMNS.index(truth)]
    columns += [FIRST_JUDGE + j for j, judge in enumerate(groups[0].judges) if judge.of == truth]
    shown = [counts.patterns[np.ix_(counts.counts.any(axis=0), columns)] for counts in groups]
    return any(bool((rows >= 0).any()) for rows in shown)


def _by_r(counts: PatternCounts) -> frozenset[str]:
    emissions = emissions_of(counts.judges, counts.retrieval_levels)
    rates = [
        name
        for judge, emission in zip(counts.judges, emissions.judges, strict=True)
        if judge.dependence == "saturated"
        for name in emission.names
    ]
    return frozenset((*worlds_of(counts.retrieval_levels).parameters, *rates))
