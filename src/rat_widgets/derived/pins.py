"""What-if: probabilities that somebody sets, the same in every draw."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

import numpy as np
from jaxtyping import Float

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.model.worlds import Worlds, level_probabilities, level_sticks

__all__ = ["pinned_theta", "read_pins"]

_ROUNDING: Final = 1e-9


def read_pins(pins: object, worlds: Worlds) -> dict[str, float]:
    """Pins by the name of a branch, each a probability.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        For a name that is not one of `Worlds.branches`, or a value out of range.
    """
    if pins is None:
        return {}
    if not isinstance(pins, Mapping):
        raise ArgumentTypeError.build(
            f"pin() got {pins!r:.80}.",
            accepted="A mapping from probabilities to values, or the same as keywords.",
        )
    n = {5: "five"}.get(len(worlds.branches), str(len(worlds.branches)))
    for name, value in pins.items():
        if name not in worlds.branches:
            raise ArgumentError.build(
                f"There is no probability {name!r} to pin.",
                accepted=f"These {n} can be pinned: {', '.join(worlds.branches)}.",
            )
        is_number = isinstance(value, (int, float, np.integer, np.floating))
        if isinstance(value, bool) or not is_number or not 0 <= value <= 1:
            is_percent = is_number and 1 < value <= 100
            raise ArgumentError.build(
                f"The pin of {name!r} is {value!r:.80}.",
                accepted="A probability from 0 to 1.",
                hint=f"did you mean {value / 100:g}?" if is_percent else None,
            )
    return {name: float(value) for name, value in pins.items()}


def pinned_theta(
    theta: Float[np.ndarray, "chain draw theta"], pins: Mapping[str, float], worlds: Worlds
) -> Float[np.ndarray, "chain draw theta"]:
    """The draws with some probabilities set.

    Where levels of graded retrieval are pinned, the others share what is left in the
    proportions that they have in each draw, equally where they have none.

    Raises
    ------
    ArgumentError
        When the pinned levels take more than 1 together, or all of them something else than 1.
    """
    theta = theta.copy()
    own = {name: value for name, value in pins.items() if name in worlds.parameters}
    if worlds.is_graded:
        levels = [pins.get(f"retrieval[{level}]") for level in worlds.levels]
        own = {name: value for name, value in own.items() if not name.startswith("retrieval[")}
        if any(value is not None for value in levels):
            theta[..., : worlds.n_levels - 1] = level_sticks(
                _shared_out(level_probabilities(theta), levels)
            )
    for name, value in own.items():
        theta[..., worlds.parameters.index(name)] = value
    return theta


def _shared_out(
    levels: Float[np.ndarray, "chain draw level"], pins: list[float | None]
) -> Float[np.ndarray, "chain draw level"]:
    """The levels' probabilities with the pinned ones set, and the others making up the rest."""
    is_free = np.array([pin is None for pin in pins])
    taken = math.fsum(pin for pin in pins if pin is not None)
    if taken > 1 + _ROUNDING or (not is_free.any() and taken < 1 - _ROUNDING):
        raise ArgumentError.build(
            f"The pinned levels of retrieval add up to {taken:.6g}.",
            accepted="At most 1, and 1 exactly when every level is pinned.",
            hint="unpin one of them: it takes what the others leave.",
        )
    pinned = np.empty_like(levels)
    free = np.where(is_free, levels, 0.0)
    mass = free.sum(axis=-1, keepdims=True)
    equal = is_free / max(1, is_free.sum())
    share = np.where(mass > 0, free / np.where(mass > 0, mass, 1.0), equal)
    pinned[...] = max(0.0, 1 - taken) * share
    for i, pin in enumerate(pins):
        if pin is not None:
            pinned[..., i] = pin
    return pinned
