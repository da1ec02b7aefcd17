"""The rows in hand and not the population: how many of them are in each world, per draw.

With "these rows" as the estimand labels that were seen count as known, and only what nobody
looked at is uncertain: per draw of the parameters, the rows of each pattern are shared out among
the worlds that agree with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np
from jaxtyping import Bool, Float, Int

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.inference.engine import group_seed
from rat_widgets.model.memberships import memberships
from rat_widgets.model.worlds import Worlds, compatible_worlds, level_sticks, worlds_of

if TYPE_CHECKING:
    from rat_widgets.inference.draws import Draws

__all__ = [
    "ESTIMANDS",
    "Estimand",
    "pattern_memberships",
    "read_estimand",
    "read_rows_seed",
    "row_theta",
    "row_worlds",
]

Estimand = Literal["population", "these_rows"]
ESTIMANDS: Final = get_args(Estimand)

# Numbers of one slice of patterns, (draw, pattern, world), that are in memory at a time.
_AT_ONCE: Final = 2_000_000


def read_estimand(estimand: object) -> Estimand:
    """The estimand, checked.

    Raises
    ------
    ArgumentError
    """
    if isinstance(estimand, str) and estimand == "population":
        return "population"
    if isinstance(estimand, str) and estimand == "these_rows":
        return "these_rows"
    raise ArgumentError.build(
        f"`estimand` is {estimand!r:.80}.",
        accepted="'population', queries like these, or 'these_rows', the rows in hand.",
    )


def read_rows_seed(seed: object) -> int:
    """A seed, checked.

    Raises
    ------
    ArgumentError, ArgumentTypeError
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise ArgumentTypeError.build(f"`seed` is {seed!r:.80}.", accepted="A whole number.")
    if seed < 0:
        raise ArgumentError.build(f"`seed` is {seed!r}.", accepted="0 or more.")
    return int(seed)


def pattern_memberships(
    draws: Draws, patterns: Int[np.ndarray, "pattern column"]
) -> Float[np.ndarray, "draws pattern world"]:
    """P(world and what the pattern shows), per draw of all chains."""
    counts = draws.counts
    return memberships(
        patterns, _flat(draws.theta), _flat(draws.rates), counts.judges, counts.retrieval_levels
    )


def row_worlds(draws: Draws, *, seed: int) -> Float[np.ndarray, "chain draw world"]:
    """Share of each world among the rows that were counted, per draw.

    Parameters
    ----------
    draws : Draws
        Of one group.
    seed : int
        The same seed gives the same shares; those of a group do not depend on other groups.

    Returns
    -------
    array, shape (chain, draw, world)
        Whole numbers of rows, divided by how many there are; NaN where no row was counted.

    Notes
    -----
    Rows of one pattern are exchangeable given the parameters, so that their worlds are
    multinomial with probabilities P(world | pattern). Where one world agrees with the pattern
    all its rows are in it, in every draw.
    """
    tree = worlds_of(draws.counts.retrieval_levels)
    n_draws, n_worlds = draws.n_chains * draws.n_draws, len(tree.names)
    rows = draws.counts.counts[0]
    patterns = draws.counts.patterns
    agrees = compatible_worlds(patterns, tree.n_levels)
    is_settled = agrees.sum(axis=1) == 1
    known = (agrees[is_settled] * rows[is_settled, None]).sum(axis=0)
    totals = np.tile(known, (n_draws, 1)).astype(np.int64)
    rng = np.random.default_rng(_stream(seed, draws))
    open_ = np.flatnonzero(~is_settled & (rows > 0))
    for part in _slices(open_, n_draws * n_worlds):
        joint = pattern_memberships(draws, patterns[part])
        for j, n in enumerate(rows[part].tolist()):
            totals += _shared_out(rng, n, joint[:, j], agrees[part[j]])
    with np.errstate(invalid="ignore"):
        shares = totals / rows.sum()
    return shares.reshape(draws.n_chains, draws.n_draws, n_worlds)


def _stream(seed: int, draws: Draws) -> np.random.SeedSequence:
    """Another stream than the one that drew the parameters from the same seed."""
    return group_seed(seed, ("these rows", *draws.counts.groups[0]))


def _slices(chosen: Int[np.ndarray, " pattern"], size: int) -> Iterator[np.ndarray]:
    width = max(1, _AT_ONCE // size)
    return (chosen[i : i + width] for i in range(0, len(chosen), width))


def _shared_out(
    rng: np.random.Generator,
    n: int,
    joint: Float[np.ndarray, "draws world"],
    agrees: Bool[np.ndarray, " world"],
) -> Int[np.ndarray, "draws world"]:
    """Rows of one pattern in each world: a multinomial, one binomial after the other."""
    left = np.full(len(joint), n, dtype=np.int64)
    found = np.zeros(joint.shape, dtype=np.int64)
    worlds = np.flatnonzero(agrees)
    rest = joint[:, worlds].sum(axis=1)
    for world in worlds[:-1]:
        p = joint[:, world] / np.where(rest > 0, rest, 1.0)
        found[:, world] = rng.binomial(left, np.clip(p, 0.0, 1.0))
        left -= found[:, world]
        rest = np.maximum(rest - joint[:, world], 0.0)
    found[:, worlds[-1]] = left
    return found


def row_theta(
    worlds: Float[np.ndarray, "chain draw world"],
    population: Float[np.ndarray, "chain draw theta"],
    tree: Worlds,
) -> Float[np.ndarray, "chain draw theta"]:
    """The free probabilities as shares of the rows in hand, per draw.

    Parameters
    ----------
    worlds : array, shape (chain, draw, 3K)
        As `row_worlds` gives them.
    population : array, shape (chain, draw, 3K - 1)
        What stands where no row gets to the question: no share says anything there.
    """
    k = tree.n_levels
    on = [tree.level == i for i in range(k)]
    level = np.stack([worlds[..., here].sum(axis=-1) for here in on], axis=-1)
    abstained = np.stack(
        [worlds[..., here & (tree.abstained == 1)].sum(axis=-1) for here in on], axis=-1
    )
    right = np.stack([worlds[..., here & (tree.right == 1)].sum(axis=-1) for here in on], axis=-1)
    theta = population.copy()
    reached = np.cumsum(level, axis=-1)[..., :0:-1]  # those of this level or one below it
    theta[..., : k - 1] = np.where(reached > 0, level_sticks(level), theta[..., : k - 1])
    theta[..., k - 1 : 2 * k - 1] = _share(abstained, level, theta[..., k - 1 : 2 * k - 1])
    # Whole numbers of rows, so that nothing answered is no rounding error of something.
    answered = np.where(level - abstained > 1e-12, level - abstained, 0.0)
    theta[..., 2 * k - 1 :] = _share(right, answered, theta[..., 2 * k - 1 :])
    return theta


def _share(part: Any, whole: Any, otherwise: Any) -> Float[np.ndarray, "*draws"]:
    found = np.where(whole > 0, part / np.where(whole > 0, whole, 1.0), otherwise)
    return np.clip(found, 0.0, 1.0)


def _flat(draws: np.ndarray) -> np.ndarray:
    return draws.reshape(draws.shape[0] * draws.shape[1], *draws.shape[2:])
