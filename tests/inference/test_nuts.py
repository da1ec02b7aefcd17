"""The NUTS engine. Compiling takes seconds per shape: the cases share a few shapes."""

import numpy as np
import pytest

from rat_widgets.inference import exact, sample
from rat_widgets.inference.convergence import ess_bulk, mcse_mean
from rat_widgets.inference.nuts import _starts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.priors import Priors
from rat_widgets.model.simulated_tables import simulate
from rat_widgets.model.worlds import world_probabilities

JR = Judge("jR", of="retrieval")
JT = Judge("jT", of="task")


def statistics(draws):
    """Parameters, their squares, and world probabilities: shape (chain, draw, statistic)."""
    theta = draws.theta
    rates = np.concatenate([draws.tpr, draws.fpr], axis=-1)
    return np.concatenate([theta, theta**2, rates, rates**2, world_probabilities(theta)], axis=-1)


def assert_same_posterior(first, second, sigmas=4.5):
    """Means agree within Monte Carlo error, statistic by statistic."""
    a, b = statistics(first), statistics(second)
    error = np.hypot(mcse_mean(a), mcse_mean(b))
    gap = np.abs(a.mean(axis=(0, 1)) - b.mean(axis=(0, 1)))
    assert (gap < sigmas * error).all(), gap / error


@pytest.mark.parametrize(
    ("strategy", "n", "n0"), [("all_joint", 600, 0), ("all_t", 500, 100), ("t_then_r", 300, 30)]
)
def test_agrees_with_the_exact_engine(counts_of_tables, qwen, strategy, n, n0):
    counts = counts_of_tables([simulate(qwen, n, strategy, n0=n0, seed=1)])
    (nuts,) = sample(counts, engine="nuts", seed=1)
    assert nuts.diagnosis.ok
    assert_same_posterior(nuts, sample(counts, engine="exact", draws=40_000)[0])


def test_informative_priors_agree_with_the_exact_engine(counts_of_tables, qwen):
    counts = counts_of_tables([simulate(qwen, 60, "half_joint_t", seed=2)])
    spec = {
        "retrieval_success": (2, 8),
        "correct_given_miss": (0.7, 3),
        "abstain_given_hit": (1, 20),
    }
    (nuts,) = sample(counts, spec, engine="nuts", seed=1)
    assert_same_posterior(nuts, sample(counts, spec, engine="exact", draws=40_000)[0])


@pytest.mark.parametrize("rows", [[], [(-1, -1, -1)] * 7])
def test_without_labels_it_draws_the_prior(counts_of, rows):
    (nuts,) = sample(counts_of(rows), engine="nuts", seed=2)
    mean, error = nuts.theta.mean(axis=(0, 1)), mcse_mean(nuts.theta)
    assert (np.abs(mean - 0.5) < 4.5 * error).all()
    squared = nuts.theta**2
    assert (np.abs(squared.mean(axis=(0, 1)) - 1 / 3) < 4.5 * mcse_mean(squared)).all()
    assert nuts.diagnosis.codes == ("no_labels",)


def test_auto_passes_on_what_exact_cannot_weigh(counts_of_tables, qwen, monkeypatch):
    monkeypatch.setattr(exact, "MAX_CELLS", 0)
    strong = {"correct_given_hit": (4000, 10), "correct_given_miss": (10, 4000)}
    counts = counts_of_tables([simulate(qwen, 2000, "all_t", n0=20, seed=1)])
    (draws,) = sample(counts, strong)
    assert draws.engine == "hmc"
    assert "too uneven" in draws.reason


def test_the_same_seed_gives_the_same_draws_alone_and_among_others(
    counts_of_tables, in_groups, qwen
):
    parts = {k: counts_of_tables([simulate(qwen, 90, seed=i)]) for i, k in enumerate("ab")}
    every = in_groups(parts)
    together = sample(every, engine="nuts", seed=3)
    alone = sample(every.group(1), engine="nuts", seed=3)
    assert np.array_equal(together[1].theta, alone[0].theta)
    assert not np.array_equal(together[0].theta, together[1].theta)


def test_draws_are_double_precision_and_jax_is_left_as_it_was(counts_of_tables, qwen):
    import jax

    before = dict(jax.config.values)
    (draws,) = sample(counts_of_tables([simulate(qwen, 600, seed=1)]), engine="nuts")
    assert dict(jax.config.values) == before
    assert jax.numpy.ones(2).dtype == np.float32
    # Single precision has 2^24 values in [1/2, 1): these draws hold digits beyond them.
    assert draws.theta.dtype == np.float64
    assert (draws.theta.astype(np.float32).astype(float) != draws.theta).mean() > 0.9


