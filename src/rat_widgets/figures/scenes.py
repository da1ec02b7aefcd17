"""The picture of any view."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, TypeAlias

from rat_widgets.figures.allocation import allocation_scene
from rat_widgets.figures.drift import drift_scene
from rat_widgets.figures.escalation import escalation_scene
from rat_widgets.figures.judge import judge_scene
from rat_widgets.figures.length_slope import length_scene
from rat_widgets.figures.reliability import reliability_scene
from rat_widgets.figures.scene import Scene
from rat_widgets.figures.study import study_scene
from rat_widgets.figures.tree import tree_scene
from rat_widgets.views.allocation import AllocationView
from rat_widgets.views.drift import DriftView
from rat_widgets.views.escalation import EscalationView
from rat_widgets.views.judge import JudgeView
from rat_widgets.views.length_slope import LengthView
from rat_widgets.views.reliability import ReliabilityView
from rat_widgets.views.study import StudyView
from rat_widgets.views.tree import TreeView

__all__ = ["Pictured", "has_picture", "scene_of"]

Pictured: TypeAlias = (
    TreeView
    | JudgeView
    | AllocationView
    | StudyView
    | ReliabilityView
    | EscalationView
    | DriftView
    | LengthView
)

_SCENES: Final[Mapping[type, Callable[..., Scene]]] = {
    TreeView: tree_scene,
    JudgeView: judge_scene,
    AllocationView: allocation_scene,
    StudyView: study_scene,
    ReliabilityView: reliability_scene,
    EscalationView: escalation_scene,
    DriftView: drift_scene,
    LengthView: length_scene,
}


def has_picture(view: Any) -> bool:
    """Whether this is a view that there is a picture of."""
    return type(view) in _SCENES


def scene_of(view: Pictured, *, theme: str, width: float) -> Scene:
    """The picture as marks in px; see `sheet_scene` for the parameters and the errors."""
    return _SCENES[type(view)](view, theme=theme, width=width)
