"""The study that users hold: numbers, and their picture."""

from __future__ import annotations

from typing import Any

from rat_widgets.figures.study import study_figure, study_svg
from rat_widgets.figures.study_text import study_text
from rat_widgets.inference.engine import package_versions
from rat_widgets.planning.study import Study
from rat_widgets.present.study import study_view
from rat_widgets.views.study import StudyView

__all__ = ["AllocationStudy"]


class AllocationStudy(Study):
    """How wide, how wrong and how honest intervals are after a purchase of labels, simulated.

    Made by `rat.study_allocation`. `table` gives the numbers with their Monte Carlo errors,
    `figure` the picture; `to_json` and `from_json` keep the study, an unfinished one, too, which
    `resume` goes on with.
    """

    @property
    def view(self) -> StudyView:
        """The study as it is shown."""
        return study_view(
            self, generator=f"rat_widgets {package_versions('rat_widgets')['rat_widgets']}"
        )

    def figure(self, *, theme: str = "light", width: float = 1100) -> Any:
        """Width, error and coverage against the budget, a line per strategy, as a Plotly figure."""
        return study_figure(self.view, theme=theme, width=width)

    def svg(self, *, theme: str = "auto", width: float = 1100) -> str:
        """The same picture as one SVG element."""
        return study_svg(self.view, theme=theme, width=width)

    def text(self) -> str:
        """The finding and the numbers, as text."""
        return study_text(self.view)

    def _repr_html_(self) -> str:
        return self.svg()
