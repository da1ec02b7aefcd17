"""Where independent tries come from when the posterior is bent: triangular maps of angles.

Counts that tell products of probabilities well and the probabilities themselves badly leave a
posterior along a curved ridge, which no t distribution is like. Here each angle is a quadratic
function of the angles before it, plus noise whose width changes with them: straight noise, bent.
The widest direction comes first, so that what is known well follows from what is not. Drawing
and telling the density are both explicit, and least squares fit such a map to weighted points.

References
----------
Parno, Marzouk (2018), "Transport map accelerated Markov chain Monte Carlo", SIAM/ASA JUQ 6(2),
for maps as proposals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.inference.threads import gram, product

__all__ = ["Bend"]

# Degrees of freedom of the noise: tails somewhat heavier than those of a bounded angle.
_FREEDOM: Final = 20.0
# Points that each coefficient leans on being 0 with.
_CAUTION: Final = 2.0
_WIDTH_STEPS: Final = 3
_MOST_CHANGE: Final = 1.5
_LEAST_WIDTH: Final = 1e-9
# In units of the width of what was seen.
_FAR: Final = 1e6

_Angles = Float[np.ndarray, "group parameter point"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bend:
    """A triangular map of each group's angles.

    Attributes
    ----------
    order : array of int, shape (group, parameter)
        Which parameter is the k-th in the map.
    middle, width : array, shape (group, parameter)
        Of the k-th angle; it is ``middle + width * u``.
    shift : tuple of arrays, the k-th of shape (group, 1, (k + 1) * (k + 2) / 2)
        Coefficients of 1, of the u before, and of their products, for the mean of u.
    stretch : tuple of arrays, the k-th of shape (group, 1, k + 1)
        Coefficients of 1 and of the u before, for the log of the width of u.
    """

    order: Int[np.ndarray, "group parameter"]
    middle: Float[np.ndarray, "group parameter"]
    width: Float[np.ndarray, "group parameter"]
    shift: tuple[Float[np.ndarray, "group one _"], ...]
    stretch: tuple[Float[np.ndarray, "group one _"], ...]

    @classmethod
    def fitted(cls, angle: _Angles, weight: Float[np.ndarray, "group point"]) -> Self:
        """Follows the weighted points of each group.

        Weights are taken relative to their sum, and points as as many as their weights make
        effective.
        """
        share = weight / weight.sum(axis=1, keepdims=True)
        middle = (angle * share[:, None]).sum(axis=2)
        away = angle - middle[..., None]
        width = np.sqrt((away * away * share[:, None]).sum(axis=2))
        order = np.argsort(-width, axis=1)
        middle, width = (np.take_along_axis(x, order, axis=1) for x in (middle, width))
        # Points all in one place span no width.
        width = np.maximum(width, _LEAST_WIDTH)
        u = np.take_along_axis(away, order[..., None], axis=1) / width[..., None]
        n_effective = 1 / (share * share).sum(axis=1)
        held = (share * n_effective[:, None])[:, None]
        terms, shift, stretch = _Terms(u.shape), [], []
        for k in range(u.shape[1]):
            before, line = terms.before(k)
            bent = _solved(before, held, u[:, k, None])
            rest = u[:, k, None] - product(bent, before)
            shift.append(bent)
            stretch.append(_stretched(line, held, rest * rest))
            terms.add(u[:, k])
        return cls(
            order=order, middle=middle, width=width, shift=tuple(shift), stretch=tuple(stretch)
        )

    def take(self, groups: Int[np.ndarray, " group"]) -> Self:
        """Those of some groups."""
        return type(self)(
            order=self.order[groups],
            middle=self.middle[groups],
            width=self.width[groups],
            shift=tuple(x[groups] for x in self.shift),
            stretch=tuple(x[groups] for x in self.stretch),
        )

    @property
    def is_straight(self) -> bool:
        """It never is."""
        return False

    def offer(
        self, streams: Sequence[np.random.Generator], n: int
    ) -> tuple[_Angles, Float[np.ndarray, "group point"]]:
        """Independent points of each group, and the log density there, up to a constant.

        What is thrown far out of all that was seen is put where there is no angle.
        """
        n_groups, n_parameters = self.order.shape
        noise = np.empty((n_groups, n_parameters, n))
        for g, rng in enumerate(streams):
            rng.standard_normal(out=noise[g])
            noise[g] *= np.sqrt(0.5 * _FREEDOM / rng.standard_gamma(0.5 * _FREEDOM, n))
        log_density = self._log_height(noise)
        terms = _Terms(noise.shape)
        with np.errstate(over="ignore", invalid="ignore"):
            for k in range(n_parameters):
                before, line = terms.before(k)
                log_width = self._log_width(k, line)
                log_density -= log_width[:, 0]
                u = noise[:, k]
                u *= np.exp(log_width)[:, 0]
                u += product(self.shift[k], before)[:, 0]
                terms.add(u)
            lost = ~(np.abs(noise) < _FAR).all(axis=1)
        log_density[lost] = 0.0
        np.copyto(noise, 0.0, where=lost[:, None])
        noise *= self.width[..., None]
        noise += self.middle[..., None]
        np.copyto(noise, -1.0, where=lost[:, None])
        angle = np.empty_like(noise)
        np.put_along_axis(angle, self.order[..., None], noise, axis=1)
        return angle, log_density

    def log_density(self, angle: _Angles) -> Float[np.ndarray, "group point"]:
        """Log density at points of each group, up to a constant of the group."""
        u = np.take_along_axis(angle, self.order[..., None], axis=1) - self.middle[..., None]
        u /= self.width[..., None]
        noise, total = np.empty_like(u), np.zeros((len(u), u.shape[2]))
        terms = _Terms(u.shape)
        for k in range(u.shape[1]):
            before, line = terms.before(k)
            log_width = self._log_width(k, line)[:, 0]
            total -= log_width
            noise[:, k] = (u[:, k] - product(self.shift[k], before)[:, 0]) * np.exp(-log_width)
            terms.add(u[:, k])
        return total + self._log_height(noise)

    def _log_width(
        self, k: int, line: Float[np.ndarray, "group term point"]
    ) -> Float[np.ndarray, "group one point"]:
        constant = self.stretch[k][..., :1]
        log = product(self.stretch[k], line)
        # A straight line goes on for ever; widths far out stay those of what was seen.
        return np.clip(log, constant - _MOST_CHANGE, constant + _MOST_CHANGE)

    def _log_height(self, noise: _Angles) -> Float[np.ndarray, "group point"]:
        squared = (noise * noise).sum(axis=1)
        squared /= _FREEDOM
        return -0.5 * (_FREEDOM + noise.shape[1]) * np.log1p(squared, out=squared)


class _Terms:
    """1, the coordinates so far and their products, for each further coordinate to follow from."""

    def __init__(self, shape: tuple[int, ...]) -> None:
        n_groups, n, n_points = shape
        self._products = np.empty((n_groups, n * (n + 1) // 2, n_points))
        self._line = np.empty((n_groups, n, n_points))
        self._products[:, 0] = self._line[:, 0] = 1.0
        self._n = 0

    def before(
        self, k: int
    ) -> tuple[Float[np.ndarray, "group term point"], Float[np.ndarray, "group before point"]]:
        """Products and coordinates that the k-th follows from."""
        return self._products[:, : (k + 1) * (k + 2) // 2], self._line[:, : k + 1]

    def add(self, u: Float[np.ndarray, "group point"]) -> None:
        """One more coordinate."""
        self._n = k = self._n + 1
        if k == self._line.shape[1]:
            return
        self._line[:, k] = u
        # The product with 1 is the coordinate itself; squares are taken less their mean.
        new = self._products[:, k * (k + 1) // 2 : (k + 1) * (k + 2) // 2]
        np.multiply(self._line[:, : k + 1], u[:, None], out=new)
        new[:, -1] -= 1.0


def _solved(
    terms: Float[np.ndarray, "group term point"],
    weight: Float[np.ndarray, "group one point"],
    target: Float[np.ndarray, "group one point"],
) -> Float[np.ndarray, "group one term"]:
    """Coefficients of the terms by least squares, all but the first leaning on 0."""
    weighted = terms * weight
    square = gram(weighted, terms)
    i = np.arange(1, square.shape[1])
    square[:, i, i] += _CAUTION
    right = gram(weighted, target)
    return np.swapaxes(np.linalg.solve(square, right), 1, 2)


def _stretched(
    line: Float[np.ndarray, "group term point"],
    weight: Float[np.ndarray, "group one point"],
    squared: Float[np.ndarray, "group one point"],
) -> Float[np.ndarray, "group one term"]:
    """Coefficients for the log width of a normal residual: Fisher's steps to the likeliest."""
    weighted = line * weight
    square = 2 * gram(weighted, line)
    i = np.arange(1, square.shape[1])
    square[:, i, i] += _CAUTION
    inverse = np.linalg.inv(square)
    result = np.zeros((len(line), 1, line.shape[1]))
    total = weight.sum(axis=2)
    variance = (squared * weight).sum(axis=2) / total
    result[..., 0] = 0.5 * np.log(np.maximum(variance, _LEAST_WIDTH**2))
    if line.shape[1] == 1:
        return result
    for _ in range(_WIDTH_STEPS):
        log = np.clip(product(result, line), np.log(_LEAST_WIDTH), -np.log(_LEAST_WIDTH))
        excess = squared * np.exp(-2 * log) - 1
        step = gram(excess, weighted) - 0.5 * _CAUTION * _but_first(result)
        result += np.clip(step @ inverse, -_MOST_CHANGE, _MOST_CHANGE)
    return result


def _but_first(x: Float[np.ndarray, "group one term"]) -> Float[np.ndarray, "group one term"]:
    x = x.copy()
    x[..., 0] = 0.0
    return x
