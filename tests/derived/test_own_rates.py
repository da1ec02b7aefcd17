"""Rates of a shared judge from each system's own labels, in the cases that its errors depend on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets.derived.own_rates import own_rates

THETA = rat.Theta.from_array([0.42, 0.30, 0.06, 0.35, 0.80])
JUDGE = rat.Judge("j", of="task")
FPR = {"a": 0.1, "b": 0.1, "c": 0.5}


def _table(n: int = 400, *, unknown: float = 0.0) -> pd.DataFrame:
    frames = []
    for i, (name, fpr) in enumerate(FPR.items()):
        frame = rat.simulate(THETA, n=n, seed=i).astype(float)
        rng = np.random.default_rng([i, 7])
        frame["j"] = rng.random(n) < np.where(frame["T"] == 1, 0.9, fpr)
        frame["j"] = frame["j"].astype(float).where(rng.random(n) >= unknown, 0.5)
        frames.append(frame.assign(system=name))
    return pd.concat(frames, ignore_index=True)


def _counts(table: pd.DataFrame, judge: rat.Judge = JUDGE) -> list[rat.PatternCounts]:
    counts = rat.Labels.from_frame(table, by="system", judges=[judge]).counts
    return [counts.group(i) for i in range(counts.n_groups)]


@pytest.mark.parametrize(
    ("depends_on", "cases"),
    [
        ("retrieval", {"hit": ("R", 1), "miss": ("R", 0)}),
        ("abstention", {"answered": ("A", 0), "abstained": ("A", 1)}),
    ],
)
@pytest.mark.parametrize("keywords", [{}, {"unknown": 0.5}], ids=["decides", "cannot tell"])
def test_rates_in_each_case_are_the_beta_of_the_rows_in_that_case(depends_on, cases, keywords):
    """Counted by hand, row by row; five standard errors of 4,000 draws."""
    table = _table(unknown=0.1 if keywords else 0.0)
    counts = _counts(table, replace(JUDGE, **keywords))
    judge = replace(counts[0].judges[0], depends_on=depends_on)
    priors = rat.fit(table, by="system", judges=[replace(JUDGE, **keywords)], draws=400).members[0]
    found = own_rates(counts, priors.draws.priors, [0], seed=0, cured=[judge])
    kinds = {key.partition("[")[0] for own in found for key in own}
    assert kinds <= {f"{rate}_given_{case}" for rate in ("tpr", "fpr") for case in cases}
    assert len(kinds) >= 3
    for name, own in zip(FPR, found, strict=True):
        rows = table[(table["system"] == name) & table["T"].notna() & table["j"].isin([0, 1])]
        for key, draws in own.items():
            rate, _, case = key.partition("[")[0].partition("_given_")
            column, value = cases[case]
            inside = rows[(rows[column] == value) & (rows["T"] == (rate == "tpr"))]
            a, b = 1 + inside["j"].sum(), 1 + (1 - inside["j"]).sum()
            mean, error = a / (a + b), np.sqrt(a * b / (a + b + 1)) / (a + b)
            assert draws.mean() == pytest.approx(mean, abs=5 * error / np.sqrt(4000))


def test_without_a_case_they_are_tpr_and_fpr_and_of_judges_that_are_not_asked_none():
    table = _table()
    priors = rat.fit(table, by="system", judges=[JUDGE], draws=400).members[0].draws.priors
    found = own_rates(_counts(table), priors, [0], seed=0)
    assert [set(own) for own in found] == [{"tpr[j]", "fpr[j]"}] * 3
    for fpr, own in zip(FPR.values(), found, strict=True):
        assert own["fpr[j]"].mean() == pytest.approx(fpr, abs=0.15)
    saturated = replace(JUDGE, dependence="saturated")
    again = own_rates(_counts(table), priors, [0], seed=0, cured=[saturated])
    np.testing.assert_array_equal(found[2]["fpr[j]"], again[2]["fpr[j]"])
    assert own_rates(_counts(table), priors, [], seed=0) == [{}, {}, {}]
