"""How likely a purchase is to settle a decision."""

from __future__ import annotations

import numpy as np
import pytest

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.planning.assurance import _differences, _monotone
from rat_widgets.planning.purchases import simulate_counts

G = "policy_adherence"


def adherence(theta):
    """P(G=1) at a point."""
    r, a_miss, a_hit, _, t_hit = theta.as_array()
    return (1 - r) * a_miss + r * (1 - a_hit) * t_hit


def exact_draws(theta, strategy, budget, n, *, n0, rng):
    """Posterior draws of P(G) after each of `n` simulated purchases, each fitted on its own."""
    start = simulate_counts(theta, "all_joint", n_rows=n0, rng=rng, size=n)
    more = simulate_counts(theta, strategy, budget=budget, rng=rng, size=n)
    return np.array(
        [
            rat.fit(start.pattern_counts(i) + more.pattern_counts(i), draws=4000)[G].ravel()
            for i in range(n)
        ]
    )


@pytest.mark.parametrize("strategy", ["r_then_t", "all_t"])
def test_a_claim_is_confirmed_as_often_as_direct_simulation_says(qwen, strategy):
    """150 purchases fitted one by one with exact draws: a Monte Carlo error of 0.04."""
    line = adherence(qwen) - 0.06
    draws = exact_draws(qwen, strategy, 150, 150, n0=60, rng=np.random.default_rng(4))
    direct = (draws > line).mean(axis=1) >= 0.9
    found = rat.assurance(
        qwen, above=line, level=0.9, strategy=strategy, budgets=150, n0=60, replications=1000
    ).outcomes[0]
    error = np.hypot(found.assurance_mcse, np.sqrt(0.25 / 150))
    assert 0.2 < found.assurance < 0.9
    assert found.assurance == pytest.approx(direct.mean(), abs=2.6 * error)


def test_a_difference_is_confirmed_as_often_as_direct_simulation_says(qwen, apertus):
    rng = np.random.default_rng(8)
    first = exact_draws(qwen, "all_joint", 60, 150, n0=10, rng=rng)
    second = exact_draws(apertus, "all_joint", 60, 150, n0=10, rng=rng)
    direct = (first - second > 0.15).mean(axis=1) >= 0.9
    found = rat.assurance(
        qwen, against=apertus, above=0.15, level=0.9, strategy="all_joint", budgets=60, n0=10,
        replications=1000,
    ).outcomes[0]  # fmt: skip
    error = np.hypot(found.assurance_mcse, np.sqrt(0.25 / 150))
    assert 0.2 < found.assurance < 0.95
    assert found.assurance == pytest.approx(direct.mean(), abs=2.6 * error)


def test_quantiles_of_a_difference_are_those_of_two_normals():
    from scipy.special import ndtri

    middles = ndtri((np.arange(256) + 0.5) / 256)
    ends = _differences(3 * middles[None], (1 + 4 * middles)[None], np.array([0.05, 0.5, 0.95]))
    # 256 quantiles leave out a little of the tails: 0.4% of the spread
    assert ends[:, 0] == pytest.approx([-1 - 5 * 1.645, -1, -1 + 5 * 1.645], abs=0.05)


def test_a_large_budget_confirms_what_is_true(qwen):
    """From a posterior: the assurance gets to the probability that the claim is true."""
    post = rat.fit(rat.simulate(qwen, 60, seed=2))
    line = float(np.quantile(post[G], 0.35))
    made = rat.assurance(post, above=line, budgets=[200_000], replications=1000)
    one = made.outcomes[0]
    assert made.limit == made.now == pytest.approx(0.65, abs=0.01)
    # where the truth is within a width of the line nothing is settled yet
    assert one.assurance == pytest.approx(made.limit, abs=3 * one.assurance_mcse)
    assert one.refuted == pytest.approx(1 - made.limit, abs=3 * one.refuted_mcse)
    assert one.settled == pytest.approx(one.assurance + one.refuted)
    assert one.settled > 0.97


