"""Whitened HMC: agreement, modes, groups, and that its own mistakes would be noticed."""

import numpy as np
import pytest

from rat_widgets.inference import herd, proposals, sample, surface, walkers
from rat_widgets.inference.convergence import mcse_mean
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.theta import Theta, simulate
from rat_widgets.model.worlds import world_probabilities

JR = Judge("jR", of="retrieval")
JT = Judge("jT", of="task")
TWO = [(JR, 0.9, 0.3), (JT, 0.85, 0.2)]


def statistics(draws):
    """Parameters, their squares, and world probabilities: shape (chain, draw, statistic)."""
    every = np.concatenate([draws.theta, draws.tpr, draws.fpr], axis=-1)
    return np.concatenate([every, every**2, world_probabilities(draws.theta)], axis=-1)


def assert_same_posterior(first, second, sigmas=4.5):
    """Means agree within Monte Carlo error, statistic by statistic."""
    a, b = statistics(first), statistics(second)
    error = np.hypot(mcse_mean(a), mcse_mean(b))
    gap = np.abs(a.mean(axis=(0, 1)) - b.mean(axis=(0, 1)))
    assert (gap < sigmas * error).all(), gap / error


# --- agreement ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strategy", "n", "n0"),
    [("all_joint", 600, 0), ("all_t", 500, 100), ("all_t", 300, 0), ("half_joint_t", 90, 0)],
)
def test_agrees_with_the_exact_engine(counts_of_tables, qwen, strategy, n, n0):
    counts = counts_of_tables([simulate(qwen, n, strategy, n0=n0, seed=1)])
    (draws,) = sample(counts, engine="hmc", draws=8000, seed=1)
    assert max(draws.diagnosis.r_hat.values()) < 1.01
    assert_same_posterior(draws, sample(counts, engine="exact", draws=40_000)[0])


def test_informative_priors_agree_with_the_exact_engine(counts_of_tables, qwen):
    counts = counts_of_tables([simulate(qwen, 60, "half_joint_t", seed=2)])
    spec = {"retrieval_success": (2, 8), "correct_given_miss": (0.7, 3)}
    (draws,) = sample(counts, spec, engine="hmc", draws=8000, seed=1)
    assert_same_posterior(draws, sample(counts, spec, engine="exact", draws=40_000)[0])


def test_two_judges_agree_with_nuts(counts_of_tables, qwen):
    counts = counts_of_tables(
        [simulate(qwen, 500, "judge_only", n0=100, judges=TWO, seed=1)], [JR, JT]
    )
    (draws,) = sample(counts, engine="hmc", seed=1)
    assert draws.diagnosis.ok
    assert_same_posterior(draws, sample(counts, engine="nuts", seed=1)[0])


def test_groups_that_share_a_judge_agree_with_nuts(counts_of_tables, in_groups, qwen, apertus):
    parts = {
        key: counts_of_tables(
            [simulate(theta, 400, "judge_only", n0=n0, judges=TWO[:1], seed=n0)], [JR]
        )
        for key, theta, n0 in (("a", qwen, 80), ("b", apertus, 30))
    }
    every = in_groups(parts)
    for ours, theirs in zip(
        sample(every, engine="hmc", seed=1),
        sample(every, engine="nuts", seed=1),
        strict=True,
    ):
        assert_same_posterior(ours, theirs)


def test_ten_million_rows_are_no_harder_and_give_the_normal_limit(counts_of_tables, qwen):
    few = counts_of_tables(
        [simulate(qwen, 1000, "judge_only", n0=500, judges=TWO, seed=1)], [JR, JT]
    )
    many = PatternCounts(
        judges=few.judges, patterns=few.patterns, counts=few.counts * 10_000_000 // few.n_rows
    )
    (draws,) = sample(many, engine="hmc", seed=1)
    (limit,) = sample(many, engine="laplace", draws=40_000)
    assert many.n_rows > 9_900_000
    assert max(draws.diagnosis.r_hat.values()) < 1.01
    assert_same_posterior(draws, limit)


# --- modes -------------------------------------------------------------------------------


