"""Reports on judges: rates in the terms of those who read the verdicts."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.derived.judging import (
    MEASURES,
    cohen_kappa,
    judge_measures,
    negative_predictive_value,
    positive_predictive_value,
)
from rat_widgets.derived.kappa import kappa_of_table
from rat_widgets.errors import ArgumentError

inside = st.floats(0.01, 0.99)
QWEN = rat.datasets.load("qwen")
RATES = {
    "jR": {"of": "retrieval", "tpr": 0.9, "fpr": 0.2},
    "jT": {"of": "task", "tpr": 0.85, "fpr": 0.3},
    "jA": {"of": "abstention", "tpr": 0.95, "fpr": 0.05},
}
JUDGES = [rat.Judge(column, of=rates["of"]) for column, rates in RATES.items()]


@pytest.fixture(scope="module")
def judged_frame():
    frame = rat.simulate(QWEN, 900, "judge_only", n0=300, judges=RATES, seed=4)
    frame["system"] = np.where(np.arange(len(frame)) % 2 == 0, "a", "b")
    return frame


@pytest.fixture(scope="module")
def judged(judged_frame):
    return rat.fit(judged_frame, judges=JUDGES, seed=1)


def draws(*values):
    """One draw of each."""
    return tuple(np.array([value]) for value in values)


def expected_table(prevalence, tpr, fpr):
    """P(truth, verdict)."""
    return np.array(
        [[(1 - prevalence) * (1 - fpr), (1 - prevalence) * fpr],
         [prevalence * (1 - tpr), prevalence * tpr]]
    )  # fmt: skip


@given(inside, inside, inside)
def test_kappa_of_rates_is_kappa_of_the_table_that_they_make(prevalence, tpr, fpr):
    table = expected_table(prevalence, tpr, fpr)
    (ours,) = cohen_kappa(*draws(prevalence, tpr, fpr))
    assert ours == pytest.approx(kappa_of_table(table), abs=1e-9)


@given(inside, inside, inside)
def test_predictive_values_are_shares_of_a_column_of_the_table(prevalence, tpr, fpr):
    table = expected_table(prevalence, tpr, fpr)
    at = draws(prevalence, tpr, fpr)
    assert positive_predictive_value(*at) == pytest.approx(table[1, 1] / table[:, 1].sum())
    assert negative_predictive_value(*at) == pytest.approx(table[0, 0] / table[:, 0].sum())


@given(inside, inside, inside)
def test_kappa_does_not_care_what_is_called_good(prevalence, tpr, fpr):
    turned = cohen_kappa(*draws(1 - prevalence, 1 - fpr, 1 - tpr))
    assert turned == pytest.approx(cohen_kappa(*draws(prevalence, tpr, fpr)))


def test_what_a_constant_judge_is_asked_in_vain_is_undefined():
    one, zero, half = np.ones(3), np.zeros(3), np.full(3, 0.5)
    assert np.isnan(positive_predictive_value(half, zero, zero)).all()
    assert np.isnan(negative_predictive_value(half, one, one)).all()
    assert np.isnan(cohen_kappa(one, one, one)).all()
    assert (cohen_kappa(half, one, one) == 0).all()


def test_measures_are_made_draw_by_draw(judged):
    """Not at posterior means: PPV of every draw follows from that draw's rates."""
    measures = judge_measures(judged)["jR"]
    p, tpr, fpr = judged["retrieval_success"], judged["tpr[jR]"], judged["fpr[jR]"]
    np.testing.assert_allclose(measures["ppv"], p * tpr / (p * tpr + (1 - p) * fpr))
    np.testing.assert_allclose(measures["youden"], tpr - fpr)
    assert list(measures) == list(MEASURES)


def test_a_judge_of_the_task_is_read_among_answers(judged):
    measures = judge_measures(judged)["jT"]
    p, tpr, fpr = judged["selective_accuracy"], judged["tpr[jT]"], judged["fpr[jT]"]
    np.testing.assert_allclose(measures["ppv"], p * tpr / (p * tpr + (1 - p) * fpr))


def test_a_judge_of_abstention_is_read_on_all_rows(judged):
    measures = judge_measures(judged)["jA"]
    p, tpr, fpr = judged["abstention"], judged["tpr[jA]"], judged["fpr[jA]"]
    np.testing.assert_allclose(measures["kappa"], cohen_kappa(p, tpr, fpr))


def test_with_every_label_the_report_is_that_of_the_table():
    """2,000 rows with labels and verdicts: the shares observed, within a posterior sd."""
    frame = rat.simulate(QWEN, 2000, judges=RATES, seed=9)
    post = rat.fit(frame, judges=JUDGES)
    truths = {"jR": "R", "jT": "T", "jA": "A"}
    for key, column in truths.items():
        rows = frame[[column, key]].dropna().astype(int)
        table = pd.crosstab(rows[column], rows[key]).to_numpy()
        observed = {
            "tpr": table[1, 1] / table[1].sum(),
            "fpr": table[0, 1] / table[0].sum(),
            "ppv": table[1, 1] / table[:, 1].sum(),
            "npv": table[0, 0] / table[:, 0].sum(),
            "kappa": float(kappa_of_table(table)),
        }
        for name, value in observed.items():
            measure = judge_measures(post)[key][name]
            # the prior alone moves the mean by less than one sd here
            assert measure.mean() == pytest.approx(value, abs=measure.std()), (key, name)


