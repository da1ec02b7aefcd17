"""The picture of graded retrieval: a band for each level, however the levels are called."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rat_widgets.figures.flow import named_lines, shortened
from rat_widgets.figures.metrics import text_width
from rat_widgets.figures.scene import Run
from rat_widgets.figures.tree import tree_scene
from rat_widgets.views.levels import keys_of

WIDTHS = (320, 360, 620, 899, 900, 1100, 1600)
names = st.text(min_size=1, max_size=40).filter(str.strip)
scales = st.one_of(
    st.just(("none", "partial", "all")),
    st.lists(names, min_size=3, max_size=4, unique=True).map(tuple),
)


def _assert_legible(scene):
    boxes = [(t.text, t.box) for t in scene.texts if t.text.strip()]
    for i, (text, box) in enumerate(boxes):
        assert box.left >= 0, text
        assert box.right <= scene.width, text
        assert box.top >= 0, text
        assert box.bottom <= scene.height, text
        for other, second in boxes[:i]:
            assert not box.overlaps(second), (text, other)


@settings(max_examples=60, deadline=None)
@given(levels=scales, data=st.data())
def test_any_graded_tree_is_legible_at_any_width(levels, data, build):
    n_chances = 3 * len(levels)
    chances = data.draw(st.tuples(*[st.floats(0.001, 1)] * n_chances))
    n = data.draw(st.sampled_from([0, 3, 40, 1000, 10**6]))
    width = data.draw(st.sampled_from(WIDTHS))
    view = build.graded_view(levels, build.graded_group(levels, chances, n=n))
    _assert_legible(tree_scene(view, width=width))


@settings(max_examples=30, deadline=None)
@given(chances=st.tuples(*[st.floats(0.01, 0.99)] * 9))
def test_the_ledger_of_a_graded_tree_adds_up(chances, build):
    levels = build.three
    view = build.graded_view(levels, build.graded_group(levels, chances))
    whole = view.of_100()
    columns = {}
    for text in tree_scene(view).texts:
        if text.anchor == "end" and text.text.isdigit() and text.runs[0].role in ("t", "good"):
            columns.setdefault(text.x, []).append(int(text.text))
    task, policy = (columns[x] for x in sorted(columns))
    right = [whole[f"{level}_right"] for level in ("all", "partial", "none")]
    good = [whole[world] for world in ("all_right", "partial_abstained", "none_abstained")]
    assert task == [*right, sum(right)]
    assert policy == [*good, sum(good)]


@pytest.mark.parametrize("width", [360, 1100])
def test_bands_stand_from_the_top_level_down(build, width):
    view = build.graded_view(build.three)
    places = {d.key: d.y for d in tree_scene(view, width=width).data if d.kind != "statistics"}
    leaves = [places[world] for world in keys_of(build.three).leaves]
    assert leaves == sorted(leaves)
    assert set(places) == {*view.group.branches, *view.group.worlds}


def test_a_level_stands_beside_what_is_asked_of_it(build):
    places = {d.key: d for d in tree_scene(build.graded_view(build.three), width=1600).data}
    for level in build.three:
        r, a = places[f"retrieval[{level}]"], places[f"abstain_given[{level}]"]
        assert r.y == pytest.approx(a.y, abs=1)
        assert r.x < a.x


def test_one_head_says_of_how_many(build):
    for width in (360, 1600):
        texts = [t.text for t in tree_scene(build.graded_view(build.three), width=width).texts]
        assert texts.count("All 100 queries") == 1
        assert sum(text.startswith("in ") for text in texts) == 3


def test_a_name_is_cut_and_what_is_said_of_it_stays():
    words = f"retrieval “{'x' * 90}”, answered wrong"
    lines = named_lines(Run(text=words), 160)
    assert len(lines) <= 2
    said = " ".join("".join(run.text for run in line) for line in lines)
    assert said.startswith("retrieval “x")
    assert said.endswith("x…”, answered wrong")
    for line in lines:
        assert sum(run.width for run in line) <= 160


@given(st.text(max_size=60), st.floats(150, 400))
def test_shortened_words_fit_or_hold_almost_nothing_of_the_name(name, width):
    words = f"retrieval “{name}”"
    text = shortened(words, lambda t: text_width(t, 14) <= width, 14)
    assert text.startswith("retrieval “")
    assert text.endswith("”")
    assert text == words or "…" in text
    assert text_width(text, 14) <= width


def test_words_without_a_name_are_left_alone():
    assert shortened("all the evidence", lambda _: False, 14) == "all the evidence"
