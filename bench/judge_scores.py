"""Intervals of the judge benchmarks and their scores: width, coverage, interval score.

The interval score at 95% is the width plus 40 times the distance by which the truth is missed
(Gneiting and Raftery 2007, section 6.2): lower is better, and neither a narrow interval that
misses nor a wide one that never does gets away with it.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
from judge_callers import Peer, interval
from judge_tables import JUDGES, TARGETS, Cell, Table, counts_of

from rat_widgets.fitting import fit
from rat_widgets.labels.judges import Judge

MISS: Final = 40.0


@dataclass(frozen=True, slots=True)
class Score:
    """Scores of one tool for one target, averaged over cells.

    Parameters
    ----------
    score, width, coverage : float
        Means over cells of the means over tables.
    score_se, coverage_se : float
        Their Monte Carlo standard errors.
    n_tables : int
        Over all cells.
    n_refused : int
        Tables for which the tool gave no interval: taken as the interval from 0 to 1.
    """

    score: float
    width: float
    coverage: float
    score_se: float
    coverage_se: float
    n_tables: int
    n_refused: int

    @classmethod
    def of(cls, ends: np.ndarray, truths: np.ndarray) -> Self:
        """The scores of intervals, shape (cell, table, 2), whose truth each cell knows."""
        refused = np.isnan(ends).any(axis=-1)
        width, miss = _widths_and_misses(ends, truths)
        score, covered = width + MISS * miss, miss == 0
        return cls(
            score=float(score.mean()),
            width=float(width.mean()),
            coverage=float(covered.mean()),
            score_se=_standard_error(score),
            coverage_se=_standard_error(covered.astype(float)),
            n_tables=int(refused.size),
            n_refused=int(refused.sum()),
        )


def difference(ends: np.ndarray, others: np.ndarray, truths: np.ndarray) -> tuple[float, float]:
    """How much higher the scores of intervals are than those of others, and its standard error.

    On the same tables, so that what tables have in common drops out.
    """
    (width, miss), (width_0, miss_0) = (_widths_and_misses(e, truths) for e in (ends, others))
    apart = width - width_0 + MISS * (miss - miss_0)
    return float(apart.mean()), _standard_error(apart)


def _widths_and_misses(ends: np.ndarray, truths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of intervals, shape (cell, table, 2); one that was refused is [0, 1]."""
    refused = np.isnan(ends).any(axis=-1)
    lower = np.where(refused, 0, ends[..., 0])
    upper = np.where(refused, 1, ends[..., 1])
    truth = truths[:, None]
    return upper - lower, np.maximum(lower - truth, 0) + np.maximum(truth - upper, 0)


def _standard_error(values: np.ndarray) -> float:
    """Of the mean over cells and tables, shape (cell, table); tables are independent."""
    n_cells, n_tables = values.shape
    variance = values.var(axis=1, ddof=1) if n_tables > 1 else np.full(n_cells, np.nan)
    return float(np.sqrt((variance / n_tables).sum()) / n_cells)


def ours(
    many: Sequence[Table],
    *,
    priors: Any = None,
    judges: Sequence[Judge] = JUDGES,
    targets: Sequence[str] = tuple(TARGETS),
) -> np.ndarray:
    """Our 95% intervals, all tables in one call, shape (target, table, 2)."""
    posts = fit(counts_of(many, judges), priors=priors)
    ends = [np.quantile(post[key], (0.025, 0.975)) for key in targets for post in posts]
    return np.array(ends).reshape(len(targets), len(many), 2)


def theirs(
    many: Sequence[Table], peer: Peer, *, targets: Sequence[str] = tuple(TARGETS)
) -> np.ndarray:
    """A peer's 95% intervals, shape (target, table, 2)."""
    feed = Table.proxies if peer.takes_proxies else Table.one_number
    ends = [interval(peer, *feed(table, key)) for key in targets for table in many]
    return np.array(ends).reshape(len(targets), len(many), 2)


def truths(cells: Sequence[Cell], target: str) -> np.ndarray:
    """The target's true value in each cell."""
    return np.array([cell.truths[target] for cell in cells])


def save(name: str, content: dict[str, Any], versions: dict[str, str]) -> None:
    """Write ``results/<name>.json``."""
    path = Path(__file__).with_name("results") / f"{name}.json"
    path.parent.mkdir(exist_ok=True)
    versions = {"python": platform.python_version(), **versions}
    path.write_text(json.dumps({"versions": versions, **content}) + "\n", "utf-8")
