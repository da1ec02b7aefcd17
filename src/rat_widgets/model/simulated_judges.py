"""Judges to simulate whose errors have more to them than TPR and FPR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from jaxtyping import Bool, Float, Int

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.judges import Judge
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.worlds import Worlds

__all__ = ["has_more", "simulated_answers"]

_HINTS: Final = (
    'judges={"jT": {"of": "task", "depends_on": "retrieval", "tpr": {"hit": 0.9, "miss": 0.9}, '
    '"fpr": {"hit": 0.1, "miss": 0.5}}}',
    'judges={"jR": {"of": "retrieval", "levels": (0, 1, 2), "given_1": (0.1, 0.2, 0.7), '
    '"given_0": (0.6, 0.3, 0.1)}}',
)


def has_more(spec: object) -> bool:
    """Whether what `simulate` takes for a judge is more than a truth, a TPR and an FPR."""
    return isinstance(spec, Mapping) and ("depends_on" in spec or "levels" in spec)


def simulated_answers(
    column: str,
    spec: Mapping[str, Any],
    tree: Worlds,
    world: Int[np.ndarray, " row"],
    rng: np.random.Generator,
) -> tuple[Int[np.ndarray, " row"], Bool[np.ndarray, " row"], Judge]:
    """Answers of one judge: their numbers from 0, where there is one, and the judge.

    Parameters
    ----------
    column : str
    spec : mapping
        ``of`` and ``depends_on`` with ``tpr`` and ``fpr`` by case, or ``of`` and ``levels`` with
        ``given_1`` and ``given_0``, shares of the levels.
    tree : Worlds
    world : array of int, shape (row,)
    rng : Generator

    Raises
    ------
    ArgumentError, ArgumentTypeError
    """
    keys = {"of", "levels", "given_1", "given_0"} if "levels" in spec else None
    keys = keys or {"of", "depends_on", "tpr", "fpr"}
    hint = _HINTS["levels" in spec]
    if set(spec) != keys:
        raise ArgumentError.build(
            f"Judge {column!r} is given as {spec!r:.120}.",
            accepted=f"A mapping with the keys {', '.join(map(repr, sorted(keys)))}.",
            hint=hint,
        )
    if "levels" in spec:
        judge = Judge(column, of=spec["of"], levels=spec["levels"])
        shares = _by_level(column, judge, spec, hint)
        truth = np.array(emissions_of((judge,), tree.levels).judges[0].truth)
        p = shares[truth]
    else:
        judge = Judge(column, of=spec["of"], depends_on=spec["depends_on"])
        p = _by_case(column, judge, spec, tree, hint)
    drawn = rng.random(len(world))[:, None] > np.cumsum(p[world], axis=1)
    answers = np.minimum(drawn.sum(axis=1), p.shape[1] - 1)
    has_answer = tree.abstained[world] == 0 if judge.of == "task" else np.ones(len(world), bool)
    return answers, has_answer, judge


def _by_level(
    column: str, judge: Judge, spec: Mapping[str, Any], hint: str
) -> Float[np.ndarray, "2 level"]:
    """Shares of the levels given truth 0 and truth 1."""
    found = []
    for name in ("given_0", "given_1"):
        shares = _numbers(spec[name], f"{name} of judge {column!r}", hint)
        if len(shares) != len(judge.answers) or not np.isclose(shares.sum(), 1):
            raise ArgumentError.build(
                f"`{name}` of judge {column!r} is {spec[name]!r:.80}.",
                accepted=f"{len(judge.answers)} probabilities that sum to 1, one per level.",
                hint=hint,
            )
        found.append(shares)
    return np.array(found)


def _by_case(
    column: str, judge: Judge, spec: Mapping[str, Any], tree: Worlds, hint: str
) -> Float[np.ndarray, "world 2"]:
    """P(0) and P(1) in each world."""
    emissions = emissions_of((judge,), tree.levels)
    rates = np.zeros(len(emissions.names))
    for i, kind in enumerate(emissions.judges[0].kinds):
        rate, _, case = kind.partition("_given_")
        cases = spec[rate]
        if not isinstance(cases, Mapping) or case not in cases:
            raise ArgumentError.build(
                f"`{rate}` of judge {column!r} is {cases!r:.80}.",
                accepted=f"A mapping with {case!r}: a probability for each case of "
                f"depends_on={judge.depends_on!r}.",
                hint=hint,
            )
        rates[i] = _numbers([cases[case]], f"{rate}[{case!r}] of judge {column!r}", hint)[0]
    return emissions.answers(0, rates)


def _numbers(values: Any, name: str, hint: str) -> Float[np.ndarray, " value"]:
    is_list = isinstance(values, (Sequence, np.ndarray)) and not isinstance(values, str)
    try:
        numbers = np.array([float(value) for value in values] if is_list else None, dtype=float)
    except (TypeError, ValueError) as err:
        raise ArgumentTypeError.build(
            f"`{name}` is {values!r:.80}.", accepted="Numbers from 0 to 1.", hint=hint
        ) from err
    if numbers.ndim != 1 or not ((numbers >= 0) & (numbers <= 1)).all():
        raise ArgumentError.build(
            f"`{name}` is {values!r:.80}.", accepted="Numbers from 0 to 1.", hint=hint
        )
    return numbers
