"""Names of judges' rates: a kind and, in brackets, the judge's key."""

from __future__ import annotations

from typing import Final

__all__ = ["is_rate", "key_of", "kind_of"]

# What stands before the bracket in the names of a tree's probabilities, where R is graded.
_OF_TREE: Final = ("retrieval", "abstain_given", "correct_given")


def is_rate(name: str) -> bool:
    """Whether a parameter of this name is a judge's rate."""
    return "[" in name and kind_of(name) not in _OF_TREE


def kind_of(name: str) -> str:
    """What stands before the bracket: "tpr" of ``tpr[judge]``."""
    return name.partition("[")[0]


def key_of(name: str) -> str:
    """What stands in the bracket: the judge."""
    return name.partition("[")[2][:-1]
