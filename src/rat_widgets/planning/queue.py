"""The queue: which label to buy next, one after the other, as the information grows.

Greedy: the label that narrows the target's interval most for its price, in expectation over what
it turns out to be. Rows that show the same are one kind; where the first label of a row is bought
in the same queue, and not seen yet, the second one tells what it adds to that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import numpy as np
from jaxtyping import Bool, Float

from rat_widgets.derived.posterior import Posterior
from rat_widgets.planning.patterns import Prices
from rat_widgets.planning.point import Point, read_already
from rat_widgets.planning.rules import Label, Rule
from rat_widgets.planning.schemes import Stratum, bought_by, pool_strata
from rat_widgets.planning.situation import variances, width_of

__all__ = ["Pick", "Pool", "pick_labels"]

# Longer queues are picked several labels of a kind at a time.
_SINGLE_STEPS: Final = 2000
# A width that falls by a smaller share of itself falls by rounding.
_NOTHING: Final = 1e-9
_ALONE: Final[dict[Label, Rule]] = {"R": Rule(False, "R"), "T": Rule(False, "T")}
_BOTH: Final = Rule(False, "R", (True, True))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pool:
    """The rows of one system that lack labels, and what is known of it.

    Attributes
    ----------
    strata : tuple of Stratum
        Rows by what they show.
    known : array, shape (factor, factor)
        Information in the priors and in all rows.
    gradient : array, shape (factor,)
        Of the target.
    point : Point
    """

    strata: tuple[Stratum, ...]
    known: Float[np.ndarray, "factor factor"]
    gradient: Float[np.ndarray, " factor"]
    point: Point

    @classmethod
    def of(cls, post: Posterior, target: str, policy: Any = None) -> Self:
        """The rows that a posterior was fitted to.

        Raises
        ------
        ArgumentError
            When there is no such target.
        """
        point = Point.of(post, policy=policy)
        patterns, counts = read_already(post.counts, point)
        return cls(
            strata=pool_strata(patterns, counts, point),
            known=point.known(patterns, counts),
            gradient=point.gradient(target),
            point=point,
        )

    def width(self, ci_prob: float = 0.95) -> float:
        """Width of the target's interval as it is now."""
        return width_of(float(variances(self.known, self.gradient[None])[0]), ci_prob)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pick:
    """Labels of one sort on rows of one kind, bought one after the other.

    Attributes
    ----------
    pool, stratum : int
        Whose rows, and which of them.
    label : "R" or "T"
    then : str
        What is worth buying on the row once the label is seen: "T where R=1", "T" or "".
    is_second : bool
        Whether the other label of these rows stands earlier in the queue.
    widths : array, shape (label,)
        Expected width of the system's interval after each, with nothing bought that follows.
    gains : array, shape (label,)
        By how much each, with what follows it, narrows the interval per unit.
    """

    pool: int
    stratum: int
    label: Label
    then: str
    is_second: bool
    widths: Float[np.ndarray, " label"]
    gains: Float[np.ndarray, " label"]


