"""Surfaces, modes and the preview."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rat_widgets.inference import sample
from rat_widgets.inference.blocks import blocks
from rat_widgets.inference.logits import Plan
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.collapsed import collapse
from rat_widgets.model.priors import Priors
from rat_widgets.model.simulated_tables import simulate

JR = Judge("jR", of="retrieval")
JT = Judge("jT", of="task")

label = st.sampled_from([-1, 0, 1])
row = st.tuples(*[label] * 3, st.just(-1), label, label).filter(
    lambda r: not (r[1] == 1 and r[2] == 1)
)
tables = st.lists(st.tuples(row, st.integers(1, 40)), min_size=2, max_size=10)
positive = st.floats(0.3, 5)


def surface_of(table, priors):
    patterns = np.array([row for row, _ in table], dtype=np.int8)
    counts = np.array([[n for _, n in table]], dtype=np.int64)
    collapsed = collapse(PatternCounts(judges=(JR, JT), patterns=patterns, counts=counts))
    return [block.surface for block in blocks(collapsed, priors, np.zeros(9, dtype=bool))]


def differences(function, logits, step=1e-5):
    """Central differences along each parameter, stacked last."""
    found = []
    for k in range(logits.shape[1]):
        away = np.zeros_like(logits)
        away[:, k] = step
        found.append((function(logits + away) - function(logits - away)) / (2 * step))
    return np.stack(found, axis=-1)


@settings(deadline=None)
@given(tables, st.lists(positive, min_size=18, max_size=18), st.integers(0, 2**32 - 1))
def test_gradient_and_curvature_agree_with_finite_differences(table, prior, seed):
    for surface in surface_of(table, np.array(prior).reshape(9, 2)):
        n = surface.alpha.shape[1]
        logits = 1.5 * np.random.default_rng(seed).standard_normal((1, n, 3))
        value = surface(logits)
        slope = differences(lambda y, s=surface: s(y).log_density, logits)
        assert np.allclose(np.swapaxes(value.gradient, 1, 2), slope, rtol=1e-5, atol=1e-5)
        bend = differences(lambda y, s=surface: np.swapaxes(s(y).gradient, 1, 2), logits)
        assert np.allclose(surface.curvature(logits)[0], -bend, rtol=1e-5, atol=1e-5)


@settings(deadline=None, max_examples=30)
@given(tables)
def test_every_mode_is_a_stationary_point_and_shares_sum_to_one(table):
    patterns = np.array([row for row, _ in table], dtype=np.int8)
    counts = PatternCounts(
        judges=(JR, JT),
        patterns=patterns,
        counts=np.array([[n for _, n in table]], dtype=np.int64),
    )
    plan = Plan(counts, Priors.flat((JR, JT)), seed=0, n_chains=1, n_draws=4)
    for block, peaks in plan.blocks:
        assert peaks.weight.sum(axis=1) == pytest.approx(1)
        slope = block.surface(peaks.centre[:, :, :1]).gradient
        assert np.abs(slope).max() < 1e-3


def test_widths_are_close_to_the_exact_ones_where_the_posterior_is_smooth(counts_of_tables, qwen):
    counts = counts_of_tables([simulate(qwen, 4000, "all_t", n0=800, seed=1)])

    def widths(engine):
        (draws,) = sample(counts, engine=engine, draws=40_000)
        return np.ptp(np.quantile(draws.theta, (0.025, 0.975), axis=(0, 1)), axis=0)

    wide, exact = widths("laplace"), widths("exact")
    # theta_A+ is near 0, where no Gaussian fits.
    smooth = [0, 1, 3, 4]
    assert wide[smooth] == pytest.approx(exact[smooth], rel=0.05)


def test_the_preview_says_that_it_is_one(counts_of_tables, qwen):
    counts = counts_of_tables([simulate(qwen, 500, "all_t", n0=100, seed=1)])
    (draws,) = sample(counts, engine="laplace")
    assert draws.engine == "laplace"
    assert "preview" in draws.diagnosis.codes


def test_labels_that_need_no_gaussian_are_drawn_exactly(counts_of_tables, qwen):
    counts = counts_of_tables([simulate(qwen, 300, seed=1)])
    (draws,) = sample(counts, engine="laplace", draws=40_000)
    (exact,) = sample(counts, engine="exact", draws=40_000)
    assert "preview" not in draws.diagnosis.codes
    error = exact.theta.std(axis=(0, 1)) * np.sqrt(2 / 40_000)
    gap = np.abs(draws.theta.mean(axis=(0, 1)) - exact.theta.mean(axis=(0, 1)))
    assert (gap < 4.5 * error).all()


@pytest.mark.parametrize("strategy", ["all_t", "judge_only"])
def test_directions_that_the_labels_leave_open_are_no_error(counts_of_tables, qwen, strategy):
    judges = [(JR, 0.9, 0.2)] if strategy == "judge_only" else []
    table = simulate(qwen, 400, strategy, judges=judges, seed=1)
    (draws,) = sample(counts_of_tables([table], [j for j, _, _ in judges]), engine="laplace")
    assert np.isfinite(draws.theta).all()
    assert not draws.diagnosis.ok
    assert "not_identified" in draws.diagnosis.codes


@pytest.mark.parametrize("n_rows", [0, 1, 7])
def test_tables_that_show_nothing_give_the_prior(counts_of, n_rows):
    for engine in ("laplace", "hmc"):
        (draws,) = sample(counts_of([(-1, -1, -1, -1)] * n_rows, [JR]), engine=engine)
        assert draws.theta.mean(axis=(0, 1)) == pytest.approx(0.5, abs=0.03)
        assert draws.diagnosis.codes[0] == "no_labels"
