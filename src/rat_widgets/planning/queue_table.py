"""The queue as a table: which row of the caller's frame gets which label next, and why."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
import pandas as pd
from jaxtyping import Int64

from rat_widgets.derived.posterior import Posterior
from rat_widgets.errors import ArgumentError, NoRowsError
from rat_widgets.inference.engine import group_seed
from rat_widgets.labels.counts import PATTERN_COLUMNS
from rat_widgets.labels.frames import free_name
from rat_widgets.labels.keys import GroupKey
from rat_widgets.labels.table import Labels
from rat_widgets.planning.patterns import Prices
from rat_widgets.planning.queue import Pick, Pool, pick_labels

__all__ = ["queue_table"]

_ABSTENTION: Final = PATTERN_COLUMNS.index("abstention")
_ANSWERABLE: Final = PATTERN_COLUMNS.index("answerable")
_Rows = Int64[np.ndarray, "..."]


def queue_table(
    posteriors: Sequence[Posterior],
    *,
    k: int,
    target: str,
    prices: Prices,
    policy: Any = None,
    ci_prob: float = 0.95,
    seed: int = 0,
) -> pd.DataFrame:
    """The next labels to buy on the rows that posteriors were fitted to; see `rat.next_labels`.

    Raises
    ------
    ArgumentError
        For an unknown target, or where A is not recorded.
    NoRowsError
        When a posterior came without its rows.
    """
    labels = _labels_of(posteriors)
    pattern, group = labels.row_places()
    pools, rows = [], []
    for post in posteriors:
        pool = Pool.of(post, target, policy)
        mine = (
            pattern
            if post.group_index is None
            else np.where(group == post.group_index, pattern, -1)
        )
        found = _rows_of(pool, labels, mine, seed=group_seed(seed, post.counts.groups[0]))
        strata = tuple(
            replace(stratum, n_rows=len(some))
            for stratum, some in zip(pool.strata, found, strict=True)
        )
        pools.append(replace(pool, strata=strata))
        rows.append(found)
    picks = pick_labels(pools, k, prices, ci_prob=ci_prob)
    positions = _positions(picks, rows)
    kinds = _kinds(picks, pools, [post.counts.groups[0] for post in posteriors])
    table = _table(picks, labels, positions, prices=prices, kinds=kinds)
    table.attrs["note"] = _note(table, pools, k=k, target=target, ci_prob=ci_prob)
    return table


def _labels_of(posteriors: Sequence[Posterior]) -> Labels:
    labels = posteriors[0].labels
    if labels is None or any(post.labels is not labels for post in posteriors):
        raise NoRowsError.build(
            "There are no rows to label: the posterior was fitted from counts, or loaded.",
            accepted="A frame, Labels, or a posterior that was fitted to one of them.",
            hint="rat.optimal_design plans from counts.",
        )
    counts = labels.counts
    if counts.n_rows and not (counts.patterns[:, _ABSTENTION] >= 0).any():
        how = "abstention=None" if labels.abstention is None else "it is missing on every row"
        raise ArgumentError.build(
            f"A is not recorded in this table ({how}).",
            accepted="A table whose A is seen: it is free to see, and says where T can be asked.",
            hint='name its column, or abstention="never" for a system that always answers.',
        )
    return labels


def _rows_of(
    pool: Pool, labels: Labels, pattern: _Rows, *, seed: np.random.SeedSequence
) -> list[_Rows]:
    """Positions of each stratum's rows, in random order."""
    shown = labels.counts.patterns.copy()
    shown[:, _ANSWERABLE] = -1
    place = {stratum.pattern.tobytes(): i for i, stratum in enumerate(pool.strata)}
    stratum_of = np.array([*(place.get(row.tobytes(), -1) for row in shown), -1])[pattern]
    rng = np.random.default_rng(seed)
    return [rng.permutation(np.flatnonzero(stratum_of == i)) for i in range(len(pool.strata))]


def _positions(picks: Sequence[Pick], rows: Sequence[Sequence[_Rows]]) -> _Rows:
    """The row of each label: of a second label one that has the first."""
    left = {(i, s, ""): deque(some) for i, mine in enumerate(rows) for s, some in enumerate(mine)}
    positions: list[int] = []
    for pick in picks:
        other = "T" if pick.label == "R" else "R"
        source = left[pick.pool, pick.stratum, other if pick.is_second else ""]
        taken = [source.popleft() for _ in pick.widths]
        if not pick.is_second:
            left.setdefault((pick.pool, pick.stratum, pick.label), deque()).extend(taken)
        positions += taken
    return np.array(positions, dtype=np.int64)


def _kinds(
    picks: Sequence[Pick], pools: Sequence[Pool], groups: Sequence[GroupKey]
) -> list[tuple[GroupKey, str]]:
    """Group of each pick, and what its rows show."""
    return [(groups[p.pool], pools[p.pool].strata[p.stratum].name) for p in picks]


def _table(
    picks: Sequence[Pick],
    labels: Labels,
    positions: _Rows,
    *,
    prices: Prices,
    kinds: Sequence[tuple[GroupKey, str]],
) -> pd.DataFrame:
    """One line per label."""
    lines = [i for i, pick in enumerate(picks) for _ in pick.widths]
    bought = [picks[i].label for i in lines]
    rows, items = labels.names_at(positions)
    columns: dict[str, Any] = {
        "row": rows,
        **({} if items is None else {"item": items}),
        "label": bought,
        "then": [picks[i].then for i in lines],
        "seen": [kinds[i][1] for i in lines],
        "shrinkage_per_unit": np.concatenate([np.zeros(0), *(pick.gains for pick in picks)]),
        "cost": np.cumsum([getattr(prices, label) for label in bought], dtype=float),
        "width": np.concatenate([np.zeros(0), *(pick.widths for pick in picks)]),
    }
    groups = {
        free_name(name, list(columns)): [kinds[i][0][j] for i in lines]
        for j, name in enumerate(labels.by)
    }
    index = pd.RangeIndex(1, len(lines) + 1, name="rank")
    return pd.DataFrame({**groups, **columns}, index=index)


def _note(
    table: pd.DataFrame, pools: Sequence[Pool], *, k: int, target: str, ci_prob: float
) -> str:
    """What the queue comes to, in a sentence or two."""
    n, n_left = len(table), sum(s.n_rows for pool in pools for s in pool.strata)
    if not n_left:
        return "Nothing is left to label: no row whose A is seen lacks R, or T of an answer."
    if n == 0:
        return f"No label that is left tells anything about {target}."
    counted = table["label"].value_counts()
    sorts = ", ".join(f"{counted[label]:,} of {label}" for label in ("R", "T") if label in counted)
    said = f"{n:,} label{'' if n == 1 else 's'} ({sorts}) for {table['cost'].iloc[-1]:,g} units"
    interval = f"{100 * ci_prob:g}% interval of {target}"
    if len(pools) == 1:
        said += (
            f": they should bring the width of the {interval} from {pools[0].width(ci_prob):.3f} "
            f"to {table['width'].iloc[-1]:.3f}."
        )
    else:
        said += f", each where it narrows the {interval} of its own system most."
    if n < k:
        said += f" No other label is left that tells anything about it (k={k:,})."
    return said
