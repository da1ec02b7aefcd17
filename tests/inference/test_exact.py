"""The exact engine: closed forms and brute force; its calibration is in `test_calibration`."""

from itertools import product
from math import lgamma

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rat_widgets.errors import EngineError
from rat_widgets.inference import exact, sample
from rat_widgets.inference.exact import exact_mean_worlds
from rat_widgets.inference.mixture import Mixture
from rat_widgets.inference.reversed import sample_reversed
from rat_widgets.inference.tally import label_cube
from rat_widgets.labels.judges import Judge
from rat_widgets.model.priors import Priors
from rat_widgets.model.simulated_tables import simulate
from rat_widgets.model.worlds import PARAMETERS, world_probabilities

FLAT = Priors.flat()
SKEWED = Priors.from_spec(dict(zip(PARAMETERS, [(2, 3), (0.5, 1), (1, 4), (3, 0.7), (2, 2)])))

# Rows (R, A, T) with A always seen; -1 is missing.
some_rows = st.lists(
    st.tuples(
        st.sampled_from([-1, 0, 1]), st.sampled_from([0, 1]), st.sampled_from([-1, 0, 1])
    ).map(lambda row: (row[0], row[1], -1 if row[1] else row[2])),
    max_size=7,
)


def adherence(theta):
    worlds = world_probabilities(theta)
    return worlds[..., 0] + worlds[..., 5]


def brute_force(rows, prior):
    """Every completion of the rows: weights, and the five Betas of each."""
    worlds = [(0, 1, 0), (1, 1, 0), (0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1)]
    hidden = [
        [world for world in worlds if all(s in (-1, w) for s, w in zip(row, world, strict=True))]
        for row in rows
    ]
    weights, betas = [], []
    for completion in product(*hidden):
        shape = prior.copy()
        for r, a, t in completion:
            shape[0, 1 - r] += 1
            shape[1 + r, 1 - a] += 1
            if not a:
                shape[3 + r, 1 - t] += 1
        weights.append(sum(lgamma(a) + lgamma(b) - lgamma(a + b) for a, b in shape))
        betas.append(shape)
    weights = np.exp(np.array(weights) - max(weights))
    return weights / weights.sum(), np.array(betas)


def mean_worlds_by_brute_force(rows, prior):
    weights, betas = brute_force(rows, prior)
    return weights @ world_probabilities(betas[..., 0] / betas.sum(axis=-1))


@pytest.mark.parametrize("priors", [FLAT, SKEWED])
@given(rows=some_rows)
@settings(max_examples=60, deadline=None)
def test_mean_worlds_are_those_of_brute_force(counts_of, priors, rows):
    """Independent Betas given a completion, so a product of means within each."""
    here = exact_mean_worlds(counts_of(rows), priors)
    np.testing.assert_allclose(
        here, mean_worlds_by_brute_force(rows, priors.theta_array()), atol=1e-12
    )


@pytest.mark.parametrize("priors", [FLAT, SKEWED])
@given(
    rows=st.lists(
        st.sampled_from(
            [(r, a, t) for r in (0, 1) for a in (-1, 0, 1) for t in (-1, 0, 1) if (a, t) != (1, 1)]
        ),
        max_size=7,
    )
)
@settings(max_examples=60, deadline=None)
def test_mean_worlds_are_those_of_brute_force_where_abstention_is_not_recorded(
    counts_of, priors, rows
):
    here = exact_mean_worlds(counts_of(rows), priors)
    np.testing.assert_allclose(
        here, mean_worlds_by_brute_force(rows, priors.theta_array()), atol=1e-12
    )


ROWS = {
    "A not recorded": [(1, -1, 0)] * 3 + [(0, -1, 0)] * 2 + [(1, -1, 1), (0, 1, -1), (1, 0, 0)],
    "R missing": [(-1, 0, 1)] * 3 + [(-1, 0, 0)] * 2 + [(-1, 1, -1)] * 2 + [(1, 0, 1), (0, 1, -1)],
    "R or T missing": [(-1, 0, -1)] * 3 + [(-1, 0, 1)] * 2 + [(1, 0, -1), (0, 0, 0), (-1, 1, -1)],
    "only A seen": [(-1, 0, -1)] * 4 + [(-1, 1, -1)] * 3,
}


