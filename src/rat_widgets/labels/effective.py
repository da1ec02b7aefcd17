"""How much less than as many independent rows the rows of a group say: design effects."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int64

from rat_widgets.errors import CountsError

__all__ = ["combined_effects", "read_effects"]


def read_effects(values: object, n_groups: int) -> Float[np.ndarray, " group"]:
    """Design effects as an array, 1 for each group when left out.

    Raises
    ------
    CountsError
        When there is not one finite number of at least 1 for each group.
    """
    try:
        found = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as err:
        raise CountsError.build(
            f"`deff` is {values!r:.80}.", accepted="One number of at least 1 for each group."
        ) from err
    if found.size == 0:
        return np.ones(n_groups)
    if found.shape != (n_groups,) or not (np.isfinite(found) & (found >= 1)).all():
        raise CountsError.build(
            f"`deff` is {found.tolist()!r:.80}.",
            accepted=f"One number of at least 1 for each of {n_groups:,} groups.",
        )
    return found


def combined_effects(
    rows: Int64[np.ndarray, "table group"], effects: Float[np.ndarray, "table group"]
) -> Float[np.ndarray, " group"]:
    """Effects of tables put together: rows add up, and so do the rows that they are worth."""
    total = rows.sum(axis=0)
    worth = (rows / effects).sum(axis=0)
    return np.maximum(np.where(total > 0, total / np.where(total > 0, worth, 1.0), 1.0), 1.0)
