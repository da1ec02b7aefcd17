"""Tables that are read rightly, or refused with a message that helps."""

from __future__ import annotations

import datetime
import math
from decimal import Decimal
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rat_widgets.errors import (
    ArgumentError,
    ArgumentTypeError,
    ContradictionError,
    DuplicateItemError,
    LabelValueError,
    MissingColumnError,
    RatError,
)
from rat_widgets.labels import Judge, Labels, PatternCounts

COLUMNS = {"R": [1, 0, 0, 1], "A": [0, 1, 0, 0], "T": [1, None, 0, 0]}
EXPECTED = PatternCounts.from_patterns([(1, 0, 1), (0, 1), (0, 0, 0), (1, 0, 0)], [1, 1, 1, 1])


def frame(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({**COLUMNS, **columns})


def test_columns_called_r_a_t_need_no_argument(make):
    assert Labels.from_frame(make(COLUMNS)).counts == EXPECTED


@pytest.mark.parametrize(
    "cells",
    [
        [True, None, False, False],
        [1.0, math.nan, 0.0, -0.0],
        [Decimal(1), Decimal("NaN"), Decimal("0.0"), Decimal(0)],
        [np.int8(1), pd.NA, np.bool_(False), np.float32(0)],
        [1, pd.NaT, 0, False],
        pd.array([1, None, 0, 0], dtype="Int8"),
        pd.array([1, None, 0, 0], dtype="Float32"),
        pd.array([True, None, False, False], dtype="boolean"),
        pd.array([1, None, 0, 0], dtype="int64[pyarrow]"),
        pd.array([True, None, False, False], dtype="bool[pyarrow]"),
        pd.array([Decimal(1), None, Decimal(0), Decimal(0)], pd.ArrowDtype(pa.decimal128(5, 2))),
        pd.Categorical([1, None, 0, 0]),
        pd.Categorical([True, None, False, False]),
        pd.arrays.SparseArray([1.0, np.nan, 0.0, 0.0]),
    ],
    ids=lambda cells: str(getattr(cells, "dtype", type(cells[0]).__name__)),
)
def test_every_way_to_write_a_label_reads_the_same(cells):
    assert Labels.from_frame(frame(T=cells)).counts == EXPECTED


@pytest.mark.parametrize("kind", [pl.Boolean, pl.UInt8, pl.Float32, pl.Decimal(5, 2), pl.Int64])
def test_every_type_of_polars_reads_the_same(kind):
    table = pl.DataFrame(COLUMNS).with_columns(pl.col("T").cast(kind))
    assert Labels.from_frame(table).counts == EXPECTED
    assert Labels.from_frame(table.to_arrow()).counts == EXPECTED


@pytest.mark.parametrize("kind", ["BOOLEAN", "TINYINT", "HUGEINT", "DECIMAL(5,2)", "DOUBLE"])
def test_every_type_of_duckdb_reads_the_same(kind):
    relation = duckdb.connect().sql(
        f'SELECT R, A, CAST(T AS {kind}) AS "T" FROM '
        "(VALUES (1, 0, 1), (0, 1, NULL), (0, 0, 0), (1, 0, 0)) AS t(R, A, T)"
    )
    assert Labels.from_frame(relation).counts == EXPECTED


@pytest.mark.parametrize("kind", ["object", "str", "category", "string", "string[pyarrow]"])
def test_text_reads_through_values(kind):
    text = pd.Series(["yes", "unsure", "no", "no"]).astype(kind)
    values = {"yes": 1, "no": False, "unsure": None}
    labels = Labels.from_frame(frame(T=text), values=values)
    assert labels.counts == EXPECTED
    assert labels.keywords == {"values": values}
    judged = Labels.from_frame(frame(T=text, j=text), values=values, judges=[Judge("j", of="task")])
    assert judged.counts.patterns[:, 4].max() == 1


def test_values_read_categories_of_polars_and_arrow():
    table = pl.DataFrame({**COLUMNS, "T": ["yes", None, "no", "no"]})
    for kind in (pl.Categorical, pl.Enum(["no", "yes"])):
        cast = table.with_columns(pl.col("T").cast(kind))
        for form in (cast, cast.lazy(), cast.to_arrow()):
            assert Labels.from_frame(form, values={"yes": 1, "no": 0}).counts == EXPECTED


def test_values_may_read_numbers():
    assert Labels.from_frame(frame(T=[3, None, 0, 2]), values={3: 1, 2: 0}).counts == EXPECTED


@pytest.mark.parametrize(
    "wrap", [nw.from_native, pl.DataFrame, pa.table, lambda df: pl.DataFrame(df).lazy()]
)
def test_narwhals_and_other_faces_of_a_table_are_read(wrap):
    assert Labels.from_frame(wrap(frame())).counts == EXPECTED


def test_anything_that_streams_arrow_is_read():
    class Streams:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            return pa.table(COLUMNS).__arrow_c_stream__(requested_schema)

    assert Labels.from_frame(Streams()).counts == EXPECTED


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"R": [1]}, "builtins.dict.*\n.*\n.*pd.DataFrame"),
        ([{"R": 1}], "builtins.list.*\n.*\n.*pd.DataFrame"),
        (None, "NoneType"),
        ("labels.csv", "builtins.str.*\n.*\n.*read_csv"),
        (np.zeros((3, 3)), "ndarray"),
        (pd.Series([1, 0]), "Series.*\n.*\n.*one column"),
        (pl.Series([1, 0]), "Series"),
    ],
)
def test_what_is_no_table_is_refused(data, message):
    with pytest.raises(ArgumentTypeError, match=message):
        Labels.from_frame(data)


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (2, r"'T' \(task\) holds 2 in 1 row \(row 3,"),
        (0.5, r"holds 0.5.*\n.*\n.*threshold"),
        (-1, "holds -1"),
        (math.inf, "holds inf"),
        (10**30, "holds 1000"),
        (2 + 0j, "holds"),
        ("yes", r"holds 'yes'.*\n.*`values`.\nHint: .*values=\{'yes': 1\}"),
        ("1", r"values=\{'1': 1\}"),
        ("", "holds ''"),
        ("<b>", r"values=\{'<b>': 1, ...\}"),
        (b"1", "holds b'1'"),
        (datetime.date(2026, 1, 1), "holds datetime.date"),
        ([1], r"holds \[1\]"),
        (Decimal("0.1"), "holds Decimal"),
    ],
)
def test_a_cell_that_is_no_label_is_named_with_its_row(cell, message):
    column = pd.Series([1, None, 0, cell], dtype=object)
    with pytest.raises(LabelValueError, match=message):
        Labels.from_frame(frame(T=column))
    if cell in ("", "<b>"):
        return  # of a judge a call that went wrong: see test_unknown.py
    with pytest.raises(LabelValueError, match=r"judge 'j'"):
        Labels.from_frame(frame(j=column), judges=[Judge("j", of="task")])


