"""Exactly these rows or the population: coverage and width on a real table with labels hidden.

Each of the twelve systems of `openqa_nq301` in turn, about 300 rows with GPT-4's verdicts on all
and people's labels of T left on some, chosen at random. What is asked for is the share of right
answers among exactly these rows, which is known once nothing is hidden. The interval of the
population has to be wider than that asks; so has that of PPI++, which is computed by its formula
(Angelopoulos, Duchi and Zrnic 2023, with the tuned weight of the verdicts).

``RAT_BENCH_TABLES`` sets the number of tables per system and number of labels (50). Everything
goes to ``bench/results/these_rows.json``.
"""

from __future__ import annotations

import os
from dataclasses import asdict
from importlib import metadata
from typing import Any, Final

import numpy as np
from judge_scores import Score, save
from judge_tables import JUDGES, Table, counts_of

from rat_widgets.datasets import load
from rat_widgets.fitting import fit

N_HUMAN: Final = (50, 100, 200)
OF_TASK: Final = JUDGES[1:]
_TABLE: Final = "openqa_nq301"


def rows() -> list[dict[str, Any]]:
    """For each number of labels: width on these rows, beside the population's and PPI++'s."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "50"))
    found: list[dict[str, Any]] = []
    scores = {}
    for n_human in N_HUMAN:
        many, truths = _tables(n_human, n_tables)
        of_tool = {
            name: Score.of(ends.reshape(len(truths), n_tables, 2), np.array(truths))
            for name, ends in _intervals(many).items()
        }
        scores[str(n_human)] = {name: asdict(score) for name, score in of_tool.items()}
        found += _rows(n_human, of_tool)
    save("these_rows", {"scores": scores}, {"rat_widgets": metadata.version("rat_widgets")})
    return found


def _rows(n_human: int, of_tool: dict[str, Score]) -> list[dict[str, Any]]:
    mine = of_tool["these_rows"]
    return [
        {
            "name": f"{n_human} human labels, these_rows; coverage {mine.coverage:.3f}",
            "value": mine.width,
            "unit": "width of P(T)",
            "peer": f"{tool}; coverage {score.coverage:.3f}",
            "peer_value": score.width,
            "ratio": score.width / mine.width,
        }
        for tool, score in of_tool.items()
        if tool != "these_rows"
    ]


def _tables(n_human: int, n_tables: int) -> tuple[list[Table], list[float]]:
    """Tables of every system, system by system, and the share of right answers in each system."""
    found, truths = [], []
    for number, (_, system) in enumerate(load(_TABLE).groupby("system", sort=True)):
        a, t, jt = (system[c].fillna(-1).to_numpy(dtype=np.int8) for c in ("A", "T", "T_gpt4"))
        never = np.full(len(system), -1, dtype=np.int8)
        truths.append(float(((t == 1) & (a == 0)).mean()))
        for i in range(n_tables):
            order = np.random.default_rng([301, number, n_human, i]).permutation(len(system))
            found.append(Table(n_human, never, a[order], t[order], never, jt[order]))
    return found, truths


def _intervals(many: list[Table]) -> dict[str, np.ndarray]:
    """The 95% intervals of P(T), shape (table, 2)."""
    posts = fit(counts_of(many, OF_TASK))
    reads = {"these_rows": posts.for_these_rows(), "population": posts}
    ends = {
        name: np.array([np.quantile(p["task_success"], (0.025, 0.975)) for p in read])
        for name, read in reads.items()
    }
    return ends | {"PPI++": np.array([ppi(*one.one_number("task_success")) for one in many])}


def ppi(human: np.ndarray, verdict: np.ndarray, rest: np.ndarray) -> tuple[float, float]:
    """The normal interval of PPI++ for a mean: human labels, verdicts there, verdicts elsewhere."""
    n, m = len(human), len(rest)
    variance = np.concatenate([verdict, rest]).var(ddof=1)
    weight = float(np.cov(human, verdict)[0, 1] / ((1 + n / m) * variance)) if variance else 0.0
    weight = min(1.0, max(0.0, weight))
    middle = weight * rest.mean() + (human - weight * verdict).mean()
    error = np.sqrt(weight**2 * rest.var(ddof=1) / m + (human - weight * verdict).var(ddof=1) / n)
    return middle - 1.959964 * error, middle + 1.959964 * error
