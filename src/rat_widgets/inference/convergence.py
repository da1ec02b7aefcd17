"""Have the chains converged: rank-normalised split R-hat, bulk ESS and MCSE of the mean.

All three take draws of shape (chain, draw) or (chain, draw, ...) and return a number or an
array of the trailing shape. Draws that never change are converged: R-hat 1, ESS the number
of draws, MCSE 0. Draws that are not all finite give NaN.

References
----------
Vehtari, Gelman, Simpson, Carpenter, Bürkner (2021), "Rank-normalization, folding, and
localization: an improved R-hat", Bayesian Analysis 16(2). Geyer (1992), "Practical Markov
chain Monte Carlo", Statistical Science 7(4), for the cut of the autocorrelations.
"""

from __future__ import annotations

from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np
from jaxtyping import Float

__all__ = ["convergence", "ess_bulk", "mcse_mean", "r_hat"]

_Draws = Float[np.ndarray, "chain draw *parameter"]
_Split = Float[np.ndarray, "piece step *parameter"]
_Values = Float[Any, "*parameter"]


def r_hat(draws: _Draws) -> Any:
    """Rank-normalised split R-hat: the larger of the bulk's and the tails'.

    Parameters
    ----------
    draws : array, shape (chain, draw, ...), at least 4 draws per chain

    Returns
    -------
    float, or array of shape (...)
    """
    return convergence(draws)[0]


def ess_bulk(draws: _Draws) -> Any:
    """Effective sample size of the bulk: how many independent draws these are worth.

    Parameters
    ----------
    draws : array, shape (chain, draw, ...), at least 4 draws per chain

    Returns
    -------
    float, or array of shape (...)
    """
    split = _split(draws)
    return _guarded(_plain_ess(_normal_scores(split)), split, constant=float(_size(split)))


def convergence(draws: _Draws) -> tuple[Any, Any]:
    """R-hat and bulk ESS together, for less than each by itself.

    Parameters
    ----------
    draws : array, shape (chain, draw, ...), at least 4 draws per chain

    Returns
    -------
    pair of float, or of arrays of shape (...)
    """
    split = _split(draws)
    flat = _by_parameter(split)
    scores, ordered = _scores_of(flat)
    n = flat.shape[1]
    middle = 0.5 * (ordered[:, (n - 1) // 2] + ordered[:, n // 2])
    folded, _ = _scores_of(np.abs(flat - middle[:, None]))
    bulk, tails = (x.T.reshape(split.shape) for x in (scores, folded))
    return (
        _guarded(np.fmax(_plain_r_hat(bulk), _plain_r_hat(tails)), split, constant=1.0),
        _guarded(_plain_ess(bulk), split, constant=float(_size(split))),
    )


def mcse_mean(draws: _Draws) -> Any:
    """Monte Carlo standard error of the mean of the draws.

    Parameters
    ----------
    draws : array, shape (chain, draw, ...), at least 4 draws per chain

    Returns
    -------
    float, or array of shape (...), in the unit of the draws
    """
    split = _split(draws)
    sd = np.asarray(draws, dtype=float).std(axis=(0, 1), ddof=1)
    return _guarded(sd / np.sqrt(_plain_ess(split)), split, constant=0.0)


def _split(draws: _Draws) -> _Split:
    """Each chain cut into a first and a second half; a middle draw is left out."""
    draws = np.asarray(draws, dtype=float)
    half = draws.shape[1] // 2
    return np.concatenate([draws[:, :half], draws[:, draws.shape[1] - half :]])


def _size(split: _Split) -> int:
    return split.shape[0] * split.shape[1]


def _guarded(value: Any, split: _Split, *, constant: float) -> Any:
    """The value, except where the draws are constant or not finite."""
    is_constant = np.ptp(split, axis=(0, 1)) == 0
    is_finite = np.isfinite(split).all(axis=(0, 1))
    return np.where(is_finite, np.where(is_constant, constant, value), np.nan)[()]


def _normal_scores(split: _Split) -> _Split:
    """Normal quantiles of the ranks over all chains; ties share their mean rank."""
    return _scores_of(_by_parameter(split))[0].T.reshape(split.shape)


def _by_parameter(split: _Split) -> Float[np.ndarray, "parameter draw"]:
    return np.ascontiguousarray(split.reshape(_size(split), -1).T)


def _scores_of(
    flat: Float[np.ndarray, "parameter draw"],
) -> tuple[Float[np.ndarray, "parameter draw"], Float[np.ndarray, "parameter draw"]]:
    """Normal scores of each row, and the row in order."""
    table = _score_of_rank(flat.shape[1])
    scores, ordered = np.empty_like(flat), np.empty_like(flat)
    for i, row in enumerate(flat):
        order = np.argsort(row)
        ordered[i] = row.take(order)
        scores[i, order] = table[::2]
        if (ordered[i, 1:] == ordered[i, :-1]).any():
            starts = np.flatnonzero(np.r_[True, ordered[i, 1:] != ordered[i, :-1]])
            ends = np.r_[starts[1:], len(row)]
            scores[i, order] = table[np.repeat(starts + ends - 1, ends - starts)]
    return scores, ordered


@lru_cache(maxsize=8)
def _score_of_rank(n: int) -> Float[np.ndarray, " half_rank"]:
    """Normal quantile at twice the rank, counted from 0: half ranks occur with ties."""
    quantile = NormalDist().inv_cdf
    rank = np.arange(2 * n - 1) / 2 + 1
    return np.array([quantile(p) for p in (rank - 3 / 8) / (n + 1 / 4)])


def _plain_r_hat(x: _Split) -> _Values:
    n_draws = x.shape[1]
    within = x.var(axis=1, ddof=1).mean(axis=0)
    between = x.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt((n_draws - 1) / n_draws + between / within)


def _plain_ess(x: _Split) -> _Values:
    """ESS from the autocorrelations, cut and made monotone in pairs after Geyer."""
    n_chains, n_draws = x.shape[:2]
    centred = x - x.mean(axis=1, keepdims=True)
    padded = 1 << (2 * n_draws - 1).bit_length()
    spectrum = np.abs(np.fft.rfft(centred, n=padded, axis=1)) ** 2
    autocovariance = np.fft.irfft(spectrum, n=padded, axis=1)[:, :n_draws].mean(axis=0) / n_draws
    within = autocovariance[0] * n_draws / (n_draws - 1)
    total = autocovariance[0] + x.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = 1 - (within - autocovariance) / total
    rho[0] = 1
    n_pairs = n_draws // 2
    even, odd = rho[0 : 2 * n_pairs : 2], rho[1 : 2 * n_pairs : 2]
    pairs = even + odd
    kept = np.logical_and.accumulate(pairs > 0, axis=0)
    kept[0] = True
    monotone = np.minimum.accumulate(np.where(kept, pairs, np.inf), axis=0)
    # The first lag after the cut still counts when positive: antithetic chains need it.
    n_kept = kept.sum(axis=0)
    next_even = np.take_along_axis(even, np.minimum(n_kept, n_pairs - 1)[None], axis=0)[0]
    tail = np.where(n_kept < n_pairs, np.fmax(next_even, 0), 0)
    tau = -1 + 2 * np.where(kept, monotone, 0).sum(axis=0) + tail
    n = n_chains * n_draws
    return n / np.fmax(tau, 1 / np.log10(n))
