"""What a report says beside its tables: what the order means, whom the last part is about."""

from __future__ import annotations

import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets._markup import prose_html
from rat_widgets.present.report import computed_note, overview, overview_note
from rat_widgets.report.page import rows_table

DECLINER = rat.Theta.from_array([0.05, 0.97, 0.97, 0.5, 0.5])
ANSWERER = rat.Theta.from_array([0.7, 0.1, 0.1, 0.3, 0.8])


def view_of(policy="adherence", **thetas):
    """A report's view of simulated systems; T of the last one was never labelled."""
    tables = [
        rat.simulate(theta, 120, seed=1).assign(system=name) for name, theta in thetas.items()
    ]
    tables[-1] = tables[-1].assign(T=pd.array([None] * 120, dtype="Int8"))
    return rat.tree(pd.concat(tables), by="system", policy=policy).view


@pytest.fixture(scope="module")
def view():
    return view_of(answers=ANSWERER, declines=DECLINER, unlabelled=ANSWERER)


def test_a_system_that_leads_by_declining_is_named_with_what_it_solves(view):
    first = overview(view)[0]
    assert first[0] == "declines"
    note = overview_note(view)
    declined, solved = (first[i].partition(" ")[0] for i in (3, 4))
    assert f"The first, declines, declines {declined} of the queries and solves {solved}." in note
    assert "read P(G) beside P(T)" in note


def test_nobody_is_named_when_the_first_one_answers():
    note = overview_note(view_of(answers=ANSWERER, too=ANSWERER, unlabelled=ANSWERER))
    assert "rewards declining" in note
    assert "The first" not in note


@pytest.mark.parametrize("policy", ["task_success", {"hit_right": 1, "miss_right": 0.5}])
def test_a_policy_that_pays_nothing_for_declining_is_not_said_to(policy):
    note = overview_note(view_of(policy, answers=ANSWERER, declines=DECLINER, last=ANSWERER))
    assert note == "Sorted by P(G), right by policy."


def test_systems_with_warnings_are_marked_in_the_table(view):
    marks = {row[0]: row[-1] for row in overview(view)}
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
