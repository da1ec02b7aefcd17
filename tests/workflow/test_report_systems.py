"""What a report tells of systems whose judges have rates of their own."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets.present.judge_systems import COLUMNS, judge_systems, judge_systems_note

from .judged_systems import JUDGES, judged_systems

TABLE = judged_systems({"a": 0.1, "b": 0.1, "c": 0.1, "own": 0.6})


def told(frame: pd.DataFrame = TABLE, **keywords: Any) -> tuple[Any, list[dict[str, str]], str]:
    """The posteriors, the rows by column, and the note."""
    posts = rat.fit(frame, by="system", **{"judges": JUDGES, **keywords})
    view = rat.judges(posts).view
    rows = judge_systems(view, posts.members)
    named = [dict(zip(("system", *COLUMNS), row, strict=True)) for row in rows]
    return posts, named, judge_systems_note(view)


@pytest.fixture(scope="module")
def apart() -> tuple[Any, list[dict[str, str]], str]:
    return told(apart=["own"])


def test_a_system_by_itself_stands_before_the_others_with_its_own_rates(apart: Any) -> None:
    posts, rows, note = apart
    assert [(row["system"], row["judge"]) for row in rows] == [
        ("own", "j"), ("own", "k"), ("the other 3", "j"), ("the other 3", "k"),
    ]  # fmt: skip
    assert note == (
        "Fitted by itself: own. Its rates are from its own rows alone. "
        "The other 3 share the rates of j and k."
    )
    summary = posts.judge_summary()
    for row in rows:
        system = "a" if row["system"] == "the other 3" else row["system"]
        wanted = summary.loc[(system, row["judge"])]
        for kind in ("tpr", "fpr"):
            low, high = (100 * wanted[f"{kind}_{end}"] for end in ("lower", "upper"))
            assert row[kind.upper()].startswith(f"{100 * wanted[kind]:.0f}%")
            ends = re.findall(r"\d+", row[kind.upper()])[1:]
            assert [int(end) for end in ends] == pytest.approx([low, high], abs=0.51)


def test_verdicts_beside_a_human_label_are_counted_over_the_systems(apart: Any) -> None:
    _, rows, _ = apart
    of_t = TABLE["j"].notna() & (TABLE["A"] == 0)
    for row in rows[::2]:
        is_own = TABLE["system"] == "own"
        mine = of_t & (is_own if row["system"] == "own" else ~is_own)
        human, every = int((mine & TABLE["T"].notna()).sum()), int(mine.sum())
        assert row["checked by people"] == f"{human:,} of {every:,}"


def test_what_the_judge_does_there_is_told_where_it_is_clear(apart: Any) -> None:
    posts, rows, _ = apart
    of_j, of_k, *others = rows
    own, a = posts.sel(system="own").draws, posts.sel(system="a").draws
    more = (own.told()["fpr[j]"] > a.told()["fpr[j]"]).mean()
    assert more > 0.975
    assert of_j["found there"].startswith("Passes more wrong answers than for the others.")
    assert of_k["found there"].startswith("No clear difference from the others.")
    assert [row["found there"] for row in others] == ["", ""]


def test_a_system_that_is_not_taken_apart_is_told_with_those_that_it_shares_with() -> None:
    frame = judged_systems({"a": 0.1, "b": 0.1, "c": 0.1, "own": 0.6, "other": 0.1})
    posts, rows, _ = told(frame, apart=["other"])
    assert {one.group for one in posts.judges_that_differ} == {("own",)}
    (shared,) = [r for r in rows if r["system"] == "the other 4" and r["judge"] == "j"]
    assert "is not the same judge for 'own'" in shared["found there"]


def test_judges_with_rates_in_every_system_have_a_row_for_each() -> None:
    judges = [rat.Judge("j", of="task", share="group"), JUDGES[1]]
    _, rows, note = told(judges=judges)
    assert [r["system"] for r in rows if r["judge"] == "j"] == ["a", "b", "c", "own"]
    assert [r["system"] for r in rows if r["judge"] == "k"] == ["all"]
    assert note == "All 4 share the rates of k. Rates of j may differ by system."


def test_where_all_systems_stand_alone_there_are_no_others_to_compare_with() -> None:
    _, rows, note = told(apart=["a", "b", "c", "own"])
    assert [row["system"] for row in rows[::2]] == ["a", "b", "c", "own"]
    assert not any("others" in row["found there"] for row in rows)
    assert note == (
        "Fitted by themselves: a, b, c, own. Their rates are from their own rows alone."
    )


def test_one_set_of_rates_for_all_needs_no_table(tmp_path: Path) -> None:
    assert told()[1] == []
    one = rat.fit(TABLE[TABLE["system"] == "a"], by="system", judges=JUDGES)
    assert judge_systems(rat.judges(one).view, one.members) == []
    page = rat.report(one, tmp_path / "one.html").read_text("utf-8")
    assert "Rates by system" not in page


def test_the_page_says_so_and_says_whose_measures_it_lists(apart: Any, tmp_path: Path) -> None:
    posts, rows, note = apart
    page = unescape(rat.report(posts, tmp_path / "r.html").read_text("utf-8"))
    assert page.count("<h2>Rates by system</h2>") == 1
    assert note in page
    part = page[page.index("<h2>Rates by system") :]
    assert rows[0]["found there"] in part
    assert "<h2>Judges of a</h2><p>a is one of 4 systems" in part


def test_a_judge_who_flags_abstentions_is_told_in_its_own_words() -> None:
    frame = TABLE.copy()
    rng = np.random.default_rng(5)
    often = np.where(frame["system"] == "own", 0.5, 0.05)
    frame["d"] = (rng.random(len(frame)) < np.where(frame["A"] == 1, 0.95, often)).astype(float)
    _, rows, _ = told(frame, judges=[rat.Judge("d", of="abstention")], apart=["own"])
    assert rows[0]["found there"].startswith("Flags more answers than for the others.")
