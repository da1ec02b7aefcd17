"""Pictures in a page: still, laid out for several widths, of which the page shows one."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Final

from rat_widgets.report.page import Section

__all__ = ["WIDTHS", "picture_section"]

WIDTHS: Final = (340, 440, 740, 900, 1100)
"""Widths of the layouts, px: each stands from its own width on, and the first one below it."""

_GROWS: Final = 1.1  # beyond that letters would be larger than those around the picture
_LEAST: Final = 0.02


def picture_section(heading: str, draw: Callable[[float], str]) -> Section:
    """A picture under a heading, or under none where that is empty.

    Parameters
    ----------
    heading : str
        Escaped here.
    draw : function
        From a width in px to one SVG element, as safe markup, that follows the reader's theme.
    """
    head = f'<div class="prose"><h2>{escape(heading)}</h2></div>' if heading else ""
    drawn = "".join(f'<div class="at-{width}">{draw(width)}</div>' for width in WIDTHS)
    return Section(
        html=f'<section class="picture">{head}<figure>{drawn}</figure></section>', css=_style()
    )


def _style() -> str:
    """Hides all layouts but the widest that fits the page, and lets that grow a little."""
    rules = [
        ".picture { padding: 8px 0; }\n.picture figure { margin: 0; }\n"
        ".picture h2 { margin-bottom: 0; }\n.picture .prose { padding-bottom: 0; }\n"
        ".picture svg { display: block; width: 100%; height: auto; }\n"
    ]
    for i, width in enumerate(WIDTHS):
        is_hidden = []
        if i > 0:
            is_hidden.append(f"(max-width: {width - _LEAST}px)")
        if width != WIDTHS[-1]:
            is_hidden.append(f"(min-width: {WIDTHS[i + 1]}px)")
        rules.append(
            f".picture .at-{width} {{ max-width: {_GROWS * width:g}px; }}\n"
            f"@media {', '.join(is_hidden)} {{ .picture .at-{width} {{ display: none; }} }}\n"
        )
    return "".join(rules)