def pick_labels(
    pools: Sequence[Pool], k: int, prices: Prices, *, ci_prob: float = 0.95
) -> tuple[Pick, ...]:
    """The next `k` labels, or as many as there are that tell anything of the target.

    Each narrows the interval of its own system; of several systems the sum of the widths falls
    fastest.
    """
    queues = [_Queue(pool, prices, ci_prob) for pool in pools]
    block = -(-k // _SINGLE_STEPS)
    picks: list[Pick] = []
    left = k
    while left > 0 and queues:
        best = max(range(len(queues)), key=lambda i: queues[i].best_gain)
        if queues[best].best_gain <= 0:
            break
        pick = queues[best].take(best, min(block, left))
        left -= len(pick.widths)
        picks.append(pick)
    return tuple(picks)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Offer:
    """A label that may be bought on rows of one stratum.

    Attributes
    ----------
    stratum : int
    label : "R" or "T"
    then : str
    is_second : bool
    cost : float
        Of the label and what is expected to follow.
    tells, tells_all : array, shape (factor, factor)
        Information in the label, and with what follows.
    """

    stratum: int
    label: Label
    then: str
    is_second: bool
    cost: float
    tells: Float[np.ndarray, "factor factor"]
    tells_all: Float[np.ndarray, "factor factor"]


class _Queue:
    """One system's labels, the best next one first.

    What follows a label counts as planned when the next one is chosen, so that a queue does not
    buy the first label of ever more rows as if nothing were to follow.
    """

    def __init__(self, pool: Pool, prices: Prices, ci_prob: float) -> None:
        self._gradient, self._z = pool.gradient, width_of(1.0, ci_prob)
        self._known = self._planned = pool.known
        self._offers = _offers(pool, prices)
        self._costs = np.array([offer.cost for offer in self._offers])
        p = len(pool.gradient)
        self._tells = np.reshape([offer.tells_all for offer in self._offers], (-1, p, p))
        self._is_second = np.array([offer.is_second for offer in self._offers], dtype=bool)
        # by stratum: rows with nothing bought, with R bought, with T bought
        self._rows = np.zeros((len(pool.strata), 3), dtype=np.int64)
        self._rows[:, 0] = [round(stratum.n_rows) for stratum in pool.strata]
        self._state = np.array([self._state_of(offer) for offer in self._offers], dtype=int)
        self._gains: Any = np.zeros(0)
        self._look()

    @staticmethod
    def _state_of(offer: _Offer) -> int:
        """Which rows an offer is for: of a second label those that have the other one."""
        return (2 if offer.label == "R" else 1) if offer.is_second else 0

    @property
    def best_gain(self) -> float:
        """Of the next label, per unit; 0 when none tells anything."""
        return float(self._gains.max(initial=0.0))

    def take(self, pool: int, n: int) -> Pick:
        """Buy up to `n` labels of the best offer."""
        best = int(self._gains.argmax())
        offer, state = self._offers[best], int(self._state[best])
        n = min(n, int(self._rows[offer.stratum, state]))
        steps = np.arange(n + 1)[:, None, None]
        planned = self._widths(self._planned + steps * offer.tells_all)
        widths = self._widths(self._known + steps[1:] * offer.tells)
        self._planned = self._planned + n * offer.tells_all
        self._known = self._known + n * offer.tells
        self._rows[offer.stratum, state] -= n
        if not offer.is_second:
            self._rows[offer.stratum, 1 if offer.label == "R" else 2] += n
        self._look()
        return Pick(
            pool=pool,
            stratum=offer.stratum,
            label=offer.label,
            then=offer.then,
            is_second=offer.is_second,
            widths=widths,
            gains=-np.diff(planned) / offer.cost,
        )

    def _look(self) -> None:
        """What each offer would do now; second labels of the same rows wait for all first ones."""
        if not self._offers:
            self._gains = np.zeros(0)
            return
        has_rows = self._rows[[offer.stratum for offer in self._offers], self._state] > 0
        self._gains = self._gains_of(has_rows & ~self._is_second)
        if self.best_gain <= 0 and (has_rows & self._is_second).any():
            self._planned = self._known
            self._gains = self._gains_of(has_rows & self._is_second)

    def _gains_of(self, offered: Bool[np.ndarray, " offer"]) -> Float[np.ndarray, " offer"]:
        now = float(self._widths(self._planned[None])[0])
        falls = now - self._widths(self._planned + self._tells)
        return np.where(offered & (falls > _NOTHING * now), falls / self._costs, 0.0)

    def _widths(
        self, information: Float[np.ndarray, "some factor factor"]
    ) -> Float[np.ndarray, " some"]:
        c = self._gradient
        solved = np.linalg.solve(information, np.broadcast_to(c, information.shape[:2])[..., None])
        return np.asarray(self._z * np.sqrt(solved[..., 0] @ c))


def _offers(pool: Pool, prices: Prices) -> list[_Offer]:
    """Every label that may be bought on these rows, with every sort of what may follow."""
    keys = [(i, rule) for i, stratum in enumerate(pool.strata) for rule in stratum.rules]
    if not keys:
        return []
    found = bought_by([(pool.strata[i].pattern, rule) for i, rule in keys], pool.point)
    bought = dict(zip(keys, found, strict=True))
    offers: list[_Offer] = []
    for (i, rule), whole in bought.items():
        for label in _firsts(rule):
            alone = whole if rule.abstained else bought[i, _ALONE[label]]
            offer = _Offer(
                stratum=i,
                label=label,
                then=_following(rule, label),
                is_second=False,
                cost=whole.cost(prices),
                tells=alone.gain,
                tells_all=whole.gain,
            )
            offers.append(offer)
            if rule == _BOTH:
                more = whole.gain - bought[i, _ALONE["T" if label == "R" else "R"]].gain
                price = prices.R if label == "R" else prices.T
                second = {"then": "", "is_second": True, "tells": more, "tells_all": more}
                offers.append(replace(offer, cost=price, **second))
    return offers


def _firsts(rule: Rule) -> tuple[Label, ...]:
    """Labels that a purchase may begin with."""
    if rule == _BOTH:
        return ("R", "T")
    return (rule.first or "R",)


def _following(rule: Rule, label: Label) -> str:
    other = "T" if label == "R" else "R"
    if not any(rule.then):
        return ""
    return other if all(rule.then) else f"{other} where {label}={rule.then.index(True)}"
