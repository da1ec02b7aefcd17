"""Judges that cannot tell, verdicts that cannot be read, and rows that nobody looked behind."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, CountsError, LabelValueError

VERDICTS = [1, 0, "unsure", None, "unsure", 0]


def table(verdicts=VERDICTS):
    return pd.DataFrame(
        {
            "R": [1, 0, 1, None, 0, 1],
            "A": [0] * 6,
            "T": [1, 0, None, 1, 0, 1],
            "j": pd.Series(verdicts, dtype=object),
        }
    )


def read(df, **keywords):
    return rat.Labels.from_frame(df, judges=[rat.Judge("j", of="task", **keywords)])


def test_cannot_tell_is_an_answer_of_its_own():
    counts = read(table(), unknown="unsure").counts
    j = counts.patterns[:, 4]
    assert counts.counts[0, j == 2].sum() == 2
    assert counts.counts[0, j == -1].sum() == 1
    again = rat.PatternCounts.from_json(counts.to_json())
    assert again == counts
    assert again.judges[0].has_unknown


@pytest.mark.parametrize(
    ("cell", "verdicts"),
    [
        ("unsure", VERDICTS),
        (-1, [1, 0, -1, None, -1, 0]),
        (0.5, [1, 0, 0.5, np.nan, 0.5, 0]),
        (2, [1.0, 0.0, 2.0, None, 2.0, 0.0]),
    ],
)
def test_any_text_or_number_may_stand_for_it(cell, verdicts):
    patterns = read(table(), unknown="unsure").counts.patterns
    assert (read(table(verdicts), unknown=cell).counts.patterns == patterns).all()
    numbers = pd.to_numeric(pd.Series(verdicts, dtype=object), errors="coerce")
    if cell != "unsure":
        assert (read(table().assign(j=numbers), unknown=cell).counts.patterns == patterns).all()


def test_a_missing_number_is_no_answer_whatever_its_kind():
    verdicts = [1, 0, Decimal(2), Decimal("sNaN"), Decimal(2), float("nan")]
    j = read(table(verdicts), unknown=2).counts
    assert j.counts[0, j.patterns[:, 4] == -1].sum() == 2


def test_polars_reads_it_the_same():
    verdicts = ["yes", "no", "unsure", None, "unsure", "no"]
    judges = [rat.Judge("j", of="task", unknown="unsure")]
    values = {"yes": 1, "no": 0}
    frames = (table(verdicts), pl.from_pandas(table(verdicts)))
    one, other = (rat.Labels.from_frame(f, judges=judges, values=values).counts for f in frames)
    assert one == other


def test_without_unknown_the_text_is_unreadable_and_is_counted():
    labels = read(table())
    (column,) = [c for c in labels.check().columns if c.column == "j"]
    assert (column.n_unreadable, column.n_unknown, column.n_missing) == (2, 0, 1)
    assert "2 cells of j hold text that is no verdict" in str(labels.check())
    assert labels.counts.counts[0, labels.counts.patterns[:, 4] == -1].sum() == 3


def test_with_unknown_the_report_counts_both():
    verdicts = [1, 0, "unsure", "I am sorry, but", "unsure", 0]
    (column,) = [
        c for c in read(table(verdicts), unknown="unsure").check().columns if c.column == "j"
    ]
    assert (column.n_unreadable, column.n_unknown) == (1, 2)


@pytest.mark.parametrize(
    "verdicts",
    [
        ["good", "bad", "good", None, "bad", "bad"],  # nothing can be read at all
        [1, 0, "yes", None, 1, 0],  # a plain yes: it should have been mapped
        [1, 0, 3, None, 1, 0],  # a score is no verdict
    ],
)
def test_a_column_of_something_else_is_an_error(verdicts):
    with pytest.raises(LabelValueError, match="judge 'j'"):
        read(table(verdicts))


def many(n_garbage, n_rows=200):
    """A judge of T that errs on one row in four; the first cells hold messages of failed calls."""
    truth = [i % 2 for i in range(n_rows)]
    said = [t if i % 4 else 1 - t for i, t in enumerate(truth)]
    cells = [f"Error {i}: timed out" for i in range(n_garbage)] + said[n_garbage:]
    ones = [1] * n_rows
    return pd.DataFrame(
        {"R": ones, "A": [0] * n_rows, "T": truth, "j": pd.Series(cells, dtype=object)}
    )


@pytest.mark.parametrize("n_garbage", [101, 150, 198])
def test_a_column_that_is_mostly_unreadable_is_refused(n_garbage):
    with pytest.raises(LabelValueError, match=rf"judge 'j'.*{n_garbage} of 200 cells") as caught:
        read(many(n_garbage))
    assert "Error" in str(caught.value)
    assert "in up to half of the cells" in str(caught.value)


@pytest.mark.parametrize(("n_garbage", "percent"), [(20, "10%"), (100, "50%")])
def test_from_a_tenth_on_the_diagnosis_and_the_data_report_warn(n_garbage, percent):
    labels = read(many(n_garbage))
    text = f"{n_garbage} of the 200 cells of judge 'j' ({percent}) hold text that is no verdict"
    (said,) = [m for m in rat.fit(labels).diagnosis.messages if m.code == "unreadable"]
    (found,) = [f for f in labels.check().findings if f.code == "unreadable"]
    assert said.level == found.level == "warning"
    assert text in said.text
    assert text in found.text


def test_below_a_tenth_nobody_is_warned():
    assert "unreadable" not in rat.fit(read(many(19))).diagnosis.codes


def test_text_where_there_was_nothing_to_judge_is_not_held_against_a_judge():
    """Of the task a judge says "n/a" on abstentions, and anything where the call crashed."""
    df = many(150).assign(A=[1] * 150 + [0] * 50, T=[None] * 150 + [1, 0] * 25)
    assert "unreadable" not in rat.fit(read(df)).diagnosis.codes
    crashed = many(150).assign(crashed=[True] * 150 + [False] * 50)
    labels = rat.Labels.from_frame(crashed, judges=[rat.Judge("j", of="task")], errored="crashed")
    assert "unreadable" not in rat.fit(labels).diagnosis.codes


def test_unreadable_verdicts_of_a_wrong_kind_are_errors_beside_unknown_too():
    with pytest.raises(LabelValueError, match=r"'unsure' \(cannot tell\)"):
        read(table([1, 0, 3, None, 1, 0]), unknown="unsure")


@pytest.mark.parametrize("unknown", [0, 1, True, "", float("nan"), ["unsure"]])
def test_what_cannot_stand_for_unknown_is_refused(unknown):
    with pytest.raises(ArgumentError, match="`unknown` of judge 'j'"):
        rat.Judge("j", of="task", unknown=unknown)


def test_a_pattern_may_hold_2_only_where_the_judge_may_say_so():
    with pytest.raises(CountsError, match="outside -1, 0 and 1"):
        rat.PatternCounts.from_patterns([[1, 0, 1, -1, 2]], [1], judges=[rat.Judge("j", of="task")])


def test_a_judge_with_unknown_survives_its_dictionary_and_takes_priors():
    judge = rat.Judge(
        "j", of="task", unknown="unsure", prior={"tpr": (4, 1), "unknown_given_0": (1, 9)}
    )
    assert rat.Judge.from_dict(judge.to_dict()) == judge
    priors = rat.Priors.from_spec(None, [judge])
    assert priors.names[-4:] == ("tpr[j]", "fpr[j]", "unknown_given_1[j]", "unknown_given_0[j]")
    assert rat.Priors.from_dict(priors.to_dict()) == priors
    assert priors.unknown_given_0[0].mean == pytest.approx(0.1)
    with pytest.raises(ArgumentError, match="`prior` of a Judge"):
        rat.Judge("j", of="task", prior={"unknown_given_0": (1, 9)})


def test_rows_that_a_judge_passed_and_nobody_looked_at_are_said():
    df = table([1, 0, 0, 1, 0, 0]).assign(T=[None, 0, 1, None, 0, 1])
    findings = {f.code: f.text for f in read(df).check().findings}
    assert (
        "None of the 2 rows that the judge 'j' passed has a human label of T"
        in (findings["verdict_without_human"])
    )
