"""A judge's drift as a picture: versions on the same items, and rates over time."""

from __future__ import annotations

from functools import partial
from typing import Final

from rat_widgets.figures.drift_offsets import offsets_block
from rat_widgets.figures.drift_windows import windows_block
from rat_widgets.figures.scene import Scene
from rat_widgets.figures.tool_sheet import begin, finish, ledger, tool_scene
from rat_widgets.figures.tree_sheet import Sheet
from rat_widgets.views.drift import DriftView

__all__ = ["drift_scene"]

_MOST: Final = 1000.0
_LEDGER: Final = 460.0


def drift_scene(view: DriftView, *, theme: str = "light", width: float = 940) -> Scene:
    """The picture as marks in px; see `tool_scene`."""
    return tool_scene(view.words, partial(_arrange, view), theme=theme, width=width)


def _arrange(view: DriftView, width: float) -> Sheet:
    sheet = begin(view.words, width)
    room = min(sheet.inner, _MOST)
    if view.windows:
        windows_block(sheet, view, room)
    if view.offsets:
        offsets_block(sheet, view, room)
    if view.words.ledger:
        marks, sheet.y = ledger(
            view.words.ledger, view.interval, sheet.pad, sheet.y + 6, min(room, _LEDGER)
        )
        sheet.marks += marks
    return finish(sheet, view.words)
