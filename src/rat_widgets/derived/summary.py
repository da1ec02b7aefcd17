"""Draws of many quantities to one table."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from jaxtyping import Float

from rat_widgets.derived.intervals import CiKind, credible_interval
from rat_widgets.inference.convergence import ess_bulk, mcse_mean, r_hat

__all__ = ["summarise"]

COLUMNS = ("mean", "sd", "lower", "upper", "ess_bulk", "r_hat", "mcse")


def summarise(
    quantities: Mapping[str, Float[np.ndarray, "chain draw"]],
    *,
    ci_prob: float,
    ci_kind: CiKind,
) -> pd.DataFrame:
    """Mean, spread and Monte Carlo quality of each quantity; see `Posterior.summary`."""
    rows = [_row(draws, ci_prob, ci_kind) for draws in quantities.values()]
    frame = pd.DataFrame(rows, index=pd.Index(list(quantities), name="quantity"), columns=COLUMNS)
    frame.attrs = {"ci_prob": ci_prob, "ci_kind": ci_kind}
    return frame


def _row(
    draws: Float[np.ndarray, "chain draw"], ci_prob: float, ci_kind: CiKind
) -> tuple[float, ...]:
    lower, upper = credible_interval(draws.reshape(-1), ci_prob=ci_prob, ci_kind=ci_kind)
    if np.isnan(draws).any():  # undefined in some draws: no chain diagnostics to speak of
        defined = draws[~np.isnan(draws)]
        if not len(defined):
            return (np.nan,) * len(COLUMNS)
        return (defined.mean(), defined.std(ddof=1), float(lower), float(upper), *(np.nan,) * 3)
    return (
        draws.mean(),
        draws.std(ddof=1),
        float(lower),
        float(upper),
        ess_bulk(draws),
        r_hat(draws),
        mcse_mean(draws),
    )
