"""Schemes: what may be bought on rows of one kind, what it costs and what it would tell.

Rows of a pool are told apart by what they show already: those that abstained, those that
answered, and those of which R or T is labelled. A row that is drawn fresh shows nothing yet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

import numpy as np
from jaxtyping import Float, Int8

from rat_widgets.model.priors import judge_keys
from rat_widgets.planning.patterns import Prices
from rat_widgets.planning.point import Point
from rat_widgets.planning.rules import Rule
from rat_widgets.planning.strategies import Strategy

__all__ = [
    "Bought",
    "Scheme",
    "Stratum",
    "bought_by",
    "fresh_rows",
    "pool_strata",
    "schemes_of",
    "whole",
]

_RETRIEVAL, _ABSTENTION, _TASK = range(3)

_ANSWERS: Final = (
    Rule(False, "R"),
    Rule(False, "T"),
    Rule(False, "R", (True, True)),
    Rule(False, "R", (False, True)),
    Rule(False, "R", (True, False)),
    Rule(False, "T", (False, True)),
    Rule(False, "T", (True, False)),
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stratum:
    """Rows that show the same.

    Attributes
    ----------
    name : str
        "abstained", "answered", "answered, R=1", ...; "fresh rows" of those to be drawn.
    pattern : int8 array, shape (column,)
        What they show already.
    n_rows : float
        ``inf`` of fresh rows.
    """

    name: str
    pattern: Int8[np.ndarray, " column"]
    n_rows: float

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The purchases that differ here."""
        retrieval, abstained, task = self.pattern[:3].tolist()
        if abstained == -1:
            answers = (Rule(False, None), *_ANSWERS)
            rules = [Rule(away, a.first, a.then) for a, away in product(answers, (True, False))]
            return tuple(rule for rule in rules if not rule.buys_nothing)
        if abstained == 1:
            return (Rule(True, None),)
        if retrieval == -1 and task == -1:
            return _ANSWERS
        return (Rule(False, "R" if retrieval == -1 else "T"),)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bought:
    """What one row costs and tells on average.

    Attributes
    ----------
    n_r, n_t : float
        Labels of R and of T.
    gain : array, shape (factor, factor)
        Fisher information that they add to what the row shows already.
    """

    n_r: float
    n_t: float
    gain: Float[np.ndarray, "factor factor"]

    def cost(self, prices: Prices) -> float:
        """In units."""
        return prices.R * self.n_r + prices.T * self.n_t

    def __add__(self, other: Bought) -> Bought:
        return Bought(
            n_r=self.n_r + other.n_r, n_t=self.n_t + other.n_t, gain=self.gain + other.gain
        )

    def times(self, rows: float) -> Bought:
        """The same of so many rows."""
        return Bought(n_r=rows * self.n_r, n_t=rows * self.n_t, gain=rows * self.gain)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scheme:
    """One rule on the rows of one stratum."""

    stratum: int
    rule: Rule
    bought: Bought

    def text(self, stratum: Stratum) -> str:
        """What is bought, in words."""
        abstained = int(stratum.pattern[_ABSTENTION])
        if abstained == -1:
            return self.rule.text()
        return "R" if abstained == 1 else self.rule.text_of_answers()


def fresh_rows(point: Point) -> Stratum:
    """Rows that are still to be drawn: A is seen on each of them, whatever is bought."""
    pattern = np.full(point.n_columns, -1, dtype=np.int8)
    return Stratum(name="fresh rows", pattern=pattern, n_rows=np.inf)


def pool_strata(
    patterns: Int8[np.ndarray, "pattern column"],
    counts: Float[np.ndarray, " pattern"],
    point: Point,
) -> tuple[Stratum, ...]:
    """The rows whose A is seen and that lack a label, by what they show."""
    has_a = patterns[:, _ABSTENTION] >= 0
    lacks_t = (patterns[:, _TASK] == -1) & (patterns[:, _ABSTENTION] == 0)
    is_open = has_a & ((patterns[:, _RETRIEVAL] == -1) | lacks_t) & (counts > 0)
    strata: dict[bytes, tuple[np.ndarray, float]] = {}
    for pattern, n in zip(patterns[is_open], counts[is_open], strict=True):
        _, before = strata.get(pattern.tobytes(), (pattern, 0.0))
        strata[pattern.tobytes()] = (pattern, before + float(n))
    return tuple(
        Stratum(name=_name_of(pattern, point), pattern=pattern, n_rows=n)
        for pattern, n in sorted(strata.values(), key=lambda s: _order(s[0]))
    )


