"""How often the diagnosis finds the one system for which a shared judge is another judge.

Simulated: systems of which 60 to 80% of the answers are right, TPR 0.88 and FPR 0.17, one system
with other rates; each with so many labelled rows, and none or 300 more with verdicts alone. False
alarms where all are the same; power by the human labels of that system. The tests start from the
rates among all labelled rows, where a fit's would from the posterior means.

Two judges, one of R and one of T, eight systems: one of them or both have other rates in the first
system. How often just those are named there that differ.

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
from systems_alike import TWO, USUAL, one_judge, start_of, two_judges

import rat_widgets as rat
from rat_widgets.derived.judge_checks import LEVEL
from rat_widgets.inference.dependence import group_scores
from rat_widgets.inference.sharing import sharing_tests
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors

ODD: Final = ((0.92, 0.4), (0.95, 0.5), (0.9, 0.3))
N_OWN: Final = (20, 50, 100, 200, 300)
N_ONLY: Final = (0, 300)
N_REAL: Final = (20, 50, 100)
N_SYSTEMS: Final = 8
SIZES: Final = ((50, 300), (100, 1000))
# What differs in the first system: rates of the judge of R, and of the judge of T.
AMONG_TWO: Final[dict[str, tuple[tuple[float, float], tuple[float, float]]]] = {
    "neither": (USUAL, USUAL),
    "one, more lenient": (USUAL, (0.94, 0.45)),
    "both, more lenient": ((0.94, 0.45), (0.94, 0.45)),
    "one stricter, one more lenient": ((0.6, 0.05), (0.94, 0.45)),
}


def found(counts: PatternCounts) -> set[int]:
    """The systems that are named; the level is that of a fit with this judge alone."""
    scores = group_scores(counts, Priors.flat(counts.judges), start_of(counts))
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
                size = {"n_groups": n_groups, "n_only": n_only}
                same = [bool(found(one_judge(rng, n, **size))) for _ in range(n_tables)]
                name = f"false alarms, {n_groups} systems, {n} labels each, {more}"
                result.append({"name": name, "value": float(np.mean(same)), "unit": "of tables"})
        for odd in ODD:
            for n_own in N_OWN:
                size = {"n_groups": 12, "n_own": n_own, "n_only": n_only}
                named = [0 in found(one_judge(rng, 100, odd=odd, **size)) for _ in range(n_tables)]
                name = f"found, TPR {odd[0]}, FPR {odd[1]}, {n_own} own labels, {more}"
                result.append({"name": name, "value": float(np.mean(named)), "unit": "of tables"})
    result += _two_rows(n_tables)
    result += _real_rows(n_tables // 4)
    cells = {row["name"]: round(row["value"], 4) for row in result}
    versions = {name: metadata.version(name) for name in ("numpy", "scipy")}
    save("rates_differ", {"n_tables": n_tables, "cells": cells}, versions)
    return result


def _two_rows(n_tables: int) -> list[dict[str, Any]]:
    result = []
    for size in SIZES:
        for what, rates in AMONG_TWO.items():
            differ = {j for j, pair in enumerate(rates) if pair != USUAL}
            every = {"n_groups": N_SYSTEMS, "n_labels": size[0], "n_only": size[1]}
            told = [
                _of_two(two_judges(np.random.default_rng([5, i]), rates, **every))
                for i in range(n_tables)
            ]
            shares = {
                "just these named": np.mean([here == differ for here, _ in told]),
                "another there": np.mean([bool(here - differ) for here, _ in told]),
                "another system": np.mean([elsewhere for _, elsewhere in told]),
            }
            more = f"{size[0]} labels and {size[1]} more rows"
            for kind, value in shares.items():
                name = f"two judges, {what}, {more}: {kind}"
                result.append({"name": name, "value": float(value), "unit": "of tables"})
    return result


def _of_two(counts: PatternCounts) -> tuple[set[int], bool]:
    """Judges that are named for the first system, and whether another system is."""
    tprs, fprs = ([rate] * len(TWO) for rate in USUAL)
    start = np.array([0.65, 0.4, 0.1, 0.4, 0.8, *tprs, *fprs])
    scores = group_scores(counts, Priors.flat(counts.judges), start)
    named = sharing_tests(scores, counts.judges).found(LEVEL / 2)
    return {one.judge for one in named if one.group == 0}, any(one.group for one in named)


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
