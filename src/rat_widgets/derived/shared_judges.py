"""Judges that several systems share: the rows of all of them, and systems for which they differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import numpy as np
from jaxtyping import Bool, Float, Int

from rat_widgets.derived.judge_check_text import OF_TRUTH, SHOWN, passed_of, shares_apart, truth_of
from rat_widgets.derived.naive import with_judges
from rat_widgets.inference.diagnose import Message
from rat_widgets.inference.diagnose_sharing import apart_call, labelled_verdicts
from rat_widgets.labels.counts import PATTERN_COLUMNS
from rat_widgets.labels.keys import key_labels
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.priors import Priors, judge_keys

if TYPE_CHECKING:
    from rat_widgets.derived.posterior import Posterior
    from rat_widgets.inference.draws import Draws, Siblings
    from rat_widgets.inference.sharing import Differs
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["JudgeDiffers", "SharedRows", "differs_here", "differs_of", "shared_rows"]

_TRUTH: Final = {"retrieval": "retrieval", "task": "answer", "abstention": "abstention"}


class SharedRows(NamedTuple):
    """Counts of all systems with the verdicts of the judges that they share.

    Attributes
    ----------
    counts : PatternCounts
    positions : tuple of int
        Of the judges among those of the fit.
    priors : Priors
    start : array, shape (parameter,)
        Posterior means of one system, and of the rates.
    cuts : tuple of int
        Of each of these judges the answer from which on a verdict passes.
    """

    counts: PatternCounts
    positions: tuple[int, ...]
    priors: Priors
    start: Float[np.ndarray, " parameter"]
    cuts: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeDiffers:
    """A system for which a judge that systems share is another judge.

    Attributes
    ----------
    judge : int
        Its position among the judges of the fit.
    group : tuple
        The system, as in ``posteriors.groups``.
    log_bf : float
        Log of the Bayes factor of rates of its own against those of all systems.
    message : Message
        The same in words.
    """

    judge: int
    group: tuple[object, ...]
    log_bf: float
    message: Message


def shared_rows(draws: Draws) -> SharedRows | None:
    """What tells of the judges that all systems of a fit share; None where there is nothing."""
    siblings = draws.siblings
    if siblings is None or siblings.counts.n_groups < 2:
        return None
    if "shared rows" not in siblings.kept:
        siblings.kept["shared rows"] = _shared_rows(draws, siblings)
    return cast("SharedRows | None", siblings.kept["shared rows"])


def _shared_rows(draws: Draws, siblings: Siblings) -> SharedRows | None:
    counts = siblings.counts.without_answerable()
    positions = [j for j, judge in enumerate(counts.judges) if judge.share == "all"]
    if not positions:
        return None
    kept = with_judges(counts, positions)
    names = [
        *draws.priors.names[: len(draws.priors.theta)],
        *emissions_of(kept.judges, kept.retrieval_levels).names,
    ]
    at = {name: i for i, name in enumerate(draws.priors.names)}
    if not set(names) <= set(at):  # a saturated judge leans on one that is not shared
        return None
    means = np.concatenate([x.mean(axis=(0, 1)) for x in (draws.theta, draws.rates)])
    return SharedRows(
        kept,
        tuple(positions),
        priors=Priors.from_spec(draws.priors, kept.judges, kept.retrieval_levels),
        start=means[[at[name] for name in names]],
        cuts=tuple(draws.cuts[j] for j in positions),
    )


def differs_here(posterior: Posterior) -> tuple[JudgeDiffers, ...]:
    """What differs for the system of this posterior, and not for others of its fit."""
    return tuple(
        one for one in posterior.judges_that_differ if one.group == posterior.counts.groups[0]
    )


def differs_of(rows: SharedRows, found: Sequence[Differs]) -> tuple[JudgeDiffers, ...]:
    """What was found, in words."""
    names = key_labels(rows.counts.groups)
    return tuple(
        JudgeDiffers(
            judge=rows.positions[one.judge],
            group=rows.counts.groups[one.group],
            log_bf=one.log_bf,
            message=_message(rows, one, names[one.group]),
        )
        for one in found
    )


def _message(rows: SharedRows, found: Differs, name: str) -> Message:
    key = judge_keys(rows.counts.judges)[found.judge]
    text = f"{key!r} is not the same judge for {name!r}: {_shown(rows, found)}"
    return Message("warning", "rates_differ", f"{text}.", _advice(rows, found, key))


def _advice(rows: SharedRows, found: Differs, key: str) -> str:
    """A fit of the system by itself, where labels of its own say how often the judge is right."""
    counts, of = rows.counts, rows.counts.judges[found.judge].of
    verdict = counts.patterns[:, FIRST_JUDGE + found.judge]
    if not counts.counts[found.group, (verdict >= 0) & (truth_of(counts, of) >= 0)].any():
        return (
            f'share="partial" for {key!r} lets its rates differ as far as the labels say. '
            f"Label the {_TRUTH[of]} by hand on some of its rows: without that the others tell all."
        )
    return (
        f"{apart_call(counts.groups[found.group])} fits the system by itself: right even with few "
        f'labels of its own. share="partial" for {key!r} is narrower, and right where all systems '
        "vary."
    )


def _shown(rows: SharedRows, found: Differs) -> str:
    """What labelled rows show of it, or that other rows do."""
    of = rows.counts.judges[found.judge].of
    value, own, others = _where_it_shows(rows, found)
    if not own.sum():
        if _labelled_by_verdict(rows.counts, found.judge)[found.group]:
            return (
                "how much it passes there does not go with what people say of its rows, which "
                "were chosen for labelling by what it says"
            )
        which = "; it may be another of the judges" if len(rows.positions) > 1 else ""
        return (
            "how much it passes there does not go with what else is known of its rows, none of "
            f"which has a human label of the {_TRUTH[of]}{which}"
        )
    text = f"of its {OF_TRUTH[of, value]} it passes {own[1]:,} of {own.sum():,}"
    if others.sum():
        whose = "group's" if rows.counts.n_groups == 2 else "groups'"
        text += f", of the other {whose} {others[1]:,} of {others.sum():,}"
    if abs(shares_apart(own, others)) < SHOWN:
        text += (
            ", and what it passes among its other rows does not go with what people say of it there"
        )
    return text


def _where_it_shows(
    rows: SharedRows, found: Differs
) -> tuple[int, Int[np.ndarray, " 2"], Int[np.ndarray, " 2"]]:
    """The truth at which labelled rows show most, and fails and passes: its own, the others'.

    Of systems whose rows were labelled by verdict passes among labelled rows are no rate.
    """
    counts, judge = rows.counts, rows.counts.judges[found.judge]
    verdict = counts.patterns[:, FIRST_JUDGE + found.judge]
    truth = truth_of(counts, judge.of)
    top = len(counts.retrieval_levels) - 1 if judge.of == "retrieval" else 1
    by_group = counts.counts * ~_labelled_by_verdict(counts, found.judge)[:, None]
    others = by_group.sum(axis=0) - by_group[found.group]
    table = {}
    for value in (0, 1):
        inside = (verdict >= 0) & ((truth == top) if value else (truth >= 0) & (truth < top))
        both = [
            passed_of(judge, n[inside], verdict[inside], rows.cuts[found.judge])
            for n in (by_group[found.group], others)
        ]
        table[value] = np.array([[n - passed, passed] for passed, n in both])
    which = max((0, 1), key=lambda value: (abs(shares_apart(*table[value])), table[value][0].sum()))
    return which, *table[which]


def _labelled_by_verdict(counts: PatternCounts, judge: int) -> Bool[np.ndarray, " group"]:
    """Systems whose labelled rows have other verdicts of this judge than their other rows."""
    is_labelled = counts.patterns[:, PATTERN_COLUMNS.index(counts.judges[judge].of)] >= 0
    is_labelled &= counts.patterns[:, FIRST_JUDGE + judge] >= 0
    kept = labelled_verdicts(counts, [judge]).get(judge)
    if kept is None:  # more than two verdicts: not looked at
        return np.zeros(counts.n_groups, dtype=bool)
    n_labelled = counts.counts[:, is_labelled].sum(axis=1)
    return (n_labelled > 0) & (kept.sum(axis=(1, 2)) == 0)
