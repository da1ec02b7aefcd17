"""What draws say of judges: one that may be no better than a coin, and rates that are vague."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from jaxtyping import Float

from rat_widgets.inference.diagnose import Message
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.priors import judge_keys
from rat_widgets.model.verdicts import best_cut, verdict_rates
from rat_widgets.model.worlds import worlds_of

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["judge_messages"]

# A rate whose 95% interval is wider is said to be vague; +-10 points are this much in sd.
_VAGUE_RATE: Final = 0.3
_WANTED_SD: Final = 0.1 / 1.96


def judge_messages(
    counts: PatternCounts,
    theta: Float[np.ndarray, "chain draw theta"],
    rates: Float[np.ndarray, "chain draw rate"],
    mirrored: Sequence[str] = (),
) -> list[Message]:
    """Judges whose verdicts may not depend on the truth at all, and rates that are vague.

    Nothing is said of judges of a truth that is `mirrored`: one solution has TPR where the other
    has FPR, so that all of them look like a coin with rates from 0 to 1.
    """
    messages = []
    for j, key in enumerate(judge_keys(counts.judges)):
        if counts.judges[j].of in mirrored:
            continue
        tpr, fpr = _rates_of(counts, theta, rates, j)
        better = float((tpr > fpr).mean())
        if better < 0.95:
            messages.append(
                Message(
                    "warning",
                    "judge_uninformative",
                    f"Judge {key!r} may be no better than a coin: P(TPR > FPR) is {better:.2f}.",
                    "Label more of the rows it judged, or leave it out.",
                )
            )
        messages += _vague_rates(key, counts.judges[j].of, tpr, fpr)
    return messages


def _rates_of(
    counts: PatternCounts,
    theta: Float[np.ndarray, "chain draw theta"],
    rates: Float[np.ndarray, "chain draw rate"],
    j: int,
) -> tuple[Float[np.ndarray, "chain draw"], Float[np.ndarray, "chain draw"]]:
    """TPR and FPR of a judge; of a graded one at the level that tells best."""
    emissions = emissions_of(counts.judges, counts.retrieval_levels)
    n = len(counts.judges)
    if emissions.are_plain:
        return rates[..., j], rates[..., n + j]
    found = verdict_rates(emissions, j, theta, rates, worlds_of(counts.retrieval_levels))
    cut = best_cut(found)
    return found.tpr(cut), found.fpr(cut)


def _vague_rates(
    key: str,
    of: str,
    tpr: Float[np.ndarray, "chain draw"],
    fpr: Float[np.ndarray, "chain draw"],
) -> list[Message]:
    """Rates of a judge that are known roughly, and how many human labels would place them."""
    letter = {"retrieval": "R", "abstention": "A", "task": "T"}[of]
    messages = []
    for rate, draws, truth in (("TPR", tpr, 1), ("FPR", fpr, 0)):
        low, high = np.quantile(draws, (0.025, 0.975))
        if high - low <= _VAGUE_RATE:
            continue
        # As many labels as a Beta of this spread holds, taken from those that give +-10 points.
        mean, variance = float(draws.mean()), max(float(draws.var()), 1e-9)
        spread = mean * (1 - mean)
        more = max(10, math.ceil((spread / _WANTED_SD**2 - spread / variance) / 10) * 10)
        messages.append(
            Message(
                "info",
                "judge_vague",
                f"The {rate} of judge {key!r} is anywhere from {low:.0%} to {high:.0%}.",
                f"About {more} more judged rows with a human label {letter}={truth} would place it "
                "to within 10 points.",
            )
        )
    return messages
