"""A table of verdicts by item, version and time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final

import numpy as np
import pandas as pd
from jaxtyping import Float, Int, Int8

from rat_widgets.derived.columns import Columns
from rat_widgets.errors import (
    ArgumentError,
    ArgumentTypeError,
    DuplicateItemError,
    LabelValueError,
)
from rat_widgets.labels.coding import distinct_rows
from rat_widgets.labels.keys import key_labels, plain_value
from rat_widgets.labels.scalars import MISSING

__all__ = ["DriftRows", "read_drift"]

_CALL: Final = 'rat.judge_drift(df, item="item", version="version", verdict="verdict")'


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class DriftRows:
    """Rows with a verdict.

    Attributes
    ----------
    verdict, label : int array, shape (row,)
        Labels of people are `MISSING` where there are none.
    item, version : int array, shape (row,), or None
        From 0 up.
    versions : tuple of str
        In the order that the table has them in.
    time : float array, shape (row,), or None
        NaN where missing.
    times : tuple of str
        Times as they read, row by row.
    n_rows : int
        Rows given, those without a verdict included.
    """

    verdict: Int8[np.ndarray, " row"]
    label: Int8[np.ndarray, " row"]
    item: Int[np.ndarray, " row"] | None
    version: Int[np.ndarray, " row"] | None
    versions: tuple[str, ...]
    time: Float[np.ndarray, " row"] | None
    times: tuple[str, ...]
    n_rows: int


def read_drift(
    df: Any,
    verdict: str,
    *,
    item: str | Sequence[str] | None,
    version: str | None,
    human: str | None,
    time: str | None,
    values: Mapping[Any, Any] | None,
) -> DriftRows:
    """The rows of a frame; see `judge_drift` for the arguments."""
    if version is None and time is None:
        raise ArgumentError.build(
            "There is neither a `version` nor a `time`.",
            accepted="The column that names the judge's version, with `item`; or the column of "
            "times; or both.",
            hint=_CALL,
        )
    if version is not None and item is None:
        raise ArgumentError.build(
            f"There is a `version`, {version!r:.60}, and no `item`.",
            accepted="The column, or columns, that tell items apart: versions are compared on the "
            "same ones.",
            hint=_CALL,
        )
    columns = Columns(df, values, _CALL)
    verdicts = columns.labels(verdict, "verdict")
    kept = verdicts != MISSING
    if not kept.any():
        raise ArgumentError.build(
            f"None of {len(verdicts):,} rows has a verdict.", accepted="Some rows with one."
        )
    label = np.full_like(verdicts, MISSING) if human is None else columns.labels(human, "human")
    items = None if item is None else _items(columns, item)[kept]
    at, names = (None, ()) if version is None else _version(columns, version, kept)
    when, times = (None, ()) if time is None else _time(columns, time, kept)
    rows = DriftRows(
        verdict=verdicts[kept],
        label=label[kept],
        item=items,
        version=at,
        versions=names,
        time=when,
        times=times,
        n_rows=len(verdicts),
    )
    if items is not None and at is not None:
        _require_pairs(rows)
    return rows


def _items(columns: Columns, item: str | Sequence[str]) -> Int[np.ndarray, " row"]:
    names = [item] if isinstance(item, str) else item
    if not isinstance(names, (list, tuple)) or not names:
        raise ArgumentTypeError.build(
            f"`item` is {item!r:.80}.", accepted="The name of a column, or a list of names."
        )
    codes, sizes = [], []
    for name in names:
        code, cells = columns.keys(name, "item")
        _require_all(code, name, "item")
        codes.append(code)
        sizes.append(len(cells) + 1)
    return distinct_rows(codes, sizes, len(codes[0]))[0]


def _version(
    columns: Columns, version: str, kept: np.ndarray
) -> tuple[Int[np.ndarray, " row"], tuple[str, ...]]:
    """Version of each row that has a verdict, and their names."""
    codes, cells = columns.keys(version, "version")
    _require_all(codes[kept], version, "version")
    used = np.unique(codes[kept])
    names = key_labels([(plain_value(cells[i]),) for i in used])
    if len(names) < 2:
        raise ArgumentError.build(
            f"The column {version!r} (version) has one version with verdicts, {names[0]!r:.60}.",
            accepted="Two versions or more: what is shown is their difference.",
        )
    return np.searchsorted(used, codes[kept]), names


def _require_all(codes: Int[np.ndarray, " row"], name: str, argument: str) -> None:
    n = int((codes < 0).sum())
    if n:
        raise LabelValueError.build(
            f"The column {name!r} ({argument}) is missing in {n:,} row{'s' * (n > 1)}.",
            accepted="A value in every row that has a verdict.",
        )


def _time(
    columns: Columns, time: str, kept: np.ndarray
) -> tuple[Float[np.ndarray, " row"], tuple[str, ...]]:
    """Time of each row that has a verdict, as a number and as it reads."""
    codes, cells = columns.keys(time, "time")
    accepted = "Numbers, dates, or text that is a date: 2026-05-01, 2026-05-01T10:30."
    if all(isinstance(c, Real) and not isinstance(c, (bool, np.bool_)) for c in cells):
        numbers = np.array([float(c) for c in cells])
        if np.isinf(numbers).any():
            raise LabelValueError.build(
                f"The column {time!r} (time) holds an infinite time.", accepted=accepted
            )
    else:
        odd = [c for c in cells if isinstance(c, Real)]
        if odd:
            raise LabelValueError.build(
                f"The column {time!r} (time) holds {odd[0]!r:.60}, and not only numbers.",
                accepted=accepted,
            )
        try:
            stamps = pd.to_datetime(pd.Series(cells, dtype=object), utc=True, format="ISO8601")
        except (ValueError, TypeError) as err:
            raise LabelValueError.build(
                f"The column {time!r} (time) holds {cells[0]!r:.60}, and not only dates.",
                accepted=accepted,
            ) from err
        numbers = (stamps - pd.Timestamp(0, tz="UTC")).dt.total_seconds().to_numpy()
    text = [*(str(plain_value(c)).removesuffix(" 00:00:00") for c in cells), ""]
    at = codes[kept]
    return np.array([*numbers, np.nan])[at], tuple(text[i] for i in at.tolist())


def _require_pairs(rows: DriftRows) -> None:
    """One verdict per item and version, one label per item."""
    assert rows.item is not None
    assert rows.version is not None
    pairs = rows.item * len(rows.versions) + rows.version
    n_twice = len(pairs) - len(np.unique(pairs))
    if n_twice:
        raise DuplicateItemError.build(
            f"{n_twice:,} verdict{' is' if n_twice == 1 else 's are'} on an item that the same "
            "version has judged before.",
            accepted="One verdict per item and version.",
            hint="name every column that it takes to tell items apart, such as "
            'item=["item", "system"].',
        )
    highest = np.full(int(rows.item.max()) + 1, -1)
    lowest = np.full(len(highest), 2)
    known = rows.label != MISSING
    np.maximum.at(highest, rows.item[known], rows.label[known])
    np.minimum.at(lowest, rows.item[known], rows.label[known])
    n_both = int((highest > lowest).sum())
    if n_both:
        raise LabelValueError.build(
            f"{n_both:,} item{' has' if n_both == 1 else 's have'} both labels of people.",
            accepted="One label per item, in any of its rows.",
        )
