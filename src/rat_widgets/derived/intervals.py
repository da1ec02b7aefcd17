"""Credible intervals: the only place where draws are summarised by their spread."""

from __future__ import annotations

from typing import Any, Final, Literal, cast, get_args

import numpy as np
from jaxtyping import Float

from rat_widgets.errors import ArgumentError, ArgumentTypeError

__all__ = [
    "CiKind",
    "beta_interval",
    "credible_interval",
    "density_on_grid",
    "interval_and_quartiles",
    "quartiles",
    "read_interval",
    "tails",
    "weighted_interval",
    "weighted_quantiles",
]

CiKind = Literal["eti", "hdi"]
_QUARTILES: Final = (0.25, 0.5, 0.75)


def credible_interval(
    draws: Float[np.ndarray, "*batch draw"], *, ci_prob: float = 0.95, ci_kind: CiKind = "eti"
) -> tuple[Float[Any, "*batch"], Float[Any, "*batch"]]:
    """Lower and upper end of the credible interval, along the last axis.

    Parameters
    ----------
    draws : array, shape (..., draw)
        Chains flattened into the last axis. Draws that are NaN (undefined) are left out.
    ci_prob : float
        Posterior probability inside, in (0, 1).
    ci_kind : {"eti", "hdi"}
        Equal-tailed (as much outside on either side), or the shortest (for one mode).

    Returns
    -------
    lower, upper : arrays, shape (...)
        NaN where no draw is defined.
    """
    ci_prob, ci_kind = read_interval(ci_prob, ci_kind)
    if np.isnan(draws).any():
        return _with_undefined(draws, ci_prob, ci_kind)
    if ci_kind == "eti":
        tail = (1 - ci_prob) / 2
        lower, upper = np.quantile(draws, [tail, 1 - tail], axis=-1)
        return lower, upper
    return _shortest(np.sort(draws, axis=-1), ci_prob)


def interval_and_quartiles(
    draws: Float[np.ndarray, "*batch draw"], *, ci_prob: float = 0.95, ci_kind: CiKind = "eti"
) -> tuple[Float[Any, "*batch"], Float[Any, "*batch"], Float[Any, "3 ..."]]:
    """`credible_interval` and `quartiles` of the same draws, ordered once if they can be."""
    ci_prob, ci_kind = read_interval(ci_prob, ci_kind)
    if ci_kind == "eti" and not np.isnan(draws).any():
        lower, upper, *middle = np.quantile(draws, [*tails(ci_prob), *_QUARTILES], axis=-1)
        return lower, upper, np.array(middle)
    return *credible_interval(draws, ci_prob=ci_prob, ci_kind=ci_kind), quartiles(draws)


def tails(ci_prob: float) -> Float[np.ndarray, " end"]:
    """The two probabilities whose quantiles are the ends of an equal-tailed interval."""
    return np.array([(1 - ci_prob) / 2, (1 + ci_prob) / 2])


def weighted_interval(
    draws: Float[np.ndarray, "*batch draw"],
    weight: Float[np.ndarray, "*#batch draw"] | None = None,
    *,
    ci_prob: float = 0.95,
) -> tuple[Float[Any, "*batch"], Float[Any, "*batch"], Float[Any, "*batch"]]:
    """Mean, lower and upper end of the equal-tailed interval; see `weighted_quantiles`."""
    mean, ends = weighted_quantiles(draws, weight, tails(ci_prob))
    return mean, ends[..., 0], ends[..., 1]


def weighted_quantiles(
    draws: Float[np.ndarray, "*batch draw"],
    weight: Float[np.ndarray, "*#batch draw"] | None,
    probabilities: Float[np.ndarray, " quantile"],
) -> tuple[Float[Any, "*batch"], Float[Any, "*batch quantile"]]:
    """Mean and quantiles of weighted draws, along the last axis.

    Parameters
    ----------
    draws : array, shape (..., draw)
        Points of an integration rule or of importance sampling; none is NaN.
    weight : array, shape (..., draw)
        They sum to 1 along the last axis; equal weights when None.
    probabilities : array, shape (quantile,)
        In (0, 1).

    Returns
    -------
    mean : array, shape (...)
    quantiles : array, shape (..., quantile)

    Notes
    -----
    Half of a draw's weight is below it and half above; quantiles are interpolated linearly.
    """
    n = draws.shape[-1]
    if weight is None:
        ordered = np.sort(draws, axis=-1)
        place = np.clip(probabilities * n - 0.5, 0, n - 1)
        below = np.minimum(place.astype(np.intp), n - 2)
        found = ordered[..., below] + (place - below) * (
            ordered[..., below + 1] - ordered[..., below]
        )
        return draws.mean(axis=-1), found
    rows, weights = draws.reshape(-1, n), np.broadcast_to(weight, draws.shape).reshape(-1, n)
    order = np.argsort(rows, axis=-1)
    ordered = np.take_along_axis(rows, order, axis=-1)
    heavy = np.take_along_axis(weights, order, axis=-1)
    middles = np.cumsum(heavy, axis=-1) - heavy / 2
    found = np.array(
        [np.interp(probabilities, at, row) for at, row in zip(middles, ordered, strict=True)]
    )
    return (draws * weight).sum(axis=-1), found.reshape(*draws.shape[:-1], len(probabilities))


