"""Simulation-based calibration of graded retrieval, with labels missing in several ways."""

import numpy as np
import pytest

from rat_widgets.inference import sample
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors
from rat_widgets.model.worlds import branch_probabilities, world_probabilities

LEVELS = ("none", "partial", "all")
SPEC = {
    "retrieval": (2, 0.7, 3),
    "abstain_given[none]": (3, 1),
    "abstain_given[all]": (0.8, 4),
    "correct_given[partial]": (2, 2),
}
N_DATA_SETS = 300
N_RANKS = 20
# Chi-squared with 19 degrees of freedom is above this once in 10,000 times.
WORST = 50.8


def a_and_r_missing(rng, rows):
    """Each label hidden on a part of the rows; R on the last rows as well."""
    rows[rng.random(rows.shape) < 0.3] = -1
    rows[25:, 0] = -1


def r_always_seen(rng, rows):
    """A and T hidden on a part of the rows."""
    rows[:, 1:][rng.random((len(rows), 2)) < 0.3] = -1


def complete(rng, rows):
    """Nothing hidden."""


def r_never_seen(rng, rows):
    """The levels are classes that nothing but their priors tells apart."""
    rows[:, 0] = -1


def unevenness(engine, hide, believed, *, truth=SPEC, n=N_DATA_SETS, seed=0):
    """Chi-squared of the ranks of each quantity among 19 nearly independent draws.

    Truths come from the prior `truth`, the fit believes another when it is told to. Ranks of
    branches, P(G) and P(T) are uniform on 0 to 19 when the engine is right (Talts et al. 2018).
    """
    rng = np.random.default_rng(seed)
    prior = Priors.from_spec(truth, (), LEVELS).theta_array()
    theta = rng.beta(*prior.T, size=(n, len(prior)))
    patterns = []
    for p in world_probabilities(theta):
        world = rng.choice(9, size=40, p=p)
        level = np.where(world < 3, world, (world - 3) // 2)
        right = (world >= 3) & (world % 2 == 0)
        rows = np.stack([level, world < 3, right], axis=1).astype(np.int8)
        hide(rng, rows)
        patterns.append(np.insert(rows, 3, -1, axis=1))
    every = PatternCounts(
        by=("data set",),
        groups=tuple((f"{i:04d}",) for i in range(n)),
        retrieval_levels=LEVELS,
        patterns=np.concatenate(patterns),
        counts=np.repeat(np.eye(n, dtype=np.int64), 40, axis=1),
    )
    thin = {"exact": 1, "hmc": 40}[engine]
    fits = sample(every, believed, engine=engine, draws=19 * thin, chains=1, seed=seed)
    ranks = [
        (quantities(d.theta[0, ::thin]) < quantities(p)).sum(axis=0)
        for d, p in zip(fits, theta, strict=True)
    ]
    observed = np.stack([np.bincount(r, minlength=N_RANKS) for r in np.array(ranks).T])
    expected = n / N_RANKS
    return ((observed - expected) ** 2 / expected).sum(axis=1)


def quantities(theta):
    """Branches, then P(G) and P(T)."""
    w = world_probabilities(theta)
    g, t = w[..., [0, 1, 8]].sum(axis=-1), w[..., [4, 6, 8]].sum(axis=-1)
    return np.concatenate([branch_probabilities(theta), g[..., None], t[..., None]], axis=-1)


@pytest.mark.parametrize(
    ("engine", "hide"),
    [
        ("exact", complete),
        ("exact", r_always_seen),
        ("hmc", a_and_r_missing),
        ("hmc", r_always_seen),
        ("hmc", r_never_seen),
    ],
)
def test_ranks_of_the_truth_are_uniform(engine, hide):
    assert unevenness(engine, hide, SPEC).max() < WORST


@pytest.mark.parametrize(("engine", "hide"), [("exact", complete), ("hmc", a_and_r_missing)])
def test_a_flat_dirichlet_in_place_of_the_right_one_is_noticed(engine, hide):
    assert unevenness(engine, hide, None, truth={"retrieval": (16, 2, 6)}).max() > WORST


def test_the_levels_upside_down_are_noticed():
    turned = {**SPEC, "retrieval": (3, 0.7, 2)}
    assert unevenness("hmc", a_and_r_missing, turned).max() > WORST
