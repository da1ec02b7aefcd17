"""Do the checks of judges speak up where it matters, and only there?

Tables as in `judge_tables`, but for judges that depart from the model in one of four ways, each
in three strengths, and for judges that do not. Of every cell: coverage of P(T) and P(G) when
nobody does anything about it, in how many tables the diagnosis says something, and in how many it
names the right cure first. Seeds are not those with which the threshold was chosen.

``RAT_BENCH_TABLES`` sets the number of tables per cell (100). Cell by cell everything goes to
``bench/results/judge_checks.json``.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from importlib import metadata
from itertools import product
from typing import Any, Final

import numpy as np
from judge_scores import save
from judge_tables import JUDGES, N_HUMAN, N_VERDICTS, POINTS

from rat_widgets.derived.judge_checks import judge_checks
from rat_widgets.fitting import fit
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.worlds import WORLDS, worlds_of

THREE: Final = tuple(Judge(f"jT{i}", of="task", share="group") for i in range(3))
TPR: Final = 0.9
FPR: Final = 0.1
SEED: Final = 20
SERIOUS: Final = 0.90
"""Coverage below which a departure is one that costs."""

# What departs, by how much, and what names it: the judges, and the cure.
DEPARTURES: Final[dict[str, tuple[tuple[float, ...], set[str], str]]] = {
    "none, two judges": ((0.0,), set(), ""),
    "none, three judges of T": ((0.0,), set(), ""),
    "judge of T passes more after a miss": ((0.2, 0.4, 0.6), {"jT"}, "retrieval"),
    "judge of R passes more if T=1": ((0.2, 0.4, 0.6), {"jR"}, "task"),
    "judge of R passes more if A=1": ((0.2, 0.4, 0.6), {"jR"}, "abstention"),
    "three judges of T copy": ((0.3, 0.6, 0.85), {"jT0", "jT1", "jT2"}, "saturated"),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: what departs, its strength, and the size of its tables."""

    departure: str
    strength: float
    point: str
    n_human: int
    n_verdicts: int

    @property
    def judges(self) -> tuple[Judge, ...]:
        """The judges of its tables."""
        return THREE if "three" in self.departure else JUDGES


@dataclass(frozen=True, slots=True)
class Found:
    """What a cell's tables gave.

    Parameters
    ----------
    coverage_t, coverage_g : float
        Of the 95% intervals of P(T) and P(G), as fitted.
    said, named : float
        Shares of tables in which something is said, and in which the right cure comes first.
    """

    cell: Cell
    coverage_t: float
    coverage_g: float
    said: float
    named: float

    @property
    def costs(self) -> bool:
        """Whether ignoring it costs more than five points of coverage."""
        return min(self.coverage_t, self.coverage_g) < SERIOUS


def cells() -> Iterator[Cell]:
    """All cells."""
    for departure, (strengths, _, _) in DEPARTURES.items():
        for size in product(strengths, POINTS, N_HUMAN, N_VERDICTS):
            yield Cell(departure, *size)