def read_interval(ci_prob: object, ci_kind: object) -> tuple[float, CiKind]:
    """The two arguments of every interval, checked.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When one of them is not accepted.
    """
    accepted = "It is a probability between 0 and 1, both excluded."
    if isinstance(ci_prob, bool) or not isinstance(ci_prob, (int, float, np.integer, np.floating)):
        raise ArgumentTypeError.build(f"`ci_prob` is {ci_prob!r}.", accepted=accepted)
    if not 0 < ci_prob < 1:
        hint = f"did you mean {ci_prob / 100:g}?" if 1 < ci_prob < 100 else None
        raise ArgumentError.build(f"`ci_prob` is {ci_prob!r}.", accepted=accepted, hint=hint)
    if not isinstance(ci_kind, str) or ci_kind not in get_args(CiKind):
        raise ArgumentError.build(
            f"`ci_kind` is {ci_kind!r}.", accepted='It is "eti" (equal-tailed) or "hdi" (shortest).'
        )
    return float(ci_prob), cast("CiKind", ci_kind)


def _shortest(
    ordered: Float[np.ndarray, "*batch draw"], ci_prob: float
) -> tuple[Float[Any, "*batch"], Float[Any, "*batch"]]:
    n = ordered.shape[-1]
    inside = min(int(np.floor(ci_prob * n)), n - 1)
    widths = ordered[..., inside:] - ordered[..., : n - inside]
    start = np.argmin(widths, axis=-1)[..., None]
    lower = np.take_along_axis(ordered, start, axis=-1)[..., 0]
    upper = np.take_along_axis(ordered, start + inside, axis=-1)[..., 0]
    return lower, upper


def _with_undefined(
    draws: Float[np.ndarray, "*batch draw"], ci_prob: float, ci_kind: CiKind
) -> tuple[Float[Any, "*batch"], Float[Any, "*batch"]]:
    rows = draws.reshape(-1, draws.shape[-1])
    ends = np.full((len(rows), 2), np.nan)
    for i, row in enumerate(rows):
        defined = row[~np.isnan(row)]
        if len(defined):
            ends[i] = credible_interval(defined, ci_prob=ci_prob, ci_kind=ci_kind)
    shaped = ends.reshape(*draws.shape[:-1], 2)
    return shaped[..., 0], shaped[..., 1]


def beta_interval(
    n_yes: int, n_no: int, *, ci_prob: float = 0.95, prior: float = 1.0
) -> tuple[float, float]:
    """Equal-tailed interval of a probability after so many labels of each kind.

    The prior is Beta(prior, prior): flat by default, Jeffreys' with 0.5. Without labels the
    interval is the prior's.
    """
    from scipy.special import betaincinv

    tail = (1 - ci_prob) / 2
    lower, upper = betaincinv(prior + n_yes, prior + n_no, [tail, 1 - tail])
    return float(lower), float(upper)


def quartiles(draws: Float[np.ndarray, "*batch draw"]) -> Float[Any, "3 ..."]:
    """Lower quartile, median and upper quartile along the last axis; NaN where undefined."""
    if not np.isnan(draws).any():
        return np.quantile(draws, _QUARTILES, axis=-1)
    rows = draws.reshape(-1, draws.shape[-1])
    found = np.full((3, len(rows)), np.nan)
    for i, row in enumerate(rows):
        defined = row[~np.isnan(row)]
        if len(defined):
            found[:, i] = np.quantile(defined, _QUARTILES)
    return found.reshape(3, *draws.shape[:-1])


def density_on_grid(
    draws: Float[np.ndarray, " draw"], n_points: int
) -> tuple[float, float, Float[np.ndarray, " point"]]:
    """Kernel density of a probability: first and last place of a grid, and heights up to 1.

    Mass that the kernel carries beyond 0 and 1 is reflected. The bandwidth is Silverman's, a
    little wider, since bumps of few draws are not the posterior's.
    """
    low, high = np.quantile(draws, [0.001, 0.999])
    q25, q75 = np.quantile(draws, [0.25, 0.75])
    spread = min(float(draws.std()), float(q75 - q25) / 1.34) or float(draws.std())
    bandwidth = max(1.1 * spread * len(draws) ** -0.2, 1e-6)
    low, high = max(0.0, low - 3 * bandwidth), min(1.0, high + 3 * bandwidth)
    edges = np.linspace(low, high, 257)
    mass, _ = np.histogram(draws, bins=edges)
    centre = (edges[1:] + edges[:-1]) / 2
    at = np.linspace(low, high, n_points)[:, None]
    heights = sum(
        np.exp(-0.5 * ((at - z) / bandwidth) ** 2) @ mass for z in (centre, -centre, 2 - centre)
    )
    heights = np.asarray(heights)
    return float(low), float(high), heights / max(float(heights.max()), 1e-300)
