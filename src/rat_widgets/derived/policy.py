"""Policies: what each world is worth.

A policy is a weight per world. The paper's generator success is the preset "adherence"; the
others, free weights and utilities go beyond it and are the same sum.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from jaxtyping import Float

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.model.worlds import WORLDS

__all__ = ["PRESETS", "Policy"]

PRESETS: Final[Mapping[str, tuple[float, ...]]] = {
    "adherence": (1, 0, 0, 0, 0, 1),
    "task_success": (0, 0, 0, 1, 0, 1),
    "no_harm": (1, 1, 0, 1, 0, 1),
}

_LARGEST: Final = 1e6


@dataclass(frozen=True, slots=True)
class Policy:
    """A weight per world, in the order of `WORLDS`.

    Attributes
    ----------
    name : str
        A preset's name, or "custom".
    weights : tuple of 6 floats
        In [0, 1] for a policy; any real numbers for a utility.
    """

    name: str
    weights: tuple[float, ...]

    def __post_init__(self) -> None:
        weights = self.weights
        if not isinstance(weights, (tuple, list)) or len(weights) != len(WORLDS):
            raise ArgumentTypeError.build(
                f"`weights` of a Policy is {weights!r:.80}.",
                accepted=f"Six numbers, in the order of {', '.join(WORLDS)}.",
                hint="Policy.from_spec reads presets and mappings.",
            )
        if not isinstance(self.name, str):
            raise ArgumentTypeError.build(
                f"`name` of a Policy is {self.name!r:.80}.", accepted="It is text."
            )
        read = tuple(_weight(w, world) for w, world in zip(weights, WORLDS, strict=True))
        object.__setattr__(self, "weights", read)

    @classmethod
    def from_spec(cls, spec: str | Mapping[str, float] | Policy) -> Self | Policy:
        """A policy from a preset's name, weights per world, or utilities.

        Parameters
        ----------
        spec : str, mapping or Policy
            "adherence", "task_success" or "no_harm"; or a mapping from worlds to numbers up to
            a million (worlds that are left out weigh 0). Numbers outside [0, 1] make it a
            utility.

        Raises
        ------
        ArgumentError
            For an unknown preset or world, or a weight that is not a finite number.
        """
        if isinstance(spec, Policy):
            return spec
        if isinstance(spec, str):
            if spec not in PRESETS:
                raise ArgumentError.build(
                    f"There is no policy {spec!r}.",
                    accepted=f"Presets are {', '.join(map(repr, PRESETS))}.",
                    hint="give weights per world, e.g. policy={'hit_right': 1, "
                    "'miss_abstained': 1}.",
                )
            return cls(spec, tuple(float(w) for w in PRESETS[spec]))
        if not isinstance(spec, Mapping):
            raise ArgumentTypeError.build(
                f"A policy cannot be made from {type(spec).__name__}.",
                accepted="It is a preset's name or a mapping from worlds to weights.",
            )
        return cls._from_weights(spec)

    @classmethod
    def _from_weights(cls, spec: Mapping[str, float]) -> Self:
        unknown = [w for w in spec if w not in WORLDS]
        if unknown:
            raise ArgumentError.build(
                f"There is no world {unknown[0]!r}.", accepted=f"Worlds are {', '.join(WORLDS)}."
            )
        weights = [_weight(spec.get(world, 0), world) for world in WORLDS]
        for name, preset in PRESETS.items():
            if tuple(weights) == preset:
                return cls(name, tuple(weights))
        return cls("custom", tuple(weights))

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
        return dict(zip(WORLDS, self.weights, strict=True))

    def is_right(self, world: str) -> bool:
        """Whether a world is one of the good ones: it gains, or weighs more than one half."""
        return self.as_dict()[world] > (0.5 if self.is_rate else 0)

    def value(self, worlds: Float[np.ndarray, "*draws 6"]) -> Float[np.ndarray, "*draws"]:
        """Σ_w weight × P(w), per draw."""
        return np.asarray(worlds @ np.asarray(self.weights))


def _weight(weight: Any, world: str) -> float:
    if not isinstance(weight, (int, float, np.integer, np.floating)) or not math.isfinite(weight):
        raise ArgumentError.build(
            f"The weight of {world!r} is {weight!r}.", accepted="Weights are finite numbers."
        )
    number = float(weight)
    if abs(number) > _LARGEST:
        raise ArgumentError.build(
            f"The weight of {world!r} is {number!r}.",
            accepted=f"Weights are numbers from {-_LARGEST:,.0f} to {_LARGEST:,.0f}.",
            hint="count in a larger unit.",
        )
    return number
