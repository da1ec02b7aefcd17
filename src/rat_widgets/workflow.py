"""The facade: read, fit, summarise, show, export. The only module that knows the whole chain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rat_widgets import __version__
from rat_widgets.derived.intervals import CiKind, read_interval
from rat_widgets.derived.notices import of_population
from rat_widgets.errors import ArgumentTypeError
from rat_widgets.fitting import as_fitted, fit, posteriors_of, system_to_plan, unpinned
from rat_widgets.living_allocation import LivingAllocation, planned_systems
from rat_widgets.living_judges import LivingJudges, judged_posteriors
from rat_widgets.living_tree import LivingTree
from rat_widgets.present.python_call import python_call
from rat_widgets.report.files import require_yes_or_no, target_file
from rat_widgets.views.allocation import AllocationControls
from rat_widgets.views.tree import TreeControls

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from rat_widgets.derived.posterior import Posterior
    from rat_widgets.living_study import AllocationStudy
    from rat_widgets.widgets.allocation import AllocationWidget
    from rat_widgets.widgets.judge import JudgeWidget
    from rat_widgets.widgets.tree import TreeWidget

__all__ = ["allocate", "fit", "judges", "report", "study_allocation", "tree"]


def tree(
    x: Any,
    *,
    ci_prob: float = 0.95,
    ci_kind: CiKind = "eti",
    controls: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> TreeWidget:
    """The conditional-probability tree as a widget.

    Parameters
    ----------
    x : frame, Labels, PatternCounts, Posterior or Posteriors
        ``rat.tree(df)`` needs nothing else when the columns are called R, A and T.
    ci_prob : float
        Posterior probability inside the intervals.
    ci_kind : {"eti", "hdi"}
        Equal-tailed or shortest intervals.
    controls : mapping
        What is shown first: ``group`` (name or position), ``unit`` ("queries", "step"), ``policy``
        (weight per world, or a preset's name), ``pins`` (a what-if: probability -> the value it
        is set to); as *copy as Python* writes it.
    **keywords
        Keywords of `fit`, those of `Labels.from_frame` included; none of them when `x` is a
        posterior already (but for ``policy``).

    Returns
    -------
    TreeWidget
        Shown by a notebook when it is the last value of a cell.
    """
    from rat_widgets.widgets.tree import TreeWidget  # anywidget: only when a widget is made

    kept = _kept(keywords)
    made, state = _living_tree(x, kept, controls=controls, ci_prob=ci_prob, ci_kind=ci_kind)
    return TreeWidget(made.base_view, state, made.actions())


def judges(
    x: Any,
    *,
    ci_prob: float = 0.95,
    ci_kind: CiKind = "eti",
    controls: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> JudgeWidget:
    """How far judges can be trusted, and what their verdicts are worth, as a widget.

    Parameters
    ----------
    x : frame, Labels, PatternCounts, Posterior or Posteriors
        With at least one judge: ``rat.judges(df, judges=[rat.Judge("verdict", of="task")])``.
    ci_prob : float
        Posterior probability inside the intervals.
    ci_kind : {"eti", "hdi"}
        Equal-tailed or shortest intervals.
    controls : mapping
        What is shown first: ``group`` (name or position), ``priors`` (rate -> mean and equivalent
        number of labels), ``pins`` (rate -> the value it is set to), ``left_out`` (judges' keys),
        ``cured`` (True allows for what was found of the judges' errors); as *copy as Python*
        writes it. Without it the first system of which the gravest is told about its judges.
    **keywords
        Keywords of `fit`, those of `Labels.from_frame` included; none of them when `x` is a
        posterior already (but for ``policy``).

    Returns
    -------
    JudgeWidget
        Shown by a notebook when it is the last value of a cell.

    Raises
    ------
    ArgumentError
        When the labels have no judges.
    """
    from rat_widgets.widgets.judge import JudgeWidget  # anywidget: only when a widget is made

    ci_prob, ci_kind = read_interval(ci_prob, ci_kind)
    kept = _kept(keywords)
    made = _living_judges(judged_posteriors(x, kept), x, kept, ci_prob, ci_kind)
    state = made.opening() if controls is None else made.read_controls(controls)
    return JudgeWidget(made.base_view, state, made.actions())


def allocate(
    x: Any,
    *,
    budget: float | None = None,
    prices: Mapping[str, float] | None = None,
    target: str | None = None,
    already: Any = None,
    pool: Any = None,
    policy: Any = None,
    ci_prob: float = 0.95,
    controls: Mapping[str, Any] | None = None,
    **keywords: Any,
) -> AllocationWidget:
    """What to label next, as a widget: budget, prices and target are sliders.

    Parameters
    ----------
    x : frame, Labels, PatternCounts, Posterior(s), Theta or GradedTheta
        Where the plan is made: the posterior mean, or the truth as supposed (with flat priors).
    budget : float, optional
        Units to spend, or rows to label; 500 unless told otherwise.
    prices : mapping, optional
        What a label of R and one of T cost; 1 each when left out. T where A=1 is never bought.
    target : str, optional
        The quantity whose interval is to be narrow; "policy_adherence" when left out.
    already : int, PatternCounts, Labels or Posterior, optional
        Labels that there are. With a Theta a number of joint rows, which the reader can change;
        100 when left out. Else those that `x` was fitted to.
    pool : int, mapping, PatternCounts, Labels or "fresh", optional
        Rows that may be labelled, as in `optimal_design`: the rows of `x` that lack labels, or
        fresh ones where there are none.
    policy : str or mapping, optional
        What policy_adherence stands for; a posterior's own, else "adherence".
    ci_prob : float
        Probability inside the intervals.
    controls : mapping
        What is shown first: ``group`` (name or position), ``target``, ``budget``, ``unit``
        ("units", "rows"), ``prices``, ``n0``, ``hidden`` (plans that are switched off), ``most``
        (where the axis ends); as *copy as Python* writes it.
    **keywords
        Keywords of `fit`, those of `Labels.from_frame` included; none of them with a posterior
        or a Theta.

    Returns
    -------
    AllocationWidget
        Shown by a notebook when it is the last value of a cell.
    """
    from rat_widgets.widgets.allocation import AllocationWidget

    ci_prob, _ = read_interval(ci_prob, "eti")
    keywords = _kept(keywords)
    asked = {"budget": budget, "prices": prices, "target": target}
    asked = {key: value for key, value in asked.items() if value is not None}
    given = {"already": already, "pool": pool, "policy": policy, **keywords}
    given = {key: value for key, value in given.items() if value is not None}
    first = {} if controls is None else dict(controls)
    group = first.pop("group", 0)
    made = LivingAllocation(
        systems=planned_systems(x, keywords),
        already=already,
        pool=pool,
        policy=policy,
        python=python_call("rat.allocate", x, given, ci_prob=ci_prob),
        generator=f"rat_widgets {__version__}",
        ci_prob=ci_prob,
        first=AllocationControls.from_dict({**asked, **first}),
        keywords=as_fitted(x) or keywords,
    )
    state = made.read_controls({**made.first.to_dict(), "group": group})
    return AllocationWidget(made.base_view, state, made.actions())


def report(
    x: Any,
    path: str | PathLike[str] | None = None,
    *,
    include_rows: bool = False,
    figures: Any = None,
    **keywords: Any,
) -> Path:
    """One HTML file: the living tree, every quantity, what was labelled, how it was computed.

    Where there are judges the page holds their widget, too; not with ``selection="outcome"``, which
    the widget cannot refit. A system that is chosen in one of the two is shown by the other.

    Parameters
    ----------
    x : frame, Labels, PatternCounts, Posterior or Posteriors
    path : path
        Ends in ``.html``. There is no default.
    include_rows : bool
        Put the rows into the page; otherwise it holds counts, never rows or texts.
    figures : sequence or mapping, optional
        What else is pictured, in this order: results of `reliability`, `escalation_band`,
        `judge_drift`, `length_slope` and `study_allocation`, and widgets as they stand. Of a
        mapping the keys are headings. Pictures are still, and follow the reader's theme and width.
    **keywords
        Those of `tree`.

    Returns
    -------
    Path

    Raises
    ------
    ArgumentTypeError
        When something in `figures` has no picture.
    """
    from rat_widgets.living_report import LivingReport, read_figures

    if path is None:
        raise ArgumentTypeError.build(
            "report() was not told where to write.",
            accepted="The name of a file that ends in .html.",
            hint='rat.report(df, "report.html")',
        )
    target = target_file(path, (".html",), "A report cannot be written to")
    require_yes_or_no(include_rows)
    pictured = read_figures(figures)
    shown = {"controls": None, "ci_prob": 0.95, "ci_kind": "eti"}
    shown |= {key: keywords.pop(key) for key in shown if key in keywords}
    keywords = _kept(keywords)
    made, state = _living_tree(x, keywords, **shown)
    judged: LivingJudges | None = None
    first = made.posteriors[0]
    if first.counts.judges and first.selection == "verdict":  # the browser refits for no other
        judged = _living_judges(made.posteriors, x, keywords, made.ci_prob, made.ci_kind)
        if shown["controls"] is None:  # it opens where most is to be said
            state = replace(state, group=judged.opening().group)
    written = LivingReport(tree=made, judges=judged, figures=pictured)
    return written.write(state, target, include_rows=include_rows)


def study_allocation(
    x: Any,
    budgets: Any = (50, 100, 200, 300, 400, 500, 1000),
    *,
    n0: int | None = None,
    strategies: Any = None,
    targets: Any = ("policy_adherence", "task_success"),
    prices: Mapping[str, float] | None = None,
    by_cost: bool = False,
    replications: int = 200,
    seed: int = 0,
    progress: Any = True,
    executor: Executor | None = None,
    ci_prob: float = 0.95,
    check: float = 0.01,
    **keywords: Any,
) -> AllocationStudy:
    """What each way to spend a labelling budget would tell, simulated.

    Per replication a truth is taken, a table of labels drawn from it that a strategy has bought,
    and its posterior found: the width of the interval, |posterior mean - truth|, and whether the
    interval covers the truth.

    Parameters
    ----------
    x : Theta, Posterior, Labels, PatternCounts or frame
        One system. A Theta is the truth of every replication. Anything else is a posterior, or
        fitted first; truths are draws of it, so that not knowing the truth is part of the answer.
    budgets : sequence of numbers
        Rows to label on top of the start; units of cost with `by_cost`.
    n0 : int, optional
        Joint rows that every table begins with, drawn anew each time. When left out: 100 with a
        Theta; else the rows in hand, as they are labelled.
    strategies : optional
        What `read_strategies` takes: names, a Strategy, a mapping from names of one's own to
        shares or functions. When left out the seven named ones that buy labels; with judges, and
        budgets in rows, ``judge_only`` too.
    targets : sequence
        Keys of quantities, or a mapping from names to weights per world.
    prices : mapping
        ``{"R": 3, "T": 1}``; 1 each when left out. T is not bought where A=1.
    by_cost : bool
        Whether budgets are units of cost. The table states both rules of cost: the rows that were
        labelled, and what their labels cost.
    replications : int
    seed : int
        The same seed gives the same study, whatever the executor and the order.
    progress : bool or callable
        A line of text where somebody watches; a function gets the units done and in all.
    executor : concurrent.futures.Executor, optional
        Any: processes, or a cluster's (Dask: ``client.get_executor()``). Stays open. Threads of
        this process when left out.
    ci_prob : float
        Posterior probability inside the intervals.
    check : float
        Share of the tables whose widths are compared with an engine's, see ``study.check``.
    **keywords
        With a Theta ``priors``, ``policy`` and ``judges`` (as `simulate` takes them); else the
        keywords of `fit`, and none with a posterior but ``policy``.

    Returns
    -------
    AllocationStudy
        Unfinished when interrupted: ``study.resume()`` goes on.

    Raises
    ------
    StudyError
        When the executor breaks down; ``err.study`` holds what was finished.
    """
    from rat_widgets.living_study import AllocationStudy
    from rat_widgets.model.theta import Theta
    from rat_widgets.planning.study_read import plan_study

    settings = {
        "budgets": budgets,
        "n0": n0,
        "strategies": strategies,
        "targets": targets,
        "prices": prices,
        "by_cost": by_cost,
        "replications": replications,
        "seed": seed,
        "ci_prob": ci_prob,
        "check": check,
    }
    if isinstance(x, Theta):
        unknown = [name for name in keywords if name not in ("priors", "policy", "judges")]
        if unknown:
            raise ArgumentTypeError.build(
                f"study_allocation() of a Theta has no keyword {unknown[0]!r}.",
                accepted="Known are priors, policy and judges.",
            )
        plan = plan_study(x, **settings, **keywords)
    else:
        plan = plan_study(system_to_plan(x, keywords, "study_allocation()"), **settings)
    return AllocationStudy(plan=plan).resume(executor=executor, progress=progress)


def _kept(keywords: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords as they can be read again, for other data: groups `apart` of a generator too."""
    apart = keywords.get("apart")
    return {**keywords, "apart": list(apart)} if isinstance(apart, Iterator) else {**keywords}


def _living_judges(
    posteriors: tuple[Posterior, ...],
    x: Any,
    keywords: Mapping[str, Any],
    ci_prob: float,
    ci_kind: CiKind,
) -> LivingJudges:
    """The judges behind a widget or a page."""
    return LivingJudges(
        posteriors=tuple(of_population(p) for p in posteriors),
        python=python_call("rat.judges", x, keywords, ci_prob=ci_prob, ci_kind=ci_kind),
        generator=f"rat_widgets {__version__}",
        ci_prob=ci_prob,
        ci_kind=ci_kind,
        keywords=as_fitted(x) or keywords,
    )


def _living_tree(
    x: Any, keywords: Mapping[str, Any], *, controls: Any, ci_prob: Any, ci_kind: Any
) -> tuple[LivingTree, TreeControls]:
    """The tree behind a widget or a page, and what is shown first."""
    ci_prob, ci_kind = read_interval(ci_prob, ci_kind)
    fitted, pins = unpinned(x)
    made = LivingTree(
        posteriors=posteriors_of(fitted, keywords),
        python=python_call("rat.tree", x, keywords, ci_prob=ci_prob, ci_kind=ci_kind),
        generator=f"rat_widgets {__version__}",
        ci_prob=ci_prob,
        ci_kind=ci_kind,
        keywords=as_fitted(x) or keywords,
    )
    return made, made.read_controls(_with_pins(controls, pins))


def _with_pins(controls: Any, pins: Mapping[str, float]) -> Any:
    """Controls with the pins of the posterior that was given, unless they say otherwise."""
    if controls is None:
        return {"pins": dict(pins)}
    if pins and isinstance(controls, Mapping) and "pins" not in controls:
        return {**controls, "pins": dict(pins)}
    return controls
