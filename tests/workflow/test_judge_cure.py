"""The widget of judges with what was found of their errors allowed for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from traitlets import TraitError

import rat_widgets as rat
from rat_widgets.figures.judge_text import judge_text
from rat_widgets.views import judge_finding
from rat_widgets.views.judge import JudgeControls, JudgeView
from rat_widgets.views.sentences import plain

THETA = rat.Theta.from_array([0.42, 0.30, 0.06, 0.35, 0.80])


def _table(n: int, n_human: int, *, after_miss: float, copied: float, seed: int) -> pd.DataFrame:
    """A judge "jT" that is lenient after misses, and "jU", which copies its errors at times."""
    frame = rat.simulate(THETA, n=n, seed=seed).astype(float)
    rng = np.random.default_rng([seed, 1])
    right = frame["T"].fillna(0).to_numpy() == 1
    passes = np.where(right, 0.9, np.where(frame["R"] == 1, 0.1, after_miss))
    frame["jT"] = (rng.random(n) < passes).astype(float)
    other = (rng.random(n) < np.where(right, 0.9, 0.15)).astype(float)
    frame["jU"] = np.where(rng.random(n) < copied, frame["jT"], other)
    frame.loc[n_human:, ["R", "T"]] = np.nan
    return frame


JUDGE = rat.Judge("jT", of="task", name="mini")
DEPENDS = _table(900, 300, after_miss=0.55, copied=0.0, seed=3)
PAIR = [rat.Judge("jT", of="task"), rat.Judge("jU", of="task")]
TOGETHER = _table(900, 300, after_miss=0.1, copied=0.6, seed=4)


@pytest.fixture(scope="module")
def widget() -> Any:
    return rat.judges(DEPENDS, judges=[JUDGE])


def _with(widget: Any, **controls: Any) -> JudgeView:
    widget.controls = controls
    return widget.view  # type: ignore[no-any-return]


def test_the_view_has_what_was_found_and_the_judges_that_allow_for_it(widget: Any) -> None:
    view = _with(widget)
    (found,) = view.group.departures
    assert (found.judges, found.kind) == (("mini",), "retrieval")
    assert "wrong answers" in found.text
    assert not any("depend on retrieval" in note.text for note in view.group.notes)
    assert view.cure is not None
    assert view.cure.python == ("rat.Judge('jT', of='task', name='mini', depends_on='retrieval')",)
    assert f"{found.text} {found.advice}" in judge_text(view).replace("\n", " ")


def test_the_cure_is_the_fit_of_the_cured_judges(widget: Any) -> None:
    view = _with(widget, cured=True)
    shown = widget.posterior()
    post = rat.fit(
        DEPENDS, judges=rat.cured([JUDGE], rat.fit(DEPENDS, judges=[JUDGE]).judge_findings)
    )
    for key in ("task_success", "policy_adherence", "retrieval_success"):
        told = view.group.beliefs.joint[key]
        error = 5 * np.hypot(*[p[key].std() / np.sqrt(1000) for p in (shown, post)])
        assert told.value == pytest.approx(shown[key].mean(), abs=error)
        assert shown[key].mean() == pytest.approx(post[key].mean(), abs=error)
    assert shown.counts.judges == post.counts.judges
    assert "fpr_given_miss[mini]" in view.group.rates
    assert [judge.depends_on for judge in view.present] == ["retrieval"]
    assert view.judges[0].depends_on is None


def test_it_says_what_the_cure_changes_and_no_more_that_it_is_needed(widget: Any) -> None:
    before, view = _with(widget), _with(widget, cured=True)
    said = plain(judge_finding.cured(view))
    for key in ("task_success", "policy_adherence"):
        assert view.group.beliefs.joint[key].text in said
        assert view.group.fitted is not None
        assert view.group.fitted[key].text == before.group.beliefs.joint[key].text
    text = judge_text(view).replace("\n", " ")
    assert said in text
    assert "The errors of judge" not in text
    assert JudgeView.from_json(view.to_json()) == view


def test_rates_of_the_cured_judge_are_pinned_and_those_of_the_other_refused(widget: Any) -> None:
    view = _with(widget, cured=True, pins={"fpr_given_miss[mini]": 0.3})
    assert view.group.rates["fpr_given_miss[mini]"].value == 0.3
    assert judge_finding.cured(view) == []
    assert "let errors depend on more than the truth" in plain(view.deck())
    with pytest.raises(TraitError, match=r"'fpr\[mini\]'"):
        widget.controls = {"cured": True, "pins": {"fpr[mini]": 0.3}}
    out = _with(widget, cured=True, left_out=["mini"])
    assert out.group.report == ()
    assert judge_finding.departures(out) == []


def test_new_rows_keep_the_cure_where_they_need_it(widget: Any) -> None:
    own = rat.judges(DEPENDS, judges=[JUDGE], controls={"cured": True})
    own.controls = {"cured": True, "pins": {"fpr_given_miss[mini]": 0.3}}
    own.update(DEPENDS.iloc[:700])
    assert own.controls["cured"] is True
    own.update(_table(300, 100, after_miss=0.1, copied=0.0, seed=9))
    assert JudgeControls.from_dict(own.controls) == JudgeControls()


def test_judges_that_err_together_are_saturated_in_one_click() -> None:
    widget = rat.judges(TOGETHER, judges=PAIR)
    view = _with(widget, cured=True)
    assert [found.kind for found in view.group.departures] == []
    assert {rate for judge in view.present for rate in judge.rates} > {
        "pass_given_miss_wrong[jT]",
        "pass_given_miss_wrong_after_1[jU]",
    }
    alone = _with(widget, cured=True, left_out=["jU"])
    assert "pass_given_miss_wrong[jT]" in alone.group.rates
    assert "jT" in widget.figure().to_json()


def test_well_behaved_judges_have_no_cure() -> None:
    widget = rat.judges(_table(300, 100, after_miss=0.1, copied=0.0, seed=9), judges=[JUDGE])
    assert widget.view.cure is None
    assert widget.view.group.departures == ()
    with pytest.raises(TraitError, match="nothing was found"):
        widget.controls = {"cured": True}


def test_a_move_passes_grades_from_the_level_on_from_which_the_fit_does() -> None:
    frame = DEPENDS.copy()
    rng = np.random.default_rng(8)
    right = rng.random(len(frame)) < np.where(frame["jT"] == 1, 0.8, 0.2)
    frame["g"] = np.where(
        right, rng.choice(4, len(frame), p=[0.1, 0.1, 0.3, 0.5]), rng.choice(4, len(frame))
    )
    widget = rat.judges(frame, judges=[rat.Judge("g", of="task", levels=(0, 1, 2, 3))])
    fitted = _with(widget)
    (cut,) = {judge.cut for judge in fitted.judges}
    assert cut is not None
    # Grades below the top one now speak for nothing: the best cut of these draws would be another.
    pins = {"split_3_given_1[g]": 0.9, "split_3_given_0[g]": 0.05, "split_2_given_1[g]": 0.05}
    view = _with(widget, pins=pins)
    assert widget.posterior().draws.cuts == (cut,)
    for kind, truth in (("tpr", 1), ("fpr", 0)):
        passed = [view.group.rates[f"level_{k}_given_{truth}[g]"].value for k in range(cut, 4)]
        assert view.group.rates[f"{kind}[g]"].value == pytest.approx(sum(map(float, passed)))  # type: ignore[arg-type]
