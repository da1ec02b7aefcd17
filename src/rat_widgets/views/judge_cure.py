"""What was found of judges' errors in a view, and the judges that allow for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from rat_widgets.views.judge_identity import JudgeIdentity
from rat_widgets.views.sentences import Segment
from rat_widgets.views.tree import Estimate, Note

if TYPE_CHECKING:
    from rat_widgets.views.judge import JudgeView

__all__ = [
    "CURE_LABELS",
    "DepartureKind",
    "JudgeCure",
    "JudgeCured",
    "JudgeDeparture",
    "JudgeNoCure",
    "allowances",
    "cure_allows",
    "cure_line",
    "cure_of",
    "cure_opening",
]

CURE_LABELS: Final[Mapping[str, str]] = {
    "retrieval": "Give it rates of its own where retrieval failed",
    "task": "Give it rates of its own where the answer was not right",
    "abstention": "Give it rates of its own where the system declined",
    "together": "Let the judges err together",
    "saturated": "Give it rates of its own in every case",
    "several": "Let errors depend on all of that",
    "system": "Fit this system by itself",
    "systems": "Go without systems for which it differs",
    "all": "Allow for all of that",
    "undo": "Back to independent errors",
    "undo_system": "Back to one judge for all systems",
    "undo_all": "Allow for none of that",
}
"""What is offered, by what was found, and the way back."""


DepartureKind = Literal[
    "retrieval", "task", "abstention", "saturated", "together", "system", "systems"
]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeDeparture:
    """One way in which judges err that the model does not allow for.

    `judges` are the keys of those concerned. `kind` says what helps: rates of its own for the
    one judge by "retrieval", "task" or "abstention", or in every case ("saturated"), or rates of
    judges that err "together"; or a fit of this "system" by itself, for which a judge that all
    share is another one, or a fit without other "systems" for which it is. `text` says what was
    found, `advice` what to do in Python.
    """

    judges: tuple[str, ...]
    kind: DepartureKind
    text: str
    advice: str


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeCured:
    """What the fit with the cure says of one group.

    `rates` are those of judges whose rates need not be the same in all groups, by the rate's key:
    of judges with rates of their own in each group, and where groups are fitted by themselves of
    all judges, those of the fit; of other judges that groups share and that differ between them
    those of this group's rows with a human label alone. `departures` are ways in which judges err
    here that the cure does not allow for, `notes` what else that fit says aloud.
    """

    rates: dict[str, Estimate]
    departures: tuple[JudgeDeparture, ...]
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeCure:
    """The judges of a view with everything allowed for that was found of any group.

    `judges` are all of them, in the view's order, `priors` the Beta parameters of one group's
    probabilities with their rates. `apart` are the positions, ascending, of groups for which a
    judge that all share is another one: each is fitted by itself, and the others share their judges
    without them. `python` makes those judges anew that have changed, and says which systems
    `rat.fit` is to take apart. `groups` are in the view's order, or empty where the fit with the
    cure takes long and was not made beforehand.
    """

    judges: tuple[JudgeIdentity, ...]
    priors: dict[str, tuple[float, float]]
    python: tuple[str, ...]
    groups: tuple[JudgeCured, ...] = ()
    apart: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeNoCure:
    """Why errors that were found of judges have no cure at a click, and as many as can have it.

    `text` says why, `python` makes those judges; it is empty where no judge can have the cure.
    """

    text: str
    python: str


def cure_of(view: JudgeView) -> JudgeCure | None:
    """The cure that the view's estimates are under."""
    return view.cure if view.moves is not None and view.moves.cured else None


def cure_allows(view: JudgeView) -> tuple[bool, list[str]]:
    """What the cure that is on allows for: errors that depend, and groups fitted by themselves."""
    cure = cure_of(view)
    if cure is None:
        return False, []
    apart = [view.groups[i].label for i in cure.apart]
    return cure.judges != view.judges, apart


def cure_opening(*, is_errors: bool, apart: Sequence[str], is_apart: bool) -> str:
    """What the numbers of a cure go by; `is_apart` says that they are of a group in `apart`."""
    errors = "ith errors that depend on more than the truth"
    if not apart:
        return f"W{errors}"
    if is_apart:
        return f"With this system fitted by itself{f' and w{errors}' if is_errors else ''}"
    which = f"“{apart[0]}”," if len(apart) == 1 else f"the {len(apart)} systems"
    return f"Without {which} for which a judge differs{f', and w{errors}' if is_errors else ''}"


def allowances(*, is_errors: bool, apart: Sequence[str]) -> list[str]:
    """What a reader did by taking the cure."""
    said = ["let errors depend on more than the truth"] if is_errors else []
    if len(apart) == 1:
        said.append(f"fitted “{apart[0]}” by itself")
    elif apart:
        said.append(f"fitted {len(apart)} systems by themselves")
    return said


def cure_line(
    opening: str,
    task: tuple[str, str],
    policy: tuple[str, str],
    *,
    is_rate: bool = True,
    is_all: bool = False,
) -> list[Segment]:
    """What the cure changes: P(T), and P(G) or the utility, as texts before and after.

    `opening` is that of `cure_opening`; `is_all` says that nothing is found of the judges with the
    cure.
    """
    said: list[Segment] = [(f"{opening}, ", "")]
    for i, (name, (old, new)) in enumerate(
        [("P(T)", task), ("P(G)" if is_rate else "the utility", policy)]
    ):
        goes, now = _change(old, new)
        said += [(f"{' and ' if i else ''}{name} {goes} ", ""), (now, "strong")]
    return [*said, (f".{' Nothing more is found with that.' if is_all else ''}", "")]


def _change(old: str, new: str) -> tuple[str, str]:
    """How a number changed, and what stands large: where the value stays it is the interval."""
    value, _, span = old.partition(" (")
    if old == new:
        return "stays", new
    if span and new.startswith(f"{value} ("):
        changed = new.removeprefix(f"{value} (").removesuffix(")")
        return f"stays {value}, its interval {span.removesuffix(')')} becomes", changed
    return f"goes from {old} to", new