@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("priors", [FLAT, SKEWED])
def test_draws_have_the_distribution_of_brute_force(counts_of, name, priors):
    """Marginals by Kolmogorov-Smirnov at 1e-4 each; the correlation in P(G) through its mean."""
    counts = counts_of(ROWS[name])
    draws = sample(counts, priors, engine="exact", draws=20_000, seed=1)[0].theta.reshape(-1, 5)
    weights, betas = brute_force(ROWS[name], priors.theta_array())
    for i in range(5):
        pairs, which = np.unique(betas[:, i], axis=0, return_inverse=True)
        merged = np.bincount(which.ravel(), weights)

        def cdf(x, pairs=pairs, merged=merged):
            return merged @ stats.beta.cdf(x, pairs[:, :1], pairs[:, 1:])

        assert stats.kstest(draws[:, i], cdf).pvalue > 1e-4, PARAMETERS[i]
    g = adherence(draws)
    worlds = mean_worlds_by_brute_force(ROWS[name], priors.theta_array())
    assert g.mean() == pytest.approx(worlds[0] + worlds[5], abs=4 * g.std() / np.sqrt(len(g)))


def test_complete_rows_give_the_five_betas(counts_of_tables, qwen):
    table = simulate(qwen, 400, seed=1)
    (draws,) = sample(counts_of_tables([table]))
    miss, hit = (table[table["R"] == r] for r in (0, 1))
    expected = [(1 + len(hit), 1 + len(miss))]
    for rows in (miss, hit):
        expected.append((1 + (rows["A"] == 1).sum(), 1 + (rows["A"] == 0).sum()))
    for rows in (miss, hit):
        expected.append((1 + (rows["T"] == 1).sum(), 1 + (rows["T"] == 0).sum()))
    np.testing.assert_array_equal(draws.conjugate, expected)
    for i, (a, b) in enumerate(expected):
        assert stats.kstest(draws.theta[..., i].ravel(), stats.beta(a, b).cdf).pvalue > 1e-4


def test_all_r_adherence_is_the_product_of_means(counts_of_tables, qwen):
    """E[P(G)] = E[1-θ_R] E[θ_A-] + E[θ_R] E[1-θ_A+] E[θ_T+], the last from joint rows alone."""
    counts = counts_of_tables([simulate(qwen, 500, "all_r", n0=100, seed=2)])
    (draws,) = sample(counts, draws=20_000)
    mean = draws.conjugate[:, 0] / draws.conjugate.sum(axis=1)
    closed = (1 - mean[0]) * mean[1] + mean[0] * (1 - mean[2]) * mean[4]
    worlds = exact_mean_worlds(counts, FLAT)
    assert worlds[0] + worlds[5] == pytest.approx(closed, abs=1e-12)
    g = adherence(draws.theta)
    assert g.mean() == pytest.approx(closed, abs=4 * g.std() / np.sqrt(g.size))


def test_only_data_with_retrieval_always_seen_are_conjugate(counts_of):
    assert sample(counts_of([(1, 0, -1), (0, 1, -1)]))[0].conjugate is not None
    assert sample(counts_of([(1, 0, -1), (-1, 1, -1)]))[0].conjugate is None
    assert sample(counts_of([]))[0].conjugate.tolist() == [[1, 1]] * 5


def test_rows_with_retrieval_alone_count_for_retrieval_alone(counts_of):
    (draws,) = sample(counts_of([(1, -1, -1)] * 3 + [(0, -1, -1), (1, 0, 1)]))
    assert draws.conjugate.tolist() == [[5, 2], [1, 1], [1, 2], [1, 1], [2, 1]]


def test_a_right_answer_was_an_answer(counts_of):
    with_a = sample(counts_of([(1, 0, 1), (0, 0, 1)]))[0]
    without = sample(counts_of([(1, -1, 1), (0, -1, 1)]))[0]
    np.testing.assert_array_equal(with_a.conjugate, without.conjugate)


