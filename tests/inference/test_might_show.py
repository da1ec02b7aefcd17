"""What rows might have shown: laws, and which part of a row chance decides."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import chi2_contingency

import rat_widgets as rat
from rat_widgets.inference.might_show import _independence, what_rows_might_show
from rat_widgets.inference.splits import splits_of
from rat_widgets.labels.table import Labels

THETA = rat.Theta(
    retrieval_success=0.5,
    abstain_given_miss=0.4,
    abstain_given_hit=0.1,
    correct_given_miss=0.35,
    correct_given_hit=0.7,
)
JUDGES = [rat.Judge("jR", of="retrieval"), rat.Judge("jT", of="task", unknown="unsure")]
P = np.array([0.5, 0.4, 0.1, 0.35, 0.7, 0.9, 0.8, 0.1, 0.2, 0.05, 0.1])


def _counts(bought, seed=0, n=600):
    rng = np.random.default_rng([seed, 1])
    frame = rat.simulate(THETA, n=n, seed=seed).astype(float)
    frame["jR"] = np.where(rng.random(n) < 0.9, frame["R"], 1 - frame["R"])
    verdict = np.where(rng.random(n) < 0.8, frame["T"].fillna(0), 1 - frame["T"].fillna(0))
    frame["jT"] = np.where(rng.random(n) < 0.1, "unsure", verdict.astype(int).astype(object))
    hidden = rng.random(n) > bought(frame)
    frame.loc[hidden, ["R", "T"]] = np.nan
    return Labels.from_frame(frame, judges=JUDGES).counts


def _evenly(frame):
    return np.full(len(frame), 0.4)


def _failed(frame):
    return np.where(frame["jR"] == 0, 0.6, 0.2)


@pytest.mark.parametrize("bought", [_evenly, _failed])
def test_every_row_is_there_and_every_stratum_shows_something(bought) -> None:
    counts = _counts(bought)
    rows = what_rows_might_show(counts)
    assert rows.seen.sum() == rows.n.sum() == counts.n_rows
    np.testing.assert_array_equal(np.bincount(rows.stratum, rows.seen), rows.n)
    assert len(np.unique(rows.patterns, axis=0)) == len(rows.patterns)
    total = splits_of(rows.patterns, counts.judges).joint(P).sum(axis=1)
    expected = rows.expected(total)
    np.testing.assert_allclose(np.bincount(rows.stratum, expected), rows.n)


def test_where_verdicts_had_no_say_they_are_what_chance_decides() -> None:
    counts = _counts(_evenly)
    rows = what_rows_might_show(counts)
    labels = np.unique(np.c_[rows.stratum, rows.patterns[:, :3]], axis=0)
    assert len(labels) == len(rows.n)
    # Two answers of the one and three of the other; answers declined have no verdict on T.
    sizes = np.bincount(rows.stratum)
    assert set(sizes.tolist()) == {2, 6}
    # P(verdicts | labels shown) sums to one over a stratum: nothing is left out.
    total = splits_of(rows.patterns, counts.judges).joint(P).sum(axis=1)
    first = rows.patterns[np.unique(rows.stratum, return_index=True)[1]].copy()
    first[:, 4:] = -1
    alone = splits_of(first, counts.judges).joint(P).sum(axis=1)
    np.testing.assert_allclose(np.bincount(rows.stratum, total), alone)


@pytest.mark.parametrize("seed", range(5))
def test_where_rows_were_bought_by_verdict_labels_are(seed) -> None:
    rows = what_rows_might_show(_counts(_failed, seed))
    verdicts = np.unique(np.c_[rows.stratum, rows.patterns[:, 1], rows.patterns[:, 4:]], axis=0)
    assert len(verdicts) == len(rows.n)
    assert set(np.bincount(rows.stratum).tolist()) <= {1, 2, 4}


def test_many_judges_have_too_many_combinations() -> None:
    judges = [rat.Judge(f"j{i}", of="task") for i in range(16)]
    rng = np.random.default_rng(0)
    frame = rat.simulate(THETA, n=40, seed=0).astype(float)
    for judge in judges:
        frame[judge.column] = rng.integers(0, 2, len(frame)).astype(float)
    rows = what_rows_might_show(Labels.from_frame(frame, judges=judges).counts)
    assert rows.n.sum() == 40
    assert len(rows.patterns) <= 40 * 4


@settings(deadline=None)
@given(
    st.tuples(st.integers(2, 4), st.integers(2, 5)).flatmap(
        lambda shape: arrays(float, shape, elements=st.integers(1, 3000))
    )
)
def test_independence_of_labels_and_verdicts_is_pearsons_test(table):
    known = chi2_contingency(table, correction=False).pvalue
    assert _independence(table) == pytest.approx(known, rel=1e-9, abs=1e-300)


def test_a_fit_of_judges_does_not_wait_for_the_half_second_of_scipy_stats():
    code = (
        "import sys, rat_widgets as rat\n"
        "judge = rat.Judge('jR', of='retrieval')\n"
        "theta = rat.Theta.from_array([0.5, 0.4, 0.1, 0.35, 0.7])\n"
        "frame = rat.simulate(theta, n=80, judges=[(judge, 0.9, 0.2)], seed=1)\n"
        "frame.loc[40:, ['R', 'T']] = None\n"
        "print(rat.fit(frame, judges=[judge]).diagnosis)\n"
        "assert 'scipy.stats' not in sys.modules, 'scipy.stats was imported'\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
