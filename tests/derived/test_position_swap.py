"""Verdicts on pairs in both orders."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, ArgumentTypeError, LabelValueError

words = st.sampled_from(["first", "second", "tie"])
pairs = st.lists(st.tuples(words, words), min_size=1, max_size=40)
TURNED = {"first": "second", "second": "first", "tie": "tie"}
SHARES = ("consistent", "follows_first", "follows_second", "one_tie")


def swap(rows):
    return rat.position_swap([one for one, _ in rows], [other for _, other in rows])


@settings(max_examples=30)
@given(pairs)
def test_exchanging_the_two_orders_changes_only_which_answer_wins(rows):
    one, other = swap(rows), swap([(b, a) for a, b in rows])
    for name in SHARES:
        assert getattr(one, name) == getattr(other, name)
    assert one.lean.value == pytest.approx(other.lean.value)
    if one.wins.value is not None:
        assert one.wins.value == pytest.approx(1 - other.wins.value)


@settings(max_examples=30)
@given(pairs)
def test_turning_every_verdict_round_exchanges_the_places(rows):
    one, other = swap(rows), swap([(TURNED[a], TURNED[b]) for a, b in rows])
    assert one.follows_first == other.follows_second
    assert one.consistent == other.consistent
    assert one.lean.value == pytest.approx(-other.lean.value)
    assert one.p_first == pytest.approx(1 - other.p_first, abs=0.03)  # 20,000 draws, ties


@settings(max_examples=30)
@given(pairs)
def test_the_shares_add_up(rows):
    report = swap(rows)
    assert sum(getattr(report, name).value for name in SHARES) == pytest.approx(1)
    slots = [word for row in rows for word in row]
    lean = (slots.count("first") - slots.count("second")) / len(slots)
    assert report.lean.value == pytest.approx(lean)


def test_a_judge_of_answers_is_consistent_and_a_judge_of_places_is_not():
    answers = swap([("first", "second"), ("second", "first"), ("tie", "tie")] * 20)
    assert answers.consistent.value == 1
    assert answers.lean.value == 0
    places = swap([("first", "first")] * 60)
    assert places.consistent.value == 0
    assert (places.follows_first.value, places.lean.value) == (1, 1)
    assert places.p_first > 0.99
    assert any("first place pulls" in note for note in places.notes)
    assert any("does not look" in note for note in places.notes)


def test_shares_have_jeffreys_intervals():
    report = swap([("first", "second")] * 7 + [("first", "first")] * 3)
    expected = stats.beta(7.5, 3.5).ppf([0.025, 0.975])
    assert (report.consistent.lower, report.consistent.upper) == pytest.approx(tuple(expected))


def test_the_interval_of_the_lean_covers():
    """200 tables of 80 pairs at 95%: fewer than 179 has probability 0.001."""
    rng = np.random.default_rng(2)
    cells = np.array([0.18, 0.3, 0.04, 0.25, 0.08, 0.03, 0.04, 0.02, 0.06])
    true = cells @ (np.add.outer([1, -1, 0], [1, -1, 0]).ravel() / 2)
    names = np.array(["first", "second", "tie"])
    covered = 0
    for _ in range(200):
        drawn = rng.choice(9, size=80, p=cells)
        lean = rat.position_swap(names[drawn // 3], names[drawn % 3]).lean
        covered += lean.lower <= true <= lean.upper
    assert covered >= 179


def test_other_words_and_missing_verdicts():
    frame = pd.DataFrame({"one": ["A", "B", None, "C"], "two": ["B", "B", "A", None]})
    values = {"A": "first", "B": "second", "C": "tie"}
    report = rat.position_swap("one", "two", data=frame, values=values)
    assert (report.n, report.n_missing) == (2, 2)
    assert report.table == ((0, 1, 0), (0, 1, 0), (0, 0, 0))
    assert report.to_frame().loc["second", "second"] == 1
    assert report.to_frame().index.name == "one"


def test_bad_input_is_refused():
    with pytest.raises(LabelValueError, match="'A'"):
        rat.position_swap(["A"], ["first"])
    with pytest.raises(ArgumentError, match="reads as 'left'"):
        rat.position_swap(["A"], ["first"], values={"A": "left"})
    with pytest.raises(ArgumentError, match="reads as"):
        rat.position_swap(["A"], ["first"], values={"A": ["first"]})
    with pytest.raises(ArgumentTypeError, match="values"):
        rat.position_swap(["A"], ["first"], values="A")
    with pytest.raises(ArgumentError, match="No pair has both"):
        rat.position_swap(["tie", None], [None, "first"])
    with pytest.raises(ArgumentError, match="1 rows and `swapped` has 2"):
        rat.position_swap(["tie"], ["tie", "first"])
    with pytest.raises(LabelValueError, match="1"):
        rat.position_swap([1], [0])


def test_the_report_prints_and_renders():
    report = swap([("first", "second")] * 7 + [("first", "first")] * 3)
    for text in (str(report), repr(report), report._repr_html_()):
        assert "70% of pairs" in text
        assert "swapped: tie" in text
    json.dumps(report.to_dict(), allow_nan=False)
