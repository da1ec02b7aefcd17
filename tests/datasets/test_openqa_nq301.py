"""`openqa_nq301`: people's labels of T and four judges' on the answers of twelve systems."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets.labels import Labels

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT.parent / "shared" / "data"
VERDICTS = ["T", "T_gpt4", "T_davinci3", "T_bem", "T_em", "ann1", "ann2", "ann3"]


@pytest.fixture
def df() -> pd.DataFrame:
    return rat.datasets.load("openqa_nq301")


def test_twelve_systems_answer_301_questions_and_64_answers_have_no_label(df):
    rows = df.groupby("system").size()
    assert len(rows) == 12
    assert not df.duplicated(["item", "system"]).any()
    assert sorted(df["item"].unique()) == list(range(1, 302))
    unlabelled = 301 - rows
    assert unlabelled.sum() == 64
    assert unlabelled.nlargest(3).to_dict() == {
        "EMDR2": 27,
        "text-davinci-003_fewshot-n64": 17,
        "DPR": 10,
    }
    assert (df.groupby("item").size() == 12).sum() == 251


def test_two_systems_have_no_retrieval(df):
    closed = df.loc[df["closed_book"] == 1, "system"].unique()
    assert sorted(closed) == ["text-davinci-003_fewshot-n64", "text-davinci-003_zeroshot"]


def test_systems_that_gave_the_same_answer_share_its_labels(df):
    answers = df.groupby(["item", "answer"])
    assert answers.ngroups == 1303
    assert (answers[[*VERDICTS, "A"]].nunique(dropna=False) == 1).all(axis=None)


def test_the_human_label_is_the_majority_of_the_annotators_who_voted(df):
    votes = df[["ann1", "ann2", "ann3"]]
    assert (df["T"] == (2 * votes.sum(axis=1) > votes.notna().sum(axis=1))).all()
    # a third person voted wherever the first two disagreed
    both = df["ann2"].notna()
    assert df.loc[both & (df["ann1"] != df["ann2"]), "ann3"].notna().all()


def test_gpt4_accepts_9_of_the_21_answers_that_decline(df):
    declined = df[df["A"] == 1]
    assert len(declined) == 21
    assert declined["system"].unique().tolist() == ["text-davinci-003_zeroshot"]
    assert declined["T_gpt4"].sum() == 9
    assert declined[["T", "T_davinci3", "T_bem", "T_em"]].sum().sum() == 0


def test_the_first_two_annotators_agree_as_the_docs_say(df):
    """The docs give 87 of 100 and a kappa of 0.74; the source's 1,490 answers give 0.869, 0.73."""
    answers = df.drop_duplicates(["item", "answer"]).dropna(subset="ann2")
    one, two = answers["ann1"].astype(float), answers["ann2"].astype(float)
    agreement = (one == two).mean()
    chance = one.mean() * two.mean() + (1 - one.mean()) * (1 - two.mean())
    assert agreement == pytest.approx(0.87, abs=0.005)
    assert (agreement - chance) / (1 - chance) == pytest.approx(0.74, abs=0.005)


def test_the_docs_give_the_rates_of_each_judge(df):
    docs = (ROOT / "docs" / "datasets.md").read_text("utf-8")
    for judge in ("T_gpt4", "T_davinci3", "T_bem", "T_em"):
        rate = df.groupby("T")[judge].mean()
        assert f"| `{judge}` | {100 * rate[1]:.0f}% | {100 * rate[0]:.0f}% |" in docs


def test_it_is_read_without_retrieval_and_with_its_judges(df):
    judges = [rat.Judge(column, of="task") for column in ("T_gpt4", "T_bem")]
    labels = Labels.from_frame(df, retrieval=None, by="system", item="item", judges=judges)
    assert labels.counts.n_rows == 3548


needs_sources = pytest.mark.skipif(
    not SOURCES.exists(), reason="the source tables are not beside the repository"
)


@needs_sources
def test_the_labels_are_those_of_the_source_row_by_row(df):
    source = pd.read_csv(SOURCES / "openqa_nq301_by_system.csv")
    both = df.merge(
        source, left_on=["item", "system"], right_on=["qid", "system"],
        suffixes=("", "_source"), validate="1:1",
    )  # fmt: skip
    assert len(both) == len(source) == 3548
    for column in VERDICTS:
        ours = both[column].astype("Float64").fillna(-1)
        theirs = both[f"{column}_source"].astype("Float64").fillna(-1)
        assert (ours == theirs).all(), column
    assert (both["closed_book"] == 1 - both["retrieval_augmented"]).all()
    assert (both["T_bem"] == (both["bem_prob"] >= 0.5)).all()
    texts = pd.read_csv(SOURCES / "openqa_nq301.csv", index_col="item")["answer"]
    assert (both["A"] == both["item_source"].map(texts).eq("Unknown.")).all()
    # one number, one labelled answer of the source, and the other way round
    pairs = both[["item", "answer", "item_source"]].drop_duplicates()
    assert len(pairs) == pairs["item_source"].nunique() == 1303
