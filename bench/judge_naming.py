"""Of several judges of T, are those named that err together, and no other?

Tables in which judges (TPR 0.88, FPR 0.12) copy a verdict that is not shown in some of the rows,
beside judges that do not, with 100 labelled rows and 900 more with A and verdicts. Counted are the
tables in which exactly those that copy are found to err together, and nothing else is said.

``RAT_BENCH_TABLES`` sets the number of tables per case (100). Case by case everything goes to
``bench/results/judge_naming.json``.
"""

from __future__ import annotations

import os
from importlib import metadata
from typing import Any, Final

import numpy as np
import pandas as pd
from judge_scores import save

import rat_widgets as rat

THETA: Final = rat.Theta(
    retrieval_success=0.5,
    abstain_given_miss=0.4,
    abstain_given_hit=0.1,
    correct_given_miss=0.35,
    correct_given_hit=0.7,
)
TPR: Final = 0.88
FPR: Final = 0.12
N: Final = 1000
N_HUMAN: Final = 100
CASES: Final = (
    (2, 0.6, 1),
    (2, 0.85, 1),
    (2, 0.85, 3),
    (3, 0.6, 0),
    (3, 0.85, 0),
    (3, 0.6, 2),
    (3, 0.85, 2),
    (5, 0.5, 0),
)
"""Judges that copy, the share of rows in which they do, and judges beside them that do not."""


def table(seed: int, copies: int, copied: float, others: int) -> pd.DataFrame:
    """One table, a column of verdicts for each judge."""
    rng = np.random.default_rng([seed, 7])
    frame = rat.simulate(THETA, n=N, seed=seed).astype(float)
    passes = np.where(frame["T"].fillna(0) == 1, TPR, FPR)
    hidden = rng.random(N) < passes
    for k in range(copies):
        own = rng.random(N) < passes
        frame[f"c{k}"] = np.where(rng.random(N) < copied, hidden, own).astype(float)
    for k in range(others):
        frame[f"x{k}"] = (rng.random(N) < passes).astype(float)
    frame.loc[N_HUMAN:, ["R", "T"]] = np.nan
    return frame


def named(frame: pd.DataFrame) -> tuple[set[str], bool]:
    """Judges that are found to err together, and whether anything else is found."""
    judges = [rat.Judge(c, of="task") for c in frame if c not in ("R", "A", "T")]
    found = rat.fit(frame, judges=judges, draws=500).judge_findings
    together = [one for one in found if one.cure == {"dependence": "saturated"}]
    return {key for one in together for key in one.judges}, len(together) < len(found)


def rows() -> list[dict[str, Any]]:
    """One row per case."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "100"))
    found = []
    for copies, copied, others in CASES:
        right = {f"c{k}" for k in range(copies)}
        every = [named(table(seed, copies, copied, others)) for seed in range(n_tables)]
        found.append(
            {
                "copies": copies,
                "copied": copied,
                "others": others,
                "right": float(np.mean([one == (right, False) for one in every])),
                "all_of_them": float(np.mean([right <= judges for judges, _ in every])),
                "others_too": float(np.mean([bool(judges - right) for judges, _ in every])),
                "nothing": float(np.mean([one == (set(), False) for one in every])),
            }
        )
    versions = {name: metadata.version(name) for name in ("numpy", "scipy")}
    save("judge_naming", {"n_tables": n_tables, "cases": found}, versions)
    return [
        {
            "name": f"{one['copies']} judges copy in {one['copied']:.0%} of the rows beside "
            f"{one['others']} that do not: exactly these are named",
            "value": one["right"],
            "unit": "of tables",
        }
        for one in found
    ]
