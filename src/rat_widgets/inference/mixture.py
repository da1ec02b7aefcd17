"""A seen, R or T missing: the posterior as a finite mixture of Beta products.

Give every row without R its hidden R. Given how many of them are hits the five
probabilities are independent Betas, so the posterior is a mixture over four hidden counts:

- k of the m abstained rows without R are hits,
- of the answered ones without R, k0 of the u0 with T=0, k1 of the u1 with T=1, and k2 of the
  u2 without T.

With q = k0 + k1 and s = q + k2 the weight of a combination factorises,

    C(m, k) f(k, s) x C(u2, s - q) x C(u0, k0) C(u1, k1) g(k0, k1),

because P(R) and P(A | R) see the hidden counts through (k, s) alone, and P(T | A, R) through
(k0, k1): f and g are the normalising constants of their Betas. Three tables, (k, s), (s, q)
and (q, k0), give the normalised weights, and draws go down them in that order.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lgamma, log, pi
from typing import Final

import numpy as np
from jaxtyping import Float, Int, Int64

from rat_widgets.inference.tally import MISSING, beta_parameters

__all__ = ["Mixture", "log_choose", "log_gamma", "n_cells"]

# From here on four terms of Stirling's series leave less than 1e-13.
_STIRLING_FROM: Final = 16.0
_HALF_LOG_TWO_PI: Final = 0.5 * log(2 * pi)


def n_cells(cube: Int64[np.ndarray, "3 3 3"]) -> int:
    """Size of the tables that `Mixture` builds for these counts."""
    m, u0, u1, u2 = _hidden(cube)
    n_s, n_q = u0 + u1 + u2 + 1, u0 + u1 + 1
    return (m + 1) * n_s + (u0 + 1) * n_q + (n_s * n_q if u2 else 0)


def _hidden(cube: Int64[np.ndarray, "3 3 3"]) -> tuple[int, int, int, int]:
    answered = cube[MISSING, 0]
    return int(cube[MISSING, 1].sum()), int(answered[0]), int(answered[1]), int(answered[2])


@dataclass(frozen=True, slots=True)
class Mixture:
    """The weights of the mixture, as log tables.

    Attributes
    ----------
    base : array, shape (5, 2)
        Beta parameters from the prior and the rows that show R.
    hidden : tuple of int
        m, u0, u1, u2.
    log_ks : array, shape (k, s)
        Log weight of (k, s).
    log_sq : array, shape (s, q), or None
        Log weight of q given s; None where u2 = 0, so that q = s.
    log_qk : array, shape (q, k0)
        Log weight of k0 given q.
    """

    base: Float[np.ndarray, "5 2"]
    hidden: tuple[int, int, int, int]
    log_ks: Float[np.ndarray, "k s"]
    log_sq: Float[np.ndarray, "s q"] | None
    log_qk: Float[np.ndarray, "q k0"]

    @classmethod
    def of(cls, cube: Int64[np.ndarray, "3 3 3"], prior: Float[np.ndarray, "5 2"]) -> Mixture:
        """The mixture for the counts of `label_cube` and Beta priors."""
        base = beta_parameters(cube, prior)
        m, u0, u1, u2 = _hidden(cube)
        log_qk = _task_weights(base, u0, u1)
        log_q = _log_sum(log_qk, axis=1)
        n_s = u0 + u1 + u2 + 1
        log_sq = None
        log_s = log_q
        if u2:
            k2 = np.arange(n_s)[:, None] - np.arange(len(log_q))
            inside = (k2 >= 0) & (k2 <= u2)
            choose = log_choose(u2)[np.where(inside, k2, 0)]
            log_sq = np.where(inside, choose + log_q, -np.inf)
            log_s = _log_sum(log_sq, axis=1)
        of_k = log_choose(m) + _own_terms(base, m, answered=0)
        of_s = log_s + _own_terms(base, n_s - 1, answered=1)
        log_ks = of_k[:, None] + of_s + _crossed_terms(base, m, n_s - 1)
        return cls(base, (m, u0, u1, u2), log_ks, log_sq, log_qk)

    def sample(self, n: int, rng: np.random.Generator) -> Float[np.ndarray, "draw 5"]:
        """Independent draws of the five probabilities."""
        m, u0, u1, u2 = self.hidden
        flat = np.exp(self.log_ks.ravel() - self.log_ks.max())
        total = np.cumsum(flat)
        cell = np.searchsorted(total, rng.random(n) * total[-1], side="right")
        k, s = np.divmod(np.minimum(cell, flat.size - 1), self.log_ks.shape[1])
        q = s if self.log_sq is None else _choose_column(self.log_sq, s, rng)
        k0 = _choose_column(self.log_qk, q, rng)
        k1, n_hidden = q - k0, u0 + u1 + u2
        added = np.stack(
            [
                np.stack([k + s, m + n_hidden - k - s], axis=1),
                np.stack([m - k, n_hidden - s], axis=1),
                np.stack([k, s], axis=1),
                np.stack([u1 - k1, u0 - k0], axis=1),
                np.stack([k1, k0], axis=1),
            ],
            axis=1,
        )
        shape = self.base + added
        return rng.beta(shape[..., 0], shape[..., 1])

    def mean_worlds(self) -> Float[np.ndarray, 6]:
        """Posterior mean of P(world), without any sampling."""
        m, u0, u1, u2 = self.hidden
        n_hidden = u0 + u1 + u2
        k = np.arange(m + 1)[:, None]
        s = np.arange(n_hidden + 1)[None, :]
        weight = np.exp(self.log_ks - self.log_ks.max())
        weight /= weight.sum()
        (a_r, b_r), (a_m, b_m), (a_h, b_h) = self.base[:3]
        hit = (a_r + k + s) / (a_r + b_r + m + n_hidden)
        abstain_miss = (a_m + m - k) / (a_m + b_m + m - k + n_hidden - s)
        abstain_hit = (a_h + k) / (a_h + b_h + k + s)
        right_miss, right_hit = self._mean_right()
        worlds = (
            (1 - hit) * abstain_miss,
            hit * abstain_hit,
            (1 - hit) * (1 - abstain_miss) * (1 - right_miss),
            (1 - hit) * (1 - abstain_miss) * right_miss,
            hit * (1 - abstain_hit) * (1 - right_hit),
            hit * (1 - abstain_hit) * right_hit,
        )
        return np.array([(weight * world).sum() for world in worlds])

    def _mean_right(self) -> tuple[Float[np.ndarray, " s"], Float[np.ndarray, " s"]]:
        """E[P(T=1 | A=0, R)] given s, for R=0 and R=1."""
        _, u0, u1, _ = self.hidden
        k0 = np.arange(u0 + 1)[None, :]
        q = np.arange(u0 + u1 + 1)[:, None]
        given_q = _normalised(self.log_qk)
        (a_m, b_m), (a_h, b_h) = self.base[3:]
        k1 = q - k0
        with np.errstate(divide="ignore", invalid="ignore"):
            miss = (a_m + u1 - k1) / (a_m + b_m + u0 + u1 - q)
            hit = (a_h + k1) / (a_h + b_h + q)
        means = [np.where(given_q > 0, given_q * mean, 0).sum(axis=1) for mean in (miss, hit)]
        if self.log_sq is None:
            return means[0], means[1]
        given_s = _normalised(self.log_sq)
        return given_s @ means[0], given_s @ means[1]


def _task_weights(base: Float[np.ndarray, "5 2"], u0: int, u1: int) -> Float[np.ndarray, "q k0"]:
    """Log of C(u0, k0) C(u1, k1) g(k0, k1) at row q = k0 + k1 and column k0."""
    (a_m, b_m), (a_h, b_h) = base[3:]
    wrong = log_choose(u0) + log_gamma(b_m, u0)[::-1] + log_gamma(b_h, u0)
    right = log_choose(u1) + log_gamma(a_m, u1)[::-1] + log_gamma(a_h, u1)
    n_q = u0 + u1 + 1
    both = -log_gamma(a_m + b_m, n_q - 1)[::-1] - log_gamma(a_h + b_h, n_q - 1)
    q = np.arange(n_q)[:, None]
    k1 = q - np.arange(u0 + 1)
    inside = (k1 >= 0) & (k1 <= u1)
    return np.where(inside, wrong + right[np.where(inside, k1, 0)] + both[:, None], -np.inf)


def _own_terms(
    base: Float[np.ndarray, "5 2"], n: int, *, answered: int
) -> Float[np.ndarray, " n_plus_1"]:
    """The part of log f that depends on the hidden hits of abstained or answered rows alone."""
    return log_gamma(base[1, answered], n)[::-1] + log_gamma(base[2, answered], n)


def _crossed_terms(base: Float[np.ndarray, "5 2"], m: int, n: int) -> Float[np.ndarray, "k s"]:
    """The part of log f that depends on k + s."""
    total = (
        log_gamma(base[0, 0], m + n)
        + log_gamma(base[0, 1], m + n)[::-1]
        - log_gamma(base[1].sum(), m + n)[::-1]
        - log_gamma(base[2].sum(), m + n)
    )
    return np.lib.stride_tricks.sliding_window_view(total, n + 1)


def log_gamma(start: float, n: int) -> Float[np.ndarray, " n_plus_1"]:
    """Log Gamma(start + i) for i = 0..n."""
    x = start + np.arange(n + 1)
    n_small = int((x < _STIRLING_FROM).sum())
    result = np.empty(n + 1)
    result[:n_small] = [lgamma(y) for y in x[:n_small].tolist()]
    y = x[n_small:]
    inverse = 1 / (y * y)
    series = (1 / 12 - inverse * (1 / 360 - inverse * (1 / 1260 - inverse / 1680))) / y
    result[n_small:] = (y - 0.5) * np.log(y) - y + _HALF_LOG_TWO_PI + series
    return result


def log_choose(n: int) -> Float[np.ndarray, " n_plus_1"]:
    """Log C(n, k) for k = 0..n."""
    factorial = log_gamma(1.0, n)
    return factorial[-1] - factorial - factorial[::-1]


def _log_sum(table: Float[np.ndarray, "row column"], axis: int) -> Float[np.ndarray, " n"]:
    peak = table.max(axis=axis, keepdims=True)
    return np.log(np.exp(table - peak).sum(axis=axis)) + peak.squeeze(axis)


def _normalised(table: Float[np.ndarray, "row column"]) -> Float[np.ndarray, "row column"]:
    weight = np.exp(table - table.max(axis=1, keepdims=True))
    return weight / weight.sum(axis=1, keepdims=True)


def _choose_column(
    table: Float[np.ndarray, "row column"],
    row: Int[np.ndarray, " draw"],
    rng: np.random.Generator,
) -> Int[np.ndarray, " draw"]:
    """One column for each row asked for, with the probabilities of that row."""
    if table.shape[1] == 1:
        return np.zeros_like(row)
    used, place = np.unique(row, return_inverse=True)
    total = np.cumsum(_normalised(table[used]), axis=1)
    # Row i of the cumulated table lies in [i, i + 1], so one search serves all rows.
    total = total / total[:, -1:] + np.arange(len(used))[:, None]
    found = np.searchsorted(total.ravel(), place + rng.random(len(row)), side="right")
    return np.clip(found - place * table.shape[1], 0, table.shape[1] - 1)
