"""What a person can move in a plan: budget, prices, target, what is switched off."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Self

from rat_widgets.errors import ViewError
from rat_widgets.views import codec
from rat_widgets.views.allocation_words import COURSES

__all__ = ["AllocationControls", "AllocationPrices", "round_end"]

_LEAST_PRICE = 1e-3
_MOST = 1e9


def _between(name: str, value: float, low: float, high: float) -> None:
    if not low <= value <= high:
        raise ViewError.build(
            f"`{name}` is {value!r}.", accepted=f"A number from {low:g} to {high:g}."
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class AllocationPrices:
    """What a label of R and one of T cost, in any unit."""

    R: float = 1.0
    T: float = 1.0

    def __post_init__(self) -> None:
        for name in ("R", "T"):
            _between(f"prices[{name!r}]", getattr(self, name), _LEAST_PRICE, _MOST)


@dataclass(frozen=True, kw_only=True, slots=True)
class AllocationControls:
    """What a person can move.

    `budget` is in units, or in rows where `unit` says so; `most` is where its axis ends (None: a
    round number from 1,000 up). `prices` are those of R and of T. `n0` is the number of joint rows
    there are, where they are made up. Courses in `hidden` are switched off.
    """

    group: int = 0
    target: str = "policy_adherence"
    budget: float = 500.0
    most: float | None = None
    unit: Literal["units", "rows"] = "units"
    prices: AllocationPrices = AllocationPrices()
    n0: float | None = None
    hidden: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        _between("budget", self.budget, 0, _MOST)
        if self.most is not None:
            _between("most", self.most, max(self.budget, _LEAST_PRICE), 10 * _MOST)
        if self.n0 is not None:
            _between("n0", self.n0, 0, _MOST)
        unknown = [key for key in self.hidden if key not in COURSES]
        if unknown or len(set(self.hidden)) != len(self.hidden):
            raise ViewError.build(
                f"`hidden` is {self.hidden!r:.80}.",
                accepted=f"Each once, of {', '.join(COURSES)}.",
            )

    @property
    def end(self) -> float:
        """Where the axis of budgets ends."""
        return self.most if self.most is not None else round_end(self.budget)

    def to_dict(self) -> dict[str, object]:
        """Plain values, as the browser sends them."""
        return dict(codec.to_dict(self))

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Controls read from plain values; see `codec.from_dict` for the errors."""
        return codec.from_dict(cls, data)


def round_end(budget: float) -> float:
    """The end of an axis on which a budget stands: 1,000, or 1, 2 or 5 times a power of ten."""
    if budget <= 1000:
        return 1000.0
    power = 10.0 ** math.floor(math.log10(budget))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= budget * (1 - 1e-12))