# Published 95% widths: the paper's and our reproductions at B = 500 on 100 joint rows.
@pytest.mark.parametrize(
    ("strategy", "target", "width"),
    [
        ("all_r", "G", 0.105),
        ("all_t", "G", 0.130),
        ("all_t", "T", 0.074),
        ("all_r", "T", 0.150),
    ],
)
def test_widths_of_the_allocation_study(counts_of_tables, qwen, strategy, target, width):
    widths = []
    for seed in range(60):
        counts = counts_of_tables([simulate(qwen, 500, strategy, n0=100, seed=seed)])
        worlds = world_probabilities(sample(counts, draws=2000, seed=seed)[0].theta)
        value = (
            worlds[..., 0] + worlds[..., 5] if target == "G" else worlds[..., 3] + worlds[..., 5]
        )
        lower, upper = np.quantile(value, [0.025, 0.975])
        widths.append(upper - lower)
    # Four standard errors of this mean, and the rounding of the figure.
    tolerance = 4 * np.std(widths) / np.sqrt(len(widths)) + 0.0015
    assert np.mean(widths) == pytest.approx(width, abs=tolerance)


@pytest.mark.parametrize("n", [300, 1000])
def test_all_t_from_nothing_is_wide_and_flagged(counts_of_tables, qwen, n):
    (draws,) = sample(counts_of_tables([simulate(qwen, n, "all_t", seed=1)]))
    lower, upper = np.quantile(adherence(draws.theta), [0.025, 0.975])
    assert 0.5 < upper - lower < 0.6
    assert "not_identified" in draws.diagnosis.codes


REVERSED_CASES = {
    "joint rows and T": [("all_t", 400, 80)],
    "no joint rows": [("all_t", 400, 0)],
    "T then R": [("t_then_r", 400, 0)],
    "R without T, T without R": [("all_r", 60, 40), ("all_t", 300, 0)],
    "only A": [("judge_only", 300, 30)],
    # So few that one power of a probability too many in the volume shows.
    "few rows": [("all_t", 4, 2)],
    "only A, few rows": [("judge_only", 3, 0)],
}


@pytest.mark.parametrize(
    "priors", [FLAT, Priors.jeffreys(), SKEWED], ids=["flat", "jeffreys", "skewed"]
)
@pytest.mark.parametrize("name", REVERSED_CASES)
def test_the_reversed_parametrisation_agrees_with_the_mixture(counts_of_tables, qwen, name, priors):
    tables = [
        simulate(qwen, n, s, n0=n0, seed=i) for i, (s, n, n0) in enumerate(REVERSED_CASES[name])
    ]
    cube, prior = label_cube(counts_of_tables(tables)), priors.theta_array()
    mixture = Mixture.of(cube, prior).sample(20_000, np.random.default_rng(1))
    other = sample_reversed(cube, prior, 20_000, np.random.default_rng(2))
    for values in (lambda t: t, np.square, world_probabilities, lambda t: adherence(t)[:, None]):
        a, b = values(mixture), values(other.theta)
        error = np.sqrt(a.var(axis=0) / len(a) + b.var(axis=0) / other.ess)
        # 17 statistics in 24 cases: five standard errors.
        assert (np.abs(a.mean(axis=0) - b.mean(axis=0)) < 5 * error).all()


def test_the_reversed_parametrisation_takes_rows_that_show_retrieval_alone(counts_of):
    rows = [(1, -1, -1)] * 12 + [(0, -1, -1)] * 3 + [(-1, 0, 1)] * 6 + [(-1, 1, -1), (0, 0, 0)]
    cube, prior = label_cube(counts_of(rows)), FLAT.theta_array()
    mixture = Mixture.of(cube, prior)
    theta, ess, _ = sample_reversed(cube, prior, 20_000, np.random.default_rng(2))
    worlds = world_probabilities(theta)
    error = worlds.std(axis=0) / np.sqrt(ess)
    assert (np.abs(worlds.mean(axis=0) - mixture.mean_worlds()) < 4.5 * error).all()


def test_large_tables_take_the_reversed_way(counts_of_tables, qwen):
    (draws,) = sample(counts_of_tables([simulate(qwen, 10_000, "all_t", n0=100, seed=1)]))
    assert draws.engine == "exact"
    assert "importance_weights" in draws.diagnosis.codes
    assert "reversed" in draws.reason
    assert min(draws.diagnosis.ess_bulk.values()) > 2000


