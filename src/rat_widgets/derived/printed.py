"""A result that prints in a terminal and renders in a notebook: a line, tables, notes."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass

from rat_widgets.derived.report_tables import aligned, html_list, html_table

__all__ = ["Measured", "Printed", "Rows", "counted", "shown"]

Rows = Sequence[tuple[str, ...]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Measured:
    """What was observed, None where nothing was, and an interval for what it stands for."""

    value: float | None
    lower: float | None
    upper: float | None


class Printed:
    """Base of results: a subclass gives `headline`, `tables` and `notes`."""

    __slots__ = ()
    notes: tuple[str, ...]

    @property
    def headline(self) -> str:
        """The result in one line."""
        raise NotImplementedError

    def tables(self) -> Sequence[Rows]:
        """Tables of text, the first row of each being its head."""
        raise NotImplementedError

    def __str__(self) -> str:
        lines = [self.headline]
        for table in self.tables():
            lines += ["", *aligned(table)]
        lines += ["", *(f" ! {note}" for note in self.notes)] if self.notes else []
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        parts = ['<div class="rat-judge-tool" style="font: inherit; line-height: 1.4">']
        parts += [f"<p><strong>{html.escape(self.headline)}</strong></p>", html_list(self.notes)]
        return "".join([*parts, *map(html_table, self.tables()), "</div>"])


def shown(measured: Measured, digits: int = 2) -> tuple[str, str]:
    """A value and its interval as two cells."""
    value = "undefined" if measured.value is None else f"{measured.value:.{digits}f}"
    if measured.lower is None or measured.upper is None:
        return value, ""
    return value, f"{measured.lower:.{digits}f} to {measured.upper:.{digits}f}"


def counted(n: int, noun: str) -> str:
    """1 row, 2 rows."""
    return f"{n:,} {noun}{'' if n == 1 else 's'}"
