"""What the engines on logits share: a request set out in blocks, and draws put together again.

Parameters in no mixed pattern have Beta posteriors and are drawn from them, whoever asks; an
engine adds the draws of the others, block by block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from jaxtyping import Bool, Float

from rat_widgets.inference.blocks import Block, blocks
from rat_widgets.inference.convergence import convergence
from rat_widgets.inference.diagnose import (
    Diagnosis,
    Message,
    data_messages,
)
from rat_widgets.inference.diagnose_hidden import hidden_r
from rat_widgets.inference.diagnose_judges import judge_messages
from rat_widgets.inference.diagnose_verdicts import verdict_messages
from rat_widgets.inference.draws import Draws
from rat_widgets.inference.engine import POOLED, group_seed, package_versions
from rat_widgets.inference.identify import identify, unanchored
from rat_widgets.inference.peaks import Peaks, find_peaks, starts
from rat_widgets.inference.start import starting_point
from rat_widgets.inference.surface import expit
from rat_widgets.inference.threads import spread
from rat_widgets.model.collapsed import collapse
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.worlds import world_probabilities, worlds_of

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.model.priors import Priors

__all__ = ["Plan", "peak_messages", "refusal"]

# Below this a Beta prior's logit has tails so long that no Gaussian helps.
_LEAST_PRIOR: Final = 0.05
# Modes whose rates of judges are nearer are told by the tree alone.
_APART: Final = 0.05


def refusal(counts: PatternCounts, priors: Priors) -> str | None:
    """Why the logits cannot be walked, in one sentence; None when they can."""
    if counts.is_pooled:
        return POOLED
    if priors.as_array().min() < _LEAST_PRIOR:
        return f"a prior has alpha or beta below {_LEAST_PRIOR}, almost all of it at 0 or 1."
    return None


@dataclass(slots=True)
class Plan:
    """A request set out in blocks, with draws to be filled in.

    Attributes
    ----------
    counts : PatternCounts
    priors : Priors
    seed, n_chains, n_draws : int
    groups : list of PatternCounts, one per group
    draws : array, shape (group, chain, draw, parameter)
        Parameters in the order of ``priors.names``; those in no block are drawn already.
    blocks : list of pairs of Block and Peaks
    """

    counts: PatternCounts
    priors: Priors
    seed: int
    n_chains: int
    n_draws: int
    groups: list[PatternCounts] = field(init=False)
    draws: Float[np.ndarray, "group chain draw parameter"] = field(init=False)
    blocks: list[tuple[Block, Peaks]] = field(init=False)

    def __post_init__(self) -> None:
        counts = self.counts
        self.groups = [counts.group(i) for i in range(counts.n_groups)]
        collapsed = collapse(counts, self.priors.held_at)
        prior, shared = self.priors.as_array(), self._shared
        levels = counts.retrieval_levels
        emissions = emissions_of(counts.judges, levels)
        begin = starts(starting_point(self.groups), emissions, worlds_of(levels))
        self.blocks = spread(
            lambda block: (block, find_peaks(block, begin)), blocks(collapsed, prior, shared)
        )
        self.draws = np.zeros((len(self.groups), self.n_chains, self.n_draws, len(prior)))
        taken = collapsed.mixing | (shared & collapsed.mixing.any(axis=0))
        size = (self.n_chains, self.n_draws)
        for g, key in enumerate(counts.groups):
            rng = np.random.default_rng(group_seed(self.seed, ("beta", *key)))
            for k in np.flatnonzero(~taken[g] & ~shared):
                a, b = prior[k] + (collapsed.ones[g, k], collapsed.zeros[g, k])
                self.draws[g, :, :, k] = rng.beta(a, b, size)
        rng = np.random.default_rng(group_seed(self.seed, ("shared",)))
        for k in np.flatnonzero(shared & ~taken[0]):
            a, b = prior[k] + (collapsed.ones[:, k].sum(), collapsed.zeros[:, k].sum())
            self.draws[..., k] = rng.beta(a, b, size)
        for place, value in self.priors.held_at.items():
            self.draws[..., place] = value

    @property
    def _shared(self) -> Bool[np.ndarray, " parameter"]:
        """Parameters that several groups have in common."""
        judges = self._shared_judges
        owner = emissions_of(self.counts.judges, self.counts.retrieval_levels).owner
        return np.array([False] * self.n_theta + [bool(judges[j]) for j in owner])

    @property
    def _shared_judges(self) -> Bool[np.ndarray, " judge"]:
        """Judges whose rates several groups have in common."""
        is_joint = len(self.groups) > 1
        return np.array([is_joint and j.share == "all" for j in self.counts.judges], dtype=bool)

    @property
    def n_theta(self) -> int:
        """How many of the parameters are the tree's."""
        return len(worlds_of(self.counts.retrieval_levels).parameters)

    def streams(self, block: Block) -> list[np.random.SeedSequence]:
        """A stream of random numbers for each unit of a block."""
        keys = [self.counts.groups[g] for g in block.groups]
        if block.n_shared:
            return [group_seed(self.seed, ("joint", *keys))]
        return [group_seed(self.seed, key) for key in keys]

    def fill(self, block: Block, logits: Float[np.ndarray, "group parameter chain draw"]) -> None:
        """Put the draws of a block in their place; shared ones in that of every group."""
        p = np.moveaxis(expit(logits), 1, -1)
        n = block.n_own
        self.draws[block.groups[:, None], ..., block.parameters[None, :n]] = np.moveaxis(
            p[..., :n], -1, 1
        )
        for i, k in enumerate(block.parameters[n:].tolist()):
            self.draws[..., k] = p[0, ..., n + i]

    def asked(
        self,
        r_hat: dict[str, float],
        ess: dict[str, float],
        draws: Float[np.ndarray, "chain draw parameter"],
    ) -> tuple[dict[str, float], dict[str, float]]:
        """R-hat and bulk ESS of one group, by name, of what its labels and verdicts tell of.

        Where nothing tells of R that is P(A) and P(T), in place of the probabilities of the tree:
        chains go up and down a ridge there, on which both stay what they are.
        """
        hidden = hidden_r(self.groups)
        if hidden is None:
            return r_hat, ess
        of_tree = worlds_of(self.counts.retrieval_levels)
        masses = world_probabilities(draws[..., : self.n_theta])
        both = convergence(np.stack([masses @ of_tree.abstained, masses @ of_tree.right], axis=-1))
        told = [
            dict(zip(("P(A)", "P(T)"), x.tolist(), strict=True))
            | {name: value for name, value in before.items() if name not in hidden.names}
            for x, before in zip(both, (r_hat, ess), strict=True)
        ]
        return told[0], told[1]

    def results(
        self,
        engine: str,
        reason: str,
        messages: Sequence[Sequence[Message]],
        convergence: Any,
    ) -> tuple[Draws, ...]:
        """Draws of every group with what there is to say about them.

        Parameters
        ----------
        engine, reason : str
        messages : sequence of sequences of Message, one per group
        convergence : function of a group's draws, shape (chain, draw, parameter), and its index
            Returns R-hat and bulk ESS by name, the number of divergences, and messages.
        """
        n_theta = self.n_theta
        shared = self._shared_judges
        held = self.priors.held_at
        informed, identified = identify(self.groups, shared=shared, held=held)
        mirrored = unanchored(self.groups, shared=shared, held=held)
        versions = package_versions("rat_widgets", "numpy")
        found = spread(lambda g: convergence(self.draws[g], g), range(len(self.groups)))
        hidden = hidden_r(self.groups)
        result = []
        for g, group in enumerate(self.groups):
            theta, rates = np.split(self.draws[g], (n_theta,), axis=-1)
            r_hat, ess, n_divergent, said = found[g]
            diagnosis = Diagnosis(
                engine=engine,
                reason=reason,
                messages=(
                    *messages[g],
                    *said,
                    *data_messages(group, informed[g], identified[g], mirrored[g], hidden),
                    *judge_messages(group, theta, rates, mirrored[g]),
                    *verdict_messages(group),
                ),
                r_hat=r_hat,
                ess_bulk=ess,
                n_divergent=n_divergent,
            )
            result.append(
                Draws(
                    theta=theta,
                    rates=rates,
                    counts=group,
                    priors=self.priors,
                    seed=self.seed,
                    engine=engine,
                    reason=reason,
                    versions=versions,
                    diagnosis=diagnosis,
                )
            )
        return tuple(result)