def test_millions_of_rows_cost_nothing(counts_of_tables, qwen):
    """A hundred thousand times the counts; intervals shrink to the truth that is identified."""
    counts = counts_of_tables([simulate(qwen, 1000, seed=1)])
    many = type(counts)(patterns=counts.patterns, counts=counts.counts * 100_000)
    (draws,) = sample(many)
    g = adherence(draws.theta)
    assert g.std() < 1e-4
    assert g.mean() == pytest.approx(
        adherence(draws.conjugate[:, 0] / draws.conjugate.sum(axis=1)), abs=1e-5
    )


def test_weights_that_are_too_uneven_are_refused(counts_of_tables, qwen, monkeypatch):
    monkeypatch.setattr(exact, "MAX_CELLS", 0)
    strong = {"correct_given_hit": (4000, 10), "correct_given_miss": (10, 4000)}
    counts = counts_of_tables([simulate(qwen, 2000, "all_t", n0=20, seed=1)])
    with pytest.raises(EngineError, match="too uneven"):
        sample(counts, strong, engine="exact")


@pytest.mark.parametrize(
    ("rows", "judges", "match"),
    [
        ([(1, -1, 0), (-1, 0, 1)], (), "A is not seen on some rows"),
        ([(-1, -1, 0)], (), "A is not seen on some rows"),
        ([(-1, 0, 1, 1)], (Judge("jR", of="retrieval"),), "'jR'.*do not show R"),
        ([(1, 0, -1, 1)], (Judge("jT", of="task"),), "'jT'.*do not show T"),
        ([(1, -1, -1, 1)], (Judge("jA", of="abstention"),), "'jA'.*do not show A"),
    ],
)
def test_what_is_not_known_exactly_is_refused_with_the_reason(counts_of, rows, judges, match):
    with pytest.raises(EngineError, match=match):
        sample(counts_of(rows, judges), engine="exact")


def test_a_judge_checked_on_every_row_is_a_beta(counts_of):
    """The truth is known wherever there is a verdict, so its rates factor out."""
    rows = [(1, 0, 1, 1)] * 30 + [(1, 0, 0, 0)] * 10 + [(0, 1, -1, 1)] * 5 + [(-1, 0, 1, -1)] * 10
    (draws,) = sample(
        counts_of(rows, [Judge("j", of="retrieval", prior={"fpr": (2, 8)})]), draws=8000
    )
    assert draws.engine == "exact"
    assert stats.kstest(draws.tpr[..., 0].ravel(), stats.beta(31, 11).cdf).pvalue > 1e-4
    assert stats.kstest(draws.fpr[..., 0].ravel(), stats.beta(7, 8).cdf).pvalue > 1e-4


def test_a_shared_judge_has_the_same_draws_in_all_groups(counts_of, in_groups):
    for share, same in (("all", True), ("group", False)):
        judge = Judge("j", of="retrieval", share=share)
        right, wrong = [(1, 0, 1, 1), (0, 0, 0, 0)], [(1, 0, 1, 0), (0, 0, 0, 1)]
        parts = {"a": counts_of(right * 5, [judge]), "b": counts_of(wrong * 9, [judge])}
        first, second = sample(in_groups(parts))
        assert np.array_equal(first.tpr, second.tpr) is same
        assert not np.array_equal(first.theta, second.theta)
        beta = stats.beta(6, 10) if same else stats.beta(6, 1)
        assert stats.kstest(first.tpr.ravel(), beta.cdf).pvalue > 1e-4


def test_the_two_rates_of_a_judge_are_drawn_apart(counts_of):
    """Their posterior is a product: equal tallies give equal shapes, and no correlation."""
    judge = Judge("j", of="retrieval")
    counts = counts_of([(1, 0, 1, 1), (1, 0, 1, 0), (0, 0, 1, 1), (0, 0, 1, 0)] * 5, [judge])
    (draws,) = sample(counts, draws=20_000, engine="exact", seed=3)
    tpr, fpr = draws.tpr.ravel(), draws.fpr.ravel()
    assert abs(np.corrcoef(tpr, fpr)[0, 1]) < 4 / np.sqrt(len(tpr))
