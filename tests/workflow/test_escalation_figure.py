"""An escalation band as a picture, and the course that it shows."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.derived.band_course import course_of
from rat_widgets.derived.cascade import Prices, outcome_of
from rat_widgets.derived.scores import Scored
from rat_widgets.figures.axes import boxes_along
from rat_widgets.figures.escalation import escalation_scene
from rat_widgets.figures.plotly_backend import numbers_of
from rat_widgets.figures.scene import Path, Text
from rat_widgets.present.escalation import escalation_view
from rat_widgets.views.sentences import plain

from .judge_tool_tables import HOSTILE, overlapping, require_inside, require_plain, scored

rows = st.lists(
    st.tuples(st.integers(0, 8).map(lambda i: i / 8), st.integers(0, 1), st.integers(0, 1)),
    min_size=4,
    max_size=40,
).filter(lambda given: len({score for score, _, _ in given}) > 1)


def steep(score):
    return 1 / (1 + np.exp(-9 * (score - 0.45)))


def scene_of(band, width=940):
    return escalation_scene(escalation_view(band), width=width)


def headline(band):
    return plain(escalation_view(band).words.headline)


@given(rows, st.booleans())
def test_no_band_that_sends_as_little_has_fewer_errors(given_rows, is_judged):
    """Every pair of thresholds tried one by one, on the rows that choose."""
    score, label, expensive = map(np.array, zip(*given_rows, strict=True))
    rows = Scored(score=score, label=label.astype(np.int8),
                  expensive=expensive.astype(np.int8) if is_judged else None,
                  names=("s", "h"), n_rows=len(score), n_missing=0)  # fmt: skip
    course = course_of(rows, rows, Prices(), (0.0, 1.0), 0.95)
    kinds = np.unique(score)
    cuts = [0.0, *((kinds[1:] + kinds[:-1]) / 2), 1.0]
    tried = [outcome_of(rows, low, high) for low in cuts[:-1] for high in cuts[1:] if low <= high]
    for step in course:
        sent = round(step.sent.value * len(score))
        least = min(o.n_wrong for o in tried if o.n_sent <= sent)
        if (step.low, step.high) != (0.0, 1.0):
            assert round(step.error.value * len(score)) == least
    shares = [step.sent.value for step in course]
    assert shares == sorted(shares)
    assert len({(step.low, step.high) for step in course}) == len(course) <= 22


def test_the_chosen_band_is_a_step_of_its_course():
    band = rat.escalation_band(*scored(800, 1, steep), target=0.05)
    chosen = band.routes["cascade"]
    mine = [s for s in band.course if (s.low, s.high) == (band.low, band.high)]
    assert [(s.sent, s.error) for s in mine] == [(chosen.sent, chosen.error)]
    assert json.loads(json.dumps(band.to_dict()))["course"][0]["low"] == band.course[0].low


def test_the_figure_carries_the_numbers_of_the_table():
    band = rat.escalation_band(*scored(800, 1, steep), target=0.05)
    numbers = numbers_of(band.figure(), "escalation")
    frame = band.to_frame()
    names = {"cascade": "this band", "nothing sent": "nothing sent",
             "everything sent": "everything sent"}  # fmt: skip
    for route, name in names.items():
        assert numbers[name][:3] == tuple(frame.loc[route, ["error", "lower", "upper"]])
    steps = [v[:3] for key, v in numbers.items() if key.startswith("step")]
    assert steps == [(s.error.value, s.error.lower, s.error.upper)
                     for s in sorted(band.course, key=lambda s: s.sent.value)]  # fmt: skip


CASES = {
    "target": {"target": 0.05},
    "tight": {"target": 0.0001},
    "loose": {"target": 0.9},
    "cost": {"cost": {"cheap": 0.01, "expensive": 0.1, "false_pass": 1, "false_fail": 0.5}},
}


@pytest.mark.parametrize("width", [320, 360, 739, 740, 940, 1600])
@pytest.mark.parametrize("case", CASES)
def test_every_mark_is_inside_and_texts_leave_each_other_room(case, width):
    band = rat.escalation_band(*scored(400, 3, steep), **CASES[case])
    scene = scene_of(band, width)
    require_inside(scene)
    assert overlapping(scene) == []


def test_a_rate_of_errors_is_higher_on_the_page():
    scene = scene_of(rat.escalation_band(*scored(800, 1, steep), target=0.05))
    by_rate = sorted(scene.data, key=lambda d: d.value)
    assert all(a.y >= b.y - 1e-9 for a, b in itertools.pairwise(by_rate))


def test_the_headline_says_what_sending_on_brings():
    band = rat.escalation_band(*scored(2000, 1, steep), target=0.05)
    cascade, alone = band.routes["cascade"], band.routes["nothing sent"]
    said = headline(band)
    assert said.startswith(f"Sending on {100 * cascade.sent.value:.0f}% of rows leaves ")
    assert f"{100 * cascade.error.value:.1f}".rstrip("0").rstrip(".") + "% wrong" in said
    assert f"{100 * alone.error.value:.1f}".rstrip("0").rstrip(".") + "% wrong." in said
    assert "none is sent on" in headline(rat.escalation_band(*scored(), target=0.9))
    assert headline(rat.escalation_band(*scored(), target=1e-4)).startswith("Everything is sent on")


def test_the_picture_holds_no_row():
    score, label = scored(400, 3, steep)
    once = rat.escalation_band(score, label, target=0.05).figure().to_json()
    often = rat.escalation_band(np.tile(score, 20), np.tile(label, 20), target=0.05)
    assert len(often.figure().to_json()) < 1.3 * len(once)
    assert len(often.course) <= 22


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_data_and_not_markup(name):
    score, label = scored(200)
    data = pd.DataFrame({name: score, "people": label})
    band = rat.escalation_band(name, "people", data=data, target=0.1)
    require_plain(band.figure(width=360))
    require_inside(scene_of(band, 360))


@pytest.mark.parametrize("width", [340, 360, 420, 1100])
def test_no_name_lies_on_the_course_where_the_name_alone_has_room(width):
    table = rat.datasets.load("openqa_nq301")
    share = table[["T_davinci3", "T_bem", "T_em"]].astype(float).mean(axis=1)
    scene = scene_of(rat.escalation_band(share, table["T"].astype(float), target=0.05), width)
    (course,) = [mark for mark in scene.marks if isinstance(mark, Path)]
    along = boxes_along([point for _, point in course.steps], 1)
    ways = ("this band", "nothing sent", "everything sent")
    names = [m for m in scene.marks if isinstance(m, Text) and m.runs[0].text.startswith(ways)]
    assert len(names) == 3
    assert [name for name in names if any(name.box.overlaps(box) for box in along)] == []
