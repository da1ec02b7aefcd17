"""Which rows got human labels: chosen by outcome, by verdict, and at random.

Tables of 1,000 rows with A and the verdicts of a judge of R and a judge of T on all, TPR 0.9 and
FPR 0.2. Human labels of R and T stand on about 100 to 150 rows: chosen by outcome (a quarter of
the rows without a right answer, 4% of the others), the same beside 50 rows chosen at random (the
column says which), or by the verdict of the judge of T (a quarter of what it failed, 4% of what
it passed). PPI++ by its formula, see `these_rows`.

``RAT_BENCH_TABLES`` sets the number of tables (300). Everything goes to
``bench/results/selection.json``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict
from importlib import metadata
from typing import Any, Final

import numpy as np
import pandas as pd
from judge_scores import Score, save
from judge_tables import POINTS, TARGETS, Table
from these_rows import ppi

from rat_widgets.fitting import fit
from rat_widgets.labels.judges import Judge
from rat_widgets.model.worlds import worlds_of

POINT: Final = "often right"
N_ROWS: Final = 1000
JUDGES: Final = (Judge("jR", of="retrieval"), Judge("jT", of="task"))
_OFTEN, _SELDOM = 0.25, 0.04
BOUGHT: Final[dict[str, tuple[str, ...]]] = {
    "by outcome": ("verdict", "outcome"),
    "by outcome, and 50 at random": ("verdict", "chosen"),
    "by verdict": ("verdict",),
}


def rows() -> list[dict[str, Any]]:
    """One row per choice of rows, method and target: coverage, width."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "300"))
    found: list[dict[str, Any]] = []
    scores: dict[str, Any] = {}
    for bought, selections in BOUGHT.items():
        ends: dict[str, list[Any]] = {}
        for frame, table in _tables(bought, n_tables):
            for selection in selections:
                post = fit(frame, judges=JUDGES, draws=2000, selection=selection)
                both = [np.quantile(post[t], (0.025, 0.975)) for t in TARGETS]
                ends.setdefault(f"selection={selection!r}", []).append(both)
            ends.setdefault("PPI++", []).append([ppi(*table.one_number(t)) for t in TARGETS])
        for method, each in ends.items():
            for i, (target, symbol) in enumerate(TARGETS.items()):
                score = Score.of(np.array(each)[None, :, i], _truth(target))
                name = f"{bought}, {method}, {symbol}"
                scores[name] = asdict(score)
                width = f"{name}; width {score.width:.3f}"
                found.append({"name": width, "value": score.coverage, "unit": "coverage"})
    save("selection", {"scores": scores}, {"rat_widgets": metadata.version("rat_widgets")})
    return found


def _truth(target: str) -> np.ndarray:
    worlds = POINTS[POINT].worlds()
    good = {"task_success": "miss_right", "policy_adherence": "miss_abstained"}[target]
    return np.array([worlds[good] + worlds["hit_right"]])


def _tables(bought: str, n_tables: int) -> Iterator[tuple[pd.DataFrame, Table]]:
    """The frame, and what PPI++ is fed: labelled rows first."""
    tree = worlds_of()
    for number in range(n_tables):
        rng = np.random.default_rng([list(BOUGHT).index(bought), number])
        world = rng.choice(6, size=N_ROWS, p=list(POINTS[POINT].worlds().values()))
        r, a, t = tree.hit[world], tree.abstained[world], tree.right[world]
        jr, jt = (rng.random(N_ROWS) < np.where(x == 1, 0.9, 0.2) for x in (r, t))
        bad = ~jt if bought == "by verdict" else t == 0
        chosen = rng.random(N_ROWS) < np.where(bad, _OFTEN, _SELDOM)
        seen = chosen.copy()
        if bought.endswith("random"):
            seen[:50], chosen[:50] = True, False
        frame = pd.DataFrame({"R": r, "A": a, "T": t, "jR": jr, "jT": jt}).astype("Int8")
        frame["chosen"] = chosen
        frame.loc[~seen, ["R", "T"]] = pd.NA
        order = np.argsort(~seen, kind="stable")
        columns = (x.astype(np.int8)[order] for x in (r, a, t, jr, jt))
        yield frame, Table(int(seen.sum()), *columns)
