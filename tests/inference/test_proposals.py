"""Proposals of independent tries: their density, what they follow, and what it helps."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rat_widgets.inference import approach, sample, turned, walkers
from rat_widgets.inference.bends import Bend
from rat_widgets.inference.logits import Plan
from rat_widgets.inference.proposals import Proposal, angles
from rat_widgets.inference.surface import log_volume
from rat_widgets.inference.threads import block, gram, product
from rat_widgets.inference.turned import Turned
from rat_widgets.labels.judges import Judge
from rat_widgets.model.priors import Priors
from rat_widgets.model.simulated_tables import simulate

JR, JT = Judge("jR", of="retrieval"), Judge("jT", of="task")
TWO = [(JR, 0.9, 0.2), (JT, 0.9, 0.15)]


def some_proposal(rng, n_groups, n_components, n):
    weight = rng.dirichlet(np.ones(n_components), n_groups)
    centre = 0.2 * rng.standard_normal((n_groups, n_components, n))
    root = np.eye(n) + 0.1 * rng.standard_normal((n_groups, n_components, n, n))
    return Proposal.of(weight, centre, root)


@pytest.mark.parametrize("n_components", [1, 3])
def test_draws_of_one_proposal_weigh_as_much_as_those_of_another(n_components):
    """The mean of q / p over draws of p is 1, whatever p and q are."""
    rng = np.random.default_rng(0)
    p, q = (some_proposal(rng, 2, n_components, 3) for _ in range(2))
    points = p.draw([np.random.default_rng(i) for i in (1, 2)], 40_000)
    ratio = np.exp(q.log_density(points) - p.log_density(points))
    error = ratio.std(axis=1) / np.sqrt(ratio.shape[1])
    assert (error < 0.05).all()
    assert (np.abs(ratio.mean(axis=1) - 1) < 4.5 * error).all()


def test_a_fitted_mixture_follows_a_bend_that_one_component_cannot():
    """Points on a parabola: their mean log density under the fit, against that of one t."""
    rng = np.random.default_rng(0)
    x = 0.1 * rng.standard_normal((2, 2, 2048))
    bent = np.stack([x[:, 0], 12 * x[:, 0] ** 2 + 0.1 * x[:, 1]], axis=1)
    train, test = bent[..., :1024], bent[..., 1024:]
    one, eight = (Proposal.fitted(train, k) for k in (1, 8))
    gain = eight.log_density(angles(test)).mean(axis=1) - one.log_density(angles(test)).mean(axis=1)
    assert (gain > 0.5).all()


def banana(rng, n):
    """Angles on two parabolas, the thin one wider where the first angle is large; log density."""
    z = rng.standard_normal((1, 3, n))
    a = 0.8 + 0.1 * z[:, 0]
    b = 0.4 + 3 * (a - 0.8) ** 2 + 0.02 * np.exp(4 * (a - 0.8)) * z[:, 1]
    c = 0.7 + (a - 0.8) * (b - 0.4) + 0.005 * z[:, 2]
    log_density = -0.5 * (z**2).sum(axis=1) - 4 * (a - 0.8)
    return np.stack([c, b, a], axis=1), log_density


def test_a_bend_is_like_points_on_a_curved_ridge():
    """Of its draws most count, where a t distribution with the same moments is of no use."""
    rng = np.random.default_rng(0)
    points, density = banana(rng, 4096)
    even = np.ones((1, 4096))

    def fraction(proposal):
        """Of draws of the ridge weighted towards the proposal; 1 where they are the same."""
        log = proposal.log_density(points) - density
        ratio = np.exp(log - log.max())
        return ratio.mean() ** 2 / (ratio**2).mean()

    assert fraction(Bend.fitted(points, even)) > 0.85
    assert fraction(Proposal.weighted(points, even)) < 0.35


def test_draws_of_a_bend_have_the_density_that_it_tells():
    """The mean of q / p over draws of p is 1 with constants, and both ways to the density agree."""
    rng = np.random.default_rng(1)
    points, _ = banana(rng, 2048)
    p = Bend.fitted(points, rng.random((1, 2048)))
    angle, told = p.offer([rng], 40_000)
    assert p.log_density(angle) == pytest.approx(told, abs=1e-9)
    # Moved by one part of its own width: the same constant on both sides.
    q = dataclasses.replace(p, middle=p.middle + 0.2 * p.width)
    ratio = np.exp(q.log_density(angle) - told)
    error = ratio.std() / np.sqrt(ratio.size)
    assert error < 0.02
    assert abs(ratio.mean() - 1) < 4.5 * error


def test_weights_of_a_bend_count():
    """Draws of one normal weighted towards another: the fit is that of the other."""
    rng = np.random.default_rng(2)
    points = 0.8 + 0.1 * rng.standard_normal((1, 2, 8192))
    z = (points[:, 0] - 0.8) / 0.1
    fitted = Bend.fitted(points, np.exp(z - 0.5))
    assert fitted.middle[0, fitted.order[0] == 0] == pytest.approx(0.9, abs=0.01)
    assert fitted.middle[0, fitted.order[0] == 1] == pytest.approx(0.8, abs=0.01)


def test_the_tree_turned_round_grows_as_its_derivatives_say_and_turns_back():
    rng = np.random.default_rng(3)
    angle = rng.uniform(0.05, 1.5, (2, 7, 40))
    there = turned._turned(angle)
    back = turned._turned_back(there.angle)
    assert back.angle == pytest.approx(angle, rel=1e-12)
    assert back.log_growth == pytest.approx(-there.log_growth, abs=1e-10)
    step = 1e-6 * np.eye(7)
    moved = [turned._turned(angle[:1, :, :1] + s * step).angle[0] for s in (1, -1)]
    slope = np.linalg.slogdet((moved[0] - moved[1]) / 2e-6)[1]
    assert slope == pytest.approx(there.log_growth[0, 0], abs=1e-6)


def test_draws_of_a_turned_bend_have_the_density_that_it_tells():
    """The mean of q / p over draws of p is 1: q is a bend of the angles themselves."""
    rng = np.random.default_rng(4)
    angle = 0.8 + 0.04 * rng.standard_normal((1, 6, 4096))
    even = np.ones((1, 4096))
    p, q = Turned.fitted(angle, even), Turned.fitted(angle + 0.01, even)
    drawn, told = p.offer([rng], 40_000)
    assert p.log_density(drawn) == pytest.approx(told, abs=1e-9)
    ratio = np.exp(q.log_density(drawn) - told)
    ratio *= np.prod(p.bend.width) / np.prod(q.bend.width)
    error = ratio.std() / np.sqrt(ratio.size)
    assert error < 0.02
    assert abs(ratio.mean() - 1) < 4.5 * error


def test_points_that_span_no_volume_can_be_followed():
    """Walkers that never moved in one direction, and fewer than there are parameters."""
    rng = np.random.default_rng(0)
    flat = rng.standard_normal((1, 6, 4))
    flat[:, 2] = 0.3
    even = np.ones((1, 4))
    fits = [Proposal.fitted(flat, k) for k in (1, 8)]
    fits += [kind(angles(flat), even) for kind in (Proposal.weighted, Bend.fitted)]
    for fitted in fits:
        points, density = fitted.offer([rng], 100)
        assert np.isfinite(points).all()
        assert np.isfinite(density).all()


def test_angles_have_the_density_of_logits_times_the_change_of_volume(counts_of_tables, qwen):
    counts = counts_of_tables(
        [simulate(qwen, 200, "judge_only", n0=40, judges=TWO, seed=1)], [JR, JT]
    )
    plan = Plan(counts, Priors.flat((JR, JT)), seed=0, n_chains=1, n_draws=4)
    ((block, _),) = plan.blocks
    logits = 2 * np.random.default_rng(0).standard_normal((1, 9, 1300))
    density, back = block.surface.of_angles(angles(logits))
    assert back == pytest.approx(logits, rel=1e-9, abs=1e-9)
    known = block.surface(logits).log_density + log_volume(logits)
    assert density == pytest.approx(known, rel=1e-10)
    slope = (angles(logits + 1e-5) - angles(logits - 1e-5)) / 2e-5
    volume = np.log(slope).sum(axis=1) + log_volume(logits)
    assert volume == pytest.approx(np.full((1, 1300), volume[0, 0]), abs=1e-6)
    outside = angles(logits)
    outside[:, 3] = -0.01
    assert (block.surface.of_angles(outside)[0] == -np.inf).all()


def test_a_bent_posterior_is_walked_with_a_fitted_proposal(counts_of_tables, qwen, monkeypatch):
    """100 joint rows beside 9,900 judged ones: ESS is higher than with one component."""
    counts = counts_of_tables(
        [simulate(qwen, 9900, "judge_only", n0=100, judges=TWO, seed=3)], [JR, JT]
    )

    def least_ess():
        drawn = [sample(counts, engine="hmc", seed=s)[0].diagnosis for s in (1, 2, 3)]
        assert max(d.n_divergent for d in drawn) <= 10
        return np.mean([min(d.ess_bulk.values()) for d in drawn])

    fitted = least_ess()
    monkeypatch.setattr(approach, "_ROUNDS", ((1024, 0.0),))
    monkeypatch.setattr(walkers, "_FEW_TAKEN", ())
    monkeypatch.setattr(walkers, "_SLOW", np.inf)  # nor do slow walks go on by other steps
    assert fitted > 1.3 * least_ess()


@pytest.mark.parametrize("n", [0, 1, 5000, 40_000])
def test_products_in_pieces_are_the_product(n):
    rng = np.random.default_rng(0)
    left, right = rng.standard_normal((2, 7, 9)), rng.standard_normal((2, 9, n))
    assert np.allclose(product(left, right), left @ right, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("shape", [(2684, 58, 40), (58, 2684, 40), (2684, 58, 3), (300, 200, 90)])
def test_products_and_grams_of_large_matrices_are_the_product(shape):
    """The first two are those of 1,500 rows with twelve judges: sums of up to 2,684 terms."""
    rng = np.random.default_rng(0)
    left, right = rng.standard_normal(shape[:2])[None], rng.standard_normal(shape[1:])[None]
    plain = left @ right
    assert np.allclose(product(left, right), plain, rtol=1e-12, atol=1e-11)
    assert np.allclose(gram(left, right.swapaxes(-1, -2)), plain, rtol=1e-12, atol=1e-11)


@given(st.tuples(*(st.integers(1, 40_000),) * 3))
def test_pieces_of_a_product_are_too_small_for_threads_that_wait_for_each_other(shape):
    """OpenBLAS spreads what has more than 2^18 multiplications; where cores are busy its threads
    took ten times as long over a fit of twelve judges."""
    assert math.prod(block(*shape)) <= 1 << 18
    assert all(size >= 1 for size in block(*shape))
