"""Label tables simulated from a point of the parameter space, labelled by a strategy."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from jaxtyping import Bool, Int

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.judges import Judge
from rat_widgets.model.simulated_judges import has_more, simulated_answers
from rat_widgets.model.theta import GradedTheta, Theta, probability
from rat_widgets.model.worlds import Worlds, world_probabilities, worlds_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["STRATEGIES", "read_judge_rates", "simulate"]

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
        checked = (probability(tpr, f"tpr[{column}]"), probability(fpr, f"fpr[{column}]"))
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


def _count(value: Any, name: str) -> int:
    """The value as a whole number of 0 or more, or an error that names the argument."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise ArgumentTypeError.build(f"`{name}` is {value!r}.", accepted="A whole number.")
    if value < 0:
        raise ArgumentError.build(f"`{name}` is {value!r}.", accepted="0 or more.")
    return int(value)
