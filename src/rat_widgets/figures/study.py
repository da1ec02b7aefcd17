"""A study as a picture: width, error and coverage against the budget, a line per strategy."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rat_widgets.figures.opening import NARROW_WIDTH, Opening, draw_opening
from rat_widgets.figures.plotly_backend import plotly_figure
from rat_widgets.figures.scene import Line, Mark, Run, Scene, Text
from rat_widgets.figures.sheet_scene import sheet_scene
from rat_widgets.figures.study_panels import PANELS, Stroke, panel, stroke_of
from rat_widgets.figures.study_text import study_text
from rat_widgets.figures.svg_backend import svg_text
from rat_widgets.figures.theme import SIZES, theme_of
from rat_widgets.figures.tree_blocks import paragraph
from rat_widgets.figures.tree_sheet import Sheet
from rat_widgets.views import sentences
from rat_widgets.views.study import StudyView

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["study_figure", "study_scene", "study_svg"]


_PANEL_HEIGHT: Final = 190.0
_GAP: Final = 34.0
_SAMPLE: Final = 26.0


def study_scene(view: StudyView, *, theme: str = "light", width: float = 1100) -> Scene:
    """The picture as marks in px.

    Parameters
    ----------
    view : StudyView
    theme : {"light", "dark", "auto"}
    width : float
        Width in px, from 320 up; below 620 the targets stand under each other.

    Raises
    ------
    ArgumentError
        When the theme is not known or the width is out of range.
    """
    return sheet_scene(
        lambda w: _arrange(view, w),
        theme=theme,
        width=width,
        title=sentences.plain(view.headline()),
        description=study_text(view),
    )


def study_figure(view: StudyView, *, theme: str = "light", width: float = 1100) -> go.Figure:
    """The picture as a Plotly figure; `theme` is "light" or "dark".

    The trace "study" carries the view's numbers: key "measure strategy target budget", the value,
    and the value less and plus 1.96 Monte Carlo errors.
    """
    theme_of(theme)
    return plotly_figure(study_scene(view, theme=theme, width=width))


def study_svg(view: StudyView, *, theme: str = "light", width: float = 1100) -> str:
    """The picture as one self-contained SVG element; "auto" follows the reader's system."""
    return svg_text(study_scene(view, theme=theme, width=width))


def _arrange(view: StudyView, width: float) -> Sheet:
    pad = 16.0 if width < NARROW_WIDTH else 24.0
    sheet = Sheet(width=width, pad=pad, y=pad)
    draw_opening(
        sheet,
        Opening(
            title="What to label next",
            name="",
            place="",
            headline=tuple(view.headline()),
            deck=(),
            notes=(),
        ),
    )
    strokes = {name: stroke_of(name, i) for i, name in enumerate(view.strategies)}
    _legend(sheet, strokes)
    columns = [list(view.targets)] if width >= NARROW_WIDTH else [[key] for key in view.targets]
    for keys in columns:
        _columns(sheet, view, keys, strokes)
    run = Run(text=_method(view), role="ink-2", size=SIZES["s"])
    marks, sheet.y = paragraph([run], pad, sheet.y + 10, min(sheet.inner, 1000), line_height=18)
    sheet.marks += marks
    sheet.y += pad - 4
    return sheet


def _columns(sheet: Sheet, view: StudyView, keys: list[str], strokes: dict[str, Stroke]) -> None:
    """Panels of some targets side by side, measure under measure."""
    room = (sheet.inner - _GAP * (len(keys) - 1)) / len(keys)
    top = sheet.y + 18
    for i, key in enumerate(keys):
        x = sheet.pad + i * (room + _GAP)
        heading = Run(text=view.targets[key], weight=600)
        sheet.marks.append(Text(x=x, y=top + 14, runs=(heading,)))
        y = top + 26
        for name in PANELS:
            marks, data = panel(view, name, key, strokes, (x, y, room, _PANEL_HEIGHT))
            sheet.marks += marks
            sheet.data += data
            y += _PANEL_HEIGHT + 12
    sheet.y = top + 26 + len(PANELS) * (_PANEL_HEIGHT + 12)


def _legend(sheet: Sheet, strokes: dict[str, Stroke]) -> None:
    """A sample of each line with its name, on as many rows as it takes."""
    x, y = sheet.pad, sheet.y + 26
    marks: list[Mark] = []
    for name, stroke in strokes.items():
        run = Run(text=name, role="ink-2", size=SIZES["s"])
        width = _SAMPLE + 7 + run.width + 22
        if x > sheet.pad and x + width > sheet.pad + sheet.inner:
            x, y = sheet.pad, y + 20
        marks.append(
            Line(
                x1=x, y1=y - 4, x2=x + _SAMPLE, y2=y - 4, role=stroke.role, width=2,
                is_dashed=stroke.is_dashed,
            )
        )  # fmt: skip
        marks.append(stroke.mark(x + _SAMPLE / 2, y - 4))
        marks.append(Text(x=x + _SAMPLE + 7, y=y, runs=(run,)))
        x += width
    sheet.marks += marks
    sheet.y = y + 4


def _method(view: StudyView) -> str:
    replications = sorted({point.replications for point in view.points})
    n = f"{replications[0]:,}" if len(replications) == 1 else "unfinished"
    times = f"{n} simulated purchases a point; " if replications else ""
    method = f"{times}bars are 95% Monte Carlo intervals. {view.check}"
    return f"{method} Of intervals about as narrow, within 1%, the cheapest is named."
