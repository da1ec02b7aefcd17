"""Who works on what: many items on the cores there are, and one product on one core.

NumPy lets go of the interpreter's lock, so that threads help.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Final, TypeVar

import numpy as np
from jaxtyping import Float

__all__ = ["gram", "product", "spread"]

_MOST_THREADS: Final = 8
# OpenBLAS spreads products of matrices with more multiplications than this over threads of its
# own. They wait for each other, which costs far more than it saves where cores are busy.
_MOST_MULTIPLICATIONS: Final = 1 << 18
_LEAST_WIDTH: Final = 16
# Pieces of a product whose left matrix is large by itself, such as that of thousands of patterns.
_DEPTH: Final = 128
_WIDTH: Final = 32
_here = threading.local()

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def spread(work: Callable[[_Item], _Result], items: Iterable[_Item]) -> list[_Result]:
    """``[work(item) for item in items]``, in threads; one after the other inside a thread."""
    listed = list(items)
    if len(listed) < 2 or getattr(_here, "is_worker", False) or _n_threads() < 2:
        return [work(item) for item in listed]
    return list(_pool(os.getpid()).map(work, listed))


def product(
    left: Float[np.ndarray, "*stack row inner"], right: Float[np.ndarray, "*stack inner column"]
) -> Float[np.ndarray, "*stack row column"]:
    """``left @ right`` where there are many columns, on this thread alone."""
    n_rows, n_inner = left.shape[-2:]
    n = right.shape[-1]
    height, depth, width = block(n_rows, n_inner, n)
    if (height, depth, width) == (n_rows, n_inner, n) or n_inner == 0:
        return left @ right
    result = np.empty((*right.shape[:-2], n_rows, n))
    for rows in _slices(n_rows, height):
        for columns in _slices(n, width):
            out = result[..., rows, columns]
            first, *more = _slices(n_inner, depth)
            np.matmul(left[..., rows, first], right[..., first, columns], out=out)
            for inner in more:
                out += left[..., rows, inner] @ right[..., inner, columns]
    return result


def gram(
    left: Float[np.ndarray, "*stack row point"], right: Float[np.ndarray, "*stack column point"]
) -> Float[np.ndarray, "*stack row column"]:
    """``left @ right.T`` for sums over many points, on this thread alone."""
    n = left.shape[-1]
    size = left.shape[-2] * right.shape[-2]
    turned = np.swapaxes(right, -1, -2)
    if size * _LEAST_WIDTH > _MOST_MULTIPLICATIONS:
        return product(left, turned)
    width = max(_LEAST_WIDTH, _MOST_MULTIPLICATIONS // max(1, size))
    if n <= width:
        return left @ turned
    result = np.zeros((*left.shape[:-1], right.shape[-2]))
    for i in range(0, n, width):
        points = slice(i, i + width)
        result += left[..., points] @ turned[..., points, :]
    return result


def block(n_rows: int, n_inner: int, n_columns: int) -> tuple[int, int, int]:
    """Rows, inner places and columns of the largest pieces of a product for one thread."""
    cells = n_rows * n_inner
    if cells * min(_LEAST_WIDTH, n_columns) <= _MOST_MULTIPLICATIONS:
        return n_rows, n_inner, min(n_columns, _MOST_MULTIPLICATIONS // max(1, cells))
    width = min(n_columns, _WIDTH)
    depth = min(n_inner, _DEPTH)
    return max(1, _MOST_MULTIPLICATIONS // (depth * width)), depth, width


def _slices(n: int, size: int) -> list[slice]:
    return [slice(start, start + size) for start in range(0, n, size)]


def _n_threads() -> int:
    return min(_MOST_THREADS, os.cpu_count() or 1)


@lru_cache(maxsize=1)
def _pool(process: int) -> ThreadPoolExecutor:
    """The threads of this process; a forked one makes its own."""
    del process

    def mark() -> None:
        _here.is_worker = True

    return ThreadPoolExecutor(_n_threads(), "rat_widgets", initializer=mark)
