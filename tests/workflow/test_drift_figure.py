"""A judge's drift as a picture: versions on the same items, and rates over time."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.figures.drift import drift_scene
from rat_widgets.figures.plotly_backend import numbers_of
from rat_widgets.figures.scene import Line
from rat_widgets.present.drift import drift_view
from rat_widgets.views.sentences import plain

from .judge_tool_tables import HOSTILE, overlapping, require_inside, require_plain

WIDTHS = [320, 360, 619, 940, 1600]


def timeline(n=1200, *, late=0.45, at=700, seed=1):
    """A judge whose false positive rate becomes `late` at row `at`."""
    rng = np.random.default_rng(seed)
    people = (rng.random(n) < 0.6).astype(int)
    false = np.where(np.arange(n) < at, 0.2, late)
    verdict = (rng.random(n) < np.where(people == 1, 0.9, false)).astype(int)
    return pd.DataFrame({"day": np.arange(n) // 10, "verdict": verdict, "people": people})


def archive(versions=("v1", "v2", "v3"), n=300, seed=2):
    """Versions of a judge on the same items, each ten days after the other; the last is lenient."""
    rng = np.random.default_rng(seed)
    people = (rng.random(n) < 0.6).astype(int)
    frames = []
    for i, version in enumerate(versions):
        false = 0.5 if i == len(versions) - 1 else 0.2
        said = (rng.random(n) < np.where(people == 1, 0.9, false)).astype(int)
        days = pd.Timestamp("2026-01-01 09:00") + pd.to_timedelta(10 * i + np.arange(n) / n, "D")
        frames.append(
            pd.DataFrame({"item": np.arange(n), "version": version, "when": days.floor("min"),
                          "verdict": said, "people": people})
        )  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def over_time(frame, **keywords):
    return rat.judge_drift(frame, verdict="verdict", time="day", **keywords)


def of_versions(frame, **keywords):
    return rat.judge_drift(frame, item="item", version="version", verdict="verdict", **keywords)


CASES = {
    "change": lambda: over_time(timeline(), human="people"),
    "stable": lambda: over_time(timeline(late=0.2), human="people"),
    "no labels": lambda: over_time(timeline(), windows=50),
    "one window": lambda: over_time(timeline(30), human="people"),
    "versions": lambda: of_versions(archive(), human="people"),
    "bare versions": lambda: of_versions(archive()),
    "both": lambda: of_versions(archive(), human="people", time="when"),
    "many": lambda: of_versions(archive([f"v{i}" for i in range(9)]), time="when", windows=20),
}


def scene_of(drift, width=940):
    return drift_scene(drift_view(drift), width=width)


def headline(drift):
    return plain(drift_view(drift).words.headline)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("case", CASES)
def test_every_mark_is_inside_and_texts_leave_each_other_room(case, width):
    scene = scene_of(CASES[case](), width)
    require_inside(scene)
    assert overlapping(scene) == []


def test_the_points_are_those_of_the_tables():
    drift = CASES["both"]()
    numbers = numbers_of(drift.figure(), "drift")
    for version, row in drift.to_frame().iterrows():
        assert numbers[f"offset {version} all"][:3] == (row["offset"], row["lower"], row["upper"])
    for i, row in drift.windows_frame().iterrows():
        assert numbers[f"kappa {i}"][:3] == (row["kappa"], row["kappa_lower"], row["kappa_upper"])
    rates = {key: m for w in drift.windows[:1] for key, m in w.by_label.items()}
    assert {key: numbers[f"{key} 0"][0] for key in rates} == {k: m.value for k, m in rates.items()}


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=40, max_size=200))
def test_rates_of_a_window_add_up_to_its_pass_rate(rows):
    """The law of total probability, with the window's own share of answers that people pass."""
    frame = pd.DataFrame(rows, columns=["verdict", "people"]).assign(day=range(len(rows)))
    at = 0
    for w in over_time(frame, human="people").windows:
        inside = frame.iloc[at : at + w.n]
        at += w.n
        share = {"fail": (inside["people"] == 0).sum(), "pass": (inside["people"] == 1).sum()}
        total = sum(share[key] * m.value for key, m in w.by_label.items())
        assert total == pytest.approx(w.n * w.pass_rate.value)


def test_a_change_is_marked_where_it_is():
    drift = CASES["change"]()
    scene = scene_of(drift)
    (mark,) = [m for m in scene.marks if isinstance(m, Line) and m.is_dashed]
    at = {d.key: d.x for d in scene.data}
    window = drift.changes[0].window
    assert at[f"kappa {window - 1}"] < mark.x1 < at[f"kappa {window}"]
    assert f"change since {drift.changes[0].since}" in [t.text for t in scene.texts]


def test_a_change_is_named_by_the_version_that_comes_with_it():
    drift = CASES["both"]()
    assert [w.arrivals for w in drift.windows if w.arrivals] == [("v1",), ("v2",), ("v3",)]
    said = [t.text for t in scene_of(drift).texts]
    assert "change near the first of v3" in said
    assert "the first of v2" in said


def test_versions_arrive_once_and_in_order():
    windows = CASES["many"]().windows
    found = [name for w in windows for name in w.arrivals]
    assert found == [f"v{i}" for i in range(9)]


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ("change", "the judge passes more answers that people fail: "),
        (
            "many",
            "Since 2026-03-22 22:12 the judge passes more than before: 82%, where it was 62%.",
        ),
        ("stable", "No change of the judge shows in 10 windows of time."),
        ("versions", "v3 passes 6.7 points more of the same 300 items than v1."),
    ],
)
def test_the_headline_says_what_was_found(case, said):
    assert said in headline(CASES[case]())


def test_a_change_that_is_not_sure_is_told_as_probable():
    drift = CASES["change"]()
    (change,) = drift.changes
    assert change.probability > 0.95
    unsure = replace(drift, changes=(replace(change, probability=0.94),))
    assert "the judge probably passes more answers that people fail: " in headline(unsure)


def test_versions_that_the_items_do_not_tell_apart_are_said_to_pass_as_many():
    frame = archive(("a", "b")).assign(verdict=lambda f: f["item"] % 2)
    assert headline(of_versions(frame)) == "b and a pass about as many of the same 300 items."


def test_time_goes_from_left_to_right():
    scene = scene_of(CASES["stable"]())
    xs = [d.x for d in scene.data if d.key.startswith("kappa")]
    assert all(a < b for a, b in itertools.pairwise(xs))


def test_the_picture_holds_no_row():
    few = over_time(timeline(), human="people").figure().to_json()
    many = over_time(pd.concat([timeline()] * 10), human="people").figure().to_json()
    assert len(many) < 1.2 * len(few)


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_data_and_not_markup(name):
    drift = of_versions(archive(("old", name)), human="people", time="when")
    require_plain(drift.figure(width=360))
    require_inside(scene_of(drift, 360))
    back = of_versions(archive((name, "new")), human="people", time="when")
    require_plain(back.figure())
    require_inside(scene_of(back))
