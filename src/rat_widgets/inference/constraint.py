"""TPR above FPR, when the caller says so: the way to tell mirror solutions apart without labels.

The constrained posterior is the posterior where the constraint holds, so draws that break it are
left out, and the rest are draws from it. It does not bind a judge of which the caller says more: a
rate that is held, or a prior set in its place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from jaxtyping import Bool

from rat_widgets.errors import ArgumentError, EngineError
from rat_widgets.inference.convergence import convergence
from rat_widgets.inference.diagnose import (
    Message,
    convergence_messages,
    mirror_message,
)
from rat_widgets.inference.diagnose_judges import judge_messages
from rat_widgets.inference.draws import Draws
from rat_widgets.model.priors import Priors, judge_keys

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.labels.judges import Judge

__all__ = [
    "CONSTRAINTS",
    "bound_judges",
    "constrained",
    "filtered",
    "first_kept",
    "is_above",
    "judges_with",
    "read_constraint",
]

CONSTRAINTS: Final = ("tpr>fpr",)

# Seven annotators of whom some have said little keep 4% of the draws.
_MOST_TIMES: Final = 64
# What draws of the whole posterior were told, and is not so, or not known, of those that are kept.
_OUTDATED: Final = (
    "not_anchored",
    "several_modes",
    "r_hat",
    "ess",
    "judge_uninformative",
    "judge_vague",
)


def read_constraint(constraint: object, counts: PatternCounts) -> str | None:
    """The constraint, or None.

    Raises
    ------
    ArgumentError
        For another constraint, or when there is no judge that it could be about.
    """
    if constraint is None:
        return None
    if not isinstance(constraint, str) or constraint not in CONSTRAINTS:
        raise ArgumentError.build(
            f"`constraint` is {constraint!r:.80}.",
            accepted=f"None, or one of {', '.join(map(repr, CONSTRAINTS))}.",
        )
    if not counts.judges:
        raise ArgumentError.build(
            f"`constraint` is {constraint!r}, and there are no judges.",
            accepted="Judges whose TPR is to be above their FPR.",
            hint='name their columns: judges=[rat.Judge("verdict", of="task")].',
        )
    return constraint


def bound_judges(
    judges: Sequence[Judge], priors: Priors, exempt: Collection[str] = ()
) -> list[int]:
    """Positions of the judges that the constraint is about.

    Those of which neither TPR nor FPR is held, and that are not exempt, by their key.
    """
    keys = judge_keys(judges)
    free = {*exempt, *judges_with(priors.held, keys)}
    return [j for j, key in enumerate(keys) if key not in free]


def judges_with(rates: Collection[str], keys: Sequence[str]) -> list[str]:
    """Keys of the judges whose TPR or FPR is among these rates."""
    return [key for key in keys if f"tpr[{key}]" in rates or f"fpr[{key}]" in rates]


def constrained(
    draw: Callable[[int], tuple[Draws, ...]],
    n_draws: int,
    counts: PatternCounts,
    bound: Sequence[int],
) -> tuple[Draws, ...]:
    """Draws of each group in which every judge that is bound has TPR above FPR.

    Parameters
    ----------
    draw : function of a number of draws per chain
        Draws from the posterior without the constraint.
    n_draws : int
        How many to keep per chain.
    counts : PatternCounts
        Of all groups; a draw counts for all of them where they share a judge or are pooled.
    bound : sequence of int
        Positions of the judges that the constraint is about.

    Raises
    ------
    EngineError
        When the constraint holds in too few draws.
    """

    def refused(share: float) -> EngineError:
        return EngineError.build(
            f"TPR is above FPR in {share:.1%} of the draws, and in hardly any of some chain.",
            accepted="A constraint that the labels leave room for.",
            hint="take engine='hmc', whose chains visit every mode; `exempt` judges with few "
            "verdicts, since one that is bound anchors the others; or label some judged rows by "
            "hand, if the labels say that a judge is no better than a coin.",
        )

    every, keep = filtered(
        draw,
        n_draws,
        counts,
        lambda one: is_above(one, bound),
        refused,
        most_times=_MOST_TIMES,
    )
    return tuple(_kept(one, k, n_draws, bound) for one, k in zip(every, keep, strict=True))


def is_above(draws: Draws, bound: Sequence[int]) -> Bool[np.ndarray, "chain draw"]:
    """Where every judge that is bound has TPR above FPR."""
    found: Bool[np.ndarray, "chain draw"] = (draws.tpr > draws.fpr)[..., list(bound)].all(axis=-1)
    return found


def filtered(
    draw: Callable[[int], tuple[Draws, ...]],
    n_draws: int,
    counts: PatternCounts,
    holds: Callable[[Draws], Bool[np.ndarray, "chain draw"]],
    refused: Callable[[float], EngineError],
    *,
    most_times: int,
) -> tuple[tuple[Draws, ...], Bool[np.ndarray, "group chain draw"]]:
    """Draws of each group, as many as it takes, and where a constraint holds.

    Parameters
    ----------
    draw : function of a number of draws per chain
    n_draws : int
        How many are wanted per chain.
    counts : PatternCounts
    holds : function of a group's draws
    refused : function of the share of draws in which it holds
        What to raise when that is too few.
    most_times : int
        How many times the draws are made at most.
    """
    is_joint = any(judge.share != "group" for judge in counts.judges) and counts.n_groups > 1
    times = 3
    while True:
        every = draw(times * n_draws)
        keep = np.array([holds(one) for one in every])
        if is_joint:
            keep[:] = keep.all(axis=0)
        if int(np.min(np.sum(keep, axis=2))) >= n_draws:
            return every, keep
        times *= 2
        if times > most_times:
            raise refused(float(np.min(keep.mean(axis=(1, 2)))))


def _kept(
    draws: Draws, keep: Bool[np.ndarray, "chain draw"], n_draws: int, bound: Sequence[int]
) -> Draws:
    """The first draws of each chain in which the constraint holds, and what is said of them."""
    first = first_kept(draws, keep, n_draws)
    theta, rates = first.theta, first.rates
    names = draws.priors.names
    both = convergence(np.concatenate([theta, rates], axis=-1))
    r_hat, ess = (dict(zip(names, x.tolist(), strict=True)) for x in both)
    judges = draws.counts.judges
    mirrored = [
        of
        for of in _unbound_truths(judges, bound)
        if mirror_message(of) in draws.diagnosis.messages
    ]
    still = [mirror_message(of) for of in mirrored]
    told = [m for m in draws.diagnosis.messages if m.code not in _OUTDATED or m in still]
    whose = "" if len(bound) == len(judges) else f" of {_names(judges, bound)}"
    said = Message(
        "info",
        "constraint",
        f"TPR{whose} is above FPR because you said so: {keep.mean():.0%} of the draws were kept.",
        "Human labels on some judged rows would show it.",
    )
    diagnosis = replace(
        draws.diagnosis,
        messages=(
            *told,
            *convergence_messages(r_hat, ess, 0),
            *judge_messages(draws.counts, theta, rates, mirrored),
            said,
        ),
        r_hat=r_hat,
        ess_bulk=ess,
    )
    exempt = tuple(key for j, key in enumerate(judge_keys(judges)) if j not in bound)
    return replace(first, diagnosis=diagnosis, exempt=exempt)


def first_kept(draws: Draws, keep: Bool[np.ndarray, "chain draw"], n_draws: int) -> Draws:
    """The first draws of each chain that are kept, with the diagnosis of all."""
    chosen = np.stack([np.flatnonzero(chain)[:n_draws] for chain in keep])[..., None]
    return replace(
        draws,
        theta=np.take_along_axis(draws.theta, chosen, axis=1),
        rates=np.take_along_axis(draws.rates, chosen, axis=1),
        pooling=None if draws.pooling is None else draws.pooling.take(chosen),
    )


def _unbound_truths(judges: Sequence[Judge], bound: Sequence[int]) -> list[str]:
    """Truths of which no judge is bound: their mirror image stays."""
    settled = {judges[j].of for j in bound}
    return sorted({judge.of for judge in judges} - settled - {"abstention"})


def _names(judges: Sequence[Judge], bound: Sequence[int]) -> str:
    keys = judge_keys(judges)
    return ", ".join(repr(keys[j]) for j in bound)
