"""A length slope as a picture, and the shares that it shows."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import logit

import rat_widgets as rat
from rat_widgets.figures.length_slope import length_scene
from rat_widgets.figures.plotly_backend import numbers_of
from rat_widgets.figures.scene import Circle
from rat_widgets.present.length_slope import length_view
from rat_widgets.views.sentences import plain

from .judge_tool_tables import HOSTILE, overlapping, require_inside, require_plain

rows = st.lists(
    st.tuples(st.integers(0, 1), st.integers(1, 500), st.integers(0, 1)), min_size=4, max_size=120
).filter(lambda given: all(len({row[i] for row in given}) > 1 for i in range(3)))


def answers(n=800, taste=0.5, seed=1):
    """Verdicts, lengths and labels of a judge that likes long answers by `taste` a doubling."""
    rng = np.random.default_rng(seed)
    words = np.exp(rng.normal(4.6, 0.6, n)).round() + 1
    longer = np.log2(words) - 6.6
    people = (rng.random(n) < 1 / (1 + np.exp(-0.5 - longer))).astype(int)
    chance = 1 / (1 + np.exp(1.2 - 2.6 * people - taste * longer))
    return (rng.random(n) < chance).astype(int), words, people


def scene_of(found, width=940):
    return length_scene(length_view(found), width=width)


def headline(found):
    return plain(length_view(found).words.headline)


@given(rows, st.booleans())
def test_every_answer_is_in_one_bin(given_rows, has_people):
    verdict, length, people = map(np.array, zip(*given_rows, strict=True))
    found = rat.length_slope(verdict, length, people if has_people else None)
    assert sum(b.n for b in found.bins) == len(verdict)
    assert sum(b.n * b.share.value for b in found.bins) == pytest.approx(verdict.sum())
    for b in found.bins:
        mine = (length >= b.low) & (length <= b.high)
        if b.among != "all":
            mine &= people == (b.among == "pass")
        assert b.n == mine.sum()
        assert b.share.value == pytest.approx(verdict[mine].mean())
        assert b.low <= b.length * (1 + 1e-12)
        assert b.length <= b.high * (1 + 1e-12)


@given(rows)
def test_curves_have_the_slope_and_meet_their_likelihood_equations(given_rows):
    """At the mode of an intercept a with prior Normal(0, 5): sum(verdict - p) = a / 25."""
    verdict, length, people = map(np.array, zip(*given_rows, strict=True))
    found = rat.length_slope(verdict, length, people)
    x = np.log2(length)
    for curve, code in zip(found.curves, (0, 1), strict=True):
        at, share = np.array(curve.points).T
        mine = people == code
        if np.ptp(x[mine]) > 0:
            steps = np.diff(logit(share)) / np.diff(np.log2(at))
            assert steps == pytest.approx(found.slope.value, rel=1e-4, abs=1e-6)
        a = logit(share[0]) + found.slope.value * (x.mean() - np.log2(at[0]))
        p = 1 / (1 + np.exp(-a - found.slope.value * (x[mine] - x.mean())))
        assert (verdict[mine] - p).sum() == pytest.approx(a / 25, abs=1e-5)


def test_the_figure_carries_the_shares():
    found = rat.length_slope(*answers())
    shown = [v[:3] for v in numbers_of(found.figure(), "length").values()]
    assert shown == [(b.share.value, b.share.lower, b.share.upper) for b in found.bins]
    dots = [m for m in scene_of(found).marks if isinstance(m, Circle)]
    for group in ("fail", "pass"):
        xs = [d.x for d, b in zip(dots, found.bins, strict=True) if b.among == group]
        assert xs == sorted(xs)
    assert json.loads(json.dumps(found.to_dict()))["bins"][0]["n"] == found.bins[0].n


@pytest.mark.parametrize("width", [320, 360, 739, 740, 940, 1600])
@pytest.mark.parametrize("scale", [0.01, 1, 1000])
@pytest.mark.parametrize("has_people", [True, False])
def test_every_mark_is_inside_and_texts_leave_each_other_room(width, scale, has_people):
    verdict, length, people = answers(300)
    scene = scene_of(rat.length_slope(verdict, length * scale, people if has_people else None),
                     width)  # fmt: skip
    require_inside(scene)
    assert overlapping(scene) == []


def test_lengths_without_a_round_one_among_them_have_a_picture():
    require_inside(scene_of(rat.length_slope([0, 1, 1, 0], [101, 102, 103, 104])))
    require_inside(scene_of(rat.length_slope([0, 1, 1, 0], [1e-9, 1e9, 3, 4], [0, 1, 1, 0]), 320))


def test_the_headline_says_how_much_a_doubling_brings():
    liked = rat.length_slope(*answers())
    n = f"{100 * liked.change.value:.1f}"
    assert headline(liked) == (
        f"Of answers that people judge alike, those twice as long pass {n} points more often."
    )
    assert headline(rat.length_slope(*answers(taste=-1.5))).endswith(" points less often.")
    assert "about as often, as far as these rows tell" in headline(
        rat.length_slope(*answers(200, taste=0.0))
    )
    assert headline(rat.length_slope(*answers()[:2])).startswith("Answers twice as long pass ")


def test_the_picture_holds_no_row():
    few = rat.length_slope(*answers(800)).figure().to_json()
    many = rat.length_slope(*answers(20_000)).figure().to_json()
    assert len(many) < 1.2 * len(few)


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_data_and_not_markup(name):
    verdict, length, people = answers(200)
    data = pd.DataFrame({"verdict": verdict, name: length, "people": people})
    found = rat.length_slope("verdict", name, "people", data=data)
    require_plain(found.figure(width=360))
    require_inside(scene_of(found, 360))