def test_more_labels_never_assure_less(qwen):
    made = rat.assurance(qwen, above=0.45, budgets=[30, 100, 300, 1000, 3000])
    found = made.table()["assurance"]
    assert (np.diff(found) > -3 * np.hypot(*[made.table()["assurance_mcse"].max()] * 2)).all()
    assert found.iloc[-1] > 0.99
    assert (np.diff(made.table()["detectable"]) < 0).all()


def test_the_optimal_design_assures_more_than_labelling_everything(qwen):
    line = adherence(qwen) - 0.05
    shares = {
        strategy: rat.assurance(qwen, above=line, budgets=300, strategy=strategy).outcomes[0]
        for strategy in ("optimal", "all_joint")
    }
    gap = shares["optimal"].assurance - shares["all_joint"].assurance
    assert gap > 3 * shares["optimal"].assurance_mcse
    same = rat.assurance(
        qwen, above=line, budgets=300, strategy=rat.optimal_design(qwen, already=100, budget=300)
    )
    assert same.outcomes[0] == shares["optimal"]


def test_a_truth_at_the_detectable_distance_is_confirmed_as_often_as_asked(qwen):
    far = rat.assurance(qwen, above=0.3, budgets=400, replications=1000, seed=1)
    line = adherence(qwen) - far.outcomes[0].detectable
    again = rat.assurance(qwen, above=line, budgets=400, replications=1000, seed=2).outcomes[0]
    assert again.assurance == pytest.approx(0.8, abs=4 * again.assurance_mcse)


def test_the_smallest_budget_does_what_is_asked(qwen):
    made = rat.assurance(qwen, above=0.45)
    assert made.smallest_budget == made.smallest_budget_settled  # nothing refutes a truth
    assert 0 < made.smallest_budget_mcse < 0.2 * made.smallest_budget
    again = rat.assurance(
        qwen, above=0.45, budgets=made.smallest_budget, replications=1000, seed=9
    ).outcomes[0]
    assert again.assurance == pytest.approx(0.8, abs=0.06)
    dear = rat.assurance(qwen, above=0.45, prices={"R": 2, "T": 2})
    assert dear.smallest_budget == pytest.approx(2 * made.smallest_budget, rel=0.25)
    assert f"about {made.smallest_budget:,.0f} units, spent as r_then_t" in made.advice


def test_swapping_two_systems_swaps_what_is_confirmed_and_what_is_refuted(qwen, apertus):
    one = rat.assurance(qwen, against=apertus, above=0.2, budgets=100, n0=20).outcomes[0]
    other = rat.assurance(apertus, against=qwen, above=-0.2, budgets=100, n0=20).outcomes[0]
    error = 3 * np.hypot(one.assurance_mcse, other.refuted_mcse)
    assert one.assurance == pytest.approx(other.refuted, abs=error)
    below = rat.assurance(apertus, against=qwen, below=-0.2, budgets=100, n0=20).outcomes[0]
    assert below.assurance == other.refuted


def test_two_systems_that_are_the_same_are_told_apart_as_often_as_the_level_allows(qwen):
    one = rat.assurance(qwen, against=qwen, budgets=300, replications=2000).outcomes[0]
    assert one.assurance == pytest.approx(0.05, abs=4 * one.assurance_mcse)
    assert one.refuted == pytest.approx(0.05, abs=4 * one.refuted_mcse)


def test_what_is_settled_already_needs_nothing(qwen):
    post = rat.fit(rat.simulate(qwen, 300, seed=1))
    made = rat.assurance(post, above=0.2, replications=60)
    assert made.is_settled
    assert made.smallest_budget == 0
    assert "is confirmed already" in made.advice
    assert made.advice in str(made)
    assert made.table().empty
    asked = rat.assurance(post, above=0.2, budgets=100, replications=60)
    assert asked.outcomes[0].assurance > 0.9
    refuted = rat.assurance(post, above=0.8, replications=60)
    assert refuted.is_settled
    assert refuted.smallest_budget is None
    assert refuted.smallest_budget_settled == 0
    assert "is refuted already" in refuted.advice


def test_what_is_in_doubt_can_be_settled_but_not_confirmed(qwen):
    post = rat.fit(rat.simulate(qwen, 60, seed=2))
    line = float(np.quantile(post[G], 0.4))
    made = rat.assurance(post, above=line)
    assert made.smallest_budget is None
    assert made.smallest_budget_settled > 100
    assert "one way or the other" in made.advice
    false = rat.assurance(qwen, above=0.6, budgets=100, replications=60)
    assert "is not so at this point" in false.advice


