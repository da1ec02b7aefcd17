"""A judge's rates and kappa over windows of time, with marks where rates change."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from rat_widgets.figures.axes import Field, Scale, polyline, round_ticks, short, small
from rat_widgets.figures.flow import one_line
from rat_widgets.figures.metrics import cut, text_width
from rat_widgets.figures.scene import Circle, Datum, Line, Mark, Run, Text
from rat_widgets.figures.theme import SIZES
from rat_widgets.figures.tree_sheet import Sheet
from rat_widgets.views import wording
from rat_widgets.views.drift import DriftChange, DriftView, DriftWindow
from rat_widgets.views.tree import Estimate

__all__ = ["windows_block"]

_LEFT: Final = 42.0
_RIGHT: Final = 78.0
_HEIGHTS: Final = {"rates": 190.0, "kappa": 130.0}
_RATES: Final = (0.0, 0.25, 0.5, 0.75, 1.0)
_ROLES: Final = {"all": "ink", "fail": "bad", "pass": "good"}
_NAMES: Final = {"all": "verdicts", "fail": "people fail", "pass": "people pass"}
_LABEL: Final = 250.0
_SHORT: Final = 200.0
_MOST_ROWS: Final = 4
_ROW: Final = 16.0


def windows_block(sheet: Sheet, view: DriftView, room: float) -> None:
    """The panels one under the other, from the sheet's `y` down."""
    n, left = len(view.windows), sheet.pad
    is_labelled = "all" not in view.windows[0].rates
    x = Scale(0.0, n, left + _LEFT, left + room - (_RIGHT if is_labelled else 8), ())
    title = "Share that the judge passes" + (", of answers that" if is_labelled else "")
    heading = Run(text=title, weight=600, size=SIZES["s"])
    sheet.marks.append(Text(x=left, y=sheet.y + 14, runs=(heading,)))
    flags, top = _flags(view, x, sheet.y + 26)
    y = Scale(0.0, 1.0, top + _HEIGHTS["rates"], top + 8, _RATES)
    sheet.marks += Field(x, y).rows([wording.pin_percent(tick) for tick in _RATES])
    _rates(sheet, view, Field(x, y))
    bottom = y.start
    if any(w.kappa is not None for w in view.windows):
        heading = Run(text="Kappa", weight=600, size=SIZES["s"])
        sheet.marks.append(Text(x=left, y=bottom + 32, runs=(heading,)))
        y = _kappa_scale(view.windows, bottom + 44 + _HEIGHTS["kappa"], bottom + 48)
        sheet.marks += Field(x, y).rows([short(tick) for tick in y.ticks])
        series = [(i, w.kappa) for i, w in enumerate(view.windows) if w.kappa is not None]
        _series(sheet, view, Field(x, y), ("kappa", "kappa", "ink"), series)
        bottom = y.start
    for flag in flags:
        role = "whatif" if flag.is_change else "ink-3"
        line = Line(x1=flag.x, y1=flag.top, x2=flag.x, y2=bottom, role=role, is_dashed=True)
        sheet.marks += [line, flag.text] if flag.text else [line]
    sheet.marks += _starts(view.windows, x, bottom)
    sheet.y = bottom + 48


def _kappa_scale(windows: Sequence[DriftWindow], start: float, end: float) -> Scale:
    lowest = min((w.kappa.lower or 0.0 for w in windows if w.kappa), default=0.0)
    low = -1.0 if lowest < -0.5 else -0.5 if lowest < 0 else 0.0
    return Scale(low, 1.0, start, end, round_ticks(low, 1.0, 3 if low < 0 else 2))


def _rates(sheet: Sheet, view: DriftView, field: Field) -> None:
    """Every rate with its steps between changes, and its name at the end."""
    kinds = list(dict.fromkeys(kind for w in view.windows for kind in w.rates))
    ends: list[tuple[float, str]] = []
    for kind in kinds:
        series = [(i, w.rates[kind]) for i, w in enumerate(view.windows) if kind in w.rates]
        _steps(sheet, view.changes, len(view.windows), kind, field)
        of = "" if kind == "all" else f" of answers that {_NAMES[kind]}"
        _series(sheet, view, field, (kind, f"passes{of}", _ROLES[kind]), series)
        ends.append((field.y(series[-1][1].value or 0.0), kind))
    if kinds == ["all"]:
        return
    last = -1000.0
    for y, kind in sorted(ends):
        last = max(y, last + 15)
        run = small(_NAMES[kind], _ROLES[kind])
        sheet.marks.append(Text(x=field.x.end + 8, y=last + 4, runs=(run,)))


def _steps(sheet: Sheet, changes: Sequence[DriftChange], n: int, kind: str, field: Field) -> None:
    """The rate of each stretch between changes, as a level line."""
    bounds = [0, *(change.window for change in changes), n]
    for i, change in enumerate(changes):
        stretches = [(bounds[i], bounds[i + 1], change.before)] if i == 0 else []
        stretches.append((bounds[i + 1], bounds[i + 2], change.after))
        for first, last, rates in stretches:
            if kind in rates:
                y = field.y(rates[kind])
                sheet.marks.append(
                    Line(x1=field.x(first) + 1, y1=y, x2=field.x(last) - 1, y2=y,
                         role=_ROLES[kind], width=2)
                )  # fmt: skip


