"""Labels bought on simulated rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.model.simulated_tables import STRATEGIES
from rat_widgets.planning.patterns import label_patterns, patterns
from rat_widgets.planning.purchases import rows_per_part, simulate_counts

QWEN = rat.Theta.from_array((0.2078, 0.4632, 0.0360, 0.4447, 0.6809))
GRADED = rat.GradedTheta(
    levels=("none", "partial", "all"),
    retrieval=(0.2, 0.3, 0.5),
    abstain_given=(0.5, 0.2, 0.1),
    correct_given=(0.1, 0.5, 0.9),
)
BUYING = [name for name in STRATEGIES if name != "judge_only"]
PRICES = {"R": 3, "T": 1}


def rng(seed=0):
    return np.random.default_rng(seed)


@given(st.lists(st.integers(1, 20), min_size=1, max_size=5), st.integers(0, 300))
def test_parts_take_turns_by_their_shares(weights, n):
    shares = tuple(w / sum(weights) for w in weights)
    rows = rows_per_part(np.arange(n + 1), shares)
    assert (rows.sum(axis=1) == np.arange(n + 1)).all()
    assert (np.diff(rows, axis=0) >= 0).all()
    off = abs(rows - np.arange(n + 1)[:, None] * shares)
    assert (off <= 0.5 + len(shares) * np.array(shares) / 2 + 1e-9).all()


def test_halves_begin_with_the_joint_row_as_in_simulate():
    assert rows_per_part(np.array([5]), (0.5, 0.5)).tolist() == [[3, 2]]


@pytest.mark.parametrize("name", STRATEGIES)
@pytest.mark.parametrize("theta", [QWEN, GRADED], ids=["two", "graded"])
def test_rows_show_each_pattern_as_often_as_the_model_says(name, theta):
    """Means of 4,000 tables within 5 standard errors, 5e-7 each; parts of 50 rows are exact."""
    got = simulate_counts(theta, name, n_rows=50, rng=rng(), size=4000)
    expected = patterns(name, theta)
    assert (got.counts.sum(axis=-1) == 50).all()
    error = np.sqrt(50 * expected.probability * (1 - expected.probability) / 4000)
    off = got.counts.mean(axis=0) - 50 * expected.probability
    assert (abs(off) <= 5 * error + 1e-12).all()
    shown = got.counts @ (label_patterns(3 if theta is GRADED else 2) >= 0)
    assert (shown[:, 0] == got.n_r).all()
    assert (shown[:, 2] == got.n_t).all()
    assert (got.cost == got.n_r + got.n_t).all()


def test_counts_are_those_of_simulate():
    """Mean and spread of `t_then_r` counts, 3,000 tables against 400 of the other program."""
    ours = simulate_counts(QWEN, "t_then_r", n_rows=60, rng=rng(), size=3000).counts
    order = {tuple(p): i for i, p in enumerate(label_patterns().tolist())}
    theirs = np.zeros((400, 12))
    for seed in range(400):
        counts = rat.Labels.from_frame(rat.simulate(QWEN, 60, "t_then_r", seed=seed)).counts
        for pattern, n in zip(counts.patterns[:, :3].tolist(), counts.counts[0], strict=True):
            theirs[seed, order[tuple(pattern)]] = n
    error = np.sqrt(ours.var(axis=0) * (1 / 400 + 1 / 3000))
    assert (abs(ours.mean(axis=0) - theirs.mean(axis=0)) <= 4.5 * error).all()


@pytest.mark.parametrize("name", BUYING)
@pytest.mark.parametrize("prices", [{"R": 1, "T": 1}, PRICES, {"R": 0.1, "T": 0.3}], ids=str)
def test_a_budget_is_spent_to_the_last_label_and_never_exceeded(name, prices):
    got = simulate_counts(QWEN, name, budget=90, prices=prices, rng=rng(), size=500)
    assert (got.cost <= 90 * (1 + 1e-9)).all()
    assert (got.cost > 90 * (1 - 1e-9) - max(prices.values())).all()
    assert got.cost == pytest.approx(prices["R"] * got.n_r + prices["T"] * got.n_t)
    assert (got.counts.sum(axis=-1) == got.n_rows).all()
    # Wald: rows x cost per row is the cost, but for the labels of the last row
    per_row = float(patterns(name, QWEN).cost(prices))
    error = got.n_rows.std() * per_row / np.sqrt(500)
    owed = per_row * got.n_rows.mean() - got.cost.mean()
    assert -5 * error <= owed <= sum(prices.values()) + 5 * error


@pytest.mark.parametrize("name", BUYING)
def test_rows_under_a_budget_are_drawn_from_the_model(name):
    """Ratios of expected counts; stopping weighs the last row alone, 1 in 300."""
    got = simulate_counts(QWEN, name, budget=300, prices=PRICES, rng=rng(1), size=3000)
    shares = got.counts.mean(axis=0) / got.n_rows.mean()
    assert shares == pytest.approx(patterns(name, QWEN).probability, abs=0.006)


def test_the_label_that_cannot_be_paid_is_not_bought_and_ends_the_purchase():
    always = rat.Theta(
        retrieval_success=1, abstain_given_miss=0, abstain_given_hit=0,
        correct_given_miss=1, correct_given_hit=1,
    )  # fmt: skip
    got = simulate_counts(always, "all_joint", budget=7, prices=PRICES, rng=rng())
    assert (got.n_r, got.n_t, got.n_rows) == (2, 1, 2)  # 3 + 1 + 3; the last T is due and is dear
    got = simulate_counts(always, "t_then_r", budget=7, prices=PRICES, rng=rng())
    assert (got.n_r, got.n_t, got.n_rows) == (1, 2, 2)  # 1 + 3 + 1, and R costs 3 of the 2 left
    assert got.pattern_counts().patterns.tolist() == [[-1, 0, 1, -1], [1, 0, 1, -1]]


def test_one_table_per_draw_of_theta():
    draws = rng().uniform(0.1, 0.9, size=(3, 2, 5))
    got = simulate_counts(draws, "r_then_t", budget=50, rng=rng())
    assert got.counts.shape == (3, 2, 12)
    assert simulate_counts(draws, "all_r", n_rows=9, rng=rng(), size=4).n_rows.shape == (4, 3, 2)
    sizes = np.array([[1, 2], [3, 4], [5, 6]])
    assert (simulate_counts(draws, "all_r", n_rows=sizes, rng=rng()).n_r == sizes).all()


def test_the_same_seed_buys_the_same():
    def bought(seed):
        return simulate_counts(QWEN, "half_joint_t", budget=40, rng=rng(seed), size=20).counts

    assert (bought(3) == bought(3)).all()
    assert (bought(3) != bought(4)).any()


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({}, "one of `n_rows` and `budget`"),
        ({"n_rows": 5, "budget": 5}, "one of `n_rows` and `budget`"),
        ({"n_rows": -1}, "0 or more"),
        ({"n_rows": 2.5}, "Whole numbers"),
        ({"budget": 0.5}, "price of one label, 1"),
        ({"budget": float("inf")}, "price of one label"),
        ({"budget": "5"}, "A number"),
        ({"budget": 5, "prices": {"R": 0, "T": 1}}, "price of R"),
        ({"budget": 5, "strategy": "judge_only"}, "no budget comes to an end"),
        ({"n_rows": 5, "theta": [0.5, 0.5]}, "Shape"),
        ({"n_rows": 5, "theta": [0.5] * 4 + [1.5]}, "outside"),
        ({"n_rows": 5, "theta": "qwen"}, "array of draws"),
    ],
    ids=str,
)
def test_what_cannot_be_simulated_is_refused(keywords, words):
    arguments = {"theta": QWEN, "strategy": "all_joint", **keywords}
    theta, strategy = arguments.pop("theta"), arguments.pop("strategy")
    with pytest.raises((ArgumentError, ArgumentTypeError), match=words):
        simulate_counts(theta, strategy, rng=rng(), **arguments)
