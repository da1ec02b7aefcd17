"""Rules: the next label in every state of a row.

A is free and seen first; R and T are bought one at a time, so that a label may be bought *after*
seeing A or another label. Where A=1 the task was not solved: T=0 follows and is never bought.
There are few states, hence a rule is a small value: what is bought where A=1, what is bought
first where A=0, and whether the other label follows when the first came out 0 or 1. With graded
retrieval R counts as 1 at the top level and as 0 below it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, Self, TypeAlias

import numpy as np
from jaxtyping import Bool

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.model.worlds import Worlds

__all__ = ["Label", "NextLabel", "Rule"]

Label = Literal["R", "T"]
NextLabel: TypeAlias = Callable[[Mapping[str, int]], "Label | None"]

_OTHER: Final[Mapping[str, Label]] = {"R": "T", "T": "R"}


@dataclass(frozen=True, slots=True)
class Rule:
    """The next label in every state of a row: a total rule without chance.

    Attributes
    ----------
    abstained : bool
        Whether R is bought where A=1.
    first : "R", "T" or None
        What is bought first where A=0; None leaves such rows alone.
    then : tuple of two bools
        Whether the other label is bought after the first came out 0, and after it came out 1.
    """

    abstained: bool
    first: Label | None
    then: tuple[bool, bool] = (False, False)

    def __post_init__(self) -> None:
        flags = (self.abstained, *self.then) if isinstance(self.then, (tuple, list)) else ()
        is_known = self.first is None or self.first in ("R", "T")
        if len(flags) != 3 or not is_known or not all(isinstance(f, bool) for f in flags):
            raise ArgumentTypeError.build(
                f"A rule cannot be made of {self.abstained!r}, {self.first!r}, {self.then!r}.",
                accepted="Whether R is bought where A=1; 'R', 'T' or None; two of True and False.",
                hint="Strategy.from_function makes one of a function.",
            )
        object.__setattr__(self, "then", (False, False) if self.first is None else tuple(self.then))

    @classmethod
    def from_function(cls, next_label: NextLabel) -> Self:
        """The rule that a function follows, asked once in every state that it can get to.

        Raises
        ------
        ArgumentError, ArgumentTypeError
            When it fails, gives something else than "R", "T" or None, or asks for a label that
            is seen already.
        """
        where_abstained = _asked(next_label, {"A": 1})
        if where_abstained == "T":
            where_abstained = _asked(next_label, {"A": 1, "T": 0})
        first = _asked(next_label, {"A": 0})
        if first is None:
            return cls(where_abstained == "R", None)
        then = [_asked(next_label, {"A": 0, first: value}) is not None for value in (0, 1)]
        return cls(where_abstained == "R", first, (then[0], then[1]))

    def next_label(self, seen: Mapping[str, int]) -> Label | None:
        """What is bought next where this is seen: ``{"A": 0, "R": 1}``, say."""
        if seen["A"] == 1:
            return "R" if self.abstained and "R" not in seen else None
        if self.first is None or self.first not in seen:
            return self.first
        other = _OTHER[self.first]
        return other if self.then[int(seen[self.first])] and other not in seen else None

    @property
    def buys_nothing(self) -> bool:
        """Whether no label is ever bought."""
        return not self.abstained and self.first is None

    def sees(self, worlds: Worlds) -> tuple[Bool[np.ndarray, " world"], Bool[np.ndarray, " world"]]:
        """Whether R, and whether T, is bought on a row that is in each of the worlds."""
        is_answer, then = worlds.abstained == 0, np.array(self.then)
        if self.first is None:
            asked_r = asked_t = np.zeros(len(is_answer), dtype=bool)
        elif self.first == "R":
            asked_r, asked_t = np.ones(len(is_answer), dtype=bool), then[worlds.hit]
        else:
            asked_r, asked_t = then[worlds.right], np.ones(len(is_answer), dtype=bool)
        return np.where(is_answer, asked_r, self.abstained), is_answer & asked_t

    def text(self) -> str:
        """The rule in words."""
        away = "R" if self.abstained else "nothing"
        return f"A=1: {away}; A=0: {self.text_of_answers()}"

    def text_of_answers(self) -> str:
        """What is bought where A=0, in words."""
        if self.first is None:
            return "nothing"
        if all(self.then):
            return "R and T"
        if not any(self.then):
            return self.first
        return f"{self.first}, then {_OTHER[self.first]} where {self.first}={self.then.index(True)}"


def _asked(next_label: NextLabel, seen: dict[str, int]) -> Label | None:
    """The function's answer in one state, checked."""
    try:
        answer = next_label(dict(seen))
    except Exception as err:
        raise ArgumentError.build(
            f"The strategy's function failed where {seen!r} is seen: {err!r}.",
            accepted="A function of what is seen; labels that were not bought are not in it.",
            hint='ask `seen.get("R")`.',
        ) from err
    if answer is not None and answer not in ("R", "T"):
        raise ArgumentTypeError.build(
            f"The strategy's function gave {answer!r} where {seen!r} is seen.",
            accepted="'R', 'T', or None when nothing more is bought on the row.",
        )
    if answer in seen:
        raise ArgumentError.build(
            f"The strategy's function asks for {answer} where {seen!r} is seen.",
            accepted="A label that is not there yet, or None.",
        )
    return answer
