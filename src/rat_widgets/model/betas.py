"""One Beta prior: alpha and beta, or "mean and equivalent number of labels" in their place.

The Dirichlet prior of graded retrieval is a product of Betas, too: those of the splits from the
top level down.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np

from rat_widgets.errors import ArgumentError, ArgumentTypeError

__all__ = ["Beta", "read_beta", "read_dirichlet", "read_number", "split_betas"]

# Beyond these, logarithms of the density lose every digit.
_LEAST: Final = 1e-9
_MOST: Final = 1e12


@dataclass(frozen=True, slots=True)
class Beta:
    """A Beta(alpha, beta) prior of one probability.

    Raises
    ------
    ArgumentError
        When alpha or beta is not positive and finite.
    """

    alpha: float
    beta: float

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            object.__setattr__(self, name, _positive(getattr(self, name), name, self))

    @classmethod
    def from_mean(cls, mean: float, equivalent_labels: float) -> Self:
        """The prior with this mean that weighs as much as so many labels.

        `equivalent_labels` is alpha + beta: Beta(1, 1) counts as two labels, one of each kind,
        and a prior from `a` positive and `b` negative labels alone as a + b. After n real
        labels the posterior mean is the average of prior mean and observed rate, weighted by
        `equivalent_labels` and n.
        """
        mean = read_number(mean, "mean")
        labels = _positive(equivalent_labels, "equivalent_labels", equivalent_labels)
        if not 0 < mean < 1:
            raise ArgumentError.build(
                f"The mean of a Beta prior is {mean!r}.",
                accepted="A number between 0 and 1, both excluded.",
                hint="To hold a probability at 0 or 1 use a what-if, not a prior.",
            )
        return cls(mean * labels, (1 - mean) * labels)

    @property
    def mean(self) -> float:
        """The mean, alpha / (alpha + beta)."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def equivalent_labels(self) -> float:
        """The sum alpha + beta: the number of labels that weigh as much as this prior."""
        return self.alpha + self.beta


def split_betas(alpha: Sequence[float]) -> tuple[Beta, ...]:
    """The Betas of the splits of R, from the top level down, of a Dirichlet from the lowest up."""
    return tuple(Beta(alpha[i], math.fsum(alpha[:i])) for i in range(len(alpha) - 1, 0, -1))


def read_dirichlet(spec: Any, levels: tuple[str, ...]) -> list[float]:
    """The parameters of the Dirichlet prior of R, the lowest level first."""
    if spec is None:
        return [1.0] * len(levels)
    accepted = f"One positive number per level: {', '.join(levels)}."
    hint = "priors={'retrieval': [" + ", ".join(["1"] * len(levels)) + "]}"
    if isinstance(spec, Mapping) and set(spec) == set(levels):
        spec = [spec[level] for level in levels]
    is_list = isinstance(spec, (list, tuple, np.ndarray))
    if not is_list or len(spec) != len(levels):
        raise ArgumentError.build(
            f"The prior of `retrieval` is {spec!r:.80}.", accepted=accepted, hint=hint
        )
    return [_positive(value, "alpha", f"the prior of `retrieval`, {spec!r:.80}") for value in spec]


def read_beta(value: Any, name: str) -> Beta:
    """A Beta from any of the accepted spellings."""
    if isinstance(value, Beta):
        return value
    try:
        if isinstance(value, Mapping):
            if set(value) == {"mean", "equivalent_labels"}:
                return Beta.from_mean(value["mean"], value["equivalent_labels"])
        elif len(value) == 2 and not isinstance(value, str):
            return Beta(value[0], value[1])
    except TypeError:
        pass
    except ArgumentError as err:
        raise ArgumentError(f"The prior of `{name}`: {err}") from err
    raise ArgumentError.build(
        f"The prior of `{name}` is {value!r}.",
        accepted='A pair (alpha, beta), a Beta, or {"mean": ..., "equivalent_labels": ...}.',
    )


def read_number(value: Any, name: str) -> float:
    """The value as a float, infinite where none can hold it, or an error with its name."""
    try:
        return float(value)
    except OverflowError:  # an integer beyond 1.8e308, which the checks of its range refuse
        return -math.inf if value < 0 else math.inf
    except (TypeError, ValueError) as err:
        raise ArgumentTypeError.build(f"`{name}` is {value!r}.", accepted="A number.") from err


def _positive(value: Any, name: str, shown: object) -> float:
    number = read_number(value, name)
    if not (number > 0 and math.isfinite(number)):
        raise ArgumentError.build(
            f"{name} is {number!r}" + (f" in {shown}." if math.isfinite(number) else "."),
            accepted="A positive, finite number.",
        )
    if not _LEAST <= number <= _MOST:
        raise ArgumentError.build(
            f"{name} is {number!r} in {shown}.", accepted=f"A number from {_LEAST:g} to {_MOST:g}."
        )
    return number
