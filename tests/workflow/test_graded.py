"""Graded retrieval through the public names: from a table to views, files and back."""

from __future__ import annotations

import html
import json
import math
import re

import numpy as np
import pandas as pd
import pytest
import traitlets

import rat_widgets as rat
from rat_widgets.cli import main
from rat_widgets.errors import ArgumentError
from rat_widgets.figures.tree import numbers_in
from rat_widgets.views.tree import TreeView

LEVELS = ("none", "partial", "all")
RISING = rat.GradedTheta(
    retrieval={"none": 0.25, "partial": 0.35, "all": 0.4},
    abstain_given=(0.6, 0.35, 0.08),
    correct_given=(0.15, 0.45, 0.8),
)


@pytest.fixture(scope="module")
def frame():
    table = rat.simulate(RISING, n=900, seed=3)
    table["system"] = ["a", "b", "a"] * 300
    return table


@pytest.fixture(scope="module")
def hidden(frame):
    """R is missing on two rows of three."""
    table = frame.copy()
    table.loc[np.arange(len(table)) % 3 > 0, "R"] = None
    return table


@pytest.fixture(scope="module")
def w(frame):
    return rat.tree(frame, retrieval_levels=LEVELS)


@pytest.mark.parametrize("table", ["frame", "hidden"])
def test_rates_that_fall_and_rise_over_the_levels_come_out_so(table, request):
    """The ternary result of appendix C: declining falls, being right rises with the evidence.

    At 900 rows, 300 of them with R, a step of at least 0.25 is seven standard errors or more
    where R is seen (sqrt(0.25 / 200) = 0.035), and never less than three where it is not.
    """
    view = rat.tree(request.getfixturevalue(table), retrieval_levels=LEVELS).view
    assert view.levels == LEVELS
    branches = view.group.branches
    for key, truth in (
        ("abstain_given", RISING.abstain_given),
        ("correct_given", RISING.correct_given),
    ):
        estimates = [branches[f"{key}[{level}]"] for level in LEVELS]
        means = [estimate.value for estimate in estimates]
        assert means == sorted(means, reverse=key == "abstain_given")
        for level, estimate in zip(LEVELS, estimates, strict=True):
            sd = (estimate.upper - estimate.lower) / 3.92
            assert abs(estimate.value - truth[level]) < 4 * sd


def test_levels_of_retrieval_share_one_whole(w):
    group = w.view.group
    total = math.fsum(group.branches[f"retrieval[{level}]"].value for level in LEVELS)
    assert total == pytest.approx(1, abs=3e-5)  # five decimals each
    for level in LEVELS:
        inside = [e.value for world, e in group.worlds.items() if world.startswith(f"{level}_")]
        assert sum(inside) == pytest.approx(group.branches[f"retrieval[{level}]"].value, abs=3e-5)


@pytest.mark.parametrize("pins", [None, {"retrieval[all]": 0.7, "abstain_given[none]": 0.9}])
def test_trait_figure_and_html_say_the_same(frame, pins):
    w = rat.tree(frame, retrieval_levels=LEVELS, controls={"pins": pins})
    group = w.view.group
    shown = numbers_in(w.figure())
    table = html.unescape(w._repr_mimebundle_()[0]["text/html"])
    everything = {**group.branches, **group.worlds, **group.quantities}
    assert {*group.branches, *group.worlds, "retrieval[all]", "task_success"} <= set(shown)
    for key, numbers in shown.items():
        estimate = everything[key]
        assert numbers == (estimate.value, estimate.lower, estimate.upper, estimate.text)
        assert estimate.text in table
    if pins is None:
        trait = w._view["groups"][0]
        for part in ("branches", "worlds", "quantities"):
            for key, estimate in getattr(group, part).items():
                assert trait[part][key]["text"] == estimate.text
    assert w._view["levels"] == list(LEVELS)


def test_a_view_agrees_with_the_posterior(frame):
    post = rat.fit(frame, retrieval_levels=LEVELS)
    group = rat.tree(post).view.group
    summary = post.summary()
    for key, estimate in {**group.branches, **group.quantities}.items():
        row = summary.loc[key]
        assert estimate.value == pytest.approx(row["mean"], abs=1e-5)
        assert estimate.lower == pytest.approx(row["lower"], abs=1e-5)
    assert set(group.branches) == set(post.tree.branches)


def test_the_browser_is_sent_draws_only_where_it_cannot_draw(w, hidden):
    assert w.view.group.draws is None
    view = rat.tree(hidden, retrieval_levels=LEVELS).view
    draws = view.group.draws
    assert list(view.priors) == list(rat.fit(hidden, retrieval_levels=LEVELS).tree.parameters)
    assert len(draws.theta) == pytest.approx(draws.n * 8 * 2 * 4 / 3, abs=4)


