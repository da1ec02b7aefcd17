"""Where the parts of a tree's picture stand: columns when it is wide, an outline when narrow."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from rat_widgets.figures.flow import one_line
from rat_widgets.figures.metrics import cut
from rat_widgets.figures.scene import Datum, Line, Mark, Rect, Run, Text
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tree_blocks import branch_block, edge, paragraph, stat_block
from rat_widgets.figures.tree_content import TreeContent
from rat_widgets.figures.tree_ledger import (
    SIGN_WIDTH,
    leaf_block,
    ledger_columns,
    ledger_head,
    ledger_total,
    mark_pitch,
)
from rat_widgets.views.sentences import Segment

__all__ = ["NARROW_WIDTH", "OUTLINE_WIDTH", "Sheet", "arrange"]

OUTLINE_WIDTH: Final = 900.0
"""Below this width, px, the tree is an outline."""
NARROW_WIDTH: Final = 620.0
"""Below this width, px, the margins and the headline are smaller."""

_ROW: Final = 66.0
_HEAD: Final = 40.0
_INDENT: Final = 14.0
_LEGEND: Final = "Each mark is 1 of 100 queries; a fading mark is one we are less sure of"
_DECK_ROLES: Final = {"strong": ("ink", 600), "whatif": ("whatif", 600)}
_HEADLINE_ROLES: Final = {"task": "t", "good": "good", "whatif": "whatif"}


@dataclass(slots=True)
class Sheet:
    """Marks and data as they are placed; `y` is where the next part begins."""

    width: float
    pad: float
    y: float
    marks: list[Mark] = field(default_factory=list)
    data: list[Datum] = field(default_factory=list)

    @property
    def inner(self) -> float:
        """Width between the margins."""
        return self.width - 2 * self.pad

    def rule(self, gap: float) -> None:
        """A hairline `gap` px below what is there."""
        self.y += gap
        right = self.width - self.pad
        self.marks.append(Line(x1=self.pad, y1=self.y, x2=right, y2=self.y, role="rule"))


def arrange(content: TreeContent, width: float) -> Sheet:
    """The whole picture of `width` px; its height is the sheet's `y`."""
    pad = 16.0 if width < NARROW_WIDTH else 24.0
    sheet = Sheet(width=width, pad=pad, y=pad)
    _opening(sheet, content)
    _statistics(sheet, content)
    if width < OUTLINE_WIDTH:
        _outline(sheet, content)
    else:
        _columns(sheet, content)
    _footer(sheet, content)
    return sheet


def _opening(sheet: Sheet, content: TreeContent) -> None:
    """What this is and of which system, headline, deck, notes."""
    x, small = sheet.pad, SIZES["s"]
    title = Run(text="Evaluation tree", weight=600, size=small)
    y = sheet.y + 14
    sheet.marks.append(Text(x=x, y=y, runs=(title,)))
    room = sheet.inner - title.width - 14
    place = Run(text=content.place, role="ink-3", size=small)
    if content.name:
        name = one_line(content.name)
        shown = cut(name, room - (place.width + 16 if content.place else 0), small)
        runs = (Run(text=shown, role="ink-2", size=small),)
        hover = name if shown != name else ""
        sheet.marks.append(Text(x=x + title.width + 14, y=y, runs=runs, hover=hover))
    if content.place:
        sheet.marks.append(Text(x=x + sheet.inner, y=y, anchor="end", runs=(place,)))
    is_narrow = sheet.width < NARROW_WIDTH
    size = 18.5 if is_narrow else SIZES["xl"]
    marks, sheet.y = paragraph(
        [_headline_run(segment, size) for segment in content.headline],
        x,
        sheet.y + 24,
        min(sheet.inner, 1232),
        line_height=1.32 * size,
        together=frozenset(text for text, role in content.headline if role == "interval"),
    )
    sheet.marks += marks
    if content.deck:
        marks, sheet.y = paragraph(
            [_deck_run(segment) for segment in content.deck],
            x,
            sheet.y + 5,
            min(sheet.inner, 1344),
            line_height=20.3,
        )
        sheet.marks += marks
    _notes(sheet, content)


def _headline_run(segment: Segment, size: float) -> Run:
    text, role = segment
    if role == "interval":
        return Run(text=text, role="ink-2", size=0.78 * size)
    return Run(text=text, role=_HEADLINE_ROLES.get(role, "ink"), weight=600, size=size)


def _deck_run(segment: Segment) -> Run:
    text, role = segment
    colour, weight = _DECK_ROLES.get(role, ("ink-2", 400))
    return Run(text=text, role=colour, weight=weight)


