"""A reliability curve as a picture."""

from __future__ import annotations

import inspect
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.errors import ArgumentError
from rat_widgets.figures.plotly_backend import numbers_of
from rat_widgets.figures.reliability import reliability_scene
from rat_widgets.present.reliability import reliability_view
from rat_widgets.views.sentences import plain

from .judge_tool_tables import (
    HOSTILE,
    overlapping,
    require_inside,
    require_plain,
    scored,
)

rows = st.lists(
    st.tuples(st.integers(0, 40).map(lambda i: i / 40), st.integers(0, 1)), min_size=2, max_size=60
)


def scene_of(report, width=940):
    return reliability_scene(reliability_view(report), width=width)


def headline(truth, n=3000):
    return plain(reliability_view(rat.reliability(*scored(n, 1, truth))).words.headline)


@given(rows, st.sampled_from([1, 5, 60]), st.sampled_from(["width", "count"]))
def test_the_points_are_those_of_the_table(pairs, bins, spacing):
    report = rat.reliability(*zip(*pairs, strict=True), bins=bins, spacing=spacing)
    frame, scene = report.to_frame(), scene_of(report)
    shown = [(d.value, d.lower, d.upper) for d in scene.data]
    assert shown == list(frame[["share", "lower", "upper"]].itertuples(index=False, name=None))
    by_score = np.argsort(frame["mean_score"])
    assert list(by_score) == list(np.argsort([d.x for d in scene.data], kind="stable"))
    order = np.argsort(frame["share"], kind="stable")
    assert np.all(np.diff([-scene.data[i].y for i in order]) >= 0)


def test_the_figure_carries_the_numbers():
    report = rat.reliability(*scored())
    assert [v[:3] for v in numbers_of(report.figure(), "reliability").values()] == [
        (b.share.value, b.share.lower, b.share.upper) for b in report.bins
    ]


@pytest.mark.parametrize("width", [320, 360, 739, 740, 940, 1600])
@pytest.mark.parametrize("bins", [1, 10, 200])
def test_every_mark_is_inside_the_picture(width, bins):
    report = rat.reliability(*scored(), bins=bins)
    require_inside(scene_of(report, width))


@pytest.mark.parametrize("width", [320, 360, 739, 740, 940, 1600])
@pytest.mark.parametrize("truth", [lambda s: s, lambda s: s**3, lambda s: 0.4 + 0 * s])
def test_texts_leave_each_other_room(width, truth):
    assert overlapping(scene_of(rat.reliability(*scored(600, 2, truth)), width)) == []


@pytest.mark.parametrize("bins", [7, 33])
@pytest.mark.parametrize("spacing", ["width", "count"])
def test_numbers_of_rows_leave_each_other_room(bins, spacing):
    """Bins of all widths, those of one score among them."""
    score, label = scored(300, 4)
    score = np.where(score < 0.4, 0.3, np.where(score > 0.7, 0.72, score))
    report = rat.reliability(score, label, bins=bins, spacing=spacing)
    assert overlapping(scene_of(report, 480)) == []


def test_the_picture_holds_no_row():
    """Ten times the rows, the same scores: as many points, and the same recalibration."""
    score, label = scored(500)
    once = rat.reliability(score, label).figure()
    often = rat.reliability(np.tile(score, 10), np.tile(label, 10)).figure()
    assert len(often.data[0].x) == len(once.data[0].x) == 10
    assert abs(len(often.to_json()) - len(once.to_json())) < 400


@pytest.mark.parametrize(
    ("truth", "said"),
    [
        (lambda s: s, "do not tell the score from a calibrated one"),
        (lambda s: 0.6 * s, "The score is too high: it says 50 of 100 pass, people pass 3"),
        (lambda s: 0.4 + 0.6 * s, "The score is too low: it says 50 of 100 pass, people pass 7"),
        (lambda s: 0.3 + 0.4 * s, "is too sure of itself: where it says 5 of 100, people pass 3"),
        (lambda s: (s > 0.5) * 0.9 + 0.05, "is not sure enough: where it says 27 of 100, people "),
        (lambda s: s + 0.2 * np.sign(np.sin(10 * np.pi * s)), "The score is off by"),
    ],
)
def test_the_headline_says_which_way_the_score_is_off(truth, said):
    assert said in headline(truth)


def test_chance_stands_beside_the_calibration_error():
    report = rat.reliability(*scored())
    lines = {line.label: line.text for line in reliability_view(report).words.ledger}
    assert lines["Calibration error"] == f"{report.ece.value:.3f}"
    assert lines["by chance alone"] == f"{report.ece_by_chance:.3f}"


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_data_and_not_markup(name):
    score, label = scored(60)
    data = pd.DataFrame({name: score, "people": label})
    report = rat.reliability(name, "people", data=data)
    require_plain(report.figure(width=360))
    require_inside(scene_of(report, 360))


def test_rows_of_one_score_have_a_picture():
    require_inside(scene_of(rat.reliability([0.5] * 9, [0, 1, 1] * 3)))
    require_inside(scene_of(rat.reliability([1.0], [1])))


def test_a_picture_that_cannot_be_is_refused():
    report = rat.reliability([0.2, 0.8], [0, 1])
    with pytest.raises(ArgumentError, match="not a theme"):
        report.figure(theme="blue")
    with pytest.raises(ArgumentError, match="not a width"):
        report.figure(width=100)


def test_the_function_keeps_its_signature_and_its_words():
    assert list(inspect.signature(rat.reliability).parameters)[:3] == ["score", "human", "bins"]
    assert "reliability curve" in (inspect.getdoc(rat.reliability) or "").lower()


def test_a_result_survives_pickling():
    report = rat.reliability(*scored(60))
    assert pickle.loads(pickle.dumps(report)) == report


def test_numbers_without_a_picture_import_no_plotly():
    code = (
        "import sys, rat_widgets as rat; str(rat.reliability([0.2, 0.8], [0, 1]));"
        "assert 'plotly' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
