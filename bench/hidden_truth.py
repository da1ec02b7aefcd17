"""Nobody adjudicated: annotators as judges of a T that no row shows.

Simulated: three annotators who err independently, R and A seen, T never; coverage of P(T) at the
point, beside that of the majority of their votes taken for the truth (Wilson's interval).
Real: random answers of `mtrag_human`, on which two or three of seven people voted, with what the
majority made of it hidden; the reference is P(T) by majority on all 477 answers, which is no
truth: where one person in three errs now and then the majority does, too.

``RAT_BENCH_TABLES`` sets the number of tables per cell (25), a fifth of it for the real table.
Everything goes to ``bench/results/hidden_truth.json``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict
from importlib import metadata
from itertools import product
from typing import Any, Final

import numpy as np
import pandas as pd
from judge_scores import Score, save
from judge_tables import POINTS

from rat_widgets.datasets import load
from rat_widgets.fitting import fit
from rat_widgets.labels.judges import Judge
from rat_widgets.model.simulated_tables import simulate

# TPR and FPR of each of three.
PEOPLE: Final[dict[str, tuple[tuple[float, float], ...]]] = {
    "careful": ((0.95, 0.05), (0.95, 0.1), (0.9, 0.1)),
    "lenient": ((0.95, 0.3), (0.9, 0.2), (0.9, 0.4)),
}
N_ROWS: Final = (100, 300, 1000)
LEVELS: Final = ("none", "partial", "all")
SEVEN: Final = tuple(f"ann{i}" for i in range(1, 8))
N_ANSWERS: Final = (100, 200)
_AT_ONCE: Final = 20
_Z2: Final = 1.959964**2


def rows() -> list[dict[str, Any]]:
    """Coverage of P(T), ours and the majority's."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "25"))
    cells = {
        **{name: scored(*cell) for name, cell in _simulated(n_tables)},
        **{name: scored(*cell) for name, cell in _real(max(2, n_tables // 5))},
    }
    versions = {name: metadata.version(name) for name in ("rat_widgets", "numpy", "scipy")}
    save("hidden_truth", {"n_tables": n_tables, "cells": cells}, versions)
    return [
        {
            "name": f"{name}, {method}; width {score['width']:.3f}",
            "value": score["coverage"],
            "unit": "coverage of P(T)",
        }
        for name, one in cells.items()
        for method, score in one.items()
    ]


Cell = tuple[pd.DataFrame, tuple[str, ...], float, dict[str, Any]]


def _simulated(n_tables: int) -> Iterator[tuple[str, Cell]]:
    for point, people, n in product(POINTS, PEOPLE, N_ROWS):
        names = tuple("abc")
        rates = dict(zip(names, PEOPLE[people], strict=True))
        judges = {k: {"of": "task", "tpr": tpr, "fpr": fpr} for k, (tpr, fpr) in rates.items()}
        many = [
            simulate(POINTS[point], n, judges=judges, seed=seed).assign(table=seed)
            for seed in range(n_tables)
        ]
        world = POINTS[point].worlds()
        truth = world["miss_right"] + world["hit_right"]
        yield f"{point}, {people}, {n} rows", (pd.concat(many, ignore_index=True), names, truth, {})


def _real(n_tables: int) -> Iterator[tuple[str, Cell]]:
    answers = load("mtrag_human")
    for n in N_ANSWERS:
        many = [answers.sample(n, random_state=seed).assign(table=seed) for seed in range(n_tables)]
        how = {"retrieval_levels": LEVELS}
        cell = pd.concat(many, ignore_index=True), SEVEN, float(answers["T"].mean()), how
        yield f"mtrag_human, {n} of 477 answers", cell


def scored(many: pd.DataFrame, people: tuple[str, ...], truth: float, how: Any) -> dict[str, Any]:
    """Scores over the tables of a cell."""
    judges = [Judge(name, of="task", share="group") for name in people]
    how = {"task": None, "judges": judges, "by": "table", "constraint": "tpr>fpr", **how}
    ours = np.concatenate(
        [
            [np.quantile(post["task_success"], (0.025, 0.975)) for post in fit(part, **how)]
            for _, part in many.groupby(many["table"] // _AT_ONCE)
        ]
    )
    votes = many[list(people)].astype(float)
    passed = (2 * votes.sum(axis=1) > votes.notna().sum(axis=1)) & (many["A"] == 0)
    taken = np.array([wilson(one.to_numpy()) for _, one in passed.groupby(many["table"])])
    ends = {"hidden truth": ours, "majority as truth": taken}
    return {name: asdict(Score.of(e[None], np.array([truth]))) for name, e in ends.items()}


def wilson(passed: np.ndarray) -> tuple[float, float]:
    """Wilson's 95% interval of a share."""
    n, p = len(passed), passed.mean()
    middle = (p + _Z2 / (2 * n)) / (1 + _Z2 / n)
    half = np.sqrt(_Z2 * (p * (1 - p) / n + _Z2 / (4 * n**2))) / (1 + _Z2 / n)
    return middle - half, middle + half
