"""Simulated tables with a few human labels and many verdicts: what the judge benchmarks fit.

A table has `n_human` rows on which R, A, T and both verdicts are seen, then `n_verdicts` rows on
which A and the verdicts are seen. The judge of R and the judge of T have the same two rates. The
seed of a table is its cell and its number, so that every tool gets the same tables.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np

from rat_widgets.datasets import load
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.theta import Theta
from rat_widgets.model.worlds import WORLDS, worlds_of

POINTS: Final = {
    "qwen": Theta.from_array([0.2078, 0.4632, 0.0360, 0.4447, 0.6809]),
    "often right": Theta.from_array([0.75, 0.6, 0.05, 0.25, 0.85]),
}
N_HUMAN: Final = (50, 100, 200)
N_VERDICTS: Final = (500, 2000)
JUDGES: Final = (
    Judge("jR", of="retrieval", share="group"),
    Judge("jT", of="task", share="group"),
)
TARGETS: Final = {"task_success": "P(T)", "policy_adherence": "P(G)"}

_DECLINED, _RIGHT = WORLDS.index("miss_abstained"), WORLDS.index("hit_right")
_LUCKY = WORLDS.index("miss_right")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a grid.

    Parameters
    ----------
    point : str
        A key of `POINTS`.
    n_human, n_verdicts : int
    tpr, fpr : float
        Of both judges.
    more_after_miss : float
        Added to the FPR of the judge of T where R=0: 0 in the model.
    """

    point: str
    n_human: int
    n_verdicts: int
    tpr: float
    fpr: float
    more_after_miss: float = 0.0

    @property
    def truths(self) -> dict[str, float]:
        """The two targets, at the point."""
        world = list(POINTS[self.point].worlds().values())
        return {
            "task_success": world[_LUCKY] + world[_RIGHT],
            "policy_adherence": world[_DECLINED] + world[_RIGHT],
        }


@dataclass(frozen=True, slots=True)
class Table:
    """Labels and verdicts of all rows, the human rows first: 0, 1, or -1 where there is none.

    Truths are those of all rows; who uses them takes the first `n_human` only.
    """

    n_human: int
    r: np.ndarray
    a: np.ndarray
    t: np.ndarray
    jr: np.ndarray
    jt: np.ndarray

    def one_number(self, target: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What a tool for one binary metric is fed.

        Human labels of the target on the human rows, and what the verdicts say of the target on
        the human rows and on the others. A, which is seen on all rows, takes part in both: where
        A=1, T is 0 by people and by verdicts, and G is 1 - R; where A=0, G is R T.
        """
        if target == "task_success":
            human, verdict = self.t * (1 - self.a), (self.jt == 1) * (1 - self.a)
        else:
            human = np.where(self.a == 1, 1 - self.r, self.r * self.t)
            verdict = np.where(self.a == 1, 1 - self.jr, self.jr * self.jt)
        n = self.n_human
        return human[:n].astype(float), verdict[:n].astype(float), verdict[n:].astype(float)

    def proxies(self, target: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """As `one_number`, with A and the verdicts beside what they say of the target."""
        human, first, rest = self.one_number(target)
        more = np.column_stack([self.a, self.jr, self.jt * (1 - self.a)]).astype(float)
        n = self.n_human
        if target == "task_success":
            more = more[:, :2]  # the verdict about T is there already
        return human, np.column_stack([first, more[:n]]), np.column_stack([rest, more[n:]])


def grid(rates: Sequence[tuple[float, float]], more_after_miss: float = 0.0) -> list[Cell]:
    """A cell for each point, number of labels, number of verdicts and pair of rates."""
    cells = product(POINTS, N_HUMAN, N_VERDICTS, rates)
    return [Cell(p, n, m, *pair, more_after_miss) for p, n, m, pair in cells]


def tables(cell: Cell, n_tables: int) -> Iterator[Table]:
    """The first tables of a cell."""
    name = zlib.crc32(repr(cell).encode())
    for number in range(n_tables):
        yield _table(cell, np.random.default_rng([name, number]))


def _table(cell: Cell, rng: np.random.Generator) -> Table:
    n = cell.n_human + cell.n_verdicts
    tree = worlds_of()
    world = rng.choice(len(WORLDS), size=n, p=list(POINTS[cell.point].worlds().values()))
    r, a, t = tree.hit[world], tree.abstained[world], tree.right[world]
    fpr = cell.fpr + cell.more_after_miss * (r == 0)
    jr = rng.random(n) < np.where(r == 1, cell.tpr, cell.fpr)
    jt = rng.random(n) < np.where(t == 1, cell.tpr, fpr)
    return Table(cell.n_human, *(x.astype(np.int8) for x in (r, a, t, jr, jt)))


def counts_of(many: Sequence[Table], judges: Sequence[Judge] = JUDGES) -> PatternCounts:
    """Tables as groups, so that one call fits them side by side; none shares a judge's rates."""
    found: dict[tuple[int, ...], dict[int, int]] = {}
    for i, table in enumerate(many):
        seen = np.arange(len(table.r)) < table.n_human
        r = np.where(seen, table.r, -1)
        t = np.where(seen & (table.a == 0), table.t, -1)
        verdicts = [{"jR": table.jr, "jT": table.jt}[judge.column] for judge in judges]
        rows = np.column_stack([r, table.a, t, np.full(len(r), -1), *verdicts])
        for pattern, n in zip(*np.unique(rows, axis=0, return_counts=True), strict=True):
            found.setdefault(tuple(pattern.tolist()), {})[i] = int(n)
    counts = np.zeros((len(many), len(found)), dtype=np.int64)
    for j, by_table in enumerate(found.values()):
        for i, n in by_table.items():
            counts[i, j] = n
    return PatternCounts(
        by=("table",),
        groups=tuple((i,) for i in range(len(many))),
        judges=tuple(judges),
        patterns=np.array(list(found), dtype=np.int8),
        counts=counts,
    )


def real_tables(n_tables: int, n_human: int = 100) -> tuple[list[Table], float]:
    """`openqa_nq301` with people's T left on random rows and GPT-4's verdicts on all; its P(T).

    R is on no row. An answer that GPT-4 gave no verdict about counts as failed by it where a tool
    takes no gap.
    """
    df = load("openqa_nq301")
    a, t, jt = (df[c].fillna(-1).to_numpy(dtype=np.int8) for c in ("A", "T", "T_gpt4"))
    never = np.full(len(df), -1, dtype=np.int8)
    found = []
    for number in range(n_tables):
        order = np.random.default_rng([301, number]).permutation(len(df))
        found.append(Table(n_human, never, a[order], t[order], never, jt[order]))
    return found, float((t * (1 - a)).mean())
