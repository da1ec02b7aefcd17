"""Ratings of items by several people, from a long or a wide table."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from jaxtyping import Int

from rat_widgets.errors import (
    ArgumentError,
    ArgumentTypeError,
    DuplicateItemError,
    LabelValueError,
    MissingColumnError,
)
from rat_widgets.labels.coding import distinct_rows, not_plain_error, value_codes
from rat_widgets.labels.faults import missing_error
from rat_widgets.labels.frames import Frame, frame_of, require_distinct
from rat_widgets.labels.keys import is_missing, key_labels, plain_value

__all__ = ["Ratings", "read_ratings"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Ratings:
    """Which values items got from whom.

    Items that got the same values from the same raters are one pattern.

    Attributes
    ----------
    raters : tuple of str
    values : tuple
        In order: numbers by size, ordered categories by theirs, text by the alphabet.
    patterns : int array, shape (pattern, rater)
        The number of a value, or -1 where the rater did not rate.
    items : int array, shape (pattern,)
        Items that show each pattern.
    """

    raters: tuple[str, ...]
    values: tuple[Any, ...]
    patterns: Int[np.ndarray, "pattern rater"]
    items: Int[np.ndarray, " pattern"]

    def value_counts(self) -> Int[np.ndarray, "pattern value"]:
        """How often an item of each pattern got each value."""
        return np.stack([(self.patterns == v).sum(axis=1) for v in range(len(self.values))], axis=1)


def read_ratings(
    df: Any,
    item: str | Sequence[str],
    rater: str | Sequence[str],
    value: str | None,
    *,
    scale: str,
) -> Ratings:
    """The ratings in a frame; see `agreement` for the arguments."""
    frame = frame_of(df)
    require_distinct(frame.columns)
    items = _names(frame, item, "item")
    if value is None:
        columns = _names(frame, rater, "rater")
        if len(columns) < 2 or isinstance(rater, str):
            raise ArgumentError.build(
                f"`rater` is {rater!r:.80}, and there is no `value`.",
                accepted="The column that names the rater and, as `value`, the one with the "
                "ratings; or a list of columns, one per rater.",
            )
        _require_once(columns)
        parts = [_codes(frame, name) for name in columns]
        names: list[Any] = columns
        who = np.repeat(np.arange(len(columns)), len(parts[0][0]))
        what = np.tile(_item_codes(frame, items), len(columns))
    else:
        if not isinstance(rater, str):
            raise ArgumentTypeError.build(
                f"`rater` is {rater!r:.80}, and `value` is {value!r:.80}.",
                accepted="With `value`, the one column that names the rater.",
            )
        columns = _names(frame, value, "value")
        parts = [_codes(frame, columns[0])]
        _names(frame, rater, "rater")
        who, names = _codes(frame, rater)
        if (who == -1).any():
            raise missing_error(frame, rater, "rater")
        what = _item_codes(frame, items)
    values = _ordered({v for _, cells in parts for v in cells}, frame, columns, scale)
    place = {v: i for i, v in enumerate(values)}
    given = np.concatenate(
        [np.array([*(place[v] for v in cells), -1])[codes] for codes, cells in parts]
    )
    is_rated = given >= 0
    used = np.unique(who[is_rated])
    raters = key_labels([(plain_value(names[i]),) for i in used])
    if len(raters) < 2:
        raise ArgumentError.build(
            f"There is {'one' if raters else 'no'} rater with a rating"
            + (f", {raters[0]!r}." if raters else "."),
            accepted="Two raters or more: agreement is between people.",
        )
    order = sorted(range(len(raters)), key=lambda i: raters[i]) if value else range(len(raters))
    rank = np.zeros(len(names), dtype=np.int64)
    rank[used[list(order)]] = np.arange(len(used))
    table = _table(what[is_rated], rank[who[is_rated]], given[is_rated], len(raters), items)
    patterns, n_items = np.unique(table, axis=0, return_counts=True)
    return Ratings(
        raters=tuple(raters[i] for i in order),
        values=values,
        patterns=patterns,
        items=n_items,
    )


def _table(
    item: Int[np.ndarray, " rating"],
    rater: Int[np.ndarray, " rating"],
    value: Int[np.ndarray, " rating"],
    n_raters: int,
    columns: Sequence[str],
) -> Int[np.ndarray, "item rater"]:
    kinds, item = np.unique(item, return_inverse=True)
    n_items = len(kinds)
    table = np.full((n_items, n_raters), -1)
    if len(np.unique(item * n_raters + rater)) < len(item):
        n_twice = len(item) - len(np.unique(item * n_raters + rater))
        raise DuplicateItemError.build(
            f"{n_twice:,} rating{' is' if n_twice == 1 else 's are'} of an item that the same "
            "rater has rated before.",
            accepted="One rating per item and rater.",
            hint=f"`item` is {', '.join(map(repr, columns))}: name every column that it takes to "
            "tell items apart, such as item=['item', 'system'].",
        )
    table[item, rater] = value
    return table


def _names(frame: Frame, given: object, argument: str) -> list[str]:
    names = [given] if isinstance(given, str) else given
    if (
        not isinstance(names, (list, tuple))
        or not names
        or not all(isinstance(name, str) for name in names)
    ):
        raise ArgumentTypeError.build(
            f"`{argument}` is {given!r:.80}.", accepted="The name of a column, or a list of names."
        )
    for name in names:
        if name not in frame.columns:
            raise MissingColumnError.for_column(
                name,
                argument,
                [str(column) for column in frame.columns],
                'rat.agreement(df, "item", "rater", "value")',
            )
    return list(names)


def _codes(frame: Frame, name: str) -> tuple[Int[np.ndarray, " row"], list[Any]]:
    """Code of each cell, -1 where missing, and the values that the codes stand for."""
    index: dict[Any, int] = {}
    parts = [np.zeros(0, dtype=np.int64)]
    for (chunk,), _ in frame.slices([name]):
        try:
            codes, cells = value_codes(chunk)
        except TypeError as err:
            raise not_plain_error(name) from err
        own = np.full(len(cells) + 1, -1)
        for i in np.unique(codes):
            if i >= 0 and not is_missing(cells[i]):
                own[i] = index.setdefault(plain_value(cells[i]), len(index))
        parts.append(own[codes])
    return np.concatenate(parts), list(index)


def _item_codes(frame: Frame, columns: Sequence[str]) -> Int[np.ndarray, " row"]:
    coded = [_codes(frame, name) for name in columns]
    for name, (codes, _) in zip(columns, coded, strict=True):
        if (codes == -1).any():
            raise missing_error(frame, name, "item")
    sizes = [len(cells) + 1 for _, cells in coded]
    return distinct_rows([codes for codes, _ in coded], sizes, len(coded[0][0]))[0]


def _ordered(values: set[Any], frame: Frame, columns: Sequence[str], scale: str) -> tuple[Any, ...]:
    """The values in their order."""
    _require_numbers([v for v in values if isinstance(v, Real)], scale)
    if all(isinstance(v, Real) for v in values):
        return tuple(sorted(values))
    categories = _categories(frame, columns)
    is_ranked = bool(categories) and values <= set(categories)
    if scale in ("interval", "ratio") and is_ranked:
        raise LabelValueError.build(
            f"The ratings are ordered categories, such as {categories[0]!r:.60}, and `scale` is "
            f"{scale!r}.",
            accepted="Numbers, whose differences mean something.",
            hint='take scale="ordinal", or turn the values into numbers first.',
        )
    if is_ranked:
        return tuple(v for v in categories if v in values)
    if scale != "nominal":
        text = next(v for v in values if not isinstance(v, Real))
        raise LabelValueError.build(
            f"The ratings hold {text!r:.60}, which has no place in an order.",
            accepted="Numbers, or an ordered categorical of pandas.",
            hint='turn the values into numbers first, or leave `scale` at "nominal".',
        )
    return tuple(sorted(values, key=lambda v: (isinstance(v, str), v)))


def _require_once(columns: Sequence[str]) -> None:
    """Raters that are not somebody else, too."""
    twice = [name for i, name in enumerate(columns) if name in columns[:i]]
    if twice:
        raise ArgumentError.build(
            f"`rater` names the column {twice[0]!r:.60} twice.",
            accepted="One column per rater: nobody agrees with themselves.",
        )


def _require_numbers(numbers: Sequence[Any], scale: str) -> None:
    """Numbers that the scale has a place for."""
    infinite = [v for v in numbers if not abs(v) <= sys.float_info.max]
    if infinite:
        raise LabelValueError.build(
            f"The ratings hold {infinite[0]!r:.60}.",
            accepted="Finite numbers, and missing cells where somebody did not rate.",
        )
    negative = [v for v in numbers if v < 0]
    if scale == "ratio" and negative:
        raise LabelValueError.build(
            f"The ratings hold {min(negative)!r:.60}, and `scale` is 'ratio'.",
            accepted="Numbers from 0 on: a ratio scale begins at nothing.",
            hint='take scale="interval".',
        )


def _categories(frame: Frame, columns: Sequence[str]) -> list[Any]:
    """Categories of the columns where pandas knows their order, the same in all."""
    if frame.kind != "pandas":
        return []
    types = [frame.native[name].dtype for name in columns]
    if not all(getattr(t, "ordered", False) and t == types[0] for t in types):
        return []
    return [plain_value(category) for category in types[0].categories]
