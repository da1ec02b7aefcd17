"""Graded retrieval: closed forms, brute force, laws of merging, odd tables."""

import itertools
from math import lgamma

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rat_widgets.inference import sample
from rat_widgets.inference.convergence import mcse_mean
from rat_widgets.inference.exact import exact_mean_worlds
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors
from rat_widgets.model.simulated_tables import simulate
from rat_widgets.model.theta import GradedTheta
from rat_widgets.model.worlds import (
    PARAMETERS,
    branch_probabilities,
    level_probabilities,
    world_probabilities,
)

LEVELS = ("none", "partial", "all")
TRUTH = GradedTheta(
    retrieval={"none": 0.25, "partial": 0.35, "all": 0.40},
    abstain_given=(0.6, 0.3, 0.08),
    correct_given=(0.1, 0.45, 0.85),
)
ALPHA = (2.0, 0.7, 3.0)
SPEC = {
    "retrieval": ALPHA,
    "abstain_given[none]": (3, 1),
    "abstain_given[all]": (0.8, 4),
    "correct_given[partial]": (2, 2),
}
EXACT_OR_STEPS = pytest.mark.parametrize("engine", ["exact", "hmc", "nuts"])


def graded(patterns, rows=None, levels=LEVELS):
    """Counts of patterns (R, A, T)."""
    patterns = np.asarray(patterns, dtype=np.int8).reshape(-1, 3)
    rows = np.ones(len(patterns), dtype=np.int64) if rows is None else np.asarray(rows)
    return PatternCounts(
        retrieval_levels=levels,
        patterns=np.insert(patterns, 3, -1, axis=1),
        counts=rows[None],
    )


def table(n, *, seed, without_r=0, theta=TRUTH):
    """Complete rows drawn from the model, R hidden on the last ones; T is 0 where A is 1."""
    frame = simulate(theta, n, seed=seed)
    rows = np.stack([frame["R"].cat.codes, frame["A"], frame["T"].fillna(0)], axis=1).astype(int)
    rows[n - without_r :, 0] = -1
    return rows


def every_number(draws):
    """Branches, worlds and the squares of both, shape (chain, draw, statistic)."""
    p = branch_probabilities(draws.theta)
    return np.concatenate([p, p**2, world_probabilities(draws.theta)], axis=-1)


def assert_same(first, second, sigmas=4.5):
    """Means agree within their Monte Carlo errors."""
    a, b = every_number(first), every_number(second)
    error = np.hypot(mcse_mean(a), mcse_mean(b))
    gap = np.abs(a.mean(axis=(0, 1)) - b.mean(axis=(0, 1)))
    assert (gap < sigmas * error).all(), gap / error


# --- closed forms ------------------------------------------------------------------------


def dirichlet_errors(draws, alpha):
    """Means and second moments of the levels against a Dirichlet's, in Monte Carlo errors."""
    p = level_probabilities(draws.theta)
    total = alpha.sum()
    pairs = list(itertools.combinations_with_replacement(range(len(alpha)), 2))
    second = [alpha[i] * (alpha[j] + (i == j)) / (total * (total + 1)) for i, j in pairs]
    found = np.concatenate(
        [p, np.stack([p[..., i] * p[..., j] for i, j in pairs], axis=-1)], axis=-1
    )
    expected = np.array([*(alpha / total), *second])
    return np.abs(found.mean(axis=(0, 1)) - expected) / mcse_mean(found)


@pytest.mark.parametrize("engine", ["exact", "hmc"])
@pytest.mark.parametrize("pattern", [[], [[-1, -1, -1]] * 7])
def test_without_labels_the_levels_are_dirichlet_draws(engine, pattern):
    (draws,) = sample(graded(pattern), SPEC, engine=engine, draws=8000, seed=2)
    assert dirichlet_errors(draws, np.array(ALPHA)).max() < 4.5
    abstain = draws.theta[..., 2].ravel()
    assert abs(abstain.mean() - 0.75) < 4.5 * mcse_mean(draws.theta[..., 2])


