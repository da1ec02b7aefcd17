"""The words of judges: what they judge, their rates, and the three ways of believing.

The browser takes them from ``js/src/contract/judge-tables.ts``, which is made from here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

__all__ = [
    "BELIEF_WORDS",
    "CASES",
    "JUDGED",
    "LEAST_WORTH",
    "LEAST_WORTH_SHARE",
    "NEAR_COIN",
    "NEAR_TIE",
    "NOISE",
    "PIN_SLACK",
    "RATE_WORDS",
    "UNPOOLED",
    "VAGUE_JUDGED",
    "Judged",
    "RateWords",
    "among",
    "rate_kind",
    "rate_phrase",
    "rate_words",
]


UNPOOLED: Final = (
    "Under a move nothing is pooled over systems: what the fit takes from others in that way is "
    "left out, and a part of the change comes from that."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Judged:
    """What a judge judges, in words.

    Attributes
    ----------
    letter, question : str
        The label that a person would give, and what it answers.
    target : str
        The quantity that the verdicts are about.
    good, bad : str
        What has truth 1, and what has truth 0, as a plural.
    passes, fails : str
        What the judge does that says 1, and that says 0.
    finds : str
        What it finds in so many queries; empty where the headline is about the policy.
    """

    letter: str
    question: str
    target: str
    good: str
    bad: str
    passes: str
    fails: str
    finds: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RateWords:
    """A kind of rate: its name, the truth that it is given, and whether it is of "cannot tell".

    `case` says where, of a judge whose errors depend on more than the truth.
    """

    name: str
    truth: int
    is_unknown: bool
    case: str = ""


JUDGED: Final[Mapping[str, Judged]] = {
    "retrieval": Judged(
        letter="R",
        question="Was the evidence found?",
        target="retrieval_success",
        good="hits",
        bad="misses",
        passes="passes",
        fails="fails",
        finds="evidence",
    ),
    "task": Judged(
        letter="T",
        question="Is the answer correct?",
        target="task_success",
        good="right answers",
        bad="wrong answers",
        passes="passes",
        fails="fails",
        finds="a correct answer",
    ),
    "abstention": Judged(
        letter="A",
        question="Did it decline to answer?",
        target="policy_adherence",
        good="abstentions",
        bad="answers",
        passes="flags",
        fails="overlooks",
        finds="",
    ),
}

RATE_WORDS: Final[Mapping[str, RateWords]] = {
    "tpr": RateWords(name="true positive rate", truth=1, is_unknown=False),
    "fpr": RateWords(name="false positive rate", truth=0, is_unknown=False),
    "unknown_given_1": RateWords(name="cannot tell", truth=1, is_unknown=True),
    "unknown_given_0": RateWords(name="cannot tell", truth=0, is_unknown=True),
}

CASES: Final[Mapping[str, str]] = {
    "miss": "where retrieval failed",
    "hit": "where retrieval succeeded",
    "right": "whose answer is right",
    "not_right": "without a right answer",
    "answered": "that were answered",
    "abstained": "that were declined",
}
"""What the errors of a judge may depend on beside the truth, by the end of a rate's kind."""

BELIEF_WORDS: Final[Mapping[str, str]] = {
    "naive": "verdicts as truth",
    "humans": "human labels only",
    "joint": "both, corrected",
}
"""The three ways of believing, in the order of the picture."""

NEAR_COIN: Final = 0.15
"""A judge whose mean of Youden's J is lower tells next to nothing."""

NEAR_TIE: Final = 0.03
"""Judges, or truths, that are nearer in what singles one out are tied: noise would choose."""

LEAST_WORTH: Final = 1.0
"""Verdicts that are worth fewer labels add next to nothing."""

LEAST_WORTH_SHARE: Final = 0.01
"""The same as a share of the rows that people labelled."""

NOISE: Final = 3.0
"""A mean that moved by fewer Monte Carlo standard errors is told as unmoved.

Every move compares three means: by chance alone two errors would be exceeded about once in seven.
"""

PIN_SLACK: Final = 0.03
"""A pin so far outside the interval of the fit is said to be against the labels."""

VAGUE_JUDGED: Final = 0.3
"""A corrected rate whose interval is wider is told as a range."""


def rate_kind(rate: str) -> str:
    """The kind of a rate from its key: "tpr" of "tpr[judge]"."""
    return rate.partition("[")[0]


def rate_words(kind: str) -> RateWords:
    """The words of a kind of rate, of a judge whose errors depend on more than the truth, too."""
    if kind in RATE_WORDS:
        return RATE_WORDS[kind]
    rate, _, case = kind.partition("_given_")
    if rate == "unknown":
        rate, case = f"unknown_given_{case[:1]}", case[2:]
    words = RATE_WORDS[rate]
    said = CASES.get(case, f"where retrieval was {case}")
    return RateWords(
        name=f"{words.name}, {said}", truth=words.truth, is_unknown=words.is_unknown, case=said
    )


def among(words: Judged, rate: RateWords) -> str:
    """What a rate is given: "wrong answers where retrieval failed"."""
    what = words.good if rate.truth else words.bad
    return f"{what} {rate.case}" if rate.case else what


def rate_phrase(kind: str, of: str) -> str:
    """What a rate counts: "misses that it passes", "hits on which it cannot tell".

    A split of grades, or a rate of a saturated judge, has its name.
    """
    if kind.partition("_given_")[0] not in ("tpr", "fpr", "unknown"):
        return f"the rate {kind}"
    words, rate = JUDGED[of], rate_words(kind)
    what = among(words, rate)
    return (
        f"{what} on which it cannot tell" if rate.is_unknown else f"{what} that it {words.passes}"
    )
