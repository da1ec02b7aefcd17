"""Modes of the posterior of the logits, each with its curvature and its share of the mass.

EM climbs from many starts at once (the labelled rows with judges at TPR 0.8 and FPR 0.2, their
mirror images, and a few scattered points), damped Newton steps finish, and what ends at the
same place, or on one ridge (`ridges`), is one mode. The share of a mode is Laplace's: density
times the volume of the Gaussian with its curvature.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from itertools import product
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import numpy as np
from jaxtyping import Bool, Float, Int

from rat_widgets.inference.blocks import Block
from rat_widgets.inference.ridges import is_ridge
from rat_widgets.inference.start import Point

if TYPE_CHECKING:
    from rat_widgets.model.emissions import Emissions
    from rat_widgets.model.worlds import Worlds

__all__ = ["Peaks", "find_peaks", "shares", "starts"]

_N_SCATTERED: Final = 4
_EM_STEPS: Final = 25
_NEWTON_STEPS: Final = 30
# A Newton step as short as this has squared the error, and was the last.
_ARRIVED: Final = 1e-4
_MOST_PEAKS: Final = 4
_LEAST_WEIGHT: Final = 1e-3
# Squared distance in units of the better mode's curvature within which two ends are one mode.
_SAME: Final = 4.0
# Least curvature of a logit, relative to that of its own prior: flatter directions are cut off.
_FLOOR: Final = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class Peaks:
    """Modes of each unit of a block, the heaviest first; units with fewer have weight 0.

    A Gaussian at mode k has shared logits ``common_root[k] @ z`` around the centre, and own
    logits that lean with the shared ones: ``lean @ shift + own_root @ z``.

    Attributes
    ----------
    centre : array, shape (group, parameter, peak)
    weight : array, shape (unit, peak)
        Shares of the mass; they sum to 1.
    own_root : array, shape (group, peak, own, own)
    lean : array, shape (group, peak, own, shared)
    common_root : array, shape (peak, shared, shared)
    log_volume : array, shape (unit, peak)
        Log determinant of the roots.
    is_flat : array of bool, shape (group,)
        The curvature at the first mode had to be raised: the labels leave a direction open.
    """

    centre: Float[np.ndarray, "group parameter peak"]
    weight: Float[np.ndarray, "unit peak"]
    own_root: Float[np.ndarray, "group peak own own"]
    lean: Float[np.ndarray, "group peak own shared"]
    common_root: Float[np.ndarray, "peak shared shared"]
    log_volume: Float[np.ndarray, "unit peak"]
    is_flat: Bool[np.ndarray, " group"]

    @property
    def n_peaks(self) -> int:
        """The largest number of modes of a unit."""
        return self.weight.shape[1]

    def take(self, units: Int[np.ndarray, " unit"]) -> Self:
        """The modes of some units that share nothing."""
        of_units: dict[str, Any] = {
            f.name: getattr(self, f.name)[units] for f in fields(self) if f.name != "common_root"
        }
        return replace(self, **of_units)

    def at_first(self) -> Self:
        """The heaviest mode of each unit alone."""
        return replace(
            self,
            centre=self.centre[..., :1],
            weight=np.ones((len(self.weight), 1)),
            own_root=self.own_root[:, :1],
            lean=self.lean[:, :1],
            common_root=self.common_root[:1],
            log_volume=self.log_volume[:, :1],
        )


class _Curvature(NamedTuple):
    own_root: Float[np.ndarray, "group peak own own"]
    lean: Float[np.ndarray, "group peak own shared"]
    common_root: Float[np.ndarray, "peak shared shared"]
    log_volume: Float[np.ndarray, "unit peak"]
    is_flat: Bool[np.ndarray, "group peak"]


def starts(
    point: Point, emissions: Emissions, worlds: Worlds
) -> Float[np.ndarray, "group parameter start"]:
    """Logits to climb from: `point`, its mirror images, its judges turned round, and others.

    Parameters
    ----------
    point : Point
        Of some groups.
    emissions : Emissions
        Of the judges.
    worlds : Worlds
    """
    judged = {judge.of for judge in emissions.judges}
    points = []
    for of, turned in product(
        ((), ("retrieval",), ("task",), ("retrieval", "task")), (False, True)
    ):
        if turned and not (of and set(of) & judged):
            continue
        other = point
        for truth in of:
            other = other.mirrored(truth, emissions, worlds)
        if turned:
            other = replace(other, theta=point.theta)
        points.append(other.as_array())
    stacked = np.stack(points, axis=-1)
    n_groups, n_parameters, _ = stacked.shape
    # Square roots of primes leave fractions that fill the cube evenly.
    k = np.arange(1, n_parameters + 1)
    steps = np.arange(1, _N_SCATTERED + 1)[:, None] * np.sqrt(k * k + 1.0)
    scattered = np.broadcast_to(
        (0.05 + 0.9 * (steps % 1)).T, (n_groups, n_parameters, _N_SCATTERED)
    )
    p = np.clip(np.concatenate([stacked, scattered], axis=-1), 1e-4, 1 - 1e-4)
    return np.log(p) - np.log1p(-p)


def find_peaks(block: Block, begin: Float[np.ndarray, "group parameter start"]) -> Peaks:
    """The modes that are reached from these logits, over the columns of the block."""
    logits = begin[np.ix_(block.groups, block.parameters)].copy()
    if block.n_shared:
        logits[:, block.n_own :] = logits[:1, block.n_own :]
    for _ in range(_EM_STEPS):
        logits = _em_step(block, logits)
    logits, density = _newton(block, logits)
    curved = _curvature(block, logits)
    evidence = density + curved.log_volume
    order, weight = _distinct(block, logits, curved, evidence)
    each = order if not block.n_shared else np.repeat(order, len(block.groups), axis=0)
    row = np.arange(len(each))[:, None]
    flat = curved.is_flat[row, each][:, 0]
    return Peaks(
        centre=np.take_along_axis(logits, each[:, None], axis=2),
        weight=weight,
        own_root=curved.own_root[row, each],
        lean=curved.lean[row, each],
        common_root=curved.common_root[order[0]],
        log_volume=np.take_along_axis(curved.log_volume, order, axis=1),
        is_flat=flat,
    )


def shares(
    block: Block, peaks: Peaks, logits: Float[np.ndarray, "group parameter draw"]
) -> Float[np.ndarray, "unit peak"]:
    """The fraction of draws at each mode: where the Gaussian at that mode is the densest."""
    n = block.n_own
    heights = []
    for k in range(peaks.n_peaks):
        away = logits - peaks.centre[:, :, k, None]
        own = away[:, :n] - peaks.lean[:, k] @ away[:, n:]
        squared = block.total((np.linalg.solve(peaks.own_root[:, k], own) ** 2).sum(axis=1))
        if block.n_shared:
            squared = squared + (np.linalg.solve(peaks.common_root[k], away[0, n:]) ** 2).sum(
                axis=0
            )
        with np.errstate(divide="ignore"):
            log_weight = np.log(peaks.weight[:, k]) - peaks.log_volume[:, k]
        heights.append(log_weight[:, None] - 0.5 * squared)
    nearest = np.argmax(np.stack(heights), axis=0)
    return np.stack([(nearest == k).mean(axis=1) for k in range(peaks.n_peaks)], axis=1)


def _em_step(
    block: Block, logits: Float[np.ndarray, "group parameter start"]
) -> Float[np.ndarray, "group parameter start"]:
    """Each probability becomes its posterior mean given the labels expected of it."""
    ones, zeros = block.surface.labels(logits)
    if block.n_shared:
        for labels in (ones, zeros):
            labels[:, block.n_own :] = labels[:, block.n_own :].sum(axis=0, keepdims=True)
    return np.log(ones) - np.log(zeros)


def _newton(
    block: Block, logits: Float[np.ndarray, "group parameter start"]
) -> tuple[Float[np.ndarray, "group parameter start"], Float[np.ndarray, "unit start"]]:
    """Newton steps, damped by the curvature of complete labels where they would not climb."""
    value = block.surface(logits)
    density = block.total(value.log_density)
    damping = np.full(density.shape, 1e-9)
    arrived = np.zeros(density.shape, dtype=bool)
    diagonal = np.arange(logits.shape[1])
    for _ in range(_NEWTON_STEPS):
        hessian, complete = block.surface.curvature(logits)
        hessian[..., diagonal, diagonal] += damping[..., None] * complete
        step = np.clip(_solve(block, hessian, value.gradient), -3.0, 3.0)
        if block.n_shared:
            step[:, block.n_own :] = step[:1, block.n_own :]
        there = logits + step
        new = block.surface(there)
        reached = block.total(new.log_density)
        # What has arrived stays, so that no unit depends on how long the others take.
        climbs = (reached >= density) & ~arrived
        logits = np.where(climbs[:, None], there, logits)
        value = type(value)(
            np.where(climbs, new.log_density, value.log_density),
            np.where(climbs[:, None], new.gradient, value.gradient),
        )
        density = np.where(climbs, reached, density)
        damping = np.where(climbs, damping * 0.1, np.maximum(damping * 10, 0.1))
        damping = np.clip(damping, 1e-9, 1e6)
        size = np.abs(step).max(axis=1)
        arrived |= (size.max(axis=0, keepdims=True) if block.n_shared else size) < _ARRIVED
        if arrived.all():
            break
    return logits, density


def _solve(
    block: Block,
    hessian: Float[np.ndarray, "group start parameter parameter"],
    gradient: Float[np.ndarray, "group parameter start"],
) -> Float[np.ndarray, "group parameter start"]:
    """Newton's step: own columns are eliminated first, so that it costs one group at a time."""
    n = block.n_own
    downhill = np.swapaxes(gradient, 1, 2)[..., None]
    if not block.n_shared:
        return np.swapaxes(np.linalg.solve(hessian, downhill)[..., 0], 1, 2)
    right = np.concatenate([downhill[..., :n, :], hessian[..., :n, n:]], axis=-1)
    solved = np.linalg.solve(hessian[..., :n, :n], right)
    own, lean = solved[..., :1], solved[..., 1:]
    across = hessian[..., n:, :n]
    inner = (hessian[..., n:, n:] - across @ lean).sum(axis=0)
    common = np.linalg.solve(inner, (downhill[..., n:, :] - across @ own).sum(axis=0))
    own = own - lean @ common
    common = np.broadcast_to(common, (*own.shape[:-2], *common.shape[-2:]))
    return np.swapaxes(np.concatenate([own, common], axis=-2)[..., 0], 1, 2)


