"""Where chains start: the labelled rows with judges taken for good ones, and mirror images.

From random starts chains land in false modes when a judge has few labelled rows, and no
divergence shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from rat_widgets.inference.tally import beta_parameters, label_cube
from rat_widgets.model.worlds import level_probabilities, level_sticks

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.labels.judges import Judge

__all__ = ["Point", "starting_point"]

_TPR, _FPR, _UNKNOWN = 0.8, 0.2, 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One point of the joint parameter space of several groups.

    Attributes
    ----------
    theta : array, shape (group, 3K - 1)
    tpr, fpr : array, shape (group, judge)
    unknown : array, shape (group, 2, unknown judge)
        P(cannot tell), given truth 1 and then given truth 0.
    """

    theta: Float[np.ndarray, "group theta"]
    tpr: Float[np.ndarray, "group judge"]
    fpr: Float[np.ndarray, "group judge"]
    unknown: Float[np.ndarray, "group 2 unknown"]

    def mirrored(self, of: str, judges: Sequence[Judge]) -> Point:
        """The point with one truth relabelled: "retrieval" (levels upside down) or "task"."""
        k = (self.theta.shape[-1] + 1) // 3
        split, abstain, correct = np.split(self.theta, (k - 1, 2 * k - 1), axis=-1)
        if of == "retrieval":
            split = level_sticks(level_probabilities(self.theta)[..., ::-1])
            abstain, correct = abstain[..., ::-1], correct[..., ::-1]
        else:
            correct = 1 - correct
        turned = np.array([judge.of == of for judge in judges], dtype=bool)
        silent = np.array([judge.of == of for judge in judges if judge.has_unknown], dtype=bool)
        return Point(
            theta=np.concatenate([split, abstain, correct], axis=-1),
            tpr=np.where(turned, self.fpr, self.tpr),
            fpr=np.where(turned, self.tpr, self.fpr),
            unknown=np.where(silent, self.unknown[:, ::-1], self.unknown),
        )

    def as_array(self) -> Float[np.ndarray, "group parameter"]:
        """All parameters, in the order of `Priors.names`."""
        flat = self.unknown.reshape(len(self.theta), -1)
        return np.concatenate([self.theta, self.tpr, self.fpr, flat], axis=1)


def starting_point(groups: Sequence[PatternCounts]) -> Point:
    """Theta from the rows that show R, judges from TPR 0.8 and FPR 0.2."""
    judges = groups[0].judges
    leaning = _leaning(len(groups[0].retrieval_levels))
    shape = np.stack([beta_parameters(label_cube(counts), leaning) for counts in groups])
    rates = np.ones((len(groups), len(judges)))
    n_unknown = sum(judge.has_unknown for judge in judges)
    return Point(
        theta=shape[..., 0] / shape.sum(axis=-1),
        tpr=_TPR * rates,
        fpr=_FPR * rates,
        unknown=np.full((len(groups), 2, n_unknown), _UNKNOWN),
    )


def _leaning(n_levels: int) -> Float[np.ndarray, "theta 2"]:
    """Pseudo-labels that break the symmetry: a low level is declined more and answered worse."""
    below = np.arange(n_levels - 1, 0, -1)
    split = np.stack([np.ones(n_levels - 1), below], axis=1)
    lean = np.linspace(0.8, 1.2, n_levels)
    up, down = np.stack([lean, lean[::-1]], axis=1), np.stack([lean[::-1], lean], axis=1)
    return np.concatenate([split, down, up])
