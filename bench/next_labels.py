"""The queue of labels to buy next, on a table of 100,000 rows, and on one of 1,000."""

from __future__ import annotations

import time
import warnings
from typing import Any, Final

import pandas as pd

import rat_widgets as rat

N_LABELLED: Final = 1_000


def rows() -> list[dict[str, Any]]:
    """One row per measurement; the table is read and fitted before the clock starts, and in it."""
    rat.next_labels(_table(1_000), k=1)  # what is imported late is imported
    long, short = _table(100_000), _table(1_000)
    posterior = rat.fit(long)
    return [
        _row("50 labels of 100,000 rows, from a posterior", posterior, k=50),
        _row("1,000 labels of 100,000 rows, from a posterior", posterior, k=1_000),
        _row("every label of 100,000 rows, from a posterior", posterior, k=1_000_000),
        _row("50 labels of 100,000 rows, read and fitted", long, k=50),
        _row("50 labels of 1,000 rows, read and fitted", short, k=50),
    ]


def _row(name: str, x: Any, *, k: int) -> dict[str, Any]:
    best = float("inf")
    for _ in range(3):
        start = time.perf_counter()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", rat.RatWarning)  # fewer than a million are left
            rat.next_labels(x, k=k)
        best = min(best, time.perf_counter() - start)
    return {"name": name, "value": 1e3 * best, "unit": "ms"}


def _table(n: int) -> pd.DataFrame:
    """Labels on a few rows, chosen at random."""
    frame = rat.simulate(rat.datasets.load("qwen"), n, seed=1)
    frame = frame.astype({"R": "Int64", "T": "Int64"})
    frame.loc[min(N_LABELLED, n // 10) :, ["R", "T"]] = pd.NA
    return frame
