"""Thousands of posteriors at once, against closed forms and against `exact`."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rat_widgets.derived.policy import Policy
from rat_widgets.errors import RatError
from rat_widgets.inference.exact import exact_mean_worlds
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors
from rat_widgets.model.theta import Theta
from rat_widgets.planning import fast
from rat_widgets.planning.fast import sampled_summaries, summaries
from rat_widgets.planning.patterns import label_patterns
from rat_widgets.planning.purchases import simulate_counts
from rat_widgets.planning.targets import Target, read_targets

QWEN = Theta.from_array([0.2078, 0.4632, 0.0360, 0.4447, 0.6809])
APERTUS = Theta.from_array([0.2072, 0.0390, 0.0050, 0.2585, 0.5157])
POLICY = Policy.from_spec("adherence")
TARGETS = read_targets(("policy_adherence", "task_success", "retrieval_success"), POLICY)
FLAT = Priors.from_spec(None)
PATTERNS = label_patterns()
STRATEGIES = ("all_r", "all_t", "half_joint_r", "half_joint_t", "r_then_t", "t_then_r")


def tables(theta, strategy, n_rows, n, *, n0=100, seed=0):
    rng = np.random.default_rng(seed)
    start = simulate_counts(theta, "all_joint", n_rows=n0, rng=rng, size=n).counts
    return start + simulate_counts(theta, strategy, n_rows=n_rows, rng=rng, size=n).counts


def found(counts, *, patterns=PATTERNS, targets=TARGETS, priors=FLAT, **keywords):
    return summaries(patterns, counts, targets, priors, rng=np.random.default_rng(5), **keywords)


@given(st.lists(st.integers(0, 60), min_size=6, max_size=6))
def test_complete_rows_have_the_mean_of_the_closed_form(rows):
    """E[P(G)] = E[1 - R] E[A | miss] + E[R] E[not A | hit] E[T | hit], all Betas."""
    ma, ha, mw, mr, hw, hr = rows
    labels = np.array([[0, 1, -1], [1, 1, -1], [0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]])
    hit, miss = ha + hw + hr, ma + mw + mr
    r = (1 + hit) / (2 + hit + miss)
    a_miss, a_hit = (1 + ma) / (2 + miss), (1 + ha) / (2 + hit)
    t_miss, t_hit = (1 + mr) / (2 + mw + mr), (1 + hr) / (2 + hw + hr)
    expected = [
        (1 - r) * a_miss + r * (1 - a_hit) * t_hit,
        (1 - r) * (1 - a_miss) * t_miss + r * (1 - a_hit) * t_hit,
        r,
    ]
    fit = found(np.array([rows]), patterns=labels)
    # 4,096 points of a net: ten times better than independent ones
    assert fit.mean[0] == pytest.approx(expected, abs=0.01 * fit.width.max())
    assert fit.ess_fraction[0] == 1


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("theta", [QWEN, APERTUS], ids=["qwen", "apertus"])
def test_means_are_those_of_the_finite_mixture(theta, strategy):
    """`exact_mean_worlds` enumerates the latent counts: no points, no draws."""
    counts = tables(theta, strategy, 200, 4)
    fit = found(counts)
    for i, rows in enumerate(counts):
        alone = PatternCounts.from_patterns(PATTERNS.tolist(), rows.tolist())
        worlds = exact_mean_worlds(alone, FLAT)
        expected = [target.value(worlds) for target in TARGETS]
        assert fit.mean[i] == pytest.approx(expected, abs=0.005 * fit.width[i].max())


@pytest.mark.parametrize("strategy", ["all_joint", "all_t", "half_joint_t", "t_then_r"])
def test_widths_are_those_of_exact_within_1_per_cent(strategy):
    counts = np.concatenate(
        [tables(QWEN, strategy, 500, 10), tables(APERTUS, strategy, 50, 10, n0=25)]
    )
    fit = found(counts, targets=TARGETS[:2])
    _, lower, upper = sampled_summaries(
        PATTERNS, counts, TARGETS[:2], FLAT, seed=1, n_draws=100_000, engine="exact"
    )
    off = fit.width / (upper - lower) - 1
    # 100,000 draws leave 0.3% of error to the reference itself
    assert np.sqrt((off**2).mean()) < 0.012
    assert np.abs(off).max() < 0.04


def test_priors_count_on_every_way():
    priors = Priors.from_spec(
        {
            "retrieval_success": (3, 8),
            "abstain_given_miss": (0.5, 0.5),
            "abstain_given_hit": (1, 6),
            "correct_given_miss": (2, 2),
            "correct_given_hit": (4, 1),
        }
    )
    for strategy in ("all_joint", "all_t", "t_then_r"):
        counts = tables(QWEN, strategy, 40, 3, n0=10)
        fit = found(counts, priors=priors)
        for i, rows in enumerate(counts):
            alone = PatternCounts.from_patterns(PATTERNS.tolist(), rows.tolist())
            worlds = exact_mean_worlds(alone, priors)
            expected = [target.value(worlds) for target in TARGETS]
            assert fit.mean[i] == pytest.approx(expected, abs=0.01 * fit.width[i].max())


@pytest.mark.parametrize("prior", [None, "jeffreys", {"retrieval_success": (3, 8)}])
@pytest.mark.parametrize("theta", [QWEN, APERTUS], ids=["qwen", "apertus"])
def test_where_rows_that_lack_r_lack_t_no_engine_is_needed(theta, prior):
    """Labels of R on some rows, then T where R=1, and rows that show A alone."""
    priors = Priors.from_spec(prior)
    rng = np.random.default_rng(3)
    counts = tables(theta, "r_then_t", 150, 6, n0=20)
    counts += simulate_counts(theta, "judge_only", n_rows=400, rng=rng, size=6).counts
    fit = found(counts, priors=priors)
    assert not fit.is_sampled.any()
    assert fit.ess_fraction.min() > 0.5
    for i, rows in enumerate(counts):
        alone = PatternCounts.from_patterns(PATTERNS.tolist(), rows.tolist())
        worlds = exact_mean_worlds(alone, priors)
        expected = [target.value(worlds) for target in TARGETS]
        assert fit.mean[i] == pytest.approx(expected, abs=0.005 * fit.width[i].max())
    _, lower, upper = sampled_summaries(
        PATTERNS, counts, TARGETS, priors, seed=1, n_draws=100_000, engine="exact"
    )
    off = fit.width / (upper - lower) - 1
    # as above: 100,000 draws leave 0.3% of error to the reference itself
    assert np.sqrt((off**2).mean()) < 0.012


def test_a_wrong_prior_is_noticed():
    """The comparison above can fail: one label more in 50 moves the mean by more."""
    counts = tables(QWEN, "all_t", 40, 3, n0=10)
    moved = Priors.from_spec({"retrieval_success": (2, 1)})
    off = np.abs(found(counts, priors=moved).mean - found(counts).mean)
    assert (off.max(axis=1) > 0.01 * found(counts).width.max(axis=1)).all()


def test_patterns_may_be_split_and_in_any_order():
    counts = tables(QWEN, "t_then_r", 100, 3)
    order = np.random.default_rng(1).permutation(len(PATTERNS))
    twice = np.concatenate([PATTERNS[order], PATTERNS])
    split = np.concatenate([counts[:, order] // 2, counts - counts // 2], axis=1)
    assert np.array_equal(found(split, patterns=twice).width, found(counts).width)


def test_rows_that_show_nothing_of_r_and_t_still_tell_of_a():
    counts = np.zeros((1, len(PATTERNS)), dtype=np.int64)
    a_only = (PATTERNS[:, 0] == -1) & (PATTERNS[:, 2] == -1)
    counts[0, a_only & (PATTERNS[:, 1] == 1)] = 300
    counts[0, a_only & (PATTERNS[:, 1] == 0)] = 100
    (target,) = read_targets("abstention", POLICY)
    fit = found(counts, targets=[target])
    assert fit.mean[0, 0] == pytest.approx(0.75, abs=0.01)


def test_ratios_are_taken_point_by_point():
    (target,) = read_targets("selective_accuracy", POLICY)
    counts = tables(QWEN, "all_joint", 0, 2)
    fit = found(counts, targets=[target])
    _, lower, upper = sampled_summaries(PATTERNS, counts, [target], FLAT, seed=1, n_draws=100_000)
    assert fit.width == pytest.approx(upper - lower, rel=0.03)


def test_tables_without_a_are_drawn_by_an_engine():
    labels = np.array([[1, -1, -1], [0, 0, 1], [1, 0, 1], [0, 1, -1], [-1, 0, 1]])
    counts = np.array([[5, 20, 30, 9, 0], [0, 20, 30, 9, 0]])
    fit = found(counts, patterns=labels)
    assert fit.is_sampled.tolist() == [True, False]
    assert np.isfinite(fit.width).all()


def test_uneven_weights_are_noticed_and_the_table_is_drawn_by_an_engine(monkeypatch):
    counts = tables(QWEN, "all_t", 100, 4)
    by_points = found(counts)
    monkeypatch.setattr(fast, "MIN_ESS_FRACTION", by_points.ess_fraction.max() + 0.01)
    drawn = found(counts)
    assert drawn.is_sampled.all()
    # 20,000 draws: an error of 0.7% of a width
    assert drawn.width == pytest.approx(by_points.width, rel=0.04)


def test_a_narrower_interval_is_asked_for_by_ci_prob():
    counts = tables(QWEN, "all_t", 100, 4)
    ratio = found(counts, ci_prob=0.5).width / found(counts).width
    # about normal: 0.674 / 1.960
    assert ratio == pytest.approx(0.344, abs=0.02)


def test_targets_read_what_users_write():
    assert read_targets("task_success", POLICY)[0].over == (0, 0, 0, 1, 0, 1)
    assert read_targets({"hit_right": 1}, POLICY)[0].key == "custom"
    named = read_targets({"mine": {"miss_right": 0.5}, "other": {"hit_wrong": -1}}, POLICY)
    assert [target.key for target in named] == ["mine", "other"]
    assert named[0] == Target("mine", (0, 0, 0, 0.5, 0, 0))
    lenient = Policy.from_spec("no_harm")
    assert read_targets("policy_adherence", lenient)[0].over == lenient.weights


@pytest.mark.parametrize(
    ("targets", "says"),
    [
        ("adherence", "no target 'adherence'"),
        ((), "no target"),
        (("task_success", "task_success"), "twice"),
        ((3,), "cannot be made of 3"),
    ],
)
def test_targets_that_are_none_say_what_is_accepted(targets, says):
    with pytest.raises(RatError, match=says):
        read_targets(targets, POLICY)