@EXACT_OR_STEPS
def test_complete_rows_give_the_dirichlet_with_the_rows_of_each_level_added(engine):
    rows = table(200, seed=3)
    (draws,) = sample(graded(rows), SPEC, engine=engine, draws=8000, seed=3)
    alpha = np.array(ALPHA) + np.bincount(rows[:, 0], minlength=3)
    assert dirichlet_errors(draws, alpha).max() < 4.5
    for level, prior in enumerate([(3, 1), (1, 1), (0.8, 4)]):
        declined = rows[rows[:, 0] == level, 1]
        a, b = prior[0] + declined.sum(), prior[1] + (1 - declined).sum()
        p = draws.theta[..., 2 + level]
        assert abs(p.mean() - a / (a + b)) < 4.5 * mcse_mean(p)
        assert p.std() == pytest.approx(stats.beta(a, b).std(), rel=0.06)


def log_beta(a, b):
    return lgamma(a) + lgamma(b) - lgamma(a + b)


def brute_force_worlds(rows, priors, n_levels):
    """Posterior mean of P(world): every assignment of rows to worlds that they agree with.

    Given the assignment the posterior is a Dirichlet times Betas, whose evidence weighs it.
    """
    prior = priors.theta_array()
    split = prior[: n_levels - 1]
    alpha = np.array([split[-1, 1], *split[::-1, 0]])
    abstain, correct = np.split(prior[n_levels - 1 :], 2)
    total, weights = 0.0, 0.0
    worlds = [(r, a, t) for r in range(n_levels) for a, t in ((1, 0), (0, 0), (0, 1))]
    agreeing = [
        [w for w in worlds if all(s in (-1, x) for s, x in zip(row, w, strict=True))]
        for row in rows
    ]
    for assigned in itertools.product(*agreeing):
        n = np.zeros((n_levels, 2, 2))
        for r, a, t in assigned:
            n[r, a, t] += 1
        level = alpha + n.sum(axis=(1, 2))
        a = abstain + np.stack([n[:, 1].sum(axis=1), n[:, 0].sum(axis=1)], axis=1)
        t = correct + n[:, 0, ::-1]
        log = sum(map(lgamma, level)) + sum(log_beta(*x) for x in (*a, *t))
        p_level, p_a, p_t = level / level.sum(), *(x[:, 0] / x.sum(axis=1) for x in (a, t))
        answered = p_level * (1 - p_a)
        ends = np.stack([answered * (1 - p_t), answered * p_t], axis=1).ravel()
        weight = np.exp(log)
        total = total + weight * np.concatenate([p_level * p_a, ends])
        weights += weight
    return total / weights


BRUTE = {
    "R missing": [(-1, 0, 1), (-1, 0, 0), (-1, 1, 0), (0, 1, 0), (2, 0, 1), (1, 0, 0), (-1, 0, 1)],
    "R and A missing": [(-1, -1, 0), (-1, -1, 1), (0, -1, 0), (2, 0, 1), (-1, 0, -1)],
    "R never seen": [(-1, 0, 1)] * 3 + [(-1, 1, 0)] * 3,
}


@pytest.mark.parametrize("engine", ["hmc", "nuts"])
@pytest.mark.parametrize("name", BRUTE)
@pytest.mark.parametrize("spec", [None, SPEC])
def test_mean_worlds_are_those_of_brute_force(name, engine, spec):
    counts = graded(BRUTE[name])
    (draws,) = sample(counts, spec, engine=engine, draws=16_000, seed=1)
    expected = brute_force_worlds(BRUTE[name], Priors.from_spec(spec, (), LEVELS), 3)
    p = world_probabilities(draws.theta)
    assert (np.abs(p.mean(axis=(0, 1)) - expected) < 4.5 * mcse_mean(p)).all()


