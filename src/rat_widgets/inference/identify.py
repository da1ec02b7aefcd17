"""Which parameters the labels can pin down, whatever their number.

A parameter is *identified* when moving it, with the others free to follow, must change the
probability of something that was recorded. The test is local: the rank of the derivatives of
the pattern probabilities at one generic point. It sees ridges; it does not see the mirror
solution of a latent class, for which `unanchored` looks.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np
from jaxtyping import Bool, Float, Int

from rat_widgets.inference.splits import splits_of
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.memberships import memberships
from rat_widgets.model.worlds import worlds_of

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.labels.judges import Judge

__all__ = ["Identification", "identify", "unanchored"]

Identification = tuple[Bool[np.ndarray, "group parameter"], Bool[np.ndarray, "group parameter"]]

# Any point away from symmetries would do; rates of judges follow the same irrational steps.
_GENERIC: Final = np.array([0.61, 0.37, 0.13, 0.29, 0.71])
_STEP: Final = 1e-5
# Differences of this size come from floating point, not from the model.
_NOISE: Final = 1e-7
_MAX_ENUMERATED: Final = 10
_MOST_OUTCOMES: Final = 4096
# Outcomes worked on at once: bounds the memory, where it grows with their number and its square.
_AT_ONCE: Final = 1024
_AT_ONCE_SATURATED: Final = 64


def identify(
    groups: Sequence[PatternCounts],
    *,
    shared: Bool[np.ndarray, " judge"],
    held: Collection[int] = (),
) -> Identification:
    """Which parameters are informed by the data at all, and which are identified.

    Parameters
    ----------
    groups : sequence of single-group PatternCounts with the same judges
    shared : array of bool, shape (judge,)
        Judges whose rates are the same in all groups.
    held : collection of int
        Parameters that are taken as given: known, and nothing to be found out.

    Returns
    -------
    informed, identified : arrays of bool, shape (group, parameter)
        In the order of `Priors.names`. Not informed: the posterior is the prior.
        Informed but not identified: only a combination with others is pinned down.
    """
    n_theta = len(worlds_of(groups[0].retrieval_levels).parameters)
    owner = list(emissions_of(groups[0].judges, groups[0].retrieval_levels).owner)
    is_common = np.concatenate([np.zeros(n_theta, dtype=bool), shared[owner].astype(bool)])
    fixed = list(held)
    blocks = [block.copy() for block in _derivatives_of(groups)]
    for block in blocks:
        block[:, fixed] = 0.0
    informed = np.array([(np.abs(block) > _NOISE).any(axis=0) for block in blocks])
    informed[:, is_common] = informed[:, is_common].any(axis=0)
    common = _common_constraints(blocks, is_common)
    identified = np.zeros_like(informed)
    for block, used, known in zip(blocks, informed, identified, strict=True):
        if used.any():
            around = np.linalg.qr(np.concatenate([block, common])[:, used], mode="r")
            _, singular, right = np.linalg.svd(around, full_matrices=True)
            rank = int((singular > _NOISE * singular[0]).sum())
            known[used] = (np.abs(right[rank:]) < 1e-5).all(axis=0)
    informed[:, fixed] = identified[:, fixed] = True
    return informed, identified


def _common_constraints(
    blocks: Sequence[Float[np.ndarray, "_ parameter"]], is_common: Bool[np.ndarray, " p"]
) -> Float[np.ndarray, "constraint rate"]:
    """What all groups together say about the rates that they share, as few rows.

    Each group's own parameters are projected out, so that the cost grows with the number of
    groups and not with its cube.
    """
    width = len(is_common)
    said = [np.zeros((1, int(is_common.sum())))]
    scale = 0.0
    for block in blocks:
        own, common = block[:, ~is_common], block[:, is_common]
        left, singular, _ = np.linalg.svd(own, full_matrices=False)
        left = left[:, singular > _NOISE * singular.max(initial=0.0)]
        said.append(common - left @ (left.T @ common))
        scale = max(scale, float(np.abs(common).max(initial=0.0)))
    triangle = np.linalg.qr(np.concatenate(said), mode="r")
    _, singular, right = np.linalg.svd(triangle, full_matrices=False)
    kept = singular > _NOISE * scale
    rows = np.zeros((int(kept.sum()), width))
    rows[:, is_common] = singular[kept, None] * right[kept]
    return rows


def unanchored(
    groups: Sequence[PatternCounts],
    *,
    shared: Bool[np.ndarray, " judge"],
    held: Collection[int] = (),
) -> tuple[tuple[str, ...], ...]:
    """Per group, truths ("retrieval", "task") that verdicts speak of but nothing anchors.

    The likelihood is the same when such a truth is relabelled (0 for 1, with the rates
    exchanged), so nothing in the data says which of two mirror solutions is meant. A human
    label anchors it, and so do a shared judge that was checked in another group, and a TPR or
    FPR that is held (by its position among the parameters).
    """
    n_theta = len(worlds_of(groups[0].retrieval_levels).parameters)
    emissions = emissions_of(groups[0].judges, groups[0].retrieval_levels)
    given = {
        emissions.owner[k - n_theta]
        for k in held
        if k >= n_theta and not emissions.names[k - n_theta].startswith("unknown")
    }
    patterns = [counts.patterns[counts.counts.sum(axis=0) > 0] for counts in groups]
    found: list[list[str]] = [[] for _ in groups]
    for of, column in (("retrieval", 0), ("task", 2)):
        mine = [j for j, judge in enumerate(groups[0].judges) if judge.of == of]
        says = [[(rows[:, FIRST_JUDGE + j] >= 0) for j in mine] for rows in patterns]
        human = [rows[:, column] >= 0 for rows in patterns]
        checked = {
            j
            for by_judge, labelled in zip(says, human, strict=True)
            for j, said in zip(mine, by_judge, strict=True)
            if shared[j] and (said & labelled).any()
        }
        for which, by_judge, labelled in zip(found, says, human, strict=True):
            judging = {j for j, said in zip(mine, by_judge, strict=True) if said.any()}
            if judging and not labelled.any() and not judging & (checked | given):
                which.append(of)
    return tuple(tuple(which) for which in found)


def _generic(n: int) -> Float[np.ndarray, " theta"]:
    """A point of so many probabilities, away from symmetries."""
    if n == len(_GENERIC):
        return _GENERIC
    return 0.15 + 0.7 * (np.arange(1, n + 1) * 0.7548776662 % 1)


def _derivatives_of(
    groups: Sequence[PatternCounts],
) -> list[Float[np.ndarray, "outcome parameter"]]:
    """Derivatives for each group."""
    return [
        _derivatives(
            counts.patterns[counts.counts.sum(axis=0) > 0].tobytes(),
            counts.patterns.dtype.str,
            counts.judges,
            counts.retrieval_levels,
        )
        for counts in groups
    ]


@lru_cache(maxsize=64)
def _derivatives(
    shown: bytes, kind: str, judges: tuple[Judge, ...], levels: tuple[str, ...]
) -> Float[np.ndarray, "outcome parameter"]:
    """Derivatives of the log probability of each possible outcome, at the generic point.

    They depend on which patterns are shown, and not on how often.
    """
    patterns = np.frombuffer(shown, dtype=kind).reshape(-1, FIRST_JUDGE + len(judges))
    outcomes = _outcomes(patterns, judges, len(levels))
    theta = _generic(len(worlds_of(levels).parameters))
    point = np.concatenate([theta, _generic_rates(judges, levels)])
    is_split = not any(judge.dependence == "saturated" for judge in judges)
    slopes, size = (_slopes, _AT_ONCE) if is_split else (_differences, _AT_ONCE_SATURATED)
    result = np.zeros((len(outcomes), len(point)))
    for start in range(0, len(outcomes), size):
        some = slice(start, start + size)
        result[some] = slopes(outcomes[some], point, judges, levels)
    result.flags.writeable = False
    return result


def _slopes(
    outcomes: Int[np.ndarray, "outcome column"],
    point: Float[np.ndarray, " parameter"],
    judges: tuple[Judge, ...],
    levels: tuple[str, ...],
) -> Float[np.ndarray, "outcome parameter"]:
    """Derivatives where a row in a world is one product of p and 1 - p."""
    outcomes = outcomes.copy()
    # Verdicts on answers that were never given.
    void = [FIRST_JUDGE + j for j, judge in enumerate(judges) if judge.of == "task"]
    outcomes[np.ix_(outcomes[:, 1] == 1, void)] = -1
    splits = splits_of(outcomes, judges, levels)
    joint = splits.joint(point)
    member = joint / joint.sum(axis=1, keepdims=True)
    ones, zeros = (np.einsum("kw,kwp->kp", member, x) for x in (splits.yes, splits.no))
    return ones / point - zeros / (1 - point)


def _differences(
    outcomes: Int[np.ndarray, "outcome column"],
    point: Float[np.ndarray, " parameter"],
    judges: tuple[Judge, ...],
    levels: tuple[str, ...],
) -> Float[np.ndarray, "outcome parameter"]:
    """Derivatives of any judges, by central differences."""
    around = np.concatenate(
        [point + _STEP * np.eye(len(point)), point - _STEP * np.eye(len(point))]
    )
    theta, rates = np.split(around, [len(worlds_of(levels).parameters)], axis=1)
    p = memberships(outcomes, theta, rates, judges, levels).sum(axis=-1)
    above, below = np.log(p[: len(point)]), np.log(p[len(point) :])
    return ((above - below) / (2 * _STEP)).T


def _generic_rates(
    judges: tuple[Judge, ...], levels: tuple[str, ...]
) -> Float[np.ndarray, " rate"]:
    """Rates of decent judges, away from symmetries."""
    emissions = emissions_of(judges, levels)
    if not emissions.are_plain:
        steps = np.arange(len(emissions.names))
        return np.asarray(0.7 * emissions.start() + 0.03 + 0.24 * (steps * 0.6180339887 % 1))
    steps = np.arange(len(judges))
    silent = np.arange(sum(judge.has_unknown for judge in judges))
    return np.concatenate(
        [
            0.83 - 0.17 * (steps * 0.618 % 1),
            0.12 + 0.21 * (steps * 0.414 % 1),
            0.07 + 0.11 * (silent * 0.732 % 1),
            0.19 + 0.13 * (silent * 0.236 % 1),
        ]
    )


def _outcomes(
    patterns: Int[np.ndarray, "pattern column"], judges: Sequence[Judge], n_levels: int = 2
) -> Int[np.ndarray, "outcome column"]:
    """What the rows showed, and what they could have shown with the same labels bought.

    That no row abstained is as informative as that some did. But where labels are bought
    after looking at others (R only where A=1 or T=1), the outcome that always stops the
    buying is seen with fewer labels, and counts as that.
    """
    patterns = patterns.copy()
    patterns[:, 3] = -1
    seen = np.unique(patterns, axis=0)
    n_values = [n_levels, 2, 2, 2, *(judge.n_answers for judge in judges)]
    task = [2, *(FIRST_JUDGE + j for j, judge in enumerate(judges) if judge.of == "task")]
    possible = {tuple(row) for row in seen.tolist()}
    for mask in np.unique(seen >= 0, axis=0):
        columns = np.flatnonzero(mask)
        size = math.prod(n_values[c] for c in columns.tolist())
        if len(columns) > _MAX_ENUMERATED or size > _MOST_OUTCOMES:
            continue
        alike = seen[((seen >= 0) == mask).all(axis=1)]
        values = np.array(list(product(*(range(n_values[c]) for c in columns))))
        rows = np.full((len(values), patterns.shape[1]), -1, dtype=patterns.dtype)
        rows[:, columns] = values
        rows[np.ix_(rows[:, 1] == 1, task)] = -1
        for shows in np.unique(seen >= 0, axis=0):
            common = mask & shows
            if (common == mask).all():
                continue
            # Rows on which this much more was never bought.
            bought = {row.tobytes() for row in alike[:, common]}
            shown = {row.tobytes() for row in seen[((seen >= 0) == shows).all(axis=1)][:, common]}
            stops = shown - bought
            rows = rows[[row.tobytes() not in stops for row in rows[:, common]]]
        possible.update(map(tuple, rows.tolist()))
    return np.array(sorted(possible), dtype=patterns.dtype).reshape(-1, patterns.shape[1])
