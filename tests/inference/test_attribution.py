"""What departures gain: in closed form where rows show all, else as the rows were made."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.inference.attribution import gains
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.labels.table import Labels
from rat_widgets.model.priors import Priors

FAINT = 0.1
PAIR = (Judge("a", of="task"), Judge("b", of="task"))
GRADED = (Judge("a", of="task"), Judge("b", of="task", levels=(0, 1, 2), unknown="?"))
THETA = rat.Theta(
    retrieval_success=0.5,
    abstain_given_miss=0.4,
    abstain_given_hit=0.1,
    correct_given_miss=0.35,
    correct_given_hit=0.7,
)


def counts_of(judges, rows):
    """Rows of group, R, A, T and verdicts, each shown once."""
    rows = np.array(rows)
    patterns = np.insert(rows[:, 1:], 3, -1, axis=1)
    distinct, which = np.unique(patterns, axis=0, return_inverse=True)
    counts = np.zeros((rows[:, 0].max() + 1, len(distinct)), dtype=np.int64)
    np.add.at(counts, (rows[:, 0], which.reshape(-1)), 1)
    return PatternCounts(
        by=("s",),
        groups=tuple((g,) for g in range(len(counts))),
        judges=judges,
        patterns=distinct.astype(np.int8),
        counts=counts,
    )


def gained(counts, *departures):
    priors = Priors.flat(counts.judges, counts.retrieval_levels)
    start = np.full(len(priors.as_array()), 0.5)
    start[5:] = np.linspace(0.4, 0.6, len(start) - 5)
    return gains(counts, priors, start, departures)


def height(classes, verdicts, n_answers):
    """Log likelihood of verdicts whose probabilities are those seen in each class."""
    total = 0.0
    for one in np.unique(classes, axis=0):
        inside = (classes == one).all(axis=1) & (verdicts >= 0)
        n = np.bincount(verdicts[inside], minlength=n_answers).astype(float)
        total += float(n @ np.log((n + FAINT) / (n + FAINT).sum()))
    return total


def seen_rows(judges, *, none=False):
    """Rows of which everything is seen; with `none` verdicts may be missing."""
    verdicts = [st.integers(-1 if none else 0, judge.n_answers - 1) for judge in judges]
    world = st.sampled_from(
        [(r, a, -1 if a else t) for r in (0, 1) for a, t in [(1, 0), (0, 0), (0, 1)]]
    )
    row = st.builds(lambda g, w, *v: (g, *w, *v), st.integers(0, 1), world, *verdicts)
    return st.lists(row, min_size=8, max_size=60).filter(
        lambda rows: {g for g, *_ in rows} == {0, 1}
    )


def columns_of(rows):
    """T, R and both verdicts, which are none where the system declined."""
    _, hit, declined, right, *verdicts = np.array(rows).T
    a, b = (np.where(declined == 1, -1, verdict) for verdict in verdicts)
    return np.maximum(right, 0), hit, a, b


@settings(deadline=None, max_examples=40)
@given(seen_rows(PAIR))
def test_of_rows_that_show_all_a_gain_is_that_of_the_shares_that_pass(rows):
    right, hit, a, b = columns_of(rows)
    charge = np.log(len(rows)) / 2
    leans, pair = gained(counts_of(PAIR, rows), ((0,), "retrieval"), ((0, 1), None))
    plain, is_told = right[:, None], bool((a >= 0).any())
    more = height(np.column_stack([right, hit]), a, 2) - height(plain, a, 2)
    assert leans == pytest.approx(more - 2 * charge * is_told, abs=1e-6)
    more = height(np.column_stack([right, a]), b, 2) - height(plain, b, 2)
    added = 2 * (len(set(a[b >= 0])) - 1) * is_told
    assert pair == pytest.approx(more - added * charge, abs=1e-6)


@settings(deadline=None, max_examples=40)
@given(seen_rows(GRADED, none=True))
def test_the_same_of_grades_of_verdicts_that_are_missing_and_of_cannot_tell(rows):
    right, _, a, b = columns_of(rows)
    charge = np.log(len(rows)) / 2
    (pair,) = gained(counts_of(GRADED, rows), ((0, 1), None))
    more = height(np.column_stack([right, a]), b, 4) - height(right[:, None], b, 4)
    added = 2 * 3 * (max(1, len(set(a[b >= 0]))) - 1)
    assert pair == pytest.approx(more - charge * added, abs=1e-6)


@settings(deadline=None, max_examples=30)
@given(seen_rows(PAIR))
def test_judges_that_groups_share_gain_on_all_rows_together(rows):
    """Of rows that show all; what is hidden is guessed from each group's own probabilities."""
    departures = [((0,), "retrieval"), ((1,), "retrieval"), ((0, 1), None)]
    apart = gained(counts_of(PAIR, rows), *departures)
    united = gained(counts_of(PAIR, [(0, *row) for _, *row in rows]), *departures)
    np.testing.assert_allclose(apart, united, atol=1e-6)


