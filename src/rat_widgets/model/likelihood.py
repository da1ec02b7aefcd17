"""The likelihood of pattern counts: one pure function for numpy and jax arrays.

A pattern's probability is the sum, over the worlds that agree with what was seen of R, A
and T, of P(world) times one term per verdict. Each verdict is Bernoulli given the world:
TPR where the judged truth is 1, FPR where it is 0. In a world that abstained there is no
answer to judge; a judge of T then behaves as for T=0, or by its own `abstained_rate`. Where
A=1 was seen the verdict of a judge of T says nothing and is left out. A judge that may say that
it cannot tell does so with a probability of its own for each truth; TPR and FPR are those of its
other verdicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from rat_widgets.labels.levels import TWO_LEVELS
from rat_widgets.model.worlds import compatible_worlds, world_probabilities, worlds_of

__all__ = [
    "FIRST_JUDGE",
    "UNKNOWN",
    "JudgeTable",
    "log_likelihood",
    "pattern_probabilities",
    "verdict_probabilities",
    "world_memberships",
]

# Columns of a pattern: retrieval, abstention, task, answerable, then one per judge.
FIRST_JUDGE: Final = 4
UNKNOWN: Final = 2
"""The verdict of a judge that cannot tell."""


class JudgeTable(NamedTuple):
    """What the likelihood needs to know of the judges, as arrays.

    Attributes
    ----------
    truth : array of bool, shape (judge, 3K)
        The judged truth in each world; of R whether it is a hit.
    fixed : array, shape (judge, 3K)
        P(verdict 1) in worlds where it is given beforehand (`abstained_rate`), else NaN.
    of_task : array of bool, shape (judge,)
    place : array of 0 and 1, shape (unknown judge, judge)
        Which of the judges those that may say "cannot tell" are.
    """

    truth: Bool[Any, "judge world"]
    fixed: Float[Any, "judge world"]
    of_task: Bool[Any, " judge"]
    place: Float[Any, "unknown judge"]

    @classmethod
    def of(cls, judges: Sequence[Any], levels: tuple[str, ...] = TWO_LEVELS) -> JudgeTable:
        """The table of these judges (anything with `of` and `abstained_rate`)."""
        worlds = worlds_of(levels)
        truths = {"retrieval": worlds.hit, "abstention": worlds.abstained, "task": worlds.right}
        truth = np.zeros((len(judges), len(worlds.names)), dtype=bool)
        fixed = np.full((len(judges), len(worlds.names)), np.nan)
        of_task = np.zeros(len(judges), dtype=bool)
        for i, judge in enumerate(judges):
            truth[i] = truths[judge.of] == 1
            of_task[i] = judge.of == "task"
            if judge.of == "task" and judge.abstained_rate is not None:
                fixed[i, worlds.abstained == 1] = judge.abstained_rate
        may = [i for i, judge in enumerate(judges) if getattr(judge, "has_unknown", False)]
        return cls(truth, fixed, of_task, np.eye(len(judges))[may].reshape(len(may), len(judges)))

    def unknown(
        self,
        given_1: Float[Any, "*batch unknown"],
        given_0: Float[Any, "*batch unknown"],
        *,
        xp: Any = np,
    ) -> Float[Any, "*batch judge 2"]:
        """P(cannot tell | truth 0) and P(cannot tell | truth 1) of every judge; 0 where never."""
        return xp.stack([given_0 @ self.place, given_1 @ self.place], axis=-1)


def verdict_probabilities(
    tpr: Float[Any, "*#batch judge"],
    fpr: Float[Any, "*#batch judge"],
    judges: JudgeTable,
    *,
    xp: Any = np,
) -> Float[Any, "... judge world"]:
    """P(verdict 1 | world) for each judge."""
    by_truth = xp.where(judges.truth, tpr[..., None], fpr[..., None])
    return xp.where(xp.isnan(judges.fixed), by_truth, xp.nan_to_num(judges.fixed))


def world_memberships(
    patterns: Int[Any, "pattern column"],
    theta: Float[Any, "*#batch parameter"],
    tpr: Float[Any, "*#batch judge"] | None = None,
    fpr: Float[Any, "*#batch judge"] | None = None,
    *,
    unknown: Float[Any, "*#batch judge 2"] | None = None,
    judges: Sequence[Any] | JudgeTable = (),
    xp: Any = np,
) -> Float[Any, "... pattern world"]:
    """P(world and what the pattern shows), for each pattern.

    Divided by its sum over worlds it is the probability that a row with this pattern is in
    each world.

    Parameters
    ----------
    patterns : array of int, shape (pattern, 4 + judge)
        Columns retrieval, abstention, task, answerable (ignored), then one per judge.
    theta, tpr, fpr : array, shape (..., 3K - 1), (..., judge), (..., judge)
        Without `tpr` or `fpr` verdicts are left out.
    unknown : array, shape (..., judge, 2)
        P(cannot tell) given truth 0 and truth 1; see `JudgeTable.unknown`.
    judges : sequence of Judge, or JudgeTable
    """
    worlds = world_probabilities(theta, xp=xp)[..., None, :]
    n_levels = worlds.shape[-1] // 3
    joint = xp.where(compatible_worlds(patterns, n_levels, xp=xp), worlds, 0.0)
    table = judges if isinstance(judges, JudgeTable) else _table(judges, n_levels)
    if len(table.of_task) == 0 or tpr is None or fpr is None:
        return joint
    # Verdicts first and worlds last: rates that all groups share are worked out once.
    return _verdict_terms(patterns, tpr, fpr, unknown, table, xp=xp) * joint


def _table(judges: Sequence[Any], n_levels: int) -> JudgeTable:
    """The judges' table for so many levels, whatever they are called."""
    return JudgeTable.of(judges, TWO_LEVELS if n_levels == 2 else tuple(map(str, range(n_levels))))


