"""Quantities are ratios of sums over worlds."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rat_widgets.derived.policy import PRESETS, Policy
from rat_widgets.derived.quantities import (
    ANSWERABILITY,
    POLICY,
    QUANTITIES,
    find_quantity,
    quantity_draws,
)
from rat_widgets.errors import ArgumentError
from rat_widgets.model.worlds import PARAMETERS, WORLDS, world_probabilities
from rat_widgets.views import words

inner = st.floats(0.01, 0.99)
thetas = st.lists(inner, min_size=5, max_size=5).map(np.array)


@given(thetas)
def test_the_five_parameters_come_back_from_the_worlds(theta):
    worlds = world_probabilities(theta)
    back = [quantity_draws(find_quantity(key), worlds) for key in PARAMETERS]
    assert np.allclose(back, theta, rtol=1e-12)


@given(thetas)
def test_quantities_are_those_of_the_formulas(theta):
    """Against the definitions written with the paper's letters instead of sets of worlds."""
    r, am, ap, tm, tp = theta
    worlds = world_probabilities(theta)
    abstained = (1 - r) * am + r * ap
    solved = (1 - r) * (1 - am) * tm + r * (1 - ap) * tp
    expected = {
        "abstention": abstained,
        "task_success": solved,
        "policy_adherence": (1 - r) * am + r * (1 - ap) * tp,
        "selective_accuracy": solved / (1 - abstained),
        "abstention_precision": (1 - r) * am / abstained,
        "unsupported_answering": 1 - am,
        "lucky_share": (1 - r) * (1 - am) * tm / solved,
        "retrieval_blame": (1 - r) * (am + (1 - am) * (1 - tm)) / (1 - solved),
        "task_success_given_hit": (1 - ap) * tp,
    }
    got = {key: float(quantity_draws(find_quantity(key), worlds)) for key in expected}
    assert got == pytest.approx(expected, rel=1e-10)
    assert {q.key for q in QUANTITIES} == {*expected, *PARAMETERS}


def test_answerability_quantities_condition_on_answerability():
    worlds = world_probabilities(np.array([0.8, 0.6, 0.1, 0.5, 0.5]))
    got = {q.key: float(quantity_draws(q, worlds)) for q in ANSWERABILITY}
    assert got == pytest.approx(
        {
            "abstention_recall": 0.6,
            "abstention_precision_answerable": 0.2 * 0.6 / (0.2 * 0.6 + 0.8 * 0.1),
            "over_refusal": 0.1,
        }
    )


def test_a_conditional_without_mass_is_undefined_and_warns_of_nothing():
    worlds = world_probabilities(np.array([[1.0, 0.5, 0.1, 0.5, 0.5], [0.5] * 5]))
    draws = quantity_draws(find_quantity("unsupported_answering"), worlds)
    assert np.isnan(draws[0])
    assert draws[1] == 0.5


@given(thetas, st.lists(st.floats(-5, 5), min_size=6, max_size=6))
def test_a_policy_is_the_weighted_sum_over_worlds(theta, weights):
    policy = Policy.from_spec(dict(zip(WORLDS, weights, strict=True)))
    worlds = world_probabilities(theta)
    assert policy.value(worlds) == pytest.approx(sum(w * p for w, p in zip(weights, worlds)))


def test_presets_are_those_of_the_paper_and_the_design():
    assert PRESETS["adherence"] == (1, 0, 0, 0, 0, 1)
    assert set(find_quantity(POLICY).numerator) == {"miss_abstained", "hit_right"}
    assert Policy.from_spec({"hit_right": 1, "miss_abstained": 1.0}).name == "adherence"


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("adherance", "no policy 'adherance'"),
        ({"hit": 1}, "no world 'hit'"),
        ({"hit_right": float("nan")}, "finite"),
        ({"hit_right": "1"}, "finite"),
    ],
)
def test_a_policy_that_cannot_be_read_says_what_can(spec, says):
    with pytest.raises(ArgumentError, match=says):
        Policy.from_spec(spec)


def test_an_unknown_quantity_lists_those_there_are():
    with pytest.raises(ArgumentError, match="policy_adherence"):
        find_quantity("accuracy")


@given(st.lists(st.sampled_from([-1.0, 0.0, 0.2, 0.5, 0.6, 1.0, 2.0]), min_size=6, max_size=6))
def test_good_worlds_are_those_whose_sign_in_the_tree_is_a_tick(weights):
    policy = Policy.from_spec(dict(zip(WORLDS, weights, strict=True)))
    for world in WORLDS:
        assert policy.is_right(world) == words.is_right(world, policy.as_dict())
