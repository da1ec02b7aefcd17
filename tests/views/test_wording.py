"""Wording: numbers that add up, and sentences that say what was found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rat_widgets.derived.policy import PRESETS as POLICY_PRESETS
from rat_widgets.model.worlds import WORLDS, world_probabilities
from rat_widgets.views import sentences, wording, words
from rat_widgets.views.levels import LEAVES

probability = st.floats(0, 1)
thetas = st.lists(probability, min_size=5, max_size=5).map(np.array)
policies = st.lists(st.sampled_from([0.0, 1.0]), min_size=6, max_size=6)
ADHERENCE = {w: float(w in ("hit_right", "miss_abstained")) for w in WORLDS}


def _worlds(theta):
    return dict(zip(WORLDS, world_probabilities(theta), strict=True))


@given(thetas, policies)
def test_whole_queries_add_up_to_100_and_stay_next_to_the_worlds(theta, weights):
    worlds, policy = _worlds(theta), dict(zip(WORLDS, weights, strict=True))
    whole = wording.of_100(worlds, policy)
    assert sum(whole.values()) == 100
    assert all(abs(whole[w] - 100 * worlds[w]) < 1 + 1e-6 for w in WORLDS)


@given(thetas)
def test_whole_queries_of_t_and_g_are_their_own_rounding_and_r_and_a_near_it(theta):
    worlds = _worlds(theta)
    whole = wording.of_100(worlds, ADHERENCE)
    for group, most in (
        ([w for w in WORLDS if w.startswith("hit")], 2),
        ([w for w in WORLDS if w.endswith("abstained")], 2),
        ([w for w in WORLDS if w.endswith("right")], 0.5),
        ([w for w in WORLDS if ADHERENCE[w]], 0.5),
    ):
        exact = 100 * sum(worlds[w] for w in group)
        assert abs(sum(whole[w] for w in group) - exact) <= most + 1e-9


def test_whole_queries_of_the_reference_point_are_those_of_the_mock_up():
    """Origin: theta of `qwen` in the paper's table; 33 correct, 50 right by policy."""
    whole = wording.of_100(_worlds(np.array([0.2078, 0.4632, 0.0360, 0.4447, 0.6809])), ADHERENCE)
    assert whole == {
        "hit_right": 14,
        "hit_wrong": 6,
        "hit_abstained": 1,
        "miss_right": 19,
        "miss_wrong": 24,
        "miss_abstained": 36,
    }


@given(probability)
def test_an_estimate_is_never_said_to_be_0_or_100_percent(x):
    assert wording.percent(x) not in ("0%", "100%")


@pytest.mark.parametrize(
    ("x", "text"),
    [(0.004, "<1%"), (0.005, "1%"), (0.125, "13%"), (0.996, ">99%"), (None, "–"), (-0.2, "−20%")],
)
def test_percent_rounds_half_up_and_says_what_is_undefined(x, text):
    assert wording.percent(x) == text


@pytest.mark.parametrize(
    ("ends", "text"),
    [
        ((0.46, 0.54), "46–54"),
        ((-0.03, 0.02), "−3 to 2"),
        ((0, 1), "0–100"),
        ((0.001, 0.004), "<1"),
        ((0.996, 1), ">99"),
    ],
)
def test_an_interval_reads_as_people_write_it(ends, text):
    assert wording.interval(*ends) == text


def _headline(theta, *, n_rows=600, width=0.08, weights=ADHERENCE):
    worlds = _worlds(np.array(theta))
    g = sum(weights[w] * worlds[w] for w in WORLDS)
    t = worlds["hit_right"] + worlds["miss_right"]
    return sentences.plain(
        sentences.headline(
            n_rows=n_rows,
            worlds=worlds,
            task=(t, t - width / 2, t + width / 2),
            policy=(g, g - width / 2, g + width / 2),
            weights=weights,
        )
    )


QWEN = [0.2078, 0.4632, 0.0360, 0.4447, 0.6809]


def test_the_headline_can_be_pasted_into_a_report():
    assert _headline(QWEN) == (
        "Of 100 queries, 33 get a correct answer (29–37); "
        "the generator does the right thing in 50 (46–54)."
    )


def test_a_wide_interval_turns_the_headline_into_a_range():
    text = _headline(QWEN, n_rows=12, width=0.4)
    assert text.startswith("12 rows say little yet: of 100 queries, between 13 and 53")
    assert _headline(QWEN, n_rows=1, width=0.4).startswith("1 row says little yet")


def test_many_rows_that_leave_much_open_lack_labels_and_not_rows():
    text = _headline(QWEN, n_rows=3_000_000_003, width=0.4)
    assert text.startswith("The labels leave much open: of 100 queries, between 13 and 53 get")


def test_what_a_vague_finding_does_settle_is_one_number():
    worlds = _worlds(np.array(QWEN))
    text = sentences.plain(
        sentences.headline(
            n_rows=500,
            worlds=worlds,
            task=(0.33, 0.329, 0.331),
            policy=(0.5, 0.2, 0.8),
            weights=ADHERENCE,
        )
    )
    assert "of 100 queries, 33 get a correct answer; the generator" in text


def test_without_labels_the_headline_calls_its_numbers_the_prior():
    assert _headline(QWEN, n_rows=0, width=0.9).startswith("No labels yet.")


def test_a_utility_is_not_called_a_share_of_queries():
    weights = dict.fromkeys(WORLDS, 0.0) | {"hit_right": 1.0, "miss_wrong": -1.0}
    assert "utility is −0.10 a query (−0.14 to −0.06)" in _headline(QWEN, weights=weights)


def test_presets_of_the_wording_are_those_of_the_policies():
    for name, weights in POLICY_PRESETS.items():
        ones = {w for w, g in zip(WORLDS, weights, strict=True) if g == 1}
        assert ones == set(words.PRESETS[name])


@given(policies)
def test_every_yes_or_no_policy_has_a_kind_that_says_so(weights):
    kind = words.policy_kind(dict(zip(WORLDS, weights, strict=True)))
    assert kind in (*words.PRESETS, "binary")


def test_the_words_cover_every_world():
    assert set(words.WORLD_WORDS) == set(LEAVES) == set(WORLDS)


def test_declining_is_right_only_where_the_policy_says_so():
    assert words.leaf_words("miss_abstained", is_right=True) == "no evidence, rightly declined"
    assert words.leaf_words("miss_abstained", is_right=False) == "no evidence, declined"


def test_labels_behind_a_branch_are_told_apart():
    line = wording.label_line("T", rows=1376, labelled=310, judged=20, possible=12)
    assert line == "T on 310 of 1,376; 20 judge only; 12 may belong here"
    assert wording.label_line("R", rows=600, labelled=600, judged=0, possible=0) == (
        "R on 600 of 600 rows"
    )
    assert wording.label_line("A", rows=0, labelled=0, judged=0, possible=0) == "no rows"


@pytest.mark.parametrize(
    ("x", "text"),
    [(0.1049, "0.105"), (0.0005, "0.001"), (0.0, "0.000"), (-0.0312, "\N{MINUS SIGN}0.031"),
     (0.9994, "0.999"), (0.9996, "1.00"), (2.345, "2.35")],
)  # fmt: skip
def test_widths_have_three_decimals_below_1(x, text):
    assert wording.thousandths(x) == text
