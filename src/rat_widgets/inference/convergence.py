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
from jaxtyping import Float, Int

__all__ = ["convergence", "ess_bulk", "mcse_mean", "r_hat"]

_Draws = Float[np.ndarray, "chain draw *trailing"]
_Pieces = Float[np.ndarray, "parameter piece step"]
_Values = Float[np.ndarray, " parameter"]


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
    pieces = _pieces(draws)
    order, ordered = _in_order(pieces)
    value = _plain_ess(_scores(pieces, order, ordered))
    return _guarded(value, draws, ordered, constant=float(ordered.shape[1]))


def convergence(draws: _Draws) -> tuple[Any, Any]:
    """R-hat and bulk ESS together, for less than each by itself.

    Parameters
    ----------
    draws : array, shape (chain, draw, ...), at least 4 draws per chain

    Returns
    -------
    pair of float, or of arrays of shape (...)
    """
    pieces = _pieces(draws)
    order, ordered = _in_order(pieces)
    n = ordered.shape[1]
    bulk = _scores(pieces, order, ordered)
    # Draws in order fall towards the median and rise again: two runs, quickly merged.
    folded = np.abs(ordered - 0.5 * (ordered[:, (n - 1) // 2] + ordered[:, n // 2])[:, None])
    again = np.argsort(folded, axis=1, kind="stable")
    tails = _scores(
        pieces, np.take_along_axis(order, again, axis=1), np.take_along_axis(folded, again, axis=1)
    )
    return (
        _guarded(np.fmax(_plain_r_hat(bulk), _plain_r_hat(tails)), draws, ordered, constant=1.0),
        _guarded(_plain_ess(bulk), draws, ordered, constant=float(n)),
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
    pieces = _pieces(draws)
    sd = _by_parameter(draws).std(axis=(1, 2), ddof=1)
    return _guarded(sd / np.sqrt(_plain_ess(pieces)), draws, _in_order(pieces)[1], constant=0.0)


def _by_parameter(draws: _Draws) -> Float[np.ndarray, "parameter chain draw"]:
    draws = np.asarray(draws, dtype=float)
    return np.ascontiguousarray(draws.reshape(*draws.shape[:2], -1).transpose(2, 0, 1))


def _pieces(draws: _Draws) -> _Pieces:
    """Each chain cut into a first and a second half; a middle draw is left out."""
    every = _by_parameter(draws)
    n_parameters, n_chains, n_draws = every.shape
    half = n_draws // 2
    if n_draws % 2:
        every = np.concatenate([every[..., :half], every[..., -half:]], axis=2)
    return every.reshape(n_parameters, 2 * n_chains, half)


def _guarded(
    value: _Values, draws: _Draws, ordered: Float[np.ndarray, "parameter place"], *, constant: float
) -> Any:
    """The value in the shape of the draws, except where they are constant or not finite."""
    first, last = ordered[:, 0], ordered[:, -1]
    # What is not a number is sorted to the end.
    is_finite = np.isfinite(first) & np.isfinite(last)
    value = np.where(is_finite, np.where(first == last, constant, value), np.nan)
    return value.reshape(np.shape(draws)[2:])[()]


def _in_order(
    pieces: _Pieces,
) -> tuple[Int[np.ndarray, "parameter place"], Float[np.ndarray, "parameter place"]]:
    """Where the draws of each parameter are in ascending order, and the draws so."""
    flat = pieces.reshape(len(pieces), -1)
    order = np.argsort(flat, axis=1)
    return order, np.take_along_axis(flat, order, axis=1)


def _scores(
    pieces: _Pieces,
    order: Int[np.ndarray, "parameter place"],
    ordered: Float[np.ndarray, "parameter place"],
) -> _Pieces:
    """Normal quantiles of the ranks over all chains; ties share their mean rank."""
    n = ordered.shape[1]
    is_first = np.ones(ordered.shape, dtype=bool)
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=is_first[:, 1:])
    first = np.flatnonzero(is_first)
    score = np.broadcast_to(_score_of_rank(n)[::2], ordered.shape)
    if len(first) < ordered.size:
        n_tied = np.diff(first, append=ordered.size)
        every = _score_of_rank(n)[2 * (first % n) + n_tied - 1]
        score = np.repeat(every, n_tied).reshape(ordered.shape)
    scores = np.empty(ordered.shape)
    np.put_along_axis(scores, order, score, axis=1)
    return scores.reshape(pieces.shape)


@lru_cache(maxsize=8)
def _score_of_rank(n: int) -> Float[np.ndarray, " half_rank"]:
    """Normal quantile at twice the rank, counted from 0: half ranks occur with ties."""
    quantile = NormalDist().inv_cdf
    rank = np.arange(2 * n - 1) / 2 + 1
    return np.array([quantile(p) for p in (rank - 3 / 8) / (n + 1 / 4)])


def _plain_r_hat(x: _Pieces) -> _Values:
    n_steps = x.shape[2]
    within = x.var(axis=2, ddof=1).mean(axis=1)
    between = x.mean(axis=2).var(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.sqrt((n_steps - 1) / n_steps + between / within)


def _plain_ess(x: _Pieces) -> _Values:
    """ESS from the autocorrelations, cut and made monotone in pairs after Geyer."""
    n_pieces, n_steps = x.shape[1:]
    middle = x.mean(axis=2)
    padded = 1 << (2 * n_steps - 1).bit_length()
    power = np.empty((len(x), padded // 2 + 1))
    # One parameter at a time: spectra of all together would not stay in a processor's cache.
    for i, away in enumerate(x - middle[..., None]):
        spectrum = np.fft.rfft(away, n=padded, axis=1)
        power[i] = (spectrum.real**2 + spectrum.imag**2).mean(axis=0)
    autocovariance = np.fft.irfft(power, n=padded, axis=1)[:, :n_steps].T / n_steps
    within = autocovariance[0] * n_steps / (n_steps - 1)
    total = autocovariance[0] + middle.var(axis=1, ddof=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = 1 - (within - autocovariance) / total
    rho[0] = 1
    n_pairs = n_steps // 2
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
    n = n_pieces * n_steps
    return n / np.fmax(tau, 1 / np.log10(n))
