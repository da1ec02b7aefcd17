"""Asking a kernel until it knows what the page has told it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

PAUSE_S = 0.1


def until(ask: Callable[[], Any], wanted: Any, within_s: float) -> None:
    """Ask until the answer is what is wanted; messages may overtake one another.

    An expression that cannot be worked out yet is asked for again, too.

    Raises
    ------
    AssertionError
        When the time is over and the answer is another one, or still an error.
    """
    deadline = time.monotonic() + within_s
    while True:
        is_last = time.monotonic() >= deadline
        try:
            got = ask()
        except AssertionError:
            if is_last:
                raise
        else:
            if got == wanted:
                return
            if is_last:
                raise AssertionError(f"{got!r} where {wanted!r} was wanted")
        time.sleep(PAUSE_S)
