"""Posteriors of many tables with verdicts: mean and quantiles of a few targets of each.

Weighted draws near the modes, and those of an engine where too few of them count.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from jaxtyping import Float, Int, Int64

from rat_widgets.derived.intervals import weighted_quantiles
from rat_widgets.inference.draws import Draws
from rat_widgets.inference.engine import sample
from rat_widgets.inference.weighted import Weighted, refusal, weighted
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.worlds import world_probabilities
from rat_widgets.planning.fast import Quantiles
from rat_widgets.planning.study_plan import Plan
from rat_widgets.planning.targets import Target

__all__ = ["judged"]

_N_DRAWS: Final = 1000
# Where fewer of the weighted draws count, few places stand for most of the posterior.
_LEAST_FRACTION: Final = 0.05
# Weighted draws of each round, and how many effective ones are enough: levels that are to be in
# order, or judges above chance, leave few.
_ROUNDS: Final = ((2048, 400), (8192, 400), (32768, 50))


def judged(
    plan: Plan,
    patterns: Int[np.ndarray, "pattern column"],
    counts: Int64[np.ndarray, "table pattern"],
    *,
    rng: np.random.Generator,
    probabilities: Float[np.ndarray, " quantile"],
) -> Quantiles:
    """Posterior mean and quantiles of every target for every table.

    Parameters
    ----------
    plan : Plan
        With judges.
    patterns : int array, shape (pattern, 4 + judge)
    counts : int array, shape (table, pattern)
        Rows of each table that show each pattern.
    rng : numpy.random.Generator
        Seeds the draws.
    probabilities : array, shape (quantile,)
    """
    tables = PatternCounts(
        by=("table",),
        groups=tuple((i,) for i in range(len(counts))),
        judges=tuple(replace(judge, share="group") for judge in plan.start.judges),
        patterns=patterns,
        counts=counts,
    )
    seed = int(rng.integers(1 << 31))
    how: dict[str, Any] = {"seed": seed, "constraint": plan.constraint, "exempt": plan.exempt}
    ends = np.empty((1 + len(probabilities), len(counts), len(plan.targets)))
    fraction, is_sampled = np.zeros(len(counts)), np.ones(len(counts), dtype=bool)
    left = list(range(len(counts))) if refusal(tables, plan.priors) is None else []
    for n_draws, enough in _ROUNDS:
        few = []
        for i, found in zip(left, _weighted(tables, left, plan, n_draws, how), strict=True):
            fraction[i] = found.fraction
            if found.fraction < _LEAST_FRACTION:
                continue
            if found.n_effective < enough:
                few.append(i)
                continue
            ends[:, i] = _ends(plan.targets, found.draws, found.weight, probabilities)
            is_sampled[i] = False
        left = few
    again = np.flatnonzero(is_sampled).tolist()
    if again:
        drawn = sample(tables.select(again), plan.priors, draws=_N_DRAWS, **how)
        for i, draws in zip(again, drawn, strict=True):
            ends[:, i] = _ends(plan.targets, draws, None, probabilities)
    return Quantiles(ends[0], ends[1:], fraction, is_sampled)


def _weighted(
    tables: PatternCounts, chosen: list[int], plan: Plan, n_draws: int, how: Mapping[str, Any]
) -> tuple[Weighted, ...]:
    """Weighted draws of the tables that are chosen."""
    if not chosen:
        return ()
    return weighted(tables.select(chosen), plan.priors, n_draws=n_draws, **how)


def _ends(
    targets: Sequence[Target],
    draws: Draws,
    weight: Float[np.ndarray, " draw"] | None,
    probabilities: Float[np.ndarray, " quantile"],
) -> Float[np.ndarray, "1+quantile target"]:
    """Mean and quantiles of one table's draws."""
    worlds = np.moveaxis(world_probabilities(draws.theta.reshape(-1, draws.theta.shape[-1])), -1, 0)
    found = []
    for target in targets:
        value = target.value(worlds)
        # Undefined is what is given where it never happens, so in draws of no weight alone.
        mean, ends = weighted_quantiles(np.nan_to_num(value), weight, probabilities)
        found.append([mean, *ends])
    return np.array(found).T
