"""Are two modes one: is there a way from the one to the other on which the density hardly dips?

Where labels leave a direction open the posterior is a ridge, on which every start ends somewhere
else. Two of its points are no modes. Along each parameter in which they differ, the best that the
others can do is looked up at values in between: any way from one to the other has to pass all of
those values, and dips at least as much as the deepest of them.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from jaxtyping import Float

from rat_widgets.inference.surface import Surface, expit

__all__ = ["is_ridge"]

_N_BETWEEN: Final = 7
_EM_STEPS: Final = 30
# Log of how much the density dips between two modes that count as two.
_DIP: Final = 1.5
# A parameter takes part that differs by this much of what the most different one does.
_DIFFERS: Final = 0.3


def is_ridge(
    surface: Surface, first: Float[np.ndarray, " parameter"], last: Float[np.ndarray, " parameter"]
) -> bool:
    """Whether nothing that was found lies between two ends of one group.

    Parameters
    ----------
    surface : Surface
        Of that group alone.
    first, last : array, shape (parameter,)
        Logits of the ends.
    """
    apart = np.abs(expit(first) - expit(last))
    along = np.flatnonzero(apart >= _DIFFERS * apart.max())
    part = np.arange(1, _N_BETWEEN + 1) / (_N_BETWEEN + 1)
    between = first[:, None] + (last - first)[:, None] * part
    # One row of points for each parameter that is held.
    logits = np.tile(between, len(along))[None]
    held = np.repeat(along, _N_BETWEEN)
    place = np.arange(logits.shape[2])
    value = logits[0, held, place]
    for _ in range(_EM_STEPS):
        ones, zeros = surface.labels(logits)
        logits = np.log(ones) - np.log(zeros)
        logits[0, held, place] = value
    ends = surface(np.stack([first, last], axis=-1)[None]).log_density.min()
    return bool(ends - surface(logits).log_density.min() < _DIP)
