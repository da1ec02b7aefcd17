"""PatternCounts: canonical, mergeable, and the same after a journey through JSON."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rat_widgets.errors import CountsError, RatError
from rat_widgets.labels import Judge, PatternCounts
from rat_widgets.labels.together import together

JUDGES = (
    Judge("jR", of="retrieval", prior={"tpr": (8, 2)}, version="1"),
    Judge("jT", of="task", name="<b>&\n", share="group", abstained_rate=0.25, cost=0.5),
)
key_value = st.one_of(
    st.text(), st.integers(), st.floats(allow_nan=False, allow_infinity=True), st.booleans()
)


@st.composite
def pattern_counts(draw: st.DrawFn) -> PatternCounts:
    groups = draw(st.lists(st.tuples(key_value, key_value), max_size=4, unique_by=hash))
    patterns = draw(st.lists(st.tuples(*[st.sampled_from([-1, 0, 1])] * 6), max_size=8))
    numbers = st.integers(0, 10**6)
    return PatternCounts(
        by=("one", "two\n"),
        groups=tuple(groups),
        judges=JUDGES,
        patterns=np.array(patterns, dtype=np.int8).reshape(-1, 6),
        counts=np.array([[draw(numbers) for _ in patterns] for _ in groups], np.int64).reshape(
            len(groups), len(patterns)
        ),
        errored=np.array([draw(numbers) for _ in groups], np.int64),
        dropped=np.array([draw(numbers) for _ in groups], np.int64),
    )


@given(pattern_counts())
def test_counts_come_back_from_json_exactly(counts):
    again = PatternCounts.from_json(counts.to_json())
    assert again == counts
    assert hash(again) == hash(counts)
    assert [[type(v) for v in key] for key in again.groups] == [
        [type(v) for v in key] for key in counts.groups
    ]
    assert again.judges == counts.judges
    assert again.to_json() == counts.to_json()


@given(pattern_counts())
def test_counts_are_canonical(counts):
    patterns = [tuple(row) for row in counts.patterns.tolist()]
    assert patterns == sorted(set(patterns))
    assert (counts.counts.sum(axis=0) > 0).all()
    abstained = counts.patterns[:, 1] == 1
    assert (counts.patterns[abstained][:, [2, 5]] == -1).all()
    for array in (counts.patterns, counts.counts, counts.errored, counts.dropped):
        assert not array.flags.writeable


@given(pattern_counts())
def test_pooling_and_selecting_keep_the_number_of_rows(counts):
    assert counts.pooled().n_rows == counts.n_rows
    assert sum(counts.group(i).n_rows for i in range(counts.n_groups)) == counts.n_rows
    assert [counts.group(i).groups for i in range(counts.n_groups)] == [
        (key,) for key in counts.groups
    ]
    if counts.n_groups:
        assert sum(counts.group(i) for i in range(counts.n_groups)) == counts


@given(pattern_counts(), pattern_counts(), pattern_counts())
def test_addition_is_commutative_and_associative(a, b, c):
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)


@given(st.lists(pattern_counts(), min_size=1, max_size=6))
def test_counts_put_together_are_their_sum(parts):
    assert together(parts) == sum(parts)


@given(pattern_counts())
def test_leaving_answerable_out_keeps_every_row(counts):
    without = counts.without_answerable()
    assert (without.patterns[:, 3] == -1).all()
    assert (without.rows_per_group == counts.rows_per_group).all()


def test_answerability_takes_the_place_of_retrieval():
    counts = PatternCounts.from_patterns([(1, 0, 1, 1), (0, 1, -1, 0), (0, 0, 0, 1)], [5, 4, 3])
    answerability = counts.as_answerability()
    assert answerability == PatternCounts.from_patterns([(1, 0), (0, 1)], [8, 4])
    assert counts.without_answerable().as_answerability() is None


def test_what_may_decide_which_rows_show_abstention_stays_beside_answerability():
    judges = [Judge("jR", of="retrieval"), Judge("jA", of="abstention")]
    counts = PatternCounts.from_patterns(
        [(1, 0, 1, 1, 1, 0), (0, -1, 0, 0, 0, 1), (1, 0, 1, -1)], [5, 4, 2], judges=judges
    )
    assert counts.as_answerability() == PatternCounts.from_patterns(
        [(1, 0, 1, -1, -1, 0), (0, -1, 0, -1, -1, 1), (-1, 0, 1)], [5, 4, 2], judges=judges
    )


def test_counts_of_other_columns_do_not_add_up():
    plain = PatternCounts.from_patterns([(1, 0, 1)], [3])
    judged = PatternCounts.from_patterns([(1, 0, 1)], [3], judges=[Judge("j", of="task")])
    with pytest.raises(CountsError, match="differ in `judges`"):
        plain + judged
    with pytest.raises(TypeError):
        plain + 1


def test_a_group_that_is_not_there_is_an_error():
    counts = PatternCounts.from_patterns([(1, 0, 1)], [3])
    with pytest.raises(CountsError, match="no group 1"):
        counts.group(1)


def test_the_callers_arrays_can_change_afterwards():
    patterns = np.array([[1, 0, 1, -1]], dtype=np.int8)
    counts = np.array([[4]])
    value = PatternCounts(patterns=patterns, counts=counts)
    patterns[:] = 0
    counts[:] = 9
    assert value == PatternCounts.from_patterns([(1, 0, 1)], [4])


@pytest.mark.parametrize(
    ("patterns", "counts", "message"),
    [
        ([[1, 0, 2, -1]], [[1]], "outside -1, 0 and 1"),
        ([[1, 0, 1]], [[1]], "shape"),
        ([[1, 0, 1, -1]], [[-1]], "below 0"),
        ([[1, 0, 1, -1]], [[1.5]], "not whole numbers"),
        ([[1, 0, 1, -1]], [[1], [2]], "shape"),
    ],
)
def test_counts_that_make_no_sense_are_refused(patterns, counts, message):
    with pytest.raises(CountsError, match=message):
        PatternCounts(patterns=patterns, counts=counts)


GOOD: dict[str, Any] = PatternCounts.from_patterns(
    [(1, 0, 1, -1, 1, 0)], [3], judges=JUDGES
).to_dict()
json_value = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)


@given(st.sampled_from(sorted(GOOD)), json_value)
def test_hostile_json_gives_counts_or_a_clear_error(field, value):
    try:
        counts = PatternCounts.from_json(json.dumps({**GOOD, field: value}))
    except RatError as err:
        assert str(err)  # noqa: PT017 - either outcome is right
    else:
        assert counts.n_rows >= 0


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[" * 100_000, '"x"', b"\xff", "{}"])
def test_what_is_not_counts_in_json_is_refused(text):
    with pytest.raises(CountsError):
        PatternCounts.from_json(text)


@pytest.mark.parametrize("field", ["counts", "groups", "judges", "patterns"])
def test_a_table_without_its_numbers_is_refused(field):
    with pytest.raises(CountsError):
        PatternCounts.from_json(json.dumps({**GOOD, field: []}))


@pytest.mark.parametrize("field", ["counts", "dropped", "groups", "patterns"])
def test_a_ragged_table_is_refused(field):
    with pytest.raises(CountsError):
        PatternCounts.from_json(json.dumps({**GOOD, field: [None, []]}))


def test_the_representation_says_what_is_in_it():
    counts = PatternCounts(
        by=("system",),
        groups=(("a",), ("b",)),
        judges=(Judge("j", of="task"),),
        patterns=[[1, 0, 1, -1, 1]],
        counts=[[1000], [500]],
        errored=[2, 0],
    )
    assert repr(counts) == (
        "PatternCounts(1,500 rows; 1 patterns; 2 groups by 'system'; judges 'j' of task; 2 errored)"
    )
