"""Emissions: how the verdicts of all judges of a table arise from the world that a query is in.

Whatever a judge is like (`emission`), the probability of a row stays a sum of products of rates and
of one less rates, which is all that the engines know of judges.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, Final

import numpy as np
from jaxtyping import Float

from rat_widgets.errors import ArgumentError
from rat_widgets.labels.levels import TWO_LEVELS
from rat_widgets.model.emission import KINDS, Emission, Step, emission_of, saturated_emission
from rat_widgets.model.worlds import Worlds, worlds_of

__all__ = ["KINDS", "MOST_RATES", "Emission", "Emissions", "Step", "emissions_of", "judge_keys"]

MOST_RATES: Final = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Emissions:
    """All judges of a table, and where their rates stand.

    Attributes
    ----------
    judges : tuple of Emission
    names : tuple of str
        Every rate, in the order of ``Priors.names``: kind after kind, judge after judge.
    places : tuple of tuples
        Of each judge the position of each of its rates among `names`.
    owner : tuple of int
        Of each rate its judge.
    """

    judges: tuple[Emission, ...]
    names: tuple[str, ...]
    places: tuple[tuple[int, ...], ...]
    owner: tuple[int, ...]

    @property
    def are_plain(self) -> bool:
        """Whether every judge has TPR and FPR, in whose order the rates then stand."""
        return all(judge.is_plain for judge in self.judges)

    def prior(self) -> dict[str, tuple[float, float]]:
        """Rate -> alpha and beta by default."""
        return {
            name: beta
            for judge in self.judges
            for name, beta in zip(judge.names, judge.prior, strict=True)
        }

    def start(self) -> Float[np.ndarray, " rate"]:
        """Where a search for modes begins."""
        value = np.zeros(len(self.names))
        for judge, places in zip(self.judges, self.places, strict=True):
            value[list(places)] = judge.start
        return value

    def mirrored(self, of: str, worlds: Worlds) -> list[int]:
        """Of each rate the one that takes its part when a truth is relabelled.

        Parameters
        ----------
        of : "retrieval" or "task"
            Levels of retrieval upside down; right answers wrong.
        """
        image = _mirror(of, worlds)
        turned = list(range(len(self.names)))
        for judge, places in zip(self.judges, self.places, strict=True):
            for cell, by_code in enumerate(judge.paths):
                speaker = _speaker(judge.cell, cell, worlds)
                if judge.fixed[speaker] is not None:
                    continue
                there = judge.cell[image[speaker]]
                for mine, theirs in zip(by_code, judge.paths[there], strict=True):
                    for path, other in zip(mine, theirs, strict=True):
                        for (rate, _), (from_rate, _) in zip(path, other, strict=True):
                            turned[places[rate]] = places[from_rate]
        return turned

    def products(self, verdicts: Sequence[int], world: int) -> Iterator[tuple[list[Step], float]]:
        """P(verdicts | world) as a sum of products: splits taken, and a constant factor.

        Parameters
        ----------
        verdicts : sequence of int
            One answer per judge, -1 where there is none that counts.
        world : int
        """
        said = [verdict >= 0 for verdict in verdicts]
        asked = {
            parent
            for judge, has_said in zip(self.judges, said, strict=True)
            if has_said
            for parent in judge.parents
        }
        hidden = [j for j in sorted(asked) if not said[j]]
        answers = [range(self.judges[j].n_answers) for j in hidden]
        for filled in product(*answers):
            every = list(verdicts)
            for j, answer in zip(hidden, filled, strict=True):
                every[j] = answer
            steps: list[Step] = []
            factor = 1.0
            for j, judge in enumerate(self.judges):
                if every[j] < 0:
                    continue
                fixed = judge.fixed[world]
                if fixed is not None and every[j] < judge.n_levels:
                    factor *= fixed if every[j] else 1 - fixed
                for rate, outcome in self._path(j, world, every):
                    steps.append((self.places[j][rate], outcome))
            if factor > 0:
                yield steps, factor

    def _path(self, j: int, world: int, verdicts: Sequence[int]) -> tuple[Step, ...]:
        judge = self.judges[j]
        code = 0
        for parent in judge.parents:
            code = code * self.judges[parent].n_answers + max(0, verdicts[parent])
        return judge.paths[judge.cell[world]][code][verdicts[j]]

    def answers(
        self, j: int, rates: Float[np.ndarray, "*batch rate"]
    ) -> Float[np.ndarray, "*batch world answer"]:
        """P(answer | world) of one judge, whatever the others said."""
        judge = self.judges[j]
        columns = []
        for world in range(len(judge.cell)):
            for answer in range(judge.n_answers):
                verdicts = [-1] * len(self.judges)
                verdicts[j] = answer
                total: Any = 0.0
                for steps, factor in self.products(verdicts, world):
                    p: Any = factor
                    for rate, outcome in steps:
                        p = p * (rates[..., rate] if outcome else 1 - rates[..., rate])
                    total = total + p
                columns.append(np.broadcast_to(total, rates.shape[:-1]))
        shape = (*rates.shape[:-1], len(judge.cell), judge.n_answers)
        return np.stack(columns, axis=-1).reshape(shape)


@lru_cache(maxsize=64)
def emissions_of(judges: tuple[Any, ...], levels: tuple[str, ...] = TWO_LEVELS) -> Emissions:
    """The emissions of these judges, for these levels of retrieval.

    Raises
    ------
    ArgumentError
        When saturated judges have more rates than anybody can fit, or a level of retrieval that
        rates are named by has a bracket.
    """
    worlds = worlds_of(levels)
    made: list[Emission] = []
    before: list[int] = []
    for j, (judge, key) in enumerate(zip(judges, judge_keys(judges), strict=True)):
        if judge.dependence == "saturated":
            radix = [made[i].n_answers for i in before]
            _require_few(judge, key, worlds, radix)
            made.append(saturated_emission(judge, key, worlds, tuple(before), radix))
            before.append(j)
        else:
            made.append(emission_of(judge, key, worlds))
    _require_no_brackets(made, levels)
    names = [name for kind in _kinds(made) for name in _named(kind, made)]
    place = {name: i for i, name in enumerate(names)}
    places = tuple(tuple(place[name] for name in judge.names) for judge in made)
    owner = [0] * len(names)
    for j, of_judge in enumerate(places):
        for rate in of_judge:
            owner[rate] = j
    return Emissions(judges=tuple(made), names=tuple(names), places=places, owner=tuple(owner))


def judge_keys(judges: Sequence[Any]) -> tuple[str, ...]:
    """What stands in ``tpr[...]`` for each judge: its name, with the version where two share it."""
    names = [judge.name for judge in judges]
    return tuple(
        f"{judge.name} {judge.version}"
        if names.count(judge.name) > 1 and judge.version is not None
        else judge.name
        for judge in judges
    )


def _require_no_brackets(made: Sequence[Emission], levels: tuple[str, ...]) -> None:
    """Names are ``kind[key]``: a kind that a level of retrieval is part of has no bracket."""
    odd = [judge.key for judge in made if any("[" in kind for kind in judge.kinds)]
    if odd:
        level = next(level for level in levels if "[" in level)
        raise ArgumentError.build(
            f"The rates of judge {odd[0]!r} are named by levels of retrieval, one of which is "
            f"{level!r:.80}.",
            accepted="Levels without the character '['.",
            hint="name the levels by other words in `retrieval_levels`.",
        )


def _kinds(made: Sequence[Emission]) -> list[str]:
    """Every kind of rate: those of plain judges first, the others as they appear."""
    found = dict.fromkeys(kind for judge in made for kind in judge.kinds)
    return [*(k for k in KINDS if k in found), *(k for k in found if k not in KINDS)]


def _named(kind: str, made: Sequence[Emission]) -> list[str]:
    return [f"{kind}[{judge.key}]" for judge in made if kind in judge.kinds]


def _mirror(of: str, worlds: Worlds) -> list[int]:
    """Of each world the one that it becomes when a truth is relabelled."""
    place = {
        (int(level), int(abstained), int(right)): w
        for w, (level, abstained, right) in enumerate(
            zip(worlds.level, worlds.abstained, worlds.right, strict=True)
        )
    }
    top = worlds.n_levels - 1
    if of == "retrieval":
        return [place[top - level, abstained, right] for level, abstained, right in list(place)]
    return [
        place[level, abstained, right if abstained else 1 - right]
        for level, abstained, right in list(place)
    ]


def _speaker(cell: Sequence[int], which: int, worlds: Worlds) -> int:
    """The world that stands for a cell: one that answered where there is one."""
    members = [w for w, c in enumerate(cell) if c == which]
    return next((w for w in members if not worlds.abstained[w]), members[0])


def _require_few(judge: Any, key: str, worlds: Worlds, radix: Sequence[int]) -> None:
    n_rates = len(worlds.names) * int(np.prod([*radix, 1])) * (judge.n_answers - 1)
    if n_rates > MOST_RATES:
        raise ArgumentError.build(
            f"Judge {key!r} would have {n_rates:,} rates under dependence='saturated': one for "
            "each world and each pattern of the verdicts before it.",
            accepted=f"Up to {MOST_RATES} rates.",
            hint="saturate fewer judges together, or cut levels into fewer.",
        )
