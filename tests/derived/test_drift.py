"""Versions of a judge on the same items, and one judge over time."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

import rat_widgets as rat
from rat_widgets.derived.drift_windows import changes_of, windows_of
from rat_widgets.errors import (
    ArgumentError,
    DuplicateItemError,
    LabelValueError,
    MissingColumnError,
)

verdicts = st.lists(st.tuples(*[st.integers(0, 1)] * 3), min_size=1, max_size=40)
PAIRED = {"item": "item", "version": "version", "verdict": "verdict"}


def versions(rows, names=("old", "new")):
    """One row per item and version, with the label of people."""
    parts = [
        pd.DataFrame({"item": range(len(rows)), "version": name, "verdict": [r[i] for r in rows],
                      "human": [r[2] for r in rows]})
        for i, name in enumerate(names)
    ]  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def timed(n, seed, fpr_after, *, tpr=0.9, fpr=0.15, change=0.5):
    """A judge whose false positive rate is another from a share of the rows on."""
    rng = np.random.default_rng(seed)
    human = (rng.random(n) < 0.6).astype(int)
    late = np.arange(n) >= change * n
    rate = np.where(human == 1, tpr, np.where(late, fpr_after, fpr))
    return pd.DataFrame(
        {"time": np.arange(n), "verdict": (rng.random(n) < rate).astype(int), "human": human}
    )


@settings(max_examples=25)
@given(verdicts)
def test_the_offset_is_the_difference_of_pass_rates_on_the_same_items(rows):
    old, new, human = (np.array(column) for column in zip(*rows, strict=True))
    (offset,) = rat.judge_drift(versions(rows), **PAIRED, human="human").offsets
    assert offset.offset.value == pytest.approx(new.mean() - old.mean())
    assert offset.to_pass - offset.to_fail == new.sum() - old.sum()
    for code, name in enumerate(("fail", "pass")):
        inside = human == code
        assert (name in offset.by_label) == inside.any()
        if inside.any():
            expected = new[inside].mean() - old[inside].mean()
            assert offset.by_label[name].value == pytest.approx(expected)


@settings(max_examples=25)
@given(verdicts)
def test_exchanging_the_versions_turns_the_offset_round(rows):
    (one,) = rat.judge_drift(versions(rows), **PAIRED).offsets
    turned = [(new, old, human) for old, new, human in rows]
    (other,) = rat.judge_drift(versions(turned, ("new", "old")), **PAIRED).offsets
    assert (one.version, one.reference) == (other.reference, other.version)
    assert one.offset.value == pytest.approx(-other.offset.value)
    assert one.p_more == pytest.approx(1 - other.p_more)
    assert (one.to_pass, one.to_fail) == (other.to_fail, other.to_pass)


def test_the_posterior_of_flips_is_exact():
    rows = [(0, 1, 1)] * 12 + [(1, 0, 1)] * 5 + [(1, 1, 1)] * 83
    (offset,) = rat.judge_drift(versions(rows), **PAIRED).offsets
    assert offset.p_more == pytest.approx(1 - stats.beta(12.5, 5.5).cdf(0.5))
    error = np.sqrt(17 - 49 / 100) / 100  # of a difference of paired shares, large samples
    width = offset.offset.upper - offset.offset.lower
    assert width / (2 * 1.96 * error) == pytest.approx(1, abs=0.06)


def test_the_interval_of_the_offset_covers():
    """200 tables of 120 items at 95%: fewer than 179 has probability 0.001."""
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(200):
        u = rng.random(120)
        flip = np.where(u < 0.10, 1, np.where(u < 0.14, -1, 0))
        old = np.where(flip == 1, 0, np.where(flip == -1, 1, rng.random(120) < 0.7))
        table = versions(list(zip(old, old + flip, old, strict=True)))
        offset = rat.judge_drift(table, **PAIRED).offsets[0].offset
        covered += offset.lower <= 0.06 <= offset.upper
    assert covered >= 179


def test_items_of_one_version_alone_are_no_pairs():
    table = versions([(1, 0, 1), (0, 0, 0), (1, 1, 1)]).drop(index=0)
    (offset,) = rat.judge_drift(table, **PAIRED, human="human").offsets
    assert (offset.n_pairs, offset.to_fail) == (2, 0)
    table["item"] = range(5)
    report = rat.judge_drift(table, **PAIRED)
    assert report.offsets[0].n_pairs == 0
    assert any("share no item" in note for note in report.notes)


def test_the_posterior_of_a_change_is_that_of_integrals():
    """Two windows, one kind: evidence integrated by `scipy.integrate`."""
    counts = np.array([[[8, 3]], [[2, 9]]])

    def evidence(no, yes):
        return integrate.quad(lambda p: p**yes * (1 - p) ** no, 0, 1)[0]

    odds = evidence(8, 3) * evidence(2, 9) / evidence(10, 12)
    (change,) = changes_of(counts, ["a", "b"], ["all"], 0.01)
    assert change.probability == pytest.approx(odds / (1 + odds), rel=1e-6)
    assert (change.since, change.before, change.after) == ("b", {"all": 3 / 11}, {"all": 9 / 11})


def test_with_two_kinds_either_or_both_may_change():
    counts = np.array([[[8, 3], [1, 9]], [[2, 9], [2, 8]]])
    one, other = (
        changes_of(counts[:, [k]], ["a", "b"], ["x"], 1e-9)[0].probability for k in (0, 1)
    )
    odds = [p / (1 - p) for p in (one, other)]
    mixed = (odds[0] + odds[1] + odds[0] * odds[1]) / 3
    (both,) = changes_of(counts, ["a", "b"], ["x", "y"], 1e-9)
    assert both.probability == pytest.approx(mixed / (1 + mixed))


def test_a_change_is_marked_where_it_is():
    report = rat.judge_drift(timed(2000, 1, 0.45), time="time", verdict="verdict", human="human")
    (change,) = report.changes
    assert abs(change.window - 5) <= 1
    assert change.after["fail"] - change.before["fail"] == pytest.approx(0.3, abs=0.1)
    assert report.windows_frame()["changed"].sum() == 1
    assert report.windows[0].kappa.value > report.windows[-1].kappa.value


def test_two_changes_are_both_marked():
    table = timed(3000, 2, 0.5, change=0.3)
    back = timed(3000, 3, 0.15)
    table.loc[2100:] = back.loc[2100:]
    report = rat.judge_drift(table, time="time", verdict="verdict", human="human")
    assert [c.window for c in report.changes] == [3, 7]


def test_a_stable_judge_gets_a_mark_in_few_tables():
    """300 tables of 500: 1.4 in 100 got one in a large simulation; more than 14 has probability
    3e-5 then, and 0.02 with 3 in 100."""
    rng = np.random.default_rng(6)
    place = np.minimum(np.arange(500) // 50, 9)
    marked = 0
    for _ in range(300):
        human = (rng.random(500) < 0.6).astype(int)
        verdict = (rng.random(500) < np.where(human == 1, 0.9, 0.15)).astype(int)
        counts = np.zeros((10, 2, 2), dtype=np.int64)
        np.add.at(counts, (place, human, verdict), 1)
        marked += bool(changes_of(counts, [str(i) for i in range(10)], ["fail", "pass"], 0.7))
    assert marked <= 14


def test_more_good_answers_are_no_change_of_the_judge():
    rng = np.random.default_rng(8)
    human = (rng.random(3000) < np.linspace(0.2, 0.9, 3000)).astype(int)
    verdict = (rng.random(3000) < np.where(human == 1, 0.9, 0.15)).astype(int)
    table = pd.DataFrame({"time": range(3000), "verdict": verdict, "human": human})
    asked = {"time": "time", "verdict": "verdict"}
    assert not rat.judge_drift(table, **asked, human="human").changes
    blind = rat.judge_drift(table, **asked)
    assert blind.changes
    assert any("may be one of the answers" in note for note in blind.notes)


@given(st.lists(st.integers(0, 12), min_size=1, max_size=80), st.integers(1, 6))
def test_a_time_is_in_one_window_and_windows_are_in_order(times, n_windows):
    time = np.sort(np.array(times, dtype=float))
    place = windows_of(time, n_windows)
    assert place[0] == 0
    assert set(np.diff(place)) <= {0, 1}
    assert place[-1] < n_windows
    assert all(len(set(place[time == t])) == 1 for t in time)


@pytest.mark.parametrize("made", [pd.DataFrame, pl.from_pandas])
@pytest.mark.parametrize("kind", ["number", "text", "date"])
def test_times_of_any_kind_and_frames_of_any_library(made, kind):
    table = timed(400, 5, 0.6)
    days = pd.date_range("2026-01-01", periods=400)
    table["time"] = {"number": np.arange(400), "text": days.strftime("%Y-%m-%d"), "date": days}[
        kind
    ]
    shuffled = table.sample(frac=1, random_state=1).reset_index(drop=True)
    report = rat.judge_drift(made(shuffled), time="time", verdict="verdict", human="human")
    plain = rat.judge_drift(table, time="time", verdict="verdict", human="human")
    assert [w.n for w in report.windows] == [40] * 10
    assert [w.kappa for w in report.windows] == [w.kappa for w in plain.windows]
    if kind != "number":
        assert report.windows[0].start[:10] == "2026-01-01"


def test_missing_values_are_counted():
    table = timed(200, 7, 0.2)
    table["time"] = table["time"].where(table.index != 3)
    table["verdict"] = table["verdict"].where(table.index != 4)
    table["human"] = table["human"].where(table.index != 5)
    report = rat.judge_drift(table, time="time", verdict="verdict", human="human")
    assert (report.n_rows, report.n_missing, report.n_untimed) == (200, 1, 2)
    assert sum(w.n for w in report.windows) == 197


def test_bad_input_is_refused():
    table = versions([(1, 0, 1), (0, 0, 0)])
    with pytest.raises(ArgumentError, match="neither a `version` nor a `time`"):
        rat.judge_drift(table, verdict="verdict", item="item")
    with pytest.raises(ArgumentError, match="no `item`"):
        rat.judge_drift(table, verdict="verdict", version="version")
    with pytest.raises(MissingColumnError, match="'model'"):
        rat.judge_drift(table, verdict="verdict", item="item", version="model")
    with pytest.raises(ArgumentError, match="one version with verdicts, 'new'"):
        rat.judge_drift(table[table["version"] == "new"], **PAIRED)
    with pytest.raises(DuplicateItemError, match="2 verdicts are on an item"):
        rat.judge_drift(table.assign(item=1), **PAIRED)
    with pytest.raises(LabelValueError, match="1 item has both labels"):
        rat.judge_drift(table.assign(human=[1, 1, 0, 1]), **PAIRED, human="human")
    with pytest.raises(LabelValueError, match=r"0\.7"):
        rat.judge_drift(table.assign(verdict=0.7), **PAIRED)
    with pytest.raises(LabelValueError, match=r"'item' \(item\) is missing in 1 row"):
        rat.judge_drift(table.assign(item=[1, None, 1, 2]), **PAIRED)
    with pytest.raises(LabelValueError, match="not only dates"):
        rat.judge_drift(table.assign(time="monday"), verdict="verdict", time="time")
    with pytest.raises(LabelValueError, match="holds 1, and not only numbers"):
        rat.judge_drift(table.assign(time=["2026-01-01", 1, 2, 3]), verdict="verdict", time="time")
    with pytest.raises(ArgumentError, match="None of 4 rows has a verdict"):
        rat.judge_drift(table.assign(verdict=None), **PAIRED)
    with pytest.raises(ArgumentError, match="windows"):
        rat.judge_drift(timed(50, 1, 0.2), verdict="verdict", time="time", windows=0)


def test_one_window_shows_no_change():
    report = rat.judge_drift(timed(25, 1, 0.9), verdict="verdict", time="time", human="human")
    assert (len(report.windows), report.changes) == (1, ())
    assert any("one window" in note for note in report.notes)
    nothing = timed(25, 1, 0.9).assign(time=None)
    assert rat.judge_drift(nothing, verdict="verdict", time="time").windows == ()


def test_the_report_prints_and_renders():
    table = versions([(0, 1, 1)] * 12 + [(1, 0, 1)] * 2 + [(1, 1, 0)] * 30)
    table["day"] = [*range(44), *range(44)]
    report = rat.judge_drift(table, **PAIRED, human="human", time="day")
    for text in (str(report), repr(report), report._repr_html_()):
        assert "new passes +22.7 points more than old" in text
        assert "where people pass" in text
    assert any("not comparable" in note for note in report.notes)
    json.dumps(report.to_dict(), allow_nan=False)
    assert report.to_frame().loc["new", "to_pass"] == 12
    assert not rat.judge_drift(table, **PAIRED).windows_frame().size


def test_two_judges_of_natural_questions_as_versions():
    """`openqa_nq301`: paired difference by pandas."""
    df = rat.datasets.load("openqa_nq301")
    long = df.melt(["item", "system", "T"], ["T_davinci3", "T_gpt4"], "judge", "verdict")
    report = rat.judge_drift(long, item=["item", "system"], version="judge", verdict="verdict",
                             human="T")  # fmt: skip
    both = df[["T_davinci3", "T_gpt4"]].dropna().astype(int)
    (offset,) = report.offsets
    assert offset.n_pairs == len(both)
    assert offset.offset.value == pytest.approx((both["T_gpt4"] - both["T_davinci3"]).mean())
    assert report.kappa["T_gpt4"].value == pytest.approx(
        rat.judge_report("T", "T_gpt4", data=df).kappa.value
    )
