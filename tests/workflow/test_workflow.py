"""The facade: what a user calls, from a frame to a widget and a file."""

from __future__ import annotations

import html
import json
import re

import numpy as np
import pandas as pd
import pytest
import traitlets

import rat_widgets as rat
from rat_widgets.errors import (
    ArgumentError,
    ArgumentTypeError,
    MissingColumnError,
    NoRowsError,
    RatError,
    ViewError,
)
from rat_widgets.model.worlds import WORLDS
from rat_widgets.present.python_call import python_call
from rat_widgets.views import wording
from rat_widgets.views.tree import TreeView


@pytest.fixture
def frame():
    frame = rat.simulate(rat.datasets.load("qwen"), n=300, seed=4)
    frame["system"] = np.where(np.arange(300) % 3 == 0, "a", "b")
    frame["question"] = [f"secret question {i}" for i in range(300)]
    return frame


def test_a_frame_labels_counts_and_posteriors_give_the_same_tree(frame):
    frame = frame[["R", "A", "T"]]
    labels = rat.Labels.from_frame(frame)
    sources = [frame, labels, labels.counts, rat.fit(frame)]
    views = [rat.tree(x).view for x in sources]
    assert all(v.groups == views[0].groups for v in views)


def test_fit_and_tree_refuse_unknown_keywords_and_list_the_known(frame):
    with pytest.raises(ArgumentTypeError, match="retrieval"):
        rat.fit(frame, retreival="R")
    with pytest.raises(ArgumentTypeError, match="retrieval"):
        rat.tree(frame, retreival="R")
    with pytest.raises(ArgumentTypeError, match="data frame only"):
        rat.fit(rat.Labels.from_frame(frame), by="system")
    with pytest.raises(ArgumentTypeError, match="fitted already"):
        rat.fit(rat.fit(frame))
    with pytest.raises(MissingColumnError, match="'R'"):
        rat.tree(frame.rename(columns={"R": "found"}))


def test_controls_are_validated_and_nothing_is_lost(frame):
    w = rat.tree(frame, by="system")
    w.controls = {"group": 1}
    assert w.controls == {"group": 1, "unit": "queries", "policy": None, "pins": None}
    for bad in (
        {"group": 2},
        {"group": -1},
        {"unit": "x"},
        {"policy": {"hit": 1}},
        {"zoom": 1},
        {"pins": {"hit": 1}},
        {"pins": {"retrieval_success": 2}},
        {"pins": {"retrieval_success": True}},
    ):
        with pytest.raises(traitlets.TraitError):
            w.controls = bad
    assert w.controls["group"] == 1
    w.controls = {"group": "a"}
    assert w.controls["group"] == 0
    with pytest.raises(traitlets.TraitError, match="'a', 'b'"):
        w.controls = {"group": "c"}
    with pytest.raises(ArgumentError, match="from 0 to 1"):
        rat.tree(frame, by="system", controls={"group": 2})
    with pytest.raises(ViewError):
        rat.tree(frame, controls={"unit": "per cent"})


def test_a_policy_in_the_controls_moves_view_posterior_and_rows(frame):
    w = rat.tree(frame)
    by_hand = dict.fromkeys(WORLDS, 0.0) | {"hit_right": 1.0, "miss_right": 1.0}
    w.controls = {"policy": "task_success"}
    assert w.controls["policy"] == by_hand
    w.controls = {"policy": by_hand}
    assert w.posterior().policy.name == "task_success"
    group = w.view.groups[0]
    assert group.quantities["policy_adherence"].value == group.quantities["task_success"].value
    good = w.rows("good")
    assert set(good["T"]) == {1}
    assert w._view["policy"]["name"] == "adherence"


def test_the_fitted_policy_set_by_hand_is_no_change(frame):
    w = rat.tree(frame)
    w.controls = {"policy": {"hit_right": 1, "miss_abstained": 1}}
    assert w.controls["policy"] is None


def test_on_change_follows_until_it_is_stopped(frame):
    w = rat.tree(frame, by="system")
    seen = []
    stop = w.on_change(seen.append)
    w.controls = {"group": 1}
    stop()
    w.controls = {"group": 0}
    assert [c["group"] for c in seen] == [1]
    with pytest.raises(ArgumentTypeError, match="function"):
        w.on_change(3)


