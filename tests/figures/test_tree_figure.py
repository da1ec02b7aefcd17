"""The Plotly figure and the SVG say what the view says."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import pytest

from rat_widgets.errors import ArgumentError
from rat_widgets.figures.flow import one_line
from rat_widgets.figures.plotly_backend import escape_plotly
from rat_widgets.figures.tree import numbers_in, tree_figure, tree_scene, tree_svg
from rat_widgets.views import sentences, words

SVG = "{http://www.w3.org/2000/svg}"


def _expected(estimates):
    return {k: (e.value, e.lower, e.upper, e.text) for k, e in estimates.items()}


def _lines(svg: str) -> list[str]:
    """The lines of text of an SVG, without their hover titles."""
    root = ET.fromstring(svg)
    lines = []
    for node in root.iter(f"{SVG}text"):
        for title in node.findall(f"{SVG}title"):
            title.text = ""
        lines.append("".join(node.itertext()))
    return lines


def test_numbers_come_back_out_of_the_figure(view):
    figure = tree_figure(view)
    assert numbers_in(figure, "branches") == _expected(view.group.branches)
    assert numbers_in(figure, "worlds") == _expected(view.group.worlds)
    shown = numbers_in(figure, "statistics")
    assert shown["policy_adherence"] == _expected(view.group.quantities)["policy_adherence"]
    assert shown["task_success"] == _expected(view.group.quantities)["task_success"]


def test_numbers_survive_json(view):
    figure = tree_figure(view)
    assert numbers_in(json.loads(figure.to_json())) == numbers_in(figure)


def test_the_svg_is_well_formed_and_small(view):
    for theme in ("light", "dark", "auto"):
        svg = tree_svg(view, theme=theme)
        assert len(svg.encode()) < 60_000 + 10_000 * (len(view.levels) - 2)
        root = ET.fromstring(svg)
        assert root.attrib["role"] == "img"
        assert root.find(f"{SVG}title").text == sentences.plain(view.headline())
        assert sentences.plain(view.headline())[:40] in root.find(f"{SVG}desc").text


def _is_cut(view):
    return any(len(level) > 30 or not level.isprintable() for level in view.levels)


def test_svg_says_the_texts_of_the_view(view):
    said = " ".join(_lines(tree_svg(view, width=1600)))
    assert sentences.plain(view.headline()) in said
    if not _is_cut(view):
        assert sentences.plain(view.deck()).split(". ")[0] in said
    for estimate in (*view.group.branches.values(), view.group.quantities["task_success"]):
        assert re.sub(r" \((.*)\)", "\N{EN SPACE}\\1", estimate.text) in said
    of = words.words_of(view.levels)
    for world, estimate in view.group.worlds.items():
        assert _is_cut(view) or any(text in said for text in of.worlds[world])
        assert estimate.text.partition("(")[2].rstrip(")") in said


def test_svg_and_figure_hold_the_same_lines(view):
    svg = [line for line in _lines(tree_svg(view)) if line.strip()]
    figure = tree_figure(view)
    shown = [re.sub(r"</?span[^>]*>", "", a.text) for a in figure.layout.annotations]
    assert shown == [escape_plotly(line) for line in svg]


def test_hostile_texts_are_inert_in_the_figure(hostile):
    figure = tree_figure(hostile)
    for annotation in figure.layout.annotations:
        assert "<" not in re.sub(r'</?span( style="[#\w;:.-]*")?>', "", annotation.text)
        assert "$" not in annotation.text
        assert "%{" not in annotation.text
        hover = (annotation.hovertext or "").replace("<br>", "")
        assert "<" not in hover
        assert "$" not in hover
    for trace in figure.data:
        assert trace.hovertemplate == "%{hovertext}<extra></extra>"
        assert not any("<" in text.replace("<br>", "") for text in trace.hovertext)


def test_hostile_texts_are_inert_in_the_svg(hostile):
    svg = tree_svg(hostile)
    root = ET.fromstring(svg)
    tags = {node.tag.removeprefix(SVG) for node in root.iter()}
    assert tags <= {"svg", "title", "desc", "rect", "path", "circle", "g", "text", "tspan"}
    assert not any(name.startswith("on") for node in root.iter() for name in node.attrib)


def test_names_are_shown_as_they_are(build):
    for name in build.names:
        if one_line(name) and len(name) < 80:
            svg = tree_svg(build.view(build.group(key=(name,)), build.group(key=("b",))))
            assert one_line(name) in _lines(svg)


def test_a_long_name_is_cut_and_kept_in_the_hover_text(build):
    name = build.names[7]
    view = build.view(build.group(key=(name,)))
    texts = [t for t in tree_scene(view).texts if t.hover]
    assert [t.hover for t in texts] == [one_line(name)]
    assert texts[0].text.endswith("…")


def test_pictures_ask_nothing_of_the_network(view):
    svg = tree_svg(view, theme="auto").replace('xmlns="http://www.w3.org/2000/svg"', "")
    figure = tree_figure(view).to_json()
    for text in (svg, figure):
        assert "http" not in text
        assert "url(" not in text
        assert "<script" not in text


def test_auto_follows_the_system_by_a_media_query(build):
    svg = tree_svg(build.view(), theme="auto")
    assert "prefers-color-scheme:dark" in svg
    style = ET.fromstring(svg).find(f"{SVG}style").text
    used = set(re.findall(r"var\((--rat-fig-[\w-]+)\)", svg))
    assert used
    assert all(style.count(f"{name}:") == 2 for name in used)


def test_a_figure_has_one_theme(build):
    with pytest.raises(ArgumentError, match="'auto' is not a theme"):
        tree_figure(build.view(), theme="auto")
    dark = tree_figure(build.view(), theme="dark")
    assert dark.layout.paper_bgcolor == "#12151a"


def test_the_figure_keeps_its_proportions(build):
    figure = tree_figure(build.view())
    assert figure.layout.width == 1100
    assert figure.layout.yaxis.scaleanchor == "x"
    assert tuple(figure.layout.yaxis.range) == (figure.layout.height, 0)
    assert figure.layout.title.text is None


def test_figures_are_deterministic(view):
    assert tree_figure(view).to_json() == tree_figure(view).to_json()
    assert tree_svg(view) == tree_svg(view)


def test_the_figure_works_as_a_widget_and_as_html(build):
    import plotly.graph_objects as go

    figure = tree_figure(build.view())
    widget = go.FigureWidget(figure)
    assert numbers_in(widget) == numbers_in(figure)
    assert "policy_adherence" in figure.to_html(include_plotlyjs=False, full_html=False)


def test_importing_the_figures_does_not_import_plotly():
    import subprocess
    import sys

    code = (
        "import sys, rat_widgets.figures.tree, rat_widgets.figures.text, "
        "rat_widgets.figures.images; "
        "print([m for m in ('plotly', 'kaleido', 'numpy', 'jax') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
