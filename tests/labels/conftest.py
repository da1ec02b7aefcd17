"""Frames of every library from one list of columns, and counts by brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

Columns = Mapping[str, Sequence[Any]]
LABEL_COLUMNS = 7  # R, A, T, answerable, two judges, errored


def _arrow_type(values: Sequence[Any]) -> pa.DataType:
    return pa.string() if any(isinstance(v, str) for v in values) else pa.int64()


def _arrow(columns: Columns) -> pa.Table:
    arrays = [pa.array(values, type=_arrow_type(values)) for values in columns.values()]
    return pa.Table.from_arrays(arrays, names=list(columns))


def _pandas(columns: Columns) -> pd.DataFrame:
    return pd.DataFrame(
        {
            name: list(values)
            if any(isinstance(v, str) for v in values)
            else np.array([np.nan if v is None else v for v in values], dtype=float)
            for name, values in columns.items()
        }
    )


def _pandas_nullable(columns: Columns) -> pd.DataFrame:
    return pd.DataFrame(
        {
            name: pd.array(
                list(values), dtype="string" if any(isinstance(v, str) for v in values) else "Int64"
            )
            for name, values in columns.items()
        }
    )


def _pandas_objects(columns: Columns) -> pd.DataFrame:
    return pd.DataFrame(
        {name: pd.Series(list(values), dtype=object) for name, values in columns.items()}
    )


def _pandas_arrow(columns: Columns) -> pd.DataFrame:
    return _arrow(columns).to_pandas(types_mapper=pd.ArrowDtype)


def _duckdb(columns: Columns) -> duckdb.DuckDBPyRelation:
    # duckdb.connect() keeps each relation's data apart
    return duckdb.connect().from_arrow(_arrow(columns))


MAKERS: dict[str, Callable[[Columns], Any]] = {
    "pandas": _pandas,
    "pandas nullable": _pandas_nullable,
    "pandas objects": _pandas_objects,
    "pandas arrow": _pandas_arrow,
    "polars": lambda columns: pl.from_arrow(_arrow(columns)),
    "polars lazy": lambda columns: pl.from_arrow(_arrow(columns)).lazy(),
    "pyarrow": _arrow,
    "duckdb": _duckdb,
}


def _brute_force(
    rows: Sequence[Sequence[int | None]],
    groups: Sequence[Any],
    *,
    task_judges: Sequence[int] = (),
    silent_judges: Sequence[int] = (),
    on_contradiction: str = "error",
    errored_as: str = "excluded",
) -> tuple[Counter[Any], Counter[Any], Counter[Any]]:
    """Counts of (group, pattern), errored rows and dropped rows per group, one row at a time.

    A row is R, A, T, answerable, judges ..., errored; judges are named by position.
    """
    counts: Counter[Any] = Counter()
    errored: Counter[Any] = Counter()
    dropped: Counter[Any] = Counter()
    for row, group in zip(rows, groups, strict=True):
        pattern = [-1 if value is None else int(value) for value in row[:-1]]
        if row[-1] == 1:
            errored[group] += 1
            if errored_as == "excluded":
                continue
            pattern[1] = pattern[2] = 0
            for judge in silent_judges:
                pattern[judge] = -1
        elif pattern[1] == 1 and pattern[2] == 1:
            if on_contradiction == "drop":
                dropped[group] += 1
                continue
            if on_contradiction == "trust_answer":
                pattern[1] = 0
        if pattern[1] == 1:
            pattern[2] = -1
            for judge in task_judges:
                pattern[judge] = -1
        counts[group, tuple(pattern)] += 1
    return counts, errored, dropped


@pytest.fixture(scope="session")
def makers() -> dict[str, Callable[[Columns], Any]]:
    """A function per library that makes its frame from columns of Python values."""
    return MAKERS


@pytest.fixture(scope="session")
def brute_force() -> Callable[..., Any]:
    """The counts by looking at one row after the other."""
    return _brute_force


@pytest.fixture(scope="session", params=sorted(MAKERS))
def make(request: pytest.FixtureRequest) -> Callable[[Columns], Any]:
    """One library after the other."""
    return MAKERS[request.param]
