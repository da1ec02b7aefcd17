"""A plan as a picture: the advice, half-widths along the budget, the courses, and the best mix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rat_widgets.figures.allocation_chart import allocation_chart, hue_of
from rat_widgets.figures.allocation_text import (
    allocation_text,
    caption_of,
    method_of,
    needed_of,
    sorted_courses,
)
from rat_widgets.figures.opening import NARROW_WIDTH, Opening, draw_opening
from rat_widgets.figures.plotly_backend import plotly_figure
from rat_widgets.figures.scene import Circle, Datum, Line, Mark, Rect, Run, Scene, Text
from rat_widgets.figures.sheet_scene import sheet_scene
from rat_widgets.figures.svg_backend import svg_text
from rat_widgets.figures.theme import SIZES, theme_of
from rat_widgets.figures.tree_blocks import paragraph
from rat_widgets.figures.tree_sheet import Sheet
from rat_widgets.views import sentences, wording
from rat_widgets.views.allocation import AllocationCourse, AllocationView
from rat_widgets.views.allocation_sentences import Piece, mix_line
from rat_widgets.views.allocation_words import COURSES, half

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["allocation_figure", "allocation_scene", "allocation_svg"]


_COLUMNS_FROM: Final = 880.0
_GAP: Final = 40.0
_CHART: Final = 330.0
_ROW: Final = 34.0
_NAMES: Final = 128.0
_NUMBERS: Final = 118.0


def allocation_scene(view: AllocationView, *, theme: str = "light", width: float = 1100) -> Scene:
    """The picture as marks in px.

    Parameters
    ----------
    view : AllocationView
    theme : {"light", "dark", "auto"}
    width : float
        Width in px, from 320 up; below 880 the parts stand under each other.

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
        description=allocation_text(view),
    )


def allocation_figure(
    view: AllocationView, *, theme: str = "light", width: float = 1100
) -> go.Figure:
    """The picture as a Plotly figure; `theme` is "light" or "dark".

    The trace "allocation" carries the view's numbers: key of a course, its width at the budget, and
    where 90% of the draws put it.
    """
    theme_of(theme)
    return plotly_figure(allocation_scene(view, theme=theme, width=width))


def allocation_svg(view: AllocationView, *, theme: str = "light", width: float = 1100) -> str:
    """The picture as one self-contained SVG element; "auto" follows the reader's system."""
    return svg_text(allocation_scene(view, theme=theme, width=width))


def _arrange(view: AllocationView, width: float) -> Sheet:
    pad = 16.0 if width < NARROW_WIDTH else 24.0
    sheet = Sheet(width=width, pad=pad, y=pad)
    group = view.group
    draw_opening(
        sheet,
        Opening(
            title="What to label next",
            name=group.label,
            place="",
            headline=tuple(view.headline()),
            deck=tuple(view.deck()),
            notes=group.notes,
        ),
    )
    sheet.rule(20)
    is_wide = width >= _COLUMNS_FROM
    left = round((sheet.inner - _GAP) * 0.58) if is_wide else sheet.inner
    top = sheet.y + 14
    end = _chart(sheet, view, top, left)
    if is_wide:
        x = sheet.pad + left + _GAP
        end = max(end, _right(sheet, view, x, top, sheet.inner - left - _GAP))
    else:
        end = _right(sheet, view, sheet.pad, end + 18, sheet.inner)
    sheet.y = end
    sheet.rule(16)
    run = Run(text=method_of(view), role="ink-2", size=SIZES["s"])
    marks, sheet.y = paragraph([run], pad, sheet.y + 8, min(sheet.inner, 1000), line_height=18)
    sheet.marks += marks
    sheet.y += pad - 4
    return sheet


def _chart(sheet: Sheet, view: AllocationView, top: float, width: float) -> float:
    runs = (
        Run(text="Expected interval of ", weight=600),
        Run(text=view.target.symbol, role=hue_of(view), weight=600),
        Run(
            text=f"  ± {'points' if view.target.is_rate else 'the utility'}, by {view.unit}",
            role="ink-3",
            size=SIZES["s"],
        ),
    )
    sheet.marks.append(Text(x=sheet.pad, y=top + 14, runs=runs))
    sheet.marks += allocation_chart(view, sheet.pad, top + 18, width, _CHART)
    return top + 18 + _CHART


