"""Every quantity as a ratio of sums over worlds, so that one line of code computes them all.

A quantity is the probability of `numerator` given `denominator`, two sets of worlds (the
empty denominator stands for all of them). It is computed per draw, never from posterior means.

With graded retrieval every level has its own three probabilities, and the others are those of
two levels: a hit is the top level, a miss any level below it (appendix C of the paper).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final, Literal

import numpy as np
from jaxtyping import Float

from rat_widgets.errors import ArgumentError
from rat_widgets.labels.levels import TWO_LEVELS
from rat_widgets.model.worlds import ABSTAINED, HIT, PARAMETERS, RIGHT, WORLDS, Worlds, worlds_of

__all__ = [
    "ANSWERABILITY",
    "POLICY",
    "QUANTITIES",
    "Quantity",
    "find_quantity",
    "quantities_of",
    "quantity_draws",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Quantity:
    """One row of the table of quantities.

    Attributes
    ----------
    key : str
        Name in code.
    symbol : str
        The probability in the letters of the paper.
    label : str
        Plain words.
    numerator, denominator : tuple of str
        Worlds; the denominator () stands for all.
    higher_is_better : bool or None
        None when neither direction is better by itself.
    about : {"retrieval", "abstention", "task", "policy"}
        Which of R, A, T, G the number is about.
    caution : str
        What readers mix up, shown beside the number; "" when there is nothing.
    """

    key: str
    symbol: str
    label: str
    numerator: tuple[str, ...]
    denominator: tuple[str, ...] = ()
    higher_is_better: bool | None
    about: Literal["retrieval", "abstention", "task", "policy"]
    caution: str = ""


def _worlds(retrieval: int | None, abstention: int | None, task: int | None) -> tuple[str, ...]:
    wanted = ((HIT, retrieval), (ABSTAINED, abstention), (RIGHT, task))
    return tuple(
        world
        for i, world in enumerate(WORLDS)
        if all(value is None or truth[i] == value for truth, value in wanted)
    )


_MISS, _HIT = _worlds(0, None, None), _worlds(1, None, None)
_ABSTAINED, _ANSWERED = _worlds(None, 1, None), _worlds(None, 0, None)
_SOLVED, _UNSOLVED = _worlds(None, None, 1), _worlds(None, None, 0)

POLICY: Final = "policy_adherence"

QUANTITIES: Final = (
    Quantity(
        key="retrieval_success",
        symbol="P(R=1)",
        label="evidence found",
        numerator=_HIT,
        higher_is_better=True,
        about="retrieval",
    ),
    Quantity(
        key="abstain_given_miss",
        symbol="P(A=1 | R=0)",
        label="declines when the evidence is missing",
        numerator=_worlds(0, 1, None),
        denominator=_MISS,
        higher_is_better=True,
        about="abstention",
    ),
    Quantity(
        key="abstain_given_hit",
        symbol="P(A=1 | R=1)",
        label="declines although the evidence was found",
        numerator=_worlds(1, 1, None),
        denominator=_HIT,
        higher_is_better=False,
        about="abstention",
    ),
    Quantity(
        key="correct_given_miss",
        symbol="P(T=1 | A=0, R=0)",
        label="right when answering without the evidence",
        numerator=_worlds(0, 0, 1),
        denominator=_worlds(0, 0, None),
        higher_is_better=None,
        about="task",
    ),
    Quantity(
        key="correct_given_hit",
        symbol="P(T=1 | A=0, R=1)",
        label="right when answering with the evidence",
        numerator=_worlds(1, 0, 1),
        denominator=_worlds(1, 0, None),
        higher_is_better=True,
        about="task",
    ),
    Quantity(
        key="abstention",
        symbol="P(A=1)",
        label="declined to answer",
        numerator=_ABSTAINED,
        higher_is_better=None,
        about="abstention",
    ),
    Quantity(
        key="task_success",
        symbol="P(T=1)",
        label="correct answer",
        numerator=_SOLVED,
        higher_is_better=True,
        about="task",
    ),
    Quantity(
        key=POLICY,
        symbol="P(G=1)",
        label="right by policy",
        numerator=("miss_abstained", "hit_right"),
        higher_is_better=True,
        about="policy",
    ),
    Quantity(
        key="selective_accuracy",
        symbol="P(T=1 | A=0)",
        label="right when it answers",
        numerator=_SOLVED,
        denominator=_ANSWERED,
        higher_is_better=True,
        about="task",
    ),
    Quantity(
        key="abstention_precision",
        symbol="P(R=0 | A=1)",
        label="evidence missing when it declines",
        numerator=_worlds(0, 1, None),
        denominator=_ABSTAINED,
        higher_is_better=True,
        about="abstention",
    ),
    Quantity(
        key="unsupported_answering",
        symbol="P(A=0 | R=0)",
        label="answers although the evidence is missing",
        numerator=_worlds(0, 0, None),
        denominator=_MISS,
        higher_is_better=False,
        about="abstention",
    ),
    Quantity(
        key="lucky_share",
        symbol="P(R=0 | T=1)",
        label="correct answers without evidence",
        numerator=_worlds(0, None, 1),
        denominator=_SOLVED,
        higher_is_better=None,
        about="retrieval",
    ),
    Quantity(
        key="retrieval_blame",
        symbol="P(R=0 | T=0)",
        label="unserved users whose retrieval had failed",
        numerator=_worlds(0, None, 0),
        denominator=_UNSOLVED,
        higher_is_better=None,
        about="retrieval",
    ),
    Quantity(
        key="task_success_given_hit",
        symbol="P(T=1 | R=1)",
        label="correct answer when the evidence was found",
        numerator=_worlds(1, None, 1),
        denominator=_HIT,
        higher_is_better=True,
        about="task",
        caution="As a forecast of perfect retrieval this is a bound to be wary of: "
        "queries that are hit today are often the easier ones.",
    ),
)
"""Every quantity that the six worlds determine, in reading order."""

ANSWERABILITY: Final = (
    Quantity(
        key="abstention_recall",
        symbol="P(A=1 | unanswerable)",
        label="declines what the corpus cannot answer",
        numerator=_worlds(0, 1, None),
        denominator=_MISS,
        higher_is_better=True,
        about="abstention",
    ),
    Quantity(
        key="abstention_precision_answerable",
        symbol="P(unanswerable | A=1)",
        label="unanswerable when it declines",
        numerator=_worlds(0, 1, None),
        denominator=_ABSTAINED,
        higher_is_better=True,
        about="abstention",
    ),
    Quantity(
        key="over_refusal",
        symbol="P(A=1 | answerable)",
        label="declines what the corpus can answer",
        numerator=_worlds(1, 1, None),
        denominator=_HIT,
        higher_is_better=False,
        about="abstention",
    ),
)
"""Quantities conditioned on answerability and not on R: "hit" stands for answerable here.

