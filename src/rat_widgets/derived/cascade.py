"""Every band of scores at once: what a cascade of two judges sends on, and gets wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Bool, Float, Int

from rat_widgets.derived.scores import Scored, number
from rat_widgets.errors import ArgumentError, ArgumentTypeError

__all__ = ["Bands", "Outcome", "Prices", "bands_of", "best_band", "outcome_of", "read_prices"]

_N_CUTS: Final = 256


@dataclass(frozen=True, kw_only=True, slots=True)
class Prices:
    """Of a verdict of either judge, and of an error of either kind; any one currency."""

    cheap: float = 0.0
    expensive: float = 1.0
    false_pass: float = 0.0
    false_fail: float = 0.0

    @property
    def has_errors(self) -> bool:
        """Whether an error costs something."""
        return self.false_pass > 0 or self.false_fail > 0


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What became of some rows: how many in all, by path, and wrong by path and kind."""

    n: int
    n_failed: int
    n_passed: int
    wrongly_failed: int
    wrongly_passed: int
    expensive_false_fail: int
    expensive_false_pass: int

    @property
    def n_sent(self) -> int:
        """Rows that the expensive judge decided."""
        return self.n - self.n_failed - self.n_passed

    @property
    def n_wrong(self) -> int:
        """Rows that ended in another verdict than people's."""
        return self.false_fail + self.false_pass

    @property
    def false_fail(self) -> int:
        """Rows that people pass and the cascade fails."""
        return self.wrongly_failed + self.expensive_false_fail

    @property
    def false_pass(self) -> int:
        """Rows that people fail and the cascade passes."""
        return self.wrongly_passed + self.expensive_false_pass

    def cost(self, prices: Prices, *, is_cheap_asked: bool = True) -> float:
        """Cost per row."""
        total = prices.cheap * self.n * is_cheap_asked + prices.expensive * self.n_sent
        total += prices.false_pass * self.false_pass + prices.false_fail * self.false_fail
        return total / self.n


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Bands:
    """What each pair of thresholds sends on, and gets wrong, in rows.

    Attributes
    ----------
    cuts : array, shape (cut,)
        Thresholds from 0 to 1.
    sent, false_fail, false_pass : array, shape (cut, cut)
        By the threshold below which rows fail, and the one above which they pass.
    """

    cuts: Float[np.ndarray, " cut"]
    sent: Float[np.ndarray, "low high"]
    false_fail: Float[np.ndarray, "low high"]
    false_pass: Float[np.ndarray, "low high"]

    @property
    def wrong(self) -> Float[np.ndarray, "low high"]:
        """Rows that end in another verdict than people's."""
        return self.false_fail + self.false_pass

    def price_of_errors(self, prices: Prices) -> Float[np.ndarray, "low high"]:
        """What all errors of a band cost."""
        return prices.false_fail * self.false_fail + prices.false_pass * self.false_pass

    def is_band(self, *, may_send: bool = True) -> Bool[np.ndarray, "low high"]:
        """Pairs of thresholds: nothing fails below the first, nothing passes above the last."""
        n = len(self.cuts)
        low, high = np.arange(n)[:, None], np.arange(n)[None, :]
        inside = (low < n - 1) & (high > 0)
        return inside & ((low <= high) if may_send else (low == high))


def outcome_of(rows: Scored, low: float, high: float) -> Outcome:
    """Rows below `low` fail, above `high` pass, and those between are sent on."""
    failed, passed = rows.score < low, rows.score > high
    sent = ~failed & ~passed
    wrong_fail, wrong_pass = _expensive_errors(rows)
    return Outcome(
        n=len(rows.score),
        n_failed=int(failed.sum()),
        n_passed=int(passed.sum()),
        wrongly_failed=int(rows.label[failed].sum()),
        wrongly_passed=int((1 - rows.label[passed]).sum()),
        expensive_false_fail=int(wrong_fail[sent].sum()),
        expensive_false_pass=int(wrong_pass[sent].sum()),
    )


def best_band(
    rows: Scored,
    prices: Prices,
    target: float | None,
    probability: float,
    *,
    may_send: bool = True,
) -> tuple[float, float, bool]:
    """The band that costs least, and whether the target is met on these rows.

    Parameters
    ----------
    rows : Scored
        With two different scores at least.
    prices : Prices
    target : float or None
        Largest error rate.
    probability : float
        Posterior probability, on these rows, that the error rate is no larger; sending all rows
        to a person keeps to every target.
    may_send : bool
        False asks for the best single threshold.

    Notes
    -----
    Thresholds lie between neighbouring scores; with more than 256 of them, at quantiles. Where
    no band meets the target the one with fewest errors is taken. Ties go to fewer errors, then
    to fewer rows sent.
    """
    bands = bands_of(rows)
    sent, wrong = bands.sent, bands.wrong
    cost = prices.expensive * sent + bands.price_of_errors(prices)
    is_band = bands.is_band(may_send=may_send)
    is_met = is_band & _meets(wrong, len(rows.score), target, probability)
    is_met[0, -1] |= rows.expensive is None  # a person decides everything, and never errs
    reached = bool(is_met.any())
    first = cost if reached else wrong
    allowed = is_met if reached else is_band
    order = np.lexsort([sent[allowed], wrong[allowed], np.round(first[allowed], 9)])
    low, high = np.argwhere(allowed)[order[0]]
    return float(bands.cuts[low]), float(bands.cuts[high]), reached


