"""One unit of a study: tables are simulated and fitted, and what came out is added up."""

from __future__ import annotations

from itertools import product
from typing import Final, NamedTuple

import numpy as np
from jaxtyping import Float, Int8, Int64

from rat_widgets.derived.intervals import tails
from rat_widgets.labels.judges import Judge
from rat_widgets.labels.levels import TWO_LEVELS
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.memberships import memberships
from rat_widgets.model.worlds import world_probabilities
from rat_widgets.planning.fast import Quantiles, quantiles, sampled_summaries
from rat_widgets.planning.judged import judged
from rat_widgets.planning.patterns import label_patterns
from rat_widgets.planning.purchases import Purchases, simulate_counts
from rat_widgets.planning.study_plan import Plan, Unit
from rat_widgets.planning.study_sums import Found, Sums

__all__ = ["Simulated", "Tables", "fit_tables", "run_unit", "simulate_unit"]

_N_THETA: Final = 5
# A check draws enough for an error of 0.5% of the reference itself.
_CHECK_DRAWS: Final = 40_000


class Tables(NamedTuple):
    """Simulated tables that show the same patterns."""

    patterns: Int8[np.ndarray, "pattern column"]
    counts: Int64[np.ndarray, "table pattern"]


class Simulated(NamedTuple):
    """The tables of a unit before anything is fitted.

    Attributes
    ----------
    tables : Tables
    bought : Purchases
        On top of the start.
    cost : array, shape (table,)
        Of labels and verdicts, in units.
    truth : array, shape (table, target)
    rng : numpy.random.Generator
        What is drawn next.
    """

    tables: Tables
    bought: Purchases
    cost: Float[np.ndarray, " table"]
    truth: Float[np.ndarray, "table target"]
    rng: np.random.Generator


def run_unit(plan: Plan, unit: Unit) -> Sums:
    """The sums of one unit; the same wherever and whenever it runs."""
    made = simulate_unit(plan, unit)
    fit = fit_tables(plan, made, tails(plan.ci_prob))
    lower, upper = fit.values
    off = np.zeros(0)
    if not plan.start.judges:
        off = _check(plan, made.tables, upper - lower, made.rng)
    return Sums.of(
        Found(
            rows=made.bought.n_rows,
            cost=made.cost,
            n_r=made.bought.n_r,
            n_t=made.bought.n_t,
            width=upper - lower,
            error=np.abs(fit.mean - made.truth),
            covers=(lower <= made.truth) & (made.truth <= upper),
            n_sampled=int(fit.is_sampled.sum()),
            off=off,
        )
    )


def simulate_unit(plan: Plan, unit: Unit) -> Simulated:
    """The tables of one unit; the same wherever and whenever it runs."""
    truths = plan.truths_of(unit.block)
    theta, rng = truths[:, :_N_THETA], plan.stream(unit)
    start, start_rng = _start(plan, len(truths)), plan.start_stream(unit.block)
    if plan.n0 is not None:
        joint = simulate_counts(theta, "all_joint", n_rows=plan.n0, rng=start_rng)
        start = _joined(start, _with_verdicts(plan, truths, joint, start_rng))
    strategy, budget = plan.strategies[unit.strategy], plan.budgets[unit.budget]
    if plan.by_cost:
        bought = simulate_counts(theta, strategy, budget=budget, prices=plan.prices, rng=rng)
    else:
        bought = simulate_counts(theta, strategy, n_rows=int(budget), prices=plan.prices, rng=rng)
    new = _with_verdicts(plan, truths, bought, rng)
    worlds = np.moveaxis(world_probabilities(theta), -1, 0)
    return Simulated(
        tables=_joined(start, new),
        bought=bought,
        cost=bought.cost + _cost_of_verdicts(plan, new),
        truth=np.stack([target.value(worlds) for target in plan.targets], axis=-1),
        rng=rng,
    )


def fit_tables(
    plan: Plan, made: Simulated, probabilities: Float[np.ndarray, " quantile"]
) -> Quantiles:
    """Posterior means and quantiles of the targets, table by table."""
    if plan.start.judges:
        return judged(plan, *made.tables, rng=made.rng, probabilities=probabilities)
    return quantiles(
        *made.tables, plan.targets, plan.priors, rng=made.rng, probabilities=probabilities
    )


def _start(plan: Plan, n_tables: int) -> Tables:
    """What every table begins with."""
    rows = plan.start.counts.sum(axis=0)
    return Tables(plan.start.patterns, np.broadcast_to(rows, (n_tables, len(rows))))


def _joined(one: Tables, other: Tables) -> Tables:
    return Tables(
        np.concatenate([one.patterns, other.patterns]),
        np.concatenate([one.counts, other.counts], axis=1),
    )


def _with_verdicts(
    plan: Plan,
    truths: Float[np.ndarray, "table parameter"],
    bought: Purchases,
    rng: np.random.Generator,
) -> Tables:
    """The rows with what judges say of them.

    Given the world verdicts do not depend on which labels were bought, so that the rows of a
    pattern share out among verdicts by the probabilities of pattern and verdicts together.
    """
    judges = plan.start.judges
    labels = np.full((len(label_patterns()), FIRST_JUDGE + len(judges)), -1, dtype=np.int8)
    labels[:, :3] = label_patterns()
    if not judges:
        return Tables(labels, bought.counts)
    theta, rates = np.split(truths, [_N_THETA], axis=1)
    parts = []
    for pattern, rows in zip(labels, bought.counts.T, strict=True):
        full = _verdicts_on(pattern, judges)
        p = memberships(full, theta, rates, judges, TWO_LEVELS).sum(axis=-1)
        total = p.sum(axis=1, keepdims=True)
        p = np.where(total > 0, p / np.where(total > 0, total, 1.0), 1 / len(full))
        parts.append(Tables(full, rng.multinomial(rows, p)))
    return Tables(
        np.concatenate([part.patterns for part in parts]),
        np.concatenate([part.counts for part in parts], axis=1),
    )


def _verdicts_on(
    pattern: Int8[np.ndarray, " column"], judges: tuple[Judge, ...]
) -> Int8[np.ndarray, "pattern column"]:
    """The pattern with every combination of verdicts; none on an answer that was never given."""
    said = [
        (-1,) if judge.of == "task" and pattern[1] == 1 else tuple(range(judge.n_answers))
        for judge in judges
    ]
    combinations = np.array(list(product(*said)), dtype=np.int8)
    full = np.repeat(pattern[None], len(combinations), axis=0)
    full[:, FIRST_JUDGE:] = combinations
    return full


def _cost_of_verdicts(plan: Plan, new: Tables) -> Float[np.ndarray, " table"]:
    """What the judges' verdicts on the new rows cost, where they have a price."""
    prices = np.array([judge.cost or 0.0 for judge in plan.start.judges])
    return np.asarray(new.counts @ ((new.patterns[:, FIRST_JUDGE:] >= 0) @ prices), dtype=float)


def _check(
    plan: Plan, tables: Tables, width: Float[np.ndarray, "table target"], rng: np.random.Generator
) -> Float[np.ndarray, " checked"]:
    """Relative differences of widths to an engine's, in a random share of the tables."""
    chosen = rng.random(len(width)) < plan.check
    if not chosen.any():
        return np.zeros(0)
    _, lower, upper = sampled_summaries(
        tables.patterns,
        tables.counts[chosen],
        plan.targets,
        plan.priors,
        seed=int(rng.integers(1 << 31)),
        ci_prob=plan.ci_prob,
        n_draws=_CHECK_DRAWS,
    )
    return (width[chosen] / (upper - lower) - 1).ravel()
