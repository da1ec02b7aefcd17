"""Label tables that the browser tests look at."""

from __future__ import annotations

import numpy as np
import pandas as pd

import rat_widgets as rat

__all__ = [
    "HOSTILE",
    "LEVELS",
    "hidden_retrieval",
    "hostile_systems",
    "three_levels",
    "two_systems",
]

QWEN = rat.Theta(
    retrieval_success=0.2078,
    abstain_given_miss=0.4632,
    abstain_given_hit=0.0360,
    correct_given_miss=0.4447,
    correct_given_hit=0.6809,
)
APERTUS = rat.Theta(
    retrieval_success=0.2072,
    abstain_given_miss=0.0390,
    abstain_given_hit=0.0050,
    correct_given_miss=0.2585,
    correct_given_hit=0.5157,
)
LEVELS = ("none", "partial", "all")
GRADED = rat.GradedTheta(
    levels=LEVELS,
    retrieval=(0.25, 0.35, 0.4),
    abstain_given=(0.6, 0.35, 0.08),
    correct_given=(0.15, 0.45, 0.8),
)
HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "line\nbreak \"double\" 'single' \\ back",
    "שלום \N{MIDDLE DOT} مرحبا",
    "\N{WOMAN}\N{ZERO WIDTH JOINER}\N{MICROSCOPE} emoji",
    "{{constructor.constructor('alert(3)')()}}",
    "a very long name of a system " * 8,
)


def two_systems(n: int = 600) -> pd.DataFrame:
    """Two systems, every label seen."""
    parts = [
        rat.simulate(theta, n=n, strategy="all_joint", seed=seed).assign(system=name)
        for seed, (name, theta) in enumerate({"Apertus 8B": APERTUS, "Qwen3.5 9B": QWEN}.items())
    ]
    return pd.concat(parts, ignore_index=True)


def hidden_retrieval(n: int = 400) -> pd.DataFrame:
    """One system whose R is missing on a third of the rows: the browser fits it by itself."""
    table = rat.simulate(QWEN, n=n, strategy="all_joint", seed=5)
    hidden = np.random.default_rng(5).random(n) < 1 / 3
    table["R"] = table["R"].astype(float).mask(hidden)
    return table


def three_levels(n: int = 500, *, is_hidden: bool = False) -> pd.DataFrame:
    """One system with graded retrieval; R missing on a third of the rows when asked for."""
    table = rat.simulate(GRADED, n=n, seed=6)
    if is_hidden:
        table["R"] = table["R"].mask(np.random.default_rng(6).random(n) < 1 / 3)
    return table


def hostile_systems(n: int = 60) -> pd.DataFrame:
    """Systems, and a column, whose names try to become markup or code."""
    column = '<b onmouseover=alert(4)>sys"tem</b>'
    parts = [
        rat.simulate(QWEN, n=n, strategy="all_joint", seed=seed).assign(**{column: name})
        for seed, name in enumerate(HOSTILE)
    ]
    return pd.concat(parts, ignore_index=True)
