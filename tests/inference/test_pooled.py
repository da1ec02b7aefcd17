"""Partial pooling over systems. Compiling takes many seconds: the fits are made once."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

import rat_widgets as rat
from rat_widgets.derived.policy import Policy
from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.posteriors import Posteriors
from rat_widgets.errors import ArgumentError, EngineError
from rat_widgets.inference import sample
from rat_widgets.inference.convergence import mcse_mean
from rat_widgets.inference.engine import ENGINES
from rat_widgets.inference.unsplit import is_unsplit, split_at_random
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.priors import Priors
from rat_widgets.model.worlds import branch_probabilities, level_probabilities, worlds_of

ADHERENCE = Policy.from_spec("adherence")
JUDGE = Judge("jT", of="task", share="partial")
SYSTEMS = (("a",), ("b",), ("c",))
# Complete rows: (R, A, T, verdict) -> rows of each system. Every parameter is seen by itself.
ROWS = {
    (1, 0, 1, 1): (40, 6, 25),
    (1, 0, 1, 0): (6, 1, 2),
    (1, 0, 0, 1): (3, 2, 9),
    (1, 0, 0, 0): (14, 3, 11),
    (1, 1, -1, -1): (4, 0, 9),
    (0, 0, 1, 1): (9, 1, 3),
    (0, 0, 0, 1): (2, 0, 5),
    (0, 0, 0, 0): (12, 3, 8),
    (0, 1, -1, -1): (10, 2, 3),
}


def counts_of_systems(rows, judges=(JUDGE,)):
    patterns = np.array([(*row[:3], -1, *row[3:]) for row in rows], dtype=np.int8)
    n = np.array(list(rows.values())).T
    return PatternCounts(by=("system",), groups=SYSTEMS, judges=judges, patterns=patterns, counts=n)


COMPLETE = counts_of_systems(ROWS)


@pytest.fixture(scope="module")
def fitted():
    return sample(COMPLETE, draws=8000, seed=2)


def binomials():
    """Positives and negatives of each parameter in each system, by its name."""
    rows = np.array(list(ROWS))
    n = np.array(list(ROWS.values()))
    r, a, t, v = rows.T
    answered = a == 0
    of = {
        "retrieval_success": (r == 1, r == 0),
        "abstain_given_miss": ((r == 0) & ~answered, (r == 0) & answered),
        "abstain_given_hit": ((r == 1) & ~answered, (r == 1) & answered),
        "correct_given_miss": ((r == 0) & (t == 1), (r == 0) & (t == 0)),
        "correct_given_hit": ((r == 1) & (t == 1), (r == 1) & (t == 0)),
        "tpr[jT]": ((t == 1) & (v == 1), (t == 1) & (v == 0)),
        "fpr[jT]": ((t == 0) & (v == 1), (t == 0) & (v == 0)),
    }
    return {name: (n[yes].sum(axis=0), n[no].sum(axis=0)) for name, (yes, no) in of.items()}


def by_quadrature(ones, zeros, systems):
    """Mean of p in each system, of mu and of tau: on a grid of mu, tau and quantiles of z."""
    n = 600
    z, weight = systems.ppf((np.arange(n) + 0.5) / n), np.full(n, 1 / n)
    mu = np.linspace(-9, 9, 181)
    tau = np.linspace(0.01, 4.99, 125)
    p = special.expit(mu[:, None, None] + tau[:, None] * z)
    each = [p**k * (1 - p) ** m for k, m in zip(ones, zeros, strict=True)]
    inner = np.array([one @ weight for one in each])
    typical = 1 / (1 + np.exp(-mu))
    prior = (typical * (1 - typical))[:, None] * np.exp(-0.5 * tau**2)
    joint = prior * inner.prod(axis=0)
    joint /= joint.sum()
    means = [((one * p) @ weight / i * joint).sum() for one, i in zip(each, inner, strict=True)]
    return means, (joint.sum(axis=1) @ mu), (joint.sum(axis=0) @ tau)


def close(draws, mean, sigmas=4.5):
    return abs(draws.mean() - mean) < sigmas * mcse_mean(draws)


def test_complete_rows_agree_with_quadrature(fitted):
    """Each parameter is a hierarchical binomial of its own there."""
    pooling = fitted[0].pooling
    for i, (name, (ones, zeros)) in enumerate(binomials().items()):
        systems = stats.cauchy if name.endswith("[jT]") else stats.norm
        means, mu, tau = by_quadrature(ones, zeros, systems)
        assert pooling.names[i] == name
        assert close(pooling.mu[..., i], mu), name
        assert close(pooling.tau[..., i], tau), name
        for one, mean in zip(fitted, means, strict=True):
            assert close(one.by_name()[name], mean), (name, one.counts.groups)


def test_systems_are_drawn_towards_each_other_the_small_one_most(fitted):
    ones, zeros = binomials()["correct_given_hit"]
    own = (ones + 1) / (ones + zeros + 2)
    pooled = np.array([one.by_name()["correct_given_hit"].mean() for one in fitted])
    typical = (1 / (1 + np.exp(-fitted[0].pooling.mu[..., 4]))).mean()
    moved = (pooled - own) / (typical - own)
    assert moved[1] > 0.1
    assert pooled.max() - pooled.min() < own.max() - own.min()


def test_it_is_trustworthy_says_why_and_keeps_one_pool(fitted):
    for one in fitted:
        assert one.engine == "pooled"
        assert one.reason == 'A judge has share="partial".'
        assert one.diagnosis.ok, one.diagnosis
        assert "tau[fpr[jT]]" in one.diagnosis.r_hat
        assert one.pooling is fitted[0].pooling
        assert one.theta.dtype == np.float64


def test_the_table_of_the_pool_has_typical_values_and_spreads(fitted):
    posts = Posteriors(tuple(Posterior(draws=one, policy=ADHERENCE) for one in fitted))
    table, pooling = posts.pooling, fitted[0].pooling
    assert list(table.index) == list(pooling.names)
    typical = special.expit(pooling.mu[..., 5]).mean()
    assert table.loc["tpr[jT]", "typical"] == pytest.approx(typical)
    assert table.loc["fpr[jT]", "tau_upper"] == pytest.approx(
        np.quantile(pooling.tau[..., 6], 0.975)
    )


def test_systems_that_were_not_pooled_have_no_such_table():
    shared = counts_of_systems(ROWS, (Judge("jT", of="task"),))
    with pytest.raises(ArgumentError, match='share="partial"'):
        _ = rat.fit(shared).pooling


def test_the_same_seed_gives_the_same_draws_and_another_others(fitted):
    again = sample(COMPLETE, draws=8000, seed=2)
    assert np.array_equal(again[1].theta, fitted[1].theta)
    other = sample(COMPLETE, draws=8000, seed=3)
    assert not np.array_equal(other[1].theta, fitted[1].theta)


@pytest.mark.parametrize("engine", [name for name in ENGINES if name != "pooled"])
def test_other_engines_refuse_what_is_pooled_and_name_the_one_that_can(engine):
    with pytest.raises(EngineError, match='share="partial"') as caught:
        sample(COMPLETE, engine=engine)
    assert "'pooled' takes everything" in str(caught.value)


def test_without_anything_to_pool_it_refuses():
    shared = counts_of_systems(ROWS, (Judge("jT", of="task"),))
    with pytest.raises(EngineError, match='no judge has share="partial"'):
        sample(shared, engine="pooled")
    with pytest.raises(EngineError, match="there is one system"):
        sample(COMPLETE.group(0), engine="pooled")


def test_one_system_alone_is_fitted_as_any_other():
    """There is nothing to pool: the rates are its own, with their prior."""
    (alone,) = sample(COMPLETE.group(0), seed=1)
    own = counts_of_systems(ROWS, (Judge("jT", of="task", share="group"),)).group(0)
    (other,) = sample(own, seed=1)
    assert alone.engine == other.engine == "exact"
    assert np.array_equal(alone.theta, other.theta)
    assert np.array_equal(alone.rates, other.rates)


# --- R never seen ------------------------------------------------------------------------


def test_only_where_nothing_speaks_of_retrieval_the_tree_is_unsplit():
    hidden = {(-1, *row[1:]): n for row, n in ROWS.items() if row[0] == 1}
    assert is_unsplit(counts_of_systems(hidden))
    assert not is_unsplit(COMPLETE)
    of_r = Judge("jT", of="retrieval", share="partial")
    assert not is_unsplit(counts_of_systems(hidden, (of_r,)))


@given(
    st.integers(0, 2**32 - 1),
    st.floats(0, 1),
    st.floats(0, 1),
    st.sampled_from([("miss", "hit"), ("none", "some", "most", "all")]),
)
def test_a_split_at_random_makes_up_what_was_known(seed, abstained, right, levels):
    """P(A) and P(T | A=0) are kept, and everything is a probability."""
    n_theta, k = len(worlds_of(levels).parameters), len(levels)
    theta = np.zeros((7, n_theta))
    theta[:, n_theta - k - 1], theta[:, -1] = abstained, right
    found = split_at_random(theta, Priors.flat(levels=levels), np.random.default_rng(seed))
    assert ((found >= 0) & (found <= 1)).all()
    level = level_probabilities(found)
    declined = branch_probabilities(found)[:, k if k > 2 else 1 :][:, :k]
    np.testing.assert_allclose((level * declined).sum(axis=1), abstained, atol=1e-9)
    answered = level * (1 - declined)
    np.testing.assert_allclose(
        (answered * found[:, -k:]).sum(axis=1), right * answered.sum(axis=1), atol=1e-9
    )


def test_the_split_of_two_levels_is_uniform_among_those_possible():
    """Given P(hit) = 1/2 and P(A) = 1/2 the two branches add up to 1: either is uniform."""
    theta = np.full((40_000, 5), 0.5)
    priors = Priors.from_spec({"retrieval_success": (1e9, 1e9)})
    found = split_at_random(theta, priors, np.random.default_rng(1))
    for column in (1, 2):
        draws = found[:, column]
        assert draws.mean() == pytest.approx(0.5, abs=4.5 * np.sqrt(1 / 12 / 40_000))
        assert draws.var() == pytest.approx(1 / 12, abs=4.5 * np.sqrt(1 / 180 / 40_000))


def test_without_r_the_pool_is_told_by_what_it_is_of():
    """P(A) and P(T | A=0), each a hierarchical binomial of its own: not P(A | hit)."""
    hidden = {(-1, *row[1:]): n for row, n in ROWS.items() if row[0] == 1}
    pooling = sample(counts_of_systems(hidden), draws=8000, seed=4)[0].pooling
    assert pooling.names[:2] == ("abstention", "selective_accuracy")
    shown = binomials()
    for i, name in enumerate(("abstain_given_hit", "correct_given_hit")):
        _, mu, tau = by_quadrature(*shown[name], stats.norm)
        assert close(pooling.mu[..., i], mu), name
        assert close(pooling.tau[..., i], tau), name
