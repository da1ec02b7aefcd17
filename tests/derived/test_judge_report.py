"""A judge beside people, from two columns."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rat_widgets as rat
from rat_widgets.errors import (
    ArgumentError,
    ArgumentTypeError,
    LabelValueError,
    MissingColumnError,
)

PEOPLE = [0] * 12 + [1] * 88
PASSES_ALL = [1] * 100
FAILS_13 = [0] * 10 + [1] * 2 + [0] * 3 + [1] * 85

labels = st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=40)


def columns(rows):
    return [r[0] for r in rows], [r[1] for r in rows]


def test_a_judge_that_passes_everything_is_accurate_and_may_not_gate():
    report = rat.judge_report(PEOPLE, PASSES_ALL)
    assert report.accuracy.value == 0.88
    assert report.kappa.value == 0
    assert report.recall["fail"].value == 0
    assert report.verdict == "may not"
    assert any("on every row" in note for note in report.notes)


def test_a_judge_that_fails_13_of_which_10_rightly_may_gate():
    report = rat.judge_report(PEOPLE, FAILS_13)
    assert round(report.kappa.value, 2) == 0.77
    assert report.recall["fail"].value == pytest.approx(10 / 12)
    assert report.precision["fail"].value == pytest.approx(10 / 13)
    assert report.table == ((10, 2), (3, 85))
    assert report.verdict == "may gate"
    assert report.human_distribution == {"fail": 12, "pass": 88}
    assert report.judge_distribution == {"fail": 13, "pass": 87}


@given(labels)
def test_turning_pass_and_fail_round_exchanges_the_classes(rows):
    human, judge = columns(rows)
    one = rat.judge_report(human, judge)
    other = rat.judge_report([1 - h for h in human], [1 - j for j in judge])
    assert one.accuracy == other.accuracy
    assert one.kappa.value == pytest.approx(other.kappa.value)
    assert one.precision["fail"] == other.precision["pass"]
    assert one.recall["pass"] == other.recall["fail"]


@given(labels)
def test_exchanging_judge_and_people_exchanges_precision_and_recall(rows):
    human, judge = columns(rows)
    one, other = rat.judge_report(human, judge), rat.judge_report(judge, human)
    assert one.kappa.value == pytest.approx(other.kappa.value)
    for value in ("fail", "pass"):
        assert one.precision[value] == other.recall[value]


@given(labels)
def test_the_order_of_rows_does_not_matter(rows):
    report = rat.judge_report(*columns(rows))
    assert report.to_dict() == rat.judge_report(*columns(rows[::-1])).to_dict()


def test_intervals_are_those_of_a_beta_with_a_flat_prior():
    report = rat.judge_report(PEOPLE, FAILS_13, ci_prob=0.9)
    for measured, yes, no in (
        (report.accuracy, 95, 5),
        (report.recall["fail"], 10, 2),
        (report.precision["pass"], 85, 2),
    ):
        expected = stats.beta(1 + yes, 1 + no).ppf([0.05, 0.95])
        assert (measured.lower, measured.upper) == pytest.approx(tuple(expected))


def test_the_interval_of_kappa_is_near_its_large_sample_form():
    """The standard error of Fleiss, Cohen and Everitt (1969), 5,000 rows; tolerance: 3% for the
    error of 2.5% quantiles of 20,000 draws, 1/n and the prior."""
    table = np.array([[800, 200], [300, 3700]])
    human = np.repeat([0, 0, 1, 1], table.ravel())
    judge = np.repeat([0, 1, 0, 1], table.ravel())
    report = rat.judge_report(human, judge)
    p = table / table.sum()
    row, column, kappa = p.sum(1), p.sum(0), report.kappa.value
    chance = row @ column
    observed = np.trace(p)
    a = sum(p[i, i] * (1 - (row[i] + column[i]) * (1 - kappa)) ** 2 for i in (0, 1))
    b = (1 - kappa) ** 2 * sum(
        p[i, j] * (column[i] + row[j]) ** 2 for i in (0, 1) for j in (0, 1) if i != j
    )
    c = (kappa - chance * (1 - kappa)) ** 2
    error = np.sqrt(a + b - c) / ((1 - chance) * np.sqrt(table.sum()))
    assert kappa == pytest.approx((observed - chance) / (1 - chance))
    assert (report.kappa.upper - report.kappa.lower) / (2 * 1.96 * error) == pytest.approx(
        1, abs=0.03
    )


def test_bars_are_the_callers():
    assert rat.judge_report(PEOPLE, FAILS_13, may_gate={"kappa": 0.8}).verdict == "may not"
    assert rat.judge_report(PEOPLE, FAILS_13, may_gate={"fail_recall": 0.9}).verdict == "may not"
    lax = {"kappa": 0, "fail_recall": 0}
    assert rat.judge_report(PEOPLE, PASSES_ALL, may_gate=lax).verdict == "may gate"


def test_a_bar_on_the_probability_asks_for_enough_labels():
    sure = {"probability": 0.9}
    few = rat.judge_report(PEOPLE, FAILS_13, may_gate=sure)
    many = rat.judge_report(PEOPLE * 40, FAILS_13 * 40, may_gate=sure)
    assert (few.verdict, many.verdict) == ("may not", "may gate")
    assert few.kappa.value == pytest.approx(many.kappa.value)
    assert any("do not settle it" in note for note in few.notes)
    assert len(few.reasons) == 3


@pytest.mark.parametrize("bars", [{"kappa": 70}, {"recall": 0.5}, {"kappa": True}, {"kappa": "a"}])
def test_bars_that_are_none_are_refused(bars):
    with pytest.raises(ArgumentError, match="may_gate"):
        rat.judge_report(PEOPLE, FAILS_13, may_gate=bars)
    with pytest.raises(ArgumentTypeError, match="fail_recall"):
        rat.judge_report(PEOPLE, FAILS_13, may_gate=0.5)


def test_missing_and_unknown_are_counted_and_left_out():
    human = ["good", "bad", None, "good", "good"]
    judge = ["good", "bad", "bad", "unsure", None]
    report = rat.judge_report(human, judge, values={"good": 1, "bad": 0}, unknown="unsure")
    assert (report.n, report.n_missing, report.n_unknown, report.n_rows) == (2, 2, 1, 5)
    with pytest.raises(LabelValueError, match="'unsure' in 1 row\\."):
        rat.judge_report(human, judge, values={"good": 1, "bad": 0})
    with pytest.raises(LabelValueError, match="human"):
        rat.judge_report(judge, human, values={"good": 1, "bad": 0}, unknown="unsure")
    with pytest.raises(ArgumentError, match="already reads"):
        rat.judge_report(human, judge, values={"good": 1, "bad": 0}, unknown=["good"])


@pytest.mark.parametrize(
    "made", [list, tuple, np.array, pd.Series, pl.Series, pa.array, lambda v: np.array(v, float),
             lambda v: pd.Series(v, dtype="Int8"), lambda v: pd.Series(v, dtype=bool)]
)  # fmt: skip
def test_columns_of_any_library_give_the_same_report(made):
    report = rat.judge_report(made(PEOPLE), made(FAILS_13))
    assert report.table == ((10, 2), (3, 85))


@pytest.mark.parametrize("made", [pd.DataFrame, pl.DataFrame, pa.table, pl.LazyFrame])
def test_a_frame_and_two_names_do_as_well(made):
    data = made({"people": PEOPLE, "gpt": FAILS_13})
    report = rat.judge_report("people", "gpt", data=data)
    assert (report.human, report.judge) == ("people", "gpt")
    assert report.table == ((10, 2), (3, 85))
    with pytest.raises(MissingColumnError, match="'gpt'"):
        rat.judge_report("people", "gpt4", data=data)
    with pytest.raises(ArgumentError, match="both the column"):
        rat.judge_report("gpt", "gpt", data=data)


def test_columns_that_are_not_about_the_same_rows_are_refused():
    with pytest.raises(ArgumentError, match="100 rows and `judge` has 99"):
        rat.judge_report(PEOPLE, PASSES_ALL[1:])
    with pytest.raises(ArgumentError, match="indexes"):
        rat.judge_report(pd.Series(PEOPLE), pd.Series(FAILS_13, index=range(1, 101)))
    with pytest.raises(ArgumentTypeError, match="data="):
        rat.judge_report(pd.DataFrame({"a": PEOPLE}), FAILS_13)
    with pytest.raises(ArgumentTypeError, match="data="):
        rat.judge_report("people", "gpt")
    with pytest.raises(ArgumentTypeError, match="3"):
        rat.judge_report(3, FAILS_13)


def test_a_name_of_two_columns_and_a_set_are_no_column():
    cells = [[1, 0, 1], [0, 1, 0]]
    frame = pd.DataFrame(cells, columns=["T", "jt", "T"])
    for data in (frame, pa.table([pa.array(c) for c in zip(*cells)], names=["T", "jt", "T"])):
        with pytest.raises(ArgumentError, match="two columns called 'T'"):
            rat.judge_report("T", "jt", data=data)
    for unordered in ({1, 0}, frozenset({1, 0})):
        with pytest.raises(ArgumentTypeError, match="not a column"):
            rat.judge_report(unordered, [1, 0])


def test_scores_are_no_labels():
    with pytest.raises(LabelValueError, match=r"0\.7"):
        rat.judge_report(PEOPLE[:2], [0.7, 1.0])


@pytest.mark.parametrize(
    ("human", "says"),
    [
        (["yes", "no", "yes"], "values={'yes': 1, 'no': 0}"),
        (["accepted", "rejected", None], "values={'accepted': 1, ...}"),
        ([0.5, 1, 0], "turn scores into labels"),
    ],
)
def test_the_hint_is_about_what_the_column_holds(human, says):
    with pytest.raises(LabelValueError, match=re.escape(says)) as caught:
        rat.judge_report(human, [1, 0, 1])
    assert "good" not in str(caught.value)


@pytest.mark.parametrize(
    ("human", "judge"), [([], []), ([None], [1]), ([1, 1], [1, 1]), ([0], [0]), ([1], [0])]
)
def test_what_cannot_be_seen_is_undefined_and_may_not_gate(human, judge):
    report = rat.judge_report(human, judge)
    assert report.verdict == "may not"
    assert 0 <= report.probability <= 1
    assert report.notes
    json.dumps(report.to_dict(), allow_nan=False)


def test_a_copy_of_the_people_is_suspected():
    assert any("copy" in note for note in rat.judge_report(FAILS_13, FAILS_13).notes)


def test_the_report_prints_and_renders():
    report = rat.judge_report(
        pd.Series(PEOPLE, name="people"), pd.Series(FAILS_13, name="<b>gpt</b>")
    )
    text, page = str(report), report._repr_html_()
    for shown in ("may gate", "0.77", "0.83", "kappa", "people"):
        assert shown in text
        assert shown in page
    assert "<b>" not in page
    plain = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert plain["verdict"] == "may gate"
    assert plain["kappa"]["value"] == report.kappa.value


def test_gpt_4_on_natural_questions():
    """`openqa_nq301`: people's labels beside GPT-4, counted here by hand."""
    df = rat.datasets.load("openqa_nq301")
    both = df[["T", "T_gpt4"]].dropna()
    report = rat.judge_report("T", "T_gpt4", data=df)
    table = pd.crosstab(both["T"], both["T_gpt4"]).to_numpy()
    assert report.table == tuple(map(tuple, table.tolist()))
    assert report.verdict == "may gate"
    assert rat.judge_report("T", "T_em", data=df).verdict == "may not"
