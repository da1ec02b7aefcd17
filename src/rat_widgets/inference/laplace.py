"""The preview: Gaussians in the logits at the modes, a few milliseconds whatever the counts.

Widths are within a few per cent of the exact ones where the data say much, and wrong where a
mode is near 0 or 1 or the data leave a direction open; the diagnosis says when.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from jaxtyping import Float

from rat_widgets.inference.diagnose import Message
from rat_widgets.inference.logits import Plan, peak_messages, refusal
from rat_widgets.inference.walkers import gaussian_draws

if TYPE_CHECKING:
    from rat_widgets.inference.draws import Draws
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.model.priors import Priors

__all__ = ["draw", "refusal"]

_PREVIEW = Message(
    "info",
    "preview",
    "This is a preview: Gaussians in the logits, not the posterior itself.",
    "Take engine='auto' for numbers to report.",
)
_FLAT = Message(
    "warning",
    "flat",
    "The labels leave a direction open, along which the Gaussian was cut off: intervals are "
    "a guess.",
    "Take engine='auto'; labels of R, A and T on the same rows close the direction.",
)


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
    n = n_chains * n_draws
    messages: list[list[Message]] = [[] for _ in plan.groups]
    for block, peaks in plan.blocks:
        streams = [np.random.default_rng(stream) for stream in plan.streams(block)]
        logits = gaussian_draws(block, peaks, streams, n)
        plan.fill(block, logits.reshape(*logits.shape[:2], n_chains, n_draws))
        several = peak_messages(block, peaks, peaks.weight, plan)
        for g, said, is_flat in zip(block.groups, several, peaks.is_flat, strict=True):
            messages[g] += [_PREVIEW, *([said] if said else []), *([_FLAT] if is_flat else [])]

    def convergence(
        draws: Float[np.ndarray, "chain draw parameter"], g: int
    ) -> tuple[dict[str, float], dict[str, float], int, list[Message]]:
        del draws, g
        names = priors.names
        return dict.fromkeys(names, 1.0), dict.fromkeys(names, float(n)), 0, []

    return plan.results("laplace", reason, messages, convergence)
