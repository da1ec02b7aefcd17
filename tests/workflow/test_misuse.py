"""Wrong arguments of every public call: an error of the package that says what is accepted."""

from __future__ import annotations

import contextlib
import copy
import inspect
import pickle

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.errors import (
    ArgumentError,
    ArgumentTypeError,
    EngineError,
    FileError,
    FrameError,
    RatError,
    ViewError,
)
from rat_widgets.labels.keys import key_labels
from rat_widgets.model.worlds import PARAMETERS

ODD = (
    None,
    0,
    -1,
    1.5,
    "x",
    b"x",
    [],
    {},
    (),
    object(),
    True,
    np.nan,
    pd.NA,
    [1],
    {"a": 1},
    print,
    np.array([1, 2]),
)
FRAME = rat.simulate(rat.datasets.load("qwen"), n=60, seed=1).assign(s=["a", "b"] * 30)
POSTS = rat.fit(FRAME, by="s")
POST = POSTS.members[0]
W = rat.tree(POSTS)
JUDGED = FRAME.assign(j=[1, 0, 1] * 20)
J = rat.judges(JUDGED, judges=rat.Judge("j", of="retrieval"), draws=80)
THETA = rat.Theta.from_array([0.5] * 5)

CALLS = {
    **{
        f"fit({name}=)": lambda x, name=name: rat.fit(FRAME, **{name: x})
        for function in (rat.fit, rat.Labels.from_frame)
        for name in inspect.signature(function).parameters
        if name not in ("df", "x", "columns")
    },
    **{
        f"tree({name}=)": lambda x, name=name: rat.tree(FRAME, **{name: x})
        for name in ("ci_prob", "ci_kind", "controls")
    },
    **{
        f"simulate({name}=)": lambda x, name=name: rat.simulate(THETA, **{"n": 5, name: x})
        for name in ("n", "strategy", "judges", "n0", "seed")
    },
    **{
        f"Judge({name}=)": lambda x, name=name: rat.Judge(**{"column": "j", "of": "task", name: x})
        for name in ("column", "of", "name", "version", "prior", "share", "abstained_rate", "cost")
    },
    **{
        f"judges({name}=)": lambda x, name=name: rat.judges(J.posterior(), **{name: x})
        for name in ("ci_prob", "ci_kind", "controls")
    },
    "judges": rat.judges,
    "judges.rows": J.rows,
    "judges.save": J.save,
    "judges.update": J.update,
    "judges.figure": lambda x: J.figure(theme=x),
    "JudgeView.from_json": type(J.view).from_json,
    "JudgeView.from_dict": type(J.view).from_dict,
    "Priors.holding": J.posterior().draws.priors.holding,
    "Priors.holding value": lambda x: J.posterior().draws.priors.holding({"tpr[j]": x}),
    "fit": rat.fit,
    "tree": rat.tree,
    "report": lambda x: rat.report(FRAME, x),
    "save": W.save,
    "update": W.update,
    "rows": W.rows,
    "figure": lambda x: W.figure(theme=x),
    "on_change": W.on_change,
    "post[]": lambda x: POST[x],
    "posts[]": lambda x: POSTS[x],
    "sel": lambda x: POSTS.sel(s=x),
    "summary(ci_prob=)": lambda x: POST.summary(ci_prob=x),
    "summary(ci_kind=)": lambda x: POST.summary(ci_kind=x),
    "with_policy": POST.with_policy,
    "membership": POST.membership,
    "labels.rows": POST.labels.rows,
    "labels.rows(group=)": lambda x: POST.labels.rows([1.0] * 6, group=x),
    "simulate": lambda x: rat.simulate(x, 5),
    "Theta": lambda x: rat.Theta.from_array([x] * 5),
    "Theta.from_array": rat.Theta.from_array,
    "Judge.from_dict": rat.Judge.from_dict,
    "Beta": lambda x: rat.Beta(x, 1),
    "Beta.from_mean": lambda x: rat.Beta.from_mean(x, x),
    "Priors": lambda x: rat.Priors(theta=x),
    "Priors of five": lambda x: rat.Priors(theta=(x,) * 5),
    "Priors.from_spec": rat.Priors.from_spec,
    "Priors.from_dict": rat.Priors.from_dict,
    "Policy": lambda x: rat.Policy("mine", x),
    "Policy.from_spec": rat.Policy.from_spec,
    "counts.group": POST.counts.group,
    "counts.select": POST.counts.select,
    "from_patterns": lambda x: rat.PatternCounts.from_patterns(x, [1]),
    "from_patterns counts": lambda x: rat.PatternCounts.from_patterns([[1, 0, 1]], x),
    "from_patterns judges": lambda x: rat.PatternCounts.from_patterns([[1]], [1], judges=x),
    "PatternCounts.from_json": rat.PatternCounts.from_json,
    "PatternCounts.from_dict": rat.PatternCounts.from_dict,
    "TreeView.from_json": type(W.view).from_json,
    "TreeView.from_dict": type(W.view).from_dict,
    "datasets.load": rat.datasets.load,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_odd_argument_is_taken_or_refused_by_an_error_of_the_package(call):
    for odd in ODD:
        with contextlib.suppress(RatError):
            call(odd)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_refusal_says_what_was_got_and_what_is_accepted(call):
    for odd in (object(), np.array([1, 2])):
        try:
            call(odd)
        except RatError as err:
            said = str(err).splitlines()
        else:
            continue
        assert len(said) >= 2, (odd, said)


@pytest.mark.parametrize("ci_prob", [0, 1, 95, -0.5, "0.95", True, float("nan")])
def test_ci_prob_is_a_probability(ci_prob):
    for call in (rat.tree, lambda x, **k: rat.fit(x).summary(**k)):
        with pytest.raises(RatError, match="between 0 and 1"):
            call(FRAME, ci_prob=ci_prob)
    with pytest.raises(ArgumentError, match=r"did you mean 0\.95"):
        rat.tree(FRAME, ci_prob=95)


def test_more_draws_than_memory_are_refused():
    with pytest.raises(ArgumentError, match="At most 10,000,000"):
        rat.fit(FRAME, draws=10**12)


@pytest.mark.parametrize("prior", [(5e-324, 1), (1e300, 1e300)])
def test_priors_that_have_no_density_in_floats_are_refused(prior):
    with pytest.raises(ArgumentError, match="from 1e-09 to 1e"):
        rat.fit(FRAME, priors={"retrieval_success": prior})


@pytest.mark.parametrize("prior", [(1e-9, 1e-9), (1e12, 1e12), (1e-6, 1e8), (1e8, 1e-6)])
def test_under_extreme_priors_every_parameter_keeps_its_draws(prior):
    priors = dict.fromkeys(PARAMETERS, prior)
    for frame in (FRAME, FRAME.head(0)):
        summary = rat.fit(frame, priors=priors).summary()
        assert np.isfinite(summary.loc[list(PARAMETERS)]).all(axis=None)
        assert (summary.loc[list(PARAMETERS), "ess_bulk"] > 0).all()
        rat.tree(frame, priors=priors)._repr_mimebundle_()


def test_a_table_without_rows_has_no_groups_and_says_so():
    w = rat.tree(FRAME, by="s")
    before = dict(w._view)
    for call in (lambda: rat.fit(FRAME.head(0), by="s"), lambda: w.update(FRAME.head(0))):
        with pytest.raises(EngineError, match="no rows, so there are no groups by 's'"):
            call()
    assert w._view == before


def test_a_weight_of_a_policy_has_a_bound_where_numbers_overflow():
    with pytest.raises(ArgumentError, match="larger unit"):
        rat.Policy.from_spec({"hit_right": 1e308})


@pytest.mark.parametrize("function", ["save", "report"])
def test_a_file_that_cannot_be_written_is_refused_with_a_reason(function, tmp_path):
    call = W.save if function == "save" else lambda path: rat.report(FRAME, path)
    (tmp_path / "folder.html").mkdir()
    with pytest.raises(FileError, match="does not exist"):
        call(tmp_path / "no" / "tree.html")
    with pytest.raises(FileError, match="is a folder"):
        call(tmp_path / "folder.html")
    with pytest.raises(FileError, match="cannot be written"):
        call(tmp_path / ("a" * 300 + ".html"))
    for name in ("a\0.html", "a\ud800.html", "\ud800/a.html"):
        with pytest.raises(ArgumentError, match="no file can be called so"):
            call(str(tmp_path) + "/" + name)
    with pytest.raises(FileError, match="home directory"):
        call("~nobody-of-this-name/a.html")
    with pytest.raises(ArgumentError, match="ends in"):
        call(tmp_path)


def test_a_home_folder_is_found(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert W.save("~/tree.json") == tmp_path / "tree.json"


def test_rows_get_into_a_page_by_true_and_nothing_else(tmp_path):
    with pytest.raises(ArgumentTypeError, match="True or False"):
        W.save(tmp_path / "tree.html", include_rows="no")
    with pytest.raises(ArgumentTypeError, match="True or False"):
        rat.report(FRAME, tmp_path / "tree.html", include_rows="no")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("value", [POSTS, POST, POST.draws, POST.labels, POST.counts, W.view])
@pytest.mark.parametrize("again", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_values_are_copied_and_pickled(value, again):
    twin = again(value)
    assert type(twin) is type(value)
    if isinstance(twin, rat.Posterior):
        assert np.array_equal(twin["task_success"], value["task_success"])
        assert len(twin.rows("all")) == len(value.rows("all"))
        assert not twin.draws.theta.flags.writeable
        assert not twin.counts.counts.flags.writeable


def _plain(**columns):
    return pd.DataFrame({"R": [1, 0, 1, 0], "A": [0, 0, 0, 1], "T": [1, 0, 1, 0], **columns})


def test_groups_that_read_the_same_are_told_apart():
    spellings = pd.Series(["\u00e9", "e\u0301", 1, "1"], dtype=object)
    posts = rat.fit(_plain(s=spellings), by="s")
    labels = [g.label for g in rat.tree(posts).view.groups]
    assert sorted(labels) == sorted(["1", "'1'", r"'\xe9'", r"'e\u0301'"])
    assert list(posts.labels_of_groups) == labels


_VALUES = st.sampled_from(["", " ", "\t", "a", "a ", "'", "''", "(empty)", 1, "1"])


@given(st.lists(st.tuples(_VALUES, _VALUES), unique=True, max_size=8))
def test_every_group_has_a_name_of_its_own_that_can_be_seen(keys):
    names = key_labels(keys)
    assert all(part.strip() for name in names for part in name.split("\N{MIDDLE DOT}"))
    assert len({" ".join(name.split()) for name in names}) == len(keys)


def test_a_group_without_a_name_is_called_the_same_everywhere():
    df = _plain(s=["", "x", "", "x"])
    posts = rat.fit(df, by="s", draws=400)
    assert posts.labels_of_groups == ("(empty)", "x")
    w = rat.tree(posts, controls={"group": "(empty)"})
    assert w.view.group.label == "(empty)"
    assert "(empty)" in str(rat.Labels.from_frame(df, by="s").check())
    assert posts.sel(s="").group == {"s": ""}
    assert rat.tree(_plain()).view.group.label == ""


def test_infinity_is_a_group_like_any_other(tmp_path):
    w = rat.tree(_plain(s=[np.inf, -np.inf, 1.0, 1.0]), by="s")
    assert [g.label for g in w.view.groups] == ["-inf", "1.0", "inf"]
    assert type(w.view).from_json(w.view.to_json()) == w.view
    assert len(w.rows("all")) == 1
    w.save(tmp_path / "tree.html")


def test_half_a_surrogate_pair_is_written_as_its_escape(tmp_path):
    half = pd.Series(["\ud800"] * 4, dtype=object)
    rat.report(_plain(s=half), tmp_path / "rows.html", by="s", include_rows=True)
    assert r"\ud800" in (tmp_path / "rows.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "names", [["\u00e9", "e\u0301"], [("a", "b"), "('a', 'b')"], [np.nan, "x"], ["class", "_1"]]
)
def test_columns_of_any_name_get_into_a_page(names, tmp_path):
    frame = _plain(x=["left"] * 4, y=["right"] * 4).set_axis(["R", "A", "T", *names], axis=1)
    rat.report(frame, tmp_path / "rows.html", include_rows=True)
    text = (tmp_path / "rows.html").read_text(encoding="utf-8")
    assert text.count("<td>left</td><td>right</td>") == 4


def test_a_table_that_its_library_cannot_compute_is_refused_with_what_it_says():
    frame = pl.from_pandas(_plain()).lazy()
    closed = duckdb.connect()
    relation = closed.sql("SELECT 1 AS R, 0 AS A, 1 AS T")
    closed.close()
    tables = {
        "nope": frame.with_columns(R=pl.col("nope")),
        "conversion": frame.with_columns(R=pl.lit("x").cast(pl.Int64)),
        "closed": relation,
        "Could not convert": duckdb.connect().sql("SELECT CAST('z' AS INT) AS R, 0 AS A, 1 AS T"),
    }
    for said, table in tables.items():
        with pytest.raises(FrameError, match=f"cannot be read: .*{said}"):
            rat.fit(table)


def test_a_page_whose_view_is_damaged_keeps_the_picture_and_the_table(tmp_path):
    text = W.save(tmp_path / "tree.html").read_text(encoding="utf-8")
    # only a tree that stands there hides them, not the sentence that says why there is none
    assert ".rat-mount:has(.rat-tree, .rat-judges, .rat-allocation) > .rat-fallback {" in text


def _without(data, *path):
    inner = data
    for step in path[:-1]:
        inner = inner[step]
    del inner[path[-1]]


@pytest.mark.parametrize(
    ("path", "says"),
    [
        (("policy", "weights", "hit_right"), "weights: 'hit_right' is missing"),
        (("groups", 0, "worlds", "miss_wrong"), "worlds: 'miss_wrong' is missing"),
        (("groups", 0, "branches", "abstain_given_hit"), "branches: 'abstain_given_hit'"),
        (("groups", 0, "quantities", "task_success"), "quantities: 'task_success'"),
    ],
)
def test_a_view_that_lacks_what_every_tree_says_is_refused(path, says):
    data = W.view.to_dict()
    _without(data, *path)
    with pytest.raises(ViewError, match=says):
        type(W.view).from_dict(data)


def test_a_view_of_no_group_or_of_one_that_is_not_there_is_refused():
    data = W.view.to_dict()
    for change in ({"groups": []}, {"controls": {"group": 2}}):
        with pytest.raises(ViewError, match="position of one of them"):
            type(W.view).from_dict({**data, **change})


@pytest.mark.parametrize("text", ["[" * 100_000, b"\xc3(", "{"])
def test_text_that_is_no_json_is_refused_by_every_reader(text):
    for read in (rat.PatternCounts.from_json, type(W.view).from_json):
        with pytest.raises(RatError, match="to_json"):
            read(text)


@pytest.mark.parametrize(
    "keywords",
    [
        {"seed": np.int64(3), "by": pd.Index(["s"])},
        {"priors": {"retrieval_success": np.array([1, 2])}, "ci_prob": np.float32(0.5)},
        {"policy": {"hit_right": np.float64(0.5)}},
        {"by": np.array(["s"])},
        {"draws": np.int32(400), "chains": np.int8(2)},
    ],
)
def test_copy_as_python_writes_numbers_of_numpy_as_plain_ones(keywords):
    view = rat.tree(FRAME, **keywords).view
    again = eval(view.python + ")", {"rat": rat, "df": FRAME}).view
    assert again.groups == view.groups
    assert again.policy == view.policy


def test_a_group_is_found_by_the_value_that_the_column_holds():
    days = pd.to_datetime(["2020-01-01", "2020-01-02"] * 2)
    posts = rat.fit(_plain(s=days, n=[1, 1, 2, 2]), by=["s", "n"])
    one = posts.sel(s=days[0], n=np.int64(2))
    assert one.group == {"s": "2020-01-01 00:00:00", "n": 2}
    with pytest.raises(ArgumentError, match="No group has"):
        posts.sel(n="2")


def test_posteriors_of_nothing_are_refused():
    for nothing in ((), [], (1,)):
        with pytest.raises(ArgumentTypeError, match="at least one Posterior"):
            rat.Posteriors(nothing)
