"""Posterior and Posteriors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.derived.posterior import NODES
from rat_widgets.errors import ArgumentError, NoRowsError
from rat_widgets.model.worlds import PARAMETERS, WORLDS


def test_draws_have_the_shape_chain_draw(post):
    for key in [*post.keys(), *WORLDS]:
        assert post[key].shape == (4, 1000)
        assert post[key].dtype == np.float64


@pytest.mark.parametrize(
    "read",
    [
        lambda post: post,
        lambda post: post.with_policy("task_success"),
        lambda post: post.pin(abstain_given_miss=1.0, retrieval_success=0.0),
        lambda post: post.for_these_rows(),
    ],
    ids=["fit", "policy", "pins", "rows"],
)
def test_a_quantity_asked_for_alone_is_the_one_among_all(post, read):
    view = read(post)
    for key, draws in view.quantities().items():
        assert np.array_equal(view[key], draws, equal_nan=True), key


def test_task_and_policy_means_are_the_exact_ones(post, frame):
    """E[P(G)] = E[1-R] E[A-] + E[R] E[1-A+] E[T+] of independent Betas; tolerance 4 MCSE."""
    r, a, t = (frame[c].to_numpy(float, na_value=np.nan) for c in "RAT")

    def mean(yes, among):
        return (1 + np.nansum(yes & among)) / (2 + np.nansum(among))

    answered = (a == 0) & ~np.isnan(t)
    e_r = mean(r == 1, np.ones(len(r), bool))
    e_am, e_ap = mean(a == 1, r == 0), mean(a == 1, r == 1)
    e_tm, e_tp = mean(t == 1, (r == 0) & answered), mean(t == 1, (r == 1) & answered)
    exact = {
        "policy_adherence": (1 - e_r) * e_am + e_r * (1 - e_ap) * e_tp,
        "task_success": (1 - e_r) * (1 - e_am) * e_tm + e_r * (1 - e_ap) * e_tp,
    }
    summary = post.summary()
    for key, value in exact.items():
        assert summary.loc[key, "mean"] == pytest.approx(value, abs=4 * summary.loc[key, "mcse"])


def test_the_summary_has_the_columns_of_the_contract(post):
    summary = post.summary(ci_prob=0.9, ci_kind="hdi")
    assert list(summary.columns) == ["mean", "sd", "lower", "upper", "ess_bulk", "r_hat", "mcse"]
    assert list(summary.index[:5]) == list(rat.Theta.__dataclass_fields__)
    assert (summary["lower"] < summary["mean"]).all()
    assert (summary["mean"] < summary["upper"]).all()
    assert not summary.isna().any(axis=None)


def test_the_world_probabilities_sum_to_one(post):
    assert np.allclose(sum(post[w] for w in WORLDS), 1)


def test_another_policy_reads_the_same_draws(post):
    other = post.with_policy("task_success")
    assert np.array_equal(other["policy_adherence"], post["task_success"])
    assert np.array_equal(other["abstention"], post["abstention"])
    utility = post.with_policy({"hit_right": 1, "miss_wrong": -1})
    assert np.allclose(utility["policy_adherence"], post["hit_right"] - post["miss_wrong"])


def test_an_unknown_key_lists_the_known_ones(post):
    with pytest.raises(ArgumentError, match="lucky_share"):
        post["accuracy"]
    with pytest.raises(ArgumentError, match="answerable="):
        post["over_refusal"]


def test_rows_of_a_settled_world_are_exactly_those_rows(post, frame):
    rows = post.rows("hit_wrong")
    sure = rows[rows["probability"] == 1]
    expected = frame[(frame["R"] == 1) & (frame["A"] == 0) & (frame["T"] == 0).fillna(False)]
    pd.testing.assert_frame_equal(sure.drop(columns="probability"), expected)


def test_rows_that_lack_a_label_are_members_with_a_probability(post, frame):
    rows = post.rows("hit_wrong")
    unsure = rows[rows["probability"] < 1]
    hidden = frame[(frame["R"] == 1) & (frame["A"] == 0) & frame["T"].isna()]
    assert list(unsure.index) == list(hidden.index)
    expected = 1 - post["correct_given_hit"].mean()
    assert unsure["probability"].to_numpy() == pytest.approx(expected, abs=1e-12)


def test_memberships_of_the_six_worlds_sum_to_one(post):
    total = sum(post.membership(w) for w in WORLDS)
    assert np.allclose(total, 1)
    assert np.allclose(post.membership("all"), 1)
    assert np.allclose(post.membership("good") + post.membership("bad"), 1)


@pytest.mark.parametrize("node", NODES)
def test_an_inner_node_is_the_sum_of_its_worlds(post, node):
    assert np.allclose(post.membership(node), sum(post.membership(w) for w in NODES[node]))


def test_an_unknown_node_lists_the_known_ones(post):
    with pytest.raises(ArgumentError, match="miss_answered"):
        post.rows("wrong")


def test_a_posterior_of_counts_has_no_rows_and_says_so(frame):
    alone = rat.fit(rat.Labels.from_frame(frame).counts)
    with pytest.raises(NoRowsError, match="fit a data frame"):
        alone.rows("hit_wrong")


def test_the_same_seed_gives_the_same_draws_and_another_seed_others(frame):
    one, same, other = (rat.fit(frame, seed=s) for s in (1, 1, 2))
    assert np.array_equal(one["task_success"], same["task_success"])
    assert not np.array_equal(one["task_success"], other["task_success"])


def test_groups_are_addressed_by_their_columns(posts):
    assert posts["policy_adherence"].shape == (4, 4, 1000)
    assert list(posts.groups.names) == ["system", "size"]
    one = posts.sel(system="a", size=1)
    assert isinstance(one, rat.Posterior)
    assert one.group == {"system": "a", "size": 1}
    some = posts.sel(system="a")
    assert isinstance(some, rat.Posteriors)
    assert len(some) == 2
    assert len(posts.sel(system=["a", "b"], size=1)) == 2


def test_a_group_that_is_not_there_lists_some_that_are(posts):
    with pytest.raises(ArgumentError, match="a · 0"):
        posts.sel(system="c", size=0)
    with pytest.raises(ArgumentError, match="'system', 'size'"):
        posts.sel(colour="red")


def test_a_group_fitted_alone_is_the_group_fitted_with_others(posts, frame):
    alone = rat.fit(frame[frame["system"] == "a"], by=["system", "size"], seed=3)
    both = posts.sel(system="a", size=0)
    assert np.array_equal(alone.sel(system="a", size=0)["task_success"], both["task_success"])


def test_rows_of_a_group_are_rows_of_that_group(posts):
    rows = posts.sel(system="a", size=1).rows("all")
    assert set(rows["system"]) == {"a"}
    assert set(rows["size"]) == {1}


def test_the_summary_of_groups_is_indexed_by_group_and_quantity(posts):
    summary = posts.summary()
    assert list(summary.index.names) == ["system", "size", "quantity"]
    one = posts.sel(system="b", size=0).summary()
    assert summary.loc[("b", 0, "task_success"), "mean"] == one.loc["task_success", "mean"]


def test_arviz_gets_chain_and_draw_first(post, posts):
    pytest.importorskip("arviz", minversion="1.0", reason="ArviZ 1 needs Python 3.12")
    alone = post.to_arviz()
    assert alone["posterior"]["task_success"].dims == ("chain", "draw")
    assert np.array_equal(alone["posterior"]["task_success"].values, post["task_success"])
    many = posts.to_arviz()["posterior"]
    assert many["task_success"].dims == ("chain", "draw", "group")
    assert np.array_equal(many["task_success"].values[..., 2], posts["task_success"][2])
    assert many["world_probability"].dims == ("chain", "draw", "group", "world")


def test_without_arviz_the_message_names_the_extra(post, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(ImportError, match=r"rat_widgets\[arviz\]"):
        post.to_arviz()


def test_answerability_is_conditioned_on_answerability_and_not_on_r():
    frame = pd.DataFrame(
        {"R": [0, 1] * 50, "A": [1] * 30 + [0] * 70, "T": [0] * 100, "ok": [0] * 40 + [1] * 60}
    )
    post = rat.fit(frame, answerable="ok", seed=1)
    summary = post.summary()
    expected = {"abstention_recall": 31 / 42, "over_refusal": 1 / 62}
    for key, value in expected.items():
        assert summary.loc[key, "mean"] == pytest.approx(value, abs=4 * summary.loc[key, "mcse"])
    precision = post["abstention_precision_answerable"]
    assert ((precision > 0) & (precision <= 1)).all()
    without = rat.fit(frame[["R", "A", "T"]], seed=1)
    assert np.array_equal(without["task_success"], post["task_success"])


probability = st.floats(0, 1)


@given(st.dictionaries(st.sampled_from(PARAMETERS), probability, min_size=1))
def test_pins_are_in_every_draw_and_the_others_keep_theirs(post, pins):
    pinned = post.pin(pins)
    for i, name in enumerate(PARAMETERS):
        kept = post.draws.theta[..., i]
        assert np.array_equal(
            pinned.theta[..., i], np.full_like(kept, pins[name]) if name in pins else kept
        )
    assert np.allclose(sum(pinned[w] for w in WORLDS), 1)
    assert np.array_equal(pinned.unpin()["task_success"], post["task_success"])


@given(probability, probability)
def test_task_success_under_pins_is_the_formula_draw_by_draw(post, miss, hit):
    pinned = post.pin(abstain_given_miss=miss, correct_given_hit=hit)
    r, _, a_hit, t_miss, _ = np.moveaxis(post.draws.theta, -1, 0)
    expected = (1 - r) * (1 - miss) * t_miss + r * (1 - a_hit) * hit
    assert np.allclose(pinned["task_success"], expected, atol=1e-12)
    assert np.allclose(pinned["policy_adherence"], (1 - r) * miss + r * (1 - a_hit) * hit)


def test_a_condition_that_pins_leave_without_mass_is_missing_and_never_an_error(post):
    all_hit = post.pin(retrieval_success=1)
    summary = all_hit.summary()
    empty = ["abstain_given_miss", "correct_given_miss", "unsupported_answering"]
    assert summary.loc[empty].isna().all(axis=None)
    assert not summary.drop(index=empty).isna().any(axis=None)
    assert np.allclose(all_hit["task_success"], all_hit["task_success_given_hit"])
    silent = post.pin(abstain_given_hit=1, abstain_given_miss=1)
    assert silent.summary().loc["selective_accuracy"].isna().all()
    assert silent["task_success"].max() == 0


def test_pins_add_up_and_the_last_one_counts(post):
    both = post.pin(retrieval_success=0.2).pin({"correct_given_hit": 0.5}, retrieval_success=0.9)
    assert both.pins == {"retrieval_success": 0.9, "correct_given_hit": 0.5}
    assert "what if retrieval_success=0.9" in repr(both)
    assert both.with_policy("no_harm").pins == both.pins


@pytest.mark.parametrize(
    "wrong",
    [
        {"retrieval": 0.5},
        {"retrieval_success": 1.5},
        {"retrieval_success": True},
        {"retrieval_success": float("nan")},
        {"retrieval_success": "0.5"},
    ],
)
def test_a_pin_that_cannot_be_is_refused_with_what_can(post, wrong):
    with pytest.raises(ArgumentError, match=r"probability|five can be pinned"):
        post.pin(wrong)
    with pytest.raises(TypeError, match="mapping"):
        post.pin(0.5)
    with pytest.raises(ArgumentError, match=r"mean 0\.7"):
        post.pin(abstain_given_miss=70)


def test_rows_stay_those_of_the_fit_under_pins(post):
    pinned = post.pin(correct_given_hit=0)
    assert np.array_equal(pinned.membership("hit_right"), post.membership("hit_right"))


def test_groups_are_pinned_alike(posts):
    pinned = posts.pin(abstain_given_miss=0.7)
    assert (pinned["abstain_given_miss"] == 0.7).all()
    assert np.array_equal(pinned.unpin()["task_success"], posts["task_success"])


def test_answerability_is_left_out_of_a_what_if():
    frame = pd.DataFrame({"R": [0, 1] * 9, "A": [1, 0, 0] * 6, "T": [0] * 18, "ok": [0, 1, 1] * 6})
    post = rat.fit(frame, answerable="ok")
    assert "over_refusal" in post.summary().index
    assert "over_refusal" not in post.pin(retrieval_success=0.5).summary().index
