"""What each pattern asks of the model: the splits that lie between a query and what was seen of it.

The probability that a row is in a world and shows its pattern is a product of p and 1 - p of
the splits that were taken: those of the tree that lead to the world, and those of each verdict
that was seen. On the scale of logits the score of a row is the sum, over its splits, of
(1 or 0, as it came out) - p, averaged over the worlds it may be in; its information follows
(Louis 1982). The mode is found with both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.inference.threads import product
from rat_widgets.labels.levels import TWO_LEVELS
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.worlds import compatible_worlds, worlds_of

if TYPE_CHECKING:
    from rat_widgets.labels.judges import Judge

__all__ = ["Splits", "local_mode", "splits_of"]

_MOST_STEPS: Final = 20
_MOST_HALVINGS: Final = 8
_CLOSE: Final = 1e-3
_LONGEST_STEP: Final = 2.0
_LEAST: Final = 1e-4
_FARTHEST: Final = 12.0
# A pattern that an `abstained_rate` of 0 or 1 excludes.
_TINY: Final = 1e-300


@dataclass(frozen=True, slots=True, kw_only=True)
class Splits:
    """Splits of every pattern in every world that agrees with it.

    Attributes
    ----------
    yes, no : arrays of 0 and 1, shape (pattern, world, parameter)
        Whether the split of a parameter was asked, and how it came out.
    log_factor : array, shape (pattern, world)
        Log of what is given beforehand; -inf where the world does not agree.
    answers : array of 0 and 1, shape (judge, world, answer, 2, parameter)
        Splits on the way to each answer: those that came out 1, and those that came out 0.
    fixed : array, shape (judge, world, answer)
        P(answer) where it is given beforehand, else 1.
    """

    yes: Float[np.ndarray, "pattern world parameter"]
    no: Float[np.ndarray, "pattern world parameter"]
    log_factor: Float[np.ndarray, "pattern world"]
    answers: Float[np.ndarray, "judge world answer 2 parameter"]
    fixed: Float[np.ndarray, "judge world answer"]

    def joint(self, p: Float[np.ndarray, " parameter"]) -> Float[np.ndarray, "pattern world"]:
        """P(world and what the pattern shows)."""
        return np.exp(self.yes @ np.log(p) + self.no @ np.log1p(-p) + self.log_factor)

    def answer_probabilities(
        self, p: Float[np.ndarray, " parameter"]
    ) -> Float[np.ndarray, "judge world answer"]:
        """P(answer | world) of each judge; 0 for answers that a judge does not have."""
        logs = self.answers[..., 0, :] @ np.log(p) + self.answers[..., 1, :] @ np.log1p(-p)
        return np.exp(logs) * self.fixed


def splits_of(
    patterns: Int[np.ndarray, "pattern column"],
    judges: tuple[Judge, ...],
    levels: tuple[str, ...] = TWO_LEVELS,
) -> Splits:
    """The splits of these patterns, parameters in the order of ``Priors.names``."""
    worlds = worlds_of(levels)
    answers, fixed = _answers(judges, levels)
    n_parameters = answers.shape[-1]
    tree = np.zeros((2, len(worlds.names), n_parameters))
    for w in range(len(worlds.names)):
        for k, outcome in worlds.held(w):
            tree[1 - outcome, w, k] = 1
    agrees = compatible_worlds(patterns, worlds.n_levels)
    yes, no = (np.broadcast_to(part, (*agrees.shape, n_parameters)).copy() for part in tree)
    with np.errstate(divide="ignore"):
        log_factor = np.where(agrees, 0.0, -np.inf)
        for j in range(len(judges)):
            verdict = patterns[:, FIRST_JUDGE + j]
            rows = np.flatnonzero(verdict >= 0)
            if judges[j].dependence == "saturated":
                continue
            own = np.flatnonzero(answers[j].any(axis=(0, 1, 2)))
            taken = answers[j][..., own][:, verdict[rows]]  # world, row, 2, parameter
            where = np.ix_(rows, np.arange(len(worlds.names)), own)
            yes[where] += np.moveaxis(taken[:, :, 0], 0, 1)
            no[where] += np.moveaxis(taken[:, :, 1], 0, 1)
            log_factor[rows] += np.log(fixed[j][:, verdict[rows]]).T
    return Splits(yes=yes, no=no, log_factor=log_factor, answers=answers, fixed=fixed)


def _answers(
    judges: tuple[Judge, ...], levels: tuple[str, ...]
) -> tuple[
    Float[np.ndarray, "judge world answer 2 parameter"], Float[np.ndarray, "judge world answer"]
]:
    """Splits on the way to each answer; none of judges whose answers hang on other judges'."""
    emissions = emissions_of(judges, levels)
    n_theta = len(worlds_of(levels).parameters)
    n_answers = max((judge.n_answers for judge in emissions.judges), default=2)
    shape = (len(judges), len(worlds_of(levels).names), n_answers)
    answers = np.zeros((*shape, 2, n_theta + len(emissions.names)))
    fixed = np.zeros(shape)
    for j, (judge, places) in enumerate(zip(emissions.judges, emissions.places, strict=True)):
        fixed[j, :, : judge.n_answers] = 1
        if judges[j].dependence == "saturated":
            continue
        for w, given in enumerate(judge.fixed):
            if given is not None:
                fixed[j, w, :2] = 1 - given, given
            for answer, steps in enumerate(judge.paths[judge.cell[w]][0]):
                for rate, outcome in steps:
                    answers[j, w, answer, 1 - outcome, n_theta + places[rate]] = 1
    return answers, fixed


