"""Settings that hold for every test."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any, get_args

import pytest
from beartype import beartype
from hypothesis import HealthCheck, settings
from jaxtyping import AbstractArray, config, install_import_hook

# The same examples in every run, and no judgement of a busy machine's speed.
settings.register_profile(
    "reproducible", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("reproducible")


def _has_shape(hint: Any) -> bool:
    is_array = isinstance(hint, type) and issubclass(hint, AbstractArray)
    return is_array or any(map(_has_shape, get_args(hint)))


# Take what people hand over, and check or convert it themselves.
_BORDER = {"__init__", "rows"}


def check_shapes(function: Callable[..., Any]) -> Callable[..., Any]:
    """Check the annotations that give shapes, and leave the others to the type checker."""
    if function.__name__ in _BORDER:
        return function
    shapes = {}
    for name, hint in getattr(function, "__annotations__", {}).items():
        try:
            value = eval(hint, function.__globals__) if isinstance(hint, str) else hint
        except (NameError, TypeError):  # names that only a type checker imports
            continue
        if _has_shape(value):
            shapes[name] = value
    if not shapes:
        return function
    function.__annotations__ = shapes
    return beartype(function)


# Every annotation of a shape is a test: arrays of another shape or type raise.
_checker = ModuleType("rat_shapes")
_checker.check_shapes = check_shapes  # type: ignore[attr-defined]
sys.modules["rat_shapes"] = _checker
install_import_hook(
    [f"rat_widgets.{layer}" for layer in ("model", "inference", "derived", "labels", "planning")],
    "rat_shapes.check_shapes",
)


@pytest.fixture
def without_shape_checks() -> Iterator[None]:
    """For simulations: checks took three fifths of the time, and others call the same code."""
    config.update("jaxtyping_disable", True)
    yield
    config.update("jaxtyping_disable", False)
