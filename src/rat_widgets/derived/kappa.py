"""Cohen's kappa from what two raters said."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

__all__ = ["kappa_of_margins", "kappa_of_table"]


def kappa_of_margins(
    agreed: Any, first: Any, second: Any, *, n: Any = None
) -> Float[np.ndarray, "*batch"]:
    """Agreement beyond chance (Cohen's kappa, unweighted).

    Parameters
    ----------
    agreed : array, shape (...)
        Items to which both raters gave the same value.
    first, second : array, shape (..., value)
        Items by the value that each of the two gave.
    n : array, shape (...)
        All items, where values that only one of the two gave are left out of the columns.

    Returns
    -------
    array, shape (...)
        1 for full agreement, 0 for as much as the two distributions give by chance; NaN without
        items, or where both raters give one and the same value to all.

    References
    ----------
    Cohen (1960), "A Coefficient of Agreement for Nominal Scales".
    """
    first, second = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    n = first.sum(axis=-1) if n is None else np.asarray(n, dtype=np.float64)
    by_chance = (first * second).sum(axis=-1)
    room = n * n - by_chance
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(room > 0, (n * agreed - by_chance) / room, np.nan)


def kappa_of_table(table: Any) -> Float[np.ndarray, "*batch"]:
    """`kappa_of_margins` of items by both raters' values, shape (..., value, value)."""
    table = np.asarray(table)
    agreed = np.trace(table, axis1=-2, axis2=-1)
    return kappa_of_margins(agreed, table.sum(axis=-1), table.sum(axis=-2))
