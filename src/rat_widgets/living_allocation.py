"""What stands behind the planner's widget: outlooks, answers, figures, files and rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from rat_widgets.derived.policy import Policy
from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.posteriors import Posteriors
from rat_widgets.errors import ArgumentError, ArgumentTypeError, NoRowsError
from rat_widgets.fitting import keywords_for, posteriors_to_plan
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.table import Labels
from rat_widgets.model.theta import GradedTheta, Theta
from rat_widgets.planning.outlook import outlook_of
from rat_widgets.planning.patterns import tree_of
from rat_widgets.present.allocation import PlannedGroup, allocation_answer, allocation_view
from rat_widgets.report.files import require_rows_fit, target_file, write_text
from rat_widgets.views.allocation import AllocationControls, AllocationView

if TYPE_CHECKING:
    from rat_widgets.widgets.base import Actions

__all__ = ["LivingAllocation", "planned_systems"]

_MADE_UP = 100


@dataclass(frozen=True, kw_only=True)
class LivingAllocation:
    """The plan of one or many systems, and everything that its widget can ask.

    Attributes
    ----------
    systems : tuple of Posterior, Theta or GradedTheta
    already, pool
        As in `rat.optimal_design`.
    policy : str, mapping or Policy, optional
        With a Theta; posteriors have their own.
    first : AllocationControls
        What is shown first.
    room : int
        About so many numbers may go into the spread of the groups.
    """

    systems: tuple[Posterior | Theta | GradedTheta, ...]
    already: Any
    pool: Any
    policy: Any
    python: str
    generator: str
    ci_prob: float
    first: AllocationControls
    keywords: Mapping[str, Any] = field(default_factory=dict)
    room: int = 9_000
    base_view: AllocationView = field(init=False)
    _groups: tuple[PlannedGroup, ...] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_groups", tuple(map(self._planned, self.systems)))
        made = allocation_view(
            self._groups,
            self._policy,
            controls=self.first,
            python=self.python,
            generator=self.generator,
            ci_prob=self.ci_prob,
        )
        object.__setattr__(self, "base_view", made)

    def _planned(self, x: Posterior | Theta | GradedTheta) -> PlannedGroup:
        is_posterior = isinstance(x, Posterior)
        made_up = None if is_posterior else _MADE_UP
        outlook = outlook_of(
            x,
            already=made_up if self.already is None else _table_read(self.already),
            pool=_table_read(self.pool),
            policy=self.policy,
            room=self.room // len(self.systems),
        )
        return PlannedGroup(outlook=outlook, posterior=x if isinstance(x, Posterior) else None)

    @property
    def _policy(self) -> Policy:
        x = self.systems[0]
        if isinstance(x, Posterior):
            return x.policy if self.policy is None else x.with_policy(self.policy).policy
        chosen = "adherence" if self.policy is None else self.policy
        return Policy.from_spec(chosen, tree_of(x).levels)

    def read_controls(self, data: object) -> AllocationControls:
        """Controls that fit this view; a group may be given by its name, too."""
        if isinstance(data, Mapping) and isinstance(data.get("group"), str):
            data = {**data, "group": self._position(data["group"])}
        controls = AllocationControls.from_dict(data)
        replace(self.base_view, controls=controls)  # an error when they do not fit
        return controls

    def _position(self, name: str) -> int:
        names = [group.label for group in self.base_view.groups]
        if name not in names:
            some = ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")
            raise ArgumentError.build(
                f"controls['group'] is {name!r}, which no group is called.",
                accepted=f"Groups are {some}; or a position from 0 to {len(names) - 1}.",
            )
        return names.index(name)

    def view_of(self, controls: AllocationControls) -> AllocationView:
        """The view under the controls."""
        if controls == self.base_view.controls:
            return self.base_view
        outlook = self._groups[controls.group].outlook
        answer = allocation_answer(outlook, controls, self.ci_prob)
        return replace(self.base_view, controls=controls, answer=answer)

    def posterior(self, controls: AllocationControls) -> Posterior:
        """The posterior of the group shown."""
        x = self.systems[controls.group]
        if not isinstance(x, Posterior):
            raise ArgumentError.build(
                "This plan was made from a Theta: there is no posterior behind it.",
                hint="plan from labels: rat.allocate(df).",
            )
        return x

    def rows(self, controls: AllocationControls, node: Any) -> Any:
        """The rows of the pool that abstained, or that answered."""
        kinds = {"abstained": 1, "answered": 0}
        if not isinstance(node, str) or node not in kinds:
            raise ArgumentError.build(
                f"There are no rows {node!r:.80}.", accepted=f"One of {', '.join(kinds)}."
            )
        x = self.systems[controls.group]
        is_own = self.pool is None and not self._groups[controls.group].outlook.is_fresh
        if not isinstance(x, Posterior) or x.labels is None or not is_own:
            raise NoRowsError.build(
                "The rows that this plan labels are not in hand.",
                accepted="A plan from a data frame or Labels, for its own rows.",
                hint="rat.allocate(df)",
            )
        patterns = x.labels.counts.patterns
        r, a, t = (patterns[:, i] for i in range(3))
        lacks = (r == -1) | ((a == 0) & (t == -1))
        chosen = (a == kinds[node]) & lacks
        return x.labels.rows(chosen.astype(np.float64), group=x.group_index)

    def figure(self, controls: AllocationControls, theme: str, width: int) -> Any:
        """The Plotly figure of the view."""
        from rat_widgets.figures.allocation import allocation_figure

        return allocation_figure(self.view_of(controls), theme=theme, width=width)

    def fallback(self, controls: AllocationControls) -> dict[str, str]:
        """A picture and a table, for places without JavaScript."""
        from rat_widgets.figures.allocation_text import allocation_text

        view = self.view_of(controls)
        return {"text/plain": allocation_text(view), "text/html": _fallback_html(view)}

    def save(
        self, controls: AllocationControls, name: str | PathLike[str], include_rows: bool
    ) -> Path:
        """Write the view, by suffix."""
        writers = {
            ".html": self._save_html,
            ".svg": self._save_svg,
            ".png": self._save_image,
            ".pdf": self._save_image,
            ".json": self._save_json,
        }
        path = target_file(name, tuple(writers), "A plan cannot be saved to")
        require_rows_fit(path, include_rows)
        if include_rows:
            raise ArgumentError.build(
                "A plan's page holds no rows.",
                accepted="include_rows=False.",
                hint="rat.report(df, ..., include_rows=True) writes rows.",
            )
        return writers[path.suffix.lower()](controls, path)

    def section(self, controls: AllocationControls) -> Any:
        """The living widget as a piece of a page."""
        from rat_widgets.report.page import view_section

        view = self.view_of(controls)
        return view_section(view, fallback=_fallback_html(view))

    def _save_html(self, controls: AllocationControls, path: Path) -> Path:
        from rat_widgets.report.page import page

        label = self.base_view.groups[controls.group].label
        title = f"{label}: what to label next" if label else "What to label next"
        return write_text(path, page(title, [self.section(controls)]))

    def _save_svg(self, controls: AllocationControls, path: Path) -> Path:
        from rat_widgets.figures.allocation import allocation_svg

        return write_text(path, allocation_svg(self.view_of(controls)))

    def _save_image(self, controls: AllocationControls, path: Path) -> Path:
        from rat_widgets.figures.images import write_image

        write_image(self.figure(controls, "light", 1100), path)
        return path

    def _save_json(self, controls: AllocationControls, path: Path) -> Path:
        return write_text(path, self.view_of(controls).to_json())

    def refit(
        self, data: Any, controls: AllocationControls
    ) -> tuple[AllocationView, AllocationControls, Actions]:
        """The same plan from other data; what the reader has set stays."""
        first = self.systems[0]
        labels = first.labels if isinstance(first, Posterior) else None
        is_frame = not isinstance(
            data, (Labels, PatternCounts, Posterior, Posteriors, Theta, GradedTheta)
        )
        if is_frame and labels is not None:
            data = labels.from_same(data)
        fitting = keywords_for(data, self.keywords)
        systems = planned_systems(data, fitting)
        keys = [x.counts.groups[0] for x in systems if isinstance(x, Posterior)]
        shown = self.systems[controls.group]
        key = shown.counts.groups[0] if isinstance(shown, Posterior) else None
        kept = replace(
            controls,
            group=keys.index(key) if key in keys else 0,
            n0=None if keys else controls.n0,
        )
        fresh = replace(self, systems=systems, first=kept)
        return fresh.base_view, kept, fresh.actions()

    def actions(self) -> Actions:
        """What the widget is given."""
        from rat_widgets.widgets.base import Actions

        return Actions(
            read_controls=self.read_controls,
            view_of=self.view_of,
            rows=self.rows,
            posterior=self.posterior,
            figure=self.figure,
            save=self.save,
            fallback=self.fallback,
            refit=self.refit,
        )


def planned_systems(
    x: Any, keywords: Mapping[str, Any]
) -> tuple[Posterior | Theta | GradedTheta, ...]:
    """One system per group of anything that `allocate` takes."""
    if isinstance(x, (Theta, GradedTheta)):
        for name in keywords:
            raise ArgumentTypeError.build(
                f"allocate() of a Theta has no keyword {name!r}.",
                accepted="Keywords of `fit` go with a table of labels.",
            )
        return (x,)
    if isinstance(x, (Posterior, Posteriors)):
        x = x.unpin()
    return posteriors_to_plan(x, keywords, "allocate()")


def _table_read(x: Any) -> Any:
    """A frame as Labels; anything else as it is."""
    return Labels.from_frame(x) if hasattr(x, "columns") and not hasattr(x, "counts") else x


def _fallback_html(view: AllocationView) -> str:
    """A picture and a table of the view, as safe markup."""
    from rat_widgets.figures.allocation import allocation_svg
    from rat_widgets.figures.allocation_text import allocation_table_html

    return f"<figure>{allocation_svg(view, theme='auto')}</figure>{allocation_table_html(view)}"
