"""Sentences as HTML: escaped, and what stands in backticks as code."""

from __future__ import annotations

import re
from html import escape

__all__ = ["prose_html"]


def prose_html(text: str) -> str:
    """A sentence of ours as safe markup; names from data stay text."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=True))
