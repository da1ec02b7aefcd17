"""The likelihood of one group with many patterns, by what they have in common (`families`).

The first term of each pattern is divided out; what it holds adds whole labels, as a pattern of one
term does. Of the others few kinds are left, each a constant of the family times what the verdicts
of the pattern say. So tens of judges take one product with the matrix of their verdicts, and its
transpose for the gradient, in place of a row of exponents for each term of each pattern.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, Self

import numpy as np
from jaxtyping import Float

from rat_widgets.inference.families import Family, families
from rat_widgets.inference.threads import gram, product

__all__ = ["Factored", "Labelled"]

# Numbers worked on at once: a few arrays of this size stay in a processor's cache.
_BLOCK: Final = 1 << 15
# Largest logs whose exponentials are added up as they are, and of the products of such sums.
_LARGEST: Final = 500.0
_LARGEST_PRODUCT: Final = 690.0
_MOST_FACTORS: Final = 64


class Labelled(NamedTuple):
    """Log-likelihood at each point, and the ones and zeros that the rows stand for there."""

    log_likelihood: Float[np.ndarray, " point"]
    ones: Float[np.ndarray, "parameter point"]
    zeros: Float[np.ndarray, "parameter point"]


@dataclass(frozen=True, slots=True)
class Factored:
    """The mixed patterns of one group.

    Points are given by the logs of p, then of 1 - p, as in `Surface`.
    """

    families: tuple[Family, ...]

    @classmethod
    def of(
        cls,
        exponents: Float[np.ndarray, "mixed term exponent"],
        log_factor: Float[np.ndarray, "mixed term"],
        rows: Float[np.ndarray, " mixed"],
    ) -> Self:
        """Of what `Collapsed` has for one group."""
        return cls(tuple(families(exponents, log_factor, rows)))

    def log_likelihood(
        self, log: Float[np.ndarray, "exponent point"]
    ) -> Float[np.ndarray, " point"]:
        """At each point."""
        powers, total = _powers(log), np.zeros(log.shape[1])
        for family in self.families:
            total += _Mixture(family, powers).log_likelihood()
        return total

    def labels(self, log: Float[np.ndarray, "exponent point"]) -> Labelled:
        """Log-likelihood and expected labels at each point."""
        powers, total = _powers(log), np.zeros(log.shape[1])
        counted = np.zeros(powers.shape)
        for family in self.families:
            total += _Mixture(family, powers).labels(counted)
        ones, every, _ = np.split(counted, (len(log) // 2, len(log)))
        # Differences of sums: what is hardly there may come out less than nothing.
        return Labelled(total, np.maximum(ones, 0.0), np.maximum(every - ones, 0.0))

    def uncertain(
        self, log: Float[np.ndarray, "exponent point"]
    ) -> Float[np.ndarray, "point parameter parameter"]:
        """What sharing leaves uncertain: covariance of the terms' gradients, summed over rows."""
        powers, n = _powers(log), len(log) // 2
        total = np.zeros((log.shape[1], n, n))
        for family in self.families:
            _Mixture(family, powers).add_uncertain(np.exp(log[:n]), total)
        return total