Declining after a miss on an answerable question is right by the RAT policy and an over-refusal
by this reading: the two are never mixed.
"""

assert tuple(q.key for q in QUANTITIES[:5]) == PARAMETERS


@lru_cache(maxsize=64)
def quantities_of(levels: tuple[str, ...] = TWO_LEVELS) -> tuple[Quantity, ...]:
    """Every quantity that the worlds of these levels of retrieval determine, in reading order."""
    worlds = worlds_of(levels)
    if not worlds.is_graded:
        return QUANTITIES
    rest = (
        replace(
            q,
            symbol=_graded(q.symbol, levels[-1]),
            numerator=worlds.expanded(q.numerator),
            denominator=worlds.expanded(q.denominator),
        )
        for q in QUANTITIES[len(PARAMETERS) :]
    )
    return (*_of_levels(worlds), *rest)


def _graded(symbol: str, top: str) -> str:
    """The symbol with the name of the top level in place of R=1."""
    return symbol.replace("R=1", f"R={top}").replace("R=0", f"R below {top}")


def _of_levels(worlds: Worlds) -> list[Quantity]:
    """The three probabilities of each level."""
    top = worlds.n_levels - 1
    found = [
        Quantity(
            key=f"retrieval[{name}]",
            symbol=f"P(R={name})",
            label=f"retrieval is {name}",
            numerator=worlds.where(level=i),
            higher_is_better={0: False, top: True}.get(i),
            about="retrieval",
        )
        for i, name in enumerate(worlds.levels)
    ]
    found += [
        Quantity(
            key=f"abstain_given[{name}]",
            symbol=f"P(A=1 | R={name})",
            label=f"declines when retrieval is {name}",
            numerator=worlds.where(level=i, abstained=1),
            denominator=worlds.where(level=i),
            higher_is_better=i != top,
            about="abstention",
        )
        for i, name in enumerate(worlds.levels)
    ]
    found += [
        Quantity(
            key=f"correct_given[{name}]",
            symbol=f"P(T=1 | A=0, R={name})",
            label=f"right when answering and retrieval is {name}",
            numerator=worlds.where(level=i, abstained=0, right=1),
            denominator=worlds.where(level=i, abstained=0),
            higher_is_better=True if i == top else None,
            about="task",
        )
        for i, name in enumerate(worlds.levels)
    ]
    return found


def find_quantity(key: str, levels: tuple[str, ...] = TWO_LEVELS) -> Quantity:
    """The quantity with this key.

    Raises
    ------
    ArgumentError
        When there is none; the message lists those there are.
    """
    known = {q.key: q for q in (*quantities_of(levels), *ANSWERABILITY)}
    if key not in known:
        raise ArgumentError.build(
            f"There is no quantity {key!r}.", accepted=f"Quantities are {', '.join(known)}."
        )
    return known[key]


def quantity_draws(
    quantity: Quantity,
    worlds: Float[np.ndarray, "*draws world"],
    levels: tuple[str, ...] = TWO_LEVELS,
) -> Float[np.ndarray, "*draws"]:
    """P(numerator | denominator), per draw.

    Parameters
    ----------
    quantity : Quantity
    worlds : array, shape (..., 3K)
        World probabilities in the order of `Worlds.names`.
    levels : tuple of str
        Levels of retrieval, the lowest first.

    Returns
    -------
    array, shape (...)
        NaN in draws where the denominator has no mass: the quantity is undefined there.
    """
    names = worlds_of(levels).names
    numerator = _mass(worlds, quantity.numerator, names)
    if not quantity.denominator:
        return numerator
    denominator = _mass(worlds, quantity.denominator, names)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(denominator > 0, numerator / denominator, np.nan)


def _mass(
    worlds: Float[np.ndarray, "*draws world"], chosen: tuple[str, ...], names: tuple[str, ...]
) -> Float[np.ndarray, "*draws"]:
    return np.asarray(worlds[..., [names.index(name) for name in chosen]].sum(axis=-1))
