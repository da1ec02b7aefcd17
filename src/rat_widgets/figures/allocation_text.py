"""A plan in words: plain text for a terminal, and an HTML table."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from html import escape
from typing import Final

from rat_widgets.figures.flow import one_line, without_controls
from rat_widgets.views import sentences, wording
from rat_widgets.views.allocation import AllocationCourse, AllocationView
from rat_widgets.views.allocation_sentences import Piece, mix_line
from rat_widgets.views.allocation_words import COURSES, about, amount, half, halves

__all__ = [
    "allocation_table_html",
    "allocation_text",
    "caption_of",
    "method_of",
    "needed_of",
    "sorted_courses",
]

_COLUMNS: Final = 80


def sorted_courses(view: AllocationView) -> list[AllocationCourse]:
    """Courses that are on, the narrowest first."""
    order = list(COURSES)
    shown = [c for c in view.answer.courses if c.key not in view.controls.hidden]
    return sorted(shown, key=lambda course: (course.width, order.index(course.key)))


def needed_of(course: AllocationCourse) -> str:
    """The budget with which it gets as narrow as what is advised."""
    return "never" if course.needed is None else about(course.needed)


def caption_of(view: AllocationView) -> str:
    """What the courses are compared with."""
    if view.controls.budget <= 0:
        return f"Without more {view.unit}"
    return f"With {amount(view.controls.budget)} more {view.unit}"


def method_of(view: AllocationView) -> str:
    """What the numbers rest on."""
    group = view.group
    at = "to first order"
    if group.spread:
        at = f"at the posterior mean; the band holds 90% of {len(group.spread)} draws"
    percent = wording.pin_percent(view.ci_prob)
    return f"{group.rows} Expected {percent} intervals by the Fisher information {at}."


def _rows(view: AllocationView) -> list[tuple[str, ...]]:
    is_rate = view.target.is_rate
    goal = view.courses.get(view.answer.advised or "")
    head = "" if goal is None else f"for {half(goal.width, is_rate=is_rate)}"
    has_spread = any(c.width_lower is not None for c in view.answer.courses)
    rows: list[tuple[str, ...]] = [("plan", "half-width", *(["draws"] * has_spread), head)]
    for course in sorted_courses(view):
        ends = (course.width_lower, course.width_upper)
        span = "\N{EN DASH}".join(halves(w, is_rate=is_rate) for w in ends if w is not None)
        rows.append(
            (
                COURSES[course.key].name,
                half(course.width, is_rate=is_rate),
                *([span] * has_spread),
                needed_of(course),
            )
        )
    return rows


def _parts(view: AllocationView) -> list[str]:
    return [
        f"{wording.percent(part.share)} "
        + mix_line(Piece(rows=part.rows, buy=part.buy, share=part.share, n_rows=part.n_rows))
        for part in view.answer.parts
    ]


def allocation_text(view: AllocationView) -> str:
    """The plan as text, 80 columns wide."""
    lines = [one_line(view.group.label), ""] if view.group.label else []
    lines += _wrapped(sentences.plain(view.headline()))
    lines += _wrapped(sentences.plain(view.deck()))
    for note in view.group.notes:
        lines += _wrapped(f"{note.level.capitalize()}: {one_line(note.text)}")
    rows = _rows(view)
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines += ["", *_wrapped(f"{caption_of(view)}, {view.target.symbol}:")]
    lines += ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows]
    if view.answer.parts:
        lines += ["", "The best mix:", *(f"- {part}" for part in _parts(view))]
    lines += ["", *_wrapped(method_of(view))]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(text, _COLUMNS, break_long_words=False, break_on_hyphens=False)


def allocation_table_html(view: AllocationView) -> str:
    """The plan as an HTML table for places without JavaScript; every text is escaped."""
    style = ' style="text-align:left"'
    head, *rows = _rows(view)
    name = f"<p><bdi>{_escape(one_line(view.group.label))}</bdi></p>" if view.group.label else ""
    body = "".join(f"<tr>{_cells(row, f'td{style}')}</tr>" for row in rows)
    parts = "".join(f"<li>{_escape(part)}</li>" for part in _parts(view))
    notes = "".join(f"<p>{_escape(one_line(note.text))}</p>" for note in view.group.notes)
    return (
        f'<div class="rat-table">{name}<table>'
        f"<caption{style}>{_escape(sentences.plain(view.headline()))}</caption>"
        f"<thead><tr>{_cells(head, f'th scope=col{style}')}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
        f"<p>{_escape(sentences.plain(view.deck()))}</p>{notes}<ol>{parts}</ol>"
        f"<p>{_escape(method_of(view))}</p></div>"
    )


def _cells(texts: Sequence[str], tag: str) -> str:
    name = tag.partition(" ")[0]
    return "".join(f"<{tag}>{_escape(text)}</{name}>" for text in texts)


def _escape(text: str) -> str:
    return escape(without_controls(text))
