"""The names that follow from the levels of retrieval: worlds and branches of a tree.

Views are read without the statistics, so the rules stand here again; tests hold them to
`rat_widgets.model.worlds`. Everything here is in the order of a picture: from the top level down.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

__all__ = ["LEAVES", "TWO_LEVELS", "Band", "TreeKeys", "fit_together", "keys_of"]

TWO_LEVELS: Final = ("miss", "hit")

_ROUNDING: Final = 1e-9


@dataclass(frozen=True, kw_only=True, slots=True)
class Band:
    """What belongs to one level: its three branches, and its three worlds.

    `retrieval` is the one branch of R where there are two levels.
    """

    level: str
    retrieval: str
    abstain: str
    correct: str
    right: str
    wrong: str
    abstained: str

    @property
    def leaves(self) -> tuple[str, str, str]:
        """The worlds, in the order of the picture."""
        return (self.right, self.wrong, self.abstained)


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeKeys:
    """Names of a tree; `levels` are the lowest first, everything else the top level first.

    `branches` are R, then A of each level, then T of each; `reading` goes band by band.
    """

    levels: tuple[str, ...]
    bands: tuple[Band, ...]
    leaves: tuple[str, ...]
    branches: tuple[str, ...]
    reading: tuple[str, ...]

    @property
    def is_graded(self) -> bool:
        """Whether there are more than two levels."""
        return len(self.levels) > 2

    @property
    def top(self) -> Band:
        """The band of a hit; the others are misses."""
        return self.bands[0]

    def expanded(self, worlds_of_two: Iterable[str]) -> tuple[str, ...]:
        """Worlds of two levels in terms of these, in the order of the picture."""
        wanted = {tuple(world.split("_")) for world in worlds_of_two}
        return tuple(
            world
            for band in self.bands
            for world, end in zip(band.leaves, ("right", "wrong", "abstained"))
            if ("hit" if band is self.top else "miss", end) in wanted
        )


@lru_cache(maxsize=64)
def keys_of(levels: tuple[str, ...] = TWO_LEVELS) -> TreeKeys:
    """The names under these levels of retrieval, the lowest first."""
    bands = tuple(_band(level, is_graded=len(levels) > 2) for level in reversed(levels))
    return TreeKeys(
        levels=levels,
        bands=bands,
        leaves=tuple(leaf for band in bands for leaf in band.leaves),
        branches=_once(
            [band.retrieval for band in bands]
            + [band.abstain for band in bands]
            + [band.correct for band in bands]
        ),
        reading=_once(
            key for band in bands for key in (band.retrieval, band.abstain, band.correct)
        ),
    )


def _band(level: str, *, is_graded: bool) -> Band:
    return Band(
        level=level,
        retrieval=f"retrieval[{level}]" if is_graded else "retrieval_success",
        abstain=f"abstain_given[{level}]" if is_graded else f"abstain_given_{level}",
        correct=f"correct_given[{level}]" if is_graded else f"correct_given_{level}",
        right=f"{level}_right",
        wrong=f"{level}_wrong",
        abstained=f"{level}_abstained",
    )


def _once(keys: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(keys))


def fit_together(pins: Mapping[str, float], keys: TreeKeys) -> bool:
    """Whether pinned levels can be so together: at most 1, and 1 where all of them are pinned."""
    if not keys.is_graded:
        return True
    levels = [pins[band.retrieval] for band in keys.bands if band.retrieval in pins]
    total = math.fsum(levels)
    is_whole = len(levels) < len(keys.bands) or total >= 1 - _ROUNDING
    return total <= 1 + _ROUNDING and is_whole


LEAVES: Final = keys_of().leaves
"""Worlds of two levels in the order of every picture, top to bottom."""
