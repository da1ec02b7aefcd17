"""Our engines and our likelihood against stored runs of Stan; PyStan is not needed."""

from dataclasses import replace

import numpy as np
import pytest

from rat_widgets.errors import EngineError
from rat_widgets.model.likelihood import log_likelihood
from rat_widgets.model.priors import Beta
from stan_equivalents import agreement, references
from stan_equivalents.agreement import (
    APPROXIMATE,
    MOST_ERRORS,
    Summary,
    compare,
    engines,
    our_draws,
    our_log_density,
    summaries,
)
from stan_equivalents.cases import CASES, case
from stan_equivalents.verdicts import KINDS as VERDICT_KINDS
from stan_equivalents.verdicts import simplices

EVERY = pytest.mark.parametrize("name", CASES)
REFUSED_BY_EXACT = {
    "a_missing",
    "judges",
    "judges_a_hidden",
    "judges_abstained_rate",
    "groups",
    "graded_r_missing",
    "graded_a_missing",
    "graded_priors",
    "graded_four_levels",
    "graded_unseen_level",
    "graded_judges",
    *(name for name in CASES if case(name).kind in VERDICT_KINDS),
}


def errors_of(reference, engine, *, draws=8000, seed=5):
    """The largest difference of a mean or an interval's end, in Monte Carlo errors."""
    ours = summaries(our_draws(reference.case, engine, reference.summary, draws=draws, seed=seed))
    found = compare(ours, reference.summary)
    return max(max(abs(c.mean_errors), abs(c.end_errors)) for c in found)


@EVERY
def test_stored_data_are_those_that_the_seeds_give(name):
    stored, made = references.read(name).case, case(name)
    assert stored.counts == made.counts
    assert stored.priors == made.priors
    assert stored.origin == made.origin


@EVERY
def test_stored_runs_have_converged(name):
    found = references.read(name)
    assert found.diagnostics["largest_r_hat"] < 1.001
    assert found.diagnostics["smallest_ess_bulk"] > 40_000
    assert found.diagnostics["n_divergent"] == 0
    assert found.settings == references.settings_of(name)


@EVERY
def test_the_log_density_is_stans_per_row_and_collapsed(name):
    found = references.read(name)
    programs = {f"{found.case.kind}_{how}" for how in ("counts", "rows")} - {
        "groups_rows",
        "pooled_rows",
    }
    assert set(found.log_density) == programs
    ours = [our_log_density(found.case, point) for point in found.points]
    for values in found.log_density.values():
        np.testing.assert_allclose(ours, values, rtol=1e-11)


# Compiling takes long where there are many rates: `make stan` compares nuts with these as well.
LEFT_TO_MAKE_STAN = {
    ("nuts", name)
    for name in CASES
    if case(name).kind in ("graded", *VERDICT_KINDS)
    and name not in ("graded_a_missing", "saturated_pair")
}


@pytest.mark.parametrize(
    ("engine", "name"),
    [
        (engine, name)
        for engine in engines()
        if engine not in APPROXIMATE
        for name in CASES
        if (engine, name) not in LEFT_TO_MAKE_STAN
    ],
)
def test_every_engine_agrees_with_stan(name, engine):
    found = references.read(name)
    try:
        worst = errors_of(found, engine)
    except EngineError:
        by_kind = (engine == "pooled") != (found.case.kind == "pooled")
        assert by_kind or (engine == "exact" and name in REFUSED_BY_EXACT)
        return
    assert worst < MOST_ERRORS


def test_another_prior_is_noticed():
    """The same comparison fails where the model is wrong by one label in four hundred."""
    found = references.read("complete")
    prior = found.case.priors
    wrong = replace(prior, theta=(*prior.theta[:-1], Beta(1, 2)))
    other = replace(found, case=replace(found.case, priors=wrong))
    assert errors_of(other, "exact", draws=100_000) > MOST_ERRORS


