"""The reversed parametrisation, for one table and for many."""

import numpy as np
import pytest

from rat_widgets.inference.reversed import proposal_shapes, reversed_worlds
from rat_widgets.inference.tally import beta_parameters, label_cubes
from rat_widgets.model.likelihood import log_likelihood
from rat_widgets.model.worlds import world_probabilities

PATTERNS = np.array([(r, a, t) for r in (0, 1, -1) for a, t in ((0, 0), (0, 1), (0, -1), (1, -1))])
RNG = np.random.default_rng(4)
COUNTS = RNG.integers(0, 40, size=(5, len(PATTERNS)))
PRIOR = np.array([(2.0, 3.0), (1.0, 4.0), (0.5, 1.5), (3.0, 1.0), (1.0, 1.0)])
CUBES = label_cubes(PATTERNS, COUNTS)
YES = RNG.uniform(0.05, 0.95, size=(5, len(COUNTS), 7))


def weighed(some):
    shape = proposal_shapes(CUBES[some], PRIOR)
    return reversed_worlds(YES[:, some], 1 - YES[:, some], CUBES[some], PRIOR, shape)


def test_the_worlds_are_those_of_the_original_parameters():
    worlds, _ = weighed(slice(None))
    yes, no = worlds.theta()
    assert yes + no == pytest.approx(1)
    expected = np.moveaxis(world_probabilities(np.moveaxis(yes, 0, -1)), -1, 0)
    masses = (
        worlds.miss_abstained,
        worlds.hit_abstained,
        worlds.miss_wrong,
        worlds.miss_right,
        worlds.hit_wrong,
        worlds.hit_right,
    )
    assert np.array(masses) == pytest.approx(expected)


def test_weights_times_proposals_are_the_posterior_in_the_new_volume():
    """log weight + log proposal - log posterior - log |d theta / d p|, by finite differences."""
    worlds, log_weight = weighed(slice(None))
    shape = proposal_shapes(CUBES, PRIOR)
    theta = worlds.theta()[0]
    log_proposal = _log_betas(shape, np.moveaxis(YES, 0, -1))
    log_prior = _log_betas(PRIOR, np.moveaxis(theta, 0, -1))
    patterns = np.insert(PATTERNS, 3, -1, axis=1)
    likelihood = log_likelihood(patterns, COUNTS[:, None], np.moveaxis(theta, 0, -1))
    off = log_weight + log_proposal - log_prior - likelihood - _log_volume()
    # one constant per table
    assert off - off[:, :1] == pytest.approx(0, abs=1e-5)


def _log_betas(shape, p):
    a, b = shape[..., None, :, 0], shape[..., None, :, 1]
    return ((a - 1) * np.log(p) + (b - 1) * np.log1p(-p)).sum(axis=-1)


def _log_volume():
    step = 1e-6
    columns = []
    shape = proposal_shapes(CUBES, PRIOR)
    for k in range(5):
        ends = []
        for sign in (1, -1):
            moved = YES.copy()
            moved[k] += sign * step
            worlds, _ = reversed_worlds(moved, 1 - moved, CUBES, PRIOR, shape)
            ends.append(worlds.theta()[0])
        columns.append((ends[0] - ends[1]) / (2 * step))
    jacobian = np.moveaxis(np.array(columns), (0, 1), (-1, -2))
    return np.log(np.abs(np.linalg.det(jacobian)))


def test_many_tables_are_weighed_as_each_alone():
    worlds, log_weight = weighed(slice(None))
    for i in range(len(COUNTS)):
        alone, log_alone = weighed(i)
        assert np.array(alone) == pytest.approx(np.array(worlds)[:, i])
        assert log_alone == pytest.approx(log_weight[i])


def test_shapes_of_many_tables_are_those_of_each_alone():
    assert np.array_equal(
        beta_parameters(CUBES, PRIOR), [beta_parameters(cube, PRIOR) for cube in CUBES]
    )
