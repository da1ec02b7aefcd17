"""Verdicts taken for labels, and labels alone."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rat_widgets.derived.intervals import density_on_grid, quartiles
from rat_widgets.derived.naive import human_counts, naive_counts, with_judges
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge

JUDGES = [
    Judge("r1", of="retrieval"),
    Judge("r2", of="retrieval", unknown="?"),
    Judge("t", of="task"),
    Judge("a", of="abstention"),
]


@st.composite
def tables(draw):
    """A few patterns of R, A, T, answerable and the verdicts of four judges."""
    rows = draw(
        st.lists(
            st.tuples(
                *[st.sampled_from([-1, 0, 1])] * 3,
                st.just(-1),
                st.sampled_from([-1, 0, 1]),
                st.sampled_from([-1, 0, 1, 2]),
                *[st.sampled_from([-1, 0, 1])] * 2,
            ),
            min_size=1,
            max_size=8,
        )
    )
    counts = draw(st.lists(st.integers(1, 9), min_size=len(rows), max_size=len(rows)))
    rows = [(r, a, -1 if a == 1 else t, *rest) for r, a, t, *rest in rows]
    return rows, counts


def _by_row(rows, counts):
    """The same, row by row in plain Python: what the docstring says."""
    found: dict[tuple[int, ...], int] = {}
    for (r, a, t, _, r1, r2, jt, ja), n in zip(rows, counts, strict=True):
        votes = [v for v in (r1, r2) if v in (0, 1)]
        yes, no = votes.count(1), votes.count(0)
        majority = 1 if yes > no else 0 if no > yes else -1
        hit = majority if r == -1 else r
        declined = ja if a == -1 and t != 1 else a
        solved = -1 if declined == 1 else jt if t == -1 else t
        found[hit, declined, solved] = found.get((hit, declined, solved), 0) + n
    return found


def _table(counts: PatternCounts) -> dict[tuple[int, ...], int]:
    shown = map(tuple, counts.patterns[:, :3].tolist())
    return dict(zip(shown, counts.counts[0].tolist(), strict=True))


@given(tables())
def test_every_verdict_stands_where_no_label_does(table):
    rows, counts = table
    patterns = PatternCounts.from_patterns(rows, counts, judges=JUDGES)
    # verdicts on T of rows that abstained are no longer there
    assert _table(naive_counts(patterns)) == _by_row(rows, counts)


@given(tables())
def test_labels_alone_are_the_labelled_rows_or_all_of_them_without_verdicts(table):
    rows, counts = table
    patterns = PatternCounts.from_patterns(rows, counts, judges=JUDGES)
    alone = human_counts(patterns)
    is_labelled = (patterns.patterns[:, [0, 2]] >= 0).any(axis=1)
    labelled = int(patterns.counts[0, is_labelled].sum())
    assert alone.n_rows in {labelled, patterns.n_rows}
    assert alone.judges == ()
    assert naive_counts(alone) == alone
    assert with_judges(patterns, range(4)) == patterns


def test_rows_chosen_by_abstention_keep_the_others_and_their_a():
    """200 labelled rows that all answered, beside 800 of which half declined."""
    rows = [[1, 0, 1, -1, 1], [-1, 0, -1, -1, 1], [-1, 1, -1, -1, 0]]
    judges = [Judge("j", of="retrieval")]
    chosen = PatternCounts.from_patterns(rows, [200, 400, 400], judges=judges)
    assert human_counts(chosen).n_rows == 1000
    at_random = PatternCounts.from_patterns(
        [*rows, [0, 1, -1, -1, 0]], [100, 400, 400, 100], judges=judges
    )
    assert human_counts(at_random).n_rows == 200


def test_labels_of_t_alone_keep_every_row_since_abstentions_have_none():
    rows = [[-1, 0, 1, -1, 1], [-1, 0, -1, -1, 1], [-1, 1, -1, -1, 0]]
    counts = PatternCounts.from_patterns(rows, [200, 400, 2], judges=[Judge("j", of="retrieval")])
    assert human_counts(counts).n_rows == 602


def test_a_judge_of_graded_retrieval_can_name_the_top_level_only():
    counts = PatternCounts.from_patterns(
        [[-1, 0, -1, -1, 1], [2, 0, -1, -1, 0]],
        [3, 4],
        judges=[Judge("t", of="task")],
        retrieval_levels=("none", "partial", "all"),
    )
    assert _table(naive_counts(counts)) == {(-1, 0, 1): 3, (2, 0, 0): 4}


def test_quartiles_leave_undefined_draws_out():
    draws = np.array([[0.0, 1, 2, 3, 4], [0.0, np.nan, 2, np.nan, 4], [np.nan] * 5])
    q = quartiles(draws)
    np.testing.assert_allclose(q[:, :2], [[1, 1], [2, 2], [3, 3]])
    assert np.isnan(q[:, 2]).all()
    np.testing.assert_allclose(quartiles(draws[:1])[:, 0], [1, 2, 3])


@given(st.floats(0.6, 60), st.floats(0.6, 60))
def test_the_density_is_that_of_the_beta_it_was_drawn_from(a, b):
    """Total variation from the true density, both scaled to one; 4,000 draws and a wide kernel."""
    draws = np.random.default_rng(3).beta(a, b, 4000)
    start, stop, heights = density_on_grid(draws, 48)
    assert 0 <= start < stop <= 1
    assert heights.max() == 1
    x = np.linspace(start, stop, 48)[1:-1]
    true = (a - 1) * np.log(x) + (b - 1) * np.log1p(-x)
    true = np.exp(true - true.max())
    mine = heights[1:-1] / heights[1:-1].sum()
    assert np.abs(mine - true / true.sum()).sum() / 2 < 0.12


def test_as_many_grades_as_levels_are_meant_as_these_and_the_rest_is_below_the_top():
    """Grades 3, 2 and 0 of a judge with R in four levels; a judge of 0 and 1; a person's label."""
    judges = [Judge("grade", of="retrieval", levels=(0, 1, 2, 3)), Judge("yes", of="retrieval")]
    rows = [
        (-1, 0, 1, -1, 3, -1),
        (-1, 0, 1, -1, 2, -1),
        (-1, 0, 1, -1, 0, -1),
        (-1, 0, 1, -1, -1, 1),
        (-1, 0, 1, -1, -1, 0),
        (-1, 0, 1, -1, 3, 0),
        (0, 0, 1, -1, 3, 1),
    ]
    counts = PatternCounts.from_patterns(
        rows, [1, 2, 4, 8, 16, 32, 64], judges=judges, retrieval_levels=("0", "1", "2", "3")
    )
    found = _table(naive_counts(counts))
    assert found == {(3, 0, 1): 1 + 8, (2, 0, 1): 2 + 4 + 16, (-1, 0, 1): 32, (0, 0, 1): 64}
