"""The answers of graded judges: levels in their order, or scores cut into levels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from numbers import Integral, Real
from typing import Any, Final

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.levels import out_of_order

__all__ = ["MOST_ANSWERS", "read_scale"]

MOST_ANSWERS: Final = 20

_Scale = tuple[tuple[str | float, ...] | None, tuple[float, ...] | None]


def read_scale(levels: object, cuts: object, name: str, unknown: object) -> _Scale:
    """The levels of a judge, lowest first, and where scores are cut; None for a judge of 0 and 1.

    Parameters
    ----------
    levels : None or sequence of numbers or str
    cuts : None or sequence of float
        Their levels are named by the scores that they hold: "0-0.5", "0.5-1".
    name : str
        The judge's, for messages.
    unknown : object
        The cell that stands for "cannot tell", which is outside the order.

    Raises
    ------
    ArgumentError, ArgumentTypeError
    """
    if cuts is not None:
        read = _cuts(cuts, name)
        edges = [0.0, *read, 1.0]
        made = tuple(f"{low:g}-{high:g}" for low, high in pairwise(edges))
        if levels is not None and not _is_made(levels, made):
            raise ArgumentError.build(
                f"Judge {name!r} has `levels` and `cuts`.",
                accepted="`levels` where cells hold levels; `cuts` where they hold scores.",
            )
        return made, read
    if levels is None:
        return None, None
    return _levels(levels, name, unknown), None


def _is_made(levels: object, made: tuple[str, ...]) -> bool:
    """Whether these are the levels that the cuts name: a judge made anew from another has both."""
    return isinstance(levels, tuple) and levels == made


def _levels(levels: object, name: str, unknown: object) -> tuple[str | float, ...]:
    accepted = (
        f"From 2 to {MOST_ANSWERS} different levels, the lowest first: numbers that rise, or texts."
    )
    hint = 'rat.Judge("grade", of="retrieval", levels=(0, 1, 2, 3))'
    if isinstance(levels, range):
        levels = tuple(levels)
    if isinstance(levels, str) or not isinstance(levels, Sequence):
        raise ArgumentTypeError.build(
            f"`levels` of judge {name!r} is {levels!r:.80}.", accepted=accepted, hint=hint
        )
    read = tuple(levels)
    are_texts = all(isinstance(level, str) and level.strip() and "[" not in level for level in read)
    are_numbers = all(_is_number(level) for level in read)
    if not (are_texts or are_numbers):
        raise ArgumentTypeError.build(
            f"`levels` of judge {name!r} is {levels!r:.80}.", accepted=accepted, hint=hint
        )
    if len(set(read)) != len(read) or not 2 <= len(read) <= MOST_ANSWERS:
        raise ArgumentError.build(
            f"`levels` of judge {name!r} is {levels!r:.80}.", accepted=accepted, hint=hint
        )
    if are_numbers and list(read) != sorted(read):
        raise out_of_order(f"`levels` of judge {name!r}", "levels", levels, accepted)
    if are_numbers:
        read = tuple(_plain_number(level) for level in read)
    if unknown in read:
        raise ArgumentError.build(
            f"`unknown` of judge {name!r}, {unknown!r}, is one of its levels.",
            accepted="An answer outside the order.",
        )
    return read


def _cuts(cuts: object, name: str) -> tuple[float, ...]:
    accepted = f"From 1 to {MOST_ANSWERS - 1} numbers between 0 and 1 that rise."
    hint = 'rat.Judge("score", of="task", cuts=(0.25, 0.5, 0.75))'
    listed: Any = (cuts,) if _is_number(cuts) else cuts
    if isinstance(listed, str) or not isinstance(listed, Sequence):
        raise ArgumentTypeError.build(
            f"`cuts` of judge {name!r} is {cuts!r:.80}.", accepted=accepted, hint=hint
        )
    if not all(_is_number(cut) for cut in listed):
        raise ArgumentTypeError.build(
            f"`cuts` of judge {name!r} is {cuts!r:.80}.", accepted=accepted, hint=hint
        )
    read = tuple(float(cut) for cut in listed)
    rises = all(low < high for low, high in pairwise(read))
    is_inside = all(0 < cut < 1 for cut in read)
    if not (rises and is_inside and 1 <= len(read) < MOST_ANSWERS):
        raise ArgumentError.build(
            f"`cuts` of judge {name!r} is {cuts!r:.80}.", accepted=accepted, hint=hint
        )
    return read


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return math.isfinite(float(value))
    except OverflowError:  # an integer beyond 1.8e308
        return False


def _plain_number(value: Any) -> int | float:
    """A level of NumPy or of fractions as a number that JSON can hold; no -0."""
    return int(value) if isinstance(value, Integral) else float(value) + 0.0