def test_both_mirror_solutions_get_half_of_the_draws_and_a_good_r_hat_hides_neither(
    counts_of_tables, qwen
):
    judges = [JR, Judge("kR", of="retrieval")]
    rates = [(JR, 0.9, 0.15), (judges[1], 0.85, 0.1)]
    counts = counts_of_tables([simulate(qwen, 3000, "judge_only", judges=rates, seed=1)], judges)
    (draws,) = sample(counts, engine="hmc", seed=1)
    better = (draws.tpr[..., 0] > draws.fpr[..., 0]).astype(float)
    assert abs(better.mean() - 0.5) < 4.5 * mcse_mean(better)
    assert mcse_mean(better) < 0.05
    assert {"several_modes", "not_anchored"} <= set(draws.diagnosis.codes)
    assert not draws.diagnosis.ok
    (told,) = sample(counts, {"tpr": (8, 2), "fpr": (2, 8)}, engine="hmc", seed=1)
    assert (told.tpr > told.fpr).all()
    assert "several_modes" not in told.diagnosis.codes


def test_unequal_modes_get_their_share(counts_of_tables, qwen):
    """The mirror image is not symmetric under a prior that leans: its share is known.

    Exchanging TPR and FPR and R leaves the likelihood as it is, so the two shares are as the
    prior of the one mode to that of its image: Beta(a, 1) at p against 1 - p, draw by draw.
    """
    judges = [JR, Judge("kR", of="retrieval")]
    rates = [(JR, 0.9, 0.15), (judges[1], 0.85, 0.1)]
    counts = counts_of_tables([simulate(qwen, 3000, "judge_only", judges=rates, seed=1)], judges)
    (draws,) = sample(counts, {"retrieval_success": (1, 2)}, engine="hmc", draws=8000, seed=1)
    first = (draws.tpr[..., 0] > draws.fpr[..., 0]).astype(float)
    r = sample(counts, {"tpr": (8, 2), "fpr": (2, 8)}, engine="hmc", seed=2)[0].theta[..., 0]
    # With Beta(1, 2) the prior of R is 2 (1 - r): the mode near r weighs (1 - r), its image r.
    share = 1 - r.mean()
    assert abs(first.mean() - share) < 4.5 * mcse_mean(first) + 0.01


# --- seeds and groups --------------------------------------------------------------------


