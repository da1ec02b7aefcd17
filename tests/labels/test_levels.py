"""Graded retrieval in tables: names and numbers of levels, errors, counts, the report."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, CountsError, LabelValueError

LEVELS = ("none", "partial", "all")
A = [1, 0, 0, 0, 0, 1]
T = [None, 1, 1, 0, 0, None]
NAMED = ["none", "partial", "all", None, "all", "partial"]


def table(retrieval):
    return pd.DataFrame({"R": retrieval, "A": A, "T": T})


def read(df, **keywords):
    return rat.Labels.from_frame(df, retrieval_levels=LEVELS, **keywords)


@pytest.mark.parametrize(
    "retrieval",
    [
        [0, 1, 2, None, 2, 1],
        [0.0, 1.0, 2.0, np.nan, 2.0, 1.0],
        pd.array([0, 1, 2, None, 2, 1], dtype="Int8"),
        pd.Categorical(NAMED, categories=list(LEVELS), ordered=True),
        pd.array(NAMED, dtype="string"),
        [0, "partial", 2, None, "all", 1],
    ],
)
def test_names_numbers_and_categories_are_the_same_levels(retrieval):
    assert read(table(retrieval)).counts == read(table(NAMED)).counts


@pytest.mark.parametrize("first", [0, 1, 7])
def test_grades_are_read_as_the_numbers_that_name_them(first):
    """Levels 1 to 3 and cells 1 to 3: no cell is taken for a position."""
    levels = tuple(range(first, first + 3))
    grades = [first, first + 1, first + 2, None, first + 2, first + 1]
    counts = rat.Labels.from_frame(table(grades), retrieval_levels=levels).counts
    assert counts.retrieval_levels == tuple(map(str, levels))
    assert (counts.patterns == read(table(NAMED)).counts.patterns).all()
    named = tuple(map(str, levels))
    assert rat.Labels.from_frame(table(grades), retrieval_levels=named).counts == counts
    spelt = [None if grade is None else str(grade) for grade in grades]
    assert rat.Labels.from_frame(table(spelt), retrieval_levels=levels).counts == counts


def test_a_grade_that_is_no_level_and_levels_out_of_order_are_refused():
    with pytest.raises(LabelValueError, match=r"'1', '2', '3', or the same as numbers"):
        rat.Labels.from_frame(table([1, 2, 3, 0, 1, 1]), retrieval_levels=(1, 2, 3))
    with pytest.raises(ArgumentError, match=r"out of order.*\n.*\nHint: .*\(1, 2, 3\)"):
        rat.Labels.from_frame(table([1, 2, 3, 3, 1, 1]), retrieval_levels=(3, 2, 1))


def test_polars_reads_like_pandas():
    frame = pl.DataFrame({"R": NAMED, "A": A, "T": T})
    assert read(frame).counts == read(table(NAMED)).counts
    assert read(frame.lazy()).counts == read(table(NAMED)).counts


def test_values_may_name_levels_for_retrieval_and_numbers_for_all():
    df = table(["bad", "so-so", "good", None, "good", "so-so"])
    df["A"] = ["yes", "no", "no", "no", "no", "yes"]
    values = {"bad": "none", "so-so": "partial", "good": 2, "yes": 1, "no": 0}
    with pytest.raises(ArgumentError, match="0, 1 or None"):
        read(df, values=values)  # 2 means nothing in A and T
    values["good"] = "all"
    assert read(df, values=values).counts == read(table(NAMED)).counts


def test_text_that_names_a_level_is_that_level_whatever_it_means_in_other_columns():
    names = ("no", "partly", "yes")
    df = table(["no", "partly", "yes", None, "yes", "partly"])
    df["T"] = [None, "yes", "yes", "no", "no", None]
    labels = rat.Labels.from_frame(df, retrieval_levels=names, values={"yes": 1, "no": 0})
    wanted = rat.Labels.from_frame(table([0, 1, 2, None, 2, 1]), retrieval_levels=names)
    assert labels.counts == wanted.counts
    merged = {"partly": "no"}  # an entry that names a level is about R, and is heeded
    labels = rat.Labels.from_frame(df.assign(T=T), retrieval_levels=names, values=merged)
    wanted = rat.Labels.from_frame(table([0, 0, 2, None, 2, 0]), retrieval_levels=names)
    assert labels.counts == wanted.counts


@pytest.mark.parametrize("cell", ["some", 3, -1, 0.5, True, "ALL"])
def test_a_cell_that_is_no_level_is_named_with_the_levels(cell):
    retrieval = [*NAMED[:-1], cell]
    with pytest.raises(LabelValueError, match=r"none.*partial.*all.*numbers from 0 to 2"):
        read(table(pd.Series(retrieval, dtype=object)))


def test_true_is_no_level_of_three_beside_1():
    retrieval = table(pd.Series([1, 2, 0, 1, True, 0], dtype=object))
    with pytest.raises(LabelValueError, match=r"holds True in 1 row \(row 4"):
        read(retrieval)


def test_two_levels_whatever_they_are_called_are_a_miss_and_a_hit():
    df = table([0, 1, 1, None, 1, 0])
    plain = rat.Labels.from_frame(df)
    assert rat.Labels.from_frame(df, retrieval_levels=("bad", "good")).counts == plain.counts
    named = table(["bad", "good", "good", None, "good", "bad"])
    labels = rat.Labels.from_frame(named, retrieval_levels=("bad", "good"))
    assert labels.counts == plain.counts
    assert labels.from_same(named).counts == plain.counts
    assert len(labels.rows((plain.counts.patterns[:, 0] == 1).astype(float))) == 3
    truths = table(pd.Series([False, True, True, None, True, False], dtype=object))
    assert rat.Labels.from_frame(truths, retrieval_levels=("bad", "good")).counts == plain.counts
    assert plain.counts.retrieval_levels == ("miss", "hit")


def test_a_judge_of_graded_retrieval_has_an_fpr_for_every_level_below_the_top():
    df = table(NAMED).assign(jR=1, jT=1)
    labels = read(df, judges=[rat.Judge("jR", of="retrieval"), rat.Judge("jT", of="task")])
    assert labels.counts.columns[-2:] == ("jR", "jT")
    names = rat.fit(labels, draws=400).draws.priors.names
    assert names[8:] == (
        "tpr[jR]",
        "tpr[jT]",
        "fpr[jT]",
        "fpr_given_none[jR]",
        "fpr_given_partial[jR]",
    )


def test_counts_of_levels_survive_json_sums_and_groups():
    counts = read(table(NAMED).assign(s=list("aabbab")), by="s").counts
    assert rat.PatternCounts.from_json(counts.to_json()) == counts
    assert (counts + counts).n_rows == 2 * counts.n_rows
    assert counts.group(1).retrieval_levels == LEVELS
    with pytest.raises(CountsError, match="retrieval_levels"):
        counts.pooled() + rat.Labels.from_frame(table([0, 1, 1, None, 1, 0])).counts
    with pytest.raises(CountsError, match="of R: 0 to 2"):
        rat.PatternCounts.from_patterns([[3, 0, 1]], [1], retrieval_levels=LEVELS)


def test_equal_patterns_of_other_levels_are_other_counts():
    one, other = (
        rat.PatternCounts.from_patterns([[1, 0, 1]], [4], retrieval_levels=levels)
        for levels in (LEVELS, ("a", "b", "c"))
    )
    assert one != other


def test_the_report_counts_every_level():
    report = read(table(NAMED)).check()
    retrieval = report.columns[0]
    assert retrieval.by_level == {"none": 1, "partial": 2, "all": 2}
    assert (retrieval.n_ones, retrieval.n_zeros, retrieval.n_missing) == (2, 3, 1)
    assert "none 1, partial 2, all 2" in str(report)
    assert "R=partial A=0 T=1" in str(report)
    assert report.bounds["retrieval"].observed == 2 / 5
    assert report.to_dict()["columns"][0]["by_level"] == {"none": 1, "partial": 2, "all": 2}


def test_a_level_that_never_occurs_is_said():
    codes = {finding.code: finding.text for finding in read(table(["all"] * 6)).check().findings}
    assert "'none', 'partial'" in codes["level_never_seen"]


def test_answers_at_a_level_that_never_show_t_are_found():
    df = pd.DataFrame({"R": ["partial", "all", "all"], "A": [0, 0, 0], "T": [None, 1, 0]})
    texts = " ".join(finding.text for finding in read(df).check().findings)
    assert "T was never seen on answers where R is 'partial'" in texts


def test_an_unanswerable_hit_is_one_of_the_top_level_only():
    df = table(NAMED).assign(answerable=[0, 0, 1, 1, 1, 1])
    codes = {finding.code for finding in read(df, answerable="answerable").check().findings}
    assert "hit_but_unanswerable" not in codes
    df["answerable"] = 0
    found = read(df, answerable="answerable").check().findings
    assert any("2 rows are a hit (R=all)" in finding.text for finding in found)


@given(
    st.lists(
        st.tuples(
            st.sampled_from([*LEVELS, None]),
            st.sampled_from([0, 1, None]),
            st.sampled_from([0, None]),
        ),
        min_size=1,
        max_size=30,
    ),
    st.randoms(use_true_random=False),
)
def test_levels_do_not_depend_on_the_order_of_rows_or_the_spelling(rows, random):
    df = pd.DataFrame(rows, columns=["R", "A", "T"])
    shuffled = random.sample(rows, len(rows))
    numbers = pd.DataFrame(
        [(None if r is None else LEVELS.index(r), a, t) for r, a, t in shuffled],
        columns=["x", "A", "T"],
    )
    assert read(df).counts == read(numbers, retrieval="x").counts


def test_rows_can_be_asked_for_again():
    labels = read(table(NAMED).assign(text=list("abcdef")))
    level = labels.counts.patterns[:, 0]
    assert labels.rows((level == 1).astype(float))["text"].tolist() == ["b", "f"]
    assert labels.from_same(table(NAMED)).counts == labels.counts