@pytest.mark.parametrize("a_seen", [True, False])
def test_exact_mean_worlds_are_those_of_brute_force(a_seen):
    rows = [(0, 1, 0), (0, 0, 1), (1, 0, 0), (2, 0, 1), (2, 0, -1), (2, 1, 0)]
    rows = rows if a_seen else [(r, -1 if t == 0 else a, t) for r, a, t in rows]
    priors = Priors.from_spec(SPEC, (), LEVELS)
    expected = brute_force_worlds(rows, priors, 3)
    assert np.allclose(exact_mean_worlds(graded(rows), priors), expected, rtol=1e-12)


# --- engines agree -----------------------------------------------------------------------


def test_hmc_agrees_with_nuts_where_r_is_missing():
    counts = graded(table(200, seed=4, without_r=150))
    hmc, nuts = (sample(counts, SPEC, engine=e, draws=8000, seed=1)[0] for e in ("hmc", "nuts"))
    assert max(hmc.diagnosis.r_hat.values()) < 1.01
    assert_same(hmc, nuts)


# --- merging levels ----------------------------------------------------------------------

ROWS = st.lists(st.integers(0, 30), min_size=9, max_size=9)
COMPLETE = [(r, a, t) for r in range(3) for a, t in ((1, -1), (0, 0), (0, 1))]
POSITIVE = st.floats(0.1, 20)


@settings(max_examples=60, deadline=None)
@given(ROWS, POSITIVE, POSITIVE, POSITIVE)
def test_merging_the_levels_below_the_top_leaves_the_top_as_it_is(rows, none, partial, top):
    """A Dirichlet stays one when levels are added up: Beta(top, none + partial)."""
    three = graded(COMPLETE, rows)
    two = graded([(int(r == 2), a, t) for r, a, t in COMPLETE], rows, levels=("miss", "hit"))
    of_top = {"abstain_given[all]": (2, 5), "correct_given[all]": (4, 1)}
    (graded_draws,) = sample(
        three, {"retrieval": [none, partial, top], **of_top}, engine="exact", draws=16
    )
    (merged,) = sample(
        two,
        {
            "retrieval_success": (top, none + partial),
            "abstain_given_hit": (2, 5),
            "correct_given_hit": (4, 1),
        },
        engine="exact",
        draws=16,
    )
    names = Priors.flat((), LEVELS).names
    for ours, theirs in (
        ("retrieval[all]", "retrieval_success"),
        ("abstain_given[all]", "abstain_given_hit"),
        ("correct_given[all]", "correct_given_hit"),
    ):
        np.testing.assert_allclose(
            graded_draws.conjugate[names.index(ours)],
            merged.conjugate[PARAMETERS.index(theirs)],
            rtol=1e-12,
        )


@EXACT_OR_STEPS
def test_merging_the_two_levels_at_the_top_leaves_the_lowest_as_it_is(engine):
    rows = table(150, seed=6)
    (three,) = sample(graded(rows), {"retrieval": ALPHA}, engine=engine, draws=8000, seed=1)
    two = rows.copy()
    two[:, 0] = rows[:, 0] > 0
    (merged,) = sample(
        graded(two, levels=("low", "high")),
        {"retrieval_success": (ALPHA[1] + ALPHA[2], ALPHA[0])},
        engine="exact",
        draws=40_000,
        seed=2,
    )
    lowest = level_probabilities(three.theta)[..., 0], 1 - merged.theta[..., 0]
    abstain, correct = ((three.theta[..., i], merged.theta[..., j]) for i, j in ((2, 1), (5, 3)))
    for ours, theirs in (lowest, abstain, correct):
        for power in (1, 2):
            gap = (ours**power).mean() - (theirs**power).mean()
            assert abs(gap) < 4.5 * np.hypot(mcse_mean(ours**power), mcse_mean(theirs**power))


