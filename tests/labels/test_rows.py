"""The rows behind a pattern, and a table that changes after it was read."""

from __future__ import annotations

from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rat_widgets.errors import ArgumentError, FrameChangedError
from rat_widgets.labels import Judge, Labels

COLUMNS = {
    "R": [1, 0, 0, 1, None, 1],
    "A": [0, 1, 0, 0, 0, 1],
    "T": [1, None, 0, 0, 1, 1],
    "err": [0, 0, 1, 0, 0, 0],
    "g": ["b", "a", "a", "a", "b", "b"],
    "note": ["<b>", "two\nlines", "x", "y", "z", "w"],
}
KEYWORDS: dict[str, Any] = {"errored": "err", "on_contradiction": "drop"}


def rows_as_dicts(table: Any) -> list[dict[str, Any]]:
    return list(nw.from_native(table).iter_rows(named=True))


def shows(labels: Labels, **wanted: int) -> np.ndarray:
    """1 for patterns that show these labels."""
    names = ("retrieval", "abstention", "task")
    matches = [labels.counts.patterns[:, names.index(n)] == value for n, value in wanted.items()]
    return np.all(matches, axis=0).astype(float)


def test_rows_come_in_order_with_all_columns_and_a_probability(make):
    labels = Labels.from_frame(make(COLUMNS), **KEYWORDS)
    rows = rows_as_dicts(labels.rows(shows(labels, abstention=0) * 0.25))
    assert [row["note"] for row in rows] == ["<b>", "y", "z"]
    assert [row["probability"] for row in rows] == [0.25] * 3
    assert list(rows[0]) == [*COLUMNS, "probability"]


def test_errored_and_dropped_rows_are_in_no_pattern(make):
    labels = Labels.from_frame(make(COLUMNS), **KEYWORDS)
    everything = rows_as_dicts(labels.rows(np.ones(len(labels.counts.patterns))))
    assert [row["note"] for row in everything] == ["<b>", "two\nlines", "y", "z"]
    assert len(everything) == labels.counts.n_rows


def test_rows_of_one_group(make):
    labels = Labels.from_frame(make(COLUMNS), by="g", **KEYWORDS)
    everything = np.ones(len(labels.counts.patterns))
    for group, (key,) in enumerate(labels.counts.groups):
        rows = rows_as_dicts(labels.rows(everything, group=group))
        assert {row["g"] for row in rows} == {key}
        assert len(rows) == labels.counts.rows_per_group[group]


def test_no_rows_are_a_table_too(make):
    labels = Labels.from_frame(make(COLUMNS), **KEYWORDS)
    nothing = labels.rows(np.zeros(len(labels.counts.patterns)))
    assert rows_as_dicts(nothing) == []
    assert list(nw.from_native(nothing).columns) == [*COLUMNS, "probability"]


@pytest.mark.parametrize(
    ("table", "kind"),
    [
        (pd.DataFrame(COLUMNS), pd.DataFrame),
        (pl.DataFrame(COLUMNS), pl.DataFrame),
        (pl.DataFrame(COLUMNS).lazy(), pl.DataFrame),
        (pa.table(COLUMNS), pa.Table),
        (duckdb.connect().from_arrow(pa.table(COLUMNS)), pa.Table),
    ],
)
def test_rows_come_in_the_library_that_was_given(table, kind):
    labels = Labels.from_frame(table, **KEYWORDS)
    assert isinstance(labels.rows(np.ones(len(labels.counts.patterns))), kind)


def test_an_index_of_pandas_is_kept_and_a_taken_name_is_avoided():
    table = pd.DataFrame({**COLUMNS, "probability": 7}, index=list("uvwxyz"))
    labels = Labels.from_frame(table, **KEYWORDS)
    rows = labels.rows(shows(labels, task=1))
    assert list(rows.index) == ["u", "y"]
    assert list(rows["probability"]) == [7, 7]
    assert list(rows["probability_"]) == [1.0, 1.0]


@given(
    st.lists(st.tuples(*[st.sampled_from([None, 0, 1])] * 4, st.sampled_from("abc")), max_size=30),
    st.randoms(use_true_random=False),
)
def test_probabilities_sum_to_those_of_the_patterns(rows, chance):
    table = pd.DataFrame(rows, columns=["R", "A", "T", "j", "g"], dtype=object)
    labels = Labels.from_frame(
        table, judges=[Judge("j", of="task")], by="g", on_contradiction="trust_answer"
    )
    probability = np.array([chance.random() for _ in labels.counts.patterns])
    total = labels.rows(probability)["probability"].sum()
    assert total == pytest.approx(float(labels.counts.counts.sum(axis=0) @ probability))