def test_the_same_seed_gives_the_same_draws(counts_of_tables, qwen):
    counts = counts_of_tables(
        [simulate(qwen, 200, "judge_only", n0=40, judges=TWO, seed=1)], [JR, JT]
    )
    first, again, other = (sample(counts, engine="hmc", seed=s)[0].theta for s in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("engine", ["laplace", "hmc"])
def test_a_group_alone_has_the_draws_that_it_has_among_others(counts_of_tables, in_groups, engine):
    """Bit by bit, though they are walked together; the groups differ in patterns and in modes."""
    judges = [Judge("jR", of="retrieval", share="group"), Judge("jT", of="task", share="group")]
    rng = np.random.default_rng(0)
    parts = {}
    for i in range(9):
        theta = Theta.from_array(rng.uniform(0.05, 0.95, 5))
        rates = [(judges[0], 0.9, 0.2), (judges[1], 0.8, 0.3)]
        n, n0 = int(rng.integers(3, 200)), int(rng.integers(0, 30))
        table = simulate(theta, n, "judge_only", n0=n0, judges=rates, seed=i)
        parts[f"g{i}"] = counts_of_tables([table], judges)
    every = in_groups(parts)
    together = sample(every, engine=engine, draws=800, seed=4)
    for i in range(every.n_groups):
        (alone,) = sample(every.group(i), engine=engine, draws=800, seed=4)
        for name in ("theta", "tpr", "fpr"):
            assert np.array_equal(getattr(together[i], name), getattr(alone, name))


def test_draws_come_in_the_chains_asked_for(counts_of_tables, qwen):
    counts = counts_of_tables([simulate(qwen, 80, "all_t", n0=20, seed=1)])
    for n_draws, n_chains in ((16, 4), (1001, 2), (900, 1)):
        (draws,) = sample(counts, engine="hmc", draws=n_draws, chains=n_chains)
        assert draws.theta.shape == (n_chains, -(-n_draws // n_chains), 5)
        assert ((draws.theta > 0) & (draws.theta < 1)).all()


# --- simulation-based calibration --------------------------------------------------------

N_REPLICATIONS = 300
N_RANKS = 20
# Chi-squared with 19 degrees of freedom is above this once in 10,000 times.
WORST_CHI_SQUARED = 50.8


def calibration(judges, priors=None, *, seed=0, n=N_REPLICATIONS):
    """Chi-squared of the ranks of the truth, for each parameter.

    Truths come from flat priors; R, A and T are missing at random, and a part of the rows
    shows verdicts alone. Each posterior is thinned to 19 draws, so that ranks are from 0 to 19
    and uniform when the sampler is right (Talts et al. 2018).
    """
    rng = np.random.default_rng(seed)
    k = len(judges)
    patterns, truths = [], []
    for i in range(n):
        p = rng.random(5 + 2 * k)
        rates = [(judge, p[5 + j], p[5 + k + j]) for j, judge in enumerate(judges)]
        table = simulate(Theta.from_array(p[:5]), 40, judges=rates, seed=seed + i)
        labels = table.astype("Float64").fillna(-1).to_numpy(dtype=float).astype(np.int8)
        labels[:, :3][rng.random((40, 3)) < 0.3] = -1
        labels[25:, [0, 2]] = -1
        patterns.append(np.insert(labels, 3, -1, axis=1))
        truths.append(p)
    counts = np.zeros((n, 40 * n), dtype=np.int64)
    for i in range(n):
        counts[i, 40 * i : 40 * (i + 1)] = 1
    every = PatternCounts(
        by=("replication",),
        groups=tuple((f"{i:04d}",) for i in range(n)),
        judges=tuple(judges),
        patterns=np.concatenate(patterns),
        counts=counts,
    )
    ranks = []
    for truth, draws in zip(
        truths, sample(every, priors, engine="hmc", draws=760, seed=seed), strict=True
    ):
        x = np.concatenate([draws.theta, draws.tpr, draws.fpr], axis=-1)
        thinned = x.reshape(-1, len(truth))[::40]
        ranks.append((thinned < truth).sum(axis=0))
    observed = np.stack([np.bincount(r, minlength=N_RANKS) for r in np.array(ranks).T])
    expected = n / N_RANKS
    return ((observed - expected) ** 2 / expected).sum(axis=1)


OWN = [Judge("jR", of="retrieval", share="group"), Judge("jT", of="task", share="group")]


@pytest.mark.parametrize("judges", [[], OWN])
def test_ranks_of_the_truth_are_uniform(judges):
    assert calibration(judges).max() < WORST_CHI_SQUARED


def test_a_wrong_prior_is_noticed():
    wrong = {"retrieval_success": (4, 2), "tpr": (4, 2)}
    assert calibration(OWN, wrong).max() > WORST_CHI_SQUARED


def test_a_wrong_density_is_noticed(monkeypatch):
    """The surface of another posterior, with its gradient: labels that count three times."""
    value, log_density = surface.Surface._value, surface.Surface._log_density

    def wrong(self, logits):
        right = value(self, logits)
        return surface.Value(3 * right.log_density, 3 * right.gradient)

    monkeypatch.setattr(surface.Surface, "_value", wrong)
    monkeypatch.setattr(surface.Surface, "_log_density", lambda *a: 3 * log_density(*a))
    assert calibration(OWN).max() > WORST_CHI_SQUARED


def without_tries(monkeypatch):
    """Walks from the Gaussians at the modes, by Hamiltonian steps alone."""

    def stay(self, proposal, *, n_steps, n_tries):
        return np.repeat(self.logits[..., None], n_steps, axis=-1), np.ones(len(self.logits))

    monkeypatch.setattr(herd.Herd, "attempt", stay)
    monkeypatch.setattr(walkers, "_weighted_draws", walkers.gaussian_draws)


def test_hamiltonian_steps_alone_give_uniform_ranks(monkeypatch):
    without_tries(monkeypatch)
    monkeypatch.setattr(walkers, "_N_BETWEEN", 1)
    assert calibration(OWN).max() < WORST_CHI_SQUARED


def test_a_wrong_gradient_is_noticed(monkeypatch):
    """A force that is not the slope of the density is hardly ever accepted: walkers stay about
    where the Gaussian put them. (What is accepted is right, so tries would mend it.)
    """
    right = herd.Herd._trajectory

    def wrong(self, *, pull, **rest):
        return right(self, pull=lambda g: -10 * pull(g), **rest)

    without_tries(monkeypatch)
    monkeypatch.setattr(herd.Herd, "_trajectory", wrong)
    assert calibration(OWN, n=3 * N_REPLICATIONS).max() > WORST_CHI_SQUARED


def test_tries_alone_give_uniform_ranks(monkeypatch):
    monkeypatch.setattr(herd.Herd, "step", lambda self, *a, **k: None)
    assert calibration(OWN).max() < WORST_CHI_SQUARED


def test_a_wrong_density_of_the_proposal_is_noticed(monkeypatch):
    right = proposals.Proposal.log_density
    monkeypatch.setattr(proposals.Proposal, "log_density", lambda *a: 2 * right(*a))
    monkeypatch.setattr(herd.Herd, "step", lambda self, *a, **k: None)
    assert calibration(OWN).max() > WORST_CHI_SQUARED
