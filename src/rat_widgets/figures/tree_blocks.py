"""The parts of a tree's picture, each placed where it is told: geometry in px and nothing else.

Every function returns marks (and data) for one block; `rat_widgets.figures.tree_layout` arranges
the blocks in columns or as an outline.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from rat_widgets.figures.flow import wrap
from rat_widgets.figures.metrics import text_width
from rat_widgets.figures.scene import (
    Anchor,
    Circle,
    Datum,
    DatumKind,
    Line,
    Mark,
    Path,
    QueryMarks,
    Rect,
    Run,
    Text,
)
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tree_content import (
    BranchContent,
    LeafContent,
    StatContent,
    TreeContent,
    node_labels_text,
    parts_of,
    weight_text,
)
from rat_widgets.views.tree import Estimate

__all__ = [
    "SIGN_WIDTH",
    "LedgerColumns",
    "branch_block",
    "edge",
    "leaf_block",
    "ledger_columns",
    "ledger_head",
    "ledger_total",
    "mark_pitch",
    "paragraph",
    "span_of",
    "stat_block",
]

XS, S, M, L, XL, XXL = (SIZES[name] for name in ("xs", "s", "m", "l", "xl", "2xl"))

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


def paragraph(
    runs: Iterable[Run],
    x: float,
    top: float,
    width: float,
    *,
    line_height: float,
    together: frozenset[str] = frozenset(),
) -> tuple[list[Mark], float]:
    """Lines of text from `top` down, and where the paragraph ends."""
    marks: list[Mark] = []
    y = top
    for line in wrap(runs, width, together=together):
        size = max(run.size for run in line)
        marks.append(Text(x=x, y=y + line_height / 2 + 0.35 * size, runs=line))
        y += line_height
    return marks, y


def _datum(
    kind: DatumKind, key: str, place: tuple[float, float], estimate: Estimate, hover: str
) -> Datum:
    return Datum(
        kind=kind,
        key=key,
        x=place[0],
        y=place[1],
        value=estimate.value,
        lower=estimate.lower,
        upper=estimate.upper,
        text=estimate.text,
        hover=hover,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Axis:
    """A horizontal axis from `left` to `right` px that stands for the numbers of `scale`."""

    left: float
    right: float
    y: float
    scale: tuple[float, float] = (0.0, 1.0)

    def at(self, value: float) -> float:
        """Where a number stands, px."""
        low, high = self.scale
        share = (value - low) / (high - low) if high > low else 0.5
        return self.left + min(1.0, max(0.0, share)) * (self.right - self.left)

    @property
    def middle(self) -> float:
        return (self.left + self.right) / 2

    def marks(self) -> list[Mark]:
        """A hairline with ticks at its ends and in the middle."""
        line = Line(x1=self.left, y1=self.y, x2=self.right, y2=self.y, role="rule-2")
        ticks = (self.left, self.middle, self.right)
        return [line, *(Line(x1=x, y1=self.y, x2=x, y2=self.y + 4, role="rule-2") for x in ticks)]


def _interval(
    estimate: Estimate, axis: _Axis, y: float, role: str, *, is_dotted: bool
) -> list[Mark]:
    """The bar of the credible interval; nothing when the estimate is undefined."""
    if estimate.lower is None or estimate.upper is None:
        return []
    left, right = axis.at(estimate.lower), axis.at(estimate.upper)
    bar = Line(
        x1=left, y1=y, x2=right, y2=y, role=role, width=2, is_round=True, is_dotted=is_dotted
    )
    return [bar]


def stat_block(
    stat: StatContent, x: float, top: float, width: float
) -> tuple[list[Mark], list[Datum], float]:
    """Name and symbol, the big number with its interval, an axis with bar and point."""
    role = "ink-3" if stat.is_grey else stat.hue
    label = Run(text=stat.label, role="ink-2", size=S)
    symbol = Run(text=stat.symbol, role="ink-3", size=S)
    marks: list[Mark] = [Text(x=x, y=top + 13, runs=(label,))]
    if label.width + 8 + symbol.width <= width:
        marks.append(Text(x=x + width, y=top + 13, anchor="end", runs=(symbol,)))
    words, interval_words = parts_of(stat.estimate)
    number = Run(text=words, role=role, weight=600, size=XXL)
    interval = Run(text=f"\N{EN SPACE}{interval_words}", role="ink-2", size=S)
    y_axis = top + 72
    if number.width + interval.width <= width:
        marks.append(Text(x=x, y=top + 47, runs=(number, interval)))
    else:
        below = replace(interval, text=interval_words)
        marks.append(Text(x=x, y=top + 47, runs=(number,)))
        marks.append(Text(x=x, y=top + 64, runs=(below,)))
        y_axis += 17
    axis = _Axis(left=x + 4, right=x + width - 4, y=y_axis, scale=stat.scale)
    marks += axis.marks()
    low, high = stat.scale
    ends = ("0", "50", "100%") if stat.is_rate else (weight_text(low), "", weight_text(high))
    places: tuple[tuple[float, Anchor], ...] = (
        (axis.left, "start"),
        (axis.middle, "middle"),
        (axis.right, "end"),
    )
    for text, (at, anchor) in zip(ends, places):
        if text:
            runs = (Run(text=text, role="ink-3", size=11),)
            marks.append(Text(x=at, y=y_axis + 17, anchor=anchor, runs=runs))
    bar_role = "prior" if stat.is_grey else stat.hue
    y_bar = y_axis - 9
    marks += _interval(stat.estimate, axis, y_bar, bar_role, is_dotted=stat.is_dotted)
    x_point = axis.middle
    if stat.estimate.value is not None:
        x_point = axis.at(stat.estimate.value)
        if stat.hue == "t":
            marks.append(Rect(x=x_point - 3.2, y=y_bar - 3.2, width=6.4, height=6.4, fill=bar_role))
        else:
            marks.append(Circle(x=x_point, y=y_bar, r=3.7, fill=bar_role))
    hover = f"{stat.label}: {stat.estimate.text}"
    datum = _datum("statistics", stat.key, (x_point, y_bar), stat.estimate, hover)
    return marks, [datum], y_axis + 20


def branch_block(
    branch: BranchContent, x: float, top: float, width: float
) -> tuple[list[Mark], list[Datum], float]:
    """One step: title, question, axis with bar and ring, estimate, how many labels."""
    role = "ink-3" if branch.is_grey else "ink"
    number, interval = parts_of(branch.estimate)
    question, y = paragraph(
        (
            Run(text=branch.question, role="ink-2"),
            Run(text=branch.answer, role=role, weight=600),
        ),
        x,
        top + 19,
        width,
        line_height=19,
    )
    marks: list[Mark] = [
        Text(x=x, y=top + 14, runs=(Run(text=branch.title, weight=600),)),
        *question,
    ]
    y_axis = y + 13
    axis = _Axis(left=x + 6, right=x + min(width, 250) - 12, y=y_axis)
    hue = "prior" if branch.is_grey else branch.hue
    marks += axis.marks()
    marks += _interval(branch.estimate, axis, y_axis, hue, is_dotted=branch.is_dotted)
    x_ring = axis.middle
    if branch.estimate.value is not None:
        x_ring = axis.at(branch.estimate.value)
        marks.append(Circle(x=x_ring, y=y_axis, r=4.6, fill="bg", stroke=hue, width=1.6))
    marks.append(
        Text(
            x=x,
            y=y_axis + 21,
            runs=(
                Run(text=number, role=role, weight=600),
                Run(text=f"\N{EN SPACE}{interval}" if interval else "", role="ink-2", size=S),
            ),
        )
    )
    seen = node_labels_text(branch.letter, branch.labels)
    labels, end = paragraph(
        [Run(text=seen, role="ink-3", size=XS)], x, y_axis + 27, width, line_height=15
    )
    marks += labels
    hover = f"{branch.phrase}: {branch.estimate.text}; {seen}"
    datum = _datum("branches", branch.key, (x_ring, y_axis), branch.estimate, hover)
    return marks, [datum], end


def edge(x1: float, y1: float, x2: float, y2: float, bend: float) -> Path:
    """From a node to the next: one bend within `bend` px, then straight on to `x2`."""
    curve = (x1 + 0.55 * bend, y1, x1 + 0.45 * bend, y2, x1 + bend, y2)
    steps = [("M", (x1, y1)), ("C", curve)]
    if x2 > x1 + bend:
        steps.append(("L", (x2, y2)))
    return Path(steps=tuple(steps), role="rule-2")


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


def span_of(content: TreeContent) -> float:
    """How many marks the longest strip may hold: the scale that all leaves share."""
    uppers = [leaf.estimate.upper for leaf in content.leaves]
    return 100 * max((upper for upper in uppers if upper is not None), default=0.0) + 1


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
    words = wrap([Run(text=leaf.words)], columns.words - x - SIGN_WIDTH, last_words=1)
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
    datum = _datum("worlds", leaf.world, (x + 8.5, y_sign), leaf.estimate, hover)
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
