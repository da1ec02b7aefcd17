"""Groups that are fitted by themselves: as a caller names them, and as counts have them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from rat_widgets.derived.shared_judges import JudgeDiffers
from rat_widgets.errors import ArgumentError
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.keys import GroupKey, plain_value

__all__ = ["apart_names", "kept_apart", "set_apart"]


def set_apart(counts: PatternCounts, apart: Any) -> PatternCounts:
    """The counts with some groups apart, beside those that are already.

    Parameters
    ----------
    counts : PatternCounts
    apart : group, or sequence of groups
        A value of the column of `by`, a tuple of values of several columns, or a `JudgeDiffers`.

    Raises
    ------
    ArgumentError
        When one is no group of these counts.
    """
    wanted = _listed(apart, counts)
    if not wanted:
        return counts
    if not counts.by:
        raise ArgumentError.build(
            f"`apart` is {apart!r:.80}, and the table has no groups.",
            accepted="Groups, which the column that names the systems makes.",
            hint='rat.fit(df, by="system", apart=["the odd one"])',
        )
    keys = {_key(one, counts.groups, apart) for one in wanted}
    return replace(counts, apart=tuple({*counts.apart, *keys}))


def kept_apart(apart: Any, counts: PatternCounts) -> list[GroupKey]:
    """Those of the groups that other counts have, too."""
    keys = (_find(one, counts.groups) for one in _listed(apart, counts))
    return [key for key in keys if key is not None]


def apart_names(apart: Any) -> Any:
    """What a caller gave, as source could say it: groups in place of what was found of them."""
    if isinstance(apart, JudgeDiffers):
        return apart.group[0] if len(apart.group) == 1 else apart.group
    is_many = isinstance(apart, Iterable) and not isinstance(apart, (str, bytes))
    return [apart_names(one) for one in apart] if is_many else apart


def _listed(apart: Any, counts: PatternCounts) -> list[Any]:
    """Several groups, of one that is given bare, too."""
    if isinstance(apart, (str, bytes, JudgeDiffers)) or not isinstance(apart, Iterable):
        return [] if apart is None else [apart]
    is_one = bool(counts.by) and _find(apart, counts.groups) is not None
    return [apart] if is_one else list(apart)


def _find(one: Any, groups: tuple[GroupKey, ...]) -> GroupKey | None:
    """The group's key, where it is one."""
    if isinstance(one, JudgeDiffers):
        one = one.group
    key = tuple(one) if isinstance(one, (tuple, list)) else (one,)
    try:
        plain = tuple(map(plain_value, key))
    except TypeError:
        return None
    return next((group for group in groups if group == plain), None)


def _key(one: Any, groups: tuple[GroupKey, ...], apart: Any) -> GroupKey:
    found = _find(one, groups)
    if found is not None:
        return found
    names = [key[0] if len(key) == 1 else key for key in groups]
    more = ", ..." if len(names) > 5 else ""
    raise ArgumentError.build(
        f"`apart` is {apart!r:.80}, and there is no group {one!r:.60}.",
        accepted=f"Groups: {', '.join(map(repr, names[:5]))}{more}.",
    )
