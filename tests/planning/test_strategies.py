"""Strategies: values that say which label is bought next."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.model.simulated_tables import STRATEGIES
from rat_widgets.planning.patterns import Prices, label_patterns, patterns
from rat_widgets.planning.strategies import (
    NAMED,
    Rule,
    Strategy,
    read_strategies,
    read_strategy,
)

QWEN = rat.Theta.from_array((0.2078, 0.4632, 0.0360, 0.4447, 0.6809))
APERTUS = rat.Theta.from_array((0.2072, 0.0390, 0.0050, 0.2585, 0.5157))
GRADED = rat.GradedTheta(
    levels=("none", "partial", "all"),
    retrieval=(0.2, 0.3, 0.5),
    abstain_given=(0.5, 0.2, 0.1),
    correct_given=(0.1, 0.5, 0.9),
)
flags = st.booleans()
rules = st.builds(Rule, flags, st.sampled_from(["R", "T", None]), st.tuples(flags, flags))
shares = st.lists(st.integers(1, 9), min_size=1, max_size=4)
inside = st.floats(0.02, 0.98)


@st.composite
def mixtures(draw):
    weights = draw(shares)
    chosen = draw(st.lists(rules, min_size=len(weights), max_size=len(weights)))
    return Strategy("any", tuple((w / sum(weights), r) for w, r in zip(weights, chosen)))


@given(rules)
def test_a_rule_is_what_its_own_function_says(rule):
    assert Rule.from_function(rule.next_label) == rule


@given(mixtures())
def test_json_keeps_a_strategy_as_an_equal_value(strategy):
    again = Strategy.from_json(strategy.to_json())
    assert again == strategy
    assert hash(again) == hash(strategy)
    assert Strategy.from_json(json.dumps(json.loads(strategy.to_json()))) == strategy


def walked(rule: Rule, row: dict[str, int]) -> tuple[int, int, int]:
    """What a row shows when labels are bought one by one until the rule stops."""
    seen = {"A": row["A"]}
    while (label := rule.next_label(seen)) is not None:
        seen[label] = row[label]
    return seen.get("R", -1), seen["A"], seen.get("T", -1)


@pytest.mark.parametrize("name", [s for s in STRATEGIES if not s.startswith("half")])
def test_named_rules_show_what_simulate_shows(name):
    """Another implementation: the same seed draws the same rows, of which `simulate` hides some."""
    complete = rat.simulate(QWEN, 400, "all_joint", seed=4)
    shown = rat.simulate(QWEN, 400, name, seed=4)
    rule = NAMED[name].parts[0][1]
    found = [
        walked(rule, {"R": r, "A": a, "T": t})
        for r, a, t in complete.fillna(-1).astype(int).itertuples(index=False)
    ]
    assert found == [tuple(row) for row in shown.fillna(-1).astype(int).to_numpy().tolist()]


@given(rules)
def test_the_table_of_a_rule_is_what_buying_one_by_one_gives(rule):
    from rat_widgets.model.worlds import worlds_of
    from rat_widgets.planning.patterns import RuleTable

    tree, table = worlds_of(), RuleTable.of(rule, worlds_of())
    for w in range(len(tree.names)):
        row = {"R": int(tree.level[w]), "A": int(tree.abstained[w]), "T": int(tree.right[w])}
        pattern = walked(rule, row)
        assert tuple(label_patterns()[table.pattern[w]].tolist()) == pattern
        assert (table.n_r[w], table.n_t[w]) == (pattern[0] >= 0, pattern[2] >= 0)


def test_a_function_is_a_strategy_and_has_the_name_of_the_one_that_does_the_same():
    def both(seen):
        return "R" if "R" not in seen else "T" if "T" not in seen else None

    def lucky(seen):
        if "T" not in seen:
            return "T"
        return "R" if seen["T"] == 1 and "R" not in seen else None

    assert read_strategy(both) is NAMED["all_joint"]
    mine = read_strategy(lucky)
    assert mine.name == "lucky"
    assert repr(mine) == "Strategy('lucky', A=1: nothing; A=0: T, then R where T=1)"
    assert Strategy.from_function(both, name="b").name == "b"


def test_mixtures_are_shares_of_rows_by_their_rules():
    half = Strategy.mix({"all_joint": 0.5, "all_r": 0.5})
    assert half is NAMED["half_joint_r"]
    nested = Strategy.mix({half: 0.5, "all_r": 0.5})
    assert {rule.text(): share for share, rule in nested.parts} == {
        "A=1: R; A=0: R and T": 0.25,
        "A=1: R; A=0: R": 0.75,
    }
    assert nested.name == "50% half_joint_r + 50% all_r"
    thirds = Strategy.mix({"all_joint": 0.333, "all_r": 0.333, "all_t": 0.333})
    assert sum(share for share, _ in thirds.parts) == pytest.approx(1)


@given(mixtures(), st.lists(inside, min_size=5, max_size=5))
def test_patterns_are_a_distribution_and_count_the_labels(strategy, theta):
    row = patterns(strategy, np.array(theta))
    assert row.probability.sum() == pytest.approx(1)
    assert (row.probability >= 0).all()
    assert row.n_r == pytest.approx(row.probability[row.patterns[:, 0] >= 0].sum())
    assert row.n_t == pytest.approx(row.probability[row.patterns[:, 2] >= 0].sum())
    assert row.cost({"R": 3, "T": 2}) == pytest.approx(3 * row.n_r + 2 * row.n_t)


def test_patterns_take_draws_and_graded_retrieval():
    draws = np.random.default_rng(0).uniform(size=(4, 7, 5))
    row = patterns("t_then_r", draws)
    assert row.probability.shape == (4, 7, 12)
    alone = patterns("t_then_r", draws[2, 3])
    assert row.probability[2, 3] == pytest.approx(alone.probability)
    graded = patterns("r_then_t", GRADED)
    assert graded.n_r == pytest.approx(1)
    assert graded.n_t == pytest.approx(0.5 * 0.9)  # answers at the top level


# STATS.md, section 7: cost per row of all_joint, and what the sequential ones save.
COSTS = {
    (QWEN, 1, 1): (1.63, 26, 18),
    (QWEN, 3, 1): (3.63, 12, 25),
    (QWEN, 1, 3): (2.88, 44, 10),
    (APERTUS, 1, 1): (1.97, 39, 34),
    (APERTUS, 3, 1): (3.97, 19, 50),
    (APERTUS, 1, 3): (3.90, 59, 17),
}


@pytest.mark.parametrize(("theta", "r", "t"), COSTS)
def test_costs_and_savings_of_sequential_labelling(theta, r, t):
    cost = {
        s: float(patterns(s, theta).cost({"R": r, "T": t}))
        for s in ("all_joint", "r_then_t", "t_then_r")
    }
    saved = [100 * (1 - cost[s] / cost["all_joint"]) for s in ("r_then_t", "t_then_r")]
    joint, *expected = COSTS[theta, r, t]
    assert cost["all_joint"] == pytest.approx(joint, abs=0.005)
    assert [round(s) for s in saved] == expected


def test_read_strategies_keeps_order_and_names():
    assert list(read_strategies(None)) == list(STRATEGIES)
    assert list(read_strategies("all_t")) == ["all_t"]
    assert list(read_strategies(["all_t", {"all_r": 0.5, "all_t": 0.5}])) == [
        "all_t",
        "50% all_r + 50% all_t",
    ]
    mine = read_strategies({"mine": "all_t", "other": {"all_r": 0.5, "all_t": 0.5}})
    assert mine["mine"].name == "mine"
    assert mine["mine"].parts == NAMED["all_t"].parts


@pytest.mark.parametrize(
    ("spec", "error", "words"),
    [
        ("joint", ArgumentError, "all_joint, all_r"),
        (7, ArgumentTypeError, "shares by name"),
        ({"all_r": 0.5, "all_t": 0.3}, ArgumentError, "sum to 0.8"),
        ({"all_r": 1.5, "all_t": -0.5}, ArgumentError, "From 0 to 1"),
        ({"all_r": True}, ArgumentTypeError, "A number"),
        ({}, ArgumentTypeError, "shares of the rows"),
        (lambda seen: "A", ArgumentTypeError, "gave 'A' where"),
        (lambda seen: "R", ArgumentError, "asks for R where"),
        (lambda seen: "T" if seen["R"] else None, ArgumentError, r'ask `seen.get\("R"\)`'),
    ],
)
def test_what_is_no_strategy_is_refused(spec, error, words):
    with pytest.raises(error, match=words):
        read_strategy(spec)


def test_two_strategies_of_one_name_are_refused():
    with pytest.raises(ArgumentError, match="Two strategies are called 'all_r'"):
        read_strategies(["all_r", "all_r"])
    with pytest.raises(ArgumentError, match="empty"):
        read_strategies([])


@pytest.mark.parametrize("text", ["{", "[]", '{"kind": "strategy", "version": 1}', '"all_r"'])
def test_json_of_something_else_is_refused(text):
    with pytest.raises((ArgumentError, ArgumentTypeError)):
        Strategy.from_json(text)


@pytest.mark.parametrize(
    ("prices", "words"),
    [
        ({"R": 0, "T": 1}, "price of R is 0"),
        ({"R": 1, "T": -2}, "price of T is -2"),
        ({"R": 1, "T": float("nan")}, "price of T is nan"),
        ({"R": 1, "T": float("inf")}, "price of T is inf"),
        ({"R": 1}, "no price of 'T'"),
        ({"R": 1, "T": 1, "joint": 1}, "unknown label 'joint'"),
        ({"R": "1", "T": 1}, "price of R is '1'"),
        ([1, 1], "mapping"),
    ],
)
def test_prices_are_positive_numbers_of_r_and_t(prices, words):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=words):
        Prices.of(prices)
