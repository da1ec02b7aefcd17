"""Human labels bought by outcome, by verdict, and at random."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets.derived.naive import human_counts, naive_counts
from rat_widgets.derived.selection import (
    about_rates_only,
    chosen_by_outcome,
    without_outcome_labels,
)
from rat_widgets.model.priors import Priors

THETA = rat.Theta(
    retrieval_success=0.75,
    abstain_given_miss=0.6,
    abstain_given_hit=0.05,
    correct_given_miss=0.25,
    correct_given_hit=0.85,
)
RATES = {
    "jr": {"of": "retrieval", "tpr": 0.9, "fpr": 0.2},
    "jt": {"of": "task", "tpr": 0.9, "fpr": 0.2},
}
JUDGES = [rat.Judge("jr", of="retrieval"), rat.Judge("jt", of="task")]
TRUTH = THETA.worlds()["miss_right"] + THETA.worlds()["hit_right"]


def bought(by, seed=0, n=600):
    """Labels of R and T bought by outcome (mostly of what went wrong) or by verdict."""
    frame = rat.simulate(THETA, n=n, judges=RATES, seed=seed)
    failed = frame["T"] != 1 if by == "outcome" else frame["jt"] == 0
    failed = failed.fillna(by == "outcome").to_numpy(bool)
    rng = np.random.default_rng([seed, 1])
    frame["chosen"] = rng.random(n) < np.where(failed, 0.3, 0.05)
    frame.loc[~frame["chosen"], ["R", "T"]] = None
    return frame


def covers(post):
    lower, upper = np.quantile(post["task_success"], (0.025, 0.975))
    return lower <= TRUTH <= upper


@pytest.mark.parametrize(("by", "selection"), [("outcome", "outcome"), ("verdict", "verdict")])
def test_intervals_cover_when_it_is_said_how_labels_were_bought(by, selection):
    found = [
        covers(rat.fit(bought(by, seed), judges=JUDGES, selection=selection, draws=1000))
        for seed in range(40)
    ]
    # Five standard errors below 95%.
    assert np.mean(found) > 0.95 - 5 * np.sqrt(0.95 * 0.05 / 40)


def test_labels_by_outcome_taken_for_others_do_not_cover():
    found = [
        covers(rat.fit(bought("outcome", seed), judges=JUDGES, draws=1000)) for seed in range(20)
    ]
    assert np.mean(found) < 0.5


def test_the_labels_tell_of_the_rates_and_of_nothing_else():
    """By hand: rates start from the verdicts beside labels, the rest from verdicts alone."""
    frame = bought("outcome")
    post = rat.fit(frame, judges=JUDGES, selection="outcome", seed=4)
    priors = {}
    for judge, label in (("jr", "R"), ("jt", "T")):
        seen = frame[frame[label].notna() & ((label == "R") | (frame["A"] == 0))]
        for name, truth in (("tpr", 1), ("fpr", 0)):
            said = seen.loc[seen[label] == truth, judge]
            priors[f"{name}[{judge}]"] = (1 + int((said == 1).sum()), 1 + int((said == 0).sum()))
    by_hand = rat.fit(frame.assign(R=None, T=None), judges=JUDGES, priors=priors, seed=4)
    assert np.array_equal(post.draws.theta, by_hand.draws.theta)
    assert np.array_equal(post.draws.rates, by_hand.draws.rates)
    assert post.draws.priors == Priors.from_spec(None, tuple(JUDGES))
    assert post.counts.n_rows == 600


def test_a_column_says_which_rows_were_chosen():
    frame = bought("outcome")
    every = rat.fit(frame, judges=JUDGES, selection="outcome")
    same = rat.fit(frame, judges=JUDGES, selection="chosen")
    assert np.array_equal(every["task_success"], same["task_success"])
    nobody = rat.fit(frame.assign(chosen=False), judges=JUDGES, selection="chosen")
    assert np.array_equal(nobody["task_success"], rat.fit(frame, judges=JUDGES)["task_success"])
    half = frame.assign(chosen=frame["chosen"] & (frame.index < 300))
    some = rat.fit(half, judges=JUDGES, selection="chosen")
    assert not np.array_equal(some["task_success"], same["task_success"])


def test_no_row_is_lost_or_doubled():
    counts = rat.Labels.from_frame(bought("outcome"), judges=JUDGES).counts
    chosen = chosen_by_outcome(counts, None, "outcome")
    hidden = without_outcome_labels(counts, chosen)
    assert hidden.n_rows == counts.n_rows
    assert (hidden.patterns[:, [0, 2]] == -1).all()
    prior = Priors.from_spec(None, tuple(JUDGES))
    told = about_rates_only(counts, chosen, prior).to_dict()
    n_labels = sum(sum(told[f"{r}[jr]"]) - 2 for r in ("tpr", "fpr"))
    assert n_labels == counts.counts[0][counts.patterns[:, 0] != -1].sum()


def test_what_is_not_accepted_is_said():
    frame = bought("outcome")
    with pytest.raises(rat.errors.MissingColumnError, match="selection"):
        rat.fit(frame, judges=JUDGES, selection="nobody")
    with pytest.raises(rat.errors.ArgumentError, match="no judge"):
        rat.fit(frame, selection="outcome")
    with pytest.raises(rat.errors.ArgumentTypeError, match="selection"):
        rat.fit(frame, judges=JUDGES, selection=True)
    with pytest.raises(rat.errors.LabelValueError, match="bought by outcome"):
        rat.fit(frame.assign(why="hard"), judges=JUDGES, selection="why")
    counts = rat.Labels.from_frame(frame, judges=JUDGES).counts
    with pytest.raises(rat.errors.ArgumentError, match="no table"):
        rat.fit(counts, selection="chosen")
    with pytest.raises(rat.errors.ArgumentError, match="these_rows"):
        rat.fit(frame, judges=JUDGES, selection="outcome", estimand="these_rows")
    with pytest.raises(rat.errors.ArgumentError, match="widget of judges"):
        rat.judges(frame, judges=JUDGES, selection="outcome")
    with pytest.raises(rat.errors.ArgumentError, match="bought by outcome"):
        rat.optimal_design(frame, judges=JUDGES, selection="outcome", budget=100)
    own = [rat.Judge("jt", of="task", share="group")]
    both = pd.concat([frame.assign(s="a"), frame.assign(s="b")])
    with pytest.raises(rat.errors.ArgumentError, match="each group"):
        rat.fit(both, judges=own, by="s", selection="outcome")


def test_the_tree_brings_its_draws_and_the_diagnosis_knows_the_anchors():
    post = rat.fit(bought("outcome"), judges=JUDGES, selection="outcome")
    assert "not_anchored" not in post.diagnosis.codes
    assert rat.tree(post).view.groups[0].draws is not None
    assert post.judges.loc["jt", "n_human"] > 0
    assert post.selection == "outcome"


def test_a_graded_and_a_dependent_judge_take_the_same_labels_as_by_hand():
    """Splits of a dependent judge by truth and R; of levels, from the top one down."""
    frame = bought("outcome", 3)
    rng = np.random.default_rng(3)
    frame["level"] = np.clip(frame["jt"] + rng.integers(0, 2, len(frame)), 0, 2)
    judges = (
        rat.Judge("jt", of="task", depends_on="retrieval"),
        rat.Judge("level", of="task", levels=(0, 1, 2)),
    )
    counts = rat.Labels.from_frame(frame, judges=judges).counts
    prior = Priors.from_spec(None, judges)
    told = about_rates_only(counts, chosen_by_outcome(counts, None, "outcome"), prior).to_dict()
    before = prior.to_dict()
    seen = frame[frame["T"].notna() & (frame["A"] == 0)]
    for t, rate in ((1, "tpr"), (0, "fpr")):
        for r, where in ((0, "miss"), (1, "hit")):
            name = f"{rate}_given_{where}[jt]"
            said = seen.loc[(seen["T"] == t) & (seen["R"] == r), "jt"]
            gained = np.subtract(told[name], before[name])
            assert gained.tolist() == [(said == 1).sum(), (said == 0).sum()]
    splits = [name for name in told if name.endswith("[level]")]
    # Each row with T takes one split at level 2 and, below it, one more.
    gained = sum(sum(told[name]) - sum(before[name]) for name in splits)
    assert gained == len(seen) + (seen["level"] < 2).sum()


def test_a_dependent_judge_is_calibrated_by_labels_that_were_bought_by_outcome():
    found = []
    for seed in range(30):
        frame = rat.simulate(THETA, n=1500, judges=RATES, seed=seed)
        rng = np.random.default_rng([seed, 2])
        lenient = (frame["R"] == 0) & (frame["T"] == 0) & (rng.random(1500) < 0.5)
        frame["jt"] = frame["jt"].mask(lenient & (frame["A"] == 0), 1)
        failed = (frame["T"] != 1).fillna(True).to_numpy(bool)
        chosen = rng.random(1500) < np.where(failed, 0.4, 0.1)
        frame.loc[~chosen, ["R", "T"]] = None
        judge = rat.Judge("jt", of="task", depends_on="retrieval")
        post = rat.fit(frame, judges=[JUDGES[0], judge], selection="outcome", draws=1000)
        found.append(covers(post))
    # Four standard errors below 95%.
    assert np.mean(found) > 0.95 - 4 * np.sqrt(0.95 * 0.05 / 30)


def _bought_with_grades(levels=None):
    frame = bought("outcome", 3).astype(float)
    rng = np.random.default_rng(3)
    frame["g"] = np.where(frame["jt"] == 1, rng.integers(1, 4, len(frame)), rng.integers(0, 3))
    if levels:
        frame["R"] = np.where(frame["R"] == 0, rng.integers(0, levels - 1, len(frame)), frame["R"])
        frame.loc[frame["R"] == 1, "R"] = levels - 1
        frame.loc[~frame["chosen"].astype(bool), "R"] = None
    return frame


@pytest.mark.parametrize("of", ["task", "retrieval"])
@pytest.mark.parametrize("n_levels", [None, 3, 4])
def test_grades_above_two_and_levels_above_one_are_anchors_too(of, n_levels):
    frame = _bought_with_grades(n_levels)
    post = rat.fit(
        frame,
        judges=[rat.Judge("g", of=of, levels=(0, 1, 2, 3))],
        retrieval_levels=n_levels and tuple(range(n_levels)),
        selection="outcome",
        draws=400,
    )
    assert np.isfinite(post["tpr[g]"]).all()
    if of == "task":
        assert "not_anchored" not in post.diagnosis.codes


@pytest.mark.parametrize("all_labelled", [True, False])
@pytest.mark.parametrize("selection", ["outcome", "chosen"])
def test_copies_of_rows_in_clusters_say_what_one_of_each_says(all_labelled, selection):
    frame = bought("outcome", 5, n=300)
    if all_labelled:
        frame = frame[frame["chosen"]]
    frame["c"] = np.arange(len(frame))
    copies = frame.loc[frame.index.repeat(4)]
    once = rat.fit(frame, judges=JUDGES, selection=selection)
    often = rat.fit(copies, judges=JUDGES, selection=selection, cluster="c")
    for key in ("task_success", "tpr[jt]", "fpr[jr]"):
        one, other = once[key], often[key]
        assert other.std() == pytest.approx(one.std(), rel=0.1)
        assert other.mean() == pytest.approx(one.mean(), abs=0.2 * one.std())


def test_whether_labelled_rows_were_chosen_by_a_is_not_told_by_copies():
    patterns = [[1, 1, -1, -1], [1, 0, 1, -1], [-1, 1, -1, -1], [-1, 0, -1, -1]]
    rows = np.array([[30, 70, 40, 160]])
    once = rat.PatternCounts(patterns=np.array(patterns), counts=rows)
    often = replace(once, counts=once.counts * 9, deff=np.array([[9.0, 9.0]]))
    assert human_counts(once).n_rows == 100
    assert human_counts(often).n_rows == 900


def test_rows_in_clusters_are_worth_the_same_with_labels_hidden():
    frame = bought("outcome", 5, n=300)
    counts = rat.Labels.from_frame(frame, judges=JUDGES).counts
    counts = replace(counts, deff=np.array([[2.0, 9.0]]))
    chosen = chosen_by_outcome(counts, None, "outcome")
    told = without_outcome_labels(counts, chosen)
    assert told.effective.sum() == pytest.approx(counts.effective.sum())
    assert naive_counts(counts).effective.sum() == pytest.approx(counts.effective.sum())