def test_levels_that_behave_alike_may_be_merged_where_r_is_missing():
    """Held together by a strong prior, the lower two levels are the misses of `exact`."""
    rows = table(120, seed=7, without_r=90)
    alike = {"abstain_given": 0.4, "correct_given": 0.2}
    strong = {key: {"mean": p, "equivalent_labels": 1e7} for key, p in alike.items()}
    spec = {"retrieval": ALPHA}
    spec |= {f"{key}[{level}]": strong[key] for key in alike for level in ("none", "partial")}
    (three,) = sample(graded(rows), spec, engine="hmc", draws=8000, seed=1)
    two = rows.copy()
    two[:, 0] = np.where(rows[:, 0] == -1, -1, rows[:, 0] == 2)
    (merged,) = sample(
        graded(two, levels=("miss", "hit")),
        {
            "retrieval_success": (ALPHA[2], ALPHA[0] + ALPHA[1]),
            **{f"{key}_miss": strong[key] for key in alike},
        },
        engine="exact",
        draws=40_000,
        seed=2,
    )
    for i, j in ((0, 0), (4, 2), (7, 4)):
        for power in (1, 2):
            ours, theirs = three.theta[..., i] ** power, merged.theta[..., j] ** power
            error = np.hypot(mcse_mean(ours), mcse_mean(theirs))
            assert abs(ours.mean() - theirs.mean()) < 4.5 * error


@pytest.mark.parametrize("engine", ["exact", "hmc", "laplace"])
def test_two_levels_by_any_names_are_miss_and_hit(engine):
    rows = table(90, seed=8, without_r=30)
    rows[:, 0] = np.where(rows[:, 0] == -1, -1, rows[:, 0] == 2)
    named, plain = graded(rows, levels=("nothing", "all")), graded(rows, levels=("miss", "hit"))
    assert named == plain
    a, b = (sample(counts, engine=engine, draws=400, seed=1)[0] for counts in (named, plain))
    assert a.priors.names == PARAMETERS
    assert np.array_equal(a.theta, b.theta)


# --- odd tables --------------------------------------------------------------------------

TEN = tuple("abcdefghij")
EACH = [(r, a, t) for r in range(10) for a, t in ((1, -1), (0, 0), (0, 1))]


def width(draws, name):
    """Of the central 95% of a parameter."""
    p = draws.theta[..., draws.priors.names.index(name)]
    return float(np.diff(np.quantile(p, [0.025, 0.975]))[0])


@pytest.mark.parametrize("engine", ["exact", "hmc"])
def test_a_level_that_no_row_shows_keeps_its_prior_and_is_named(engine):
    counts = graded([(0, 1, -1), (0, 0, 0), (2, 0, 1), (2, 0, 0)], [40, 10, 100, 20])
    (draws,) = sample(counts, engine=engine, draws=8000, seed=1)
    for i in (3, 6):
        for power in (1, 2):
            p = draws.theta[..., i] ** power
            assert abs(p.mean() - 1 / (power + 1)) < 4.5 * mcse_mean(p)
    assert dirichlet_errors(draws, np.array([51.0, 1.0, 121.0])).max() < 4.5
    (message,) = (m for m in draws.diagnosis.messages if m.code == "level_unseen")
    assert message.level == "warning"
    assert "None of the 170 rows that show R is 'partial'" in message.text
    assert "abstain_given[partial] and correct_given[partial] rest on the prior." in message.text


def test_a_level_that_only_rows_without_r_may_have_is_named(counts_of):
    counts = graded([(0, 1, -1), (2, 0, 1), (-1, 0, 1)], [40, 100, 30])
    assert "prior and on rows that do not show R" in str(sample(counts)[0].diagnosis)
    two = counts_of([(0, 1, -1)] * 40 + [(0, 0, 1)] * 40)
    assert "abstain_given_hit and correct_given_hit rest" in str(sample(two)[0].diagnosis)


def test_levels_that_are_all_shown_or_never_asked_for_are_not_named(counts_of):
    for counts in (
        graded(table(200, seed=9)),
        graded(table(200, seed=9, without_r=200)),
        counts_of([(0, 1, -1), (1, 0, 1)] * 40),
    ):
        assert "level_unseen" not in sample(counts)[0].diagnosis.codes