def _curvature(block: Block, logits: Float[np.ndarray, "group parameter peak"]) -> _Curvature:
    """Roots of the covariance at each mode, with flat directions cut off."""
    n = block.n_own
    hessian = block.surface.curvature(logits)[0]
    own_root, own_volume, is_flat = _root(hessian[..., :n, :n])
    lean = -own_root @ (np.swapaxes(own_root, -1, -2) @ hessian[..., :n, n:])
    volume = block.total(own_volume)
    inner = (hessian[..., n:, n:] + hessian[..., n:, :n] @ lean).sum(axis=0)
    common_root, common_volume, common_flat = _root(inner)
    return _Curvature(own_root, lean, common_root, volume + common_volume, is_flat | common_flat)


def _root(
    precision: Float[np.ndarray, "*batch n n"],
) -> tuple[
    Float[np.ndarray, "*batch n n"], Float[np.ndarray, "*batch"], Bool[np.ndarray, "*batch"]
]:
    """A square root of the inverse, its log determinant, and whether it had to be bounded."""
    if not precision.shape[-1]:
        empty = precision.shape[:-2]
        return precision, np.zeros(empty), np.zeros(empty, dtype=bool)
    values, vectors = np.linalg.eigh((precision + np.swapaxes(precision, -1, -2)) / 2)
    bounded = np.maximum(values, _FLOOR)
    root = vectors / np.sqrt(bounded)[..., None, :]
    return root, -0.5 * np.log(bounded).sum(axis=-1), (values < _FLOOR).any(axis=-1)


