"""An emission: how the verdicts of one judge arise from the world that a query is in.

A verdict is an answer that is reached by yes-or-no splits, each with a probability of its own, a
*rate*. Which rates are asked depends on the *cell*, a class of worlds: of a judge of 0 and 1 whose
errors depend on the truth alone there are two cells with one rate each, FPR and TPR. A judge whose
errors depend on something else has more cells; a graded judge has several splits in each, from
the top level down, so that a Dirichlet prior of its levels is a product of Betas; and a saturated
judge has other rates for each pattern of the answers of the judges before it, its *parents*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
from jaxtyping import Float

from rat_widgets.errors import ArgumentError
from rat_widgets.model.worlds import Worlds

__all__ = ["KINDS", "Emission", "Step", "emission_of", "saturated_emission"]

KINDS: Final = ("tpr", "fpr", "unknown_given_1", "unknown_given_0")
"""Kinds of rates of a judge of 0 and 1, in the order of parameters."""

# Jeffreys, from the second judge of a vote pattern on: the first one's verdict splits the rows.
_AFTER_OTHERS: Final = (0.5, 0.5)
_FLAT: Final = (1.0, 1.0)
# Where a judge is looked for before there are labels: P(passes) given truth 1, and truth 0.
_PASSES: Final = (0.2, 0.8)
_UNKNOWN: Final = 0.1

Step = tuple[int, int]
"""A rate, and 1 or 0 as the split came out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Emission:
    """How the verdicts of one judge arise.

    Attributes
    ----------
    key : str
        The judge's, as in ``tpr[key]``.
    of : str
        "retrieval", "abstention" or "task".
    kinds : tuple of str
        Its rates: each is called ``kind[key]``.
    prior : tuple of pairs
        Alpha and beta of each by default: the judge's own where it brings one.
    flat : tuple of pairs
        The same for a judge that brings none.
    start : tuple of float
        Of each where a search for modes begins.
    cell : tuple of int, one per world
    truth : tuple of 0 and 1, one per world
        What is judged; of graded retrieval whether it is the top level.
    n_levels, n_answers : int
        Answers in their order, and with "cannot tell", which is the last one.
    parents : tuple of int
        Positions of the judges whose answers matter.
    paths : nested tuples, [cell][code of the parents' answers][answer]
        Splits, as pairs of the place in `kinds` and 1 or 0.
    fixed : tuple of float or None, one per world
        P(answer 1) where it is given beforehand, `abstained_rate`.
    """

    key: str
    of: str
    kinds: tuple[str, ...]
    prior: tuple[tuple[float, float], ...]
    flat: tuple[tuple[float, float], ...]
    start: tuple[float, ...]
    cell: tuple[int, ...]
    truth: tuple[int, ...]
    n_levels: int
    n_answers: int
    parents: tuple[int, ...]
    paths: tuple[tuple[tuple[tuple[Step, ...], ...], ...], ...]
    fixed: tuple[float | None, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of its rates among the parameters."""
        return tuple(f"{kind}[{self.key}]" for kind in self.kinds)

    @property
    def is_plain(self) -> bool:
        """Whether TPR and FPR, and P(cannot tell), are all there is to it."""
        return self.kinds in (KINDS, KINDS[:2])


class _Cells:
    """Classes of worlds: what each is called, and the truth in it."""

    def __init__(self, of_world: Sequence[tuple[int, str, str]]) -> None:
        """Of each world: truth 0 or 1, what the truth is called, what else matters."""
        distinct = sorted(set(of_world), key=lambda c: (-c[0], of_world.index(c)))
        self.cell = tuple(distinct.index(c) for c in of_world)
        self.truth = [truth for truth, _, _ in distinct]
        self.levels = [level for _, level, _ in distinct]
        self.contexts = [context for _, _, context in distinct]

    def name(self, i: int) -> str:
        """As in ``unknown_given_1_hit``."""
        context = self.contexts[i]
        return f"{self.levels[i]}_{context}" if context else self.levels[i]

    def passing(self, i: int) -> str:
        """What P(passes) is called in the cell: TPR or FPR, of what."""
        kind = "tpr" if self.truth[i] else "fpr"
        parts = [self.levels[i]] if self.levels[i] not in ("0", "1") else []
        parts = [] if kind == "tpr" else parts
        parts += [self.contexts[i]] if self.contexts[i] else []
        return f"{kind}_given_{'_'.join(parts)}" if parts else kind


def _truths(of: str, worlds: Worlds) -> list[int]:
    truths = {"retrieval": worlds.hit, "abstention": worlds.abstained, "task": worlds.right}
    return [int(value) for value in truths[of]]


def _cells_of(judge: Any, worlds: Worlds) -> _Cells:
    truth = _truths(judge.of, worlds)
    by_level = judge.of == "retrieval" and worlds.is_graded
    other: list[str] = [""] * len(truth)
    if judge.depends_on == "retrieval":
        other = [worlds.levels[int(level)] for level in worlds.level]
    elif judge.depends_on == "task":
        other = ["right" if right else "not_right" for right in worlds.right]
    elif judge.depends_on == "abstention":
        other = ["abstained" if abstained else "answered" for abstained in worlds.abstained]
    names = [worlds.levels[int(k)] for k in worlds.level] if by_level else [str(t) for t in truth]
    return _Cells(list(zip(truth, names, other, strict=True)))


class _Rates:
    """Rates of a judge as they are found: kind, prior by default and where a search begins."""

    def __init__(self) -> None:
        self.kinds: list[str] = []
        self.prior: list[tuple[float, float]] = []
        self.start: list[float] = []

    def add(self, kind: str, prior: tuple[float, float], start: float) -> int:
        """The place of the new rate."""
        self.kinds.append(kind)
        self.prior.append(prior)
        self.start.append(start)
        return len(self.kinds) - 1

    def add_splits(
        self, judge: Any, passing: str, where: str, truth: int, base: tuple[float, float] = _FLAT
    ) -> list[int]:
        """Places of the splits of a cell, from the top level down; of 0 and 1 it is `passing`."""
        if not judge.is_graded:
            return [self.add(passing, base, _PASSES[truth])]
        n = len(judge.answers)
        lean = _lean(n, truth)
        return [
            self.add(
                f"split_{judge.answers[level]}_given_{where}",
                (2 / n * base[0], 2 * level / n * base[1]),
                lean[level] / lean[: level + 1].sum(),
            )
            for level in range(n - 1, 0, -1)
        ]

    def add_unknown(self, judge: Any, where: str, base: tuple[float, float] = _FLAT) -> int | None:
        """The place of P(cannot tell) in a cell; None of a judge that always can."""
        if not judge.has_unknown:
            return None
        return self.add(f"unknown_given_{where}", base, _UNKNOWN)


def emission_of(judge: Any, key: str, worlds: Worlds) -> Emission:
    """Of a judge whose errors do not depend on other judges'."""
    cells, rates, n = _cells_of(judge, worlds), _Rates(), len(judge.answers)
    which = range(len(cells.truth))
    splits = [
        rates.add_splits(judge, cells.passing(i), cells.name(i), cells.truth[i]) for i in which
    ]
    unknown = [rates.add_unknown(judge, cells.name(i)) for i in which]
    return _made(
        judge,
        key,
        worlds,
        rates=rates,
        prior=_with_own(judge, rates.kinds, rates.prior, cells),
        cell=cells.cell,
        parents=(),
        paths=[(_ladder(n, splits[i], unknown[i]),) for i in which],
    )


def _ladder(n: int, splits: Sequence[int], unknown: int | None) -> tuple[tuple[Step, ...], ...]:
    """The path to each answer: "cannot tell" or not, then from the top level down."""
    first: tuple[Step, ...] = () if unknown is None else ((unknown, 0),)
    paths: list[tuple[Step, ...]] = []
    for level in range(n):
        above = tuple((splits[s], 0) for s in range(n - 1 - level))
        here = ((splits[n - 1 - level], 1),) if level else ()
        paths.append((*first, *above, *here))
    if unknown is not None:
        paths.append(((unknown, 1),))
    return tuple(paths)


def saturated_emission(
    judge: Any, key: str, worlds: Worlds, parents: tuple[int, ...], radix: Sequence[int]
) -> Emission:
    """A rate for each world and each pattern of the answers of the judges before."""
    truth = _truths(judge.of, worlds)
    speaks_for = list(range(len(worlds.names)))
    if judge.of == "task":  # an abstention counts as a wrong answer of the same level
        wrong = {int(worlds.level[w]): w for w in speaks_for if worlds.names[w].endswith("_wrong")}
        speaks_for = [wrong[int(worlds.level[w])] if worlds.abstained[w] else w for w in speaks_for]
    distinct = sorted(set(speaks_for))
    base = _AFTER_OTHERS if parents else _FLAT
    rates, paths = _Rates(), []
    for world in distinct:
        by_code = []
        for before in product(*(range(r) for r in radix)):
            where = worlds.names[world]
            where += f"_after_{''.join(map(str, before))}" if parents else ""
            unknown = rates.add_unknown(judge, where, base)
            splits = rates.add_splits(judge, f"pass_given_{where}", where, truth[world], base)
            by_code.append(_ladder(len(judge.answers), splits, unknown))
        paths.append(tuple(by_code))
    return _made(
        judge,
        key,
        worlds,
        rates=rates,
        prior=rates.prior,
        cell=tuple(distinct.index(w) for w in speaks_for),
        parents=parents,
        paths=paths,
    )


def _made(
    judge: Any,
    key: str,
    worlds: Worlds,
    *,
    rates: _Rates,
    prior: Sequence[tuple[float, float]],
    cell: tuple[int, ...],
    parents: tuple[int, ...],
    paths: Sequence[Any],
) -> Emission:
    fixed: list[float | None] = [None] * len(cell)
    if judge.of == "task" and judge.abstained_rate is not None:
        fixed = [judge.abstained_rate if away else None for away in worlds.abstained]
    if any(value is not None for value in fixed):
        cell, paths = _set_aside(cell, fixed, paths, judge)
    return Emission(
        key=key,
        of=judge.of,
        kinds=tuple(rates.kinds),
        prior=tuple(prior),
        flat=tuple(rates.prior),
        start=tuple(float(value) for value in rates.start),
        cell=cell,
        truth=tuple(_truths(judge.of, worlds)),
        n_levels=len(judge.answers),
        n_answers=judge.n_answers,
        parents=parents,
        paths=tuple(paths),
        fixed=tuple(fixed),
    )


def _set_aside(
    cell: tuple[int, ...], fixed: Sequence[float | None], paths: Sequence[Any], judge: Any
) -> tuple[tuple[int, ...], Sequence[Any]]:
    """Worlds with a rate given beforehand in cells of their own, which keep "cannot tell" only."""
    if judge.is_graded:
        raise ArgumentError.build(
            f"Judge {judge.name!r} is graded and has an `abstained_rate`.",
            accepted="An `abstained_rate` for a judge of 0 and 1.",
            hint='depends_on="abstention" estimates how it grades abstentions.',
        )
    more = list(paths)
    moved = list(cell)
    new: dict[int, int] = {}
    for world, value in enumerate(fixed):
        if value is None:
            continue
        if cell[world] not in new:
            new[cell[world]] = len(more)
            more.append(
                tuple(
                    tuple(
                        tuple(s for s in path if judge.has_unknown and s[0] == by_answer[-1][0][0])
                        for path in by_answer
                    )
                    for by_answer in paths[cell[world]]
                )
            )
        moved[world] = new[cell[world]]
    return tuple(moved), more


def _with_own(
    judge: Any,
    kinds: Sequence[str],
    prior: Sequence[tuple[float, float]],
    cells: _Cells,
) -> list[tuple[float, float]]:
    """The priors with those that the judge brings."""
    own = dict(judge.prior or {})
    found = list(prior)
    taken = set()
    for k, kind in enumerate(kinds):
        short = kind.split("_given_")[0]
        for name in (kind, short):
            if name in own and len(own[name]) == 2:
                found[k] = (own[name][0], own[name][1])
                taken.add(name)
                break
    if judge.is_graded:
        n = len(judge.answers)
        for i, truth in enumerate(cells.truth):
            for name in (f"given_{cells.name(i)}", f"given_{cells.levels[i]}", f"given_{truth}"):
                if name in own:
                    alpha = own[name]
                    for s, level in enumerate(range(n - 1, 0, -1)):
                        found[i * (n - 1) + s] = (alpha[level], sum(alpha[:level]))
                    taken.add(name)
                    break
    odd = [name for name in own if name not in taken]
    if odd:
        known = [*kinds]
        if judge.is_graded:
            known = [f"given_{cells.name(i)}" for i in range(len(cells.truth))] + [
                kind for kind in kinds if kind.startswith("unknown")
            ]
        raise ArgumentError.build(
            f"`prior` of judge {judge.name!r} has the key {odd[0]!r}, which is none of its rates.",
            accepted=f"Its rates are {', '.join(known)}.",
        )
    return found


def _lean(n: int, truth: int) -> Float[np.ndarray, " level"]:
    """Shares of the levels where a search begins: a high level speaks for the truth."""
    rising = np.arange(1.0, n + 1)
    lean = rising if truth else rising[::-1]
    return np.asarray(lean / lean.sum())
