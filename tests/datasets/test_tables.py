"""The bundled tables: what they hold, where they come from, and that they can be made again."""

from __future__ import annotations

import importlib.util
import json
import re
from importlib import resources
from pathlib import Path
from types import ModuleType

import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets.errors import ArgumentError
from rat_widgets.labels import Labels

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT.parent / "shared" / "data"
TABLES = ("ray_docs", "squad_mistral", "mtrag_human", "openqa_nq301", "llmjudge_r")
TWO_LEVELS = ("ray_docs", "squad_mistral")


def make_datasets() -> ModuleType:
    spec = importlib.util.spec_from_file_location(
        "make_datasets", ROOT / "scripts" / "make_datasets.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_ray_docs_holds_48_systems_on_the_same_177_questions():
    df = rat.datasets.load("ray_docs")
    assert list(df.columns) == ["item", "system", "R", "A", "T"]
    assert df.groupby("system")["item"].agg(["size", "nunique"]).eq(177).all(axis=None)
    assert df["system"].nunique() == 48
    assert len(df) == 8496


def test_squad_mistral_holds_959_hedged_answers_in_7500_rows():
    df = rat.datasets.load("squad_mistral")
    assert list(df.columns) == ["item", "system", "seed", "R", "A", "T"]
    assert len(df) == 7500
    assert int((df["A"] & df["T"]).sum()) == 959
    assert (df.groupby(["system", "seed"]).size() == 500).all()
    assert df["seed"].unique().tolist() == [41, 42, 43, 44, 45]
    # conditions are paired within a seed
    assert (df.groupby(["seed", "item"]).size() == 3).all()


@pytest.mark.parametrize("name", TWO_LEVELS)
def test_a_table_of_two_levels_holds_zeros_and_ones(name):
    assert rat.datasets.load(name)[["R", "A", "T"]].isin([0, 1]).all(axis=None)


@pytest.mark.parametrize("name", TABLES)
def test_a_table_holds_codes_and_says_where_they_come_from(name):
    df = rat.datasets.load(name)
    assert df["item"].dtype == "int64"
    assert {"name", "source", "licence", "citation", "notes", "changes"} <= set(df.attrs)
    assert df.attrs == rat.datasets.about(name)
    assert df.attrs["name"] == name


def test_ray_docs_needs_no_decision_about_contradictions():
    df = rat.datasets.load("ray_docs")
    assert "94 answers" in df.attrs["changes"]
    assert Labels.from_frame(df, by="system", item="item").check().ok


def test_squad_mistral_can_be_read_with_its_own_advice():
    df = rat.datasets.load("squad_mistral")
    assert "on_contradiction" in df.attrs["notes"]
    labels = Labels.from_frame(
        df, by="system", item="item", trial="seed", on_contradiction="trust_answer"
    )
    assert labels.counts.n_rows == len(df)
    assert labels.check().ok


def test_loading_gives_a_fresh_frame_each_time():
    df = rat.datasets.load("ray_docs")
    df["R"] = 0
    df.attrs.clear()
    assert rat.datasets.load("ray_docs")["R"].sum() > 0
    assert rat.datasets.load("ray_docs").attrs["licence"] == "CC-BY-4.0"


@pytest.mark.parametrize(
    ("name", "first"), [("qwen", 0.2078), ("apertus", 0.2072)]  # STATS: reference points
)  # fmt: skip
def test_the_reference_points_are_points_of_the_parameter_space(name, first):
    theta = rat.datasets.load(name)
    assert isinstance(theta, rat.Theta)
    assert theta.retrieval_success == first
    assert "2608.24753" in rat.datasets.about(name)["source"]


def test_names_are_listed_and_an_unknown_one_is_refused_with_the_list():
    assert rat.datasets.list() == rat.datasets.names() == (*TABLES, "qwen", "apertus")
    with pytest.raises(ArgumentError, match=r"'ray_docs', .*\nHint: did you mean 'ray_docs'"):
        rat.datasets.load("ray_doc")
    with pytest.raises(ArgumentError, match="There are"):
        rat.datasets.load(None)


@pytest.mark.parametrize("name", TABLES)
def test_the_files_hold_no_texts_and_no_hashes_of_texts(name):
    text = resources.files("rat_widgets.datasets").joinpath(f"{name}.json").read_text("utf-8")
    assert len(text) < 45_000
    table = json.loads(text)
    assert set(table) - {"texts"} == {"kind", "version", "name", "columns", "blocks"}
    texts = [word for words in table.get("texts", {}).values() for word in words]
    assert all(re.fullmatch(r"[a-z0-9-]{1,12}", word) for word in texts)
    for block in table["blocks"]:
        assert set(block) == {"shared", "items", "systems"}
        assert all(re.fullmatch(r"[A-Za-z0-9._-]{0,50}", system) for system in block["systems"])
        for columns in (block["shared"], block["items"], *block["systems"].values()):
            assert {name for names in columns for name in names.split(" ")} <= {*table["columns"]}
            assert all(is_coded(name, written) for name, written in columns.items())


def is_coded(name: str, written: object) -> bool:
    """Numbers below 4,423, one, a list or a run; digits and points; or grades by threes."""
    if isinstance(written, str):
        packed = name.count(" ") == 2
        return re.fullmatch("[A-Za-z0-9_-]+" if packed else "[0-9.]+", written) is not None
    if isinstance(written, dict):
        written = [written["first"], written["n"]]
    numbers = written if isinstance(written, list) else [written]
    return all(type(number) is int and 0 <= number < 4423 for number in numbers)


needs_sources = pytest.mark.skipif(
    not SOURCES.exists(), reason="the source tables are not beside the repository"
)


@needs_sources
def test_the_script_makes_the_same_bytes_again():
    script = make_datasets()
    for path, content in script.made_files(SOURCES, script.TARGET).items():
        assert path.read_bytes() == content, path.name


@needs_sources
def test_the_labels_are_those_of_the_source():
    source = pd.read_csv(SOURCES / "anyscale_ray.csv")
    merged = rat.datasets.load("ray_docs").merge(
        source, left_on=["item", "system"], right_on=["qid", "system"], suffixes=("", "_source")
    )
    assert len(merged) == 8496
    assert (merged["R"] == merged["R_source"]).all()
    assert (merged["A"] == merged["A_source"]).all()
    # an abstention solves no task, whatever the source's judge said of it
    assert (merged["T"] == merged["T_source"] * (1 - merged["A"])).all()
    squad = pd.read_csv(SOURCES / "squad_mistral.csv")
    keys = ["condition", "seed", "R", "A", "T"]
    ours = rat.datasets.load("squad_mistral").rename(columns={"system": "condition"})
    assert ours[keys].value_counts().to_dict() == squad[keys].value_counts().to_dict()
    # the same question has the same number in every seed
    assert ours["item"].nunique() == squad["qid"].nunique() + 1