def test_ten_million_rows_are_no_harder(counts_of_tables, qwen):
    """Where single precision gives chains that never mix, without a divergence."""
    counts = counts_of_tables([simulate(qwen, 1000, "all_t", n0=500, seed=1)])
    many = type(counts)(patterns=counts.patterns, counts=counts.counts * 10_000)
    (nuts,) = sample(many, engine="nuts", seed=1)
    assert max(nuts.diagnosis.r_hat.values()) < 1.02
    assert_same_posterior(nuts, sample(many, engine="exact", draws=40_000)[0])


# --- judges ------------------------------------------------------------------------------


def log_posterior(counts, x):
    """Independent of the package's likelihood: worlds by hand, flat priors, logit Jacobian.

    `x`: logits, shape (walker, 5 + 2 * judge), TPRs before FPRs.
    """
    p = 1 / (1 + np.exp(-x))
    n_judges = len(counts.judges)
    total = (np.log(p) + np.log1p(-p)).sum(axis=1)
    for row, n in zip(counts.patterns, counts.counts[0], strict=True):
        seen = 0.0
        for hit, abstained, right in (
            (0, 1, 0),
            (1, 1, 0),
            (0, 0, 0),
            (0, 0, 1),
            (1, 0, 0),
            (1, 0, 1),
        ):
            if any(
                v >= 0 and v != w for v, w in zip(row[:3], (hit, abstained, right), strict=True)
            ):
                continue
            term = p[:, 0] if hit else 1 - p[:, 0]
            term = term * (p[:, 1 + hit] if abstained else 1 - p[:, 1 + hit])
            if not abstained:
                term = term * (p[:, 3 + hit] if right else 1 - p[:, 3 + hit])
            for j, judge in enumerate(counts.judges):
                verdict = row[4 + j]
                if verdict >= 0:
                    truth = {"retrieval": hit, "task": right, "abstention": abstained}[judge.of]
                    yes = p[:, 5 + j] if truth else p[:, 5 + n_judges + j]
                    term = term * (yes if verdict else 1 - yes)
            seen = seen + term
        total = total + n * np.log(seen)
    return total


def reference(counts, start, seed=0, n_walkers=400, n_steps=1500):
    """A plain affine-invariant ensemble (stretch moves) on `log_posterior`; second half kept."""
    rng = np.random.default_rng(seed)
    x = start + 0.3 * rng.standard_normal((n_walkers, start.size))
    lp = log_posterior(counts, x)
    half = n_walkers // 2
    kept = []
    for step in range(n_steps):
        for mine, others in (
            (slice(0, half), slice(half, None)),
            (slice(half, None), slice(0, half)),
        ):
            z = (1 + rng.random(half)) ** 2 / 2
            partner = x[others][rng.integers(half, size=half)]
            proposal = partner + z[:, None] * (x[mine] - partner)
            new = log_posterior(counts, proposal)
            accept = np.log(rng.random(half)) < (start.size - 1) * np.log(z) + new - lp[mine]
            x[mine] = np.where(accept[:, None], proposal, x[mine])
            lp[mine] = np.where(accept, new, lp[mine])
        if step >= n_steps // 2:
            kept.append(1 / (1 + np.exp(-x)))
    return np.stack(kept, axis=1)


def assert_like_reference(draws, counts, seed=0):
    n_judges = len(counts.judges)
    start = np.concatenate([draws.theta, draws.tpr, draws.fpr], axis=-1).mean(axis=(0, 1))
    walkers = reference(counts, np.log(start / (1 - start)), seed)
    here = statistics(draws)
    theta, rates = walkers[..., :5], walkers[..., 5:]
    there = np.concatenate([theta, theta**2, rates, rates**2, world_probabilities(theta)], axis=-1)
    assert n_judges
    error = np.hypot(mcse_mean(here), mcse_mean(there))
    gap = np.abs(here.mean(axis=(0, 1)) - there.mean(axis=(0, 1)))
    assert (gap < 4.5 * error).all(), gap / error
    # The comparison is sharp: errors are a small part of the posterior's own width.
    assert (error < 0.1 * here.std(axis=(0, 1))).all()


@pytest.mark.parametrize("engine", ["nuts", "hmc"])
def test_a_judge_of_retrieval_agrees_with_an_independent_sampler(counts_of_tables, apertus, engine):
    rates = [(JR, 0.9, 0.4)]
    tables = [simulate(apertus, 800, "judge_only", n0=120, judges=rates, seed=1)]
    counts = counts_of_tables(tables, [JR])
    (draws,) = sample(counts, engine=engine, draws=8000, seed=1)
    assert draws.engine == engine
    assert draws.diagnosis.ok
    assert_like_reference(draws, counts)


