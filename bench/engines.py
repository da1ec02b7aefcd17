"""How fast a posterior comes: exact, laplace, hmc and nuts; one group and a thousand."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from rat_widgets.derived.worth import verdict_worth
from rat_widgets.fitting import fit
from rat_widgets.inference import sample
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.labels.table import Labels
from rat_widgets.model.simulated_tables import simulate
from rat_widgets.model.theta import Theta

QWEN = Theta.from_array([0.2078, 0.4632, 0.0360, 0.4447, 0.6809])
JUDGE = Judge("jR", of="retrieval")
N_ROWS = 600
N_WARMUP, N_DRAWS, N_CHAINS = 500, 1000, 4


def rows() -> list[dict[str, Any]]:
    """One row per measurement."""
    return [
        *_exact_rows(),
        *_logit_rows(),
        *_many_rows(),
        _fresh_row(),
        *_nuts_rows(),
        _worth_row(),
        *_many_judges_rows(),
    ]


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


def _logit_rows() -> list[dict[str, Any]]:
    """`laplace` and `hmc` on one group, and effective draws per second against `nuts`."""
    found: list[dict[str, Any]] = []
    for name, counts in (
        ("R missing, 100 joint + 500 rows", _counts("all_t", 500, n0=100)),
        ("two judges, 100 joint + 500 judged rows", _two_judges(500, n0=100)),
        ("two judges, 40 joint + 5,000 judged rows", _two_judges(5000, n0=40)),
    ):
        sample(counts, engine="nuts")
        rates = {}
        for engine in ("laplace", "hmc", "nuts"):
            repeats = 3 if engine == "nuts" else 15
            seconds = _median_time(
                lambda counts=counts, engine=engine: sample(counts, engine=engine, seed=1),
                repeats=repeats,
            )
            (draws,) = sample(counts, engine=engine, seed=1)
            rates[engine] = min(draws.diagnosis.ess_bulk.values()) / seconds
            if engine != "nuts":
                found.append(
                    {"name": f"{engine}, warm: {name}", "value": seconds * 1e3, "unit": "ms"}
                )
        found.append(
            {
                "name": f"hmc, least bulk ESS per second: {name}",
                "value": rates["hmc"],
                "unit": "/s",
                "peer": "nuts on the same counts, warm",
                "peer_value": rates["nuts"],
                "ratio": rates["hmc"] / rates["nuts"],
            }
        )
    return found


def _many_rows() -> list[dict[str, Any]]:
    """A thousand groups in one call, 4,000 draws each."""
    found = []
    for name, engine, counts in (
        ("complete", "auto", _groups("all_joint", [])),
        ("R missing, 60 joint + 300 rows", "auto", _groups("all_t", [])),
        ("R missing, 60 joint + 300 rows", "hmc", _groups("all_t", [])),
        ("two judges each, 60 joint + 300 rows", "hmc", _groups("judge_only", _judges("group"))),
        ("two judges shared, 60 joint + 300 rows", "hmc", _groups("judge_only", _judges("all"))),
    ):
        sample(counts.select(range(2)), engine=engine)
        seconds = _median_time(
            lambda counts=counts, engine=engine: sample(counts, engine=engine), repeats=1
        )
        found.append({"name": f"{engine}, 1,000 groups: {name}", "value": seconds, "unit": "s"})
    return found


def _fresh_row() -> dict[str, Any]:
    """From the start of an interpreter to draws with two judges."""
    code = (
        "import numpy as np\n"
        "from rat_widgets.inference import sample\n"
        "from rat_widgets.labels.counts import PatternCounts\n"
        "from rat_widgets.labels.judges import Judge\n"
        "judges = [Judge('jR', of='retrieval'), Judge('jT', of='task')]\n"
        "rows = [[1, 0, 1, -1, 1, 1], [0, 0, 0, -1, 0, 0], [0, 1, -1, -1, 0],"
        " [-1, 0, -1, -1, 1, 1], [-1, 0, -1, -1, 0, 1], [-1, 0, -1, -1, 0, 0]]\n"
        "counts = PatternCounts.from_patterns(rows, [30, 20, 10, 200, 100, 150], judges=judges)\n"
        "sample(counts, engine='hmc')\n"
    )
    seconds = _median_time(
        lambda: subprocess.run([sys.executable, "-c", code], check=True), repeats=5
    )
    return {"name": "hmc, two judges, in a fresh process", "value": seconds, "unit": "s"}


def _worth_row() -> dict[str, Any]:
    """What verdicts are worth, against the fit that would say it without the approximation."""
    counts = _two_judges(10_000, n0=N_ROWS)
    post = fit(counts)
    seconds = _median_time(lambda: verdict_worth(post), repeats=20)
    refit = _median_time(lambda: fit(counts), repeats=5)
    return {
        "name": "worth of two judges' verdicts, one target",
        "value": seconds * 1e3,
        "unit": "ms",
        "peer": "a refit by hmc",
        "peer_value": refit * 1e3,
        "ratio": refit / seconds,
    }


def _many_judges_rows() -> Iterator[dict[str, Any]]:
    """Plain judges, and judges that err together."""
    for n_judges, n_rows in ((10, 1000), (40, 1000), (40, 5000)):
        judges = [
            (Judge(f"j{i}", of="task" if i % 2 else "retrieval"), 0.9 - i / 200, 0.1 + i / 200)
            for i in range(n_judges)
        ]
        yield _fit_row(f"hmc, {n_judges} judges", judges, n_rows)
    three = [(Judge(f"j{i}", of="task", dependence="saturated"), 0.9, 0.2) for i in range(3)]
    yield _fit_row("hmc, three judges whose errors may depend on anything", three, 1000)


def _fit_row(name: str, judges: Sequence[tuple[Judge, float, float]], n: int) -> dict[str, Any]:
    table = simulate(QWEN, n - 200, "judge_only", n0=200, judges=judges, seed=0)
    counts = Labels.from_frame(table, judges=[judge for judge, *_ in judges]).counts
    seconds = _median_time(lambda: sample(counts, engine="hmc", seed=1), repeats=3)
    return {"name": f"{name}, 200 joint + {n - 200:,} judged rows", "value": seconds, "unit": "s"}


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
    return _of_table(table, [judge for judge, _, _ in judges])


def _judges(share: Any) -> list[Judge]:
    return [Judge("jR", of="retrieval", share=share), Judge("jT", of="task", share=share)]


def _two_judges(n: int, *, n0: int) -> PatternCounts:
    judges = _judges("all")
    rates = [(judges[0], 0.9, 0.3), (judges[1], 0.85, 0.2)]
    return _of_table(simulate(QWEN, n, "judge_only", n0=n0, judges=rates, seed=1), judges)


def _groups(strategy: str, judges: list[Judge], *, n_groups: int = 1000) -> PatternCounts:
    """Systems of every kind, 360 rows each."""
    rng = np.random.default_rng(0)
    rates = list(zip(judges, (0.9, 0.85), (0.2, 0.2), strict=False))
    parts = []
    for i in range(n_groups):
        theta = Theta.from_array(0.05 + 0.9 * rng.beta(2, 2, 5))
        parts.append(_of_table(simulate(theta, 300, strategy, n0=60, judges=rates, seed=i), judges))
    starts = np.cumsum([0, *(len(part.patterns) for part in parts)])
    counts = np.zeros((n_groups, starts[-1]), dtype=np.int64)
    for i, part in enumerate(parts):
        counts[i, starts[i] : starts[i + 1]] = part.counts[0]
    return PatternCounts(
        by=("system",),
        groups=tuple((f"{i:04d}",) for i in range(n_groups)),
        judges=tuple(judges),
        patterns=np.concatenate([part.patterns for part in parts]),
        counts=counts,
    )


def _of_table(table: Any, judges: list[Judge]) -> PatternCounts:
    labels = table.astype("Float64").fillna(-1).to_numpy(dtype=float).astype(np.int8)
    return PatternCounts(
        judges=tuple(judges),
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
