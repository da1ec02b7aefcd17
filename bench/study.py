"""The allocation study of the paper's size: 94,500 posteriors, on all cores.

27 configurations x 5 strategies x 7 budgets x 100 replications, 100 joint rows to start with, no
judges. Stan's time for as many fits, one term per row, is an extrapolation that was given to us
and is not run here. Also: time by cells, memory by replications, the widths that were checked
against `exact`, and the same grid with a judge of R and one of T, from a part of it.
"""

from __future__ import annotations

import os
import time
import tracemalloc
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from typing import Any, Final

import numpy as np

import rat_widgets as rat

STRATEGIES: Final = ("all_joint", "all_r", "all_t", "half_joint_r", "half_joint_t")
BUDGETS: Final = (50, 100, 200, 300, 400, 500, 1000)
N_CONFIGURATIONS: Final = 27
N_REPLICATIONS: Final = 100
STAN_PER_ROW_S: Final = 357 * 3600.0
JUDGES: Final = (
    (rat.Judge("jR", of="retrieval"), 0.9, 0.2),
    (rat.Judge("jT", of="task"), 0.9, 0.15),
)


class Inline(Executor):
    """Runs what is submitted at once, in this thread."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        """The finished future."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def rows() -> list[dict[str, Any]]:
    """One row per measurement."""
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        _seconds(pool, n_configurations=1)  # the pool is up, the points are made
        return [*_whole_rows(pool), *_cell_rows(pool), *_memory_rows(), *_judge_rows(pool)]


def _whole_rows(pool: Executor) -> list[dict[str, Any]]:
    start = time.perf_counter()
    studies = _studies(pool, n_configurations=N_CONFIGURATIONS)
    seconds = time.perf_counter() - start
    n = sum(study.n_tables for study in studies)
    checks = [study.check for study in studies]
    n_widths = sum(check.n_widths for check in checks)
    off = sum(check.n_widths * check.rms**2 for check in checks if check.n_widths)
    return [
        {
            "name": f"{n:,} posteriors in {os.cpu_count()} processes, 1% of them checked",
            "value": seconds,
            "unit": "s",
            "peer": "Stan, one term per row, extrapolated and not run here",
            "peer_value": STAN_PER_ROW_S,
            "ratio": STAN_PER_ROW_S / seconds,
        },
        {
            "name": f"difference to the widths of exact, RMS over {n_widths:,}",
            "value": 100 * (off / n_widths) ** 0.5,
            "unit": "%",
        },
    ]


def _cell_rows(pool: Executor) -> list[dict[str, Any]]:
    """Milliseconds a posterior, by the number of configurations: flat where work is linear."""
    found = []
    for n in (1, 3, 9):
        seconds = _seconds(pool, n_configurations=n)
        n_posteriors = n * len(STRATEGIES) * len(BUDGETS) * N_REPLICATIONS
        found.append(
            {
                "name": f"a posterior, of {n_posteriors:,}, nothing checked",
                "value": 1e3 * seconds / n_posteriors,
                "unit": "ms",
            }
        )
    return found


def _memory_rows() -> list[dict[str, Any]]:
    """Peak of what Python holds, above what it held before."""
    found = []
    _seconds(Inline(), n_configurations=1)  # the points are made once and stay
    for n in (100, 1_000, 10_000):
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        study = rat.study_allocation(
            _theta(0),
            budgets=(500,),
            strategies=("all_t",),
            replications=n,
            check=0,
            progress=False,
            executor=Inline(),
        )
        peak = tracemalloc.get_traced_memory()[1] - before
        tracemalloc.stop()
        found.append(
            {
                "name": f"memory, peak, {study.n_tables:,} replications of a cell",
                "value": peak / 1e6,
                "unit": "MB",
            }
        )
    return found


def _judge_rows(pool: Executor) -> list[dict[str, Any]]:
    """The grid with two judges, from one configuration and half of the replications."""
    start = time.perf_counter()
    study = rat.study_allocation(
        _theta(0),
        budgets=BUDGETS,
        strategies=STRATEGIES,
        replications=N_REPLICATIONS // 2,
        judges=JUDGES,
        progress=False,
        executor=pool,
    )
    seconds = time.perf_counter() - start
    whole = N_CONFIGURATIONS * len(STRATEGIES) * len(BUDGETS) * N_REPLICATIONS
    return [
        {
            "name": f"{whole:,} posteriors with two judges, from {study.n_tables:,}",
            "value": seconds * whole / study.n_tables / 60,
            "unit": "min",
        }
    ]


def _seconds(pool: Executor, *, n_configurations: int) -> float:
    start = time.perf_counter()
    _studies(pool, n_configurations=n_configurations, check=0.0)
    return time.perf_counter() - start


def _studies(pool: Executor, *, n_configurations: int, check: float = 0.01) -> list[Any]:
    return [
        rat.study_allocation(
            _theta(i),
            budgets=BUDGETS,
            strategies=STRATEGIES,
            replications=N_REPLICATIONS,
            seed=i,
            check=check,
            progress=False,
            executor=pool,
        )
        for i in range(n_configurations)
    ]


def _theta(i: int) -> rat.Theta:
    """A system of any kind."""
    return rat.Theta.from_array(0.05 + 0.9 * np.random.default_rng(i).beta(2, 2, 5))
