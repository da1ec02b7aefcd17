"""Assurance: how likely a purchase is to settle a decision, and how large it has to be.

A claim, "P(G) is above 0.5" or "B is better than A", is confirmed when its posterior probability
is at least `level`, refuted when that of its opposite is, and settled by either. Whether it will
be is found by predictive simulation: a truth is taken from what is known now, labels are bought
and simulated, and their posterior is found as in a study.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, fields, replace
from typing import Final

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float

from rat_widgets.planning.assurance_text import advice_of, assurance_html, assurance_text
from rat_widgets.planning.study_plan import Plan, Unit
from rat_widgets.planning.study_unit import fit_tables, simulate_unit

__all__ = ["Assurance", "Claim", "Outcome", "assured"]

# A posterior that is compared with another one is known by so many of its quantiles.
_N_QUANTILES: Final = 256
_TABLES_AT_ONCE: Final = 16
_DOUBLINGS: Final = 14
_REFINEMENTS: Final = 3
# The first budget of a search pays for so many of the cheaper label.
_FIRST: Final = 50

PlansFor = Callable[[float], tuple[Plan, ...]]
"""The plan of each system for a budget."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What is to be settled.

    Attributes
    ----------
    target : str
        Key of a quantity.
    line : float
        Of two systems the line is for the difference, the first less the second.
    is_above : bool
        Whether the target is said to be above the line, or below it.
    is_difference : bool
    level : float
        Posterior probability with which it counts as confirmed.
    """

    target: str
    line: float
    is_above: bool
    is_difference: bool
    level: float

    def __str__(self) -> str:
        side = "above" if self.is_above else "below"
        what = f"the difference in {self.target}" if self.is_difference else self.target
        return f"{what} is {side} {self.line:g}"

    def holds(self, values: Float[np.ndarray, " draw"]) -> Bool[np.ndarray, " draw"]:
        """Where the claim is true."""
        return values > self.line if self.is_above else values < self.line


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came out at one budget; shares are of the simulated purchases.

    Attributes
    ----------
    budget : float
        Units, for each system.
    assurance, refuted, settled : float
        Shares in which the claim was confirmed, refuted, and either of them.
    assurance_mcse, refuted_mcse, settled_mcse : float
        Monte Carlo standard errors.
    detectable : float
        How far from the line the truth has to be for the claim to be confirmed with the
        probability that was asked for; supposing that widths do not depend on the distance.
    rows, cost : float
        Means over purchases, for each system.
    """

    budget: float
    assurance: float
    assurance_mcse: float
    refuted: float
    refuted_mcse: float
    settled: float
    settled_mcse: float
    detectable: float
    rows: float
    cost: float


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Assurance:
    """How likely each budget is to settle a claim.

    Attributes
    ----------
    claim : Claim
    strategy : str
    probability : float
        What is asked of a budget.
    now : float or None
        Posterior probability of the claim before the purchase; None where the truth is supposed.
    limit : float
        Probability that the claim is true, which large budgets confirm.
    outcomes : tuple of Outcome
        By budget; none where the claim is settled already and no budgets were given.
    smallest_budget, smallest_budget_settled : float or None
        Units, for each system, that confirm the claim, or settle it either way, with the
        probability asked for, interpolated between the budgets that were simulated; 0 where it
        is settled already, None where none of them does.
    smallest_budget_mcse, smallest_budget_settled_mcse : float or None
        Monte Carlo standard errors.
    replications : int
        Simulated purchases per budget.
    advice : str
        In one sentence.
    """

    claim: Claim
    strategy: str
    probability: float
    now: float | None
    limit: float
    outcomes: tuple[Outcome, ...]
    smallest_budget: float | None
    smallest_budget_mcse: float | None
    smallest_budget_settled: float | None
    smallest_budget_settled_mcse: float | None
    replications: int
    advice: str = ""

    @property
    def is_settled(self) -> bool:
        """Whether the claim is confirmed or refuted before anything is bought."""
        return _is_settled(self.now, self.claim.level)

    def table(self) -> pd.DataFrame:
        """One row per budget; see `Outcome` for the columns."""
        columns = [field.name for field in fields(Outcome)]
        rows = [asdict(one) for one in self.outcomes]
        return pd.DataFrame(rows, columns=columns).set_index("budget")

    def __str__(self) -> str:
        return assurance_text(self)

    def __repr__(self) -> str:
        return assurance_text(self)

    def _repr_html_(self) -> str:
        return assurance_html(self)


