"""The log density of logits, with its gradient and curvature, at many points of many groups.

With p = expit(y) a sum of products of p and 1 - p has simple derivatives: share the rows of
each mixed pattern among its products in proportion, count the labels that they stand for, and
the gradient is labels seen less labels expected. What that sharing leaves uncertain is
subtracted from the curvature of complete labels (Louis 1982).

Axes are (group, parameter, point). A group's numbers do not depend on the groups beside it,
bit by bit: everything is elementwise, or a product of matrices of the group's own shape. Where
there is much to multiply each group goes by itself, by what its patterns have in common
(`factored`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, Final, NamedTuple, Self

import numpy as np
from jaxtyping import Float, Int, Shaped

from rat_widgets.inference.factored import Factored
from rat_widgets.inference.threads import product, spread

__all__ = ["Surface", "Value", "expit", "log_volume"]

# Numbers worked on at once: a few arrays of this size stay in a processor's cache.
_BLOCK: Final = 1 << 15
# Points of one group worked on at once.
_MOST_POINTS: Final = 512
# And where each of them keeps a core busy for a while: so many multiplications, so few points.
_MUCH_WORK: Final = 1 << 17
_FEW_POINTS: Final = 32

_Part = tuple[slice, slice]


class Value(NamedTuple):
    """Log density of each group at each point, up to a constant, and its gradient."""

    log_density: Float[np.ndarray, "group point"]
    gradient: Float[np.ndarray, "group parameter point"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Surface:
    """Log posterior densities of groups whose mixed patterns have the same number of terms.

    Attributes
    ----------
    exponents : array, shape (group, mixed * term, 2 * parameter)
    log_factor : array, shape (group, mixed * term, 1)
    rows : array, shape (group, mixed, 1)
        Rows that show each mixed pattern; 0 for patterns that pad.
    alpha, beta : array, shape (group, parameter, 1)
        Of the priors and the labels known for sure.
    factored : array of Factored, shape (group,), or None
        What the patterns have in common, where it is used in place of the exponents.
    """

    exponents: Float[np.ndarray, "group product exponent"]
    log_factor: Float[np.ndarray, "group product 1"]
    rows: Float[np.ndarray, "group mixed 1"]
    alpha: Float[np.ndarray, "group parameter 1"]
    beta: Float[np.ndarray, "group parameter 1"]
    factored: Shaped[np.ndarray, " group"] | None = None

    @property
    def is_costly(self) -> bool:
        """Whether a point of a single group is work enough to share it among cores."""
        return self.exponents.shape[1] * self.exponents.shape[2] > _MUCH_WORK

    def factorised(self) -> Self:
        """The same by what patterns have in common where that pays, else as it is."""
        if not self.is_costly:
            return self
        n_groups, n_mixed = self.rows.shape[:2]
        factored = np.empty(n_groups, dtype=object)
        for g in range(n_groups):
            factored[g] = Factored.of(
                self.exponents[g].reshape(n_mixed, -1, self.exponents.shape[2]),
                self.log_factor[g].reshape(n_mixed, -1),
                self.rows[g, :, 0],
            )
        return replace(self, factored=factored)

    def take(self, groups: slice | Int[np.ndarray, " group"]) -> Self:
        """Some of the groups."""
        some: dict[str, Any] = {
            f.name: getattr(self, f.name)[groups] for f in fields(self) if f.name != "factored"
        }
        return type(self)(**some, factored=None if self.factored is None else self.factored[groups])

    def __call__(self, logits: Float[np.ndarray, "group parameter point"]) -> Value:
        """Log density and gradient at points of each group."""
        value = Value(np.empty((len(logits), logits.shape[2])), np.empty(logits.shape))

        def fill(part: _Part) -> None:
            here = self.take(part[0])._value(logits[part[0], :, part[1]])
            value.log_density[part], value.gradient[part[0], :, part[1]] = here

        self._each(fill, logits)
        return value

    def of_angles(
        self, angle: Float[np.ndarray, "group parameter point"]
    ) -> tuple[Float[np.ndarray, "group point"], Float[np.ndarray, "group parameter point"]]:
        """Log density of angles, where p = sin(angle)^2, and their logits.

        Angles of no probability, outside 0 to pi / 2, have density -inf. Logits of few labels
        have one long tail; angles have none.
        """
        density, logits = np.empty((len(angle), angle.shape[2])), np.empty(angle.shape)

        def fill(part: _Part) -> None:
            here = angle[part[0], :, part[1]]
            outside = ((here <= 0) | (here >= 0.5 * np.pi)).any(axis=1)
            here = np.clip(here, 0, 0.5 * np.pi)
            with np.errstate(divide="ignore", invalid="ignore"):
                y = 2 * np.log(np.tan(here))
                held = self.take(part[0])._log_density(_log_probabilities(y), 0.5)
            held[outside] = -np.inf
            density[part], logits[part[0], :, part[1]] = held, y

        self._each(fill, angle)
        return density, logits

    def _each(
        self, fill: Callable[[_Part], None], logits: Float[np.ndarray, "group parameter point"]
    ) -> None:
        """Fill part after part; which points are one part does not depend on the groups."""
        n_groups, _, n_points = logits.shape
        width = min(n_points, _MOST_POINTS)
        if self.is_costly:
            width = min(n_points, _FEW_POINTS)
        step = max(1, _BLOCK // max(1, self.exponents.shape[1] * width))
        if self.factored is not None:
            step = 1
        parts = [
            (slice(g, g + step), slice(i, i + width))
            for g in range(0, n_groups, step)
            for i in range(0, n_points, max(1, width))
        ]
        if n_groups > step or self.is_costly:
            spread(fill, parts)
        else:
            for part in parts:
                fill(part)

    def labels(
        self, logits: Float[np.ndarray, "group parameter point"]
    ) -> tuple[Float[np.ndarray, "group parameter point"], ...]:
        """Expected ones and zeros of each parameter, those of the prior included."""
        log = _log_probabilities(logits)
        _, ones, zeros = self._labelled(log)
        return self.alpha + ones, self.beta + zeros

    def curvature(
        self, logits: Float[np.ndarray, "group parameter point"]
    ) -> tuple[
        Float[np.ndarray, "group point parameter parameter"],
        Float[np.ndarray, "group point parameter"],
    ]:
        """The negative Hessian, and the diagonal it would have with complete labels."""
        p, log = _probabilities(logits)
        n = p.shape[1]
        ones, zeros = self.labels(logits)
        complete = np.swapaxes((ones + zeros) * p * (1 - p), 1, 2)
        hessian = -self._uncertain(p, log)
        hessian[..., np.arange(n), np.arange(n)] += complete
        return hessian, complete

    def _uncertain(
        self,
        p: Float[np.ndarray, "group parameter point"],
        log: Float[np.ndarray, "group exponent point"],
    ) -> Float[np.ndarray, "group point parameter parameter"]:
        """Covariance of what the products of a pattern say of each parameter, summed over rows."""
        if self.factored is not None:
            return np.stack([f.uncertain(x) for f, x in zip(self.factored, log, strict=True)])
        n = p.shape[1]
        shared = self._shared(log)[0]
        held = self.exponents[..., :n, None]
        # What each product says of each parameter: (group, product, parameter, point).
        score = held - (held + self.exponents[..., n:, None]) * p[:, None]
        score = np.moveaxis(score, -1, 1)
        weight = np.swapaxes(shared, 1, 2)[..., None]
        n_groups, n_mixed = self.rows.shape[:2]
        weighted = weight * score
        within = product(np.swapaxes(weighted, -1, -2), score)
        total = weighted.reshape(n_groups, p.shape[2], n_mixed, -1, n).sum(axis=3)
        safe = np.where(self.rows > 0, self.rows, 1.0)[:, None]
        between = product(np.swapaxes(total / safe, -1, -2), total)
        return within - between

    def _value(self, logits: Float[np.ndarray, "group parameter point"]) -> Value:
        p, log = _probabilities(logits)
        log_likelihood, ones, zeros = self._labelled(log)
        ones = ones + self.alpha
        every = ones + zeros + self.beta
        return Value(self._log_prior(log) + log_likelihood, ones - every * p)

    def _labelled(
        self, log: Float[np.ndarray, "group exponent point"]
    ) -> tuple[
        Float[np.ndarray, "group point"],
        Float[np.ndarray, "group parameter point"],
        Float[np.ndarray, "group parameter point"],
    ]:
        """Log-likelihood of the mixed patterns, and the ones and zeros expected in them."""
        if self.factored is not None:
            every = [f.labels(x) for f, x in zip(self.factored, log, strict=True)]
            likelihood, ones, zeros = (np.stack(x) for x in zip(*every, strict=True))
            return likelihood, ones, zeros
        shared, log_pattern = self._shared(log)
        counted = product(np.swapaxes(self.exponents, 1, 2), shared)
        n = log.shape[1] // 2
        return log_pattern.sum(axis=1), counted[:, :n], counted[:, n:]

    def _log_density(
        self, log: Float[np.ndarray, "group exponent point"], less: float
    ) -> Float[np.ndarray, "group point"]:
        """With so much less of every exponent of the prior."""
        if self.factored is not None:
            every = [f.log_likelihood(x) for f, x in zip(self.factored, log, strict=True)]
            return self._log_prior(log, less) + np.stack(every)
        # A pattern less probable than the smallest number is impossible here: log gives -inf.
        term = product(self.exponents, log)
        term += self.log_factor
        np.exp(term, out=term)
        total = term.reshape(*self.rows.shape[:2], -1, log.shape[2]).sum(axis=2)
        with np.errstate(divide="ignore", invalid="ignore"):
            log_pattern = np.where(self.rows > 0, self.rows * np.log(total), 0.0)
        return self._log_prior(log, less) + log_pattern.sum(axis=1)

    def _log_prior(
        self, log: Float[np.ndarray, "group exponent point"], less: float = 0.0
    ) -> Float[np.ndarray, "group point"]:
        """Of the priors and the labels known for sure."""
        power = np.concatenate([self.alpha, self.beta], axis=1) - less
        return product(np.swapaxes(power, 1, 2), log)[:, 0]

    def _shared(
        self, log: Float[np.ndarray, "group exponent point"]
    ) -> tuple[Float[np.ndarray, "group product point"], Float[np.ndarray, "group mixed point"]]:
        """Rows of each mixed pattern shared among its products, and its log-likelihood."""
        n_groups, n_mixed = self.rows.shape[:2]
        term = product(self.exponents, log)
        term += self.log_factor
        term = term.reshape(n_groups, n_mixed, -1, log.shape[2])
        top = term.max(axis=2)
        term -= top[:, :, None]
        np.exp(term, out=term)
        total = term.sum(axis=2)
        term *= (self.rows / total)[:, :, None]
        return term.reshape(n_groups, -1, log.shape[2]), self.rows * (top + np.log(total))


def expit(logits: Float[np.ndarray, "*shape"]) -> Float[np.ndarray, "*shape"]:
    """1 / (1 + exp(-y)), without overflow."""
    small = np.exp(-np.abs(logits))
    return np.where(logits >= 0, 1.0, small) / (1 + small)


def log_volume(
    logits: Float[np.ndarray, "group parameter point"],
) -> Float[np.ndarray, "group point"]:
    """Log of how much a density of logits grows when it becomes one of angles."""
    return -0.5 * _log_probabilities(logits).sum(axis=1)


def _probabilities(
    logits: Float[np.ndarray, "group parameter point"],
) -> tuple[Float[np.ndarray, "group parameter point"], Float[np.ndarray, "group exponent point"]]:
    """Probabilities; and the logs of p, then of 1 - p."""
    log = _log_probabilities(logits)
    return np.exp(log[:, : logits.shape[1]]), log


def _log_probabilities(
    logits: Float[np.ndarray, "group parameter point"],
) -> Float[np.ndarray, "group exponent point"]:
    """The logs of p, then of 1 - p."""
    n = logits.shape[1]
    log = np.empty((len(logits), 2 * n, logits.shape[2]))
    ones, zeros = log[:, :n], log[:, n:]
    np.abs(logits, out=zeros)
    np.negative(zeros, out=zeros)
    np.exp(zeros, out=zeros)
    np.log1p(zeros, out=zeros)
    np.minimum(logits, 0.0, out=ones)
    ones -= zeros
    np.subtract(ones, logits, out=zeros)
    return log
