"""Weighted draws near the modes: against a closed form, and against walks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln, gammaln

import rat_widgets as rat
from rat_widgets.inference import ess_bulk, mcse_mean, sample
from rat_widgets.inference.weighted import normalised, refusal, weighted
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors

J = rat.Judge("j", of="retrieval")
# R and the verdict of rows that show both, and of rows that show the verdict alone.
SEEN = [[r, -1, -1, -1, v] for r in (0, 1) for v in (0, 1)]
UNSEEN = [[-1, -1, -1, -1, v] for v in (0, 1)]

few, more = st.integers(0, 12), st.integers(0, 30)


def exact_mean(seen, unseen):
    """E[P(R=1)]: a sum over how many of the verdicts alone are of hits."""
    (n00, n01, n10, n11), (m0, m1) = seen, unseen
    k0, k1 = np.meshgrid(np.arange(m0 + 1), np.arange(m1 + 1), indexing="ij")
    hits, misses = n10 + n11 + k0 + k1, n00 + n01 + m0 + m1 - k0 - k1
    log = betaln(1 + hits, 1 + misses)
    log = log + betaln(1 + n11 + k1, 1 + n10 + k0) + betaln(1 + n01 + m1 - k1, 1 + n00 + m0 - k0)
    for m, k in ((m0, k0), (m1, k1)):
        log = log + gammaln(m + 1) - gammaln(k + 1) - gammaln(m - k + 1)
    weight = np.exp(log - log.max())
    return float((weight * (1 + hits) / (2 + hits + misses)).sum() / weight.sum())


@settings(max_examples=40)
@given(st.tuples(few, few, few, few), st.tuples(more, more))
def test_the_mean_is_that_of_the_closed_form(seen, unseen):
    counts = PatternCounts.from_patterns(SEEN + UNSEEN, [*seen, *unseen], judges=[J])
    prior = Priors.from_spec(None, [J]).as_array()
    assert (prior[[0, 5, 6]] == 1).all()  # what the closed form takes for granted
    (found,) = weighted(counts, Priors.from_spec(None, [J]), n_draws=4096, seed=1)
    r = found.draws.theta[0, :, 0]
    mean = found.weight @ r
    # Delta method for a ratio of sums; a fraction too small says that it does not hold.
    error = np.sqrt((found.weight**2) @ (r - mean) ** 2)
    if found.fraction > 0.1:
        assert abs(mean - exact_mean(seen, unseen)) < 5 * error


def graded(**keywords):
    return rat.Judge("j", of="task", levels=(0, 1, 2, 3), **keywords)


GRADES = {"given_1": (0.05, 0.15, 0.3, 0.5), "given_0": (0.5, 0.3, 0.15, 0.05)}
KINDS = {
    "plain": (J, {"of": "retrieval", "tpr": 0.9, "fpr": 0.2}, {}),
    "graded": (graded(), {"of": "task", "levels": (0, 1, 2, 3), **GRADES}, {}),
    "in order": (graded(monotone=True), {"of": "task", "levels": (0, 1, 2, 3), **GRADES}, {}),
    "dependent": (
        rat.Judge("j", of="task", depends_on="retrieval"),
        {
            "of": "task",
            "depends_on": "retrieval",
            "tpr": {"hit": 0.9, "miss": 0.8},
            "fpr": {"hit": 0.1, "miss": 0.4},
        },
        {},
    ),
    "above chance": (J, {"of": "retrieval", "tpr": 0.7, "fpr": 0.4}, {"constraint": "tpr>fpr"}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_means_and_widths_are_those_of_a_walk(apertus, kind):
    judge, how, constraint = KINDS[kind]
    df = rat.simulate(apertus, 400, "judge_only", n0=60, judges={"j": how}, seed=3)
    counts = rat.Labels.from_frame(df, judges=[judge]).counts
    priors = Priors.from_spec(None, [judge])
    assert refusal(counts, priors) is None
    (found,) = weighted(counts, priors, n_draws=32768, seed=1, **constraint)
    (walked,) = sample(counts, engine="hmc", draws=8000, seed=1, **constraint)
    assert found.fraction > 0.2
    assert found.weight.sum() == pytest.approx(1)
    both = (found.draws.theta[0], walked.theta), (found.draws.rates[0], walked.rates)
    for mine, theirs in both:
        for k in range(mine.shape[1]):
            x, y = mine[:, k], theirs[..., k]
            mean = found.weight @ x
            variance = found.weight @ (x - mean) ** 2
            error = np.hypot(np.sqrt(variance / found.n_effective), mcse_mean(y))
            assert abs(mean - y.mean()) < 4.5 * error, (kind, k)
            relative = np.hypot(1 / np.sqrt(found.n_effective), 1 / np.sqrt(ess_bulk(y)))
            assert np.sqrt(variance) == pytest.approx(y.std(), rel=4.5 * relative), (kind, k)


def test_draws_that_break_an_order_weigh_nothing(apertus):
    judge = graded(monotone=True)
    how = {"of": "task", "levels": (0, 1, 2, 3), **GRADES}
    df = rat.simulate(apertus, 400, "judge_only", n0=60, judges={"j": how}, seed=3)
    counts = rat.Labels.from_frame(df, judges=[judge]).counts
    (found,) = weighted(counts, Priors.from_spec(None, [judge]), n_draws=4096, seed=1)
    (rates,) = found.draws.verdict_rates
    one, other = rates.given_1[0], rates.given_0[0]
    rises = (one[:, 1:] * other[:, :-1] >= one[:, :-1] * other[:, 1:]).all(axis=-1)
    every = np.concatenate([found.draws.theta[0], found.draws.rates[0]], axis=-1)
    inside = ((every > 0) & (every < 1)).all(axis=-1)
    assert 0 < rises.sum() < len(rises)
    assert (found.weight[~rises] == 0).all()
    assert (found.weight[rises & inside] > 0).all()
    assert found.n_effective < found.fraction * 4096


def test_a_group_is_drawn_alike_whoever_is_beside_it(apertus, in_groups, counts_of_tables):
    own = rat.Judge("j", of="retrieval", share="group")
    how = {"of": "retrieval", "tpr": 0.9, "fpr": 0.2}
    each = {
        key: counts_of_tables(
            [rat.simulate(apertus, n, "judge_only", n0=30, judges={"j": how}, seed=n)], [own]
        )
        for key, n in (("a", 100), ("b", 240), ("c", 100))
    }
    alone = [
        weighted(in_groups({key: c}), Priors.from_spec(None, [own]), n_draws=512, seed=2)[0]
        for key, c in each.items()
    ]
    together = weighted(in_groups(each), Priors.from_spec(None, [own]), n_draws=512, seed=2)
    for one, other in zip(alone, together, strict=True):
        assert (one.draws.theta == other.draws.theta).all()
        assert (one.weight == other.weight).all()


def test_where_too_much_depends_on_each_other_nothing_is_drawn(apertus):
    judges = [rat.Judge(f"j{k}", of="task", dependence="saturated") for k in range(2)]
    how = {f"j{k}": {"of": "task", "tpr": 0.8, "fpr": 0.2} for k in range(2)}
    df = rat.simulate(apertus, 200, "judge_only", n0=60, judges=how, seed=3)
    counts = rat.Labels.from_frame(df, judges=judges).counts
    (found,) = weighted(counts, Priors.from_spec(None, judges), n_draws=512, seed=1)
    assert found.fraction == found.n_effective == found.weight.sum() == 0


@given(st.lists(st.floats(-800, 800), min_size=1, max_size=30), st.floats(-500, 500))
def test_weights_sum_to_1_whatever_is_added_to_their_logs(logs, shift):
    weight, fraction = normalised(np.array(logs))
    assert weight.sum() == pytest.approx(1)
    assert 1 / len(logs) - 1e-12 <= fraction <= 1 + 1e-12
    again, same = normalised(np.array(logs) + shift)
    assert again == pytest.approx(weight, rel=1e-9, abs=1e-12)
    assert same == pytest.approx(fraction)


def test_where_nothing_is_possible_nothing_weighs():
    weight, fraction = normalised(np.full((2, 3), -np.inf))
    assert (weight == 0).all()
    assert (fraction == 0).all()
