"""Every quantity as a ratio of sums over worlds, so that one line of code computes them all.

A quantity is the probability of `numerator` given `denominator`, two sets of worlds (the
empty denominator stands for all six). It is computed per draw, never from posterior means.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from jaxtyping import Float

from rat_widgets.errors import ArgumentError
from rat_widgets.model.worlds import ABSTAINED, HIT, PARAMETERS, RIGHT, WORLDS

__all__ = ["ANSWERABILITY", "POLICY", "QUANTITIES", "Quantity", "find_quantity", "quantity_draws"]


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

_BY_KEY = {q.key: q for q in (*QUANTITIES, *ANSWERABILITY)}
assert tuple(q.key for q in QUANTITIES[:5]) == PARAMETERS


def find_quantity(key: str) -> Quantity:
    """The quantity with this key.

    Raises
    ------
    ArgumentError
        When there is none; the message lists those there are.
    """
    if key not in _BY_KEY:
        raise ArgumentError.build(
            f"There is no quantity {key!r}.", accepted=f"Quantities are {', '.join(_BY_KEY)}."
        )
    return _BY_KEY[key]


def quantity_draws(
    quantity: Quantity, worlds: Float[np.ndarray, "*draws 6"]
) -> Float[np.ndarray, "*draws"]:
    """P(numerator | denominator), per draw.

    Parameters
    ----------
    quantity : Quantity
    worlds : array, shape (..., 6)
        World probabilities in the order of `WORLDS`.

    Returns
    -------
    array, shape (...)
        NaN in draws where the denominator has no mass: the quantity is undefined there.
    """
    numerator = _mass(worlds, quantity.numerator)
    if not quantity.denominator:
        return numerator
    denominator = _mass(worlds, quantity.denominator)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(denominator > 0, numerator / denominator, np.nan)


def _mass(
    worlds: Float[np.ndarray, "*draws 6"], names: tuple[str, ...]
) -> Float[np.ndarray, "*draws"]:
    return np.asarray(worlds[..., [WORLDS.index(name) for name in names]].sum(axis=-1))
