"""What stands behind the widget of judges: views, figures, files and rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Bool

from rat_widgets._markup import named
from rat_widgets.derived.intervals import CiKind
from rat_widgets.derived.notices import of_population
from rat_widgets.derived.own_rates import own_rates
from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.posteriors import Posteriors
from rat_widgets.errors import ArgumentError, NoRowsError, RatError
from rat_widgets.fitting import keywords_for, posteriors_of
from rat_widgets.inference.draws import common_cuts
from rat_widgets.judge_refits import JudgeRefits
from rat_widgets.labels.counts import PATTERN_COLUMNS, PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.labels.table import Labels
from rat_widgets.model.priors import judge_keys
from rat_widgets.present.judge import judge_view
from rat_widgets.present.judge_identity import cured_groups, cuts_of, judge_cure, no_cure
from rat_widgets.present.judge_opening import opening_group
from rat_widgets.present.judge_spreads import Style
from rat_widgets.report.files import require_rows_fit, target_file, write_text
from rat_widgets.views.judge import (
    JudgeControls,
    JudgeCure,
    JudgeCured,
    JudgeIdentity,
    JudgeMoves,
    JudgeNoCure,
    JudgeView,
)
from rat_widgets.views.judge_words import UNPOOLED
from rat_widgets.views.tree import Note

if TYPE_CHECKING:
    from rat_widgets.widgets.base import Actions

__all__ = ["LivingJudges"]

_TITLE = 1_000
_NODES = ("passed", "failed", "disagrees")


@dataclass(frozen=True, kw_only=True)
class LivingJudges:
    """The judges of one or many systems, and everything that their widget can ask."""

    posteriors: tuple[Posterior, ...]
    python: str
    generator: str
    ci_prob: float
    ci_kind: CiKind
    keywords: Mapping[str, Any] = field(default_factory=dict)
    base_view: JudgeView = field(init=False)
    _refits: JudgeRefits = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_refits", JudgeRefits(posteriors=self.posteriors))
        object.__setattr__(self, "base_view", self._view(None, JudgeControls()))

    def _cure(self) -> JudgeCure | None:
        """The judges with what was found allowed for; None where no engine can fit that."""
        refits, first = self._refits, self.posteriors[0]
        judges = refits.cured_judges
        if judges is None:
            return None
        cure = JudgeMoves(cured=True)
        groups: tuple[JudgeCured, ...] = ()
        if refits.is_cure_cheap:
            style = Style(ci_prob=self.ci_prob, ci_kind=self.ci_kind)
            try:
                members = refits.joint(cure)
            except RatError:
                return None
            groups = cured_groups(members, self._own(judges), style)
        return judge_cure(
            first.counts.judges,
            judges,
            refits.priors(cure),
            cuts_of(first),
            groups,
            apart=refits.apart,
            systems=[self.posteriors[i].counts.groups[0] for i in refits.apart],
        )

    def _own(self, judges: tuple[Judge, ...]) -> Sequence[Mapping[str, Any]] | None:
        """Rates by labels alone beside the cure; None where it fits systems by themselves."""
        refits, first = self._refits, self.posteriors[0]
        if refits.apart:
            return None
        differ = {one.judge for one in first.judges_that_differ}
        return own_rates(
            refits.counts, first.draws.priors, differ, seed=first.draws.seed, cured=judges
        )

    def _no_cure(self) -> JudgeNoCure | None:
        """Why errors that were found have no cure, and as many of the judges as can have it."""
        refits = self._refits
        if refits.refusal is None:
            return None
        n_all = len(self.posteriors[0].counts.judges)
        return no_cure(str(refits.refusal), refits.affordable(), n_all)

    def _view(self, moves: JudgeMoves | None, controls: JudgeControls) -> JudgeView:
        return judge_view(
            self._refits.fit(moves),
            self._refits.counts,
            base=None if moves is None else self.base_view,
            moves=moves,
            controls=controls,
            cure=None if moves is not None else self._cure(),
            no_cure=None if moves is not None else self._no_cure(),
            under_moves=(Note(level="info", text=UNPOOLED),) if self._refits.is_pooled else (),
            python=self.python,
            generator=self.generator,
            ci_prob=self.ci_prob,
            ci_kind=self.ci_kind,
        )

    def opening(self) -> JudgeControls:
        """What is shown first where the caller did not say."""
        return JudgeControls(group=opening_group(self.posteriors))

    def read_controls(self, data: object) -> JudgeControls:
        """Controls that fit this view; a group may be given by its name, too.

        What is set of a judge that is left out has no effect and is dropped.
        """
        if isinstance(data, Mapping) and isinstance(data.get("group"), str):
            data = {**data, "group": self._position(data["group"])}
        controls = JudgeControls.from_dict(data)
        replace(self.base_view, controls=controls)  # an error when they do not fit
        out = [j for j in self._judges(controls) if j.key in controls.left_out]
        dropped = {rate for judge in out for rate in judge.rates}
        return replace(
            controls,
            priors={k: v for k, v in (controls.priors or {}).items() if k not in dropped},
            pins={k: v for k, v in (controls.pins or {}).items() if k not in dropped},
        )

    def _judges(self, controls: JudgeControls) -> tuple[JudgeIdentity, ...]:
        """The judges as the controls take them to err."""
        cure = self.base_view.cure
        return self.base_view.judges if cure is None or not controls.cured else cure.judges

    def _kept(self, controls: JudgeControls) -> JudgeControls:
        """What can stay of controls for other data: the cure where there is one, rates that are."""
        kept = replace(controls, cured=controls.cured and self.base_view.cure is not None)
        if not controls.cured:
            return kept
        rates = {rate for judge in self._judges(kept) for rate in judge.rates}
        return replace(
            kept,
            priors={k: v for k, v in (kept.priors or {}).items() if k in rates},
            pins={k: v for k, v in (kept.pins or {}).items() if k in rates},
        )

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

    def view_of(self, controls: JudgeControls) -> JudgeView:
        """The view under the controls: priors, pins and judges left out are applied.

        The view of the fit, with a note, where no engine can draw under them.
        """
        if controls.moves is None:
            return replace(self.base_view, controls=controls)
        try:
            return self._view(controls.moves, JudgeControls(group=controls.group))
        except RatError as err:
            return self._unmoved(controls, err)

    def _unmoved(self, controls: JudgeControls, err: RatError) -> JudgeView:
        """The view of the fit, and why it is not the one that was asked for."""
        reason = str(err).splitlines()[0]
        note = Note(
            level="problem",
            text=f"This is the fit without what you set, which cannot be answered. {reason}",
        )
        groups = tuple(
            replace(group, notes=(note, *group.notes)) for group in self.base_view.groups
        )
        return replace(self.base_view, groups=groups, controls=controls)

    def posterior(self, controls: JudgeControls) -> Posterior:
        """The posterior of the group shown, refitted under the controls."""
        return self._refits.joint(controls.moves)[controls.group]

    def priors(self, controls: JudgeControls) -> dict[str, Any]:
        """The priors under the controls, as `rat.fit` takes them."""
        return self._refits.spec(controls.moves)

    def rows(self, controls: JudgeControls, node: Any) -> Any:
        """Rows that a judge passed or failed, or whose human label it contradicts.

        `node` is "passed", "failed" or "disagrees", with the judge's key where there are
        several: ("disagrees", key). A grade passes from the level on that TPR and FPR count from.
        """
        shown = self.posteriors[controls.group]
        keys = judge_keys(shown.counts.judges)
        kind, key = node if isinstance(node, tuple) and len(node) == 2 else (node, None)
        if key is None and len(keys) == 1:
            (key,) = keys
        is_known = isinstance(kind, str) and kind in _NODES
        if not (is_known and isinstance(key, str) and key in keys):
            raise ArgumentError.build(
                f"There are no rows {node!r:.80}.",
                accepted=f"{', '.join(map(repr, _NODES))}, with a judge's key where there are "
                f"several; the judges are {', '.join(map(repr, keys))}.",
                hint=f"rows(({_NODES[2]!r}, {keys[0]!r}))",
            )
        if shown.labels is None:
            raise NoRowsError.build(
                "This posterior came without rows: it was fitted from counts or loaded.",
                hint="fit a data frame or Labels to be able to ask for rows.",
            )
        passed, failed, good, bad = _verdicts(shown, shown.labels.counts, keys.index(key))
        disagrees = (passed & bad) | (failed & good)
        chosen = {"passed": passed, "failed": failed, "disagrees": disagrees}[kind]
        return shown.labels.rows(chosen.astype(np.float64), group=shown.group_index)

    def figure(self, controls: JudgeControls, theme: str, width: int) -> Any:
        """The Plotly figure of the view."""
        from rat_widgets.figures.judge import judge_figure

        return judge_figure(self.view_of(controls), theme=theme, width=width)

    def fallback(self, controls: JudgeControls) -> dict[str, str]:
        """A picture and a table, for places without JavaScript."""
        from rat_widgets.figures.judge_text import judge_text

        view = self.view_of(controls)
        return {"text/plain": judge_text(view), "text/html": fallback_html(view)}

    def save(self, controls: JudgeControls, name: str | PathLike[str], include_rows: bool) -> Path:
        """Write the view, by suffix."""
        writers = {
            ".html": self._save_html,
            ".svg": self._save_svg,
            ".png": self._save_image,
            ".pdf": self._save_image,
            ".json": self._save_json,
        }
        path = target_file(name, tuple(writers), "Judges cannot be saved to")
        require_rows_fit(path, include_rows)
        if include_rows:
            return self._save_html(controls, path, [self._rows_section(controls)])
        return writers[path.suffix.lower()](controls, path)

    def section(self, controls: JudgeControls) -> Any:
        """The living widget as a piece of a page."""
        from rat_widgets.report.page import view_section

        base = replace(self.base_view, controls=controls)
        return view_section(base, fallback=fallback_html(self.view_of(controls)))

    def _save_html(
        self, controls: JudgeControls, path: Path, more: list[Any] | None = None
    ) -> Path:
        from rat_widgets.report.page import page

        sections = [self.section(controls), *(more or [])]
        return write_text(path, page(self._title(controls), sections))

    def _save_svg(self, controls: JudgeControls, path: Path) -> Path:
        from rat_widgets.figures.judge import judge_svg

        return write_text(path, judge_svg(self.view_of(controls)))

    def _save_image(self, controls: JudgeControls, path: Path) -> Path:
        from rat_widgets.figures.images import write_image

        write_image(self.figure(controls, "light", 1100), path)
        return path

    def _save_json(self, controls: JudgeControls, path: Path) -> Path:
        return write_text(path, self.view_of(controls).to_json())

    def _title(self, controls: JudgeControls) -> str:
        label = self.base_view.groups[controls.group].label
        return f"{named(label, most=_TITLE)}: judges" if label else "Judges"

    def _rows_section(self, controls: JudgeControls) -> Any:
        import narwhals as nw

        from rat_widgets.report.page import rows_table

        shown = self.posteriors[controls.group]
        frame = nw.from_native(shown.rows(shown.tree.names), eager_only=True)
        return rows_table("Rows", frame.columns, frame.iter_rows(), is_folded=True)

    def refit(self, data: Any, controls: JudgeControls) -> tuple[JudgeView, JudgeControls, Actions]:
        """The same judges on other data; what the reader has set stays."""
        labels = self.posteriors[0].labels
        is_frame = not isinstance(data, (Labels, PatternCounts, Posterior, Posteriors))
        if is_frame and labels is not None:
            data = labels.from_same(data)
        fitting = keywords_for(data, self.keywords)
        if not isinstance(data, (Posterior, Posteriors)) and "policy" not in fitting:
            fitting["policy"] = self.posteriors[0].policy
        fresh = replace(self, posteriors=judged_posteriors(data, fitting))
        keys = [p.counts.groups[0] for p in fresh.posteriors]
        shown = self.posteriors[controls.group].counts.groups[0]
        kept = fresh._kept(replace(controls, group=keys.index(shown) if shown in keys else 0))
        return fresh.base_view, fresh.read_controls(kept.to_dict()), fresh.actions()

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
            priors=self.priors,
        )


def _verdicts(
    posterior: Posterior, counts: PatternCounts, j: int
) -> tuple[Bool[np.ndarray, " pattern"], ...]:
    """Which patterns judge `j` passes and fails, and of which people say good and bad."""
    judge, cut = posterior.counts.judges[j], posterior.draws.cuts[j]
    verdict = counts.patterns[:, len(PATTERN_COLUMNS) + j]
    truth = counts.patterns[:, PATTERN_COLUMNS.index(judge.of)]
    top = len(counts.retrieval_levels) - 1 if judge.of == "retrieval" else 1
    decides = (verdict >= 0) & (verdict < len(judge.answers))
    return (
        decides & (verdict >= cut),
        decides & (verdict < cut),
        truth == top,
        (truth >= 0) & (truth < top),
    )


def judged_posteriors(x: Any, keywords: Mapping[str, Any]) -> tuple[Posterior, ...]:
    """One posterior per group of anything that `judges` takes; refused without judges.

    Graded judges pass from one level on in all of them, so that they can be compared.
    """
    if isinstance(x, (Posterior, Posteriors)):
        x = x.unpin()
    found = posteriors_of(x, keywords, "judges()")
    if not found[0].counts.judges:
        raise ArgumentError.build(
            "These labels have no judges.",
            accepted="Labels with at least one column of verdicts.",
            hint='name the columns: judges=[rat.Judge("verdict", of="task")].',
        )
    if found[0].selection != "verdict":
        raise ArgumentError.build(
            "Labels were bought by outcome, and the widget of judges refits in the browser, which "
            "takes them for labels bought at random.",
            accepted="selection='verdict'.",
            hint="post.judges and rat.tree(post) know what was bought by outcome.",
        )
    cuts = common_cuts([p.draws for p in found])
    return tuple(of_population(replace(p, draws=replace(p.draws, cut_at=cuts))) for p in found)


def fallback_html(view: JudgeView) -> str:
    """A picture and a table of the view, as safe markup."""
    from rat_widgets.figures.judge import judge_svg
    from rat_widgets.figures.judge_text import judge_table_html

    return f"<figure>{judge_svg(view, theme='auto')}</figure>{judge_table_html(view)}"
