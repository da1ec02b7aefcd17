"""Pictures in a report: what can be put in, in which order, and what never gets in with them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.figures.scenes import scene_of
from rat_widgets.figures.theme import THEMES
from rat_widgets.living_report import read_figures
from rat_widgets.report.pictures import WIDTHS

from .judge_tool_tables import HOSTILE, scored

THETA = rat.Theta.from_array([0.42, 0.30, 0.06, 0.35, 0.80])
TREE = rat.fit(rat.simulate(THETA, n=80, seed=1), draws=200)
SCORE, HUMAN = scored(300)
SECRETS = [f"secret {i}" for i in range(300)]
FRAME = pd.DataFrame(
    {
        "score": SCORE,
        "human": HUMAN,
        "verdict": (np.random.default_rng(0).random(300) < 0.3 + 0.5 * HUMAN).astype(int),
        "length": np.arange(300) + 20,
        "time": np.arange(300) // 10,
        "version": ["first", "second"] * 150,
        "item": [SECRETS[i // 2] for i in range(300)],
        "text": SECRETS,
    }
)
RELIABILITY = rat.reliability("score", "human", data=FRAME)
TOOLS: dict[str, Any] = {
    "reliability": RELIABILITY,
    "band": rat.escalation_band("score", "human", data=FRAME, target=0.1),
    "slope": rat.length_slope("verdict", "length", "human", data=FRAME),
    "versions": rat.judge_drift(FRAME, item="item", version="version", verdict="verdict"),
    "time": rat.judge_drift(FRAME, time="time", verdict="verdict", human="human"),
    "study": rat.study_allocation(
        THETA, budgets=(40, 80), strategies=["all_r", "all_t"], replications=3, progress=False
    ),
}
JUDGED = FRAME.assign(
    R=[0, 1, 1] * 100, A=0, T=np.where(np.arange(300) < 100, HUMAN, np.nan)
).rename(columns={"verdict": "j"})
WIDGETS: dict[str, Any] = {
    "tree": rat.tree(TREE),
    "judges": rat.judges(JUDGED, judges=[rat.Judge("j", of="task")], draws=200),
    "allocation": rat.allocate(TREE),
}


def page_of(tmp_path: Path, figures: Any) -> str:
    return rat.report(TREE, tmp_path / "report.html", figures=figures).read_text("utf-8")


def pictures(page: str) -> list[list[str]]:
    """The SVG elements of each picture, one for each width."""
    parts = re.findall(r'<section class="picture">(.*?)</section>', page, flags=re.DOTALL)
    return [re.findall(r"<svg.*?</svg>", part, flags=re.DOTALL) for part in parts]


def titles(page: str) -> list[str]:
    return [unescape(re.findall("<title>(.*?)</title>", one[0])[0]) for one in pictures(page)]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.sampled_from(sorted(TOOLS | WIDGETS)), max_size=5, unique=True), st.booleans())
def test_pictures_stand_in_the_order_that_they_were_given_in(
    names: Any, has_headings: bool
) -> None:
    chosen = {name: (TOOLS | WIDGETS)[name] for name in names}
    found = read_figures(chosen if has_headings else iter(chosen.values()))
    assert [heading for heading, _ in found] == (names if has_headings else [""] * len(names))
    assert [view for _, view in found] == [one.view for one in chosen.values()]


def test_a_report_has_each_picture_once_in_every_width(tmp_path: Path) -> None:
    every = TOOLS | WIDGETS
    page = page_of(tmp_path, every)
    found = pictures(page)
    assert len(found) == len(every)
    for svgs, one in zip(found, every.values(), strict=True):
        widths = [float(re.findall(r' width="([\d.]+)"', svg)[0]) for svg in svgs]
        assert widths == list(WIDTHS)
        for svg, width in zip(svgs, WIDTHS, strict=True):
            scene = scene_of(one.view, theme="auto", width=width)
            root = ET.fromstring(svg)
            assert root.get("role") == "img"
            assert root.get("aria-label") == scene.title
            (desc,) = root.findall("{*}desc")
            assert desc.text == scene.description
            said = ["".join(node.itertext()) for node in root.iter() if node.tag.endswith("}text")]
            assert len(said) == sum(bool(text.text) for text in scene.texts)
    headings = re.findall(r'class="picture"><div class="prose"><h2>(.*?)</h2>', page)
    assert headings == list(every)


def test_pictures_are_still_and_ask_nobody_for_anything(tmp_path: Path) -> None:
    plain, page = page_of(tmp_path, None), page_of(tmp_path, list(TOOLS.values()))
    assert page.count("<script") == plain.count("<script")
    drawn = "".join(svg for svgs in pictures(page) for svg in svgs)
    assert "http" not in drawn.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert not re.findall(r"<script|<image|<use|url\(|@import|\son\w+=|href", drawn)
    assert "picture" not in plain.partition("<script")[0]


def test_pictures_have_the_colours_of_both_themes(tmp_path: Path) -> None:
    (svgs,) = pictures(page_of(tmp_path, [RELIABILITY]))
    for svg in svgs:
        assert "prefers-color-scheme:dark" in svg
        for theme in THEMES.values():
            assert f"--rat-fig-ink:{theme['ink']}" in svg
        assert not re.findall(r'(?:fill|stroke)="#', svg)


def test_no_row_gets_into_a_page_with_its_picture(tmp_path: Path) -> None:
    every = TOOLS | {"judges": WIDGETS["judges"]}
    page = page_of(tmp_path, every)
    assert not [secret for secret in SECRETS if f"{secret}<" in page or f"{secret} " in page]
    assert "secret" not in page


@pytest.mark.parametrize("name", HOSTILE)
def test_headings_and_names_are_data_and_not_markup(name: str, tmp_path: Path) -> None:
    drawn = rat.reliability(name, "human", data=FRAME.rename(columns={"score": name}))
    page = page_of(tmp_path, {name: drawn})
    assert "<b>$x$" not in page
    (heading,) = re.findall(r'class="picture"><div class="prose"><h2>(.*?)</h2>', page)
    assert len(unescape(heading)) <= 200
    assert not re.findall("<[^>]*>", heading)
    for svgs in pictures(page):
        for svg in svgs:
            ET.fromstring(svg)


def test_one_thing_that_has_a_picture_may_stand_bare() -> None:
    assert read_figures(RELIABILITY) == (("", RELIABILITY.view),)
    assert read_figures(RELIABILITY.view) == (("", RELIABILITY.view),)
    assert read_figures(None) == read_figures([]) == read_figures({}) == ()


def test_a_widget_is_pictured_as_it_stands() -> None:
    w = rat.tree(TREE, controls={"pins": {"retrieval_success": 0.9}})
    ((_, view),) = read_figures([w])
    assert view.pins == {"retrieval_success": 0.9}  # type: ignore[union-attr]
    w.controls = {"group": 0}
    assert view.pins == {"retrieval_success": 0.9}  # type: ignore[union-attr]


REFUSED: dict[str, tuple[Any, str, str]] = {
    "plotly": (
        lambda: [RELIABILITY.figure()],
        r"figures\[0\] is of type plotly\.Figure",
        "not res",
    ),
    "posterior": (lambda: [RELIABILITY, TREE], r"figures\[1\] is of type rat_widgets\.P", "rat.r"),
    "frame": (lambda: {"a": FRAME}, r"figures\['a'\] is of type pandas\.DataFrame", "rat.r"),
    "whole frame": (lambda: FRAME, r"figures\[0\] is 'score'", "rat.r"),
    "text": (lambda: "picture.svg", r"`figures` is 'picture\.svg'", "rat.r"),
    "none": (lambda: [None], r"figures\[0\] is None", "rat.r"),
    "number": (lambda: 3, "`figures` is 3", "rat.r"),
    "function": (
        lambda: [rat.reliability],
        r"figures\[0\] is of type builtins\.function",
        "call it",
    ),
    "no picture": (
        lambda: [rat.position_swap(["first", "tie"], ["second", "tie"])],
        r"figures\[0\] is of type rat_widgets\.PositionSwap",
        "rat.r",
    ),
    "heading": (lambda: {3: RELIABILITY}, "A heading in `figures` is 3", "figures={"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_picture_is_refused_before_anything_is_written(
    case: str, tmp_path: Path
) -> None:
    make, said, hint = REFUSED[case]
    with pytest.raises(ArgumentTypeError, match=said) as err:
        page_of(tmp_path, make())
    assert hint in str(err.value)
    assert not list(tmp_path.iterdir())


def test_the_tools_pictures_are_the_same_as_svg_and_as_figure() -> None:
    for name in ("reliability", "band", "slope", "versions", "time"):
        tool = TOOLS[name]
        assert tool.svg(width=500) == tool.svg(theme="auto", width=500)
        root = ET.fromstring(tool.svg(theme="dark", width=500))
        figure = tool.figure(theme="dark", width=500)
        assert float(root.get("height", 0)) == figure.layout.height
    with pytest.raises(ArgumentError):
        RELIABILITY.svg(width=100)
    with pytest.raises(ArgumentError):
        RELIABILITY.figure(theme="auto")
