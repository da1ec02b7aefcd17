"""The log density of tens of judges and its gradient: factored, against every product."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from rat_widgets.inference.blocks import blocks
from rat_widgets.inference.surface import Surface
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.collapsed import collapse

N_ROWS, N_POINTS, REPEATS = 2_000, 64, 5
MISSING = (0.0, 0.2)


def rows() -> list[dict[str, Any]]:
    """One row for verdicts on all rows, one for verdicts missing here and there."""
    found = []
    for missing in MISSING:
        surface = _surface(40, missing)
        factored = _seconds(surface)
        plain = _seconds(replace(surface, factored=None))
        found.append(
            {
                "name": f"40 judges of T, {N_ROWS:,} rows, {missing:.0%} of verdicts missing",
                "value": 1e3 * factored,
                "unit": "ms",
                "peer": "every product",
                "peer_value": 1e3 * plain,
                "ratio": plain / factored,
            }
        )
    return found


def _surface(n_judges: int, missing: float) -> Surface:
    rng = np.random.default_rng(1)
    verdicts = rng.integers(0, 2, (N_ROWS, n_judges))
    verdicts[rng.random(verdicts.shape) < missing] = -1
    patterns = np.insert(verdicts, 0, [[-1], [0], [-1], [-1]], axis=1).astype(np.int8)
    counts = PatternCounts(
        judges=tuple(Judge(f"j{i}", of="task") for i in range(n_judges)),
        patterns=patterns,
        counts=np.ones((1, N_ROWS), dtype=np.int64),
    )
    n = 5 + 2 * n_judges
    (block,) = blocks(collapse(counts), np.ones((n, 2)), np.zeros(n, dtype=bool))
    return block.surface


def _seconds(surface: Surface) -> float:
    """The least of several times, at some points."""
    shape = (*surface.alpha.shape[:2], N_POINTS)
    logits = np.random.default_rng(2).standard_normal(shape)
    times = []
    for _ in range(REPEATS + 1):
        start = time.perf_counter()
        surface(logits)
        times.append(time.perf_counter() - start)
    return min(times[1:])
