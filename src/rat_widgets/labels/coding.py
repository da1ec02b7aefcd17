"""Columns to small integer codes, one slice of rows at a time.

A slice of a column is a pandas Series, a PyArrow array, a NumPy array of numbers, or a list
of Python values. Slices keep the extra memory small whatever the length of the table.
"""

from __future__ import annotations

import math
from typing import Any, Final, TypeAlias

import numpy as np
from jaxtyping import Int, Int8

from rat_widgets.errors import LabelValueError
from rat_widgets.labels.scalars import INVALID, LabelReader

__all__ = [
    "Chunk",
    "cell_codes",
    "distinct_rows",
    "label_codes",
    "not_plain_error",
    "plain_numbers",
    "value_codes",
]

# pandas Series | pyarrow Array | ndarray | list: none of these packages is imported for a type
Chunk: TypeAlias = Any

_BINCOUNT_CELLS: Final = 1 << 22
_BOOLS: Final = (bool, np.bool_)
_OBJECTS: Final = np.dtype(object)


def label_codes(chunk: Chunk, reader: LabelReader) -> Int8[np.ndarray, " row"]:
    """Labels of one slice: from 0 up, -1 where missing, ``n_values`` where it is no label."""
    numbers = plain_numbers(chunk) if reader.only_text else None
    if numbers is not None:
        codes = _number_codes(numbers)
        if reader.n_values != INVALID:
            codes[codes == INVALID] = reader.n_values
        return codes
    try:
        codes, values = value_codes(chunk) if reader.takes_bool else cell_codes(chunk)
    except TypeError:  # cells that cannot be hashed
        return np.array([reader.read(raw) for raw in _as_list(chunk)], dtype=np.int8)
    table = np.array([*map(reader.read, values), -1], dtype=np.int8)
    return table[codes]


def value_codes(chunk: Chunk) -> tuple[Int[np.ndarray, " row"], list[Any]]:
    """Code of each cell (-1 where missing) and the distinct values that the codes stand for.

    Raises
    ------
    TypeError
        When a cell cannot be hashed.
    """
    if isinstance(chunk, np.ndarray):
        values, codes = np.unique(chunk, return_inverse=True)
        if values.dtype.kind == "f":
            codes[np.isnan(chunk)] = -1
        return codes, values.tolist()
    if isinstance(chunk, list):
        index: dict[Any, int] = {}
        codes = np.fromiter((index.setdefault(v, len(index)) for v in chunk), np.int64, len(chunk))
        return codes, list(index)
    if hasattr(chunk, "dictionary_encode"):  # PyArrow
        return _arrow_codes(chunk)
    if hasattr(chunk, "cat") and hasattr(chunk.dtype, "categories"):
        return chunk.cat.codes.to_numpy(), list(chunk.cat.categories)
    codes, values = chunk.factorize()
    return codes, list(values)


def cell_codes(chunk: Chunk) -> tuple[Int[np.ndarray, " row"], list[Any]]:
    """As `value_codes`, with True and False apart from 1 and 0, which are the same keys.

    Raises
    ------
    TypeError
        When a cell cannot be hashed.
    """
    codes, values = value_codes(chunk)
    if not isinstance(chunk, list) and getattr(chunk, "dtype", None) != _OBJECTS:
        return codes, values  # one kind of cells, or categories
    cells = _as_list(chunk)
    if set(map(type, cells)).isdisjoint(_BOOLS):
        return codes, values
    which = [i for i, raw in enumerate(cells) if isinstance(raw, _BOOLS)]
    codes[which] = [len(values) + bool(cells[i]) for i in which]
    return codes, [*(int(raw) if isinstance(raw, _BOOLS) else raw for raw in values), False, True]


