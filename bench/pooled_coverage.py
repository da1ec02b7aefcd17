"""What pooling a judge's rates over systems is worth, where the truth is known.

Simulated tables of twelve systems with 300 rows each, a judge's verdicts on all of them. One system
has 20 human labels, the others 100. P(T) of each is uniform from 0.4 to 0.85. TPR and FPR are 0.88
and 0.17: in every system; or there with logits that vary by a normal of 0.25 or 0.75; or everywhere
but in the system with few labels, where they are 0.92 and 0.4, and which there has 20, 50 or 100.

Coverage and mean width of the 95% interval of that system's P(T): one instrument, the same with
each system apart for which the diagnosis says that the judge differs, partial pooling, rates of its
own, and its human labels without the judge. These tables are not those with which
the prior of partial pooling was chosen.

``RAT_BENCH_TABLES`` sets the number of tables per case (100). Everything goes to
``bench/results/pooled_coverage.json``.
"""

from __future__ import annotations

import os
from dataclasses import replace
from importlib import metadata
from typing import Any, Final

import numpy as np
from judge_scores import save
from scipy.special import expit, logit

from rat_widgets.derived.naive import human_counts, with_judges
from rat_widgets.fitting import fit
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge

N_SYSTEMS: Final = 12
N_ROWS: Final = 300
N_OTHERS: Final = 100
USUAL: Final = (0.88, 0.17)
ODD: Final = (0.92, 0.4)
# How much the logits of the rates vary; of one system its rates and its human labels.
CASES: Final[dict[str, tuple[float, tuple[float, float], int]]] = {
    "the same for all": (0.0, USUAL, 20),
    "logits vary by 0.25": (0.25, USUAL, 20),
    "logits vary by 0.75": (0.75, USUAL, 20),
    "another judge in one": (0.0, ODD, 20),
    "another judge in one, 50 labels": (0.0, ODD, 50),
    "another judge in one, 100 labels": (0.0, ODD, 100),
}
NAMED: Final = "systems that are named apart"
WAYS: Final = {
    "one instrument": "all",
    NAMED: NAMED,
    "partial pooling": "partial",
    "its own rates": "group",
}
ALONE: Final = "own labels, no judge"
PATTERNS: Final = np.array([(-1, 0, t, -1, v) for t in (-1, 0, 1) for v in (0, 1)], dtype=np.int8)


def table(case: str, seed: int) -> tuple[PatternCounts, float]:
    """Counts, and P(T) of the first system."""
    spread, first, n_own = CASES[case]
    rng = np.random.default_rng([41, seed])
    right = rng.uniform(0.4, 0.85, N_SYSTEMS)
    shift = rng.normal(size=(N_SYSTEMS, 2))
    every = []
    for g in range(N_SYSTEMS):
        tpr, fpr = expit(logit(first if g == 0 else USUAL) + spread * shift[g])
        truth = rng.random(N_ROWS) < right[g]
        said = rng.random(N_ROWS) < np.where(truth, tpr, fpr)
        n_labels = n_own if g == 0 else N_OTHERS
        shown = np.where(np.arange(N_ROWS) < n_labels, truth, -1)
        every.append(np.bincount(2 * (shown + 1) + said, minlength=len(PATTERNS)))
    counts = PatternCounts(
        by=("system",),
        groups=tuple((f"s{g:02}",) for g in range(N_SYSTEMS)),
        judges=(Judge("jT", of="task"),),
        patterns=PATTERNS,
        counts=np.array(every),
    )
    return counts, float(right[0])


def interval(counts: PatternCounts, share: str | None) -> tuple[float, float]:
    """The 95% interval of P(T) of the first system; without its judge where `share` is None."""
    if share is None:
        counts = with_judges(human_counts(counts.group(0)), [])
    else:
        judge = Judge("jT", of="task", share="all" if share == NAMED else share)  # type: ignore[arg-type]
        shown = counts.group(0) if share == "group" else counts
        counts = replace(shown, judges=(judge,))
    fitted = fit(counts, draws=2000)
    if share == NAMED and fitted.judges_that_differ:
        fitted = fit(counts, draws=2000, apart=fitted.judges_that_differ)
    first = fitted.members[0] if counts.n_groups > 1 else fitted
    lower, upper = np.quantile(first["task_success"], (0.025, 0.975))
    return float(lower), float(upper)


def rows() -> list[dict[str, Any]]:
    """Coverage of each way in each case."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "100"))
    cells = {}
    for case in CASES:
        drawn = [table(case, seed) for seed in range(n_tables)]
        truths = np.array([truth for _, truth in drawn])
        for way, share in (*WAYS.items(), (ALONE, None)):
            lower, upper = np.array([interval(counts, share) for counts, _ in drawn]).T
            covers = (lower <= truths) & (truths <= upper)
            cells[f"{case}, {way}"] = {
                "coverage": round(float(covers.mean()), 4),
                "width": round(float((upper - lower).mean()), 4),
            }
    versions = {name: metadata.version(name) for name in ("numpy", "numpyro", "jax")}
    save("pooled_coverage", {"n_tables": n_tables, "cells": cells}, versions)
    return [
        {
            "name": f"{name}; width {cell['width']:.3f}",
            "value": cell["coverage"],
            "unit": "coverage",
        }
        for name, cell in cells.items()
    ]
