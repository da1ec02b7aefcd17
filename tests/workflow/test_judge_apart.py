"""The widget of judges with systems fitted by themselves for which a shared judge differs."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.derived.shared_judges import JudgeDiffers
from rat_widgets.errors import ViewError
from rat_widgets.figures.judge_rows_content import systems_of
from rat_widgets.figures.judge_text import judge_text
from rat_widgets.inference.diagnose import Message
from rat_widgets.judge_refits import JudgeRefits
from rat_widgets.present import judge_identity
from rat_widgets.views import judge_finding
from rat_widgets.views.judge import JudgeDeparture, JudgeMoves, JudgeNoCure, JudgeView
from rat_widgets.views.sentences import plain

from .judged_systems import JUDGES, SYSTEMS, THETA, judged_systems

RATES = ("task_success", "policy_adherence", "tpr[j]", "fpr[j]", "tpr[k]")
ODD = "text-davinci-003_zeroshot"
COLUMNS = {"retrieval": None, "abstention": "A", "task": "T", "by": "system"}


TABLE = judged_systems({"a": 0.1, "b": 0.1, "c": 0.1, "own": 0.6})


@pytest.fixture(scope="module")
def widget() -> Any:
    return rat.judges(TABLE, judges=JUDGES, by="system")


def _with(widget: Any, **controls: Any) -> JudgeView:
    widget.controls = controls
    return widget.view  # type: ignore[no-any-return]


def _differs(*names: str) -> tuple[JudgeDiffers, ...]:
    said = Message("warning", "rates_differ", "It differs.", "Share less.")
    return tuple(JudgeDiffers(judge=0, group=(one,), log_bf=9.0, message=said) for one in names)


POSTS = rat.fit(
    judged_systems(dict.fromkeys(SYSTEMS, 0.1), n=60, n_human=30), judges=JUDGES, by="system"
)


@settings(max_examples=8, deadline=None)
@given(odd=st.sets(st.sampled_from(SYSTEMS), min_size=1))
def test_each_part_is_the_fit_of_its_rows_alone(odd: set[str]) -> None:
    refits = JudgeRefits(posteriors=POSTS.members)
    object.__setattr__(refits, "differs", _differs(*odd))
    object.__setattr__(refits, "wanted_judges", POSTS.members[0].counts.judges)
    assert refits.apart == tuple(i for i, name in enumerate(SYSTEMS) if name in odd)
    found = refits.joint(JudgeMoves(cured=True))
    parts = [[i] for i in refits.apart] + [[i for i, name in enumerate(SYSTEMS) if name not in odd]]
    for part in filter(None, parts):
        counts = [POSTS.members[i].counts.without_answerable() for i in part]
        alone = rat.fit(sum(counts[1:], counts[0]))
        members = alone.members if isinstance(alone, rat.Posteriors) else (alone,)
        for i, post in zip(part, members, strict=True):
            for key in RATES:
                np.testing.assert_array_equal(found[i][key], post[key])


def test_the_view_offers_it_where_the_judge_differs_and_repeats_nothing(widget: Any) -> None:
    view = _with(widget, group="own")
    assert view.cure is not None
    assert view.cure.apart == (3,)
    assert view.cure.judges == view.judges
    assert view.cure.python == ("apart=['own']",)
    (found,) = view.group.departures
    assert (found.judges, found.kind) == (("j",), "system")
    told = "'j' is not the same judge for 'own', with which its rates are shared."
    for other in view.groups[:3]:
        (elsewhere,) = other.departures
        assert (elsewhere.kind, elsewhere.text) == ("systems", told)
        assert elsewhere.advice == found.advice
    text = judge_text(view).replace("\n", " ")
    assert text.count("is not the same judge") == 1
    assert f"{found.text} {found.advice}" in text
    # The line of Python is the same fit.
    post = eval(f"rat.fit(TABLE, judges=JUDGES, by='system', {view.cure.python[0]})")
    shown = _with(widget, group="own", cured=True)
    for group, p in zip(shown.groups, post, strict=True):
        assert group.beliefs.joint["task_success"].lower == pytest.approx(
            p.summary().loc["task_success", "lower"], abs=0.001
        )


def test_no_number_is_vouched_for_until_it_is_allowed_for(widget: Any) -> None:
    doubt = "by a model that "

    def said(**controls: Any) -> str:
        return plain(_with(widget, **controls).headline())

    assert doubt in said(group="own")
    assert "holds up" not in said(group="own")
    assert doubt not in said(group="own", cured=True)
    # That a judge is another one elsewhere is no doubt of its errors here.
    assert doubt not in said(group="a")


def test_a_report_opens_on_the_system_of_which_most_is_to_be_said(tmp_path: Path) -> None:
    posts = rat.fit(TABLE, judges=JUDGES, by="system")

    def shown(**keywords: Any) -> dict[str, int]:
        page = rat.report(posts, tmp_path / "report.html", **keywords).read_text("utf-8")
        found = re.findall(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
        views = [view for view in map(json.loads, found) if "kind" in view]
        return {view["kind"]: view["controls"]["group"] for view in views}

    assert shown() == {"tree": 3, "judge": 3}
    assert shown(controls={"group": "b"}) == {"tree": 1, "judge": 1}


def test_of_many_systems_that_differ_their_number_is_told(widget: Any) -> None:
    post = rat.fit(TABLE, judges=JUDGES, by="system").sel(system="a")
    names = {(name,): name.upper() for name in SYSTEMS}

    def said(*odd: str) -> list[str]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(rat.Posterior, "judges_that_differ", _differs(*odd))
            return [
                one.text
                for one in judge_identity.departures(post, names, is_cured=False)
                if one.kind == "systems"
            ]

    assert said("own") == ["'j' is not the same judge for 'OWN', with which its rates are shared."]
    assert said("own", "b")[0].startswith("'j' is not the same judge for 'OWN' and 'B', with")
    assert said("own", "b", "c")[0].startswith("'j' is not the same judge for 3 systems, with")
    assert said("elsewhere") == []
    assert said("a", "own") == []


def test_it_says_what_the_numbers_go_by_in_each_system(widget: Any) -> None:
    own = plain(judge_finding.cured(_with(widget, group="own", cured=True)))
    assert own.startswith("With this system fitted by itself, P(T) goes from ")
    assert own.endswith(". Nothing more is found with that.")
    other = _with(widget, group="a", cured=True)
    said = plain(judge_finding.cured(other))
    assert said.startswith("Without “own”, for which a judge differs, P(T) ")
    assert said in judge_text(other).replace("\n", " ")
    moved = _with(widget, group="own", cured=True, pins={"fpr[j]": 0.5})
    assert "; you fitted “own” by itself. Against the fit" in plain(moved.deck())
    assert JudgeView.from_json(moved.to_json()) == moved


def test_its_numbers_and_worth_are_those_of_its_rows_alone(widget: Any) -> None:
    shown = _with(widget, group="own", cured=True).group
    alone = rat.judges(TABLE[TABLE["system"] == "own"], judges=JUDGES, by="system").view.group
    for way in ("naive", "humans"):
        assert getattr(shown.beliefs, way) == getattr(alone.beliefs, way)
    for part in ("rates", "densities", "worth", "report"):
        assert getattr(shown, part) == getattr(alone, part)
    rest = rat.judges(TABLE[TABLE["system"] != "own"], judges=JUDGES, by="system").view
    others = _with(widget, group="a", cured=True).groups[:3]
    assert [one.worth for one in others] == [one.worth for one in rest.groups]
    assert [one.rates for one in others] == [one.rates for one in rest.groups]


def test_rates_by_system_are_those_of_the_fits(widget: Any) -> None:
    view = _with(widget, group="own", cured=True)
    for judge in view.shown:
        rows = {row.name: row for row in systems_of(view, judge)}
        for group in view.groups:
            assert rows[group.label].fpr.text == group.rates[f"fpr[{judge.key}]"].text
        assert rows["a"].fpr == rows["b"].fpr
        assert rows["own"].fpr != rows["a"].fpr
    text = judge_text(view)
    assert "By system it passes" in text
    assert "on its rows with a human label, it passes" in judge_text(_with(widget, group="own"))


def test_a_judge_left_out_and_new_rows(widget: Any) -> None:
    out = _with(widget, group="own", left_out=["j"])
    assert judge_finding.departures(out) == []
    moved = rat.judges(TABLE, judges=JUDGES, by="system", controls={"group": "own", "cured": True})
    moved.update(judged_systems(dict.fromkeys(SYSTEMS, 0.1)))
    assert moved.controls["cured"] is False
    moved.update(TABLE[TABLE["system"] != "b"])
    moved.controls = {"cured": True}
    assert moved.view.cure.apart == (2,)


def test_where_there_is_no_cure_the_advice_stays(widget: Any) -> None:
    view = _with(widget, group="own")
    (found,) = view.group.departures
    errors = JudgeDeparture(judges=("j",), kind="retrieval", text="It depends.", advice="Let it.")
    reason = JudgeNoCure(text="No button allows for this.", python="")
    for departures, is_refused in (((found,), False), ((errors, found), True)):
        groups = tuple(replace(group, departures=departures) for group in view.groups)
        without = replace(view, groups=groups, cure=None, no_cure=reason)
        text = judge_text(without).replace("\n", " ")
        assert f"{found.text} {found.advice}" in text
        assert ("No button" in text) is is_refused
        assert "Let it." not in text


def test_alone_in_a_widget_it_is_fitted_by_itself_and_the_others_need_nothing() -> None:
    posts = rat.fit(TABLE, judges=JUDGES, by="system")
    own = rat.judges(posts.sel(system="own"))
    view = _with(own, cured=True)
    assert view.cure is not None
    assert view.cure.apart == (0,)
    assert plain(judge_finding.cured(view)).startswith("With this system fitted by itself")
    assert rat.judges(posts.sel(system=["a", "b"])).view.cure is None


def test_a_cure_is_about_groups_of_the_view(widget: Any) -> None:
    view = _with(widget)
    assert view.cure is not None
    for apart in ((4,), (-1,), (3, 3), (3, 1)):
        with pytest.raises(ViewError, match=r"Positions from 0 to 3, each once, in order"):
            replace(view, cure=replace(view.cure, apart=apart))


def test_where_the_constraint_forbids_the_fit_by_itself_there_is_the_advice() -> None:
    """The judge is worse than a coin for this system, and said to be better."""
    table = judged_systems({"a": 0.1, "b": 0.1, "own": 0.98})
    controls = {"group": "own"}
    widget = rat.judges(table, judges=JUDGES, by="system", constraint="tpr>fpr", controls=controls)
    view = widget.view
    assert view.cure is None
    (found,) = [one for one in view.group.departures if one.kind == "system"]
    assert f"{found.text} {found.advice}" in judge_text(view).replace("\n", " ")


def test_a_fit_that_takes_long_waits_for_the_click(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rat_widgets.judge_refits._CHEAP", 0)
    widget = rat.judges(TABLE, judges=JUDGES, by="system", controls={"group": "own"})
    assert widget.view.cure.groups == ()
    view = _with(widget, group="own", cured=True)
    rows = {row.name: row for row in systems_of(view, view.shown[0])}
    assert rows["own"].fpr.text == view.group.rates["fpr[j]"].text
    assert view.group.departures == ()
    # Rows that speak against what a reader has set are no finding about the judges' errors.
    assert _with(widget, group="a", cured=True, pins={"tpr[k]": 0.2}).group.departures == ()


def test_without_human_labels_a_system_is_not_offered_to_be_fitted_by_itself() -> None:
    """Nothing would show there how often judges are right: the advice is to pool, or to label."""
    table = judged_systems({"a": 0.1, "b": 0.1, "own": 0.75}, n=1500, n_human=300)
    truth = pd.concat([rat.simulate(THETA, n=1500, seed=40 + i)["T"] for i in range(3)]).fillna(0)
    said = np.random.default_rng(3).random(len(table)) < np.where(truth == 1, 0.9, 0.1)
    table["l"] = said.astype(float)
    table.loc[table["system"] == "own", ["R", "T"]] = np.nan
    judges = [*JUDGES, rat.Judge("l", of="task")]
    widget = rat.judges(table, judges=judges, by="system", controls={"group": "own"})
    own = widget.view.group
    assert not [one for one in own.departures if one.kind == "system"]
    notes = [note.text for note in own.notes if "is not the same judge for 'own'" in note.text]
    assert notes
    assert all('share="partial"' in note for note in notes)
    assert all("Label the answer by hand" in note for note in notes)
    assert not any("by itself" in note for note in notes)
    assert {one.kind for one in _with(widget, group="a").group.departures} == {"systems"}
    assert plain(judge_finding.cured(_with(widget, group="a", cured=True))).startswith("Without")
    # What the cure leaves to be found is told: no button is beside that.
    post = rat.fit(table, judges=judges, by="system").sel(system="own")
    left = judge_identity.departures(post, {}, is_cured=True)
    assert {one.kind for one in left} == {"system"}


def test_of_two_systems_there_is_one_other() -> None:
    posts = rat.fit(judged_systems({"a": 0.1, "own": 0.6}), judges=JUDGES, by="system")
    (found,) = posts.judges_that_differ
    assert re.search(r"of the other group's \d+ of \d+\.$", found.message.text)


def test_a_judge_of_its_own_family_is_taken_at_its_own_rates() -> None:
    """The real case of docs/pooling.md, with 100 labels of that reader."""
    few = rat.datasets.load("openqa_nq301").astype({"T": float})
    mine = np.flatnonzero(few["system"] == ODD)
    hidden = np.random.default_rng(1).choice(mine, len(mine) - 100, replace=False)
    people = float(few["T"].iloc[mine].mean())
    few.iloc[hidden, few.columns.get_loc("T")] = np.nan
    judge = rat.Judge("T_davinci3", of="task")
    widget = rat.judges(few, judges=[judge], controls={"group": ODD}, **COLUMNS)
    before, after = widget.view.group, _with(widget, group=ODD, cured=True).group
    assert before.departures[0].kind == "system"
    low, high = before.beliefs.joint["task_success"], after.beliefs.joint["task_success"]
    assert not low.lower <= people <= low.upper
    assert high.lower <= people <= high.upper
