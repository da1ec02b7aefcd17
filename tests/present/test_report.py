"""What a report says beside its tables: what the order means, whom the last part is about."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets._markup import prose_html
from rat_widgets.present.report import computed_note, overview
from rat_widgets.present.standing import standing_note, standings
from rat_widgets.report.page import rows_table

DECLINER = rat.Theta.from_array([0.05, 0.97, 0.97, 0.5, 0.5])
ANSWERER = rat.Theta.from_array([0.7, 0.1, 0.1, 0.3, 0.8])


def told(policy="adherence", **thetas):
    """View, posteriors, order and note of simulated systems; T of the last was never labelled."""
    tables = [
        rat.simulate(theta, 120, seed=1).assign(system=name) for name, theta in thetas.items()
    ]
    tables[-1] = tables[-1].assign(T=pd.array([None] * 120, dtype="Int8"))
    return reported(rat.fit(pd.concat(tables), by="system", policy=policy, draws=400))


def reported(posts):
    view = rat.tree(posts).view
    order = standings(view, posts.members)
    return view, order, standing_note(view, order)


@pytest.fixture(scope="module")
def found():
    return told(answers=ANSWERER, declines=DECLINER, unlabelled=ANSWERER)


@pytest.fixture(scope="module")
def view(found):
    return found[0]


def test_a_system_that_leads_by_declining_is_named_with_what_it_solves(found):
    view, order, note = found
    first = overview(view, order)[0]
    assert first[0] == "declines"
    declined, solved = (first[i].partition(" ")[0] for i in (3, 4))
    assert f"The first, declines, declines {declined} of the queries and solves {solved}." in note
    assert "read P(G) beside P(T)" in note


def test_nobody_is_named_when_the_first_one_answers():
    _, _, note = told(answers=ANSWERER, too=ANSWERER, unlabelled=ANSWERER)
    assert "rewards declining" in note
    assert "The first" not in note


@pytest.mark.parametrize("policy", ["task_success", {"hit_right": 1, "miss_right": 0.5}])
def test_a_policy_that_pays_nothing_for_declining_is_not_said_to(policy):
    _, _, note = told(policy, answers=ANSWERER, declines=DECLINER, last=ANSWERER)
    assert note.startswith("Sorted by P(G), right by policy. Below stands one by P(R)")


HIDDEN = {"": (), "R": ("R",), "T": ("T",), "RT": ("R", "T")}
LEAST = {"": "policy_adherence", "R": "task_success", "T": "retrieval_success"}


@settings(max_examples=15, deadline=None)
@given(hidden=st.lists(st.sampled_from(sorted(HIDDEN)), min_size=2, max_size=5))
def test_a_system_stands_by_the_first_of_g_t_and_r_that_its_labels_speak_of(hidden):
    tables = []
    for i, columns in enumerate(hidden):
        theta = rat.Theta.from_array([0.3 + 0.1 * i, 0.1 + 0.15 * i, 0.4, 0.3, 0.8])
        table = rat.simulate(theta, 60, seed=i).assign(system=f"s{i}")
        for column in HIDDEN[columns]:
            table[column] = pd.array([None] * 60, dtype="Int8")
        tables.append(table)
    view, order, note = reported(rat.fit(pd.concat(tables), by="system", draws=200))
    of = dict(zip((f"s{i}" for i in range(len(hidden))), hidden, strict=True))
    by = [LEAST.get(of[one.group.label], "retrieval_success") for one in order]
    assert [one.by for one in order] == by
    places = list(LEAST.values())
    assert by == sorted(by, key=places.index)
    for key in places:
        values = [
            {**one.group.branches, **one.group.quantities}[key].value
            for one in order
            if one.by == key
        ]
        assert values == sorted(values, reverse=True)
    assert sorted(one.group.label for one in order) == sorted(g.label for g in view.groups)
    assert note.startswith(f"Sorted by {['P(G)', 'P(T)', 'P(R)'][places.index(by[0])]}")
    assert ("on the prior" in note) == any(hidden)


JUDGED = [rat.Judge("verdict", of="task")]
COLUMNS = {"retrieval": None, "by": "system", "judges": JUDGED, "draws": 400}


def judged_answers():
    """Two systems whose R nobody saw: one answers and is right, one declines."""
    frames = []
    for name, theta in (("declines", DECLINER), ("answers", ANSWERER)):
        frame = rat.simulate(theta, 200, seed=3).astype(float).assign(system=name)
        frame["verdict"] = frame["T"]
        frame.loc[60:, "T"] = float("nan")
        frames.append(frame.drop(columns="R"))
    return pd.concat(frames, ignore_index=True)


def test_where_nobody_saw_r_systems_stand_by_correct_answers(tmp_path):
    posts = rat.fit(judged_answers(), **COLUMNS)
    view, order, note = reported(posts)
    by_policy = sorted(view.groups, key=lambda g: -g.quantities["policy_adherence"].value)
    assert [g.label for g in by_policy] == ["declines", "answers"]  # what the prior would say
    assert [one.group.label for one in order] == ["answers", "declines"]
    assert note == (
        "Sorted by P(T), correct answers. No label and no judge tells of R: "
        "P(G) rests on the prior."
    )
    page = rat.report(posts, tmp_path / "r.html").read_text("utf-8")
    assert note in page
    assert re.findall(r'scope="row">.*?>(answers|declines)<', page) == ["answers", "declines"]


def test_verdicts_on_r_are_enough_to_stand_by_the_policy():
    frame = judged_answers()
    rng = np.random.default_rng(0)
    frame["found"] = (rng.random(len(frame)) < 0.5).astype(float)
    judges = [*JUDGED, rat.Judge("found", of="retrieval")]
    _, order, _ = reported(rat.fit(frame, **{**COLUMNS, "judges": judges}))
    assert {one.by for one in order} == {"policy_adherence"}
    # The judge's verdicts on one system alone say nothing of the other's R.
    frame.loc[frame["system"] == "answers", "found"] = float("nan")
    _, order, note = reported(rat.fit(frame, **{**COLUMNS, "judges": judges}))
    assert [one.by for one in order] == ["policy_adherence", "task_success"]
    assert "Below stands one by P(T), correct answers: answers." in note


def test_what_is_pooled_over_systems_tells_of_r_where_it_was_hidden():
    frames = [rat.simulate(ANSWERER, 120, seed=i).astype(float) for i in range(3)]
    frames[2]["R"] = float("nan")
    frame = pd.concat([f.assign(system=s) for f, s in zip(frames, "abc", strict=True)])
    frame["verdict"] = frame["T"]
    judges = [rat.Judge("verdict", of="task", share="partial")]
    shared = {"by": "system", "judges": judges, "draws": 400}
    _, order, _ = reported(rat.fit(frame, **shared))
    assert {one.by for one in order} == {"policy_adherence"}
    _, order, _ = reported(rat.fit(frame, **shared, apart=["c"]))
    assert [(one.group.label, one.by) for one in order][-1] == ("c", "task_success")


def test_a_policy_that_does_not_go_by_r_needs_none():
    _, order, note = reported(rat.fit(judged_answers(), **COLUMNS, policy="no_harm"))
    assert {one.by for one in order} == {"policy_adherence"}
    assert "prior" not in note


def test_systems_with_warnings_are_marked_in_the_table(found):
    view, order, _ = found
    marks = {row[0]: row[-1] for row in overview(view, order)}
    notes = {g.label: [n.level for n in g.notes] for g in view.groups}
    assert "problem" in notes["unlabelled"]
    assert marks["unlabelled"].startswith(f"{notes['unlabelled'].count('problem')} problem")
    assert marks["answers"] == ""
    assert not {"problem", "warning"} & set(notes["answers"])


def test_the_last_part_says_which_of_the_systems_it_is_about(view):
    assert view.group.label == "answers"
    note = computed_note(view)
    assert note.startswith("answers is one of 3 systems")
    assert note.endswith("1 other has warnings: unlabelled.")
    alone = rat.tree(rat.simulate(ANSWERER, 50, seed=1)).view
    assert computed_note(alone) == ""


def test_code_is_marked_in_sentences_and_nothing_else_becomes_markup():
    assert prose_html("name it with `by=`.") == "name it with <code>by=</code>."
    assert prose_html("a ` b <i> `<b>`") == "a <code> b &lt;i&gt; </code>&lt;b&gt;`"
    cells = ["`stratum` is kept"]
    assert "<code>stratum</code>" in rows_table("t", ["a"], [cells], are_sentences=True).html
    assert "`stratum`" in rows_table("t", ["a"], [cells]).html  # rows of a table stay as they are
