"""A study to its view."""

from __future__ import annotations

import math

from rat_widgets.derived.quantities import QUANTITIES
from rat_widgets.planning.study import Study
from rat_widgets.planning.study_sums import Sums
from rat_widgets.views import wording
from rat_widgets.views.study import Measure, StudyPoint, StudyView

__all__ = ["study_view"]


def study_view(study: Study, *, generator: str = "rat_widgets") -> StudyView:
    """The view of a study, finished or not."""
    plan = study.plan
    labels = {quantity.key: quantity.symbol for quantity in QUANTITIES}
    points = tuple(
        _point(cell.sums, cell.strategy, cell.budget, target, j)
        for cell in study.cells()
        for j, target in enumerate(study.targets)
    )
    return StudyView(
        generator=generator,
        unit="units" if plan.by_cost else "rows",
        ci_prob=plan.ci_prob,
        begins=_begins(study),
        strategies=study.strategies,
        targets={key: labels.get(key, key) for key in study.targets},
        points=points,
        check=_check(study),
    )


def _begins(study: Study) -> str:
    n0 = study.plan.n0
    if n0 is None:
        return f"the {wording.count(study.plan.start.n_rows)} rows in hand"
    return "no rows" if n0 == 0 else f"{wording.count(n0)} joint rows"


def _check(study: Study) -> str:
    check = study.check
    if study.plan.start.judges:
        return f"{wording.count(study.n_tables)} posteriors drawn with their verdicts."
    text = f"{wording.count(study.n_tables)} posteriors"
    if not check.n_widths:
        return f"{text}; none was checked."
    rms = wording.pin_percent(check.rms)
    return f"{text}; {wording.count(check.n_widths)} widths were checked: {rms} off (RMS)."


def _point(sums: Sums, strategy: str, budget: float, target: str, j: int) -> StudyPoint:
    coverage = sums.of_target("covers", j)
    cost = sums.of_tables("cost")
    return StudyPoint(
        strategy=strategy,
        target=target,
        budget=budget,
        width=_measure(sums.of_target("width", j)),
        mae=_measure(sums.of_target("error", j)),
        coverage=_measured(coverage, wording.pin_percent(coverage[0])),
        cost=_measured(cost, wording.count(wording.rounded(cost[0]))),
        replications=sums.n,
    )


def _measure(found: tuple[float, float]) -> Measure:
    return _measured(found, wording.thousandths(found[0]))


def _measured(found: tuple[float, float], text: str) -> Measure:
    value, mcse = found
    return Measure(value=value, mcse=None if math.isnan(mcse) else mcse, text=text)
