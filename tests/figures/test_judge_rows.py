"""Grades and rates by system in the picture of judges, and in its words."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.figures.judge import judge_scene, judge_svg
from rat_widgets.figures.judge_rows import MOST_SYSTEMS, _with_both_ends
from rat_widgets.figures.judge_text import judge_table_html, judge_text
from rat_widgets.figures.metrics import text_width
from rat_widgets.figures.scene import Circle, Line, Rect, Text
from rat_widgets.views.judge import JudgeView

THETA = rat.Theta.from_array([0.42, 0.30, 0.06, 0.35, 0.80])


def _systems(fprs: list[float], n_human: int = 120) -> pd.DataFrame:
    frames = []
    for i, fpr in enumerate(fprs):
        frame = rat.simulate(THETA, n=400, seed=i).astype(float)
        right = frame["T"].fillna(0).to_numpy() == 1
        rng = np.random.default_rng([i, 1])
        frame["jT"] = (rng.random(400) < np.where(right, 0.9, fpr)).astype(float)
        frame.loc[n_human:, ["R", "T"]] = np.nan
        frames.append(frame.assign(system=f"s{i}"))
    return pd.concat(frames)


def _view(share: str, fprs: list[float], **controls: Any) -> JudgeView:
    judge = rat.Judge("jT", of="task", share=share)  # type: ignore[arg-type]
    return rat.judges(_systems(fprs), judges=[judge], by="system", controls=controls).view  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def own() -> JudgeView:
    return _view("group", [0.1, 0.5, 0.3], group=1)


@pytest.fixture(scope="module")
def graded() -> JudgeView:
    frame = rat.simulate(THETA, n=600, seed=4).astype(float)
    rng = np.random.default_rng(5)
    hit = frame["R"].to_numpy() == 1
    grades = ("poor", "fair", "good")
    frame["g"] = np.where(
        hit, rng.choice(grades, 600, p=[0.1, 0.3, 0.6]), rng.choice(grades, 600, p=[0.6, 0.3, 0.1])
    )
    frame.loc[200:, ["R", "T"]] = np.nan
    judge = rat.Judge("g", of="retrieval", levels=grades)
    return rat.judges(frame, judges=[judge]).view  # type: ignore[no-any-return]


def test_systems_stand_side_by_side_where_the_judge_is_best_first(own: JudgeView) -> None:
    scene = judge_scene(own, width=1100)
    told = [m for m in scene.marks if isinstance(m, Text) and m.hover.endswith("wrong answers")]
    assert [text.hover for text in told] == [
        f"{own.groups[i].rates['tpr[jT]'].text} of right answers, "
        f"{own.groups[i].rates['fpr[jT]'].text} of wrong answers"
        for i in (0, 2, 1)
    ]
    assert [run.weight for text in told for run in text.runs] == [400, 400, 600]
    rings = [m for m in scene.marks if isinstance(m, Circle) and m.r == 3.2]
    assert len(rings) == 6
    text = judge_text(own)
    assert text.index("    s0: ") < text.index("    s2: ") < text.index("    s1: ")
    assert "By system it passes: s1" in judge_table_html(own)


def test_a_judge_that_all_share_has_no_rows_unless_it_differs() -> None:
    same, odd = _view("all", [0.2, 0.2, 0.2]), _view("all", [0.1, 0.1, 0.6])
    assert all(group.own is None for group in same.groups)
    assert "By system" not in judge_text(same)
    assert "By system, on its rows with a human label, it passes:" in judge_text(odd)
    fprs = [group.own["fpr[jT]"] for group in odd.groups if group.own is not None]
    assert len(fprs) == 3
    rows = _systems([0.1, 0.1, 0.6]).dropna(subset=["T"])
    wrong = rows[rows["T"] == 0].groupby("system")["jT"]
    for told, passes, n in zip(fprs, wrong.sum(), wrong.count(), strict=True):
        sd = np.sqrt((1 + passes) * (1 + n - passes) / (2 + n) ** 2 / (3 + n))
        assert told.value == pytest.approx((1 + passes) / (2 + n), abs=5 * sd / np.sqrt(4000))
    pinned = _view("all", [0.1, 0.1, 0.6], pins={"fpr[jT]": 0.3})
    assert [group.own for group in pinned.groups] == [group.own for group in odd.groups]


def test_of_many_systems_the_ends_are_drawn_and_all_are_told() -> None:
    n = MOST_SYSTEMS + 3
    view = _view("group", [0.05 + 0.02 * i for i in range(n)], group=n // 2)
    scene = judge_scene(view, width=900)
    drawn = [m for m in scene.marks if isinstance(m, Text) and m.hover.endswith("wrong answers")]
    assert MOST_SYSTEMS <= len(drawn) <= MOST_SYSTEMS + 1
    assert any(run.weight == 600 for text in drawn for run in text.runs)
    assert sum(f"    s{i}: " in judge_text(view) for i in range(n)) == n


def test_grades_are_bars_as_long_as_their_shares(graded: JudgeView) -> None:
    scene = judge_scene(graded, width=1100)
    rates = graded.group.rates
    wanted = [
        rates[f"level_{level}_given_{truth}[g]"]
        for level in ("good", "fair", "poor")
        for truth in (1, 0)
    ]
    bars = [m for m in scene.marks if isinstance(m, Rect) and m.height == 10]
    shares = [bar.width / bars[0].width * (wanted[0].value or 0) for bar in bars]
    assert shares == pytest.approx([estimate.value for estimate in wanted], rel=1e-9)
    cut = graded.judges[0].cut
    assert [bar.fill for bar in bars] == [
        "r-fill" if 2 - i // 2 >= (cut or 0) else "r-tint" for i in range(6)
    ]
    said = {datum.key: datum.text for datum in scene.data}
    assert all(said[f"level_fair_given_{t}[g]"] == wanted[3 - t].text for t in (1, 0))
    assert f"graded good: {wanted[0].text} of hits, {wanted[1].text} of misses" in judge_text(
        graded
    )


@pytest.mark.parametrize("width", [320, 480, 620, 900, 1600])
def test_rows_stay_inside_the_picture(own: JudgeView, graded: JudgeView, width: int) -> None:
    for view in (own, graded):
        scene = judge_scene(view, width=width)
        for mark in scene.marks:
            if isinstance(mark, Rect):
                assert mark.x + mark.width <= width
            if isinstance(mark, Text) and mark.anchor == "start":
                assert mark.x + sum(run.width for run in mark.runs) <= width + 1
        assert judge_svg(view, width=width).startswith("<svg")


@given(
    st.text(min_size=1, max_size=60).map(lambda text: " ".join(text.split())), st.integers(40, 200)
)
def test_a_long_name_is_cut_in_its_middle(name: str, width: int) -> None:
    shown = _with_both_ends(name, width, 400)
    assert text_width(shown, 12.5) <= width or len(shown) <= 2
    if text_width(name, 12.5) <= width:
        assert shown == name


def test_names_that_begin_alike_stay_apart() -> None:
    names = [f"retriever 0 · generator number {k}" for k in (1, 2)]
    assert [_with_both_ends(name, 150, 400) for name in names] == [
        "retriever 0 ·… number 1",
        "retriever 0 ·… number 2",
    ]


def test_a_rate_of_a_case_leaves_its_axis_free() -> None:
    frame = _systems([0.1])
    judge = rat.Judge("jT", of="task", depends_on="retrieval")
    view = rat.judges(frame.drop(columns="system"), judges=[judge]).view
    scene = judge_scene(view, width=900)
    starts = [m.x1 for m in scene.marks if isinstance(m, Line) and m.is_dashed]
    assert starts
    labels = [m for m in scene.marks if isinstance(m, Text) and m.x < min(starts) and m.y > 150]
    told = [m for m in labels if "where retrieval" in m.text or m.text.startswith("Of 100")]
    assert len(told) >= 8
    assert all(m.x + sum(run.width for run in m.runs) <= min(starts) for m in told)


def test_grades_are_told_in_each_case_that_they_depend_on(graded: JudgeView) -> None:
    frame = _systems([0.1]).drop(columns="system")
    frame["g"] = np.where(frame["R"].fillna(1) == 1, 2 * frame["jT"], 1)
    judge = rat.Judge("g", of="task", levels=(0, 1, 2), depends_on="retrieval")
    view = rat.judges(frame, judges=[judge]).view
    rates = view.group.rates
    text = " ".join(judge_text(view).split())
    for case, words in (("miss", "where retrieval failed"), ("hit", "where retrieval succeeded")):
        one, other = (rates[f"level_2_given_{truth}_{case}[g]"].text for truth in (1, 0))
        assert f"graded 2 {words}: {one} of right answers, {other} of wrong answers" in text
    bars = [m for m in judge_scene(view, width=900).marks if isinstance(m, Rect) and m.height == 10]
    assert len(bars) == 18
    assert "where retrieval" not in judge_text(graded)
