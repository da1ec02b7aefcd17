"""Names and words of a graded tree, held to the model's own and to what two levels say."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rat_widgets.derived.policy import PRESETS, preset_weights
from rat_widgets.derived.quantities import find_quantity
from rat_widgets.model.worlds import world_probabilities, worlds_of
from rat_widgets.views import sentences, wording, words
from rat_widgets.views.levels import TWO_LEVELS, fit_together, keys_of

DEFAULT = ("none", "partial", "all")
names = st.text(min_size=1, max_size=12).filter(str.strip)
scales = st.lists(names, min_size=3, max_size=6, unique=True).map(tuple)


@given(scales)
def test_names_are_those_of_the_model(levels):
    keys, model = keys_of(levels), worlds_of(levels)
    assert set(keys.leaves) == set(model.names)
    assert set(keys.branches) == set(keys.reading) == set(model.branches)
    for two in (("hit_right",), ("miss_wrong", "hit_abstained"), ("miss_abstained",)):
        assert set(keys.expanded(two)) == set(model.expanded(two))


def test_two_levels_keep_their_names():
    keys, model = keys_of(), worlds_of()
    assert keys.levels == model.levels == TWO_LEVELS
    assert set(keys.branches) == set(model.branches)
    assert not keys.is_graded


@given(scales)
def test_presets_are_those_of_the_policies(levels):
    for name in PRESETS:
        weights = dict(zip(worlds_of(levels).names, preset_weights(name, levels), strict=True))
        assert words.policy_kind(weights, levels) == name


@given(scales)
def test_every_part_of_a_graded_tree_has_words(levels):
    of = words.words_of(levels)
    assert tuple(of.worlds) == of.keys.leaves
    assert tuple(of.steps) == of.keys.branches
    assert tuple(of.pins) == of.keys.reading
    every = [text for both in of.worlds.values() for text in both[:1]]
    assert len(set(every)) == len(every)


def test_steps_are_called_what_the_table_of_quantities_calls_them():
    """Views know no statistics, so that the words are there twice."""
    for key, phrase in words.PIN_WORDS.items():
        if key != "retrieval_success":
            assert phrase == find_quantity(key).label


def test_the_usual_levels_read_as_english():
    assert words.leaf_words("all_abstained", is_right=False, levels=DEFAULT) == (
        "all the evidence, declined"
    )
    assert words.leaf_words("partial_abstained", is_right=True, levels=DEFAULT) == (
        "part of the evidence, rightly declined"
    )
    of = words.words_of(DEFAULT)
    assert of.pins["abstain_given[none]"] == "declines with no evidence"
    assert of.steps["retrieval[all]"].title == "All the evidence"


def _graded(theta, levels):
    return dict(zip(worlds_of(levels).names, world_probabilities(theta).tolist(), strict=True))


@given(
    st.integers(3, 6).flatmap(
        lambda k: st.lists(st.floats(0, 1), min_size=3 * k - 1, max_size=3 * k - 1)
    )
)
def test_whole_queries_of_a_graded_tree_add_up_and_stay_next_to_the_worlds(theta):
    levels = tuple("abcdef"[: (len(theta) + 1) // 3])
    worlds = _graded(np.array(theta), levels)
    policy = dict(zip(worlds, preset_weights("adherence", levels), strict=True))
    whole = wording.of_100(worlds, policy, levels)
    assert sum(whole.values()) == 100
    assert all(abs(whole[w] - 100 * worlds[w]) < 1 + 1e-6 for w in worlds)


def test_a_graded_search_is_as_good_as_trying_everything():
    """The search tries only choices that sum to 100; brute force tries all 4,096 of K=4."""
    levels = ("0", "1", "2", "3")
    keys = keys_of(levels)
    theta = np.random.default_rng(7).beta(1, 1, 11)
    worlds = _graded(theta, levels)
    policy = dict(zip(worlds, preset_weights("adherence", levels), strict=True))
    whole = wording.of_100(worlds, policy, levels)

    def cost(chosen):
        total = 0.0
        for weight, group in (
            (1, keys.top.leaves),
            (1, [w for w in keys.leaves if w.endswith("_abstained")]),
            (3, [w for w in keys.leaves if w.endswith("_right")]),
            (3, [w for w in keys.leaves if policy[w]]),
        ):
            exact = 100 * sum(worlds[w] for w in group)
            total += weight * abs(sum(chosen[w] for w in group) - np.floor(exact + 0.5))
        return 1000 * total + sum(abs(chosen[w] - 100 * worlds[w]) for w in keys.leaves)

    floors = [int(100 * worlds[w]) for w in keys.leaves]
    every = (
        dict(zip(keys.leaves, [f + u for f, u in zip(floors, ups, strict=True)], strict=True))
        for ups in itertools.product((0, 1), repeat=12)
    )
    best = min(cost(chosen) for chosen in every if sum(chosen.values()) == 100)
    assert cost(whole) == pytest.approx(best, abs=1e-6)


def test_the_deck_tells_apart_what_t_and_g_have_beyond_each_other():
    worlds = dict.fromkeys(keys_of(DEFAULT).leaves, 0.0) | {
        "all_right": 0.3, "partial_right": 0.1, "none_right": 0.05, "none_abstained": 0.2,
        "partial_abstained": 0.15, "all_wrong": 0.2,
    }  # fmt: skip
    weights = {w: float(w in words.words_of(DEFAULT).presets["adherence"]) for w in worlds}
    assert sum(weights.values()) == 3
    said = sentences.plain(
        sentences.deck(
            n_rows=600, n_joint=600, worlds=worlds, policy=(0.65, 0.6, 0.7), weights=weights,
            levels=DEFAULT,
        )
    )  # fmt: skip
    assert said == (
        "They share 30 right answers with all the evidence. Policy adds the 35 it rightly "
        "declined; task success adds the 15 it got right with less. Retrieval is the bottleneck: "
        "in 50 of 100 queries retrieval fell short of all the evidence."
    )


@pytest.mark.parametrize(
    ("pins", "are_possible"),
    [
        ({}, True),
        ({"retrieval[all]": 0.7, "retrieval[none]": 0.3}, True),
        ({"retrieval[all]": 0.7, "retrieval[none]": 0.4}, False),
        ({"retrieval[all]": 0.7, "retrieval[none]": 0.2, "retrieval[partial]": 0.1}, True),
        ({"retrieval[all]": 0.7, "retrieval[none]": 0.1, "retrieval[partial]": 0.1}, False),
        ({"abstain_given[all]": 0.9, "abstain_given[none]": 0.9}, True),
    ],
)
def test_pinned_levels_share_one_whole(pins, are_possible):
    assert fit_together(pins, keys_of(DEFAULT)) is are_possible
