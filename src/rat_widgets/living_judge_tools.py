"""The tools around a judge that users hold: the results of `derived`, with their pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from rat_widgets.derived import drift as _drift
from rat_widgets.derived import escalation as _escalation
from rat_widgets.derived import length_slope as _length_slope
from rat_widgets.derived import reliability as _reliability
from rat_widgets.figures.plotly_backend import plotly_figure
from rat_widgets.figures.scenes import scene_of
from rat_widgets.figures.svg_backend import svg_text
from rat_widgets.figures.theme import theme_of
from rat_widgets.present.drift import drift_view
from rat_widgets.present.escalation import escalation_view
from rat_widgets.present.length_slope import length_view
from rat_widgets.present.reliability import reliability_view
from rat_widgets.views.drift import DriftView
from rat_widgets.views.escalation import EscalationView
from rat_widgets.views.length_slope import LengthView
from rat_widgets.views.reliability import ReliabilityView

__all__ = [
    "EscalationBand",
    "JudgeDrift",
    "LengthSlope",
    "Reliability",
    "escalation_band",
    "judge_drift",
    "length_slope",
    "reliability",
]

P = ParamSpec("P")
R = TypeVar("R")


class _Pictured:
    """What has a picture: that of its view."""

    __slots__ = ()

    @property
    def view(self) -> Any:
        """What the picture says, as values with their wording."""
        raise NotImplementedError

    def figure(self, *, theme: str = "light", width: float = 940) -> Any:
        """The picture as a Plotly figure, whose last trace carries the numbers.

        Parameters
        ----------
        theme : {"light", "dark"}
        width : float
            Width in px, from 320 up; on a narrow one the numbers stand under the chart.

        Raises
        ------
        ArgumentError
            When the theme is not known or the width is out of range.
        """
        theme_of(theme)
        return plotly_figure(scene_of(self.view, theme=theme, width=width))

    def svg(self, *, theme: str = "auto", width: float = 940) -> str:
        """The same picture as one SVG element; "auto" follows the reader's system."""
        return svg_text(scene_of(self.view, theme=theme, width=width))


class Reliability(_Pictured, _reliability.Reliability):
    """A score beside people's labels; pictured as what people pass by score, and rows per bin."""

    __slots__ = ()

    @property
    def view(self) -> ReliabilityView:
        """What the picture says, as values with their wording."""
        return reliability_view(self)


class EscalationBand(_Pictured, _escalation.EscalationBand):
    """The scores that are sent on; pictured as errors by the share of rows sent on."""

    __slots__ = ()

    @property
    def view(self) -> EscalationView:
        """What the picture says, as values with their wording."""
        return escalation_view(self)


class JudgeDrift(_Pictured, _drift.JudgeDrift):
    """A judge's versions; pictured as rates and kappa over time, and offsets of versions."""

    __slots__ = ()

    @property
    def view(self) -> DriftView:
        """What the picture says, as values with their wording."""
        return drift_view(self)


class LengthSlope(_Pictured, _length_slope.LengthSlope):
    """Verdicts and the length of answers; pictured as what passes by length."""

    __slots__ = ()

    @property
    def view(self) -> LengthView:
        """What the picture says, as values with their wording."""
        return length_view(self)


def _pictured(make: Callable[P, Any], kind: Callable[..., R]) -> Callable[P, R]:
    """The function, whose result is of a kind that has a picture."""

    @wraps(make)
    def made(*args: P.args, **keywords: P.kwargs) -> R:
        result = make(*args, **keywords)
        return kind(**{field.name: getattr(result, field.name) for field in fields(result)})

    return made


escalation_band = _pictured(_escalation.escalation_band, EscalationBand)
judge_drift = _pictured(_drift.judge_drift, JudgeDrift)
length_slope = _pictured(_length_slope.length_slope, LengthSlope)
reliability = _pictured(_reliability.reliability, Reliability)
