"""A group's counts as a cube over what was seen of R, A and T."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from jaxtyping import Float, Int, Real

from rat_widgets.model.likelihood import FIRST_JUDGE

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["MISSING", "beta_parameters", "label_cube", "label_cubes", "verdict_counts"]

# Index of "not seen" along each axis of the cube: the last one, as -1 in a pattern.
MISSING: Final = -1

_COLUMN: Final = {"retrieval": 0, "abstention": 1, "task": 2}


def label_cube(counts: PatternCounts) -> Real[np.ndarray, "level_or_not 3 3"]:
    """Rows by R (the number of its level), A and T (0 or 1), each or `MISSING`.

    T=1 implies A=0, so a row that shows T=1 alone is counted as answered. Rows that show
    nothing are left out. Whole numbers, unless counts are divided by a design effect.
    """
    return label_cubes(counts.patterns, _rows(counts), len(counts.retrieval_levels))


def _rows(counts: PatternCounts) -> Real[np.ndarray, " pattern"]:
    """Rows of each pattern over all groups, as many as they say."""
    every = counts.effective if counts.is_scaled else counts.counts
    return np.asarray(every.sum(axis=0))


def label_cubes(
    patterns: Int[np.ndarray, "pattern column"],
    counts: Real[np.ndarray, "*batch pattern"],
    n_levels: int = 2,
) -> Real[np.ndarray, "*batch level_or_not 3 3"]:
    """The cube of each of several tables that show the same patterns; see `label_cube`."""
    cube = np.zeros((*counts.shape[:-1], n_levels + 1, 3, 3), dtype=counts.dtype)
    labels = patterns[:, :3].astype(np.intp)
    np.add.at(cube, (..., *labels.T), counts)
    cube[..., 0, 1] += cube[..., MISSING, 1]
    cube[..., MISSING, 1] = 0
    cube[..., 1, MISSING] += cube[..., 1, 0]
    cube[..., 1, 0] = 0
    cube[..., MISSING, MISSING, MISSING] = 0
    return cube


def beta_parameters(
    cube: Real[np.ndarray, "*batch level_or_not 3 3"], prior: Float[np.ndarray, "theta 2"]
) -> Float[np.ndarray, "*batch theta 2"]:
    """Alpha and beta of each free probability, from what rows that show R say for sure.

    These are the posteriors where every row shows R, and A or nothing of T.
    """
    shown = cube[..., :-1, :, :]
    abstained = shown[..., 1, :].sum(axis=-1)
    answered = shown[..., 0, :].sum(axis=-1)
    seen = abstained + answered + shown[..., MISSING, :].sum(axis=-1)
    # R is split from the top level down: rows of this level against rows of all below it.
    ones = [seen[..., :0:-1], abstained, shown[..., 0, 1]]
    zeros = [np.cumsum(seen, axis=-1)[..., -2::-1], answered, shown[..., 0, 0]]
    return prior + np.stack([np.concatenate(part, axis=-1) for part in (ones, zeros)], axis=-1)


def verdict_counts(counts: PatternCounts) -> Real[np.ndarray, "judge 3 3"]:
    """Verdicts of each judge by the truth on their row (0, 1 or `MISSING`) and by what they say:
    0, 1, or 2 where it cannot tell.
    """
    rows = _rows(counts)
    tally = np.zeros((len(counts.judges), 3, 3), dtype=rows.dtype)
    for j, judge in enumerate(counts.judges):
        verdict = counts.patterns[:, FIRST_JUDGE + j].astype(np.intp)
        truth = counts.patterns[:, _COLUMN[judge.of]].astype(np.intp)
        said = verdict >= 0
        if judge.of == "task":
            said &= counts.patterns[:, 1] != 1
            # T=0 with A unseen may be an abstention, which `abstained_rate` treats apart.
            unsure = (truth == 0) & (counts.patterns[:, 1] == -1)
            if judge.abstained_rate is not None:
                truth = np.where(unsure, -1, truth)
        elif judge.of == "abstention":
            truth = np.where((truth == -1) & (counts.patterns[:, 2] == 1), 0, truth)
        np.add.at(tally, (j, truth[said], verdict[said]), rows[said])
    return tally
