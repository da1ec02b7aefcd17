"""What the checks of judges say of labelled rows that show a lot, little or nothing."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from rat_widgets.derived.judge_check_text import depends_message, shares_apart, together_message
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
    test = JudgeTest(judges=(0, 1), context=None, truth=None, z=3.0, p=0.003, log_bf=3.0)
    text = together_message(counts_of(judges, rows), test).text
    assert f"on {both} of the" in text
    assert (ELSEWHERE not in text) is is_enough


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
