"""The report: tree, systems, judges, pictures and what was labelled, put together as one page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rat_widgets._markup import named
from rat_widgets.errors import ArgumentTypeError
from rat_widgets.figures.scenes import Pictured, has_picture, scene_of
from rat_widgets.figures.svg_backend import svg_text
from rat_widgets.present import judge_systems, standing
from rat_widgets.present import report as tables
from rat_widgets.report.files import write_text
from rat_widgets.report.page import Section, heading, page, rows_table, safe_section
from rat_widgets.report.pictures import picture_section

if TYPE_CHECKING:
    from rat_widgets.living_judges import LivingJudges
    from rat_widgets.living_tree import LivingTree
    from rat_widgets.views.tree import TreeControls

__all__ = ["LivingReport", "read_figures"]

_ACCEPTED: Final = (
    "What has a picture: results of rat.reliability, escalation_band, judge_drift, length_slope "
    "and study_allocation, and widgets of rat.tree, judges and allocate."
)


def read_figures(figures: Any) -> tuple[tuple[str, Pictured], ...]:
    """Headings and views of what is to be pictured, in the order that they were given in.

    Parameters
    ----------
    figures : sequence, mapping, or one thing that has a picture; None for no pictures
        Of a mapping the keys are headings.

    Raises
    ------
    ArgumentTypeError
        When one of them has no picture.
    """
    if figures is None:
        return ()
    if isinstance(figures, Mapping):
        return tuple(
            (_heading(key), _viewed(value, f"figures[{key!r:.60}]"))
            for key, value in figures.items()
        )
    view = _view_of(figures)
    if view is not None:
        return (("", view),)
    if isinstance(figures, (str, bytes)) or not isinstance(figures, Iterable):
        return (("", _viewed(figures, "`figures`")),)
    return tuple(("", _viewed(one, f"figures[{i}]")) for i, one in enumerate(figures))


def _heading(key: object) -> str:
    if isinstance(key, str):
        return named(key, most=200)
    raise ArgumentTypeError.build(
        f"A heading in `figures` is {key!r:.80}.",
        accepted="Text: figures={'Is its score a probability?': rat.reliability(...)}.",
    )


def _view_of(one: Any) -> Pictured | None:
    """The view of what has a picture, or that is one; None of anything else."""
    for view in (one, getattr(one, "view", None)):
        if has_picture(view):
            return view
    return None


def _viewed(one: Any, where: str) -> Pictured:
    view = _view_of(one)
    if view is not None:
        return view
    raise ArgumentTypeError.build(
        f"{where} is {_said(one)}, of which there is no picture to put into a page.",
        accepted=_ACCEPTED,
        hint=_hint(one),
    )


def _said(one: object) -> str:
    kind = type(one)
    if isinstance(one, (str, bytes, int, float)) or one is None:
        return f"{one!r:.60}"
    return f"of type {kind.__module__.partition('.')[0]}.{kind.__name__}"


def _hint(one: Any) -> str:
    if type(one).__module__.startswith("plotly."):
        return "give what it was made of: figures=[result], and not result.figure()."
    if callable(one):
        return f"call it: figures=[{getattr(one, '__name__', 'result')}(...)]."
    return "figures=[rat.reliability(score, human)]"


@dataclass(frozen=True, kw_only=True)
class LivingReport:
    """What a report is about.

    Attributes
    ----------
    tree : LivingTree
    judges : LivingJudges, optional
    figures : tuple of (heading, view)
    """

    tree: LivingTree
    judges: LivingJudges | None = None
    figures: tuple[tuple[str, Pictured], ...] = ()

    def write(self, controls: TreeControls, path: Path, *, include_rows: bool) -> Path:
        """Write the page that opens under these controls; rows are in it only when asked for."""
        view = self.tree.view_of(controls)
        title = "Evaluation report" if len(view.groups) > 1 else self.tree.title(controls)
        parts = [heading(title, view.generator), self.tree.section(controls)]
        parts.append(
            self._systems(controls) if len(view.groups) > 1 else self._quantities(controls)
        )
        if self.judges is not None:
            parts += self._judged(self.judges, controls.group)
        parts += [picture_section(name, partial(_drawn, one)) for name, one in self.figures]
        shown = self.tree.posterior(controls)
        if shown.labels is not None:
            parts.append(safe_section("Data report", shown.labels.check()._repr_html_()))
        parts.append(self._computed(controls))
        if include_rows:
            parts.append(self.tree.rows_section(controls))
        return write_text(path, page(title, parts))

    def _systems(self, controls: TreeControls) -> Section:
        """Every system in one table."""
        view = self.tree.view_of(controls)
        order = standing.standings(view, self.tree.posteriors)
        symbols = tables.overview_columns(view).values()
        return rows_table(
            "All systems",
            (" · ".join(view.by), "rows", *symbols, "diagnosis"),
            tables.overview(view, order),
            note=standing.standing_note(view, order),
            has_names=True,
        )

    def _quantities(self, controls: TreeControls) -> Section:
        what = ("quantity", "probability", "estimate", "meaning")
        return rows_table("Quantities", what, tables.quantities(self.tree.view_of(controls)))

    def _judged(self, judges: LivingJudges, group: int) -> list[Section]:
        """The widget, who has rates of their own, and a table of every rate and measure."""
        controls = judges.read_controls({"group": group})
        view = judges.view_of(controls)
        parts = [judges.section(controls)]
        own = judge_systems.judge_systems(view, judges.posteriors)
        if own:
            parts.append(
                rows_table(
                    "Rates by system",
                    (" · ".join(view.by), *judge_systems.COLUMNS),
                    own,
                    note=judge_systems.judge_systems_note(view),
                    has_names=True,
                    are_sentences=True,
                )
            )
        measures = rows_table(
            f"Judges{_of(view.group.label)}",
            ("what", "estimate", "of"),
            tables.judge_measures(view),
            note=tables.shown_note(view),
        )
        return [*parts, measures]

    def _computed(self, controls: TreeControls) -> Section:
        view = self.tree.view_of(controls)
        return rows_table(
            f"How the tree{_of(view.group.label)} was computed",
            ("", ""),
            tables.computed(self.tree.posterior(controls)),
            note=tables.computed_note(view),
            are_sentences=True,
        )


def _of(label: str) -> str:
    return f" of {named(label)}" if label else ""


def _drawn(view: Pictured, width: float) -> str:
    return svg_text(scene_of(view, theme="auto", width=width))
