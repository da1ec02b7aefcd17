"""What verdicts say of the truth, whatever the judge: TPR and FPR, and P(level | truth).

Where the errors of a judge depend on more than the truth these are averages over the worlds that
have the truth, by how probable each is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from rat_widgets.model.emissions import Emissions
from rat_widgets.model.worlds import Worlds, world_probabilities

__all__ = ["VerdictRates", "best_cut", "verdict_rates"]


class VerdictRates(NamedTuple):
    """How a judge answers, given what is true.

    Attributes
    ----------
    given_1, given_0 : array, shape (..., level)
        P(level | truth, it decides), the lowest level first; of a judge of 0 and 1 P(0) and P(1).
    unknown_given_1, unknown_given_0 : array, shape (...)
        P(cannot tell | truth); 0 of a judge that never says so.
    """

    given_1: Float[np.ndarray, "*batch level"]
    given_0: Float[np.ndarray, "*batch level"]
    unknown_given_1: Float[np.ndarray, "*batch"]
    unknown_given_0: Float[np.ndarray, "*batch"]

    def tpr(self, cut: int) -> Float[np.ndarray, "*batch"]:
        """P(this level or above | truth 1), counted from 0."""
        return np.asarray(self.given_1[..., cut:].sum(axis=-1))

    def fpr(self, cut: int) -> Float[np.ndarray, "*batch"]:
        """P(this level or above | truth 0)."""
        return np.asarray(self.given_0[..., cut:].sum(axis=-1))


def verdict_rates(
    emissions: Emissions,
    j: int,
    theta: Float[np.ndarray, "*batch theta"],
    rates: Float[np.ndarray, "*batch rate"],
    worlds: Worlds,
) -> VerdictRates:
    """How judge `j` answers, at points of the parameter space.

    Parameters
    ----------
    emissions : Emissions
    j : int
    theta : array, shape (..., 3K - 1)
    rates : array, shape (..., rate)
    worlds : Worlds
        Of as many levels of retrieval.

    Notes
    -----
    Of a judge of the task among answers: an abstention has no answer to judge.
    """
    judge = emissions.judges[j]
    if judge.is_plain:
        return _plain(*(rates[..., k] for k in emissions.places[j]))
    answers = emissions.answers(j, rates)
    shares = world_probabilities(theta)
    truth = np.array(judge.truth, dtype=bool)
    judged = worlds.abstained == 0 if judge.of == "task" else np.ones(len(truth), dtype=bool)
    found = [_given(answers, shares, judged & (truth == is_true)) for is_true in (True, False)]
    (given_1, unknown_1), (given_0, unknown_0) = (
        _decided(by_answer, judge.n_levels) for by_answer in found
    )
    return VerdictRates(given_1, given_0, unknown_1, unknown_0)


def _plain(
    tpr: Float[np.ndarray, "*batch"],
    fpr: Float[np.ndarray, "*batch"],
    unknown_given_1: Float[np.ndarray, "*batch"] | None = None,
    unknown_given_0: Float[np.ndarray, "*batch"] | None = None,
) -> VerdictRates:
    """Of a judge that has nothing else."""
    never = np.zeros_like(tpr)
    return VerdictRates(
        np.stack([1 - tpr, tpr], axis=-1),
        np.stack([1 - fpr, fpr], axis=-1),
        never if unknown_given_1 is None else unknown_given_1,
        never if unknown_given_0 is None else unknown_given_0,
    )


def best_cut(rates: VerdictRates) -> int:
    """The level from which on a verdict passes that tells best: the largest mean of TPR - FPR."""
    axes = tuple(range(rates.given_1.ndim - 1))
    above_1, above_0 = (
        np.cumsum(given.mean(axis=axes)[::-1])[::-1] for given in (rates.given_1, rates.given_0)
    )
    return 1 + int(np.argmax((above_1 - above_0)[1:]))


def _given(
    answers: Float[np.ndarray, "*batch world answer"],
    shares: Float[np.ndarray, "*batch world"],
    which: Bool[np.ndarray, " world"],
) -> Float[np.ndarray, "*batch answer"]:
    """P(answer | one of these worlds); of worlds without mass all alike."""
    weight = shares[..., which]
    total = weight.sum(axis=-1, keepdims=True)
    share = np.where(total > 0, weight / np.where(total > 0, total, 1.0), 1 / which.sum())
    return np.asarray((answers[..., which, :] * share[..., None]).sum(axis=-2))


def _decided(
    answers: Float[np.ndarray, "*batch answer"], n_levels: int
) -> tuple[Float[np.ndarray, "*batch level"], Float[np.ndarray, "*batch"]]:
    """Shares among the answers that decide, and of "cannot tell"."""
    levels = answers[..., :n_levels]
    total = levels.sum(axis=-1, keepdims=True)
    decided = np.where(total > 0, levels / np.where(total > 0, total, 1.0), 1 / n_levels)
    unknown = np.asarray(answers[..., n_levels:].sum(axis=-1))
    return decided, unknown
