"""Systems that share a judge, or two, and of which the first may be judged with other rates."""

from __future__ import annotations

from typing import Final

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge

Rates = tuple[float, float]
"""TPR and FPR."""

USUAL: Final[Rates] = (0.88, 0.17)
JUDGE: Final = Judge("jT", of="task")
TWO: Final = (Judge("jR", of="retrieval"), JUDGE)


def one_judge(
    rng: np.random.Generator,
    n_labels: int,
    *,
    odd: Rates = USUAL,
    n_own: int | None = None,
    n_only: int = 0,
    n_groups: int = 6,
    judge: Judge = JUDGE,
) -> PatternCounts:
    """Systems with so many labels of T each, and rows with verdicts only; all hits, all answered.

    60 to 80% of the answers are right. The first system has the rates `odd`, and `n_own` labels.
    """
    every = []
    for g in range(n_groups):
        n = n_own if g == 0 and n_own is not None else n_labels
        truth = rng.random(n + n_only) < rng.uniform(0.6, 0.8)
        said = rng.random(n + n_only) < np.where(truth, *(odd if g == 0 else USUAL))
        shown = np.where(np.arange(n + n_only) < n, truth, -1)
        every.append(np.bincount(2 * (shown + 1) + said, minlength=6))
    patterns = [(1 if t >= 0 else -1, 0, t, -1, v) for t in (-1, 0, 1) for v in (0, 1)]
    return _counts(np.array(patterns), np.array(every), (judge,))


def two_judges(
    rng: np.random.Generator,
    rates: tuple[Rates, Rates],
    *,
    n_groups: int = 6,
    n_labels: int = 200,
    n_only: int = 800,
) -> PatternCounts:
    """Systems with A on all rows, R and T on the first of them, a judge of R and one of T.

    Both judges have `rates` in the first system, one pair each.
    """
    n = n_labels + n_only
    every = []
    for g in range(n_groups):
        r = rng.random(n) < rng.uniform(0.5, 0.8)
        a = rng.random(n) < np.where(r, 0.1, 0.4)
        t = (rng.random(n) < np.where(r, 0.8, 0.4)) & ~a
        pairs = rates if g == 0 else (USUAL, USUAL)
        said = [rng.random(n) < np.where(x, *pair) for x, pair in zip((r, t), pairs, strict=True)]
        seen = np.arange(n) < n_labels
        columns = (np.where(seen, r, -1), a, np.where(seen & ~a, t, -1), np.full(n, -1), *said)
        every.append(np.column_stack([np.full(n, g), *columns]).astype(int))
    rows = np.concatenate(every)
    patterns, which = np.unique(rows[:, 1:], axis=0, return_inverse=True)
    counts = np.zeros((n_groups, len(patterns)), dtype=np.int64)
    np.add.at(counts, (rows[:, 0], which.reshape(-1)), 1)
    return _counts(patterns, counts, TWO)


def start_of(counts: PatternCounts) -> Float[np.ndarray, " parameter"]:
    """Where checks of one judge of T begin: its rates are those among all labelled rows."""
    rows = counts.counts.sum(axis=0)
    truth, said = counts.patterns[:, 2], counts.patterns[:, 4]
    rates = [
        (rows[(truth == t) & (said == 1)].sum() + 1) / (rows[(truth == t) & (said >= 0)].sum() + 2)
        for t in (1, 0)
    ]
    return np.array([0.5, 0.5, 0.5, 0.5, 0.7, *rates])


def _counts(
    patterns: Int[np.ndarray, "pattern column"],
    counts: Int[np.ndarray, "group pattern"],
    judges: tuple[Judge, ...],
) -> PatternCounts:
    return PatternCounts(
        by=("system",),
        groups=tuple((f"s{g:02}",) for g in range(len(counts))),
        judges=judges,
        patterns=patterns.astype(np.int8),
        counts=counts,
    )
