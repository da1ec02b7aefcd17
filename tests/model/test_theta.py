"""Theta and simulated tables."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.judges import Judge
from rat_widgets.model.simulated_tables import STRATEGIES, simulate
from rat_widgets.model.theta import Theta
from rat_widgets.model.worlds import PARAMETERS, WORLDS

QWEN = Theta.from_array([0.2078, 0.4632, 0.0360, 0.4447, 0.6809])
APERTUS = Theta.from_array([0.2072, 0.0390, 0.0050, 0.2585, 0.5157])

thetas = st.lists(st.floats(0, 1), min_size=5, max_size=5)


@given(thetas)
def test_theta_keeps_its_five_probabilities_in_order(values):
    theta = Theta.from_array(values)
    assert [getattr(theta, name) for name in PARAMETERS] == values
    assert Theta.from_array(theta.as_array()) == theta


@given(thetas)
def test_every_query_is_in_exactly_one_world(values):
    worlds = Theta.from_array(values).worlds()
    assert tuple(worlds) == WORLDS
    assert sum(worlds.values()) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_probability_outside_0_and_1_is_an_error_that_names_it(value):
    with pytest.raises(ArgumentError, match="abstain_given_hit"):
        Theta.from_array([0.5, 0.5, value, 0.5, 0.5])


def test_a_number_that_no_float_holds_is_not_a_probability():
    with pytest.raises(ArgumentError, match="abstain_given_hit"):
        Theta(
            retrieval_success=0.5,
            abstain_given_miss=0.5,
            abstain_given_hit=10**400,
            correct_given_miss=0.5,
            correct_given_hit=0.5,
        )


def test_text_is_not_a_probability():
    with pytest.raises(ArgumentTypeError, match="retrieval_success"):
        Theta(
            retrieval_success="often",
            abstain_given_miss=0,
            abstain_given_hit=0,
            correct_given_miss=0,
            correct_given_hit=0,
        )


def test_the_same_seed_gives_the_same_table():
    first, again, other = (simulate(QWEN, 200, "half_joint_r", seed=s) for s in (7, 7, 8))
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)


@given(st.sampled_from(STRATEGIES), st.integers(0, 40), st.integers(0, 10))
def test_a_strategy_hides_labels_and_changes_none(strategy, n, n0):
    every = simulate(QWEN, n, "all_joint", n0=n0, seed=3)
    some = simulate(QWEN, n, strategy, n0=n0, seed=3)
    assert len(some) == n0 + n
    assert some["A"].notna().all()
    assert some["T"][some["A"] == 1].isna().all()
    for column in "RAT":
        seen = some[column].notna()
        assert (some[column][seen] == every[column][seen]).all()
    assert some.iloc[:n0].equals(every.iloc[:n0])


@pytest.mark.parametrize(
    ("strategy", "sees_r", "sees_t"),
    [
        ("all_joint", lambda t: t["R"] >= 0, lambda t: t["A"] == 0),
        ("all_r", lambda t: t["R"] >= 0, lambda t: t["R"] < 0),
        ("all_t", lambda t: t["R"] < 0, lambda t: t["A"] == 0),
        ("half_joint_r", lambda t: t["R"] >= 0, lambda t: (t["A"] == 0) & (t.index < 20)),
        ("half_joint_t", lambda t: t.index < 20, lambda t: t["A"] == 0),
        ("r_then_t", lambda t: t["R"] >= 0, lambda t: (t["R"] == 1) & (t["A"] == 0)),
        ("t_then_r", lambda t: (t["A"] == 1) | (t["T"] == 1), lambda t: t["A"] == 0),
        ("judge_only", lambda t: t["R"] < 0, lambda t: t["R"] < 0),
    ],
)
def test_each_strategy_shows_the_labels_it_buys(strategy, sees_r, sees_t):
    truth = simulate(QWEN, 39, "all_joint", seed=1).astype("Float64").fillna(-1)
    table = simulate(QWEN, 39, strategy, seed=1)
    np.testing.assert_array_equal(table["R"].notna(), sees_r(truth))
    np.testing.assert_array_equal(table["T"].notna(), sees_t(truth))


# Labels per row at prices 1:1, by strategy: the published table of costs and savings.
@pytest.mark.parametrize(
    ("theta", "strategy", "cost"),
    [
        (QWEN, "all_joint", 1.63),
        (QWEN, "r_then_t", 1.63 * (1 - 0.26)),
        (QWEN, "t_then_r", 1.63 * (1 - 0.18)),
        (APERTUS, "all_joint", 1.97),
        (APERTUS, "r_then_t", 1.97 * (1 - 0.39)),
        (APERTUS, "t_then_r", 1.97 * (1 - 0.34)),
    ],
)
def test_labels_bought_per_row_match_the_published_costs(theta, strategy, cost):
    table = simulate(theta, 40_000, strategy, seed=2)
    bought = table[["R", "T"]].notna().sum(axis=1)
    # Five standard errors, and the rounding of the two published figures.
    assert bought.mean() == pytest.approx(cost, abs=5 * bought.std() / 200 + 0.005 + 0.01)


def test_worlds_come_as_often_as_theta_says():
    n = 20_000
    table = simulate(QWEN, n, seed=4).astype("Float64").fillna(-1)
    counts = table.groupby(["R", "A", "T"]).size()
    keys = [(0, 1, -1), (1, 1, -1), (0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1)]
    for key, p in zip(keys, QWEN.worlds().values(), strict=True):
        assert counts[key] / n == pytest.approx(p, abs=4.5 * np.sqrt(p * (1 - p) / n))


def test_judges_err_at_their_rates_and_judge_no_missing_answer():
    rates = {
        "jR": {"of": "retrieval", "tpr": 0.95, "fpr": 0.5},
        "jT": {"of": "task", "tpr": 0.9, "fpr": 0.2},
        "jA": {"of": "abstention", "tpr": 0.8, "fpr": 0.1},
    }
    table = simulate(QWEN, 20_000, judges=rates, seed=5)
    for column, truth in (("jR", "R"), ("jT", "T"), ("jA", "A")):
        for value, rate in ((1, "tpr"), (0, "fpr")):
            verdicts = table[column][table[truth] == value]
            p = rates[column][rate]
            assert verdicts.mean() == pytest.approx(
                p, abs=4.5 * np.sqrt(p * (1 - p) / len(verdicts))
            )
    assert table["jT"][table["A"] == 1].isna().all()
    assert table["jR"].notna().all()


def test_a_judge_can_be_given_as_a_judge():
    named = simulate(QWEN, 50, judges=[(Judge("jR", of="retrieval"), 0.9, 0.3)], seed=6)
    spelled = simulate(QWEN, 50, judges={"jR": {"of": "retrieval", "tpr": 0.9, "fpr": 0.3}}, seed=6)
    pd.testing.assert_frame_equal(named, spelled)


@pytest.mark.parametrize(
    ("arguments", "match"),
    [
        ({"n": -1}, "`n` is -1"),
        ({"n": 2, "strategy": "all"}, "all_joint"),
        ({"n": 2, "judges": {"j": {"of": "retrieval"}}}, "'tpr'"),
        ({"n": 2, "judges": {"j": {"of": "mood", "tpr": 0.5, "fpr": 0.5}}}, "mood"),
        ({"n": 2, "judges": {"R": {"of": "task", "tpr": 0.5, "fpr": 0.5}}}, "called 'R'"),
        ({"n": 2, "judges": {"j": {"of": "task", "tpr": 1.5, "fpr": 0.5}}}, r"tpr\[j\]"),
        ({"n": 2, "judges": ["jR"]}, "Triples"),
    ],
)
def test_arguments_that_make_no_table_are_errors(arguments, match):
    with pytest.raises(ArgumentError, match=match):
        simulate(QWEN, **arguments)


def test_an_empty_table_has_its_columns():
    table = simulate(QWEN, 0)
    assert list(table.columns) == ["R", "A", "T"]
    assert len(table) == 0
