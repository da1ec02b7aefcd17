"""The six worlds: every query is in exactly one of them.

The model factors ``P(R, A, T) = P(R) P(A | R) P(T | A, R)``: retrieval success, abstention,
task success. Five probabilities, always listed in the order of `PARAMETERS`, give the six
world probabilities, always listed in the order of `WORLDS`.

References
----------
von Däniken, Saaro, Cieliebak, Deriu (2026), "The RAT: A Unified Bayesian Model for RAG
Evaluation", arXiv 2608.24753.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from jaxtyping import Bool, Float, Int

__all__ = [
    "ABSTAINED",
    "HIT",
    "PARAMETERS",
    "RIGHT",
    "WORLDS",
    "compatible_worlds",
    "world_probabilities",
]

PARAMETERS: Final = (
    "retrieval_success",
    "abstain_given_miss",
    "abstain_given_hit",
    "correct_given_miss",
    "correct_given_hit",
)

WORLDS: Final = (
    "miss_abstained",
    "hit_abstained",
    "miss_wrong",
    "miss_right",
    "hit_wrong",
    "hit_right",
)

# R, A and T in each world; T is 0 in a world that abstained.
HIT: Final = np.array([0, 1, 0, 0, 1, 1], dtype=np.int8)
ABSTAINED: Final = np.array([1, 1, 0, 0, 0, 0], dtype=np.int8)
RIGHT: Final = np.array([0, 0, 0, 1, 0, 1], dtype=np.int8)
for _constant in (HIT, ABSTAINED, RIGHT):
    _constant.setflags(write=False)


def world_probabilities(
    theta: Float[Any, "*batch 5"],
    *,
    xp: Any = np,
) -> Float[Any, "*batch 6"]:
    """P(world) for each of the six worlds.

    Parameters
    ----------
    theta : array, shape (..., 5)
        Probabilities in the order of `PARAMETERS`.
    xp : module
        numpy, or `jax.numpy` for jax arrays.

    Returns
    -------
    array, shape (..., 6)
        Probabilities in the order of `WORLDS`; each row sums to 1.
    """
    hit, abstain_miss, abstain_hit, right_miss, right_hit = (theta[..., i] for i in range(5))
    miss = 1 - hit
    miss_answered = miss * (1 - abstain_miss)
    hit_answered = hit * (1 - abstain_hit)
    return xp.stack(
        [
            miss * abstain_miss,
            hit * abstain_hit,
            miss_answered * (1 - right_miss),
            miss_answered * right_miss,
            hit_answered * (1 - right_hit),
            hit_answered * right_hit,
        ],
        axis=-1,
    )


def compatible_worlds(
    patterns: Int[Any, "pattern column"],
    *,
    xp: Any = np,
) -> Bool[Any, "pattern 6"]:
    """Which worlds agree with what each pattern shows of R, A and T.

    Parameters
    ----------
    patterns : array, shape (pattern, 3 or more)
        The first three columns are R, A and T: 0, 1, or -1 where the label is missing.
    xp : module
        numpy, or `jax.numpy` for jax arrays.

    Returns
    -------
    array of bool, shape (pattern, 6)
    """
    agrees = xp.ones((len(patterns), len(WORLDS)), dtype=bool)
    for column, truth in enumerate((HIT, ABSTAINED, RIGHT)):
        seen = patterns[:, column, None]
        agrees = agrees & ((seen == -1) | (seen == truth[None, :]))
    return agrees
