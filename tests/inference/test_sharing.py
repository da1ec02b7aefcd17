"""Judges that are not the same for every system: found where it shows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rat_widgets as rat
from rat_widgets.inference.diagnose_sharing import (
    _beta_binomial,
    _hypergeometric,
    sharing_messages,
)
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge

JUDGE = Judge("jT", of="task")


def table(rng, n_labelled, *, odd=(0.88, 0.17), n_only=0, groups=6, judge=JUDGE):
    """Systems judged with TPR 0.88 and FPR 0.17, the first one with other rates."""
    every = []
    for g in range(groups):
        n = n_labelled + n_only
        truth = rng.random(n) < rng.uniform(0.6, 0.8)
        tpr, fpr = odd if g == 0 else (0.88, 0.17)
        said = rng.random(n) < np.where(truth, tpr, fpr)
        shown = np.where(np.arange(n) < n_labelled, truth, -1)
        every.append(np.bincount(2 * (shown + 1) + said, minlength=6))
    patterns = [(1, 0, t, -1, v) for t in (-1, 0, 1) for v in (0, 1)]
    return PatternCounts(
        by=("system",),
        groups=tuple((f"s{g}",) for g in range(groups)),
        judges=(judge,),
        patterns=np.array(patterns, dtype=np.int8),
        counts=np.array(every),
    )


def differs(counts):
    """Per group, whether the check speaks up."""
    return np.array(
        [any(m.code == "rates_differ" for m in said) for said in sharing_messages(counts)]
    )


@given(st.integers(0, 300), st.integers(0, 300), st.integers(1, 400))
def test_outcomes_of_new_rows_are_beta_binomial(passed, failed, n):
    found = _beta_binomial(n, passed, failed)
    k = found.first + np.arange(len(found.p))
    exact = stats.betabinom.pmf(k, n, passed + 1, failed + 1)
    np.testing.assert_allclose(found.p, exact, rtol=1e-6, atol=1e-12)


@given(st.integers(1, 300), st.data())
def test_rows_drawn_by_chance_are_hypergeometric(n, data):
    marked, drawn = (data.draw(st.integers(0, n)) for _ in range(2))
    found = _hypergeometric(n, marked, drawn)
    k = found.first + np.arange(len(found.p))
    np.testing.assert_allclose(
        found.p, stats.hypergeom.pmf(k, n, marked, drawn), rtol=1e-6, atol=1e-12
    )


def test_of_a_hundred_million_rows_it_keeps_the_likely_outcomes():
    found = _beta_binomial(10**8, 3 * 10**8, 10**8)
    assert len(found.p) < 10**6
    mean = found.p @ (found.first + np.arange(len(found.p)))
    assert mean == pytest.approx(0.75e8, rel=1e-8)


def test_it_is_silent_where_the_judge_is_the_same():
    """In nine of ten data sets at least: here 80 of each of three sizes."""
    rng = np.random.default_rng(4)
    spoke = [differs(table(rng, n)).any() for n in (20, 60, 200) for _ in range(80)]
    assert np.mean(spoke) < 0.1


def test_it_speaks_where_the_labels_can_tell_and_names_the_system():
    """Self-preference as strong as in `openqa_nq301`, 300 own labels: in nine of ten."""
    rng = np.random.default_rng(5)
    spoke = np.array([differs(table(rng, 300, odd=(0.92, 0.4))) for _ in range(50)])
    assert spoke[:, 0].mean() >= 0.9
    assert spoke[:, 1:].any(axis=1).mean() < 0.1


def test_rows_labelled_by_verdict_are_no_sign_of_another_judge():
    """Only what the judge passed was labelled in one system: its rate among those is 1."""
    rng = np.random.default_rng(6)
    counts = table(rng, 300)
    said = counts.counts.copy()
    fails = counts.patterns[:, 4] == 0
    hidden = counts.patterns.copy()
    hidden[:, 2] = -1
    patterns = np.concatenate([counts.patterns, hidden[fails]])
    moved = np.zeros((counts.n_groups, int(fails.sum())), dtype=int)
    moved[0] = said[0, fails]
    said[0, fails] = 0
    selected = PatternCounts(
        by=counts.by,
        groups=counts.groups,
        judges=counts.judges,
        patterns=patterns,
        counts=np.concatenate([said, moved], axis=1),
    )
    assert not differs(selected).any()


@pytest.mark.parametrize("share", ["group", "partial"])
def test_judges_that_are_not_shared_are_not_asked(share):
    rng = np.random.default_rng(7)
    judge = Judge("jT", of="task", share=share)
    counts = table(rng, 300, odd=(0.99, 0.9), judge=judge)
    assert not any(sharing_messages(counts))


def test_too_few_labels_to_show_a_difference_are_said():
    rng = np.random.default_rng(8)
    few = table(rng, 200)
    counts = few.counts.copy()
    labelled = few.patterns[:, 2] >= 0
    counts[0, labelled] = [3 if t == 1 else 1 for t in few.patterns[labelled, 2]]
    hidden = few.patterns[labelled].copy()
    hidden[:, 2] = -1
    more = np.zeros((few.n_groups, len(hidden)), dtype=int)
    more[0] = few.counts[0, labelled]
    told = sharing_messages(
        PatternCounts(
            by=few.by,
            groups=few.groups,
            judges=few.judges,
            patterns=np.concatenate([few.patterns, hidden]),
            counts=np.concatenate([counts, more], axis=1),
        )
    )
    assert [[m.code for m in said] for said in told] == [["rates_unchecked"], *[[]] * 5]
    assert "2 of its wrong answers" in told[0][0].text


def test_the_reader_that_is_its_own_judge_is_found_in_a_fit():
    """`openqa_nq301`: text-davinci-003 passes 35 of its own 66 wrong answers, 17% of others'."""
    posts = rat.fit(
        rat.datasets.load("openqa_nq301"),
        retrieval=None,
        abstention="A",
        task="T",
        judges=[rat.Judge("T_davinci3", of="task")],
        by="system",
    )
    told = {
        system: message
        for system, diagnosis in posts.diagnosis.items()
        for message in diagnosis.messages
        if message.code == "rates_differ"
    }
    assert list(told) == ["text-davinci-003_zeroshot"]
    (message,) = told.values()
    assert "passes 35 of 66, of the other groups' 169 of 1,000" in message.text
    assert 'share="partial"' in message.advice
