"""Bits about G."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.planning.rules import Rule
from rat_widgets.planning.strategies import Strategy

inside = st.floats(0.02, 0.98)
thetas = st.lists(inside, min_size=5, max_size=5).map(np.array)
flags = st.booleans()
rules = st.builds(Rule, flags, st.sampled_from(["R", "T"]), st.tuples(flags, flags))
VERDICTS = {
    "jR": {"of": "retrieval", "tpr": 0.95, "fpr": 0.5},
    "jT": {"of": "task", "tpr": 0.9, "fpr": 0.2},
}

# The paper's appendix F, as STATS.md section 5 has it.
TABLE = {
    "qwen": {"all_joint": 0.526, "all_r": 0.345, "all_t": 0.154,
             "half_joint_r": 0.436, "half_joint_t": 0.340},
    "apertus": {"all_joint": 0.490, "all_r": 0.284, "all_t": 0.200,
                "half_joint_r": 0.387, "half_joint_t": 0.345},
}  # fmt: skip


@pytest.mark.parametrize("name", TABLE)
def test_bits_are_those_of_the_paper(points, name):
    bits = rat.information(points[name])["bits"]
    for strategy, expected in TABLE[name].items():
        assert bits[strategy] == pytest.approx(expected, abs=0.003)
    assert bits["r_then_t"] == pytest.approx(bits["all_joint"])  # G is resolved on every row
    assert bits["t_then_r"] == pytest.approx(bits["all_joint"])
    assert bits["judge_only"] == 0


def test_bits_are_the_entropy_that_a_simulated_table_loses(qwen):
    """By counting 400,000 rows; entropies are off by about (cells - 1) / 2n and 0.002."""
    frame = rat.simulate(qwen, 400_000, "t_then_r", seed=2)
    full = rat.simulate(qwen, 400_000, "all_joint", seed=2).fillna(0)
    good = np.where(full["A"] == 1, full["R"] == 0, (full["R"] == 1) & (full["T"] == 1))

    def entropy(columns):
        shares = (
            frame[columns].fillna(-1).assign(G=good).groupby(columns)["G"].agg(["mean", "size"])
        )
        p = np.clip(shares["mean"].to_numpy(float), 1e-12, 1 - 1e-12)
        h = -(p * np.log2(p) + (1 - p) * np.log2(1 - p))
        return float((h * shares["size"]).sum() / len(frame))

    lost = entropy(["A"]) - entropy(["R", "A", "T"])
    assert rat.information(qwen).loc["t_then_r", "bits"] == pytest.approx(lost, abs=0.004)


@given(thetas, rules)
def test_no_rule_tells_more_than_joint_labels_or_less_than_nothing(theta, rule):
    mine = Strategy("mine", ((1.0, rule),))
    bits = rat.information(theta, strategies=[mine, "all_joint"])["bits"]
    assert 0 <= bits["mine"] <= bits["all_joint"] + 1e-12


@given(thetas)
def test_a_mixture_tells_the_mean_of_its_parts(theta):
    mixed = {"mixed": {"all_r": 0.3, "t_then_r": 0.7}, "all_r": "all_r", "t_then_r": "t_then_r"}
    bits = rat.information(theta, strategies=mixed)["bits"]
    assert bits["mixed"] == pytest.approx(0.3 * bits["all_r"] + 0.7 * bits["t_then_r"])


@given(thetas)
def test_where_g_is_t_labels_of_t_tell_all(theta):
    bits = rat.information(theta, policy="task_success")["bits"]
    assert bits["all_t"] == pytest.approx(bits["all_joint"])


@given(thetas, st.lists(st.floats(0, 1), min_size=4, max_size=4))
def test_verdicts_tell_at_most_what_the_labels_would(theta, rates):
    judges = {
        "jR": {"of": "retrieval", "tpr": rates[0], "fpr": rates[1]},
        "jT": {"of": "task", "tpr": rates[2], "fpr": rates[3]},
    }
    point = rat.Theta.from_array(theta)
    bits = rat.information(point, judges=judges)["bits"]
    assert 0 <= bits["judge_only"] <= bits["all_joint"] + 1e-12
    one = rat.information(point, judges={"jR": judges["jR"]})["bits"]
    assert one["judge_only"] <= bits["all_r"] + 1e-12


def test_perfect_verdicts_are_labels_and_coins_are_nothing(qwen):
    def told(judges):
        return rat.information(qwen, judges=judges)["bits"]

    perfect = {k: {**v, "tpr": 1, "fpr": 0} for k, v in VERDICTS.items()}
    bits = told(perfect)
    assert bits["judge_only"] == pytest.approx(bits["all_joint"])
    assert told({"jR": perfect["jR"]})["judge_only"] == pytest.approx(bits["all_r"])
    assert told({"jT": perfect["jT"]})["judge_only"] == pytest.approx(bits["all_t"])
    coins = {k: {**v, "tpr": 0.5, "fpr": 0.5} for k, v in VERDICTS.items()}
    assert told(coins)["judge_only"] == pytest.approx(0, abs=1e-12)


def test_bits_per_cost_count_the_labels_that_are_bought(qwen):
    table = rat.information(qwen, prices={"R": 3, "T": 1})
    cost = table["bits"] / table["bits_per_cost"]
    assert cost["all_joint"] == pytest.approx(3.63, abs=0.005)  # STATS.md, section 7
    assert cost["t_then_r"] == pytest.approx(3.63 * 0.75, abs=0.02)
    assert np.isnan(table.loc["judge_only", "bits_per_cost"])
    priced = [(rat.Judge("jR", of="retrieval", cost=0.02), 0.95, 0.5)]
    told = rat.information(qwen, judges=priced).loc["judge_only"]
    assert told["bits_per_cost"] == pytest.approx(told["bits"] / 0.02)


def test_of_a_posterior_the_bits_are_averaged_over_draws(qwen):
    frame = rat.simulate(qwen, 300, seed=1)
    post = rat.fit(frame, seed=1)
    table = rat.information(post)
    assert list(table.columns) == ["bits", "bits_per_cost", "lower", "upper"]
    draws = post.theta.reshape(-1, 5)
    each = [rat.information(row, strategies="all_r")["bits"].iloc[0] for row in draws[:200]]
    some = rat.information(draws[:200], strategies="all_r").loc["all_r"]
    assert some["bits"] == pytest.approx(np.mean(each))
    assert some["lower"] == pytest.approx(np.quantile(each, 0.025))
    assert (table["lower"] <= table["bits"]).all()
    assert (table["bits"] <= table["upper"]).all()
    # 300 joint rows: the truth is inside, and the mean within four posterior sds of it
    assert table.loc["all_joint", "lower"] < 0.526 < table.loc["all_joint", "upper"]
    narrow = rat.information(post, ci_prob=0.5)
    assert (narrow["upper"] - narrow["lower"] <= table["upper"] - table["lower"]).all()


def test_frames_and_groups_are_fitted_first(qwen):
    frame = rat.simulate(qwen, 200, seed=3).assign(system=["a", "b"] * 100)
    alone = rat.information(frame.drop(columns="system"), seed=4)
    assert alone.equals(rat.information(rat.fit(frame.drop(columns="system"), seed=4)))
    groups = rat.information(frame, by="system", strategies=["all_r", "all_t"])
    assert groups.index.names == ["system", "strategy"]
    assert groups.loc["a"].equals(
        rat.information(rat.fit(frame, by="system").sel(system="a"), strategies=["all_r", "all_t"])
    )


def test_a_posterior_knows_the_rates_of_its_judges(apertus):
    frame = rat.simulate(apertus, 3000, "judge_only", n0=2000, judges=VERDICTS, seed=5)
    judges = [rat.Judge("jR", of="retrieval"), rat.Judge("jT", of="task")]
    told = rat.information(frame, judges=judges).loc["judge_only"]
    truth = rat.information(apertus, judges=VERDICTS).loc["judge_only", "bits"]
    assert told["lower"] < truth < told["upper"]


def test_a_verdict_that_may_be_unsure_tells_by_that_too(apertus):
    frame = rat.simulate(apertus, 1500, n0=0, judges={"jR": VERDICTS["jR"]}, seed=6)
    unsure = np.random.default_rng(6).random(len(frame)) < np.where(frame["R"] == 1, 0.1, 0.6)
    frame["jR"] = frame["jR"].astype(object).where(~unsure, "unsure")
    doubtful = rat.Judge("jR", of="retrieval", unknown="unsure")
    told = rat.information(frame, judges=[doubtful]).loc["judge_only", "bits"]
    frame["jR"] = frame["jR"].where(~unsure, None)
    assert told > rat.information(frame, judges=[rat.Judge("jR", of="retrieval")]).loc[
        "judge_only", "bits"
    ] + 0.05  # fmt: skip


def test_graded_retrieval_has_bits(graded):
    bits = rat.information(graded)["bits"]
    assert bits["r_then_t"] < bits["all_joint"] + 1e-12
    assert 0 < bits["all_t"] < bits["all_joint"]


def test_policies_that_are_not_yes_or_no_are_refused(qwen):
    with pytest.raises(ArgumentError, match="weights other than 0 and 1"):
        rat.information(qwen, policy={"hit_right": 1, "miss_right": 0.5})


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"prices": {"R": -1, "T": 1}}, "price of R"),
        ({"strategies": "joint"}, "all_joint"),
        ({"ci_prob": 95}, "did you mean 0.95"),
        ({"policy": "adherent"}, "Presets are"),
        ({"seed": 1}, "no keyword 'seed'"),
        ({"judges": {"jR": {"of": "retrieval"}}}, "'tpr'"),
    ],
)
def test_what_is_not_accepted_is_said(qwen, keywords, words):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=words):
        rat.information(qwen, **keywords)
