"""What a fit costs as tables grow: with the rows, and with the kinds of row.

The data enter through pattern counts, so a fit should cost the same for any number of rows;
ratios are the smallest table's time over this one's, 1 where the cost is flat. Patterns grow
with judges, whose verdicts and the labels are each missing on a part of the rows.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import numpy as np
import pandas as pd

from rat_widgets.inference import sample
from rat_widgets.labels import Judge, Labels
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.simulated_tables import simulate
from rat_widgets.model.theta import Theta

__all__ = ["rows"]

QWEN = Theta.from_array([0.2078, 0.4632, 0.0360, 0.4447, 0.6809])
ROWS = (100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000)
JUDGES = (0, 1, 2, 3, 4)
N_TABLE = 1_000
REPEATS = 5


def rows() -> list[dict[str, Any]]:
    """One row per size."""
    return [*_by_rows(), *_by_patterns()]


def _by_rows() -> list[dict[str, Any]]:
    judges = _judges(2)
    some = _table(N_TABLE, judges)
    found = []
    for what, kept, engine in (("R or T missing", [], "auto"), ("two judges", judges, "hmc")):
        counts = _counts(some, kept)
        found += _against_first(
            [(f"{engine}, {what}: {n:,} rows", _seconds(_scaled(counts, n), engine)) for n in ROWS],
            f"{ROWS[0]} rows",
        )
    return found


def _by_patterns() -> list[dict[str, Any]]:
    timed = []
    for n in JUDGES:
        judges = _judges(n)
        counts = _counts(_table(N_TABLE, judges), judges)
        name = f"hmc, {n} judges: {counts.counts.shape[1]} patterns, {N_TABLE:,} rows"
        timed.append((name, _seconds(counts, "hmc")))
    return _against_first(timed, "no judge")


def _against_first(timed: list[tuple[str, float]], peer: str) -> list[dict[str, Any]]:
    first = timed[0][1]
    return [
        {
            "name": name,
            "value": 1e3 * seconds,
            "unit": "ms",
            "peer": peer,
            "peer_value": 1e3 * first,
            "ratio": first / seconds,
        }
        for name, seconds in timed
    ]


def _judges(n: int) -> list[Judge]:
    kinds = ("retrieval", "task")
    return [Judge(f"j{i}", of=kinds[i % 2]) for i in range(n)]


def _table(n: int, judges: list[Judge]) -> pd.DataFrame:
    """Labels on a part of the rows, A on all; every judge speaks on four rows of five."""
    table = simulate(QWEN, n, judges=[(judge, 0.85, 0.2) for judge in judges], seed=1)
    rng = np.random.default_rng(2)
    for column in ("R", "T"):
        table.loc[rng.random(n) < 0.6, column] = None
    for judge in judges:
        table.loc[rng.random(n) < 0.2, judge.column] = None
    return table


def _counts(table: pd.DataFrame, judges: list[Judge]) -> PatternCounts:
    return Labels.from_frame(table, judges=judges).counts


def _scaled(counts: PatternCounts, n: int) -> PatternCounts:
    """About `n` rows in the same proportions, each pattern at least once."""
    scaled = np.maximum(np.rint(counts.counts * (n / counts.n_rows)), 1).astype(np.int64)
    return PatternCounts(judges=counts.judges, patterns=counts.patterns, counts=scaled)


def _seconds(counts: PatternCounts, engine: str) -> float:
    """Median of a warm fit with 4,000 draws."""
    times = []
    for seed in range(REPEATS + 1):
        start = time.perf_counter()
        sample(counts, engine=engine, seed=seed)
        times.append(time.perf_counter() - start)
    return statistics.median(times[1:])


if __name__ == "__main__":
    for row in rows():
        print(row)
