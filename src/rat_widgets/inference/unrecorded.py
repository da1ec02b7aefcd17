"""R seen, A not recorded: the posterior as two one-dimensional mixtures of Beta products.

Where A was not seen, T=0 is an abstention or a wrong answer. Given how many of the u rows of
this kind with R=0 abstained, P(A=1 | R=0) and P(T=1 | A=0, R=0) are independent Betas; the
rows with R=1 are a mixture of their own, and P(R) is one Beta. The two probabilities of a
mixture are tied together: the rows pin down P(T=1 | R), not what it is made of.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int64

from rat_widgets.inference.mixture import log_choose, log_gamma
from rat_widgets.inference.tally import MISSING, beta_parameters

__all__ = ["Unrecorded"]


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """The weights of both mixtures.

    Attributes
    ----------
    base : array, shape (5, 2)
        Beta parameters from the prior and the rows that say for sure.
    weights : pair of arrays, each of shape (u + 1,)
        For R=0 and R=1, the probability that 0..u of the unsure rows abstained.
    """

    base: Float[np.ndarray, "5 2"]
    weights: tuple[Float[np.ndarray, " n"], Float[np.ndarray, " m"]]

    @classmethod
    def of(cls, cube: Int64[np.ndarray, "3 3 3"], prior: Float[np.ndarray, "5 2"]) -> Unrecorded:
        """The mixtures for the counts of `label_cube`, R seen on every row, and Beta priors."""
        base = beta_parameters(cube, prior)
        miss, hit = (_weights(base[1 + r], base[3 + r], int(cube[r, MISSING, 0])) for r in (0, 1))
        return cls(base, (miss, hit))

    def sample(self, n: int, rng: np.random.Generator) -> Float[np.ndarray, "draw 5"]:
        """Independent draws of the five probabilities."""
        shape = np.broadcast_to(self.base, (n, 5, 2)).copy()
        for r, weight in enumerate(self.weights):
            u = len(weight) - 1
            abstained = np.minimum(np.searchsorted(np.cumsum(weight), rng.random(n), "right"), u)
            shape[:, 1 + r, 0] += abstained
            shape[:, 1 + r, 1] += u - abstained
            shape[:, 3 + r, 1] += u - abstained
        return rng.beta(shape[..., 0], shape[..., 1])

    def mean_worlds(self) -> Float[np.ndarray, 6]:
        """Posterior mean of P(world), without any sampling."""
        hit = self.base[0, 0] / self.base[0].sum()
        given = []
        for r, weight in enumerate(self.weights):
            (a_a, b_a), (a_t, b_t) = self.base[1 + r], self.base[3 + r]
            abstained = np.arange(len(weight))
            answered = len(weight) - 1 - abstained
            abstain = (a_a + abstained) / (a_a + b_a + len(weight) - 1)
            right = a_t / (a_t + b_t + answered)
            given.append(
                [
                    weight @ abstain,
                    weight @ ((1 - abstain) * (1 - right)),
                    weight @ ((1 - abstain) * right),
                ]
            )
        (miss_a, miss_w, miss_r), (hit_a, hit_w, hit_r) = given
        miss = 1 - hit
        return np.array(
            [miss * miss_a, hit * hit_a, miss * miss_w, miss * miss_r, hit * hit_w, hit * hit_r]
        )


def _weights(
    abstain: Float[np.ndarray, 2], correct: Float[np.ndarray, 2], u: int
) -> Float[np.ndarray, " n"]:
    """P(0..u of the unsure rows abstained)."""
    log = (
        log_choose(u)
        + log_gamma(abstain[0], u)
        + log_gamma(abstain[1], u)[::-1]
        + log_gamma(correct[1], u)[::-1]
        - log_gamma(float(correct.sum()), u)[::-1]
    )
    weight = np.exp(log - log.max())
    return weight / weight.sum()