def _notes(sheet: Sheet, content: TreeContent) -> None:
    """Warnings on a tinted ground with a bar at the left; the rest quieter."""
    for note in content.notes:
        is_loud = note.level != "info"
        x = sheet.pad + (14 if is_loud else 0)
        role = "ink" if is_loud else "ink-2"
        top = sheet.y + 12
        run = Run(text=one_line(note.text), role=role, size=SIZES["s"])
        room = min(sheet.inner - (24 if is_loud else 0), 860)
        marks, end = paragraph([run], x, top + (6 if is_loud else 0), room, line_height=18)
        if is_loud:
            bar = "bad" if note.level == "problem" else "warn"
            wide = max((t.box.right for t in marks if isinstance(t, Text)), default=x) - x + 24
            wide = min(wide, sheet.inner)
            height = end - top + 6
            sheet.marks += [
                Rect(x=sheet.pad, y=top, width=wide, height=height, fill="warn-bg"),
                Rect(x=sheet.pad, y=top, width=3, height=height, fill=bar),
            ]
            end += 6
        sheet.marks += marks
        sheet.y = end


def _statistics(sheet: Sheet, content: TreeContent) -> None:
    sheet.rule(24)
    n_columns, gap = (2, 16.0) if sheet.width < 700 else (4, 24.0)
    width = (sheet.inner - (n_columns - 1) * gap) / n_columns
    top = sheet.y + 12
    for i, stat in enumerate(content.stats):
        x = sheet.pad + (i % n_columns) * (width + gap)
        if i and i % n_columns == 0:
            top = sheet.y + 14
        marks, data, end = stat_block(stat, x, top, width)
        sheet.y = max(sheet.y, end)
        sheet.marks += marks
        sheet.data += data


def _column_heads(sheet: Sheet, xs: Sequence[float], top: float) -> None:
    heads = (("R", "Retrieval", "r"), ("A", "Abstention", "a"), ("T", "Task", "t"))
    for x, (letter, word, hue) in zip(xs, heads):
        runs = (
            Run(text=letter, role=hue, weight=600, size=SIZES["xs"]),
            Run(text=f" {word}", role="ink-2", size=SIZES["xs"]),
        )
        sheet.marks.append(Text(x=x, y=top, runs=runs))


def _columns(sheet: Sheet, content: TreeContent) -> None:
    """R, A and T side by side, the six worlds in a ledger at the right."""
    left, inner = sheet.pad, sheet.inner
    gap = min(84.0, max(26.0, 0.042 * inner))
    node_width = min(250.0, max(128.0, (inner - 458 - 3 * gap) / 3))
    x_of = [left + i * (node_width + gap) for i in range(4)]
    right = left + inner
    columns = ledger_columns(content, right, step=64, has_rows=True)
    top = sheet.y + 24
    y_of = [top + _HEAD + _ROW * (i + 0.5) for i in range(6)]

    def between(first: int, second: int) -> float:
        return (y_of[first] + y_of[second]) / 2

    _column_heads(sheet, x_of[:3], top + 22)
    sheet.marks += ledger_head(content, columns, top + 26)
    sheet.marks += _legend(x_of[3] + SIGN_WIDTH, columns.words, top + 27)
    heights = {
        "retrieval_success": between(2, 3),
        "abstain_given_hit": y_of[1],
        "abstain_given_miss": y_of[4],
        "correct_given_hit": between(0, 1),
        "correct_given_miss": between(3, 4),
    }
    place = {"R": 0, "A": 1, "T": 2}
    ends = []
    for key, branch in content.branches.items():
        x = x_of[place[branch.letter]]
        marks, data, end = branch_block(branch, x, heights[key] - 46, node_width)
        sheet.marks += marks
        sheet.data += data
        ends.append(end)
    sheet.marks += _edges(x_of, node_width, gap, heights, y_of)
    pitch = mark_pitch(content, columns.words - x_of[3] - SIGN_WIDTH)
    is_prior = content.stats[0].is_dotted
    for leaf, y in zip(content.leaves, y_of):
        marks, data, _ = leaf_block(
            leaf, x_of[3], y, columns=columns, pitch=pitch, is_grey=is_prior
        )
        sheet.marks += marks
        sheet.data += data
    total_top = top + _HEAD + 6 * _ROW + 4
    marks, end = ledger_total(content, x_of[3], total_top, right, columns)
    sheet.marks += marks
    sheet.y = max(end, *ends)


