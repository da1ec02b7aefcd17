"""Judges that are not the same for every system: found where it shows."""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import logsumexp

import rat_widgets as rat
from rat_widgets.inference.departures import LEANING, chance_threshold
from rat_widgets.inference.dependence import group_scores
from rat_widgets.inference.diagnose_sharing import _hypergeometric, sharing_messages
from rat_widgets.inference.sharing import Differs, sharing_tests
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.priors import Priors

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from systems_alike import JUDGE, one_judge, start_of, two_judges


def _sharing(counts):
    """The tests at rates as the labelled rows of all systems have them."""
    scores = group_scores(counts, Priors.flat(counts.judges), start_of(counts))
    return sharing_tests(scores, counts.judges)


def differs(counts, level=0.05):
    """Per group, whether the check speaks up."""
    odd = {one.group for one in _sharing(counts).found(level)}
    return np.array([g in odd for g in range(counts.n_groups)])


@given(st.integers(1, 300), st.data())
def test_rows_drawn_by_chance_are_hypergeometric(n, data):
    marked, drawn = (data.draw(st.integers(0, n)) for _ in range(2))
    found = _hypergeometric(n, marked, drawn)
    k = found.first + np.arange(len(found.p))
    np.testing.assert_allclose(
        found.p, stats.hypergeom.pmf(k, n, marked, drawn), rtol=1e-6, atol=1e-12
    )


def test_of_a_hundred_million_rows_it_keeps_the_likely_outcomes():
    found = _hypergeometric(4 * 10**8, 3 * 10**8, 10**8)
    assert len(found.p) < 10**6
    mean = found.p @ (found.first + np.arange(len(found.p)))
    assert mean == pytest.approx(0.75e8, rel=1e-8)


@pytest.mark.parametrize("n_only", [0, 200])
def test_it_is_silent_where_the_judge_is_the_same(n_only):
    """In the share of data sets that is asked for, at most: here 30 of each of three sizes."""
    rng = np.random.default_rng(4)
    spoke = [
        differs(one_judge(rng, n, n_only=n_only), level=0.2).any()
        for n in (20, 60, 200)
        for _ in range(30)
    ]
    assert np.mean(spoke) < 0.2 + 3 * np.sqrt(0.2 * 0.8 / 90)


def test_it_speaks_where_the_labels_can_tell_and_names_the_system():
    """Self-preference as strong as in `openqa_nq301`, 200 own labels of 500: in nine of ten."""
    rng = np.random.default_rng(5)
    spoke = np.array([differs(one_judge(rng, 200, odd=(0.92, 0.4), n_only=300)) for _ in range(40)])
    # Binomial(40, 0.9) is 31 or less in one of a hundred runs; seeds are fixed.
    assert spoke[:, 0].sum() >= 32
    assert spoke[:, 1:].any(axis=1).mean() < 0.15


def test_rows_without_labels_tell_that_a_judge_differs():
    """The same few labels, and then what the judge passes among thousands of other rows."""
    rng = np.random.default_rng(15)
    n_found = {
        n_only: sum(
            differs(one_judge(rng, 60, odd=(0.94, 0.35), n_only=n_only))[0] for _ in range(40)
        )
        for n_only in (0, 2000)
    }
    assert n_found[2000] >= n_found[0] + 8


def test_rows_labelled_by_verdict_are_no_sign_of_another_judge():
    """Only what the judge passed was labelled in one system: its rate among those is 1."""
    spoke = []
    for seed in range(10):
        counts = one_judge(np.random.default_rng([6, seed]), 300)
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
        spoke.append(differs(selected)[0])
    assert sum(spoke) <= 1


def test_it_is_silent_where_only_one_system_has_labels():
    """The others' rows tell next to nothing of their rates, and chance no number to go by."""
    spoke = []
    for seed in range(20):
        counts = one_judge(np.random.default_rng([11, seed]), 100, n_groups=5, odd=(0.88, 0.17))
        hidden = counts.patterns.copy()
        hidden[:, 2] = -1
        alone = np.array([1, 0, 0, 0, 0])[:, None]
        only = replace(
            counts,
            patterns=np.concatenate([counts.patterns, hidden]),
            counts=np.concatenate([counts.counts * alone, counts.counts * (1 - alone)], axis=1),
        )
        found = _sharing(only).found(0.05)
        assert all(one.log_bf > 0 for one in found)
        spoke.append(bool(found))
    assert sum(spoke) <= 3


