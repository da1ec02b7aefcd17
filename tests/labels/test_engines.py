"""The same rows give the same counts, whatever library holds them."""

from __future__ import annotations

import random
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rat_widgets.errors import LabelValueError
from rat_widgets.labels import Judge, Labels

HOSTILE = (
    "<script>alert(1)</script>",
    'it\'s "quoted" `back` \\',
    "two\nlines\ttab",
    "עברית العربية",
    "😀🏳️‍🌈",
    "",
    " ",
    "^R.*$",
    "*",
    "select * from t; drop table t; --",
    "{0} %s {x}",
)
label = st.sampled_from([None, 0, 1])
text = st.one_of(
    st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cs"], min_codepoint=1))
)
rows_of_labels = st.lists(st.tuples(*[label] * 7, text, text), max_size=25)
names = st.lists(
    st.one_of(st.sampled_from(HOSTILE[:5] + HOSTILE[7:]), st.text("abcXYZ é\"'\n<>", min_size=1)),
    min_size=9,
    max_size=9,
    unique_by=lambda name: name.casefold(),  # DuckDB's names know no case
)


def keywords(columns: list[str], on_contradiction: str, errored_as: str) -> dict[str, Any]:
    return {
        "retrieval": columns[0],
        "abstention": columns[1],
        "task": columns[2],
        "answerable": columns[3],
        "judges": [
            Judge(columns[4], of="retrieval", name="of R"),
            Judge(columns[5], of="task", name="of T"),
        ],
        "errored": columns[6],
        "by": columns[7:9],
        "on_contradiction": on_contradiction,
        "errored_as": errored_as,
    }


policies = st.tuples(
    st.sampled_from(["drop", "trust_abstention", "trust_answer"]),
    st.sampled_from(["excluded", "failures"]),
)


@given(rows_of_labels, names, policies)
@settings(max_examples=60)
def test_every_library_gives_the_counts_of_brute_force(makers, brute_force, rows, columns, policy):
    data = {name: [row[i] for row in rows] for i, name in enumerate(columns)}
    counts, errored, dropped = brute_force(
        [row[:7] for row in rows],
        [row[7:] for row in rows],
        task_judges=[5],
        silent_judges=[5],
        on_contradiction=policy[0],
        errored_as=policy[1],
    )
    seen = []
    for name, make in makers.items():
        got = Labels.from_frame(make(data), **keywords(columns, *policy)).counts
        assert set(got.groups) == {row[7:] for row in rows}, name
        assert {
            (key, tuple(pattern)): n
            for key, line in zip(got.groups, got.counts.tolist(), strict=True)
            for pattern, n in zip(got.patterns.tolist(), line, strict=True)
            if n
        } == counts, name
        assert dict(zip(got.groups, got.errored, strict=True)) == {
            key: errored[key] for key in got.groups
        }, name
        assert dict(zip(got.groups, got.dropped, strict=True)) == {
            key: dropped[key] for key in got.groups
        }, name
        seen.append(got)
    assert all(other == seen[0] for other in seen)


@given(rows_of_labels, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_the_names_of_columns_do_not_matter(rows, chance):
    def read(order: list[Any], columns: list[str]) -> Any:
        frame = pd.DataFrame(order, columns=columns, dtype=object)
        return Labels.from_frame(frame, **keywords(columns, "drop", "excluded")).counts

    shuffled = random.Random(chance.random()).sample(rows, len(rows))
    before = read(rows, list("abcdefghi"))
    after = read(shuffled, list("abcdefghi"))
    assert before == after
    renamed = read(rows, [f"the column {c}" for c in "abcdefghi"])
    assert (renamed.patterns == before.patterns).all()
    assert (renamed.counts == before.counts).all()


@given(rows_of_labels, rows_of_labels)
def test_counts_of_two_tables_add_up_to_the_counts_of_both(first, second):
    columns = list("abcdefghi")

    def read(rows: list[Any]) -> Any:
        frame = pd.DataFrame(rows, columns=columns, dtype=object)
        return Labels.from_frame(frame, **keywords(columns, "drop", "failures")).counts

    assert read(first) + read(second) == read(first + second)
    assert sum([read(first), read(second)]) == read(second) + read(first)


@pytest.mark.parametrize("value", [5, -3, 2.5, True, "text", "<b>"])
def test_group_values_are_plain_python_values_in_every_library(value):
    import polars as pl
    import pyarrow as pa

    data = {"R": [1, 0], "A": [0, 0], "T": [1, 0], "g": [value, value]}
    for frame in (pd.DataFrame(data), pl.DataFrame(data), pa.table(data)):
        (key,) = Labels.from_frame(frame, by="g").counts.groups
        assert key == (value,)
        assert type(key[0]) is type(value)


def test_dates_and_enumerations_in_by_become_text():
    import datetime
    import enum

    Colour = enum.Enum("Colour", "RED")
    frame = pd.DataFrame({"R": [1, 0], "A": [0, 0], "T": [1, 0]})
    frame["day"] = datetime.date(2026, 11, 29)
    frame["colour"] = [Colour.RED, Colour.RED]
    assert Labels.from_frame(frame, by=["day", "colour"]).counts.groups == (
        ("2026-11-29", "Colour.RED"),
    )


def test_encoded_columns_of_arrow_are_read_as_what_they_encode():
    import pyarrow as pa

    labels = {"R": [1, 0], "A": [0, 0], "T": [1, 0]}
    keys = ["a", "b"]
    encoded = (
        pa.array(keys).dictionary_encode(),
        pa.array(keys, pa.string_view()),
        pa.array(keys, pa.large_string()),
        pa.RunEndEncodedArray.from_arrays([1, 2], keys),
        pa.chunked_array([pa.array([key]).dictionary_encode() for key in keys]),
    )
    for column in encoded:
        table = pa.table({**labels, "g": column})
        assert Labels.from_frame(table, by="g").counts.groups == (("a",), ("b",))
        assert Labels.from_frame(table, item="g").item == "g"
        assert len(Labels.from_frame(table, by="g").rows([1.0, 1.0], group=1)) == 1
    null_inside = pa.DictionaryArray.from_arrays([0, 1], pa.array(["a", None]))
    for column in (null_inside, pa.RunEndEncodedArray.from_arrays([1, 2], ["a", None])):
        for role in ("by", "item"):
            with pytest.raises(LabelValueError, match="1 row"):
                Labels.from_frame(pa.table({**labels, "g": column}), **{role: "g"})


def test_a_thousand_groups_are_counted_in_every_library(makers):
    n_groups, n_rows = 1000, 5000
    data = {
        "R": [i % 2 for i in range(n_rows)],
        "A": [(i % 3 == 0 and 1) or 0 for i in range(n_rows)],
        "T": [None if i % 3 == 0 else i % 5 % 2 for i in range(n_rows)],
        "g": [f"group {i % n_groups}" for i in range(n_rows)],
    }
    results = [Labels.from_frame(make(data), by="g").counts for make in makers.values()]
    assert results[0].n_groups == n_groups
    assert all(result == results[0] for result in results)
    assert (results[0].rows_per_group == n_rows // n_groups).all()