def peak_messages(
    block: Block,
    peaks: Peaks,
    share: Float[np.ndarray, "unit peak"],
    plan: Plan,
) -> list[Message | None]:
    """For each group of a block, what to know where its posterior has several modes.

    `share` is each mode's part of the draws. Where nothing tells of R, modes that differ in nothing
    but what goes by it are not told: see `hidden_r`.
    """
    names = plan.priors.names
    hidden = hidden_r(plan.groups)
    told = np.array([hidden is None or names[k] not in hidden.names for k in block.parameters])
    result: list[Message | None] = []
    for g in range(len(block.groups)):
        u = 0 if block.n_shared else g
        real = np.flatnonzero(peaks.weight[u] > 0)
        if len(real) < 2:
            result.append(None)
            continue
        at = expit(peaks.centre[g][:, real])
        apart = np.where(told, np.ptp(at, axis=1), 0.0)
        if hidden is not None and apart.max() < _APART:
            result.append(None)
            continue
        k = int(np.argmax(apart))
        where = " and ".join(f"{share[u, m]:.1%} near {at[k, i]:.2f}" for i, m in enumerate(real))
        rarest = float(np.sort(share[u, real])[-2])
        result.append(
            Message(
                "warning" if rarest >= 0.01 else "info",
                "several_modes",
                f"The posterior has {len(real)} separate modes. They differ most in "
                f"{names[int(block.parameters[k])]}: of the draws {where}.",
                "Read means and intervals with the picture beside them; labels of R and T on the "
                "same rows decide between the modes.",
            )
        )
    return result
