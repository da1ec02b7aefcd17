"""R seen, A not recorded: the posterior as one-dimensional mixtures of Beta products.

Where A was not seen, T=0 is an abstention or a wrong answer. Given how many of the u rows of
this kind at one level of R abstained, P(A=1 | R) and P(T=1 | A=0, R) of that level are
independent Betas; every level is a mixture of its own, and R is a product of Betas. The two
probabilities of a mixture are tied together: the rows pin down P(T=1 | R), not what it is made
of.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int64

from rat_widgets.inference.mixture import log_choose, log_gamma
from rat_widgets.inference.tally import MISSING, beta_parameters
from rat_widgets.model.worlds import level_probabilities

__all__ = ["Unrecorded"]


@dataclass(frozen=True, slots=True)
class Unrecorded:
    """The weights of the mixtures.

    Attributes
    ----------
    base : array, shape (3K - 1, 2)
        Beta parameters from the prior and the rows that say for sure.
    weights : tuple of K arrays, each of shape (u + 1,)
        For each level of R, the probability that 0..u of the unsure rows abstained.
    """

    base: Float[np.ndarray, "theta 2"]
    weights: tuple[Float[np.ndarray, " _"], ...]

    @classmethod
    def of(
        cls, cube: Int64[np.ndarray, "level_or_not 3 3"], prior: Float[np.ndarray, "theta 2"]
    ) -> Unrecorded:
        """The mixtures for the counts of `label_cube`, R seen on every row, and Beta priors."""
        base = beta_parameters(cube, prior)
        k = len(cube) - 1
        weights = tuple(
            _weights(base[k - 1 + r], base[2 * k - 1 + r], int(cube[r, MISSING, 0]))
            for r in range(k)
        )
        return cls(base, weights)

    def sample(self, n: int, rng: np.random.Generator) -> Float[np.ndarray, "draw theta"]:
        """Independent draws of the free probabilities."""
        k = len(self.weights)
        shape = np.broadcast_to(self.base, (n, *self.base.shape)).copy()
        for r, weight in enumerate(self.weights):
            u = len(weight) - 1
            abstained = np.minimum(np.searchsorted(np.cumsum(weight), rng.random(n), "right"), u)
            shape[:, k - 1 + r, 0] += abstained
            shape[:, k - 1 + r, 1] += u - abstained
            shape[:, 2 * k - 1 + r, 1] += u - abstained
        return rng.beta(shape[..., 0], shape[..., 1])

    def mean_worlds(self) -> Float[np.ndarray, " world"]:
        """Posterior mean of P(world), without any sampling."""
        k = len(self.weights)
        level = level_probabilities(self.base[:, 0] / self.base.sum(axis=1))
        abstained_worlds, answered_worlds = [], []
        for r, weight in enumerate(self.weights):
            (a_a, b_a), (a_t, b_t) = self.base[k - 1 + r], self.base[2 * k - 1 + r]
            abstained = np.arange(len(weight))
            answered = len(weight) - 1 - abstained
            abstain = (a_a + abstained) / (a_a + b_a + len(weight) - 1)
            right = a_t / (a_t + b_t + answered)
            abstained_worlds.append(level[r] * (weight @ abstain))
            answered_worlds.append(level[r] * (weight @ ((1 - abstain) * (1 - right))))
            answered_worlds.append(level[r] * (weight @ ((1 - abstain) * right)))
        return np.array([*abstained_worlds, *answered_worlds])


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
