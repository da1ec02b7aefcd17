"""Closer to the posterior round by round: weighted draws of a proposal, and one fitted to them.

The first proposal is the t distribution at the mode, or where the labels leave a direction open
one that goes along it. As long as too few of its draws count, a bend is fitted to them by their
weights, and its draws are weighted in turn. No step of this is
part of a walk: it finds where walkers start and what they are offered, and changes neither
their posterior nor what may be said of it.

References
----------
Cappé, Guillin, Marin, Robert (2004), "Population Monte Carlo", JCGS 13(4).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.inference.bends import Bend
from rat_widgets.inference.blocks import Block
from rat_widgets.inference.proposals import Proposal
from rat_widgets.inference.turned import Turned

__all__ = ["Approach", "Offers", "approach", "follower", "resampled", "truncated"]

# What tries come from.
Offers = Proposal | Bend | Turned

# Draws of each round, and the fraction that has to count for it to be the last.
_ROUNDS: Final = ((1024, 0.5), (2048, 0.75), (2048, 0.75), (2048, 0.0))
# Points kept of the last round.
_N_KEPT: Final = 512


class Approach(NamedTuple):
    """How near some groups have come.

    Attributes
    ----------
    groups : array of int, shape (group,)
        Their places in the block.
    proposal : Proposal or Bend
    logits : array, shape (group, parameter, point)
        Points that are spread nearly as the posterior is.
    fraction : array, shape (group,)
        Of draws of the proposal, those that count: 1 where it is the posterior.
    """

    groups: Int[np.ndarray, " group"]
    proposal: Offers
    logits: Float[np.ndarray, "group parameter point"]
    fraction: Float[np.ndarray, " group"]


def approach(
    block: Block,
    proposal: Offers,
    streams: Sequence[np.random.Generator],
    n_kept: int,
) -> Iterator[Approach]:
    """What is near the posterior of each group with one mode, from a first proposal.

    Groups that have come equally far are put together; a group's result does not depend on the
    groups beside it.
    """
    todo = np.arange(len(block.groups), dtype=np.intp)
    for n, enough in _ROUNDS:
        own = [streams[g] for g in todo.tolist()]
        angle, log_density = proposal.offer(own, n)
        density, points = block.take(todo).surface.of_angles(angle)
        weight, fraction = truncated(density - log_density)
        is_near = fraction >= enough
        near, far = np.flatnonzero(is_near), np.flatnonzero(~is_near)
        if len(near):
            kept = resampled(
                points[near], weight[near], [own[g] for g in near], max(_N_KEPT, n_kept)
            )
            best = proposal.take(near)
            if best.is_straight:
                # Straight enough: what is left to find is the mean and the covariance.
                best = Proposal.weighted(angle[near], weight[near])
            yield Approach(todo[near], best, kept, fraction[near])
        if not len(far):
            return
        proposal, todo = follower(proposal).fitted(angle[far], weight[far]), todo[far]


def follower(proposal: Offers) -> type[Bend | Turned]:
    """What is fitted to draws of a proposal, and to where walkers went that it was offered to."""
    return Turned if isinstance(proposal, Turned) else Bend


def truncated(
    log_weight: Float[np.ndarray, "group draw"],
) -> tuple[Float[np.ndarray, "group draw"], Float[np.ndarray, " group"]]:
    """Importance weights, none so heavy that it stands for most, and the fraction that counts."""
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    n = weight.shape[1]
    fraction = weight.sum(axis=1) ** 2 / (n * (weight**2).sum(axis=1))
    most = weight.mean(axis=1, keepdims=True) * np.sqrt(n)
    return np.minimum(weight, most), fraction


def resampled(
    points: Float[np.ndarray, "group parameter draw"],
    weight: Float[np.ndarray, "group draw"],
    streams: Sequence[np.random.Generator],
    n: int,
) -> Float[np.ndarray, "group parameter point"]:
    """Points of each group in proportion to their weights, dealt out evenly."""
    total = np.cumsum(weight, axis=1)
    place = (np.arange(n) + np.array([[rng.random()] for rng in streams])) / n
    chosen = np.stack([np.searchsorted(t, u * t[-1]) for t, u in zip(total, place, strict=True)])
    # Neighbours come from one mode; dealt out in an order that gives every chain its share.
    order = np.argsort((np.arange(n) * 0.6180339887498949) % 1)
    # In one order in memory, so that sums over them do not depend on how many groups there are.
    return np.ascontiguousarray(np.take_along_axis(points, chosen[:, None, order], axis=2))