def test_a_wrong_cell_is_found_in_every_library(make):
    data = {**COLUMNS, "T": [1, None, 0, 2]}
    with pytest.raises(LabelValueError, match=r"holds 2(\.0)? in 1 row \(row 3"):
        Labels.from_frame(make(data))
    data = {**COLUMNS, "T": ["yes", None, "no", "perhaps"]}
    with pytest.raises(LabelValueError, match=r"holds 'perhaps' in 1 row .*\n.*\n.*knows 'yes'"):
        Labels.from_frame(make(data), values={"yes": 1, "no": 0})


def test_nested_cells_are_refused_in_every_library():
    nested = {**COLUMNS, "T": [[1], [0], [1], [0]]}
    for table in (pd.DataFrame(nested), pl.DataFrame(nested), pa.table(nested)):
        with pytest.raises(LabelValueError, match="'T'"):
            Labels.from_frame(table)
        with pytest.raises(LabelValueError, match="'T'"):
            Labels.from_frame(table, task=None, item="T")
        with pytest.raises(LabelValueError, match="'T'"):
            Labels.from_frame(table, task=None, by="T")


@pytest.mark.parametrize(
    ("keywords", "kind", "message"),
    [
        ({"retrieval": "hit"}, MissingColumnError, "no column 'hit'.*retrieval.*\nIt has 'R', 'A'"),
        ({"abstention": "absent"}, MissingColumnError, 'abstention=None .*"never"'),
        ({"by": "system"}, MissingColumnError, "no column 'system'"),
        ({"item": "id"}, MissingColumnError, "no column 'id'"),
        ({"judges": [Judge("v", of="task")]}, MissingColumnError, "no column 'v'"),
        ({"task": "R"}, ArgumentError, "'R' has two roles: retrieval and task"),
        ({"judges": [Judge("T", of="task")]}, ArgumentError, "'T' has two roles"),
        ({"by": "A"}, ArgumentError, "'A' has two roles"),
        ({"by": ["j", "j"]}, ArgumentError, "'j' twice"),
        ({"by": 3}, ArgumentTypeError, "`by` is 3"),
        ({"by": [None]}, ArgumentTypeError, "`by`"),
        ({"retrieval": 0}, ArgumentTypeError, "`retrieval` is 0"),
        ({"judges": ["j"]}, ArgumentTypeError, "rat.Judge"),
        ({"judges": "j"}, ArgumentTypeError, "rat.Judge"),
        ({"judges": 5}, ArgumentTypeError, "rat.Judge"),
        (
            {"judges": [Judge("j", of="task"), Judge("k", of="task", name="j")]},
            ArgumentError,
            "Two judges are called 'j'",
        ),
        ({"values": ["yes"]}, ArgumentTypeError, "`values`"),
        ({"values": {"yes": 2}}, ArgumentError, "'yes' reads as 2"),
        ({"values": {None: 0}}, ArgumentError, "missing"),
        ({"retrieval_levels": ("a", "b", "a")}, ArgumentError, "different names"),
        ({"retrieval_levels": "ab"}, ArgumentTypeError, "lowest level first"),
        ({"retrieval_levels": (1, "2", 3)}, ArgumentTypeError, "as text or all of them whole"),
        ({"on_contradiction": "ignore"}, ArgumentError, "'trust_abstention'"),
        ({"errored_as": "wrong"}, ArgumentError, "'excluded', 'failures'"),
        ({"retrieval": None, "abstention": None, "task": None}, ArgumentError, "No label column"),
    ],
)
def test_a_keyword_that_makes_no_sense_is_explained(keywords, kind, message):
    with pytest.raises(kind, match=message):
        Labels.from_frame(frame(j=[1, 0, 1, 0], k=[1, 0, 1, 0]), **keywords)


