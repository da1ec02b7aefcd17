"""Sets of worlds that have a name: the inner nodes of the tree, and others."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from rat_widgets.derived.policy import Policy
from rat_widgets.errors import ArgumentError
from rat_widgets.labels.levels import TWO_LEVELS
from rat_widgets.model.worlds import WORLDS, worlds_of

__all__ = ["ALL", "NODES", "node_worlds", "nodes_of"]

ALL: Final = "all"
"""The root of the tree. A level of retrieval may have that name, too: then it means the level."""


@lru_cache(maxsize=64)
def nodes_of(levels: tuple[str, ...] = TWO_LEVELS) -> dict[str, tuple[str, ...]]:
    """Worlds of every node but the leaves, by name.

    With graded retrieval "hit" is the top level and "miss" any level below it; each level is a
    node of its own, with ``<level>_answered``. Names of levels go before those of the library.
    """
    worlds = worlds_of(levels)
    two = {
        ALL: WORLDS,
        "hit": ("hit_abstained", "hit_wrong", "hit_right"),
        "miss": ("miss_abstained", "miss_wrong", "miss_right"),
        "abstained": ("miss_abstained", "hit_abstained"),
        "answered": ("miss_wrong", "miss_right", "hit_wrong", "hit_right"),
        "hit_answered": ("hit_wrong", "hit_right"),
        "miss_answered": ("miss_wrong", "miss_right"),
        "solved": ("miss_right", "hit_right"),
        "unsolved": ("miss_abstained", "hit_abstained", "miss_wrong", "hit_wrong"),
    }
    nodes = {name: worlds.expanded(chosen) for name, chosen in two.items()}
    if worlds.is_graded:
        for i, level in enumerate(levels):
            nodes[level] = worlds.where(level=i)
            nodes[f"{level}_answered"] = worlds.where(level=i, abstained=0)
    return nodes


NODES: Final = nodes_of()
"""Inner nodes of the tree of two levels, and other sets of worlds with a name."""


def node_worlds(node: str | Iterable[str], policy: Policy) -> tuple[str, ...]:
    """The worlds of a node: a world, a name of `nodes_of`, "good" or "bad", or several worlds.

    Raises
    ------
    ArgumentError
        When a name is not known; the message lists those that are.
    """
    nodes, every = nodes_of(policy.levels), policy.worlds
    if isinstance(node, str):
        if node in nodes:
            return nodes[node]
        if node in ("good", "bad") and node not in every:
            return tuple(w for w in every if policy.is_right(w) == (node == "good"))
        node = (node,)
    worlds = tuple(node) if isinstance(node, Iterable) else (node,)
    unknown = [w for w in worlds if not isinstance(w, str) or w not in every]
    if unknown or not worlds:
        raise ArgumentError.build(
            f"There is no node {unknown[0]!r}." if unknown else "No node was named.",
            accepted=f"Worlds are {', '.join(every)}; other nodes are "
            f"{', '.join(nodes)}, good, bad.",
        )
    return worlds
