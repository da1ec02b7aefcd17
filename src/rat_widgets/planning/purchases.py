"""Purchases: labels bought by a strategy on simulated rows, as counts of patterns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from jaxtyping import Float, Int64

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.worlds import Worlds, world_probabilities
from rat_widgets.planning.patterns import (
    Prices,
    RuleTable,
    label_patterns,
    pattern_index,
    patterns,
    read_budget,
    rule_tables,
    theta_array,
    tree_of,
)
from rat_widgets.planning.strategies import Strategy, read_strategy

__all__ = ["Purchases", "rows_per_part", "simulate_counts"]

# A strategy that pays for one row in so many never comes to the end of a budget.
_RAREST: Final = 1e-4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Purchases:
    """What was bought in each of several simulated tables.

    Attributes
    ----------
    counts : int64 array, shape (..., pattern)
        Rows that show each of `label_patterns`.
    n_rows, n_r, n_t : int64 arrays, shape (...)
        Rows whose A was seen; labels of R and of T that were bought.
    cost : array, shape (...)
        In units: labels times their prices.
    levels : tuple of str
    """

    counts: Int64[np.ndarray, "*tables pattern"]
    n_rows: Int64[np.ndarray, "*tables"]
    n_r: Int64[np.ndarray, "*tables"]
    n_t: Int64[np.ndarray, "*tables"]
    cost: Float[np.ndarray, "*tables"]
    levels: tuple[str, ...]

    def pattern_counts(self, *index: int) -> PatternCounts:
        """One of the tables; the only one without an index."""
        return PatternCounts.from_patterns(
            label_patterns(len(self.levels)).tolist(),
            self.counts[index].tolist(),
            retrieval_levels=self.levels,
        )


def rows_per_part(n: Int64[np.ndarray, "*tables"], shares: tuple[float, ...]) -> Any:
    """How many of the first `n` rows go to each part.

    Row by row, each part's j-th row being due at (j - 1/2) / share; of parts that tie the first.
    Later rows do not move earlier ones.

    Returns
    -------
    int64 array, shape (..., part)
    """
    n, share = np.asarray(n, dtype=np.int64), np.asarray(shares)
    # with p parts at most t + p / 2 rows are due by t
    due = np.maximum(n - len(shares), 0)
    rows = np.floor(due[..., None] * share + 0.5).astype(np.int64)
    while (is_short := rows.sum(axis=-1) < n).any():
        due_next = (rows + 0.5) / share
        first = due_next <= due_next.min(axis=-1, keepdims=True) * (1 + 1e-12)
        rows[is_short, first.argmax(axis=-1)[is_short]] += 1
    return rows


def simulate_counts(
    theta: Any,
    strategy: Any,
    *,
    n_rows: Any = None,
    budget: float | None = None,
    prices: Prices | Mapping[str, float] | None = None,
    rng: np.random.Generator,
    size: tuple[int, ...] | int | None = None,
) -> Purchases:
    """Counts of what a strategy shows on rows drawn from the model.

    Parameters
    ----------
    theta : Theta, GradedTheta or array, shape (..., 3K - 1)
        One table per leading index.
    strategy : str, Strategy, mapping or function
        See `read_strategy`. Parts of a mixture take turns, see `rows_per_part`.
    n_rows : int or array, shape (...)
        Rows to label, the rule of cost of the paper; the strategy decides what is bought there.
    budget : float
        Or units to spend: rows are drawn and labelled until a label that is due cannot be paid
        any more, or nothing is left for the cheapest label that the strategy buys. Rows on which
        it buys nothing cost nothing; their A is seen.
    prices : Prices or mapping, optional
        1 each when left out.
    rng : numpy.random.Generator
    size : int or tuple of int, optional
        So many tables of each theta, as further leading axes.

    Returns
    -------
    Purchases

    Raises
    ------
    ArgumentError
        When not one of `n_rows` and `budget` is given, when the budget does not pay for a label,
        or when the strategy buys (almost) nothing, so that no budget ends.
    """
    if (n_rows is None) == (budget is None):
        raise ArgumentError.build(
            "simulate_counts takes one of `n_rows` and `budget`.",
            accepted="Rows to label, or units to spend.",
        )
    chosen, price, tree = read_strategy(strategy), Prices.of(prices), tree_of(theta)
    worlds = world_probabilities(theta_array(theta))
    if size is not None:
        lead = (size,) if isinstance(size, int) else tuple(size)
        worlds = np.broadcast_to(worlds, (*lead, *worlds.shape))
    tables = rule_tables(chosen, tree)
    if n_rows is not None:
        n = _row_numbers(n_rows, worlds.shape[:-1])
        labelled = _draw(worlds, rows_per_part(n, tuple(s for s, _ in tables)), rng)
        bought = _counted(labelled, tables, tree)
        n_r, n_t = (_labels(labelled, tables, name) for name in ("n_r", "n_t"))
    else:
        units = read_budget(budget, price)
        _require_spending(chosen, theta, price)
        flat = worlds.reshape(-1, worlds.shape[-1])
        n, bought, n_r, n_t = (
            x.reshape((*worlds.shape[:-1], *x.shape[1:]))
            for x in _spend(flat, chosen, tree, budget=units, price=price, rng=rng)
        )
    return Purchases(
        counts=bought,
        n_rows=n,
        n_r=n_r,
        n_t=n_t,
        cost=np.asarray(price.R * n_r + price.T * n_t, dtype=float),
        levels=tree.levels,
    )


def _row_numbers(n_rows: Any, shape: tuple[int, ...]) -> Int64[np.ndarray, "*tables"]:
    n = np.asarray(n_rows)
    if n.dtype.kind not in "iu":
        raise ArgumentTypeError.build(f"`n_rows` is {n_rows!r:.80}.", accepted="Whole numbers.")
    if (n < 0).any():
        raise ArgumentError.build(f"`n_rows` is {n_rows!r:.80}.", accepted="0 or more.")
    return np.broadcast_to(n, shape).astype(np.int64)


def _draw(
    worlds: Float[np.ndarray, "*tables world"],
    rows: Int64[np.ndarray, "*tables part"],
    rng: np.random.Generator,
) -> Int64[np.ndarray, "*tables part world"]:
    """Rows of each part by the world they are in."""
    return rng.multinomial(rows, worlds[..., None, :])


def _counted(
    labelled: Int64[np.ndarray, "*tables part world"],
    tables: list[tuple[float, RuleTable]],
    tree: Worlds,
) -> Int64[np.ndarray, "*tables pattern"]:
    """Rows by what they show."""
    n_worlds, n_patterns = len(tree.names), len(label_patterns(tree.n_levels))
    shown = np.zeros((len(tables), n_worlds, n_patterns), dtype=np.int64)
    for i, (_, table) in enumerate(tables):
        shown[i, np.arange(n_worlds), table.pattern] = 1
    return np.einsum("...iw,iwp->...p", labelled, shown)


def _labels(
    labelled: Int64[np.ndarray, "*tables part world"],
    tables: list[tuple[float, RuleTable]],
    name: str,
) -> Int64[np.ndarray, "*tables"]:
    bought = np.stack([getattr(table, name) for _, table in tables])
    return np.asarray(np.einsum("...iw,iw->...", labelled, bought))


def _require_spending(strategy: Strategy, theta: Any, price: Prices) -> None:
    spends = patterns(strategy, theta).cost(price)
    if (spends < _RAREST * price.least).any():
        raise ArgumentError.build(
            f"The strategy {strategy.name!r} spends {float(np.min(spends)):.2g} units a row here: "
            "no budget comes to an end.",
            accepted="A budget goes with a strategy that buys labels.",
            hint="say how many rows: n_rows=.",
        )


def _spend(
    worlds: Float[np.ndarray, "table world"],
    strategy: Strategy,
    tree: Worlds,
    *,
    budget: float,
    price: Prices,
    rng: np.random.Generator,
) -> tuple[np.ndarray, ...]:
    """Rows, counts and labels bought when the budget is spent, per table.

    As many rows at once as the budget pays for whatever they turn out to be; then row by row.
    """
    tables, shares = rule_tables(strategy, tree), tuple(s for s, _ in strategy.parts)
    dearest = max(table.dearest(price) for _, table in tables)
    n_tables = len(worlds)
    n = np.zeros(n_tables, dtype=np.int64)
    bought = np.zeros((n_tables, len(label_patterns(tree.n_levels))), dtype=np.int64)
    n_r, n_t = np.zeros((2, n_tables), dtype=np.int64)
    left = np.full(n_tables, budget)
    slack = 1e-9 * budget  # sums of prices such as 0.1
    while len(active := np.flatnonzero(left + slack >= dearest)):
        more = np.floor((left[active] + slack) / dearest).astype(np.int64)
        rows = rows_per_part(n[active] + more, shares) - rows_per_part(n[active], shares)
        labelled = _draw(worlds[active], rows, rng)
        bought[active] += _counted(labelled, tables, tree)
        n_r[active] += _labels(labelled, tables, "n_r")
        n_t[active] += _labels(labelled, tables, "n_t")
        n[active] += more
        left[active] = budget - price.R * n_r[active] - price.T * n_t[active]
    last = _LastRows(strategy, tree, price)
    while len(active := np.flatnonzero(left + slack >= last.least)):
        part = (rows_per_part(n[active] + 1, shares) - rows_per_part(n[active], shares)).argmax(-1)
        world = _one_world(worlds[active], rng)
        pattern, r, t, is_over = last.label(part, world, left[active] + slack)
        bought[active, pattern] += 1
        n_r[active] += r
        n_t[active] += t
        n[active] += 1
        spent = price.R * n_r[active] + price.T * n_t[active]
        left[active] = np.where(is_over, -budget, budget - spent)
    return n, bought, n_r, n_t


def _one_world(
    worlds: Float[np.ndarray, "table world"], rng: np.random.Generator
) -> Int64[np.ndarray, " table"]:
    ends = worlds.cumsum(axis=1)
    return np.asarray((ends < rng.random(len(worlds))[:, None] * ends[:, -1:]).sum(axis=1))


class _LastRows:
    """Labels on rows whose labels the budget may not pay: one after the other."""

    def __init__(self, strategy: Strategy, tree: Worlds, price: Prices) -> None:
        self._price = price
        self._tree = tree
        rules = [rule for _, rule in strategy.parts]
        tables = [RuleTable.of(rule, tree) for rule in rules]
        self._sees_r = np.stack([t.n_r for t in tables]) == 1
        self._sees_t = np.stack([t.n_t for t in tables]) == 1
        self._r_first = np.array([rule.first != "T" for rule in rules])
        firsts = [price.R] * bool(self._sees_r.any()) + [price.T] * bool(self._sees_t.any())
        self.least = min(firsts)

    def label(
        self,
        part: Int64[np.ndarray, " table"],
        world: Int64[np.ndarray, " table"],
        left: Float[np.ndarray, " table"],
    ) -> tuple[np.ndarray, ...]:
        """Pattern, labels of R and of T, and whether a label could not be paid, per table."""
        wants_r, wants_t = self._sees_r[part, world], self._sees_t[part, world]
        r_first = self._r_first[part]
        price_r, price_t = self._price.R, self._price.T
        pays_both = left >= wants_r * price_r + wants_t * price_t
        gets_r = wants_r & (pays_both | ((r_first | ~wants_t) & (left >= price_r)))
        gets_t = wants_t & (pays_both | ((~r_first | ~wants_r) & (left >= price_t)))
        tree = self._tree
        pattern = pattern_index(
            np.where(gets_r, tree.level[world], -1),
            tree.abstained[world],
            np.where(gets_t, tree.right[world], -1),
        )
        is_over = (gets_r != wants_r) | (gets_t != wants_t)
        return pattern, gets_r.astype(np.int64), gets_t.astype(np.int64), is_over
