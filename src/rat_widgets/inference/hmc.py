"""The engine for everything that is not exact: Laplace-whitened HMC on the collapsed counts.

Plain NumPy in float64: nothing is compiled, so that a fresh process answers as fast as a warm
one. Many short walks started at the modes take the place of a few long chains; each of the
reported chains is several walks, one after the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from jaxtyping import Float

from rat_widgets.inference.convergence import convergence
from rat_widgets.inference.diagnose import Message, convergence_messages
from rat_widgets.inference.logits import Plan, peak_messages, refusal
from rat_widgets.inference.peaks import shares
from rat_widgets.inference.threads import spread
from rat_widgets.inference.walkers import walk

if TYPE_CHECKING:
    from rat_widgets.inference.blocks import Block
    from rat_widgets.inference.draws import Draws
    from rat_widgets.inference.peaks import Peaks
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.model.priors import Priors

__all__ = ["draw", "refusal"]

# Many walkers cost little more than few, but take fewer steps each: where rates are shared
# these are all that forgets the start.
_WALKERS_PER_CHAIN: Final = 32
_WALKERS_PER_CHAIN_TOGETHER: Final = 16


def draw(
    counts: PatternCounts,
    priors: Priors,
    *,
    n_chains: int,
    n_draws: int,
    seed: int,
    reason: str,
) -> tuple[Draws, ...]:
    """Draws for each group, together where they share a judge; see `Engine`."""
    plan = Plan(counts, priors, seed, n_chains, n_draws)
    messages: list[list[Message]] = [[] for _ in plan.groups]
    n_divergent = np.zeros(len(plan.groups), dtype=np.int64)

    def fill(pair: tuple[Block, Peaks]) -> None:
        block, peaks = pair
        most = _WALKERS_PER_CHAIN_TOGETHER if block.n_shared else _WALKERS_PER_CHAIN
        per_chain = max(1, min(most, n_draws // 16))
        n_steps = -(-n_draws // per_chain)
        walks = walk(
            block,
            peaks,
            plan.streams(block),
            n_walkers=n_chains * per_chain,
            n_steps=n_steps,
        )
        shape = (*walks.logits.shape[:2], n_chains, per_chain * n_steps)
        plan.fill(block, walks.logits.reshape(shape)[..., :n_draws])
        n_divergent[block.groups] = walks.n_divergent
        share = peaks.weight
        if peaks.n_peaks > 1:
            share = shares(block, peaks, walks.logits.reshape(*shape[:2], -1))
        several = peak_messages(block, peaks, share, plan)
        for g, said in zip(block.groups, several, strict=True):
            messages[g] += [said] if said else []

    spread(fill, plan.blocks)

    def converged(
        draws: Float[np.ndarray, "chain draw parameter"], g: int
    ) -> tuple[dict[str, float], dict[str, float], int, list[Message]]:
        both = convergence(draws)
        rhat, ess = (dict(zip(priors.names, x.tolist(), strict=True)) for x in both)
        lost = int(n_divergent[g])
        return rhat, ess, lost, convergence_messages(*plan.asked(rhat, ess, draws), lost)

    return plan.results("hmc", reason, messages, converged)