def assured(
    claim: Claim,
    plans_for: PlansFor,
    *,
    strategy: str,
    probability: float,
    budgets: Sequence[float] | None,
    now: float | None,
    limit: float,
    least: float,
    replications: int,
) -> Assurance:
    """The assurance of a claim; see `rat.assurance`.

    Parameters
    ----------
    plans_for : function
        From a budget to the plan of each system.
    budgets : sequence of float, or None
        None looks for the smallest budget that confirms the claim with `probability`, or settles
        it either way where none can confirm it.
    now, limit : float
        See `Assurance`.
    least : float
        Price of the cheaper label.
    replications : int
        Of the plans.
    """
    is_settled = _is_settled(now, claim.level)
    simulate = _Simulation(claim, plans_for, probability)
    for budget in budgets or ():
        simulate(budget)
    if budgets is None and not is_settled:
        _search(simulate, "assurance" if limit >= probability else "settled", least)
    outcomes = simulate.outcomes
    smallest = {
        name: (0.0, 0.0) if is_settled else _crossing(outcomes, name, probability)
        for name in ("assurance", "settled")
    }
    if is_settled and limit < 0.5:
        smallest["assurance"] = None
    confirming, settling = (found or (None, None) for found in smallest.values())
    made = Assurance(
        claim=claim,
        strategy=strategy,
        probability=probability,
        now=now,
        limit=limit,
        outcomes=outcomes,
        smallest_budget=confirming[0],
        smallest_budget_mcse=confirming[1],
        smallest_budget_settled=settling[0],
        smallest_budget_settled_mcse=settling[1],
        replications=replications,
    )
    return replace(made, advice=advice_of(made))


def _is_settled(now: float | None, level: float) -> bool:
    return now is not None and (now >= level or now <= 1 - level)


class _Simulation:
    """Outcomes by budget, each simulated once."""

    def __init__(self, claim: Claim, plans_for: PlansFor, probability: float) -> None:
        self.probability = probability
        self._claim, self._plans_for = claim, plans_for
        self._found: dict[float, Outcome] = {}

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        return tuple(self._found[budget] for budget in sorted(self._found))

    def __call__(self, budget: float) -> Outcome:
        if budget not in self._found:
            plans = self._plans_for(budget)
            self._found[budget] = _outcome(self._claim, plans, budget, self.probability)
        return self._found[budget]

    def is_enough(self, budget: float, share: str) -> bool:
        """Whether a budget does what is asked, its Monte Carlo error aside."""
        one = self(budget)
        return bool(getattr(one, share) >= self.probability)


def _search(simulate: _Simulation, share: str, least: float) -> None:
    """Budgets around the smallest one that is enough; large ones when none is."""
    budget = _FIRST * least
    while budget / 2 >= least and simulate.is_enough(budget, share):
        budget /= 2
    for _ in range(_DOUBLINGS):
        if simulate.is_enough(budget, share):
            break
        budget *= 2
    for _ in range(_REFINEMENTS):
        found = _crossing(simulate.outcomes, share, simulate.probability)
        if found is None or found[0] < least:
            return
        simulate(float(f"{found[0]:.2g}"))


def _outcome(claim: Claim, plans: tuple[Plan, ...], budget: float, probability: float) -> Outcome:
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        blocks = list(pool.map(lambda b: _ends(claim, plans, b), range(plans[0].n_blocks)))
    lower, upper, truth, rows, cost = (np.concatenate(part) for part in zip(*blocks, strict=True))
    above, below = lower > claim.line, upper < claim.line
    confirmed, refuted = (above, below) if claim.is_above else (below, above)
    settled = confirmed | refuted
    reach = truth - lower if claim.is_above else upper - truth
    return Outcome(
        budget=float(budget),
        assurance=float(confirmed.mean()),
        assurance_mcse=_error_of_share(confirmed),
        refuted=float(refuted.mean()),
        refuted_mcse=_error_of_share(refuted),
        settled=float(settled.mean()),
        settled_mcse=_error_of_share(settled),
        detectable=float(np.quantile(reach, probability)),
        rows=float(rows.mean()),
        cost=float(cost.mean()),
    )


