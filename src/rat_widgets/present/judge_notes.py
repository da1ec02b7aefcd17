"""What a fit says aloud beside its judges, where nothing else on the page says it."""

from __future__ import annotations

from typing import Final

from rat_widgets.derived.judging import verdict_counts
from rat_widgets.derived.posterior import Posterior
from rat_widgets.present.tree import with_symbols
from rat_widgets.views.tree import Note

__all__ = ["notes_of", "stands_alone"]

# A judge near a coin is named beside its sliders; departures have a place of their own.
_TOLD_ELSEWHERE: Final = {
    *("judge_uninformative", "judge_depends", "judges_dependent", "rates_differ"),
}
# What chains do between mirror solutions, and rates that are open with them.
_FOLLOWS: Final = {"r_hat", "ess", "judge_vague"}


def notes_of(posterior: Posterior, *, is_moved: bool) -> tuple[Note, ...]:
    """Messages of the diagnosis but those that are told elsewhere; `is_moved` of a refit."""
    codes = posterior.diagnosis.codes
    told = _TOLD_ELSEWHERE | (_FOLLOWS if "not_anchored" in codes else set())
    if not (is_moved or stands_alone(posterior)):
        told -= {"rates_differ"}
    return tuple(
        Note(level=level, text=with_symbols(f"{text} {advice}".strip(), posterior.tree))
        for level, code, text, advice in posterior.diagnosis.messages
        if code not in told
    )


def stands_alone(posterior: Posterior) -> bool:
    """Whether rows of its own show how often judges are right here: human labels beside each."""
    return all(
        seen.n_human > 0 or seen.n_only == 0 for seen in verdict_counts(posterior.counts).values()
    )
