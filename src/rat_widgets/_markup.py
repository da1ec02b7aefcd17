"""Sentences as HTML: escaped, and what stands in backticks as code; names in sentences."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from html import escape
from typing import Final

__all__ = ["first_named", "named", "prose_html"]

_MOST: Final = 60
_ISOLATE, _END = "\N{FIRST STRONG ISOLATE}", "\N{POP DIRECTIONAL ISOLATE}"
# What turns the direction of text until it is told to stop, and what tells it.
_TURNS: Final = frozenset(("LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"))
_PLAIN: Final = frozenset(("L", "EN", "ES", "ET", "CS", "NSM", "BN", "B", "S", "WS", "ON"))


def prose_html(text: str) -> str:
    """A sentence of ours as safe markup; names from data stay text."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=True))


def named(name: str, *, most: int = _MOST) -> str:
    """A name from data as it can stand in a sentence.

    One line of `most` characters, with an ellipsis where it is cut. What is written from right
    to left is isolated, so that the sentence around it keeps its order.
    """
    kept = "".join(c for c in name if unicodedata.bidirectional(c) not in _TURNS)
    line = " ".join("".join(c if c.isprintable() or c >= "\u2000" else " " for c in kept).split())
    line = line if len(line) <= most else f"{line[: most - 1].rstrip()}\N{HORIZONTAL ELLIPSIS}"
    turns = any(unicodedata.bidirectional(c) not in _PLAIN for c in line)
    return f"{_ISOLATE}{line}{_END}" if turns else line


def first_named(names: Iterable[str], *, most: int = 5) -> str:
    """The first of several names, each as `named` has it, and dots where there are more."""
    every = [named(name) for name in names]
    return ", ".join(every[:most]) + (", ..." if every[most:] else "")
