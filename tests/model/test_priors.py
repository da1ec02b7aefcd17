"""Priors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.judges import Judge
from rat_widgets.model.priors import Beta, Priors, judge_keys
from rat_widgets.model.worlds import PARAMETERS

JUDGES = (Judge("jR", of="retrieval"), Judge("jT", of="task", name="strict"))

positive = st.floats(0.01, 1e6)


@given(st.floats(0.001, 0.999), positive)
def test_mean_and_equivalent_labels_go_there_and_back(mean, labels):
    prior = Beta.from_mean(mean, labels)
    assert prior.mean == pytest.approx(mean, rel=1e-9)
    assert prior.equivalent_labels == pytest.approx(labels, rel=1e-9)


@given(st.floats(0.05, 0.95), st.floats(0.5, 100), st.integers(0, 50), st.integers(0, 50))
def test_equivalent_labels_are_what_the_prior_weighs_against_real_ones(mean, labels, yes, no):
    prior = Beta.from_mean(mean, labels)
    n = yes + no
    posterior_mean = (prior.alpha + yes) / (prior.alpha + prior.beta + n)
    average = (labels * mean + yes) / (labels + n)
    assert posterior_mean == pytest.approx(average, rel=1e-9)


def test_nothing_said_is_flat():
    priors = Priors.from_spec(None, JUDGES)
    assert priors == Priors.flat(JUDGES)
    assert (priors.as_array() == 1).all()
    assert priors.names == (*PARAMETERS, "tpr[jR]", "tpr[strict]", "fpr[jR]", "fpr[strict]")


def test_jeffreys_is_half_everywhere():
    assert (Priors.from_spec("jeffreys", JUDGES).as_array() == 0.5).all()
    assert Priors.jeffreys(JUDGES) == Priors.from_spec("jeffreys", JUDGES)


def test_weak_slopes_the_rates_of_judges_towards_right_and_nothing_else():
    judges = (*JUDGES, Judge("jS", of="task", unknown="unsure"))
    weak = Priors.from_spec("weak", judges)
    assert weak == Priors.weak(judges)
    named = weak.to_dict()
    sloped = {name: named.pop(name) for name in weak.names if name[:3] in ("tpr", "fpr")}
    assert all(pair == ([3, 1] if name[0] == "t" else [1, 3]) for name, pair in sloped.items())
    assert all(pair == [1, 1] for pair in named.values())
    assert len(sloped) == 6
    assert len(named) == len(PARAMETERS) + 2


def test_weak_leaves_a_judge_its_own_prior():
    judge = Judge("a", of="task", prior={"tpr": (8, 2)})
    weak = Priors.from_spec("weak", (judge, *JUDGES))
    assert weak.tpr == (Beta(8, 2), Beta(3, 1), Beta(3, 1))
    assert weak.fpr == (Beta(1, 3),) * 3


def test_weak_keeps_the_levels_of_retrieval_flat():
    levels = ("none", "partial", "all")
    weak = Priors.from_spec("weak", JUDGES[1:], levels)
    assert weak.theta == Priors.flat((), levels).theta


def test_a_mapping_takes_pairs_betas_and_means():
    spec = {
        "retrieval_success": (2, 3),
        "abstain_given_hit": Beta(1, 9),
        "correct_given_hit": {"mean": 0.8, "equivalent_labels": 10},
    }
    array = Priors.from_spec(spec).theta_array()
    np.testing.assert_allclose(array, [(2, 3), (1, 1), (1, 9), (1, 1), (8, 2)])


def test_a_judges_own_prior_counts_unless_the_mapping_overrides_it():
    judges = (
        Judge("a", of="retrieval", prior={"tpr": (8, 2)}),
        Judge("b", of="retrieval", prior={"tpr": (8, 2), "fpr": (2, 8)}),
    )
    own = Priors.from_spec(None, judges)
    assert own.tpr == (Beta(8, 2), Beta(8, 2))
    assert own.fpr == (Beta(1, 1), Beta(2, 8))
    changed = Priors.from_spec({"tpr": (3, 1), "tpr[b]": (5, 5)}, judges)
    assert changed.tpr == (Beta(3, 1), Beta(5, 5))
    assert changed.fpr == own.fpr


@pytest.mark.parametrize(
    ("spec", "match"),
    [
        ({"retrieval": (1, 1)}, "retrieval_success"),
        ({"tpr[nobody]": (1, 1)}, r"tpr\[jR\]"),
        ({"retrieval_success": (0, 1)}, "positive"),
        ({"retrieval_success": (1, float("nan"))}, "positive"),
        ({"retrieval_success": (1, 2, 3)}, "pair"),
        ({"retrieval_success": "flat"}, "pair"),
        ({"retrieval_success": {"mean": 0.5}}, "equivalent_labels"),
        ({"retrieval_success": {"mean": 1, "equivalent_labels": 2}}, "between 0 and 1"),
        ({"retrieval_success": 3}, "pair"),
        ({"retrieval_success": (10**400, 1)}, "finite"),
        ({"retrieval_success": {"mean": 10**400, "equivalent_labels": 2}}, "between 0 and 1"),
    ],
)
def test_a_prior_that_cannot_be_read_is_an_error(spec, match):
    with pytest.raises(ArgumentError, match=match):
        Priors.from_spec(spec, JUDGES)


def test_a_prior_of_another_type_is_an_error():
    with pytest.raises(ArgumentTypeError, match="mapping"):
        Priors.from_spec([1, 2], JUDGES)


def test_rates_of_all_judges_need_a_judge():
    with pytest.raises(ArgumentError, match="not a parameter"):
        Priors.from_spec({"tpr": (1, 1)})


@given(st.lists(st.tuples(positive, positive), min_size=9, max_size=9))
def test_priors_round_trip_through_a_dict(pairs):
    betas = [Beta(*pair) for pair in pairs]
    priors = Priors(
        theta=tuple(betas[:5]), judges=("x]", "y"), tpr=tuple(betas[5:7]), fpr=tuple(betas[7:])
    )
    assert Priors.from_dict(priors.to_dict()) == priors


def test_priors_made_for_more_judges_serve_fewer():
    priors = Priors.from_spec({"tpr[strict]": (9, 1)}, JUDGES)
    one = Priors.from_spec(priors, JUDGES[1:])
    assert one.judges == ("strict",)
    assert one.tpr == (Beta(9, 1),)
    with pytest.raises(ArgumentError, match="other"):
        Priors.from_spec(priors, (Judge("other", of="task"),))


def test_judges_of_one_name_are_told_apart_by_version():
    judges = (
        Judge("a", of="task", name="j", version="1"),
        Judge("b", of="task", name="j", version="2"),
    )
    assert judge_keys(judges) == ("j 1", "j 2")
