"""Score tests of judges: laws, and agreement with tests that need no model."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import chi2_contingency, norm

import rat_widgets as rat
from rat_widgets.inference.departures import _TOGETHER, LEANING
from rat_widgets.inference.dependence import dependence_tests as _of_scores
from rat_widgets.inference.dependence import group_scores
from rat_widgets.inference.splits import local_mode, splits_of
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.table import Labels
from rat_widgets.model.likelihood import log_likelihood
from rat_widgets.model.priors import Priors

THETA = rat.Theta(
    retrieval_success=0.5,
    abstain_given_miss=0.4,
    abstain_given_hit=0.1,
    correct_given_miss=0.35,
    correct_given_hit=0.7,
)
JUDGES = (rat.Judge("jR", of="retrieval"), rat.Judge("jT", of="task"))
START = np.array([0.5] * 5 + [0.8] * 2 + [0.2] * 2)


def dependence_tests(*args, **settings):
    return _of_scores(group_scores(*args, **settings))


def _frame(seed, n_human, n_only, *, after_miss=0.0, if_right=0.0, copied=0.0, judges=JUDGES):
    """Tables in which the judge of T passes more after a miss, that of R if T=1, or one copies."""
    rng = np.random.default_rng([seed, 1])
    frame = rat.simulate(THETA, n=n_human + n_only, seed=seed).astype(float)
    r, t = frame["R"].to_numpy(), frame["T"].fillna(0).to_numpy()
    pass_r = np.where(r == 1, 0.9, 0.1 + if_right * (t == 1))
    pass_t = np.where(t == 1, 0.9, 0.1 + after_miss * (r == 0))
    for judge in judges:
        passes = pass_r if judge.of == "retrieval" else pass_t
        frame[judge.column] = (rng.random(len(frame)) < passes).astype(float)
    of_task = [judge.column for judge in judges if judge.of == "task"]
    for column in of_task[1:]:
        copies = rng.random(len(frame)) < copied
        frame.loc[copies, column] = frame.loc[copies, of_task[0]]
    frame.loc[n_human:, ["R", "T"]] = np.nan
    return frame


def _tested(frame, judges=JUDGES, start=START, **settings):
    counts = Labels.from_frame(frame, judges=list(judges)).counts
    return dependence_tests(counts, Priors.flat(judges), start, **settings).all()


def _tests(frame, judges=JUDGES, start=START):
    return _tested(frame, judges, start).tests


def _alone(found, k):
    """The test of a single class."""
    alone = replace(
        found,
        tilts=(found.tilts[k],),
        u=found.u[[k]],
        left=found.left[:, [k]],
        variance=found.variance[[k]],
        by_chance=found.by_chance[:, [k]],
    )
    return alone.all().tests[0]


def _of(tests, judges, context=None):
    return next(t for t in tests if t.judges == judges and t.context == context)


def test_on_labelled_rows_a_check_of_one_class_is_the_test_of_a_two_by_two_table() -> None:
    # Pearson's chi-square without a correction; ours differs by the skewness, which large tables
    # do not have, by a twentieth of a label of a prior, and by the variance given the verdicts.
    for seed in range(4):
        frame = _frame(seed, 4000, 0, after_miss=0.08)
        found = _of(_tests(frame), (1,), "retrieval")
        inside = frame[(frame["A"] == 0) & (frame["T"] == found.truth)]
        table = pd.crosstab(inside["R"], inside["jT"]).to_numpy()
        pearson = chi2_contingency(table, correction=False).statistic
        assert abs(found.z) == pytest.approx(np.sqrt(pearson), rel=0.05, abs=0.1)


def test_the_mode_is_that_of_the_likelihood() -> None:
    counts = Labels.from_frame(_frame(3, 60, 300), judges=list(JUDGES)).counts
    prior = np.full((9, 2), 1.5)
    splits = splits_of(counts.patterns, counts.judges)
    mode = local_mode(splits, counts.counts[0].astype(float), prior, START)

    def loss(logit):
        p = 1 / (1 + np.exp(-logit))
        fit = log_likelihood(
            counts.patterns, counts.counts[0], p[:5], p[5:7], p[7:], judges=counts.judges
        )
        return -(fit + (1.5 * np.log(p) + 1.5 * np.log1p(-p)).sum())

    other = minimize(loss, np.log(START / (1 - START)), method="BFGS")
    # The mode is found to a thousandth of a logit.
    np.testing.assert_allclose(mode, 1 / (1 + np.exp(-other.x)), atol=1e-3)


@given(st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_judges_told_in_another_order_are_tested_alike(seed) -> None:
    frame = _frame(seed, 60, 200)
    there = _tests(frame, JUDGES[::-1])
    for test in _tests(frame):
        image = _of(there, tuple(sorted(1 - j for j in test.judges)), test.context)
        assert image.p == pytest.approx(test.p, abs=2e-3)  # modes are found to a thousandth


def test_few_tables_of_good_judges_are_suspected() -> None:
    p = np.array([[t.p for t in _tests(_frame(seed, 100, 500))] for seed in range(100)])
    # Binomial(100, 0.05) is 11 or more in one of 100 runs; seeds are fixed.
    assert ((p < 0.05).sum(axis=0) <= 11).all()


@pytest.mark.parametrize("n_judges", [1, 3])
def test_of_well_behaved_tables_the_share_asked_for_is_above_the_threshold(n_judges) -> None:
    judges = (JUDGES[0], *(rat.Judge(f"jT{i}", of="task") for i in range(n_judges)))
    start = np.r_[[0.5] * 5, [0.8] * len(judges), [0.2] * len(judges)]
    n_tables, level = 150, 0.2
    above = 0
    for seed in range(n_tables):
        tested = _tested(_frame(seed, 100, 500, judges=judges), judges, start)
        above += tested.evidence > tested.threshold(level)
    # Labels are few and whole, and rates are estimated: a share is asked for and not more.
    error = np.sqrt(level * (1 - level) / n_tables)
    assert abs(above / n_tables - level) < 3 * error


def _groups(frames, judges=JUDGES):
    many = pd.concat([frame.assign(system=i) for i, frame in enumerate(frames)])
    return Labels.from_frame(many, judges=list(judges), by="system").counts


def test_copies_of_a_group_are_as_much_more_evidence_as_there_are() -> None:
    frame = _frame(4, 400, 600, after_miss=0.1)
    one = Labels.from_frame(frame, judges=list(JUDGES)).counts
    prior = np.full((9, 2), 1.1)
    mode = local_mode(
        splits_of(one.patterns, one.judges), one.counts[0].astype(float), prior - 1, START
    )
    alone = dependence_tests(one, Priors.flat(JUDGES), mode)
    four = dependence_tests(_groups([frame] * 4), Priors.flat(JUDGES), mode)
    np.testing.assert_allclose(four.variance, 4 * alone.variance, rtol=0.02)
    z, of_four = (found.u / np.sqrt(found.variance) for found in (alone, four))
    # The prior of the rates is one label's tenth in either; modes are found to a thousandth.
    np.testing.assert_allclose(of_four, 2 * z, rtol=0.02, atol=0.1)


def test_of_well_behaved_groups_that_share_judges_the_share_asked_for_is_above_the_threshold():
    # Few labels in each group, whose probabilities are its own; rates from where they are known
    # as well as labels tell, which a step of scoring takes to where they fit.
    n_tables, level = 60, 0.2
    above = 0
    start = np.array([0.5] * 5 + [0.9] * 2 + [0.1] * 2)
    for seed in range(n_tables):
        frames = [_frame(1000 * seed + g, 20, 100) for g in range(4)]
        tested = dependence_tests(_groups(frames), Priors.flat(JUDGES), start).all()
        above += tested.evidence > tested.threshold(level)
    error = np.sqrt(level * (1 - level) / n_tables)
    assert abs(above / n_tables - level) < 3 * error


def test_the_more_tests_are_looked_at_the_more_evidence_is_asked_for() -> None:
    tested = _tested(_frame(0, 100, 500))
    one = tested.only(lambda test: test.context == "retrieval")
    assert len(one.tests) == 1
    assert one.evidence == pytest.approx(one.tests[0].log_bf)
    assert tested.threshold(0.1) > one.threshold(0.1)
    nothing = tested.only(lambda _test: False)
    assert nothing.evidence == nothing.threshold(0.1) == -np.inf
    # A tenth of what the draws can show: ten times the factor, which is more than is needed.
    assert one.threshold(0.005) == pytest.approx(one.threshold(0.05) + np.log(10))


def test_a_bayes_factor_is_the_likelihood_ratio_averaged_over_departures() -> None:
    # A departure d moves a statistic of information V by d sqrt(V): averaged by quadrature.
    frame = _frame(1, 150, 300, after_miss=0.2)
    counts = Labels.from_frame(frame, judges=list(JUDGES)).counts
    found = dependence_tests(counts, Priors.flat(JUDGES), START)
    tested = found.all()

    def averaged(z, information, sd, *, half):
        def integrand(d):
            return norm.pdf(z, d * np.sqrt(information)) / norm.pdf(z) * norm.pdf(d, 0, sd)

        low = 0 if half else -8 * sd
        return np.log(quad(integrand, low, 8 * sd)[0] * (2 if half else 1))

    together = _of(tested.tests, (0, 1))
    (k,) = [k for k, tilt in enumerate(found.tilts) if tilt.context is None]
    wanted = averaged(together.z, found.variance[k], _TOGETHER, half=True)
    assert together.log_bf == pytest.approx(wanted, abs=1e-6)
    # Of a dependence: the product over the classes of the truth.
    ks = [k for k, tilt in enumerate(found.tilts) if tilt.context == "retrieval"]
    wanted = sum(averaged(_alone(found, k).z, found.variance[k], LEANING, half=False) for k in ks)
    assert _of(tested.tests, (1,), "retrieval").log_bf == pytest.approx(wanted, abs=1e-6)


def test_where_nothing_is_wrong_a_bayes_factor_is_one_on_average() -> None:
    tested = _tested(_frame(2, 200, 500))
    factors = np.exp(tested.by_chance)
    error = factors.std(axis=0) / np.sqrt(len(factors))
    # Up to what is left of the skewness of whole labels.
    assert (np.abs(factors.mean(axis=0) - 1) < 4 * error + 0.1).all()


@pytest.mark.parametrize(
    ("departure", "judges", "context", "truth"),
    [
        ({"after_miss": 0.6}, (1,), "retrieval", 0),
        ({"if_right": 0.6}, (0,), "task", 0),
    ],
)
def test_what_the_errors_depend_on_is_the_clearest_of_all(
    departure, judges, context, truth
) -> None:
    for seed in range(5):
        clearest = min(_tests(_frame(seed, 150, 1000, **departure)), key=lambda t: t.p)
        assert (clearest.judges, clearest.context, clearest.truth) == (judges, context, truth)
        assert clearest.p < 1e-3
        assert (clearest.z < 0) == ("after_miss" in departure)


def test_judges_that_copy_are_found_among_three() -> None:
    three = tuple(rat.Judge(f"j{i}", of="task") for i in range(3))
    start = np.array([0.5] * 5 + [0.8] * 3 + [0.2] * 3)
    for seed in range(5):
        frame = _frame(seed, 150, 1000, copied=0.85, judges=three)
        together = [t for t in _tested(frame, three, start).tests if t.context is None]
        assert {t.judges for t in together} == {(0, 1), (0, 2), (1, 2), (0, 1, 2)}
        assert together[-1].judges == (0, 1, 2)
        assert together[-1].p < 1e-3
        assert min(t.z for t in together) > 0


def test_verdicts_without_labels_are_evidence() -> None:
    # The same 60 labelled rows, with and without 4,000 rows that show A and two verdicts.
    more = fewer = 0.0
    for seed in range(8):
        frame = _frame(seed, 60, 4000, after_miss=0.5)
        more += abs(_of(_tests(frame), (1,), "retrieval").z)
        fewer += abs(_of(_tests(frame.iloc[:60]), (1,), "retrieval").z)
    assert more > 1.2 * fewer


@pytest.mark.parametrize("n_levels", [2, 3])
def test_cannot_tell_may_depend_on_retrieval_too(n_levels) -> None:
    rng = np.random.default_rng(1)
    n = 600
    level = rng.integers(0, n_levels, n)
    task = (rng.random(n) < 0.5).astype(float)
    verdict = np.where(rng.random(n) < 0.85, task, 1 - task).astype(object)
    verdict[rng.random(n) < 0.05 + 0.5 * (level == 0)] = "unsure"
    frame = pd.DataFrame({"R": level, "A": 0, "T": task, "jT": verdict})
    judge = rat.Judge("jT", of="task", unknown="unsure")
    levels = None if n_levels == 2 else ("none", "partial", "all")
    counts = Labels.from_frame(frame, judges=[judge], retrieval_levels=levels).counts
    priors = Priors.flat(counts.judges, counts.retrieval_levels)
    found = dependence_tests(counts, priors, np.full(len(priors.names), 0.5)).all().tests
    assert [t.context for t in found] == ["retrieval"]
    assert found[0].p < 1e-6


def test_a_rate_that_is_held_is_not_refitted() -> None:
    frame = _frame(0, 150, 0)
    counts = Labels.from_frame(frame, judges=list(JUDGES)).counts
    priors = Priors.flat(JUDGES).holding({"fpr[jT]": 0.1})
    start = START.copy()
    start[8] = 0.1
    scores = group_scores(counts, priors, start)
    assert scores.scores[0].p[8] == pytest.approx(0.1, abs=1e-9)
    assert all(np.isfinite(t.z) for t in _of_scores(scores).all().tests)


def test_where_rows_tell_nothing_nothing_is_said() -> None:
    frame = _frame(0, 0, 40).assign(R=np.nan, T=np.nan)
    for test in _tests(frame):
        assert test.p > 0.01


@st.composite
def _counts(draw):
    """Any patterns of up to three judges, one of which may say that it cannot tell."""
    n_levels = draw(st.sampled_from([2, 3]))
    targets = ["task", "abstention"] + ["retrieval"] * (n_levels == 2)
    judges = tuple(
        rat.Judge(
            f"j{i}",
            of=of,
            unknown="unsure" if draw(st.booleans()) else None,
            abstained_rate=draw(st.sampled_from([None, 0.0, 0.3])) if of == "task" else None,
        )
        for i, of in enumerate(draw(st.lists(st.sampled_from(targets), min_size=1, max_size=3)))
    )
    rows = [
        [
            draw(st.integers(-1, n_levels - 1)),
            a := draw(st.integers(-1, 1)),
            draw(st.integers(-1, 1)) if a == 0 else -1,
            -1,
            *(draw(st.integers(-1, 1 + judge.has_unknown)) for judge in judges),
        ]
        for _ in range(draw(st.integers(1, 12)))
    ]
    levels = ("none", "partial", "all") if n_levels == 3 else None
    n = draw(st.lists(st.integers(1, 400), min_size=len(rows), max_size=len(rows)))
    return PatternCounts.from_patterns(rows, n, judges=judges, retrieval_levels=levels)


@given(_counts())
@settings(max_examples=60, deadline=None)
def test_whatever_the_table_p_is_a_probability_and_factors_are_numbers(counts) -> None:
    priors = Priors.flat(counts.judges, counts.retrieval_levels)
    found = dependence_tests(counts, priors, np.full(len(priors.names), 0.5))
    tested = found.all()
    assert tested.by_chance.shape[1] == len(tested.tests)
    assert not np.isnan(tested.by_chance).any()
    assert tested.threshold(0.1) < np.inf
    for test in tested.tests:
        assert 0 <= test.p <= 1
        assert np.isfinite(test.z) or test.p == 1
        assert np.isfinite(test.log_bf) == np.isfinite(test.z)
