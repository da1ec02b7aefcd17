"""The view of a plan: JSON and back, what it refuses, and the sentences of golden vectors."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rat_widgets.errors import ViewError
from rat_widgets.views import allocation_sentences, allocation_words
from rat_widgets.views.allocation import (
    AllocationAnswer,
    AllocationControls,
    AllocationPrices,
    AllocationView,
)
from rat_widgets.views.allocation_controls import round_end
from rat_widgets.views.allocation_sentences import Advice, Piece
from rat_widgets.views.codec import from_dict
from rat_widgets.views.sentences import plain

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "allocation.json").read_text("utf-8"))


def _plans() -> list[tuple[AllocationView, dict[str, Any]]]:
    found, last = [], None
    for plan in GOLDEN["plans"]:
        last = AllocationView.from_dict(plan["view"]) if plan["view"] else last
        assert last is not None
        controls = AllocationControls.from_dict(plan["controls"])
        answer = from_dict(AllocationAnswer, plan["answer"])
        found.append((replace(last, controls=controls, answer=answer), plan))
    return found


PLANS = _plans()
VIEW = PLANS[0][0]


@pytest.mark.parametrize("view", [view for view, _ in PLANS])
def test_json_and_back_is_the_same_view(view: AllocationView) -> None:
    assert AllocationView.from_json(view.to_json()) == view


@pytest.mark.parametrize(("view", "plan"), PLANS)
def test_sentences_are_the_golden_ones(view: AllocationView, plan: dict[str, Any]) -> None:
    assert [list(piece) for piece in view.headline()] == plan["headline"]
    assert [list(piece) for piece in view.deck()] == plan["deck"]


@pytest.mark.parametrize("vector", GOLDEN["advice"])
def test_advice_reads_as_before(vector: dict[str, Any]) -> None:
    given = dict(vector["of"])
    given["pieces"] = tuple(Piece(**piece) for piece in given["pieces"])
    given["spread"] = None if given["spread"] is None else tuple(given["spread"])
    of = Advice(**given)
    assert [list(piece) for piece in allocation_sentences.headline(of)] == vector["headline"]
    assert [list(piece) for piece in allocation_sentences.deck(of)] == vector["deck"]


def test_the_headline_is_one_sentence_with_both_widths() -> None:
    for view, _ in PLANS:
        text = plain(view.headline())
        assert text.endswith(".")
        assert text.count("\N{PLUS-MINUS SIGN}") == (1 if view.controls.budget == 0 else 2)


def test_numbers_are_rounded_to_what_is_known() -> None:
    assert [allocation_words.about(x) for x in (0.4, 93.4, 962, 12_345)] == [
        "0", "93", "960", "12,300"
    ]  # fmt: skip
    assert allocation_words.half(0.0859) == "±4.3"
    assert [allocation_words.amount(x) for x in (500.0, 12.5, 1000.4)] == ["500", "12.50", "1,000"]


@pytest.mark.parametrize(
    ("budget", "end"),
    [(0, 1000), (1000, 1000), (1001, 2000), (2000, 2000), (2100, 5000), (7e4, 1e5)],
)
def test_an_axis_ends_at_a_round_number(budget: float, end: float) -> None:
    assert round_end(budget) == pytest.approx(end)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"budget": -1}, "budget"),
        ({"prices": {"R": 0, "T": 1}}, "prices"),
        ({"prices": {"R": 1, "T": 1, "A": 1}}, "prices"),
        ({"n0": -5}, "n0"),
        ({"most": 100, "budget": 500}, "most"),
        ({"hidden": ["all_x"]}, "hidden"),
        ({"hidden": ["all_r", "all_r"]}, "hidden"),
        ({"unit": "euros"}, "unit"),
    ],
)
def test_controls_that_cannot_be_are_refused(wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(ViewError, match=said):
        AllocationControls.from_dict(wrong)


def test_a_view_refuses_controls_that_do_not_fit() -> None:
    with pytest.raises(ViewError, match="target"):
        replace(VIEW, controls=AllocationControls(target="abstention"))
    with pytest.raises(ViewError, match="group"):
        replace(VIEW, controls=AllocationControls(group=1))
    in_hand = next(view for view, plan in PLANS if plan["name"].startswith("labels"))
    with pytest.raises(ViewError, match="n0"):
        replace(in_hand, controls=AllocationControls(n0=3))


def test_prices_are_one_unless_told_otherwise() -> None:
    assert AllocationControls().prices == AllocationPrices(R=1, T=1)
    assert VIEW.unit == "labels"
    assert replace(VIEW, controls=AllocationControls(prices=AllocationPrices(R=3))).unit == "units"
