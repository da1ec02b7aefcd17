"""The same model with *answerable* in retrieval's place: a fit of its own, never mixed in.

The three quantities of answerability rest on P(A | answerable) and P(answerable) alone, so
what is said about the fit is said of these.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rat_widgets.inference.diagnose import Message
from rat_widgets.inference.draws import Draws
from rat_widgets.inference.engine import sample
from rat_widgets.inference.identify import identify
from rat_widgets.labels.levels import TWO_LEVELS
from rat_widgets.model.priors import Priors

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["sample_answerability"]

# Parameters of this fit as readers know them; those of T are by-products.
_NAMES: Final = {
    "retrieval_success": "P(answerable)",
    "abstain_given_miss": "abstention_recall",
    "abstain_given_hit": "over_refusal",
}
_ABOUT_SAMPLING: Final = ("r_hat", "ess", "divergent", "not_anchored")


def sample_answerability(
    counts: PatternCounts, priors: Priors, **how: Any
) -> tuple[Draws | None, ...]:
    """Draws for each group, or None for all of them when *answerable* was never seen.

    Parameters
    ----------
    counts : PatternCounts
    priors : Priors
        Those of the judges are kept; the five probabilities have flat ones, since they mean
        something else here.
    **how
        Keywords of `sample`.

    Returns
    -------
    tuple of Draws or None
        The diagnosis speaks of P(answerable), abstention_recall and over_refusal only.
    """
    asked = counts.as_answerability()
    if asked is None:
        return (None,) * counts.n_groups
    flat = Priors.flat().theta
    two = replace(priors, theta=flat, levels=TWO_LEVELS)
    chosen = two if asked.judges else Priors.flat()
    drawn = sample(asked, chosen, **how)
    groups = [asked.group(i) for i in range(asked.n_groups)]
    shared = np.array([judge.share == "all" for judge in asked.judges], dtype=bool)
    identified = identify(groups, shared=shared)[1]
    return tuple(
        replace(draws, diagnosis=replace(draws.diagnosis, messages=_messages(draws, certain)))
        for draws, certain in zip(drawn, identified.tolist(), strict=True)
    )


def _messages(draws: Draws, identified: list[bool]) -> tuple[Message, ...]:
    """What to know about the three quantities, in their own words."""
    messages = [
        message._replace(code=f"answerability_{message.code}", text=_renamed(message.text))
        for message in draws.diagnosis.messages
        if message.code in _ABOUT_SAMPLING
    ]
    loose = [name for name, yes in zip(_NAMES.values(), identified[:3], strict=True) if not yes]
    if loose:
        messages.append(
            Message(
                "problem",
                "answerability_not_identified",
                f"The labels do not pin down {', '.join(loose)}: what is shown of answerability "
                "comes from the prior, at least in part.",
                "Record abstention (A) on rows whose answerability is known.",
            )
        )
    return tuple(messages)


def _renamed(text: str) -> str:
    text = text.replace("label of R", "label of answerability")
    for name, words in _NAMES.items():
        text = text.replace(name, words)
    return text