def _distinct(
    block: Block,
    logits: Float[np.ndarray, "group parameter start"],
    curved: _Curvature,
    evidence: Float[np.ndarray, "unit start"],
) -> tuple[Int[np.ndarray, "unit peak"], Float[np.ndarray, "unit peak"]]:
    """Which starts ended at modes of their own, padded with the first, and their shares."""
    kept = []
    for u, height in enumerate(evidence):
        mine: list[int] = []
        # Ridges of groups that share rates are not looked into.
        alone = None if block.n_shared else block.surface.take(slice(u, u + 1))
        for k in np.argsort(-height, kind="stable").tolist():
            if height[k] < height[mine[0] if mine else k] + np.log(_LEAST_WEIGHT):
                break
            if len(mine) < _MOST_PEAKS and all(
                _distance(block, logits, curved, unit=u, ends=(k, other)) > _SAME
                and not (alone and is_ridge(alone, logits[u, :, k], logits[u, :, other]))
                for other in mine
            ):
                mine.append(k)
        kept.append(mine)
    width = max(map(len, kept))
    order = np.array([[*mine, *[mine[0]] * (width - len(mine))] for mine in kept])
    real = np.array([[i < len(mine) for i in range(width)] for mine in kept])
    height = np.where(real, np.take_along_axis(evidence, order, axis=1), -np.inf)
    weight = np.exp(height - height[:, :1])
    return order, weight / weight.sum(axis=1, keepdims=True)


def _distance(
    block: Block,
    logits: Float[np.ndarray, "group parameter start"],
    curved: _Curvature,
    *,
    unit: int,
    ends: tuple[int, int],
) -> float:
    """Squared distance of two ends, in standard deviations of the second."""
    n = block.n_own
    first, second = ends
    of_unit = slice(None) if block.n_shared else slice(unit, unit + 1)
    apart = logits[of_unit, :, first] - logits[of_unit, :, second]
    common = apart[:1, n:]
    own = apart[:, :n] - (curved.lean[of_unit, second] @ common.T)[..., 0]
    squared = (np.linalg.solve(curved.own_root[of_unit, second], own[..., None]) ** 2).sum()
    if block.n_shared:
        squared += (np.linalg.solve(curved.common_root[second], common[0]) ** 2).sum()
    return float(squared)
