"""What the Stan programs of graded, dependent and saturated judges need to know of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from jaxtyping import Int

from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors, judge_keys

__all__ = [
    "KINDS",
    "OF",
    "SITES",
    "has_place",
    "simplices",
    "splits_of",
    "verdict_block",
    "verdict_kind",
    "worded",
]

KINDS: Final = (
    *("graded_judge", "level_judge", "dependent_judge", "saturated_judge", "saturated_three"),
)
"""Of programs, by the judges that they have."""
SITES: Final[Mapping[str, tuple[str, ...]]] = {
    "graded_judge": ("given_1", "given_0"),
    "level_judge": ("given",),
    "dependent_judge": ("tpr", "fpr"),
    "saturated_judge": ("first", "second"),
    "saturated_three": ("first", "second", "third"),
}
"""Parameters of a kind beside those of the tree."""
OF: Final = {"retrieval": 1, "abstention": 2, "task": 3}
"""Number of a label in the programs."""

# What a label is called where it is 0, and where it is 1.
_WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "retrieval": ("miss", "hit"),
    "abstention": ("answered", "abstained"),
    "task": ("not_right", "right"),
}
# Of a judge of one of these by the other nothing passes rightly where that is 1: no answer is right
# and was not given.
_NEVER_BOTH: Final = frozenset({("task", "abstention"), ("abstention", "task")})
_FLAT: Final = [1.0, 1.0]
# What the judges before said, in the names of a saturated judge's rates.
_AFTER: Final[Mapping[str, tuple[str, ...]]] = {
    "first": ("",),
    "second": ("_after_0", "_after_1"),
    "third": ("_after_00", "_after_01", "_after_10", "_after_11"),
}
_WORLDS: Final = ("miss_wrong", "miss_right", "hit_wrong", "hit_right")


def verdict_kind(counts: PatternCounts) -> str | None:
    """The kind of programs for judges that have more to them than TPR and FPR.

    None where every judge has these alone.
    """
    of_levels = "level_judge" if len(counts.retrieval_levels) > 2 else "graded_judge"
    saturated = "saturated_three" if len(counts.judges) > 2 else "saturated_judge"
    kinds = {
        saturated if judge.dependence == "saturated"
        else of_levels if judge.is_graded
        else "dependent_judge"
        for judge in counts.judges
        if not judge.is_plain
    }  # fmt: skip
    return kinds.pop() if len(kinds) == 1 else None


def verdict_block(
    kind: str, counts: PatternCounts, priors: Priors, verdicts: Int[np.ndarray, "row judge"]
) -> dict[str, Any]:
    """The part of a program's data that is about its judges.

    Raises
    ------
    ValueError
        When the program does not serve these judges.
    """
    judges, keys = counts.judges, judge_keys(counts.judges)
    prior = priors.to_dict()
    block: dict[str, Any] = {"v": verdicts.tolist()}
    if kind in {"saturated_judge", "saturated_three"}:
        if len(judges) != len(SITES[kind]) or any(judge.of != "task" for judge in judges):
            raise ValueError("the programs of saturated judges take two or three of the task")
        for site, key in zip(SITES[kind], keys, strict=True):
            afters = _AFTER[site]
            block[f"{site}_prior"] = [
                [prior[f"pass_given_{w}{after}[{key}]"] for after in afters] for w in _WORLDS
            ]
        block["first_prior"] = [pair for (pair,) in block["first_prior"]]
        return block
    if kind == "level_judge":
        if any(judge.of != "retrieval" for judge in judges):
            raise ValueError("the program of judges of levels takes those of retrieval")
        (n_answers,) = {len(judge.answers) for judge in judges}
        every = [
            [_dirichlet(splits_of(judge, key, level), prior) for level in counts.retrieval_levels]
            for judge, key in zip(judges, keys, strict=True)
        ]
        return block | {"J": len(judges), "L": n_answers, "given_prior": every}
    block |= {"J": len(judges), "of": [OF[judge.of] for judge in judges]}
    if kind == "graded_judge":
        (n_levels,) = {len(judge.answers) for judge in judges}
        return block | {"L": n_levels} | _dirichlets(counts, prior)
    block["on"] = [OF[judge.depends_on] for judge in judges]
    for rate in ("tpr", "fpr"):
        block[f"{rate}_prior"] = [
            # A rate that is none of ours has a flat prior, whose density is 1.
            [prior.get(f"{rate}_given_{word}[{key}]", _FLAT) for word in _WORDS[judge.depends_on]]
            for judge, key in zip(judges, keys, strict=True)
        ]
    return block


def _dirichlets(counts: PatternCounts, prior: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    """Parameters of the Dirichlets given truth 1 and truth 0."""
    each = list(zip(counts.judges, judge_keys(counts.judges), strict=True))
    return {
        f"given_{truth}_prior": [_dirichlet(splits_of(j, key, truth), prior) for j, key in each]
        for truth in ("1", "0")
    }


def _dirichlet(splits: Sequence[str], prior: Mapping[str, Sequence[float]]) -> list[float]:
    """Parameters of a Dirichlet: our priors split from the top level down."""
    betas = [prior[name] for name in splits]
    return [betas[-1][1], *(alpha for alpha, _ in reversed(betas))]


def splits_of(judge: Any, key: str, truth: str) -> tuple[str, ...]:
    """Our names of the splits of a judge's levels given the truth, from the top one down."""
    return tuple(f"split_{level}_given_{truth}[{key}]" for level in judge.answers[:0:-1])


def simplices(counts: PatternCounts) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Of each judge and truth the names of its levels, the lowest first, and of its splits."""
    levels = counts.retrieval_levels
    return [
        (
            tuple(f"level_{level}_given_{truth}[{key}]" for level in judge.answers),
            splits_of(judge, key, truth),
        )
        for judge, key in zip(counts.judges, judge_keys(counts.judges), strict=True)
        if judge.is_graded
        for truth in (levels if len(levels) > 2 and judge.of == "retrieval" else ("1", "0"))
    ]


def has_place(variable: str, index: Sequence[int], judges: Sequence[Any]) -> bool:
    """Whether an entry of a program's variable, from 0, is a quantity of ours."""
    if variable != "tpr" or len(index) < 2:
        return True
    j, other = index
    return not (other == 1 and (judges[j].of, judges[j].depends_on) in _NEVER_BOTH)


def worded(name: str, counts: PatternCounts, j: int, answer: int) -> str:
    """A name of the map beside a program, with what stands there for a judge spelled out.

    ``[judge]`` is judge `j`, ``[first]``, ``[second]`` and ``[third]`` are saturated judges,
    ``[answer]`` is an answer of the judge; ``[not so]`` and ``[so]`` say that what its errors
    depend on is 0 or 1.
    """
    if not counts.judges:
        return name
    keys, judge = judge_keys(counts.judges), counts.judges[j]
    said = {"[judge]": f"[{keys[j]}]", "[answer]": judge.answers[answer]}
    if judge.dependence == "saturated":
        said |= {f"[{place}]": f"[{key}]" for place, key in zip(_AFTER, keys, strict=False)}
    if judge.depends_on is not None:
        said |= dict(zip(("[not so]", "[so]"), _WORDS[judge.depends_on], strict=True))
    for short, long in said.items():
        name = name.replace(short, long)
    return name
