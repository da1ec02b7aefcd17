"""Where chains start: the EM mode, and its mirror images where nothing tells them apart.

From random starts chains land in false modes when a judge has few labelled rows, and no
divergence shows it. EM starts from the rows that show the truth, judges from TPR 0.8 and
FPR 0.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Final

import numpy as np
from jaxtyping import Bool, Float

from rat_widgets.inference.tally import beta_parameters, label_cube
from rat_widgets.model.likelihood import FIRST_JUDGE, log_likelihood, world_memberships
from rat_widgets.model.program import ProgramData
from rat_widgets.model.worlds import level_probabilities, level_sticks

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["Point", "modes", "starting_point"]

_MAX_STEPS: Final = 500
_TOLERANCE: Final = 1e-6
# A mirror mode this much lower in log density holds a twentieth of the mass.
_COMPARABLE: Final = 3.0

_TPR, _FPR = 0.8, 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One point of the joint parameter space of several groups.

    Attributes
    ----------
    theta : array, shape (group, 3K - 1)
    tpr, fpr : array, shape (group, judge)
    """

    theta: Float[np.ndarray, "group theta"]
    tpr: Float[np.ndarray, "group judge"]
    fpr: Float[np.ndarray, "group judge"]

    def mirrored(self, of: str, judges: Sequence[str]) -> Point:
        """The point with one truth relabelled: "retrieval" (levels upside down) or "task"."""
        k = (self.theta.shape[-1] + 1) // 3
        split, abstain, correct = np.split(self.theta, (k - 1, 2 * k - 1), axis=-1)
        if of == "retrieval":
            split = level_sticks(level_probabilities(self.theta)[..., ::-1])
            abstain, correct = abstain[..., ::-1], correct[..., ::-1]
        else:
            correct = 1 - correct
        theta = np.concatenate([split, abstain, correct], axis=-1)
        turned = np.array([judged == of for judged in judges], dtype=bool)
        return Point(
            theta=theta,
            tpr=np.where(turned, self.fpr, self.tpr),
            fpr=np.where(turned, self.tpr, self.fpr),
        )


def starting_point(groups: Sequence[PatternCounts]) -> Point:
    """Theta from the rows that show R, judges from TPR 0.8 and FPR 0.2."""
    leaning = _leaning(len(groups[0].retrieval_levels))
    shape = np.stack([beta_parameters(label_cube(counts), leaning) for counts in groups])
    rates = np.ones((len(groups), len(groups[0].judges)))
    return Point(theta=shape[..., 0] / shape.sum(axis=-1), tpr=_TPR * rates, fpr=_FPR * rates)


def _leaning(n_levels: int) -> Float[np.ndarray, "theta 2"]:
    """Pseudo-labels that break the symmetry: a low level is declined more and answered worse."""
    below = np.arange(n_levels - 1, 0, -1)
    split = np.stack([np.ones(n_levels - 1), below], axis=1)
    lean = np.linspace(0.8, 1.2, n_levels)
    up, down = np.stack([lean, lean[::-1]], axis=1), np.stack([lean[::-1], lean], axis=1)
    return np.concatenate([split, down, up])


def modes(
    data: ProgramData,
    start: Point,
    *,
    judges: Sequence[str],
    shared: tuple[bool, ...],
    mirrored: Sequence[str] = (),
) -> tuple[Point, ...]:
    """EM modes to start chains from, the best first.

    Parameters
    ----------
    data : ProgramData
    start : Point
    judges : sequence of str
        What each judge judges.
    shared : tuple of bool
        Per judge, whether its rates are the same in all groups.
    mirrored : sequence of "retrieval", "task"
        Truths that nothing anchors. A mirror image is kept when its density is comparable.
    """
    found: list[tuple[float, Point]] = []
    for turns in product((False, True), repeat=len(mirrored)):
        point = start
        for of, turn in zip(mirrored, turns, strict=True):
            point = point.mirrored(of, judges) if turn else point
        point = _em(data, point, np.array(shared, dtype=bool))
        found.append((_log_density(data, point, shared), point))
    found.sort(key=lambda pair: -pair[0])
    return tuple(point for density, point in found if density > found[0][0] - _COMPARABLE)


