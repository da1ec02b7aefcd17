"""What is told of moves: by whose rate, and whether they change anything; what worth is called."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets.present.report import judge_measures
from rat_widgets.views.judge_lines import worth_text
from rat_widgets.views.sentences import plain

from .judge_tables import JUDGES, OF_T, judged_table

TABLE = judged_table()
POST = rat.fit(TABLE, judges=JUDGES, draws=4000)


def view_of(**controls: Any) -> Any:
    return rat.judges(POST, controls=controls).view


@pytest.fixture(scope="module")
def few() -> Any:
    """GPT-4 on openqa_nq301, T by people on a few rows and R on none: P(R) and P(G) stay open."""
    df = rat.datasets.load("openqa_nq301")
    labelled = np.random.default_rng(0).random(len(df)) < 0.06
    table = df.assign(T=df["T"].where(labelled))
    judge = rat.Judge("T_gpt4", of="task", name="gpt-4")
    return rat.judges(table, retrieval=None, judges=judge, seed=1)


def test_a_pin_at_its_own_value_changes_nothing_that_noise_does_not(few: Any) -> None:
    before = few.view.group
    few.controls = {"pins": {"fpr[gpt-4]": 0.18}}
    after = few.view.group
    for key in ("retrieval_success", "policy_adherence"):
        assert after.beliefs.joint[key].value == before.beliefs.joint[key].value
    assert after.errors == before.errors
    assert plain(few.view.deck()).endswith("P(R) ±0, P(T) ±0, P(G) ±0 points.")


def test_errors_of_the_fit_are_those_of_its_summary() -> None:
    summary = POST.summary()
    for key, error in view_of().group.errors.items():
        assert error == pytest.approx(summary.loc[key, "mcse"], abs=1e-5)


def test_what_a_move_does_is_still_told() -> None:
    view = view_of(pins={"fpr[lenient]": 0.45})
    found = rat.judges(POST, controls={"pins": {"fpr[lenient]": 0.45}}).posterior()
    told = view.group.beliefs.joint["retrieval_success"].value
    assert told == pytest.approx(found["retrieval_success"].mean(), abs=1e-5)
    assert re.search(r"P\(R\) −\d", plain(view.deck()))


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        ({"pins": {"tpr[strict]": 0.7}}, "“strict” finds a correct answer"),
        ({"pins": {"fpr[lenient]": 0.4}}, "“lenient” finds evidence"),
        ({"pins": {"fpr[lenient]": 0.4, "tpr[strict]": 0.7}}, "“strict” finds a correct answer"),
        ({"pins": {"tpr[strict]": 0.7, "fpr[lenient]": 0.4}}, "“lenient” finds evidence"),
        ({"priors": {"tpr[strict]": [0.9, 20]}}, "“strict”"),
        ({"priors": {"fpr[lenient]": [0.4, 20]}}, "“lenient”"),
        ({"pins": {"fpr[lenient]": 0.4}, "left_out": ["lenient"]}, "finds a correct answer"),
    ],
)
def test_the_headline_is_about_the_judge_that_was_moved_last(
    moves: dict[str, Any], said: str
) -> None:
    assert said in plain(view_of(**moves).headline())


def test_noise_does_not_choose_whom_the_headline_is_about() -> None:
    # People labelled every row of the first group: all that differs there is Monte Carlo error.
    parts = [
        judged_table(150, n, seed=n).assign(system=name) for name, n in (("a", 150), ("b", 50))
    ]
    table = pd.concat(parts)
    views = [
        rat.judges(table, judges=JUDGES, by="system", seed=seed, draws=400).view
        for seed in range(6)
    ]
    said = [plain(view.headline()) for view in views]
    assert {line.partition(" in ")[0] for line in said} == {
        "Every verdict stands beside a human label: of 100 queries people find evidence"
    }


def test_moves_change_neither_verdicts_as_truth_nor_human_labels_alone() -> None:
    still, moved = view_of().group.beliefs, view_of(pins={"fpr[lenient]": 0.4}).group.beliefs
    assert (moved.naive, moved.humans) == (still.naive, still.humans)


def test_worth_has_the_same_name_in_the_frame_and_in_the_report() -> None:
    view, frame = view_of(), POST.judges
    shown = {key: text for key, text, _ in judge_measures(view) if key.startswith("worth")}
    names = [name for name in frame.columns if name.startswith("worth")]
    assert sorted(shown) == sorted(f"{name}[{key}]" for name in names for key in frame.index)
    for name in names:
        for key, worth in frame[name].items():
            assert shown[f"{name}[{key}]"] == worth_text(worth, 10_000)


def test_rows_with_verdicts_only_are_counted_the_same_at_the_top_and_in_the_worth() -> None:
    table = TABLE.copy()
    table.loc[120:128, "T"] = np.where(table.loc[120:128, "A"] == 1, np.nan, 1.0)
    partly = int((table["T"].notna() & table["R"].isna()).sum())
    view = rat.judges(table, judges=JUDGES, draws=400).view
    only = re.findall(r"([\d,]+) with verdicts only", view.group.rows)
    said = plain(view.worth_line())
    assert re.findall(r"as ([\d,]+) more rows with verdicts", said) == only
    assert f"and verdicts on {partly} rows labelled in part do" in said


def test_numbers_of_judges_are_numbers() -> None:
    for frame in (POST.judges, rat.fit(TABLE, judges=[OF_T], draws=400).judges):
        numbers = frame.drop(columns="of")
        assert set(map(str, numbers.dtypes)) == {"int64", "float64"}
        assert frame.round(2).T.loc["tpr"].tolist() == [round(x, 2) for x in frame["tpr"]]


def test_notebooks_round_numbers_before_they_turn_a_table_with_text() -> None:
    examples = Path(__file__).parents[2] / "examples"
    assert not [p.name for p in examples.glob("*.ipynb") if ".T.round(" in p.read_text("utf-8")]
