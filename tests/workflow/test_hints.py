"""What people write first, and the way from there in the words of the package."""

from __future__ import annotations

import pytest

import rat_widgets as rat
from rat_widgets.derived.meant import quantity_hint
from rat_widgets.derived.quantities import QUANTITIES
from rat_widgets.errors import ArgumentError, ArgumentTypeError


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        *((q.symbol, q.key) for q in QUANTITIES),
        ("P(G)", "policy_adherence"),
        ("p(t)", "task_success"),
        ("R", "retrieval_success"),
        ("T | A=0", "selective_accuracy"),
        ("task", "task_success"),
        ("policy_adherance", "policy_adherence"),
    ],
)
def test_a_symbol_and_a_slip_of_the_pen_lead_to_the_key(asked, key):
    assert quantity_hint(asked, QUANTITIES).startswith(f"did you mean {key!r}, P(")


@pytest.mark.parametrize("asked", ["", "xyzzy", 3, None, "P("])
def test_what_is_near_nothing_has_no_hint(asked):
    assert quantity_hint(asked, QUANTITIES) is None


@pytest.mark.parametrize(
    "ask",
    [
        lambda theta: rat.optimal_design(theta, target="P(G)"),
        lambda theta: rat.study_allocation(theta, targets="P(G)"),
        lambda theta: rat.allocate(theta, target="P(G)"),
        lambda theta: rat.fit(rat.simulate(theta, 20, seed=1))["P(G)"],
    ],
)
def test_every_place_that_takes_a_quantity_gives_the_hint(ask):
    with pytest.raises(ArgumentError, match="Hint: did you mean 'policy_adherence'"):
        ask(rat.datasets.load("qwen"))


@pytest.mark.parametrize(
    ("of", "meant"), [("answer", "task"), ("Context", "retrieval"), ("refusal", "abstention")]
)
def test_a_judge_of_something_else_is_shown_what_is_meant(of, meant):
    with pytest.raises(ArgumentError, match=rf"Hint: rat\.Judge\('v', of='{meant}'\)"):
        rat.Judge("v", of=of)


def test_a_judge_of_nothing_is_told_what_to_say():
    with pytest.raises(ArgumentError, match="does not say what it judges") as caught:
        rat.Judge("v")
    assert "Hint: rat.Judge('v', of='task')" in str(caught.value)


def test_a_report_without_a_file_says_how_one_is_named():
    with pytest.raises(ArgumentTypeError, match=r'Hint: rat\.report\(df, "report\.html"\)'):
        rat.report(rat.datasets.load("ray_docs"))