def _order(pattern: np.ndarray) -> tuple[int, ...]:
    retrieval, abstained, task, *rest = pattern.tolist()
    return (-abstained, retrieval, task, *rest)


def _name_of(pattern: np.ndarray, point: Point) -> str:
    retrieval, abstained, task, _, *verdicts = pattern.tolist()
    parts = ["abstained" if abstained else "answered"]
    if retrieval >= 0:
        levels = point.tree.levels
        parts.append(f"R={levels[retrieval] if point.tree.is_graded else retrieval}")
    if task >= 0:
        parts.append(f"T={task}")
    for key, judge, verdict in zip(judge_keys(point.judges), point.judges, verdicts, strict=True):
        if verdict >= 0:
            parts.append(f"{key}={(*judge.answers, 'unknown')[verdict]}")
    return ", ".join(parts)


def schemes_of(strata: Sequence[Stratum], point: Point) -> tuple[Scheme, ...]:
    """Everything that may be bought on these rows."""
    pairs = [(i, stratum, rule) for i, stratum in enumerate(strata) for rule in stratum.rules]
    bought = bought_by([(stratum.pattern, rule) for _, stratum, rule in pairs], point)
    return tuple(
        Scheme(stratum=i, rule=rule, bought=one)
        for (i, _, rule), one in zip(pairs, bought, strict=True)
    )


def whole(strategy: Strategy, strata: Sequence[Stratum], point: Point) -> tuple[Bought, float]:
    """What a strategy buys on all rows of finite strata, or on one fresh row; and how many rows."""
    pairs = [(stratum, share, rule) for stratum in strata for share, rule in strategy.parts]
    bought = bought_by([(stratum.pattern, rule) for stratum, _, rule in pairs], point)
    n = [1.0 if np.isinf(stratum.n_rows) else stratum.n_rows for stratum, _, _ in pairs]
    shares = [share for _, share, _ in pairs]
    p = len(point.names)
    total = Bought(n_r=0.0, n_t=0.0, gain=np.zeros((p, p)))
    for one, rows, share in zip(bought, n, shares, strict=True):
        total = total + one.times(rows * share)
    return total, sum(rows * share for rows, share in zip(n, shares, strict=True))


def bought_by(pairs: Sequence[tuple[np.ndarray, Rule]], point: Point) -> list[Bought]:
    """What each rule buys on a row that shows a pattern, which is the first of each pair.

    Notes
    -----
    The information of labels given what is seen is the covariance of the scores of the whole
    row, given what is seen: positive semidefinite whatever decides which label is bought.
    """
    tree = point.tree
    n_worlds = len(tree.names)
    before = np.array([pattern for pattern, _ in pairs], dtype=np.int8)
    asked = np.array([rule.sees(tree) for _, rule in pairs])
    lacks = [before[:, column, None] == -1 for column in (_RETRIEVAL, _TASK)]
    buys_r, buys_t = asked[:, 0] & lacks[0], asked[:, 1] & lacks[1]
    after = np.repeat(before[:, None], n_worlds, axis=1)
    after[..., _RETRIEVAL] = np.where(buys_r, tree.level, before[:, None, _RETRIEVAL])
    after[..., _TASK] = np.where(buys_t, tree.right, before[:, None, _TASK])
    is_fresh = before[:, None, _ABSTENTION] == -1
    after[..., _ABSTENTION] = np.where(is_fresh, tree.abstained, before[:, None, _ABSTENTION])
    joint = point.factors(before).joint(point.values)
    weights = joint / joint.sum(axis=1, keepdims=True)
    unique, where = np.unique(after.reshape(-1, after.shape[-1]), axis=0, return_inverse=True)
    scores = point.scores(unique)[where.reshape(-1, n_worlds)]
    shown = point.scores(before)
    gains = np.einsum("sw,swi,swj->sij", weights, scores, scores, optimize=True)
    gains -= shown[:, :, None] * shown[:, None, :]
    return [
        Bought(n_r=float(r), n_t=float(t), gain=gain)
        for r, t, gain in zip(
            (weights * buys_r).sum(1), (weights * buys_t).sum(1), gains, strict=True
        )
    ]