def frame_of(seed, *, lenient=0.0, copied=0.0, n_judges=3, n=1000, n_human=100):
    """Of wrong answers after a miss the first judge passes more; the second copies the first."""
    rng = np.random.default_rng([seed, 3])
    frame = rat.simulate(THETA, n=n, seed=seed).astype(float)
    r, t = frame["R"].to_numpy(), frame["T"].fillna(0).to_numpy()
    for k in range(n_judges):
        passes = np.where(t == 1, 0.9, 0.1 + lenient * (r == 0) * (k == 0))
        frame[f"j{k}"] = (rng.random(n) < passes).astype(float)
    copies = rng.random(n) < copied
    frame.loc[copies, "j1"] = frame.loc[copies, "j0"]
    frame.loc[n_human:, ["R", "T"]] = np.nan
    return frame


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("departure", "made"),
    [(((0, 1), None), {"copied": 0.8}), (((0,), "retrieval"), {"lenient": 0.7})],
)
def test_what_the_rows_were_made_with_gains_most(departure, made, seed) -> None:
    """Most of the truth is hidden; three judges of which one or two are odd."""
    judges = tuple(Judge(f"j{k}", of="task") for k in range(3))
    frame = frame_of(seed, n_human=200, **made)
    counts = Labels.from_frame(frame, judges=list(judges)).counts
    every = [((j,), "retrieval") for j in range(3)] + [(p, None) for p in ((0, 1), (0, 2), (1, 2))]
    found = gained_from(counts, every)
    assert every[int(np.argmax(found))] == departure
    assert found.max() > 0


def gained_from(counts, departures):
    """From where judges pass what is right more often."""
    priors = Priors.flat(counts.judges)
    passes = [0.8 if name.startswith("tpr") else 0.2 for name in priors.names[5:]]
    return gains(counts, priors, np.array([0.5] * 5 + passes), departures)


@pytest.mark.parametrize("seed", range(5))
def test_a_third_that_copies_joins_two_and_one_that_does_not_does_not(seed) -> None:
    judges = tuple(Judge(f"j{k}", of="task") for k in range(4))
    frame = frame_of(seed, copied=0.8, n_judges=4)
    copies = np.random.default_rng(seed).random(len(frame)) < 0.8
    frame["j2"] = np.where(copies, frame["j0"], frame["j2"])
    counts = Labels.from_frame(frame, judges=list(judges)).counts
    two, three, other = gained_from(counts, [((0, 1), None), ((0, 1, 2), None), ((0, 1, 3), None)])
    assert three > two > other


def test_forty_judges_leave_numbers() -> None:
    judges = tuple(Judge(f"j{k}", of="task") for k in range(40))
    counts = Labels.from_frame(frame_of(0, copied=0.9, n_judges=40), judges=list(judges)).counts
    found = gained_from(counts, [((0, 1), None), ((2, 3), None), ((5,), "retrieval")])
    assert np.isfinite(found).all()
    assert np.argmax(found) == 0


def test_what_is_given_beforehand_stays() -> None:
    """A judge whose rates are held, and one that passes no abstention, have gains of the others."""
    plain = (
        Judge("j0", of="task"),
        Judge("j1", of="task", abstained_rate=0.0),
        Judge("j2", of="task"),
    )
    frame = frame_of(1, copied=0.8)
    frame.loc[frame["A"] == 1, "j1"] = 0.0
    counts = Labels.from_frame(frame, judges=list(plain)).counts
    priors = Priors.flat(plain).holding({"tpr[j2]": 0.9, "fpr[j2]": 0.1})
    start = np.array([0.5] * 5 + [0.8 if n.startswith("tpr") else 0.2 for n in priors.names[5:]])
    pair, odd = gains(counts, priors, start, [((0, 1), None), ((0, 2), None)])
    assert np.isfinite([pair, odd]).all()
    assert pair > max(0.0, odd)
