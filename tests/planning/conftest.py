"""Reference points of STATS.md, section 5."""

from __future__ import annotations

import pytest

import rat_widgets as rat

POINTS = {
    "qwen": (0.2078, 0.4632, 0.0360, 0.4447, 0.6809),
    "apertus": (0.2072, 0.0390, 0.0050, 0.2585, 0.5157),
}


@pytest.fixture(scope="session")
def points() -> dict[str, rat.Theta]:
    return {name: rat.Theta.from_array(values) for name, values in POINTS.items()}


@pytest.fixture(scope="session")
def qwen(points) -> rat.Theta:
    return points["qwen"]


@pytest.fixture(scope="session")
def apertus(points) -> rat.Theta:
    return points["apertus"]


@pytest.fixture(scope="session")
def graded() -> rat.GradedTheta:
    return rat.GradedTheta(
        levels=("none", "partial", "all"),
        retrieval=(0.2, 0.3, 0.5),
        abstain_given=(0.5, 0.2, 0.1),
        correct_given=(0.1, 0.5, 0.9),
    )
