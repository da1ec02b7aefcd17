"""Coverage of judged tables over a grid, with and without a dependence that the model is told of.

25 to 200 rows that people labelled, none to 5,000 more with A and verdicts, of a judge of R and one
of T with the same rates; at both points of `judge_tables`. Where there is a dependence, the judge
of T passes 0.3 more of the wrong answers after a miss and is given rates of its own there.

``RAT_BENCH_TABLES`` sets the number of tables per cell (200). Cell by cell everything goes to
``bench/results/judge_grid.json``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict
from importlib import metadata
from itertools import product
from typing import Any, Final

import numpy as np
from judge_scores import Score, ours, save, truths
from judge_tables import JUDGES, POINTS, TARGETS, Cell, tables

from rat_widgets.labels.judges import Judge

N_HUMAN: Final = (25, 50, 100, 200)
N_VERDICTS: Final = (0, 500, 5000)
RATES: Final = ((0.95, 0.05), (0.9, 0.2), (0.8, 0.5))
MORE: Final = 0.3
TOLD: Final = (JUDGES[0], Judge("jT", of="task", share="group", depends_on="retrieval"))
KINDS: Final = {"as assumed": (0.0, JUDGES), "dependent, and told so": (MORE, TOLD)}


def rows() -> list[dict[str, Any]]:
    """Coverage by number of labels, pooled over the other cells; then the cells that are out."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "200"))
    found = [row for kind in KINDS for row in _measured(kind, n_tables)]
    versions = {name: metadata.version(name) for name in ("numpy", "scipy")}
    save("judge_grid", {"n_tables": n_tables, "cells": found}, versions)
    return [*_pooled(found, n_tables), *_out(found, n_tables)]


def _measured(kind: str, n_tables: int) -> Iterator[dict[str, Any]]:
    more, judges = KINDS[kind]
    for point, n_human, n_verdicts, (tpr, fpr) in product(POINTS, N_HUMAN, N_VERDICTS, RATES):
        cell = Cell(point, n_human, n_verdicts, tpr, fpr, more)
        ends = ours(list(tables(cell, n_tables)), judges=judges)
        for target, both in zip(TARGETS, ends, strict=True):
            score = Score.of(both[None], truths([cell], target))
            yield {
                "kind": kind,
                "target": TARGETS[target],
                **asdict(cell),
                "coverage": round(score.coverage, 4),
                "width": round(score.width, 4),
            }


def _pooled(found: list[dict[str, Any]], n_tables: int) -> Iterator[dict[str, Any]]:
    for kind, target, n_human in product(KINDS, TARGETS.values(), N_HUMAN):
        mine = [
            row["coverage"]
            for row in found
            if (row["kind"], row["target"], row["n_human"]) == (kind, target, n_human)
        ]
        error = np.sqrt(np.mean(mine) * (1 - np.mean(mine)) / (n_tables * len(mine)))
        yield {
            "name": f"{kind}, {target}, {n_human} labels: {len(mine)} cells, "
            f"{min(mine):.3f} to {max(mine):.3f}, pooled +- {error:.3f}",
            "value": float(np.mean(mine)),
            "unit": "coverage",
        }


def _out(found: list[dict[str, Any]], n_tables: int) -> Iterator[dict[str, Any]]:
    """Cells whose coverage is out of the bounds by more than three of their errors."""
    for row in found:
        low, high = (0.91, 0.99) if row["n_human"] < 50 else (0.93, 0.97)
        near = low if row["coverage"] < low else high
        error = np.sqrt(near * (1 - near) / n_tables)
        if not low - 3 * error <= row["coverage"] <= high + 3 * error:
            cell = ", ".join(str(row[key]) for key in ("point", "n_human", "n_verdicts"))
            rates = f"TPR {row['tpr']}, FPR {row['fpr']}"
            name = f"out of bounds: {row['kind']}, {row['target']}, {cell}, {rates}"
            yield {"name": name, "value": row["coverage"], "unit": "coverage"}
