"""How often the diagnosis finds the one system for which a shared judge is another judge.

Simulated: systems of which 60 to 80% of the answers are right, TPR 0.88 and FPR 0.17, one system
with other rates. False alarms where all are the same; power by the human labels of that system.
``RAT_BENCH_TABLES`` sets the number of tables per cell (300).
"""

from __future__ import annotations

import os
from typing import Any, Final

import numpy as np

from rat_widgets.inference.diagnose_sharing import sharing_messages
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge

JUDGE: Final = Judge("jT", of="task")
USUAL: Final = (0.88, 0.17)
ODD: Final = ((0.92, 0.4), (0.95, 0.5), (0.9, 0.3))
N_OWN: Final = (20, 50, 100, 200, 300)
PATTERNS: Final = np.array([(1, 0, t, -1, v) for t in (0, 1) for v in (0, 1)], dtype=np.int8)


def table(
    rng: np.random.Generator, n_groups: int, n_labels: int, n_own: int, odd: tuple[float, float]
) -> PatternCounts:
    """Labelled rows of systems of which the first has other rates and another number of rows."""
    every = []
    for g in range(n_groups):
        n, (tpr, fpr) = (n_own, odd) if g == 0 else (n_labels, USUAL)
        truth = rng.random(n) < rng.uniform(0.6, 0.8)
        said = rng.random(n) < np.where(truth, tpr, fpr)
        every.append(np.bincount(2 * truth + said, minlength=4))
    return PatternCounts(
        by=("system",),
        groups=tuple((f"s{g:02}",) for g in range(n_groups)),
        judges=(JUDGE,),
        patterns=PATTERNS,
        counts=np.array(every),
    )


def found(counts: PatternCounts) -> list[bool]:
    """Per system, whether it is named."""
    return [any(m.code == "rates_differ" for m in said) for said in sharing_messages(counts)]


def rows() -> list[dict[str, Any]]:
    """Shares of tables."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "300"))
    rng = np.random.default_rng(0)
    result = []
    for n_groups in (2, 6, 12):
        for n in (20, 50, 100, 300):
            same = [any(found(table(rng, n_groups, n, n, USUAL))) for _ in range(n_tables)]
            name = f"false alarms, {n_groups} systems, {n} labels each"
            result.append({"name": name, "value": float(np.mean(same)), "unit": "of tables"})
    for odd in ODD:
        for n_own in N_OWN:
            named = [found(table(rng, 12, 100, n_own, odd))[0] for _ in range(n_tables)]
            name = f"found, TPR {odd[0]}, FPR {odd[1]}, {n_own} own labels"
            result.append({"name": name, "value": float(np.mean(named)), "unit": "of tables"})
    return result
