"""Judges as a picture: one scene, drawn as a Plotly figure or as SVG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rat_widgets.figures.flow import one_line
from rat_widgets.figures.judge_blocks import belief_block, card_block, scale_of
from rat_widgets.figures.judge_content import JudgeContent, judge_content
from rat_widgets.figures.judge_text import judge_text
from rat_widgets.figures.judge_worth import worth_block
from rat_widgets.figures.opening import NARROW_WIDTH, Opening, draw_opening
from rat_widgets.figures.plotly_backend import plotly_figure
from rat_widgets.figures.scene import Line, Run, Scene, Text
from rat_widgets.figures.sheet_scene import sheet_scene
from rat_widgets.figures.svg_backend import svg_text
from rat_widgets.figures.theme import SIZES, theme_of
from rat_widgets.figures.tree_blocks import paragraph
from rat_widgets.figures.tree_sheet import Sheet
from rat_widgets.views import sentences
from rat_widgets.views.judge import JudgeView

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["COLUMN_WIDTH", "judge_figure", "judge_scene", "judge_svg"]

COLUMN_WIDTH: Final = 920.0
"""Below this width, px, what is believed stands under the judges."""

_WIDEST_BELIEFS: Final = 620.0
_WIDEST_CARD: Final = 760.0


def judge_scene(view: JudgeView, *, theme: str = "light", width: float = 1100) -> Scene:
    """The picture of the group that the view's controls show, as marks in px.

    Parameters
    ----------
    view : JudgeView
    theme : {"light", "dark", "auto"}
    width : float
        Width in px, from 320 up; below 920 there is one column. The height follows.

    Raises
    ------
    ArgumentError
        When the theme is not known or the width is out of range.
    """
    return sheet_scene(
        lambda w: _arrange(judge_content(view), w),
        theme=theme,
        width=width,
        title=sentences.plain(view.headline()),
        description=judge_text(view),
    )


def judge_figure(view: JudgeView, *, theme: str = "light", width: float = 1100) -> go.Figure:
    """The picture as a Plotly figure; `theme` is "light" or "dark".

    The traces "beliefs", "rates" and "judges" carry the view's numbers.
    """
    theme_of(theme)
    return plotly_figure(judge_scene(view, theme=theme, width=width))


def judge_svg(view: JudgeView, *, theme: str = "light", width: float = 1100) -> str:
    """The picture as one self-contained SVG element; "auto" follows the reader's system."""
    return svg_text(judge_scene(view, theme=theme, width=width))


def _arrange(content: JudgeContent, width: float) -> Sheet:
    """The whole picture of `width` px; its height is the sheet's `y`."""
    pad = 16.0 if width < NARROW_WIDTH else 24.0
    sheet = Sheet(width=width, pad=pad, y=pad)
    opening = Opening(
        title="Judges",
        name=content.name,
        place=content.place,
        headline=content.headline,
        deck=content.deck,
        notes=tuple(note for note in content.notes if note.level != "info"),
    )
    draw_opening(sheet, opening)
    sheet.rule(24)
    top = sheet.y + 16
    if width < COLUMN_WIDTH:
        _cards(sheet, content, pad, top, sheet.inner)
        sheet.rule(22)
        _beliefs(sheet, content, pad, sheet.y + 16, sheet.inner)
    else:
        gap = min(72.0, max(28.0, 0.05 * width))
        left = (sheet.inner - gap) * 1.12 / 2.12
        right = sheet.inner - gap - left
        _cards(sheet, content, pad, top, min(left, _WIDEST_CARD))
        end, sheet.y = sheet.y, top
        _beliefs(sheet, content, pad + left + gap, top, min(right, _WIDEST_BELIEFS))
        sheet.y = max(end, sheet.y)
    sheet.rule(22)
    quiet = [one_line(note.text) for note in content.notes if note.level == "info"]
    for text in (content.rows, *quiet):
        run = Run(text=text, role="ink-2", size=SIZES["s"])
        marks, sheet.y = paragraph([run], pad, sheet.y + 10, min(sheet.inner, 1000), line_height=18)
        sheet.marks += marks
    sheet.y += pad - 4
    return sheet


def _cards(sheet: Sheet, content: JudgeContent, left: float, top: float, width: float) -> None:
    y = top
    for i, card in enumerate(content.cards):
        marks, data, y = card_block(card, left, y + (34 if i else 0), width)
        sheet.marks += marks
        sheet.data += data
    sheet.y = y


def _beliefs(sheet: Sheet, content: JudgeContent, left: float, top: float, width: float) -> None:
    heading = Run(text="What we end up believing", weight=600)
    sheet.marks.append(Text(x=left, y=top + 15, runs=(heading,)))
    rates = [belief for belief in content.beliefs if belief.is_rate]
    y = top + 32
    for belief in content.beliefs:
        ticks = scale_of(rates if belief.is_rate else [belief])
        marks, data, y = belief_block(belief, ticks, left, y, width, is_whatif=content.is_whatif)
        sheet.marks += marks
        sheet.data += data
        y += 12
    sheet.marks.append(Line(x1=left, y1=y + 4, x2=left + width, y2=y + 4, role="rule"))
    marks, sheet.y = worth_block(
        content.worth,
        n_human=content.n_human,
        worth=content.worth_labels,
        left=left,
        top=y + 18,
        width=width,
    )
    sheet.marks += marks