def _verdict_terms(
    patterns: Int[Any, "pattern column"],
    tpr: Float[Any, "*#batch judge"],
    fpr: Float[Any, "*#batch judge"],
    unknown: Float[Any, "*#batch judge 2"] | None,
    judges: JudgeTable,
    *,
    xp: Any,
) -> Float[Any, "... pattern world"]:
    """P(the verdicts that the pattern shows | world)."""
    yes = verdict_probabilities(tpr, fpr, judges, xp=xp)
    terms: Any = 1.0
    for j in range(len(judges.of_task)):
        # A verdict on an answer that was never given.
        void = judges.of_task[j] & (patterns[:, 1] == 1)
        verdict = xp.where(void, -1, patterns[:, FIRST_JUDGE + j])[:, None]
        p = yes[..., None, j, :]
        if xp is np and unknown is None:
            answers = np.concatenate([1 - p, p, np.ones_like(p)], axis=-2)
            terms = terms * answers[..., np.where(verdict[:, 0] < 0, 2, verdict[:, 0] == 1), :]
            continue
        said = xp.where(verdict == 1, p, xp.where(verdict == 0, 1 - p, 1.0))
        if unknown is not None:
            silent = xp.where(judges.truth[j], unknown[..., j, 1, None], unknown[..., j, 0, None])
            silent = silent[..., None, :]
            decided = xp.where(verdict == -1, 1.0, 1 - silent)
            said = xp.where(verdict == UNKNOWN, silent, said * decided)
        terms = terms * said
    return terms


def pattern_probabilities(
    patterns: Int[Any, "pattern column"],
    theta: Float[Any, "*#batch parameter"],
    tpr: Float[Any, "*#batch judge"] | None = None,
    fpr: Float[Any, "*#batch judge"] | None = None,
    *,
    unknown: Float[Any, "*#batch judge 2"] | None = None,
    judges: Sequence[Any] | JudgeTable = (),
    xp: Any = np,
) -> Float[Any, "... pattern"]:
    """P(a row shows this pattern | which of its labels are seen); see `world_memberships`."""
    return world_memberships(patterns, theta, tpr, fpr, unknown=unknown, judges=judges, xp=xp).sum(
        axis=-1
    )


def log_likelihood(
    patterns: Int[Any, "pattern column"],
    counts: Float[Any, "*#batch pattern"] | Int[Any, "*#batch pattern"],
    theta: Float[Any, "*#batch parameter"],
    tpr: Float[Any, "*#batch judge"] | None = None,
    fpr: Float[Any, "*#batch judge"] | None = None,
    *,
    unknown: Float[Any, "*#batch judge 2"] | None = None,
    judges: Sequence[Any] | JudgeTable = (),
    xp: Any = np,
) -> Float[Any, ...]:
    """Log probability of the pattern counts, without the multinomial coefficient.

    Parameters
    ----------
    patterns : array of int, shape (pattern, 4 + judge)
    counts : array, shape (pattern,) or (..., pattern)
        Rows with each pattern; leading dimensions broadcast against those of `theta`.
    theta, tpr, fpr, unknown : arrays, shape (..., 3K - 1), (..., judge) twice, (..., judge, 2)
        Points of the parameter space; leading dimensions broadcast.
    judges : sequence of Judge, or JudgeTable
    xp : module
        numpy, or `jax.numpy` for jax arrays.

    Returns
    -------
    array, shape (...)
        -inf where a pattern that was seen has probability 0.
    """
    p = pattern_probabilities(patterns, theta, tpr, fpr, unknown=unknown, judges=judges, xp=xp)
    # Twice `where`: a pattern that no row shows adds 0, and so does its gradient.
    seen = counts > 0
    safe = xp.where(seen, p, 1.0)
    if xp is np:
        with np.errstate(divide="ignore"):
            return (counts * np.log(safe)).sum(axis=-1)
    return xp.where(seen, counts * xp.log(safe), 0.0).sum(axis=-1)
