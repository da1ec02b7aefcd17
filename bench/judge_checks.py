"""Do the checks of judges speak up where it matters, and only there?

Tables as in `judge_tables`, but for judges that depart from the model in one of four ways, each
in three strengths, and for judges that do not. Of every cell: coverage of P(T) and P(G) when
nobody does anything about it, in how many tables the diagnosis says something, and in how many it
names the right cure first. Seeds are not those with which the threshold was chosen.

Beside it stands what no test could exceed: the power, at ten false alarms in a hundred, of the
likelihood ratio of the departure itself, its rates known to be what they are, against the nearest
point of the model.

``RAT_BENCH_TABLES`` sets the number of tables per cell (100); coverage is that of four times as
many, so that few cells count as costly by chance. Cell by cell everything goes to
``bench/results/judge_checks.json``.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from importlib import metadata
from itertools import product
from typing import Any, Final

import numpy as np
from judge_scores import save
from judge_tables import JUDGES, N_HUMAN, N_VERDICTS, POINTS

from rat_widgets.derived.judge_checks import judge_checks
from rat_widgets.fitting import fit
from rat_widgets.inference.splits import local_mode, splits_of
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.worlds import WORLDS, worlds_of

FOUR: Final = (JUDGES[0], *(Judge(f"jT{i}", of="task", share="group") for i in range(3)))
THREE: Final = tuple(Judge(f"jT{i}", of="task", share="group") for i in range(3))
TPR: Final = 0.9
FPR: Final = 0.1
SEED: Final = 20
TIMES: Final = 4
"""As many tables more for coverage."""
SERIOUS: Final = 0.90
"""Coverage below which a departure is one that costs."""

# What departs, by how much, and what names it: the judges, and the cure.
DEPARTURES: Final[dict[str, tuple[tuple[float, ...], set[str], str]]] = {
    "none, two judges": ((0.0,), set(), ""),
    "none, three judges of T": ((0.0,), set(), ""),
    "none, a judge of R and three of T": ((0.0,), set(), ""),
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
        if "R and three" in self.departure:
            return FOUR
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
    attainable : float
        What no test could exceed at ten false alarms in a hundred; NaN without a departure.
    """

    cell: Cell
    coverage_t: float
    coverage_g: float
    said: float
    named: float
    attainable: float

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
            "n_for_coverage": TIMES * n_tables,
            "cells": [
                asdict(one.cell)
                | {k: round(getattr(one, k), 4) for k in ("coverage_t", "coverage_g")}
                | {k: round(getattr(one, k), 4) for k in ("said", "named", "attainable")}
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
    posts = fit(counts_of(cell, TIMES * n_tables), draws=2000)
    world = dict(zip(WORLDS, POINTS[cell.point].worlds().values(), strict=True))
    truth = {
        "task_success": world["miss_right"] + world["hit_right"],
        "policy_adherence": world["miss_abstained"] + world["hit_right"],
    }
    coverage = []
    for key, value in truth.items():
        ends = np.array([np.quantile(post[key], (0.025, 0.975)) for post in posts])
        coverage.append(float(((ends[:, 0] <= value) & (value <= ends[:, 1])).mean()))
    # Each table is one of its own: none has others to share the level with.
    found = [
        judge_checks(replace(post, draws=replace(post.draws, siblings=None))).findings
        for post in posts.members[:n_tables]
    ]
    _strengths, judges, cure = DEPARTURES[cell.departure]
    named = [
        bool(one) and set(one[0].judges) <= judges and cure in one[0].cure.values() for one in found
    ]
    said = float(np.mean([bool(one) for one in found]))
    return Found(cell, *coverage, said, float(np.mean(named)), attainable(cell))


def attainable(cell: Cell, n_tables: int = 4000) -> float:
    """Power of the likelihood ratio of what is there against the nearest that the model has."""
    if not cell.strength:
        return float("nan")
    patterns, shares = _shares(cell)
    sizes = (cell.n_human, cell.n_verdicts)
    rows = np.concatenate([n * share for n, share in zip(sizes, shares, strict=True)])
    splits = splits_of(patterns, cell.judges)
    rates = np.repeat([TPR, FPR], len(cell.judges))
    start = np.concatenate([POINTS[cell.point].as_array(), rates])
    p = local_mode(splits, rows, np.full((len(start), 2), 1e-3), start)
    nearest = np.split(splits.joint(p).sum(axis=1), [len(shares[0])])
    rng = np.random.default_rng(SEED)
    there = chance = np.zeros(n_tables)
    for n, share, other in zip(sizes, shares, nearest, strict=True):
        ratio = np.log(share / other)
        there = there + rng.multinomial(n, share, n_tables) @ ratio
        chance = chance + rng.multinomial(n, other / other.sum(), n_tables) @ ratio
    return float((there > np.quantile(chance, 0.9)).mean())


def _shares(cell: Cell) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Patterns of human rows and of the others, and how often each comes."""
    tree = worlds_of()
    human: dict[tuple[int, ...], float] = {}
    other: dict[tuple[int, ...], float] = {}
    for w, share in enumerate(POINTS[cell.point].worlds().values()):
        r, a, t = (int(x[w]) for x in (tree.hit, tree.abstained, tree.right))
        p_r, p_t = _rates(cell, np.array(r), np.array(a), np.array(t))
        for verdicts in product((0, 1), repeat=len(cell.judges)):
            p = share * _chance(cell, verdicts, float(p_r), float(p_t))
            for found, key in ((human, (r, a, -1 if a else t)), (other, (-1, a, -1))):
                pattern = (*key, -1, *verdicts)
                found[pattern] = found.get(pattern, 0) + p
    patterns = np.array([*human, *other], dtype=np.int8)
    return patterns, (np.array([*human.values()]), np.array([*other.values()]))


def _chance(cell: Cell, verdicts: tuple[int, ...], p_r: float, p_t: float) -> float:
    """P(verdicts | world); judges that copy copy one that is not shown."""
    if cell.judges is not THREE:
        return float(
            np.prod([q if v else 1 - q for q, v in zip((p_r, p_t), verdicts, strict=True)])
        )
    copied = [
        (p_t if first else 1 - p_t)
        * np.prod(
            [
                cell.strength * (v == first) + (1 - cell.strength) * (p_t if v else 1 - p_t)
                for v in verdicts
            ]
        )
        for first in (0, 1)
    ]
    return float(sum(copied))


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
    p_r, p_t = _rates(cell, r, a, t)
    first = rng.random(n) < p_t
    if cell.judges is FOUR:
        verdicts = [rng.random(n) < p_r, *(rng.random(n) < p_t for _ in THREE)]
    elif cell.judges is THREE:
        copies = [rng.random(n) < cell.strength for _ in THREE]
        verdicts = [np.where(c, first, rng.random(n) < p_t) for c in copies]
    else:
        verdicts = [rng.random(n) < p_r, first]
    seen = np.arange(n) < cell.n_human
    r, t = np.where(seen, r, -1), np.where(seen & (a == 0), t, -1)
    return np.column_stack([r, a, t, np.full(n, -1), *verdicts]).astype(np.int8)


def _rates(
    cell: Cell, r: np.ndarray, a: np.ndarray, t: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """How often a judge of R, and one of T, passes each row."""
    more_t = cell.strength * (r == 0) * ("miss" in cell.departure)
    more_r = cell.strength * (t * ("T=1" in cell.departure) + a * ("A=1" in cell.departure))
    return np.where(r == 1, TPR, FPR + more_r), np.where(t == 1, TPR, FPR + more_t)
