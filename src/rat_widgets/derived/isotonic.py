"""Isotonic regression of labels on a score."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

__all__ = ["isotonic_curve", "on_curve"]


def isotonic_curve(
    score: Float[np.ndarray, " row"], label: Int[np.ndarray, " row"]
) -> tuple[Float[np.ndarray, " knot"], Float[np.ndarray, " knot"]]:
    """The best curve that never falls: the two ends of each of its steps."""
    from scipy.optimize import isotonic_regression

    at, which, n = np.unique(score, return_inverse=True, return_counts=True)
    share = np.bincount(which, weights=label) / n
    to = np.clip(isotonic_regression(share, weights=n).x, 0, 1)
    is_end = np.ones(len(at), dtype=bool)
    is_end[1:-1] = (to[1:-1] != to[:-2]) | (to[1:-1] != to[2:])
    return at[is_end], to[is_end]


def on_curve(
    score: Float[np.ndarray, " row"],
    at: Float[np.ndarray, " knot"],
    to: Float[np.ndarray, " knot"],
) -> Float[np.ndarray, " row"]:
    """Scores on the curve: linear between its knots, constant beyond, NaN where missing."""
    return np.where(np.isnan(score), np.nan, np.interp(score, at, to))