def test_judges_take_part(apertus):
    judges = {"jR": {"of": "retrieval", "tpr": 0.95, "fpr": 0.1}}
    line = adherence(apertus) - 0.04
    how = {"above": line, "budgets": 60, "n0": 60, "replications": 100, "strategy": "all_joint"}
    alone = rat.assurance(apertus, **how).outcomes[0]
    judged = rat.assurance(apertus, judges=judges, **how).outcomes[0]
    assert judged.detectable == pytest.approx(alone.detectable, rel=0.3)
    frame = rat.simulate(apertus, 400, "judge_only", n0=60, judges=judges, seed=1)
    post = rat.fit(frame, judges=[rat.Judge("jR", of="retrieval")])
    one = rat.assurance(post, above=0.1, budgets=50, replications=50).outcomes[0]
    assert 0 <= one.assurance <= 1


def test_a_table_is_taken_as_it_is_labelled(qwen):
    frame = rat.simulate(qwen, 120, seed=1)
    how = {"above": 0.4, "budgets": 100, "replications": 100}
    assert rat.assurance(frame, **how) == rat.assurance(rat.fit(frame), **how)
    posts = rat.fit(frame.assign(system=["a", "b"] * 60), by="system")
    both = rat.assurance(posts.sel(system="a"), against=posts.sel(system="b"), **how)
    assert both.claim.is_difference
    own = rat.assurance(posts.sel(system="a"), policy="task_success", **how)
    same = rat.assurance(posts.sel(system="a"), target="task_success", **how)
    assert own.outcomes == same.outcomes


def test_an_assurance_reads_well(qwen):
    made = rat.assurance(qwen, above=0.45, budgets=[100, 800], replications=100)
    assert made.advice in str(made) == repr(made)
    assert made.advice in made._repr_html_()
    assert list(made.table().index) == [100, 800]
    assert "policy_adherence is above 0.45" in made.advice


def test_shares_are_made_monotone_as_least_squares_would():
    assert _monotone([0.1, 0.5, 0.3, 0.7]) == pytest.approx([0.1, 0.4, 0.4, 0.7])
    assert _monotone([0.9, 0.6, 0.3]) == pytest.approx([0.6, 0.6, 0.6])


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"above": None}, "one of `above` and `below`"),
        ({"below": 0.5}, "one of `above` and `below`"),
        ({"above": 1.5}, "between 0 and 1"),
        ({"above": "half"}, "A number"),
        ({"above": 2, "against": "x"}, "between -1 and 1"),
        ({"level": 0.4}, "`level` is 0.4"),
        ({"probability": 1}, "`probability` is 1"),
        ({"target": "accuracy"}, "no target 'accuracy'"),
        ({"target": ["task_success"]}, "one quantity"),
        ({"budgets": 0}, "price of one label"),
        ({"budgets": []}, "empty"),
        ({"prices": {"R": -1, "T": 1}}, "price of R"),
        ({"strategy": "guess"}, "not a labelling strategy"),
        ({"strategy": "judge_only", "budgets": 50}, "buys"),
        ({"replications": 0}, "replications"),
        ({"seed": -1}, "`seed`"),
        ({"colour": "red"}, "no keyword 'colour'"),
    ],
    ids=str,
)
def test_what_cannot_be_assured_is_refused(qwen, keywords, words):
    with pytest.raises((ArgumentError, ArgumentTypeError), match=words):
        rat.assurance(qwen, **{"above": 0.5, **keywords})


def test_designs_of_pools_and_several_systems_are_refused(qwen):
    pool = rat.optimal_design(qwen, already=100, pool=500)
    with pytest.raises(ArgumentError, match="finite pool"):
        rat.assurance(qwen, above=0.5, strategy=pool)
    frame = rat.simulate(qwen, 40, seed=1).assign(system=["a", "b"] * 20)
    with pytest.raises(ArgumentError, match="2 systems"):
        rat.assurance(frame, by="system", above=0.5)
