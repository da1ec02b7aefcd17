"""The tree's picture as geometry."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rat_widgets.errors import ArgumentError
from rat_widgets.figures.scene import QueryMarks
from rat_widgets.figures.tree import tree_scene
from rat_widgets.views.levels import LEAVES

WIDTHS = (320, 360, 480, 620, 760, 899, 900, 1000, 1100, 1600, 2400)


def _assert_legible(scene):
    texts = [t for t in scene.texts if t.text.strip()]
    boxes = [(t.text, t.box) for t in texts]
    for text, box in boxes:
        assert box.left >= 0, text
        assert box.right <= scene.width, text
        assert box.top >= 0, text
        assert box.bottom <= scene.height, text
    for i, (text, box) in enumerate(boxes):
        for other, second in boxes[:i]:
            assert not box.overlaps(second), (text, other)


@pytest.mark.parametrize("width", WIDTHS)
def test_no_two_texts_overlap_and_none_leaves_the_picture(view, width):
    _assert_legible(tree_scene(view, width=width))


@settings(max_examples=40)
@given(
    theta=st.tuples(*[st.floats(0, 1)] * 5),
    n=st.sampled_from([0, 3, 40, 1000, 10**6]),
    width=st.sampled_from(WIDTHS),
)
def test_any_tree_is_legible_at_any_width(theta, n, width, build):
    _assert_legible(tree_scene(build.view(build.group(theta, n=n)), width=width))


def test_hostile_names_are_cut_to_the_picture(hostile):
    _assert_legible(tree_scene(hostile, width=1100))
    _assert_legible(tree_scene(hostile, width=320))


@settings(max_examples=40)
@given(theta=st.tuples(*[st.floats(0.01, 0.99)] * 5))
def test_the_ledger_adds_up(theta, build):
    view = build.view(build.group(theta))
    whole = view.of_100()
    right_edges = {}
    for text in tree_scene(view).texts:
        if text.anchor == "end" and text.text.isdigit() and text.runs[0].role in ("t", "good"):
            right_edges.setdefault(text.x, []).append(int(text.text))
    task, policy = (right_edges[x] for x in sorted(right_edges))
    assert task == [whole["hit_right"], whole["miss_right"], sum(task[:2])]
    assert policy == [whole["hit_right"], whole["miss_abstained"], sum(policy[:2])]


def test_query_marks_are_solid_up_to_the_lower_end_and_gone_at_the_upper(build):
    view = build.view()
    marks = {m.key: m for m in tree_scene(view).marks if isinstance(m, QueryMarks)}
    assert set(marks) == set(LEAVES)
    for world, strip in marks.items():
        estimate = view.group.worlds[world]
        solid = sum(o == 1 for o in strip.opacities)
        assert solid >= round(100 * estimate.lower) - 1
        assert len(strip.opacities) <= 100 * estimate.upper + 0.5
        assert list(strip.opacities) == sorted(strip.opacities, reverse=True)
        assert list(strip.xs) == sorted(strip.xs)


def test_all_strips_share_one_scale(build):
    strips = [m for m in tree_scene(build.view()).marks if isinstance(m, QueryMarks)]
    pitches = {round(m.xs[1] - m.xs[0], 1) for m in strips if len(m.xs) > 1}
    assert len(pitches) == 1


def test_good_and_bad_differ_in_form_and_not_only_in_hue(build):
    forms = {m.key: m.form for m in tree_scene(build.view()).marks if isinstance(m, QueryMarks)}
    assert forms["hit_right"] == forms["miss_abstained"] == "dot"
    assert {forms[w] for w in LEAVES} == {"dot", "cross"}
    assert forms["miss_wrong"] == forms["hit_abstained"] == "cross"


def test_every_estimate_of_the_view_has_its_place_in_the_picture(view):
    keys = {(d.kind, d.key) for d in tree_scene(view).data}
    assert keys >= {("branches", k) for k in view.group.branches}
    assert keys >= {("worlds", k) for k in view.group.worlds}
    assert ("statistics", "policy_adherence") in keys


def test_what_no_label_tells_is_dotted_and_grey(build):
    from rat_widgets.figures.scene import Line

    scene = tree_scene(build.view(build.group((0.5,) * 5, n=0)))
    bars = [m for m in scene.marks if isinstance(m, Line) and m.is_round]
    assert bars
    assert all(bar.is_dotted and bar.role == "prior" for bar in bars)
    big = [t for t in scene.texts if t.size == 30]
    assert {t.runs[0].role for t in big} == {"ink-3"}


def test_the_group_that_the_controls_choose_is_shown(build):
    from rat_widgets.views.tree import TreeControls

    groups = (build.group(build.qwen, key=("first",)), build.group((0.9,) * 5, key=("second",)))
    view = build.view(*groups, controls=TreeControls(group=1))
    texts = [t.text for t in tree_scene(view).texts]
    assert "second" in texts
    assert "2 of 2" in texts
    assert "first" not in texts


def test_the_unit_changes_what_the_steps_are_counted_of(build):
    from rat_widgets.views.tree import TreeControls

    texts = [
        t.text for t in tree_scene(build.view(controls=TreeControls(unit="step")), width=1600).texts
    ]
    assert "of 100 such, declines 46" in texts
    assert "of 79, declines 36" in [t.text for t in tree_scene(build.view(), width=1600).texts]


def test_same_view_gives_the_same_scene(view):
    assert tree_scene(view) == tree_scene(view)


@pytest.mark.parametrize("width", [0, 100, 1e6, float("nan"), "wide", None, True])
def test_an_impossible_width_is_an_error(width, build):
    with pytest.raises(ArgumentError, match="width"):
        tree_scene(build.view(), width=width)
