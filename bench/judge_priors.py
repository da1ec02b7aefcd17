"""What priors of a judge's two rates do to intervals: flat, Jeffreys, and slopes towards right.

The tables of `judge_peers`, and those of judges near a coin, of judges that are wrong more often
than right, and of a judge of T whose errors depend on R, which the model does not know. All
priors are compared on the same draws: those of flat priors, weighted by the ratio of the priors.
Cells where that leaves a table with few effective draws are fitted anew.

A row tells the interval score under a prior; its peer is flat priors. ``RAT_BENCH_TABLES`` sets
the number of tables per cell (100). All goes to ``bench/results/judge_priors.json``, with the
differences against flat, table by table, and their standard errors.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict
from importlib import metadata
from typing import Any, Final

import numpy as np
from judge_scores import Score, difference, ours, save, truths
from judge_tables import TARGETS, Cell, Table, counts_of, grid, tables

from rat_widgets.fitting import fit

GRIDS: Final = {
    "good": grid(((0.95, 0.1), (0.9, 0.3), (0.95, 0.5))),
    "near a coin": grid(((0.6, 0.4),)),
    "reversed": grid(((0.2, 0.8),)),
    "errors depend on R": grid(((0.9, 0.1),), more_after_miss=0.4),
}
# Beta(alpha, beta) of the TPR; the FPR has Beta(beta, alpha).
PRIORS: Final = {
    "flat": (1.0, 1.0),
    "jeffreys": (0.5, 0.5),
    "Beta(2, 1)": (2.0, 1.0),
    "Beta(3, 1), weak": (3.0, 1.0),
    "Beta(4, 1)": (4.0, 1.0),
    "Beta(6, 1)": (6.0, 1.0),
    "Beta(3, 1.5)": (3.0, 1.5),
    "Beta(4, 2)": (4.0, 2.0),
}
ENDS: Final = (0.025, 0.975)
# Effective draws for which the ends of an interval still have two digits.
LEAST_ESS: Final = 200.0


def rows() -> list[dict[str, Any]]:
    """One row per set of tables, target and prior."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "100"))
    found: list[dict[str, Any]] = []
    for where, cells in GRIDS.items():
        ends = _ends(cells, n_tables)
        for i, target in enumerate(TARGETS):
            truth = truths(cells, target)
            scores = {n: Score.of(e[i], truth) for n, e in ends.items()}
            apart = {n: difference(e[i], ends["flat"][i], truth) for n, e in ends.items()}
            where_and_what = f"{where}, {TARGETS[target]}"
            found += [_row(where_and_what, name, scores, apart[name]) for name in scores]
    scores = {row["name"]: row["score"] for row in found}
    save("judge_priors", {"scores": scores}, {"numpy": metadata.version("numpy")})
    return found


def _row(
    where: str, name: str, scores: dict[str, Score], against_flat: tuple[float, float]
) -> dict[str, Any]:
    mine, flat = scores[name], scores["flat"]
    return {
        "name": f"{where}: {name}; coverage {mine.coverage:.3f}, width {mine.width:.3f}",
        "value": mine.score,
        "unit": "interval score",
        "peer": "flat",
        "peer_value": flat.score,
        "ratio": flat.score / mine.score,
        "score": asdict(mine) | {"against_flat": against_flat},
    }


def _ends(cells: list[Cell], n_tables: int) -> dict[str, np.ndarray]:
    """Each prior's intervals, shape (target, cell, table, 2)."""
    by_cell: dict[str, list[np.ndarray]] = {name: [] for name in PRIORS}
    for cell in cells:
        many = list(tables(cell, n_tables))
        for name, found in _cell(many):
            by_cell[name].append(found)
    return {name: np.stack(found, axis=1) for name, found in by_cell.items()}


def _cell(many: list[Table]) -> Iterator[tuple[str, np.ndarray]]:
    posts = fit(counts_of(many), priors="flat")
    for name, (alpha, beta) in PRIORS.items():
        found = np.empty((len(TARGETS), len(many), 2))
        fewest = np.inf
        for i, post in enumerate(posts):
            weights = _weights(post.draws.tpr, post.draws.fpr, alpha, beta)
            fewest = min(fewest, 1 / float((weights**2).sum()))
            for j, target in enumerate(TARGETS):
                found[j, i] = _quantiles(post[target].ravel(), weights)
        if fewest < LEAST_ESS:
            found = ours(many, priors={"tpr": (alpha, beta), "fpr": (beta, alpha)})
        yield name, found


def _weights(tpr: np.ndarray, fpr: np.ndarray, alpha: float, beta: float) -> np.ndarray:
    """Of each draw under flat priors, for Beta(alpha, beta) of TPR and its mirror image of FPR."""
    right = np.log(tpr).sum(axis=-1) + np.log1p(-fpr).sum(axis=-1)
    wrong = np.log1p(-tpr).sum(axis=-1) + np.log(fpr).sum(axis=-1)
    log_weights = ((alpha - 1) * right + (beta - 1) * wrong).ravel()
    weights = np.exp(log_weights - log_weights.max())
    return weights / weights.sum()


def _quantiles(values: np.ndarray, weights: np.ndarray) -> np.ndarray:
    order = np.argsort(values)
    middle = np.cumsum(weights[order]) - weights[order] / 2
    return np.interp(ENDS, middle, values[order])
