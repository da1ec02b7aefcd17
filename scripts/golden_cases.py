"""Golden data sets: counts from fixed seeds, one case per kind of missing label.

`make_golden.py` writes them to tests/golden/cases.json, which pytest, vitest and the check
against Stan read. Pooled systems, which the browser does not fit, go to tests/golden/pooled.json.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from golden_graded import GRADED

from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.priors import Priors
from rat_widgets.model.simulated_tables import simulate
from rat_widgets.model.theta import Theta

__all__ = ["CASES", "POOLED", "cases"]

QWEN: Final = Theta.from_array([0.2078, 0.4632, 0.0360, 0.4447, 0.6809])
APERTUS: Final = Theta.from_array([0.2072, 0.0390, 0.0050, 0.2585, 0.5157])
J_R: Final = Judge("jR", of="retrieval")
J_A: Final = Judge("jA", of="abstention")
J_T: Final = Judge("jT", of="task")


def _table(
    theta: Theta,
    n: int,
    strategy: str,
    *,
    seed: int,
    n0: int = 0,
    judges: Sequence[tuple[Judge, float, float]] = (),
    hide_a: bool = False,
    by: Mapping[str, str] | None = None,
) -> PatternCounts:
    """Counts of one simulated table; with `hide_a`, A is not seen on the rows after `n0`."""
    table = simulate(theta, n, strategy, n0=n0, judges=list(judges), seed=seed)
    labels = table.astype("Float64").fillna(-1).to_numpy(dtype=float).astype(np.int8)
    if hide_a:
        abstained = labels[n0:, 1] == 1
        labels[n0:, 1] = -1
        if strategy in ("all_joint", "all_t"):
            labels[n0:, 2][abstained] = 0
    by = dict(by or {})
    return PatternCounts(
        by=tuple(by),
        groups=(tuple(by.values()),),
        judges=tuple(judge for judge, _, _ in judges),
        patterns=np.insert(labels, 3, -1, axis=1),
        counts=np.ones((1, len(labels)), dtype=np.int64),
    )


def _complete() -> tuple[str, PatternCounts, Any]:
    return "qwen, 400 rows all_joint, seed 11", _table(QWEN, 400, "all_joint", seed=11), None


def _all_r() -> tuple[str, PatternCounts, Any]:
    counts = _table(QWEN, 540, "all_r", n0=60, seed=12)
    return "qwen, 60 joint and 540 all_r rows, seed 12", counts, None


def _all_t_and_joint() -> tuple[str, PatternCounts, Any]:
    counts = _table(APERTUS, 500, "all_t", n0=100, seed=13)
    return "apertus, 100 joint and 500 all_t rows, seed 13", counts, None


def _priors() -> tuple[str, PatternCounts, Any]:
    spec = {
        "retrieval_success": (2, 3),
        "abstain_given_miss": {"mean": 0.5, "equivalent_labels": 10},
        "abstain_given_hit": (0.5, 0.5),
        "correct_given_miss": (1, 4),
    }
    counts = _table(QWEN, 60, "half_joint_t", seed=14)
    return "qwen, 60 rows half_joint_t, seed 14; priors that are not flat", counts, spec


def _a_missing() -> tuple[str, PatternCounts, Any]:
    counts = _table(QWEN, 200, "all_joint", n0=150, seed=15, hide_a=True)
    counts += _table(QWEN, 100, "all_t", seed=16, hide_a=True)
    origin = "qwen, 150 joint rows seed 15; without A: 200 rows with R and T, 100 with T (seed 16)"
    return origin, counts, None


def _zero_cells() -> tuple[str, PatternCounts, Any]:
    rows = [[0, 0, 0], [0, 0, 1], [1, 0, 1], [-1, 0, 1], [-1, 0, 0], [0, 0, -1]]
    counts = PatternCounts.from_patterns(rows, [9, 2, 31, 20, 6, 5])
    return "by hand: nobody abstained, no answer after a hit was wrong", counts, None


def _nothing_but_t() -> tuple[str, PatternCounts, Any]:
    priors = {"retrieval_success": (6, 3), "correct_given_hit": (8, 2)}
    counts = _table(QWEN, 300, "all_t", seed=17)
    return "qwen, 300 rows all_t and no joint ones, seed 17; priors name the hits", counts, priors


def _all_t_from_nothing(n: int, seed: int) -> tuple[str, PatternCounts, Any]:
    return (
        f"qwen, {n} rows all_t and no joint ones, seed {seed}",
        _table(QWEN, n, "all_t", seed=seed),
        None,
    )


def _judges() -> tuple[str, PatternCounts, Any]:
    judges = [(J_R, 0.9, 0.25), (J_T, 0.92, 0.15)]
    counts = _table(QWEN, 400, "judge_only", n0=40, judges=judges, seed=18)
    origin = "qwen, 40 joint rows, 400 with verdicts on R (0.9, 0.25) and T (0.92, 0.15), seed 18"
    return origin, counts, {"tpr": (4, 1), "fpr": (1, 4)}


def _judges_a_hidden() -> tuple[str, PatternCounts, Any]:
    counts = _hidden_a(J_T, seed=19)
    origin = "qwen, 80 joint rows; 300 without R, A and T, verdicts on A and T, seed 19"
    return origin, counts, {"tpr": (4, 1), "fpr": (1, 4)}


def _judges_abstained_rate() -> tuple[str, PatternCounts, Any]:
    counts = _hidden_a(Judge("jT", of="task", abstained_rate=0.6), seed=20)
    origin = "qwen, 80 joint rows; 300 without R, A and T, verdicts on A and T, an answer judged"
    return f"{origin} right on 0.6 of the abstentions, seed 20", counts, None


def _hidden_a(judge: Judge, *, seed: int) -> PatternCounts:
    """Rows on which A is only detected, and abstentions are judged as if they were answers."""
    rng = np.random.default_rng(seed)
    judges = [(J_A, 0.95, 0.04), (judge, 0.9, 0.2)]
    table = simulate(QWEN, 300, "judge_only", n0=80, judges=judges, seed=seed)
    labels = table.astype("Float64").fillna(-1).to_numpy(dtype=float).astype(np.int8)
    abstained = labels[:, 1] == 1
    rate = 0.2 if judge.abstained_rate is None else judge.abstained_rate
    labels[abstained, 4] = rng.random(int(abstained.sum())) < rate
    labels[80:, 1] = -1
    return PatternCounts(
        judges=(J_A, judge),
        patterns=np.insert(labels, 3, -1, axis=1),
        counts=np.ones((1, len(labels)), dtype=np.int64),
    )


def _groups() -> tuple[str, PatternCounts, Any]:
    own = Judge("jT", of="task", share="group")
    parts = [
        _table(
            theta,
            150,
            "judge_only",
            n0=50,
            judges=[(J_R, 0.9, 0.2), (own, *rates)],
            by={"system": name},
            seed=seed,
        )
        for name, theta, rates, seed in (
            ("apertus", APERTUS, (0.85, 0.3), 21),
            ("qwen", QWEN, (0.95, 0.1), 22),
        )
    ]
    origin = "apertus and qwen, 50 joint and 150 judged rows each, seeds 21 and 22; one judge of R"
    return f"{origin} for both, a judge of T for each", sum(parts[1:], parts[0]), None


def _pooled() -> tuple[str, PatternCounts, Any]:
    """Four systems and one judge, which is easier on the last; few labels of that one."""
    judge = Judge("jT", of="task", share="partial")
    parts = [
        _table(
            theta, 60, "judge_only", n0=n0, judges=[(judge, *rates)], by={"system": name}, seed=s
        )
        for name, theta, n0, rates, s in (
            ("a", QWEN, 80, (0.9, 0.15), 31),
            ("b", APERTUS, 80, (0.88, 0.18), 32),
            ("c", QWEN, 40, (0.9, 0.15), 33),
            ("d", QWEN, 20, (0.95, 0.5), 34),
        )
    ]
    origin = "qwen and apertus, 20 to 80 joint and 60 judged rows each, seeds 31 to 34"
    spec = {"tpr": (3, 1), "correct_given_hit": (2, 1)}
    return f"{origin}; one judge of T, pooled, easier on the last", sum(parts[1:], parts[0]), spec


POOLED: Final = {"pooled": _pooled}

CASES: Final[Mapping[str, Callable[[], tuple[str, PatternCounts, Any]]]] = {
    "complete": _complete,
    "all_r": _all_r,
    "all_t_and_joint": _all_t_and_joint,
    "priors": _priors,
    "a_missing": _a_missing,
    "zero_cells": _zero_cells,
    "nothing_but_t": _nothing_but_t,
    "all_t_from_nothing_300": lambda: _all_t_from_nothing(300, 23),
    "all_t_from_nothing_1000": lambda: _all_t_from_nothing(1000, 24),
    "judges": _judges,
    "judges_a_hidden": _judges_a_hidden,
    "judges_abstained_rate": _judges_abstained_rate,
    "groups": _groups,
    **GRADED,
}


def cases(
    which: Mapping[str, Callable[[], tuple[str, PatternCounts, Any]]] = CASES,
) -> list[dict[str, Any]]:
    """Every case as JSON: name, origin, counts and priors."""
    found = []
    for name, make in which.items():
        origin, counts, spec = make()
        priors = Priors.from_spec(spec, counts.judges, counts.retrieval_levels)
        found.append(
            {
                "name": name,
                "origin": origin,
                "counts": counts.to_dict(),
                "priors": priors.to_dict(),
            }
        )
    return found
