"""Where independent tries come from: mixtures of t distributions of angles, for each group.

The angle of a probability p is arcsin(sqrt(p)). Binomial counts leave angles that are nearly
normal, of the same width everywhere, and no tail reaches further than 0 and pi / 2: so the
weights of tries stay small. At first there is one component, or one for each mode; where there
are several modes, and few tries are taken, a mixture that follows where walkers were. What is bent
and has one mode is for `bends`.

References
----------
Dempster, Laird, Rubin (1977), for EM. Liu, Liang, Wong (2000), "The multiple-try method and
local optimization in Metropolis sampling", JASA 95, for the use of several tries.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Self

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.inference.peaks import Peaks
from rat_widgets.inference.surface import expit
from rat_widgets.inference.threads import gram, product

__all__ = ["Proposal", "angles"]

# Degrees of freedom: tails somewhat heavier than those of the posterior should be.
_FREEDOM: Final = 8.0
# Where moments are known: angles are bounded, so that light tails are heavy enough.
_LIGHTER: Final = 12.0
_EM_STEPS: Final = 5
# Least variance of a direction, relative to the mean over directions.
_LEAST_WIDTH: Final = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A mixture of multivariate t distributions of each group's angles.

    Attributes
    ----------
    weight : array, shape (group, component)
        They sum to 1.
    centre : array, shape (group, component, parameter)
    root : array, shape (group, component, parameter, parameter)
        Takes a standard t to the component; lower triangular or any other square root.
    inverse : array of the same shape
    log_height : array, shape (group, component)
        Log of weight over the determinant of the root.
    freedom : float
        Degrees of freedom of every component.
    """

    weight: Float[np.ndarray, "group component"]
    centre: Float[np.ndarray, "group component parameter"]
    root: Float[np.ndarray, "group component parameter parameter"]
    inverse: Float[np.ndarray, "group component parameter parameter"]
    log_height: Float[np.ndarray, "group component"]
    freedom: float = _FREEDOM

    @classmethod
    def of(
        cls,
        weight: Float[np.ndarray, "group component"],
        centre: Float[np.ndarray, "group component parameter"],
        root: Float[np.ndarray, "group component parameter parameter"],
        freedom: float = _FREEDOM,
    ) -> Self:
        """The mixture with these weights, centres and roots."""
        with np.errstate(divide="ignore"):
            log_height = np.log(weight) - np.linalg.slogdet(root)[1]
        return cls(
            weight=weight,
            centre=centre,
            root=root,
            inverse=np.linalg.inv(root),
            log_height=log_height,
            freedom=freedom,
        )

    @classmethod
    def at(cls, peaks: Peaks) -> Self:
        """One component for each mode; each mode is tried often enough to be left again."""
        real = peaks.weight > 0
        even = real / real.sum(axis=1, keepdims=True)
        centre = np.swapaxes(peaks.centre, 1, 2)
        p = expit(centre)
        slope = 0.5 * np.sqrt(p * (1 - p))
        return cls.of((peaks.weight + even) / 2, angles(centre), slope[..., None] * peaks.own_root)

    @classmethod
    def fitted(cls, logits: Float[np.ndarray, "group parameter point"], n_components: int) -> Self:
        """Follows the points of each group: a mixture of Gaussians by EM, its tails made heavier.

        Covariances lean on that of all points together, so that few points are no danger.
        """
        seen = angles(logits)
        n_groups, n, n_points = seen.shape
        middle = seen.mean(axis=2, keepdims=True)
        away = seen - middle
        every = gram(away, away) / n_points
        every = _with_volume(every)
        prior = n * n_components ** (-2 / n) * every[:, None]
        # Points of several walkers and steps, far from each other in the order they came.
        first = np.linspace(0, n_points - 1, n_components).astype(np.intp)
        centre = np.swapaxes(away[..., first], 1, 2).copy()
        root = np.repeat(np.linalg.cholesky(every)[:, None] * np.sqrt(0.5), n_components, axis=1)
        weight = np.full((n_groups, n_components), 1 / n_components)
        moments = _moments(away)
        for _ in range(_EM_STEPS if n_components > 1 else 1):
            part = cls.of(weight, centre, root)._responsibility(away)
            counted = gram(part, moments)
            held = counted[..., :1]
            mean = counted[..., 1 : 1 + n] / held
            second = counted[..., 1 + n :].reshape(n_groups, n_components, n, n)
            spread = second - (held * mean)[..., None] * mean[..., None, :]
            root = np.linalg.cholesky((spread + prior) / (held + n)[..., None])
            centre, weight = mean, (held[..., 0] + 1) / (n_points + n_components)
        return cls.of(weight, centre + np.swapaxes(middle, 1, 2), root)

    @classmethod
    def weighted(
        cls,
        angle: Float[np.ndarray, "group parameter point"],
        weight: Float[np.ndarray, "group point"],
    ) -> Self:
        """One component with the mean and the covariance of weighted points, its tails lighter."""
        share = (weight / weight.sum(axis=1, keepdims=True))[:, None]
        middle = (angle * share).sum(axis=2)
        away = angle - middle[..., None]
        every = gram(away * share, away)
        root = np.linalg.cholesky(_with_volume(every))
        return cls.of(np.ones((len(angle), 1)), middle[:, None], root[:, None], _LIGHTER)

    def take(self, groups: Int[np.ndarray, " group"]) -> Self:
        """Those of some groups."""
        of_groups: dict[str, Any] = {
            f.name: getattr(self, f.name)[groups] for f in fields(self) if f.name != "freedom"
        }
        return replace(self, **of_groups)

    @property
    def is_straight(self) -> bool:
        """Whether it is one t distribution."""
        return self.weight.shape[1] == 1

    def offer(
        self, streams: Sequence[np.random.Generator], n: int
    ) -> tuple[Float[np.ndarray, "group parameter point"], Float[np.ndarray, "group point"]]:
        """Independent points of each group, and the log density there."""
        angle = self.draw(streams, n)
        return angle, self.log_density(angle)

    def draw(
        self, streams: Sequence[np.random.Generator], n: int
    ) -> Float[np.ndarray, "group parameter point"]:
        """Independent points of each group."""
        n_parameters = self.centre.shape[2]
        n_components = self.weight.shape[1]
        half = 0.5 * self.freedom
        point = np.empty((len(streams), n_parameters, n))
        chosen = np.empty((len(streams), n))
        for g, rng in enumerate(streams):
            rng.standard_normal(out=point[g])
            point[g] *= np.sqrt(half / rng.standard_gamma(half, n))
            if n_components > 1:
                chosen[g] = rng.random(n)
        if n_components == 1:
            return self.centre[:, 0, :, None] + product(self.root[:, 0], point)
        ends = np.cumsum(self.weight, axis=1)[:, :-1]
        component = (chosen[:, None] >= ends[..., None]).sum(axis=1)
        result = np.empty_like(point)
        for k in range(n_components):
            here = self.centre[:, k, :, None] + product(self.root[:, k], point)
            np.copyto(result, here, where=(component == k)[:, None])
        return result

    def log_density(
        self, angle: Float[np.ndarray, "group parameter point"]
    ) -> Float[np.ndarray, "group point"]:
        """Log density at points of each group, up to a constant of the number of parameters."""
        power = -0.5 * (self.freedom + angle.shape[1])
        if self.weight.shape[1] == 1:
            squared = self._squared(angle, 0)
            return self.log_height[:, :1] + power * np.log1p(squared / self.freedom)
        log = np.empty((*self.weight.shape, angle.shape[2]))
        for k in range(self.weight.shape[1]):
            np.log1p(self._squared(angle, k) / self.freedom, out=log[:, k])
        log *= power
        log += self.log_height[..., None]
        top = log.max(axis=1)
        log -= top[:, None]
        return top + np.log(np.exp(log, out=log).sum(axis=1))

    def _responsibility(
        self, angle: Float[np.ndarray, "group parameter point"]
    ) -> Float[np.ndarray, "group component point"]:
        """How probably each point is of each component, were these Gaussians."""
        part = np.empty((*self.weight.shape, angle.shape[2]))
        for k in range(self.weight.shape[1]):
            part[:, k] = self.log_height[:, k, None] - 0.5 * self._squared(angle, k)
        part -= part.max(axis=1, keepdims=True)
        np.exp(part, out=part)
        part /= part.sum(axis=1, keepdims=True)
        return part

    def _squared(
        self, angle: Float[np.ndarray, "group parameter point"], k: int
    ) -> Float[np.ndarray, "group point"]:
        """Squared distance from a centre, in units of its component."""
        away = product(self.inverse[:, k], angle)
        away -= self.inverse[:, k] @ self.centre[:, k, :, None]
        away *= away
        return away.sum(axis=1)


def angles(logits: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """The angles of probabilities that are given by their logits."""
    return np.arctan(np.exp(0.5 * logits))


def _with_volume(
    covariance: Float[np.ndarray, "group n n"],
) -> Float[np.ndarray, "group n n"]:
    """Widened a little: points that hardly differ, or are few, span no volume by themselves."""
    n = covariance.shape[1]
    width = np.trace(covariance, axis1=1, axis2=2)[:, None, None] / n
    return covariance + (_LEAST_WIDTH * width + np.finfo(float).tiny) * np.eye(n)


def _moments(
    point: Float[np.ndarray, "group parameter point"],
) -> Float[np.ndarray, "group moment point"]:
    """1, the coordinates, and their products with each other."""
    n_groups, n, n_points = point.shape
    products = (point[:, :, None] * point[:, None]).reshape(n_groups, n * n, n_points)
    return np.concatenate([np.ones((n_groups, 1, n_points)), point, products], axis=1)