def _series(
    sheet: Sheet,
    view: DriftView,
    field: Field,
    naming: tuple[str, str, str],
    series: Sequence[tuple[int, Estimate]],
) -> None:
    """Dots with intervals, joined by a thin line."""
    key, name, role = naming
    spacing = field.x(1) - field.x(0)
    radius = 3.6 if spacing > 14 else 2.0
    at = [field.at(i + 0.5, e.value or 0.0) for i, e in series]
    if len(at) > 1 and not (view.changes and key in _ROLES):
        sheet.marks.append(polyline(at, "rule-2", 1.25))
    for (i, e), (px, py) in zip(series, at, strict=True):
        low, high = field.y(e.lower or 0.0), field.y(e.upper or 0.0)
        window = view.windows[i]
        sheet.marks += [
            Line(x1=px, y1=low, x2=px, y2=high, role=role, width=1.25),
            Circle(x=px, y=py, r=radius, fill=role),
        ]
        sheet.data.append(
            Datum(
                kind="drift",
                key=f"{key} {i}",
                x=px,
                y=py,
                value=e.value,
                lower=e.lower,
                upper=e.upper,
                text=e.text,
                hover=f"{window.start} to {window.end}: {name} {e.text}; "
                f"{wording.count(window.n)} verdicts",
            )
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Flag:
    """A mark in time: its place, what is said over it, and where its line begins."""

    x: float
    top: float
    is_change: bool
    text: Text | None


def _boundaries(view: DriftView, room: float) -> list[tuple[int, bool, str]]:
    """Windows that begin with a change or hold a new version, and what is said there.

    A change that begins with a window may have come late in the one before, so that versions of
    both are named.
    """
    changes = {change.window: change for change in view.changes}
    new = {i: list(window.arrivals) for i, window in enumerate(view.windows) if i}
    near = {i: new.pop(i - 1, []) + new.pop(i, []) for i in sorted(changes)}
    flags = []
    for i in sorted({*changes, *(i for i, names in new.items() if names)}):
        names = ", ".join(map(one_line, near.get(i, new.get(i, []))))
        named = f"the first of {cut(names, 0.5 * room, SIZES['xs'])}"
        if i not in changes:
            flags.append((i, False, named))
            continue
        text = f"near {named}" if names else f"since {one_line(changes[i].since)}"
        flags.append((i, True, text if room < _SHORT else f"change {text}"))
    return flags


def _flags(view: DriftView, x: Scale, top: float) -> tuple[list[_Flag], float]:
    """The marks, their words on as many lines as it takes, and where the lines end.

    Words stand right of their mark, and on the same line or a lower one than those before;
    near the end they stand left of it, above the others and those before.
    """
    size, most = SIZES["xs"], min(_LABEL, 0.5 * (x.end - x.start))
    ends: dict[bool, list[float]] = {False: [], True: []}
    placed: list[tuple[float, bool, bool, int, Text | None]] = []
    for window, is_change, text in _boundaries(view, most):
        px = x(window)
        shown = cut(text, most, size)
        width = text_width(shown, size)
        is_left = px + width > x.end + 8
        start = px - width if is_left else px
        taken = ends[is_left]
        row = next((r for r, end in enumerate(taken) if end + 10 < start), len(taken))
        words = None
        if row < _MOST_ROWS:
            taken[row : row + 1] = [start + width]
            run = Run(text=shown, role="whatif" if is_change else "ink-2", size=size)
            hover = text if shown != text else ""
            words = Text(x=start, y=0.0, runs=(run,), hover=hover)
        placed.append((px, is_change, is_left, row, words))
    n_left = len(ends[True])
    n_rows = n_left + len(ends[False])
    flags = []
    for px, is_change, is_left, row, words in placed:
        y = top + 10 + _ROW * (n_left - 1 - row if is_left else n_left + row)
        flags.append(
            _Flag(
                x=px,
                top=y + 4 if words else top + _ROW * n_rows,
                is_change=is_change,
                text=replace(words, y=y) if words else None,
            )
        )
    return flags, top + _ROW * n_rows + (4 if n_rows else -8)


def _starts(windows: Sequence[DriftWindow], x: Scale, y: float) -> list[Mark]:
    """First times of windows where they fit, and what they are."""
    size, last = SIZES["xs"], -1000.0
    marks: list[Mark] = []
    for i, window in enumerate(windows):
        text = cut(one_line(window.start), 110, size)
        width = text_width(text, size)
        if x(i) > last + 14 and x(i) + width < x.end + 20:
            marks.append(Text(x=x(i), y=y + 17, runs=(small(text),)))
            marks.append(Line(x1=x(i), y1=y, x2=x(i), y2=y + 4, role="rule-2"))
            last = x(i) + width
    caption = "windows of about as many verdicts, by first time"
    if text_width(caption, size) > x.end - x.start + 20:
        caption = "windows, by first time"
    run = small(caption, "ink-2")
    marks.append(Text(x=x.start, y=y + 33, runs=(run,)))
    return marks
