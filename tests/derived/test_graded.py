"""Graded retrieval: quantities, policies, pins, nodes, and the ternary trend of appendix C."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.derived.policy import PRESETS
from rat_widgets.derived.quantities import QUANTITIES, quantities_of
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.model.worlds import PARAMETERS, WORLDS

LEVELS = ("none", "partial", "all")
TRUTH = rat.GradedTheta(
    retrieval={"none": 0.25, "partial": 0.35, "all": 0.40},
    abstain_given=(0.6, 0.3, 0.08),
    correct_given=(0.1, 0.45, 0.85),
)


@pytest.fixture(scope="module")
def complete():
    return rat.fit(rat.simulate(TRUTH, 400, seed=3), retrieval_levels=LEVELS)


@pytest.fixture(scope="module")
def partly():
    df = rat.simulate(TRUTH, 500, "all_t", n0=150, seed=4)
    return rat.fit(df, retrieval_levels=LEVELS)


def test_complete_labels_have_closed_form_dirichlet_means(complete):
    df = rat.simulate(TRUTH, 400, seed=3)
    rows = df["R"].value_counts().reindex(LEVELS)
    assert complete.engine == "exact"
    for level in LEVELS:
        p = complete[f"retrieval[{level}]"]
        a, n = 1 + rows[level], 3 + len(df)
        sd = np.sqrt(a * (n - a) / (n**2 * (n + 1)))
        assert abs(p.mean() - a / n) < 5 * sd / np.sqrt(p.size)
        assert p.std() == pytest.approx(sd, rel=5 / np.sqrt(2 * p.size))


@pytest.mark.parametrize("strategy", ["all_joint", "all_r", "half_joint_r", "all_t"])
def test_ternary_trends_come_out_monotone(strategy):
    """Appendix C of the paper: more evidence, fewer abstentions and more right answers."""
    df = rat.simulate(TRUTH, 600, strategy, n0=200, seed=1)
    post = rat.fit(df, retrieval_levels=LEVELS)
    abstain = [post[f"abstain_given[{level}]"].mean() for level in LEVELS]
    correct = [post[f"correct_given[{level}]"].mean() for level in LEVELS]
    assert abstain == sorted(abstain, reverse=True)
    assert correct == sorted(correct)


def test_intervals_hold_the_truth_where_r_is_mostly_missing(partly):
    summary = partly.summary(ci_prob=0.999)
    truth = {f"retrieval[{k}]": v for k, v in TRUTH.retrieval.items()}
    truth |= {f"abstain_given[{k}]": v for k, v in TRUTH.abstain_given.items()}
    truth |= {f"correct_given[{k}]": v for k, v in TRUTH.correct_given.items()}
    for key, value in truth.items():
        assert summary.loc[key, "lower"] <= value <= summary.loc[key, "upper"], key


def test_levels_are_quantities_and_the_rest_speaks_of_the_top_level(partly):
    keys = list(partly.summary().index)
    assert keys[:9] == list(partly.tree.branches)
    assert keys[9:] == [q.key for q in QUANTITIES if q.key not in PARAMETERS]
    worlds = partly.worlds
    p = dict(zip(partly.tree.names, np.moveaxis(worlds, -1, 0), strict=True))
    good = p["all_right"] + p["none_abstained"] + p["partial_abstained"]
    assert np.allclose(partly["policy_adherence"], good)
    right = p["none_right"] + p["partial_right"] + p["all_right"]
    lucky = (p["none_right"] + p["partial_right"]) / right
    assert np.allclose(partly["lucky_share"], lucky)
    assert np.allclose(sum(partly[f"retrieval[{level}]"] for level in LEVELS), 1)


def test_two_levels_read_as_three_with_the_lower_two_merged_agree_on_what_hits_do(complete):
    """Quantities of hits and misses do not know how many levels a miss has."""
    df = rat.simulate(TRUTH, 400, seed=3)
    df["R"] = (df["R"] == "all").astype(int)
    two = rat.fit(df)
    for key in ("task_success_given_hit", "abstention", "selective_accuracy"):
        both = np.concatenate([two[key].ravel(), complete[key].ravel()])
        # Priors differ: Dirichlet(1, 1, 1) has two pseudo-rows below the top, Beta(1, 1) one.
        assert two[key].mean() == pytest.approx(complete[key].mean(), abs=0.25 * both.std() + 0.01)


def test_symbols_name_the_levels():
    symbols = {q.key: q.symbol for q in quantities_of(LEVELS)}
    assert symbols["retrieval[partial]"] == "P(R=partial)"
    assert symbols["correct_given[none]"] == "P(T=1 | A=0, R=none)"
    assert symbols["lucky_share"] == "P(R below all | T=1)"
    assert quantities_of(("miss", "hit")) is QUANTITIES


@pytest.mark.parametrize("name", PRESETS)
def test_presets_of_graded_retrieval_ask_the_same_of_the_top_and_of_what_is_below(name):
    two = dict(zip(WORLDS, PRESETS[name], strict=True))
    graded = rat.Policy.from_spec(name, LEVELS).as_dict()
    for world, weight in graded.items():
        level, end = world.rsplit("_", 1)
        assert weight == two[f"{'hit' if level == 'all' else 'miss'}_{end}"]


def test_a_policy_of_two_levels_is_taken_by_its_name_and_refused_by_its_weights(partly):
    assert partly.with_policy(rat.Policy.from_spec("no_harm")).policy.name == "no_harm"
    with pytest.raises(ArgumentError, match="none_abstained"):
        partly.with_policy(rat.Policy.from_spec({"hit_right": 0.5}))
    with pytest.raises(ArgumentError, match="There is no world 'hit_right'"):
        partly.with_policy({"hit_right": 1})
    custom = partly.with_policy({"all_right": 1, "partial_right": 0.5, "none_abstained": 1})
    assert custom["policy_adherence"].mean() > 0


@settings(max_examples=30, deadline=None)
@given(st.dictionaries(st.sampled_from(LEVELS), st.floats(0.001, 1 / 3), min_size=1, max_size=2))
def test_pinned_levels_are_set_and_the_others_keep_their_proportions(partly, pins):
    moved = partly.pin({f"retrieval[{level}]": value for level, value in pins.items()})
    p = {level: moved[f"retrieval[{level}]"] for level in LEVELS}
    assert np.allclose(sum(p.values()), 1)
    for level, value in pins.items():
        assert np.allclose(p[level], value)
    free = [level for level in LEVELS if level not in pins]
    if len(free) == 2:
        before = [partly[f"retrieval[{level}]"] for level in free]
        assert np.allclose(p[free[0]] * before[1], p[free[1]] * before[0], atol=1e-9)
    assert np.allclose(moved["abstain_given[partial]"], partly["abstain_given[partial]"])


def test_pins_that_do_not_add_up_are_refused_at_once(partly):
    with pytest.raises(ArgumentError, match=r"add up to 1\.2"):
        partly.pin({"retrieval[all]": 0.7, "retrieval[none]": 0.5})
    with pytest.raises(ArgumentError, match=r"add up to 0\.9"):
        partly.pin({f"retrieval[{level}]": 0.3 for level in LEVELS})
    with pytest.raises(ArgumentError, match="These 9 can be pinned"):
        partly.pin(retrieval_success=0.5)
    third = partly.pin({f"retrieval[{level}]": 1 / 3 for level in LEVELS})
    assert np.allclose(third["retrieval[none]"], 1 / 3)


def test_a_level_without_mass_leaves_its_conditionals_undefined(partly):
    moved = partly.pin({"retrieval[all]": 1.0})
    assert np.isnan(moved["abstain_given[none]"]).all()
    assert np.isnan(moved.summary().loc["correct_given[partial]", "mean"])
    assert np.allclose(moved["retrieval[partial]"], 0)


def test_rows_of_a_level_and_of_hits(partly):
    frame = partly.labels.frame
    certain = partly.rows("partial").query("probability == 1")
    assert len(certain) == (frame["R"] == "partial").sum()
    assert len(partly.rows("all").query("probability == 1")) == (frame["R"] == "all").sum()
    inside = partly.membership("hit") + partly.membership("miss")
    assert np.allclose(inside, 1)
    with pytest.raises(ArgumentError, match="partial_answered"):
        partly.rows("hit_right")


def test_priors_of_levels_are_a_dirichlet():
    empty = rat.PatternCounts.from_patterns([[-1, -1, -1]], [0], retrieval_levels=LEVELS)
    alpha = {"none": 2.0, "partial": 3.0, "all": 5.0}
    post = rat.fit(empty, priors={"retrieval": alpha, "abstain_given[all]": (1, 9)}, draws=20_000)
    draws = np.stack([post[f"retrieval[{level}]"].ravel() for level in LEVELS])
    a = np.array(list(alpha.values()))
    error = np.sqrt(a * (10 - a) / (100 * 11) / draws.shape[1])
    assert (np.abs(draws.mean(axis=1) - a / 10) < 5 * error).all()
    covariance = -np.outer(a, a) / (100 * 11) + np.diag(a / 110)
    assert np.cov(draws) == pytest.approx(covariance, abs=5 * 0.02 / np.sqrt(draws.shape[1]))
    assert post["abstain_given[all]"].mean() == pytest.approx(0.1, abs=0.004)


@pytest.mark.parametrize(
    "spec",
    [
        {"retrieval": (1, 1)},
        {"retrieval": {"none": 1, "some": 1, "all": 1}},
        {"retrieval": (1, 0, 1)},
        {"retrieval": "flat"},
        {"retrieval[all]": (1, 1)},
        {"retrieval_success": (1, 1)},
    ],
)
def test_priors_that_fit_no_level_are_refused(spec, partly):
    with pytest.raises(ArgumentError):
        rat.fit(partly.counts, priors=spec)


def test_priors_survive_their_dictionary_and_know_their_levels(partly):
    priors = rat.Priors.from_spec({"retrieval": (2, 3, 5)}, (), LEVELS)
    assert rat.Priors.from_dict(priors.to_dict(), LEVELS) == priors
    assert rat.fit(partly.counts, priors=priors).draws.priors == priors
    with pytest.raises(ArgumentError, match="levels of retrieval"):
        rat.fit(partly.counts, priors=rat.Priors.flat())


def test_answerability_stands_on_its_own_two_levels():
    df = rat.simulate(TRUTH, 300, seed=5).assign(answerable=[0, 1, 1] * 100)
    post = rat.fit(df, retrieval_levels=LEVELS, answerable="answerable")
    assert post.answerability.counts.retrieval_levels == ("miss", "hit")
    assert 0 < post["over_refusal"].mean() < 1


def test_arviz_has_the_worlds_and_levels(complete):
    pytest.importorskip("arviz")
    container = complete.to_arviz()
    assert list(container["posterior"]["world"].values) == list(complete.tree.names)
    assert "retrieval[partial]" in container["posterior"]


@pytest.mark.parametrize(
    ("keywords", "kind"),
    [
        ({"retrieval": (0.2, 0.3, 0.6)}, ArgumentError),
        ({"retrieval": (0.5, 0.5)}, ArgumentError),
        ({"retrieval": 0.5}, ArgumentTypeError),
        ({"abstain_given": (0.2, 0.3, 1.6)}, ArgumentError),
        ({"correct_given": {"none": 0.1}}, ArgumentError),
        ({"levels": ("bad", "good")}, ArgumentError),
        ({"levels": ()}, ArgumentError),
    ],
)
def test_a_graded_theta_that_makes_no_sense_is_refused(keywords, kind):
    fine = {
        "levels": LEVELS,
        "retrieval": (0.2, 0.3, 0.5),
        "abstain_given": (0.5, 0.3, 0.1),
        "correct_given": (0.1, 0.5, 0.9),
    }
    rat.GradedTheta(**fine)
    with pytest.raises(kind):
        rat.GradedTheta(**{**fine, **keywords})


def test_simulated_tables_have_the_levels_of_the_truth():
    df = rat.simulate(TRUTH, 20_000, seed=2)
    assert df["R"].cat.ordered
    assert list(df["R"].cat.categories) == list(LEVELS)
    share = df["R"].value_counts(normalize=True)
    for level, p in TRUTH.retrieval.items():
        assert share[level] == pytest.approx(p, abs=5 * np.sqrt(p * (1 - p) / len(df)))
    hidden = rat.simulate(TRUTH, 100, "all_t", seed=2)
    assert hidden["R"].isna().all()
    bought = rat.simulate(TRUTH, 500, "r_then_t", seed=2)
    assert (bought.loc[bought["T"].notna(), "R"] == "all").all()


@pytest.mark.parametrize("levels", [LEVELS, tuple(f"level {i}" for i in range(10))])
def test_little_data_gives_a_wide_answer(levels):
    for rows in ([], [levels[0]], [None], [levels[-1]] * 3):
        df = pd.DataFrame({"R": rows, "A": [0] * len(rows), "T": [1] * len(rows)}, dtype=object)
        post = rat.fit(df, retrieval_levels=levels)
        summary = post.summary()
        assert not summary["mean"].isna().any()
        assert (summary["upper"] - summary["lower"]).max() > 0.5
        assert post.diagnosis.messages