def rows() -> list[dict[str, Any]]:
    """False alarms; then of each departure the cells in which ignoring it costs coverage."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "100"))
    found = [measure(cell, n_tables) for cell in cells()]
    save(
        "judge_checks",
        {
            "n_tables": n_tables,
            "cells": [
                asdict(one.cell)
                | {k: round(getattr(one, k), 4) for k in ("coverage_t", "coverage_g")}
                | {k: round(getattr(one, k), 4) for k in ("said", "named")}
                for one in found
            ],
        },
        {name: metadata.version(name) for name in ("numpy", "scipy")},
    )
    return [row for departure in DEPARTURES for row in _rows(departure, found)]


def _rows(departure: str, found: list[Found]) -> Iterator[dict[str, Any]]:
    mine = [one for one in found if one.cell.departure == departure]
    if not mine[0].cell.strength:
        mean = float(np.mean([one.said for one in mine]))
        most = max(one.said for one in mine)
        yield {
            "name": f"{departure}: false alarms over {len(mine)} cells, at most {most:.2f}",
            "value": mean,
            "unit": "of tables",
        }
        return
    for name, low, high in (("below .90", 0.0, SERIOUS), ("below .50", 0.0, 0.5)):
        some = [one for one in mine if low <= min(one.coverage_t, one.coverage_g) < high]
        if some:
            least = min(one.said for one in some)
            right = float(np.mean([one.named for one in some]))
            yield {
                "name": f"{departure}: speaks up in {len(some)} of {len(mine)} cells with "
                f"coverage {name}, at least {least:.2f}, with the right cure {right:.2f}",
                "value": float(np.mean([one.said for one in some])),
                "unit": "of tables",
            }


def measure(cell: Cell, n_tables: int) -> Found:
    """Coverage and alarms of a cell, all tables in one call."""
    posts = fit(counts_of(cell, n_tables), draws=2000)
    world = dict(zip(WORLDS, POINTS[cell.point].worlds().values(), strict=True))
    truth = {
        "task_success": world["miss_right"] + world["hit_right"],
        "policy_adherence": world["miss_abstained"] + world["hit_right"],
    }
    coverage = []
    for key, value in truth.items():
        ends = np.array([np.quantile(post[key], (0.025, 0.975)) for post in posts])
        coverage.append(float(((ends[:, 0] <= value) & (value <= ends[:, 1])).mean()))
    found = [judge_checks(post).findings for post in posts]
    _strengths, judges, cure = DEPARTURES[cell.departure]
    named = [
        bool(one) and set(one[0].judges) <= judges and cure in one[0].cure.values() for one in found
    ]
    return Found(
        cell, *coverage, float(np.mean([bool(one) for one in found])), float(np.mean(named))
    )


def counts_of(cell: Cell, n_tables: int) -> PatternCounts:
    """The tables of a cell as groups, none of which shares a judge's rates."""
    number = zlib.crc32(repr(cell).encode())
    tables = [_table(cell, np.random.default_rng([SEED, number, i])) for i in range(n_tables)]
    patterns, which = np.unique(np.concatenate(tables), axis=0, return_inverse=True)
    counts = np.zeros((n_tables, len(patterns)), dtype=np.int64)
    group = np.repeat(np.arange(n_tables), cell.n_human + cell.n_verdicts)
    np.add.at(counts, (group, which.reshape(-1)), 1)
    return PatternCounts(
        by=("table",),
        groups=tuple((i,) for i in range(n_tables)),
        judges=cell.judges,
        patterns=patterns,
        counts=counts,
    )


def _table(cell: Cell, rng: np.random.Generator) -> np.ndarray:
    """Patterns of the rows, the human ones first."""
    n = cell.n_human + cell.n_verdicts
    tree = worlds_of()
    world = rng.choice(len(WORLDS), size=n, p=list(POINTS[cell.point].worlds().values()))
    r, a, t = (x[world].astype(int) for x in (tree.hit, tree.abstained, tree.right))
    more_t = cell.strength * (r == 0) * ("miss" in cell.departure)
    more_r = cell.strength * (t * ("T=1" in cell.departure) + a * ("A=1" in cell.departure))
    p_t = np.where(t == 1, TPR, FPR + more_t)
    p_r = np.where(r == 1, TPR, FPR + more_r)
    first = rng.random(n) < p_t
    if cell.judges is THREE:
        copies = [rng.random(n) < cell.strength for _ in THREE]
        verdicts = [np.where(c, first, rng.random(n) < p_t) for c in copies]
    else:
        verdicts = [rng.random(n) < p_r, first]
    seen = np.arange(n) < cell.n_human
    r, t = np.where(seen, r, -1), np.where(seen & (a == 0), t, -1)
    return np.column_stack([r, a, t, np.full(n, -1), *verdicts]).astype(np.int8)
