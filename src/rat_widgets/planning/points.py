"""Quasi-random points, and what they are under many Beta distributions at once.

Tables share their points: only the quantile functions differ. Each Beta's distribution
function is tabulated on a grid of logits and inverted by linear interpolation, which costs a
fiftieth of an incomplete Beta function's inverse; where the data are many or few makes no
difference.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Self

import numpy as np
from jaxtyping import Float, Int64

__all__ = ["N_SETS", "Points", "beta_points"]

N_SETS: Final = 32
"""Sets of points that take turns, so that their errors average out over many tables."""

_N_GRID: Final = 224
# Cubic spacing: a quarter of the even one in the middle, where most points are.
_EVEN: Final = np.linspace(-1.0, 1.0, _N_GRID + 1)
_GRID: Final = _EVEN * (0.25 + 0.75 * _EVEN**2)
# The grid ends where less than 1e-5 is left, by the Gaussian and by the exponential tail.
_GAUSSIAN_END: Final = 4.6
_EXPONENTIAL_END: Final = 11.0
# Beyond this odds are no number.
_FARTHEST: Final = 690.0
_BITS: Final = 30


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Scrambled Sobol points in (0, 1), dimension by dimension.

    Attributes
    ----------
    ordered : array, shape (dimension, point)
        The coordinates of each dimension in ascending order.
    rank : int array, shape (dimension, point)
        Where the coordinate of each point stands in that order.
    """

    ordered: Float[np.ndarray, "dimension point"]
    rank: Int64[np.ndarray, "dimension point"]

    @classmethod
    def of(cls, n_dimensions: int, n_points: int, rng: np.random.Generator) -> Self:
        """So many points (a power of two) with a random digital shift."""
        from scipy.stats import qmc  # scipy.stats takes half a second to import

        plain = qmc.Sobol(n_dimensions, scramble=False, bits=_BITS).random(n_points)
        shift = rng.integers(1 << _BITS, size=n_dimensions)
        shifted = (plain * (1 << _BITS)).astype(np.int64) ^ shift
        places = ((shifted + rng.random(shifted.shape)) / (1 << _BITS)).T
        order = np.argsort(places, axis=1)
        return cls(np.take_along_axis(places, order, axis=1), np.argsort(order, axis=1))

    @classmethod
    def from_pool(cls, index: int, n_dimensions: int, n_points: int) -> Points:
        """One of `N_SETS` sets of points, the same in every process; made once."""
        return _made(index % N_SETS, n_dimensions, n_points)

    @property
    def n_points(self) -> int:
        """Number of points."""
        return self.ordered.shape[1]


@lru_cache(maxsize=2 * N_SETS)
def _made(index: int, n_dimensions: int, n_points: int) -> Points:
    return Points.of(n_dimensions, n_points, np.random.default_rng([index, n_dimensions]))


def beta_points(
    shape: Float[np.ndarray, "table dimension 2"], points: Points
) -> tuple[Float[np.ndarray, "dimension table point"], Float[np.ndarray, "dimension table point"]]:
    """The points as draws of independent Betas, and 1 minus them, each with all its digits.

    Parameters
    ----------
    shape : array, shape (table, dimension, 2)
        Alpha and beta.
    points : Points
    """
    logits, cumulated = _distribution(shape[..., 0], shape[..., 1])
    yes = np.empty((*shape.shape[1::-1], points.n_points))
    for k, (ordered, rank) in enumerate(zip(points.ordered, points.rank, strict=True)):
        for i in range(len(shape)):
            found = np.interp(ordered, cumulated[i, k], logits[i, k])
            np.take(found, rank, out=yes[k, i], mode="clip")
    # In place, since these arrays are as large as the processor's cache: logits, then odds.
    np.exp(yes, out=yes)
    no = yes + 1
    np.reciprocal(no, out=no)
    yes *= no
    return yes, no


def _distribution(
    a: Float[np.ndarray, "*batch"], b: Float[np.ndarray, "*batch"]
) -> tuple[Float[np.ndarray, "*batch grid"], Float[np.ndarray, "*batch grid"]]:
    """Logits, and the distribution function of Beta(a, b) there."""
    a, b = a[..., None], b[..., None]
    spread = _GAUSSIAN_END * np.sqrt(1 / a + 1 / b)
    reach: Any = np.where(_GRID < 0, spread + _EXPONENTIAL_END / a, spread + _EXPONENTIAL_END / b)
    logits = np.log(a / b) + reach * _GRID
    log_density = a * logits - (a + b) * np.logaddexp(0.0, logits)
    density = np.exp(log_density - log_density.max(axis=-1, keepdims=True))
    steps = (density[..., 1:] + density[..., :-1]) * np.diff(logits, axis=-1)
    cumulated = np.zeros_like(logits)
    np.cumsum(steps, axis=-1, out=cumulated[..., 1:])
    return np.clip(logits, -_FARTHEST, _FARTHEST), cumulated / cumulated[..., -1:]
