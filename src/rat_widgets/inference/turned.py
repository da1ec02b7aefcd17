"""Bends of the tree turned round, for posteriors that are open because R was hardly ever seen.

Rows without R tell P(A=1), P(T=1 | A=0) and the rates of judges of T well, and leave
P(R=1 | A=1), P(R=1 | A=0, T=0) and P(R=1 | A=0, T=1) to the priors. In the angles of these the
posterior is nearly a box; in those of the original five it is a ridge that widens at both ends.
So the map of `bends` is fitted there, and points are carried over with the change of volume.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Self

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.inference.bends import Bend

__all__ = ["Turned"]

# The parameters that are turned round come first.
_N_TURNED: Final = 5

_Angles = Float[np.ndarray, "group parameter point"]
_Masses = tuple[Float[np.ndarray, "group point"], ...]


class _Carried(NamedTuple):
    """Angles of the other tree, and the log of how much a volume grows on the way there."""

    angle: _Angles
    log_growth: Float[np.ndarray, "group point"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Turned:
    """A bend of the turned tree's angles, and of those of rates, as a proposal of angles.

    Attributes
    ----------
    bend : Bend
    """

    bend: Bend

    @classmethod
    def fitted(cls, angle: _Angles, weight: Float[np.ndarray, "group point"]) -> Self:
        """Follows the weighted points of each group; see `Bend.fitted`."""
        return cls(bend=Bend.fitted(_turned(angle).angle, weight))

    @property
    def is_straight(self) -> bool:
        """It never is."""
        return False

    def take(self, groups: Int[np.ndarray, " group"]) -> Self:
        """Those of some groups."""
        return type(self)(bend=self.bend.take(groups))

    def offer(
        self, streams: Sequence[np.random.Generator], n: int
    ) -> tuple[_Angles, Float[np.ndarray, "group point"]]:
        """Independent points of each group, and the log density there, up to a constant."""
        angle, log_density = self.bend.offer(streams, n)
        tree = angle[:, :_N_TURNED]
        inside = ((tree > 0) & (tree < 0.5 * np.pi)).all(axis=1)
        np.copyto(tree, 0.25 * np.pi, where=~inside[:, None])
        back = _turned_back(angle)
        np.copyto(back.angle, -1.0, where=~inside[:, None])
        return back.angle, log_density - back.log_growth

    def log_density(self, angle: _Angles) -> Float[np.ndarray, "group point"]:
        """Log density at points of each group, up to a constant of the group."""
        there = _turned(angle)
        return self.bend.log_density(there.angle) + there.log_growth


def _turned(angle: _Angles) -> _Carried:
    """To the angles of P(A=1), P(T=1 | A=0), P(R=1 | A=1, T=0) and P(R=1 | A=0, T=0 and 1)."""
    yes, no = _masses(angle)
    hit, miss = yes[0], no[0]
    hit_answered, miss_answered = hit * no[2], miss * no[1]
    hit_abstained, miss_abstained = hit * yes[2], miss * yes[1]
    hit_right, hit_wrong = hit_answered * yes[4], hit_answered * no[4]
    miss_right, miss_wrong = miss_answered * yes[3], miss_answered * no[3]
    right, wrong = hit_right + miss_right, hit_wrong + miss_wrong
    abstained, answered = hit_abstained + miss_abstained, right + wrong
    pairs = (
        (abstained, answered),
        (right, wrong),
        (hit_abstained, miss_abstained),
        (hit_wrong, miss_wrong),
        (hit_right, miss_right),
    )
    split = (hit, miss, hit_answered, miss_answered)
    return _carried(angle, yes + no, pairs, split, (abstained, answered, right, wrong))


def _turned_back(angle: _Angles) -> _Carried:
    """To the angles of the original five probabilities."""
    yes, no = _masses(angle)
    abstained, answered = yes[0], no[0]
    right, wrong = answered * yes[1], answered * no[1]
    hit_abstained, miss_abstained = abstained * yes[2], abstained * no[2]
    hit_wrong, miss_wrong = wrong * yes[3], wrong * no[3]
    hit_right, miss_right = right * yes[4], right * no[4]
    hit_answered, miss_answered = hit_wrong + hit_right, miss_wrong + miss_right
    hit, miss = hit_abstained + hit_answered, miss_abstained + miss_answered
    pairs = (
        (hit, miss),
        (miss_abstained, miss_answered),
        (hit_abstained, hit_answered),
        (miss_right, miss_wrong),
        (hit_right, hit_wrong),
    )
    split = (abstained, answered, right, wrong)
    return _carried(angle, yes + no, pairs, split, (hit, miss, hit_answered, miss_answered))


def _masses(angle: _Angles) -> tuple[_Masses, _Masses]:
    """Each of the five probabilities, and 1 minus it; none so small that a log is lost."""
    tree, least = angle[:, :_N_TURNED], np.finfo(float).tiny ** 0.25
    yes, no = np.maximum(np.sin(tree) ** 2, least), np.maximum(np.cos(tree) ** 2, least)
    return tuple(np.moveaxis(yes, 1, 0)), tuple(np.moveaxis(no, 1, 0))


def _carried(
    angle: _Angles,
    before: _Masses,
    pairs: tuple[tuple[Float[np.ndarray, "group point"], Float[np.ndarray, "group point"]], ...],
    split: _Masses,
    split_there: _Masses,
) -> _Carried:
    """Angles whose squared sine and cosine are as each pair.

    The volume of a chain of binary splits is the product of the masses that are split after the
    first; a probability is twice the product of sine and cosine wider than its angle.
    """
    there = angle.copy()
    log_growth = np.zeros(angle[:, 0].shape)
    for mass in (*split, *(np.sqrt(p) for p in before)):
        log_growth += np.log(mass)
    for mass in split_there:
        log_growth -= np.log(mass)
    for k, (one, zero) in enumerate(pairs):
        there[:, k] = np.arctan2(np.sqrt(one), np.sqrt(zero))
        log_growth -= 0.5 * (np.log(one) + np.log(zero)) - np.log(one + zero)
    return _Carried(there, log_growth)