def _legend(left: float, right: float, bottom: float) -> list[Mark]:
    """What a mark is, on lines that end at `bottom`."""
    runs = [Run(text=_LEGEND, role="ink-2", size=SIZES["xs"])]
    marks, height = paragraph(runs, left, 0, right - left, line_height=14)
    top = bottom - height
    return [replace(mark, y=mark.y + top) for mark in marks if isinstance(mark, Text)]


def _edges(
    x_of: Sequence[float],
    node_width: float,
    gap: float,
    heights: dict[str, float],
    y_of: Sequence[float],
) -> list[Mark]:
    def leave(column: int) -> float:
        return x_of[column] + node_width + 4

    def reach(column: int) -> float:
        return x_of[column] - 4

    bend = gap - 8
    root, hit, miss = (
        heights[key] for key in ("retrieval_success", "abstain_given_hit", "abstain_given_miss")
    )
    hit_task, miss_task = heights["correct_given_hit"], heights["correct_given_miss"]
    links = (
        (0, root, 1, hit),
        (0, root, 1, miss),
        (1, hit, 2, hit_task),
        (1, miss, 2, miss_task),
        (1, hit, 3, y_of[2]),
        (1, miss, 3, y_of[5]),
        (2, hit_task, 3, y_of[0]),
        (2, hit_task, 3, y_of[1]),
        (2, miss_task, 3, y_of[3]),
        (2, miss_task, 3, y_of[4]),
    )
    return [edge(leave(a), y1, reach(b), y2, bend) for a, y1, b, y2 in links]


_OUTLINE: Final = (
    (0, "retrieval_success"),
    (1, "abstain_given_hit"),
    (2, "correct_given_hit"),
    (3, "hit_right"),
    (3, "hit_wrong"),
    (2, "hit_abstained"),
    (1, "abstain_given_miss"),
    (2, "correct_given_miss"),
    (3, "miss_right"),
    (3, "miss_wrong"),
    (2, "miss_abstained"),
)


def _outline(sheet: Sheet, content: TreeContent) -> None:
    """One below the other, indented by level, with rails at the left."""
    left = sheet.pad
    right = left + min(sheet.inner, 560.0)
    has_rows = sheet.inner >= 560
    columns = ledger_columns(content, right, step=52, has_rows=has_rows)
    leaves = {leaf.world: leaf for leaf in content.leaves}
    deepest = left + 3 * _INDENT + SIGN_WIDTH
    pitch = mark_pitch(content, (columns.words if has_rows else right) - deepest)
    is_prior = content.stats[0].is_dotted
    sheet.y += 20
    spans: dict[int, list[float]] = {}
    for level, key in _OUTLINE:
        x = left + _INDENT * level
        if key in leaves:
            marks, data, end = leaf_block(
                leaves[key],
                x,
                sheet.y + 5,
                columns=columns,
                pitch=pitch,
                is_grey=is_prior,
                is_stacked=True,
            )
        else:
            marks, data, end = branch_block(
                content.branches[key], x, sheet.y + 6, min(250.0, right - x - 110)
            )
            end += 4
        start = sheet.y
        sheet.marks += marks
        sheet.data += data
        sheet.y = end
        if level == 0:
            legend_right = (columns.rows - 34) if has_rows else columns.task - 52
            legend = _legend(left, legend_right, 0)
            sheet.y += 20 + 14 * max(2, len(legend))
            sheet.marks += ledger_head(content, columns, sheet.y)
            sheet.marks += _legend(left, legend_right, sheet.y + 1)
            sheet.y += 6
        for rail in range(level):
            _extend(spans, rail, start, end)
        for rail in list(spans):
            if rail >= level:
                sheet.marks.append(_rail(left, rail, spans.pop(rail)))
    sheet.marks += [_rail(left, rail, span) for rail, span in spans.items()]
    marks, sheet.y = ledger_total(content, left, sheet.y + 8, right, columns)
    sheet.marks += marks


def _extend(spans: dict[int, list[float]], rail: int, start: float, end: float) -> None:
    spans.setdefault(rail, [start + 6, end])[1] = end


def _rail(left: float, rail: int, span: Sequence[float]) -> Line:
    x = left + _INDENT * rail + 1
    return Line(x1=x, y1=span[0], x2=x, y2=span[1] - 6, role="rule-2", width=1.5)


def _footer(sheet: Sheet, content: TreeContent) -> None:
    sheet.rule(22)
    run = Run(text=content.rows, role="ink-2", size=SIZES["s"])
    marks, sheet.y = paragraph(
        [run], sheet.pad, sheet.y + 12, min(sheet.inner, 1000), line_height=18
    )
    sheet.marks += marks
    sheet.y += sheet.pad - 4
