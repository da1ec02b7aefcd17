"""`llmjudge_r`: people's grades of passages beside those of eight judges."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.datasets.columns import PACKED, columns_of
from rat_widgets.labels import Labels

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT.parent / "shared" / "data"
GRADES = (0, 1, 2, 3)


@pytest.fixture
def df() -> pd.DataFrame:
    return rat.datasets.load("llmjudge_r")


def judges_of(df: pd.DataFrame) -> list[str]:
    return list(df.columns[3:])


def test_4423_pairs_of_25_queries_have_nine_grades_each(df):
    assert list(df.columns[:3]) == ["item", "query", "R"]
    assert len(judges_of(df)) == 8
    assert df["item"].tolist() == list(range(4423))
    assert df["query"].nunique() == 25
    assert df.drop(columns=["item", "query"]).isin([0, 1, 2, 3]).all(axis=None)


def test_the_docs_count_the_grades_of_people(df):
    docs = (ROOT / "docs" / "datasets.md").read_text("utf-8")
    counts = df["R"].value_counts().sort_index()
    assert "| `R` | " + ", ".join(f"{n:,}" for n in counts) in docs


def test_the_docs_give_the_rates_of_each_judge_at_two(df):
    docs = (ROOT / "docs" / "datasets.md").read_text("utf-8")
    relevant = df["R"] >= 2
    for judge in judges_of(df):
        rate = (df[judge] >= 2).groupby(relevant).mean()
        assert f"| `{judge}` | {100 * rate[True]:.0f}% | {100 * rate[False]:.0f}% |" in docs


def test_two_judges_that_ask_alike_err_alike(df):
    """Errors of the two at 2 coincide in 7 of 8, those of others of the eight in fewer."""
    wrong = (df[judges_of(df)] >= 2).ne(df["R"] >= 2, axis=0)
    together = wrong.corr()["willia-umbrela1"].drop("willia-umbrela1")
    assert together.idxmax() == "h2oloo-zeroshot1"
    assert together.max() > 0.85


def test_it_is_read_with_its_grades_and_without_a_and_t(df):
    judge = rat.Judge("willia-umbrela1", of="retrieval", levels=GRADES)
    labels = Labels.from_frame(
        df, abstention=None, task=None, item="item", cluster="query",
        retrieval_levels=GRADES, judges=judge,
    )  # fmt: skip
    assert labels.counts.n_rows == 4423
    assert labels.check().columns[0].by_level == dict(df["R"].value_counts().rename(str))


@given(st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=1, max_size=30))
def test_grades_packed_by_threes_come_out_again(grades):
    packed = "".join(PACKED[int(f"{a}{b}{c}", 4)] for a, b, c in grades)
    items = {"item": {"first": 7, "n": len(grades)}, "a b c": packed}
    table = {
        "columns": ["item", "a", "b", "c"],
        "blocks": [{"shared": {}, "items": items, "systems": {"": {}}}],
    }
    read = columns_of(table)
    assert read["item"] == list(range(7, 7 + len(grades)))
    assert list(zip(read["a"], read["b"], read["c"], strict=True)) == grades


def test_no_two_triples_share_a_character():
    assert len(set(PACKED)) == len(list(product(range(4), repeat=3)))


@pytest.mark.skipif(not SOURCES.exists(), reason="the source tables are not beside the repository")
def test_the_grades_are_those_of_the_source_row_by_row(df):
    source = pd.read_csv(SOURCES / "llmjudge_r.csv").rename(columns={"R_human": "R"})
    for column in ("R", *judges_of(df)):
        np.testing.assert_array_equal(df[column], source[column])
    np.testing.assert_array_equal(df["query"], pd.factorize(source["qid"])[0])
