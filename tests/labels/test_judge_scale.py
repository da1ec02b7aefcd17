"""Answers of graded judges: scales that are refused, scores that are none, and where cuts fall."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, ArgumentTypeError, LabelValueError


def frame(**columns):
    """Six complete rows, three of them hits, and more columns."""
    return pd.DataFrame({"R": [1, 1, 1, 0, 0, 0], "A": 0, "T": [1, 1, 0, 1, 0, 0], **columns})


def answers(cells, judge):
    """What the judge is taken to have said on each of the six rows, -1 for nothing."""
    rows = frame(v=pd.Series(cells, dtype=object), row=[f"r{i}" for i in range(6)])
    counts = rat.Labels.from_frame(rows, by="row", judges=[judge]).counts
    of_row = zip(counts.groups, counts.counts, strict=True)
    return {group[0]: int(counts.patterns[n > 0, 4][0]) for group, n in of_row}


@pytest.mark.parametrize("levels", [(2, 1, 0), (0, 2, 1), range(3, 0, -1), (0.5, 0.25)], ids=str)
def test_numbers_out_of_order_are_refused_with_the_order(levels):
    with pytest.raises(ArgumentError, match="'g' are out of order") as found:
        rat.Judge("g", of="task", levels=levels)
    assert f"levels={tuple(sorted(levels))!r}" in str(found.value)


def test_texts_are_in_the_order_that_they_are_given_in():
    assert rat.Judge("g", of="task", levels=["poor", "fair", "best"]).answers == (
        "poor",
        "fair",
        "best",
    )


@pytest.mark.parametrize(
    ("levels", "error"),
    [
        ((0, 1, 1), ArgumentError),
        ((0,), ArgumentError),
        ((), ArgumentError),
        (range(21), ArgumentError),
        ("012", ArgumentTypeError),
        ({0, 1}, ArgumentTypeError),
        ((0, "one"), ArgumentTypeError),
        ((0, float("nan")), ArgumentTypeError),
        (("", "good"), ArgumentTypeError),
        ((False, True), ArgumentTypeError),
    ],
    ids=repr,
)
def test_what_is_no_scale_is_refused(levels, error):
    with pytest.raises(error, match="`levels` of judge 'g'") as found:
        rat.Judge("g", of="task", levels=levels)
    assert "the lowest first" in str(found.value)


@pytest.mark.parametrize(
    ("cuts", "error"),
    [
        ((0.6, 0.3), ArgumentError),
        ((0.5, 0.5), ArgumentError),
        ((0, 0.5), ArgumentError),
        ((0.5, 1), ArgumentError),
        ((-0.1,), ArgumentError),
        ((), ArgumentError),
        ((float("nan"),), ArgumentTypeError),
        ("0.5", ArgumentTypeError),
        ((0.5, "0.7"), ArgumentTypeError),
    ],
    ids=repr,
)
def test_cuts_that_make_no_levels_are_refused(cuts, error):
    with pytest.raises(error, match="`cuts` of judge 's'") as found:
        rat.Judge("s", of="task", cuts=cuts)
    assert "numbers between 0 and 1 that rise" in str(found.value)


@pytest.mark.parametrize("score", [-0.001, 1.001, 80, np.inf, -np.inf], ids=str)
def test_a_score_outside_0_to_1_is_refused_with_its_row(score):
    cells = [0.2, 0.9, 0.4, 0.1, score, 0.7]
    with pytest.raises(LabelValueError, match="numbers from 0 to 1") as found:
        rat.fit(frame(s=cells), judges=[rat.Judge("s", of="task", cuts=(0.5,))])
    assert f"column 's' (judge 's') holds {score}" in str(found.value)
    assert "row 4" in str(found.value)


def test_the_ends_of_the_range_are_scores_and_a_cut_belongs_to_the_level_above():
    judge = rat.Judge("v", of="retrieval", cuts=(0.25, 0.5))
    cells = [0.0, np.nextafter(0.25, 0), 0.25, 0.5, 1.0, None]
    assert answers(cells, judge) == {"r0": 0, "r1": 0, "r2": 1, "r3": 2, "r4": 2, "r5": -1}


@pytest.mark.parametrize("level", [3, -1, 1.5], ids=repr)
def test_an_answer_that_is_none_of_the_levels_is_refused_with_its_row(level):
    cells = pd.Series([0, 1, level, 2, 0, 1], dtype=object)
    with pytest.raises(LabelValueError, match="Its levels are 0, 1, 2") as found:
        rat.fit(frame(g=cells), judges=[rat.Judge("g", of="retrieval", levels=(0, 1, 2))])
    assert f"holds {level!r} in 1 row (row 2" in str(found.value)


def test_levels_of_numpy_are_numbers_that_json_can_hold():
    judge = rat.Judge("g", of="task", levels=tuple(np.arange(4)))
    assert judge == rat.Judge("g", of="task", levels=(0, 1, 2, 3))
    counts = rat.Labels.from_frame(frame(g=[0, 1, 2, 3, 0, 1]), judges=[judge]).counts
    assert rat.PatternCounts.from_json(counts.to_json()) == counts


def test_a_number_that_no_float_can_hold_is_no_level():
    with pytest.raises(ArgumentTypeError, match="`levels` of judge 'g'"):
        rat.Judge("g", of="task", levels=(0, 10**400))


KINDS = [np.float64, np.float32, np.float16]


# Polars has no column of 16 bits in all versions.
ENGINES = [(e, k) for e in ("pandas", "arrow", "objects") for k in KINDS]


@pytest.mark.parametrize(("engine", "kind"), [*ENGINES, ("polars", np.float32)])
@pytest.mark.parametrize("cut", [0.1, 0.3, 0.7, 0.9])
def test_a_score_at_a_cut_is_above_it_in_any_precision(cut, engine, kind):
    at = kind(cut)
    below, above = (np.nextafter(at, kind(end)) for end in (0, 1))
    scores = np.array([below, at, above, below, at, above], dtype=kind)
    rows = frame(s=scores.astype(object) if engine == "objects" else scores)
    judge = rat.Judge("s", of="task", cuts=(cut,))
    if engine == "polars":
        polars = pytest.importorskip("polars")
        rows = polars.DataFrame({name: rows[name].to_numpy() for name in rows})
    elif engine == "arrow":
        rows = pytest.importorskip("pyarrow").Table.from_pandas(rows)
    counts = rat.Labels.from_frame(rows, judges=[judge]).counts
    passed = counts.counts[0, counts.patterns[:, 4] == 1].sum()
    assert passed == 4


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_levels_that_are_fractions_are_read_in_any_precision(kind):
    cells = np.array([0.1, 0.7, 70000.5 if kind is np.float64 else 0.1, 0.1, 0.7, 0.7], dtype=kind)
    judge = rat.Judge("v", of="task", levels=(0.1, 0.7, 70000.5))
    counts = rat.Labels.from_frame(frame(v=cells), judges=[judge]).counts
    assert counts.n_rows == 6


@pytest.mark.parametrize("cells", [[True, 1.0, 0.4, 0.2, 0.0, 1.0], [1.0, 0.4, 0.2, 0.0, 1.0, 2.0]])
def test_rows_at_fault_are_named_and_no_others(cells):
    """True equals 1 in a dictionary; a score it is not."""
    judge = rat.Judge("v", of="task", cuts=(0.5,))
    at_fault = [i for i, cell in enumerate(cells) if cell is True or cell > 1]
    with pytest.raises(LabelValueError) as found:
        answers(cells, judge)
    assert f"in 1 row (row {at_fault[0]}, counting from 0)" in str(found.value)


@given(st.permutations([True, False, 1, 0, 2, 1]))
def test_true_is_no_level_beside_1_whichever_comes_first(cells):
    judge = rat.Judge("v", of="task", levels=(0, 1, 2))
    rows = frame(v=pd.Series(cells, dtype=object))
    at_fault = [str(i) for i, cell in enumerate(cells) if isinstance(cell, bool)]
    with pytest.raises(LabelValueError, match="in place of True and False") as found:
        rat.Labels.from_frame(rows, judges=[judge])
    assert f"in 2 rows (rows {', '.join(at_fault)}, counting from 0)" in str(found.value)


@pytest.mark.parametrize("engine", ["pandas", "nullable", "polars", "arrow"])
@pytest.mark.parametrize("cells", [[True, False, True, True, False, True], [True, None] * 3])
def test_a_column_of_true_and_false_is_refused_as_one_whatever_it_is_kept_in(cells, engine):
    judge = rat.Judge("v", of="task", levels=(0, 1, 2))
    kept = pd.Series(cells, dtype="boolean" if engine in ("nullable", "arrow") else None)
    rows = frame(v=kept)
    if engine == "polars":
        polars = pytest.importorskip("polars")
        others = {name: rows[name].to_numpy() for name in ("R", "A", "T")}
        rows = polars.DataFrame({**others, "v": cells})
    elif engine == "arrow":
        rows = pytest.importorskip("pyarrow").Table.from_pandas(rows)
    n_wrong = sum(cell is not None for cell in cells)
    with pytest.raises(LabelValueError, match=rf"in {n_wrong} rows.*\n.*\n.*True and False"):
        rat.Labels.from_frame(rows, judges=[judge])


@given(st.permutations([True, False, 1, 0, 0.0, 1.0]))
def test_of_a_judge_of_yes_and_no_true_is_1(cells):
    said = answers(cells, rat.Judge("v", of="task"))
    assert list(said.values()) == [int(cell) for cell in cells]