def test_rows_are_counted_with_and_without_the_human_label(judged, judged_frame):
    table = judged.judges
    for key, column in (("jR", "R"), ("jT", "T"), ("jA", "A")):
        said = judged_frame[key].notna()
        human = judged_frame[column].notna()
        assert table.loc[key, "n_human"] == (said & human).sum()
        assert table.loc[key, "n_only"] == (said & ~human).sum()
    assert table["n_unknown"].tolist() == [0, 0, 0]


def test_verdicts_that_do_not_decide_are_counted_and_shift_the_prevalence():
    """Silent on three of ten misses and one of ten hits: PPV is read among decisions."""
    frame = rat.simulate(QWEN, 2000, judges={"jR": RATES["jR"]}, seed=6)
    rng = np.random.default_rng(6)
    is_silent = rng.random(len(frame)) < np.where(frame["R"] == 1, 0.1, 0.3)
    frame["jR"] = frame["jR"].astype(object).where(~is_silent, "unsure")
    post = rat.fit(frame, judges=[rat.Judge("jR", of="retrieval", unknown="unsure")])
    row = post.judges.loc["jR"]
    assert row["n_unknown"] == is_silent.sum()
    assert row["n_human"] == (~is_silent).sum()
    decided = frame.loc[~is_silent, ["R", "jR"]].astype(int)
    table = pd.crosstab(decided["R"], decided["jR"]).to_numpy()
    measures = judge_measures(post)["jR"]
    for name, value in (
        ("ppv", table[1, 1] / table[:, 1].sum()),
        ("npv", table[0, 0] / table[:, 0].sum()),
        ("kappa", float(kappa_of_table(table))),
    ):
        assert measures[name].mean() == pytest.approx(value, abs=measures[name].std()), name


def test_the_frame_has_the_columns_of_the_contract(judged):
    table = judged.judges
    assert table.index.tolist() == ["jR", "jT", "jA"]
    assert table.index.name == "judge"
    assert table["of"].tolist() == ["retrieval", "task", "abstention"]
    ends = [c for name in MEASURES for c in (name, f"{name}_lower", f"{name}_upper")]
    worth = ["worth", "worth_task_success", "worth_verdicts", "worth_task_success_verdicts"]
    assert list(table.columns) == ["of", "n_human", "n_only", "n_unknown", *ends, *worth]
    for name in MEASURES:
        assert (table[f"{name}_lower"] < table[name]).all()
        assert (table[name] < table[f"{name}_upper"]).all()
    assert not table.isna().any(axis=None)


def test_intervals_are_those_of_the_summary(judged):
    for how in ({}, {"ci_prob": 0.8, "ci_kind": "hdi"}):
        ours, theirs = judged.judge_summary(**how), judged.summary(**how)
        for key in ours.index:
            for rate in ("tpr", "fpr"):
                row = theirs.loc[f"{rate}[{key}]"]
                assert ours.loc[key, f"{rate}_lower"] == row["lower"]
                assert ours.loc[key, f"{rate}_upper"] == row["upper"]
    assert judged.judge_summary(ci_prob=0.8).attrs == {"ci_prob": 0.8, "ci_kind": "eti"}
    with pytest.raises(ArgumentError, match=r"0\.95"):
        judged.judge_summary(ci_prob=95)


def test_groups_come_before_the_judge_in_the_index(judged_frame):
    posts = rat.fit(judged_frame, judges=JUDGES, by="system", seed=1)
    table = posts.judges
    assert table.index.names == ["system", "judge"]
    assert table.index.tolist() == [(g, j) for g in "ab" for j in RATES]
    alone = posts.sel(system="a").judges
    columns = [c for c in table.columns if not c.startswith("worth")]
    pd.testing.assert_frame_equal(
        table.loc["a", columns], alone[columns], check_names=False, check_dtype=False
    )


def test_without_judges_the_report_is_empty_and_has_its_columns(judged, frame):
    bare = rat.fit(frame, seed=3)
    assert bare.judges.empty
    assert list(bare.judges.columns) == list(judged.judges.columns)
    groups = rat.fit(frame, by="system", seed=3)
    assert groups.judges.empty
    assert groups.judges.index.names == ["system", "judge"]


def test_a_coin_has_no_kappa_and_no_youden():
    coin = {"jR": {"of": "retrieval", "tpr": 0.5, "fpr": 0.5}}
    frame = rat.simulate(QWEN, 1000, judges=coin, seed=2)
    row = rat.fit(frame, judges=[rat.Judge("jR", of="retrieval")]).judges.loc["jR"]
    for name in ("kappa", "youden"):
        assert row[f"{name}_lower"] < 0 < row[f"{name}_upper"]


def test_changing_the_frame_changes_nothing(judged):
    table = judged.judges
    table["kappa"] = -1.0
    assert (judged.judges["kappa"] > 0).all()
