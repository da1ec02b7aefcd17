"""Targets: the quantities whose intervals labels are bought for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from jaxtyping import Float

from rat_widgets.derived.meant import quantity_hint
from rat_widgets.derived.policy import Policy
from rat_widgets.derived.quantities import POLICY, QUANTITIES, find_quantity
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.model.worlds import WORLDS

__all__ = ["Target", "read_targets"]

_ALL: Final = (1.0,) * len(WORLDS)


@dataclass(frozen=True, slots=True)
class Target:
    """A weighted sum of world probabilities, or a ratio of two.

    Attributes
    ----------
    key : str
        Key of a quantity, or a name of one's own.
    over, given : tuple of 6 floats
        Weights in the order of `WORLDS`; the target is their sum over that of `given`.
    """

    key: str
    over: tuple[float, ...]
    given: tuple[float, ...] = _ALL

    @classmethod
    def of_quantity(cls, key: str, policy: Policy) -> Self:
        """The quantity with this key; "policy_adherence" follows the policy."""
        if key == POLICY:
            return cls(key, policy.weights)
        quantity = find_quantity(key)
        over, given = (
            tuple(float(world in chosen) for world in WORLDS)
            for chosen in (quantity.numerator, quantity.denominator or WORLDS)
        )
        return cls(key, over, given)

    @property
    def is_ratio(self) -> bool:
        """Whether the target is conditional on something."""
        return self.given != _ALL

    def value(self, worlds: Sequence[Any] | Float[np.ndarray, "world ..."]) -> Any:
        """The target where the worlds have these probabilities, the first axis being the world.

        NaN where the condition has no mass.
        """
        over = _weighted(self.over, worlds)
        if not self.is_ratio:
            return over
        given = _weighted(self.given, worlds)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(given > 0, over / given, np.nan)


def _weighted(weights: tuple[float, ...], worlds: Any) -> Any:
    terms = [
        world if weight == 1 else weight * world
        for weight, world in zip(weights, worlds, strict=True)
        if weight
    ]
    return sum(terms[1:], start=terms[0]) if terms else np.zeros_like(worlds[0])


def read_targets(x: Any, policy: Policy) -> tuple[Target, ...]:
    """Targets from a key, a mapping from worlds to weights, a Policy, or several of them.

    Parameters
    ----------
    x : str, Policy, Target, mapping or iterable
        ``"task_success"``; ``("policy_adherence", "task_success")``; a mapping from names of
        one's own to weights per world.
    policy : Policy
        What "policy_adherence" stands for.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        For an unknown or repeated key, and for what is none of these.
    """
    if isinstance(x, Mapping):
        if x and all(isinstance(value, (Mapping, Policy)) for value in x.values()):
            return tuple(_named(str(name), value) for name, value in x.items())
        return (_named("custom", x),)
    listed = [x] if isinstance(x, (str, Policy, Target)) or not isinstance(x, Iterable) else list(x)
    found: dict[str, Target] = {}
    for one in listed:
        target = _read(one, policy)
        if target.key in found:
            raise ArgumentError.build(
                f"The target {target.key!r} is given twice.", accepted="Each target once."
            )
        found[target.key] = target
    if not found:
        raise ArgumentError.build(
            "There is no target.", accepted='At least one, such as "policy_adherence".'
        )
    return tuple(found.values())


def _read(x: Any, policy: Policy) -> Target:
    if isinstance(x, Target):
        return x
    if isinstance(x, str):
        keys = [quantity.key for quantity in QUANTITIES]
        if x not in keys:
            raise ArgumentError.build(
                f"There is no target {x!r}.",
                accepted=f"Targets are {', '.join(keys)}.",
                hint=quantity_hint(x, QUANTITIES),
            )
        return Target.of_quantity(x, policy)
    if isinstance(x, (Mapping, Policy)):
        return _named("custom", x)
    raise ArgumentTypeError.build(
        f"A target cannot be made of {x!r:.60}.",
        accepted="A key such as 'policy_adherence', or a mapping from worlds to weights.",
    )


def _named(name: str, weights: Mapping[str, float] | Policy) -> Target:
    policy = Policy.from_spec(weights)
    return Target(policy.name if name == "custom" else name, policy.weights)