def test_an_unknown_keyword_is_named():
    with pytest.raises(TypeError, match="abstain"):
        Labels.from_frame(frame(), abstain="A")


def test_a_missing_default_column_points_to_close_names():
    table = frame().rename(columns={"R": "retrieval_ok", "A": "a", "T": "answer"})
    with pytest.raises(MissingColumnError, match="retrieval='retrieval_ok'"):
        Labels.from_frame(table)
    with pytest.raises(MissingColumnError, match="did you mean abstention='a'"):
        Labels.from_frame(table, retrieval=None)


def test_columns_of_one_name_are_refused():
    table = frame()
    table.columns = ["R", "R", "T"]
    with pytest.raises(ArgumentError, match="two columns called 'R'"):
        Labels.from_frame(table, abstention=None)
    arrow = pa.Table.from_arrays([pa.array([1])] * 3, names=["R", "R", "T"])
    with pytest.raises(ArgumentError, match="two columns called 'R'"):
        Labels.from_frame(arrow, abstention=None)


def test_a_column_of_a_table_without_names_is_refused_with_a_list():
    with pytest.raises(MissingColumnError, match="It has '0', '1', '2'"):
        Labels.from_frame(pd.DataFrame(np.zeros((2, 3))))


def test_labels_that_were_not_recorded_are_missing():
    labels = Labels.from_frame(frame(), retrieval=None, abstention=None)
    assert labels.counts == PatternCounts.from_patterns(
        [(-1, -1, 1), (-1, -1, 0), (-1, -1, -1)], [1, 2, 1]
    )
    assert (labels.retrieval, labels.abstention) == (None, None)


def test_a_system_that_never_abstains_has_a_zero_everywhere(make):
    labels = Labels.from_frame(make(COLUMNS), abstention="never")
    assert (labels.counts.patterns[:, 1] == 0).all()
    assert labels.abstention == "never"
    with pytest.raises(ArgumentError, match="unclear"):
        Labels.from_frame(frame(never=1), abstention="never")


CONTRADICTORY = {**COLUMNS, "T": [1, 1, 0, 0], "q": ["a", "b", "c", "d"]}


def test_a_contradiction_is_an_error_that_names_the_ways_out(make):
    with pytest.raises(ContradictionError) as caught:
        Labels.from_frame(make(CONTRADICTORY), item="q")
    text = str(caught.value)
    assert "1 row (row 1, counting from 0, items 'b')" in text
    for way in ("trust_answer", "trust_abstention", "drop"):
        assert way in text


