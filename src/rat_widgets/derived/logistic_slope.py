"""Posterior of one slope that several groups of rows share, each with its own intercept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Float, Int

__all__ = ["Cells", "cells_of", "intercepts_at", "slope_posterior"]

SLOPE_SCALE: Final = 2.0
INTERCEPT_SCALE: Final = 5.0
_N_GRID: Final = 101
_N_STEPS: Final = 60
_N_ZOOMS: Final = 4
_FARTHEST: Final = 12.0
_MANY: Final = 1000
_DECIMALS: Final = 2


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Cells:
    """Rows with one group and one x, and how many of them pass."""

    x: Float[np.ndarray, " cell"]
    group: Int[np.ndarray, " cell"]
    n: Float[np.ndarray, " cell"]
    n_pass: Float[np.ndarray, " cell"]


def cells_of(
    x: Float[np.ndarray, " row"],
    passed: Int[np.ndarray, " row"],
    group: Int[np.ndarray, " row"],
) -> Cells:
    """Rows counted; of more than 1,000 of them x is rounded to hundredths."""
    place = np.round(x, _DECIMALS) if len(x) > _MANY else x
    places, which = np.unique(place, return_inverse=True)
    kinds, cell = np.unique(group * len(places) + which, return_inverse=True)
    return Cells(
        x=places[kinds % len(places)],
        group=kinds // len(places),
        n=np.bincount(cell).astype(np.float64),
        n_pass=np.bincount(cell, weights=passed),
    )


def slope_posterior(
    cells: Cells,
) -> tuple[Float[np.ndarray, " point"], Float[np.ndarray, " point"]]:
    """Slopes on a grid and their probabilities, which sum to 1.

    Parameters
    ----------
    cells : Cells
        Finite x, not all the same; groups from 0 up, each on some row.

    Notes
    -----
    logit P(pass) = intercept of the group + slope x, with x about its mean; priors Normal(0, 2)
    on the slope and Normal(0, 5) on intercepts, so that a perfect separation has an answer. On
    each of 101 slopes intercepts are integrated out by Laplace's approximation. The grid
    reaches where the density is below a millionth of the mode's.
    """
    grid = np.linspace(-_FARTHEST, _FARTHEST, _N_GRID)
    log_density = _log_density(grid, cells)
    for _ in range(_N_ZOOMS):
        inside = np.flatnonzero(log_density > log_density.max() - 14)
        first, last = max(inside[0] - 1, 0), min(inside[-1] + 1, _N_GRID - 1)
        grid = np.linspace(grid[first], grid[last], _N_GRID)
        log_density = _log_density(grid, cells)
    weight = np.exp(log_density - log_density.max())
    return grid, weight / weight.sum()


def intercepts_at(
    slope: Float[np.ndarray, " slope"], cells: Cells
) -> tuple[Float[np.ndarray, "slope group"], Float[np.ndarray, "slope group"]]:
    """The most probable intercepts under each slope, and their curvature."""
    from scipy.special import expit

    member = (cells.group[:, None] == np.arange(cells.group.max() + 1)).astype(np.float64)
    n_pass, trials = cells.n_pass @ member, member * cells.n[:, None]
    offset = slope[:, None] * cells.x
    at = np.zeros((len(slope), member.shape[1]))
    curve = np.ones_like(at)
    for _ in range(_N_STEPS):
        p = expit(at[:, cells.group] + offset)
        curve = (p * (1 - p)) @ trials + INTERCEPT_SCALE**-2
        step = np.clip((n_pass - p @ trials - at / INTERCEPT_SCALE**2) / curve, -2, 2)
        at = at + step
        if np.abs(step).max() < 1e-9:
            break
    return at, curve


def _log_density(slope: Float[np.ndarray, " slope"], cells: Cells) -> Float[np.ndarray, " slope"]:
    at, curve = intercepts_at(slope, cells)
    logit = at[:, cells.group] + slope[:, None] * cells.x
    fit = logit @ cells.n_pass - np.logaddexp(0, logit) @ cells.n
    prior = -0.5 * (slope / SLOPE_SCALE) ** 2 - 0.5 * (at**2).sum(axis=1) / INTERCEPT_SCALE**2
    return np.asarray(fit + prior - 0.5 * np.log(curve).sum(axis=1))
