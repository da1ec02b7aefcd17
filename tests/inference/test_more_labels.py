"""One label more never makes the expected variance larger, exactly.

The posterior of a small table is enumerated from the tables of the exact engine, and the chance
of each outcome of a new label comes from posterior means of world probabilities: no draw is
involved. The variance falls by that of the means to come, which is the law of total variance.
"""

from itertools import product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from rat_widgets.inference.exact import exact_mean_worlds
from rat_widgets.inference.mixture import Mixture
from rat_widgets.inference.tally import label_cube
from rat_widgets.inference.unrecorded import Unrecorded
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors
from rat_widgets.model.worlds import PARAMETERS

WORLDS = [(0, 1, 0), (1, 1, 0), (0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1)]
R, A, T = 0, 1, 2
# Rows as (R, A, T), -1 where not seen: those with A, and those with R.
WITH_A = [(r, a, t) for r, a, t in product((-1, 0, 1), (0, 1), (-1, 0, 1)) if not (a and t >= 0)]
WITH_R = [(r, a, t) for r, a, t in product((0, 1), (-1, 0, 1), (-1, 0, 1)) if not (a == 1 == t)]

priors = st.lists(st.tuples(st.floats(0.2, 6), st.floats(0.2, 6)), min_size=5, max_size=5).map(
    lambda pairs: Priors.from_spec(dict(zip(PARAMETERS, pairs, strict=True)))
)


def tables(rows):
    """Rows with how often they come."""
    return st.dictionaries(st.sampled_from(rows), st.integers(1, 4), max_size=6)


def purchases(rows, labels):
    """A row, and the labels that are bought for it; none that it shows or cannot have."""
    return st.sampled_from(
        [
            (row, bought)
            for row in rows
            for bought in labels
            if all(row[i] == -1 for i in bought) and not (T in bought and row[A] == 1)
        ]
    )


def counts_of(table):
    shown = np.array([(*row, -1) for row in table], dtype=np.int8).reshape(-1, 4)
    return PatternCounts(patterns=shown, counts=np.array([list(table.values())], dtype=np.int64))


def with_row(table, row):
    return table | {row: table.get(row, 0) + 1}


def outcomes(row, bought):
    """What the row may show once it has the labels."""
    found = []
    for values in product((0, 1), repeat=len(bought)):
        new = list(row)
        for i, value in zip(bought, values, strict=True):
            new[i] = value
        if agrees(new).any():
            found.append(tuple(new))
    return found


def agrees(row):
    """Which worlds a row may come from."""
    return np.array([all(s in (-1, w) for s, w in zip(row, x, strict=True)) for x in WORLDS])


def components(counts, prior):
    """Weights, shape (component,), and Betas, shape (component, 5, 2), of the exact posterior."""
    cube = label_cube(counts)
    if cube[:2, -1, 0].any():
        return components_unrecorded(Unrecorded.of(cube, prior))
    mixture = Mixture.of(cube, prior)
    m, u0, u1, u2 = mixture.hidden
    log_weights, betas = [], []
    for k, k0, k1, k2 in product(*(range(n + 1) for n in (m, u0, u1, u2))):
        q, s = k0 + k1, k0 + k1 + k2
        log = mixture.log_ks[k, s] + share(mixture.log_qk[q], k0)
        if mixture.log_sq is not None:
            log += share(mixture.log_sq[s], q)
        log_weights.append(log)
        misses = (m - k, u0 - k0, u1 - k1, u2 - k2)
        added = (
            (k + s, sum(misses)),
            (misses[0], sum(misses[1:])),
            (k, s),
            (misses[2], misses[1]),
            (k1, k0),
        )
        betas.append(mixture.base + np.array(added))
    weights = np.exp(np.array(log_weights) - max(log_weights))
    return weights / weights.sum(), np.array(betas)


def share(log_row, i):
    """Log of the share of one entry of a row of log weights."""
    return log_row[i] - np.logaddexp.reduce(log_row)


def components_unrecorded(mixtures):
    weights, betas = [], []
    for both in product(*(range(len(w)) for w in mixtures.weights)):
        shape, weight = mixtures.base.copy(), 1.0
        for r, (abstained, w) in enumerate(zip(both, mixtures.weights, strict=True)):
            answered = len(w) - 1 - abstained
            weight *= w[abstained]
            shape[1 + r] += (abstained, answered)
            shape[3 + r, 1] += answered
        weights.append(weight)
        betas.append(shape)
    return np.array(weights), np.array(betas)


