"""A judge's verdicts on the length of answers."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, special

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, LabelValueError

rows = st.lists(
    st.tuples(st.integers(0, 1), st.integers(1, 400), st.integers(0, 1)), min_size=4, max_size=30
).filter(lambda r: len({v for v, _, _ in r}) == 2 and len({n for _, n, _ in r}) > 1)


def judged(n, bias, seed, people_like_length=1.0):
    """Verdict, length and label; people may find longer answers better."""
    rng = np.random.default_rng(seed)
    length = np.exp(rng.normal(4.6, 0.6, n)).round() + 1
    x = np.log2(length) - 6.6
    human = (rng.random(n) < special.expit(0.5 + people_like_length * x)).astype(int)
    verdict = (rng.random(n) < special.expit(-1.2 + 2.6 * human + bias * x)).astype(int)
    return verdict, length, human


@settings(max_examples=15)
@given(rows)
def test_the_unit_of_length_does_not_matter_and_turning_verdicts_turns_the_slope(found):
    verdict, length, human = (np.array(column) for column in zip(*found, strict=True))
    one = rat.length_slope(verdict, length, human)
    other = rat.length_slope(verdict, length * 4.5, human)
    turned = rat.length_slope(1 - verdict, length, human)
    assert one.slope.value == pytest.approx(other.slope.value, abs=1e-3)
    assert one.slope.value == pytest.approx(-turned.slope.value, abs=1e-3)
    assert one.slope.lower == pytest.approx(-turned.slope.upper, abs=5e-3)
    assert one.p_longer == pytest.approx(1 - turned.p_longer, abs=1e-3)


def test_the_slope_is_that_of_maximum_likelihood_where_rows_are_many():
    """`scipy.optimize` on the likelihood alone, 4,000 rows; tolerance a tenth of an error."""
    verdict, length, human = judged(4000, 0.4, 1)
    x = np.log2(length)

    def loss(p):
        logit = np.where(human == 1, p[0], p[1]) + p[2] * (x - x.mean())
        return (np.logaddexp(0, logit) - verdict * logit).sum()

    best = optimize.minimize(loss, np.zeros(3), method="BFGS")
    report = rat.length_slope(verdict, length, human)
    p = special.expit(np.where(human == 1, best.x[0], best.x[1]) + best.x[2] * (x - x.mean()))
    design = np.stack([human, 1 - human, x - x.mean()], axis=1)
    error = np.sqrt(np.linalg.inv(design.T @ (design * (p * (1 - p))[:, None]))[2, 2])
    assert report.slope.value == pytest.approx(best.x[2], abs=error / 10)
    width = report.slope.upper - report.slope.lower
    assert width / (2 * 1.96 * error) == pytest.approx(1, abs=0.03)


def test_the_posterior_is_that_of_integration_in_two_dimensions():
    """12 rows of one label: intercept and slope summed out on a plain grid."""
    verdict = np.array([0, 0, 0, 1, 0, 1, 0, 1, 1, 0, 1, 1])
    length = np.arange(20, 140, 10)
    x = np.log2(length) - np.log2(length).mean()
    a, b = np.linspace(-12, 12, 481)[:, None], np.linspace(-8, 10, 721)[None, :]
    log_p = -0.5 * (a / 5) ** 2 - 0.5 * (b / 2) ** 2
    for place, says in zip(x, verdict, strict=True):
        log_p = log_p + says * (a + b * place) - np.logaddexp(0, a + b * place)
    weight = np.exp(log_p - log_p.max()).sum(axis=0)
    ends = np.interp([0.025, 0.5, 0.975], np.cumsum(weight) / weight.sum(), b[0])
    slope = rat.length_slope(verdict, length).slope
    assert (slope.lower, slope.value, slope.upper) == pytest.approx(tuple(ends), abs=0.06)


def test_better_long_answers_are_no_bias():
    fair = rat.length_slope(*judged(4000, 0.0, 2))
    assert fair.slope.lower < 0 < fair.slope.upper
    assert fair.unadjusted.lower > 0.2
    biased = rat.length_slope(*judged(4000, 0.5, 2))
    assert biased.p_longer > 0.999
    assert biased.slope.lower < 0.5 < biased.slope.upper
    assert biased.change.lower > 0
    assert biased.odds_ratio.value == pytest.approx(np.exp(biased.slope.value))


@pytest.mark.parametrize("bias", [0.0, 0.6])
def test_the_interval_covers(bias):
    """60 tables of 150 rows at 95%: fewer than 51 has probability 0.001."""
    found = [rat.length_slope(*judged(150, bias, seed)).slope for seed in range(60)]
    assert sum(m.lower <= bias <= m.upper for m in found) >= 51


def test_a_judge_that_forgives_long_wrong_answers_alone_is_seen():
    verdict, length, human = judged(4000, 0.0, 3)
    rng = np.random.default_rng(0)
    forgiven = (human == 0) & (length > 110) & (rng.random(4000) < 0.4)
    report = rat.length_slope(np.where(forgiven, 1, verdict), length, human)
    assert report.by_label["fail"].lower > report.by_label["pass"].upper
    assert any("differs" in note for note in report.notes)
    assert report.n_by_label == {"fail": int((human == 0).sum()), "pass": int(human.sum())}


def test_many_rows_are_rounded_and_give_the_same():
    verdict, length, human = judged(900, 0.3, 4)
    one = rat.length_slope(verdict, length, human)
    many = rat.length_slope(*(np.repeat(column, 2) for column in (verdict, length, human)))
    assert many.slope.value == pytest.approx(one.slope.value, abs=0.003)


def test_a_perfect_separation_has_an_answer():
    report = rat.length_slope([0] * 20 + [1] * 20, range(1, 41))
    assert 1 < report.slope.lower < report.slope.upper < 12
    assert report.p_longer > 0.999


def test_missing_values_are_counted_and_left_out():
    verdict, length, human = (list(column) for column in judged(60, 0.2, 5))
    verdict[0], length[1], human[2] = None, None, None
    report = rat.length_slope(verdict, length, human)
    assert (report.n_rows, report.n_missing) == (60, 3)


def test_bad_input_is_refused():
    with pytest.raises(LabelValueError, match="holds 0; 1 row is out of range"):
        rat.length_slope([0, 1], [0, 5])
    with pytest.raises(LabelValueError, match="'long', which is no number"):
        rat.length_slope([0, 1], ["long", "short"])
    with pytest.raises(LabelValueError, match="inf"):
        rat.length_slope([0, 1], [5, float("inf")])
    with pytest.raises(ArgumentError, match="says pass on all 2 rows"):
        rat.length_slope([1, 1], [5, 6])
    with pytest.raises(ArgumentError, match="All answers have the length 5"):
        rat.length_slope([0, 1], [5, 5])
    with pytest.raises(ArgumentError, match="None of 2 rows"):
        rat.length_slope([0, 1], [5, 6], [None, None])
    with pytest.raises(ArgumentError, match="2 rows and `length` has 3"):
        rat.length_slope([0, 1], [5, 6, 7])
    with pytest.raises(LabelValueError, match="through `values`: it is missing"):
        rat.length_slope(["yes", "unsure"], [5, 6], values={"yes": 1})


def test_the_report_prints_and_renders():
    frame = pd.DataFrame(dict(zip("vlh", judged(200, 0.2, 6), strict=True)))
    report = rat.length_slope("v", "l", "h", data=frame)
    for text in (str(report), repr(report), report._repr_html_()):
        assert "answers with the same label" in text
    json.dumps(report.to_dict(), allow_nan=False)
    assert report.to_frame()["n"].iloc[0] == 200
    assert "no bias" in str(rat.length_slope("v", "l", data=frame))
