"""The diagnoses of several groups: a mapping that can be read at a glance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rat_widgets.derived.printed import counted
from rat_widgets.inference.diagnose import Diagnosis
from rat_widgets.labels.keys import key_labels, one_line

__all__ = ["Diagnoses"]

_LEVELS: Final = ("problem", "warning", "info", "ok")
_MOST_ROWS: Final = 19
_MOST_LETTERS: Final = 40


class Diagnoses(Mapping[Any, Diagnosis]):
    """Group -> Diagnosis, in the order of the groups; equal to a dict of the same.

    Printed it is a table of at most 20 lines, the groups with the worst first: the level of the
    gravest that is said of each, and the codes of all. ``diagnoses[group]`` has the texts.
    """

    __slots__ = ("_of",)

    def __init__(self, of: Mapping[Any, Diagnosis]) -> None:
        self._of = dict(of)

    def __getitem__(self, group: Any) -> Diagnosis:
        return self._of[group]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._of,)

    def __repr__(self) -> str:
        levels = {group: _worst(found) for group, found in self._of.items()}
        n = Counter(levels.values())
        told = [f"{n[level]:,} {level}" for level in _LEVELS if n[level]]
        worst_first = sorted(self._of, key=lambda group: _LEVELS.index(levels[group]))
        keys = [group if isinstance(group, tuple) else (group,) for group in self._of]
        named = dict(zip(self._of, key_labels(keys), strict=True))
        rows = [
            (one_line(named[group], _MOST_LETTERS), levels[group], self._of[group].codes)
            for group in worst_first
        ]
        shown = rows if len(rows) <= _MOST_ROWS else rows[: _MOST_ROWS - 1]
        width = max((len(name) for name, _, _ in shown), default=0)
        lines = [
            f"  {name:{width}}  {level:7}  {', '.join(dict.fromkeys(codes))}".rstrip()
            for name, level, codes in shown
        ]
        if len(rows) > len(shown):
            lines.append(f"  ... and {len(rows) - len(shown):,} more")
        return "\n".join([f"{counted(len(rows), 'group')}: {', '.join(told)}", *lines])


def _worst(found: Diagnosis) -> str:
    """The level of the gravest that is said, the first of all."""
    return found.messages[0].level if found.messages else "ok"
