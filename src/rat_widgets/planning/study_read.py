"""What a caller writes, as the plan of a study."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from numbers import Real
from typing import Any, Final, cast

import numpy as np
from jaxtyping import Float

from rat_widgets.derived.intervals import read_interval
from rat_widgets.derived.policy import Policy
from rat_widgets.derived.posterior import Posterior
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge, JudgeTarget
from rat_widgets.model.priors import Priors
from rat_widgets.model.simulated_tables import read_judge_rates
from rat_widgets.model.theta import Theta
from rat_widgets.model.worlds import world_probabilities
from rat_widgets.planning.patterns import Prices, patterns, read_budget
from rat_widgets.planning.strategies import NAMED, Strategy, read_strategies
from rat_widgets.planning.study_plan import Plan
from rat_widgets.planning.targets import Target, read_targets

__all__ = ["plan_study"]

_N_THETA: Final = 5
_N0: Final = 100
_MOST_TRUTHS: Final = 1000
_MOST: Final = 10_000_000


def plan_study(
    x: Theta | Posterior,
    *,
    budgets: Any,
    n0: int | None,
    strategies: Any,
    targets: Any,
    prices: Any,
    by_cost: bool,
    replications: int,
    seed: int,
    ci_prob: float,
    check: float,
    priors: Any = None,
    policy: Any = "adherence",
    judges: Any = (),
) -> Plan:
    """The plan of a study; see `workflow.study_allocation`.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        For whatever is not accepted, before anything is simulated.
    """
    n0 = None if n0 is None else _whole(n0, "n0", least=0)
    if isinstance(x, Theta):
        truths, start, prior, policy, bound = _from_theta(x, judges, priors, policy)
        n0 = _N0 if n0 is None else n0
    elif isinstance(x, Posterior):
        truths, start, prior, policy, bound = _from_posterior(x)
        if n0 is not None:
            start = _nothing(start.judges)
    else:
        raise ArgumentTypeError.build(
            f"A study of {type(x).__name__} is not possible.",
            accepted="A Theta, or a Posterior of one system with two levels of retrieval.",
        )
    if not isinstance(by_cost, bool):
        raise ArgumentTypeError.build(f"`by_cost` is {by_cost!r}.", accepted="True or False.")
    asked = read_targets(targets, policy)
    _require_defined(asked, truths)
    price = Prices.of(prices)
    chosen = _strategies(strategies, by_cost=by_cost, has_judges=bool(start.judges))
    if by_cost:
        _require_spending(chosen, truths, price)
    return Plan(
        truths=truths,
        start=start,
        n0=n0,
        strategies=chosen,
        budgets=_budgets(budgets, price, by_cost=by_cost),
        by_cost=by_cost,
        prices=price,
        targets=asked,
        priors=prior,
        constraint=bound[0],
        exempt=bound[1],
        replications=_whole(replications, "replications", least=1),
        seed=_whole(seed, "seed", least=0),
        ci_prob=read_interval(ci_prob, "eti")[0],
        check=_share(check),
    )


# The constraint of the fits, and whom it is not about.
_Bound = tuple[str | None, tuple[str, ...]]
_Source = tuple[Float[np.ndarray, "truth parameter"], PatternCounts, Priors, Policy, _Bound]


def _from_theta(x: Theta, judges: Any, priors: Any, policy: Any) -> _Source:
    rates = read_judge_rates(judges)
    given = [entry[0] for entry in judges] if rates and not isinstance(judges, Mapping) else []
    known = tuple(
        given or (Judge(column, of=cast("JudgeTarget", of)) for column, (of, _, _) in rates.items())
    )
    if any(judge.has_unknown for judge in known):
        raise ArgumentError.build(
            "A judge that may say that it cannot tell has more rates than TPR and FPR.",
            accepted="Such judges in a posterior that was fitted with their verdicts.",
        )
    tpr, fpr = ([rate[i] for rate in rates.values()] for i in (1, 2))
    truths = np.array([[*x.as_array(), *tpr, *fpr]])
    start = _nothing(known)
    return truths, start, Priors.from_spec(priors, known), Policy.from_spec(policy), (None, ())


def _from_posterior(x: Posterior) -> _Source:
    if x.tree.is_graded:
        raise ArgumentError.build(
            f"Retrieval has {len(x.tree.levels)} levels here.",
            accepted="A study of two levels of retrieval, miss and hit.",
            hint="count the top level as a hit and all below it as misses, and fit again.",
        )
    if x.pins:
        raise ArgumentError.build(
            f"This posterior is a what-if with {next(iter(x.pins))!r} pinned.",
            accepted="A posterior as it was fitted.",
            hint="posterior.unpin()",
        )
    drawn = x.draws
    every = np.concatenate([drawn.theta, drawn.rates], axis=-1)
    flat = every.reshape(-1, every.shape[-1])
    some = np.linspace(0, len(flat) - 1, min(len(flat), _MOST_TRUTHS)).astype(int)
    constraint = "tpr>fpr" if "constraint" in drawn.diagnosis.codes else None
    start = x.counts.pooled().without_answerable()
    return flat[some], start, drawn.priors, x.policy, (constraint, drawn.exempt)


def _nothing(judges: tuple[Judge, ...]) -> PatternCounts:
    """Counts without rows."""
    return PatternCounts.from_patterns([], [], judges=judges)


def _strategies(x: Any, *, by_cost: bool, has_judges: bool) -> tuple[Strategy, ...]:
    """The strategies asked for; by default those that buy labels, and verdicts if there are any."""
    if x is None:
        with_nothing = has_judges and not by_cost
        return tuple(s for s in NAMED.values() if with_nothing or not s.buys_nothing)
    return tuple(read_strategies(x).values())


def _require_spending(
    strategies: tuple[Strategy, ...],
    truths: Float[np.ndarray, "truth parameter"],
    prices: Prices,
) -> None:
    for strategy in strategies:
        spends = patterns(strategy, truths[:, :_N_THETA]).cost(prices)
        if strategy.buys_nothing or (spends < 1e-3 * prices.least).any():
            raise ArgumentError.build(
                f"The strategy {strategy.name!r} buys (almost) nothing on a row.",
                accepted="With by_cost=True strategies that buy labels, so that budgets end.",
                hint="leave it out, or take budgets in rows: by_cost=False.",
            )


def _require_defined(
    targets: tuple[Target, ...], truths: Float[np.ndarray, "truth parameter"]
) -> None:
    worlds = np.moveaxis(world_probabilities(truths[:, :_N_THETA]), -1, 0)
    for target in targets:
        if np.isnan(target.value(worlds)).any():
            raise ArgumentError.build(
                f"The target {target.key!r} is undefined: what it is given never happens here.",
                accepted="Targets whose condition has a probability above 0 in every truth.",
            )


def _budgets(x: Any, prices: Prices, *, by_cost: bool) -> tuple[float, ...]:
    listed = list(x) if isinstance(x, Iterable) and not isinstance(x, str) else [x]
    if not listed:
        raise ArgumentError.build("`budgets` is empty.", accepted="At least one budget.")
    read: list[float] = []
    for one in listed:
        plain = one.item() if isinstance(one, np.generic) else one
        if by_cost:
            budget = read_budget(plain, prices)
        else:
            is_number = isinstance(plain, Real) and not isinstance(plain, bool)
            whole = int(plain) if is_number and plain == int(plain) else plain
            budget = _whole(whole, "budgets", least=1)
        if budget in read:
            raise ArgumentError.build(
                f"The budget {budget:g} is given twice.", accepted="Each budget once."
            )
        read.append(budget)
    return tuple(read)


def _whole(value: Any, name: str, *, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        hint = "with by_cost=True budgets are units of cost." if name == "budgets" else None
        raise ArgumentTypeError.build(
            f"`{name}` is {value!r:.60}.",
            accepted="Whole numbers of rows." if name == "budgets" else "A whole number.",
            hint=hint,
        )
    if not least <= value <= _MOST and name != "seed":
        raise ArgumentError.build(
            f"`{name}` is {int(value):,}.", accepted=f"From {least:,} to {_MOST:,}."
        )
    if value < least:
        raise ArgumentError.build(f"`{name}` is {value!r}.", accepted=f"{least} or more.")
    return int(value)


def _share(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) <= 1:
        raise ArgumentError.build(
            f"`check` is {value!r:.60}.", accepted="A share of the tables, from 0 to 1."
        )
    return float(value)
