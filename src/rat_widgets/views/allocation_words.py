"""Words of a plan: what its courses are called, and how its numbers read.

The browser says the same (``js/src/core/allocation-words.ts``), character by character.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rat_widgets.views.wording import count, decimal, rounded, thousandths

__all__ = [
    "COURSES", "OPTIMAL", "Course", "about", "amount", "half", "halves", "kind_words", "unit_words",
]  # fmt: skip

OPTIMAL: Final = "optimal"


@dataclass(frozen=True, kw_only=True, slots=True)
class Course:
    """What a strategy is called beside its line, and what it asks for; "" of the best mix."""

    name: str
    does: str


COURSES: Final[Mapping[str, Course]] = {
    OPTIMAL: Course(name="best mix", does=""),
    "r_then_t": Course(
        name="R, then T",
        does="label R first, and T only where the evidence was found and it answered",
    ),
    "t_then_r": Course(
        name="T, then R", does="label T first, and R only where it declined or was right"
    ),
    "all_joint": Course(name="R and T", does="label R and T on every row"),
    "half_joint_r": Course(
        name="half both, half R", does="label R and T on half of the rows and R on the others"
    ),
    "half_joint_t": Course(
        name="half both, half T", does="label R and T on half of the rows and T on the others"
    ),
    "all_r": Course(name="R only", does="label R on every row"),
    "all_t": Course(name="T only", does="label T on every row that answered"),
}
"""In the order in which they are listed."""


def halves(width: float, *, is_rate: bool = True) -> str:
    """Half of a width, in points with one decimal: "4.3"; with three decimals for a utility."""
    if not is_rate:
        return thousandths(width / 2)
    tenths = rounded(500 * width)
    return f"{tenths // 10}.{tenths % 10}"


def half(width: float, *, is_rate: bool = True) -> str:
    """The same with its sign: "±4.3"."""
    return f"\N{PLUS-MINUS SIGN}{halves(width, is_rate=is_rate)}"


def about(n: float) -> str:
    """A number that is known to about three digits: "93", "960", "12,300"."""
    step = 1 if n < 100 else 10 if n < 10_000 else 100
    return count(step * rounded(n / step))


def amount(x: float) -> str:
    """A budget or a price as it was set: "500", "12.50"."""
    is_whole = abs(x - rounded(x)) < 1e-9
    return count(rounded(x)) if is_whole or x >= 1000 else decimal(x)


def unit_words(unit: str, price_r: float, price_t: float) -> str:
    """What a budget counts: "rows"; "labels" where each costs 1, else "units"."""
    if unit == "rows":
        return "rows"
    return "labels" if price_r == price_t == 1 else "units"


def kind_words(rows: str) -> str:
    """A kind of rows: "rows that answered with R=1"."""
    kind, _, shown = rows.partition(", ")
    verb = "declined" if kind == "abstained" else kind
    also = shown.replace(", ", " and ")
    return f"rows that {verb}" + (f" with {also}" if also else "")
