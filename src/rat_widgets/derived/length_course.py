"""What a judge passes by the length of answers: shares in bins, and the curve of the slope."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.derived.drift_windows import share_measured, windows_of
from rat_widgets.derived.logistic_slope import Cells, intercepts_at
from rat_widgets.derived.printed import Measured

__all__ = ["LengthBin", "LengthCurve", "bins_of", "curves_of"]

_LEAST: Final = 20
_MOST_BINS: Final = 8
_N_POINTS: Final = 25


@dataclass(frozen=True, kw_only=True, slots=True)
class LengthBin:
    """Answers with about one length.

    Attributes
    ----------
    among : str
        "fail" or "pass", which people say of them; "all" without people's labels.
    low, high : float
        Lengths from and to.
    n : int
        Answers.
    length : float
        Their geometric mean length.
    share : Measured
        Share that the judge passes.
    """

    among: str
    low: float
    high: float
    n: int
    length: float
    share: Measured


@dataclass(frozen=True, kw_only=True, slots=True)
class LengthCurve:
    """Pairs of a length and the share that passes under the median slope, the same for all."""

    among: str
    points: tuple[tuple[float, float], ...]


def bins_of(
    length: Float[np.ndarray, " row"],
    passed: Int[np.ndarray, " row"],
    group: Int[np.ndarray, " row"],
    names: Sequence[str],
    ci_prob: float,
) -> tuple[LengthBin, ...]:
    """Up to eight bins of each group, of about equally many answers, 20 at least.

    Answers of one length are in one bin.
    """
    made = []
    for g, name, (lengths, verdicts) in _by_group(length, passed, group, names):
        n_bins = max(1, min(_MOST_BINS, int((group == g).sum()) // _LEAST))
        place = windows_of(lengths, n_bins)
        for b in np.unique(place):
            inside = place == b
            n = int(inside.sum())
            made.append(
                LengthBin(
                    among=name,
                    low=float(lengths[inside].min()),
                    high=float(lengths[inside].max()),
                    n=n,
                    length=float(np.exp2(np.log2(lengths[inside]).mean())),
                    share=share_measured(int(verdicts[inside].sum()), n, ci_prob),
                )
            )
    return tuple(made)


def _by_group(
    length: Float[np.ndarray, " row"],
    passed: Int[np.ndarray, " row"],
    group: Int[np.ndarray, " row"],
    names: Sequence[str],
) -> Iterator[tuple[int, str, tuple[np.ndarray, np.ndarray]]]:
    """Lengths in rising order and verdicts of each group."""
    for g, name in enumerate(names):
        rows = np.flatnonzero(group == g)
        rows = rows[np.argsort(length[rows], kind="stable")]
        yield g, name, (length[rows], passed[rows])


def curves_of(
    slope: float, cells: Cells, middle: float, names: Sequence[str]
) -> tuple[LengthCurve, ...]:
    """The share that passes by length, from the shortest to the longest answer of each group.

    Parameters
    ----------
    slope : float
        Per doubling.
    cells : Cells
        With x = log2(length) - `middle`.
    names : sequence of str
        Of the groups.

    Notes
    -----
    With the most probable intercepts under that slope.
    """
    from scipy.special import expit

    intercepts = intercepts_at(np.array([slope]), cells)[0][0]
    made = []
    for g, name in enumerate(names):
        x = cells.x[cells.group == g]
        grid = np.linspace(x.min(), x.max(), _N_POINTS)
        share = expit(intercepts[g] + slope * grid)
        points = zip(np.exp2(grid + middle).tolist(), share.tolist(), strict=True)
        made.append(LengthCurve(among=name, points=tuple(points)))
    return tuple(made)
