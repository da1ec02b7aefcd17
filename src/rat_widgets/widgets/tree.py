"""The conditional-probability tree in the browser."""

from __future__ import annotations

from rat_widgets._static import static_text
from rat_widgets.widgets.base import RatWidget

__all__ = ["TreeWidget"]


class TreeWidget(RatWidget):
    """Retrieval, abstention, task success: six worlds (or three a level), in whole queries.

    Made by `rat_widgets.tree`.
    """

    _esm = static_text("tree.js")
    _css = static_text("tree.css")