class _Slopes(NamedTuple):
    """Log density at a point and its derivatives; what hidden worlds cost of the information."""

    density: float
    gradient: Float[np.ndarray, " parameter"]
    complete: Float[np.ndarray, " parameter"]
    lost: Float[np.ndarray, "parameter parameter"]


def local_mode(
    splits: Splits,
    rows: Float[np.ndarray, " pattern"],
    prior: Float[np.ndarray, "parameter 2"],
    start: Float[np.ndarray, " parameter"],
    held: Sequence[int] = (),
) -> Float[np.ndarray, " parameter"]:
    """The mode of the posterior of the logits near a point, as probabilities.

    Newton's method where the curvature allows, else steps of EM, which always climb.

    Parameters
    ----------
    splits : Splits
    rows : array, shape (pattern,)
    prior : array, shape (parameter, 2)
        Alpha and beta.
    start : array, shape (parameter,)
    held : sequence of int
        Parameters that stay where they are.
    """
    p = np.clip(start, _LEAST, 1 - _LEAST)
    logit = np.log(p) - np.log1p(-p)
    here = _slopes(splits, rows, prior, held, logit)
    for _ in range(_MOST_STEPS):
        step = _step(here)
        for _ in range(_MOST_HALVINGS):
            there = _slopes(splits, rows, prior, held, logit + step)
            if there.density >= here.density - 1e-9:
                break
            step = step / 3
        logit = np.clip(logit + step, -_FARTHEST, _FARTHEST)
        here = there
        if np.abs(step).max() < _CLOSE:
            break
    return 1 / (1 + np.exp(-logit))


def _slopes(
    splits: Splits,
    rows: Float[np.ndarray, " pattern"],
    prior: Float[np.ndarray, "parameter 2"],
    held: Sequence[int],
    logit: Float[np.ndarray, " parameter"],
) -> _Slopes:
    p = 1 / (1 + np.exp(-np.clip(logit, -_FARTHEST, _FARTHEST)))
    joint = splits.joint(p)
    total = np.maximum(joint.sum(axis=1), _TINY)
    member = joint / total[:, None]
    asked = splits.yes + splits.no
    gaps = splits.yes - asked * p
    weight = rows[:, None] * member
    mean = np.einsum("kw,kwp->kp", member, gaps)
    flat = gaps.reshape(-1, len(p))
    lost = product(flat.T, flat * weight.reshape(-1, 1)) - product(mean.T, mean * rows[:, None])
    a, b = prior.T
    density = float(rows @ np.log(total) + a @ np.log(p) + b @ np.log1p(-p))
    gradient = rows @ mean + a - (a + b) * p
    complete = (np.einsum("kw,kwp->p", weight, asked) + a + b) * p * (1 - p)
    # What is held has no slope, and no curvature in common with what moves.
    gradient[list(held)] = 0
    lost[list(held)] = 0
    lost[:, list(held)] = 0
    return _Slopes(density, gradient, complete, lost)


def _step(here: _Slopes) -> Float[np.ndarray, " parameter"]:
    try:
        curvature = np.diag(here.complete) - here.lost
        np.linalg.cholesky(curvature)
        step = np.linalg.solve(curvature, here.gradient)
    except np.linalg.LinAlgError:
        step = here.gradient / here.complete
    longest = float(np.abs(step).max())
    return step * min(1.0, _LONGEST_STEP / longest) if longest else step
