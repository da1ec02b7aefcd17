"""Long tables are counted without a second copy of them."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pandas as pd
import pytest

from rat_widgets.labels import Labels


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    n_rows = 2_000_000
    columns = {name: rng.integers(0, 2, n_rows).astype(float) for name in "RAT"}
    columns["R"][rng.random(n_rows) < 0.3] = np.nan
    columns["T"][columns["A"] == 1] = np.nan
    systems = np.array([f"system {i}" for i in range(20)])
    return pd.DataFrame(
        {**columns, "s": systems[rng.integers(0, 20, n_rows)], "q": np.arange(n_rows)}
    )


@pytest.mark.parametrize("keywords", [{}, {"by": "s"}, {"by": "s", "item": "q"}])
def test_counting_needs_a_fraction_of_the_tables_own_memory(table, keywords):
    Labels.from_frame(table.head(), **keywords)  # imports
    tracemalloc.start()
    try:
        Labels.from_frame(table, **keywords)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    own = 5 * 8 * len(table)
    # one hash of 8 bytes per row when items are checked; a slice at a time otherwise
    assert peak < own * (0.6 if "item" in keywords else 0.25)


def test_a_long_table_is_counted_rightly(table):
    counts = Labels.from_frame(table, by="s").counts
    by_pandas = table.fillna(-1).groupby(["s", "R", "A", "T"]).size()
    ours = {
        (key[0], *map(float, pattern[:3])): n
        for key, line in zip(counts.groups, counts.counts.tolist(), strict=True)
        for pattern, n in zip(counts.patterns.tolist(), line, strict=True)
        if n
    }
    assert ours == by_pandas.to_dict()


def test_one_repeated_item_in_a_long_table_is_found(table):
    repeated = table.assign(q=table["q"].where(table["q"] != 1_999_999, 7), s="one")
    with pytest.raises(ValueError, match=r"The item 7 occurs"):
        Labels.from_frame(repeated, item="q", by="s")
