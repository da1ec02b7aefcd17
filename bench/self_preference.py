"""A judge that is easier on its own family: rates for all systems, for each, and pooled.

Real labels, `openqa_nq301`: twelve readers, judged by text-davinci-003 and by GPT-4. All readers
but one have their human labels; of that one 20 are kept, drawn at random, beside all verdicts. The
truth is the share of its rows that people call right. Two of the readers are text-davinci-003
itself: asked without examples, it passes 40% of its own wrong answers and 18% of the others'.

- self-preference: that reader, judged by itself;
- the judge transfers: the same reader judged by GPT-4, whose rates there are those elsewhere;
- any reader: each in turn judged by text-davinci-003.

``RAT_BENCH_TABLES`` sets the number of random subsets per case (60). Every interval goes to
``bench/results/self_preference.json``; those that docs/pooling.md quotes are in ``bench/measured``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

import rat_widgets as rat
from rat_widgets.inference import pooled

RESULTS: Final = Path(__file__).resolve().parent / "results"
N_OWN: Final = 20
ITSELF: Final = "text-davinci-003_zeroshot"
WAYS: Final = {
    "one instrument": "all",
    "own labels and verdicts": "group",
    "partial pooling": "partial",
}
ALONE: Final = "own labels alone"
TAU_SCALES: Final = (0.5, 2.0)
_FITS: Final[dict[str, Any]] = {"draws": 2000, "retrieval": None, "abstention": "A", "task": "T"}


@dataclass(frozen=True, slots=True)
class Case:
    """One reader with few labels, and the judge."""

    where: str
    system: str
    judge: str
    seed: int


def cases(n_tables: int) -> Iterator[Case]:
    """`n_tables` random subsets of each kind."""
    others = [one for one in systems() if one != ITSELF]
    for seed in range(n_tables):
        yield Case("self-preference", ITSELF, "T_davinci3", seed)
        yield Case("the judge transfers", ITSELF, "T_gpt4", seed)
        yield Case("any reader", others[seed % len(others)], "T_davinci3", seed)


@lru_cache(maxsize=1)
def frame() -> pd.DataFrame:
    """The table."""
    return rat.datasets.load("openqa_nq301").astype({"T": float})


def systems() -> list[str]:
    """The readers."""
    return sorted(frame()["system"].unique())


def truth(case: Case) -> float:
    """The share of the reader's rows that people call right."""
    rows = frame()
    return float(rows.loc[rows["system"] == case.system, "T"].mean())


def table(case: Case, n_own: int = N_OWN) -> pd.DataFrame:
    """The table with all but a few human labels of one reader hidden."""
    rows = frame().copy()
    mine = np.flatnonzero(rows["system"] == case.system)
    rng = np.random.default_rng([case.seed, 7])
    hidden = rng.choice(mine, len(mine) - n_own, replace=False)
    rows.iloc[hidden, rows.columns.get_loc("T")] = np.nan
    return rows


def interval(case: Case, share: str | None) -> tuple[float, float]:
    """The 95% interval of P(T) of that reader; without its judge where `share` is None."""
    rows = table(case)
    if share is None or share == "group":
        rows = rows[rows["system"] == case.system]
    judges = [] if share is None else [rat.Judge(case.judge, of="task", share=share)]
    fitted = rat.fit(rows, judges=judges, by="system", seed=case.seed, **_FITS)
    lower, upper = np.quantile(fitted.sel(system=case.system)["task_success"], (0.025, 0.975))
    return float(lower), float(upper)


def measure(case: Case) -> dict[str, tuple[float, float]]:
    """Every way's interval."""
    found = {way: interval(case, share) for way, share in WAYS.items()}
    found[ALONE] = interval(case, None)
    if case.where == "any reader":
        return found
    usual = pooled.TAU_SCALE
    try:
        for scale in TAU_SCALES if case.seed < 6 else ():
            pooled.TAU_SCALE = scale
            found[f"partial pooling, tau to {scale:g}"] = interval(case, "partial")
    finally:
        pooled.TAU_SCALE = usual
    return found


def scores(ends: Mapping[str, list[tuple[float, float]]], truths: list[float]) -> dict[str, Any]:
    """Coverage and mean width of each way, with their Monte Carlo errors."""
    found = {}
    for way, both in ends.items():
        lower, upper = np.array(both).T
        at = np.array(truths[: len(lower)])
        covers = ((lower <= at) & (at <= upper)).mean()
        found[way] = {
            "coverage": round(float(covers), 3),
            "coverage_mcse": round(float(np.sqrt(covers * (1 - covers) / len(at))), 3),
            "width": round(float((upper - lower).mean()), 4),
            "n": len(at),
        }
    return found


def rows() -> list[dict[str, Any]]:
    """Coverage and width of each way in each case."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "60"))
    ends: dict[str, dict[str, list[tuple[float, float]]]] = {}
    truths: dict[str, list[float]] = {}
    for case in cases(n_tables):
        truths.setdefault(case.where, []).append(truth(case))
        for way, both in measure(case).items():
            ends.setdefault(case.where, {}).setdefault(way, []).append(both)
        summary = {where: scores(ends[where], truths[where]) for where in ends}
        content = {"n_own": N_OWN, "scores": summary, "intervals": _rounded(ends), "truths": truths}
        RESULTS.mkdir(exist_ok=True)
        text = json.dumps(content)
        (RESULTS / "self_preference.json").write_text(text + "\n", encoding="utf-8")
    return [
        {
            "name": f"{where}, {way}; width {score['width']:.3f}",
            "value": score["coverage"],
            "unit": "coverage",
        }
        for where, by_way in summary.items()
        for way, score in by_way.items()
    ]


def _rounded(ends: Mapping[str, Mapping[str, list[tuple[float, float]]]]) -> dict[str, Any]:
    return {
        where: {way: [[round(x, 4) for x in pair] for pair in both] for way, both in ways.items()}
        for where, ways in ends.items()
    }
