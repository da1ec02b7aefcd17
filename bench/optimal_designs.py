"""How fast an optimal design comes, and how fast its convex problem is solved beside SLSQP.

SLSQP (SciPy) gets the same problem from one start, without our derivatives, and stops where steps
gain less than 1e-9 of what labelling nothing leaves. Both solve it in the same run, in turn.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from scipy.optimize import minimize

import rat_widgets as rat
from rat_widgets.planning import optimal
from rat_widgets.planning.convex import Problem, solve

N_REPEATS: Final = 15
SETTINGS: Final[dict[str, dict[str, Any]]] = {
    "fresh rows": {},
    "a pool of 2,000 rows": {"pool": 2000},
    "a pool of 2,000 rows, P(G) and P(T) at once": {
        "pool": 2000,
        "target": ["policy_adherence", "task_success"],
    },
}


def rows() -> list[dict[str, Any]]:
    """Two rows per setting: the whole call, and the solver beside its peer."""
    theta = rat.datasets.load("qwen")
    found = []
    for name, setting in SETTINGS.items():
        keywords = {"already": 100, **setting}
        problem = _problem(theta, keywords)
        call = _median_ms(lambda k=keywords: rat.optimal_design(theta, **k))
        ours, theirs = _in_turn(lambda p=problem: solve(p), lambda p=problem: _slsqp(p))
        found += [
            {"name": f"the whole call: {name}", "value": call, "unit": "ms"},
            {
                "name": f"the solver: {name}",
                "value": ours,
                "unit": "ms",
                "peer": "SLSQP on the same problem",
                "peer_value": theirs,
                "ratio": theirs / ours,
            },
        ]
    return found


def _problem(theta: Any, keywords: dict[str, Any]) -> Problem:
    """The convex problem behind a design."""
    seen: list[Problem] = []

    def kept(problem: Problem) -> Any:
        seen.append(problem)
        return solve(problem)

    optimal.solve = kept
    try:
        rat.optimal_design(theta, **keywords)
    finally:
        optimal.solve = solve
    return seen[0]


def _slsqp(problem: Problem) -> float:
    n = len(problem.gains)
    now = problem.value(np.zeros(n))
    limits = [np.ones(n), *problem.use]
    found = minimize(
        lambda w: problem.value(w) / now,
        np.full(n, 1 / (3 * n)),
        method="SLSQP",
        bounds=[(0, 1)] * n,
        constraints=[{"type": "ineq", "fun": lambda w, u=u: 1 - u @ w} for u in limits],
        options={"maxiter": 300, "ftol": 1e-9},
    )
    return float(found.fun)


def _in_turn(*calls: Callable[[], Any]) -> tuple[float, ...]:
    """Median milliseconds of each call, made one after the other."""
    times: list[list[float]] = [[] for _ in calls]
    for _ in range(N_REPEATS):
        for call, of in zip(calls, times, strict=True):
            start = time.perf_counter()
            call()
            of.append(time.perf_counter() - start)
    return tuple(1e3 * float(np.median(of)) for of in times)


def _median_ms(call: Callable[[], Any]) -> float:
    call()
    (found,) = _in_turn(call)
    return found
