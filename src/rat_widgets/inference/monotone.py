"""Graded judges whose higher levels must speak for the truth more than lower ones.

The posterior under that order is the posterior where it holds: draws in which P(level | 1) /
P(level | 0) falls somewhere are left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from jaxtyping import Bool

from rat_widgets.errors import EngineError
from rat_widgets.inference.constraint import filtered, first_kept
from rat_widgets.inference.convergence import convergence
from rat_widgets.inference.diagnose import Message
from rat_widgets.inference.draws import Draws
from rat_widgets.model.priors import judge_keys

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["has_monotone", "is_in_order", "monotone"]

# Levels in no order at all are in order once in n! draws.
_MOST_TIMES: Final = 96


def has_monotone(counts: PatternCounts) -> bool:
    """Whether a judge has levels whose order is given."""
    return any(judge.monotone for judge in counts.judges)


def monotone(
    draw: Callable[[int], tuple[Draws, ...]], n_draws: int, counts: PatternCounts
) -> tuple[Draws, ...]:
    """Draws of each group in which the levels of monotone judges are in order.

    Parameters
    ----------
    draw : function of a number of draws per chain
        Draws from the posterior without the order.
    n_draws : int
        How many to keep per chain.
    counts : PatternCounts

    Raises
    ------
    EngineError
        When the order holds in too few draws.
    """
    keys = judge_keys(counts.judges)
    whose = [key for key, judge in zip(keys, counts.judges, strict=True) if judge.monotone]

    def refused(share: float) -> EngineError:
        return EngineError.build(
            f"The levels of {', '.join(map(repr, whose))} are in order in {share:.1%} of the "
            "draws: the labels tell too little of them, or say otherwise.",
            accepted="monotone=True where labels leave room for the order.",
            hint="fewer levels, more human labels beside them, or monotone=False.",
        )

    every, keep = filtered(draw, n_draws, counts, is_in_order, refused, most_times=_MOST_TIMES)
    return tuple(_kept(one, k, n_draws, whose) for one, k in zip(every, keep, strict=True))


def is_in_order(draws: Draws) -> Bool[np.ndarray, "chain draw"]:
    """Where the levels of every monotone judge are in order."""
    keep = np.ones(draws.theta.shape[:2], dtype=bool)
    for judge, rates in zip(draws.counts.judges, draws.verdict_rates, strict=True):
        if judge.monotone:
            one, other = rates.given_1, rates.given_0
            rises = one[..., 1:] * other[..., :-1] >= one[..., :-1] * other[..., 1:]
            keep &= rises.all(axis=-1)
    return keep


def _kept(
    draws: Draws, keep: Bool[np.ndarray, "chain draw"], n_draws: int, whose: list[str]
) -> Draws:
    first = first_kept(draws, keep, n_draws)
    both = convergence(np.concatenate([first.theta, first.rates], axis=-1))
    r_hat, ess = (dict(zip(draws.priors.names, x.tolist(), strict=True)) for x in both)
    said = Message(
        "info",
        "monotone",
        f"The levels of {', '.join(map(repr, whose))} are in order because you said so: "
        f"{keep.mean():.0%} of the draws were kept.",
        "",
    )
    diagnosis = replace(
        draws.diagnosis,
        messages=(*draws.diagnosis.messages, said),
        r_hat=r_hat,
        ess_bulk=ess,
    )
    return replace(first, diagnosis=diagnosis)