def test_the_density_of_splits_without_their_derivative_is_noticed(monkeypatch):
    """Stan's density is that of the levels: without the derivative ours is another one."""
    found = references.read("graded_four_levels")
    splits = agreement._splits
    monkeypatch.setattr(agreement, "_splits", lambda *args: (splits(*args)[0], 0.0))
    gaps = [
        our_log_density(found.case, point) - value
        for point, value in zip(found.points, found.log_density["graded_counts"], strict=True)
    ]
    assert np.abs(gaps).min() > 0.01


@pytest.mark.parametrize("name", [name for name in CASES if case(name).kind == "graded"])
def test_the_levels_of_a_stored_point_sum_to_one(name):
    for point in references.read(name).points:
        levels = [value for key, value in point.items() if key.startswith("retrieval[")]
        assert len(levels) == len(references.read(name).case.counts.retrieval_levels)
        assert sum(levels) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("name", ["levels_of_t", "levels_of_r_and_t"])
def test_the_levels_of_a_verdict_at_a_stored_point_sum_to_one(name):
    found = references.read(name)
    for point in found.points:
        for levels, _ in simplices(found.case.counts):
            assert sum(point[key] for key in levels) == pytest.approx(1, abs=1e-12)


def test_the_density_of_splits_of_verdicts_without_their_derivative_is_noticed(monkeypatch):
    found = references.read("levels_of_t")
    monkeypatch.setattr(agreement, "_log_left", lambda p: 0.0)
    gaps = [
        our_log_density(found.case, point) - value
        for point, value in zip(found.points, found.log_density["graded_judge_counts"], strict=True)
    ]
    assert np.abs(gaps).min() > 0.01


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("levels_of_t", "level_{}_given_1[g]", (3, 2)),
        ("t_by_r", "fpr_given_{}[d]", ("miss", "hit")),
        ("r_by_t", "fpr_given_{}[d]", ("right", "not_right")),
        ("saturated_pair", "pass_given_hit_wrong_after_{}[b]", (0, 1)),
        ("saturated_three", "pass_given_hit_wrong_after_{}[c]", ("01", "10")),
    ],
)
def test_rates_that_changed_places_are_noticed(name, one, other):
    found = references.read(name)
    point = dict(found.points[0])
    a, b = (one.format(word) for word in other)
    point[a], point[b] = point[b], point[a]
    program = f"{found.case.kind}_counts"
    assert abs(our_log_density(found.case, point) - found.log_density[program][0]) > 1


def test_a_verdict_on_an_abstention_taken_for_silence_is_noticed():
    """A factor of 1 for both verdicts, where A is hidden, is another density than Stan's."""
    found = references.read("judges_a_hidden")
    point, counts = found.points[0], found.case.counts
    names = found.case.priors.names
    values = np.array([point[name] for name in names])
    patterns = counts.patterns.copy()
    patterns[patterns[:, 1] == -1, 5] = -1
    rates = {"tpr": values[5:7], "fpr": values[7:9], "judges": counts.judges}
    right, silent = (
        log_likelihood(p, counts.counts[0], values[:5], **rates)
        for p in (counts.patterns, patterns)
    )
    assert abs(right - silent) > 1


def test_the_summary_of_independent_normal_draws_has_the_errors_of_theory():
    """Quantile: sqrt(p (1 - p) / n) / density; mean: 1 / sqrt(n)."""
    draws = np.random.default_rng(3).standard_normal((4, 25_000))
    found = Summary.of(draws)
    assert found.se_mean == pytest.approx(1 / np.sqrt(100_000), rel=0.05)
    theory = np.sqrt(0.025 * 0.975 / 100_000) / 0.0584451
    assert found.se_lower == pytest.approx(theory, rel=0.15)
    assert found.se_upper == pytest.approx(theory, rel=0.15)
    assert found.lower == pytest.approx(-1.959964, abs=5 * theory)
