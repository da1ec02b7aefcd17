"""The tree in columns: R, A and T side by side, a band for each level of retrieval."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rat_widgets.figures.flow import named_lines
from rat_widgets.figures.metrics import cut
from rat_widgets.figures.scene import Mark, Path, Run, Text
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tree_blocks import branch_block, branch_rise, edge
from rat_widgets.figures.tree_content import TreeContent
from rat_widgets.figures.tree_ledger import (
    SIGN_WIDTH,
    leaf_block,
    ledger_columns,
    ledger_head,
    ledger_total,
    mark_pitch,
)
from rat_widgets.figures.tree_sheet import Sheet, legend

__all__ = ["draw_columns"]

_ROW: Final = 66.0
_HEAD: Final = 40.0
_BAND_GAP: Final = 16.0
"""More space between the bands of graded retrieval, px."""
_TRUNK: Final = 18.0
"""What the trunk takes of the column of R, px, where each level has a block of its own."""


def _column_heads(sheet: Sheet, xs: Sequence[float], top: float) -> None:
    heads = (("R", "Retrieval", "r"), ("A", "Abstention", "a"), ("T", "Task", "t"))
    for x, (letter, word, hue) in zip(xs, heads):
        runs = (
            Run(text=letter, role=hue, weight=600, size=SIZES["xs"]),
            Run(text=f" {word}", role="ink-2", size=SIZES["xs"]),
        )
        sheet.marks.append(Text(x=x, y=top, runs=runs))


def draw_columns(sheet: Sheet, content: TreeContent) -> None:
    """R, A and T side by side, the worlds in a ledger at the right."""
    left, inner = sheet.pad, sheet.inner
    gap = min(84.0, max(26.0, 0.042 * inner))
    node_width = min(250.0, max(128.0, (inner - 458 - 3 * gap) / 3))
    x_of = [left + i * (node_width + gap) for i in range(4)]
    right = left + inner
    columns = ledger_columns(content, right, step=64, has_rows=True)
    top = sheet.y + 24
    y_of = _leaf_heights(content, top + _HEAD, columns.words - x_of[3] - SIGN_WIDTH)
    heights = _heights(content, y_of)
    _column_heads(sheet, x_of[:3], top + 22)
    sheet.marks += ledger_head(content, columns, top + 26)
    sheet.marks += legend(x_of[3] + SIGN_WIDTH, columns.words, top + 27)
    indent = _TRUNK if content.keys.is_graded else 0.0
    place = {"R": 0, "A": 1, "T": 2}
    ends = []
    for key, branch in content.branches.items():
        in_trunk = indent if branch.letter == "R" else 0.0
        x, width = x_of[place[branch.letter]] + in_trunk, node_width - in_trunk
        # Above the axis a block of R may reach into the gap, whose line is as high as the axis.
        room = width + (gap - 8 if in_trunk else 0.0)
        is_level = content.keys.is_graded and branch.letter != "T"
        rise = branch_rise(branch, room) if is_level else 0.0
        y = heights[key] - 46 - rise
        marks, data, end = branch_block(branch, x, y, width, title_width=room, question_width=room)
        sheet.marks += marks
        sheet.data += data
        ends.append(end)
    if content.keys.is_graded:
        reached = [heights[band.retrieval] for band in content.keys.bands]
        sheet.marks += _root(content, left, top + _HEAD + 8, x_of[3] - 16)
        sheet.marks += _trunk(left + 3, top + _HEAD + 17, left + indent - 4, reached)
    sides = [(x - 4, x + node_width + 4) for x in x_of]
    sheet.marks += _edges(content, sides, gap - 8, heights=heights, y_of=y_of)
    pitch = mark_pitch(content, columns.words - x_of[3] - SIGN_WIDTH)
    is_prior = content.stats[0].is_dotted
    for leaf, y in zip(content.leaves, y_of):
        marks, data, _ = leaf_block(
            leaf, x_of[3], y, columns=columns, pitch=pitch, is_grey=is_prior
        )
        sheet.marks += marks
        sheet.data += data
    total_top = y_of[-1] + (y_of[-1] - y_of[-2]) / 2 + 4
    marks, end = ledger_total(content, x_of[3], total_top, right, columns)
    sheet.marks += marks
    sheet.y = max(end, *ends)


def _leaf_heights(content: TreeContent, top: float, width: float) -> list[float]:
    """Where the leaves stand; bands of graded retrieval a little apart, and high enough."""
    n = len(content.leaves)
    if not content.keys.is_graded:
        return [top + _ROW * (i + 0.5) for i in range(n)]
    n_lines = max(len(named_lines(Run(text=leaf.words), width)) for leaf in content.leaves)
    row = max(_ROW, 30 + 18 * n_lines)
    return [top + row * (i + 0.5) + _BAND_GAP * (i // 3) for i in range(n)]


def _heights(content: TreeContent, y_of: Sequence[float]) -> dict[str, float]:
    """Where each branch stands: A beside its band, T beside its answers."""
    keys = content.keys
    heights: dict[str, float] = {}
    for i, band in enumerate(keys.bands):
        right, wrong, _ = y_of[3 * i : 3 * i + 3]
        heights[band.abstain] = wrong
        heights[band.correct] = (right + wrong) / 2
        heights[band.retrieval] = wrong if keys.is_graded else (y_of[2] + y_of[3]) / 2
    return heights


def _root(content: TreeContent, x: float, y: float, right: float) -> list[Mark]:
    """All queries, and how many of them show R."""
    head = Run(text="All 100 queries", weight=600)
    size, x_seen = SIZES["xs"], x + head.width + 10
    shown = cut(content.root, right - x_seen, size)
    seen = Run(text=shown, role="ink-3", size=size)
    hover = content.root if shown != content.root else ""
    return [Text(x=x, y=y, runs=(head,)), Text(x=x_seen, y=y, runs=(seen,), hover=hover)]


def _trunk(x_line: float, top: float, reach: float, heights: Sequence[float]) -> list[Mark]:
    """From the root a line to the block of each level."""
    marks: list[Mark] = []
    bend = 8.0
    for y in heights:
        start = top if y == max(heights) else y - bend
        steps = (
            ("M", (x_line, start)),
            ("L", (x_line, y - bend)),
            ("C", (x_line, y - 0.45 * bend, x_line + 0.45 * bend, y, x_line + bend, y)),
            ("L", (reach, y)),
        )
        marks.append(Path(steps=steps, role="rule-2"))
    return marks


def _edges(
    content: TreeContent,
    sides: Sequence[tuple[float, float]],
    bend: float,
    *,
    heights: Mapping[str, float],
    y_of: Sequence[float],
) -> list[Mark]:
    """From step to step and to the leaves; `sides` are where a column is reached and left."""
    bands = content.keys.bands
    places = dict(zip((leaf.world for leaf in content.leaves), y_of))
    links = [(0, heights[band.retrieval], 1, heights[band.abstain]) for band in bands]
    links += [(1, heights[band.abstain], 2, heights[band.correct]) for band in bands]
    links += [(1, heights[band.abstain], 3, places[band.abstained]) for band in bands]
    links += [
        (2, heights[band.correct], 3, places[world])
        for band in bands
        for world in (band.right, band.wrong)
    ]
    return [edge(sides[a][1], y1, sides[b][0], y2, bend) for a, y1, b, y2 in links]
