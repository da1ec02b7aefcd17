"""Which system the judges' widget shows first."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import rat_widgets as rat
from rat_widgets.inference.diagnose import Diagnosis, Message
from rat_widgets.present.judge_opening import opening_group

ITSELF = "text-davinci-003_zeroshot"


def fitted(judge: str, n_own: int) -> Any:
    """Five systems of `openqa_nq301`, with so many labels of the last one."""
    df = rat.datasets.load("openqa_nq301").astype({"T": float})
    df = df[df["system"].isin([*df["system"].unique()[:4], ITSELF])].reset_index(drop=True)
    rows = df.index[df["system"] == ITSELF].to_numpy()
    hidden = np.random.default_rng(1).choice(rows, len(rows) - n_own, replace=False)
    df.loc[hidden, "T"] = None
    how = {"retrieval": None, "abstention": "A", "task": "T", "by": "system", "draws": 800}
    return rat.fit(df, judges=[rat.Judge(judge, of="task")], **how)


def member(*told: tuple[str, str, str]) -> Any:
    """A posterior of which this is told: level, code and text."""
    messages = tuple(Message(level, code, text, "") for level, code, text in told)
    return SimpleNamespace(diagnosis=Diagnosis(engine="exact", reason="", messages=messages))


def test_the_system_whose_judge_is_another_one_is_shown_first(tmp_path: Path) -> None:
    w = rat.judges(fitted("T_davinci3", 100))
    assert w.view.group.label == ITSELF
    place = f'"controls":{{"group":{w.controls["group"]}'
    assert place in w.save(tmp_path / "judges.json").read_text().replace(" ", "")
    assert place in w.save(tmp_path / "judges.html").read_text().replace(" ", "")


def test_what_the_caller_says_stands_and_without_a_finding_it_is_the_first_system() -> None:
    posts = fitted("T_gpt4", 200)
    assert rat.judges(posts).controls["group"] == 0
    assert rat.judges(posts, controls={"group": 3}).controls["group"] == 3


@pytest.mark.parametrize(
    ("members", "first"),
    [
        ([member(), member(("info", "rates_unchecked", "b"))], 1),
        (
            [
                member(("info", "rates_unchecked", "a")),
                member(("warning", "rates_unchecked", "b")),
                member(("warning", "rates_unchecked", "c")),
                member(("warning", "judge_depends", "d")),
            ],
            3,
        ),
        ([member(), *[member(("warning", "judges_dependent", "of all"))] * 2], 0),
        ([member(), member(("problem", "r_hat", "The chains disagree."))], 0),
    ],
    ids=["information", "found first", "of a shared judge", "of the draws"],
)
def test_the_gravest_of_one_systems_judges_decides(members: list[Any], first: int) -> None:
    assert opening_group(members) == first
