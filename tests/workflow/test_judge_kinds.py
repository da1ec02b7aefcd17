"""Graded, dependent and saturated judges through the whole chain."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets.errors import LabelValueError, RatError
from rat_widgets.model.verdicts import best_cut
from rat_widgets.present.report import judge_measures
from rat_widgets.views.judge_assumption import assumption
from rat_widgets.views.judge_lines import hundredths
from rat_widgets.views.sentences import plain

THETA = rat.Theta(
    retrieval_success=0.6,
    abstain_given_miss=0.4,
    abstain_given_hit=0.05,
    correct_given_miss=0.3,
    correct_given_hit=0.8,
)
SPECS = {
    "a": {"of": "task", "tpr": 0.9, "fpr": 0.2},
    "b": {"of": "task", "tpr": 0.9, "fpr": 0.3},
    "jT": {
        "of": "task",
        "depends_on": "retrieval",
        "tpr": {"hit": 0.9, "miss": 0.8},
        "fpr": {"hit": 0.1, "miss": 0.5},
    },
    "jR": {
        "of": "retrieval",
        "levels": (0, 1, 2, 3),
        "given_1": (0.05, 0.1, 0.2, 0.65),
        "given_0": (0.3, 0.4, 0.2, 0.1),
    },
}
DEPENDENT = rat.Judge("jT", of="task", depends_on="retrieval")
GRADED = rat.Judge("jR", of="retrieval", levels=(0, 1, 2, 3))
SATURATED = [rat.Judge(name, of="task", dependence="saturated") for name in ("a", "b")]


@pytest.fixture(scope="module")
def frame():
    df = rat.simulate(THETA, 600, judges=SPECS, seed=4)
    df.loc[150:, ["R", "T"]] = None
    return df


def test_a_reader_moves_the_rates_of_a_dependent_judge(frame):
    w = rat.judges(frame, judges=[DEPENDENT, GRADED])
    w.controls = {"pins": {"fpr_given_miss[jT]": 0.9}}
    pinned = w.posterior()["fpr_given_miss[jT]"]
    assert np.all(pinned == 0.9)
    w.controls = {"left_out": ["jR"]}
    assert w.posterior().judges.index.tolist() == ["jT"]


def test_a_saturated_judge_stays_when_the_one_before_it_is_left_out(frame):
    w = rat.judges(frame, judges=SATURATED)
    w.controls = {"left_out": ["a"]}
    alone = rat.fit(frame, judges=SATURATED[1:])
    ours, theirs = w.posterior()["task_success"], alone["task_success"]
    assert ours.mean() == pytest.approx(theirs.mean(), abs=0.005)


def test_the_view_without_a_judge_whose_verdicts_others_go_by(frame):
    w = rat.judges(frame, judges=SATURATED)
    w.controls = {"left_out": ["a"]}
    view, alone = w.view, rat.judges(frame, judges=SATURATED[1:]).view
    assert view.moves.left_out == ("a",)
    assert [judge.key for judge in view.present] == ["b"]
    for rate in ("tpr[b]", "fpr[b]", "pass_given_hit_right[b]"):
        ours, theirs = (shown.group.rates[rate].value for shown in (view, alone))
        assert ours == pytest.approx(theirs, abs=0.01)
    assert type(view).from_json(view.to_json()) == view
    told = [row[0] for row in judge_measures(view)]
    assert told[:2] == ["tpr[b]", "fpr[b]"]
    assert not any("_after_" in name for name in told)
    assert assumption(view) == assumption(alone)


def test_what_is_assumed_of_judges_is_of_those_that_take_part(frame):
    w = rat.judges(frame, judges=[DEPENDENT, GRADED])
    assert "errors of \N{LEFT DOUBLE QUOTATION MARK}jT" in assumption(w.view)
    w.controls = {"left_out": ["jT"]}
    plain_one = "the judge's errors are taken as independent of everything else"
    assert assumption(w.view) == f"Given the truth, {plain_one}."
    w.controls = {"left_out": ["jT", "jR"]}
    assert "errors of \N{LEFT DOUBLE QUOTATION MARK}jT" in assumption(w.view)


def test_the_view_tells_grades_and_has_no_sliders_for_their_splits(frame):
    view = rat.judges(frame, judges=[GRADED]).view
    assert view.judges[0].sliders == ()
    assert view.judges[0].levels == ("0", "1", "2", "3")
    told = view.groups[0].rates
    total = sum(told[f"level_{level}_given_1[jR]"].value for level in range(4))
    assert total == pytest.approx(1, abs=1e-4)
    assert type(view).from_json(view.to_json()) == view


def test_the_headline_says_which_grades_are_a_yes(frame):
    view = rat.judges(frame, judges=GRADED).view
    assert plain(view.headline()).startswith("Counting 3 of 0\N{EN DASH}3 as a yes, the judge")
    lower = replace(view, judges=(replace(view.judges[0], cut=2),))
    said = "Counting 2 or better of 0\N{EN DASH}3 as a yes, "
    assert plain(lower.headline()).startswith(said)
    named = replace(lower.judges[0], levels=("poor", "fair", "good", "best"))
    assert named.passing == "good or better"
    assert "Counting" not in plain(rat.judges(frame, judges=DEPENDENT).view.headline())


@pytest.mark.parametrize("share", ["all", "group"])
def test_one_cut_is_for_verdicts_at_their_word_and_for_rates(frame, share):
    lower = frame.assign(jR=(frame["jR"].astype(int) - 1).clip(lower=0))
    table = pd.concat([frame.assign(system="a"), lower.assign(system="b")], ignore_index=True)
    w = rat.judges(table, judges=replace(GRADED, share=share), by="system")
    (judge,) = w.view.judges
    for g, group in enumerate(w.view.groups):
        at_cut = sum(group.rates[f"level_{k}_given_1[jR]"].value for k in range(judge.cut, 4))
        assert group.rates["tpr[jR]"].value == pytest.approx(at_cut, abs=1e-4)
        w.controls = {"group": g}
        assert w.rows("passed")["jR"].astype(int).min() == judge.cut
        own = table[table["system"] == group.label]
        word = own["R"].astype(float).fillna((own["jR"] >= judge.cut).astype(float)).mean()
        told = group.beliefs.naive["retrieval_success"].value
        assert told == pytest.approx(word, abs=0.005)  # the prior and Monte Carlo error


def test_as_many_grades_as_levels_of_r_are_told_by_the_top_one():
    df = rat.datasets.load("llmjudge_r").sample(1200, random_state=1)
    df["people"] = df["R"].where(np.arange(1200) < 200)
    grades = (0, 1, 2, 3)
    judge = rat.Judge("willia-umbrela1", of="retrieval", levels=grades)
    how = {"retrieval": "people", "abstention": None, "task": None, "retrieval_levels": grades}
    w = rat.judges(df, judges=judge, **how)
    view = w.view
    missed = 1 - view.group.rates["level_3_given_1[willia-umbrela1]"].value
    assert plain(view.headline()).startswith("Counting 3 of 0\N{EN DASH}3 as a yes, the judge")
    assert plain(view.deck()).startswith(f"Of 100 hits it fails {hundredths(missed)}. ")
    assert view.judges[0].cut == 3
    assert view.group.rates["tpr[willia-umbrela1]"].value == pytest.approx(1 - missed, abs=1e-4)
    assert set(w.rows("passed")["willia-umbrela1"]) == {3}
    draws = rat.fit(df, judges=judge, **how).draws
    rates, (cut,) = draws.verdict_rates[0], draws.cuts
    assert cut == 3
    assert best_cut(rates) < 3  # a lower grade tells better here, so that the two are apart


def test_a_report_tells_the_share_of_each_grade(frame):
    view = rat.judges(frame, judges=GRADED).view
    rows = {key: (text, seen) for key, text, seen in judge_measures(view)}
    assert list(rows)[:2] == ["tpr[jR]", "fpr[jR]"]
    assert rows["tpr[jR]"][1].startswith("graded 3 of 0\N{EN DASH}3; ")
    assert not any(key.startswith("split_") for key in rows)
    for truth in (1, 0):
        for level in range(4):
            key = f"level_{level}_given_{truth}[jR]"
            assert rows[key][0] == view.group.rates[key].text


def test_plans_name_strata_by_grade(frame):
    design = rat.optimal_design(frame, budget=100, judges=[GRADED])
    assert "jR=3" in design._repr_html_()


def test_the_data_report_counts_by_grade(frame):
    report = str(rat.Labels.from_frame(frame, judges=[GRADED]).check())
    assert all(f"{level} {n:,}" in report for level, n in frame["jR"].value_counts().items())


def test_a_score_outside_0_to_1_is_named_with_its_row(frame):
    scored = frame.assign(score=np.r_[1.2, np.linspace(0, 1, 599)])
    with pytest.raises(LabelValueError, match=r"1\.2 in 1 row \(row 0") as found:
        rat.fit(scored, judges=[rat.Judge("score", of="task", cuts=(0.5,))])
    assert "divide scores" in str(found.value)


def test_grades_are_the_same_as_scores_that_are_cut_there(frame):
    scores = frame.assign(score=frame["jR"].astype(float) / 3)
    cut = rat.Judge("score", of="retrieval", cuts=(0.2, 0.5, 0.9))
    one, other = rat.fit(frame, judges=[GRADED]), rat.fit(scores, judges=[cut])
    np.testing.assert_array_equal(one["task_success"], other["task_success"])


def test_a_grade_that_nobody_gave_has_next_to_no_probability(frame):
    five = rat.Judge("jR", of="retrieval", levels=(0, 1, 2, 3, 4))
    post = rat.fit(frame, judges=[five])
    assert post["level_4_given_1[jR]"].mean() < 0.01
    assert post.diagnosis.ok


def test_the_order_of_grades_holds_in_every_draw(frame):
    few = frame.iloc[100:170]
    post = rat.fit(
        few, judges=[rat.Judge("jR", of="retrieval", levels=(0, 1, 2, 3), monotone=True)]
    )
    rates = post.draws.verdict_rates[0]
    ratio = rates.given_1 / rates.given_0
    assert np.all(np.diff(ratio, axis=-1) >= -1e-9 * ratio[..., 1:])
    assert "monotone" in post.diagnosis.codes


def test_a_dependence_on_what_nobody_saw_is_said_to_be_open(frame):
    post = rat.fit(frame.assign(R=None), judges=[DEPENDENT])
    assert "not_identified" in post.diagnosis.codes
    assert np.isfinite(post["task_success"]).all()


def test_nuts_agrees_with_hmc_on_a_graded_and_a_dependent_judge(frame):
    one = rat.fit(frame, judges=[DEPENDENT, GRADED], seed=1)
    other = rat.fit(frame, judges=[DEPENDENT, GRADED], engine="nuts", draws=2000, seed=2)
    ours, theirs = one.summary(), other.summary()
    for key in ("task_success", "policy_adherence", "fpr_given_miss[jT]", "level_3_given_0[jR]"):
        error = np.hypot(ours.loc[key, "mcse"], theirs.loc[key, "mcse"])
        assert abs(ours.loc[key, "mean"] - theirs.loc[key, "mean"]) < 4 * error


def test_p_of_r_of_several_levels_is_that_of_the_top_one_in_the_widget():
    """`llmjudge_r`, people's grades on 150 pairs: it was that of the lowest level."""
    df = rat.datasets.load("llmjudge_r")
    labelled = df.sample(150, random_state=1).index
    df["people"] = df["R"].where(df.index.isin(labelled))
    grades = (0, 1, 2, 3)
    widget = rat.judges(
        df,
        retrieval="people",
        abstention=None,
        task=None,
        retrieval_levels=grades,
        judges=rat.Judge("willia-umbrela1", of="retrieval", levels=grades),
        draws=1000,
    )
    beliefs = widget.view.group.beliefs
    n_top = int((df.loc[labelled, "R"] == 3).sum())
    # a flat Dirichlet: one label more of each level
    assert beliefs.humans["retrieval_success"].value == pytest.approx((n_top + 1) / 154, abs=0.005)
    taken = df["people"].fillna(df["willia-umbrela1"])
    assert beliefs.naive["retrieval_success"].value == pytest.approx((taken == 3).mean(), abs=0.005)
    assert abs(beliefs.joint["retrieval_success"].value - (df["R"] == 3).mean()) < 0.04


