"""The view of judges: what it refuses, and that JSON gives it back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rat_widgets.errors import ViewError
from rat_widgets.views.judge import (
    Density,
    JudgeBeliefs,
    JudgeControls,
    JudgeGroup,
    JudgeIdentity,
    JudgeMoves,
    JudgeReportRow,
    JudgeView,
    JudgeWorth,
    Spread,
)
from rat_widgets.views.tree import Estimate, Note, PolicyWeights

WORLDS = (
    "hit_right",
    "hit_wrong",
    "hit_abstained",
    "miss_right",
    "miss_wrong",
    "miss_abstained",
)
KEYS = ("retrieval_success", "task_success", "policy_adherence")


def _spread(value: float) -> Spread:
    low, high = value - 0.1, value + 0.1
    return Spread(
        value=value, lower=low, upper=high, text="?", middle=(value - 0.03, value, value + 0.03)
    )


def _view(**changed: Any) -> JudgeView:
    beliefs = dict.fromkeys(KEYS, _spread(0.4))
    estimate = Estimate(value=0.5, lower=0.4, upper=0.6, text="50% (40-60)")
    worth = dict.fromkeys(
        ("policy_adherence", "task_success"),
        JudgeWorth(worth=None, worth_verdicts=None, n_max=100, text=">100", text_verdicts=">100"),
    )
    group = JudgeGroup(
        key=(),
        label="",
        n_rows=12,
        n_human=2,
        n_only=10,
        is_a_added=True,
        counts=(2, 10),
        beliefs=JudgeBeliefs(naive=beliefs, humans=beliefs, joint=beliefs),
        rates={"tpr[j]": _spread(0.8), "fpr[j]": _spread(0.2)},
        densities={"tpr[j]": Density(start=0.7, stop=0.9, heights=(0, 99, 0))},
        report=(
            JudgeReportRow(
                key="j",
                n_human=2,
                n_only=10,
                n_unknown=0,
                **dict.fromkeys(("ppv", "npv", "agreement", "kappa", "youden"), estimate),
                worth=worth,
            ),
        ),
        worth=worth,
        notes=(Note(level="info", text="<b>few</b>"),),
        rows="12 rows.",
        errors=dict.fromkeys(KEYS, 0.0),
    )
    judge = JudgeIdentity(
        key="j",
        name="j",
        version=None,
        of="retrieval",
        is_shared=True,
        abstained_rate=None,
        has_unknown=False,
        cost=None,
    )
    values: dict[str, Any] = {
        "generator": "test",
        "python": "rat.judges(df",
        "by": (),
        "ci_prob": 0.95,
        "seed": 0,
        "policy": PolicyWeights(name="adherence", weights=dict.fromkeys(WORLDS, 1.0)),
        "judges": (judge,),
        "priors": {"tpr[j]": (1.0, 1.0), "fpr[j]": (1.0, 1.0)},
        "patterns": ((1, 0, 1, 1), (-1, 0, -1, 1)),
        "groups": (group,),
        "controls": JudgeControls(),
    }
    return JudgeView(**{**values, **changed})


def test_json_gives_the_view_back() -> None:
    view = _view(
        controls=JudgeControls(priors={"fpr[j]": (0.2, 10.0)}, pins={"tpr[j]": 0.9}),
        moves=JudgeMoves(pins={"tpr[j]": 0.8}),
    )
    assert JudgeView.from_json(view.to_json()) == view


@pytest.mark.parametrize(
    ("controls", "said"),
    [
        ({"pins": {"tpr[j]": 40}}, "did you mean 0.4"),
        ({"pins": {"tpr[j]": float("nan")}}, "finite number"),
        ({"pins": {"tpr[k]": 0.4}}, "'tpr[k]'"),
        ({"priors": {"tpr[j]": [0, 10]}}, "between 0 and 1"),
        ({"priors": {"tpr[j]": [0.5, 0]}}, "equivalent labels"),
        ({"priors": {"tpr[j]": [0.5]}}, "a list of 2"),
        ({"priors": {"theta": [0.5, 2]}}, "'theta'"),
        ({"left_out": ["j", "j"]}, "Each judge once"),
        ({"left_out": ["k"]}, "'k'"),
        ({"group": 1}, "group 1 of 1"),
        ({"mode": "pinned"}, "keys among"),
    ],
)
def test_controls_that_do_not_fit_are_refused(controls: dict[str, Any], said: str) -> None:
    with pytest.raises(ViewError, match=r".*") as refused:
        _view(controls=JudgeControls.from_dict(controls))
    assert said in str(refused.value)


def test_empty_moves_are_none() -> None:
    assert JudgeControls(priors={}, pins={}).to_dict() == JudgeControls().to_dict()
    assert JudgeControls(group=0).moves is None


def test_judges_left_out_need_no_numbers() -> None:
    group = replace(_view().groups[0], rates={}, densities={}, report=())
    with pytest.raises(ViewError, match=r"tpr\[j\]"):
        _view(groups=(group,))
    view = _view(groups=(group,), moves=JudgeMoves(left_out=("j",)))
    assert view.present == ()


def test_a_view_without_judges_is_refused() -> None:
    with pytest.raises(ViewError, match="no judges"):
        _view(judges=())
