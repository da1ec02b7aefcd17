"""What a retrieval-augmented system really does, from a table of labels.

    import rat_widgets as rat

    rat.tree(df)                  # the conditional-probability tree of a frame with R, A, T
    post = rat.fit(df)            # the posterior behind it
    post.summary()

Names are loaded on first use: importing the package imports neither jax nor plotly.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rat_widgets import datasets
    from rat_widgets.derived.agreement import agreement
    from rat_widgets.derived.judge_cures import cured
    from rat_widgets.derived.judge_report import judge_report
    from rat_widgets.derived.policy import Policy
    from rat_widgets.derived.position_swap import position_swap
    from rat_widgets.derived.posterior import Posterior
    from rat_widgets.derived.posteriors import Posteriors
    from rat_widgets.derived.run_cost import run_cost
    from rat_widgets.errors import RatError, RatWarning
    from rat_widgets.inference.diagnose import Diagnosis
    from rat_widgets.inference.draws import Draws
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.labels.judges import Judge
    from rat_widgets.labels.table import Labels
    from rat_widgets.living_judge_tools import (
        escalation_band,
        judge_drift,
        length_slope,
        reliability,
    )
    from rat_widgets.living_study import AllocationStudy
    from rat_widgets.model.betas import Beta
    from rat_widgets.model.priors import Priors
    from rat_widgets.model.simulated_tables import simulate
    from rat_widgets.model.theta import GradedTheta, Theta
    from rat_widgets.planning.assurance import Assurance
    from rat_widgets.planning.design import Design
    from rat_widgets.planning.strategies import Strategy
    from rat_widgets.plans import assurance, information, next_labels, optimal_design
    from rat_widgets.workflow import allocate, fit, judges, report, study_allocation, tree

__all__ = [
    "AllocationStudy",
    "Assurance",
    "Beta",
    "Design",
    "Diagnosis",
    "Draws",
    "GradedTheta",
    "Judge",
    "Labels",
    "PatternCounts",
    "Policy",
    "Posterior",
    "Posteriors",
    "Priors",
    "RatError",
    "RatWarning",
    "Strategy",
    "Theta",
    "agreement",
    "allocate",
    "assurance",
    "cured",
    "datasets",
    "escalation_band",
    "fit",
    "information",
    "judge_drift",
    "judge_report",
    "judges",
    "length_slope",
    "next_labels",
    "optimal_design",
    "position_swap",
    "reliability",
    "report",
    "run_cost",
    "simulate",
    "study_allocation",
    "tree",
]

__version__ = "0.1.0"

_HOMES = {
    "AllocationStudy": "living_study",
    "Assurance": "planning.assurance",
    "Beta": "model.betas",
    "Design": "planning.design",
    "Diagnosis": "inference.diagnose",
    "Draws": "inference.draws",
    "GradedTheta": "model.theta",
    "Judge": "labels.judges",
    "Labels": "labels.table",
    "PatternCounts": "labels.counts",
    "Policy": "derived.policy",
    "Posterior": "derived.posterior",
    "Posteriors": "derived.posteriors",
    "Priors": "model.priors",
    "RatError": "errors",
    "RatWarning": "errors",
    "Strategy": "planning.strategies",
    "Theta": "model.theta",
    "agreement": "derived.agreement",
    "allocate": "workflow",
    "assurance": "plans",
    "cured": "derived.judge_cures",
    "escalation_band": "living_judge_tools",
    "fit": "workflow",
    "information": "plans",
    "judge_drift": "living_judge_tools",
    "judge_report": "derived.judge_report",
    "judges": "workflow",
    "length_slope": "living_judge_tools",
    "next_labels": "plans",
    "optimal_design": "plans",
    "position_swap": "derived.position_swap",
    "reliability": "living_judge_tools",
    "report": "workflow",
    "run_cost": "derived.run_cost",
    "simulate": "model.simulated_tables",
    "study_allocation": "workflow",
    "tree": "workflow",
}
_MODULES = ("datasets",)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"rat_widgets.{name}")
    if name in _HOMES:
        return getattr(importlib.import_module(f"rat_widgets.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'rat_widgets' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, "__version__"})


class _Package(ModuleType):
    """Importing the subpackage ``report`` must not hide the function `report`."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
