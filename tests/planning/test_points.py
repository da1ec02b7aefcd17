"""Quasi-random points under many Betas."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaincinv

from rat_widgets.planning.points import Points, beta_points

N = 1024
POINTS = Points.of(2, N, np.random.default_rng(0))
parameter = st.floats(0.3, 2000)


def test_every_coordinate_has_one_point_in_each_of_as_many_equal_parts():
    for ordered, rank in zip(POINTS.ordered, POINTS.rank, strict=True):
        assert np.array_equal(np.floor(ordered * N), np.arange(N))
        assert np.array_equal(np.sort(rank), np.arange(N))


def test_two_coordinates_together_fill_the_square_evenly():
    """A net: each of 32 x 32 boxes holds one point, which independent points do not do."""
    x, y = np.take_along_axis(POINTS.ordered, POINTS.rank, axis=1)
    boxes = np.floor(x * 32) * 32 + np.floor(y * 32)
    assert len(np.unique(boxes)) == N


@given(parameter, parameter)
def test_points_are_at_the_quantiles_of_their_beta(a, b):
    yes, no = beta_points(np.array([[[a, b], [1.0, 1.0]]]), POINTS)
    u = POINTS.ordered[0][POINTS.rank[0]]
    inside = (u > 0.01) & (u < 0.99)
    expected = betaincinv(a, b, u[inside])
    sd = np.sqrt(a * b / (a + b + 1)) / (a + b)
    # linear between grid points, which lie further apart in the tails
    assert yes[0, 0][inside] == pytest.approx(expected, abs=0.02 * sd)
    middle = (u > 0.02) & (u < 0.98)
    assert yes[0, 0][middle] == pytest.approx(betaincinv(a, b, u[middle]), abs=0.01 * sd)
    assert yes + no == pytest.approx(1)


@given(parameter, parameter)
def test_turning_a_beta_round_swaps_the_two_sides(a, b):
    there = _distribution_ends(a, b)
    back = _distribution_ends(b, a)
    assert there == pytest.approx(1 - back[::-1], rel=1e-9)


def _distribution_ends(a, b):
    u = np.linspace(0.01, 0.99, 99)
    points = Points(u[None], np.arange(99)[None])
    return beta_points(np.array([[[a, b]]]), points)[0][0, 0]


def test_both_sides_keep_their_digits_near_0_and_1():
    u = np.linspace(1e-4, 1 - 1e-4, 99)
    points = Points(u[None], np.arange(99)[None])
    (low,), (high,) = (
        beta_points(np.array([[shape]]), points)[side][0]
        for shape, side in (([0.45, 900.0], 0), ([900.0, 0.45], 1))
    )
    assert low.min() < 1e-10
    assert low == pytest.approx(high[::-1], rel=1e-9)


def test_priors_that_leave_no_doubt_give_numbers_all_the_same():
    yes, no = beta_points(np.array([[[1e-6, 2.0], [3.0, 1e-6]]]), POINTS)
    assert np.isfinite(np.log(yes)).all()
    assert np.isfinite(np.log(no)).all()
    assert yes[0].max() < 1e-6
    assert no[1].max() < 1e-6


def test_sets_of_the_pool_differ_and_stay_the_same():
    first, second = (Points.from_pool(i, 5, 64).ordered for i in (0, 1))
    assert not np.array_equal(first, second)
    assert np.array_equal(first, Points.from_pool(0, 5, 64).ordered)
