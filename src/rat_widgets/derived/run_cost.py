"""What a judged run costs, from the prices that the user gives; none comes with the package."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from rat_widgets.derived.columns import Columns
from rat_widgets.derived.printed import Printed, Rows
from rat_widgets.derived.scores import number, whole_number
from rat_widgets.errors import ArgumentError, ArgumentTypeError

__all__ = ["CostLine", "RunCost", "run_cost"]

_MILLION: Final = 1_000_000
_CALL: Final = "rat.run_cost(1000, tokens_in=900, tokens_out=60, price_in=1.0, price_out=4.0)"
_TIERS: Final = (
    "Pairs (tokens, factor) with tokens rising from above 0, such as [(1e9, 0.9), (5e9, 0.8)]: "
    "from so many tokens on, prices are multiplied by the factor."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class CostLine:
    """One part of a bill: tokens at a price per million, or a deduction with neither."""

    name: str
    tokens: float | None
    price: float | None
    cost: float


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class RunCost(Printed):
    """The cost of a judged run, line by line; prints well and renders in a notebook.

    Attributes
    ----------
    n_calls : int
        Verdicts that are wanted.
    n_billed : float
        Calls that are paid for, those that are repeated included.
    lines : tuple of CostLine
        They add up to `total`.
    total, per_verdict : float
        In the currency of the prices.
    currency : str
    notes : tuple of str
    """

    n_calls: int
    n_billed: float
    lines: tuple[CostLine, ...]
    total: float
    per_verdict: float
    currency: str
    notes: tuple[str, ...] = ()

    @property
    def headline(self) -> str:
        """The result in one line."""
        return (
            f"{self.n_calls:,} verdicts cost {_money(self.total, self.currency)}, "
            f"{_money(1000 * self.per_verdict, self.currency)} per 1,000"
        )

    def to_frame(self) -> pd.DataFrame:
        """One row per line of the bill: tokens, price per million, cost."""
        return pd.DataFrame(
            [(line.tokens, line.price, line.cost) for line in self.lines],
            index=pd.Index([line.name for line in self.lines], name="part"),
            columns=["tokens", "price", "cost"],
        )

    def to_dict(self) -> dict[str, Any]:
        """The result as values that JSON can hold."""
        plain = asdict(self)
        return plain | {"lines": list(plain["lines"]), "notes": list(self.notes)}

    def tables(self) -> Sequence[Rows]:
        """The bill."""
        bill: list[tuple[str, ...]] = [("", "tokens", "price of a million", "cost")]
        for line in self.lines:
            tokens = "" if line.tokens is None else f"{line.tokens:,.0f}"
            price = "" if line.price is None else f"{line.price:g}"
            bill.append((line.name, tokens, price, _money(line.cost, "")))
        return (bill,)


def run_cost(
    n_calls: int | None = None,
    *,
    tokens_in: Any,
    tokens_out: Any,
    price_in: float,
    price_out: float,
    price_cached: float | None = None,
    cached: float = 0.0,
    batch_discount: float = 0.0,
    batched: float = 1.0,
    tiers: Sequence[tuple[float, float]] = (),
    tokens_before: float = 0.0,
    retries: float = 0.0,
    currency: str = "",
) -> RunCost:
    """The cost of a run of a judge, from token counts and your prices.

    Parameters
    ----------
    n_calls : int, optional
        Verdicts: rows times judges times repetitions. Without it, as many as `tokens_in` or
        `tokens_out` has values.
    tokens_in, tokens_out : float or column of numbers
        Tokens per call, read and written: the mean, or one number per call.
    price_in, price_out : float
        Price of a million tokens read, and of a million written.
    price_cached : float, optional
        Price of a million tokens that are read from the provider's cache.
    cached : float
        Share of the tokens read that are.
    batch_discount : float
        Share of the price that a batch saves: 0.5 is half price.
    batched : float
        Share of the calls that go in batches.
    tiers : sequence of (float, float)
        Discounts by volume: from so many tokens on, read and written together, prices are
        multiplied by the factor; tokens before that keep the factor before, at first 1.
    tokens_before : float
        Tokens already used, which count for the tiers and not for the bill.
    retries : float
        Calls that have to be repeated, per call: 0.05 is one in twenty. They cost as much.
    currency : str
        Shown beside amounts.

    Returns
    -------
    RunCost

    Notes
    -----
    Discounts multiply: a batch saves its share of cached tokens, too, and a tier's factor is
    taken of what remains. Tokens of all kinds are spread evenly over the tiers. Providers
    differ in this: compare a small run with its bill.

    Raises
    ------
    ArgumentError, ArgumentTypeError, LabelValueError
        For negative counts or prices, shares outside [0, 1], a cached share without its price,
        tiers that do not rise, or columns that do not fit `n_calls`.

    Examples
    --------
    >>> run_cost(1000, tokens_in=900, tokens_out=100, price_in=2, price_out=10).total
    2.8
    """
    read, n_read = _tokens(tokens_in, "tokens_in")
    written, n_written = _tokens(tokens_out, "tokens_out")
    n = _n_calls(n_calls, {"tokens_in": n_read, "tokens_out": n_written})
    n_billed = n * (1 + number(retries, "retries", 0))
    cached = number(cached, "cached", 0, 1)
    if cached and price_cached is None:
        raise ArgumentError.build(
            f"`cached` is {cached:g}, and there is no `price_cached`.",
            accepted="The price of a million tokens that are read from the cache.",
        )
    amounts = {
        "read": (n_billed * read * (1 - cached), number(price_in, "price_in", 0)),
        "read from the cache": (
            n_billed * read * cached,
            0.0 if price_cached is None else number(price_cached, "price_cached", 0),
        ),
        "written": (n_billed * written, number(price_out, "price_out", 0)),
    }
    lines = [
        CostLine(name=name, tokens=tokens, price=price, cost=tokens * price / _MILLION)
        for name, (tokens, price) in amounts.items()
        if tokens or name != "read from the cache"
    ]
    full = sum(line.cost for line in lines)
    saved = full * number(batch_discount, "batch_discount", 0, 1) * number(batched, "batched", 0, 1)
    tokens = n_billed * (read + written)
    factor = _factor(_read_tiers(tiers), number(tokens_before, "tokens_before", 0), tokens)
    by_tier = (full - saved) * (1 - factor)
    for name, less in (("batches", saved), ("tiers", by_tier)):
        if less:
            lines.append(CostLine(name=name, tokens=None, price=None, cost=-less))
    total = full - saved - by_tier
    return RunCost(
        n_calls=n,
        n_billed=n_billed,
        lines=tuple(lines),
        total=total,
        per_verdict=total / n,
        currency=str(currency),
    )


def _tokens(given: Any, argument: str) -> tuple[float, int | None]:
    """Mean tokens per call, and the number of calls where there is a number for each."""
    if isinstance(given, (int, float, np.integer, np.floating)):
        return number(given, argument, 0), None
    accepted = "Numbers of tokens, 0 or more: the mean of a call, or one number for each."
    column = Columns(None, None, _CALL).numbers(
        given, argument, low=0, high=np.inf, accepted=accepted
    )
    if np.isnan(column).any() or not len(column):
        raise ArgumentError.build(
            f"`{argument}` has {int(np.isnan(column).sum()):,} missing of {len(column):,} values.",
            accepted=accepted,
            hint="give the mean of those that are known, and `n_calls`.",
        )
    return float(column.mean()), len(column)


def _n_calls(given: int | None, found: dict[str, int | None]) -> int:
    counted = {name: n for name, n in found.items() if n is not None}
    if given is not None:
        counted["n_calls"] = whole_number(given, "n_calls", 1)
    if not counted:
        raise ArgumentError.build(
            "There is no `n_calls`, and tokens are means.",
            accepted="The number of verdicts, or one number of tokens for each.",
        )
    if len(set(counted.values())) > 1:
        raise ArgumentError.build(
            " and ".join(f"`{name}` is about {n:,} calls" for name, n in counted.items()) + ".",
            accepted="One number of calls.",
        )
    return next(iter(counted.values()))


def _read_tiers(tiers: object) -> list[tuple[float, float]]:
    """Where each factor begins, from 0 with factor 1."""
    found = [(0.0, 1.0)]
    if not isinstance(tiers, (list, tuple)):
        raise ArgumentTypeError.build(f"`tiers` is {tiers!r:.80}.", accepted=_TIERS)
    for tier in tiers:
        if not isinstance(tier, (list, tuple)) or len(tier) != 2:
            raise ArgumentError.build(f"`tiers` has {tier!r:.80}.", accepted=_TIERS)
        start, factor = number(tier[0], "tiers", 0), number(tier[1], "tiers", 0)
        if start <= found[-1][0]:
            raise ArgumentError.build(f"`tiers` has {tier!r:.80}.", accepted=_TIERS)
        found.append((start, factor))
    return found


def _factor(tiers: Sequence[tuple[float, float]], before: float, tokens: float) -> float:
    """Mean factor of the tokens from `before` on."""
    ends = [start for start, _ in tiers[1:]] + [np.inf]
    if not tokens:
        return 1.0
    inside = (
        max(min(end, before + tokens) - max(start, before), 0.0) * factor
        for (start, factor), end in zip(tiers, ends, strict=True)
    )
    return sum(inside) / tokens


def _money(amount: float, currency: str) -> str:
    digits = 2 if abs(amount) >= 1 or amount == 0 else 4
    return f"{amount:,.{digits}f}" + (f" {currency}" if currency else "")
