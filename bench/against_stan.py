"""Effective draws per second: our engines on pattern counts against Stan, collapsed and per row.

ESS is the smallest bulk ESS over all parameters. Our seconds are those of a warm call of
`sample`, diagnosis included. Stan's are told in three ways. *As called*: PyStan's `sample` of a
built program, by the clock on the wall, which is what a caller waits for. *By its own clock*:
warm-up and sampling as Stan reports them, without its start and PyStan's transport, shared out
over all cores, though one data set keeps us on one. *Per core*: the same not shared out, beside
our processor time. Per row Stan takes minutes: there its rate is that of the collapsed program by
its own clock, whose posterior is the same, times the ratio of their gradients per second in a
short run.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from pathlib import Path
from typing import Any, Final

import numpy as np

from rat_widgets.errors import EngineError
from rat_widgets.inference import ess_bulk, sample
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.priors import Priors
from rat_widgets.model.simulated_tables import simulate
from rat_widgets.model.theta import Theta

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from stan_equivalents.agreement import APPROXIMATE, engines
from stan_equivalents.cases import Case
from stan_equivalents.programs import Run, parameter_keys, sample_stan

QWEN: Final = Theta.from_array([0.2078, 0.4632, 0.0360, 0.4447, 0.6809])
JUDGES: Final = ((Judge("jR", of="retrieval"), 0.9, 0.2), (Judge("jT", of="task"), 0.9, 0.15))
N_CHAINS: Final = 4
N_DRAWS: Final = 1000
N_DRAWS_SHORT: Final = 20
# Calls of ours of which the median counts; and of `nuts`, which is slower.
N_CALLS: Final = (9, 3)
_PER_CORE: Final = "Stan, collapsed, own clock, per core"


def rows() -> list[dict[str, Any]]:
    """One row per engine, data set and Stan program."""
    if importlib.util.find_spec("stan") is None:
        return [{"name": "skipped: PyStan is not installed", "value": 0, "unit": "comparisons"}]
    found = []
    for what, case in _cases():
        n = case.counts.n_rows
        peers = _peers(case)
        for engine in engines():
            if engine in APPROXIMATE:
                continue
            ours = _ours(case, engine)
            if ours is None:
                continue
            found += [
                {
                    "name": f"{engine}: {what} ({n:,} rows)",
                    "value": ours[peer == _PER_CORE],
                    "unit": "ESS/s",
                    "peer": peer,
                    "peer_value": theirs,
                    "ratio": ours[peer == _PER_CORE] / theirs,
                }
                for peer, theirs in peers.items()
            ]
    return found


def _cases() -> list[tuple[str, Case]]:
    return [
        (f"{what}, 100 joint rows", _case(strategy, n, judges))
        for what, strategy, judges in (
            ("R missing elsewhere", "all_t", ()),
            ("two judges elsewhere", "judge_only", JUDGES),
        )
        for n in (600, 10_000)
    ]


def _case(strategy: str, n: int, judges: tuple[tuple[Judge, float, float], ...]) -> Case:
    table = simulate(QWEN, n - 100, strategy, n0=100, judges=list(judges), seed=1)
    labels = table.astype("Float64").fillna(-1).to_numpy(dtype=float).astype(np.int8)
    counts = PatternCounts(
        judges=tuple(judge for judge, _, _ in judges),
        patterns=np.insert(labels, 3, -1, axis=1),
        counts=np.ones((1, len(labels)), dtype=np.int64),
    )
    priors = Priors.flat(counts.judges)
    return Case(name=strategy, origin="bench/against_stan.py, seed 1", counts=counts, priors=priors)


def _ours(case: Case, engine: str) -> tuple[float, float] | None:
    """ESS per second and per second of processor time, medians of warm calls.

    None where the engine refuses.
    """
    try:
        sample(case.counts, engine=engine, seed=0)
    except EngineError:
        return None
    rates = []
    for seed in range(1, N_CALLS[engine == "nuts"] + 1):
        start, busy = time.perf_counter(), time.process_time()
        (draws,) = sample(case.counts, engine=engine, seed=seed)
        seconds = np.array([time.perf_counter() - start, time.process_time() - busy])
        every = np.stack(list(draws.by_name().values()), axis=-1)
        rates.append(ess_bulk(every).min() / seconds)
    by_clock, by_core = np.median(rates, axis=0)
    return float(by_clock), float(by_core)


def _peers(case: Case) -> dict[str, float]:
    """Stan's ESS per second by the form of the program and the clock, medians of three calls."""
    runs = [_stan(f"{case.kind}_counts", case, n_draws=N_DRAWS) for _ in range(4)][1:]
    by_row = _stan(f"{case.kind}_rows", case, n_draws=N_DRAWS_SHORT, n_chains=1)
    keys = parameter_keys(case.counts)
    ess = [float(ess_bulk(np.stack([r.draws[k] for k in keys], axis=-1)).min()) for r in runs]
    n_side_by_side = min(N_CHAINS, os.cpu_count() or 1)
    own = [n / (sum(run.seconds) / n_side_by_side) for n, run in zip(ess, runs, strict=True)]
    called = [n / run.called_s for n, run in zip(ess, runs, strict=True)]
    slower = by_row.seconds_per_gradient / float(
        np.median([run.seconds_per_gradient for run in runs])
    )
    collapsed = float(np.median(own))
    return {
        "Stan, collapsed, PyStan as called": float(np.median(called)),
        "Stan, collapsed, own clock": collapsed,
        _PER_CORE: collapsed / n_side_by_side,
        "Stan, per row, by gradients": collapsed / slower,
    }


def _stan(program: str, case: Case, *, n_draws: int, n_chains: int = N_CHAINS) -> Run:
    # A seed of its own: PyStan hands out stored fits, timings included.
    seed = time.time_ns() % 2**31
    return sample_stan(
        program, case, seed=seed, n_chains=n_chains, n_warmup=n_draws, n_draws=n_draws
    )
