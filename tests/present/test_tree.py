"""The view says what the posterior says."""

from __future__ import annotations

import base64
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.model.worlds import PARAMETERS, WORLDS
from rat_widgets.present.tree import tree_view
from rat_widgets.views import sentences, wording
from rat_widgets.views.tree import NodeLabels, TreeView

ROWS = [
    (1, 0, 1),
    (1, 0, 0),
    (1, 0, None),
    (1, 1, None),
    (0, 1, None),
    (0, 0, 1),
    (None, 0, 1),
    (None, 1, None),
    (None, 0, None),
]


def _frame(rows):
    return pd.DataFrame(rows, columns=["R", "A", "T"], dtype="Int8")


def _view(posterior, **keywords):
    members = (posterior,) if isinstance(posterior, rat.Posterior) else posterior.members
    return tree_view(members, **keywords)


@pytest.fixture(scope="module")
def post():
    return rat.fit(_frame(ROWS * 20), seed=1)


def test_every_estimate_is_the_summary_of_the_draws(post):
    view, summary = _view(post), post.summary()
    group = view.groups[0]
    for key, estimate in {**group.branches, **group.quantities}.items():
        row = summary.loc[key]
        assert estimate.value == wording.stored(row["mean"])
        assert estimate.lower == wording.stored(row["lower"])
        assert estimate.upper == wording.stored(row["upper"])
        assert estimate.text == wording.estimate(estimate.value, estimate.lower, estimate.upper)
    for world in WORLDS:
        assert group.worlds[world].value == wording.stored(post[world].mean())


def test_a_view_survives_json(post):
    view = _view(post)
    assert TreeView.from_json(view.to_json()) == view


def test_label_counts_of_the_nodes_are_those_of_the_rows():
    """Counted by hand from ROWS."""
    labels = _view(rat.fit(_frame(ROWS))).groups[0].labels
    assert labels["retrieval_success"] == NodeLabels(rows=9, labelled=6, judged=0, possible=0)
    assert labels["abstain_given_hit"] == NodeLabels(rows=4, labelled=4, judged=0, possible=3)
    assert labels["abstain_given_miss"] == NodeLabels(rows=2, labelled=2, judged=0, possible=3)
    assert labels["correct_given_hit"] == NodeLabels(rows=3, labelled=2, judged=0, possible=2)
    assert labels["hit_right"] == NodeLabels(rows=1, labelled=1, judged=0, possible=3)
    assert labels["miss_abstained"] == NodeLabels(rows=1, labelled=1, judged=0, possible=1)


def test_packed_draws_are_draws_of_the_posterior():
    unseen = [*(r for r in ROWS if r[0] is not None), (1, None, 0), (0, None, 0)]
    post = rat.fit(_frame(unseen * 20), seed=1)
    packed = _view(post).groups[0].draws
    assert packed is not None
    theta = np.frombuffer(base64.b64decode(packed.theta), dtype="<u2").reshape(packed.n, 5)
    draws = post.draws.theta.reshape(-1, 5)
    nearest = np.abs(draws[None] - theta[:50, None] / 65535).max(axis=2).min(axis=1)
    assert nearest.max() < 1 / 65535


def test_a_posterior_that_the_browser_can_draw_carries_no_draws():
    complete = [r for r in ROWS if r[0] is not None]
    for rows in (complete, ROWS, [*ROWS, (None, None, 1), (None, None, None)]):
        assert _view(rat.fit(_frame(rows * 10))).groups[0].draws is None


def test_verdicts_of_judges_are_not_left_to_a_browser_that_has_only_labels():
    frame = _frame(ROWS * 10).assign(j=[1, 0] * 45)
    frame.loc[frame["R"].isna(), "j"] = np.nan
    judged = rat.fit(frame, judges=[rat.Judge("j", of="retrieval")])
    assert _view(judged).groups[0].draws is not None


def test_pattern_counts_of_the_view_add_up_to_the_rows(post):
    view = _view(post)
    assert sum(view.groups[0].counts) == view.groups[0].n_rows == 180
    assert (1, 1, -1) in view.patterns


def test_a_view_of_48_groups_stays_under_200_kb():
    for hidden in (False, True):
        rng = np.random.default_rng(0)
        frame = _frame(rng.integers(0, 2, (48 * 100, 3)))
        frame.loc[frame["A"] == 1, "T"] = pd.NA
        if hidden:
            frame.loc[(frame["T"] == 0) & (frame.index % 3 == 0), "A"] = pd.NA
        frame["system"] = [f"chunk-size-{i % 48}-meta-llama" for i in range(len(frame))]
        view = _view(rat.fit(frame, by="system"))
        assert len(view.groups) == 48
        assert (view.groups[0].draws is not None) == hidden
        assert len(view.to_json().encode()) < 200_000


def test_48_groups_with_all_that_can_be_said_of_them_stay_under_200_kb():
    """Notes, long names in two columns, answerability: what is left of the room goes to draws."""
    rng = np.random.default_rng(0)
    frame = _frame(rng.integers(0, 2, (48 * 100, 3)))
    frame.loc[frame["A"] == 1, "T"] = pd.NA
    frame.loc[frame["T"] == 0, "A"] = pd.NA
    frame["ok"] = rng.integers(0, 2, len(frame))
    frame["corpus"] = "the documentation of a library, second edition"
    frame["system"] = [f"chunk-size-{i % 48}-meta-llama" for i in range(len(frame))]
    frame["w"] = 1
    view = _view(rat.fit(frame, by=["corpus", "system"], answerable="ok", weight="w"))
    assert all(group.notes and group.draws for group in view.groups)
    assert len(view.to_json().encode()) < 200_000