def test_packed_draws_are_those_of_the_free_probabilities(hidden):
    import base64

    post = rat.fit(hidden, retrieval_levels=LEVELS)
    packed = rat.tree(post).view.group.draws
    theta = np.frombuffer(base64.b64decode(packed.theta), "<u2").reshape(packed.n, 8) / 65_535
    theirs = post.draws.theta.reshape(-1, 8)
    error = theirs.std(axis=0) / math.sqrt(packed.n)
    assert np.all(abs(theta.mean(axis=0) - theirs.mean(axis=0)) < 5 * error + 1e-5)


def test_rows_of_a_level_are_those_that_show_it(w, frame):
    assert len(w.rows("partial")) == (frame["R"] == "partial").sum()
    wrong = w.rows("partial_wrong")
    assert set(wrong["R"]) == {"partial"}
    assert set(wrong["T"]) == {0}
    assert len(w.rows("good")) + len(w.rows("bad")) == len(frame)


def test_rows_that_hide_their_level_may_belong_to_it(hidden):
    rows = rat.tree(hidden, retrieval_levels=LEVELS).rows("all")
    seen = rows["R"] == "all"
    assert set(rows.loc[seen, "probability"]) == {1.0}
    assert rows.loc[~seen, "probability"].between(0, 1, inclusive="neither").all()


def test_label_counts_of_a_graded_tree_are_those_of_the_rows():
    """Counted by hand."""
    rows = [
        ("all", 0, 1), ("all", 1, None), ("all", None, None), ("partial", 0, None),
        ("none", 0, 0), (None, 0, 1), (None, None, None),
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=["R", "A", "T"])
    labels = rat.tree(table, retrieval_levels=LEVELS).view.group.labels

    def counts(key):
        node = labels[key]
        return node.rows, node.labelled, node.possible

    assert counts("retrieval[all]") == counts("retrieval[none]") == (7, 5, 0)
    assert counts("abstain_given[all]") == (3, 2, 2)
    assert counts("abstain_given[partial]") == (1, 1, 2)
    assert counts("correct_given[all]") == (1, 1, 3)
    assert counts("correct_given[partial]") == (1, 0, 2)
    assert counts("none_wrong") == (1, 1, 1)
    assert counts("all_right") == (1, 1, 3)


def test_a_policy_can_be_set_and_the_presets_mean_the_top_level(w, frame):
    w = rat.tree(frame, retrieval_levels=LEVELS)
    before = w.view.group.quantities["task_success"].value
    w.controls = {**w.controls, "policy": "task_success"}
    assert w.view.policy.weights["partial_right"] == 1.0
    assert w.view.group.quantities["policy_adherence"].value == pytest.approx(before, abs=1e-9)
    w.controls = {**w.controls, "policy": {"all_right": 1, "partial_right": 0.5}}
    assert w.view.policy.name == "custom"


def test_a_what_if_on_a_level_leaves_the_rest_to_the_others(frame):
    pins = {"retrieval[all]": 0.8}
    w = rat.tree(frame, retrieval_levels=LEVELS, controls={"pins": pins})
    free, group = rat.tree(frame, retrieval_levels=LEVELS).view.group, w.view.group
    assert group.branches["retrieval[all]"].text == "80% (pinned)"
    share = [group.branches[f"retrieval[{level}]"].value / 0.2 for level in ("none", "partial")]
    before = [free.branches[f"retrieval[{level}]"].value for level in ("none", "partial")]
    assert sum(share) == pytest.approx(1, abs=1e-3)
    assert share[0] == pytest.approx(before[0] / sum(before), abs=5e-3)
    said = "".join(text for text, _ in w.view.deck())
    assert "retrieval finds all the evidence: 80% instead of" in said
    assert w.posterior().pins == pins
    assert group.fitted.keys() >= {*free.branches, "task_success", "policy_adherence"}


@pytest.mark.parametrize(
    ("pins", "says"),
    [
        ({"retrieval[all]": 0.8, "retrieval[none]": 0.4}, "add up to 1.2"),
        ({"retrieval[all]": 0.3, "retrieval[none]": 0.3, "retrieval[partial]": 0.3}, "up to 0.9"),
        ({"retrieval[most]": 0.8}, r"retrieval\[partial\]"),
        ({"retrieval_success": 0.8}, "no probability"),
        ({"abstain_given[none]": 80}, "0.8"),
    ],
)
def test_pins_that_cannot_be_are_refused(w, pins, says):
    with pytest.raises(traitlets.TraitError, match=says):
        w.controls = {**w.controls, "pins": pins}
    assert w.controls["pins"] is None


