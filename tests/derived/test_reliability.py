"""A score beside people: reliability curve, calibration error, recalibration."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import rat_widgets as rat
from rat_widgets.errors import (
    ArgumentError,
    ArgumentTypeError,
    LabelValueError,
    MissingColumnError,
)

rows = st.lists(
    st.tuples(st.integers(0, 20).map(lambda i: i / 20), st.integers(0, 1)), min_size=2, max_size=60
)


def scored(truth, n, seed):
    """Scores, and labels that pass with probability truth(score)."""
    rng = np.random.default_rng(seed)
    score = rng.beta(2, 2, n)
    return score, (rng.random(n) < truth(score)).astype(int)


@given(rows)
def test_measures_are_those_of_their_definitions(pairs):
    score, label = np.array(pairs).T
    report = rat.reliability(score, label, bins=5)
    place = np.minimum((score * 5 + 1e-9).astype(int), 4)
    error = sum(
        (place == b).mean() * abs(score[place == b].mean() - label[place == b].mean())
        for b in set(place)
    )
    assert report.ece.value == pytest.approx(error)
    assert report.brier.value == pytest.approx(np.mean((score - label) ** 2))
    assert sum(b.n for b in report.bins) == len(pairs)
    assert report.ece.lower <= report.ece.value <= report.ece.upper + 1e-12


@given(rows)
def test_turning_pass_and_fail_round_keeps_the_measures(pairs):
    """With bins that turn round, too: one, or none of whose edges is a score."""
    score, label = np.array(pairs).T
    for bins in (1, 3):
        one = rat.reliability(score, label, bins=bins)
        other = rat.reliability(1 - score, 1 - label, bins=bins)
        assert one.ece.value == pytest.approx(other.ece.value)
        assert one.brier.value == pytest.approx(other.brier.value)


@given(rows)
def test_recalibration_never_falls_and_is_calibrated_where_it_was_fitted(pairs):
    score, label = np.array(pairs).T
    report = rat.reliability(score, label)
    fitted = report.recalibrated(score)
    assert (np.diff(report.recalibrated(np.linspace(0, 1, 101))) >= -1e-12).all()
    assert fitted.mean() == pytest.approx(label.mean())
    for value in np.unique(fitted.round(9)):
        assert label[fitted.round(9) == value].mean() == pytest.approx(value)
    assert np.mean((fitted - label) ** 2) <= report.brier.value + 1e-12


@given(rows)
def test_a_monotone_change_of_the_score_does_not_change_the_recalibrated_one(pairs):
    score, label = np.array(pairs).T
    bent = score**3
    one = rat.reliability(score, label).recalibrated(score)
    assert rat.reliability(bent, label).recalibrated(bent) == pytest.approx(one)


def test_recalibration_is_the_best_of_all_curves_that_never_fall():
    """The min-max formula of isotonic regression (Barlow et al. 1972), worked out by itself."""
    score, label = scored(lambda s: s**2, 60, 3)
    order = np.argsort(score)
    y = label[order]
    best = [
        max(min(y[a : b + 1].mean() for b in range(i, len(y))) for a in range(i + 1))
        for i in range(len(y))
    ]
    assert rat.reliability(score, label).recalibrated(score[order]) == pytest.approx(best)


def test_a_calibrated_score_has_the_error_that_chance_gives():
    """Mean over 40 tables of 500 rows: within 3 standard errors of what the report expects."""
    reports = [rat.reliability(*scored(lambda s: s, 500, seed)) for seed in range(40)]
    values = np.array([r.ece.value for r in reports])
    expected = np.mean([r.ece_by_chance for r in reports])
    assert values.mean() == pytest.approx(expected, abs=3 * values.std() / np.sqrt(40))
    assert np.mean([r.p_calibrated > 0.05 for r in reports]) > 0.8
    assert all(r.ece.upper > 0 for r in reports)
    large = rat.reliability(*scored(lambda s: s, 200_000, 1))
    assert large.ece.value < 0.004


@pytest.mark.parametrize("truth", [lambda s: s, lambda s: s**2, lambda s: 0.25 + s / 2])
def test_the_interval_of_the_calibration_error_covers(truth):
    """60 tables of 400 rows each, at 95%: fewer than 50 has probability 3e-4 if it covers 93%."""
    grid = stats.beta(2, 2).ppf((np.arange(200_000) + 0.5) / 200_000)
    place = np.minimum((grid * 10).astype(int), 9)
    off = np.bincount(place, weights=truth(grid) - grid) / len(grid)
    true = np.abs(off).sum()
    found = [rat.reliability(*scored(truth, 400, seed)).ece for seed in range(60)]
    assert sum(e.lower <= true <= e.upper for e in found) >= 50


def test_shares_have_jeffreys_intervals():
    report = rat.reliability([0.2] * 10, [1] * 3 + [0] * 7, bins=1, ci_prob=0.9)
    share = report.bins[0].share
    expected = stats.beta(3.5, 7.5).ppf([0.05, 0.95])
    assert (share.value, share.lower, share.upper) == pytest.approx((0.3, *expected))


def test_bins_of_equal_count_hold_as_many_rows_and_never_split_a_score():
    score, label = scored(lambda s: s, 1000, 0)
    report = rat.reliability(score, label, bins=8, spacing="count")
    assert {b.n for b in report.bins} <= {124, 125, 126}
    ties = rat.reliability([0.5] * 9 + [0.7], [0, 1] * 5, bins=4, spacing="count")
    assert sorted(b.n for b in ties.bins) in ([10], [1, 9])
    assert rat.reliability([0.5] * 9, [0] * 9, spacing="count").bins[0].n == 9


def test_an_overconfident_score_is_cured_on_other_rows():
    report = rat.reliability(*scored(lambda s: 0.4 + 0.2 * s, 2000, 5))
    assert report.p_calibrated < 0.01
    assert report.ece.lower > 0.05
    assert report.brier_recalibrated.upper < report.brier.lower
    fresh, label = scored(lambda s: 0.4 + 0.2 * s, 2000, 6)
    assert rat.reliability(report.recalibrated(fresh), label).ece.value < 0.05


def test_missing_values_are_counted_and_left_out():
    report = rat.reliability([0.1, None, 0.9, 0.8], ["bad", "good", None, "good"],
                             values={"good": 1, "bad": 0})  # fmt: skip
    assert (report.n, report.n_missing, report.n_rows) == (2, 2, 4)
    assert np.isnan(report.recalibrated([0.5, None])).tolist() == [False, True]


@pytest.mark.parametrize("made", [list, np.array, pd.Series, pl.Series])
def test_columns_of_any_library_give_the_same_report(made):
    score, label = scored(lambda s: s, 50, 1)
    one = rat.reliability(made(score.tolist()), made(label.tolist()))
    frame = rat.reliability("s", "h", data=pl.DataFrame({"s": score, "h": label}))
    assert one.to_frame().equals(frame.to_frame())


def test_what_is_no_score_is_refused():
    with pytest.raises(LabelValueError, match=r"1\.5; 1 row is out of range"):
        rat.reliability([0.5, 1.5], [0, 1])
    with pytest.raises(LabelValueError, match=r"-0\.1"):
        rat.reliability([0.5, -0.1], [0, 1])
    with pytest.raises(LabelValueError, match="'high', which is no number"):
        rat.reliability(["high", "low"], [0, 1])
    with pytest.raises(ArgumentError, match="2 rows and `human` has 1"):
        rat.reliability([0.5, 0.1], [1])
    with pytest.raises(ArgumentError, match="No row has both"):
        rat.reliability([0.5, 0.1], [None, None])
    with pytest.raises(LabelValueError, match=r"human\) holds 0\.5"):
        rat.reliability([0.5, 0.1], [0.5, 1])
    with pytest.raises(MissingColumnError, match="'t'"):
        rat.reliability("s", "t", data=pd.DataFrame({"s": [0.5]}))
    with pytest.raises(ArgumentTypeError, match="bins"):
        rat.reliability([0.5], [1], bins=2.5)
    with pytest.raises(ArgumentError, match="bins"):
        rat.reliability([0.5], [1], bins=0)
    with pytest.raises(ArgumentError, match="spacing"):
        rat.reliability([0.5], [1], spacing="even")
    with pytest.raises(LabelValueError, match="out of range"):
        rat.reliability([0.5], [1]).recalibrated([2])


def test_one_class_one_score_and_one_row_are_said():
    notes = " ".join(rat.reliability([0.5] * 30, [1] * 30).notes)
    assert "pass on every row" in notes
    assert "same score" in notes
    assert rat.reliability([0.4], [1]).ece.value == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("n_few", "said"), [(1, "1 of 3 bins holds fewer"), (2, "2 of 3 bins hold fewer")]
)
def test_bins_with_few_rows_are_counted(n_few, said):
    score = np.repeat([0.1, 0.5, 0.9], [3, 3 if n_few == 2 else 40, 40])
    found = rat.reliability(score, np.arange(len(score)) % 2)
    assert any(note.startswith(said) for note in found.notes)


def test_the_report_prints_and_renders():
    score, label = scored(lambda s: s, 50, 1)
    report = rat.reliability(pd.Series(score, name="<b>"), label)
    for text in (str(report), repr(report), report._repr_html_()):
        assert "expected calibration error" in text
        assert f"{report.brier.value:.3f}" in text
    assert "<b>" not in report._repr_html_()
    plain = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert plain["bins"][0]["n"] == report.bins[0].n


def test_four_judges_of_natural_questions_as_one_score():
    """`openqa_nq301`: the share of judges that say yes, beside people; counted by pandas."""
    df = rat.datasets.load("openqa_nq301")
    df["share"] = df[["T_gpt4", "T_davinci3", "T_bem", "T_em"]].astype(float).mean(axis=1)
    table = df.groupby("share")["T"].agg(["mean", "size"])
    report = rat.reliability("share", "T", data=df)
    assert [b.n for b in report.bins] == table["size"].tolist()
    assert [b.share.value for b in report.bins] == pytest.approx(table["mean"].astype(float))
    expected = (abs(table["mean"] - table.index) * table["size"]).sum() / len(df)
    assert report.ece.value == pytest.approx(expected)


def test_bins_that_memory_cannot_hold_are_refused():
    with pytest.raises(ArgumentError, match="`bins` is 1000000000") as found:
        rat.reliability([0.2, 0.8], [0, 1], bins=10**9)
    assert "From 1 to 10,000" in str(found.value)
