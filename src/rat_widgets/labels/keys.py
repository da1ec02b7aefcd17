"""Group keys: plain values that sort the same way whatever engine they came from."""

from __future__ import annotations

import enum
import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Final, TypeAlias

import numpy as np

__all__ = [
    "GroupKey",
    "KeyValue",
    "is_missing",
    "key_labels",
    "one_line",
    "plain_value",
    "sort_rank",
    "value_label",
]

KeyValue: TypeAlias = str | int | float | bool
GroupKey: TypeAlias = tuple[KeyValue, ...]

_EMPTY: Final = "(empty)"


def is_missing(value: object) -> bool:
    """Whether a raw value stands for "no value": None, NaN, NA, NaT."""
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return math.isnan(value)
    if isinstance(value, Decimal):
        return value.is_nan()
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return type(value).__name__ in ("NAType", "NaTType")


def plain_value(value: object) -> KeyValue:
    """A group value as str, int, float or bool; dates, enumerations and the like as text."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    if isinstance(value, enum.Enum):
        return str(value)
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(value) + 0.0  # -0.0 and 0.0 are one group
    if isinstance(value, bytes):
        return value.decode("utf-8", "backslashreplace")
    # half of a surrogate pair is no text that a file or a message could hold
    return str(value).encode("utf-8", "backslashreplace").decode("utf-8")


def value_label(value: KeyValue) -> str:
    """The value as text; one of which nothing is seen is "(empty)"."""
    return str(value) if _as_seen(str(value)) else _EMPTY


def key_labels(keys: Sequence[GroupKey]) -> tuple[str, ...]:
    """One text per key, its values joined by a middle dot.

    Keys that would read the same, such as 1 and "1" or two spellings of "é", are written as
    Python writes them. A key without values, of a table that is one group, is "".
    """
    plain = [_joined(map(value_label, key)) for key in keys]
    seen = Counter(map(_as_seen, plain))
    return tuple(
        text if seen[_as_seen(text)] == 1 else _joined(map(ascii, key))
        for text, key in zip(plain, keys, strict=True)
    )


def _joined(values: Iterable[str]) -> str:
    return " \N{MIDDLE DOT} ".join(values)


def _as_seen(text: str) -> str:
    """The text as a page shows it: composed, spaces run together."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def sort_rank(key: GroupKey) -> tuple[tuple[int, float | str], ...]:
    """What to sort keys by: numbers before text, each in its own order."""
    return tuple((1, value) if isinstance(value, str) else (0, value) for value in key)


def one_line(value: object, limit: int = 40) -> str:
    """A name or a group value as one line of text, without control characters, cut to fit."""
    line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in str(value))
    return line if len(line) <= limit else line[: limit - 1] + "…"
