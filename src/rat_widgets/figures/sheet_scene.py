"""A sheet as a picture: what the pictures of all nouns have in common."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Final

from rat_widgets.errors import ArgumentError
from rat_widgets.figures.scene import Scene
from rat_widgets.figures.theme import AUTO, theme_of
from rat_widgets.figures.tree_sheet import Sheet

__all__ = ["MIN_WIDTH", "sheet_scene"]

MIN_WIDTH: Final = 320
"""The narrowest picture, px."""
_MAX_WIDTH: Final = 10_000


def sheet_scene(
    arrange: Callable[[float], Sheet], *, theme: str, width: float, title: str, description: str
) -> Scene:
    """The picture as marks in px; its height follows from its width.

    Parameters
    ----------
    arrange : function
        From a width in px to the sheet.
    theme : {"light", "dark", "auto"}
    width : float
        Width in px, from 320 up.
    title, description : str
        For those who cannot see it.

    Raises
    ------
    ArgumentError
        When the theme is not known or the width is out of range.
    """
    if theme != AUTO:
        theme_of(theme)
    asked: object = width
    if not isinstance(asked, Real) or not MIN_WIDTH <= width <= _MAX_WIDTH:
        raise ArgumentError.build(
            f"width={width!r} is not a width for this picture.",
            accepted=f"Accepted: {MIN_WIDTH} to {_MAX_WIDTH:,} px.",
        )
    sheet = arrange(float(width))
    return Scene(
        width=float(width),
        height=float(round(sheet.y)),
        theme=theme,
        title=title,
        description=description,
        marks=tuple(sheet.marks),
        data=tuple(sheet.data),
    )
