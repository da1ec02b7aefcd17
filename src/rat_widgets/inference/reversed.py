"""A seen, R mostly missing, many rows: the model the other way round.

Parametrise by what was seen first: P(A=1), P(T=1 | A=0), P(R=1 | A=1), P(R=1 | A=0, T=0) and
P(R=1 | A=0, T=1). Rows without R then touch the first two alone, and the likelihood is almost
a product of Betas however many rows there are. What is left over goes into importance
weights: the priors, which belong to the original parameters, with the change of volume; and
rows that show R but not T.

Notes
-----
Both parameter sets are chains of binary splits, and the volume of a chain in the space of
world probabilities is the product of the masses that are split after the first:
m(hit) m(miss) m(hit, answered) m(miss, answered) for the original one, and
m(A=1) m(A=0) m(A=0, T=0) m(A=0, T=1) for this one. Their ratio is the Jacobian.

The original volume is in the denominator, so near a corner (no hits at all) the target grows.
The proposals Beta(c + count) of the last three parameters grow faster: with priors
Beta(a, b) second moments of the weights are finite when 3c < 2a for P(R), and c < 2a, c < 2b
for the others; c is 0.45 times the smallest of them (at most 0.45).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from jaxtyping import Float, Int64

from rat_widgets.errors import EngineError
from rat_widgets.inference.tally import MISSING

__all__ = ["Resampled", "sample_reversed"]

_PILOT: Final = 4096
_MIN_ESS_FRACTION: Final = 0.03
_CORNER: Final = 0.45


class Resampled(NamedTuple):
    """Equally weighted draws, and what the weights cost.

    Attributes
    ----------
    theta : array, shape (draw, 5)
    ess : float
        Number of independent draws that these are worth.
    ess_fraction : float
        Effective share of the proposals.
    """

    theta: Float[np.ndarray, "draw 5"]
    ess: float
    ess_fraction: float


def sample_reversed(
    cube: Int64[np.ndarray, "3 3 3"],
    prior: Float[np.ndarray, "5 2"],
    n: int,
    rng: np.random.Generator,
) -> Resampled:
    """Draws of the five probabilities by importance weights in the reversed parametrisation.

    Raises
    ------
    EngineError
        When the weights are too uneven to be trusted.
    """
    pilot = _weighted(cube, prior, _PILOT, rng)
    fraction = _ess(pilot[1]) / _PILOT
    if fraction < _MIN_ESS_FRACTION:
        raise EngineError.build(
            f"the tables are too large, and the importance weights of the reversed "
            f"parametrisation are too uneven (effective share {fraction:.3f}).",
            accepted=f"A share of {_MIN_ESS_FRACTION} or more.",
            hint="engine='nuts' takes these data.",
        )
    n_proposals = int(n * max(4.0, 3.0 / fraction))
    theta, weight = _weighted(cube, prior, n_proposals, rng)
    ess = _ess(weight)
    chosen = rng.permutation(_systematic(weight, n, rng))
    return Resampled(theta[chosen], n * ess / (n + ess), ess / n_proposals)


def _weighted(
    cube: Int64[np.ndarray, "3 3 3"],
    prior: Float[np.ndarray, "5 2"],
    n: int,
    rng: np.random.Generator,
) -> tuple[Float[np.ndarray, "proposal 5"], Float[np.ndarray, " proposal"]]:
    """Proposals as original parameters, with normalised weights."""
    shape = _proposal(cube, prior)
    # Two gammas per probability: p and 1 - p both keep their digits near 0 and 1.
    gammas = rng.standard_gamma(shape, size=(n, 5, 2))
    gammas = np.maximum(gammas, np.finfo(float).tiny)
    p = gammas / gammas.sum(axis=-1, keepdims=True)
    abstained, answered = p[:, 0, 0], p[:, 0, 1]
    right, wrong = answered * p[:, 1, 0], answered * p[:, 1, 1]
    mass = {
        ("hit", "abstained"): abstained * p[:, 2, 0],
        ("miss", "abstained"): abstained * p[:, 2, 1],
        ("hit", "wrong"): wrong * p[:, 3, 0],
        ("miss", "wrong"): wrong * p[:, 3, 1],
        ("hit", "right"): right * p[:, 4, 0],
        ("miss", "right"): right * p[:, 4, 1],
    }
    hit_answered = mass["hit", "wrong"] + mass["hit", "right"]
    miss_answered = mass["miss", "wrong"] + mass["miss", "right"]
    hit = hit_answered + mass["hit", "abstained"]
    miss = miss_answered + mass["miss", "abstained"]
    theta = np.stack(
        [
            np.stack([hit, miss], axis=-1),
            np.stack([mass["miss", "abstained"], miss_answered], axis=-1) / miss[:, None],
            np.stack([mass["hit", "abstained"], hit_answered], axis=-1) / hit[:, None],
            np.stack([mass["miss", "right"], mass["miss", "wrong"]], axis=-1)
            / miss_answered[:, None],
            np.stack([mass["hit", "right"], mass["hit", "wrong"]], axis=-1) / hit_answered[:, None],
        ],
        axis=1,
    )
    log_p, log_theta = np.log(p), np.log(theta)
    log_weight = (log_theta * (prior - 1)).sum(axis=(1, 2))
    log_weight += (log_p * (_seen(cube) + _VOLUME - (shape - 1))).sum(axis=(1, 2))
    log_weight -= np.log(hit) + np.log(miss) + np.log(hit_answered) + np.log(miss_answered)
    # Rows that show R and A=0 but not T, and rows that show R alone.
    log_weight += cube[1, 0, MISSING] * np.log(hit_answered / answered)
    log_weight += cube[0, 0, MISSING] * np.log(miss_answered / answered)
    log_weight += cube[1, MISSING, MISSING] * np.log(hit)
    log_weight += cube[0, MISSING, MISSING] * np.log(miss)
    weight = np.exp(log_weight - log_weight.max())
    return theta[..., 0], weight / weight.sum()


# Powers of P(A=1), P(A=0); P(T=1 | A=0), P(T=0 | A=0) in the volume of this parametrisation.
_VOLUME: Final = np.array([[1, 3], [1, 1], [0, 0], [0, 0], [0, 0]])


def _seen(cube: Int64[np.ndarray, "3 3 3"]) -> Int64[np.ndarray, "5 2"]:
    """Rows behind each of the reversed parameters: how often 1, how often 0."""
    abstained, answered = cube[:, 1], cube[:, 0]
    return np.array(
        [
            (abstained.sum(), answered.sum()),
            (answered[:, 1].sum(), answered[:, 0].sum()),
            (abstained[1].sum(), abstained[0].sum()),
            (answered[1, 0], answered[0, 0]),
            (answered[1, 1], answered[0, 1]),
        ]
    )


def _proposal(
    cube: Int64[np.ndarray, "3 3 3"], prior: Float[np.ndarray, "5 2"]
) -> Float[np.ndarray, "5 2"]:
    """Beta parameters of the proposals; their tails are no lighter than the target's."""
    (a_r, b_r), (a_am, b_am), (a_ah, b_ah), (a_tm, b_tm), (a_th, b_th) = prior
    low = _CORNER * min(1.0, a_r, a_ah, b_ah, a_th, b_th)
    high = _CORNER * min(1.0, b_r, a_am, b_am, a_tm, b_tm)
    corners = [
        (a_am + a_ah, b_am + b_ah),
        (a_tm + a_th, b_tm + b_th),
        (low, high),
        (low, high),
        (low, high),
    ]
    return _seen(cube) + np.array(corners)


def _ess(weight: Float[np.ndarray, " proposal"]) -> float:
    return float(1 / (weight**2).sum())


def _systematic(
    weight: Float[np.ndarray, " proposal"], n: int, rng: np.random.Generator
) -> Int64[np.ndarray, " draw"]:
    """Indices of n draws with equal weights: one random offset, evenly spaced points."""
    points = (np.arange(n) + rng.random()) / n
    total = np.cumsum(weight)
    return np.searchsorted(total / total[-1], points, side="right")
