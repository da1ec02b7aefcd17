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

__all__ = [
    "Resampled",
    "ReversedWorlds",
    "proposal_shapes",
    "reversed_worlds",
    "rows_behind",
    "sample_reversed",
]

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
    shape = proposal_shapes(cube, prior)
    # Two gammas per probability: p and 1 - p both keep their digits near 0 and 1.
    gammas = rng.standard_gamma(shape, size=(n, 5, 2))
    gammas = np.maximum(gammas, np.finfo(float).tiny)
    p = np.moveaxis(gammas / gammas.sum(axis=-1, keepdims=True), 0, -1)
    worlds, log_weight = reversed_worlds(p[:, 0], p[:, 1], cube, prior, shape)
    weight = np.exp(log_weight - log_weight.max())
    return worlds.theta()[0].T, weight / weight.sum()


class ReversedWorlds(NamedTuple):
    """Masses of the six worlds and of what is split in them, each of shape (..., point)."""

    hit_abstained: Float[np.ndarray, ...]
    miss_abstained: Float[np.ndarray, ...]
    hit_wrong: Float[np.ndarray, ...]
    miss_wrong: Float[np.ndarray, ...]
    hit_right: Float[np.ndarray, ...]
    miss_right: Float[np.ndarray, ...]
    hit_answered: Float[np.ndarray, ...]
    miss_answered: Float[np.ndarray, ...]
    hit: Float[np.ndarray, ...]
    miss: Float[np.ndarray, ...]

    def theta(self) -> Float[np.ndarray, "2 5 ..."]:
        """The five original probabilities, and what each leaves to 1."""
        yes = [
            self.hit,
            self.miss_abstained / self.miss,
            self.hit_abstained / self.hit,
            self.miss_right / self.miss_answered,
            self.hit_right / self.hit_answered,
        ]
        no = [
            self.miss,
            self.miss_answered / self.miss,
            self.hit_answered / self.hit,
            self.miss_wrong / self.miss_answered,
            self.hit_wrong / self.hit_answered,
        ]
        return np.array([yes, no])


def reversed_worlds(
    yes: Float[np.ndarray, "5 *batch point"],
    no: Float[np.ndarray, "5 *batch point"],
    cube: Int64[np.ndarray, "*batch 3 3 3"],
    prior: Float[np.ndarray, "5 2"],
    shape: Float[np.ndarray, "*batch 5 2"],
) -> tuple[ReversedWorlds, Float[np.ndarray, "*batch point"]]:
    """The worlds at points of the reversed parameters, and the logarithms of their weights.

    Parameters
    ----------
    yes, no : array, shape (5, ..., point)
        The reversed parameters and 1 minus them.
    cube : array, shape (..., 3, 3, 3)
        Counts of one table, or of several.
    prior : array, shape (5, 2)
        Of the original parameters.
    shape : array, shape (..., 5, 2)
        The Betas that the points come from; see `proposal_shapes`.
    """
    abstained, answered = yes[0], no[0]
    right, wrong = answered * yes[1], answered * no[1]
    hit_wrong, miss_wrong = wrong * yes[3], wrong * no[3]
    hit_right, miss_right = right * yes[4], right * no[4]
    hit_abstained, miss_abstained = abstained * yes[2], abstained * no[2]
    hit_answered, miss_answered = hit_wrong + hit_right, miss_wrong + miss_right
    worlds = ReversedWorlds(
        hit_abstained=hit_abstained,
        miss_abstained=miss_abstained,
        hit_wrong=hit_wrong,
        miss_wrong=miss_wrong,
        hit_right=hit_right,
        miss_right=miss_right,
        hit_answered=hit_answered,
        miss_answered=miss_answered,
        hit=hit_answered + hit_abstained,
        miss=miss_answered + miss_abstained,
    )
    log_weight = -(np.log(worlds.hit) + np.log(worlds.miss))
    log_weight -= np.log(hit_answered) + np.log(miss_answered)
    powers = rows_behind(cube) + _VOLUME - (shape - 1)
    for i in range(len(yes)):
        log_weight += powers[..., i, 0, None] * np.log(yes[i])
        log_weight += powers[..., i, 1, None] * np.log(no[i])
    if (prior != 1).any():
        for power, p in zip((prior - 1).T, worlds.theta(), strict=True):
            log_weight += np.tensordot(power, np.log(p), axes=1)
    # Rows that show R and A=0 but not T, and rows that show R alone.
    for count, mass in (
        (cube[..., 1, 0, MISSING], hit_answered / answered),
        (cube[..., 0, 0, MISSING], miss_answered / answered),
        (cube[..., 1, MISSING, MISSING], worlds.hit),
        (cube[..., 0, MISSING, MISSING], worlds.miss),
    ):
        if count.any():
            log_weight += count[..., None] * np.log(mass)
    return worlds, log_weight


# Powers of P(A=1), P(A=0); P(T=1 | A=0), P(T=0 | A=0) in the volume of this parametrisation.
_VOLUME: Final = np.array([[1, 3], [1, 1], [0, 0], [0, 0], [0, 0]])


def rows_behind(cube: Int64[np.ndarray, "*batch 3 3 3"]) -> Int64[np.ndarray, "*batch 5 2"]:
    """Rows behind each of the reversed parameters: how often 1, how often 0."""
    abstained, answered = cube[..., 1, :], cube[..., 0, :]
    pairs = [
        (abstained.sum(axis=(-1, -2)), answered.sum(axis=(-1, -2))),
        (answered[..., 1].sum(axis=-1), answered[..., 0].sum(axis=-1)),
        (abstained[..., 1, :].sum(axis=-1), abstained[..., 0, :].sum(axis=-1)),
        (answered[..., 1, 0], answered[..., 0, 0]),
        (answered[..., 1, 1], answered[..., 0, 1]),
    ]
    return np.stack([np.stack(pair, axis=-1) for pair in pairs], axis=-2)


def proposal_shapes(
    cube: Int64[np.ndarray, "*batch 3 3 3"], prior: Float[np.ndarray, "5 2"]
) -> Float[np.ndarray, "*batch 5 2"]:
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
    return rows_behind(cube) + np.array(corners)


def _ess(weight: Float[np.ndarray, " proposal"]) -> float:
    return float(1 / (weight**2).sum())


def _systematic(
    weight: Float[np.ndarray, " proposal"], n: int, rng: np.random.Generator
) -> Int64[np.ndarray, " draw"]:
    """Indices of n draws with equal weights: one random offset, evenly spaced points."""
    points = (np.arange(n) + rng.random()) / n
    total = np.cumsum(weight)
    return np.searchsorted(total / total[-1], points, side="right")
