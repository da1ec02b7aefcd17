"""A judge's score in [0, 1] beside labels of people: what every tool on scores reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from jaxtyping import Float, Int8

from rat_widgets.derived.columns import Columns, column_name
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.scalars import MISSING

__all__ = ["SCORES", "Scored", "number", "read_scored", "read_scores", "whole_number"]

SCORES: Final = "Scores are numbers from 0 (surely a fail) to 1 (surely a pass), or missing."
# Beyond it a count is no exact floating-point number.
_MOST: Final = 2**53


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Scored:
    """Rows with a score and a label.

    Attributes
    ----------
    score : float array, shape (row,)
    label : int array, shape (row,)
        1 is a pass in people's judgement.
    expensive : int array, shape (row,), or None
        Verdicts of a second judge on the same rows.
    names : tuple of str
        What the two columns are called.
    n_rows, n_missing : int
        Rows given, and those of them that lack a value.
    """

    score: Float[np.ndarray, " row"]
    label: Int8[np.ndarray, " row"]
    expensive: Int8[np.ndarray, " row"] | None
    names: tuple[str, str]
    n_rows: int
    n_missing: int


def read_scored(
    score: Any,
    human: Any,
    expensive: Any = None,
    *,
    data: Any,
    values: Mapping[Any, Any] | None,
    call: str,
) -> Scored:
    """Rows that have a score, a label and, where one is given, a second verdict.

    Raises
    ------
    ArgumentError, ArgumentTypeError, LabelValueError, MissingColumnError
        For columns that are not a score and labels of one length, or share no row.
    """
    columns = Columns(data, values, call)
    scores = columns.numbers(score, "score", low=0, high=1, accepted=SCORES)
    labels = columns.labels(human, "human")
    verdicts = None if expensive is None else columns.labels(expensive, "expensive")
    is_seen = ~np.isnan(scores) & (labels != MISSING)
    if verdicts is not None:
        is_seen &= verdicts != MISSING
    if not is_seen.any():
        raise ArgumentError.build(
            f"No row has both a score and a label: {int((~np.isnan(scores)).sum()):,} of "
            f"{len(scores):,} rows have a score, {int((labels != MISSING).sum()):,} a label.",
            accepted="Some rows with both"
            + (" and a verdict of `expensive`." if verdicts is not None else "."),
        )
    return Scored(
        score=scores[is_seen],
        label=labels[is_seen],
        expensive=None if verdicts is None else verdicts[is_seen],
        names=(column_name(score, "score"), column_name(human, "human")),
        n_rows=len(scores),
        n_missing=int((~is_seen).sum()),
    )


def read_scores(score: Any, call: str) -> Float[np.ndarray, " row"]:
    """One column of scores, NaN where missing."""
    return Columns(None, None, call).numbers(score, "score", low=0, high=1, accepted=SCORES)


def whole_number(value: object, argument: str, least: int, *, most: int = _MOST) -> int:
    """An argument that counts something, checked."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ArgumentTypeError.build(f"`{argument}` is {value!r:.80}.", accepted="A whole number.")
    if value < least:
        raise ArgumentError.build(f"`{argument}` is {value!r:.80}.", accepted=f"{least} or more.")
    if value > most:
        raise ArgumentError.build(
            f"`{argument}` is {value!r:.80}.", accepted=f"From {least} to {most:,}."
        )
    return int(value)


def number(value: object, argument: str, low: float, high: float = np.inf) -> float:
    """An argument that measures something, checked; both ends are accepted."""
    accepted = f"A number from {low:g}" + ("" if high == np.inf else f" to {high:g}") + "."
    is_number = isinstance(value, (int, float, np.integer, np.floating))
    if isinstance(value, bool) or not is_number:
        raise ArgumentTypeError.build(f"`{argument}` is {value!r:.80}.", accepted=accepted)
    if not low <= value < np.inf or value > high:  # type: ignore[operator]
        raise ArgumentError.build(f"`{argument}` is {value!r:.80}.", accepted=accepted)
    return float(value)  # type: ignore[arg-type]