def _right(sheet: Sheet, view: AllocationView, x: float, top: float, width: float) -> float:
    """Courses, and under them the best mix; where they end."""
    sheet.marks.append(Text(x=x, y=top + 14, runs=(Run(text=caption_of(view), weight=600),)))
    goal = view.courses.get(view.answer.advised or "")
    if goal is not None:
        text = f"for {half(goal.width, is_rate=view.target.is_rate)}"
        run = Run(text=text, role="ink-3", size=SIZES["xs"])
        sheet.marks.append(Text(x=x + width, y=top + 14, anchor="end", runs=(run,)))
    y = top + 24
    widest = max((max(c.width, c.width_upper or 0.0) for c in view.answer.courses), default=1.0)
    for course in sorted_courses(view):
        _course(sheet, view, course, (x, y, width), widest)
        y += _ROW
    return _mix(sheet, view, x, y + 10, width)


def _course(
    sheet: Sheet,
    view: AllocationView,
    course: AllocationCourse,
    frame: tuple[float, float, float],
    widest: float,
) -> None:
    x, top, width = frame
    is_advised = course.key == view.answer.advised
    role, is_rate = hue_of(view) if is_advised else "ink-2", view.target.is_rate
    middle = top + _ROW / 2
    start = x + _NAMES
    room = max(width - _NAMES - _NUMBERS, 24)
    end = start + course.width / widest * room
    weight = 600 if is_advised else 400
    name = Run(text=COURSES[course.key].name, role=role if is_advised else "ink", weight=weight)
    text = half(course.width, is_rate=is_rate)
    shown = Run(text=text, role=role if is_advised else "ink", weight=weight)
    needed = Run(text=needed_of(course), role=role, weight=weight)
    marks: list[Mark] = [
        Line(x1=x, y1=top + _ROW, x2=x + width, y2=top + _ROW, role="rule"),
        Text(x=x, y=middle + 5, runs=(name,)),
        Line(
            x1=start, y1=middle, x2=end, y2=middle, width=2.5 if is_advised else 1.5,
            role=role if is_advised else "rule-2",
        ),
        Circle(x=end, y=middle, r=4, fill=role if is_advised else "bg", stroke=role, width=1.5),
        Text(x=start + room + 12, y=middle + 5, runs=(shown,)),
        Text(x=x + width, y=middle + 5, anchor="end", runs=(needed,)),
    ]  # fmt: skip
    if course.width_lower is not None and course.width_upper is not None:
        low, high = (start + w / widest * room for w in (course.width_lower, course.width_upper))
        bar = Line(x1=low, y1=middle, x2=high, y2=middle, role="rule-2", width=5, is_round=True)
        marks.insert(3, bar)
    sheet.marks += marks
    sheet.data.append(
        Datum(
            kind="allocation",
            key=course.key,
            x=end,
            y=middle,
            value=course.width,
            lower=course.width_lower,
            upper=course.width_upper,
            text=text,
            hover=f"{COURSES[course.key].name}: {text}; {needed_of(course)} to match the advice",
        )
    )


def _mix(sheet: Sheet, view: AllocationView, x: float, top: float, width: float) -> float:
    parts = view.answer.parts
    if not parts:
        return top
    sheet.marks.append(Text(x=x, y=top + 14, runs=(Run(text="The best mix", weight=600),)))
    y, at = top + 24, x
    room = width - 2 * (len(parts) - 1)
    hue = hue_of(view)
    for i, part in enumerate(parts):
        wide = part.share * room
        fill = f"{hue}-tint" if hue != "ink" and i % 2 == 0 else "rule"
        sheet.marks.append(Rect(x=at, y=y, width=max(wide, 2.0), height=22, fill=fill))
        if part.share >= 0.06:
            run = Run(text=str(i + 1), weight=600, size=SIZES["s"])
            sheet.marks.append(Text(x=at + wide / 2, y=y + 15, anchor="middle", runs=(run,)))
        at += wide + 2
    y += 28
    for i, part in enumerate(parts):
        piece = Piece(rows=part.rows, buy=part.buy, share=part.share, n_rows=part.n_rows)
        runs = [
            Run(text=f"{i + 1}. {wording.percent(part.share)} ", weight=600, size=SIZES["s"]),
            Run(text=mix_line(piece), role="ink-2", size=SIZES["s"]),
        ]
        marks, y = paragraph(runs, x, y, width, line_height=18)
        sheet.marks += marks
    return y + 4
