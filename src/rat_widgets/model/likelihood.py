"""The likelihood of pattern counts: one pure function for numpy and jax arrays.

A pattern's probability is the sum, over the worlds that agree with what was seen of R, A
and T, of P(world) times one term per verdict. Each verdict is Bernoulli given the world:
TPR where the judged truth is 1, FPR where it is 0. In a world that abstained there is no
answer to judge; a judge of T then behaves as for T=0, or by its own `abstained_rate`. Where
A=1 was seen the verdict of a judge of T says nothing and is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from rat_widgets.model.worlds import (
    ABSTAINED,
    HIT,
    RIGHT,
    WORLDS,
    compatible_worlds,
    world_probabilities,
)

__all__ = [
    "FIRST_JUDGE",
    "JudgeTable",
    "log_likelihood",
    "pattern_probabilities",
    "verdict_probabilities",
    "world_memberships",
]

# Columns of a pattern: retrieval, abstention, task, answerable, then one per judge.
FIRST_JUDGE: Final = 4

_TRUTH: Final = {"retrieval": HIT, "abstention": ABSTAINED, "task": RIGHT}


class JudgeTable(NamedTuple):
    """What the likelihood needs to know of the judges, as arrays.

    Attributes
    ----------
    truth : array of bool, shape (judge, 6)
        The judged truth in each world.
    fixed : array, shape (judge, 6)
        P(verdict 1) in worlds where it is given beforehand (`abstained_rate`), else NaN.
    of_task : array of bool, shape (judge,)
    """

    truth: Bool[Any, "judge 6"]
    fixed: Float[Any, "judge 6"]
    of_task: Bool[Any, " judge"]

    @classmethod
    def of(cls, judges: Sequence[Any]) -> JudgeTable:
        """The table of these judges (anything with `of` and `abstained_rate`)."""
        truth = np.zeros((len(judges), len(WORLDS)), dtype=bool)
        fixed = np.full((len(judges), len(WORLDS)), np.nan)
        of_task = np.zeros(len(judges), dtype=bool)
        for i, judge in enumerate(judges):
            truth[i] = _TRUTH[judge.of] == 1
            of_task[i] = judge.of == "task"
            if judge.of == "task" and judge.abstained_rate is not None:
                fixed[i, ABSTAINED == 1] = judge.abstained_rate
        return cls(truth, fixed, of_task)


def verdict_probabilities(
    tpr: Float[Any, "*#batch judge"],
    fpr: Float[Any, "*#batch judge"],
    judges: JudgeTable,
    *,
    xp: Any = np,
) -> Float[Any, "... judge 6"]:
    """P(verdict 1 | world) for each judge."""
    by_truth = xp.where(judges.truth, tpr[..., None], fpr[..., None])
    return xp.where(xp.isnan(judges.fixed), by_truth, xp.nan_to_num(judges.fixed))


def world_memberships(
    patterns: Int[Any, "pattern column"],
    theta: Float[Any, "*#batch 5"],
    tpr: Float[Any, "*#batch judge"] | None = None,
    fpr: Float[Any, "*#batch judge"] | None = None,
    *,
    judges: Sequence[Any] | JudgeTable = (),
    xp: Any = np,
) -> Float[Any, "... pattern 6"]:
    """P(world and what the pattern shows), for each pattern.

    Divided by its sum over worlds it is the probability that a row with this pattern is in
    each world.

    Parameters
    ----------
    patterns : array of int, shape (pattern, 4 + judge)
        Columns retrieval, abstention, task, answerable (ignored), then one per judge.
    theta, tpr, fpr : array, shape (..., 5), (..., judge), (..., judge)
        Without `tpr` or `fpr` verdicts are left out.
    judges : sequence of Judge, or JudgeTable
    """
    table = judges if isinstance(judges, JudgeTable) else JudgeTable.of(judges)
    worlds = world_probabilities(theta, xp=xp)[..., None, :]
    joint = xp.where(compatible_worlds(patterns, xp=xp), worlds, 0.0)
    if len(table.of_task) == 0 or tpr is None or fpr is None:
        return joint
    # Verdicts first and worlds last: rates that all groups share are worked out once.
    return _verdict_terms(patterns, tpr, fpr, table, xp=xp) * joint


def _verdict_terms(
    patterns: Int[Any, "pattern column"],
    tpr: Float[Any, "*#batch judge"],
    fpr: Float[Any, "*#batch judge"],
    judges: JudgeTable,
    *,
    xp: Any,
) -> Float[Any, "... pattern 6"]:
    """P(the verdicts that the pattern shows | world)."""
    yes = verdict_probabilities(tpr, fpr, judges, xp=xp)
    terms: Any = 1.0
    for j in range(len(judges.of_task)):
        # A verdict on an answer that was never given.
        void = judges.of_task[j] & (patterns[:, 1] == 1)
        verdict = xp.where(void, -1, patterns[:, FIRST_JUDGE + j])[:, None]
        p = yes[..., None, j, :]
        terms = terms * xp.where(verdict == 1, p, xp.where(verdict == 0, 1 - p, 1.0))
    return terms


def pattern_probabilities(
    patterns: Int[Any, "pattern column"],
    theta: Float[Any, "*#batch 5"],
    tpr: Float[Any, "*#batch judge"] | None = None,
    fpr: Float[Any, "*#batch judge"] | None = None,
    *,
    judges: Sequence[Any] | JudgeTable = (),
    xp: Any = np,
) -> Float[Any, "... pattern"]:
    """P(a row shows this pattern | which of its labels are seen); see `world_memberships`."""
    return world_memberships(patterns, theta, tpr, fpr, judges=judges, xp=xp).sum(axis=-1)


def log_likelihood(
    patterns: Int[Any, "pattern column"],
    counts: Float[Any, "*#batch pattern"] | Int[Any, "*#batch pattern"],
    theta: Float[Any, "*#batch 5"],
    tpr: Float[Any, "*#batch judge"] | None = None,
    fpr: Float[Any, "*#batch judge"] | None = None,
    *,
    judges: Sequence[Any] | JudgeTable = (),
    xp: Any = np,
) -> Float[Any, ...]:
    """Log probability of the pattern counts, without the multinomial coefficient.

    Parameters
    ----------
    patterns : array of int, shape (pattern, 4 + judge)
    counts : array, shape (pattern,) or (..., pattern)
        Rows with each pattern; leading dimensions broadcast against those of `theta`.
    theta, tpr, fpr : array, shape (..., 5), (..., judge), (..., judge)
        Points of the parameter space; leading dimensions broadcast.
    judges : sequence of Judge, or JudgeTable
    xp : module
        numpy, or `jax.numpy` for jax arrays.

    Returns
    -------
    array, shape (...)
        -inf where a pattern that was seen has probability 0.
    """
    p = pattern_probabilities(patterns, theta, tpr, fpr, judges=judges, xp=xp)
    # Twice `where`: a pattern that no row shows adds 0, and so does its gradient.
    seen = counts > 0
    safe = xp.where(seen, p, 1.0)
    if xp is np:
        with np.errstate(divide="ignore"):
            return (counts * np.log(safe)).sum(axis=-1)
    return xp.where(seen, counts * xp.log(safe), 0.0).sum(axis=-1)
