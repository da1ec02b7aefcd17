"""From a tally to checked counts: every reason for which a table is refused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from rat_widgets.errors import LabelValueError
from rat_widgets.labels.coding import not_plain_error, plain_numbers
from rat_widgets.labels.faults import (
    contradiction_error,
    duplicate_item_error,
    found,
    label_error,
    missing_error,
    only_text,
    rows_text,
    unreadable_error,
)
from rat_widgets.labels.frames import Frame
from rat_widgets.labels.roles import FIRST_VERDICT, Roles
from rat_widgets.labels.scalars import LabelReader
from rat_widgets.labels.tally import Tally
from rat_widgets.labels.unreadable import unreadable_verdicts

__all__ = ["require_labels", "require_other_columns"]


def require_labels(
    frame: Frame, roles: Roles, readers: Sequence[LabelReader], tally: Tally
) -> None:
    """Every label is a label, every row has a group, and no row contradicts itself.

    Text from which no verdict can be read is the one thing let pass, where at least half of the
    judge's cells are verdicts and the text is no plain yes or no: such calls went wrong,
    and the data report counts them.

    Raises
    ------
    LabelValueError, ContradictionError
    """
    for column, n_missing in zip(roles.by, tally.without_group, strict=True):
        if n_missing:
            raise missing_error(frame, column, "by")
    invalid = np.array([reader.n_values for reader in readers])
    for label in np.flatnonzero((tally.codes == invalid).any(axis=0)).tolist():
        is_verdict = FIRST_VERDICT <= label < FIRST_VERDICT + len(roles.judges)
        said = (tally.codes[:, label] >= 0) & (tally.codes[:, label] < invalid[label])
        if not (is_verdict and said.any() and only_text(frame, roles, readers[label], label)):
            raise label_error(frame, roles, readers[label], label)
    for i, lost in enumerate(unreadable_verdicts(tally, roles)):
        if lost.is_too_much:
            raise unreadable_error(frame, roles, readers[FIRST_VERDICT + i], lost)
    if roles.treatment.on_contradiction == "error":
        n = int(tally.rows[roles.treatment.judged(tally.codes).is_contradictory].sum())
        if n:
            raise contradiction_error(frame, roles, readers, n)


def require_other_columns(frame: Frame, roles: Roles) -> None:
    """Items do not repeat, trials are there, weights are positive, strata can be grouped by.

    Raises
    ------
    LabelValueError, DuplicateItemError
    """
    for column in (roles.item, roles.trial, roles.cluster, roles.stratum):
        if column is not None and not frame.has_plain_cells(column):
            raise not_plain_error(column)
    for argument in ("item", "trial"):
        column = getattr(roles, argument)
        if column is not None and frame.n_missing(column):
            raise missing_error(frame, column, argument)
    if roles.item is not None:
        keys = [*roles.by, roles.item, *([roles.trial] if roles.trial else [])]
        if frame.repeats(keys):
            raise duplicate_item_error(frame, roles)
    if roles.weight is not None:
        _require_weights(frame, roles.weight)


def _require_weights(frame: Frame, column: str) -> None:
    for (chunk,), _ in frame.slices([column]):
        numbers = plain_numbers(chunk)
        if numbers is not None:
            numbers = numbers.astype(np.float64)
            if (np.isfinite(numbers) & (numbers > 0)).all():
                continue
        elif not found(frame, column, _is_no_weight).n:
            return
        what = found(frame, column, _is_no_weight)
        shown = ", ".join(f"{value!r:.40}" for value, _ in what.values.most_common(3))
        raise LabelValueError.build(
            f"The column {column!r} (weight) holds {shown} in {rows_text(what.n, what.positions)}.",
            accepted="Weights are positive, finite numbers.",
            hint="leave rows of weight 0 out of the table.",
        )


def _is_no_weight(raw: Any) -> bool:
    if isinstance(raw, (Real, Decimal)):
        value = float(raw)
        return not (value > 0 and math.isfinite(value))
    return True
