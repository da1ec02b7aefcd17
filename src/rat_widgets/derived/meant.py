"""Which quantity somebody may have meant by a name that is none: its symbol, or nearly its key."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rat_widgets.derived.quantities import Quantity

__all__ = ["quantity_hint"]


def quantity_hint(name: object, quantities: Iterable[Quantity]) -> str | None:
    """A hint for errors; None when nothing comes near.

    Examples
    --------
    >>> from rat_widgets.derived.quantities import QUANTITIES
    >>> quantity_hint("P(G)", QUANTITIES)
    "did you mean 'policy_adherence', P(G=1)?"
    """
    if not isinstance(name, str):
        return None
    symbols = {q.key: q.symbol for q in quantities}
    asked = _plain(name)
    by_symbol = [key for key, symbol in symbols.items() if _plain(symbol) == asked]
    by_start = [key for key in symbols if asked and key.startswith(name.casefold())]
    close = difflib.get_close_matches(name.casefold(), symbols, n=1, cutoff=0.6)
    found = next(iter([*by_symbol, *by_start, *close]), None)
    return None if found is None else f"did you mean {found!r}, {symbols[found]}?"


def _plain(symbol: str) -> str:
    """P(T=1 | A=0), p(t|a=0) and T|A=0 are the same."""
    text = "".join(symbol.split()).casefold().replace("=1", "")
    return text[2:-1] if text.startswith("p(") and text.endswith(")") else text
