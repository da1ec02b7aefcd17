"""The tree as a picture: one scene, drawn as a Plotly figure or as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rat_widgets.figures.plotly_backend import numbers_of, plotly_figure
from rat_widgets.figures.scene import Scene
from rat_widgets.figures.sheet_scene import sheet_scene
from rat_widgets.figures.svg_backend import svg_text
from rat_widgets.figures.text import tree_text
from rat_widgets.figures.theme import theme_of
from rat_widgets.figures.tree_content import tree_content
from rat_widgets.figures.tree_layout import arrange
from rat_widgets.views import sentences
from rat_widgets.views.tree import TreeView

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["numbers_in", "tree_figure", "tree_scene", "tree_svg"]


def tree_scene(view: TreeView, *, theme: str = "light", width: float = 1100) -> Scene:
    """The picture of the group that the view's controls show, as marks in px.

    Parameters
    ----------
    view : TreeView
    theme : {"light", "dark", "auto"}
    width : float
        Width in px, from 320 up; below 900 the tree is an outline. The height follows.

    Raises
    ------
    ArgumentError
        When the theme is not known or the width is out of range.
    """
    return sheet_scene(
        lambda w: arrange(tree_content(view), w),
        theme=theme,
        width=width,
        title=sentences.plain(view.headline()),
        description=tree_text(view),
    )


def tree_figure(view: TreeView, *, theme: str = "light", width: float = 1100) -> go.Figure:
    """The picture as a Plotly figure; `theme` is "light" or "dark".

    The traces "statistics", "branches" and "worlds" carry the view's numbers: see `numbers_in`.
    """
    theme_of(theme)
    return plotly_figure(tree_scene(view, theme=theme, width=width))


def tree_svg(view: TreeView, *, theme: str = "light", width: float = 1100) -> str:
    """The picture as one self-contained SVG element; "auto" follows the reader's system."""
    return svg_text(tree_scene(view, theme=theme, width=width))


def numbers_in(
    figure: Any, kind: str | None = None
) -> dict[str, tuple[float | None, float | None, float | None, str]]:
    """The numbers that a figure shows: (value, lower, upper, text) by key.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure, or its dict
    kind : {"statistics", "branches", "worlds"}, optional
        Only the numbers of this part of the picture.
    """
    return numbers_of(figure, kind)
