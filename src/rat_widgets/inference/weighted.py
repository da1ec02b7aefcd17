"""Weighted draws near the modes: thousands of small posteriors for a tenth of what walks cost.

A t distribution at each mode, in angles, offers draws; each has the weight that its posterior
density is over what is offered. Where the weights are even such draws are as good as a walk's.
Where they are not, on bent ridges and along what the labels leave open, a walk is needed, and the
fraction of the draws that counts says so.

References
----------
Geweke (1989), "Bayesian inference in econometric models using Monte Carlo integration",
Econometrica 57(6).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from rat_widgets.inference.constraint import bound_judges, is_above, read_constraint
from rat_widgets.inference.diagnose import Diagnosis
from rat_widgets.inference.draws import Draws
from rat_widgets.inference.engine import package_versions
from rat_widgets.inference.logits import Plan, refusal
from rat_widgets.inference.monotone import has_monotone, is_in_order
from rat_widgets.inference.peaks import Peaks
from rat_widgets.inference.proposals import Proposal
from rat_widgets.inference.threads import spread

if TYPE_CHECKING:
    from rat_widgets.inference.blocks import Block
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.model.priors import Priors

__all__ = ["Weighted", "normalised", "refusal", "weighted"]

_REASON: Final = "Weighted draws of t distributions at the modes."
# Probabilities beyond which hardly any draw counts, and none is made.
_MOST_WEIGHTED: Final = 16


class Weighted(NamedTuple):
    """Draws of one group, each of which stands for as much as its weight.

    Attributes
    ----------
    draws : Draws
        One chain. What it is made of is no posterior by itself.
    weight : array, shape (draw,)
        They sum to 1; all are 0 where a constraint holds in no draw.
    fraction : float
        Of the draws, those that count where nothing is constrained: 1 where weights are even, 0
        where more than 16 probabilities depend on each other, of which no draw is made.
    n_effective : float
        How many independent draws of the posterior they are worth, under the constraint.
    """

    draws: Draws
    weight: Float[np.ndarray, " draw"]
    fraction: float
    n_effective: float


def weighted(
    counts: PatternCounts,
    priors: Priors,
    *,
    n_draws: int,
    seed: int,
    constraint: str | None = None,
    exempt: Collection[str] = (),
) -> tuple[Weighted, ...]:
    """Weighted draws of each group of the counts, which share no judge.

    Parameters
    ----------
    counts : PatternCounts
        Of which `refusal` says nothing.
    priors : Priors
    n_draws : int
    seed : int
        A group's draws do not depend on the other groups.
    constraint, exempt
        As of `sample`; a draw that breaks the constraint, or the order of a monotone judge, has
        weight 0.
    """
    plan = Plan(counts, priors, seed, 1, n_draws)
    log_weight = np.zeros((len(plan.groups), n_draws))

    def fill(pair: tuple[Block, Peaks]) -> None:
        block, peaks = pair
        if len(block.parameters) > _MOST_WEIGHTED:
            log_weight[block.groups] = -np.inf
            return
        streams = [np.random.default_rng(stream) for stream in plan.streams(block)]
        angle, offered = Proposal.at(peaks).offer(streams, n_draws)
        density, logits = block.surface.of_angles(angle)
        plan.fill(block, logits[:, :, None])
        log_weight[block.groups] = density - offered

    spread(fill, plan.blocks)
    is_bound = read_constraint(constraint, counts) is not None
    bound = bound_judges(counts.judges, priors, exempt) if is_bound else []
    found = []
    for g, group in enumerate(plan.groups):
        draws = _draws(plan, group, plan.draws[g])
        free = normalised(log_weight[g])[1]
        weight, share = normalised(np.where(_holds(draws, bound), log_weight[g], -np.inf))
        found.append(Weighted(draws, weight, float(free), float(share) * n_draws))
    return tuple(found)


def normalised(
    log_weight: Float[np.ndarray, "*batch draw"],
) -> tuple[Float[np.ndarray, "*batch draw"], Float[Any, "*batch"]]:
    """Weights that sum to 1, and the fraction of the draws that counts; 0 where none has any."""
    top = log_weight.max(axis=-1, keepdims=True)
    weight = np.exp(log_weight - np.where(top > -np.inf, top, 0.0))
    total = weight.sum(axis=-1, keepdims=True)
    weight /= np.where(total > 0, total, 1.0)
    squared = (weight**2).sum(axis=-1)
    return weight, (squared > 0) / (weight.shape[-1] * np.where(squared > 0, squared, 1.0))


def _holds(draws: Draws, bound: list[int]) -> Bool[np.ndarray, " draw"]:
    """Where the order of monotone judges and the constraint on those that are bound hold."""
    holds = np.ones(draws.theta.shape[:2], dtype=bool)
    if has_monotone(draws.counts):
        holds &= is_in_order(draws)
    if bound:
        holds &= is_above(draws, bound)
    return holds[0]


def _draws(
    plan: Plan, group: PatternCounts, values: Float[np.ndarray, "chain draw parameter"]
) -> Draws:
    theta, rates = np.split(values, [plan.n_theta], axis=-1)
    return Draws(
        theta=theta,
        rates=rates,
        counts=group,
        priors=plan.priors,
        seed=plan.seed,
        engine="weighted",
        reason=_REASON,
        versions=package_versions("rat_widgets", "numpy"),
        diagnosis=Diagnosis(engine="weighted", reason=_REASON),
    )
