"""How many rows stand behind each node of the tree."""

from __future__ import annotations

import numpy as np

from rat_widgets.derived.quantities import find_quantity
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.worlds import Worlds, compatible_worlds, worlds_of
from rat_widgets.views.tree import NodeLabels

__all__ = ["label_counts"]


def label_counts(counts: PatternCounts) -> dict[str, NodeLabels]:
    """Rows, labels and verdicts behind each branch and leaf, of a single group's counts."""
    tree = worlds_of(counts.retrieval_levels)
    agrees = compatible_worlds(counts.patterns, tree.n_levels)
    n = counts.counts[0]
    nodes = {}
    for key in tree.branches:
        column, truth, below = _asked(key, tree)
        inside, possible = _reach(agrees, below, tree)
        seen = counts.patterns[:, column] != -1
        judged = inside & ~seen & _has_verdict(counts, truth)
        nodes[key] = NodeLabels(
            rows=int(n[inside].sum()),
            labelled=int(n[inside & seen].sum()),
            judged=int(n[judged].sum()),
            possible=int(n[possible].sum()),
        )
    for world in tree.names:
        inside, possible = _reach(agrees, (world,), tree)
        rows = int(n[inside].sum())
        nodes[world] = NodeLabels(
            rows=rows, labelled=rows, judged=0, possible=int(n[possible].sum())
        )
    return nodes


def _asked(branch: str, tree: Worlds) -> tuple[int, str, tuple[str, ...]]:
    """Column of the label that a branch asks for, the judged truth, and the worlds below it."""
    quantity = find_quantity(branch, tree.levels)
    column = ("retrieval", "abstention", "task").index(quantity.about)
    return column, quantity.about, quantity.denominator or tree.names


def _reach(
    agrees: np.ndarray, worlds: tuple[str, ...], tree: Worlds
) -> tuple[np.ndarray, np.ndarray]:
    """Patterns that must be in these worlds, and those that only may."""
    below = np.isin(tree.names, worlds)
    certain = ~agrees[:, ~below].any(axis=1)
    return certain, agrees[:, below].any(axis=1) & ~certain


def _has_verdict(counts: PatternCounts, truth: str) -> np.ndarray:
    verdicts = [
        counts.patterns[:, 4 + j] != -1
        for j, judge in enumerate(counts.judges)
        if judge.of == truth
    ]
    return np.any(verdicts, axis=0) if verdicts else np.zeros(len(counts.patterns), dtype=bool)