@pytest.mark.parametrize("engine", ["nuts", "hmc"])
def test_judges_of_task_and_abstention_with_abstention_unseen_agree_too(counts_of, qwen, engine):
    """A missing on the judged rows: a T-judge then has its FPR in worlds that abstained."""
    judges = [JT, Judge("jA", of="abstention")]
    table = simulate(qwen, 500, judges=[(JT, 0.85, 0.2), (judges[1], 0.9, 0.1)], seed=3)
    rows = table.astype("Float64").fillna(-1).to_numpy(dtype=float)
    rng = np.random.default_rng(0)
    abstained = rows[:, 1] == 1
    rows[abstained, 3] = rng.random(abstained.sum()) < 0.2
    rows[100:, :3] = -1
    counts = counts_of(rows, judges)
    (draws,) = sample(counts, engine=engine, draws=8000, seed=1)
    assert_like_reference(draws, counts)


@pytest.mark.parametrize("engine", ["nuts", "hmc"])
def test_a_shared_judge_is_fitted_once_for_all_groups(
    counts_of_tables, in_groups, qwen, apertus, engine
):
    """One group has the labels, the other only verdicts: the rates are learnt in the first."""
    rates = [(JR, 0.9, 0.2)]
    first = counts_of_tables([simulate(qwen, 0, n0=600, judges=rates, seed=1)], [JR])
    second = counts_of_tables([simulate(apertus, 2000, "judge_only", judges=rates, seed=2)], [JR])
    a, b = sample(in_groups({"a": first, "b": second}), engine=engine, seed=1)
    assert np.array_equal(a.tpr, b.tpr)
    assert a.diagnosis.r_hat["tpr[jR]"] < 1.02
    assert b.theta[..., 0].mean() == pytest.approx(0.2072, abs=4 * b.theta[..., 0].std())
    assert b.theta[..., 0].std() < 0.05
    assert a.counts.n_rows == 600


@pytest.mark.parametrize("engine", ["nuts", "hmc"])
def test_a_judge_with_few_labels_does_not_fall_into_a_false_mode(counts_of_tables, apertus, engine):
    rates = [(JR, 0.95, 0.5)]
    tables = [simulate(apertus, 5000, "judge_only", n0=40, judges=rates, seed=4)]
    (draws,) = sample(counts_of_tables(tables, [JR]), engine=engine, seed=1)
    assert max(draws.diagnosis.r_hat.values()) < 1.02
    assert draws.diagnosis.n_divergent < 10


def test_both_mirror_solutions_are_shown_when_nothing_anchors_the_truth(counts_of_tables, qwen):
    """Two good judges, many verdicts, no label: TPR and FPR may be exchanged."""
    judges = [JR, Judge("kR", of="retrieval")]
    rates = [(JR, 0.9, 0.15), (judges[1], 0.85, 0.1)]
    counts = counts_of_tables([simulate(qwen, 3000, "judge_only", judges=rates, seed=1)], judges)
    (draws,) = sample(counts, engine="nuts", seed=1)
    better = (draws.tpr > draws.fpr).mean(axis=(1, 2))
    assert {round(x) for x in better} == {0, 1}
    assert {"r_hat", "not_anchored"} <= set(draws.diagnosis.codes)
    assert not draws.diagnosis.ok
    (told,) = sample(counts, {"tpr": (8, 2), "fpr": (2, 8)}, engine="nuts", seed=1)
    assert (told.tpr > told.fpr).all()
    assert max(told.diagnosis.r_hat.values()) < 1.02


def test_em_starts_at_a_mode(counts_of_tables, apertus):
    """No step in any direction from the EM point improves the density much."""
    counts = counts_of_tables(
        [simulate(apertus, 2000, "judge_only", n0=100, judges=[(JR, 0.9, 0.3)], seed=1)], [JR]
    )
    ((x,),) = _starts(counts, Priors.flat([JR]), 1)
    around = np.concatenate([x[None], x + 0.1 * np.eye(7), x - 0.1 * np.eye(7)])
    density = log_posterior(counts, around)
    assert density[0] > density[1:].max() - 0.01


def test_bulk_ess_is_that_of_the_draws(counts_of_tables, qwen):
    (draws,) = sample(counts_of_tables([simulate(qwen, 600, seed=1)]), engine="nuts", seed=5)
    assert draws.diagnosis.ess_bulk["retrieval_success"] == pytest.approx(
        ess_bulk(draws.theta[..., 0])
    )
