"""What a posterior has by key: draws of quantities, of worlds and of judges' rates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from rat_widgets.derived.meant import quantity_hint
from rat_widgets.derived.quantities import (
    ANSWERABILITY,
    POLICY,
    find_quantity,
    quantities_of,
    quantity_draws,
)
from rat_widgets.derived.these_rows import row_worlds
from rat_widgets.errors import ArgumentError
from rat_widgets.model.worlds import branch_probabilities, world_probabilities

if TYPE_CHECKING:
    from rat_widgets.derived.posterior import Posterior
    from rat_widgets.inference.draws import Draws

__all__ = ["draws_of", "every_quantity"]


def every_quantity(posterior: Posterior) -> dict[str, Float[np.ndarray, "chain draw"]]:
    """Draws of every quantity and every judge's rates, by key."""
    levels = posterior.tree.levels
    found = {q.key: quantity_draws(q, posterior.worlds, levels) for q in quantities_of(levels)}
    found[POLICY] = posterior.policy.value(posterior.worlds)
    if posterior.pins:
        return found | _reached(posterior)
    if posterior.answerability is not None:
        found |= _answerability(posterior, posterior.answerability)
    if posterior.is_of_rows:
        return found | _reached(posterior)
    # The parameters themselves, not ratios of worlds: defined also where a world has no mass.
    return found | posterior.draws.told()


def draws_of(posterior: Posterior, key: str) -> Float[np.ndarray, "chain draw"]:
    """Draws of one quantity, world or rate.

    Raises
    ------
    ArgumentError
        For a key that the posterior does not have.
    """
    names = posterior.tree.names
    if isinstance(key, str) and key in names:
        return np.asarray(posterior.worlds[..., names.index(key)])
    if isinstance(key, str) and (one := _alone(posterior, key)) is not None:
        return one
    found = every_quantity(posterior)
    if isinstance(key, str) and key in found:
        return found[key]
    asks_answerable = isinstance(key, str) and key in {q.key for q in ANSWERABILITY}
    raise ArgumentError.build(
        f"This posterior has no quantity {key!r}.",
        accepted=f"It has {', '.join([*found, *names])}.",
        hint="give the column that says whether the corpus holds an answer, `answerable=`."
        if asks_answerable
        else quantity_hint(key, quantities_of(posterior.tree.levels)),
    )


def _answerability(
    posterior: Posterior, asked: Draws
) -> dict[str, Float[np.ndarray, "chain draw"]]:
    worlds = world_probabilities(asked.theta)
    if posterior.is_of_rows:
        worlds = row_worlds(asked, seed=posterior.rows_seed)
    return {q.key: quantity_draws(q, worlds) for q in ANSWERABILITY}


def _reached(posterior: Posterior) -> dict[str, Float[np.ndarray, "chain draw"]]:
    """What `Draws.told` gives, of pins or of rows; undefined where none gets there."""
    named = posterior.draws.told()
    shown = branch_probabilities(posterior.theta)
    for i, name in enumerate(posterior.tree.branches):
        given = find_quantity(name, posterior.tree.levels).denominator
        reached = sum((draws_of(posterior, world) for world in given), np.zeros(()))
        mass = reached if given else posterior.worlds.sum(axis=-1)
        named[name] = np.where(mass > 0, shown[..., i], np.nan)
    return named


def _alone(posterior: Posterior, key: str) -> Float[np.ndarray, "chain draw"] | None:
    """What `every_quantity` has by this key, where that follows from the worlds by itself."""
    if key == POLICY:
        return posterior.policy.value(posterior.worlds)
    levels = posterior.tree.levels
    # Branches and rates are parameters, or undefined under pins and of rows.
    if key in posterior.tree.branches or key not in {q.key for q in quantities_of(levels)}:
        return None
    return quantity_draws(find_quantity(key, levels), posterior.worlds, levels)
