"""Policies: what each world is worth.

A policy is a weight per world. The paper's generator success is the preset "adherence"; the
others, free weights and utilities go beyond it and are the same sum.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from jaxtyping import Float

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.levels import TWO_LEVELS, read_levels
from rat_widgets.model.worlds import WORLDS, worlds_of

__all__ = ["PRESETS", "Policy", "preset_weights"]

PRESETS: Final[Mapping[str, tuple[float, ...]]] = {
    "adherence": (1, 0, 0, 0, 0, 1),
    "task_success": (0, 0, 0, 1, 0, 1),
    "no_harm": (1, 1, 0, 1, 0, 1),
}

_LARGEST: Final = 1e6


@dataclass(frozen=True, slots=True)
class Policy:
    """A weight per world, in the order of `Worlds.names`.

    Attributes
    ----------
    name : str
        A preset's name, or "custom".
    weights : tuple of 3K floats
        In [0, 1] for a policy; any real numbers for a utility.
    levels : tuple of str
        Levels of retrieval, the lowest first.
    """

    name: str
    weights: tuple[float, ...]
    levels: tuple[str, ...] = TWO_LEVELS

    def __post_init__(self) -> None:
        weights = self.weights
        object.__setattr__(self, "levels", read_levels(self.levels))
        if not isinstance(weights, (tuple, list)) or len(weights) != len(self.worlds):
            n = {6: "Six"}.get(len(self.worlds), str(len(self.worlds)))
            raise ArgumentTypeError.build(
                f"`weights` of a Policy is {weights!r:.80}.",
                accepted=f"{n} numbers, in the order of {', '.join(self.worlds)}.",
                hint="Policy.from_spec reads presets and mappings.",
            )
        if not isinstance(self.name, str):
            raise ArgumentTypeError.build(
                f"`name` of a Policy is {self.name!r:.80}.", accepted="It is text."
            )
        read = tuple(_weight(w, world) for w, world in zip(weights, self.worlds, strict=True))
        object.__setattr__(self, "weights", read)

    @property
    def worlds(self) -> tuple[str, ...]:
        """Names of the worlds, in the order of the weights."""
        return worlds_of(self.levels).names

    @classmethod
    def from_spec(
        cls, spec: str | Mapping[str, float] | Policy, levels: tuple[str, ...] = TWO_LEVELS
    ) -> Self | Policy:
        """A policy from a preset's name, weights per world, or utilities.

        Parameters
        ----------
        spec : str, mapping or Policy
            "adherence", "task_success" or "no_harm"; or a mapping from worlds to numbers up to
            a million (worlds that are left out weigh 0). Numbers outside [0, 1] make it a
            utility.
        levels : tuple of str
            Levels of retrieval. Presets that speak of a hit mean the top level, and of a miss
            any level below it.

        Raises
        ------
        ArgumentError
            For an unknown preset or world, or a weight that is not a finite number.
        """
        if isinstance(spec, Policy):
            return spec if spec.levels == levels else cls._at_levels(spec, levels)
        if isinstance(spec, str):
            if spec not in PRESETS:
                raise ArgumentError.build(
                    f"There is no policy {spec!r}.",
                    accepted=f"Presets are {', '.join(map(repr, PRESETS))}.",
                    hint="give weights per world, e.g. policy={'hit_right': 1, "
                    "'miss_abstained': 1}.",
                )
            return cls(spec, preset_weights(spec, levels), levels)
        if not isinstance(spec, Mapping):
            raise ArgumentTypeError.build(
                f"A policy cannot be made from {type(spec).__name__}.",
                accepted="It is a preset's name or a mapping from worlds to weights.",
            )
        return cls._from_weights(spec, levels)

    @classmethod
    def _at_levels(cls, policy: Policy, levels: tuple[str, ...]) -> Self:
        """The preset of the same name for other levels of retrieval."""
        if policy.name in PRESETS:
            return cls(policy.name, preset_weights(policy.name, levels), levels)
        raise ArgumentError.build(
            f"The policy {policy.name!r} has weights for {', '.join(policy.worlds)}.",
            accepted=f"Weights for {', '.join(worlds_of(levels).names)}.",
            hint="give a mapping from worlds to weights.",
        )

    @classmethod
    def _from_weights(cls, spec: Mapping[str, float], levels: tuple[str, ...]) -> Self:
        worlds = worlds_of(levels).names
        unknown = [w for w in spec if w not in worlds]
        if unknown:
            raise ArgumentError.build(
                f"There is no world {unknown[0]!r}.", accepted=f"Worlds are {', '.join(worlds)}."
            )
        weights = tuple(_weight(spec.get(world, 0), world) for world in worlds)
        for name in PRESETS:
            if weights == preset_weights(name, levels):
                return cls(name, weights, levels)
        return cls("custom", weights, levels)

    @property
    def is_rate(self) -> bool:
        """Whether every weight is in [0, 1], so that the policy's value is a probability."""
        return all(0 <= w <= 1 for w in self.weights)

    @property
    def is_binary(self) -> bool:
        """Whether every weight is 0 or 1, so that G is a yes-or-no outcome."""
        return all(w in (0, 1) for w in self.weights)

    def as_dict(self) -> dict[str, float]:
        """Weight per world."""
        return dict(zip(self.worlds, self.weights, strict=True))

    def is_right(self, world: str) -> bool:
        """Whether a world is one of the good ones: it gains, or weighs more than one half."""
        return self.as_dict()[world] > (0.5 if self.is_rate else 0)

    def value(self, worlds: Float[np.ndarray, "*draws world"]) -> Float[np.ndarray, "*draws"]:
        """Σ_w weight × P(w), per draw."""
        return np.asarray(worlds @ np.asarray(self.weights))


def preset_weights(name: str, levels: tuple[str, ...]) -> tuple[float, ...]:
    """The weights of a preset, in the order of `Worlds.names`."""
    of = worlds_of(levels)
    two = dict(zip(WORLDS, map(float, PRESETS[name]), strict=True))
    if not of.is_graded:
        return tuple(two.values())
    chosen = of.expanded(tuple(world for world, weight in two.items() if weight))
    return tuple(1.0 if world in chosen else 0.0 for world in of.names)


def _weight(weight: Any, world: str) -> float:
    is_number = isinstance(weight, (int, float, np.integer, np.floating))
    if not is_number or not abs(weight) <= sys.float_info.max:
        raise ArgumentError.build(
            f"The weight of {world!r} is {weight!r:.80}.", accepted="Weights are finite numbers."
        )
    number = float(weight)
    if abs(number) > _LARGEST:
        raise ArgumentError.build(
            f"The weight of {world!r} is {number!r}.",
            accepted=f"Weights are numbers from {-_LARGEST:,.0f} to {_LARGEST:,.0f}.",
            hint="count in a larger unit.",
        )
    return number
