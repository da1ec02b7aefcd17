"""Two tables of counts as one: their groups and their patterns united."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rat_widgets.errors import CountsError
from rat_widgets.labels.effective import combined_effects

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["united"]

_TALLIES: Final = ("errored", "dropped")


def united(mine: PatternCounts, theirs: PatternCounts) -> dict[str, Any]:
    """Keywords of the `PatternCounts` of both tables together.

    Raises
    ------
    CountsError
        When they are not of the same columns, judges and levels.
    """
    for name in ("by", "judges", "retrieval_levels"):
        one, other = getattr(mine, name), getattr(theirs, name)
        if one != other:
            raise CountsError.build(
                f"These counts differ in `{name}`: {one!r} and {other!r}.",
                accepted="Only counts of the same columns, judges and levels add up.",
                hint="read both tables with the same keywords, or add `counts.pooled()`.",
            )
    groups = tuple(dict.fromkeys((*mine.groups, *theirs.groups)))
    row = {key: i for i, key in enumerate(groups)}
    split = len(mine.patterns)
    counts = np.zeros((len(groups), split + len(theirs.patterns)), dtype=np.int64)
    tallies = {name: np.zeros(len(groups), dtype=np.int64) for name in _TALLIES}
    sizes, effects = np.zeros((2, len(groups), 2), np.int64), np.ones((2, len(groups), 2))
    both = ((mine, slice(None, split)), (theirs, slice(split, None)))
    for i, (part, columns) in enumerate(both):
        rows = [row[key] for key in part.groups]
        counts[rows, columns] = part.counts
        sizes[i, rows], effects[i, rows] = part.rows_by_kind(), part.deff
        for name, total in tallies.items():
            total[rows] += getattr(part, name)
    return {
        "groups": groups,
        "patterns": np.concatenate([mine.patterns, theirs.patterns]),
        "counts": counts,
        **tallies,
        "deff": combined_effects(sizes, effects),
        "apart": tuple(dict.fromkeys((*mine.apart, *theirs.apart))),
    }
