"""Few human labels and many verdicts: our intervals against those of other tools.

Same simulated tables for all, see `judge_tables`; how each tool is called is in `judge_callers`;
what a score is, in `judge_scores`. A tool that is not installed is left out, and named. Then the
same on a real table, with all but 100 human labels hidden.

``RAT_BENCH_TABLES`` sets the number of tables per cell (100). Everything, cell by cell, goes to
``bench/results/judge_peers.json`` with the versions of the tools.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Any, Final

import numpy as np
from judge_callers import PEERS, Peer
from judge_scores import Score, ours, save, theirs, truths
from judge_tables import JUDGES, TARGETS, Cell, grid, real_tables, tables

GRIDS: Final = {
    "grid": grid(((0.95, 0.1), (0.9, 0.3), (0.95, 0.5))),
    "near a coin": grid(((0.6, 0.4),)),
    "errors depend on R": grid(((0.9, 0.1),), more_after_miss=0.4),
}
REAL: Final = "openqa_nq301"
OURS: Final = {
    "rat_widgets": {"priors": None},
    "rat_widgets, weak priors": {"priors": "weak"},
    "rat_widgets, verdicts left out": {"judges": ()},
}
# Off the grid: one of each kind.
EVERYWHERE: Final = (
    "human labels only (Wilson)",
    "ppi-python",
    "truescore, Rogan-Gladen",
    "glide-py, all proxies",
)


@dataclass(frozen=True, slots=True)
class Measured:
    """All intervals on one set of tables.

    Parameters
    ----------
    ends : mapping from tool to array, shape (target, cell, table, 2)
    truths : mapping from target to array, shape (cell,)
    cells : sequence
    """

    ends: dict[str, np.ndarray]
    truths: dict[str, np.ndarray]
    cells: Sequence[Cell | str]

    def score(self, tool: str, target: str, n_tables: int | None = None) -> Score:
        """Over all cells, of the first tables of each."""
        ends = self.ends[tool][list(self.truths).index(target)]
        return Score.of(ends[:, :n_tables], self.truths[target])

    def by_cell(self, tool: str, target: str) -> Iterator[Score]:
        """The score in each cell."""
        ends = self.ends[tool][list(self.truths).index(target)]
        for i, truth in enumerate(self.truths[target]):
            yield Score.of(ends[i : i + 1], np.array([truth]))


def rows() -> list[dict[str, Any]]:
    """One row per set of tables, target and tool: its score, and how many times ours is better."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "100"))
    measured = {where: _simulated(where, n_tables) for where in GRIDS}
    measured[REAL] = _real(2 * n_tables)
    save("judge_peers", _details(measured), _versions())
    found = [row for where, one in measured.items() for row in _rows(where, one)]
    return [*_skipped(), *found]


def _present() -> dict[str, Peer]:
    return {name: peer for name, peer in PEERS.items() if peer.is_installed}


def _simulated(where: str, n_tables: int) -> Measured:
    cells = GRIDS[where]
    ends: dict[str, list[np.ndarray]] = {}
    for cell in cells:
        many = list(tables(cell, n_tables))
        for name, settings in OURS.items():
            ends.setdefault(name, []).append(ours(many, **settings))
        for name, peer in _present().items():
            if where == "grid" or name in EVERYWHERE:
                ends.setdefault(name, []).append(theirs(many[: peer.n_tables], peer))
    return Measured(
        {name: np.stack(found, axis=1) for name, found in ends.items()},
        {target: truths(cells, target) for target in TARGETS},
        cells,
    )


def _real(n_tables: int) -> Measured:
    """P(T) of a real table; R was never seen, so that there is no P(G) for the others."""
    many, truth = real_tables(n_tables)
    targets = ("task_success",)
    of_task = JUDGES[1:]
    ends = {
        name: ours(many, **{"judges": of_task, **settings}, targets=targets)
        for name, settings in OURS.items()
    }
    for name, peer in _present().items():
        if not peer.takes_proxies:
            ends[name] = theirs(many[: peer.n_tables], peer, targets=targets)
    return Measured(
        {name: found[:, None] for name, found in ends.items()},
        {"task_success": np.array([truth])},
        (f"{REAL}: {many[0].n_human} human labels, {len(many[0].t):,} verdicts",),
    )


def _rows(where: str, measured: Measured) -> Iterator[dict[str, Any]]:
    for target in measured.truths:
        for tool in measured.ends:
            found = measured.score(tool, target)
            # The slow tools were given fewer tables: ours is compared on the same ones.
            n_tables = measured.ends[tool].shape[2]
            mine = measured.score("rat_widgets", target, n_tables)
            yield {
                "name": f"{where}, {TARGETS[target]}, rat_widgets; coverage {mine.coverage:.3f}, "
                f"width {mine.width:.3f}",
                "value": mine.score,
                "unit": "interval score",
                "peer": f"{tool}; coverage {found.coverage:.3f}, width {found.width:.3f}",
                "peer_value": found.score,
                "ratio": found.score / mine.score,
            }


def _skipped() -> list[dict[str, Any]]:
    return [
        {"name": f"skipped: {peer.package} is not installed ({name})", "value": 0, "unit": "tables"}
        for name, peer in PEERS.items()
        if not peer.is_installed
    ]


def _details(measured: dict[str, Measured]) -> dict[str, Any]:
    """Scores over all cells, and score, coverage and width in each."""
    return {
        "calls": {name: peer.how for name, peer in _present().items()},
        "scores": {
            where: {
                target: {tool: asdict(one.score(tool, target)) for tool in one.ends}
                for target in one.truths
            }
            for where, one in measured.items()
        },
        "cells": {
            where: {
                "cells": [c if isinstance(c, str) else list(asdict(c).values()) for c in one.cells],
                **{
                    target: {
                        tool: [
                            [round(x, 4) for x in (s.score, s.coverage, s.width)]
                            for s in one.by_cell(tool, target)
                        ]
                        for tool in one.ends
                    }
                    for target in one.truths
                },
            }
            for where, one in measured.items()
        },
    }


def _versions() -> dict[str, str]:
    packages = {peer.package for peer in _present().values()}
    return {name: metadata.version(name) for name in sorted({*packages, "numpy", "scipy"})}