@pytest.mark.parametrize(
    "probability", [[1.0], [[1.0, 1.0]], None, "x", [2.0] * 3, [float("nan")] * 3]
)
def test_probabilities_that_fit_no_pattern_are_refused(probability):
    labels = Labels.from_frame(pd.DataFrame(COLUMNS), **KEYWORDS)
    with pytest.raises(ArgumentError, match="`probability`"):
        labels.rows(probability)
    with pytest.raises(ArgumentError, match="no group 1"):
        labels.rows(np.ones(len(labels.counts.patterns)), group=1)


def change_cell(table: pd.DataFrame) -> None:
    table.loc[0, "R"] = 0


def change_column(table: pd.DataFrame) -> None:
    table["R"] = 0


def change_rows(table: pd.DataFrame) -> None:
    del table["note"]
    table.loc[6] = [0, 0, 0, 0, "b"]


def change_names(table: pd.DataFrame) -> None:
    table.columns = ["gone", *table.columns[1:]]
    table.index = list("uvwxyz")


def change_from_another_column(table: pd.DataFrame) -> None:
    column = table["note"]
    column.iloc[0] = "changed"
    table.iloc[:, 5] = "changed"


@pytest.mark.parametrize(
    "change", [change_cell, change_column, change_rows, change_names, change_from_another_column]
)
def test_a_pandas_frame_that_changes_later_changes_nothing(change):
    table = pd.DataFrame(COLUMNS)
    labels = Labels.from_frame(table, **KEYWORDS)
    counts = labels.counts
    everything = np.ones(len(counts.patterns))
    before = labels.rows(everything)
    change(table)
    pd.testing.assert_frame_equal(labels.rows(everything), before)
    pd.testing.assert_frame_equal(labels.frame, pd.DataFrame(COLUMNS))
    assert labels.counts == counts


def test_reading_rows_and_changing_the_answer_leave_the_callers_frame_alone():
    table = pd.DataFrame(COLUMNS)
    labels = Labels.from_frame(table, **KEYWORDS)
    rows = labels.rows(np.ones(len(labels.counts.patterns)))
    rows.loc[:, "R"] = 0
    handed_out = labels.frame
    handed_out.loc[0, "R"] = 0
    pd.testing.assert_frame_equal(table, pd.DataFrame(COLUMNS))
    pd.testing.assert_frame_equal(labels.frame, pd.DataFrame(COLUMNS))


def test_a_polars_frame_that_changes_later_changes_nothing():
    table = pl.DataFrame(COLUMNS)
    eager, lazy = (Labels.from_frame(form, **KEYWORDS) for form in (table, table.lazy()))
    table[0, "R"] = 0
    table.insert_column(0, pl.Series("new", [1] * 6))
    table.extend(table)
    for labels in (eager, lazy):
        rows = labels.rows(np.ones(len(labels.counts.patterns)))
        assert rows["R"].to_list() == [1, 0, 1, None]
        assert "new" not in rows.columns


def test_a_relation_whose_table_changes_says_so_when_rows_are_asked_for():
    connection = duckdb.connect()
    connection.execute("CREATE TABLE t AS SELECT 1 AS R, 0 AS A, 1 AS T")
    labels = Labels.from_frame(connection.table("t"))
    assert len(labels.rows(np.ones(1))) == 1
    connection.execute("INSERT INTO t VALUES (0, 0, 0)")
    assert labels.counts.n_rows == 1
    with pytest.raises(FrameChangedError, match="no longer"):
        labels.rows(np.ones(1))
    connection.close()
    with pytest.raises(FrameChangedError, match="can no longer be read"):
        labels.rows(np.ones(1))


def test_memory_that_changes_under_a_frame_is_noticed():
    memory = np.array([[1.0, 0.0, 1.0], [0.0, 1.0, np.nan]])
    labels = Labels.from_frame(pd.DataFrame(memory, columns=list("RAT"), copy=False))
    memory[:] = 0
    with pytest.raises(FrameChangedError, match="no longer"):
        labels.rows(np.ones(2))
