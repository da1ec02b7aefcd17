"""Cells of a judge from which no verdict can be read: how many, and when they are too many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from rat_widgets.labels.roles import FIRST_VERDICT

if TYPE_CHECKING:
    from rat_widgets.labels.roles import Roles
    from rat_widgets.labels.tally import Tally

__all__ = ["LARGEST_SHARE", "Unreadable", "unreadable_verdicts"]

LARGEST_SHARE: Final = 0.5
"""Where more of a judge's cells are unreadable the column is refused."""

_NOTABLE_SHARE: Final = 0.1
_ABSTENTION: Final = 1


class Unreadable(NamedTuple):
    """Text of one judge that is no verdict.

    Attributes
    ----------
    name, column : str
        The judge's.
    n_cells, n_unreadable : int
        Cells that hold something, and those of them from which no verdict can be read. Rows that
        errored are left out; so are abstentions where the judge is one of the task.
    """

    name: str
    column: str
    n_cells: int
    n_unreadable: int

    @property
    def is_notable(self) -> bool:
        """Whether so much is lost that a reader has to know."""
        return 0 < _NOTABLE_SHARE * self.n_cells <= self.n_unreadable

    @property
    def is_too_much(self) -> bool:
        """Whether the column is hardly one of verdicts."""
        return self.n_unreadable > LARGEST_SHARE * self.n_cells

    @property
    def text(self) -> str:
        """The finding, in one sentence."""
        return (
            f"{self.n_unreadable:,} of the {self.n_cells:,} cells of judge {self.name!r} "
            f"({self.n_unreadable / self.n_cells:.0%}) hold text that is no verdict: "
            "they count as missing verdicts."
        )

    @property
    def advice(self) -> str:
        """What to do about it."""
        return (
            f"Look at the column {self.column!r}: the calls that failed may be those on hard rows. "
            "Text that is a verdict is read through `values`, and one that says 'cannot tell' "
            "through `rat.Judge(unknown=...)`."
        )


def unreadable_verdicts(tally: Tally, roles: Roles) -> tuple[Unreadable, ...]:
    """For each judge its cells, and those from which no verdict can be read."""
    judged = roles.treatment.judged(tally.codes)
    is_sound = judged.is_counted & ~judged.is_errored
    answered = judged.patterns[:, _ABSTENTION] != 1
    found = []
    for i, judge in enumerate(roles.judges):
        codes = tally.codes[:, FIRST_VERDICT + i]
        asked = is_sound & (codes != -1) & (answered | np.bool_(judge.of != "task"))
        n_unreadable = tally.rows[asked & (codes >= judge.n_answers)].sum()
        found.append(
            Unreadable(judge.name, judge.column, int(tally.rows[asked].sum()), int(n_unreadable))
        )
    return tuple(found)
