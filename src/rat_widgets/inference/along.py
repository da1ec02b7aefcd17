"""Where a posterior lies whose labels leave a direction open: a proposal that goes along it."""

from __future__ import annotations

from typing import Final

import numpy as np

from rat_widgets.inference.bends import Bend
from rat_widgets.inference.herd import Herd
from rat_widgets.inference.proposals import angles
from rat_widgets.inference.turned import Turned

__all__ = ["along"]

_N_WALKERS: Final = 256
_N_EM: Final = 5
# Hamiltonian steps, those of them that are not watched, and leaps of each.
_N_STEPS, _N_ARRIVING, _N_LEAPS = 14, 6, 3
_EDGE: Final = 1e-9


def along(herd: Herd) -> Bend | Turned:
    """A proposal along what the labels leave open.

    Draws of what is known for sure are as wide as the priors there; steps of EM take them to
    where the other labels allow them, and Hamiltonian steps make them as thick as the posterior.
    """
    surface = herd.block.surface
    shape = (surface.alpha.shape[1], _N_WALKERS)
    pairs = zip(surface.alpha, surface.beta, herd.streams, strict=True)
    p = np.stack([rng.beta(alpha, beta, shape) for alpha, beta, rng in pairs])
    logits = np.log(np.clip(p, _EDGE, 1 - _EDGE)) - np.log1p(-np.clip(p, _EDGE, 1 - _EDGE))
    for _ in range(_N_EM):
        ones, zeros = surface.labels(logits)
        logits = np.log(ones) - np.log(zeros)
    herd.stand(logits)
    seen = []
    for i in range(_N_STEPS):
        herd.step(_N_LEAPS, 0, tuning=1 / (1 + i / 3))
        seen.append(herd.logits)
    every = angles(np.concatenate(seen[_N_ARRIVING:], axis=2))
    kind = Turned if herd.block.is_two_level else Bend
    return kind.fitted(every, np.ones((len(every), every.shape[2])))
