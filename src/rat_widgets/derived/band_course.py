"""What sending more would bring: the best bands by the share of rows that they send on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from rat_widgets.derived.cascade import Prices, bands_of, outcome_of
from rat_widgets.derived.intervals import beta_interval
from rat_widgets.derived.printed import Measured
from rat_widgets.derived.scores import Scored

__all__ = ["BandStep", "course_of", "share_of"]

_N_STEPS: Final = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class BandStep:
    """A band, the share of rows that it sends on, and the error rate of the whole."""

    low: float
    high: float
    sent: Measured
    error: Measured


def course_of(
    fit: Scored, rest: Scored, prices: Prices, chosen: Sequence[float], ci_prob: float
) -> tuple[BandStep, ...]:
    """For 0, 5, ..., 100 of 100 rows sent at most, the band with fewest errors.

    Parameters
    ----------
    fit : Scored
        The rows that choose each band.
    rest : Scored
        The rows that every number is of.
    prices : Prices
        Errors are weighed by their prices, where they have some.
    chosen : sequence of float
        Low and high of a band that is among them in any case.
    ci_prob : float

    Returns
    -------
    tuple of BandStep
        Each band once, by the share of the rows of `fit` that it sends on.
    """
    bands, n = bands_of(fit), len(fit.score)
    worst = bands.price_of_errors(prices) if prices.has_errors else bands.wrong
    places = np.argwhere(bands.is_band())
    sent, errors, rank = (m[bands.is_band()] for m in (bands.sent, bands.wrong, worst))
    order = np.lexsort([sent, errors, np.round(rank, 9)])
    found = {(float(chosen[0]), float(chosen[1])): outcome_of(fit, *chosen).n_sent}
    for k in range(_N_STEPS + 1):
        best = order[np.argmax(sent[order] <= k * n / _N_STEPS + 1e-9)]
        low, high = bands.cuts[places[best]].tolist()
        found[low, high] = int(sent[best])
    made = []
    for low, high in sorted(found, key=lambda band: (found[band], band)):
        outcome = outcome_of(rest, low, high)
        made.append(
            BandStep(
                low=low,
                high=high,
                sent=share_of(outcome.n_sent, outcome.n, ci_prob),
                error=share_of(outcome.n_wrong, outcome.n, ci_prob),
            )
        )
    return tuple(made)


def share_of(part: int, whole: int, ci_prob: float) -> Measured:
    """A share with the interval of Jeffreys' prior; None of nothing."""
    lower, upper = beta_interval(part, whole - part, ci_prob=ci_prob, prior=0.5)
    return Measured(value=part / whole if whole else None, lower=lower, upper=upper)
