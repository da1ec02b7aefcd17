"""What a caller writes, as a claim and the plans of its simulation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final

import numpy as np
from jaxtyping import Float

from rat_widgets.derived.posterior import Posterior
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.model.theta import Theta
from rat_widgets.model.worlds import world_probabilities
from rat_widgets.planning.assurance import Assurance, Claim, assured
from rat_widgets.planning.design import Design
from rat_widgets.planning.optimal import best_design
from rat_widgets.planning.patterns import Prices
from rat_widgets.planning.strategies import Strategy, read_strategy
from rat_widgets.planning.study_plan import Plan
from rat_widgets.planning.study_read import plan_study

__all__ = ["assurance_of", "read_claim"]

_N_THETA: Final = 5
_N0: Final = 100
_OPTIMAL: Final = "optimal"


def assurance_of(
    systems: tuple[Theta | Posterior, ...],
    claim: Claim,
    *,
    budgets: Any,
    strategy: Any,
    prices: Prices,
    probability: Any,
    n0: int | None,
    replications: int,
    seed: int,
    priors: Any = None,
    policy: Any = None,
    judges: Any = (),
) -> Assurance:
    """The assurance of a claim about one system, or about the difference of two.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        For whatever is not accepted, before anything is simulated.
    """
    if policy is not None:
        systems = tuple(x.with_policy(policy) if isinstance(x, Posterior) else x for x in systems)
    sources = tuple(
        _Source(
            system=x,
            settings={
                "n0": n0,
                "targets": claim.target,
                "prices": prices,
                "by_cost": True,
                "replications": replications,
                "seed": seed + i,
                "ci_prob": 0.95,
                "check": 0.0,
                "priors": priors,
                "policy": "adherence" if policy is None else policy,
                "judges": judges,
            },
            strategy=_read_purchase(strategy),
            claim=claim,
            prices=prices,
        )
        for i, x in enumerate(systems)
    )
    listed = None if budgets is None else sources[0].budgets(budgets)
    values = [source.truths() for source in sources]
    n = max(len(value) for value in values)
    spread = [value[np.arange(n) % len(value)] for value in values]
    true = float(claim.holds(spread[0] - spread[1] if claim.is_difference else spread[0]).mean())
    is_supposed = all(isinstance(x, Theta) for x in systems)
    return assured(
        claim,
        lambda budget: tuple(source.plan_for(budget) for source in sources),
        strategy=sources[0].name,
        probability=_share(probability),
        budgets=listed,
        now=None if is_supposed else true,
        limit=true,
        least=prices.least,
        replications=replications,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Source:
    """A system, and how purchases on it are planned."""

    system: Theta | Posterior
    settings: Mapping[str, Any]
    strategy: Strategy | str
    claim: Claim
    prices: Prices

    @property
    def name(self) -> str:
        return "the optimal design" if isinstance(self.strategy, str) else self.strategy.name

    def plan_for(self, budget: float) -> Plan:
        """The plan of one budget."""
        return self._plan(self._bought(budget), [budget])

    def budgets(self, listed: Any) -> tuple[float, ...]:
        """Budgets, checked, in their order."""
        return tuple(sorted(self._plan("all_joint", listed).budgets))

    def _plan(self, strategy: Any, budgets: Any) -> Plan:
        return plan_study(self.system, strategies=strategy, budgets=budgets, **self.settings)

    def _bought(self, budget: float) -> Strategy:
        if isinstance(self.strategy, Strategy):
            return self.strategy
        n0 = self.settings["n0"]
        is_theta = isinstance(self.system, Theta)
        already = _N0 if n0 is None and is_theta else n0
        design = best_design(
            self.system,
            target=self.claim.target,
            prices=self.prices,
            budget=budget,
            already=already,
            pool="fresh",
            policy=self.settings["policy"] if is_theta else None,
        )
        return _mixture_of(design)

    def truths(self) -> Float[np.ndarray, " draw"]:
        """The target where the truth may be."""
        plan = self._plan("all_joint", [100 * self.prices.least])
        if isinstance(self.system, Posterior):
            return self.system[self.claim.target].ravel()
        worlds = np.moveaxis(world_probabilities(plan.truths[:, :_N_THETA]), -1, 0)
        return np.atleast_1d(plan.targets[0].value(worlds))


def _read_purchase(strategy: Any) -> Strategy | str:
    if isinstance(strategy, str) and strategy == _OPTIMAL:
        return _OPTIMAL
    return _mixture_of(strategy) if isinstance(strategy, Design) else read_strategy(strategy)


def _mixture_of(design: Design) -> Strategy:
    if design.mixture is None:
        raise ArgumentError.build(
            "This design is for the rows of a finite pool.",
            accepted="A design for fresh rows: purchases are simulated on rows of their own.",
            hint='rat.optimal_design(..., pool="fresh"), or strategy="optimal".',
        )
    return design.mixture


def read_claim(target: Any, *, above: Any, below: Any, is_difference: bool, level: Any) -> Claim:
    """What is to be settled.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When it is not said on which side of which line the target should be.
    """
    if not isinstance(target, str):
        raise ArgumentTypeError.build(
            f"`target` is {target!r:.80}.", accepted="The key of one quantity."
        )
    if above is None and below is None and is_difference:
        above = 0.0
    if (above is None) == (below is None):
        raise ArgumentError.build(
            "It is not clear what is to be settled: one of `above` and `below` is needed.",
            accepted="above=0.5, or below=0.5; with `against` the difference is above 0 unless "
            "told otherwise.",
        )
    name, line = ("below", below) if above is None else ("above", above)
    if isinstance(line, bool) or not isinstance(line, Real):
        raise ArgumentTypeError.build(f"`{name}` is {line!r:.60}.", accepted="A number.")
    least = -1 if is_difference else 0
    if not least < float(line) < 1:
        raise ArgumentError.build(
            f"`{name}` is {line!r}.",
            accepted="A difference of probabilities, between -1 and 1."
            if is_difference
            else "A probability between 0 and 1.",
        )
    return Claim(
        target=target,
        line=float(line),
        is_above=above is not None,
        is_difference=is_difference,
        level=_level(level),
    )


def _level(level: Any) -> float:
    if isinstance(level, bool) or not isinstance(level, Real) or not 0.5 < float(level) < 1:
        raise ArgumentError.build(
            f"`level` is {level!r:.60}.",
            accepted="The posterior probability that settles a claim, above 0.5 and below 1.",
        )
    return float(level)


def _share(probability: Any) -> float:
    is_number = isinstance(probability, Real) and not isinstance(probability, bool)
    if not is_number or not 0 < float(probability) < 1:
        raise ArgumentError.build(
            f"`probability` is {probability!r:.60}.", accepted="Between 0 and 1, such as 0.8."
        )
    return float(probability)
