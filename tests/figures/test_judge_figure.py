"""The judges' picture: legible at any width, the view's numbers, nothing that a name can break."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rat_widgets.errors import ArgumentError
from rat_widgets.figures.judge import judge_figure, judge_scene, judge_svg
from rat_widgets.figures.judge_text import judge_table_html, judge_text
from rat_widgets.figures.plotly_backend import numbers_of
from rat_widgets.figures.scene import Circle, Line, Path, Scene
from rat_widgets.views.judge import JudgeMoves
from rat_widgets.views.tree import Note

from .conftest import HOSTILE
from .judge_views import UTILITY, judge, judge_view

WIDTHS = (320, 360, 480, 620, 760, 919, 920, 1000, 1100, 1600, 2400)
TEN = [judge(f"judge {i}", ("retrieval", "task", "abstention")[i % 3]) for i in range(10)]
UNSURE = [judge("unsure", "task", has_unknown=True)]
PINNED = JudgeMoves(pins={"fpr[gpt-4o-mini]": 0.4}, priors={"tpr[gpt-4o-mini]": (0.9, 20.0)})
LEFT_OUT = JudgeMoves(left_out=("gpt-4o-mini",))


def _assert_legible(scene: Scene) -> None:
    boxes = [(t.text, t.box) for t in scene.texts if t.text.strip()]
    for text, box in boxes:
        assert box.left >= 0, text
        assert box.right <= scene.width + 0.5, text
        assert box.bottom <= scene.height, text
    for i, (text, box) in enumerate(boxes):
        for other, second in boxes[:i]:
            assert not box.overlaps(second), (text, other)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize(
    "view",
    [
        judge_view(),
        judge_view(TEN),
        judge_view(UNSURE),
        judge_view(moves=PINNED),
        judge_view(moves=LEFT_OUT),
        judge_view(n_human=0),
        judge_view(n_human=0, n_only=0, half=1.0),
        judge_view(weights=UTILITY, beliefs=(0.2, 0.3, -0.21)),
        judge_view(rates=(0.51, 0.49), worth=None, notes=(Note(level="problem", text="x " * 90),)),
    ],
)
def test_no_two_texts_overlap_and_none_leaves_the_picture(view, width):
    _assert_legible(judge_scene(view, width=width))


@settings(max_examples=40)
@given(
    rates=st.tuples(st.floats(0, 1), st.floats(0, 1)),
    half=st.floats(0, 0.5),
    beliefs=st.tuples(*[st.floats(0, 1)] * 3),
    worth=st.one_of(st.none(), st.floats(0, 9_999)),
    width=st.sampled_from(WIDTHS),
)
def test_any_judge_is_legible_at_any_width(rates, half, beliefs, worth, width):
    view = judge_view(rates=rates, half=half, beliefs=beliefs, worth=worth)
    _assert_legible(judge_scene(view, width=width))


@pytest.mark.parametrize("name", [name for name in HOSTILE if name])
def test_hostile_names_are_text_and_stay_inside(name):
    view = judge_view([judge(name)], label=name, moves=JudgeMoves(pins={f"tpr[{name}]": 0.4}))
    for width in (320, 1100):
        _assert_legible(judge_scene(view, width=width))
    svg = judge_svg(view)
    tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(svg).iter()}
    assert tags <= {"svg", "title", "desc", "rect", "path", "circle", "text", "tspan", "g"}
    table = judge_table_html(view)
    assert not re.search(r"<(img|script|a|b|br)\b", table)
    assert "\x1b" not in judge_text(view)


def test_needles_stand_at_the_rates_and_the_bracket_between_them():
    scene = judge_scene(judge_view(rates=(0.9, 0.2)))
    knobs = [m for m in scene.marks if isinstance(m, Circle) and m.r > 5]
    high, low = knobs
    axis = next(m for m in scene.marks if isinstance(m, Line) and m.y1 == m.y2 == high.y)
    at = [(knob.x - axis.x1) / (axis.x2 - axis.x1) for knob in knobs]
    assert at == pytest.approx([0.9, 0.2], abs=1e-6)
    bracket = [m for m in scene.marks if isinstance(m, Path) and m.role == "ink-3"]
    xs = {x for _, place in bracket[0].steps for x in place[::2]}
    assert xs == {high.x, low.x}


def test_a_pinned_needle_is_filled_and_shows_where_the_fit_was():
    marks = judge_scene(judge_view(moves=PINNED)).marks
    assert [m.fill for m in marks if isinstance(m, Circle) and m.r > 5] == ["bg", "whatif"]
    assert any(isinstance(m, Circle) and m.r == 3 for m in marks)


def test_what_nothing_identifies_is_dotted():
    def dotted(n_human: int) -> int:
        marks = judge_scene(judge_view(n_human=n_human)).marks
        return sum(isinstance(m, Line) and m.is_dotted for m in marks)

    assert dotted(0) == 2  # P(R), which is judged, and P(G), which rests on it
    assert dotted(50) == 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_figure_carries_the_numbers_of_the_view(theme):
    view = judge_view(TEN[:3])
    numbers = numbers_of(judge_figure(view, theme=theme))
    group = view.group
    for key, spread in group.rates.items():
        assert numbers[key] == (spread.value, spread.lower, spread.upper, spread.text)
    for way in ("naive", "humans", "joint"):
        for key, spread in getattr(group.beliefs, way).items():
            assert numbers[f"{way}: {key}"][3] == spread.text
    assert len(numbers) == len(group.rates) + 9 + 3


def test_as_many_marks_as_labels_and_verdicts_are_worth():
    scene = judge_scene(judge_view(n_human=40, worth=25.0))
    solid = sum(isinstance(m, Circle) and m.r == 2.9 for m in scene.marks)
    hollow = sum(isinstance(m, Path) and m.role == "judge" and m.width == 1.2 for m in scene.marks)
    assert (solid, hollow) == (40, 25)
    assert any("◇ what the judged rows add; one mark is 1 label" in t.text for t in scene.texts)


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(ArgumentError, match="320 to"):
        judge_scene(judge_view(), width=100)
    with pytest.raises(ArgumentError, match="light"):
        judge_figure(judge_view(), theme="auto")
