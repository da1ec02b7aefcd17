"""How much less than as many independent rows the rows of a group say: design effects."""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Int, Int64

from rat_widgets.errors import CountsError

__all__ = ["N_KINDS", "carried_effects", "combined_effects", "kinds_of_rows", "read_effects"]

# Rows with a human label of R or T, and the others.
N_KINDS = 2
_RETRIEVAL, _TASK = 0, 2


def kinds_of_rows(patterns: Int[np.ndarray, "pattern column"]) -> Bool[np.ndarray, "2 pattern"]:
    """Which patterns show a human label of R or T, and which show neither."""
    labelled = (patterns[:, [_RETRIEVAL, _TASK]] >= 0).any(axis=1)
    return np.stack([labelled, ~labelled])


def read_effects(values: object, n_groups: int) -> Float[np.ndarray, "group 2"]:
    """Design effects as an array, 1 for each group when left out.

    Raises
    ------
    CountsError
        When there is not one finite number of at least 1, or a pair of them, for each group.
    """
    accepted = (
        f"One number of at least 1 for each of {n_groups:,} groups, or two: of rows with a human "
        "label of R or T, and of the others."
    )
    try:
        found = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as err:
        raise CountsError.build(f"`deff` is {values!r:.80}.", accepted=accepted) from err
    if found.size == 0:
        return np.ones((n_groups, N_KINDS))
    if found.shape == (n_groups,):
        found = np.repeat(found[:, None], N_KINDS, axis=1)
    if found.shape != (n_groups, N_KINDS) or not (np.isfinite(found) & (found >= 1)).all():
        raise CountsError.build(f"`deff` is {found.tolist()!r:.80}.", accepted=accepted)
    return found


def combined_effects(
    rows: Int64[np.ndarray, "table group 2"], effects: Float[np.ndarray, "table group 2"]
) -> Float[np.ndarray, "group 2"]:
    """Effects of tables put together: rows add up, and so do the rows that they are worth."""
    total = rows.sum(axis=0)
    worth = (rows / effects).sum(axis=0)
    return np.maximum(np.where(total > 0, total / np.where(total > 0, worth, 1.0), 1.0), 1.0)


def carried_effects(
    counts: Int64[np.ndarray, "group pattern"],
    effects: Float[np.ndarray, "group 2"],
    before: Int[np.ndarray, "pattern label"],
    after: Int[np.ndarray, "pattern shown"],
) -> Float[np.ndarray, "group 2"]:
    """Effects where labels of rows are hidden or filled in: rows are worth what they were.

    Parameters
    ----------
    counts : array, shape (group, pattern)
    effects : array, shape (group, 2)
        Those of `before`.
    before, after : arrays, shape (pattern, column), each with columns of its own
        What the rows showed, and what they show now.
    """
    was, is_now = kinds_of_rows(before), kinds_of_rows(after)
    rows = counts @ is_now.T
    worth = (counts / (effects @ was)) @ is_now.T
    return np.maximum(np.where(rows > 0, rows / np.where(rows > 0, worth, 1.0), effects), 1.0)
