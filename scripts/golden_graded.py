"""Golden data sets with graded retrieval: complete tables, labels hidden afterwards."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from jaxtyping import Int8

from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.simulated_tables import simulate
from rat_widgets.model.theta import GradedTheta

__all__ = ["GRADED"]

Made = tuple[str, PatternCounts, Any]
Rows = Int8[np.ndarray, "row 3"]

THREE: Final = GradedTheta(
    retrieval={"none": 0.25, "partial": 0.3, "all": 0.45},
    abstain_given=(0.5, 0.2, 0.05),
    correct_given=(0.15, 0.45, 0.8),
)
FOUR: Final = GradedTheta(
    retrieval={"none": 0.2, "hint": 0.15, "most": 0.25, "all": 0.4},
    abstain_given=(0.6, 0.35, 0.15, 0.03),
    correct_given=(0.1, 0.3, 0.6, 0.85),
)


def _complete() -> Made:
    counts = _counts(THREE, _rows(THREE, 400, seed=31))
    return "three levels, 400 complete rows, seed 31", counts, None


def _r_missing() -> Made:
    rows = _rows(THREE, 560, seed=32)
    counts = _counts(THREE, rows[:60], _hide("R", rows[60:]))
    return "three levels, 60 complete rows and 500 without R, seed 32", counts, None


def _a_missing() -> Made:
    rows = _rows(THREE, 500, seed=33)
    counts = _counts(THREE, rows[:150], _hide("A", rows[150:350]), _hide("RA", rows[350:]))
    origin = "three levels, 150 complete rows, 200 without A, 150 without A and R, seed 33"
    return origin, counts, None


def _priors() -> Made:
    rows = _rows(THREE, 60, seed=34)
    counts = _counts(THREE, rows[:15], _hide("R", rows[15:45]), _hide("T", rows[45:]))
    spec = {
        "retrieval": {"none": 4, "partial": 0.5, "all": 2.5},
        "abstain_given[partial]": {"mean": 0.3, "equivalent_labels": 10},
        "abstain_given[all]": (0.5, 0.5),
        "correct_given[none]": (1, 4),
    }
    origin = "three levels, 15 complete rows, 30 without R, 15 without T, seed 34"
    return f"{origin}; a Dirichlet and Betas that are not flat", counts, spec


def _four_levels() -> Made:
    rows = _rows(FOUR, 600, seed=35)
    counts = _counts(FOUR, rows[:200], _hide("R", rows[200:]))
    origin = "four levels, 200 complete rows and 400 without R, seed 35; Dirichlet(2, 1, 1, 3)"
    return origin, counts, {"retrieval": [2, 1, 1, 3]}


def _unseen_level() -> Made:
    rows = [[0, 1, -1], [0, 0, 0], [2, 0, 1], [2, 0, 0], [-1, 0, 1], [-1, 1, -1]]
    counts = PatternCounts.from_patterns(rows, [9, 4, 31, 3, 20, 6], retrieval_levels=THREE.levels)
    return "by hand: no row shows the level in the middle, 26 may be of it", counts, None


def _judges() -> Made:
    """Verdicts on every row; an abstention is judged as if it were an answer."""
    rng = np.random.default_rng(36)
    judges = (
        Judge("jA", of="abstention"),
        Judge("jT", of="task"),
        Judge("kT", of="task", abstained_rate=0.5),
    )
    rows = _rows(THREE, 420, seed=36)
    _, a, t = rows.T
    p = np.stack(
        [
            np.where(a == 1, 0.95, 0.05),
            np.where(t == 1, 0.9, 0.2),
            np.where(a == 1, 0.5, np.where(t == 1, 0.8, 0.1)),
        ],
        axis=1,
    )
    verdicts = (rng.random(p.shape) < p).astype(np.int8)
    parts = (rows[:120], _hide("AT", rows[120:220]), _hide("RAT", rows[220:]))
    counts = _counts(THREE, *parts, verdicts=verdicts, judges=judges)
    origin = (
        "three levels, 120 complete rows, 100 with R alone, 200 without labels, seed 36; on all of "
        "them verdicts on A (0.95, 0.05) and T (0.9, 0.2; 0.8, 0.1, on abstentions 0.5)"
    )
    return origin, counts, {"tpr": (4, 1), "fpr": (1, 4)}


def _rows(theta: GradedTheta, n: int, *, seed: int) -> Rows:
    """R as the number of its level, A, and T, which is 0 where A is 1."""
    table = simulate(theta, n, seed=seed)
    columns = [table["R"].cat.codes, table["A"], table["T"].fillna(0)]
    return np.stack([column.to_numpy(dtype=np.int8) for column in columns], axis=1)


def _hide(letters: str, rows: Rows) -> Rows:
    """The rows without these labels; T=0 stays where an abstention is hidden."""
    shown = rows.copy()
    shown[:, ["RAT".index(letter) for letter in letters]] = -1
    return shown


def _counts(
    theta: GradedTheta,
    *parts: Rows,
    verdicts: Int8[np.ndarray, "row judge"] | None = None,
    judges: Sequence[Judge] = (),
) -> PatternCounts:
    """The counts of these rows on top of each other."""
    rows = np.concatenate(parts)
    said = np.empty((len(rows), 0), dtype=np.int8) if verdicts is None else verdicts
    answerable = np.full((len(rows), 1), -1, dtype=np.int8)
    return PatternCounts(
        judges=tuple(judges),
        retrieval_levels=tuple(theta.levels),
        patterns=np.concatenate([rows, answerable, said], axis=1),
        counts=np.ones((1, len(rows)), dtype=np.int64),
    )


GRADED: Final[Mapping[str, Callable[[], Made]]] = {
    "graded_complete": _complete,
    "graded_r_missing": _r_missing,
    "graded_a_missing": _a_missing,
    "graded_priors": _priors,
    "graded_four_levels": _four_levels,
    "graded_unseen_level": _unseen_level,
    "graded_judges": _judges,
}
