"""Krippendorff's alpha of items that are drawn anew, by the package or by sums over values."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from jaxtyping import Float, Int

if TYPE_CHECKING:
    from rat_widgets.derived.ratings import Ratings

__all__ = ["alpha_by_package", "alpha_by_sums", "alpha_of"]

# The package builds items x values x values for each resample, 10 to 30 ns a cell.
_MAX_CELLS: Final = 2e8

_Items: TypeAlias = Float[np.ndarray, "resample pattern"]
_Patterns: TypeAlias = Int[np.ndarray, "pattern rater"]
_Alpha: TypeAlias = Callable[[Int[np.ndarray, "resample pattern"]], Float[np.ndarray, " resample"]]


def alpha_of(ratings: Ratings, scale: str, n_resamples: int, package: ModuleType) -> _Alpha:
    """Items per pattern to alpha, by the package where it takes seconds and not minutes."""
    n_cells = float(ratings.items.sum()) * len(ratings.values) ** 2 * n_resamples
    if n_cells <= _MAX_CELLS:
        return alpha_by_package(ratings, scale, package)
    return alpha_by_sums(ratings, scale)


def alpha_by_package(ratings: Ratings, scale: str, package: ModuleType) -> _Alpha:
    """Items per pattern to alpha, as ``krippendorff.alpha`` computes it."""
    counts = ratings.value_counts()
    is_shared = counts.sum(axis=1) > 1
    shared, domain = counts[is_shared], _domain(ratings, scale)

    def one(items: Int[np.ndarray, " pattern"]) -> float:
        units = np.repeat(shared, items, axis=0)
        if (units.sum(axis=0) > 0).sum() < 2:  # one value only: nothing to disagree about
            return math.nan
        return float(
            package.alpha(value_counts=units, value_domain=domain, level_of_measurement=scale)
        )

    return lambda items: np.array([one(row) for row in items[:, is_shared]])


def alpha_by_sums(ratings: Ratings, scale: str) -> _Alpha:
    """Items per pattern to alpha, in time that grows with ratings and not with items x values.

    Notes
    -----
    Alpha is 1 - (n - 1) sum_u d(u) / (m_u - 1) / d(all): n ratings of items that were rated
    twice or more, m_u of item u, and d the sum of squared differences over ordered pairs
    (Krippendorff 2011). Of numbers x it is 2 (m sum x^2 - (sum x)^2), and the numbers of an
    ordinal scale are mean ranks.
    """
    is_shared = (ratings.patterns >= 0).sum(axis=1) > 1
    patterns, domain = ratings.patterns[is_shared], _domain(ratings, scale)
    per_item = (patterns >= 0).sum(axis=1)
    is_by_pairs = scale in ("nominal", "ratio")
    of_items = _between_raters(patterns, domain, scale) if is_by_pairs else np.zeros(0)

    def alpha(items: Int[np.ndarray, "resample pattern"]) -> Float[np.ndarray, " resample"]:
        chosen = items[:, is_shared].astype(np.float64)
        by_value = _by_value(chosen, patterns, len(domain))
        n = by_value.sum(axis=1)
        if is_by_pairs:
            within, every = of_items, _between_all(by_value, domain, scale)
        else:
            x = _numbers(by_value, domain, scale)
            within = 2 * _spread(per_item, *_sums(patterns, x))
            every = 2 * _spread(n, (by_value * x).sum(axis=1), (by_value * x * x).sum(axis=1))
        observed = (chosen * within / (per_item - 1)).sum(axis=1)
        is_defined = (by_value > 0).sum(axis=1) > 1
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(is_defined, 1 - (n - 1) * observed / every, np.nan)

    return alpha


def _domain(ratings: Ratings, scale: str) -> Float[np.ndarray, " value"]:
    """What differences are taken of: places, or numbers made small enough to be squared."""
    if scale not in ("interval", "ratio"):
        return np.arange(len(ratings.values), dtype=np.float64)
    numbers = np.array([float(v) for v in ratings.values])
    return numbers / (np.abs(numbers).max(initial=0.0) or 1.0)


def _by_value(
    chosen: _Items, patterns: _Patterns, n_values: int
) -> Float[np.ndarray, "resample value"]:
    """Ratings of each value."""
    found = np.zeros((len(chosen), n_values))
    for given in patterns.T:
        order = np.argsort(given, kind="stable")[(given < 0).sum() :]
        if len(order):
            values, starts = np.unique(given[order], return_index=True)
            found[:, values] += np.add.reduceat(chosen[:, order], starts, axis=1)
    return found


def _squared(
    a: Float[np.ndarray, "*#batch"], b: Float[np.ndarray, "*#batch"], scale: str
) -> Float[np.ndarray, "*#batch"]:
    """Squared differences on a scale where they do not depend on the other ratings."""
    if scale == "nominal":
        return (a != b).astype(np.float64)
    return np.divide(a - b, a + b, out=np.zeros(np.broadcast(a, b).shape), where=a + b > 0) ** 2


def _between_raters(
    patterns: _Patterns, domain: Float[np.ndarray, " value"], scale: str
) -> Float[np.ndarray, " pattern"]:
    """Squared differences of each item's ratings, over ordered pairs of raters."""
    found = np.zeros(len(patterns))
    for one in patterns.T:
        for other in patterns.T:
            squared = _squared(domain[one], domain[other], scale)
            found += np.where((one >= 0) & (other >= 0), squared, 0.0)
    return found


def _between_all(
    by_value: Float[np.ndarray, "resample value"], domain: Float[np.ndarray, " value"], scale: str
) -> Float[np.ndarray, " resample"]:
    """Squared differences over ordered pairs of all ratings."""
    if scale == "nominal":
        return by_value.sum(axis=1) ** 2 - (by_value**2).sum(axis=1)
    return ((by_value @ _squared(domain[:, None], domain[None], scale)) * by_value).sum(axis=1)


def _numbers(
    by_value: Float[np.ndarray, "resample value"], domain: Float[np.ndarray, " value"], scale: str
) -> Float[np.ndarray, "resample value"]:
    """The number that stands for a value, less the mean of all, in each resample."""
    x = np.broadcast_to(domain, by_value.shape)
    if scale == "ordinal":
        x = np.cumsum(by_value, axis=1) - by_value / 2
    n = np.maximum(by_value.sum(axis=1, keepdims=True), 1)
    return x - (x * by_value).sum(axis=1, keepdims=True) / n


def _sums(patterns: _Patterns, x: Float[np.ndarray, "resample value"]) -> tuple[Any, Any]:
    """Of each item's numbers their sum and that of their squares."""
    total, squares = np.zeros((2, len(x), len(patterns)))
    for given in patterns.T:
        of_rater = np.where(given >= 0, x[:, given], 0.0)
        total += of_rater
        squares += of_rater**2
    return total, squares


def _spread(n: Any, total: Any, squares: Any) -> Any:
    """Squared differences of numbers, over unordered pairs."""
    return n * squares - total**2
