"""The widget of judges with what was found of their errors allowed for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from traitlets import TraitError

import rat_widgets as rat
from rat_widgets.figures.judge_rows_content import systems_of
from rat_widgets.figures.judge_text import judge_text
from rat_widgets.judge_refits import JudgeRefits
from rat_widgets.model.emissions import emissions_of
from rat_widgets.present.judge_identity import no_cure
from rat_widgets.views import judge_finding
from rat_widgets.views.judge import JudgeControls, JudgeView
from rat_widgets.views.judge_words import UNPOOLED
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


def _systems(**keywords: Any) -> Any:
    """Three systems, of which the judge is another instrument for the last one."""
    frames = []
    for i, name in enumerate(("one", "two", "three")):
        frame = _table(500, 200, after_miss=0.6, copied=0.0, seed=20 + i)
        if name == "three":
            rng = np.random.default_rng(5)
            frame["jT"] = np.where(rng.random(500) < 0.6, 1.0, frame["jT"])
        frames.append(frame.assign(system=name))
    judge = rat.Judge("jT", of="task", **keywords)
    return rat.judges(pd.concat(frames, ignore_index=True), judges=[judge], by="system")


def test_with_the_cure_rates_by_system_are_those_of_the_fit_with_it() -> None:
    widget = _systems(share="group")
    base, view = _with(widget), _with(widget, cured=True)
    assert base.cure is not None
    assert len(base.cure.groups) == 3
    for before, after in zip(base.cure.groups, view.groups, strict=True):
        kinds = {"tpr", "fpr", *(f"{k}_given_{c}" for k in ("tpr", "fpr") for c in ("hit", "miss"))}
        assert set(before.rates) == {f"{kind}[jT]" for kind in kinds}
        for key, told in before.rates.items():
            assert told.text == after.rates[key].text
    rows = systems_of(view, view.shown[0])
    assert [row.case for row in rows[::3]] == [
        "where retrieval failed",
        "where retrieval succeeded",
    ]
    assert [row.name for row in rows[:3]] == [row.name for row in rows[3:]]
    assert rows[2].name == "three"
    text = judge_text(view)
    assert text.count("where retrieval failed:") == 1
    for row in rows:
        assert f"{row.name}: {row.said}" in text
    assert "where retrieval failed" in widget.figure().to_json()


def test_of_a_shared_judge_that_differs_they_are_of_that_fit_too_in_each_case() -> None:
    widget = _systems()
    base, view = _with(widget), _with(widget, cured=True)
    assert base.cure is not None
    assert base.cure.apart == (1,)
    rows = systems_of(view, view.shown[0])
    assert len(rows) == 6
    miss = {row.name: row.fpr for row in rows[:3]}
    assert miss["one"] == miss["two"] != miss["three"]
    for group, own, after in zip(base.groups, base.cure.groups, view.groups, strict=True):
        assert miss[group.label] == own.rates["fpr_given_miss[jT]"]
        assert miss[group.label].text == after.rates["fpr_given_miss[jT]"].text
        low, high = own.rates["fpr_given_hit[jT]"], own.rates["fpr_given_miss[jT]"]
        assert low.value < group.own["fpr[jT]"].value < high.value  # type: ignore[index,operator]
    assert JudgeView.from_json(base.to_json()) == base


def test_nothing_more_is_found_with_the_cure_and_the_page_says_what_the_check_says(
    widget: Any,
) -> None:
    base, view = _with(widget), _with(widget, cured=True)
    assert base.cure is not None
    assert base.cure.groups[0].departures == ()
    assert widget.posterior().judge_findings == ()
    assert plain(judge_finding.cured(view)).endswith(". Nothing more is found with that.")
    moved = _with(widget, cured=True, pins={"fpr_given_miss[mini]": 0.3})
    assert "Nothing more" not in judge_text(moved)


def test_what_a_reader_sets_is_not_checked_but_what_was_fitted(widget: Any) -> None:
    base = _with(widget)
    moved = _with(widget, pins={"tpr[mini]": 0.2, "fpr[mini]": 0.9})
    assert moved.group.departures == base.group.departures
    cured = _with(widget, cured=True, pins={"tpr_given_hit[mini]": 0.1})
    assert cured.group.departures == ()


def test_what_is_left_with_the_cure_is_said_with_its_own_cure() -> None:
    """A judge of retrieval that is fooled by right answers, and by those who decline."""
    frame = rat.simulate(THETA, n=2500, seed=5).astype(float)
    rng = np.random.default_rng(5)
    miss, right = frame["R"] == 0, frame["T"] == 1
    passes = np.where(miss, 0.1 + 0.4 * right + 0.5 * (frame["A"] == 1), 0.85)
    frame["jR"] = (rng.random(2500) < passes).astype(float)
    frame.loc[500:, ["R", "T"]] = np.nan
    own = rat.judges(frame, judges=[rat.Judge("jR", of="retrieval")])
    view = own.view
    assert [found.kind for found in view.group.departures] in (["task"], ["abstention"])
    (left,) = view.cure.groups[0].departures
    assert left.kind == "saturated"
    shown = _with(own, cured=True)
    assert shown.group.departures == (left,)
    text = judge_text(shown).replace("\n", " ")
    assert "Nothing more" not in text
    assert f"{left.text} {left.advice}" in text


EIGHT = [rat.Judge(f"j{i}", of="task") for i in range(8)]


def _copies(seed: int = 0, fpr: float | None = None) -> pd.DataFrame:
    """Eight judges that copy one another: 384 rates for seven, 768 for the eighth."""
    n, rng = 600, np.random.default_rng(3 + seed)
    frame = rat.simulate(THETA, n=n, seed=8 + seed).astype(float)
    right = frame["T"].fillna(0).to_numpy() == 1
    luck = rng.random(n)
    for i, judge in enumerate(EIGHT):
        same = rng.random(n) < 0.8
        usual = 0.12 + 0.02 * i
        odd = usual if fpr is None or i else np.where(right, usual, fpr)
        wrong = np.where(same, luck, rng.random(n)) < odd
        frame[judge.column] = (right != wrong).astype(float)
    frame.loc[200:, ["R", "T"]] = np.nan
    return frame


def test_judges_with_more_rates_than_can_be_fitted_have_no_button_but_the_reason() -> None:
    view = rat.judges(_copies(), judges=EIGHT, draws=400).view
    assert view.cure is None
    assert view.no_cure is not None
    assert "768 rates" in view.no_cure.text
    assert "up to 400 rates can be fitted. 7 of the 8 judges" in view.no_cure.text
    kept = eval(view.no_cure.python, {"rat": rat})
    assert [judge.name for judge in kept] == [judge.name for judge in EIGHT[:7]]  # not the worst
    assert {judge.dependence for judge in kept} == {"saturated"}
    emissions_of(tuple(kept))
    text = judge_text(view).replace("\n", " ")
    assert view.no_cure.text in text
    assert JudgeView.from_json(view.to_json()) == view


def test_a_system_can_be_fitted_by_itself_where_errors_have_more_rates_than_can_be_fitted() -> None:
    frames = [_copies(i, fpr=0.7 if i == 2 else None).assign(system=f"s{i}") for i in range(3)]
    many = rat.judges(pd.concat(frames), judges=EIGHT, by="system", draws=400)
    view = many.view
    assert view.no_cure is not None
    assert view.cure is not None
    assert view.cure.judges == view.judges
    assert 2 in view.cure.apart
    shown = _with(many, group="s2", cured=True)
    assert {found.kind for found in shown.group.departures} == {"together"}
    assert shown.group.rates["fpr[j0]"].value == pytest.approx(0.7, abs=0.1)
    text = judge_text(shown).replace("\n", " ")
    assert "With this system fitted by itself" in text
    assert f"{view.no_cure.text} {view.no_cure.python}" in text


def test_where_not_even_one_judge_can_have_the_cure_there_is_no_python() -> None:
    levels = tuple(map(str, range(20)))
    alone = (rat.Judge("g", of="retrieval", levels=levels, dependence="saturated"),)
    with pytest.raises(rat.RatError) as found:
        emissions_of(alone, levels)
    told = no_cure(str(found.value), [], 1)
    assert "1,140 rates" in told.text
    assert told.text.endswith("up to 400 rates can be fitted.")
    assert told.python == ""


def test_a_cure_that_takes_long_is_not_fitted_beforehand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rat_widgets.judge_refits._CHEAP", 0)
    monkeypatch.setattr(JudgeRefits, "joint", _only_the_fit)
    view = rat.judges(DEPENDS, judges=[JUDGE]).view
    assert view.cure is not None
    assert view.cure.groups == ()


def test_a_cure_of_many_systems_takes_longer_than_that_of_one() -> None:
    one = JudgeRefits(posteriors=(rat.fit(DEPENDS, judges=[JUDGE]),))
    many = JudgeRefits(posteriors=one.posteriors * 200)
    assert one.is_cure_cheap
    assert not many.is_cure_cheap


def _only_the_fit(refits: JudgeRefits, moves: Any) -> Any:
    assert moves is None
    return refits.posteriors


def test_under_a_move_systems_are_pooled_no_more_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As in the browser: a fit of every system by itself. The pooled fit here is no real one."""
    table = pd.concat(
        [_table(300, 120, after_miss=0.1, copied=0.0, seed=s).assign(system=str(s)) for s in (1, 2)]
    )
    judge = rat.Judge("jT", of="task", share="group")
    fitted = rat.fit(table, by="system", judges=[judge])
    pooled = tuple(_pooled(member) for member in fitted)
    monkeypatch.setattr("rat_widgets.inference.pooled.draw", _no_pooling)
    widget = rat.judges(rat.Posteriors(pooled))
    still = _with(widget)
    assert not any(note.text == UNPOOLED for note in still.group.notes)
    assert [note.text for note in still.under_moves] == [UNPOOLED]
    pins = {"fpr[jT]": 0.1}
    moved = _with(widget, pins=pins)
    assert [note.level for note in moved.group.notes if note.text == UNPOOLED] == ["info"]
    alone = rat.judges(fitted, controls={"pins": pins}).view
    assert moved.group.beliefs.joint == alone.group.beliefs.joint
    assert alone.under_moves == ()
    assert UNPOOLED in judge_text(moved).replace("\n", " ")


def _no_pooling(*_: Any, **__: Any) -> Any:
    raise AssertionError


def _pooled(member: rat.Posterior) -> rat.Posterior:
    judges = tuple(replace(judge, share="partial") for judge in member.counts.judges)
    counts = replace(member.draws.counts, judges=judges)
    return replace(member, draws=replace(member.draws, counts=counts))
