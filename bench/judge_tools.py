"""How far the tools around a judge keep what they say: coverage, false alarms, kept targets.

Tables are simulated: a score and labels of five shapes of miscalibration, pairs of versions, a
judge over time that is stable or changes at half time, a cascade with a target, a slope on
length. ``RAT_BENCH_TABLES`` sets the number of tables per cell (400). Details go to
``bench/results/judge_tools.json``; what was measured last is in ``bench/measured``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from importlib import metadata
from typing import Any, Final

import numpy as np
from judge_scores import save
from scipy.special import expit

import rat_widgets as rat
from rat_widgets.derived.drift_windows import changes_of

Shape = Callable[[np.ndarray], np.ndarray]

SHAPES: Final[dict[str, Shape]] = {
    "calibrated": lambda s: s,
    "3 points low": lambda s: np.clip(s + 0.03, 0, 1),
    "10 points low": lambda s: np.clip(s + 0.1, 0, 1),
    "overconfident": lambda s: 0.25 + s / 2,
    "squared": lambda s: s**2,
}
WINDOWS: Final = 10
RATES: Final = ((0.9, 0.15), (0.8, 0.5), (0.98, 0.02))


def rows() -> list[dict[str, Any]]:
    """One row per tool and cell."""
    n = int(os.environ.get("RAT_BENCH_TABLES", "400"))
    found = [*_errors(n), *_stable(5 * n), *_changed(n), *_cascade(n), *_slope(n)]
    save("judge_tools", {"rows": found}, {"numpy": metadata.version("numpy")})
    return found


def _row(name: str, hits: np.ndarray | list[bool]) -> dict[str, Any]:
    share = float(np.mean(hits))
    return {
        "name": name,
        "value": share,
        "unit": "share of tables",
        "error": float(np.sqrt(share * (1 - share) / len(hits))),
        "n_tables": len(hits),
    }


def _errors(n_tables: int) -> Iterator[dict[str, Any]]:
    """Coverage of the interval of the expected calibration error."""
    grid = np.random.default_rng(0).beta(2, 2, 400_000)
    place = np.minimum((grid * 10).astype(int), 9)
    for name, shape in SHAPES.items():
        true = np.abs(np.bincount(place, weights=shape(grid) - grid)).sum() / len(grid)
        for n in (100, 500, 2000):
            rng = np.random.default_rng(n)
            hits = []
            for _ in range(n_tables):
                score = rng.beta(2, 2, n)
                ece = rat.reliability(score, (rng.random(n) < shape(score)).astype(int)).ece
                hits.append(ece.lower <= true <= ece.upper)
            yield _row(f"calibration error covered, {name}, {n:,} rows", hits)


def _windows(rng: np.random.Generator, n: int, tpr: float, fpr: float, after: float) -> bool:
    """Whether a judge whose FPR is `after` from half time on gets a mark."""
    place = np.arange(n) * WINDOWS // n
    human = (rng.random(n) < 0.6).astype(int)
    wrong = np.where(place < WINDOWS // 2, fpr, after)
    verdict = (rng.random(n) < np.where(human == 1, tpr, wrong)).astype(int)
    counts = np.zeros((WINDOWS, 2, 2), dtype=np.int64)
    np.add.at(counts, (place, human, verdict), 1)
    return bool(changes_of(counts, [str(w) for w in range(WINDOWS)], ["fail", "pass"], 0.7))


def _stable(n_tables: int) -> Iterator[dict[str, Any]]:
    for n in (200, 500, 2000):
        for tpr, fpr in RATES:
            rng = np.random.default_rng(n)
            hits = [_windows(rng, n, tpr, fpr, fpr) for _ in range(n_tables)]
            yield _row(f"mark on a stable judge, TPR {tpr}, FPR {fpr}, {n:,} verdicts", hits)


def _changed(n_tables: int) -> Iterator[dict[str, Any]]:
    for n in (200, 500, 2000):
        for more in (0.1, 0.2, 0.3):
            rng = np.random.default_rng(n)
            hits = [_windows(rng, n, 0.9, 0.15, 0.15 + more) for _ in range(n_tables)]
            yield _row(f"mark on FPR .15 to {0.15 + more:.2f}, {n:,} verdicts", hits)


def _cascade(n_tables: int) -> Iterator[dict[str, Any]]:
    """Bands whose true error rate keeps to the target, and intervals that cover it."""

    def drawn(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
        score = rng.random(n).round(2)
        return score, (rng.random(n) < score**2 / (score**2 + (1 - score) ** 2)).astype(int)

    fresh, label = drawn(np.random.default_rng(99), 200_000)
    for n in (200, 800, 3200):
        rng = np.random.default_rng(n)
        kept, covered = [], []
        for seed in range(n_tables):
            band = rat.escalation_band(*drawn(rng, n), target=0.08, seed=seed)
            wrong = ((fresh < band.low) & (label == 1)) | ((fresh > band.high) & (label == 0))
            error = band.routes["cascade"].error
            kept.append(wrong.mean() <= 0.08)
            covered.append(error.lower <= wrong.mean() <= error.upper)
        yield _row(f"cascade keeps to the target, {n:,} rows", kept)
        yield _row(f"error rate of the cascade covered, {n:,} rows", covered)


def _slope(n_tables: int) -> Iterator[dict[str, Any]]:
    for n in (50, 200):
        for bias in (0.0, 0.6):
            rng = np.random.default_rng(n)
            hits = []
            for _ in range(n_tables):
                length = np.exp(rng.normal(4.6, 0.6, n))
                x = np.log2(length) - 6.6
                human = (rng.random(n) < expit(0.5 + x)).astype(int)
                says = (rng.random(n) < expit(-1.2 + 2.6 * human + bias * x)).astype(int)
                slope = rat.length_slope(says, length, human).slope
                hits.append(slope.lower <= bias <= slope.upper)
            yield _row(f"slope on length covered, {bias:g} per doubling, {n} rows", hits)