def test_each_way_out_of_a_contradiction_does_what_it_says(make):
    def counts(way: Any) -> PatternCounts:
        return Labels.from_frame(make(CONTRADICTORY), on_contradiction=way).counts

    assert counts("trust_abstention") == EXPECTED
    trusting = PatternCounts.from_patterns([(1, 0, 1), (0, 0, 1), (0, 0, 0), (1, 0, 0)], [1] * 4)
    assert counts("trust_answer") == trusting
    assert counts("drop").n_rows == 3
    assert counts("drop").dropped.tolist() == [1]


def test_errored_rows_are_left_out_or_count_as_failures(make):
    data = {**CONTRADICTORY, "err": [None, 1, 0, 1]}
    out = Labels.from_frame(make(data), errored="err")
    assert out.counts.errored.tolist() == [2]
    assert out.counts.n_rows == 2
    failures = Labels.from_frame(make(data), errored="err", errored_as="failures")
    assert failures.counts.errored.tolist() == [2]
    assert failures.counts == PatternCounts(
        patterns=[[1, 0, 1, -1], [0, 0, 0, -1], [1, 0, 0, -1]], counts=[[1, 2, 1]], errored=[2]
    )


def test_a_repeated_item_is_refused_unless_trial_or_by_tell_the_rows_apart(make):
    data = {**COLUMNS, "q": ["a", "b", "a", "c"], "run": [1, 1, 2, 1], "s": ["x", "x", "y", "y"]}
    with pytest.raises(DuplicateItemError, match=r"item 'a' .*rows 0 and 2.*\n.*\n.*trial=.*by="):
        Labels.from_frame(make(data), item="q")
    assert Labels.from_frame(make(data), item="q", trial="run").trial == "run"
    assert Labels.from_frame(make(data), item="q", by="s").item == "q"
    data["run"] = [1, 1, 1, 1]
    with pytest.raises(DuplicateItemError, match="in trial 1"):
        Labels.from_frame(make(data), item="q", trial="run")


@pytest.mark.parametrize("argument", ["by", "item", "trial"])
def test_a_missing_key_is_refused_with_its_row(make, argument):
    for cells in (["a", None, "c", None], [1, None, 2, None]):
        with pytest.raises(LabelValueError, match=r"'k' .* 2 rows \(rows 1, 3,.*\n.*\n.*fill"):
            Labels.from_frame(make({**COLUMNS, "k": cells}), **{argument: "k"})


def test_a_missing_number_in_a_polars_key_is_refused_also_when_it_is_nan():
    table = pl.DataFrame({**COLUMNS, "k": [1.0, math.nan, 2.0, None]})
    for argument in ("by", "item", "trial"):
        with pytest.raises(LabelValueError, match="2 rows"):
            Labels.from_frame(table, **{argument: "k"})


@pytest.mark.parametrize("cell", [0, -1, None, math.nan, math.inf])
def test_a_weight_that_is_not_positive_is_refused(cell):
    weights = [1, 2.5, 3, cell]
    for table in (frame(w=weights), pl.DataFrame({**COLUMNS, "w": weights}, strict=False)):
        with pytest.raises(LabelValueError, match=r"'w' \(weight\).*row 3"):
            Labels.from_frame(table, weight="w")


def test_weights_may_be_decimals_and_not_text():
    decimals = [Decimal("0.5")] * 4
    assert Labels.from_frame(frame(w=decimals), weight="w").weight == "w"
    with pytest.raises(LabelValueError, match="'w'"):
        Labels.from_frame(frame(w=["1"] * 4), weight="w")


def test_strata_clusters_and_trials_are_kept():
    labels = Labels.from_frame(
        frame(s=["a", None, "b", "b"], c=[1, 1, 2, 2], t=[1, 2, 3, 4]),
        stratum="s",
        cluster="c",
        trial="t",
        answerable=None,
    )
    assert (labels.stratum, labels.cluster, labels.trial) == ("s", "c", "t")
    with pytest.raises(LabelValueError, match="'s'"):
        Labels.from_frame(frame(s=[[1], {}, set(), 1]), stratum="s")


