"""What a strategy shows: patterns of labels, how many are bought, and what they cost.

Two rules of cost. By *rows* every row counts 1, whatever is labelled on it. In *units* every
label that was bought has its price; T where A=1 follows from A and is never bought.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from numbers import Real
from typing import Any, Final, Self

import numpy as np
from jaxtyping import Float, Int8, Int64

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.levels import TWO_LEVELS
from rat_widgets.model.theta import GradedTheta, Theta
from rat_widgets.model.worlds import Worlds, world_probabilities, worlds_of
from rat_widgets.planning.strategies import Rule, Strategy, read_strategy

__all__ = [
    "Prices",
    "RowPatterns",
    "RuleTable",
    "label_patterns",
    "pattern_index",
    "patterns",
    "read_budget",
    "rule_tables",
    "theta_array",
    "tree_of",
]

_LARGEST: Final = 1e9


@dataclass(frozen=True, slots=True)
class Prices:
    """What one label of R and one label of T cost, in any unit."""

    R: float = 1.0
    T: float = 1.0

    def __post_init__(self) -> None:
        for name in ("R", "T"):
            price = getattr(self, name)
            if isinstance(price, bool) or not isinstance(price, Real):
                raise ArgumentTypeError.build(
                    f"The price of {name} is {price!r}.", accepted="A positive number."
                )
            if not 1 / _LARGEST <= float(price) <= _LARGEST:
                raise ArgumentError.build(
                    f"The price of {name} is {price!r}.",
                    accepted=f"A positive number, from {1 / _LARGEST:g} to {_LARGEST:g}.",
                    hint="with a label that costs nothing there is nothing to plan: buy them all.",
                )
            object.__setattr__(self, name, float(price))

    @classmethod
    def of(cls, prices: Prices | Mapping[str, float] | None) -> Self | Prices:
        """Prices from ``{"R": 3, "T": 1}``; 1 each from None."""
        if prices is None:
            return cls()
        if isinstance(prices, Prices):
            return prices
        hint = 'prices={"R": 3, "T": 1}'
        if not isinstance(prices, Mapping):
            raise ArgumentTypeError.build(
                f"`prices` is {prices!r:.80}.",
                accepted="A mapping from R and T to prices.",
                hint=hint,
            )
        unknown = [label for label in prices if label not in ("R", "T")]
        absent = [label for label in ("R", "T") if label not in prices]
        if unknown or absent:
            raise ArgumentError.build(
                f"`prices` has {'the unknown label ' if unknown else 'no price of '}"
                f"{(unknown or absent)[0]!r}.",
                accepted="Prices of R and of T. A joint label is one of each.",
                hint=hint,
            )
        return cls(prices["R"], prices["T"])

    @property
    def least(self) -> float:
        """The price of the cheaper label."""
        return min(self.R, self.T)

    def to_dict(self) -> dict[str, float]:
        """Label -> price."""
        return {"R": self.R, "T": self.T}


@lru_cache(maxsize=64)
def label_patterns(n_levels: int = 2) -> Int8[np.ndarray, "pattern 3"]:
    """Every pattern of R, A and T that a row whose A is seen can show; read-only.

    Returns
    -------
    int8 array, shape (4 (K + 1), 3)
        In lexicographic order, as `PatternCounts` has them; -1 where nothing was bought, and of
        T where A=1.
    """
    rows = [(r, a, t) for r in range(-1, n_levels) for a in (0, 1) for t in (-1, 0, 1)[: 3 - 2 * a]]
    made = np.array(rows, dtype=np.int8)
    made.setflags(write=False)
    return made


@dataclass(frozen=True, slots=True, eq=False)
class RuleTable:
    """What one rule shows in each world.

    Attributes
    ----------
    pattern : int array, shape (world,)
        Row of `label_patterns`.
    n_r, n_t : int arrays, shape (world,)
        Labels bought: 0 or 1.
    """

    pattern: Int64[np.ndarray, " world"]
    n_r: Int64[np.ndarray, " world"]
    n_t: Int64[np.ndarray, " world"]

    @classmethod
    def of(cls, rule: Rule, worlds: Worlds) -> Self:
        """The table of a rule."""
        sees_r, sees_t = rule.sees(worlds)
        r, t = np.where(sees_r, worlds.level, -1), np.where(sees_t, worlds.right, -1)
        return cls(
            pattern_index(r, worlds.abstained, t), sees_r.astype(np.int64), sees_t.astype(np.int64)
        )

    def dearest(self, price: Prices) -> float:
        """The most that a row can cost, in units."""
        return max((price.R * self.n_r + price.T * self.n_t).tolist())


def pattern_index(r: Any, a: Any, t: Any) -> Int64[np.ndarray, " row"]:
    """Where in `label_patterns` these labels stand; T is left out where A=1."""
    r, a, t = (np.asarray(x, dtype=np.int64) for x in (r, a, t))
    return 4 * (r + 1) + np.where(a == 1, 3, t + 1)


def theta_array(theta: Any) -> Float[np.ndarray, "*draws theta"]:
    """The free probabilities of a Theta, a GradedTheta, or an array of draws of them."""
    if isinstance(theta, (Theta, GradedTheta)):
        return theta.as_array()
    try:
        values = np.asarray(theta, dtype=float)
    except (TypeError, ValueError) as err:
        raise ArgumentTypeError.build(
            f"`theta` is {theta!r:.80}.", accepted="A Theta, a GradedTheta, or an array of draws."
        ) from err
    if values.ndim < 1 or values.shape[-1] < 5 or values.shape[-1] % 3 != 2:
        raise ArgumentError.build(
            f"`theta` has the shape {values.shape}.",
            accepted="Shape (..., 5), or (..., 3K - 1) with K levels of retrieval.",
        )
    if not ((values >= 0) & (values <= 1)).all():
        raise ArgumentError.build(
            "`theta` holds a value outside [0, 1].", accepted="Probabilities."
        )
    return values


def tree_of(theta: Any) -> Worlds:
    """The worlds of a Theta, of a GradedTheta, or of an array by its length."""
    if isinstance(theta, GradedTheta):
        return worlds_of(tuple(theta.levels))
    k = (theta_array(theta).shape[-1] + 1) // 3
    return worlds_of(TWO_LEVELS if k == 2 else tuple(map(str, range(k))))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RowPatterns:
    """What a strategy shows of one row on average.

    Attributes
    ----------
    patterns : int8 array, shape (pattern, 3)
        R, A and T; see `label_patterns`. Verdicts of judges would be further columns.
    probability : array, shape (..., pattern)
        They sum to 1, for each draw of theta.
    n_r, n_t : arrays, shape (...)
        Expected labels of R and of T.
    """

    patterns: Int8[np.ndarray, "pattern 3"]
    probability: Float[np.ndarray, "*draws pattern"]
    n_r: Float[np.ndarray, "*draws"]
    n_t: Float[np.ndarray, "*draws"]

    def cost(
        self, prices: Prices | Mapping[str, float] | None = None
    ) -> Float[np.ndarray, "*draws"]:
        """Expected cost of a row in units; prices of 1 each when left out.

        By rows, the other rule of cost, every row costs 1.
        """
        price = Prices.of(prices)
        return np.asarray(price.R * self.n_r + price.T * self.n_t)


def patterns(strategy: Any, theta: Any) -> RowPatterns:
    """The distribution of what is seen on a row that a strategy labels.

    Parameters
    ----------
    strategy : str, Strategy, mapping or function
        See `read_strategy`.
    theta : Theta, GradedTheta or array, shape (..., 3K - 1)

    Returns
    -------
    RowPatterns
    """
    chosen, tree = read_strategy(strategy), tree_of(theta)
    world = world_probabilities(theta_array(theta))
    probability = np.zeros((*world.shape[:-1], len(label_patterns(tree.n_levels))))
    n_r, n_t = np.zeros((2, *world.shape[:-1]))
    for share, table in rule_tables(chosen, tree):
        shown = np.zeros((len(tree.names), probability.shape[-1]))
        shown[np.arange(len(tree.names)), table.pattern] = share
        probability += world @ shown
        n_r += share * (world @ table.n_r)
        n_t += share * (world @ table.n_t)
    return RowPatterns(
        patterns=label_patterns(tree.n_levels), probability=probability, n_r=n_r, n_t=n_t
    )


def rule_tables(strategy: Strategy, tree: Worlds) -> list[tuple[float, RuleTable]]:
    """Share and table of each of a strategy's rules."""
    return [(share, RuleTable.of(rule, tree)) for share, rule in strategy.parts]


def read_budget(budget: Any, prices: Prices) -> float:
    """A budget in units that pays for one label at least.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When it is no number, not finite, or below the price of the cheaper label.
    """
    if isinstance(budget, bool) or not isinstance(budget, Real):
        raise ArgumentTypeError.build(
            f"`budget` is {budget!r}.", accepted="A number, in the unit of the prices."
        )
    if not math.isfinite(budget) or budget < prices.least:
        raise ArgumentError.build(
            f"`budget` is {budget!r}.",
            accepted=f"At least the price of one label, {prices.least:g}.",
            hint="budget and prices are in the same unit.",
        )
    return float(budget)
