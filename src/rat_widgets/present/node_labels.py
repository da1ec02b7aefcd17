"""How many rows stand behind each node of the tree."""

from __future__ import annotations

from typing import Final

import numpy as np

from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.worlds import WORLDS, compatible_worlds
from rat_widgets.views.tree import NodeLabels

__all__ = ["label_counts"]

# Branch: (column of the label it asks for, judged truth, worlds below it).
_BRANCHES: Final = {
    "retrieval_success": (0, "retrieval", WORLDS),
    "abstain_given_miss": (1, "abstention", ("miss_abstained", "miss_wrong", "miss_right")),
    "abstain_given_hit": (1, "abstention", ("hit_abstained", "hit_wrong", "hit_right")),
    "correct_given_miss": (2, "task", ("miss_wrong", "miss_right")),
    "correct_given_hit": (2, "task", ("hit_wrong", "hit_right")),
}


def label_counts(counts: PatternCounts) -> dict[str, NodeLabels]:
    """Rows, labels and verdicts behind each branch and leaf, of a single group's counts."""
    agrees = compatible_worlds(counts.patterns)
    n = counts.counts[0]
    nodes = {}
    for key, (column, truth, below) in _BRANCHES.items():
        inside, possible = _reach(agrees, below)
        seen = counts.patterns[:, column] != -1
        judged = inside & ~seen & _has_verdict(counts, truth)
        nodes[key] = NodeLabels(
            rows=int(n[inside].sum()),
            labelled=int(n[inside & seen].sum()),
            judged=int(n[judged].sum()),
            possible=int(n[possible].sum()),
        )
    for world in WORLDS:
        inside, possible = _reach(agrees, (world,))
        rows = int(n[inside].sum())
        nodes[world] = NodeLabels(
            rows=rows, labelled=rows, judged=0, possible=int(n[possible].sum())
        )
    return nodes


def _reach(agrees: np.ndarray, worlds: tuple[str, ...]) -> tuple[np.ndarray, np.ndarray]:
    """Patterns that must be in these worlds, and those that only may."""
    below = np.isin(WORLDS, worlds)
    certain = ~agrees[:, ~below].any(axis=1)
    return certain, agrees[:, below].any(axis=1) & ~certain


def _has_verdict(counts: PatternCounts, truth: str) -> np.ndarray:
    verdicts = [
        counts.patterns[:, 4 + j] != -1
        for j, judge in enumerate(counts.judges)
        if judge.of == truth
    ]
    return np.any(verdicts, axis=0) if verdicts else np.zeros(len(counts.patterns), dtype=bool)
