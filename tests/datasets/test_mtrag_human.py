"""`mtrag_human`: R in three levels, seven annotators, a judge, and what is missing of each."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets.labels import Labels

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT.parent / "shared" / "data"
ANNOTATORS = [f"ann{number}" for number in range(1, 8)]


@pytest.fixture
def df() -> pd.DataFrame:
    return rat.datasets.load("mtrag_human")


def test_three_systems_answer_the_same_159_turns(df):
    assert df.groupby("system")["item"].agg(["size", "nunique"]).eq(159).all(axis=None)
    assert sorted(df["system"].unique()) == ["gpt-4o", "llama-3.1-405b-instruct", "reference"]


def test_retrieval_has_three_levels_and_is_missing_where_the_turn_asks_nothing(df):
    items = df.drop_duplicates("item")["R"].value_counts(dropna=False)
    assert {level: items[level] for level in ("none", "partial", "all")} == {
        "none": 7,
        "partial": 15,
        "all": 135,
    }
    assert df["R"].isna().sum() == 6


def test_what_is_known_of_a_turn_does_not_depend_on_the_system(df):
    of_turn = ["conversation", "turn", "collection", "R"]
    assert (df.groupby("item")[of_turn].nunique(dropna=False) == 1).all(axis=None)
    turns = df.drop_duplicates("item").groupby("conversation")["turn"]
    assert turns.ngroups == 20
    assert turns.apply(lambda turn: turn.tolist() == list(range(1, len(turn) + 1))).all()


def test_a_declined_answer_solves_no_task_though_it_may_be_accepted(df):
    declined = df[df["A"] == 1]
    assert len(declined) == 28
    assert declined["T"].sum() == 0
    assert declined["accepted"].sum() == 18
    answered = df[df["A"] == 0]
    assert (answered["T"] == answered["accepted"]).all()


def test_accepted_is_the_strict_majority_of_two_or_three_votes(df):
    votes = df[ANNOTATORS]
    n_votes = votes.notna().sum(axis=1)
    assert n_votes.value_counts().to_dict() == {3: 450, 2: 27}
    assert (df["accepted"] == (2 * votes.sum(axis=1) > n_votes)).all()
    assert (2 * votes.sum(axis=1) == n_votes).sum() == 7


def test_two_annotators_of_an_answer_agree_in_80_of_100_pairs(df):
    pairs = [df[[one, other]].dropna() for one, other in combinations(ANNOTATORS, 2)]
    agreed = sum(int((pair.iloc[:, 0] == pair.iloc[:, 1]).sum()) for pair in pairs)
    assert agreed / sum(map(len, pairs)) == pytest.approx(0.80, abs=0.005)


def test_the_judge_has_a_verdict_on_answers_with_evidence_only(df):
    with_evidence = df["R"].isin(["partial", "all"]) & (df["A"] == 0)
    assert (df["T_judge"].notna() == with_evidence).all()
    assert df["T_judge"].isna().sum() == 45


def test_the_docs_count_the_rows_of_each_level_and_outcome(df):
    docs = (ROOT / "docs" / "datasets.md").read_text("utf-8")
    outcome = df["T"].mask(df["A"] == 1, -1)
    for level, rows in outcome.groupby(df["R"].fillna("missing")):
        name = level if level == "missing" else f"`{level}`"
        counts = " | ".join(str((rows == code).sum()) for code in (-1, 0, 1))
        assert f"| {name} | {counts} |" in docs


def test_the_notes_give_the_order_of_the_levels(df):
    assert 'retrieval_levels=("none", "partial", "all")' in df.attrs["notes"]


def test_it_is_read_with_its_three_levels(df):
    levels = ("none", "partial", "all")
    labels = Labels.from_frame(
        df, by="system", item="item", cluster="conversation", retrieval_levels=levels
    )
    report = labels.check()
    assert report.columns[0].by_level == {"none": 21, "partial": 45, "all": 405}
    assert report.ok
    posts = rat.fit(labels)
    for post in posts:
        correct = [post[f"correct_given[{level}]"].mean() for level in levels]
        assert correct == sorted(correct)


def test_it_can_be_read_with_two_levels(df):
    two = {"none": 0, "partial": 0, "all": 1}
    labels = Labels.from_frame(df, by="system", item="item", cluster="conversation", values=two)
    assert labels.counts.n_rows == 477
    assert labels.check().ok


needs_sources = pytest.mark.skipif(
    not SOURCES.exists(), reason="the source tables are not beside the repository"
)


@needs_sources
def test_the_labels_are_those_of_the_source_row_by_row(df):
    source = pd.read_csv(SOURCES / "mtrag_human.csv")
    # the numbers of the items follow the source's order of tasks
    source["item"] = pd.factorize(source["task_id"])[0]
    both = df.merge(source, on=["item", "system"], suffixes=("", "_source"), validate="1:1")
    assert len(both) == 477
    levels = both["R"].map({"none": 0.0, "partial": 0.5, "all": 1.0})
    pd.testing.assert_series_equal(levels, both["R_graded"], check_names=False)
    for ours, theirs in (("A", "A_source"), ("accepted", "T_source"), ("turn", "turn_source")):
        assert (both[ours] == both[theirs]).all()
    assert (both["collection"] == both["collection_source"]).all()
    judged = both["T_judge"].notna()
    score = both.loc[judged, "judge_rb_llm"]
    assert (both.loc[judged, "T_judge"] == (score >= 0.5)).all()
    # where the evidence is none, or nothing is asked, the source's scores are a rule's
    by_rule = both["R"].isna() | (both["R"] == "none") | ((both["R"] == "all") & (both["A"] == 1))
    assert by_rule.sum() == 30
    right = both["R"].isna() | ((both["R"] == "none") & (both["A"] == 1))
    assert (both.loc[by_rule, "judge_rb_llm"] == right[by_rule]).all()


@needs_sources
def test_a_vote_is_three_of_four_in_each_of_three_respects(df):
    votes = pd.read_csv(SOURCES / "mtrag_human_annotators.csv")
    tasks = pd.read_csv(SOURCES / "mtrag_human.csv", usecols=["task_id"])["task_id"].unique()
    votes["item"] = votes["task_id"].map({task: number for number, task in enumerate(tasks)})
    scores = votes[["faithfulness", "completeness", "appropriateness"]]
    votes["vote"] = (scores >= 3).all(axis=1).astype("Int64")
    complete = votes[scores.notna().all(axis=1)]
    ours = df.melt(["item", "system"], ANNOTATORS, "annotator", "ours").dropna(subset="ours")
    both = complete.merge(ours, on=["item", "system", "annotator"], how="outer", validate="1:1")
    assert len(both) == len(complete) == 1404
    assert (both["vote"] == both["ours"]).all()
