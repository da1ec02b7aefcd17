"""Two columns about the same rows: labels of people, verdicts of a judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Int8

from rat_widgets.derived.columns import Columns, column_name
from rat_widgets.errors import ArgumentError
from rat_widgets.labels.scalars import MISSING, LabelReader

__all__ = ["read_pair"]

_Pair = tuple[Int8[np.ndarray, " row"], Int8[np.ndarray, " row"], tuple[str, str]]


def read_pair(
    human: Any, judge: Any, data: Any, values: Mapping[Any, Any] | None, unknown: Any
) -> _Pair:
    """Labels, verdicts and the names of the two columns; see `judge_report`.

    Labels are 0, 1 or `MISSING`; verdicts also `UNKNOWN`.
    """
    columns = Columns(
        data,
        values,
        'rat.judge_report("human", "judge", data=df)',
        unsure="is named by `unknown=`",
    )
    unsure = _read_unknown(unknown, columns.reader)
    truth = columns.labels(human, "human")
    verdicts = columns.labels(judge, "judge", unsure)
    return truth, verdicts, (column_name(human, "human"), column_name(judge, "judge"))


def _read_unknown(unknown: object, reader: LabelReader) -> tuple[object, ...]:
    """Values that decide nothing."""
    if unknown is None:
        return ()
    many = isinstance(unknown, (list, tuple, set, frozenset))
    found = tuple(unknown) if many else (unknown,)  # type: ignore[arg-type]
    for value in found:
        if reader.read(value) in (0, 1, MISSING):
            raise ArgumentError.build(
                f"`unknown` has {value!r:.80}, which already reads as a label or as missing.",
                accepted="Verdicts that are neither 1 nor 0 nor missing.",
            )
    return found
