"""A study in words: plain text for a terminal and for readers of the picture's description."""

from __future__ import annotations

import textwrap
from typing import Final

from rat_widgets.figures.flow import one_line
from rat_widgets.views import sentences
from rat_widgets.views.study import StudyView

__all__ = ["study_text"]

_COLUMNS: Final = 80
_HEAD: Final = ("strategy", "budget", "width", "error", "coverage", "cost")


def _rows(view: StudyView, target: str) -> list[tuple[str, ...]]:
    return [
        (
            one_line(point.strategy),
            view.budget_text(point.budget),
            point.width.text,
            point.mae.text,
            point.coverage.text,
            point.cost.text,
        )
        for strategy in view.strategies
        for point in view.curve(strategy, target)
    ]


def study_text(view: StudyView) -> str:
    """The study as text: the finding, and a table per target."""
    lines = textwrap.wrap(sentences.plain(view.headline()), _COLUMNS)
    for key, label in view.targets.items():
        rows = [_HEAD, *_rows(view, key)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(_HEAD))]
        lines += ["", one_line(label)]
        lines += ["  ".join(c.ljust(w) for c, w in zip(r, widths, strict=True)) for r in rows]
    lines += ["", *textwrap.wrap(view.check, _COLUMNS)]
    return "\n".join(line.rstrip() for line in lines) + "\n"
