"""Pooled systems of which R was never seen: the tree is pooled unsplit, and split afterwards.

Where nothing speaks of R the labels show P(A) and P(T | A=0), and how these are made up of
answers after a miss and after a hit stays open. Pooling probabilities on which nothing bears
would have the sampler walk along a ridge through all groups. So P(A) and P(T | A=0) are pooled, as
the probabilities of a tree with one level of R, and each draw is split at random: the levels of R
by their prior, then what is known of their mixture uniformly among the ways to make it up.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from rat_widgets.model.worlds import level_probabilities, worlds_of

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.labels.judges import Judge
    from rat_widgets.model.priors import Priors

__all__ = ["as_hits", "is_unsplit", "split_at_random", "unsplit_names", "unsplit_parameters"]


def is_unsplit(counts: PatternCounts) -> bool:
    """Whether nothing that was recorded, in any group, depends on R given A and T."""
    shown = counts.patterns[counts.counts.sum(axis=0) > 0]
    if (shown[:, 0] >= 0).any():
        return False
    return not any(judge.of == "retrieval" or _may_depend_on_r(judge) for judge in counts.judges)


def _may_depend_on_r(judge: Judge) -> bool:
    """Whether its errors may depend on R, given what it judges."""
    return judge.depends_on == "retrieval" or judge.dependence != "independent"


def as_hits(counts: PatternCounts) -> PatternCounts:
    """The counts with R at the top level on every row: a tree of one level."""
    patterns = counts.patterns.copy()
    patterns[:, 0] = len(counts.retrieval_levels) - 1
    return replace(counts, patterns=patterns)


def unsplit_parameters(counts: PatternCounts) -> tuple[int, int]:
    """Positions of P(A | top level) and P(T | A=0, top level), which stand for the tree."""
    k = len(counts.retrieval_levels)
    n_theta = len(worlds_of(counts.retrieval_levels).parameters)
    return n_theta - k - 1, n_theta - 1


def unsplit_names(counts: PatternCounts) -> dict[int, str]:
    """What those two positions are without R: the keys of P(A=1) and P(T=1 | A=0)."""
    return dict(zip(unsplit_parameters(counts), ("abstention", "selective_accuracy"), strict=True))


def split_at_random(
    theta: Float[np.ndarray, "*batch theta"], priors: Priors, rng: np.random.Generator
) -> Float[np.ndarray, "*batch theta"]:
    """Theta of which P(A) and P(T | A=0) are those of the top level of what is given.

    Parameters
    ----------
    theta : array, shape (..., 3K - 1)
        Only the two probabilities of `unsplit_parameters` are read.
    priors : Priors
        Of the levels of R.
    rng : Generator
    """
    k = len(priors.levels)
    prior = priors.as_array()[: k - 1]
    split = rng.beta(prior[:, 0], prior[:, 1], (*theta.shape[:-1], k - 1))
    blank = np.concatenate([split, np.zeros((*theta.shape[:-1], 2 * k))], axis=-1)
    level = level_probabilities(blank)
    abstain = _made_up(theta[..., -k - 1], level, rng)
    answered = level * (1 - abstain)
    total = answered.sum(axis=-1, keepdims=True)
    share = np.divide(answered, total, out=np.full_like(answered, 1 / k), where=total > 0)
    correct = _made_up(theta[..., -1], share, rng)
    return np.concatenate([split, abstain, correct], axis=-1)


def _made_up(
    mean: Float[np.ndarray, "*batch"],
    weight: Float[np.ndarray, "*batch level"],
    rng: np.random.Generator,
) -> Float[np.ndarray, "*batch level"]:
    """Probabilities whose mean with these weights is given, in random order one after another."""
    order = np.argsort(rng.random(weight.shape), axis=-1)
    w = np.take_along_axis(weight, order, axis=-1)
    left = np.asarray(mean, dtype=float).copy()
    after = 1 - np.cumsum(w, axis=-1)
    found = np.empty_like(w)
    for i in range(w.shape[-1]):
        one = np.maximum(w[..., i], np.finfo(float).tiny)
        rest = after[..., i] if i < w.shape[-1] - 1 else np.zeros_like(left)
        low = np.clip((left - rest) / one, 0.0, 1.0)
        high = np.clip(left / one, low, 1.0)
        found[..., i] = low + (high - low) * rng.random(left.shape)
        left = left - w[..., i] * found[..., i]
    result = np.empty_like(found)
    np.put_along_axis(result, order, found, axis=-1)
    return result