def test_update_keeps_what_the_reader_set_and_takes_the_new_rows(frame):
    w = rat.tree(frame[:200], by="system", seed=5)
    w.controls = {"group": 1, "unit": "step", "policy": {"hit_right": 1}}
    before = w.controls
    w.update(frame)
    assert w.controls == before
    assert sum(g["n_rows"] for g in w._view["groups"]) == 300
    assert (
        w.view.groups == rat.tree(frame, by="system", seed=5, policy={"hit_right": 1}).view.groups
    )


def test_update_of_a_posterior_fits_as_it_was_fitted(frame):
    how = {"priors": {"retrieval_success": (200, 2)}, "draws": 800, "chains": 2, "seed": 7}
    w = rat.tree(rat.fit(frame, **how))
    w.update(frame.head(30))
    expected = rat.fit(frame.head(30), **how)
    assert np.array_equal(w.posterior().draws.theta, expected.draws.theta)


def test_update_follows_the_group_by_its_key(frame):
    w = rat.tree(frame[frame["system"] == "b"], by="system")
    w.update(frame)
    assert w.view.group.label == "b"


def test_an_update_that_is_refused_changes_nothing(frame):
    w = rat.tree(frame)
    view = w._view
    with pytest.raises(RatError):
        w.update(frame.drop(columns="T"))
    assert w._view == view
    assert len(w.rows("all")) == 300


def test_copy_as_python_reproduces_the_widget(frame):
    judges = [rat.Judge("j", of="task", name='a "name"', prior={"tpr": (2, 1)})]
    policy = rat.Policy.from_spec({"hit_right": 0.5})
    frame = frame.rename(columns={"R": 'it\'s "R"', "system": "<b>"}).assign(j=frame["T"])
    w = rat.tree(
        frame[:60],
        retrieval='it\'s "R"',
        by=["<b>"],
        policy={"hit_right": 1, "miss_wrong": -0.5},
        ci_prob=0.8,
        seed=7,
    )
    code = w.view.python + ")"
    again = eval(code, {"rat": rat, "df": frame[:60]})
    assert again.view.groups == w.view.groups
    assert again.view.python == w.view.python
    call = python_call("rat.tree", frame, {"judges": judges, "policy": policy})
    read = eval(f"dict({call.removeprefix('rat.tree(df, ')})", {"rat": rat})
    assert read == {"judges": judges, "policy": policy}


def test_files_are_written_by_suffix(frame, tmp_path):
    w = rat.tree(frame, by="system", controls={"group": 1})
    view = TreeView.from_json(w.save(tmp_path / "tree.json").read_text("utf-8"))
    assert view == w.view
    assert w.save(tmp_path / "tree.svg").read_text("utf-8").startswith("<svg")
    page = w.save(str(tmp_path / "tree.HTML")).read_text("utf-8")
    data = re.search(r'class="rat-view">(.*?)</script>', page, re.S)
    assert data is not None
    assert json.loads(data[1]) == json.loads(w.view.to_json())
    with pytest.raises(ArgumentError, match=r"\.svg"):
        w.save(tmp_path / "tree.docx")


def test_a_saved_page_asks_nothing_of_the_network_and_forbids_itself_to(frame, tmp_path):
    page = rat.tree(frame).save(tmp_path / "tree.html").read_text("utf-8")
    assert "default-src 'none'" in page
    assert not re.search(r"""(?:src|href)\s*=\s*["']?https?:""", page)
    assert not re.search(r"url\(\s*['\"]?https?:", page)
    assert len(page.encode()) < 400_000


def test_a_saved_page_or_widget_holds_no_rows_unless_asked(frame, tmp_path):
    w = rat.tree(frame, item="question")
    page = w.save(tmp_path / "tree.html").read_text("utf-8")
    report = rat.report(frame, tmp_path / "report.html", item="question").read_text("utf-8")
    for text in (page, report, json.dumps(w._view), json.dumps(w._repr_mimebundle_())):
        assert "secret question" not in text
    asked = w.save(tmp_path / "rows.html", include_rows=True).read_text("utf-8")
    assert asked.count("secret question") == 300
    with pytest.raises(ArgumentError, match="page"):
        w.save(tmp_path / "tree.svg", include_rows=True)


