"""R-hat, bulk ESS and MCSE."""

import numpy as np
import pytest

from rat_widgets.inference.convergence import ess_bulk, mcse_mean, r_hat


def autoregression(rng, phi, shape=(4, 1000)):
    x = np.empty(shape)
    x[:, 0] = rng.standard_normal(shape[0]) / np.sqrt(1 - phi**2)
    for t in range(1, shape[1]):
        x[:, t] = phi * x[:, t - 1] + rng.standard_normal(shape[0])
    return x


@pytest.fixture(scope="module")
def examples():
    rng = np.random.default_rng(0)
    shifted = rng.standard_normal((4, 1000))
    shifted[0] += 1
    return {
        "independent": rng.standard_normal((4, 1000)),
        "sticky": autoregression(rng, 0.9),
        "antithetic": autoregression(rng, -0.5),
        "shifted": shifted,
        "wider": rng.standard_normal((4, 1000)) * np.array([1, 1, 1, 3])[:, None],
        "heavy tails": rng.standard_cauchy((4, 1000)),
        "ties": rng.integers(0, 3, (4, 1000)).astype(float),
        "odd length": rng.random((3, 251)),
        "short": rng.random((2, 12)),
    }


@pytest.mark.parametrize(
    "name",
    [
        "independent",
        "sticky",
        "antithetic",
        "shifted",
        "wider",
        "heavy tails",
        "ties",
        "odd length",
        "short",
    ],
)
def test_agrees_with_arviz(examples, name):
    """An independent implementation; the cut of the autocorrelations is not quite the same."""
    arviz_stats = pytest.importorskip("arviz_stats")
    from arviz_stats.base import array_stats

    del arviz_stats
    draws = examples[name]
    assert r_hat(draws) == pytest.approx(
        array_stats.rhat(draws, chain_axis=0, draw_axis=1), rel=1e-6
    )
    theirs = array_stats.ess(draws, chain_axis=0, draw_axis=1, method="bulk")
    assert ess_bulk(draws) == pytest.approx(theirs, rel=0.02 if name != "short" else 0.2)
    theirs = array_stats.mcse(draws, chain_axis=0, draw_axis=1, method="mean")
    assert mcse_mean(draws) == pytest.approx(theirs, rel=0.02 if name != "short" else 0.2)


def test_independent_draws_are_worth_their_number(examples):
    # The estimate itself has a relative error of a few percent.
    assert ess_bulk(examples["independent"]) == pytest.approx(4000, rel=0.1)
    assert r_hat(examples["independent"]) < 1.01


def test_autocorrelation_costs_what_theory_says():
    """AR(1): ESS = n (1 - phi) / (1 + phi)."""
    draws = autoregression(np.random.default_rng(1), 0.8, (4, 20_000))
    assert ess_bulk(draws) == pytest.approx(80_000 / 9, rel=0.1)


def test_chains_that_disagree_are_seen_in_place_and_in_spread(examples):
    assert r_hat(examples["shifted"]) > 1.05
    assert r_hat(examples["wider"]) > 1.05


def test_mcse_is_how_far_the_mean_strays():
    """Over many repetitions, the spread of the mean of an AR(1) chain."""
    rng = np.random.default_rng(2)
    means, claimed = [], []
    for _ in range(200):
        draws = autoregression(rng, 0.7, (2, 500))
        means.append(draws.mean())
        claimed.append(mcse_mean(draws))
    # The spread of 200 means is known to 5%.
    assert np.mean(claimed) == pytest.approx(np.std(means), rel=0.2)


def test_trailing_dimensions_are_treated_one_by_one(examples):
    stacked = np.stack([examples["independent"], examples["sticky"]], axis=-1)
    for statistic in (r_hat, ess_bulk, mcse_mean):
        both = statistic(stacked)
        assert both.shape == (2,)
        assert both[1] == pytest.approx(statistic(examples["sticky"]), rel=1e-12)


def test_constant_draws_have_converged():
    draws = np.full((4, 100), 0.3)
    assert (r_hat(draws), ess_bulk(draws), mcse_mean(draws)) == (1, 400, 0)


def test_draws_that_are_not_finite_have_no_statistics(examples):
    draws = examples["independent"].copy()
    draws[0, 0] = np.nan
    assert np.isnan([r_hat(draws), ess_bulk(draws), mcse_mean(draws)]).all()
