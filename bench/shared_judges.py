"""Do the checks of judges that systems share speak up where they should, and only there?

Systems whose probabilities are drawn, each with so many labelled rows and more with A and verdicts
alone; a judge of R and one of T with TPR 0.9 and FPR 0.1 for all of them. Where something is wrong
the judge of T passes 25 points more of the wrong answers after a miss, in every system. Shares of
tables in which anything is said, and in which the right cure comes first; beside them the same
tables with ``share="group"``, where each system is looked at by itself.

``RAT_BENCH_TABLES`` sets the number of tables per cell (150). Cell by cell everything goes to
``bench/results/shared_judges.json``.
"""

from __future__ import annotations

import os
from dataclasses import replace
from importlib import metadata
from typing import Any, Final

import numpy as np
from judge_scores import save

from rat_widgets.derived.posteriors import Posteriors
from rat_widgets.fitting import fit
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge

JUDGES: Final = (Judge("jR", of="retrieval"), Judge("jT", of="task"))
TPR: Final = 0.9
FPR: Final = 0.1
AFTER_MISS: Final = 0.25
SIZES: Final = ((3, 60, 300), (10, 10, 200), (27, 10, 100))
"""Systems; labelled rows of each; rows of each with A and verdicts alone."""
# Alpha and beta of P(R), P(A | miss), P(A | hit), P(T | miss), P(T | hit).
TREES: Final = np.array([(2, 2), (4, 4), (1, 8), (2, 2), (2, 2)], dtype=float)


def table(seed: int, size: tuple[int, int, int], after_miss: float) -> PatternCounts:
    """The counts of one table."""
    n_systems, n_human, n_only = size
    rng = np.random.default_rng([31, seed, *size])
    every = []
    for g in range(n_systems):
        n = n_human + n_only
        p = rng.beta(*TREES.T)
        r = rng.random(n) < p[0]
        a = rng.random(n) < np.where(r, p[2], p[1])
        t = (rng.random(n) < np.where(r, p[4], p[3])) & ~a
        j_r = rng.random(n) < np.where(r, TPR, FPR)
        j_t = rng.random(n) < np.where(t, TPR, FPR + after_miss * ~r)
        seen = np.arange(n) < n_human
        columns = (np.where(seen, r, -1), a, np.where(seen & ~a, t, -1), np.full(n, -1), j_r)
        every.append(np.column_stack([np.full(n, g), *columns, np.where(a, -1, j_t)]))
    rows = np.concatenate(every).astype(int)
    patterns, which = np.unique(rows[:, 1:], axis=0, return_inverse=True)
    counts = np.zeros((n_systems, len(patterns)), dtype=np.int64)
    np.add.at(counts, (rows[:, 0], which.reshape(-1)), 1)
    return PatternCounts(
        by=("system",),
        groups=tuple((g,) for g in range(n_systems)),
        judges=JUDGES,
        patterns=patterns.astype(np.int8),
        counts=counts,
    )


def told(counts: PatternCounts) -> tuple[bool, bool]:
    """Whether anything is said, and whether the right cure comes first."""
    posts = fit(counts, draws=400)
    assert isinstance(posts, Posteriors)
    found = posts.judge_findings
    first = bool(found) and found[0].judges == ("jT",) and "retrieval" in found[0].cure.values()
    return bool(found or posts.members[0].judges_that_differ), first


def rows() -> list[dict[str, Any]]:
    """Shares of tables."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "150"))
    result = []
    for size in SIZES:
        name = f"{size[0]} systems, {size[1]} labels and {size[2]} more rows each"
        for after_miss in (0.0, AFTER_MISS):
            tables = [table(i, size, after_miss) for i in range(n_tables)]
            found = np.array([told(one) for one in tables])
            alone = tuple(replace(judge, share="group") for judge in JUDGES)
            apart = np.array([told(replace(one, judges=alone)) for one in tables])
            what = "lenient after a miss" if after_miss else "well-behaved"
            for k, kind in enumerate(("anything said", "right cure first")[: 1 + (after_miss > 0)]):
                for share, values in (("shared", found), ("each by itself", apart)):
                    result.append(
                        {
                            "name": f"{name}; {what}, {share}: {kind}",
                            "value": float(values[:, k].mean()),
                            "unit": "of tables",
                        }
                    )
    cells = {row["name"]: round(row["value"], 4) for row in result}
    versions = {name: metadata.version(name) for name in ("numpy", "scipy")}
    save("shared_judges", {"n_tables": n_tables, "cells": cells}, versions)
    return result
