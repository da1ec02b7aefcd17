"""Is what `check_judges` calls detectable found in nine of ten tables?

A judge of R and one of T with TPR 0.9 and FPR 0.1; labels of R and T on some rows, A and verdicts
on all. From tables in which all is well the mean of what is detectable of the judge of T by
retrieval, where wrong answers show it most; then other tables in which the shares of wrong answers
that it passes after a miss and after a hit, as far from 0.1 on the scale of logits, are so far
apart, and half as far: in how many something is said.

``RAT_BENCH_TABLES`` sets the number of tables per cell (100). Everything goes to
``bench/results/detectable.json``.
"""

from __future__ import annotations

import os
from importlib import metadata
from typing import Any, Final

import numpy as np
import pandas as pd
from judge_scores import save
from scipy.optimize import brentq
from scipy.special import expit, logit

import rat_widgets as rat

THETA: Final = rat.Theta.from_array([0.5, 0.4, 0.1, 0.35, 0.7])
JUDGES: Final = (rat.Judge("jR", of="retrieval"), rat.Judge("jT", of="task"))
SIZES: Final = ((50, 500), (100, 800), (200, 800), (400, 100))
TPR: Final = 0.9
FPR: Final = 0.1


def table(seed: int, size: tuple[int, int], apart: float = 0.0) -> pd.DataFrame:
    """Labelled rows, then rows with A and verdicts."""
    tilt = brentq(lambda d: expit(logit(FPR) + d) - expit(logit(FPR) - d) - apart, 0, 20)
    after_hit, after_miss = expit(logit(FPR) - tilt), expit(logit(FPR) + tilt)
    rng = np.random.default_rng([seed, 1])
    frame = rat.simulate(THETA, n=sum(size), seed=seed).astype(float)
    hit, right = frame["R"].to_numpy() == 1, frame["T"].fillna(0).to_numpy() == 1
    frame["jR"] = rng.random(len(frame)) < np.where(hit, TPR, FPR)
    frame["jT"] = rng.random(len(frame)) < np.where(
        right, TPR, np.where(hit, after_hit, after_miss)
    )
    frame.loc[size[0] :, ["R", "T"]] = np.nan
    return frame


def rows() -> list[dict[str, Any]]:
    """Shares of tables."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "100"))
    cells = {}
    for size in SIZES:
        known = np.array([_detectable(table(1000 + i, size)) for i in range(n_tables)])
        least = float(np.nanmean(known))
        cells[f"{size[0]} labels, {size[1]} other rows"] = {
            "detectable": round(least, 4),
            "said": round(_said(size, least, n_tables), 4),
            "said_of_half": round(_said(size, least / 2, n_tables), 4),
        }
    versions = {name: metadata.version(name) for name in ("numpy", "scipy")}
    save("detectable", {"n_tables": n_tables, "cells": cells}, versions)
    return [
        {
            "name": f"{name}: {cell['detectable']:.2f} apart; of half {cell['said_of_half']:.2f}",
            "value": cell["said"],
            "unit": "of tables",
        }
        for name, cell in cells.items()
    ]


def _detectable(frame: pd.DataFrame) -> float:
    """Of the judge of T by retrieval; NaN where it shows most among right answers."""
    checks = rat.fit(frame, judges=JUDGES, draws=400).check_judges()
    one = checks[(checks["judge"] == "jT") & (checks["other"] == "retrieval")]
    of_wrong = one[(one["truth"] == 0).fillna(False)]
    return float(of_wrong["detectable"].iloc[0]) if len(of_wrong) else np.nan


def _said(size: tuple[int, int], apart: float, n_tables: int) -> float:
    tables = (table(i, size, apart) for i in range(n_tables))
    return float(
        np.mean([bool(rat.fit(x, judges=JUDGES, draws=400).judge_findings) for x in tables])
    )
