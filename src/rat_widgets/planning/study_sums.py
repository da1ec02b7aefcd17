"""What a study remembers: sums over replications, however many there are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from jaxtyping import Float

from rat_widgets.errors import ArgumentTypeError

__all__ = ["Found", "Sums"]

_PER_TABLE: Final = ("rows", "cost", "n_r", "n_t")
_PER_TARGET: Final = ("width", "error", "covers")


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What came out in each simulated table of a unit.

    Attributes
    ----------
    rows, cost, n_r, n_t : array, shape (table,)
        Rows bought on top of the start, what they cost in units, labels of R and of T.
    width, error, covers : array, shape (table, target)
        Width of the interval, |posterior mean - truth|, and 1 where the truth is inside.
    n_sampled : int
        Tables that an engine drew.
    off : array, shape (checked,)
        Relative differences to the widths of an engine, in the tables that were checked.
    """

    rows: Float[np.ndarray, " table"]
    cost: Float[np.ndarray, " table"]
    n_r: Float[np.ndarray, " table"]
    n_t: Float[np.ndarray, " table"]
    width: Float[np.ndarray, "table target"]
    error: Float[np.ndarray, "table target"]
    covers: Float[np.ndarray, "table target"]
    n_sampled: int
    off: Float[np.ndarray, " checked"]


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums and sums of squares over tables; they add up.

    Attributes
    ----------
    n : int
        Tables.
    per_table : array, shape (4, 2)
        Of rows, cost, labels of R, labels of T.
    per_target : array, shape (3, 2, target)
        Of width, error and coverage.
    n_sampled : int
    n_checked : int
        Widths that were checked.
    off : float
        Sum of squares of the relative differences found.
    """

    n: int
    per_table: Float[np.ndarray, "4 2"]
    per_target: Float[np.ndarray, "3 2 target"]
    n_sampled: int
    n_checked: int
    off: float

    @classmethod
    def of(cls, found: Found) -> Self:
        """The sums of a unit."""
        tables = np.array([getattr(found, name) for name in _PER_TABLE], dtype=float)
        targets = np.array([getattr(found, name) for name in _PER_TARGET], dtype=float)
        return cls(
            n=len(found.rows),
            per_table=np.stack([tables.sum(axis=1), (tables**2).sum(axis=1)], axis=1),
            per_target=np.stack([targets.sum(axis=1), (targets**2).sum(axis=1)], axis=1),
            n_sampled=found.n_sampled,
            n_checked=len(found.off),
            off=float((found.off**2).sum()),
        )

    @classmethod
    def total(cls, parts: Iterable[Sums]) -> Sums | None:
        """All of them together, added in the order given; None when there are none."""
        made: Sums | None = None
        for part in parts:
            made = part if made is None else made + part
        return made

    def __add__(self, other: Sums) -> Sums:
        return Sums(
            self.n + other.n,
            self.per_table + other.per_table,
            self.per_target + other.per_target,
            self.n_sampled + other.n_sampled,
            self.n_checked + other.n_checked,
            self.off + other.off,
        )

    def of_tables(self, name: str) -> tuple[float, float]:
        """Mean over tables of "rows", "cost", "n_r" or "n_t", and its Monte Carlo error."""
        total, squares = self.per_table[_PER_TABLE.index(name)]
        return self._mean(total, squares)

    def of_target(self, name: str, target: int) -> tuple[float, float]:
        """Mean of "width", "error" or "covers" of a target, and its Monte Carlo error.

        The error of a coverage is that after one more hit and one more miss, so that it is not
        0 when all of a few intervals cover.
        """
        total, squares = self.per_target[_PER_TARGET.index(name), :, target]
        if name == "covers":
            p = (total + 1) / (self.n + 2)
            return float(total / self.n), math.sqrt(p * (1 - p) / self.n)
        return self._mean(total, squares)

    def _mean(self, total: float, squares: float) -> tuple[float, float]:
        mean = total / self.n
        spread = max(0.0, squares / self.n - mean**2)
        # the spread of one table is not known
        error = math.sqrt(spread / (self.n - 1)) if self.n > 1 else math.nan
        return float(mean), error

    def to_dict(self) -> dict[str, Any]:
        """The sums as values that JSON can hold."""
        return {
            "n": self.n,
            "per_table": self.per_table.tolist(),
            "per_target": self.per_target.tolist(),
            "n_sampled": self.n_sampled,
            "n_checked": self.n_checked,
            "off": self.off,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The sums that `to_dict` wrote.

        Raises
        ------
        ArgumentTypeError
            When it is something else.
        """
        try:
            return cls(
                n=int(data["n"]),
                per_table=np.asarray(data["per_table"], dtype=float),
                per_target=np.asarray(data["per_target"], dtype=float),
                n_sampled=int(data["n_sampled"]),
                n_checked=int(data["n_checked"]),
                off=float(data["off"]),
            )
        except (KeyError, TypeError, ValueError) as err:
            raise ArgumentTypeError.build(
                f"Results of a study cannot be read: {err}.",
                accepted="What `AllocationStudy.to_json` wrote.",
            ) from err
