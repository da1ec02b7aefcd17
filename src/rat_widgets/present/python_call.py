"""The call that makes a widget again, for *copy as Python*."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from rat_widgets.derived.apart import apart_names
from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.posteriors import Posteriors
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.table import Labels
from rat_widgets.model.theta import GradedTheta, Theta

__all__ = ["python_call", "python_value"]


def python_call(function: str, x: Any, keywords: Mapping[str, Any], **shown: Any) -> str:
    """The call without its closing bracket; JSON and repr of plain values are Python."""
    defaults = {"ci_prob": 0.95, "ci_kind": "eti"}
    kind = {Posterior: "post", Posteriors: "posts", Labels: "labels", PatternCounts: "counts"}
    name = next((name for cls, name in kind.items() if isinstance(x, cls)), "df")
    if isinstance(x, (Theta, GradedTheta)):
        name = python_value(x)
    if isinstance(x, (Posterior, Posteriors)) and _pins(x):
        name += ".unpin()"  # its pins are controls
    parts = [name]
    for key, value in keywords.items():
        parts.append(f"{key}={python_value(apart_names(value) if key == 'apart' else value)}")
    parts += [f"{k}={v!r}" for k, v in shown.items() if v != defaults[k]]
    return f"{function}({', '.join(parts)}"


def python_value(value: Any) -> str:
    """Source that makes the value again: plain values, and frozen values of this package."""
    if hasattr(value, "tolist") and not isinstance(value, type):  # of NumPy or pandas
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        inner = [python_value(v) for v in value]
        text = ", ".join(inner) + ("," if isinstance(value, tuple) and len(inner) == 1 else "")
        return f"[{text}]" if isinstance(value, list) else f"({text})"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{k!r}: {python_value(v)}' for k, v in value.items())}}}"
    if is_dataclass(value) and not isinstance(value, type):
        parts = [
            f"{f.name}={python_value(getattr(value, f.name))}"
            for f in fields(value)
            if getattr(value, f.name) != f.default
        ]
        return f"rat.{type(value).__name__}({', '.join(parts)})"
    return repr(value)


def _pins(x: Posterior | Posteriors) -> Mapping[str, float]:
    return (x if isinstance(x, Posterior) else x.members[0]).pins
