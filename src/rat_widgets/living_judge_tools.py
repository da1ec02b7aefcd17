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
from rat_widgets.figures.drift import drift_figure
from rat_widgets.figures.escalation import escalation_figure
from rat_widgets.figures.length_slope import length_figure
from rat_widgets.figures.reliability import reliability_figure
from rat_widgets.present.drift import drift_view
from rat_widgets.present.escalation import escalation_view
from rat_widgets.present.length_slope import length_view
from rat_widgets.present.reliability import reliability_view

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


class Reliability(_reliability.Reliability):
    """A score beside people's labels, in print and as a picture."""

    __slots__ = ()

    def figure(self, *, theme: str = "light", width: float = 940) -> Any:
        """The curve as a Plotly figure: what people pass by score, and rows of each bin.

        Parameters
        ----------
        theme : {"light", "dark"}
        width : float
            Width in px, from 320 up; below 740 the numbers stand under the chart.

        Raises
        ------
        ArgumentError
            When the theme is not known or the width is out of range.
        """
        return reliability_figure(reliability_view(self), theme=theme, width=width)


class EscalationBand(_escalation.EscalationBand):
    """The scores that are sent on, in print and as a picture."""

    __slots__ = ()

    def figure(self, *, theme: str = "light", width: float = 940) -> Any:
        """Errors by the share of rows sent on, with this band, as a Plotly figure.

        Parameters
        ----------
        theme : {"light", "dark"}
        width : float
            Width in px, from 320 up; below 740 the numbers stand under the chart.

        Raises
        ------
        ArgumentError
            When the theme is not known or the width is out of range.
        """
        return escalation_figure(escalation_view(self), theme=theme, width=width)


class JudgeDrift(_drift.JudgeDrift):
    """Versions of a judge beside each other and over time, in print and as a picture."""

    __slots__ = ()

    def figure(self, *, theme: str = "light", width: float = 940) -> Any:
        """Rates and kappa over time and offsets of versions, as a Plotly figure.

        Parameters
        ----------
        theme : {"light", "dark"}
        width : float
            Width in px, from 320 up.

        Raises
        ------
        ArgumentError
            When the theme is not known or the width is out of range.
        """
        return drift_figure(drift_view(self), theme=theme, width=width)


class LengthSlope(_length_slope.LengthSlope):
    """How a judge's verdicts move with the length of answers, in print and as a picture."""

    __slots__ = ()

    def figure(self, *, theme: str = "light", width: float = 940) -> Any:
        """What the judge passes by length, of answers judged alike, as a Plotly figure.

        Parameters
        ----------
        theme : {"light", "dark"}
        width : float
            Width in px, from 320 up; below 740 the numbers stand under the chart.

        Raises
        ------
        ArgumentError
            When the theme is not known or the width is out of range.
        """
        return length_figure(length_view(self), theme=theme, width=width)


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
