"""A judge's verdicts in the order of time: windows, and where its error rates change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.derived.intervals import beta_interval, credible_interval
from rat_widgets.derived.kappa import kappa_of_table
from rat_widgets.derived.printed import Measured

__all__ = ["Change", "Window", "changes_of", "kappa_measured", "share_measured", "windows_of"]

_N_DRAWS: Final = 20_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Window:
    """Verdicts of a stretch of time.

    Attributes
    ----------
    start, end : str
        First and last time in it.
    n : int
        Verdicts.
    pass_rate : Measured
        Share that the judge passes; moves with the answers, too.
    kappa : Measured or None
        Agreement with people, where there are labels.
    by_label : mapping
        "fail" and "pass" -> share that the judge passes of the answers with that label of people;
        empty without labels.
    arrivals : tuple of str
        Versions whose first verdict is in it.
    """

    start: str
    end: str
    n: int
    pass_rate: Measured
    kappa: Measured | None
    by_label: Mapping[str, Measured]
    arrivals: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Change:
    """A place in time from which the judge's rates are others.

    Attributes
    ----------
    since : str
        First time after it.
    window : int
        The window that begins there, counted from 0.
    probability : float
        Posterior probability that there is a change in the stretch that was looked through.
    before, after : mapping of str to float
        Share that the judge passes in the stretch before and after: of all verdicts, or of the
        answers that people "fail" and "pass".
    """

    since: str
    window: int
    probability: float
    before: dict[str, float]
    after: dict[str, float]


def share_measured(n_yes: int, n: int, ci_prob: float) -> Measured:
    """A share with the interval of Jeffreys' prior."""
    lower, upper = beta_interval(n_yes, n - n_yes, ci_prob=ci_prob, prior=0.5)
    return Measured(value=n_yes / n if n else None, lower=lower, upper=upper)


def kappa_measured(table: Int[np.ndarray, "2 2"], ci_prob: float) -> Measured:
    """Kappa of labels and verdicts; the interval from 20,000 draws of the four cells.

    The prior is Dirichlet(1/2, ..., 1/2).
    """
    value = float(kappa_of_table(table))
    draws = np.random.default_rng(0).dirichlet(table.ravel() + 0.5, size=_N_DRAWS)
    lower, upper = credible_interval(kappa_of_table(draws.reshape(-1, 2, 2)), ci_prob=ci_prob)
    return Measured(
        value=None if np.isnan(value) else value, lower=float(lower), upper=float(upper)
    )


def windows_of(time: Float[np.ndarray, " row"], n_windows: int) -> Int[np.ndarray, " row"]:
    """The window of each row, from 0 up: about equally many rows in each, no time in two.

    Parameters
    ----------
    time : array, shape (row,)
        In rising order.
    """
    n = len(time)
    starts = np.flatnonzero(np.concatenate([[True], time[1:] != time[:-1]]))
    wanted = np.arange(1, n_windows) * n / n_windows
    if not n:
        return np.zeros(0, dtype=np.int64)
    cuts = np.unique(starts[np.argmin(np.abs(starts - wanted[:, None]), axis=1)])
    return np.searchsorted(cuts[cuts > 0], np.arange(n), side="right")


def changes_of(
    counts: Int[np.ndarray, "window kind 2"],
    starts: Sequence[str],
    kinds: Sequence[str],
    probability: float,
) -> tuple[Change, ...]:
    """Boundaries of windows at which rates change, in the order of time.

    Parameters
    ----------
    counts : array, shape (window, kind, 2)
        Fails and passes of the judge, by what people say.
    starts : sequence of str
        First time of each window.
    kinds : sequence of str
        What people say.
    probability : float
        Least posterior probability of a change that is marked.

    Notes
    -----
    A stretch either has one rate per kind, or the rates of some kinds change at one of its inner
    boundaries: half and half before the data, every boundary and every choice of kinds alike,
    every rate uniform. The posterior is exact. Where a change is probable enough the likeliest
    boundary is marked, and both sides are looked through in the same way. Averaged over uniform
    rates, the odds that a stable judge shows have mean 1, so that odds of 7 to 3 come up in at
    most three tables in seven; uniform rates after a change are a wide guess, and in simulations
    it was one in thirty at most.
    """
    found = _search(counts, 0, len(counts), probability)
    bounds = [0, *(place for place, _ in found), len(counts)]
    return tuple(
        Change(
            since=starts[place],
            window=place,
            probability=p,
            before=_rates(counts[bounds[i] : place], kinds),
            after=_rates(counts[place : bounds[i + 2]], kinds),
        )
        for i, (place, p) in enumerate(found)
    )


def _search(
    counts: Int[np.ndarray, "window kind 2"], first: int, last: int, probability: float
) -> list[tuple[int, float]]:
    """Boundaries with a change between two windows, and the probability of one."""
    if last - first < 2:
        return []
    left = np.cumsum(counts[first:last], axis=0)
    whole, left = left[-1], left[:-1]
    by_kind = _log_evidence(left) + _log_evidence(whole - left) - _log_evidence(whole)
    log_odds = _of_some(by_kind)
    top = float(log_odds.max())
    odds = float(np.exp(min(top, 600.0)) * np.exp(log_odds - top).mean())
    p = odds / (1 + odds)
    if p < probability:
        return []
    place = first + 1 + int(np.argmax(log_odds))
    before = _search(counts, first, place, probability)
    return [*before, (place, p), *_search(counts, place, last, probability)]


def _of_some(log_odds: Float[np.ndarray, "boundary kind"]) -> Float[np.ndarray, " boundary"]:
    """Log odds that the rate of one kind changes, or of several: every choice alike."""
    n_choices = 2 ** log_odds.shape[1] - 1
    each = np.logaddexp(0, log_odds).sum(axis=1)  # the product of 1 + odds: nothing changes, too
    return np.asarray(each + np.log1p(-np.exp(-each)) - np.log(n_choices))


def _log_evidence(counts: Int[np.ndarray, "*batch 2"]) -> Float[np.ndarray, "*batch"]:
    """Log probability of the verdicts under a uniform rate."""
    from scipy.special import betaln

    return np.asarray(betaln(1 + counts[..., 0], 1 + counts[..., 1]))


def _rates(counts: Int[np.ndarray, "window kind 2"], kinds: Sequence[str]) -> dict[str, float]:
    total = counts.sum(axis=0)
    return {
        kind: float(yes / (no + yes))
        for kind, (no, yes) in zip(kinds, total.tolist(), strict=True)
        if no + yes
    }
