"""Tables and counts for the tests of this layer."""

import numpy as np
import pandas as pd
import pytest

from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.theta import Theta


def counts_from_rows(rows, judges=()):
    """Counts of rows (R, A, T, verdicts...), -1 where missing; answerable is left out."""
    rows = np.asarray(rows, dtype=np.int8).reshape(-1, 3 + len(judges))
    patterns = np.insert(rows, 3, -1, axis=1)
    counts = np.ones((1, len(rows)), dtype=np.int64)
    return PatternCounts(judges=tuple(judges), patterns=patterns, counts=counts)


def counts_from_tables(tables, judges=()):
    """Counts of several simulated tables on top of each other."""
    columns = ["R", "A", "T", *(judge.column for judge in judges)]
    table = pd.concat(tables)[columns].astype("Float64").fillna(-1)
    return counts_from_rows(table.to_numpy(dtype=float), judges)


def grouped(by_key):
    """Single-group counts -> counts of several groups."""
    total = None
    for key, counts in by_key.items():
        one = PatternCounts(
            by=("system",),
            groups=((key,),),
            judges=counts.judges,
            patterns=counts.patterns,
            counts=counts.counts,
        )
        total = one if total is None else total + one
    return total


@pytest.fixture(scope="session")
def counts_of():
    return counts_from_rows


@pytest.fixture(scope="session")
def counts_of_tables():
    return counts_from_tables


@pytest.fixture(scope="session")
def in_groups():
    return grouped


@pytest.fixture(scope="session")
def qwen():
    return Theta.from_array([0.2078, 0.4632, 0.0360, 0.4447, 0.6809])


@pytest.fixture(scope="session")
def apertus():
    return Theta.from_array([0.2072, 0.0390, 0.0050, 0.2585, 0.5157])
