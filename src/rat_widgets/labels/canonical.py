"""Canonical form of counts: one order and one spelling for equal data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from jaxtyping import Int8, Int64

from rat_widgets.errors import CountsError
from rat_widgets.labels.keys import GroupKey, is_missing, plain_value, sort_rank

__all__ = ["canonical_groups", "groups_apart", "merged_patterns", "whole_numbers"]

# Totals stay far from the end of int64, so that sums of two tables cannot wrap around.
_LARGEST: Final = 2**53


def whole_numbers(
    values: object, name: str, *, shape: tuple[int | None, ...], least: int | None = None
) -> Int64[np.ndarray, " ..."]:
    """A fresh int64 array of the expected shape.

    Raises
    ------
    CountsError
        When the values are not whole numbers, the shape differs, or one is out of range.
    """
    try:
        array = np.asarray(values)
    except ValueError as err:
        raise CountsError.build(
            f"`{name}` is not a table of numbers: {err}.", accepted="Whole numbers."
        ) from err
    if array.size == 0:
        array = array.astype(np.int64)
        empty = [0 if n is None else n for n in shape]
        if array.ndim < len(shape) and 0 in empty:
            array = array.reshape(empty)
    if array.dtype.kind not in "iub":
        raise CountsError.build(
            f"`{name}` holds values that are not whole numbers.", accepted="Whole numbers."
        )
    if array.ndim != len(shape) or any(
        want is not None and want != got for want, got in zip(shape, array.shape, strict=True)
    ):
        wanted = " x ".join("any" if n is None else str(n) for n in shape)
        raise CountsError.build(
            f"`{name}` has the shape {array.shape}.", accepted=f"The shape {wanted}."
        )
    if least is not None and array.size and (array.min() < least or array.max() > _LARGEST):
        raise CountsError.build(
            f"`{name}` holds a number below {least} or above {_LARGEST}.",
            accepted="Counts of rows.",
        )
    return array.astype(np.int64)


def canonical_groups(
    by: tuple[str, ...], groups: Sequence[GroupKey]
) -> tuple[tuple[GroupKey, ...], list[int]]:
    """Sorted group keys of plain values, and where each of them was.

    Raises
    ------
    CountsError
        When a key does not fit `by`, holds a missing value, or occurs twice.
    """
    if not all(isinstance(column, str) for column in by):
        raise CountsError.build(f"`by` is {by!r}.", accepted="Names of columns, as text.")
    keys: list[GroupKey] = []
    for group in groups:
        if not isinstance(group, (tuple, list)) or len(group) != len(by):
            raise CountsError.build(
                f"The group {group!r} does not fit the columns {by!r}.",
                accepted="A group's key has one value per grouping column.",
            )
        if any(is_missing(value) for value in group):
            raise CountsError.build(f"The group {group!r} holds a missing value.")
        keys.append(tuple(plain_value(value) for value in group))
    if len(set(keys)) != len(keys):
        raise CountsError.build("A group occurs twice.", hint="add up its rows first.")
    if not by and len(keys) != 1:
        raise CountsError.build(
            f"There are {len(keys)} groups and no grouping columns.",
            accepted="Without grouping there is one group, whose key is ().",
        )
    order = sorted(range(len(keys)), key=lambda i: sort_rank(keys[i]))
    return tuple(keys[i] for i in order), order


def groups_apart(apart: Sequence[object], groups: tuple[GroupKey, ...]) -> tuple[GroupKey, ...]:
    """Keys of groups that are apart, in the order of the groups.

    Raises
    ------
    CountsError
        When one is no group's key.
    """
    keys = set()
    for key in apart:
        if not isinstance(key, (tuple, list)) or tuple(map(plain_value, key)) not in groups:
            some = ", ".join(map(repr, groups[:5])) + (", ..." if len(groups) > 5 else "")
            raise CountsError.build(
                f"`apart` holds {key!r:.80}, which is no group.",
                accepted=f"Keys of groups: {some or 'there are none'}.",
            )
        keys.add(tuple(map(plain_value, key)))
    return tuple(key for key in groups if key in keys)


def merged_patterns(
    patterns: Int8[np.ndarray, "row column"], counts: Int64[np.ndarray, "group row"]
) -> tuple[Int8[np.ndarray, "pattern column"], Int64[np.ndarray, "group pattern"]]:
    """Unique patterns in lexicographic order with their counts; none without rows."""
    order = np.lexsort(patterns.T[::-1])
    patterns, counts = patterns[order], counts[:, order]
    first = np.ones(len(patterns), dtype=bool)
    first[1:] = (patterns[1:] != patterns[:-1]).any(axis=1)
    starts = np.flatnonzero(first)
    if len(starts):
        counts = np.add.reduceat(counts, starts, axis=1)
    seen = counts.sum(axis=0) > 0
    return patterns[starts][seen].copy(), counts[:, seen].copy()
