"""Score tests of judges: laws, and agreement with tests that need no model."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.stats import chi2_contingency

import rat_widgets as rat
from rat_widgets.inference.dependence import dependence_tests
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
def test_of_well_behaved_tables_the_share_asked_for_is_below_the_threshold(n_judges) -> None:
    judges = (JUDGES[0], *(rat.Judge(f"jT{i}", of="task") for i in range(n_judges)))
    start = np.r_[[0.5] * 5, [0.8] * len(judges), [0.2] * len(judges)]
    n_tables, level = 150, 0.2
    below = 0
    for seed in range(n_tables):
        tested = _tested(_frame(seed, 100, 500, judges=judges), judges, start)
        below += min(test.p for test in tested.tests) < tested.threshold(level)
    # Labels are few and whole, and rates are estimated: a share is asked for and not more.
    error = np.sqrt(level * (1 - level) / n_tables)
    assert abs(below / n_tables - level) < 3 * error


def test_the_more_tests_are_looked_at_the_clearer_has_the_clearest_to_be() -> None:
    tested = _tested(_frame(0, 100, 500))
    one = tested.only(lambda test: test.context == "retrieval")
    assert len(one.tests) == 1
    assert tested.threshold(0.1) < one.threshold(0.1)
    # A single test of its own: its p-value is what it says, but for whole labels.
    assert one.threshold(0.1) == pytest.approx(0.1, abs=0.04)
    assert tested.only(lambda _test: False).threshold(0.1) == 1


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
        clearest = min(_tested(frame, three, start, verdicts_stay=True).tests, key=lambda t: t.p)
        assert clearest.context is None
        assert clearest.p < 1e-3
        assert clearest.z > 0


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
    assert all(np.isfinite(t.z) for t in dependence_tests(counts, priors, start).all().tests)


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
def test_whatever_the_table_p_is_a_probability(counts) -> None:
    priors = Priors.flat(counts.judges, counts.retrieval_levels)
    found = dependence_tests(counts, priors, np.full(len(priors.names), 0.5))
    tested = found.all()
    for one in (tested, found.given(tested.tests[:1])):
        assert one.by_chance.shape[1] == len(one.tests)
        assert ((one.by_chance >= 0) & (one.by_chance <= 1)).all()
        assert 0 <= one.threshold(0.1) <= 1
        for test in one.tests:
            assert 0 <= test.p <= 1
            assert np.isfinite(test.z) or test.p == 1
