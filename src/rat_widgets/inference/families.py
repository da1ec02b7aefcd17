"""Families of patterns whose terms differ from each other in the same way, found in exponents.

A term is a product of powers of odds p / (1 - p), of powers of 1 - p, and of a constant: its
exponents are a row x with one place for each. Over the patterns of a family, the terms of a
pattern divided by its first have exponents ``x_t - x_1 = constant[t] + distinct @ taken[kind]``,
where few terms are of different kinds, and few columns are distinct. So thousands of rows
with tens of verdicts are one matrix of verdicts, whatever the number of worlds they may be of,
and nothing of this knows what a verdict is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from jaxtyping import Float, Int

__all__ = ["Family", "Part", "families"]

# Families of fewer patterns are put together, whatever they have in common.
_FEWEST: Final = 16
# What one more part costs for each pattern, in columns of a part.
_COST_OF_PART: Final = 8


class Part(NamedTuple):
    """Distinct columns that go together from kind to kind.

    Attributes
    ----------
    columns : slice
        Which they are.
    variants : tuple of int
        Kinds, counted from the second, one for each set of exponents that the columns have.
    kinds : tuple of tuples of int
        For each variant every kind, counted from the second, that has its exponents.
    """

    columns: slice
    variants: tuple[int, ...]
    kinds: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Patterns with one number of terms.

    Attributes
    ----------
    rows : array, shape (pattern,)
        Rows that show each pattern.
    distinct : array, shape (pattern, column)
        No two columns are the same or of opposite sign, and none is constant.
    taken : array, shape (kind - 1, column, exponent)
        Exponents of each kind but the first, whose are 0.
    constant : array, shape (term, exponent)
        The same in every pattern.
    kind : array of int, shape (term,)
        Of each term; the first is of kind 0.
    parts : tuple of Part
        All columns.
    first : array, shape (exponent,)
        Of the first terms, summed over rows.
    """

    rows: Float[np.ndarray, " pattern"]
    distinct: Float[np.ndarray, "pattern column"]
    taken: Float[np.ndarray, "kind column exponent"]
    constant: Float[np.ndarray, "term exponent"]
    kind: Int[np.ndarray, " term"]
    parts: tuple[Part, ...]
    first: Float[np.ndarray, " exponent"]


def families(
    exponents: Float[np.ndarray, "mixed term exponent"],
    log_factor: Float[np.ndarray, "mixed term"],
    rows: Float[np.ndarray, " mixed"],
) -> Iterator[Family]:
    """Families that hold every pattern of one group; see `Collapsed` for what is given."""
    seen = np.flatnonzero(rows > 0)
    exponents, log_factor, rows = exponents[seen], log_factor[seen], rows[seen]
    n_terms = np.isfinite(log_factor).sum(axis=1)
    n = exponents.shape[2] // 2
    for members in _alike(exponents, log_factor, n_terms):
        some = slice(n_terms[members[0]])
        part = exponents[members, some]
        powers = np.concatenate([part, log_factor[members, some, None]], axis=2)
        powers[..., n:-1] += powers[..., :n]
        yield _family(powers, rows[members])


def _alike(
    exponents: Float[np.ndarray, "mixed term exponent"],
    log_factor: Float[np.ndarray, "mixed term"],
    n_terms: Int[np.ndarray, " mixed"],
) -> Iterator[Int[np.ndarray, " pattern"]]:
    """Places of patterns that make one family.

    Where a parameter has one power in all terms of a pattern that it is in, it does not matter
    which; only in which terms it is. A family of any patterns is right; this finds good ones.
    """
    n = exponents.shape[2] // 2
    power = (exponents[..., :n] + 3 * exponents[..., n:]).astype(np.int64)
    least = np.where(power > 0, power, np.iinfo(np.int64).max).min(axis=1, keepdims=True)
    is_steady = (power == 0) | (power == least)
    is_steady = is_steady.all(axis=1, keepdims=True)
    # Sums that tell rows of small integers apart.
    scale = np.random.default_rng(0).integers(1, 1 << 40, n)
    turning = np.where(is_steady, 0, power) @ scale
    steady = np.where(is_steady, power, 0) @ scale
    same = (steady[:, :, None] == steady[:, None]).argmax(axis=2)
    factor = np.ascontiguousarray(log_factor).view(np.int64)
    key = np.concatenate([n_terms[:, None], turning, same, factor], axis=1)
    _, label, size = np.unique(key, axis=0, return_inverse=True, return_counts=True)
    label = label.reshape(-1)
    # Small ones by their number of terms.
    label = np.where(size[label] < _FEWEST, -n_terms, label)
    for each in np.unique(label):
        yield np.flatnonzero(label == each)