def bands_of(rows: Scored) -> Bands:
    """All bands between neighbouring scores; with more than 256 of them, at quantiles."""
    kinds, cuts, below = _cuts(rows)
    wrong_fail, wrong_pass = _expensive_errors(rows)
    n = _before(kinds, below, np.ones(len(kinds)))
    n_pass = _before(kinds, below, rows.label.astype(np.float64))
    bad_fail, bad_pass = _before(kinds, below, wrong_fail), _before(kinds, below, wrong_pass)
    n_fail = n - n_pass
    return Bands(
        cuts=cuts,
        sent=n[None, :] - n[:, None],
        false_fail=n_pass[:, None] + bad_fail[None, :] - bad_fail[:, None],
        false_pass=(n_fail[-1] - n_fail)[None, :] + bad_pass[None, :] - bad_pass[:, None],
    )


def _meets(
    wrong: Float[np.ndarray, "low high"], n: int, target: float | None, probability: float
) -> Bool[np.ndarray, "low high"]:
    from scipy.special import betainc

    if target is None:
        return np.ones_like(wrong, dtype=bool)
    return np.asarray(betainc(wrong + 0.5, n - wrong + 0.5, target) >= probability)


def _cuts(
    rows: Scored,
) -> tuple[Int[np.ndarray, " row"], Float[np.ndarray, " cut"], Int[np.ndarray, " cut"]]:
    """Which distinct score each row has, thresholds, and the distinct scores below each."""
    scores, kinds = np.unique(rows.score, return_inverse=True)
    below = np.arange(1, len(scores))
    if len(below) > _N_CUTS:
        at = np.quantile(kinds, np.linspace(0, 1, _N_CUTS), method="inverted_cdf")
        below = np.unique(np.clip(at.astype(np.int64), 1, len(scores) - 1))
    between = [_rounded(float(scores[i - 1]), float(scores[i])) for i in below.tolist()]
    return kinds, np.array([0.0, *between, 1.0]), np.array([0, *below, len(scores)])


def _rounded(low: float, high: float) -> float:
    """The shortest decimal near the middle of two scores that is between them."""
    middle = (low + high) / 2
    return next((r for d in range(1, 17) if low < (r := round(middle, d)) < high), middle)


def _before(
    kinds: Int[np.ndarray, " row"],
    below: Int[np.ndarray, " cut"],
    weight: Float[np.ndarray, " row"],
) -> Float[np.ndarray, " cut"]:
    """Total of a weight over the rows with scores below each threshold."""
    return np.concatenate([[0.0], np.cumsum(np.bincount(kinds, weights=weight))])[below]


def _expensive_errors(
    rows: Scored,
) -> tuple[Float[np.ndarray, " row"], Float[np.ndarray, " row"]]:
    """Rows that the expensive judge fails or passes wrongly; a person never does."""
    if rows.expensive is None:
        return np.zeros(len(rows.label)), np.zeros(len(rows.label))
    wrong_fail = (rows.expensive == 0) & (rows.label == 1)
    wrong_pass = (rows.expensive == 1) & (rows.label == 0)
    return wrong_fail.astype(float), wrong_pass.astype(float)


def read_prices(given: object) -> Prices:
    """Prices from a mapping, checked."""
    accepted = (
        'A mapping with any of "cheap" (0) and "expensive" (1), the price of a verdict, and '
        '"error", or "false_pass" and "false_fail", the price of an error.'
    )
    if given is None:
        return Prices()
    if not isinstance(given, Mapping):
        raise ArgumentTypeError.build(f"`cost` is {given!r:.80}.", accepted=accepted)
    known = {"cheap", "expensive", "error", "false_pass", "false_fail"}
    both = "error" in given and {"false_pass", "false_fail"} & set(given)
    for name in given:
        if name not in known or both:
            raise ArgumentError.build(
                f"`cost` has {', '.join(map(repr, given)) if both else repr(name)}.",
                accepted=accepted,
            )
    prices = {name: number(value, f"cost[{name!r}]", 0) for name, value in given.items()}
    error = prices.pop("error", None)
    return (
        Prices(**prices) if error is None else Prices(**prices, false_pass=error, false_fail=error)
    )
