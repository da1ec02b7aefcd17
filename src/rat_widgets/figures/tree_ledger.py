"""The worlds of a tree's picture: signs, strips of query marks, the ledger of counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rat_widgets.figures.flow import named_lines
from rat_widgets.figures.metrics import text_width
from rat_widgets.figures.scene import Circle, Datum, Line, Mark, Path, QueryMarks, Rect, Run, Text
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tree_blocks import datum_at
from rat_widgets.figures.tree_content import LeafContent, TreeContent, parts_of
from rat_widgets.views.tree import Estimate

__all__ = [
    "SIGN_WIDTH",
    "LedgerColumns",
    "leaf_block",
    "ledger_columns",
    "ledger_head",
    "ledger_total",
    "mark_pitch",
]

XS, S, M, L, XL = (SIZES[name] for name in ("xs", "s", "m", "l", "xl"))

SIGN_WIDTH: Final = 28.0
"""From the left edge of a leaf to its words, px."""

_GAP_AFTER_TEN: Final = 0.6
_VERDICT_ROLE: Final = {"good": "good", "bad": "bad", "partly": "ink-2"}


@dataclass(frozen=True, kw_only=True, slots=True)
class LedgerColumns:
    """Right edges of the ledger's columns and of the words, px; no rows seen where `rows` is 0."""

    words: float
    rows: float
    task: float
    policy: float


def ledger_columns(
    content: TreeContent, right: float, *, step: float, has_rows: bool
) -> LedgerColumns:
    """Columns that end at `right`; `step` px lie between the two of the ledger."""
    if content.is_utility:
        step = max(step, 100.0)
    step = max(step, text_width(content.policy_head.rpartition(" ")[0], XS, 600) + 8)
    task = right - 6 - step
    if not has_rows:
        return LedgerColumns(words=task - 28, rows=0, task=task, policy=right - 6)
    rows = task - 50
    widest = max(text_width(leaf.rows, XS) for leaf in content.leaves)
    words = rows - max(widest, text_width("rows", XS)) - 8
    return LedgerColumns(words=words, rows=rows, task=task, policy=right - 6)


def _sign(leaf: LeafContent, x: float, y: float) -> list[Mark]:
    """Tick in a disc, cross in an open square, or a ring for neither; 17 px around (x, y)."""
    role = _VERDICT_ROLE[leaf.verdict]
    if leaf.verdict == "good":
        tick = (("M", (x - 3.7, y + 0.3)), ("L", (x - 1.1, y + 2.9)), ("L", (x + 3.8, y - 2.5)))
        return [Circle(x=x, y=y, r=8, fill=role), Path(steps=tick, role="bg", width=1.9)]
    if leaf.verdict == "bad":
        cross = (
            ("M", (x - 3.1, y - 3.1)),
            ("L", (x + 3.1, y + 3.1)),
            ("M", (x + 3.1, y - 3.1)),
            ("L", (x - 3.1, y + 3.1)),
        )
        frame = Rect(
            x=x - 7.5, y=y - 7.5, width=15, height=15, radius=3, stroke=role, stroke_width=1.75
        )
        return [frame, Path(steps=cross, role=role, width=1.75)]
    return [Circle(x=x, y=y, r=7.2, fill="bg", stroke=role, width=1.75)]


def _strip_text(leaf: LeafContent) -> tuple[Run, ...]:
    """What is written at the end of the strip: the interval."""
    interval = parts_of(leaf.estimate)[1] or leaf.estimate.text
    return (Run(text=interval, role="ink-2", size=XS),)


def mark_pitch(content: TreeContent, width: float) -> float:
    """Distance from mark to mark so that every strip and the text at its end fit in `width`."""
    pitch = 9.0
    for leaf in content.leaves:
        room = width - 12 - sum(run.width for run in _strip_text(leaf))
        n = 100 * (leaf.estimate.upper or 0.0) + 1
        pitch = min(pitch, room / (n * (1 + _GAP_AFTER_TEN / 10) + 0.5))
    return max(1.6, pitch)


def _opacities(estimate: Estimate) -> tuple[float, ...]:
    """One per mark: solid up to the lower end, half at the mean, gone at the upper end."""
    if estimate.value is None or estimate.lower is None or estimate.upper is None:
        return ()
    value, lower, upper = estimate.value, estimate.lower, estimate.upper
    shades: list[float] = []
    for mark in range(100):
        at = (mark + 0.5) / 100
        if at <= lower:
            chance = 1.0
        elif at <= value:
            chance = 1 - 0.5 * (at - lower) / (value - lower)
        elif at < upper:
            chance = 0.5 * (upper - at) / (upper - value)
        else:
            break
        if chance < 0.04:
            break
        shades.append(1.0 if chance > 0.97 else round(0.14 + 0.76 * chance, 2))
    return tuple(shades)


