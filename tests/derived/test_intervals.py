"""Credible intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from rat_widgets.derived.intervals import (
    credible_interval,
    interval_and_quartiles,
    quartiles,
    weighted_interval,
)
from rat_widgets.errors import ArgumentError

draws_arrays = arrays(np.float64, st.integers(20, 60), elements=st.floats(0, 1))


@given(draws_arrays, st.floats(0.1, 0.97))
def test_the_shortest_interval_holds_enough_and_is_not_longer_than_any_other(draws, prob):
    lower, upper = credible_interval(draws, ci_prob=prob, ci_kind="hdi")
    inside = int(np.floor(prob * len(draws))) + 1
    ordered = np.sort(draws)
    windows = [ordered[i + inside - 1] - ordered[i] for i in range(len(draws) - inside + 1)]
    assert ((draws >= lower) & (draws <= upper)).sum() >= inside
    assert upper - lower <= min(windows) + 1e-12


@given(draws_arrays)
def test_equal_tails_hold_equal_shares(draws):
    lower, upper = credible_interval(draws, ci_prob=0.8)
    assert (draws < lower).mean() <= 0.1 + 1 / len(draws)
    assert (draws > upper).mean() <= 0.1 + 1 / len(draws)


@given(draws_arrays, st.floats(0.1, 0.97), st.sampled_from(["eti", "hdi"]), st.booleans())
def test_both_at_once_are_each_by_itself(draws, prob, kind, is_undefined):
    table = np.stack([draws, draws[::-1] ** 2])
    table[0, 0] = np.nan if is_undefined else table[0, 0]
    *ends, middle = interval_and_quartiles(table, ci_prob=prob, ci_kind=kind)
    assert np.array_equal(ends, credible_interval(table, ci_prob=prob, ci_kind=kind))
    assert np.array_equal(middle, quartiles(table))


def test_undefined_draws_are_left_out():
    draws = np.array([[0.1, 0.2, 0.3, np.nan], [np.nan] * 4])
    lower, upper = credible_interval(draws, ci_prob=0.5)
    assert lower[0] == pytest.approx(0.15)
    assert upper[0] == pytest.approx(0.25)
    assert np.isnan(lower[1])
    assert np.isnan(upper[1])


@pytest.mark.parametrize("bad", [{"ci_prob": 95}, {"ci_prob": 0}, {"ci_kind": "confidence"}])
def test_what_is_not_an_interval_is_refused(bad):
    with pytest.raises(ArgumentError, match="It is"):
        credible_interval(np.zeros(10), **bad)


def test_equal_weights_are_no_weights():
    draws = np.random.default_rng(1).normal(size=(3, 500))
    plain = weighted_interval(draws)
    weighted = weighted_interval(draws, np.full((1, 500), 1 / 500))
    assert np.array(weighted) == pytest.approx(np.array(plain))
    # half a draw of 500 between the two conventions
    ends = np.array(credible_interval(draws))
    assert np.array(plain[1:]) == pytest.approx(ends, abs=0.05)


def test_a_weight_of_two_is_a_draw_twice():
    draws = np.sort(np.random.default_rng(2).normal(size=4000))
    weight = np.where(np.arange(4000) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(draws, weight.astype(int))
    found = weighted_interval(draws, weight / weight.sum(), ci_prob=0.8)
    assert np.array(found) == pytest.approx(
        np.array(weighted_interval(twice, ci_prob=0.8)), abs=0.01
    )
