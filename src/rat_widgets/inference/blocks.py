"""Groups set out for one vectorised fit: those with surfaces of one shape, or all that share.

Only parameters that occur in mixed patterns take part; the others are Betas (`Collapsed`).
Groups that share no judge are *units* of their own and are put together by the shape of
their tables, which depends on each group alone. Groups that share a judge's rates are one unit;
the shared columns stand last and are equal in all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Self

import numpy as np
from jaxtyping import Bool, Float, Int

from rat_widgets.inference.surface import Surface

if TYPE_CHECKING:
    from rat_widgets.model.collapsed import Collapsed

__all__ = ["Block", "blocks"]

# Probabilities of a tree with two levels of retrieval.
_TWO_LEVELS: Final = 5
_SIZES: Final = (1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
# Groups in one block of independent groups: bounds the memory of their random numbers.
_MOST_GROUPS: Final = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Groups that are fitted together.

    Attributes
    ----------
    surface : Surface
        Over `parameters`, one row per group. The prior of a shared rate, and what all groups
        know of it for sure, is in the first.
    groups : array of int, shape (group,)
        Which groups these are.
    parameters : array of int, shape (parameter,)
        Which parameters the columns are, shared ones last.
    n_shared : int
        How many columns are the same in all groups; 0 where every group is a unit of its own.
    is_two_level : bool
        The first five columns are the five probabilities of a tree whose R is a miss or a hit.
    """

    surface: Surface
    groups: Int[np.ndarray, " group"]
    parameters: Int[np.ndarray, " parameter"]
    n_shared: int
    is_two_level: bool

    @property
    def n_own(self) -> int:
        """How many columns are each group's own."""
        return len(self.parameters) - self.n_shared

    def take(self, groups: Int[np.ndarray, " group"]) -> Self:
        """Some of the groups, where they share nothing."""
        return replace(self, surface=self.surface.take(groups), groups=self.groups[groups])

    def total(self, per_group: Float[np.ndarray, "group ..."]) -> Float[np.ndarray, "unit ..."]:
        """Per unit: the sum over its groups."""
        return per_group.sum(axis=0, keepdims=True) if self.n_shared else per_group


def blocks(
    collapsed: Collapsed, prior: Float[np.ndarray, "parameter 2"], shared: Bool[np.ndarray, " p"]
) -> Iterator[Block]:
    """The blocks that hold every group with a mixed pattern.

    Parameters
    ----------
    collapsed : Collapsed
    prior : array, shape (parameter, 2)
        Alpha and beta.
    shared : array of bool, shape (parameter,)
        Parameters that are the same in all groups.
    """
    mixing = collapsed.mixing
    members = np.flatnonzero(mixing.any(axis=1))
    if not len(members):
        return
    common = np.flatnonzero(shared & mixing.any(axis=0))
    if len(common):
        own = np.flatnonzero(~shared & mixing.any(axis=0))
        columns = np.concatenate([own, common])
        kept = np.flatnonzero((collapsed.rows > 0).any(axis=0))
        chosen = [kept] * len(members)
        yield _block(
            collapsed,
            prior,
            members=members,
            columns=columns,
            n_shared=len(common),
            chosen=chosen,
            n_mixed=len(kept),
        )
        return
    alike: dict[tuple[bytes, int, int], list[int]] = {}
    chosen_of = {}
    n_terms = np.isfinite(collapsed.log_factor).sum(axis=1)
    for g in members.tolist():
        chosen_of[g] = np.flatnonzero(collapsed.rows[g] > 0)
        size = len(chosen_of[g])
        padded = next((n for n in _SIZES if n >= size), size)
        key = (mixing[g].tobytes(), padded, int(n_terms[chosen_of[g]].max()))
        alike.setdefault(key, []).append(g)
    for (_, n_mixed, _), every in alike.items():
        for start in range(0, len(every), _MOST_GROUPS):
            part = every[start : start + _MOST_GROUPS]
            columns = np.flatnonzero(mixing[part[0]])
            chosen = [chosen_of[g] for g in part]
            yield _block(
                collapsed,
                prior,
                members=np.array(part),
                columns=columns,
                n_shared=0,
                chosen=chosen,
                n_mixed=n_mixed,
            )


def _block(
    collapsed: Collapsed,
    prior: Float[np.ndarray, "parameter 2"],
    *,
    members: Int[np.ndarray, " group"],
    columns: Int[np.ndarray, " column"],
    n_shared: int,
    chosen: Sequence[Int[np.ndarray, " _"]],
    n_mixed: int,
) -> Block:
    n_groups, n_all = len(members), collapsed.ones.shape[1]
    finite = np.isfinite(collapsed.log_factor[np.concatenate(chosen)])
    width = int(finite.sum(axis=1).max())
    # Groups that share rates have patterns in common.
    exponents = np.zeros((1 if n_shared else n_groups, n_mixed, width, 2 * len(columns)))
    log_factor = np.full((n_groups, n_mixed, width), -np.inf)
    log_factor[:, :, 0] = 0.0
    rows = np.zeros((n_groups, n_mixed, 1))
    both = np.concatenate([columns, n_all + columns])
    for i, (g, which) in enumerate(zip(members, chosen, strict=True)):
        n = len(which)
        if i < len(exponents):
            exponents[i, :n] = collapsed.exponents[which, :width][:, :, both]
        log_factor[i, :n] = collapsed.log_factor[which, :width]
        rows[i, :n, 0] = collapsed.rows[g, which]
    shape = []
    for labels, one in ((collapsed.ones, prior[columns, 0]), (collapsed.zeros, prior[columns, 1])):
        known = labels[np.ix_(members, columns)] + one
        if n_shared:
            common = columns[-n_shared:]
            known[1:, -n_shared:] = 0.0
            known[0, -n_shared:] = labels[:, common].sum(axis=0) + one[-n_shared:]
        shape.append(known[..., None])
    flat = exponents.reshape(len(exponents), n_mixed * width, -1)
    surface = Surface(
        exponents=np.broadcast_to(flat, (n_groups, *flat.shape[1:])),
        log_factor=log_factor.reshape(n_groups, n_mixed * width, 1),
        rows=rows,
        alpha=shape[0],
        beta=shape[1],
    )
    return Block(
        surface=surface.factorised(),
        groups=members,
        parameters=columns,
        n_shared=n_shared,
        is_two_level=collapsed.n_theta == _TWO_LEVELS and set(range(_TWO_LEVELS)) <= set(columns),
    )
