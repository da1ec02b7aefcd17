"""How fast a posterior comes: exact refits, and NUTS on counts against NumPyro's stock run."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from rat_widgets.inference import sample
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.theta import Theta, simulate

QWEN = Theta.from_array([0.2078, 0.4632, 0.0360, 0.4447, 0.6809])
JUDGE = Judge("jR", of="retrieval")
N_ROWS = 600
N_WARMUP, N_DRAWS, N_CHAINS = 500, 1000, 4


def rows() -> list[dict[str, Any]]:
    """One row per measurement."""
    return [*_exact_rows(), *_nuts_rows()]


def _exact_rows() -> list[dict[str, Any]]:
    found = []
    for name, strategy, n, n0 in (
        ("complete", "all_joint", N_ROWS, 0),
        ("R missing on all rows", "all_t", N_ROWS, 0),
        ("100 joint rows, R missing on 10,000", "all_t", 10_000, 100),
    ):
        counts = _counts(strategy, n, n0=n0)
        seconds = _median_time(lambda counts=counts: sample(counts, engine="exact"), repeats=15)
        found.append(
            {
                "name": f"exact, warm refit: {name} ({n + n0:,} rows)",
                "value": seconds * 1e3,
                "unit": "ms",
            }
        )
    return found


def _nuts_rows() -> list[dict[str, Any]]:
    counts = _counts("all_joint", N_ROWS)
    sample(counts, engine="nuts")
    ours = _median_time(lambda: sample(counts, engine="nuts", seed=1), repeats=5)
    table = simulate(QWEN, N_ROWS, seed=1).astype("Float64").fillna(0).to_numpy(dtype=float)
    _stock(table, seed=0)
    stock = _median_time(lambda: _stock(table, seed=1), repeats=3)
    judged = _counts("judge_only", 500, n0=100, judge=True)
    sample(judged, engine="nuts")
    with_judge = _median_time(lambda: sample(judged, engine="nuts", seed=1), repeats=5)
    return [
        {
            "name": f"nuts, warm refit: complete ({N_ROWS} rows)",
            "value": ours,
            "unit": "s",
            "peer": "NumPyro MCMC.run, one term per row, second call",
            "peer_value": stock,
            "ratio": stock / ours,
        },
        {
            "name": "nuts, warm refit: one judge, 100 joint + 500 judged rows",
            "value": with_judge,
            "unit": "s",
        },
    ]


def _stock(table: np.ndarray, *, seed: int) -> Any:
    """The model as one would first write it in NumPyro; same kernel, chains and draws."""
    import jax
    import numpyro
    from numpyro import distributions as dist
    from numpyro.infer import MCMC, NUTS

    def model(r: Any, a: Any, t: Any) -> None:
        hit = numpyro.sample("retrieval_success", dist.Beta(1, 1))
        with numpyro.plate("retrieval", 2):
            abstain = numpyro.sample("abstain", dist.Beta(1, 1))
            correct = numpyro.sample("correct", dist.Beta(1, 1))
        with numpyro.plate("row", len(r)):
            numpyro.sample("R", dist.Bernoulli(hit), obs=r)
            numpyro.sample("A", dist.Bernoulli(abstain[r]), obs=a)
            with numpyro.handlers.mask(mask=a == 0):
                numpyro.sample("T", dist.Bernoulli(correct[r]), obs=t)

    mcmc = MCMC(
        NUTS(model, target_accept_prob=0.9),
        num_warmup=N_WARMUP,
        num_samples=N_DRAWS,
        num_chains=N_CHAINS,
        chain_method="vectorized",
        progress_bar=False,
    )
    mcmc.run(jax.random.PRNGKey(seed), *table.astype(int).T)
    return jax.block_until_ready(mcmc.get_samples())


def _counts(strategy: str, n: int, *, n0: int = 0, judge: bool = False) -> PatternCounts:
    judges = [(JUDGE, 0.9, 0.3)] if judge else []
    table = simulate(QWEN, n, strategy, n0=n0, judges=judges, seed=1)
    labels = table.astype("Float64").fillna(-1).to_numpy(dtype=float).astype(np.int8)
    return PatternCounts(
        judges=tuple(judge for judge, _, _ in judges),
        patterns=np.insert(labels, 3, -1, axis=1),
        counts=np.ones((1, len(labels)), dtype=np.int64),
    )


def _median_time(call: Callable[[], Any], *, repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return float(np.median(times))
