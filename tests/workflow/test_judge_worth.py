"""What verdicts are said to add: beyond A of their rows, and to nothing where they tell nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets.views.sentences import plain

THETA = rat.Theta(
    retrieval_success=0.5,
    abstain_given_miss=0.46,
    abstain_given_hit=0.05,
    correct_given_miss=0.4,
    correct_given_hit=0.75,
)


def table(seed: int = 1) -> pd.DataFrame:
    """800 rows, of which people labelled 150; `jr` and `jt` toss a coin, `one` always says 1."""
    df = rat.simulate(THETA, 800, judges={"good": {"of": "task", "tpr": 0.8, "fpr": 0.1}}, seed=1)
    df.loc[150:, ["R", "T"]] = None
    coin = np.random.default_rng(seed).random((len(df), 2)) < 0.5
    is_answer = df["A"] == 0
    return df.assign(
        copy=df["A"],
        one=np.where(is_answer, 1.0, np.nan),
        jr=coin[:, 0].astype(float),
        jt=np.where(is_answer, coin[:, 1], np.nan),
    )


@pytest.mark.parametrize(
    ("column", "of"), [("copy", "abstention"), ("one", "task"), ("jr", "retrieval"), ("jt", "task")]
)
def test_verdicts_that_tell_nothing_are_not_said_to_help(column: str, of: str) -> None:
    view = rat.judges(table(), judges=[rat.Judge(column, of=of)]).view
    worth = view.group.worth["policy_adherence"]
    assert worth.worth_verdicts is not None
    assert worth.worth_verdicts < 1.5
    # A of the other rows is worth something.
    assert worth.worth is not None
    assert worth.worth > 10
    said = plain(view.deck())
    assert "Its verdicts add next to nothing: A of the other rows takes P(G) from" in said
    assert "help" not in said


def test_verdicts_that_tell_something_are() -> None:
    view = rat.judges(table(), judges=[rat.Judge("good", of="task")]).view
    assert "Its verdicts still help: P(G) goes from" in plain(view.deck())


def test_whether_a_is_added_goes_with_the_rows_that_human_labels_alone_leave_out() -> None:
    judge = rat.Judge("jt", of="task")
    df = table()
    assert rat.judges(df, judges=judge).view.group.is_a_added
    # Without R the others stay in with their A; with A unseen there is nothing to leave out.
    assert not rat.judges(df.drop(columns="R"), retrieval=None, judges=judge).view.group.is_a_added
    unseen = df.assign(A=df["A"].where(df["R"].notna()), jt=df["jt"])
    assert not rat.judges(unseen, judges=judge).view.group.is_a_added