def test_a_grade_passes_from_the_cut_on_among_rows_too(frame):
    w = rat.judges(frame, judges=[GRADED])
    cut = w.posterior().draws.cuts[0]
    assert sorted(w.rows("passed")["jR"].unique()) == list(range(cut, 4))
    assert sorted(w.rows("failed")["jR"].unique()) == list(range(cut))
    wrong = w.rows("disagrees")
    assert len(wrong) > 0
    assert ((wrong["jR"] >= cut) != (wrong["R"] == 1)).all()


def test_a_judge_of_graded_retrieval_contradicts_people_below_the_top_level(frame):
    rows = frame.assign(R=frame["R"].map({0: 1, 1: 2}))
    rows["v"] = 1
    w = rat.judges(
        rows, judges=[rat.Judge("v", of="retrieval")], retrieval_levels=("none", "some", "all")
    )
    assert (w.rows("disagrees")["R"] == 1).all()
    assert len(w.rows("disagrees")) == (rows["R"] == 1).sum()


@pytest.mark.parametrize("how", [{}, {"depends_on": "retrieval"}, {"dependence": "saturated"}])
def test_a_judge_of_two_grades_has_a_widget(frame, how):
    rows = frame.assign(w=frame["a"].map({1: "good", 0: "bad"}))
    graded = rat.Judge("w", of="task", levels=("bad", "good"), **how)
    post = rat.fit(rows, judges=[graded])
    assert np.allclose(post["level_good_given_1[w]"], post["tpr[w]"])
    plain = rat.judges(rows, judges=[rat.Judge("a", of="task", **how)]).view.group.beliefs.joint
    ours = rat.judges(post).view.group.beliefs.joint
    for quantity, spread in plain.items():
        assert ours[quantity].value == pytest.approx(spread.value, abs=0.01)


def test_a_level_of_retrieval_with_a_bracket_names_no_rate(frame):
    rows = frame.assign(R=frame["R"].map({0: "[0, 1)", 1: "all"}))
    levels = ("[0, 1)", "some", "all")
    assert rat.fit(rows, retrieval_levels=levels, judges=[rat.Judge("a", of="task")]) is not None
    with pytest.raises(RatError, match="Levels without the character"):
        rat.fit(rows, retrieval_levels=levels, judges=[GRADED])


@pytest.mark.parametrize("judges", [SATURATED, [GRADED]], ids=["saturated", "graded"])
def test_a_pinned_rate_without_words_of_its_own_is_told_by_its_name(frame, judges):
    w = rat.judges(frame, judges=judges)
    rate = w.view.judges[0].rates[0]
    w.controls = {"pins": {rate: 0.4}}
    kind = rate.partition("[")[0]
    assert f"the rate {kind}" in str(w.figure().to_json())
