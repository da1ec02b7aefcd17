"""What a reader changed of judges, and what that changes, in a sentence.

The browser says the same (``js/src/core/judge-sentence.ts``), character by character;
``tests/golden/judge_wording.json`` holds vectors for both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rat_widgets.views.judge_words import RATE_WORDS, rate_kind, rate_phrase
from rat_widgets.views.sentences import Segment
from rat_widgets.views.wording import cents, percent, pin_percent, points

__all__ = ["moves_deck"]


def moves_deck(
    *,
    pins: Mapping[str, float],
    fitted: Mapping[str, float],
    judges: Sequence[tuple[str, str]],
    n_priors: int,
    n_left_out: int,
    beliefs: Mapping[str, tuple[float, float]],
    is_rate: bool = True,
    cured: Sequence[str] = (),
) -> list[Segment]:
    """What was changed, and what that changes: the line under a headline with moves.

    Parameters
    ----------
    pins, fitted : mapping
        Value that each pinned rate was set to, and the fitted mean of the rates, by key: the fit
        has none of a rate that the cure brings.
    judges : sequence of (key, of)
        All judges; a pin names its judge where there are several.
    n_priors, n_left_out : int
        Priors that were edited, and judges that were left out.
    beliefs : mapping
        P(R), P(T) and P(G), or the utility, by key: (now, in the fit).
    is_rate : bool
        False when the policy is a utility.
    cured : sequence of str
        What was found of judges and is allowed for: `judge_cure.allowances`.
    """
    listed = "; ".join(
        f"{rate_phrase(kind, of)}{f' ({key})' if len(judges) > 1 else ''}: "
        f"{pin_percent(pins[rate])}"
        f"{f' instead of {percent(fitted[rate])}' if rate in fitted else ''}"
        for key, of in judges
        for kind in dict.fromkeys((*RATE_WORDS, *map(rate_kind, pins)))
        for rate in [f"{kind}[{key}]"]
        if rate in pins
    )
    others = list(cured)
    if n_priors:
        others.append(f"changed the prior of {n_priors} {'rate' if n_priors == 1 else 'rates'}")
    if n_left_out:
        others.append(f"left out {n_left_out} {'judge' if n_left_out == 1 else 'judges'}")
    said = [("You set ", "whatif"), (listed, "")] if listed else []
    if others:
        done = " and ".join(filter(None, (", ".join(others[:-1]), others[-1])))
        said.append((("; you " if listed else "You ") + done, ""))
    found, solved = (points(*beliefs[key]) for key in ("retrieval_success", "task_success"))
    last = beliefs["policy_adherence"]
    policy = f"P(G) {points(*last)} points" if is_rate else f"utility {cents(*last)}"
    changed = f"P(R) {found}, P(T) {solved}, {policy}"
    return [*said, (". Against the fit, ", ""), (changed, "strong"), (".", "")]
