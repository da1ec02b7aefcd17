"""What a diagnosis says of R where nothing tells of it: once, and quietly.

Of answers that judges judged, with no R on any row, P(T) and P(A) are what is asked. That P(R) is
the prior's is true, and no reason to distrust them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rat_widgets.inference.diagnose import Message

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["hidden_message"]

_HIDDEN: Final = Message(
    "info",
    "not_identified",
    "No row shows R and no judge speaks of it: P(R), and what depends on R such as P(G), rests on "
    "the prior.",
    "Label R on some rows, together with T where the row was answered, if these matter.",
)


def hidden_message(groups: Sequence[PatternCounts]) -> Message | None:
    """What is said where judges judged, no row of these groups shows R, and no judge speaks of it.

    None elsewhere, and without judges: such a table is read for the tree, which begins with R.
    """
    judges = groups[0].judges
    if not judges or any("retrieval" in (judge.of, judge.depends_on) for judge in judges):
        return None
    is_seen = any(counts.counts[:, counts.patterns[:, 0] >= 0].any() for counts in groups)
    return None if is_seen else _HIDDEN