def _family(
    powers: Float[np.ndarray, "pattern term exponent"], rows: Float[np.ndarray, " pattern"]
) -> Family:
    away = powers - powers[:, :1]
    varies = (away != away[:1]).any(axis=0)
    leaders, kind = _kinds(away, varies)
    constant = away[0] - np.where(varies, away[0], 0.0)[leaders][kind]
    distinct, taken = _distinct(away[:, leaders[1:]], varies[leaders[1:]])
    order, parts = _parts(taken)
    return Family(
        rows=rows,
        distinct=np.ascontiguousarray(distinct[:, order]),
        taken=np.ascontiguousarray(taken[:, order]),
        constant=constant,
        kind=kind,
        parts=parts,
        first=rows @ powers[:, 0],
    )


def _kinds(
    away: Float[np.ndarray, "pattern term exponent"], varies: np.ndarray
) -> tuple[list[int], Int[np.ndarray, " term"]]:
    """The first term of each kind, and the kind of each term.

    Terms of one kind differ from each other by the same exponents in all patterns.
    """
    leaders: list[int] = []
    kind = np.zeros(away.shape[1], dtype=np.intp)
    for t in range(away.shape[1]):
        for q, leader in enumerate(leaders):
            if np.array_equal(varies[t], varies[leader]):
                apart = away[:, t, varies[t]] - away[:, leader, varies[t]]
                if (apart == apart[:1]).all():
                    kind[t] = q
                    break
        else:
            kind[t] = len(leaders)
            leaders.append(t)
    return leaders, kind


def _distinct(
    away: Float[np.ndarray, "pattern kind exponent"], varies: np.ndarray
) -> tuple[Float[np.ndarray, "pattern column"], Float[np.ndarray, "kind column exponent"]]:
    """Columns that vary, each once, and how they make up the exponents of each kind."""
    place: dict[bytes, int] = {}
    columns: list[np.ndarray] = []
    entries = []
    for q, c in np.argwhere(varies).tolist():
        column = away[:, q, c]
        sign = np.sign(column[np.flatnonzero(column)[0]])
        column = column * sign + 0.0
        u = place.setdefault(column.tobytes(), len(columns))
        if u == len(columns):
            columns.append(column)
        entries.append((q, u, c, sign))
    taken = np.zeros((away.shape[1], len(columns), away.shape[2]))
    for q, u, c, sign in entries:
        taken[q, u, c] = sign
    return np.array(columns).reshape(len(columns), len(away)).T, taken


def _parts(
    taken: Float[np.ndarray, "kind column exponent"],
) -> tuple[list[int], tuple[Part, ...]]:
    """An order of the columns in which those that go together do so, and the parts of it."""
    n_kinds, n_columns, _ = taken.shape
    together: dict[tuple[int, ...], list[int]] = {}
    for u in range(n_columns):
        variants: list[bytes] = []
        which: list[int] = []
        for q in range(n_kinds):
            row = taken[q, u]
            if row.any() and row.tobytes() not in variants:
                variants.append(row.tobytes())
            which.append(variants.index(row.tobytes()) if row.any() else -1)
        together.setdefault(tuple(which), []).append(u)
    cost = sum((max(key) + 1) * (_COST_OF_PART + len(us)) for key, us in together.items())
    if cost > n_kinds * (_COST_OF_PART + n_columns):
        together = {tuple(range(n_kinds)): list(range(n_columns))}
    parts: list[Part] = []
    order: list[int] = []
    for pattern, us in together.items():
        kinds = tuple(
            tuple(q for q, v in enumerate(pattern) if v == m) for m in range(max(pattern) + 1)
        )
        parts.append(
            Part(slice(len(order), len(order) + len(us)), tuple(k[0] for k in kinds), kinds)
        )
        order += us
    return order, tuple(parts)