def test_a_hostile_name_stays_text_in_a_page(frame, tmp_path):
    name = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"
    frame[name] = name
    page = rat.tree(frame, by=[name]).save(tmp_path / "tree.html").read_text("utf-8")
    report = rat.report(frame, tmp_path / "r.html", by=[name]).read_text("utf-8")
    assert "<script>alert" not in page
    assert "<script>alert" not in report
    assert "<img" not in page
    assert "<img" not in report


def test_a_report_holds_the_tree_the_data_report_and_every_quantity(frame, tmp_path):
    page = rat.report(frame, tmp_path / "report.html").read_text("utf-8")
    for words in ("Data report", "rat-view", "lucky_share", "trustworthy", "exact"):
        assert words in page
    with pytest.raises(ArgumentError, match=r"\.html"):
        rat.report(frame, tmp_path / "report.pdf")


def test_without_javascript_there_is_a_picture_and_a_table(frame):
    bundle = rat.tree(frame)._repr_mimebundle_()
    bundle = bundle[0] if isinstance(bundle, tuple) else bundle
    assert "application/vnd.jupyter.widget-view+json" in bundle
    assert "<svg" in bundle["text/html"]
    assert "<table" in bundle["text/html"]
    assert "had the evidence, right" in bundle["text/plain"]
    assert str(rat.tree(frame)) == bundle["text/plain"]


def test_rows_of_a_tree_of_counts_are_refused(frame):
    w = rat.tree(rat.Labels.from_frame(frame).counts)
    with pytest.raises(NoRowsError, match="data frame"):
        w.rows("hit_wrong")


def test_kept_columns_that_a_fit_does_not_use_are_said_aloud(frame):
    frame["w"] = 2.0
    post = rat.fit(frame, weight="w")
    assert "columns_not_used" in post.diagnosis.codes
    assert any("`weight`" in n.text for n in rat.tree(post).view.groups[0].notes)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"R": [], "A": [], "T": []}),
        pd.DataFrame({"R": [1], "A": [0], "T": [1]}),
        pd.DataFrame({"R": [1] * 50, "A": [0] * 50, "T": [1] * 50}),
    ],
    ids=["no rows", "one row", "one value"],
)
def test_little_data_gives_a_wide_answer_and_a_sentence(frame):
    w = rat.tree(frame)
    group = w.view.groups[0]
    for estimate in [*group.branches.values(), *group.quantities.values()]:
        assert 0 < estimate.value < 1
        assert estimate.lower < estimate.upper
    text = w._repr_mimebundle_()
    assert "nan" not in json.dumps(text).lower().replace("nanum", "")


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "duckdb"])
def test_a_table_of_several_systems_read_as_one_says_so(frame, kind):
    import duckdb
    import polars
    import pyarrow

    def read(table):
        return {
            "pandas": lambda: table,
            "polars": lambda: polars.from_pandas(table),
            "pyarrow": lambda: pyarrow.Table.from_pandas(table),
            "duckdb": lambda: duckdb.from_df(table),
        }[kind]()

    frame = frame.drop(columns="question")
    assert "pooled" in rat.fit(read(frame)).diagnosis.codes
    assert "pooled" not in rat.fit(read(frame), by="system").sel(system="a").diagnosis.codes
    assert "pooled" not in rat.fit(read(frame[frame["system"] == "a"])).diagnosis.codes


def test_each_kept_column_says_what_it_is_not_used_for(frame):
    frame["w"], frame["s"], frame["c"] = 2.0, "x", 1
    notices = rat.fit(frame, weight="w", stratum="s", cluster="c", by="system").members[0].notices
    text = " ".join(f"{m.text} {m.advice}" for m in notices)
    for words in ("`weight`", "`stratum`", "by='s'"):
        assert words in text
    assert "`cluster`" not in text  # fits use it


def test_a_report_of_several_systems_lists_them_all(frame, tmp_path):
    page = rat.report(frame, tmp_path / "report.html", by="system").read_text("utf-8")
    table = page[page.index("All systems") :]
    for group in rat.tree(frame, by="system").view.groups:
        for key in ("abstention", "task_success", "policy_adherence"):
            assert f"<td>{group.quantities[key].text}</td>" in table
    assert "Quantities of" not in page


