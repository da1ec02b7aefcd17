"""In which order systems stand: by P(G), or by what their labels speak of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from rat_widgets._markup import first_named, named
from rat_widgets.derived.quantities import POLICY
from rat_widgets.inference.diagnose_hidden import is_told_of
from rat_widgets.views.levels import TreeKeys, keys_of
from rat_widgets.views.wording import percent
from rat_widgets.views.words import words_of

if TYPE_CHECKING:
    from rat_widgets.derived.posterior import Posterior
    from rat_widgets.views.tree import TreeGroup, TreeView

__all__ = ["Standing", "standing_note", "standings"]

_DECLINES_MOSTLY: Final = 0.5
_TASK: Final = "task_success"
_LETTERS: Final = {"retrieval": "R", "task": "T"}


class Standing(NamedTuple):
    """A system in its place, and why it stands there.

    Attributes
    ----------
    group : TreeGroup
    by : str
        Key of the quantity that the place goes by: P(G), else P(T), else P(R).
    untold : tuple of str
        Of "retrieval" and "task" those that P(G) goes by and nothing of the system tells of.
    """

    group: TreeGroup
    by: str
    untold: tuple[str, ...]


def standings(view: TreeView, posteriors: Sequence[Posterior]) -> list[Standing]:
    """The systems in their order.

    Those whose labels speak of all that P(G) goes by come first, the highest P(G) first; then by
    P(T) those whose labels speak of T, and by P(R) the rest.

    Parameters
    ----------
    view : TreeView
    posteriors : sequence of Posterior
        One per group of the view.
    """
    keys = keys_of(view.levels)
    needs = _goes_by(view.policy.weights, keys)
    order = (POLICY, _TASK, keys.top.retrieval)
    found: list[Standing] = []
    for group, posterior in zip(view.groups, posteriors, strict=True):
        told = _told_of(posterior, posteriors)
        untold = tuple(truth for truth in needs if truth not in told)
        by = POLICY if not untold else _TASK if "task" in told else keys.top.retrieval
        found.append(Standing(group, by, untold))
    return sorted(found, key=lambda one: (order.index(one.by), -_value(one)))


def _goes_by(weights: Mapping[str, float], keys: TreeKeys) -> tuple[str, ...]:
    """Of "retrieval" and "task" those that a policy's value depends on."""
    by_band = [
        tuple(weights.get(world, 0.0) for world in (band.right, band.wrong, band.abstained))
        for band in keys.bands
    ]
    needs = []
    if len(set(by_band)) > 1:
        needs.append("retrieval")
    if any(right != wrong for right, wrong, _ in by_band):
        needs.append("task")
    return tuple(needs)


def _told_of(posterior: Posterior, posteriors: Sequence[Posterior]) -> set[str]:
    """Truths that rows of the system tell of; in a pooled fit those of the others count, too."""
    groups = [posterior.counts]
    if posterior.draws.pooling is not None:
        groups = [p.counts for p in posteriors if p.draws.pooling is not None]
    return {truth for truth in _LETTERS if is_told_of(groups, truth)}


def _value(standing: Standing) -> float:
    estimates = {**standing.group.branches, **standing.group.quantities}
    return estimates[standing.by].value or 0.0


def standing_note(view: TreeView, order: Sequence[Standing]) -> str:
    """What the order of the systems means, and what it does not."""
    places = dict.fromkeys(one.by for one in order)
    parts = [
        _about(view, by, [one for one in order if one.by == by], is_first=i == 0)
        for i, by in enumerate(places)
    ]
    return " ".join(parts)


def _about(view: TreeView, by: str, ones: Sequence[Standing], *, is_first: bool) -> str:
    """What is said of the systems whose place goes by one quantity."""
    name = _names(view)[by]
    if by == POLICY:
        return f"Sorted by {name}.{_about_declining(view, ones[0].group)}"
    untold = tuple(dict.fromkeys(truth for one in ones for truth in one.untold))
    letters = " or ".join(_LETTERS[truth] for truth in untold)
    rest = "P(G) rests" if by == _TASK else "P(T) and P(G) rest"
    why = f"No label and no judge tells of {letters}"
    if is_first:
        return f"Sorted by {name}. {why}: {rest} on the prior."
    stand = "stands one" if len(ones) == 1 else f"stand {len(ones):,}"
    which = first_named(one.group.label for one in ones)
    return f"Below {stand} by {name}: {which}. {why} there, and {rest} on the prior."


def _names(view: TreeView) -> dict[str, str]:
    """What systems are sorted by, with its symbol."""
    top = keys_of(view.levels).top.retrieval
    label, symbol = words_of(view.levels).stats[top]
    return {
        POLICY: "P(G), right by policy",
        _TASK: "P(T), correct answers",
        top: f"{symbol}, {label[0].lower()}{label[1:]}",
    }


def _about_declining(view: TreeView, first: TreeGroup) -> str:
    """That P(G) may reward declining, and by how much it does of the first system."""
    weights = view.policy.weights
    if not any(weights.get(band.abstained, 0) > 0 for band in keys_of(view.levels).bands):
        return ""
    said = (
        " It rewards declining where the policy calls that right, so that a system may lead "
        "without answering: read P(G) beside P(T), correct answers, and P(A), declined."
    )
    declines, solves = first.quantities["abstention"], first.quantities[_TASK]
    if (declines.value or 0.0) > _DECLINES_MOSTLY:
        said += (
            f" The first, {named(first.label)}, declines {percent(declines.value)} of the queries "
            f"and solves {percent(solves.value)}."
        )
    return said
