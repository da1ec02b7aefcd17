"""How often the diagnosis finds the one system for which a shared judge is another judge.

Simulated: systems of which 60 to 80% of the answers are right, TPR 0.88 and FPR 0.17, one system
with other rates; each with so many labelled rows, and none or 300 more with verdicts alone. False
alarms where all are the same; power by the human labels of that system. The tests start from the
rates among all labelled rows, where a fit's would from the posterior means.

Real: `openqa_nq301` as in `self_preference`, the reader that judges itself with so many labels,
all others with theirs; judged by itself and by GPT-4, whose rates there are those elsewhere. How
often it is named, how often another is, and how often it is said that too few labels could show it.

``RAT_BENCH_TABLES`` sets the number of tables per cell (200, of the real ones a quarter). Cell by
cell everything goes to ``bench/results/rates_differ.json``.
"""

from __future__ import annotations

import os
from importlib import metadata
from typing import Any, Final

import numpy as np
from judge_scores import save
from self_preference import ITSELF, Case
from self_preference import table as real_table

import rat_widgets as rat
from rat_widgets.derived.judge_checks import LEVEL
from rat_widgets.inference.dependence import group_scores
from rat_widgets.inference.sharing import sharing_tests
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.priors import Priors

JUDGE: Final = Judge("jT", of="task")
USUAL: Final = (0.88, 0.17)
ODD: Final = ((0.92, 0.4), (0.95, 0.5), (0.9, 0.3))
N_OWN: Final = (20, 50, 100, 200, 300)
N_ONLY: Final = (0, 300)
N_REAL: Final = (20, 50, 100)
PATTERNS: Final = np.array(
    [(1 if t >= 0 else -1, 0, t, -1, v) for t in (-1, 0, 1) for v in (0, 1)], dtype=np.int8
)


def table(
    rng: np.random.Generator, sizes: tuple[int, int, int], n_only: int, odd: tuple[float, float]
) -> PatternCounts:
    """Systems of which the first has other rates and another number of labels.

    Sizes are the number of systems, and of labels of all but the first, and of the first.
    """
    n_groups, n_labels, n_own = sizes
    every = []
    for g in range(n_groups):
        n, (tpr, fpr) = (n_own, odd) if g == 0 else (n_labels, USUAL)
        truth = rng.random(n + n_only) < rng.uniform(0.6, 0.8)
        said = rng.random(n + n_only) < np.where(truth, tpr, fpr)
        shown = np.where(np.arange(n + n_only) < n, truth, -1)
        every.append(np.bincount(2 * (shown + 1) + said, minlength=6))
    return PatternCounts(
        by=("system",),
        groups=tuple((f"s{g:02}",) for g in range(n_groups)),
        judges=(JUDGE,),
        patterns=PATTERNS,
        counts=np.array(every),
    )


def found(counts: PatternCounts) -> set[int]:
    """The systems that are named; the level is that of a fit with this judge alone."""
    rows = counts.counts.sum(axis=0)
    truth, said = counts.patterns[:, 2], counts.patterns[:, 4]
    rates = [
        (rows[(truth == t) & (said == 1)].sum() + 1) / (rows[truth == t].sum() + 2) for t in (1, 0)
    ]
    start = np.array([0.5, 0.5, 0.5, 0.5, 0.7, *rates])
    scores = group_scores(counts, Priors.flat(counts.judges), start)
    return {one.group for one in sharing_tests(scores, counts.judges).found(LEVEL / 2)}


def rows() -> list[dict[str, Any]]:
    """Shares of tables."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "200"))
    rng = np.random.default_rng(0)
    result = []
    for n_only in N_ONLY:
        more = f"{n_only} more rows"
        for n_groups in (2, 6, 12):
            for n in (20, 50, 100, 300):
                sizes = (n_groups, n, n)
                same = [bool(found(table(rng, sizes, n_only, USUAL))) for _ in range(n_tables)]
                name = f"false alarms, {n_groups} systems, {n} labels each, {more}"
                result.append({"name": name, "value": float(np.mean(same)), "unit": "of tables"})
        for odd in ODD:
            for n_own in N_OWN:
                named = [
                    0 in found(table(rng, (12, 100, n_own), n_only, odd)) for _ in range(n_tables)
                ]
                name = f"found, TPR {odd[0]}, FPR {odd[1]}, {n_own} own labels, {more}"
                result.append({"name": name, "value": float(np.mean(named)), "unit": "of tables"})
    result += _real_rows(n_tables // 4)
    cells = {row["name"]: round(row["value"], 4) for row in result}
    versions = {name: metadata.version(name) for name in ("numpy", "scipy")}
    save("rates_differ", {"n_tables": n_tables, "cells": cells}, versions)
    return result


def _real_rows(n_tables: int) -> list[dict[str, Any]]:
    result = []
    for judge in ("T_davinci3", "T_gpt4"):
        for n_own in N_REAL:
            told = np.array([_told(Case("", ITSELF, judge, i), n_own) for i in range(n_tables)])
            for k, what in enumerate(("named", "another named", "said to be unchecked")):
                name = f"openqa_nq301 judged by {judge}, {n_own} own labels: {what}"
                value = float(told[:, k].mean())
                result.append({"name": name, "value": value, "unit": "of tables"})
    return result


def _told(case: Case, n_own: int) -> tuple[bool, bool, bool]:
    """Whether the reader is named, whether another is, whether it is said to be unchecked."""
    posts = rat.fit(
        real_table(case, n_own),
        judges=[rat.Judge(case.judge, of="task")],
        **{"by": "system", "retrieval": None, "abstention": "A", "task": "T"},
        draws=400,
        seed=case.seed,
    )
    named = {one.group[0] for one in posts.members[0].judges_that_differ}
    unchecked = "rates_unchecked" in posts.diagnosis[case.system].codes
    return case.system in named, bool(named - {case.system}), unchecked