def distinct_rows(
    columns: list[Int[np.ndarray, " row"]], sizes: list[int], n_rows: int
) -> tuple[
    Int[np.ndarray, " row"], Int[np.ndarray, " combination"], Int[np.ndarray, " combination"]
]:
    """Distinct combinations of codes.

    Parameters
    ----------
    columns : list of int arrays, shape (row,)
        Codes from -1 to ``size - 2`` of each column.
    sizes : list of int
        Number of possible codes of each column.
    n_rows : int
        Length of the slice.

    Returns
    -------
    combination : int array, shape (row,)
        Which combination each row shows.
    first : int array, shape (combination,)
        A row that shows the combination.
    counts : int array, shape (combination,)
    """
    key = np.zeros(n_rows, dtype=np.int64)
    cells = 1
    for codes, size in zip(columns, sizes, strict=True):
        if cells * size > 1 << 62:
            key = np.unique(key, return_inverse=True)[1]
            cells = n_rows
        key *= size
        key += codes
        key += 1
        cells *= size
    if cells <= max(4 * n_rows, 4096) and cells <= _BINCOUNT_CELLS:
        cell_counts = np.bincount(key, minlength=cells)
        seen = np.flatnonzero(cell_counts)
        place = np.zeros(cells, dtype=np.int64)
        place[seen] = np.arange(len(seen))
        combination = place[key]
        first = np.zeros(len(seen), dtype=np.int64)
        first[combination] = np.arange(n_rows)
        return combination, first, cell_counts[seen]
    _, first, combination, counts = np.unique(
        key, return_index=True, return_inverse=True, return_counts=True
    )
    return combination, first, counts


def not_plain_error(name: str) -> LabelValueError:
    """The error for a column of lists, structs or objects."""
    return LabelValueError.build(
        f"The column {name!r} holds cells that cannot be compared: lists, structs or objects.",
        accepted="One plain value per row.",
        hint="take the value out of each cell, or cast the column, first.",
    )


def _number_codes(numbers: np.ndarray) -> Int8[np.ndarray, " row"]:
    if numbers.dtype.kind == "b":
        return numbers.astype(np.int8)
    one = (numbers == 1).view(np.int8)
    zero = (numbers == 0).view(np.int8)
    codes = np.full(len(numbers), INVALID, dtype=np.int8)
    codes -= one
    codes -= zero
    codes -= zero
    if numbers.dtype.kind == "f":
        missing = np.isnan(numbers).view(np.int8)
        codes -= missing
        codes -= missing
        codes -= missing
    return codes


def plain_numbers(chunk: Chunk) -> np.ndarray | None:
    """The cells as numbers, NaN where missing; None when the column holds something else."""
    if isinstance(chunk, np.ndarray):
        return chunk
    if isinstance(chunk, list):
        return None
    if hasattr(chunk, "dictionary_encode"):
        return _arrow_numbers(chunk)
    dtype = chunk.dtype
    if getattr(dtype, "kind", "O") not in "biuf":
        return None
    if isinstance(dtype, np.dtype):
        return np.asarray(chunk)
    return np.asarray(chunk.to_numpy(dtype=np.float64, na_value=math.nan))


def _arrow_numbers(chunk: Chunk) -> np.ndarray | None:
    import pyarrow as pa

    kind = pa.types
    if kind.is_boolean(chunk.type):
        chunk = chunk.cast(pa.int8())
    elif not (kind.is_integer(chunk.type) or kind.is_floating(chunk.type)):
        return None
    return np.asarray(chunk.to_numpy(zero_copy_only=False))


def _arrow_codes(chunk: Chunk) -> tuple[Int[np.ndarray, " row"], list[Any]]:
    import pyarrow as pa

    if pa.types.is_nested(chunk.type):
        raise TypeError("nested cells cannot be hashed")
    if pa.types.is_null(chunk.type):
        return np.full(len(chunk), -1), []
    if not pa.types.is_dictionary(chunk.type):
        try:
            chunk = chunk.dictionary_encode()
        except pa.ArrowNotImplementedError:
            return value_codes(chunk.to_pylist())
    codes = chunk.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
    return codes, chunk.dictionary.to_pylist()


def _as_list(chunk: Chunk) -> list[Any]:
    if isinstance(chunk, list):
        return chunk
    return list(chunk.to_pylist() if hasattr(chunk, "to_pylist") else chunk.tolist())
