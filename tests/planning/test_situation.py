"""Expected widths by the Fisher information."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.derived.factors import complete_information, known_information
from rat_widgets.derived.factors import observed_information as observed
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.levels import TWO_LEVELS
from rat_widgets.model.likelihood import log_likelihood
from rat_widgets.model.priors import Priors
from rat_widgets.planning.patterns import label_patterns
from rat_widgets.planning.point import Point
from rat_widgets.planning.purchases import simulate_counts
from rat_widgets.planning.schemes import fresh_rows, pool_strata, schemes_of, whole
from rat_widgets.planning.situation import expected_width
from rat_widgets.planning.strategies import NAMED

inside = st.floats(0.03, 0.97)
thetas = st.lists(inside, min_size=5, max_size=5).map(np.array)
FIVE = ("all_r", "all_t", "all_joint", "r_then_t", "t_then_r")

# STATS.md, section 7: 500 units, prices 1:1, on top of 100 joint rows.
WIDTHS = {
    ("qwen", "policy_adherence"): (0.108, 0.126, 0.097, 0.086, 0.090),
    ("qwen", "task_success"): (0.155, 0.061, 0.091, 0.138, 0.084),
    ("apertus", "policy_adherence"): (0.096, 0.108, 0.071, 0.059, 0.061),
    ("apertus", "task_success"): (0.174, 0.072, 0.096, 0.155, 0.082),
}


@pytest.mark.parametrize(("name", "target"), WIDTHS)
def test_widths_of_sequential_labelling(points, name, target):
    found = [expected_width(points[name], 100, s, 500, target=target) for s in FIVE]
    assert found == pytest.approx(WIDTHS[name, target], abs=0.005)


def test_widths_with_a_pool_of_1000_rows_100_of_them_labelled(qwen):
    found = [expected_width(qwen, 100, s, 500, pool=900) for s in FIVE]
    assert found == pytest.approx([0.103, 0.126, 0.080, 0.074, 0.076], abs=0.005)


@pytest.mark.parametrize("strategy", FIVE)
def test_fits_of_simulated_purchases_are_as_narrow_as_expected(qwen, strategy):
    """Mean exact width of 16 purchases. Widths vary by 4% between them, so that the mean has a
    standard error of 1%; the first order was good to 0.8% with 40 purchases."""
    rng = np.random.default_rng(7)
    start = simulate_counts(qwen, "all_joint", n_rows=100, rng=rng, size=16)
    more = simulate_counts(qwen, strategy, budget=500, rng=rng, size=16)
    widths = []
    for i in range(16):
        row = rat.fit(start.pattern_counts(i) + more.pattern_counts(i)).summary()
        widths.append(row.loc["policy_adherence", "upper"] - row.loc["policy_adherence", "lower"])
    assert np.mean(widths) == pytest.approx(expected_width(qwen, 100, strategy, 500), rel=0.05)


@given(thetas)
def test_a_fresh_joint_row_tells_what_a_complete_row_does(theta):
    """Covariance of scores against curvature, two ways to the same information."""
    point = Point.of(theta)
    label, row = complete_information(point.theta, TWO_LEVELS)
    bought, _ = whole(NAMED["all_joint"], (fresh_rows(point),), point)
    np.testing.assert_allclose(bought.gain, row, atol=1e-10)
    pool = np.array([[-1, 1, -1, -1], [-1, 0, -1, -1]], dtype=np.int8)
    away = point.worlds[point.tree.abstained == 1].sum()
    strata = pool_strata(pool, np.array([away, 1 - away]), point)
    bought, _ = whole(NAMED["all_joint"], strata, point)
    np.testing.assert_allclose(bought.gain, label, atol=1e-10)


@given(thetas, st.sampled_from(["policy_adherence", "task_success", "lucky_share"]))
def test_no_purchase_takes_information_away(theta, target):
    point = Point.of(theta)
    pool = np.array([[-1, 1, -1, -1], [-1, 0, -1, -1], [1, 0, -1, -1], [-1, 0, 0, -1]], np.int8)
    for stratum in ((fresh_rows(point),), pool_strata(pool, np.ones(4), point)):
        for scheme in schemes_of(stratum, point):
            assert np.linalg.eigvalsh(scheme.bought.gain).min() > -1e-12
    widths = [expected_width(theta, 20, "t_then_r", b, target=target) for b in (0, 10, 50, 400)]
    assert (np.diff(widths) <= 1e-12).all()


def test_labels_that_a_row_has_are_not_bought_again(qwen):
    point = Point.of(qwen)
    rows = np.array([[1, 0, -1, -1], [-1, 0, 1, -1], [1, 1, -1, -1], [1, 0, 1, -1]], np.int8)
    strata = pool_strata(rows, np.array([10.0, 20, 30, 40]), point)
    assert [(s.name, s.n_rows) for s in strata] == [("answered, T=1", 20), ("answered, R=1", 10)]
    joint, _ = whole(NAMED["all_joint"], strata, point)
    assert (joint.n_r, joint.n_t) == pytest.approx((20, 10))
    only_r, _ = whole(NAMED["all_r"], strata, point)
    assert (only_r.n_r, only_r.n_t) == pytest.approx((20, 0))


@given(thetas, st.lists(st.integers(0, 40), min_size=12, max_size=12))
def test_observed_information_is_the_curvature_of_the_likelihood(theta, counts):
    """Against differences of `log_likelihood`, at any counts; error step**2 x fourth derivative."""
    point = Point.of(theta)
    patterns = np.c_[label_patterns(), np.full(12, -1)].astype(np.int8)
    counts = np.array(counts, dtype=float)
    logits, eye = np.log(theta / (1 - theta)), 1e-3 * np.eye(5)

    def log_p(x):
        return log_likelihood(patterns, counts, 1 / (1 + np.exp(-x)))

    corners = [log_p(logits + s * eye[:, None] + t * eye[None]) for s in (1, -1) for t in (1, -1)]
    curvature = -(corners[0] - corners[1] - corners[2] + corners[3]) / 4e-6
    factors = point.factors(patterns)
    np.testing.assert_allclose(
        observed(factors, counts, theta), curvature, atol=1e-4 * max(counts.sum(), 1)
    )
    whole_information = known_information(factors, counts, theta, point.prior)
    assert np.linalg.eigvalsh(whole_information).min() > 0


@pytest.mark.parametrize(
    ("strategy", "targets"),
    [
        ("all_joint", ("policy_adherence", "task_success")),
        ("r_then_t", ("policy_adherence",)),  # of T where R=0 the prior alone speaks
        ("t_then_r", ("policy_adherence", "task_success")),
    ],
)
def test_what_is_known_of_a_table_is_what_its_posterior_shows(qwen, strategy, targets):
    """Labels chosen after others; 600 rows, where the first order is good to 5%."""
    for seed in range(3):
        post = rat.fit(rat.simulate(qwen, 600, strategy, seed=seed))
        for target in targets:
            width = expected_width(post, None, strategy, 0, target=target)
            assert width / (2 * 1.96) == pytest.approx(post[target].std(), rel=0.05)


def test_priors_count_as_labels(qwen):
    counts = rat.Labels.from_frame(rat.simulate(qwen, 60, seed=1)).counts
    flat = expected_width(rat.fit(counts), None, "all_joint", 50)
    firm = Priors.from_spec({"correct_given_hit": (60, 30)}, (), TWO_LEVELS)
    assert expected_width(rat.fit(counts, priors=firm), None, "all_joint", 50) < flat


def test_several_targets_and_other_intervals(qwen):
    both = expected_width(qwen, 50, "all_r", 90, target=["policy_adherence", "task_success"])
    assert both["task_success"] == expected_width(qwen, 50, "all_r", 90, target="task_success")
    wide = expected_width(qwen, 50, "all_r", 90)
    assert expected_width(qwen, 50, "all_r", 90, ci_prob=0.5) == pytest.approx(
        wide * 0.344, rel=1e-2
    )


def test_a_pool_that_is_labelled_already_is_counted_once(qwen):
    counts = rat.Labels.from_frame(rat.simulate(qwen, 400, "judge_only", n0=100, seed=1)).counts
    same = expected_width(qwen, counts, "all_joint", 100, pool=counts)
    other = expected_width(qwen, counts, "all_joint", 100, pool=replace(counts, errored=[1]))
    assert other < same
    post = rat.fit(counts)
    assert expected_width(post, None, "all_joint", 100) == pytest.approx(
        expected_width(post, counts, "all_joint", 100, pool=counts)
    )


@pytest.mark.parametrize(
    ("keywords", "words"),
    [
        ({"target": "accuracy"}, "no target 'accuracy'"),
        ({"target": []}, "empty"),
        ({"target": 7}, "key of a quantity"),
        ({"target": {"task_success": 0}}, "weight of the target"),
        ({"budget": 0.5}, "price of one label"),
        ({"already": -1}, "0 or more"),
        ({"already": "many"}, "number of rows"),
        ({"pool": -5}, "0 or more"),
        ({"pool": "big"}, "fresh"),
        ({"pool": {"declined": 5}}, "'abstained' and 'answered'"),
        ({"pool": 0}, "nothing to buy"),
        ({"theta": np.full((3, 5), 0.5)}, "one point"),
    ],
    ids=str,
)
def test_what_cannot_be_planned_is_refused(qwen, keywords, words):
    arguments = {"theta": qwen, "already": 10, "strategy": "all_r", "budget": 50, **keywords}
    with pytest.raises((ArgumentError, ArgumentTypeError), match=words):
        expected_width(**arguments)


def test_counts_of_other_systems_are_refused(qwen, graded):
    frame = rat.simulate(qwen, 40, seed=1).assign(system=["a", "b"] * 20)
    with pytest.raises(ArgumentError, match="2 groups"):
        expected_width(qwen, rat.Labels.from_frame(frame, by="system"), "all_r", 50)
    with pytest.raises(ArgumentError, match="levels"):
        expected_width(graded, rat.Labels.from_frame(frame), "all_r", 50)
    verdicts = {"jR": {"of": "retrieval", "tpr": 0.9, "fpr": 0.2}}
    judged = rat.simulate(qwen, 40, judges=verdicts, seed=1)
    labels = rat.Labels.from_frame(judged, judges=[rat.Judge("jR", of="retrieval")])
    with pytest.raises(ArgumentError, match="verdicts of judges"):
        expected_width(qwen, labels, "all_r", 50)