@pytest.mark.parametrize(
    ("columns", "n_rows"),
    [
        ({"R": [], "A": [], "T": []}, 0),
        ({"R": [1], "A": [0], "T": [1]}, 1),
        ({"R": [None] * 3, "A": [None] * 3, "T": [None] * 3}, 3),
        ({"R": [1] * 3, "A": [0] * 3, "T": [0] * 3}, 3),
    ],
)
def test_small_and_dull_tables_are_labels_like_any_other(make, columns, n_rows):
    labels = Labels.from_frame(make(columns))
    assert labels.n_rows == labels.counts.n_rows == n_rows
    assert labels.counts.groups == ((),)
    assert str(labels.check())
    assert "<" in labels._repr_html_()
    grouped = {**columns, "g": ["x"] * n_rows}
    assert Labels.from_frame(make(grouped), by="g").counts.n_groups == min(n_rows, 1)


def test_an_empty_frame_with_columns_of_no_type_is_read():
    for table in (
        pd.DataFrame(columns=["R", "A", "T"]),
        pl.DataFrame({"R": [], "A": [], "T": []}),
        pa.table({name: pa.array([], pa.null()) for name in "RAT"}),
    ):
        assert Labels.from_frame(table).counts.n_rows == 0


def test_a_single_judge_and_a_single_by_need_no_list():
    labels = Labels.from_frame(frame(j=[1, 0, 1, 0]), judges=Judge("j", of="task"), by=())
    assert [judge.name for judge in labels.judges] == ["j"]


def test_keywords_reproduce_the_reading():
    table = frame(j=[1, 0, 1, 0], s=["a", "b", "a", "b"])
    judge = Judge("j", of="task")
    labels = Labels.from_frame(
        table, judges=[judge], by=["s"], task=None, on_contradiction="drop", errored=None
    )
    assert labels.keywords == {
        "task": None,
        "judges": [judge],
        "by": ["s"],
        "on_contradiction": "drop",
    }
    assert Labels.from_frame(table, **labels.keywords).counts == labels.counts
    more = pd.concat([table, table])
    assert labels.from_same(more).counts == labels.counts + labels.counts
    assert Labels.from_frame(table).keywords == {}


odd_cell = st.one_of(
    st.none(),
    st.sampled_from([0, 1, True, False, 0.0, 1.0, math.nan]),
    st.integers(-2, 3),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=2),
    st.decimals(),
    st.dates(),
    st.complex_numbers(),
    st.lists(st.integers(), max_size=2),
    st.builds(dict),
)
odd_column = st.one_of(
    st.lists(odd_cell, min_size=5, max_size=5),
    st.lists(st.sampled_from([0, 1, None]), min_size=5, max_size=5),
)
CANNOT_HOLD = (
    pa.ArrowException,
    pl.exceptions.PolarsError,
    pl.exceptions.PanicException,
    TypeError,
    OverflowError,
    ValueError,
)
some_name = st.sampled_from([None, "R", "A", "T", "x", "y", "never", "zz", 3])


@given(
    st.fixed_dictionaries(dict.fromkeys(["R", "A", "T", "x", "y"], odd_column)),
    st.fixed_dictionaries(
        {},
        optional={
            **dict.fromkeys(
                ["retrieval", "abstention", "task", "by", "item", "errored", "answerable"],
                some_name,
            ),
            **dict.fromkeys(["stratum", "cluster", "trial", "weight"], some_name),
            "values": st.sampled_from([None, {"a": 1, 2: 0}, {"": None}]),
            "on_contradiction": st.sampled_from(["error", "drop", "trust_answer", "what"]),
        },
    ),
    st.sampled_from(["pandas", "polars", "arrow"]),
)
@settings(max_examples=300)
def test_a_random_table_is_read_or_refused_and_nothing_else(columns, keywords, library):
    try:
        if library == "pandas":
            table = pd.DataFrame({k: pd.Series(v, dtype=object) for k, v in columns.items()})
        elif library == "polars":
            table = pl.DataFrame(columns, strict=False)
        else:
            table = pa.table(columns)
    except CANNOT_HOLD:
        return  # the library itself cannot hold these cells
    try:
        labels = Labels.from_frame(table, **keywords)
    except RatError as err:
        assert str(err)  # noqa: PT017 - either outcome is right
    else:
        assert labels.n_rows == 5
        assert labels.counts.n_rows + labels.counts.errored.sum() + labels.counts.dropped.sum() == 5
