"""Levels of retrieval: how far what was retrieved holds what is needed, lowest first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from rat_widgets.errors import ArgumentError, ArgumentTypeError

__all__ = ["MOST_LEVELS", "TWO_LEVELS", "out_of_order", "read_levels"]

TWO_LEVELS: Final = ("miss", "hit")
MOST_LEVELS: Final = 10

_EXAMPLE: Final = 'retrieval_levels=("none", "partial", "all")'


def read_levels(levels: object) -> tuple[str, ...]:
    """The names of the levels, checked; two levels whatever they are called are `TWO_LEVELS`.

    Parameters
    ----------
    levels : None, or sequence of str or int
        From 2 to 10 different names, the lowest first; of grades the numbers, which become text.

    Raises
    ------
    ArgumentError, ArgumentTypeError
    """
    if levels is None:
        return TWO_LEVELS
    names = _names(levels)
    return names if len(names) > 2 else TWO_LEVELS


def _names(levels: object) -> tuple[str, ...]:
    accepted = (
        f"From 2 to {MOST_LEVELS} different names, as text or all of them whole numbers, the "
        "lowest level first."
    )
    if isinstance(levels, str) or not isinstance(levels, Sequence):
        raise ArgumentTypeError.build(
            f"`retrieval_levels` is {levels!r:.80}.", accepted=accepted, hint=_EXAMPLE
        )
    are_numbers = all(isinstance(name, int) and not isinstance(name, bool) for name in levels)
    if not are_numbers and not all(isinstance(name, str) for name in levels):
        raise ArgumentTypeError.build(
            f"`retrieval_levels` is {levels!r:.80}.", accepted=accepted, hint=_EXAMPLE
        )
    if are_numbers and list(levels) != sorted(levels):
        raise out_of_order("`retrieval_levels`", "retrieval_levels", levels, accepted)
    names = tuple(map(str, levels))
    is_blank = any(not name.strip() for name in names)
    if is_blank or len(set(names)) != len(names) or not 2 <= len(names) <= MOST_LEVELS:
        raise ArgumentError.build(
            f"`retrieval_levels` is {levels!r:.80}.", accepted=accepted, hint=_EXAMPLE
        )
    return names


def out_of_order(what: str, keyword: str, levels: Sequence[Any], accepted: str) -> ArgumentError:
    """The error for levels that are numbers and do not rise, of R or of a judge."""
    return ArgumentError.build(
        f"{what} are out of order: {levels!r:.80}.",
        accepted=accepted,
        hint=f"{keyword}={tuple(sorted(levels))!r}. Where a high number is a bad grade, turn the "
        "column round first.",
    )
