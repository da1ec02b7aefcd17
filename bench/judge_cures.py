"""What the cures of judges' errors restore, and what they cost.

Tables of `judge_checks` in which a judge departs from the model, each fitted as if it did not,
with the cure that the check names, with saturated judges, and from human labels alone: coverage and
width of the 95% intervals of P(T) and P(G). Where three judges copy, saturated judges are fitted
with Jeffreys priors, too, and one judge without the others.

``RAT_BENCH_TABLES`` sets the number of tables per cell (100).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import asdict, replace
from importlib import metadata
from typing import Any, Final, Literal

import numpy as np
from judge_checks import Cell, counts_of
from judge_scores import save
from judge_tables import POINTS

from rat_widgets.derived.naive import human_counts, with_judges
from rat_widgets.fitting import fit
from rat_widgets.model.worlds import WORLDS

N_VERDICTS: Final = 2000
# What departs, by how much and at which point of the model; which judge the cure is for, and the
# cure. None: all are saturated.
CASES: Final[tuple[tuple[str, float, str, int, str | None], ...]] = (
    ("none, two judges", 0.0, "qwen", 1, "retrieval"),
    ("judge of T passes more after a miss", 0.4, "qwen", 1, "retrieval"),
    ("judge of R passes more if T=1", 0.4, "qwen", 0, "task"),
    ("three judges of T copy", 0.6, "often right", 0, None),
    ("three judges of T copy", 0.85, "often right", 0, None),
    ("three judges of T copy", 0.6, "qwen", 0, None),
    ("three judges of T copy", 0.85, "qwen", 0, None),
)
N_HUMAN: Final = (50, 200)
JEFFREYS: Final = "saturated, Jeffreys priors"
ALONE: Final = "one judge alone"
Changes = list[dict[str, str] | None]
"""What is changed of each judge; None of one that is left out."""
_PRIORS: Final[dict[str, Literal["jeffreys"]]] = {JEFFREYS: "jeffreys"}


def cells() -> Iterator[tuple[Cell, int, str | None]]:
    """All cells, with the judge that departs and the cure."""
    for departure, strength, point, judge, cure in CASES:
        for n_human in N_HUMAN:
            yield Cell(departure, strength, point, n_human, N_VERDICTS), judge, cure


def rows() -> list[dict[str, Any]]:
    """Coverage of the worse of P(T) and P(G): ignored, cured, saturated."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "100"))
    found = [
        {**asdict(cell), "fit": name, **measure(cell, changes, n_tables, _PRIORS.get(name))}
        for cell, judge, cure in cells()
        for name, changes in {**ways(cell, judge, cure), "human labels alone": None}.items()
    ]
    versions = {name: metadata.version(name) for name in ("numpy", "scipy")}
    save("judge_cures", {"n_tables": n_tables, "cells": found}, versions)
    return [
        {
            "name": f"{one['departure']} ({one['strength']}), {one['n_human']} labels, "
            f"{one['fit']}: coverage of P(T) "
            f"{one['coverage_t']:.2f}, of P(G) {one['coverage_g']:.2f}; widths "
            f"{one['width_t']:.3f}, {one['width_g']:.3f}",
            "value": min(one["coverage_t"], one["coverage_g"]),
            "unit": "coverage, the worse",
        }
        for one in found
    ]


def ways(cell: Cell, judge: int, cure: str | None) -> dict[str, Changes]:
    """Name of a fit -> what it changes of each judge."""
    none: Changes = [{} for _ in cell.judges]
    saturated: Changes = [{"dependence": "saturated"} for _ in cell.judges]
    if cure is None:
        alone: Changes = [{}, *([None] * (len(cell.judges) - 1))]
        return {"ignored": none, "saturated": saturated, JEFFREYS: saturated, ALONE: alone}
    cured: Changes = [{"depends_on": cure} if j == judge else {} for j in range(len(cell.judges))]
    one: Changes = [
        {"dependence": "saturated"} if j == judge else {} for j in range(len(cell.judges))
    ]
    return {"ignored": none, "depends_on": cured, "saturated": one}


def measure(
    cell: Cell,
    changes: Changes | None,
    n_tables: int,
    priors: Literal["jeffreys"] | None = None,
) -> dict[str, float]:
    """Coverage and mean width, all tables in one call; without judges where nothing is changed."""
    counts = counts_of(cell, n_tables)
    if changes is None:
        counts = human_counts(counts)
    kept = [(j, change) for j, change in enumerate(changes or []) if change is not None]
    counts = with_judges(counts, [j for j, _ in kept])
    judges = [
        replace(judge, **change)  # type: ignore[arg-type]
        for judge, (_, change) in zip(counts.judges, kept, strict=True)
    ]
    posts = fit(replace(counts, judges=tuple(judges)), draws=2000, priors=priors)
    world = dict(zip(WORLDS, POINTS[cell.point].worlds().values(), strict=True))
    truth = {
        "t": ("task_success", world["miss_right"] + world["hit_right"]),
        "g": ("policy_adherence", world["miss_abstained"] + world["hit_right"]),
    }
    found = {}
    for letter, (key, value) in truth.items():
        ends = np.array([np.quantile(post[key], (0.025, 0.975)) for post in posts])
        covers = (ends[:, 0] <= value) & (value <= ends[:, 1])
        found[f"coverage_{letter}"] = float(covers.mean())
        found[f"width_{letter}"] = float(np.diff(ends, axis=1).mean())
    return found
