"""Rows in clusters: coverage of P(T) and P(G) with clusters ignored, divided and drawn anew.

Tables of 240 rows, R, A and T seen on all, or R and T hidden on half of the clusters and a judge
of T on every row. Three kinds of clusters: rows of their own under names of three; copies of
three; and conversations of six whose rates differ (all five probabilities of a conversation are
shifted by normal draws of sd 1 on the logit scale, and the truth is the mean over conversations).
Then 30 questions of 40 rows with rates as those of conversations, the judge on all 1,200 rows and
people's labels on 120 of them, drawn at random.

``RAT_BENCH_TABLES`` sets the number of tables per kind (400). Everything goes to
``bench/results/clusters.json``.
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
from judge_tables import POINTS, TARGETS

from rat_widgets.fitting import fit
from rat_widgets.labels.judges import Judge
from rat_widgets.model.worlds import world_probabilities, worlds_of

N_ROWS: Final = 240
THIN: Final = "questions of forty, labels on one row in ten"
KINDS: Final = ("alone, named in threes", "copies of three", "conversations of six", THIN)
METHODS: Final[dict[str, dict[str, Any]]] = {
    "ignored": {},
    "deff": {"cluster": "c"},
    "bootstrap": {"cluster": "c", "cluster_method": "bootstrap"},
}
JUDGE: Final = Judge("jT", of="task")
_SD: Final = 1.0
_POINT: Final = "often right"


def rows() -> list[dict[str, Any]]:
    """One row per kind of clusters, labels, method and target: coverage and width."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "400"))
    found = []
    scores: dict[str, Any] = {}
    for kind in KINDS:
        for is_judged in (True,) if kind == THIN else (False, True):
            labels = "with a judge" if is_judged else "all labelled"
            for method, of_target in _scored(kind, n_tables, is_judged=is_judged).items():
                for target, score in of_target.items():
                    name = f"{kind}, {labels}, {method}, {TARGETS[target]}"
                    scores[name] = asdict(score)
                    width = f"{name}; width {score.width:.3f}"
                    found.append({"name": width, "value": score.coverage, "unit": "coverage"})
    save("clusters", {"scores": scores}, {"rat_widgets": metadata.version("rat_widgets")})
    return found


def _scored(kind: str, n_tables: int, *, is_judged: bool) -> dict[str, dict[str, Score]]:
    keywords = {"judges": [JUDGE]} if is_judged else {}
    methods = {m: k for m, k in METHODS.items() if not (is_judged and m == "bootstrap")}
    ends: dict[str, list[Any]] = {method: [] for method in methods}
    for frame in _tables(kind, n_tables, is_judged=is_judged):
        for method, how in methods.items():
            post = fit(frame, draws=2000, **keywords, **how)
            ends[method].append([np.quantile(post[t], (0.025, 0.975)) for t in TARGETS])
    truths = _truths(kind)
    return {
        method: {
            target: Score.of(np.array(found)[None, :, i], truths[target])
            for i, target in enumerate(TARGETS)
        }
        for method, found in ends.items()
    }


def _tables(kind: str, n_tables: int, *, is_judged: bool) -> Iterator[pd.DataFrame]:
    tree = worlds_of()
    for number in range(n_tables):
        rng = np.random.default_rng([KINDS.index(kind), number])
        world, cluster = _worlds(kind, rng)
        frame = pd.DataFrame({"R": tree.hit[world], "A": tree.abstained[world]}).astype("Int8")
        frame["T"] = pd.array(tree.right[world], dtype="Int8")
        frame["c"] = cluster
        if is_judged:
            yes = rng.random(len(frame)) < np.where(tree.right[world] == 1, 0.9, 0.2)
            frame["jT"] = yes.astype(int)
            hidden = cluster >= np.median(np.unique(cluster))
            if kind == THIN:
                hidden = rng.permutation(len(frame)) >= len(frame) // 10
            frame.loc[hidden, ["R", "T"]] = pd.NA
        yield frame


def _worlds(kind: str, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The world and the cluster of every row."""
    at = np.array(list(POINTS[_POINT].worlds().values()))
    if kind == KINDS[0]:
        return rng.choice(6, size=N_ROWS, p=at), np.arange(N_ROWS) // 3
    if kind == KINDS[1]:
        own = rng.choice(6, size=N_ROWS // 3, p=at)
        return np.repeat(own, 3), np.repeat(np.arange(N_ROWS // 3), 3)
    n, size = (30, 40) if kind == THIN else (N_ROWS // 6, 6)
    of_each = _conversations(n, rng)
    world = np.concatenate([rng.choice(6, size=size, p=p) for p in of_each])
    return world, np.repeat(np.arange(n), size)


def _conversations(n: int, rng: np.random.Generator) -> np.ndarray:
    theta = POINTS[_POINT].as_array()
    logits = np.log(theta / (1 - theta)) + _SD * rng.standard_normal((n, len(theta)))
    return np.asarray(world_probabilities(1 / (1 + np.exp(-logits))))


def _truths(kind: str) -> dict[str, np.ndarray]:
    worlds = np.array(list(POINTS[_POINT].worlds().values()))
    if kind in KINDS[2:]:
        worlds = _conversations(2_000_000, np.random.default_rng(7)).mean(axis=0)
    right = worlds_of().right == 1
    good = [worlds_of().names.index(name) for name in ("miss_abstained", "hit_right")]
    return {
        "task_success": np.array([worlds[right].sum()]),
        "policy_adherence": np.array([worlds[good].sum()]),
    }
