"""Who judges what in a view, and how its verdicts arise."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final, Literal

from rat_widgets.errors import ViewError

__all__ = ["JudgeEmission", "JudgeIdentity", "check_emissions"]

_WHOLE: Final = re.compile(r"-?[0-9]+")
_RATES: Final = ("tpr", "fpr")
_UNKNOWN_RATES: Final = ("unknown_given_1", "unknown_given_0")


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeEmission:
    """How the verdicts of one judge arise, as in `model.emissions.Emission`.

    `kinds` are its rates, each ``kind[key]``, and `start` where a search for each begins. `cell` is
    the class that each world is in, `parents` the positions of the judges whose answers matter.
    `paths` goes by cell, by the number that the parents' answers make (the first parent's
    weighs most), and by answer: the splits taken, each a position in `kinds` and 1 or 0. `fixed`
    is P(answer 1) in worlds where it is given beforehand.
    """

    kinds: tuple[str, ...]
    start: tuple[float, ...]
    cell: tuple[int, ...]
    parents: tuple[int, ...] = ()
    paths: tuple[tuple[tuple[tuple[tuple[int, int], ...], ...], ...], ...]
    fixed: tuple[float | None, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeIdentity:
    """Who judges what.

    `key` is the judge's name in ``tpr[key]``. `is_shared` says that all groups have one set of
    its rates, `abstained_rate` how often it passes an abstention (None: as a wrong answer), and
    `has_unknown` that "cannot tell" is one of its answers. `cost` is the price of a verdict.
    `emission` is None of a judge that has TPR and FPR, and P(cannot tell), and nothing else.
    `levels` are a graded judge's answers, the lowest first; from the level number `cut` on a
    verdict passes (None of a judge without levels), and `is_monotone` says that a higher one
    speaks for the truth more than a lower one. `depends_on` says on what its errors depend beside
    the truth.
    """

    key: str
    name: str
    version: str | None
    of: Literal["retrieval", "task", "abstention"]
    is_shared: bool
    abstained_rate: float | None
    has_unknown: bool
    cost: float | None
    emission: JudgeEmission | None = None
    levels: tuple[str, ...] = ()
    cut: int | None = None
    is_monotone: bool = False
    depends_on: Literal["retrieval", "task", "abstention"] | None = None

    def __post_init__(self) -> None:
        if len(self.levels) == 1 or len(set(self.levels)) != len(self.levels):
            raise ViewError.build(
                f"The levels of the judge {self.key!r} are {self.levels!r:.80}.",
                accepted="None, or two and more names that differ.",
            )
        if self.cut is not None and not 0 < self.cut < self.n_levels:
            raise ViewError.build(
                f"The cut of the judge {self.key!r} is {self.cut}.",
                accepted=f"None, or the number of a level above the lowest: 1 to "
                f"{self.n_levels - 1}.",
            )

    @property
    def n_levels(self) -> int:
        """How many answers it has, without "cannot tell"."""
        return len(self.levels) or 2

    @property
    def n_answers(self) -> int:
        """How many answers it has; "cannot tell" is the last of them."""
        return self.n_levels + self.has_unknown

    @property
    def passing(self) -> str:
        """Of a graded judge the levels that pass: "good or better", "4 or better of 1-5"."""
        if not self.levels or self.cut is None:
            return ""
        ends = (self.levels[0], self.levels[-1])
        is_scale = len(self.levels) > 2 and all(_WHOLE.fullmatch(end) for end in ends)
        of = f" of {ends[0]}\N{EN DASH}{ends[1]}" if is_scale else ""
        return self.levels[self.cut] + " or better" * (self.cut < self.n_levels - 1) + of

    @property
    def rates(self) -> tuple[str, ...]:
        """Keys of its rates."""
        plain = (*_RATES, *(_UNKNOWN_RATES if self.has_unknown else ()))
        kinds = plain if self.emission is None else self.emission.kinds
        return tuple(f"{kind}[{self.key}]" for kind in kinds)

    @property
    def cases(self) -> tuple[str, ...]:
        """Cases in which a graded judge grades otherwise, given the same truth: "miss", "hit"."""
        if not self.levels or self.emission is None:
            return ()
        starts = [f"split_{self.levels[-1]}_given_{truth}_" for truth in (1, 0)]
        found = [k.removeprefix(s) for s in starts for k in self.emission.kinds if k.startswith(s)]
        return tuple(dict.fromkeys(found))

    @property
    def sliders(self) -> tuple[str, ...]:
        """Keys of the rates that a reader moves: not the splits of levels, nor of vote patterns."""
        has_parts = bool(self.levels) or any(rate.startswith("pass_given_") for rate in self.rates)
        return () if has_parts else self.rates

    @property
    def told(self) -> tuple[str, ...]:
        """Keys of the rates that the view tells: with TPR, FPR and P(level | truth)."""
        both = (f"tpr[{self.key}]", f"fpr[{self.key}]")
        levels = (
            f"level_{level}_given_{truth}[{self.key}]" for truth in (1, 0) for level in self.levels
        )
        return tuple(dict.fromkeys((*self.rates, *both, *levels)))


def check_emissions(judges: Sequence[JudgeIdentity], *, n_worlds: int) -> None:
    """Refuse emissions that the browser could not read.

    Parameters
    ----------
    judges : sequence of JudgeIdentity
    n_worlds : int

    Raises
    ------
    ViewError
        When a judge's worlds, cells, parents, answers or splits are not those that there are.
    """
    for j, judge in enumerate(judges):
        for said, accepted in _faults(j, judges, n_worlds):
            raise ViewError.build(
                f"The emission of the judge {judge.key!r} {said}.",
                accepted=f"{accepted}.",
                hint="the value was written by another version of rat_widgets, or edited by hand.",
            )


def _faults(j: int, judges: Sequence[JudgeIdentity], n_worlds: int) -> Iterator[tuple[str, str]]:
    """What is wrong, and what would be right; nothing of an emission that can be read."""
    judge, of = judges[j], judges[j].emission
    if of is None:
        if judge.levels:
            yield "is missing", "An emission of a judge that has levels"
        return
    if not len(of.cell) == len(of.fixed) == n_worlds:
        yield f"knows {len(of.cell)} worlds", f"Cells and fixed rates of {n_worlds} worlds"
    if len(of.start) != len(of.kinds) or len(set(of.kinds)) != len(of.kinds):
        yield f"has {len(of.kinds)} rates and {len(of.start)} starts", "A start for each rate"
    if not all(0 < start < 1 for start in of.start):
        yield "starts at no probability", "Starts between 0 and 1"
    if not all(0 <= cell < len(of.paths) for cell in of.cell):
        yield f"has {len(of.paths)} cells", "Cells for which there are paths"
    if list(of.parents) != sorted(set(of.parents) & set(range(j))):
        yield f"has the parents {of.parents}", "Earlier judges, in their order"
    else:
        yield from _faults_of_paths(of, judge, [judges[i].n_answers for i in of.parents])


def _faults_of_paths(
    of: JudgeEmission, judge: JudgeIdentity, radix: Sequence[int]
) -> Iterator[tuple[str, str]]:
    n_codes = prod(radix)
    if any(len(by_code) != n_codes for by_code in of.paths):
        yield "does not fit its parents", f"Paths for {n_codes} patterns of their answers"
    by_answer = [answers for by_code in of.paths for answers in by_code]
    if any(len(answers) != judge.n_answers for answers in by_answer):
        yield "does not fit its answers", f"A path to each of {judge.n_answers} answers"
    steps = [step for answers in by_answer for path in answers for step in path]
    if not all(0 <= rate < len(of.kinds) and outcome in (0, 1) for rate, outcome in steps):
        yield "has a split of no rate", "Splits as positions of rates, with 1 or 0"
