"""One unit of a study: tables are simulated and fitted, and what came out is added up."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Final, NamedTuple

import numpy as np
from jaxtyping import Float, Int8, Int64

from rat_widgets.derived.intervals import credible_interval
from rat_widgets.inference.engine import sample
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.likelihood import FIRST_JUDGE, JudgeTable, pattern_probabilities
from rat_widgets.model.worlds import world_probabilities
from rat_widgets.planning.fast import sampled_summaries, summaries
from rat_widgets.planning.patterns import label_patterns
from rat_widgets.planning.purchases import Purchases, simulate_counts
from rat_widgets.planning.study_plan import Plan, Unit
from rat_widgets.planning.study_sums import Found, Sums

__all__ = ["run_unit"]

_N_THETA: Final = 5
# A check draws enough for an error of 0.5% of the reference itself.
_CHECK_DRAWS: Final = 40_000
_JUDGED_DRAWS: Final = 1000
_JUDGED_CHAINS: Final = 4


class _Tables(NamedTuple):
    """Simulated tables that show the same patterns."""

    patterns: Int8[np.ndarray, "pattern column"]
    counts: Int64[np.ndarray, "table pattern"]


class _Intervals(NamedTuple):
    """Posterior means and interval ends."""

    mean: Float[np.ndarray, "table target"]
    lower: Float[np.ndarray, "table target"]
    upper: Float[np.ndarray, "table target"]


def run_unit(plan: Plan, unit: Unit) -> Sums:
    """The sums of one unit; the same wherever and whenever it runs."""
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
    tables = _joined(start, new)
    cost = bought.cost + _cost_of_verdicts(plan, new)
    worlds = np.moveaxis(world_probabilities(theta), -1, 0)
    truth = np.stack([target.value(worlds) for target in plan.targets], axis=-1)
    if plan.start.judges:
        found, n_sampled, off = _judged(plan, tables, rng), len(theta), np.zeros(0)
    else:
        fit = summaries(*tables, plan.targets, plan.priors, rng=rng, ci_prob=plan.ci_prob)
        found, n_sampled = _Intervals(fit.mean, fit.lower, fit.upper), int(fit.is_sampled.sum())
        off = _check(plan, tables, fit.width, rng)
    return Sums.of(
        Found(
            rows=bought.n_rows,
            cost=cost,
            n_r=bought.n_r,
            n_t=bought.n_t,
            width=found.upper - found.lower,
            error=np.abs(found.mean - truth),
            covers=(found.lower <= truth) & (truth <= found.upper),
            n_sampled=n_sampled,
            off=off,
        )
    )


def _start(plan: Plan, n_tables: int) -> _Tables:
    """What every table begins with."""
    rows = plan.start.counts.sum(axis=0)
    return _Tables(plan.start.patterns, np.broadcast_to(rows, (n_tables, len(rows))))


def _joined(one: _Tables, other: _Tables) -> _Tables:
    return _Tables(
        np.concatenate([one.patterns, other.patterns]),
        np.concatenate([one.counts, other.counts], axis=1),
    )


def _with_verdicts(
    plan: Plan,
    truths: Float[np.ndarray, "table parameter"],
    bought: Purchases,
    rng: np.random.Generator,
) -> _Tables:
    """The rows with what judges say of them.

    Given the world verdicts do not depend on which labels were bought, so that the rows of a
    pattern share out among verdicts by the probabilities of pattern and verdicts together.
    """
    judges = plan.start.judges
    labels = np.full((len(label_patterns()), FIRST_JUDGE + len(judges)), -1, dtype=np.int8)
    labels[:, :3] = label_patterns()
    if not judges:
        return _Tables(labels, bought.counts)
    table = JudgeTable.of(judges)
    tpr, fpr, given = np.split(truths[:, _N_THETA:], (len(judges), 2 * len(judges)), axis=1)
    unknown = table.unknown(*np.split(given, 2, axis=1))
    parts = []
    for pattern, rows in zip(labels, bought.counts.T, strict=True):
        full = _verdicts_on(pattern, judges)
        p = pattern_probabilities(
            full, truths[:, :_N_THETA], tpr, fpr, unknown=unknown, judges=table
        )
        total = p.sum(axis=1, keepdims=True)
        p = np.where(total > 0, p / np.where(total > 0, total, 1.0), 1 / len(full))
        parts.append(_Tables(full, rng.multinomial(rows, p)))
    return _Tables(
        np.concatenate([part.patterns for part in parts]),
        np.concatenate([part.counts for part in parts], axis=1),
    )


def _verdicts_on(
    pattern: Int8[np.ndarray, " column"], judges: tuple[Judge, ...]
) -> Int8[np.ndarray, "pattern column"]:
    """The pattern with every combination of verdicts; none on an answer that was never given."""
    said = [
        (-1,) if judge.of == "task" and pattern[1] == 1 else (0, 1, 2)[: 2 + judge.has_unknown]
        for judge in judges
    ]
    combinations = np.array(list(product(*said)), dtype=np.int8)
    full = np.repeat(pattern[None], len(combinations), axis=0)
    full[:, FIRST_JUDGE:] = combinations
    return full


def _cost_of_verdicts(plan: Plan, new: _Tables) -> Float[np.ndarray, " table"]:
    """What the judges' verdicts on the new rows cost, where they have a price."""
    prices = np.array([judge.cost or 0.0 for judge in plan.start.judges])
    return np.asarray(new.counts @ ((new.patterns[:, FIRST_JUDGE:] >= 0) @ prices), dtype=float)


def _judged(plan: Plan, tables: _Tables, rng: np.random.Generator) -> _Intervals:
    """Every table fitted with its verdicts, many at once."""
    judges = tuple(replace(judge, share="group") for judge in plan.start.judges)
    counts = PatternCounts(
        by=("table",),
        groups=tuple((i,) for i in range(len(tables.counts))),
        judges=judges,
        patterns=tables.patterns,
        counts=tables.counts,
    )
    drawn = sample(
        counts,
        plan.priors,
        draws=_JUDGED_DRAWS,
        chains=_JUDGED_CHAINS,
        seed=int(rng.integers(1 << 31)),
        constraint=plan.constraint,
    )
    theta = np.stack([draws.theta.reshape(-1, _N_THETA) for draws in drawn])
    worlds = np.moveaxis(world_probabilities(theta), -1, 0)
    values = np.stack([target.value(worlds) for target in plan.targets], axis=1)
    ends = credible_interval(values, ci_prob=plan.ci_prob)
    return _Intervals(np.nanmean(values, axis=-1), *ends)


def _check(
    plan: Plan, tables: _Tables, width: Float[np.ndarray, "table target"], rng: np.random.Generator
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
