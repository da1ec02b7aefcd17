"""The likelihood of pattern counts."""

from collections import Counter
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rat_widgets.labels.judges import Judge
from rat_widgets.model.likelihood import log_likelihood, pattern_probabilities, world_memberships
from rat_widgets.model.theta import Theta
from rat_widgets.model.worlds import WORLDS, compatible_worlds

JUDGES = (
    Judge("jR", of="retrieval"),
    Judge("jT", of="task"),
    Judge("jA", of="abstention"),
    Judge("kT", of="task", abstained_rate=0.35),
)

rates = st.floats(0.02, 0.98)
points = st.fixed_dictionaries(
    {
        "theta": st.lists(rates, min_size=5, max_size=5),
        "tpr": st.lists(rates, min_size=4, max_size=4),
        "fpr": st.lists(rates, min_size=4, max_size=4),
    }
)
seen = st.sampled_from([-1, 0, 1])
rows_of_labels = st.lists(
    st.tuples(seen, seen, seen, seen, seen, seen, seen, seen).filter(
        lambda row: not (row[1] == 1 and row[2] == 1)
    ),
    min_size=1,
    max_size=12,
)


def table(rows):
    counter = Counter(rows)
    return np.array(list(counter), dtype=np.int8), np.array(list(counter.values()))


def log_likelihood_of_row(row, point):
    """From the definition: worlds one by one, in plain Python."""
    r, a, t, _, j_r, j_t, j_a, k_t = row
    theta, tpr, fpr = point["theta"], point["tpr"], point["fpr"]
    total = 0.0
    for R in (0, 1):
        for A, T in ((1, 0), (0, 0), (0, 1)):
            if (r >= 0 and r != R) or (a >= 0 and a != A) or (t >= 0 and t != T):
                continue
            p = theta[0] if R else 1 - theta[0]
            abstain = theta[1 + R]
            p *= abstain if A else 1 - abstain
            if not A:
                p *= theta[3 + R] if T else 1 - theta[3 + R]
            yes = [tpr[0] if R else fpr[0], tpr[1] if T else fpr[1], tpr[2] if A else fpr[2]]
            yes.append(0.35 if A else (tpr[3] if T else fpr[3]))
            for of, verdict, q in zip("RTAT", (j_r, j_t, j_a, k_t), yes, strict=True):
                if verdict == -1 or (of == "T" and a == 1):
                    continue
                p *= q if verdict else 1 - q
            total += p
    return log(total)


@given(rows_of_labels, points)
def test_pattern_counts_are_sufficient(rows, point):
    """The sum of the rows' own terms, worlds enumerated by hand, is the counts' likelihood."""
    by_row = sum(log_likelihood_of_row(row, point) for row in rows)
    by_count = log_likelihood(
        *table(rows), *(np.array(point[k]) for k in ("theta", "tpr", "fpr")), judges=JUDGES
    )
    assert by_count == pytest.approx(by_row, rel=1e-10, abs=1e-10)


@given(rows_of_labels, rows_of_labels, points)
def test_the_likelihood_of_two_tables_is_the_product(first, second, point):
    arrays = [np.array(point[k]) for k in ("theta", "tpr", "fpr")]
    one, two, both = (
        log_likelihood(*table(rows), *arrays, judges=JUDGES)
        for rows in (first, second, first + second)
    )
    assert one + two == pytest.approx(both, rel=1e-10, abs=1e-10)


@given(rows_of_labels, points)
def test_relabelling_retrieval_changes_nothing(rows, point):
    """The mirror solution: why something has to anchor R."""
    theta, tpr, fpr = (np.array(point[k]) for k in ("theta", "tpr", "fpr"))
    mirrored = theta[[0, 2, 1, 4, 3]]
    mirrored[0] = 1 - theta[0]
    tpr_mirrored, fpr_mirrored = tpr.copy(), fpr.copy()
    tpr_mirrored[0], fpr_mirrored[0] = fpr[0], tpr[0]
    patterns, counts = table(rows)
    turned = patterns.copy()
    turned[:, 0] = np.where(patterns[:, 0] == -1, -1, 1 - patterns[:, 0])
    assert log_likelihood(patterns, counts, theta, tpr, fpr, judges=JUDGES) == pytest.approx(
        log_likelihood(turned, counts, mirrored, tpr_mirrored, fpr_mirrored, judges=JUDGES),
        rel=1e-10,
        abs=1e-10,
    )


