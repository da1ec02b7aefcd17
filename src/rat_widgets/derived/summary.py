"""Draws of many quantities to one table."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pandas as pd
from jaxtyping import Float

from rat_widgets.derived.intervals import CiKind, credible_interval
from rat_widgets.inference.convergence import convergence, mcse_mean

__all__ = ["summarise"]

COLUMNS = ("mean", "sd", "lower", "upper", "ess_bulk", "r_hat", "mcse")


def summarise(
    quantities: Mapping[str, Float[np.ndarray, "chain draw"]],
    *,
    ci_prob: float,
    ci_kind: CiKind,
) -> pd.DataFrame:
    """Mean, spread and Monte Carlo quality of each quantity; see `Posterior.summary`."""
    keys = list(quantities)
    table = np.stack(list(quantities.values()), axis=-1)
    flat = table.reshape(-1, len(keys)).T
    r_hat, ess_bulk = convergence(table)
    lower, upper = credible_interval(flat, ci_prob=ci_prob, ci_kind=ci_kind)
    frame = pd.DataFrame(
        {
            "mean": flat.mean(axis=1),
            "sd": flat.std(axis=1, ddof=1),
            "lower": lower,
            "upper": upper,
            "ess_bulk": ess_bulk,
            "r_hat": r_hat,
            "mcse": mcse_mean(table),
        },
        index=pd.Index(keys, name="quantity"),
        columns=COLUMNS,
    )
    for i in np.flatnonzero(np.isnan(flat).any(axis=1)):
        # Undefined in some draws: the others still have a mean, but no chain diagnostics.
        defined = flat[i][~np.isnan(flat[i])]
        some = (defined.mean(), defined.std(ddof=1)) if len(defined) > 1 else (np.nan,) * 2
        frame.loc[keys[i]] = [*some, lower[i], upper[i], np.nan, np.nan, np.nan]
    frame.attrs = {"ci_prob": ci_prob, "ci_kind": ci_kind}
    return frame
