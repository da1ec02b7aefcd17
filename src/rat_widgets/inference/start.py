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
from rat_widgets.model.emissions import Emissions, emissions_of
from rat_widgets.model.worlds import Worlds, level_probabilities, level_sticks

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["Point", "starting_point"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One point of the joint parameter space of several groups.

    Attributes
    ----------
    theta : array, shape (group, 3K - 1)
    rates : array, shape (group, rate)
    """

    theta: Float[np.ndarray, "group theta"]
    rates: Float[np.ndarray, "group rate"]

    def mirrored(self, of: str, emissions: Emissions, worlds: Worlds) -> Point:
        """The point with one truth relabelled: "retrieval" (levels upside down) or "task"."""
        k = worlds.n_levels
        split, abstain, correct = np.split(self.theta, (k - 1, 2 * k - 1), axis=-1)
        if of == "retrieval":
            split = level_sticks(level_probabilities(self.theta)[..., ::-1])
            abstain, correct = abstain[..., ::-1], correct[..., ::-1]
        else:
            correct = 1 - correct
        return Point(
            theta=np.concatenate([split, abstain, correct], axis=-1),
            rates=self.rates[:, emissions.mirrored(of, worlds)],
        )

    def as_array(self) -> Float[np.ndarray, "group parameter"]:
        """All parameters, in the order of `Priors.names`."""
        return np.concatenate([self.theta, self.rates], axis=1)


def starting_point(groups: Sequence[PatternCounts]) -> Point:
    """Theta from the rows that show R, judges from TPR 0.8 and FPR 0.2."""
    levels = groups[0].retrieval_levels
    leaning = _leaning(len(levels))
    shape = np.stack([beta_parameters(label_cube(counts), leaning) for counts in groups])
    start = emissions_of(groups[0].judges, levels).start()
    return Point(
        theta=shape[..., 0] / shape.sum(axis=-1),
        rates=np.repeat(start[None], len(groups), axis=0),
    )


def _leaning(n_levels: int) -> Float[np.ndarray, "theta 2"]:
    """Pseudo-labels that break the symmetry: a low level is declined more and answered worse."""
    below = np.arange(n_levels - 1, 0, -1)
    split = np.stack([np.ones(n_levels - 1), below], axis=1)
    lean = np.linspace(0.8, 1.2, n_levels)
    up, down = np.stack([lean, lean[::-1]], axis=1), np.stack([lean[::-1], lean], axis=1)
    return np.concatenate([split, down, up])