def test_a_report_says_how_far_a_judge_can_be_trusted(frame, tmp_path):
    frame["verdict"] = frame["T"].fillna(0)
    judge = rat.Judge("verdict", of="task", name="<judge>")
    page = rat.report(frame, tmp_path / "report.html", judges=[judge]).read_text("utf-8")
    assert "tpr[&lt;judge&gt;]" in page
    assert "fpr[&lt;judge&gt;]" in page


PINS = {"abstain_given_miss": 0.7, "correct_given_hit": 0.9}


def test_pins_in_the_controls_reach_view_posterior_figure_and_text(frame, tmp_path):
    w = rat.tree(frame, controls={"pins": PINS})
    assert w.controls["pins"] == PINS
    post = w.posterior()
    assert post.pins == PINS
    assert np.array_equal(post["task_success"], rat.fit(frame).pin(PINS)["task_success"])
    headline = "".join(text for text, _ in w.view.headline())
    assert headline.startswith("What if: ")
    assert w.view.pins == PINS
    assert w.view.controls.pins is None
    assert headline in w.save(tmp_path / "tree.svg").read_text("utf-8")
    assert headline in w._actions.fallback(w._state)["text/html"]
    assert w.figure().layout.meta is None or w.figure().data
    page = w.save(tmp_path / "tree.html").read_text("utf-8")
    assert '"pins":{"abstain_given_miss":0.7' in page
    w.controls = {"pins": None}
    assert w.posterior().pins == {}
    assert w.view.pins is None


def test_a_what_if_goes_with_another_policy(frame):
    w = rat.tree(frame, controls={"pins": PINS, "policy": "task_success"})
    post = rat.fit(frame).pin(PINS)
    assert w.view.group.quantities["policy_adherence"].value == pytest.approx(
        post["task_success"].mean(), abs=1e-5
    )


def test_a_pinned_posterior_becomes_a_tree_whose_pins_can_be_moved(frame):
    post = rat.fit(frame).pin(PINS)
    w = rat.tree(post)
    assert w.controls["pins"] == PINS
    assert w.view.pins == PINS
    again = eval(w.view.python + ", controls={'pins': {}})", {"rat": rat, "post": post})
    assert again.controls["pins"] is None
    assert again.view.pins is None


def test_rows_behind_a_what_if_are_the_rows_that_were_seen(frame):
    pinned = rat.tree(frame, controls={"pins": {"correct_given_hit": 0.0}})
    assert pinned.rows("hit_right").equals(rat.tree(frame).rows("hit_right"))


def test_more_labels_keep_the_what_if(frame):
    w = rat.tree(frame[:60], controls={"pins": PINS})
    w.update(frame)
    assert w.controls["pins"] == PINS
    assert w.posterior().pins == PINS


def test_a_report_of_a_what_if_says_so(frame, tmp_path):
    page = rat.report(frame, tmp_path / "r.html", controls={"pins": PINS}).read_text("utf-8")
    assert "What if: of 100 queries" in page


def test_a_page_with_rows_holds_those_of_the_group_shown(frame, tmp_path):
    w = rat.tree(frame, by="system", controls={"group": "a"})
    page = w.save(tmp_path / "rows.html", include_rows=True).read_text("utf-8")
    assert page.count("secret question") == (frame["system"] == "a").sum()


def test_the_judges_of_a_report_have_the_interval_that_was_asked_for(frame, tmp_path):
    frame["verdict"] = frame["T"].fillna(0)
    judge = rat.Judge("verdict", of="task", prior={"fpr": (1, 40)})
    pages = [
        rat.report(frame, tmp_path / f"{kind}.html", judges=[judge], ci_kind=kind)
        for kind in ("eti", "hdi")
    ]
    rates = [re.findall(r"fpr\[verdict\]</td><td>(.*?)<", p.read_text("utf-8")) for p in pages]
    posterior = rat.fit(frame, judges=[judge])
    for kind, found in zip(("eti", "hdi"), rates, strict=True):
        row = posterior.summary(ci_kind=kind).loc["fpr[verdict]"]
        assert [html.unescape(t) for t in found] == [
            wording.estimate(row["mean"], row["lower"], row["upper"])
        ]