@given(points, st.lists(st.booleans(), min_size=7, max_size=7))
def test_the_patterns_of_one_design_have_total_probability_1(point, shown):
    """Whatever labels are bought on a row, something comes out."""
    columns = [0, 1, 2, 4, 5, 6, 7]
    outcomes = set()
    for world in range(1 << len(columns)):
        row = [-1] * 8
        for i, column in enumerate(columns):
            if shown[i]:
                row[column] = world >> i & 1
        if row[1] == 1 and row[2] == 1:
            continue
        if row[1] == 1:
            row[2] = row[5] = row[7] = -1
        outcomes.add(tuple(row))
    p = pattern_probabilities(
        np.array(sorted(outcomes), dtype=np.int8),
        *(np.array(point[k]) for k in ("theta", "tpr", "fpr")),
        judges=JUDGES,
    )
    assert p.sum() == pytest.approx(1, abs=1e-12)


def test_an_unseen_abstention_leaves_a_task_verdict_some_meaning():
    """Never a factor of 1 for both verdicts: a world that abstained has the FPR."""
    theta = Theta.from_array([0.5, 1, 1, 0.5, 0.5]).as_array()
    verdicts = np.array([[-1, -1, -1, -1, 1], [-1, -1, -1, -1, 0]], dtype=np.int8)
    rates_of = {"tpr": np.array([0.9]), "fpr": np.array([0.2])}
    p = pattern_probabilities(verdicts, theta, **rates_of, judges=(Judge("j", of="task"),))
    np.testing.assert_allclose(p, [0.2, 0.8])
    own = (Judge("j", of="task", abstained_rate=0.6),)
    np.testing.assert_allclose(
        pattern_probabilities(verdicts, theta, **rates_of, judges=own), [0.6, 0.4]
    )


def test_a_seen_abstention_takes_all_meaning_from_a_task_verdict():
    theta = np.full(5, 0.5)
    patterns = np.array(
        [[-1, 1, -1, -1, 1], [-1, 1, -1, -1, 0], [-1, 1, -1, -1, -1]], dtype=np.int8
    )
    p = pattern_probabilities(
        patterns, theta, np.array([0.9]), np.array([0.2]), judges=(Judge("j", of="task"),)
    )
    np.testing.assert_allclose(p, 0.5)


def test_answerable_does_not_enter():
    patterns = np.array([[0, 0, 1, -1], [0, 0, 1, 0], [0, 0, 1, 1]], dtype=np.int8)
    p = pattern_probabilities(patterns, np.full(5, 0.3))
    assert p[0] == p[1] == p[2]


def test_what_cannot_happen_has_log_likelihood_minus_infinity():
    patterns = np.array([[1, 0, 1, -1], [0, 1, -1, -1]], dtype=np.int8)
    never = Theta.from_array([0, 0.5, 0.5, 0.5, 0.5]).as_array()
    assert log_likelihood(patterns, np.array([1, 0]), never) == -np.inf
    assert np.isfinite(log_likelihood(patterns, np.array([0, 1]), never))


def test_leading_dimensions_are_a_batch():
    rng = np.random.default_rng(0)
    theta = rng.random((2, 3, 5))
    patterns = np.array([[1, 0, 1, -1], [-1, 1, -1, -1], [-1, 0, 0, -1]], dtype=np.int8)
    counts = np.array([3, 0, 2])
    batch = log_likelihood(patterns, counts, theta)
    assert batch.shape == (2, 3)
    for i in range(2):
        for j in range(3):
            assert batch[i, j] == pytest.approx(log_likelihood(patterns, counts, theta[i, j]))


def test_no_rows_say_nothing():
    patterns = np.zeros((0, 4), dtype=np.int8)
    assert log_likelihood(patterns, np.zeros(0, dtype=int), np.full(5, 0.2)) == 0


def test_memberships_lie_in_the_compatible_worlds():
    patterns = np.array([[1, -1, -1, -1], [-1, -1, 0, -1], [0, 0, -1, -1]], dtype=np.int8)
    joint = world_memberships(patterns, np.full(5, 0.4))
    np.testing.assert_array_equal(joint > 0, compatible_worlds(patterns))
    named = [{w for w, yes in zip(WORLDS, row, strict=True) if yes} for row in joint > 0]
    assert named[1] == {"miss_abstained", "hit_abstained", "miss_wrong", "hit_wrong"}


def test_numpy_and_jax_agree():
    jnp = pytest.importorskip("jax.numpy")
    rng = np.random.default_rng(1)
    rows = [tuple(row) for row in rng.integers(-1, 2, (200, 8)).tolist()]
    rows = [row for row in rows if not (row[1] == 1 and row[2] == 1)]
    patterns, counts = table(rows)
    theta, tpr, fpr = rng.random((3, 5)), rng.random((3, 4)), rng.random((3, 4))
    here = log_likelihood(patterns, counts, theta, tpr, fpr, judges=JUDGES)
    arrays = (jnp.asarray(x) for x in (patterns, counts, theta, tpr, fpr))
    there = log_likelihood(*arrays, judges=JUDGES, xp=jnp)
    # jax computes in single precision here.
    np.testing.assert_allclose(np.asarray(there), here, rtol=2e-5)
