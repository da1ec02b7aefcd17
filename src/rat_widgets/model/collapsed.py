"""The likelihood in as few terms as the counts allow.

Most patterns agree with one world, or with worlds whose terms add up to one product again
(T not seen: right or wrong). Such a pattern adds whole labels to the Beta priors. What is
left are the *mixed* patterns, sums of two or more products of probabilities; parameters that
occur in none of them have independent Beta posteriors, exactly.

A product is written by its exponents: x[k] = 1 where it holds p[k], x[K + k] = 1 where it holds
1 - p[k], for K parameters in the order of `Priors.names`, and the log of a constant factor.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np
from jaxtyping import Bool, Float, Int

from rat_widgets.model.emissions import Emissions, emissions_of
from rat_widgets.model.memberships import counted_verdicts
from rat_widgets.model.worlds import Worlds, compatible_worlds, worlds_of

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["Collapsed", "collapse"]

# A probability that is held at 0 or 1 is held this far from it, so that labels that contradict
# it leave the limit of the posterior and not nothing.
_CLOSEST: Final = 1e-9

# Exponents of one product, as indices into x, and the log of its constant factor.
_Term = tuple[frozenset[int], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Collapsed:
    """Counts of several groups, split into whole labels and mixed patterns.

    Attributes
    ----------
    ones, zeros : array, shape (group, parameter)
        Labels that are known for sure, to be added to alpha and beta.
    rows : array, shape (group, mixed)
        Rows that show each mixed pattern.
    exponents : array, shape (mixed, term, 2 * parameter)
    log_factor : array, shape (mixed, term)
        -inf where a pattern has fewer terms.
    n_theta : int
        How many of the parameters, the first ones, are probabilities of the tree.
    """

    ones: Float[np.ndarray, "group parameter"]
    zeros: Float[np.ndarray, "group parameter"]
    rows: Float[np.ndarray, "group mixed"]
    exponents: Float[np.ndarray, "mixed term exponent"]
    log_factor: Float[np.ndarray, "mixed term"]
    n_theta: int

    @property
    def mixing(self) -> Bool[np.ndarray, "group parameter"]:
        """Parameters that occur in a mixed pattern of the group; all others are Betas."""
        n = self.ones.shape[1]
        used = self.exponents.any(axis=1)
        occurs = used[:, :n] | used[:, n:]
        return ((self.rows > 0)[:, :, None] & occurs).any(axis=1)


def collapse(counts: PatternCounts, held: Mapping[int, float] | None = None) -> Collapsed:
    """Whole labels and mixed patterns of each group of the counts.

    Parameters
    ----------
    counts : PatternCounts
    held : mapping, optional
        Parameter's position -> the value at which it is held: a constant factor, which occurs in
        no pattern and takes no labels.
    """
    worlds = worlds_of(counts.retrieval_levels)
    emissions = emissions_of(counts.judges, worlds.levels)
    n_parameters = len(worlds.parameters) + len(emissions.names)
    n_groups = counts.n_groups
    ones, zeros = np.zeros((2, n_groups, n_parameters))
    mixed: dict[tuple[tuple[tuple[int, ...], float], ...], Float[np.ndarray, " group"]] = {}
    for pattern, column in zip(counts.patterns, counts.effective.T, strict=True):
        rows = column.astype(float)
        terms = _terms(pattern, emissions, worlds)
        if held:
            terms = [_holding(term, held, n_parameters) for term in terms]
        terms = _merged(terms, n_parameters)
        if len(terms) == 1:
            for k in terms[0][0]:
                into = ones if k < n_parameters else zeros
                into[:, k % n_parameters] += rows
        else:
            key = tuple(sorted((tuple(sorted(powers)), factor) for powers, factor in terms))
            mixed[key] = mixed.get(key, 0.0) + rows
    keys = sorted(mixed)
    width = max((len(key) for key in keys), default=2)
    exponents = np.zeros((len(keys), width, 2 * n_parameters))
    log_factor = np.full((len(keys), width), -np.inf)
    for i, key in enumerate(keys):
        for t, (powers, factor) in enumerate(key):
            exponents[i, t, list(powers)] = 1
            log_factor[i, t] = factor
    rows = np.array([mixed[key] for key in keys]).reshape(len(keys), n_groups).T
    return Collapsed(
        ones=ones,
        zeros=zeros,
        rows=rows,
        exponents=exponents,
        log_factor=log_factor,
        n_theta=len(worlds.parameters),
    )


def _terms(
    pattern: Int[np.ndarray, " column"], emissions: Emissions, worlds: Worlds
) -> list[_Term]:
    """The products for each world that agrees with the pattern, at least one.

    An `abstained_rate` of 0 or 1 can exclude worlds that abstained, never the others.
    """
    n_theta = len(worlds.parameters)
    n_parameters = n_theta + len(emissions.names)
    verdicts = counted_verdicts(pattern, emissions)
    terms = []
    agrees = compatible_worlds(pattern[None], worlds.n_levels)[0]
    for world in np.flatnonzero(agrees).tolist():
        of_tree = [k if one else n_parameters + k for k, one in worlds.held(world)]
        for steps, factor in emissions.products(verdicts, world):
            of_judges = [
                n_theta + rate if one else n_parameters + n_theta + rate for rate, one in steps
            ]
            terms.append((frozenset([*of_tree, *of_judges]), float(np.log(factor))))
    return terms


def _holding(term: _Term, held: Mapping[int, float], n_parameters: int) -> _Term:
    """The product with the probabilities that are held as a constant."""
    powers, log_factor = term
    for k, value in held.items():
        p = min(max(value, _CLOSEST), 1 - _CLOSEST)
        log_factor += float(np.log(p)) * (k in powers)
        log_factor += float(np.log1p(-p)) * (n_parameters + k in powers)
    return powers - {*held, *(n_parameters + k for k in held)}, log_factor


def _merged(terms: list[_Term], n_parameters: int) -> list[_Term]:
    """The same sum with fewer products: u p + u (1 - p) = u, until nothing is left to add."""
    for (i, (first, factor)), (j, (second, other)) in combinations(enumerate(terms), 2):
        apart = sorted(first ^ second)
        if factor == other and len(apart) == 2 and apart[1] - apart[0] == n_parameters:
            rest = [term for k, term in enumerate(terms) if k not in (i, j)]
            return _merged([*rest, (first & second, factor)], n_parameters)
    return terms
