"""How numbers read. The only module that rounds for people.

The browser words the same things (``js/src/core/format.ts``); ``tests/golden/wording.json``
holds vectors that both must reproduce character by character. Rounding is half up in both.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from rat_widgets.views.levels import TWO_LEVELS, keys_of

__all__ = [
    "VAGUE_ESTIMATE",
    "cents",
    "count",
    "decimal",
    "estimate",
    "interval",
    "label_line",
    "of_100",
    "percent",
    "pin_percent",
    "pinned",
    "points",
    "rounded",
    "rows_line",
    "stored",
    "thousandths",
]

VAGUE_ESTIMATE: Final = 0.5
"""A number whose interval is wider than this share of its scale is grey."""

_MOST_SEARCHED: Final = 12
"""Up to so many worlds every way of rounding them is tried."""


def rounded(x: float) -> int:
    """The nearest whole number, half up."""
    return math.floor(x + 0.5)


def stored(x: float) -> float:
    """The number as a view keeps it: five decimals, far below what a picture can show."""
    return round(float(x), 5)


def count(n: int) -> str:
    """A count with thousands separators: "7,500"."""
    return f"{n:,}"


def _signless(n: int) -> str:
    return str(n).replace("-", "\N{MINUS SIGN}")


def percent(x: float | None) -> str:
    """A rate such as "46%"; "<1%" and ">99%" instead of 0% and 100%; an en dash when undefined."""
    if x is None:
        return "\N{EN DASH}"
    if 0 <= x < 0.005:
        return "<1%"
    if 0.995 <= x <= 1:
        return ">99%"
    return f"{_signless(rounded(100 * x))}%"


def interval(lower: float | None, upper: float | None) -> str:
    """An interval such as "46–54", in per cent; "to" for the dash when an end is negative.

    "<1" and ">99" when both ends would read 0 or 100.
    """
    if lower is None or upper is None:
        return ""
    low, high = rounded(100 * lower), rounded(100 * upper)
    if low == high and high in (0, 100):
        return "<1" if high == 0 else ">99"
    between = " to " if low < 0 or high < 0 else "\N{EN DASH}"
    return f"{_signless(low)}{between}{_signless(high)}"


def decimal(x: float) -> str:
    """A number with two decimals: "0.24", "−0.10"; whole from a thousand up."""
    cents = rounded(100 * abs(x))
    sign = "\N{MINUS SIGN}" if x < 0 and cents > 0 else ""
    if cents >= 100_000:
        return f"{sign}{count(rounded(abs(x)))}"
    return f"{sign}{cents // 100}.{cents % 100:02d}"


def thousandths(x: float) -> str:
    """A width or an error with three decimals: "0.105"; two from 1 up."""
    n = rounded(1000 * abs(x))
    if n >= 1000:
        return decimal(x)
    return f"{_minus(x, n)}0.{n:03d}"


def _minus(x: float, n: int) -> str:
    return "\N{MINUS SIGN}" if x < 0 and n > 0 else ""


def estimate(
    value: float | None, lower: float | None, upper: float | None, *, is_rate: bool = True
) -> str:
    """A value and its interval: "50% (46–54)", or "0.24 (0.19 to 0.29)" for a utility.

    An en dash when undefined.
    """
    if value is None or lower is None or upper is None:
        return "\N{EN DASH}"
    if is_rate:
        return f"{percent(value)} ({interval(lower, upper)})"
    return f"{decimal(value)} ({decimal(lower)} to {decimal(upper)})"


def pin_percent(x: float) -> str:
    """A probability that somebody set: "70%", "12.5%"; 0% and 100% are meant as said."""
    tenths = rounded(1000 * x)
    if tenths == 0 and x > 0:
        return "<0.1%"
    if tenths == 1000 and x < 1:
        return ">99.9%"
    return f"{tenths // 10}%" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}%"


def pinned(x: float) -> str:
    """A number that does not vary, since it was set or follows from what was: "70% (pinned)"."""
    return f"{pin_percent(x)} (pinned)"


def label_line(letter: str, *, rows: int, labelled: int, judged: int, possible: int) -> str:
    """The labels behind a branch: "T on 310 of 376; 20 judge only; 12 may belong here"."""
    known = "no rows"
    if rows:
        known = f"{letter} on {count(labelled)} of {count(rows)}"
        known += " rows" if letter == "R" else ""
    parts = [known]
    if judged:
        parts.append(f"{count(judged)} judge only")
    if possible:
        parts.append(f"{count(possible)} may belong here")
    return "; ".join(parts)


def rows_line(*, rows: int, possible: int) -> str:
    """The rows behind a leaf: "75 rows; 12 may belong here"."""
    known = f"{count(rows)} {'row' if rows == 1 else 'rows'}"
    return f"{known}; {count(possible)} may belong here" if possible else known


def of_100(
    worlds: Mapping[str, float],
    policy: Mapping[str, float],
    levels: tuple[str, ...] = TWO_LEVELS,
) -> dict[str, int]:
    """Whole queries of 100 per world that add up, whatever is summed.

    Each world is rounded down or up. Of the choices that sum to 100 the one is taken whose
    T and G stay nearest to their own rounding, then R (its top level) and A, then the worlds.
    From five levels on the largest remainders are rounded up.

    Parameters
    ----------
    worlds, policy : mapping
        Probability and policy weight of each leaf.
    levels : tuple of str
        Levels of retrieval, the lowest first.
    """
    keys = keys_of(levels)
    exact = [100 * worlds[w] for w in keys.leaves]
    floors = [math.floor(x) for x in exact]
    n_up = 100 - sum(floors)
    if not 0 <= n_up <= len(floors):  # probabilities that do not sum to 1 to the last digit
        whole: Sequence[int] = (*floors[:-1], 100 - sum(floors[:-1]))
    elif len(floors) > _MOST_SEARCHED:
        whole = _largest_remainders(exact, floors, n_up)
    else:
        ends = ("_abstained", "_right")
        groups = (
            tuple(float(w in keys.top.leaves) for w in keys.leaves),
            *(tuple(float(w.endswith(end)) for w in keys.leaves) for end in ends),
            tuple(float(policy[w]) for w in keys.leaves),
        )
        whole = _nearest(tuple(exact), tuple(floors), n_up, groups)
    return dict(zip(keys.leaves, whole))


def _largest_remainders(exact: Sequence[float], floors: Sequence[int], n_up: int) -> list[int]:
    order = sorted(range(len(exact)), key=lambda i: floors[i] - exact[i])
    up = set(order[:n_up])
    return [floor + (i in up) for i, floor in enumerate(floors)]


# Kept, since headline, deck, picture and table each ask for the same numbers.
@lru_cache(maxsize=256)
def _nearest(
    exact: tuple[float, ...],
    floors: tuple[int, ...],
    n_up: int,
    groups: tuple[tuple[float, ...], ...],
) -> tuple[int, ...]:
    """The choice of `n_up` worlds to round up that keeps the sums over the groups near theirs."""
    # T and G stand in the sentence and in the totals, R and A only inside the tree.
    importance = (1, 1, 3, 3)
    wanted = [rounded(math.fsum(g * x for g, x in zip(group, exact))) for group in groups]
    best = tuple(floors)
    best_cost = math.inf
    for ups in _choices(len(floors), n_up):
        whole = tuple(f + u for f, u in zip(floors, ups))
        off_sums = math.fsum(
            weight * abs(math.fsum(g * x for g, x in zip(group, whole)) - want)
            for weight, group, want in zip(importance, groups, wanted)
        )
        off_worlds = math.fsum(abs(w - x) for w, x in zip(whole, exact))
        # Two choices that differ by less than this are the same in float arithmetic.
        cost = 1000 * off_sums + off_worlds
        if cost < best_cost - 1e-9:
            best, best_cost = whole, cost
    return best


def _choices(n: int, n_up: int) -> Iterator[tuple[int, ...]]:
    """Zeros and `n_up` ones in `n` places; the first place is the slowest to change."""
    return (ups for ups in itertools.product((0, 1), repeat=n) if sum(ups) == n_up)


def points(now: float, before: float) -> str:
    """A difference in whole points with its sign, of two rates as they are shown."""
    n = rounded(100 * now) - rounded(100 * before)
    return f"+{n}" if n > 0 else _signless(n) if n < 0 else "\N{PLUS-MINUS SIGN}0"


def cents(now: float, before: float) -> str:
    """A difference with two decimals and its sign, of two numbers as they are shown."""
    n = rounded(100 * now) - rounded(100 * before)
    text = decimal(n / 100)
    return f"+{text}" if n > 0 else text if n < 0 else "\N{PLUS-MINUS SIGN}0"
