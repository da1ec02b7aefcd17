"""Counting: 10 million rows of a pandas frame against DuckDB's own group-by on it.

Both take turns, so that a busy machine slows both down; the median of the turns counts.
"""

from __future__ import annotations

import statistics
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from typing import Any

import duckdb
import numpy as np
import pandas as pd

from rat_widgets.labels import Labels

N_ROWS = 10_000_000
N_TURNS = 5


def rows() -> list[dict[str, Any]]:
    duckdb.sql("SET enable_progress_bar = false")
    table = _table()
    plain = table[["R", "A", "T"]]
    by_system = table[["R", "A", "T", "system"]]
    cases: list[tuple[str, pd.DataFrame, dict[str, Any]]] = [
        ("R, A, T", plain, {}),
        ("R, A, T by a text column", by_system, {"by": "system"}),
    ]
    found = []
    for name, frame, keywords in cases:
        columns = ", ".join(f'"{column}"' for column in frame.columns)
        query = f"SELECT {columns}, count(*) FROM frame GROUP BY {columns}"
        ours, theirs = _medians(
            partial(Labels.from_frame, frame, **keywords), partial(_group_by, query, frame)
        )
        found.append(
            {
                "name": f"10 million rows, {name}",
                "value": ours,
                "unit": "s",
                "peer": "DuckDB's group-by on the same frame",
                "peer_value": theirs,
                "ratio": theirs / ours,
            }
        )
        own = float(frame.memory_usage(deep=True).sum())
        extra = _extra_memory(partial(Labels.from_frame, frame, **keywords))
        found.append(
            {
                "name": f"10 million rows, {name}: extra memory at the peak",
                "value": extra / 1e6,
                "unit": "MB",
                "peer": "the table itself",
                "peer_value": own / 1e6,
                "ratio": own / extra,
            }
        )
    checked, without = _medians(
        lambda: Labels.from_frame(table, by="system", item="item"),
        lambda: Labels.from_frame(table, by="system"),
    )
    found.append(
        {
            "name": "10 million rows by a text column, items checked",
            "value": checked,
            "unit": "s",
            "peer": "without items",
            "peer_value": without,
            "ratio": without / checked,
        }
    )
    return found


def _table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    retrieval, abstention, task = (rng.integers(0, 2, N_ROWS).astype(float) for _ in range(3))
    retrieval[rng.random(N_ROWS) < 0.3] = np.nan
    task[abstention == 1] = np.nan
    systems = np.array([f"system number {i}" for i in range(20)])
    return pd.DataFrame(
        {
            "R": retrieval,
            "A": abstention,
            "T": task,
            "system": systems[rng.integers(0, len(systems), N_ROWS)],
            "item": np.arange(N_ROWS),
        }
    )


def _group_by(query: str, frame: pd.DataFrame) -> list[Any]:
    """DuckDB finds the frame by the name of the argument."""
    return duckdb.sql(query).fetchall()


def _medians(*functions: Callable[[], Any]) -> list[float]:
    """Median duration in seconds of each function; one turn to warm up is not counted."""
    durations: list[list[float]] = [[] for _ in functions]
    for turn in range(N_TURNS + 1):
        for function, taken in zip(functions, durations, strict=True):
            start = time.perf_counter()
            function()
            if turn:
                taken.append(time.perf_counter() - start)
    return [statistics.median(taken) for taken in durations]


def _extra_memory(function: Callable[[], Any]) -> int:
    """Peak of what Python and NumPy allocate during the call, in bytes."""
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
