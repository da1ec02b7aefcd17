"""The words of a tree: its worlds, its steps, its policies. Numbers are worded elsewhere.

Two levels of retrieval have words of their own; more levels are named. The browser says the
same (``js/src/core``); ``tests/golden/wording.json`` holds vectors for both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rat_widgets.views.levels import TWO_LEVELS, Band, TreeKeys, keys_of

__all__ = [
    "BOTTLENECKS",
    "PIN_WORDS",
    "POLICY_NAMES",
    "PRESETS",
    "STATS",
    "STEPS",
    "WORLD_WORDS",
    "Step",
    "TreeWords",
    "is_right",
    "leaf_words",
    "policy_kind",
    "words_of",
]

WORLD_WORDS: Final[Mapping[str, str]] = {
    "hit_right": "had the evidence, right",
    "hit_wrong": "had the evidence, still wrong",
    "hit_abstained": "had the evidence, declined",
    "miss_right": "no evidence, right by luck or by heart",
    "miss_wrong": "no evidence, answered wrong",
    "miss_abstained": "no evidence, rightly declined",
}

STEPS: Final[Mapping[str, tuple[str, str, str]]] = {
    "retrieval_success": ("R", "All 100 queries", "evidence found in"),
    "abstain_given_hit": ("A", "Evidence found", "declines"),
    "abstain_given_miss": ("A", "Evidence missing", "declines"),
    "correct_given_hit": ("T", "Answers with it", "right in"),
    "correct_given_miss": ("T", "Answers anyway", "right in"),
}
"""Of each branch the label asked for, who gets there, and what is counted."""

PIN_WORDS: Final[Mapping[str, str]] = {
    "retrieval_success": "retrieval finds the evidence",
    "abstain_given_hit": "declines although the evidence was found",
    "correct_given_hit": "right when answering with the evidence",
    "abstain_given_miss": "declines when the evidence is missing",
    "correct_given_miss": "right when answering without the evidence",
}
"""What a reader sets who pins a branch, in the order of the tree."""

STATS: Final[Mapping[str, tuple[str, str]]] = {
    "retrieval_success": ("Evidence found", "P(R)"),
    "abstention": ("Declined to answer", "P(A)"),
    "task_success": ("Correct answer", "P(T)"),
}
"""Name and symbol of the numbers above the tree; the fourth is named by the policy."""

POLICY_NAMES: Final[Mapping[str, str]] = {
    "adherence": "Right by policy",
    "task_success": "Right by policy",
    "no_harm": "No wrong answer",
    "binary": "As the policy asks",
    "weights": "Policy score",
    "utility": "Utility a query",
}
"""What P(G) is called under each kind of policy."""

PRESETS: Final[Mapping[str, tuple[str, ...]]] = {
    "adherence": ("hit_right", "miss_abstained"),
    "task_success": ("hit_right", "miss_right"),
    "no_harm": ("hit_right", "miss_right", "hit_abstained", "miss_abstained"),
}
"""Worlds of weight 1 in each named policy; all others weigh 0."""

# What most of the unserved users lack, with the worlds it covers.
BOTTLENECKS: Final = (
    (
        "Retrieval is the bottleneck:",
        ("miss_abstained", "miss_wrong", "miss_right"),
        "in {n} of 100 queries the evidence never arrived.",
    ),
    (
        "Answering is the bottleneck:",
        ("hit_wrong",),
        "{n} of 100 queries had the evidence and still got a wrong answer.",
    ),
    (
        "Caution is the bottleneck:",
        ("hit_abstained",),
        "{n} of 100 queries had the evidence and were declined all the same.",
    ),
)

_PHRASES: Final[Mapping[str, str]] = {
    "none": "no evidence",
    "partial": "part of the evidence",
    "all": "all the evidence",
}
"""What a query has whose retrieval is at a level, for the levels that have a name in English."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """A branch in words: the label asked for, who gets there, and what is counted.

    The count stands between `asks` and `tail`.
    """

    letter: str
    title: str
    asks: str
    tail: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeWords:
    """All words of a tree whose retrieval has these levels; made by `words_of`.

    Attributes
    ----------
    keys : TreeKeys
    worlds : mapping
        Each leaf in words, where declining is right, and where it is not.
    steps, pins : mapping
        Each branch, and what a reader sets who pins it; pins are in the order of the tree.
    stats : mapping
        Name and symbol of the numbers above the tree but the policy's.
    presets : mapping
        Worlds of weight 1 in each named policy.
    bottlenecks : tuple of (lead, worlds, text)
        The text has ``{n}`` in the place of the count.
    shared, less : str
        What the right answers have that T and G share, and the other right answers.
    """

    keys: TreeKeys
    worlds: Mapping[str, tuple[str, str]]
    steps: Mapping[str, Step]
    pins: Mapping[str, str]
    stats: Mapping[str, tuple[str, str]]
    presets: Mapping[str, tuple[str, ...]]
    bottlenecks: tuple[tuple[str, tuple[str, ...], str], ...]
    shared: str
    less: str


@lru_cache(maxsize=64)
def words_of(levels: tuple[str, ...] = TWO_LEVELS) -> TreeWords:
    """The words of a tree with these levels of retrieval, the lowest first."""
    keys = keys_of(levels)
    return _graded(keys) if keys.is_graded else _two_levels(keys)


def _two_levels(keys: TreeKeys) -> TreeWords:
    return TreeWords(
        keys=keys,
        worlds={w: (words, words.replace("rightly ", "")) for w, words in WORLD_WORDS.items()},
        steps={
            key: Step(letter=letter, title=title, asks=asks)
            for key, (letter, title, asks) in STEPS.items()
        },
        pins=PIN_WORDS,
        stats=STATS,
        presets=PRESETS,
        bottlenecks=BOTTLENECKS,
        shared="with evidence",
        less="without evidence",
    )


def _graded(keys: TreeKeys) -> TreeWords:
    are_known = keys.levels == tuple(_PHRASES)
    top = keys.top
    with_top, aim = _phrase(top.level, are_known), f"“{top.level}”"
    first = (_capitalised(with_top), f"P(R={top.level})")
    rest = {key: words for key, words in STATS.items() if key != "retrieval_success"}
    losses = (
        f"in {{n}} of 100 queries retrieval fell short of {with_top if are_known else aim}.",
        f"{{n}} of 100 queries had {with_top} and still got a wrong answer.",
        f"{{n}} of 100 queries had {with_top} and were declined all the same.",
    )
    pins: dict[str, str] = {}
    steps: dict[str, Step] = {}
    worlds: dict[str, tuple[str, str]] = {}
    for band in keys.bands:
        phrase = _phrase(band.level, are_known)
        pins |= _pins(band, phrase, are_known)
        steps |= _steps(band, phrase)
        worlds[band.right] = (f"{phrase}, right",) * 2
        worlds[band.wrong] = (f"{phrase}, answered wrong",) * 2
        worlds[band.abstained] = (f"{phrase}, rightly declined", f"{phrase}, declined")
    return TreeWords(
        keys=keys,
        worlds=worlds,
        steps={key: steps[key] for key in keys.branches},
        pins=pins,
        stats={top.retrieval: first, **rest},
        presets={name: keys.expanded(chosen) for name, chosen in PRESETS.items()},
        bottlenecks=tuple(
            (lead, keys.expanded(chosen), text)
            for (lead, chosen, _), text in zip(BOTTLENECKS, losses)
        ),
        shared=f"with {with_top}",
        less="with less",
    )


def _phrase(level: str, are_known: bool) -> str:
    """What a query has that is at this level."""
    return _PHRASES[level] if are_known else f"retrieval “{level}”"


def _capitalised(words: str) -> str:
    return words[:1].upper() + words[1:]


def _pins(band: Band, phrase: str, are_known: bool) -> dict[str, str]:
    return {
        band.retrieval: f"retrieval finds {phrase}"
        if are_known
        else f"retrieval is “{band.level}”",
        band.abstain: f"declines with {phrase}",
        band.correct: f"right when answering with {phrase}",
    }


def _steps(band: Band, phrase: str) -> dict[str, Step]:
    return {
        band.retrieval: Step(
            letter="R", title=_capitalised(phrase), asks="in", tail=" of 100 queries"
        ),
        band.abstain: Step(letter="A", title=f"With {phrase}", asks="declines"),
        band.correct: Step(letter="T", title="Answers", asks="right in"),
    }


def leaf_words(world: str, *, is_right: bool, levels: tuple[str, ...] = TWO_LEVELS) -> str:
    """A leaf in plain words; whether declining was right is the policy's to say."""
    rightly, otherwise = words_of(levels).worlds[world]
    return rightly if is_right else otherwise


def policy_kind(weights: Mapping[str, float], levels: tuple[str, ...] = TWO_LEVELS) -> str:
    """A preset's name, or "binary", "weights" or "utility"."""
    words = words_of(levels)
    leaves = words.keys.leaves
    if all(weights[w] in (0, 1) for w in leaves):
        ones = {w for w in leaves if weights[w] == 1}
        for name, worlds in words.presets.items():
            if ones == set(worlds):
                return name
        return "binary"
    return "weights" if all(0 <= weights[w] <= 1 for w in leaves) else "utility"


def is_right(
    world: str, weights: Mapping[str, float], levels: tuple[str, ...] = TWO_LEVELS
) -> bool:
    """Whether the policy's sign of a leaf is a tick: it gains, or weighs more than one half."""
    return weights[world] > (0 if policy_kind(weights, levels) == "utility" else 0.5)
