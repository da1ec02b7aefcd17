"""The lines beside a judge: its rates in data terms, its worth, and what to be wary of.

The browser says the same (``js/src/core/judge-sentence.ts``), character by character;
``tests/golden/judge_wording.json`` holds vectors for both.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from rat_widgets.views.judge_words import (
    JUDGED,
    NEAR_COIN,
    NOISE,
    PIN_SLACK,
    Judged,
    among,
    rate_kind,
    rate_phrase,
    rate_words,
)
from rat_widgets.views.sentences import Segment
from rat_widgets.views.wording import count, decimal, interval, percent, pin_percent, rounded

__all__ = [
    "Labels",
    "Triple",
    "decimals",
    "hundredths",
    "judge_line",
    "judge_warnings",
    "leading_worth",
    "passed_line",
    "rate_line",
    "steady",
    "worth_line",
    "worth_text",
]

_NEXT_TO_NOTHING: Final = ("0", "<1")

Triple = tuple[float, float, float]
"""Mean, lower and upper end."""

Labels = tuple[float | None, int]
"""A worth in labels, None when more than the second number, the most that was considered."""


def hundredths(x: float) -> str:
    """How many of 100: "27", "<1", ">99"."""
    return percent(x).removesuffix("%")


def decimals(lower: float, upper: float) -> str:
    """An interval with two decimals: "0.55–0.73", or "−0.10 to 0.20" when an end is negative."""
    between = " to " if lower < 0 or upper < 0 else "\N{EN DASH}"
    return f"{decimal(lower)}{between}{decimal(upper)}"


def steady(now: float, before: float, *, errors: tuple[float, float], off: float = 0.0) -> float:
    """The mean under moves as it is told: that of the fit where both may be the same number.

    Parameters
    ----------
    now, before : float
        Means under the moves, and of the fit.
    errors : (now, before)
        Their Monte Carlo standard errors.
    off : float
        How far the way in which `now` was found is off where the answer is known: at the fit.
    """
    return before if abs(now - before) <= NOISE * math.hypot(*errors) + off else now


def rate_line(kind: str, of: str, estimate: Triple) -> str:
    """A rate in data terms: "Of 100 misses it passes 27 (24–31)"."""
    words, rate = JUDGED[of], rate_words(kind)
    what = among(words, rate)
    does = "cannot tell on" if rate.is_unknown else words.passes
    span = interval(estimate[1], estimate[2])
    return f"Of 100 {what} it {does} {hundredths(estimate[0])} ({span})"


def judge_line(youden: Triple, agreement: float | None, kappa: float | None) -> str:
    """A judge in three numbers: "J 0.55–0.73; right in 77 of 100 verdicts, κ 0.50".

    Agreement and kappa are None when undefined: truth or verdict is one constant.
    """
    line = f"J {decimals(youden[1], youden[2])}"
    if agreement is not None:
        line += f"; right in {hundredths(agreement)} of 100 verdicts"
    return line if kappa is None else f"{line}, \N{GREEK SMALL LETTER KAPPA} {decimal(kappa)}"


def passed_line(words: Judged, tpr: Triple, fpr: Triple, it: str = "It") -> str:
    """Both rates beside each other: "It passes 93 of 100 hits and 27 of 100 misses"."""
    good, bad = (hundredths(x[0]) for x in (tpr, fpr))
    return f"{it} {words.passes} {good} of 100 {words.good} and {bad} of 100 {words.bad}"


def judge_warnings(
    *,
    of: str,
    n_human: int,
    tpr: Triple,
    fpr: Triple,
    youden: Triple,
    pins: Sequence[tuple[str, float, float, float]] = (),
    is_constrained: bool = False,
) -> list[str]:
    """What a reader must know beside one judge's sliders.

    Parameters
    ----------
    of : "retrieval", "task" or "abstention"
    n_human : int
        Rows that it decided and a person labelled.
    tpr, fpr, youden : (mean, lower, upper)
        Under the pins.
    pins : sequence of (rate's key, value, lower, upper)
        Pinned rates of the judge, with the interval of the fit.
    is_constrained : bool
        Whether the fit was told that judges are better than a coin.
    """
    words = JUDGED[of]
    if n_human == 0:
        rest = "on your word that it beats a coin" if is_constrained else "on the prior"
        return [
            f"No row that it judged has a human label of {words.letter}: its rates rest {rest}."
        ]
    found = []
    for rate, value, low, high in pins:
        if not low - PIN_SLACK <= value <= high + PIN_SLACK:
            found.append(
                f"You set {rate_phrase(rate_kind(rate), of)} to {pin_percent(value)}, but the "
                f"labels put it at {interval(low, high)}%. Read the result as a thought "
                "experiment, or label more rows."
            )
    said = _near_coin(words, tpr, fpr, youden)
    return [*found, said] if said else found


def _near_coin(words: Judged, tpr: Triple, fpr: Triple, youden: Triple) -> str:
    """What to know of a judge whose verdicts may not depend on the truth; else empty."""
    passed = passed_line(words, tpr, fpr)
    if youden[2] < 0 or youden[0] <= -NEAR_COIN:
        return (
            f"{passed}: its verdicts point the wrong way. Check that 1 stands for "
            f"{words.good} in its column."
        )
    if youden[0] < NEAR_COIN:
        return (
            f"{passed}: nearly the same. Its verdicts carry next to nothing; the estimates rest "
            "on the human labels."
        )
    if youden[1] <= 0:
        return (
            "The labels leave open whether it is better than a coin: J is "
            f"{decimals(youden[1], youden[2])}. Label more of the rows that it judged."
        )
    return ""


def worth_text(n_labels: float | None, n_max: int) -> str:
    """How many labels: "469", "<1", or ">10,000" when more than there are to label."""
    if n_labels is None:
        return f">{count(n_max)}"
    n = rounded(n_labels)
    return "<1" if n == 0 and n_labels > 0.05 else count(n)


def worth_line(
    *,
    policy: Labels,
    task: Labels,
    policy_verdicts: Labels,
    task_verdicts: Labels,
    n_only: int,
    n_partly: int,
    n_human: int,
    is_rate: bool = True,
) -> list[Segment]:
    """What all judged rows together are worth in joint human labels; the first piece stands large.

    Parameters
    ----------
    policy, task : (n_labels, n_max)
        For P(G), or the utility, and for P(T): verdicts, and A of their rows; None when more
        than `n_max`.
    policy_verdicts, task_verdicts : (n_labels, n_max)
        The same of the verdicts alone, beyond A of their rows.
    n_only, n_partly : int
        Rows with verdicts and no human label of R or T, and rows on which people labelled one of
        them and judges the other.
    n_human : int
        Rows on which a verdict stands beside the human label.
    is_rate : bool
        False when the policy is a utility.
    """
    name = "P(G)" if is_rate else "the utility"
    if n_human == n_only == n_partly == 0:
        return [("\N{EN DASH}", "big"), ("There are no verdicts to weigh.", "")]
    if n_human == 0:
        text = "Without human labels on judged rows nobody can say what the verdicts are worth."
        return [("\N{EN DASH}", "big"), (text, "")]
    if n_only == n_partly == 0:
        text = (
            "Every verdict stands beside a human label: together they show how good the judge is, "
            f"and teach nothing more about {name}."
        )
        return [("0", "big"), (text, "")]
    big, other = worth_text(*policy), worth_text(*task)
    rows = _judged_rows(n_only, n_partly)
    do, teach = ("does", "teaches") if (n_only, n_partly) == (1, 0) else ("do", "teach")
    alone, other_alone = worth_text(*policy_verdicts), worth_text(*task_verdicts)
    beside = f" Beyond A of those rows it is {alone} for {name} and {other_alone} for P(T)."
    if (alone, other_alone) == (big, other):
        beside = ""
    if big == other == "0":
        text = f"The {rows} {teach} nothing new about {name} or P(T).{beside}"
        return [("0", "big"), (text, "")]
    if big in _NEXT_TO_NOTHING and other not in _NEXT_TO_NOTHING:
        text = (
            f"{_labels(other)} would teach as much about P(T) as {rows} {do}; "
            f"about {name}, {'nothing new' if big == '0' else big}.{beside}"
        )
        return [(other, "big"), (text, "")]
    text = (
        f"{_labels(big)} would teach as much about {name} as {rows} {do}; "
        f"about P(T), {other}.{beside}"
    )
    return [(big, "big"), (text, "")]


def _judged_rows(n_only: int, n_partly: int) -> str:
    """Where the worth comes from: "5,000 more rows with verdicts"."""
    only = f"{count(n_only)} more rows with verdicts"
    if n_only == 1:
        only = "1 more row with a verdict"
    rows = "1 row" if n_partly == 1 else f"{count(n_partly)} rows"
    partly = f"verdicts on {rows} labelled in part"
    if n_only == 0:
        return partly
    return f"{only} and {partly}" if n_partly else only


def leading_worth(policy: Labels, task: Labels) -> Labels:
    """The worth that stands large: for P(G), or for P(T) where only that is more than nothing."""
    small = [worth_text(*worth) in _NEXT_TO_NOTHING for worth in (policy, task)]
    return task if small == [True, False] else policy


def _labels(n: str) -> str:
    return "human label" if n == "1" else "human labels"
