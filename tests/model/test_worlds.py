"""Worlds of any number of levels: products of the free probabilities, and what two levels mean."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rat_widgets.model.worlds import (
    PARAMETERS,
    WORLDS,
    branch_probabilities,
    compatible_worlds,
    level_probabilities,
    level_sticks,
    world_probabilities,
    worlds_of,
)

LEVELS = ("none", "partial", "all")
many_levels = st.integers(2, 6).map(lambda k: tuple(f"level {i}" for i in range(k)))
inside = st.floats(0.001, 0.999)


@st.composite
def points(draw):
    levels = draw(many_levels)
    n = 3 * len(levels) - 1
    return levels, draw(hnp.arrays(float, (2, n), elements=inside))


@given(points())
def test_a_world_is_the_product_of_what_it_holds(point):
    levels, theta = point
    worlds = worlds_of(levels)
    p = world_probabilities(theta)
    for w in range(len(worlds.names)):
        product = np.prod([theta[:, k] if yes else 1 - theta[:, k] for k, yes in worlds.held(w)], 0)
        assert p[:, w] == pytest.approx(product, rel=1e-12)
    assert p.sum(axis=-1) == pytest.approx(1)


@given(points())
def test_levels_are_the_sums_of_their_worlds_and_splits_come_back(point):
    levels, theta = point
    worlds = worlds_of(levels)
    p, level = world_probabilities(theta), level_probabilities(theta)
    for i in range(len(levels)):
        assert level[:, i] == pytest.approx(p[:, worlds.level == i].sum(axis=-1), rel=1e-9)
    assert level_sticks(level) == pytest.approx(theta[:, : len(levels) - 1], rel=1e-6)


def test_a_level_without_mass_below_it_splits_into_nothing():
    assert level_sticks(np.array([0.0, 0.0, 1.0])).tolist() == [1, 0]
    assert level_probabilities(np.array([1.0, 0.3, *[0.5] * 6])).tolist() == [0, 0, 1]


def test_two_levels_are_the_tables_of_the_paper():
    two = worlds_of(("miss", "hit"))
    assert two.names == WORLDS
    assert two.parameters == two.branches == PARAMETERS
    assert two.hit.tolist() == [0, 1, 0, 0, 1, 1]
    theta = np.array([[0.2078, 0.4632, 0.0360, 0.4447, 0.6809]])
    assert branch_probabilities(theta) is theta


def test_names_of_three_levels():
    three = worlds_of(LEVELS)
    assert three.names[:3] == ("none_abstained", "partial_abstained", "all_abstained")
    assert three.names[3:] == (
        "none_wrong",
        "none_right",
        "partial_wrong",
        "partial_right",
        "all_wrong",
        "all_right",
    )
    assert three.parameters[:2] == ("retrieval[all]", "retrieval[partial | below all]")
    assert three.branches[:3] == tuple(f"retrieval[{level}]" for level in LEVELS)
    assert three.parameters[2:] == three.branches[3:]


def test_a_hit_is_the_top_level_and_a_miss_any_below():
    three = worlds_of(LEVELS)
    assert three.expanded(("hit_right",)) == ("all_right",)
    assert three.expanded(("miss_abstained", "hit_right")) == (
        "none_abstained",
        "partial_abstained",
        "all_right",
    )
    assert three.expanded(WORLDS) == three.names


@given(points(), st.data())
def test_merging_the_two_lowest_levels_keeps_the_probability_of_what_two_levels_see(point, data):
    """Worlds of K levels, lowest two summed, are worlds of K - 1 levels."""
    levels, theta = point
    if len(levels) < 3:
        return
    fine, coarse = worlds_of(levels), worlds_of(levels[1:])
    p = world_probabilities(theta[:1])[0]
    level = np.maximum(fine.level - 1, 0)
    ends = list(zip(level, fine.abstained, fine.right, strict=True))
    wanted = list(zip(coarse.level, coarse.abstained, coarse.right, strict=True))
    merged = [sum(x for x, end in zip(p, ends, strict=True) if end == want) for want in wanted]
    k = len(levels) - 1
    low = np.array(merged)[coarse.level == 0]
    answered = low[1:].sum()
    again = np.concatenate(
        [
            theta[0, : k - 1],
            [low[0] / low.sum()],
            theta[0, k + 2 : 2 * k + 1],
            [low[2] / answered],
            theta[0, 2 * k + 3 :],
        ]
    )
    assert world_probabilities(again) == pytest.approx(np.array(merged), rel=1e-9)


@pytest.mark.parametrize("n_levels", [2, 3, 5])
def test_a_pattern_agrees_with_the_worlds_of_its_level(n_levels):
    worlds = worlds_of(tuple(map(str, range(n_levels))))
    patterns = np.array([[r, -1, -1] for r in range(-1, n_levels)])
    agrees = compatible_worlds(patterns, n_levels)
    assert agrees[0].all()
    for r in range(n_levels):
        assert (agrees[r + 1] == (worlds.level == r)).all()