def mean_and_variance(counts, prior):
    """Of P(R), P(T) and P(G), shape (2, 3): each is (1 - r) U + r V with r, U and V independent."""
    weights, betas = components(counts, prior.theta_array())
    total = betas.sum(axis=-1)
    yes, no = betas[..., 0], betas[..., 1]
    # First and second moments of each probability and of its complement: (2, component, 5).
    p = np.array([yes / total, yes * (yes + 1) / total / (total + 1)])
    q = np.array([no / total, no * (no + 1) / total / (total + 1)])
    right_hit = q[..., 2] * p[..., 4]
    halves = [
        (np.zeros_like(right_hit), np.ones_like(right_hit)),
        (q[..., 1] * p[..., 3], right_hit),
        (p[..., 1], right_hit),
    ]
    r, miss = p[..., 0], q[..., 0]
    both = yes[:, 0] * no[:, 0] / total[:, 0] / (total[:, 0] + 1)
    found = []
    for u, v in halves:
        first = weights @ (miss[0] * u[0] + r[0] * v[0])
        second = weights @ (miss[1] * u[1] + 2 * both * u[0] * v[0] + r[1] * v[1])
        found.append((first, second - first**2))
    return np.array(found).T


def check_one_label_more(table, purchase, prior):
    row, bought = purchase
    worlds = exact_mean_worlds(counts_of(table), prior)
    before, spread = mean_and_variance(counts_of(with_row(table, row)), prior)
    chances, means, variances = [], [], []
    for new in outcomes(row, bought):
        chances.append(worlds[agrees(new)].sum() / worlds[agrees(row)].sum())
        after = mean_and_variance(counts_of(with_row(table, new)), prior)
        means.append(after[0])
        variances.append(after[1])
    chances, means, variances = map(np.array, (chances, means, variances))
    np.testing.assert_allclose(chances.sum(), 1, rtol=1e-12)
    np.testing.assert_allclose(chances @ means, before, rtol=1e-10)
    np.testing.assert_allclose(
        spread - chances @ variances, chances @ (means - before) ** 2, atol=1e-12
    )
    # Up to the last digits of moments below 1.
    assert (chances @ variances <= spread + 1e-13).all()
    return spread - chances @ variances


@given(table=tables(WITH_A), purchase=purchases(WITH_A, [(R,), (T,), (R, T)]), prior=priors)
@settings(max_examples=150)
def test_a_label_of_r_or_t_or_both_never_makes_the_expected_variance_larger(table, purchase, prior):
    check_one_label_more(table, purchase, prior)


@given(table=tables(WITH_R), purchase=purchases(WITH_R, [(A,), (T,)]), prior=priors)
@settings(max_examples=100)
def test_nor_does_one_of_a_or_t_where_a_was_not_recorded(table, purchase, prior):
    check_one_label_more(table, purchase, prior)


@given(table=tables(WITH_A), row=st.sampled_from(WITH_A), prior=priors)
@settings(max_examples=100)
def test_nor_does_one_row_more(table, row, prior):
    """A row with its A, then what it shows beside: all that could have come in its place."""
    seen = [row[i] != -1 for i in (R, A, T)]
    worlds = exact_mean_worlds(counts_of(table), prior)
    before, spread = mean_and_variance(counts_of(table), prior)
    rows = {(x[R] if seen[R] else -1, x[A], x[T] if seen[T] and not x[A] else -1) for x in WORLDS}
    chances = np.array([worlds[agrees(new)].sum() for new in sorted(rows)])
    after = [mean_and_variance(counts_of(with_row(table, new)), prior) for new in sorted(rows)]
    means, variances = np.moveaxis(np.array(after), 1, 0)
    np.testing.assert_allclose(chances @ means, before, rtol=1e-10)
    assert (chances @ variances <= spread + 1e-13).all()


def test_a_label_that_tells_something_makes_it_smaller():
    """The inequality is no mere equality: R on a row that had shown nothing but an answer."""
    table = {(-1, 0, 1): 4, (1, 0, 1): 2, (0, 1, -1): 2}
    gain = check_one_label_more(table, ((-1, 0, -1), (R,)), Priors.flat())
    assert (gain[[0, 2]] > 1e-4).all()