def _error_of_share(happened: Bool[np.ndarray, " table"]) -> float:
    """After one more of either kind, so that it is not 0 where all or none did."""
    n = len(happened)
    p = (float(happened.sum()) + 1) / (n + 2)
    return math.sqrt(p * (1 - p) / n)


def _ends(claim: Claim, plans: tuple[Plan, ...], block: int) -> tuple[np.ndarray, ...]:
    """What the posteriors of some purchases leave below and above with 1 - level, and the truth.

    A claim that the target is above the line has a posterior probability of at least `level`
    where the quantile at 1 - level is above the line.
    """
    both = np.array([1 - claim.level, claim.level])
    made = [simulate_unit(plan, Unit(block, 0, 0)) for plan in plans]
    rows = np.mean([one.bought.n_rows for one in made], axis=0)
    cost = np.mean([one.cost for one in made], axis=0)
    if not claim.is_difference:
        ends = fit_tables(plans[0], made[0], both).values[..., 0]
        return ends[0], ends[1], made[0].truth[:, 0], rows, cost
    middles = (np.arange(_N_QUANTILES) + 0.5) / _N_QUANTILES
    first, second = (
        fit_tables(plan, one, middles).values[..., 0].T
        for plan, one in zip(plans, made, strict=True)
    )
    ends = _differences(first, second, both)
    return ends[0], ends[1], made[0].truth[:, 0] - made[1].truth[:, 0], rows, cost


def _differences(
    first: Float[np.ndarray, "table quantile"],
    second: Float[np.ndarray, "table quantile"],
    probabilities: Float[np.ndarray, " end"],
) -> Float[np.ndarray, "end table"]:
    """Quantiles of the difference of two independent posteriors, each known by its quantiles."""
    n = first.shape[1]
    place = np.clip(np.rint(probabilities * n * n - 0.5), 0, n * n - 1).astype(int)
    found = np.empty((len(probabilities), len(first)))
    for start in range(0, len(first), _TABLES_AT_ONCE):
        some = slice(start, start + _TABLES_AT_ONCE)
        apart = (first[some, :, None] - second[some, None, :]).reshape(-1, n * n)
        found[:, some] = np.partition(apart, place, axis=1)[:, place].T
    return found


def _crossing(
    outcomes: Sequence[Outcome], share: str, probability: float
) -> tuple[float, float] | None:
    """The budget at which a share gets to `probability`, and its Monte Carlo error.

    Shares are made monotone by pooling neighbours, and interpolated in the root of the budget.
    Where the smallest budget is enough it is the answer; None where the largest is not.
    """
    roots = np.sqrt([one.budget for one in outcomes])
    shares = _monotone([getattr(one, share) for one in outcomes])
    enough = np.flatnonzero(shares >= probability)
    if not len(enough):
        return None
    i = int(enough[0])
    if i == 0:
        return float(roots[0] ** 2), math.nan
    rise, run = shares[i] - shares[i - 1], roots[i] - roots[i - 1]
    root = roots[i - 1] + run * (probability - shares[i - 1]) / rise
    error = getattr(outcomes[i], f"{share}_mcse") * run / rise
    return float(root**2), float(2 * root * error)


def _monotone(values: Sequence[float]) -> Float[np.ndarray, " value"]:
    """The closest values that do not fall (pool adjacent violators)."""
    blocks: list[list[float]] = []
    for value in values:
        blocks.append([value, 1])
        while len(blocks) > 1 and blocks[-2][0] > blocks[-1][0]:
            last, before = blocks.pop(), blocks.pop()
            n = last[1] + before[1]
            blocks.append([(last[0] * last[1] + before[0] * before[1]) / n, n])
    return np.repeat([value for value, _ in blocks], [int(n) for _, n in blocks])