def _strip(leaf: LeafContent, x: float, y: float, pitch: float, *, is_grey: bool) -> list[Mark]:
    r = 0.36 * pitch
    shades = _opacities(leaf.estimate)
    xs = tuple(
        round(x + 1 + r + i * pitch + (i // 10) * _GAP_AFTER_TEN * pitch, 2)
        for i in range(len(shades))
    )
    hover = f"{leaf.words}: {leaf.estimate.text}"
    marks: list[Mark] = []
    if xs:
        marks.append(
            QueryMarks(
                key=leaf.world,
                xs=xs,
                y=y,
                r=r,
                form="cross" if leaf.verdict == "bad" else "dot",
                role="prior" if is_grey else _VERDICT_ROLE[leaf.verdict],
                stroke=min(1.7, max(0.9, 0.27 * pitch)),
                opacities=shades,
                hover=hover,
            )
        )
    end = xs[-1] + r + 8 if xs else x
    marks.append(Text(x=end, y=y + 4, runs=_strip_text(leaf)))
    return marks


def leaf_block(
    leaf: LeafContent,
    x: float,
    y: float,
    *,
    columns: LedgerColumns,
    pitch: float,
    is_grey: bool,
    is_stacked: bool = False,
) -> tuple[list[Mark], list[Datum], float]:
    """One world: sign, words, strip of marks with `pitch` px from mark to mark, ledger.

    The block is centred at the height `y`; a stacked one begins there, and its numbers stand
    beside the first line of the words, so that the strip may take the whole width.
    """
    words = named_lines(Run(text=leaf.words), columns.words - x - SIGN_WIDTH)
    first = y + 16 if is_stacked else y - 5 - 9 * (len(words) - 1)
    y_sign = first - 5 if is_stacked else y
    last = first + 18 * (len(words) - 1)
    marks = _sign(leaf, x + 8.5, y_sign)
    for i, line in enumerate(words):
        marks.append(Text(x=x + SIGN_WIDTH, y=first + 18 * i, runs=line))
    if columns.rows:
        rows = Run(text=leaf.rows, role="ink-3", size=XS)
        marks.append(Text(x=columns.rows, y=y_sign + 4, anchor="end", runs=(rows,)))
    for text, right, role in (
        (leaf.in_task, columns.task, "t"),
        (leaf.in_policy, columns.policy, _VERDICT_ROLE[leaf.verdict]),
    ):
        run = Run(text="\N{MIDDLE DOT}", role="rule-2", size=L)
        if text:
            size = L if text[0].isdigit() else M
            run = Run(text=text, role="ink-3" if is_grey else role, weight=600, size=size)
        marks.append(Text(x=right, y=y_sign + 6, anchor="end", runs=(run,)))
    marks += _strip(leaf, x + SIGN_WIDTH, last + 17, pitch, is_grey=is_grey)
    hover = f"{leaf.words}: {leaf.estimate.text}; {leaf.seen}"
    datum = datum_at("worlds", leaf.world, (x + 8.5, y_sign), leaf.estimate, hover)
    return marks, [datum], last + 32


def ledger_head(content: TreeContent, columns: LedgerColumns, bottom: float) -> list[Mark]:
    """The column heads, each on two lines that end at `bottom`."""
    marks: list[Mark] = []
    for head, right, role, weight in (
        ("rows seen", columns.rows, "ink-3", 400),
        (content.task_head, columns.task, "t", 600),
        (content.policy_head, columns.policy, "good", 600),
    ):
        if not right:
            continue
        before, _, last = head.rpartition(" ")
        for text, y in ((before, bottom - 18), (last, bottom - 4)):
            run = Run(text=text, role=role, weight=weight, size=XS)
            marks.append(Text(x=right, y=y, anchor="end", runs=(run,)))
    return marks


def ledger_total(
    content: TreeContent, x: float, top: float, right: float, columns: LedgerColumns
) -> tuple[list[Mark], float]:
    """The ruled line under the leaves, the totals and their intervals."""
    by_key = {stat.key: stat for stat in content.stats}
    marks: list[Mark] = [
        Line(x1=x, y1=top, x2=right, y2=top, role="ink", width=1.5),
        Text(x=x, y=top + 26, runs=(Run(text="Of 100 queries", role="ink-2", size=S),)),
    ]
    totals: Sequence[tuple[str, str, str]] = (
        ("task_success", content.task_total, "t"),
        ("policy_adherence", content.policy_total, "good"),
    )
    for (key, total, role), column in zip(totals, (columns.task, columns.policy)):
        stat = by_key[key]
        size = L if content.is_utility and key == "policy_adherence" else XL
        number = Run(text=total, role="ink-3" if stat.is_grey else role, weight=600, size=size)
        marks.append(Text(x=column, y=top + 26, anchor="end", runs=(number,)))
        interval = Run(text=parts_of(stat.estimate)[1], role="ink-2", size=XS)
        if interval.text:
            marks.append(Text(x=column, y=top + 44, anchor="end", runs=(interval,)))
    return marks, top + 52