def test_few_groups_have_room_for_many_draws():
    frame = _frame([(0, 0, 1), (1, None, 0), (0, 1, None)] * 50)
    frame["system"] = np.arange(len(frame)) % 5
    view = _view(rat.fit(frame, by="system"))
    assert all(group.draws.n == 1000 for group in view.groups)


def test_a_view_says_how_its_intervals_are_cut(post):
    """The browser cuts those of a policy that the reader sets in the same way."""
    assert tree_view([post], ci_kind="hdi").ci_kind == "hdi"
    assert _view(post).ci_kind == "eti"


def test_a_utility_is_worded_as_a_number():
    view = _view(rat.fit(_frame(ROWS), policy={"hit_right": 1, "miss_wrong": -1}))
    assert "%" not in view.groups[0].quantities["policy_adherence"].text
    assert view.policy.name == "custom"


def _sayings(posterior):
    view = _view(posterior)
    return sentences.plain(view.headline()), sentences.plain(view.deck())


def test_a_pinned_view_says_what_if_what_was_set_and_what_that_changes(post):
    headline, deck = _sayings(post.pin(abstain_given_miss=0.125))
    assert headline.startswith("What if: of 100 queries, ")
    assert deck.startswith("You set declines when the evidence is missing: 12.5% instead of ")
    difference = re.search(
        r"Against the fit, (\S+) correct answers and (\S+) right by policy", deck
    )
    assert difference is not None
    fitted, pinned = (
        _view(p).groups[0].quantities for p in (post, post.pin(abstain_given_miss=0.125))
    )
    for told, key in zip(difference.groups(), ("task_success", "policy_adherence"), strict=True):
        before, now = (wording.percent(q[key].value) for q in (fitted, pinned))
        points = int(now.rstrip("%")) - int(before.rstrip("%"))
        assert int(told.replace("\N{MINUS SIGN}", "-").replace("\N{PLUS-MINUS SIGN}", "")) == points


def test_a_pinned_view_survives_json_and_words_pins_as_pinned(post):
    pinned = post.pin(retrieval_success=1, abstain_given_hit=0)
    view = _view(pinned)
    assert TreeView.from_json(view.to_json()) == view
    group = view.group
    assert group.branches["retrieval_success"].text == "100% (pinned)"
    assert group.worlds["hit_abstained"].text == "0% (pinned)"
    assert group.branches["abstain_given_miss"].value is None
    assert group.fitted is not None
    assert group.fitted["retrieval_success"] == wording.stored(post["retrieval_success"].mean())
    assert sum(view.of_100().values()) == 100
    assert sentences.plain(view.headline()).startswith("What if: ")


def test_draws_in_a_pinned_view_are_those_of_the_fit():
    unseen = rat.fit(_frame([(1, None, 0), (0, 1, None), (0, 0, 1), (1, 0, 1)] * 20))
    assert _view(unseen.pin(correct_given_hit=0.5)).groups[0].draws == _view(unseen).groups[0].draws


def test_problems_of_the_diagnosis_travel_into_the_view():
    unlabelled = _frame([(None, 0, 1), (None, 0, 0), (None, 1, None)] * 30)
    notes = _view(rat.fit(unlabelled)).groups[0].notes
    assert any(n.level == "problem" and "Label R" in n.text for n in notes)
    assert any("P(A=1 | R=1)" in n.text for n in notes)
    assert not any("abstain_given" in n.text for n in notes)


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(*[st.sampled_from([0, 1, None])] * 3).filter(lambda r: (r[1], r[2]) != (1, 1)),
        max_size=12,
    ).filter(lambda rows: all(r[1] is not None for r in rows))
)
def test_any_small_table_has_a_view_without_nan_and_numbers_that_add_up(rows):
    frame = _frame(rows)
    view = _view(rat.fit(frame, draws=400))
    assert TreeView.from_json(view.to_json()) == view
    assert sum(view.of_100().values()) == 100
    assert set(view.groups[0].branches) == set(PARAMETERS)
    assert sentences.plain(view.headline())
    assert sentences.plain(view.deck())


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([(1, 0, 1)], "T on the one answer."),
        ([(1, 0, None)], "T not on the one answer."),
        ([(1, None, 1)], "T on the one row that may be an answer."),
        ([(1, 0, 1)] * 2, "T on all 2 answers."),
        ([(1, 1, None)], "no answers to ask T of."),
    ],
)
def test_what_was_labelled_reads_right_also_for_one_row(rows, said):
    assert said in _view(rat.fit(_frame(rows))).group.rows


@pytest.mark.parametrize(
    ("errored_as", "said"),
    [
        ("excluded", "1 row set aside as errored."),
        ("failures", "1 row errored, counted as failures."),
    ],
)
def test_what_became_of_errored_and_contradictory_rows_is_said(errored_as, said):
    frame = _frame([(1, 0, 1), (1, 1, 1), (0, 0, 0)]).assign(crashed=[0, 0, 1])
    how = {"errored": "crashed", "errored_as": errored_as, "on_contradiction": "drop"}
    labels = rat.Labels.from_frame(frame, **how)
    assert f" {said} 1 row dropped as contradictory. " in _view(rat.fit(labels)).group.rows
    assert " 1 row marked as errored. " in _view(rat.fit(labels.counts)).group.rows
