"""Simulation-based calibration: truths from the prior, their ranks among the draws uniform.

One test for every engine. A truth comes from the prior and a data set from the truth; the rank
of the truth among 19 draws that are as good as independent is then uniform on 0 to 19 (Talts et
al. 2018). The ranks of each parameter, of P(G) and of P(T) over all data sets are compared with
the uniform distribution by chi-squared with 19 degrees of freedom, and the largest must stay
below `WORST`. All data sets of a run are the groups of one table, fitted in one call.
"""

import itertools

import numpy as np
import pytest

from rat_widgets.inference import bends, herd, proposals, sample, surface, walkers
from rat_widgets.inference.blocks import blocks
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.collapsed import collapse
from rat_widgets.model.simulated_tables import simulate
from rat_widgets.model.theta import Theta
from rat_widgets.model.worlds import PARAMETERS, world_probabilities

N_RANKS = 20
# Chi-squared with 19 degrees of freedom is above this once in 10,000 times; a run has at most
# eleven quantities, so a right engine fails one run in a thousand.
WORST = 50.8
J_R, J_T = (
    Judge("jR", of="retrieval", share="group"),
    Judge("jT", of="task", share="group"),
)

# Draws over all chains, chains, and how many make one that owes nothing to the last.
SETTINGS = {"exact": (19, 1, 1), "laplace": (19, 1, 1), "hmc": (760, 4, 40), "nuts": (95, 1, 5)}


# --- data sets: labels hidden at random given what is seen ---------------------------------


def by_strategy(rng, theta, rates, i):
    """A seen on every row; which labels are bought depends on A and on earlier labels."""
    strategies = ("all_joint", "all_t", "half_joint_t", "t_then_r", "r_then_t", "judge_only")
    strategy, n0 = strategies[i % len(strategies)], int(rng.integers(0, 6))
    return simulate(theta, 20, strategy, n0=n0, judges=rates, seed=i)


