"""The planner in the browser: what to label next, for which budget, and what it would tell."""

from __future__ import annotations

from typing import Any

from rat_widgets._static import static_text
from rat_widgets.widgets.base import RatWidget

__all__ = ["AllocationWidget"]


class AllocationWidget(RatWidget):
    """Expected intervals of every labelling strategy along a budget, and the best mix.

    Made by `rat_widgets.allocate`.
    """

    _esm = static_text("allocation.js")
    _css = static_text("allocation.css")

    def posterior(self) -> Any:
        """The posterior that the plan was made from; a plan from a Theta has none."""
        return self._actions.posterior(self._state)

    def rows(self, node: Any) -> Any:
        """The rows that may be labelled: those whose A is seen and that lack a label.

        Parameters
        ----------
        node : "abstained" or "answered"

        Raises
        ------
        NoRowsError
            When the plan was made from a Theta, from counts, or for rows still to be drawn.
        """
        return self._actions.rows(self._state, node)
