"""Small tables of text, for a terminal and for a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence

from rat_widgets._markup import prose_html

__all__ = ["aligned", "html_list", "html_table"]


def aligned(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """One line per row, the first column to the left and the others to the right."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    return [
        "  "
        + "  ".join(
            text.ljust(width) if i == 0 else text.rjust(width)
            for i, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def html_table(rows: Sequence[tuple[str, ...]]) -> str:
    """The same as HTML, the first row being the head."""
    lines = ['<table style="border-collapse: collapse">']
    for i, row in enumerate(rows):
        cell = "th" if i == 0 else "td"
        lines.append("<tr>")
        for j, text in enumerate(row):
            side = "left" if j == 0 else "right"
            style = f"padding: 0 0.8em 0 0; text-align: {side}"
            lines.append(f'<{cell} style="{style}">{html.escape(text)}</{cell}>')
        lines.append("</tr>")
    return "".join([*lines, "</table>"])


def html_list(items: Sequence[str]) -> str:
    """Sentences as a list; nothing when there are none."""
    if not items:
        return ""
    return "<ul>" + "".join(f"<li>{prose_html(item)}</li>" for item in items) + "</ul>"
