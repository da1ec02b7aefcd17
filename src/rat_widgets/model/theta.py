"""One point of the parameter space, by name."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Self

import numpy as np
from jaxtyping import Float

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.levels import read_levels
from rat_widgets.model.worlds import (
    PARAMETERS,
    WORLDS,
    level_sticks,
    world_probabilities,
    worlds_of,
)

__all__ = ["GradedTheta", "Theta", "probability"]

_ROUNDING: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Theta:
    """The five probabilities of one system.

    Parameters
    ----------
    retrieval_success : float
        P(R=1): the retrieved context holds all that is needed (a "hit").
    abstain_given_miss, abstain_given_hit : float
        P(A=1 | R=0) and P(A=1 | R=1): the generator declines to answer.
    correct_given_miss, correct_given_hit : float
        P(T=1 | A=0, R=0) and P(T=1 | A=0, R=1): an answer that was given is correct.

    Raises
    ------
    ArgumentTypeError
        When a value is not a number.
    ArgumentError
        When a value is outside [0, 1].

    Examples
    --------
    >>> theta = Theta(retrieval_success=0.8, abstain_given_miss=0.5, abstain_given_hit=0.1,
    ...               correct_given_miss=0.3, correct_given_hit=0.9)
    >>> round(theta.worlds()["hit_right"], 3)
    0.648
    """

    retrieval_success: float
    abstain_given_miss: float
    abstain_given_hit: float
    correct_given_miss: float
    correct_given_hit: float

    def __post_init__(self) -> None:
        for field in fields(self):
            value = probability(getattr(self, field.name), field.name)
            object.__setattr__(self, field.name, value)

    @classmethod
    def from_array(cls, theta: Float[np.ndarray, 5] | Sequence[float]) -> Self:
        """The point whose probabilities stand in the order of `PARAMETERS`."""
        try:
            values = np.asarray(theta, dtype=float)
        except (OverflowError, TypeError, ValueError) as err:
            raise ArgumentTypeError.build(
                f"Theta.from_array got {theta!r:.80}.",
                accepted=f"Five numbers, in this order: {', '.join(PARAMETERS)}.",
            ) from err
        if values.shape != (len(PARAMETERS),):
            raise ArgumentError.build(
                f"Theta.from_array got an array of shape {values.shape}.",
                accepted=f"Five numbers, in this order: {', '.join(PARAMETERS)}.",
            )
        return cls(**dict(zip(PARAMETERS, values.tolist(), strict=True)))

    def as_array(self) -> Float[np.ndarray, 5]:
        """The five probabilities in the order of `PARAMETERS`."""
        return np.array([getattr(self, name) for name in PARAMETERS])

    def worlds(self) -> dict[str, float]:
        """P(world) by the name of the world; the six values sum to 1."""
        return dict(zip(WORLDS, world_probabilities(self.as_array()).tolist(), strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedTheta:
    """The probabilities of one system whose retrieval has more than two levels.

    Parameters
    ----------
    retrieval : mapping or sequence
        P(R = level), one number per level; they sum to 1. A mapping names the levels, the lowest
        first; a sequence goes by `levels`.
    abstain_given : mapping or sequence
        P(A=1 | R = level).
    correct_given : mapping or sequence
        P(T=1 | A=0, R = level).
    levels : sequence of str
        The lowest first; those of `retrieval` when it is a mapping.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When a value is no probability, a level is missing, or `retrieval` does not sum to 1.

    Examples
    --------
    >>> theta = GradedTheta(retrieval={"none": 0.2, "partial": 0.3, "all": 0.5},
    ...                     abstain_given=(0.6, 0.3, 0.1), correct_given=(0.1, 0.5, 0.9))
    >>> round(theta.worlds()["all_right"], 3)
    0.405
    """

    retrieval: Mapping[str, float] | Sequence[float]
    abstain_given: Mapping[str, float] | Sequence[float]
    correct_given: Mapping[str, float] | Sequence[float]
    levels: Sequence[str] = ()

    def __post_init__(self) -> None:
        named = tuple(self.retrieval) if isinstance(self.retrieval, Mapping) else ()
        given = tuple(self.levels) or named
        levels = read_levels(given or None)
        if not given or len(levels) == 2:
            raise ArgumentError.build(
                f"GradedTheta got the levels {given!r}.",
                accepted="Three or more; two are those of Theta.",
                hint='GradedTheta(levels=("none", "partial", "all"), ...)',
            )
        object.__setattr__(self, "levels", levels)
        for name in ("retrieval", "abstain_given", "correct_given"):
            value = _per_level(getattr(self, name), name, levels)
            object.__setattr__(self, name, value)
        total = math.fsum(self._array("retrieval"))
        if abs(total - 1) > _ROUNDING:
            raise ArgumentError.build(
                f"The probabilities of `retrieval` sum to {total:.6g}.", accepted="They sum to 1."
            )

    def _array(self, name: str) -> Float[np.ndarray, " level"]:
        return np.array([getattr(self, name)[level] for level in self.levels])

    def as_array(self) -> Float[np.ndarray, " theta"]:
        """The free probabilities in the order of `Worlds.parameters`."""
        splits = level_sticks(self._array("retrieval"))
        return np.concatenate([splits, self._array("abstain_given"), self._array("correct_given")])

    def worlds(self) -> dict[str, float]:
        """P(world) by the name of the world; the values sum to 1."""
        names = worlds_of(tuple(self.levels)).names
        return dict(zip(names, world_probabilities(self.as_array()).tolist(), strict=True))


def _per_level(value: Any, name: str, levels: tuple[str, ...]) -> dict[str, float]:
    """Level -> probability, from a mapping or a sequence in the order of the levels."""
    if isinstance(value, Mapping):
        found = dict(value)
    elif isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str):
        found = dict(zip(levels, value, strict=False)) if len(value) == len(levels) else {}
    else:
        raise ArgumentTypeError.build(
            f"`{name}` is {value!r:.80}.", accepted=f"One number per level: {', '.join(levels)}."
        )
    if set(found) != set(levels):
        raise ArgumentError.build(
            f"`{name}` is {value!r:.80}.", accepted=f"One number per level: {', '.join(levels)}."
        )
    return {level: probability(found[level], f"{name}[{level}]") for level in levels}


def probability(value: Any, name: str) -> float:
    """The value as a float in [0, 1], or an error that names the parameter."""
    try:
        number = float(value)
    except OverflowError as err:  # an integer beyond 1.8e308
        raise ArgumentError.build(
            f"`{name}` is out of range.", accepted="A probability in [0, 1]."
        ) from err
    except (TypeError, ValueError) as err:
        raise ArgumentTypeError.build(
            f"`{name}` is {value!r}.", accepted="A number from 0 to 1."
        ) from err
    if not 0 <= number <= 1 or math.isnan(number):
        raise ArgumentError.build(f"`{name}` is {number!r}.", accepted="A probability in [0, 1].")
    return number
