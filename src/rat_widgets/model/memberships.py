"""P(world and what a row shows) for judges of any kind, from one array of rates.

Judges of 0 and 1 whose errors depend on the truth alone go through `likelihood`; for others the
sums of products that `emissions` lists are added up by world.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from rat_widgets.model.emissions import Emissions, emissions_of
from rat_widgets.model.likelihood import FIRST_JUDGE, JudgeTable, world_memberships
from rat_widgets.model.worlds import compatible_worlds, world_probabilities, worlds_of

__all__ = [
    "RowTerms",
    "counted_verdicts",
    "memberships",
    "pattern_log_likelihood",
    "row_terms",
    "split_rates",
    "verdict_terms",
]

_TINY: Final = 1e-300


class RowTerms(NamedTuple):
    """The products of rates that rows with these patterns are sums of.

    Attributes
    ----------
    yes, no : array of 0 and 1, shape (term, rate)
        Whether a product holds the rate, or one less the rate.
    factor : array, shape (term,)
    place : array, shape (pattern * world, term)
        1 where a product belongs to what a pattern shows in a world.
    agrees : array of bool, shape (pattern, world)
        Whether the world agrees with the labels of R, A and T.
    """

    yes: Float[Any, "term rate"]
    no: Float[Any, "term rate"]
    factor: Float[Any, " term"]
    place: Float[Any, "cell term"]
    agrees: Bool[Any, "pattern world"]


def row_terms(
    patterns: Int[np.ndarray, "pattern column"], judges: tuple[Any, ...], levels: tuple[str, ...]
) -> RowTerms:
    """The products for these patterns, shape (pattern, 4 + judge)."""
    plain = np.ascontiguousarray(patterns, dtype=np.int8)
    return _row_terms(plain.tobytes(), len(plain), judges, levels)


@lru_cache(maxsize=32)
def _row_terms(
    shown: bytes, n_patterns: int, judges: tuple[Any, ...], levels: tuple[str, ...]
) -> RowTerms:
    patterns = np.frombuffer(shown, dtype=np.int8).reshape(n_patterns, FIRST_JUDGE + len(judges))
    emissions, worlds = emissions_of(judges, levels), worlds_of(levels)
    agrees = compatible_worlds(patterns, worlds.n_levels)
    n_rates, n_worlds = len(emissions.names), len(worlds.names)
    yes, no, factors, cells = [], [], [], []
    for i, pattern in enumerate(patterns):
        verdicts = counted_verdicts(pattern, emissions)
        for world in np.flatnonzero(agrees[i]).tolist():
            for steps, factor in emissions.products(verdicts, world):
                has = np.zeros((2, n_rates))
                for rate, outcome in steps:
                    has[outcome, rate] = 1
                no.append(has[0])
                yes.append(has[1])
                factors.append(factor)
                cells.append(i * n_worlds + world)
    place = np.zeros((n_patterns * n_worlds, len(cells)))
    place[cells, np.arange(len(cells))] = 1
    shape = (len(cells), n_rates)
    return RowTerms(
        np.array(yes).reshape(shape),
        np.array(no).reshape(shape),
        np.array(factors),
        place,
        agrees,
    )


def counted_verdicts(pattern: Any, emissions: Emissions) -> list[int]:
    """The answers of a row, -1 where a judge of the task spoke of what was never answered."""
    abstained = int(pattern[1]) == 1
    return [
        -1 if abstained and judge.of == "task" else int(verdict)
        for judge, verdict in zip(emissions.judges, pattern[FIRST_JUDGE:], strict=True)
    ]


def memberships(
    patterns: Int[np.ndarray, "pattern column"],
    theta: Float[Any, "*#batch parameter"],
    rates: Float[Any, "*#batch rate"],
    judges: tuple[Any, ...],
    levels: tuple[str, ...],
) -> Float[np.ndarray, "... pattern world"]:
    """P(world and what the pattern shows), for each pattern.

    Parameters
    ----------
    patterns : array of int, shape (pattern, 4 + judge)
    theta : array, shape (..., 3K - 1)
    rates : array, shape (..., rate)
        In the order of ``Priors.names``.
    judges : tuple of Judge
    levels : tuple of str
        Levels of retrieval, the lowest first.
    """
    emissions = emissions_of(judges, levels)
    if emissions.are_plain:
        table = JudgeTable.of(judges, levels)
        tpr, fpr, unknown = split_rates(rates, table)
        return world_memberships(patterns, theta, tpr, fpr, unknown=unknown, judges=table)
    terms = row_terms(patterns, judges, levels)
    return verdict_terms(terms, rates) * world_probabilities(theta)[..., None, :]


def verdict_terms(
    terms: RowTerms, rates: Float[Any, "*batch rate"], *, xp: Any = np
) -> Float[Any, "... pattern world"]:
    """P(the verdicts of each pattern | world), 0 where the world does not agree."""
    log_yes = xp.log(xp.clip(rates, _TINY, 1.0))
    log_no = xp.log(xp.clip(1 - rates, _TINY, 1.0))
    product = terms.factor * xp.exp(log_yes @ terms.yes.T + log_no @ terms.no.T)
    by_cell = product @ terms.place.T
    return by_cell.reshape(*by_cell.shape[:-1], *terms.agrees.shape)


def pattern_log_likelihood(
    terms: RowTerms,
    counts: Float[Any, "*#batch pattern"],
    theta: Float[Any, "*#batch parameter"],
    rates: Float[Any, "*#batch rate"],
    *,
    xp: Any = np,
) -> Float[Any, ...]:
    """Log probability of the pattern counts, without the multinomial coefficient."""
    joint = verdict_terms(terms, rates, xp=xp) * world_probabilities(theta, xp=xp)[..., None, :]
    p = joint.sum(axis=-1)
    seen = counts > 0
    return xp.where(seen, counts * xp.log(xp.where(seen, p, 1.0)), 0.0).sum(axis=-1)


def split_rates(rates: Float[Any, "*batch rate"], judges: JudgeTable) -> tuple[Any, Any, Any]:
    """TPR, FPR and P(cannot tell) of judges that have nothing else; see `log_likelihood`."""
    n = len(judges.of_task)
    tpr, fpr, rest = rates[..., :n], rates[..., n : 2 * n], rates[..., 2 * n :]
    n_silent = len(judges.place)
    return tpr, fpr, judges.unknown(rest[..., :n_silent], rest[..., n_silent:])
