"""What a row's labels are made of: one yes-or-no factor per parameter, in each world.

P(world and what the pattern shows) is a product of Bernoulli factors: retrieval, abstention,
the answer, each verdict. Which of them a row takes part in, and how each came out, gives the
likelihood and its derivatives on the logit scale at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from jaxtyping import Bool, Float, Int8

from rat_widgets.model.emissions import Emissions, emissions_of
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.memberships import counted_verdicts
from rat_widgets.model.rate_names import is_rate, key_of
from rat_widgets.model.worlds import Worlds, compatible_worlds, worlds_of

if TYPE_CHECKING:
    from rat_widgets.labels.judges import Judge

__all__ = [
    "Factors",
    "complete_information",
    "expected_scores",
    "factor_names",
    "information",
    "known_information",
    "observed_information",
]

# How much of what the priors know rows may seem to take away before that is no curvature of a peak.
_HOLLOW: Final = 0.5


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Factors:
    """The factors of each pattern in each state that it may hide.

    A state is a world, and where a judge's errors depend on verdicts that are not there, these.

    Attributes
    ----------
    names : tuple of str
        Parameters: the free probabilities, then ``tpr[...]``, ``fpr[...]`` and, of judges that
        also answer "unknown", ``unknown_given_1[...]`` and ``unknown_given_0[...]``.
    outcomes : int8 array, shape (pattern, state, factor)
        1 or 0 as the factor came out, -1 where it has no part in the row.
    weights : array, shape (pattern, state)
        Factors without a parameter: whether the world agrees with the labels (0 or 1), times
        what an `abstained_rate` gives.
    """

    names: tuple[str, ...]
    outcomes: Int8[np.ndarray, "pattern state factor"]
    weights: Float[np.ndarray, "pattern state"]

    @classmethod
    def of(
        cls,
        patterns: Int8[np.ndarray, "pattern column"],
        judges: Sequence[Judge],
        levels: tuple[str, ...],
        names: tuple[str, ...],
        keys: Sequence[str] | None = None,
    ) -> Factors:
        """The factors of these patterns.

        Parameters
        ----------
        patterns : int8 array, shape (pattern, 4 + judge)
        judges : sequence of Judge
            In the order of their columns.
        levels : tuple of str
            Levels of retrieval, the lowest first.
        names : tuple of str
            See `factor_names`.
        keys : sequence of str, optional
            What the judges are called in `names`, where that depends on others beside them.
        """
        emissions = emissions_of(tuple(judges), levels)
        called = [judge.key for judge in emissions.judges] if keys is None else list(keys)
        place = [
            names.index(f"{name.partition('[')[0]}[{called[owner]}]")
            for name, owner in zip(emissions.names, emissions.owner, strict=True)
        ]
        listed = _expanded if any(j.parents for j in emissions.judges) else _by_world
        outcomes, weights = listed(patterns, emissions, worlds_of(levels), place, len(names))
        return cls(names=names, outcomes=outcomes, weights=weights)

    def joint(self, values: Float[np.ndarray, " factor"]) -> Float[np.ndarray, "pattern state"]:
        """P(world and what the pattern shows) at these parameters."""
        yes = (self.outcomes == 1) @ np.log(values)
        no = (self.outcomes == 0) @ np.log1p(-values)
        return np.asarray(self.weights * np.exp(yes + no))


def factor_names(
    theta: Sequence[str], keys: Iterable[str], known: Iterable[str]
) -> tuple[str, ...]:
    """The parameters in the order that `Factors` takes: the tree's, then those of the judges.

    Parameters
    ----------
    theta : sequence of str
        As `Worlds.parameters` has them.
    keys : iterable of str
        The judges.
    known : iterable of str
        Parameters that there are, in their order.
    """
    wanted = set(keys)
    rates = (name for name in known if is_rate(name) and key_of(name) in wanted)
    return (*theta, *rates)


def information(
    factors: Factors, counts: Float[np.ndarray, " pattern"], values: Float[np.ndarray, " factor"]
) -> Float[np.ndarray, "factor factor"]:
    """Fisher information of the rows about the logits of the parameters.

    Notes
    -----
    A factor whose outcome the labels settle adds q(1 - q), its curvature. Factors that stay
    hidden add the outer product of their expected scores given the pattern. Between the two
    kinds nothing is shared on average, since what is hidden lies below what was seen. The sum
    is never indefinite, as the observed curvature can be, and supposes that the hidden part of
    the rows is made up as `values` predict. Where a label was bought or not by how the same
    factor came out (R only where T=1) the two kinds do share something, and the sum says less
    than there is: `observed_information` holds there, too.
    """
    expected = expected_scores(factors, values)
    is_settled, has_part = _settled(factors)
    curvature = (counts @ (is_settled & has_part)) * values * (1 - values)
    hidden = np.where(is_settled, 0.0, expected)
    return np.asarray(np.diag(curvature) + (hidden.T * counts) @ hidden)


def observed_information(
    factors: Factors, counts: Float[np.ndarray, " pattern"], values: Float[np.ndarray, " factor"]
) -> Float[np.ndarray, "factor factor"]:
    """Curvature of the log likelihood of the rows in the logits of the parameters.

    Notes
    -----
    Of one pattern the mean over its worlds of q(1 - q) for each factor that has a part, less the
    covariance of their scores there. It holds for labels chosen after seeing others. With few
    rows it may be indefinite where labels are hidden.
    """
    weights, scores = _weights(factors, values), _scores(factors, values)
    expected = (weights[..., None] * scores).sum(axis=1)
    has_part = (weights[..., None] * (factors.outcomes >= 0)).sum(axis=1)
    each = scores.reshape(-1, len(values))
    second = (each.T * (counts[:, None] * weights).ravel()) @ each
    curvature = np.diag((counts @ has_part) * values * (1 - values))
    return np.asarray(curvature - second + (expected.T * counts) @ expected)


def known_information(
    factors: Factors,
    counts: Float[np.ndarray, " pattern"],
    values: Float[np.ndarray, " factor"],
    prior: Float[np.ndarray, " factor"],
) -> Float[np.ndarray, "factor factor"]:
    """Information in rows and priors, for labels that were chosen after others, too.

    What is observed where that is a peak, else the outer products of the scores of the patterns,
    which have the same mean; positive definite.

    Parameters
    ----------
    prior : array, shape (factor,)
        Information in the priors about each logit.
    """
    observed = observed_information(factors, counts, values)
    scale = 1 / np.sqrt(prior)
    if np.linalg.eigvalsh(scale[:, None] * observed * scale).min() < -_HOLLOW:
        scores = expected_scores(factors, values)
        observed = (scores.T * counts) @ scores
    return np.asarray(observed + np.diag(prior))


def expected_scores(
    factors: Factors, values: Float[np.ndarray, " factor"]
) -> Float[np.ndarray, "pattern factor"]:
    """Derivatives of log P(pattern) with respect to the logits of the parameters."""
    return np.asarray((_weights(factors, values)[..., None] * _scores(factors, values)).sum(axis=1))


def _weights(
    factors: Factors, values: Float[np.ndarray, " factor"]
) -> Float[np.ndarray, "pattern state"]:
    """P(world | pattern)."""
    joint = factors.joint(values)
    total = joint.sum(axis=1, keepdims=True)
    return np.asarray(joint / np.where(total > 0, total, 1.0))


def _scores(
    factors: Factors, values: Float[np.ndarray, " factor"]
) -> Float[np.ndarray, "pattern state factor"]:
    return np.where(factors.outcomes >= 0, factors.outcomes - values, 0.0)


def _settled(
    factors: Factors,
) -> tuple[Bool[np.ndarray, "pattern factor"], Bool[np.ndarray, "pattern factor"]]:
    """Whether a factor comes out the same in all possible worlds, and has a part in one."""
    is_possible = factors.weights[..., None] > 0
    least = np.where(is_possible, factors.outcomes, np.int8(1)).min(axis=1)
    most = np.where(is_possible, factors.outcomes, np.int8(-1)).max(axis=1)
    return least >= most, most >= 0


def complete_information(
    theta: Float[np.ndarray, " theta"], levels: tuple[str, ...]
) -> tuple[Float[np.ndarray, "theta theta"], Float[np.ndarray, "theta theta"]]:
    """Expected information of labels of R and T on one row whose A was seen, and of R, A and T."""
    worlds = worlds_of(levels)
    patterns = np.full((len(worlds.names), FIRST_JUDGE), -1, dtype=np.int8)
    patterns[:, 0], patterns[:, 1] = worlds.level, worlds.abstained
    patterns[:, 2] = np.where(worlds.abstained == 1, -1, worlds.right)
    row = _expected(patterns, theta, levels)
    a_alone = np.full((2, FIRST_JUDGE), -1, dtype=np.int8)
    a_alone[:, 1] = (0, 1)
    return row - _expected(a_alone, theta, levels), row


def _expected(
    patterns: Int8[np.ndarray, "pattern column"],
    theta: Float[np.ndarray, " theta"],
    levels: tuple[str, ...],
) -> Float[np.ndarray, "theta theta"]:
    factors = Factors.of(patterns, (), levels, worlds_of(levels).parameters)
    return information(factors, factors.joint(theta).sum(axis=1), theta)


_Listed = tuple[Int8[np.ndarray, "pattern state factor"], Float[np.ndarray, "pattern state"]]


def _by_world(
    patterns: Int8[np.ndarray, "pattern column"],
    emissions: Emissions,
    worlds: Worlds,
    place: Sequence[int],
    n_names: int,
) -> _Listed:
    """Outcomes and weights where a world is all that a pattern may hide."""
    outcomes = np.full((len(patterns), len(worlds.names), n_names), -1, dtype=np.int8)
    for w in range(len(worlds.names)):
        for factor, is_yes in worlds.held(w):
            outcomes[:, w, factor] = is_yes
    weights = compatible_worlds(patterns, worlds.n_levels).astype(float)
    for j, judge in enumerate(emissions.judges):
        verdicts = patterns[:, FIRST_JUDGE + j]
        if judge.of == "task":
            verdicts = np.where(patterns[:, 1] == 1, np.int8(-1), verdicts)
        given = [verdicts == answer for answer in range(judge.n_answers)]
        for w, cell in enumerate(judge.cell):
            for rows, path in zip(given, judge.paths[cell][0], strict=True):
                for rate, outcome in path:
                    outcomes[rows, w, place[emissions.places[j][rate]]] = outcome
            fixed = judge.fixed[w]
            if fixed is not None:
                weights[:, w] *= np.select([given[1], given[0]], [fixed, 1 - fixed], 1.0)
    return outcomes, weights


def _expanded(
    patterns: Int8[np.ndarray, "pattern column"],
    emissions: Emissions,
    worlds: Worlds,
    place: Sequence[int],
    n_names: int,
) -> _Listed:
    """The same where verdicts that are not there matter, too."""
    states: list[list[tuple[list[tuple[int, int]], float]]] = []
    for pattern, agrees in zip(patterns, compatible_worlds(patterns, worlds.n_levels), strict=True):
        verdicts = counted_verdicts(pattern, emissions)
        states.append(
            [
                ([*worlds.held(w), *((place[rate], one) for rate, one in steps)], factor)
                for w in np.flatnonzero(agrees).tolist()
                for steps, factor in emissions.products(verdicts, w)
            ]
        )
    width = max((len(here) for here in states), default=1)
    outcomes = np.full((len(patterns), width, n_names), -1, dtype=np.int8)
    weights = np.zeros((len(patterns), width))
    for i, here in enumerate(states):
        for state, (said, weight) in enumerate(here):
            weights[i, state] = weight
            for factor, is_yes in said:
                outcomes[i, state, factor] = is_yes
    return outcomes, weights