def test_more_labels_keep_levels_policy_and_pins(frame):
    pins = {"abstain_given[partial]": 0.5}
    w = rat.tree(frame[:90], retrieval_levels=LEVELS, controls={"pins": pins})
    w.update(frame)
    assert w.view.group.n_rows == 900
    assert w.view.levels == LEVELS
    assert w.controls["pins"] == pins


def test_the_copied_call_makes_the_same_view(frame):
    first = rat.tree(frame, by="system", retrieval_levels=LEVELS, policy="no_harm")
    code = first.view.python + ")"
    assert "retrieval_levels=('none', 'partial', 'all')" in code
    again = eval(code, {"rat": rat, "df": frame})
    assert again.view == first.view


@pytest.mark.parametrize("suffix", [".html", ".svg", ".json"])
def test_a_graded_tree_is_saved(w, tmp_path, suffix):
    text = w.save(tmp_path / f"tree{suffix}").read_text("utf-8")
    assert "With part of the evidence" in text or suffix == ".json"
    if suffix == ".json":
        assert TreeView.from_json(text) == w.view


def test_a_report_lists_each_level_and_the_systems_by_the_top_one(frame, tmp_path):
    one = rat.report(frame, tmp_path / "one.html", retrieval_levels=LEVELS).read_text("utf-8")
    assert "P(A=1 | R=partial)" in html.unescape(one)
    many = rat.report(frame, tmp_path / "many.html", by="system", retrieval_levels=LEVELS)
    heads = re.findall(r'<th scope="col">(.*?)</th>', many.read_text("utf-8"))
    assert "P(R=all)" in heads


def test_hostile_levels_are_inert_in_a_page(frame, tmp_path):
    levels = ("<script>alert(1)</script>", "</script><img src=x onerror=alert(2)>", '"><b>\x1b[31m')
    table = frame.assign(R=frame["R"].map(dict(zip(LEVELS, levels, strict=True))))
    w = rat.tree(table, retrieval_levels=levels)
    page = w.save(tmp_path / "page.html").read_text("utf-8")
    assert "<img src=x" not in page
    assert "<script>alert" not in page
    assert "\x1b" not in str(w)
    report = rat.report(table, tmp_path / "report.html", retrieval_levels=levels)
    assert "<img src=x" not in report.read_text("utf-8")


def test_an_empty_table_shows_the_prior_of_the_levels():
    table = pd.DataFrame({"R": [], "A": [], "T": []}, dtype=object)
    group = rat.tree(table, retrieval_levels=LEVELS).view.group
    for level in LEVELS:
        mean = group.branches[f"retrieval[{level}]"].value
        assert mean == pytest.approx(1 / 3, abs=5 * math.sqrt(1 / 18 / 4000))


def test_two_levels_are_the_tree_of_two_whatever_they_are_called(frame):
    table = frame.assign(R=frame["R"].map({"none": 0, "partial": 0, "all": 1}))
    view = rat.tree(table, retrieval_levels=("bad", "good")).view
    assert view.levels == ("miss", "hit")
    assert set(view.group.branches) >= {"retrieval_success", "abstain_given_hit"}


def test_the_command_line_takes_levels(frame, tmp_path, capsys):
    path = tmp_path / "labels.csv"
    frame.to_csv(path, index=False)
    assert main(["summary", str(path), "--levels", "none, partial,all"]) == 0
    assert "retrieval[partial]" in capsys.readouterr().out
    out = tmp_path / "tree.json"
    assert main(["tree", str(path), "--levels", "none,partial,all", "--out", str(out)]) == 0
    assert json.loads(out.read_text("utf-8"))["levels"] == list(LEVELS)
    assert main(["check", str(path), "--levels", "none,none,all"]) == 1
    assert "retrieval_levels" in capsys.readouterr().err


def test_a_policy_of_two_levels_is_refused(frame):
    with pytest.raises(ArgumentError, match="all_right"):
        rat.tree(frame, retrieval_levels=LEVELS, policy={"hit_right": 1})


def test_notes_speak_in_symbols_and_not_in_names_of_code(frame):
    notes = rat.tree(frame.assign(R=None), retrieval_levels=LEVELS).view.group.notes
    said = " ".join(note.text for note in notes)
    assert "P(R=partial | R below all)" in said
    assert "P(A=1 | R=none)" in said
    assert "abstain_given[" not in said
    assert "retrieval[" not in said
