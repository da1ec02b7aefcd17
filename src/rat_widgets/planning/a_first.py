"""The tree with A at its root: A, then R given A, then T given R where A=0.

Where A is seen on every row and T on none that lacks R, the likelihood is a product in these
probabilities. The prior is one but for powers of P(R=1) and P(R=0): importance weights that
hardly vary.
"""

from __future__ import annotations

import numpy as np
from jaxtyping import Bool, Float, Int64

from rat_widgets.inference.tally import MISSING

__all__ = ["a_first_shapes", "a_first_worlds", "has_a_first"]


def has_a_first(cubes: Int64[np.ndarray, "table 3 3 3"]) -> Bool[np.ndarray, " table"]:
    """Where the likelihood is a product with A first; see `label_cubes`."""
    shows_a = ~cubes[:, :, MISSING].any(axis=(1, 2))
    return np.asarray(shows_a & ~cubes[:, MISSING, 0, :MISSING].any(axis=-1))


def a_first_shapes(
    cubes: Int64[np.ndarray, "table 3 3 3"], prior: Float[np.ndarray, "5 2"]
) -> Float[np.ndarray, "table 5 2"]:
    """Alpha and beta of A, of R where A=1 and where A=0, of T where R=0 and where R=1."""
    miss, hit = prior[1], prior[2]
    abstained, answered = cubes[:, :, 1].sum(axis=-1), cubes[:, :, 0].sum(axis=-1)
    pairs = [
        (abstained.sum(axis=-1) + miss[0] + hit[0], answered.sum(axis=-1) + miss[1] + hit[1]),
        (abstained[:, 1] + hit[0], abstained[:, 0] + miss[0]),
        (answered[:, 1] + hit[1], answered[:, 0] + miss[1]),
        (cubes[:, 0, 0, 1] + prior[3, 0], cubes[:, 0, 0, 0] + prior[3, 1]),
        (cubes[:, 1, 0, 1] + prior[4, 0], cubes[:, 1, 0, 0] + prior[4, 1]),
    ]
    return np.stack([np.stack(pair, axis=-1) for pair in pairs], axis=1)


def a_first_worlds(
    yes: Float[np.ndarray, "5 table point"],
    no: Float[np.ndarray, "5 table point"],
    prior: Float[np.ndarray, "5 2"],
) -> tuple[tuple[Float[np.ndarray, "table point"], ...], Float[np.ndarray, "table point"]]:
    """World probabilities in the order of `WORLDS`, and the logs of the weights.

    Notes
    -----
    The volume element of (P(R), P(A|R)) is that of the four masses of R and A over P(R) P(R=0);
    the Dirichlet of the masses that goes with the Betas of A given R has the powers of P(R) that
    are left.
    """
    miss_abstained, hit_abstained = yes[0] * no[1], yes[0] * yes[1]
    miss_answered, hit_answered = no[0] * no[2], no[0] * yes[2]
    over, under = prior[0] - prior[[2, 1]].sum(axis=1)
    log_weight = over * np.log(hit_abstained + hit_answered)
    log_weight += under * np.log(miss_abstained + miss_answered)
    worlds = (
        miss_abstained,
        hit_abstained,
        miss_answered * no[3],
        miss_answered * yes[3],
        hit_answered * no[4],
        hit_answered * yes[4],
    )
    return worlds, log_weight
