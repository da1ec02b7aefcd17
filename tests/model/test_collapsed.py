"""The likelihood in as few terms as the counts allow is still the likelihood."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.collapsed import collapse
from rat_widgets.model.likelihood import log_likelihood

JUDGES = (
    Judge("jR", of="retrieval"),
    Judge("jT", of="task"),
    Judge("kT", of="task", abstained_rate=0.3),
    Judge("jA", of="abstention"),
)

label = st.sampled_from([-1, 0, 1])
# A row shows what it likes, but never T=1 beside A=1.
row = st.tuples(*[label] * 3, st.just(-1), *[label] * len(JUDGES)).filter(
    lambda r: not (r[1] == 1 and r[2] == 1)
)
tables = st.lists(st.tuples(row, st.integers(1, 50)), min_size=1, max_size=12)
points = st.lists(st.floats(0.02, 0.98), min_size=13, max_size=13).map(np.array)


def counts_of_rows(table):
    patterns = np.array([row for row, _ in table], dtype=np.int8)
    counts = np.array([[n for _, n in table]], dtype=np.int64)
    return PatternCounts(judges=JUDGES, patterns=patterns, counts=counts)


def log_density(collapsed, p):
    """Whole labels and mixed patterns put together again, by hand."""
    log = np.concatenate([np.log(p), np.log1p(-p)])
    total = collapsed.ones[0] @ log[: len(p)] + collapsed.zeros[0] @ log[len(p) :]
    for rows, exponents, factor in zip(
        collapsed.rows[0], collapsed.exponents, collapsed.log_factor, strict=True
    ):
        total += rows * np.log(np.exp(exponents @ log + factor).sum())
    return total


@given(tables, points)
def test_collapsing_keeps_the_likelihood(table, p):
    counts = counts_of_rows(table)
    expected = log_likelihood(
        counts.patterns, counts.counts[0], p[:5], p[5:9], p[9:], judges=counts.judges
    )
    assert log_density(collapse(counts), p) == pytest.approx(expected, rel=1e-10, abs=1e-10)


@given(tables)
def test_a_parameter_that_mixes_in_nothing_has_whole_labels_only(table):
    collapsed = collapse(counts_of_rows(table))
    assert (collapsed.rows > 0).all()
    # Each mixed pattern has at least two products, and none that could still be added up.
    assert (np.isfinite(collapsed.log_factor).sum(axis=1) >= 2).all()


def test_complete_rows_and_rows_without_t_leave_no_mixed_pattern():
    patterns = np.array([[1, 0, 1, -1], [0, 1, -1, -1], [1, 0, -1, -1], [-1, -1, -1, -1]])
    collapsed = collapse(PatternCounts(patterns=patterns, counts=np.array([[3, 4, 5, 6]])))
    assert collapsed.rows.shape == (1, 0)
    assert not collapsed.mixing.any()
    assert collapsed.ones[0].tolist() == [8, 4, 0, 0, 3]
    assert collapsed.zeros[0].tolist() == [4, 0, 8, 0, 0]


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_a_rate_that_excludes_abstention_leaves_the_other_worlds(rate):
    judge = Judge("jT", of="task", abstained_rate=rate)
    counts = PatternCounts.from_patterns([[-1, -1, 0, -1, int(1 - rate)]], [5], judges=[judge])
    p = np.array([0.4, 0.3, 0.2, 0.6, 0.7, 0.9, 0.2])
    expected = log_likelihood(
        counts.patterns, counts.counts[0], p[:5], p[5:6], p[6:], judges=counts.judges
    )
    assert log_density(collapse(counts), p) == pytest.approx(expected, rel=1e-12)