def at_random(rng, theta, rates, i, *, n_rows=40):
    """R, A and T each missing on a part of the rows, and the last rows without R and T.

    An abstention is T=0, and its verdict on T that of a wrong answer, before A is hidden: else
    the gap would tell what is in it.
    """
    table = simulate(theta, n_rows, judges=rates, seed=i)
    abstained = table["A"] == 1
    table.loc[abstained, "T"] = 0
    for judge, _, fpr in rates:
        if judge.of == "task":
            table.loc[abstained, judge.column] = (rng.random(abstained.sum()) < fpr).astype(int)
    table.loc[n_rows * 5 // 8 :, ["R", "T"]] = None
    for column in "RAT":
        table.loc[rng.random(n_rows) < 0.3, column] = None
    return table


def few_rows(rng, theta, rates, i):
    """The same with eight rows: a posterior that no Gaussian comes near."""
    return at_random(rng, theta, rates, i, n_rows=8)


def judged_where_seen(rng, theta, rates, i):
    """R and A seen on every row, T on a part of them; verdicts on what is seen."""
    table = simulate(theta, 30, judges=rates, seed=i)
    table.loc[rng.random(30) < 0.3, ["T", "jT"]] = None
    return table


def data_sets(design, judges, *, n, seed=0, shape=1.0, share=1):
    """Truths, shape (n, 5 + 2 * judge), and one table with a group for each of them.

    Parameters come from Beta(shape, shape); `share` groups in a row have the same judges.
    """
    rng = np.random.default_rng(seed)
    k = len(judges)
    truths, patterns = rng.beta(shape, shape, (n, 5 + 2 * k)), []
    truths[:, 5:] = truths[np.arange(n) // share * share, 5:]
    for i, p in enumerate(truths):
        rates = [(judge, p[5 + j], p[5 + k + j]) for j, judge in enumerate(judges)]
        table = design(rng, Theta.from_array(p[:5]), rates, seed + i)
        labels = table.astype("Float64").fillna(-1).to_numpy(dtype=float).astype(np.int8)
        patterns.append(np.insert(labels, 3, -1, axis=1))
    ends = np.cumsum([0, *map(len, patterns)])
    counts = np.zeros((n, ends[-1]), dtype=np.int64)
    for row, (start, end) in zip(counts, itertools.pairwise(ends), strict=True):
        row[start:end] = 1
    groups = tuple((f"{i:04d}",) for i in range(n))
    return truths, PatternCounts(
        by=("data set",),
        groups=groups,
        judges=judges,
        patterns=np.concatenate(patterns),
        counts=counts,
    )


def quantities(p):
    """The parameters, then P(G) and P(T)."""
    worlds = world_probabilities(p[..., :5])
    g, t = worlds[..., 0] + worlds[..., 5], worlds[..., 3] + worlds[..., 5]
    return np.concatenate([p, g[..., None], t[..., None]], axis=-1)


def chi_squared(ranks):
    """Of each column of ranks 0 to 19 against the uniform distribution."""
    expected = len(ranks) / N_RANKS
    observed = np.stack([np.bincount(column, minlength=N_RANKS) for column in np.array(ranks).T])
    return ((observed - expected) ** 2 / expected).sum(axis=1)


def rank(engine, draws, truth):
    """The rank of each quantity of the truth among 19 draws."""
    p = np.concatenate([draws.theta, draws.tpr, draws.fpr], axis=-1)
    n_draws, _, thinning = SETTINGS[engine]
    thinned = quantities(p).reshape(n_draws, -1)[::thinning]
    assert len(thinned) == N_RANKS - 1
    return (thinned < quantities(truth)).sum(axis=0)


def fit(engine, counts, priors, seed):
    n_draws, n_chains, _ = SETTINGS[engine]
    return sample(counts, priors, engine=engine, draws=n_draws, chains=n_chains, seed=seed)


def unevenness(engine, design, judges=(), *, n=300, seed=0, shape=1.0, believed=None):
    """The largest chi-squared of all quantities.

    Truths come from Beta(shape, shape), and so does what the fit believes, but for `believed`.
    """
    truths, every = data_sets(design, judges, n=n, seed=seed, shape=shape)
    rates = ("tpr", "fpr") if judges else ()
    priors = dict.fromkeys((*PARAMETERS, *rates), (shape, shape)) | (believed or {})
    fits = fit(engine, every, priors, seed)
    return chi_squared(
        [rank(engine, draws, truth) for truth, draws in zip(truths, fits, strict=True)]
    ).max()


# --- every engine is calibrated ------------------------------------------------------------

CASES = [
    ("exact", by_strategy, ()),
    ("exact", judged_where_seen, (J_R, J_T)),
    ("hmc", by_strategy, ()),
    ("hmc", at_random, ()),
    ("hmc", at_random, (J_R, J_T)),
    ("nuts", by_strategy, ()),
    ("nuts", at_random, ()),
    ("nuts", at_random, (J_R,)),
]


@pytest.mark.parametrize(("engine", "design", "judges"), CASES)
def test_ranks_of_the_truth_are_uniform(engine, design, judges):
    assert unevenness(engine, design, judges) < WORST


@pytest.mark.parametrize("engine", ["exact", "hmc", "nuts"])
def test_a_wrong_prior_is_noticed(engine):
    """R believed to be found on two thirds of the queries before a row is seen."""
    wrong = {"retrieval_success": (4, 2)}
    assert unevenness(engine, by_strategy, believed=wrong) > WORST


def test_a_wrong_prior_of_a_judge_is_noticed():
    wrong = {"tpr": (4, 2)}
    assert unevenness("hmc", at_random, (J_R, J_T), believed=wrong) > WORST


def test_a_judge_that_groups_share_is_calibrated():
    """Two groups with one judge are one posterior: the ranks are those of the second group."""
    judge = Judge("jR", of="retrieval")
    truths, every = data_sets(at_random, (judge,), n=240, share=2)
    ranks = []
    for i in range(0, every.n_groups, 2):
        _, draws = fit("hmc", every.select([i, i + 1]), None, seed=i)
        ranks.append(rank("hmc", draws, truths[i + 1]))
    assert chi_squared(ranks).max() < WORST


# --- hmc has two ways to move, each right on its own ---------------------------------------


def without_tries(monkeypatch):
    """Walks from the Gaussians at the modes, by Hamiltonian steps alone and not prolonged."""

    def stay(self, proposal, *, n_steps, n_tries):
        return np.repeat(self.logits[..., None], n_steps, axis=-1), np.ones(len(self.logits))

    def near(of, n_steps):
        of.stand(walkers.gaussian_draws(of.block, of.peaks, of.streams, of.logits.shape[2]))
        for i in range(4):
            of.step(3, 0, tuning=1 / (1 + i))
        return walkers._walk_apart(of, proposals.Proposal.at(of.peaks), n_steps, ())

    monkeypatch.setattr(herd.Herd, "attempt", stay)
    monkeypatch.setattr(walkers, "_walk_near", near)
    monkeypatch.setattr(
        walkers,
        "_weighted_draws",
        lambda of, n: walkers.gaussian_draws(of.block, of.peaks, of.streams, n),
    )
    monkeypatch.setattr(walkers, "_SLOW", np.inf)


def without_steps(monkeypatch):
    """Independent tries alone."""
    monkeypatch.setattr(herd.Herd, "step", lambda self, *a, **k: None)


def test_hamiltonian_steps_alone_give_uniform_ranks(monkeypatch):
    without_tries(monkeypatch)
    monkeypatch.setattr(walkers, "_N_BETWEEN", 1)
    monkeypatch.setattr(walkers, "_N_BETWEEN_STRAIGHT", 1)
    assert unevenness("hmc", at_random, (J_R, J_T)) < WORST


def test_tries_alone_give_uniform_ranks(monkeypatch):
    without_steps(monkeypatch)
    assert unevenness("hmc", at_random, (J_R, J_T)) < WORST


def test_a_wrong_density_of_the_proposal_is_noticed(monkeypatch):
    for kind in (proposals.Proposal, bends.Bend):
        right = kind.log_density
        monkeypatch.setattr(kind, "log_density", lambda *a, right=right: 2 * right(*a))
    offer = bends.Bend.offer

    def wrong(self, streams, n):
        angle, log_density = offer(self, streams, n)
        return angle, 2 * log_density

    monkeypatch.setattr(bends.Bend, "offer", wrong)
    without_steps(monkeypatch)
    assert unevenness("hmc", at_random, (J_R, J_T)) > WORST


def test_a_wrong_density_is_noticed(monkeypatch):
    """The surface of another posterior, with its gradient: labels that count three times."""
    value, log_density = surface.Surface._value, surface.Surface._log_density

    def wrong(self, logits):
        return surface.Value(*(3 * part for part in value(self, logits)))

    monkeypatch.setattr(surface.Surface, "_value", wrong)
    monkeypatch.setattr(surface.Surface, "_log_density", lambda *a: 3 * log_density(*a))
    assert unevenness("hmc", at_random, (J_R, J_T)) > WORST


# --- wrong gradients -----------------------------------------------------------------------

# A force that is not the slope of the density keeps a trajectory reversible, so what is accepted
# is right whatever the force, and walkers that get about give the right draws. Those that hardly
# move stay at the Gaussian at the mode, where they start. Ranks show that where this Gaussian is
# a bad one: eight rows and priors that lean on 0 and 1. Independent tries need no gradient and
# mend any, so walkers go by Hamiltonian steps alone where a gradient is to be noticed.
HARD = {"design": few_rows, "judges": (J_R,), "shape": 0.3}


def one_reversed(gradient):
    gradient = gradient.copy()
    gradient[:, 0] *= -1
    return gradient


STUCK = {
    "reversed": lambda gradient: -gradient,
    "ten times": lambda gradient: 10 * gradient,
    "a constant added": lambda gradient: gradient + 10,
}
MENDED = {"half": lambda gradient: gradient / 2}
OTHERS = {"one part reversed": one_reversed}


def spoil(monkeypatch, change):
    right = surface.Surface._value

    def wrong(self, logits):
        log_density, gradient = right(self, logits)
        return surface.Value(log_density, change(gradient))

    monkeypatch.setattr(surface.Surface, "_value", wrong)


def test_hmc_is_calibrated_where_no_gaussian_comes_near():
    assert unevenness("hmc", n=100, **HARD) < WORST
    assert unevenness("laplace", n=200, **HARD) > WORST


@pytest.mark.parametrize("name", STUCK)
def test_a_gradient_that_keeps_walkers_from_moving_is_noticed(monkeypatch, name):
    without_tries(monkeypatch)
    spoil(monkeypatch, STUCK[name])
    assert unevenness("hmc", n=300, **HARD) > WORST


@pytest.mark.parametrize("name", MENDED)
def test_a_gradient_that_only_slows_walkers_down_is_mended(monkeypatch, name):
    without_tries(monkeypatch)
    spoil(monkeypatch, MENDED[name])
    assert unevenness("hmc", n=300, **HARD) < WORST


def error_of_gradient():
    """The largest difference of the gradient from central differences, at 40 points."""
    _, every = data_sets(at_random, (J_R, J_T), n=1)
    (block,) = blocks(collapse(every), np.ones((9, 2)), np.zeros(9, dtype=bool))
    n = len(block.parameters)
    logits = np.random.default_rng(0).standard_normal((1, n, 40))
    gradient, step = block.surface(logits).gradient, 1e-5
    found = []
    for k in range(n):
        away = np.zeros_like(logits)
        away[:, k] = step
        up, down = (block.surface(logits + sign * away).log_density for sign in (1, -1))
        found.append(np.abs((up - down) / (2 * step) - gradient[:, k]).max())
    return max(found)


def test_differences_of_the_density_notice_every_wrong_gradient(monkeypatch):
    # Central differences at 1e-5 of a density of about 100 have errors of 1e-8.
    assert error_of_gradient() < 1e-6
    for change in (STUCK | MENDED | OTHERS).values():
        with monkeypatch.context() as patch:
            spoil(patch, change)
            assert error_of_gradient() > 0.1
