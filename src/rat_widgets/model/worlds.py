"""The worlds: every query is in exactly one of them.

The model factors ``P(R, A, T) = P(R) P(A | R) P(T | A, R)``: retrieval success, abstention,
task success. With two levels of retrieval five probabilities, always listed in the order of
`PARAMETERS`, give the six world probabilities, always listed in the order of `WORLDS`.

With K ordered levels there are 3K worlds and 3K - 1 free probabilities: R is split from the top
level down, each time "this level, or one below it?", so that every parameter is a probability
of its own and a Dirichlet prior of the levels is a product of Betas (stick-breaking). Arrays say
by their length how many levels there are.

References
----------
von Däniken, Saaro, Cieliebak, Deriu (2026), "The RAT: A Unified Bayesian Model for RAG
Evaluation", arXiv 2608.24753; graded retrieval is its appendix C.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from jaxtyping import Bool, Float, Int, Int8

from rat_widgets.labels.levels import TWO_LEVELS

__all__ = [
    "ABSTAINED",
    "HIT",
    "PARAMETERS",
    "RIGHT",
    "WORLDS",
    "Worlds",
    "branch_probabilities",
    "compatible_worlds",
    "level_probabilities",
    "level_sticks",
    "world_probabilities",
    "worlds_of",
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


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Worlds:
    """The worlds and probabilities of one scale of retrieval; made by `worlds_of`.

    Attributes
    ----------
    levels : tuple of str
        The lowest first; the last one is a hit, every other a miss.
    names : tuple of str
        3K worlds: those that abstained by level, then wrong and right of each level.
    parameters : tuple of str
        3K - 1 free probabilities: the splits of R from the top level down, P(A=1) given each
        level, P(T=1) of answers given each level, lowest first.
    branches : tuple of str
        The probabilities that people are shown: those of `parameters`, with the splits of R
        replaced by the probability of each level, lowest first, where there are several.
    level, abstained, right : int8 arrays, shape (world,)
        R, A and T in each world; T is 0 in a world that abstained.
    """

    levels: tuple[str, ...]
    names: tuple[str, ...]
    parameters: tuple[str, ...]
    branches: tuple[str, ...]
    level: Int8[np.ndarray, " world"]
    abstained: Int8[np.ndarray, " world"]
    right: Int8[np.ndarray, " world"]

    @property
    def n_levels(self) -> int:
        """Number of levels, K."""
        return len(self.levels)

    @property
    def is_graded(self) -> bool:
        """Whether there are more than two levels."""
        return self.n_levels > 2

    @property
    def hit(self) -> Int8[np.ndarray, " world"]:
        """1 in worlds of the top level."""
        return (self.level == self.n_levels - 1).astype(np.int8)

    def where(
        self, *, level: int | None = None, abstained: int | None = None, right: int | None = None
    ) -> tuple[str, ...]:
        """Names of the worlds with these values; None stands for any."""
        wanted = ((self.level, level), (self.abstained, abstained), (self.right, right))
        agrees = [
            all(value is None or truth[i] == value for truth, value in wanted)
            for i in range(len(self.names))
        ]
        return tuple(name for name, yes in zip(self.names, agrees, strict=True) if yes)

    def expanded(self, worlds_of_two: tuple[str, ...]) -> tuple[str, ...]:
        """Worlds of two levels in terms of these: a hit is the top level, a miss any below."""
        if not self.is_graded:
            return worlds_of_two
        wanted = {tuple(name.split("_")) for name in worlds_of_two}
        top = self.levels[-1]
        ends = [name.rsplit("_", 1) for name in self.names]
        return tuple(
            name
            for name, (level, end) in zip(self.names, ends, strict=True)
            if ("hit" if level == top else "miss", end) in wanted
        )

    def held(self, world: int) -> list[tuple[int, int]]:
        """What P(world) is a product of: pairs of a parameter and whether it is "yes"."""
        k, level = self.n_levels, int(self.level[world])
        above = [(i, 0) for i in range(k - 1 - level)]
        said = [*above, (k - 1 - level, 1)] if level else above
        said.append((k - 1 + level, int(self.abstained[world])))
        if not self.abstained[world]:
            said.append((2 * k - 1 + level, int(self.right[world])))
        return said


@lru_cache(maxsize=64)
def worlds_of(levels: tuple[str, ...] = TWO_LEVELS) -> Worlds:
    """The worlds of these levels of retrieval, the lowest first."""
    k = len(levels)
    names = tuple(
        [f"{level}_abstained" for level in levels]
        + [f"{level}_{end}" for level in levels for end in ("wrong", "right")]
    )
    each = np.arange(k, dtype=np.int8)
    arrays = {
        "level": np.concatenate([each, np.repeat(each, 2)]),
        "abstained": np.repeat(np.array([1, 0], dtype=np.int8), [k, 2 * k]),
        "right": np.concatenate([np.zeros(k, np.int8), np.tile(np.array([0, 1], np.int8), k)]),
    }
    for array in arrays.values():
        array.setflags(write=False)
    if k == 2:
        return Worlds(
            levels=levels, names=WORLDS, parameters=PARAMETERS, branches=PARAMETERS, **arrays
        )
    given = [f"{key}[{level}]" for key in ("abstain_given", "correct_given") for level in levels]
    splits = [f"retrieval[{levels[-1]}]"]
    splits += [f"retrieval[{levels[i]} | below {levels[i + 1]}]" for i in range(k - 2, 0, -1)]
    return Worlds(
        levels=levels,
        names=names,
        parameters=(*splits, *given),
        branches=(*(f"retrieval[{level}]" for level in levels), *given),
        **arrays,
    )


HIT: Final = worlds_of().hit
ABSTAINED: Final = worlds_of().abstained
RIGHT: Final = worlds_of().right


def level_probabilities(
    theta: Float[Any, "*batch parameter"], *, xp: Any = np
) -> Float[Any, "*batch level"]:
    """P(R = level) for each level, the lowest first.

    Parameters
    ----------
    theta : array, shape (..., 3K - 1)
        Free probabilities in the order of `Worlds.parameters`.
    xp : module
        numpy, or `jax.numpy` for jax arrays.
    """
    k = _n_levels(theta)
    levels = [theta[..., 0]]
    rest = 1 - theta[..., 0]
    for i in range(1, k - 1):
        levels.append(rest * theta[..., i])
        rest = rest * (1 - theta[..., i])
    return xp.stack([rest, *levels[::-1]], axis=-1)


def level_sticks(levels: Float[np.ndarray, "*batch level"]) -> Float[np.ndarray, "*batch split"]:
    """The splits of R, from the top level down, that give these level probabilities.

    Parameters
    ----------
    levels : array, shape (..., K)
        P(R = level), the lowest first.

    Returns
    -------
    array, shape (..., K - 1)
        0 where no mass is left to split.
    """
    k = levels.shape[-1]
    splits = []
    for i in range(k - 1, 0, -1):
        left = levels[..., : i + 1].sum(axis=-1)
        safe = np.where(left > 0, left, 1.0)
        splits.append(np.clip(np.where(left > 0, levels[..., i] / safe, 0.0), 0.0, 1.0))
    return np.stack(splits, axis=-1)


def branch_probabilities(
    theta: Float[np.ndarray, "*batch parameter"],
) -> Float[np.ndarray, "*batch branch"]:
    """The probabilities in the order of `Worlds.branches`."""
    k = _n_levels(theta)
    if k == 2:
        return theta
    return np.concatenate([level_probabilities(theta), theta[..., k - 1 :]], axis=-1)


def world_probabilities(
    theta: Float[Any, "*batch parameter"],
    *,
    xp: Any = np,
) -> Float[Any, "*batch world"]:
    """P(world) for each of the 3K worlds.

    Parameters
    ----------
    theta : array, shape (..., 3K - 1)
        Free probabilities in the order of `Worlds.parameters`.
    xp : module
        numpy, or `jax.numpy` for jax arrays.

    Returns
    -------
    array, shape (..., 3K)
        Probabilities in the order of `Worlds.names`; each row sums to 1.
    """
    k = _n_levels(theta)
    level = level_probabilities(theta, xp=xp)
    abstain, right = theta[..., k - 1 : 2 * k - 1], theta[..., 2 * k - 1 :]
    answered = level * (1 - abstain)
    ends = xp.stack([answered * (1 - right), answered * right], axis=-1)
    return xp.concatenate([level * abstain, ends.reshape(*ends.shape[:-2], 2 * k)], axis=-1)


def compatible_worlds(
    patterns: Int[Any, "pattern column"],
    n_levels: int = 2,
    *,
    xp: Any = np,
) -> Bool[Any, "pattern world"]:
    """Which worlds agree with what each pattern shows of R, A and T.

    Parameters
    ----------
    patterns : array, shape (pattern, 3 or more)
        The first three columns are R (the number of its level, from 0), A and T (0 or 1), or -1
        where the label is missing.
    n_levels : int
        Number of levels of R, K.
    xp : module
        numpy, or `jax.numpy` for jax arrays.

    Returns
    -------
    array of bool, shape (pattern, 3K)
    """
    of = worlds_of(TWO_LEVELS if n_levels == 2 else tuple(map(str, range(n_levels))))
    agrees = xp.ones((len(patterns), len(of.names)), dtype=bool)
    for column, truth in enumerate((of.level, of.abstained, of.right)):
        seen = patterns[:, column, None]
        agrees = agrees & ((seen == -1) | (seen == truth[None, :]))
    return agrees


def _n_levels(theta: Any) -> int:
    return (int(theta.shape[-1]) + 1) // 3
