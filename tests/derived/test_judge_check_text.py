"""What the checks of judges say of labelled rows that show a lot, little or nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rat_widgets.derived.judge_check_text import depends_message, shares_apart
from rat_widgets.derived.judge_findings import families
from rat_widgets.derived.judge_together_text import together_message
from rat_widgets.inference.departures import JudgeTest
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge

ELSEWHERE = "and the verdicts on other rows"


def counts_of(judges, rows):
    """One system of rows of R, A, T, answerable and verdicts, with how many of each there are."""
    return PatternCounts(
        by=(),
        groups=((),),
        judges=judges,
        patterns=np.array([pattern for pattern, _ in rows], dtype=np.int8),
        counts=np.array([[n for _, n in rows]]),
    )


@pytest.mark.parametrize(
    ("after_miss", "after_hit", "is_enough"),
    [((27, 42), (3, 34), True), ((3, 12), (2, 11), False), ((2, 12), (2, 11), False)],
)
def test_where_labelled_rows_hardly_show_it_other_rows_are_named(after_miss, after_hit, is_enough):
    rows = []
    for r, (passed, n) in enumerate((after_miss, after_hit)):
        rows += [((r, 0, 0, -1, 1), passed), ((r, 0, 0, -1, 0), n - passed)]
    counts = counts_of((Judge("jT", of="task"),), rows)
    test = JudgeTest(judges=(0,), context="retrieval", truth=0, z=-3.0, p=0.003, log_bf=3.0)
    text = depends_message(counts, test, {"depends_on": "retrieval"}, 1).text
    assert f"{after_miss[0]} of {after_miss[1]} where retrieval failed" in text
    assert (ELSEWHERE not in text) is is_enough


@pytest.mark.parametrize(("both", "one", "is_enough"), [(12, 8, True), (3, 8, False)])
def test_where_labelled_rows_hardly_show_judges_err_together_other_rows_are_named(
    both, one, is_enough
):
    judges = (Judge("a", of="task"), Judge("b", of="task"))
    rows = [
        ((1, 0, 0, -1, 1, 1), both),
        ((1, 0, 0, -1, 1, 0), one),
        ((1, 0, 0, -1, 0, 1), one),
        ((1, 0, 0, -1, 0, 0), 40),
    ]
    text = together_message(counts_of(judges, rows), (0, 1), (1, 1)).text
    assert f"on {both} of the" in text
    assert (ELSEWHERE not in text) is is_enough


def verdicts_of(*shares):
    """Labelled answers, half of them right; of a judge (passed right, passed wrong) of 40 each."""
    return [
        ((1, 0, t, -1, *(int(i < passed[1 - t]) for passed in shares)), 1)
        for t in (0, 1)
        for i in range(40)
    ]


def advice_of(judges, rows):
    every = range(len(judges))
    return together_message(counts_of(judges, rows), every, [1] * len(judges)).advice


def test_the_judge_to_keep_is_the_one_that_tells_best_and_not_the_one_that_passes_most() -> None:
    judges = tuple(Judge(name, of="task") for name in "abc")
    advice = advice_of(judges, verdicts_of((40, 30), (30, 8), (28, 8)))
    assert "keep 'b' alone, which tells right answers from wrong answers best" in advice
    assert "by human labels it passes 30 of 40 and 8 of 40" in advice


def test_of_judges_of_different_truths_none_can_be_kept_for_the_other() -> None:
    judges = (Judge("a", of="retrieval"), Judge("b", of="task"))
    assert "keep" not in advice_of(judges, verdicts_of((30, 8), (28, 8)))


def test_no_judge_is_the_one_to_keep_where_labels_show_one_side_only() -> None:
    judges = (Judge("a", of="task"), Judge("b", of="task"))
    right = [row for row in verdicts_of((30, 8), (28, 8)) if row[0][2] == 1]
    assert advice_of(judges, right).endswith("; or keep the better one.")


def test_what_declined_is_no_wrong_answer() -> None:
    judges = (Judge("a", of="task"), Judge("b", of="task"))
    declined = [((1, 1, -1, -1, 1, 1), 50)]
    assert advice_of(judges, verdicts_of((30, 8), (28, 8)) + declined) == advice_of(
        judges, verdicts_of((30, 8), (28, 8))
    )


@pytest.mark.parametrize(
    ("n", "said"),
    [
        (3, 'rat.Judge("j2", of="task", dependence="saturated"); or keep'),
        (4, 'give each of them dependence="saturated", as rat.cured does; or keep'),
        (12, ". They are too many to be saturated all together: keep 'j0' alone"),
    ],
)
def test_the_more_judges_the_fewer_calls_are_written_out(n, said) -> None:
    judges = tuple(Judge(f"j{i}", of="task") for i in range(n))
    assert said in advice_of(judges, verdicts_of(*[(30, 8)] * n))


def test_of_many_judges_the_pair_that_errs_together_most_is_named() -> None:
    judges = tuple(Judge(name, of="task") for name in "abc")
    rows = [
        ((1, 0, 0, -1, 1, 0, 1), 9),
        ((1, 0, 0, -1, 0, 1, 0), 4),
        ((1, 0, 0, -1, 0, 0, 0), 40),
    ]
    text = together_message(counts_of(judges, rows), (0, 1, 2), (1, 1, 1)).text
    assert text.startswith("The judges 'a', 'b' and 'c' err together: on 9 of the 53 rows with")
    assert "'a' and 'c' are both wrong, where independent errors would give 1.5" in text


def test_of_forty_judges_some_are_named_and_the_others_counted() -> None:
    judges = tuple(Judge(f"j{i}", of="task") for i in range(40))
    rows = verdicts_of(*[(30, 8)] * 40)
    text = together_message(counts_of(judges, rows), range(40), [1] * 40).text
    assert text.startswith("The judges 'j0', 'j1', 'j2'")
    assert "'j10', 'j11' and 28 more err together" in text


def test_of_grades_the_judge_to_keep_is_told_by_the_cut() -> None:
    judges = tuple(Judge(name, of="retrieval", levels=(0, 1, 2)) for name in "ab")
    rows = [((r, 0, 1, -1, 2 * r, r), 10) for r in (0, 1)]
    said = together_message(counts_of(judges, rows), (0, 1), (2, 2)).advice
    assert "keep 'a' alone, which tells hits from misses best" in said
    assert "it gives 2 to 10 of 10 and 0 of 10" in said


def found_about(about):
    return [
        JudgeTest(judges=judges, context=context, truth=None, z=3.0, p=0.003, log_bf=3.0)
        for judges, context in about
    ]


@given(st.lists(st.sets(st.integers(0, 6), min_size=2, max_size=3), max_size=6))
def test_families_are_what_can_be_reached_from_judge_to_judge(groups):
    """Against the powers of the matrix of who errs with whom."""
    said = found_about([(tuple(sorted(group)), None) for group in groups])
    found = [{j for test in family for j in test.judges} for family in families(said)]
    near = np.eye(7, dtype=int)
    for group in groups:
        near[np.ix_(sorted(group), sorted(group))] = 1
    reached = np.linalg.matrix_power(near, 7) > 0
    expected = {frozenset(np.flatnonzero(row).tolist()) for row in reached if row.sum() > 1}
    assert {frozenset(family) for family in found} == expected
    assert len(found) == len(expected)
    assert sum(map(len, families(said))) == len(said)


def test_a_judge_that_leans_on_something_is_a_finding_of_its_own() -> None:
    about = [((0,), "retrieval"), ((1, 2), None), ((3,), "abstention"), ((2, 4), None)]
    assert [[test.judges for test in family] for family in families(found_about(about))] == [
        [(0,)],
        [(1, 2), (2, 4)],
        [(3,)],
    ]


@given(*[st.integers(1, 500)] * 4)
def test_shares_are_as_far_apart_as_in_a_test_of_two_shares(a, b, c, d):
    """The square is Pearson's statistic without a correction, but for half a row that is added."""
    z = shares_apart(np.array([a, b]), np.array([c, d]))
    pearson = stats.chi2_contingency([[a, b], [c, d]], correction=False).statistic
    n = a + b + c + d
    p, shifted = (b + d) / n, (b + d + 0.5) / (n + 1)
    assert z**2 == pytest.approx(pearson * p * (1 - p) / (shifted * (1 - shifted)), abs=1e-9)
    assert z * (b * (c + d) - d * (a + b)) >= 0
    assert shares_apart(np.array([c, d]), np.array([a, b])) == pytest.approx(-z)