@pytest.mark.parametrize("engine", ["auto", "hmc", "laplace"])
@pytest.mark.parametrize("row", [(1, 0, 1), (-1, 0, 1), (-1, -1, 1), (2, -1, -1)])
def test_one_row_moves_the_prior_a_little_and_is_said_to_be_few(engine, row):
    (draws,) = sample(graded([row]), engine=engine, draws=4000, seed=1)
    assert np.isfinite(draws.theta).all()
    assert "few_labels" in draws.diagnosis.codes
    assert all(width(draws, name) > 0.6 for name in draws.priors.names)


@pytest.mark.parametrize("engine", ["exact", "hmc", "laplace"])
def test_rows_that_show_nothing_are_said_to_be_the_prior(engine):
    (draws,) = sample(graded([(-1, -1, -1)], [500]), SPEC, engine=engine, draws=4000, seed=1)
    assert draws.diagnosis.codes == ("no_labels",)
    assert dirichlet_errors(draws, np.array(ALPHA)).max() < 4.5


@pytest.mark.parametrize("spec", [None, "jeffreys"])
def test_ten_levels_on_complete_rows_are_a_dirichlet(spec):
    rows = np.arange(1, 31)
    alpha = rows.reshape(10, 3).sum(axis=1) + (0.5 if spec else 1.0)
    for engine in ("exact", "hmc"):
        (draws,) = sample(graded(EACH, rows, TEN), spec, engine=engine, draws=8000, seed=1)
        assert draws.diagnosis.ok
        assert dirichlet_errors(draws, alpha).max() < 5


@pytest.mark.parametrize("levels", [LEVELS, TEN])
def test_levels_without_r_are_wide_and_flagged_and_yet_well_mixed(levels):
    """Once, steps that suit one mode alone left 255 effective draws of 4,000 here, or 104."""
    counts = graded([(-1, 0, 1), (-1, 0, 0), (-1, 1, -1)], [300, 200, 100], levels)
    (draws,) = sample(counts, seed=1)
    assert draws.engine == "hmc"
    assert np.isfinite(draws.theta).all()
    assert max(draws.diagnosis.r_hat.values()) < 1.01
    assert min(draws.diagnosis.ess_bulk.values()) > 400
    assert draws.diagnosis.codes == ("not_identified",)
    assert all(width(draws, f"correct_given[{level}]") > 0.8 for level in levels)
    # Nothing tells the levels apart, so their posteriors are the same.
    p = level_probabilities(draws.theta)
    assert (np.abs(p.mean(axis=(0, 1)) - 1 / len(levels)) < 4.5 * mcse_mean(p)).all()


def test_a_group_without_r_has_the_draws_that_it_has_among_others():
    """Bit by bit, though each takes steps of its own length."""
    patterns = [(-1, 0, 1), (-1, 0, 0), (-1, 1, -1), (0, 1, -1), (1, 0, 0), (2, 0, 1)]
    rows = {"a": [300, 200, 100, 0, 0, 0], "b": [40, 9, 700, 0, 0, 0], "c": [30, 20, 9, 8, 7, 6]}
    every = PatternCounts(
        by=("system",),
        groups=tuple((key,) for key in rows),
        retrieval_levels=LEVELS,
        patterns=np.insert(np.array(patterns, dtype=np.int8), 3, -1, axis=1),
        counts=np.array(list(rows.values())),
    )
    together = sample(every, engine="hmc", draws=800, seed=4)
    for i, draws in enumerate(together):
        (alone,) = sample(every.group(i), engine="hmc", draws=800, seed=4)
        assert np.array_equal(draws.theta, alone.theta)


def test_ten_levels_with_r_missing_agree_with_brute_force():
    rows = [(-1, 0, 1), (-1, 1, 0), (3, 0, 1), (9, 0, 0)]
    (draws,) = sample(graded(rows, levels=TEN), draws=16_000, seed=1)
    p = world_probabilities(draws.theta)
    expected = brute_force_worlds(rows, Priors.flat((), TEN), 10)
    assert (np.abs(p.mean(axis=(0, 1)) - expected) < 5 * mcse_mean(p)).all()