def test_of_many_systems_those_that_differ_are_found_as_if_each_step_were_drawn():
    """An earlier threshold stands in for that of fewer systems, which is no higher."""
    rng = np.random.default_rng(12)
    halves = [one_judge(rng, 100, n_groups=1), one_judge(rng, 100, n_groups=12, odd=(0.9, 0.5))]
    for _ in range(3):
        halves.append(one_judge(rng, 100, n_groups=1, odd=(0.97, 0.6)))
    names = iter(range(20))
    parts = [
        replace(part, groups=tuple((f"s{next(names):02}",) for _ in part.groups)) for part in halves
    ]
    counts = sum(parts[1:], parts[0])
    tests = _sharing(counts)
    found = tests.found(0.05)
    assert len(found) >= 3
    left = tests
    for step, one in enumerate(found):
        factors = logsumexp(left._factors(apart=found[:step]), axis=(1, 2))
        assert factors[0] > chance_threshold(factors[1:], 0.05)
        left = left._apart(one.group, tests.rates[one.judge])


def test_what_a_group_has_for_itself_tells_the_others_nothing():
    """With all its rates apart a group is as if it were not there."""
    tests = _sharing(one_judge(np.random.default_rng(13), 200, odd=(0.95, 0.5), n_only=100))
    without = replace(tests, slopes=tests.slopes[:, 1:], information=tests.information[1:])
    apart = tests._apart(0, tests.rates[0])._factors(apart=[Differs(0, 0, 1.0)])
    np.testing.assert_allclose(apart[:, 1:], without._factors(), rtol=1e-5, atol=1e-5)
    assert np.isneginf(apart[:, 0]).all()


@pytest.mark.parametrize(("second", "named"), [((0.88, 0.17), {1}), ((0.93, 0.5), {0, 1})])
def test_two_judges_of_one_system_are_told_apart(second, named):
    """One that differs is not taken for both, and both are found where both differ."""
    right = []
    for seed in range(12):
        counts = two_judges(np.random.default_rng([14, seed]), (second, (0.93, 0.5)))
        found = sharing_tests(_two_scores(counts), counts.judges).found(0.05)
        assert len({(one.group, one.judge) for one in found}) == len(found)
        right.append({one.judge for one in found if one.group == 0} == named)
    assert sum(right) >= 10


def test_a_factor_is_the_ratio_of_likelihoods_averaged_over_rates_of_its_own():
    """Against the average over rates of one group, that of all others being known."""
    rng = np.random.default_rng(9)
    tests = _sharing(one_judge(rng, 400, odd=(0.9, 0.24)))
    factors = tests._factors()[0, :, 0]
    g = 0
    known = tests.information.sum(axis=0) + tests.prior_information
    total = tests.slopes[0].sum(axis=0)
    taken = np.linalg.solve(known, tests.information[g])
    u, v = tests.slopes[0, g] - total @ taken, tests.information[g] @ (np.eye(2) - taken)
    shifts = rng.normal(0, LEANING, size=(400_000, 2))
    ratios = np.exp(shifts @ u - np.einsum("nr,rs,ns->n", shifts, v, shifts) / 2)
    error = ratios.std() / ratios.mean() / np.sqrt(len(ratios))
    assert factors[g] == pytest.approx(np.log(ratios.mean()), abs=4 * error)


def test_a_prior_unlike_the_rows_of_all_systems_is_no_difference_between_them():
    """FPR 0.5 in each, where 100 earlier labels said 0.05: the fit lies between them."""
    judge = replace(JUDGE, prior={"fpr": (5, 95)})
    rng = np.random.default_rng(16)
    for groups in (2, 2, 2, 4, 4, 4):
        one = [one_judge(rng, 150, odd=(0.88, 0.5), n_groups=1, judge=judge) for _ in range(groups)]
        parts = [replace(part, groups=((f"s{g}",),)) for g, part in enumerate(one)]
        posts = rat.fit(sum(parts[1:], parts[0]), draws=400)
        assert posts.members[0].judges_that_differ == ()