def _em(data: ProgramData, point: Point, shared: Bool[np.ndarray, " judge"]) -> Point:
    """Expectation-maximisation from a point, each M-step a posterior mean."""
    for _ in range(_MAX_STEPS):
        new = _em_step(data, point, shared)
        moved = max(
            np.abs(getattr(new, name) - getattr(point, name)).max(initial=0.0)
            for name in ("theta", "tpr", "fpr")
        )
        point = new
        if moved < _TOLERANCE:
            break
    return point


def _em_step(data: ProgramData, point: Point, shared: Bool[np.ndarray, " judge"]) -> Point:
    joint = world_memberships(data.patterns, point.theta, point.tpr, point.fpr, judges=data.judges)
    members = joint / np.maximum(joint.sum(axis=-1, keepdims=True), np.finfo(float).tiny)
    rows = data.counts[..., None] * members
    per_world = rows.sum(axis=1)
    k = per_world.shape[-1] // 3
    abstained = per_world[:, :k]
    wrong, right = per_world[:, k::2], per_world[:, k + 1 :: 2]
    answered = wrong + right
    level = abstained + answered
    ones = np.concatenate([level[:, :0:-1], abstained, right], axis=1)
    below = np.cumsum(level, axis=1)[:, -2::-1]
    zeros = np.concatenate([below, answered, wrong], axis=1)
    theta = _posterior_mean(ones, zeros, data.theta_prior)
    rates = {}
    for rate, truth, prior in (("tpr", True, data.tpr_prior), ("fpr", False, data.fpr_prior)):
        said = np.zeros((2, *point.tpr.shape))
        for j in range(point.tpr.shape[1]):
            counted = (data.judges.truth[j] == truth) & np.isnan(data.judges.fixed[j])
            on_truth = rows[..., counted].sum(axis=-1)
            verdict = data.patterns[:, FIRST_JUDGE + j]
            if data.judges.of_task[j]:
                verdict = np.where(data.patterns[:, 1] == 1, -1, verdict)
            for v in (0, 1):
                said[v, :, j] = on_truth[:, verdict == v].sum(axis=-1)
        said = np.where(shared, said.sum(axis=1, keepdims=True), said)
        rates[rate] = _posterior_mean(said[1], said[0], prior)
    return Point(theta=theta, tpr=rates["tpr"], fpr=rates["fpr"])


def _posterior_mean(
    ones: Float[np.ndarray, "group parameter"],
    zeros: Float[np.ndarray, "group parameter"],
    prior: Float[np.ndarray, "parameter 2"],
) -> Float[np.ndarray, "group parameter"]:
    return (prior[:, 0] + ones) / (prior.sum(axis=1) + ones + zeros)


def _log_density(data: ProgramData, point: Point, shared: tuple[bool, ...]) -> float:
    """Log posterior density, up to a constant."""

    def beta(
        p: Float[np.ndarray, "group parameter"], prior: Float[np.ndarray, "parameter 2"]
    ) -> float:
        log = (prior[:, 0] - 1) * np.log(p) + (prior[:, 1] - 1) * np.log1p(-p)
        return float(log.sum())

    one = np.array(shared, dtype=bool)
    density = float(
        log_likelihood(
            data.patterns, data.counts, point.theta, point.tpr, point.fpr, judges=data.judges
        ).sum()
    )
    density += beta(point.theta, data.theta_prior)
    for p, prior in ((point.tpr, data.tpr_prior), (point.fpr, data.fpr_prior)):
        density += beta(p[:1, one], prior[one]) + beta(p[:, ~one], prior[~one])
    return density
