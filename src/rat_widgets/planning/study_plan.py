"""The plan of a study: which truths, which purchases, how often; everything but the results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self

import numpy as np
from jaxtyping import Float, Int64

from rat_widgets.errors import ArgumentTypeError
from rat_widgets.inference.engine import group_seed
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors
from rat_widgets.planning.patterns import Prices
from rat_widgets.planning.strategies import Strategy
from rat_widgets.planning.targets import Target

__all__ = ["Plan", "Unit"]

_LEAST_BLOCK: Final = 50
_MOST_BLOCKS: Final = 64


class Unit(NamedTuple):
    """A piece of work: some replications of one strategy at one budget."""

    block: int
    strategy: int
    budget: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Plan:
    """What is simulated.

    Attributes
    ----------
    truths : array, shape (truth, parameter)
        The five probabilities and the judges' rates, in the order of ``priors.names``:
        one truth, or draws of a posterior. Replications go through them in turn.
    start : PatternCounts
        What every table begins with, and the judges; no rows when `n0` is given.
    n0 : int or None
        Joint rows that every table begins with, drawn anew each time; None: `start`.
    strategies : tuple of Strategy
    budgets : tuple of float
    by_cost : bool
        Whether budgets are units of cost; else rows.
    prices : Prices
    targets : tuple of Target
    priors : Priors
    constraint : str or None
        Of the fits, where there are judges; see `sample`.
    exempt : tuple of str
        Keys of the judges that it is not about.
    replications : int
    seed : int
    ci_prob : float
    check : float
        Share of the tables that an engine draws, too.
    """

    truths: Float[np.ndarray, "truth parameter"]
    start: PatternCounts
    n0: int | None
    strategies: tuple[Strategy, ...]
    budgets: tuple[float, ...]
    by_cost: bool
    prices: Prices
    targets: tuple[Target, ...]
    priors: Priors
    constraint: str | None
    exempt: tuple[str, ...]
    replications: int
    seed: int
    ci_prob: float
    check: float

    @property
    def block_size(self) -> int:
        """Replications of a unit; the last one may have fewer."""
        return max(_LEAST_BLOCK, -(-self.replications // _MOST_BLOCKS))

    @property
    def n_blocks(self) -> int:
        """Units of each strategy and budget."""
        return -(-self.replications // self.block_size)

    def units(self) -> Iterator[Unit]:
        """All units: a first block of every strategy and budget, then a second one, and so on."""
        for block in range(self.n_blocks):
            for s in range(len(self.strategies)):
                for b in range(len(self.budgets)):
                    yield Unit(block, s, b)

    @property
    def n_units(self) -> int:
        """Number of units."""
        return self.n_blocks * len(self.strategies) * len(self.budgets)

    def truths_of(self, block: int) -> Float[np.ndarray, "table parameter"]:
        """The truths of one block's replications, the same for every strategy and budget."""
        first = block * self.block_size
        which = np.arange(first, min(first + self.block_size, self.replications))
        return self.truths[self._order()[which % len(self.truths)]]

    def _order(self) -> Int64[np.ndarray, " truth"]:
        return np.random.default_rng([self.seed, len(self.truths)]).permutation(len(self.truths))

    def start_stream(self, block: int) -> np.random.Generator:
        """Random numbers of the rows that tables begin with: common to strategies and budgets."""
        return np.random.default_rng(group_seed(self.seed, ("start", block)))

    def stream(self, unit: Unit) -> np.random.Generator:
        """Random numbers of the rest of a unit, whatever else is studied and where it runs."""
        strategy, budget = self.strategies[unit.strategy], self.budgets[unit.budget]
        key = ("unit", str(strategy.parts), float(budget), self.by_cost, unit.block)
        return np.random.default_rng(group_seed(self.seed, key))

    def to_dict(self) -> dict[str, Any]:
        """The plan as values that JSON can hold."""
        return {
            "truths": self.truths.tolist(),
            "start": self.start.to_dict(),
            "n0": self.n0,
            "strategies": [strategy.to_dict() for strategy in self.strategies],
            "budgets": list(self.budgets),
            "by_cost": self.by_cost,
            "prices": self.prices.to_dict(),
            "targets": [[t.key, list(t.over), list(t.given)] for t in self.targets],
            "priors": self.priors.to_dict(),
            "held": dict(self.priors.held),
            "constraint": self.constraint,
            "exempt": list(self.exempt),
            "replications": self.replications,
            "seed": self.seed,
            "ci_prob": self.ci_prob,
            "check": self.check,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The plan that `to_dict` wrote.

        Raises
        ------
        ArgumentTypeError
            When it is something else.
        """
        try:
            start = PatternCounts.from_dict(data["start"])
            priors = Priors.from_spec(Priors.from_dict(data["priors"]), start.judges)
            return cls(
                truths=np.asarray(data["truths"], dtype=float),
                start=start,
                n0=data["n0"],
                strategies=tuple(Strategy.from_dict(one) for one in data["strategies"]),
                budgets=tuple(data["budgets"]),
                by_cost=data["by_cost"],
                prices=Prices.of(data["prices"]),
                targets=tuple(Target(k, tuple(o), tuple(g)) for k, o, g in data["targets"]),
                priors=priors.holding(data["held"]) if data["held"] else priors,
                constraint=data["constraint"],
                exempt=tuple(data["exempt"]),
                replications=int(data["replications"]),
                seed=int(data["seed"]),
                ci_prob=float(data["ci_prob"]),
                check=float(data["check"]),
            )
        except (KeyError, TypeError, ValueError) as err:
            raise ArgumentTypeError.build(
                f"The plan of a study cannot be read: {err}.",
                accepted="What `AllocationStudy.to_json` wrote.",
            ) from err
