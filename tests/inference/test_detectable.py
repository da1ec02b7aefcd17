"""What a tilt moves, and how far a statistic has to be to be found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit, logit

from rat_widgets.inference import departures
from rat_widgets.inference.departures import JudgeTest, Tilt, _least, _log_bayes_factors


@given(st.floats(0.01, 0.99), st.floats(0, 8))
def test_of_yes_and_no_a_tilt_moves_the_logit(p, tilt):
    one = Tilt((0,), "retrieval", 0, ((0.0, 1 - p), (1.0, p)))
    moved = expit(logit(p) + tilt / 2) - expit(logit(p) - tilt / 2)
    assert one.size(tilt) == pytest.approx(moved, abs=1e-9)


@given(st.floats(0, 3))
def test_of_two_judges_it_is_the_correlation_of_their_errors(tilt):
    """Exact for errors of plus or minus one that are equally likely."""
    h = np.array([-1.0, 1.0])
    p = np.exp(tilt * np.outer(h, h))
    correlation = (p * np.outer(h, h)).sum() / p.sum()
    assert Tilt((0, 1), None, None).size(tilt) == pytest.approx(correlation, abs=1e-12)


@given(st.lists(st.floats(0, 6), min_size=1, max_size=30), st.floats(0.5, 0.99))
def test_a_statistic_of_this_mean_exceeds_what_is_needed_so_often(needed, power):
    needed = np.array(needed)
    mean = _least(needed, power)
    assert stats.norm.cdf(mean - needed).mean() == pytest.approx(power, abs=1e-6)


@pytest.mark.parametrize("context", ["retrieval", None])
def test_alone_it_is_found_where_its_bayes_factor_exceeds_the_threshold(context):
    """One test: power at the departure told, from draws of its statistic."""
    rng = np.random.default_rng(3)
    information = 12.0
    two_sided = np.array([context is not None])
    z = rng.standard_normal((4000, 1))
    factors = _log_bayes_factors(z, np.array([information]), two_sided)
    tilt = Tilt((0,), context, 0, ((0.0, 0.8), (1.0, 0.2)))
    test = JudgeTest(
        judges=(0,),
        context=context,
        truth=0,
        z=0.0,
        p=1.0,
        log_bf=0.0,
        tilt=tilt,
        information=information,
    )
    tested = departures.Tested((test,), factors, np.zeros_like(factors))
    (size,) = tested.detectable(0.1)
    mean = next(m for m in np.linspace(0, 10, 20_001) if tilt.size(m / information**0.5) >= size)
    there = _log_bayes_factors(rng.normal(mean, 1, (20_000, 1)), np.array([information]), two_sided)
    error = np.sqrt(0.9 * 0.1 / 20_000)
    assert (there > tested.threshold(0.1)).mean() == pytest.approx(0.9, abs=4 * error)