def test_a_system_is_left_that_others_differ_from():
    """Both judges are another one in each of three systems."""
    rng = np.random.default_rng(17)
    same, lenient = (0.88, 0.17), (0.93, 0.6)
    strict = (0.6, 0.02)
    rates = [(same, strict), (lenient, same), (strict, lenient)]
    parts = [
        replace(two_judges(rng, (r, t), n_groups=1), groups=((f"s{g}",),))
        for g, (r, t) in enumerate(rates)
    ]
    counts = sum(parts[1:], parts[0])
    found = sharing_tests(_two_scores(counts), counts.judges).found(0.05)
    assert len({one.group for one in found}) == 2
    posts = rat.fit(counts, draws=400)
    assert len({one.group for one in posts.members[0].judges_that_differ}) == 2


def test_of_two_systems_both_judges_differ_for_the_same():
    """Either differs from the other: that two judges do is not told of one each."""
    rng = np.random.default_rng(18)
    for _ in range(6):
        counts = two_judges(rng, ((0.9, 0.5), (0.9, 0.5)), n_groups=2)
        found = sharing_tests(_two_scores(counts), counts.judges).found(0.05)
        assert {(one.group, one.judge) for one in found} == {(0, 0), (0, 1)}


def _two_scores(counts):
    start = np.array([0.6, 0.4, 0.1, 0.4, 0.8, 0.88, 0.88, 0.17, 0.17])
    return group_scores(counts, Priors.flat(counts.judges), start)


def test_another_order_of_systems_finds_the_same():
    rng = np.random.default_rng(10)
    counts = one_judge(rng, 200, odd=(0.95, 0.5), n_only=100)
    assert list(differs(counts)) == [True, *[False] * 5]
    turned = replace(counts, counts=counts.counts[::-1])
    assert list(differs(turned)) == [*[False] * 5, True]


@pytest.mark.parametrize("share", ["group", "partial"])
def test_judges_that_are_not_shared_are_not_asked(share):
    judge = Judge("jT", of="task", share=share)
    counts = one_judge(np.random.default_rng(7), 300, odd=(0.99, 0.9), judge=judge, n_groups=3)
    assert not any(sharing_messages(counts))
    if share == "group":
        assert not rat.fit(counts, draws=400).members[0].judges_that_differ


def test_too_few_labels_to_show_a_difference_are_said():
    rng = np.random.default_rng(8)
    few = one_judge(rng, 200)
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
    assert "apart=['s00']" in told[0][0].advice
    assert told[0][0].level == "warning"


def test_where_most_labels_are_its_own_an_unchecked_rate_is_no_warning():
    """60 right answers and 3 wrong ones of 800 rows; the others have 30 labels in all."""
    patterns = [[-1, 0, t, -1, v] for t in (-1, 0, 1) for v in (0, 1)]
    own, other = [100, 700, 2, 1, 6, 54], [34, 46, 12, 3, 1, 14]
    told = sharing_messages(
        PatternCounts(
            by=("system",),
            groups=(("a",), ("b",)),
            judges=(rat.Judge("j", of="task"),),
            patterns=np.array(patterns, dtype=np.int8),
            counts=np.array([own, other]),
        )
    )
    assert [[(m.level, m.code) for m in said] for said in told] == [
        [("info", "rates_unchecked")],
        [],
    ]


def test_no_fit_by_itself_is_advised_where_nothing_of_a_system_is_labelled():
    counts = one_judge(np.random.default_rng(8), 200)
    labelled = counts.patterns[:, 2] >= 0
    alone = np.array([1, 0, 0, 0, 0, 0])[:, None]
    hidden = counts.patterns.copy()
    hidden[labelled, 2] = -1
    told = sharing_messages(
        replace(
            counts,
            patterns=np.concatenate([counts.patterns, hidden]),
            counts=np.concatenate([counts.counts * (1 - alone), counts.counts * alone], axis=1),
        )
    )
    (message,) = told[0]
    assert message.code == "rates_unchecked"
    assert "none of its" in message.text
    assert 'share="partial"' in message.advice
    assert "by itself" not in message.advice


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
    (odd,) = posts.judges_that_differ
    assert (odd.judge, odd.group, odd.message) == (0, ("text-davinci-003_zeroshot",), message)
    assert odd.log_bf > 0
