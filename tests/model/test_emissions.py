"""Judges of any kind: their verdicts' probabilities add up, and simple ones are special cases."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.errors import ArgumentError
from rat_widgets.model.collapsed import collapse
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.likelihood import pattern_probabilities
from rat_widgets.model.memberships import memberships, pattern_log_likelihood, row_terms
from rat_widgets.model.verdicts import verdict_rates
from rat_widgets.model.worlds import worlds_of

TWO = ("miss", "hit")
THREE = ("none", "partial", "all")
J = rat.Judge


def graded(**more):
    return J("g", of="retrieval", levels=(0, 1, 2, 3), **more)


CASES = {
    "plain": ((J("a", of="task"), J("b", of="retrieval", unknown="?")), TWO),
    "graded": ((graded(), J("a", of="task")), TWO),
    "graded, unknown": ((graded(unknown="?"),), TWO),
    "task by retrieval": ((J("a", of="task", depends_on="retrieval"),), TWO),
    "retrieval by task": ((J("a", of="retrieval", depends_on="task", unknown="?"),), TWO),
    "task by abstention": ((J("a", of="task", depends_on="abstention"),), TWO),
    "levels by task": ((graded(depends_on="task"),), TWO),
    "saturated": (
        tuple(
            J(name, of=of, dependence="saturated")
            for name, of in (("a", "task"), ("b", "retrieval"), ("c", "task"))
        ),
        TWO,
    ),
    "saturated levels": (
        (
            J("a", of="task", levels=("bad", "so", "good"), dependence="saturated"),
            J("b", of="task", dependence="saturated", unknown="?"),
        ),
        TWO,
    ),
    "abstained": ((J("a", of="task", abstained_rate=0.1, unknown="?"),), TWO),
    "graded retrieval": ((J("a", of="retrieval"), graded()), THREE),
}


def point(judges, levels, seed):
    rng = np.random.default_rng(seed)
    n_theta = len(worlds_of(levels).parameters)
    theta = rng.uniform(0.05, 0.95, n_theta)
    return theta, rng.uniform(0.05, 0.95, len(emissions_of(judges, levels).names))


def every_pattern(judges, levels, shows):
    """All patterns that show these columns: what could have been seen."""
    n = [len(levels), 2, 2, 0, *(judge.n_answers for judge in judges)]
    columns = [range(k) if seen else (-1,) for k, seen in zip(n, shows, strict=True)]
    rows = set()
    for shown in itertools.product(*columns):
        row = list(shown)
        if row[1] == 1:  # an abstention shows neither T nor what judges say of it
            tasks = [4 + i for i, judge in enumerate(judges) if judge.of == "task"]
            for column in (2, *tasks):
                row[column] = -1
        rows.add(tuple(row))
    return np.array(sorted(rows))


@pytest.mark.parametrize("name", CASES)
@given(seed=st.integers(0, 10**6), data=st.data())
@settings(max_examples=10, deadline=None)
def test_what_rows_may_show_has_probability_one(name, seed, data):
    judges, levels = CASES[name]
    shows = data.draw(st.lists(st.booleans(), min_size=4 + len(judges), max_size=4 + len(judges)))
    shows[3] = False
    shows[1] = shows[1] or shows[2]  # which T is asked depends on A
    patterns = every_pattern(judges, levels, shows)
    if not shows[1]:  # hidden abstentions are answers to nobody: their verdicts stay
        patterns = np.unique(patterns, axis=0)
    theta, rates = point(judges, levels, seed)
    total = memberships(patterns, theta, rates, judges, levels).sum()
    assert total == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("name", CASES)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_collapsed_terms_give_the_same_likelihood(name, seed):
    judges, levels = CASES[name]
    theta, rates = point(judges, levels, seed)
    rng = np.random.default_rng(seed)
    n_values = [len(levels), 2, 2, 0, *(judge.n_answers for judge in judges)]
    rows = [[int(rng.integers(-1, n)) if n else -1 for n in n_values] for _ in range(12)]
    rows = [[*row[:2], 0 if row[1] == 1 else row[2], *row[3:]] for row in rows]
    counts = rat.PatternCounts.from_patterns(
        rows, rng.integers(1, 9, 12), judges=judges, retrieval_levels=levels
    )
    collapsed = collapse(counts)
    p = np.concatenate([theta, rates])
    both = np.concatenate([np.log(p), np.log1p(-p)])
    mixed = np.exp(collapsed.exponents @ both + collapsed.log_factor).sum(axis=1)
    ours = collapsed.ones[0] @ np.log(p) + collapsed.zeros[0] @ np.log1p(-p)
    ours += collapsed.rows[0] @ np.log(mixed)
    terms = row_terms(counts.patterns, judges, levels)
    theirs = pattern_log_likelihood(terms, counts.counts[0].astype(float), theta, rates)
    assert ours == pytest.approx(float(theirs), rel=1e-10)


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_plain_judges_are_a_special_case(seed):
    judges, levels = CASES["plain"]
    theta, rates = point(judges, levels, seed)
    terms = row_terms(every_pattern(judges, levels, [True] * 3 + [False] + [True] * 2), judges, TWO)
    patterns = every_pattern(judges, levels, [True] * 3 + [False] + [True] * 2)
    general = terms.place @ (
        terms.factor * np.exp(np.log(rates) @ terms.yes.T + np.log1p(-rates) @ terms.no.T)
    )
    shape = terms.agrees.shape
    unknown = np.array([[0, 0], [rates[5], rates[4]]])
    plain = pattern_probabilities(
        patterns, theta, rates[:2], rates[2:4], unknown=unknown, judges=judges
    )
    from rat_widgets.model.worlds import world_probabilities

    ours = (general.reshape(shape) * world_probabilities(theta)).sum(axis=1)
    np.testing.assert_allclose(ours, plain, rtol=1e-12)


@pytest.mark.parametrize("of", ["retrieval", "task"])
@pytest.mark.parametrize("name", CASES)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=5, deadline=None)
def test_a_relabelled_truth_is_as_probable(name, of, seed):
    """Where nobody labelled the truth, the mirror image explains the rows as well."""
    judges, levels = CASES[name]
    if name in {"abstained", "retrieval by task"} and of == "task":
        return  # an abstention is no right answer, whatever right answers are called
    if name in {"levels by task"} and of == "task":
        return
    if name == "saturated" and of == "task":
        return  # verdicts of retrieval on abstentions
    theta, rates = point(judges, levels, seed)
    from rat_widgets.inference.start import Point

    worlds, emissions = worlds_of(levels), emissions_of(judges, levels)
    here = Point(theta=theta[None], rates=rates[None])
    there = here.mirrored(of, emissions, worlds)
    shows = [of != "retrieval", True, of != "task", False, *[True] * len(judges)]
    patterns = every_pattern(judges, levels, shows)
    if of == "task":
        patterns = patterns[patterns[:, 1] == 0]  # of answers T is hidden, of abstentions known
    one, other = (
        memberships(patterns, p.theta[0], p.rates[0], judges, levels).sum(axis=1)
        for p in (here, there)
    )
    np.testing.assert_allclose(one, other, rtol=1e-9)


def test_tpr_of_a_dependent_judge_is_the_average_over_what_it_depends_on():
    judges, levels = CASES["task by retrieval"]
    theta = np.array([0.3, 0.5, 0.2, 0.4, 0.8])
    emissions = emissions_of(judges, levels)
    rates = dict(zip(emissions.names, (0.9, 0.7, 0.5, 0.1), strict=True))
    # P(R, T=1): miss .7 * .5 * .4 = .14, hit .3 * .8 * .8 = .192.
    found = verdict_rates(emissions, 0, theta, np.array([*rates.values()]), worlds_of(levels))
    miss, hit = rates["tpr_given_miss[a]"], rates["tpr_given_hit[a]"]
    assert found.tpr(1) == pytest.approx((0.14 * miss + 0.192 * hit) / 0.332)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: J("a", of="task", levels=(2, 1, 0)), "out of order"),
        (lambda: J("a", of="task", levels=(1, 1, 2)), "different levels"),
        (lambda: J("a", of="task", levels=(1,)), "From 2 to"),
        (lambda: J("a", of="task", levels=("x", 1)), "numbers that rise, or texts"),
        (lambda: J("a", of="task", levels=(0, 1, 2), cuts=(0.5,)), "`levels` and `cuts`"),
        (lambda: J("a", of="task", cuts=(0.5, 0.2)), "numbers between 0 and 1 that rise"),
        (lambda: J("a", of="task", cuts=(0, 0.5)), "numbers between 0 and 1 that rise"),
        (lambda: J("a", of="task", levels=(0, 1, 2), unknown=2), "outside the order"),
        (lambda: J("a", of="task", depends_on="task"), "'retrieval' or 'abstention'"),
        (lambda: J("a", of="task", depends_on="topic"), "'retrieval' or 'abstention'"),
        (lambda: J("a", of="task", dependence="full"), "'saturated'"),
        (
            lambda: J("a", of="task", depends_on="retrieval", dependence="saturated"),
            "One of them",
        ),
        (lambda: J("a", of="task", monotone=True), "`levels` or `cuts`"),
        (
            lambda: J("a", of="task", levels=(0, 1, 2), prior={"given_1": (1, 2)}),
            "a positive number for each level",
        ),
    ],
)
def test_what_no_judge_can_be_is_refused_with_what_is_accepted(make, says):
    with pytest.raises((ArgumentError, TypeError), match=says):
        make()


def test_too_many_saturated_judges_are_refused_with_a_way_out():
    judges = tuple(J(f"j{i}", of="task", dependence="saturated") for i in range(9))
    with pytest.raises(ArgumentError, match="saturate fewer"):
        emissions_of(judges, TWO)
