"""A judge of pairs, asked in both orders: does it judge answers, or places?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from jaxtyping import Int

from rat_widgets.derived.columns import Columns, column_name
from rat_widgets.derived.intervals import beta_interval, credible_interval, read_interval
from rat_widgets.derived.printed import Measured, Printed, Rows, counted, shown
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.keys import is_missing, one_line

__all__ = ["PositionSwap", "position_swap"]

VERDICTS: Final = ("first", "second", "tie")
_ACCEPTED: Final = 'Verdicts are "first", "second" and "tie", or missing; others through `values`.'
_CALL: Final = 'rat.position_swap("first_order", "swapped_order", data=df)'
_N_DRAWS: Final = 20_000
_SURE: Final = 0.95


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class PositionSwap(Printed):
    """Verdicts on pairs of answers in both orders; prints well and renders in a notebook.

    Attributes
    ----------
    first, swapped : str
        What the two columns are called.
    table : tuple of tuples of int
        Pairs by the verdict in the one order and in the other: "first", "second", "tie", which
        are places. The answer that is shown first in the one is second in the other.
    n_rows, n_missing : int
        Pairs given; pairs that lack a verdict, which are left out.
    consistent, follows_first, follows_second, one_tie : Measured
        Shares of pairs: the same answer wins, or neither, in both orders; the first place wins
        in both; the second does; a tie in one order alone. They add up to 1.
    lean : Measured
        Share of verdicts for the first place less the share for the second, ties counting
        neither way; 0 without any pull of the place.
    p_first : float
        Posterior probability that the first place pulls more than the second (`lean` > 0).
    wins : Measured
        Share of the pairs with one winner in both orders that the answer wins which `first`
        shows first.
    ci_prob : float
    notes : tuple of str
    """

    first: str
    swapped: str
    table: tuple[tuple[int, ...], ...]
    n_rows: int
    n_missing: int
    consistent: Measured
    follows_first: Measured
    follows_second: Measured
    one_tie: Measured
    lean: Measured
    p_first: float
    wins: Measured
    ci_prob: float
    notes: tuple[str, ...]

    @property
    def n(self) -> int:
        """Pairs with both verdicts."""
        return self.n_rows - self.n_missing

    @property
    def headline(self) -> str:
        """The result in one line."""
        follows = (self.follows_first.value or 0) + (self.follows_second.value or 0)
        left_out = f", {self.n_missing:,} left out" if self.n_missing else ""
        return (
            f"{one_line(self.first)} and {one_line(self.swapped)}: "
            f"{100 * (self.consistent.value or 0):.0f}% of pairs are judged alike in both orders, "
            f"{100 * follows:.0f}% by their place ({counted(self.n, 'pair')}{left_out})"
        )

    def to_frame(self) -> pd.DataFrame:
        """Pairs by verdict in the one order (rows) and in the other (columns)."""
        return pd.DataFrame(
            self.table,
            index=pd.Index(VERDICTS, name=self.first),
            columns=pd.Index(VERDICTS, name=self.swapped),
        )

    def to_dict(self) -> dict[str, Any]:
        """The result as values that JSON can hold."""
        plain = asdict(self) | {"n": self.n, "notes": list(self.notes)}
        return plain | {"table": [list(row) for row in self.table]}

    def tables(self) -> Sequence[Rows]:
        """The shares, and the pairs by both verdicts."""
        shares: list[tuple[str, ...]] = [("", "value", f"{100 * self.ci_prob:g}% interval")]
        for name, measured in (
            ("same verdict in both orders", self.consistent),
            ("first place wins in both", self.follows_first),
            ("second place wins in both", self.follows_second),
            ("tie in one order alone", self.one_tie),
            ("lean to the first place", self.lean),
        ):
            shares.append((name, *shown(measured)))
        counts: list[tuple[str, ...]] = [("", *(f"swapped: {verdict}" for verdict in VERDICTS))]
        for verdict, row in zip(VERDICTS, self.table, strict=True):
            counts.append((verdict, *(f"{n:,}" for n in row)))
        return shares, counts


def position_swap(
    first: Any,
    swapped: Any,
    *,
    data: Any = None,
    values: Mapping[Any, str] | None = None,
    ci_prob: float = 0.95,
) -> PositionSwap:
    """How often a judge of pairs keeps its verdict when the two answers change places.

    Parameters
    ----------
    first, swapped : column, or str with `data`
        Verdicts on the same pairs, in one order and in the other: "first", "second" or "tie",
        meaning the place that the winner had in that order. A judge that prefers one answer
        says "first" in the one and "second" in the other.
    data : frame, optional
        Any frame that `Labels.from_frame` reads.
    values : mapping, optional
        How other verdicts read: ``{"A": "first", "B": "second", "C": "tie"}``.
    ci_prob : float
        Posterior probability inside the intervals, which are equal-tailed.

    Returns
    -------
    PositionSwap

    Notes
    -----
    Shares have the Beta posterior with Jeffreys' prior; the lean comes from 20,000 draws of the
    nine cells of the table with the prior Dirichlet(1/9, ..., 1/9). A verdict that changes
    between two runs in one order changes here, too: not all that is inconsistent is the
    place's doing, but noise alone pulls to both places alike.

    Raises
    ------
    ArgumentError, ArgumentTypeError, LabelValueError, MissingColumnError
        For columns that are not verdicts on the same pairs, or share no pair.

    Examples
    --------
    >>> report = position_swap(["first", "first", "tie"], ["second", "first", "tie"])
    >>> report.table
    ((1, 1, 0), (0, 0, 0), (0, 0, 1))
    """
    ci_prob, _ = read_interval(ci_prob, "eti")
    columns = Columns(data, None, _CALL)
    meanings = _meanings(values)
    one = columns.words(first, "first", meanings, _ACCEPTED)
    other = columns.words(swapped, "swapped", meanings, _ACCEPTED)
    kept = (one >= 0) & (other >= 0)
    if not kept.any():
        raise ArgumentError.build(
            f"No pair has both verdicts: {int((one >= 0).sum()):,} of {len(one):,} rows have one "
            f"in `first`, {int((other >= 0).sum()):,} in `swapped`.",
            accepted="Pairs that were judged in both orders.",
        )
    table = np.zeros((3, 3), dtype=np.int64)
    np.add.at(table, (one[kept], other[kept]), 1)
    lean, p_first = _lean(table, ci_prob)
    n, same = int(table.sum()), int(table[0, 1] + table[1, 0] + table[2, 2])
    by_first, by_second = int(table[0, 0]), int(table[1, 1])
    return PositionSwap(
        first=column_name(first, "first"),
        swapped=column_name(swapped, "swapped"),
        table=tuple(map(tuple, table.tolist())),
        n_rows=len(one),
        n_missing=int((~kept).sum()),
        consistent=_share(same, n, ci_prob),
        follows_first=_share(by_first, n, ci_prob),
        follows_second=_share(by_second, n, ci_prob),
        one_tie=_share(n - same - by_first - by_second, n, ci_prob),
        lean=lean,
        p_first=p_first,
        wins=_share(int(table[0, 1]), int(table[0, 1] + table[1, 0]), ci_prob),
        ci_prob=ci_prob,
        notes=_notes(table, p_first),
    )


def _meanings(values: object) -> dict[Any, int]:
    known = {verdict: i for i, verdict in enumerate(VERDICTS)}
    if values is None:
        return known
    accepted = 'A mapping such as {"A": "first", "B": "second", "C": "tie"}.'
    if not isinstance(values, Mapping):
        raise ArgumentTypeError.build(f"`values` is {values!r:.80}.", accepted=accepted)
    for raw, meaning in values.items():
        if is_missing(raw) or meaning not in VERDICTS:
            raise ArgumentError.build(
                f"`values` says that {raw!r:.60} reads as {meaning!r:.60}.", accepted=accepted
            )
    return known | {raw: known[meaning] for raw, meaning in values.items()}


def _lean(table: Int[np.ndarray, "3 3"], ci_prob: float) -> tuple[Measured, float]:
    """Verdicts for the first place less those for the second, per verdict."""
    pull = np.array([1, -1, 0])
    weight = (pull[:, None] + pull[None, :]).ravel() / 2
    cells = table.ravel()
    draws = np.random.default_rng(0).dirichlet(cells + 1 / 9, size=_N_DRAWS) @ weight
    lower, upper = (float(end) for end in credible_interval(draws, ci_prob=ci_prob))
    value = float(cells @ weight / cells.sum())
    return Measured(value=value, lower=lower, upper=upper), float((draws > 0).mean())


def _share(part: int, whole: int, ci_prob: float) -> Measured:
    lower, upper = beta_interval(part, whole - part, ci_prob=ci_prob, prior=0.5)
    return Measured(value=part / whole if whole else None, lower=lower, upper=upper)


def _notes(table: Int[np.ndarray, "3 3"], p_first: float) -> tuple[str, ...]:
    notes = []
    if p_first > _SURE or p_first < 1 - _SURE:
        place, sure = ("first", p_first) if p_first > 0.5 else ("second", 1 - p_first)
        notes.append(
            f"The {place} place pulls, with probability {_sure(sure)}: judge every pair in both "
            "orders, and count only what both agree on."
        )
    said = np.flatnonzero(table.sum(axis=0) + table.sum(axis=1))
    if len(said) == 1:
        notes.append(f"Every verdict is {VERDICTS[said[0]]!r}: the judge does not look.")
    if table[0, 0] + table[1, 1] == 0 and table[2].sum() + table[:, 2].sum() == 0:
        notes.append("No pair changed: check that the second column is not the first, turned.")
    return tuple(notes)


def _sure(probability: float) -> str:
    return f"{probability:.2f}" if probability < 0.995 else "above 0.99"
