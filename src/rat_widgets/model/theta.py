"""One point of the parameter space, by name, and label tables simulated from it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from jaxtyping import Bool, Float, Int

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.judges import Judge
from rat_widgets.labels.levels import read_levels
from rat_widgets.model.simulated_judges import has_more, simulated_answers
from rat_widgets.model.worlds import (
    PARAMETERS,
    WORLDS,
    Worlds,
    level_sticks,
    world_probabilities,
    worlds_of,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["STRATEGIES", "GradedTheta", "Theta", "read_judge_rates", "simulate"]

_ROUNDING: Final = 1e-9

STRATEGIES: Final = (
    "all_joint",
    "all_r",
    "all_t",
    "half_joint_r",
    "half_joint_t",
    "r_then_t",
    "t_then_r",
    "judge_only",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Theta:
    """The five probabilities of one system.

    Parameters
    ----------
    retrieval_success : float
        P(R=1): the retrieved context holds all that is needed (a "hit").
    abstain_given_miss, abstain_given_hit : float
        P(A=1 | R=0) and P(A=1 | R=1): the generator declines to answer.
    correct_given_miss, correct_given_hit : float
        P(T=1 | A=0, R=0) and P(T=1 | A=0, R=1): an answer that was given is correct.

    Raises
    ------
    ArgumentTypeError
        When a value is not a number.
    ArgumentError
        When a value is outside [0, 1].

    Examples
    --------
    >>> theta = Theta(retrieval_success=0.8, abstain_given_miss=0.5, abstain_given_hit=0.1,
    ...               correct_given_miss=0.3, correct_given_hit=0.9)
    >>> round(theta.worlds()["hit_right"], 3)
    0.648
    """

    retrieval_success: float
    abstain_given_miss: float
    abstain_given_hit: float
    correct_given_miss: float
    correct_given_hit: float

    def __post_init__(self) -> None:
        for field in fields(self):
            value = _probability(getattr(self, field.name), field.name)
            object.__setattr__(self, field.name, value)

    @classmethod
    def from_array(cls, theta: Float[np.ndarray, 5] | Sequence[float]) -> Self:
        """The point whose probabilities stand in the order of `PARAMETERS`."""
        try:
            values = np.asarray(theta, dtype=float)
        except (OverflowError, TypeError, ValueError) as err:
            raise ArgumentTypeError.build(
                f"Theta.from_array got {theta!r:.80}.",
                accepted=f"Five numbers, in this order: {', '.join(PARAMETERS)}.",
            ) from err
        if values.shape != (len(PARAMETERS),):
            raise ArgumentError.build(
                f"Theta.from_array got an array of shape {values.shape}.",
                accepted=f"Five numbers, in this order: {', '.join(PARAMETERS)}.",
            )
        return cls(**dict(zip(PARAMETERS, values.tolist(), strict=True)))

    def as_array(self) -> Float[np.ndarray, 5]:
        """The five probabilities in the order of `PARAMETERS`."""
        return np.array([getattr(self, name) for name in PARAMETERS])

    def worlds(self) -> dict[str, float]:
        """P(world) by the name of the world; the six values sum to 1."""
        return dict(zip(WORLDS, world_probabilities(self.as_array()).tolist(), strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedTheta:
    """The probabilities of one system whose retrieval has more than two levels.

    Parameters
    ----------
    retrieval : mapping or sequence
        P(R = level), one number per level; they sum to 1. A mapping names the levels, the lowest
        first; a sequence goes by `levels`.
    abstain_given : mapping or sequence
        P(A=1 | R = level).
    correct_given : mapping or sequence
        P(T=1 | A=0, R = level).
    levels : sequence of str
        The lowest first; those of `retrieval` when it is a mapping.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When a value is no probability, a level is missing, or `retrieval` does not sum to 1.

    Examples
    --------
    >>> theta = GradedTheta(retrieval={"none": 0.2, "partial": 0.3, "all": 0.5},
    ...                     abstain_given=(0.6, 0.3, 0.1), correct_given=(0.1, 0.5, 0.9))
    >>> round(theta.worlds()["all_right"], 3)
    0.405
    """

    retrieval: Mapping[str, float] | Sequence[float]
    abstain_given: Mapping[str, float] | Sequence[float]
    correct_given: Mapping[str, float] | Sequence[float]
    levels: Sequence[str] = ()

    def __post_init__(self) -> None:
        named = tuple(self.retrieval) if isinstance(self.retrieval, Mapping) else ()
        given = tuple(self.levels) or named
        levels = read_levels(given or None)
        if not given or len(levels) == 2:
            raise ArgumentError.build(
                f"GradedTheta got the levels {given!r}.",
                accepted="Three or more; two are those of Theta.",
                hint='GradedTheta(levels=("none", "partial", "all"), ...)',
            )
        object.__setattr__(self, "levels", levels)
        for name in ("retrieval", "abstain_given", "correct_given"):
            value = _per_level(getattr(self, name), name, levels)
            object.__setattr__(self, name, value)
        total = math.fsum(self._array("retrieval"))
        if abs(total - 1) > _ROUNDING:
            raise ArgumentError.build(
                f"The probabilities of `retrieval` sum to {total:.6g}.", accepted="They sum to 1."
            )

    def _array(self, name: str) -> Float[np.ndarray, " level"]:
        return np.array([getattr(self, name)[level] for level in self.levels])

    def as_array(self) -> Float[np.ndarray, " theta"]:
        """The free probabilities in the order of `Worlds.parameters`."""
        splits = level_sticks(self._array("retrieval"))
        return np.concatenate([splits, self._array("abstain_given"), self._array("correct_given")])

    def worlds(self) -> dict[str, float]:
        """P(world) by the name of the world; the values sum to 1."""
        names = worlds_of(tuple(self.levels)).names
        return dict(zip(names, world_probabilities(self.as_array()).tolist(), strict=True))


def simulate(
    theta: Theta | GradedTheta,
    n: int,
    strategy: str = "all_joint",
    *,
    judges: Mapping[str, Mapping[str, Any]] | Sequence[tuple[Any, float, float]] = (),
    n0: int = 0,
    seed: int = 0,
) -> pd.DataFrame:
    """A table of labels drawn from the model, some of them hidden by a labelling strategy.

    Parameters
    ----------
    theta : Theta or GradedTheta
        The truth.
    n : int
        Rows labelled by `strategy`, 0 or more.
    strategy : str
        Which labels are seen, on top of A, which always is. ``all_joint``: R and T;
        ``all_r``: R; ``all_t``: T; ``half_joint_r`` and ``half_joint_t``: R and T on the first
        half of the rows (the larger half when `n` is odd), only R or only T on the others;
        ``r_then_t``: R, then T where R=1 (the top level); ``t_then_r``: T, then R where A=1 or T=1;
        ``judge_only``: neither.
    judges : mapping or sequence
        ``{"jR": {"of": "retrieval", "tpr": 0.95, "fpr": 0.5}}``, the key being the column; or
        ``[(Judge("jR", of="retrieval"), 0.95, 0.5)]``. Verdicts are seen on every row, those of
        a judge of T only where A=0. In a mapping a judge may also depend on something else,
        ``{"of": "task", "depends_on": "retrieval", "tpr": {"hit": 0.9, "miss": 0.9}, "fpr":
        {"hit": 0.1, "miss": 0.5}}``, or be graded, ``{"of": "retrieval", "levels": (0, 1, 2),
        "given_1": (0.1, 0.2, 0.7), "given_0": (0.6, 0.3, 0.1)}``.
    n0 : int
        Rows before these on which R and T are both seen whatever the strategy.
    seed : int
        The same seed gives the same table.

    Returns
    -------
    pandas.DataFrame
        ``n0 + n`` rows; columns R, A, T, then one per judge; 0, 1 or missing, of dtype Int8.
        T is missing where A=1. R of a `GradedTheta` is an ordered categorical of its levels.
    """
    import pandas as pd

    if not isinstance(theta, (Theta, GradedTheta)):
        raise ArgumentTypeError.build(
            f"simulate got {theta!r} for `theta`.",
            accepted="A Theta or a GradedTheta.",
            hint="rat.Theta(...)",
        )
    if not isinstance(strategy, str) or strategy not in STRATEGIES:
        raise ArgumentError.build(
            f"{strategy!r} is not a labelling strategy.",
            accepted=f"One of {', '.join(STRATEGIES)}.",
        )
    n, n0, seed = _count(n, "n"), _count(n0, "n0"), _count(seed, "seed")
    more = {c: j for c, j in judges.items() if has_more(j)} if isinstance(judges, Mapping) else {}
    if isinstance(judges, Mapping):
        judges = {column: spec for column, spec in judges.items() if column not in more}
    rates = read_judge_rates(judges)
    rng = np.random.default_rng(seed)

    tree = worlds_of() if isinstance(theta, Theta) else worlds_of(tuple(theta.levels))
    world = rng.choice(len(tree.names), size=n0 + n, p=world_probabilities(theta.as_array()))
    hit, abstained, right = tree.hit[world], tree.abstained[world], tree.right[world]
    sees_hit, sees_right = _seen(strategy, hit, abstained, right, n0=n0)
    everywhere = np.ones(n0 + n, dtype=bool)
    answered = abstained == 0

    columns = {
        "R": _retrieval(tree, tree.level[world], sees_hit),
        "A": _nullable(abstained, everywhere),
        "T": _nullable(right, sees_right & answered),
    }
    truths = {"retrieval": hit, "abstention": abstained, "task": right}
    for column, (of, tpr, fpr) in rates.items():
        says_yes = rng.random(n0 + n) < np.where(truths[of] == 1, tpr, fpr)
        columns[column] = _nullable(says_yes, answered if of == "task" else everywhere)
    for column, spec in more.items():
        _require_free(column)
        answers, has_answer, judge = simulated_answers(column, spec, tree, world, rng)
        columns[column] = _answers(judge, answers, has_answer)
    return pd.DataFrame(columns)


def _seen(
    strategy: str,
    hit: Int[np.ndarray, " row"],
    abstained: Int[np.ndarray, " row"],
    right: Int[np.ndarray, " row"],
    *,
    n0: int,
) -> tuple[Bool[np.ndarray, " row"], Bool[np.ndarray, " row"]]:
    """On which rows the strategy shows R, and on which T."""
    row = np.arange(len(hit))
    n = len(hit) - n0
    joint = row < n0 + (n + 1) // 2
    every = row >= 0
    never = row < 0
    sees_hit, sees_right = {
        "all_joint": (every, every),
        "all_r": (every, never),
        "all_t": (never, every),
        "half_joint_r": (every, joint),
        "half_joint_t": (joint, every),
        "r_then_t": (every, hit == 1),
        "t_then_r": ((abstained == 1) | (right == 1), every),
        "judge_only": (never, never),
    }[strategy]
    start = row < n0
    return sees_hit | start, sees_right | start


def _retrieval(tree: Worlds, level: Int[np.ndarray, " row"], seen: Bool[np.ndarray, " row"]) -> Any:
    """R as 0 and 1, or as an ordered categorical of its levels; missing where not seen."""
    import pandas as pd

    if not tree.is_graded:
        return _nullable(level, seen)
    scale = pd.CategoricalDtype(list(tree.levels), ordered=True)
    return pd.Categorical.from_codes(np.where(seen, level, -1).tolist(), dtype=scale)


def _per_level(value: Any, name: str, levels: tuple[str, ...]) -> dict[str, float]:
    """Level -> probability, from a mapping or a sequence in the order of the levels."""
    if isinstance(value, Mapping):
        found = dict(value)
    elif isinstance(value, (Sequence, np.ndarray)) and not isinstance(value, str):
        found = dict(zip(levels, value, strict=False)) if len(value) == len(levels) else {}
    else:
        raise ArgumentTypeError.build(
            f"`{name}` is {value!r:.80}.", accepted=f"One number per level: {', '.join(levels)}."
        )
    if set(found) != set(levels):
        raise ArgumentError.build(
            f"`{name}` is {value!r:.80}.", accepted=f"One number per level: {', '.join(levels)}."
        )
    return {level: _probability(found[level], f"{name}[{level}]") for level in levels}


def _nullable(values: Any, seen: Bool[np.ndarray, " row"]) -> Any:
    """An Int8 column, missing where not seen."""
    import pandas as pd

    return pd.arrays.IntegerArray(np.asarray(values).astype(np.int8), ~seen)


def read_judge_rates(judges: Any) -> dict[str, tuple[str, float, float]]:
    """Column -> (what is judged, TPR, FPR), from what `simulate` takes as judges.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When something is missing, no rate, or no judge.
    """
    rates: dict[str, tuple[str, float, float]] = {}
    if isinstance(judges, Mapping):
        for column, spec in judges.items():
            if not isinstance(spec, Mapping) or set(spec) != {"of", "tpr", "fpr"}:
                raise ArgumentError.build(
                    f"Judge {column!r} is given as {spec!r}.",
                    accepted="A mapping with the keys 'of', 'tpr' and 'fpr'.",
                    hint='judges={"jR": {"of": "retrieval", "tpr": 0.95, "fpr": 0.5}}',
                )
            rates[column] = (spec["of"], spec["tpr"], spec["fpr"])
    else:
        for entry in judges if isinstance(judges, Iterable) else (judges,):
            is_triple = isinstance(entry, Sequence) and not isinstance(entry, str)
            if not is_triple or len(entry) != 3 or not isinstance(entry[0], Judge):
                raise ArgumentError.build(
                    f"`judges` holds {entry!r}.",
                    accepted="Triples of a Judge, its TPR and its FPR.",
                    hint='judges=[(rat.Judge("jR", of="retrieval"), 0.95, 0.5)]',
                )
            judge, tpr, fpr = entry
            rates[judge.column] = (judge.of, tpr, fpr)
    for column, (of, tpr, fpr) in rates.items():
        if not isinstance(of, str) or of not in ("retrieval", "task", "abstention"):
            raise ArgumentError.build(
                f"Judge {column!r} is a judge of {of!r}.",
                accepted="A judge of 'retrieval', 'task' or 'abstention'.",
            )
        _require_free(column)
        checked = (_probability(tpr, f"tpr[{column}]"), _probability(fpr, f"fpr[{column}]"))
        rates[column] = (of, *checked)
    return rates


def _require_free(column: str) -> None:
    if column in ("R", "A", "T"):
        raise ArgumentError.build(
            f"A judge's column cannot be called {column!r}.",
            accepted="Any name but R, A and T, which hold the truth.",
        )


def _answers(judge: Judge, answers: Int[np.ndarray, " row"], seen: Bool[np.ndarray, " row"]) -> Any:
    """The cells of a judge's column: 0 and 1, or its levels; missing where not seen."""
    import pandas as pd

    if judge.levels is None:
        return _nullable(answers, seen)
    cells = pd.array([judge.levels[i] for i in answers.tolist()])
    cells[~seen] = pd.NA
    return cells


def _probability(value: Any, name: str) -> float:
    """The value as a float in [0, 1], or an error that names the parameter."""
    try:
        number = float(value)
    except OverflowError as err:  # an integer beyond 1.8e308
        raise ArgumentError.build(
            f"`{name}` is out of range.", accepted="A probability in [0, 1]."
        ) from err
    except (TypeError, ValueError) as err:
        raise ArgumentTypeError.build(
            f"`{name}` is {value!r}.", accepted="A number from 0 to 1."
        ) from err
    if not 0 <= number <= 1 or math.isnan(number):
        raise ArgumentError.build(f"`{name}` is {number!r}.", accepted="A probability in [0, 1].")
    return number


def _count(value: Any, name: str) -> int:
    """The value as a whole number of 0 or more, or an error that names the argument."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ArgumentTypeError.build(f"`{name}` is {value!r}.", accepted="A whole number.")
    if value < 0:
        raise ArgumentError.build(f"`{name}` is {value!r}.", accepted="0 or more.")
    return int(value)
