"""The same work on many items, on the cores there are: NumPy lets go of the interpreter's lock."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Final, TypeVar

__all__ = ["spread"]

_MOST_THREADS: Final = 8
_here = threading.local()

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def spread(work: Callable[[_Item], _Result], items: Iterable[_Item]) -> list[_Result]:
    """``[work(item) for item in items]``, in threads; one after the other inside a thread."""
    listed = list(items)
    if len(listed) < 2 or getattr(_here, "is_worker", False) or _n_threads() < 2:
        return [work(item) for item in listed]
    return list(_pool(os.getpid()).map(work, listed))


def _n_threads() -> int:
    return min(_MOST_THREADS, os.cpu_count() or 1)


@lru_cache(maxsize=1)
def _pool(process: int) -> ThreadPoolExecutor:
    """The threads of this process; a forked one makes its own."""
    del process

    def mark() -> None:
        _here.is_worker = True

    return ThreadPoolExecutor(_n_threads(), "rat_widgets", initializer=mark)