class _Mixture:
    """A family at some points: terms of one kind put together, kinds relative to the first."""

    def __init__(self, family: Family, powers: Float[np.ndarray, "exponent point"]) -> None:
        self._family, self._powers = family, powers
        term = family.constant @ powers
        log_kind = np.empty((len(family.taken) + 1, powers.shape[1]))
        # How the terms of each kind share what it has, the same in all patterns.
        self._within = np.empty_like(term)
        for q in range(len(log_kind)):
            some = family.kind == q
            top = term[some].max(axis=0)
            share = np.exp(term[some] - top)
            total = share.sum(axis=0)
            self._within[some] = share / total
            log_kind[q] = top + np.log(total)
        self._log_kind = log_kind[1:] - log_kind[0]
        self._of_first = family.first @ powers + family.rows.sum() * log_kind[0]
        self._moved = [
            [product(family.taken[q, part.columns], powers) for q in part.variants]
            for part in family.parts
        ]

    def log_likelihood(self) -> Float[np.ndarray, " point"]:
        total = self._of_first.copy()
        for some in self._chunks():
            total += _shared(self._relative(some), self._family.rows[some])
        return total

    def labels(self, counted: Float[np.ndarray, "exponent point"]) -> Float[np.ndarray, " point"]:
        """Log-likelihood; expected exponents are added to those that are counted."""
        family = self._family
        total = self._of_first.copy()
        shared = np.zeros(self._log_kind.shape)
        pulled = [[np.zeros(x.shape) for x in moved] for moved in self._moved]
        for some in self._chunks():
            share = self._relative(some)
            total += _shared(share, family.rows[some])
            shared += share.sum(axis=1)
            for part, into in zip(family.parts, pulled, strict=True):
                turned = family.distinct[some, part.columns].T
                for kinds, each in zip(part.kinds, into, strict=True):
                    np.add(each, product(turned, _added([share[q] for q in kinds])), out=each)
        first = family.rows.sum() - shared.sum(axis=0, keepdims=True)
        every = np.concatenate([first, shared])[family.kind] * self._within
        counted += family.first[:, None]
        counted += family.constant.T @ every
        for part, into in zip(family.parts, pulled, strict=True):
            for q, each in zip(part.variants, into, strict=True):
                counted += product(family.taken[q, part.columns].T, each)
        return total

    def add_uncertain(
        self,
        p: Float[np.ndarray, "parameter point"],
        total: Float[np.ndarray, "point parameter parameter"],
    ) -> None:
        """The covariance of the terms' gradients, added to what there is."""
        family = self._family
        share = np.empty((len(family.taken), len(family.rows), p.shape[1]))
        for some in self._chunks():
            share[:, some] = self._relative(some)
            _shared(share[:, some], family.rows[some])
        first = family.rows.sum() - share.sum(axis=(0, 1))
        features = np.concatenate([np.ones((len(family.rows), 1)), family.distinct], axis=1).T
        for k in range(p.shape[1]):
            shared = np.concatenate([first[None, k], share[..., k].sum(axis=1)])
            slope = _score(family.constant, p[:, k])
            within = self._within[:, k, None] * slope
            middle = np.array([within[family.kind == q].sum(axis=0) for q in range(len(shared))])
            weighted = shared[family.kind, None] * within
            total[k] += weighted.T @ slope - middle.T @ (shared[:, None] * middle)
            lead = (middle[1:] - middle[0])[:, None]
            kinds = np.concatenate([lead, _score(family.taken, p[:, k])], axis=1)
            total[k] += _between(features, kinds, share[..., k], family.rows)

    def _chunks(self) -> Iterator[slice]:
        n_kinds, n_points = self._log_kind.shape
        size = max(1, _BLOCK // max(1, n_kinds * n_points))
        n = len(self._family.rows) if n_kinds else 0
        return (slice(start, start + size) for start in range(0, n, size))

    def _relative(self, some: slice) -> Float[np.ndarray, "kind pattern point"]:
        """Logs of the kinds but the first, over the first."""
        family = self._family
        n_kinds, n_points = self._log_kind.shape
        log = np.empty((n_kinds, len(family.rows[some]), n_points))
        log[:] = self._log_kind[:, None]
        for part, moved in zip(family.parts, self._moved, strict=True):
            for kinds, each in zip(part.kinds, moved, strict=True):
                value = product(family.distinct[some, part.columns], each)
                for q in kinds:
                    log[q] += value
        return log


def _shared(
    log: Float[np.ndarray, "kind pattern point"], rows: Float[np.ndarray, " pattern"]
) -> Float[np.ndarray, " point"]:
    """Log of 1 and the kinds added up, summed over rows; the logs become each kind's share of them.

    Sums of exponentials are multiplied, several at a time, before their log is taken.
    """
    largest = max(0.0, float(log.max()))
    if not largest < _LARGEST:
        return _shared_safely(log, rows)
    np.exp(log, out=log)
    total = log.sum(axis=0)
    total += 1.0
    if (rows == 1).all():
        n = int(_LARGEST_PRODUCT / (largest + np.log(len(log) + 1)))
        height = _log_product(total, max(1, min(n, _MOST_FACTORS)))
        np.divide(log, total, out=log)
        return height
    height = rows @ np.log(total)
    np.divide(rows[:, None], total, out=total)
    log *= total
    return height


def _log_product(factor: Float[np.ndarray, "pattern point"], n: int) -> Float[np.ndarray, " point"]:
    """Log of the product over patterns, `n` of which can be multiplied."""
    whole = len(factor) - len(factor) % n
    several = factor[:whole].reshape(-1, n, factor.shape[1]).prod(axis=1)
    left = factor[whole:].prod(axis=0)
    return np.log(several).sum(axis=0) + np.log(left)


def _shared_safely(
    log: Float[np.ndarray, "kind pattern point"], rows: Float[np.ndarray, " pattern"]
) -> Float[np.ndarray, " point"]:
    """As `_shared`, whatever the size of the logs."""
    top = np.maximum(log.max(axis=0), 0.0)
    log -= top
    np.exp(log, out=log)
    total = np.exp(-top) + log.sum(axis=0)
    log *= rows[:, None] / total
    return rows @ (top + np.log(total))


def _between(
    features: Float[np.ndarray, "column pattern"],
    kinds: Float[np.ndarray, "kind column parameter"],
    share: Float[np.ndarray, "kind pattern"],
    rows: Float[np.ndarray, " pattern"],
) -> Float[np.ndarray, "parameter parameter"]:
    """Covariance of the kinds' gradients, which are linear in the features of a pattern."""
    n_kinds, n_columns, n = kinds.shape
    total = np.zeros((n, n))
    if n_kinds * n_columns**2 > 2 * (n_columns + n) * n:
        middle = np.zeros((n, len(rows)))
        for mine, part in zip(kinds, share, strict=True):
            slope = product(mine.T, features)
            weighted = slope * part
            total += gram(weighted, slope)
            middle += weighted
        return total - gram(middle / rows, middle)
    for q, mine in enumerate(kinds):
        for r, other in enumerate(kinds[: q + 1]):
            weight = -share[q] * share[r] / rows
            if q == r:
                weight += share[q]
            crossed = mine.T @ gram(features * weight, features) @ other
            total += crossed if q == r else crossed + crossed.T
    return total


def _powers(log: Float[np.ndarray, "exponent point"]) -> Float[np.ndarray, "power point"]:
    """Logs of the odds, of 1 - p, and of the number whose log is 1."""
    n = len(log) // 2
    return np.concatenate([log[:n] - log[n:], log[n:], np.ones((1, log.shape[1]))])


def _score(
    exponents: Float[np.ndarray, "*batch power"], p: Float[np.ndarray, " parameter"]
) -> Float[np.ndarray, "*batch parameter"]:
    """Gradient along the logits of a product with these exponents."""
    return exponents[..., : len(p)] - exponents[..., len(p) : -1] * p


def _added(parts: list[np.ndarray]) -> Float[np.ndarray, "pattern point"]:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total
