"""Thousands of posteriors at once: mean and interval of a few targets for many small tables.

No judges, two levels of retrieval. Four ways, table by table:

- every row shows R: the posterior is a product of Betas, integrated at quasi-random points;
- R missing on some rows, and so is T there: nearly such a product with A first (see `a_first`);
- R missing on some rows that show T, A on none: points of the reversed parametrisation (see
  `inference.reversed`), with importance weights;
- A missing somewhere, or weights too uneven to be trusted: draws by `inference.sample`.

A few tables at a time share their points, so that errors of their widths go the same way; a pool
of points takes turns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Bool, Float, Int, Int64

from rat_widgets.derived.intervals import tails, weighted_quantiles
from rat_widgets.inference.draws import Draws
from rat_widgets.inference.engine import sample
from rat_widgets.inference.reversed import proposal_shapes, reversed_worlds
from rat_widgets.inference.tally import MISSING, beta_parameters, label_cubes
from rat_widgets.inference.weighted import normalised
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors
from rat_widgets.model.worlds import world_probabilities
from rat_widgets.planning.a_first import a_first_shapes, a_first_worlds, has_a_first
from rat_widgets.planning.points import N_SETS, Points, beta_points
from rat_widgets.planning.targets import Target

__all__ = [
    "MIN_ESS_FRACTION",
    "N_POINTS",
    "Quantiles",
    "Summaries",
    "quantiles",
    "sampled_summaries",
    "summaries",
]

N_POINTS: Final = 4096
"""Points per table: at 1,024 widths are off by 1% to 2.5%, at 4,096 by 0.4% to 0.8% RMS."""
MIN_ESS_FRACTION: Final = 0.2
"""Tables whose effective share of the points is less are drawn anew."""

_CHUNK: Final = 8
_N_DRAWS: Final = 20_000
# Without A most tables take `hmc`: an error of 1.5% of a width, which replications average out.
_N_DRAWS_BY_STEPS: Final = 4_000
_N_THETA: Final = 5


@dataclass(frozen=True, slots=True, eq=False)
class Summaries:
    """What is said about each table.

    Attributes
    ----------
    mean, lower, upper : array, shape (table, target)
    ess_fraction : array, shape (table,)
        Effective share of the points; 1 where they have no weights.
    is_sampled : array of bool, shape (table,)
        Where an engine drew, and the points were not used.
    """

    mean: Float[np.ndarray, "table target"]
    lower: Float[np.ndarray, "table target"]
    upper: Float[np.ndarray, "table target"]
    ess_fraction: Float[np.ndarray, " table"]
    is_sampled: Bool[np.ndarray, " table"]

    @property
    def width(self) -> Float[np.ndarray, "table target"]:
        """Width of each interval."""
        return self.upper - self.lower


@dataclass(frozen=True, slots=True, eq=False)
class Quantiles:
    """The posterior of each table by its quantiles; the other attributes as in `Summaries`.

    Attributes
    ----------
    mean : array, shape (table, target)
    values : array, shape (quantile, table, target)
    """

    mean: Float[np.ndarray, "table target"]
    values: Float[np.ndarray, "quantile table target"]
    ess_fraction: Float[np.ndarray, " table"]
    is_sampled: Bool[np.ndarray, " table"]


def summaries(
    patterns: Int[np.ndarray, "pattern column"],
    counts: Int64[np.ndarray, "table pattern"],
    targets: Sequence[Target],
    priors: Priors,
    *,
    rng: np.random.Generator,
    ci_prob: float = 0.95,
    n_points: int = N_POINTS,
) -> Summaries:
    """Posterior mean and equal-tailed interval of every target for every table.

    Parameters
    ----------
    patterns : int array, shape (pattern, 3 or more)
        R, A and T that rows show, -1 where missing; further columns are not regarded.
    counts : int array, shape (table, pattern)
        Rows of each table that show each pattern.
    targets : sequence of Target
    priors : Priors
    rng : numpy.random.Generator
        Chooses among the sets of points, and seeds the engine where one is needed.
    ci_prob : float
        Posterior probability inside the intervals.
    n_points : int
        A power of two.
    """
    found = quantiles(
        patterns,
        counts,
        targets,
        priors,
        rng=rng,
        probabilities=tails(ci_prob),
        n_points=n_points,
    )
    lower, upper = found.values
    return Summaries(found.mean, lower, upper, found.ess_fraction, found.is_sampled)


def quantiles(
    patterns: Int[np.ndarray, "pattern column"],
    counts: Int64[np.ndarray, "table pattern"],
    targets: Sequence[Target],
    priors: Priors,
    *,
    rng: np.random.Generator,
    probabilities: Float[np.ndarray, " quantile"],
    n_points: int = N_POINTS,
) -> Quantiles:
    """Posterior mean and any quantiles of every target for every table; see `summaries`.

    Parameters
    ----------
    probabilities : array, shape (quantile,)
        In (0, 1).
    """
    prior = priors.theta_array()
    cubes = label_cubes(patterns, counts)
    first, seed = int(rng.integers(N_SETS)), int(rng.integers(1 << 31))
    shows_r = ~cubes[:, MISSING].any(axis=(1, 2))
    shows_a = ~cubes[:, :, MISSING].any(axis=(1, 2))
    ends = np.full((1 + len(probabilities), len(counts), len(targets)), np.nan)
    ess = np.zeros(len(counts))
    for some in _chunks(shows_r & shows_a):
        points = Points.from_pool(first + int(some[0]) // _CHUNK, _N_THETA, n_points)
        yes, no = beta_points(beta_parameters(cubes[some], prior), points)
        ends[:, some] = _ends(targets, _forward(yes, no), None, probabilities)
        ess[some] = 1.0
    is_product = has_a_first(cubes) & ~shows_r
    for some in _chunks(is_product):
        points = Points.from_pool(first + int(some[0]) // _CHUNK, _N_THETA, n_points)
        yes, no = beta_points(a_first_shapes(cubes[some], prior), points)
        in_order, log_weight = a_first_worlds(yes, no, prior)
        weight, ess[some] = normalised(log_weight)
        ends[:, some] = _ends(targets, in_order, weight, probabilities)
    for some in _chunks(~shows_r & shows_a & ~is_product):
        points = Points.from_pool(first + int(some[0]) // _CHUNK, _N_THETA, n_points)
        shape = proposal_shapes(cubes[some], prior)
        worlds, log_weight = reversed_worlds(*beta_points(shape, points), cubes[some], prior, shape)
        weight, ess[some] = normalised(log_weight)
        in_order = (
            worlds.miss_abstained,
            worlds.hit_abstained,
            worlds.miss_wrong,
            worlds.miss_right,
            worlds.hit_wrong,
            worlds.hit_right,
        )
        ends[:, some] = _ends(targets, in_order, weight, probabilities)
    again = ess < MIN_ESS_FRACTION
    for some, n_draws in ((again & shows_a, _N_DRAWS), (~shows_a, _N_DRAWS_BY_STEPS)):
        if some.any():
            ends[:, some] = _sampled(
                sample(_as_groups(patterns, counts[some]), priors, draws=n_draws, seed=seed),
                targets,
                probabilities,
            )
    return Quantiles(ends[0], ends[1:], ess, again)


def sampled_summaries(
    patterns: Int[np.ndarray, "pattern column"],
    counts: Int64[np.ndarray, "table pattern"],
    targets: Sequence[Target],
    priors: Priors,
    *,
    seed: int,
    ci_prob: float = 0.95,
    n_draws: int = _N_DRAWS,
    engine: str = "auto",
) -> Float[np.ndarray, "3 table target"]:
    """Mean, lower and upper end from draws of an engine, table by table: the slow way."""
    tables = _as_groups(patterns, counts)
    drawn = sample(tables, priors, engine=engine, draws=n_draws, seed=seed)
    return _sampled(drawn, targets, tails(ci_prob))


def _sampled(
    drawn: Sequence[Draws],
    targets: Sequence[Target],
    probabilities: Float[np.ndarray, " quantile"],
) -> Float[np.ndarray, "1+quantile table target"]:
    """Mean and quantiles of draws, table by table."""
    ends = np.empty((1 + len(probabilities), len(drawn), len(targets)))
    for i, draws in enumerate(drawn):
        worlds = np.moveaxis(world_probabilities(draws.theta.reshape(-1, _N_THETA)), -1, 0)
        for j, target in enumerate(targets):
            value = target.value(worlds)
            ends[0, i, j] = np.nanmean(value)
            ends[1:, i, j] = np.nanquantile(value, probabilities)
    return ends


def _as_groups(
    patterns: Int[np.ndarray, "pattern column"], counts: Int64[np.ndarray, "table pattern"]
) -> PatternCounts:
    """Many tables as the groups of one, in their order."""
    labels = np.full((len(patterns), 4), -1, dtype=np.int8)
    labels[:, :3] = patterns[:, :3]
    return PatternCounts(
        by=("table",),
        groups=tuple((i,) for i in range(len(counts))),
        patterns=labels,
        counts=counts,
    )


def _chunks(chosen: Bool[np.ndarray, " table"]) -> Iterator[Int64[np.ndarray, " some"]]:
    """The tables chosen, a few at a time: their points stay in the processor's cache."""
    which = np.flatnonzero(chosen)
    for start in range(0, len(which), _CHUNK):
        yield which[start : start + _CHUNK]


def _forward(
    yes: Float[np.ndarray, "5 table point"], no: Float[np.ndarray, "5 table point"]
) -> tuple[Float[np.ndarray, "table point"], ...]:
    """World probabilities at the five probabilities (and 1 minus them), in the order of WORLDS."""
    miss_answered, hit_answered = no[0] * no[1], yes[0] * no[2]
    return (
        no[0] * yes[1],
        yes[0] * yes[2],
        miss_answered * no[3],
        miss_answered * yes[3],
        hit_answered * no[4],
        hit_answered * yes[4],
    )


def _ends(
    targets: Sequence[Target],
    worlds: Sequence[Float[np.ndarray, "table point"]],
    weight: Float[np.ndarray, "table point"] | None,
    probabilities: Float[np.ndarray, " quantile"],
) -> Float[np.ndarray, "1+quantile table target"]:
    made = [weighted_quantiles(t.value(worlds), weight, probabilities) for t in targets]
    both = [np.concatenate([mean[..., None], found], axis=-1) for mean, found in made]
    return np.moveaxis(np.array(both), 0, -1).swapaxes(0, 1)
