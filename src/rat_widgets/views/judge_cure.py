"""What was found of judges' errors in a view, and the judges that allow for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from rat_widgets.views.judge_identity import JudgeIdentity
from rat_widgets.views.sentences import Segment
from rat_widgets.views.tree import Estimate

if TYPE_CHECKING:
    from rat_widgets.views.judge import JudgeView

__all__ = [
    "CURE_LABELS",
    "DepartureKind",
    "JudgeCure",
    "JudgeCured",
    "JudgeDeparture",
    "JudgeNoCure",
    "cure_line",
    "cure_of",
]

CURE_LABELS: Final[Mapping[str, str]] = {
    "retrieval": "Give it rates of its own where retrieval failed",
    "task": "Give it rates of its own where the answer was not right",
    "abstention": "Give it rates of its own where the system declined",
    "together": "Let the judges err together",
    "saturated": "Give it rates of its own in every case",
    "several": "Let errors depend on all of that",
    "undo": "Back to independent errors",
}
"""What is offered, by what was found, and the way back."""


DepartureKind = Literal["retrieval", "task", "abstention", "saturated", "together"]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeDeparture:
    """One way in which judges err that the model does not allow for.

    `judges` are the keys of those concerned. `kind` says what helps: rates of its own for the
    one judge by "retrieval", "task" or "abstention", or in every case ("saturated"), or rates of
    judges that err "together". `text` says what was found, `advice` what to do in Python.
    """

    judges: tuple[str, ...]
    kind: DepartureKind
    text: str
    advice: str


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeCured:
    """What the fit with the cure says of one group.

    `rates` are those of judges whose rates need not be the same in all groups, by the rate's key:
    of judges with rates of their own in each group those of the fit, of judges that groups share
    and that differ between them those of this group's rows with a human label alone. `departures`
    are ways in which judges err here that the cure does not allow for.
    """

    rates: dict[str, Estimate]
    departures: tuple[JudgeDeparture, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeCure:
    """The judges of a view with everything allowed for that was found of any group.

    `judges` are all of them, in the view's order, `priors` the Beta parameters of one group's
    probabilities with their rates. `python` makes those anew that have changed. `groups` are in the
    view's order, or empty where the fit with the cure takes long and was not made beforehand.
    """

    judges: tuple[JudgeIdentity, ...]
    priors: dict[str, tuple[float, float]]
    python: tuple[str, ...]
    groups: tuple[JudgeCured, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeNoCure:
    """Why what was found of judges has no cure at a click, and as many of them as can have it.

    `text` says why, `python` makes those judges; it is empty where no judge can have the cure.
    """

    text: str
    python: str


def cure_of(view: JudgeView) -> JudgeCure | None:
    """The cure that the view's estimates are under."""
    return view.cure if view.moves is not None and view.moves.cured else None


def cure_line(
    task: tuple[str, str],
    policy: tuple[str, str],
    *,
    is_rate: bool = True,
    is_all: bool = False,
) -> list[Segment]:
    """What the cure changes: P(T), and P(G) or the utility, as texts before and after.

    `is_all` says that nothing is found of the judges with the cure.
    """
    said: list[Segment] = [("With errors that depend on more than the truth, ", "")]
    for i, (name, (old, new)) in enumerate(
        [("P(T)", task), ("P(G)" if is_rate else "the utility", policy)]
    ):
        joint = " and " if i else ""
        goes = "stays" if old == new else f"goes from {old} to"
        said += [(f"{joint}{name} {goes} ", ""), (new, "strong")]
    return [*said, (f".{' Nothing more is found with that.' if is_all else ''}", "")]
