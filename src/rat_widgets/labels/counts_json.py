"""PatternCounts to values that JSON can hold, and back."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from rat_widgets.errors import CountsError, RatError
from rat_widgets.labels.judges import Judge
from rat_widgets.labels.keys import GroupKey, KeyValue

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["counts_from_dict", "counts_from_json", "counts_to_dict"]

_KIND: Final = "pattern_counts"
_VERSION: Final = 1
_LISTS: Final = (
    "by",
    "groups",
    "judges",
    "retrieval_levels",
    "patterns",
    "counts",
    "errored",
    "dropped",
)


def counts_to_dict(counts: PatternCounts) -> dict[str, Any]:
    """Counts as nested lists, with their kind and version."""
    return {
        "kind": _KIND,
        "version": _VERSION,
        "by": list(counts.by),
        "groups": [_encoded(key) for key in counts.groups],
        "judges": [judge.to_dict() for judge in counts.judges],
        "retrieval_levels": list(counts.retrieval_levels),
        "patterns": counts.patterns.tolist(),
        "counts": counts.counts.tolist(),
        "errored": counts.errored.tolist(),
        "dropped": counts.dropped.tolist(),
        **({"deff": counts.deff.tolist()} if counts.is_scaled else {}),
        **({"apart": [_encoded(key) for key in counts.apart]} if counts.apart else {}),
    }


def counts_from_dict(data: object) -> dict[str, Any]:
    """The keywords of `PatternCounts` from what `counts_to_dict` wrote.

    Raises
    ------
    CountsError
        When the kind, the version or a field is something else. Shapes and values are the
        business of `PatternCounts` itself.
    """
    if not isinstance(data, Mapping):
        raise CountsError.build(
            f"Pattern counts were expected, not {type(data).__name__}.",
            accepted="What `PatternCounts.to_dict` or `to_json` wrote.",
        )
    if data.get("kind") != _KIND or data.get("version") != _VERSION:
        raise CountsError.build(
            f"The kind is {data.get('kind')!r}, the version {data.get('version')!r}.",
            accepted=f"Kind {_KIND!r}, version {_VERSION}.",
            hint="write the counts again with this version of rat_widgets.",
        )
    for name in _LISTS:
        if not isinstance(data.get(name), list):
            raise CountsError.build(f"`{name}` is not a list.", accepted="What `to_dict` wrote.")
    if not all(isinstance(name, str) for name in (*data["by"], *data["retrieval_levels"])):
        raise CountsError.build("`by` and `retrieval_levels` hold text only.")
    for name in ("groups", "apart"):
        keys = data.get(name, [])
        if not isinstance(keys, list) or not all(isinstance(key, list) for key in keys):
            raise CountsError.build(f"`{name}` is not a list of keys.")
    try:
        judges = tuple(Judge.from_dict(judge) for judge in data["judges"])
    except RatError as err:
        raise CountsError.build(f"A judge cannot be read. {err}") from err
    return {
        "by": tuple(data["by"]),
        "groups": _decoded(data["groups"]),
        "judges": judges,
        "retrieval_levels": tuple(data["retrieval_levels"]),
        **{name: data[name] for name in ("patterns", "counts", "errored", "dropped")},
        "deff": data.get("deff", ()),
        "apart": _decoded(data.get("apart", [])),
    }


def counts_from_json(text: str | bytes) -> dict[str, Any]:
    """The keywords of `PatternCounts` from JSON text.

    Raises
    ------
    CountsError
        When the text is not JSON, or holds something else.
    """
    try:
        data = json.loads(text)
    except (TypeError, ValueError, RecursionError) as err:
        raise CountsError.build(
            f"This is not JSON: {err}.", accepted="The text that `to_json` wrote."
        ) from err
    return counts_from_dict(data)


def _encoded(key: GroupKey) -> list[KeyValue | dict[str, str]]:
    return [_encode(value) for value in key]


def _decoded(keys: list[list[Any]]) -> tuple[GroupKey, ...]:
    return tuple(tuple(_decode(value) for value in key) for key in keys)


def _encode(value: KeyValue) -> KeyValue | dict[str, str]:
    """JSON has no infinity: it is written as {"float": "inf"}."""
    if isinstance(value, float) and math.isinf(value):
        return {"float": str(value)}
    return value


def _decode(value: object) -> KeyValue:
    if isinstance(value, (str, int, float)):
        return value
    if isinstance(value, dict) and value.get("float") in ("inf", "-inf") and len(value) == 1:
        return float(value["float"])
    raise CountsError.build(
        f"A group's key holds {value!r:.60}.", accepted="Text, numbers and booleans."
    )
