"""What stands behind the widget of a tree: views, figures, files and rows under its controls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rat_widgets._markup import named
from rat_widgets.derived.intervals import CiKind
from rat_widgets.derived.policy import Policy
from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.posteriors import Posteriors
from rat_widgets.errors import ArgumentError
from rat_widgets.fitting import keywords_for, posteriors_of, unpinned
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.table import Labels
from rat_widgets.present.tree import tree_view
from rat_widgets.report.files import require_rows_fit, target_file, write_text
from rat_widgets.views.tree import TreeControls, TreeView

if TYPE_CHECKING:
    from rat_widgets.widgets.base import Actions

__all__ = ["LivingTree"]

_TITLE: Final = 1_000


@dataclass(frozen=True, kw_only=True)
class LivingTree:
    """One tree's posteriors, and everything that its widget can ask of them."""

    posteriors: tuple[Posterior, ...]
    python: str
    generator: str
    ci_prob: float
    ci_kind: CiKind
    keywords: Mapping[str, Any] = field(default_factory=dict)
    base_view: TreeView = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "base_view", self._view(self.posteriors, TreeControls()))

    def _view(self, posteriors: tuple[Posterior, ...], controls: TreeControls) -> TreeView:
        return tree_view(
            posteriors,
            controls=controls,
            python=self.python,
            generator=self.generator,
            ci_prob=self.ci_prob,
            ci_kind=self.ci_kind,
        )

    def read_controls(self, data: object) -> TreeControls:
        """Controls that fit this view; a policy or a group may be given by its name, too."""
        if isinstance(data, Mapping) and isinstance(data.get("policy"), str):
            data = {**data, "policy": Policy.from_spec(data["policy"], self._levels).as_dict()}
        if isinstance(data, Mapping) and isinstance(data.get("group"), str):
            data = {**data, "group": self._position(data["group"])}
        controls = TreeControls.from_dict(data)
        if not 0 <= controls.group < len(self.posteriors):
            raise ArgumentError.build(
                f"controls['group'] is {controls.group}.",
                accepted=f"It is a position from 0 to {len(self.posteriors) - 1}.",
            )
        if controls.pins:
            self.posteriors[0].pin(controls.pins)  # an error when they do not fit its levels
        if controls.policy is None:
            return controls
        policy = Policy.from_spec(controls.policy, self._levels).as_dict()
        same = policy == self.posteriors[0].policy.as_dict()
        return replace(controls, policy=None if same else policy)

    @property
    def _levels(self) -> tuple[str, ...]:
        return self.posteriors[0].tree.levels

    def _position(self, name: str) -> int:
        """Where the group of this name stands in the picker."""
        names = [group.label for group in self.base_view.groups]
        if name not in names:
            some = ", ".join(map(repr, names[:20])) + (", ..." if len(names) > 20 else "")
            raise ArgumentError.build(
                f"controls['group'] is {name!r}, which no group is called.",
                accepted=f"Groups are {some}; or a position from 0 to {len(names) - 1}.",
            )
        return names.index(name)

    def view_of(self, controls: TreeControls) -> TreeView:
        """The view under the controls: policy and pins that the reader set are applied."""
        if controls.policy is None and not controls.pins:
            return replace(self.base_view, controls=controls)
        posteriors = tuple(_moved(p, controls) for p in self.posteriors)
        return self._view(posteriors, replace(controls, policy=None, pins=None))

    def posterior(self, controls: TreeControls) -> Posterior:
        """The posterior of the group shown, under the policy and the pins shown."""
        return _moved(self.posteriors[controls.group], controls)

    def rows(self, controls: TreeControls, node: Any) -> Any:
        """Rows of a node of the group shown."""
        return self.posterior(controls).rows(node)

    def figure(self, controls: TreeControls, theme: str, width: int) -> Any:
        """The Plotly figure of the view."""
        from rat_widgets.figures.tree import tree_figure

        return tree_figure(self.view_of(controls), theme=theme, width=width)

    def fallback(self, controls: TreeControls) -> dict[str, str]:
        """A picture and a table, for places without JavaScript."""
        from rat_widgets.figures.text import tree_text

        view = self.view_of(controls)
        return {"text/plain": tree_text(view), "text/html": _fallback_html(view)}

    def save(self, controls: TreeControls, name: str | PathLike[str], include_rows: bool) -> Path:
        """Write the view, by suffix."""
        writers = {
            ".html": self._save_html,
            ".svg": self._save_svg,
            ".png": self._save_image,
            ".pdf": self._save_image,
            ".json": self._save_json,
        }
        path = target_file(name, tuple(writers), "A tree cannot be saved to")
        require_rows_fit(path, include_rows)
        if include_rows:
            return self._save_html(controls, path, [self.rows_section(controls)])
        return writers[path.suffix.lower()](controls, path)

    def section(self, controls: TreeControls) -> Any:
        """The living tree as a piece of a page."""
        from rat_widgets.report.page import view_section

        base = replace(self.base_view, controls=controls)
        return view_section(base, fallback=_fallback_html(self.view_of(controls)))

    def _save_html(self, controls: TreeControls, path: Path, more: list[Any] | None = None) -> Path:
        from rat_widgets.report.page import page

        sections = [self.section(controls), *(more or [])]
        return write_text(path, page(self.title(controls), sections))

    def _save_svg(self, controls: TreeControls, path: Path) -> Path:
        from rat_widgets.figures.tree import tree_svg

        return write_text(path, tree_svg(self.view_of(controls)))

    def _save_image(self, controls: TreeControls, path: Path) -> Path:
        from rat_widgets.figures.images import write_image

        write_image(self.figure(controls, "light", 1100), path)
        return path

    def _save_json(self, controls: TreeControls, path: Path) -> Path:
        return write_text(path, self.view_of(controls).to_json())

    def title(self, controls: TreeControls) -> str:
        """What the page of the group shown is called."""
        label = self.base_view.groups[controls.group].label
        return f"{named(label, most=_TITLE)}: evaluation tree" if label else "Evaluation tree"

    def rows_section(self, controls: TreeControls) -> Any:
        """The rows of the group shown, as a piece of a page."""
        import narwhals as nw

        from rat_widgets.report.page import rows_table

        every = self.posteriors[0].tree.names
        frame = nw.from_native(self.rows(controls, every), eager_only=True)
        return rows_table("Rows", frame.columns, frame.iter_rows(), is_folded=True)

    def refit(self, data: Any, controls: TreeControls) -> tuple[TreeView, TreeControls, Actions]:
        """The same tree of other data; the reader's policy, unit and group stay."""
        labels = self.posteriors[0].labels
        data, pins = unpinned(data)
        controls = replace(controls, pins=pins) if pins else controls
        is_frame = not isinstance(data, (Labels, PatternCounts, Posterior, Posteriors))
        if is_frame and labels is not None:
            data = labels.from_same(data)
        fitting = keywords_for(data, self.keywords)
        if not isinstance(data, (Posterior, Posteriors)) and "policy" not in fitting:
            fitting["policy"] = self.posteriors[0].policy
        fresh = replace(self, posteriors=posteriors_of(data, fitting))
        keys = [p.counts.groups[0] for p in fresh.posteriors]
        shown = self.posteriors[controls.group].counts.groups[0]
        group = keys.index(shown) if shown in keys else 0
        return fresh.base_view, replace(controls, group=group), fresh.actions()

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


def _moved(posterior: Posterior, controls: TreeControls) -> Posterior:
    """The posterior under the reader's policy and pins."""
    if controls.policy is not None:
        posterior = posterior.with_policy(controls.policy)
    return posterior.pin(controls.pins) if controls.pins else posterior


def _fallback_html(view: TreeView) -> str:
    from rat_widgets.figures.text import tree_table_html
    from rat_widgets.figures.tree import tree_svg

    return f"<figure>{tree_svg(view, theme='auto')}</figure>{tree_table_html(view)}"
