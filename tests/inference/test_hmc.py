"""Whitened HMC: agreement, modes and groups; its calibration is in `test_calibration`."""

import numpy as np
import pytest

from rat_widgets.inference import sample, surface, threads
from rat_widgets.inference.convergence import mcse_mean
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.simulated_tables import simulate
from rat_widgets.model.theta import Theta
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


def _judged_by(n):
    """Judges by turns of R and of T, the later ones poorer."""
    return [
        (Judge(f"j{i}", of="task" if i % 2 else "retrieval"), 0.95 - 0.02 * i, 0.1 + 0.02 * i)
        for i in range(n)
    ]


def test_many_judges_agree_with_nuts(counts_of_tables, qwen, monkeypatch):
    # More probabilities than a proposal is fitted to.
    judges = _judged_by(6)
    table = simulate(qwen, 100, "judge_only", n0=60, judges=judges, seed=1)
    counts = counts_of_tables([table], [judge for judge, *_ in judges])
    (draws,) = sample(counts, engine="hmc", seed=1)
    assert draws.diagnosis.ok
    (other,) = sample(counts, engine="nuts", draws=1200, seed=1)
    assert_same_posterior(draws, other)
    # As it is where a step costs much: a few walkers go ahead.
    monkeypatch.setattr(surface, "_MUCH_WORK", 0)
    (costly,) = sample(counts, engine="hmc", seed=1)
    assert not np.array_equal(costly.theta, draws.theta)
    assert_same_posterior(costly, other)


def test_the_same_draws_whether_cores_are_many_or_one(counts_of_tables, qwen, monkeypatch):
    # Points of a costly posterior are shared among cores; what is worked out does not depend on it.
    judges = _judged_by(12)
    table = simulate(qwen, 700, "judge_only", n0=60, judges=judges, seed=2)
    counts = counts_of_tables([table], [judge for judge, *_ in judges])
    (draws,) = sample(counts, engine="hmc", draws=400, seed=1)
    monkeypatch.setattr(threads, "_n_threads", lambda: 1)
    (alone,) = sample(counts, engine="hmc", draws=400, seed=1)
    assert np.array_equal(draws.theta, alone.theta)


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
