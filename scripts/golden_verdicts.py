"""Golden data sets of judges that are graded, dependent or saturated, for the check against Stan.

Verdicts are drawn here by what is said of each judge, without the library's listing of splits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np
from jaxtyping import Int8

from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.labels.levels import TWO_LEVELS

__all__ = ["VERDICTS"]

Made = tuple[str, PatternCounts, Any]
Rows = Int8[np.ndarray, "row column"]

# R, A after a miss and a hit, T likewise.
_THETA: Final = (0.55, 0.35, 0.1, 0.35, 0.75)


def _rows(rng: np.random.Generator, n: int) -> Rows:
    """R, A, and T, which is 0 where A is 1."""
    r = rng.random(n) < _THETA[0]
    a = rng.random(n) < np.where(r, _THETA[2], _THETA[1])
    t = ~a & (rng.random(n) < np.where(r, _THETA[4], _THETA[3]))
    return np.stack([r, a, t], axis=1).astype(np.int8)


def _says(rng: np.random.Generator, p: Any) -> Int8[np.ndarray, " row"]:
    """Verdicts of 1 with these probabilities."""
    return (rng.random(len(p)) < p).astype(np.int8)


def _grades(
    rng: np.random.Generator, truth: Any, given_1: Sequence[float], given_0: Sequence[float]
) -> Int8[np.ndarray, " row"]:
    """Levels by their shares given the truth."""
    u = rng.random(len(truth))[:, None]
    ends = np.where(truth[:, None] == 1, np.cumsum(given_1), np.cumsum(given_0))[:, :-1]
    return (u > ends).sum(axis=1).astype(np.int8)


def _counts(
    rows: Rows,
    verdicts: Sequence[Any],
    judges: Sequence[Judge],
    shown: Sequence[tuple[int, str]],
    levels: tuple[str, ...] = TWO_LEVELS,
) -> PatternCounts:
    """Rows of which so many show these labels, one batch after the other; every verdict is seen.

    Where A is seen to be 1, T and verdicts on it are left out. T=0 stays where A is hidden.
    """
    seen = rows.copy()
    start = 0
    for n, letters in shown:
        hidden = [i for i, letter in enumerate("RAT") if letter not in letters]
        seen[start : start + n, hidden] = -1
        start += n
    said = np.stack(verdicts, axis=1)
    of_task = [judge.of == "task" for judge in judges]
    declined = seen[:, 1] == 1
    seen[declined, 2] = -1
    said[np.ix_(declined, of_task)] = -1
    labels = np.concatenate([seen, np.full((len(rows), 1), -1, dtype=np.int8), said], axis=1)
    return PatternCounts(
        judges=tuple(judges),
        retrieval_levels=levels,
        patterns=labels,
        counts=np.ones((1, len(rows)), dtype=np.int64),
    )


def _levels_of_t() -> Made:
    rng = np.random.default_rng(41)
    rows = _rows(rng, 500)
    judge = Judge("g", of="task", levels=(0, 1, 2, 3))
    grades = _grades(rng, rows[:, 2], (0.1, 0.15, 0.3, 0.45), (0.45, 0.3, 0.15, 0.1))
    counts = _counts(rows, [grades], [judge], [(160, "RAT"), (60, "T"), (240, "A"), (40, "")])
    origin = "160 complete rows, 60 with T, 240 with A, 40 without labels, a judge of T with four"
    return f"{origin} levels on all of them, seed 41", counts, None


def _levels_of_r_and_t() -> Made:
    rng = np.random.default_rng(42)
    rows = _rows(rng, 400)
    judges = (
        Judge("gR", of="retrieval", levels=("no", "part", "yes"), prior={"given_1": (1, 2, 4)}),
        Judge("gT", of="task", levels=(1, 2, 3), prior={"given_0": (3, 1.5, 0.5)}),
    )
    verdicts = [
        _grades(rng, rows[:, 0], (0.1, 0.2, 0.7), (0.5, 0.35, 0.15)),
        _grades(rng, rows[:, 2], (0.1, 0.3, 0.6), (0.7, 0.2, 0.1)),
    ]
    counts = _counts(rows, verdicts, judges, [(120, "RAT"), (60, "R"), (220, "A")])
    origin = "120 complete rows, 60 with R, 220 with A, judges of R and T with three levels on all"
    return f"{origin} of them, a Dirichlet of one's own for each, seed 42", counts, None


def _t_by_r() -> Made:
    rng = np.random.default_rng(43)
    rows = _rows(rng, 560)
    r, _, t = rows.T
    judge = Judge("d", of="task", depends_on="retrieval")
    says = _says(rng, np.where(t, np.where(r, 0.9, 0.8), np.where(r, 0.1, 0.45)))
    counts = _counts(rows, [says], [judge], [(200, "RAT"), (40, "RT"), (280, "A"), (40, "")])
    origin = "200 complete rows, 40 without A, 280 with A, 40 without labels, a judge of T (0.8 and"
    return f"{origin} 0.45 after misses, 0.9 and 0.1 after hits) on all, seed 43", counts, None


def _r_by_t() -> Made:
    rng = np.random.default_rng(44)
    rows = _rows(rng, 500)
    r, a, t = rows.T
    judges = (
        Judge("d", of="retrieval", depends_on="task", prior={"fpr_given_right": (2, 3)}),
        Judge("a", of="abstention", depends_on="retrieval"),
    )
    verdicts = [
        _says(rng, np.where(r, np.where(t, 0.95, 0.75), np.where(t, 0.5, 0.15))),
        _says(rng, np.where(a, np.where(r, 0.8, 0.9), np.where(r, 0.05, 0.15))),
    ]
    counts = _counts(rows, verdicts, judges, [(180, "RAT"), (60, "RT"), (60, "T"), (200, "A")])
    origin = (
        "180 complete rows, 60 with R and T, 60 with T, 200 with A, a judge of R that is led by"
    )
    return f"{origin} the answer and one of A that depends on R on all, seed 44", counts, None


def _t_and_a() -> Made:
    """Judges of T by A and of A by T: where A is hidden the first speaks of what was declined."""
    rng = np.random.default_rng(46)
    rows = _rows(rng, 520)
    _, a, t = rows.T
    judges = (
        Judge("d", of="task", depends_on="abstention", prior={"fpr_given_abstained": (2, 3)}),
        Judge("a", of="abstention", depends_on="task"),
    )
    verdicts = [
        _says(rng, np.where(t, 0.85, np.where(a, 0.45, 0.15))),
        _says(rng, np.where(a, 0.9, np.where(t, 0.05, 0.3))),
    ]
    counts = _counts(rows, verdicts, judges, [(180, "RAT"), (120, "RT"), (60, "R"), (160, "A")])
    origin = (
        "180 complete rows, 120 without A, 60 with R, 160 with A, a judge of T that depends on A"
    )
    return f"{origin} and one of A that depends on T on all, seed 46", counts, None


def _levels_of_levels() -> Made:
    """R of three levels, and two judges that grade it in three."""
    rng = np.random.default_rng(47)
    n = 480
    level = rng.choice(3, n, p=(0.25, 0.3, 0.45))
    a = rng.random(n) < np.array([0.45, 0.25, 0.1])[level]
    t = ~a & (rng.random(n) < np.array([0.2, 0.5, 0.8])[level])
    rows = np.stack([level, a, t], axis=1).astype(np.int8)
    told = (
        ((0.7, 0.2, 0.1), (0.25, 0.5, 0.25), (0.05, 0.25, 0.7)),
        ((0.6, 0.3, 0.1), (0.4, 0.4, 0.2), (0.2, 0.3, 0.5)),
    )
    judges = tuple(Judge(name, of="retrieval", levels=(0, 1, 2)) for name in "gh")
    verdicts = [
        (rng.random(n)[:, None] > np.cumsum(shares, axis=1)[level][:, :-1]).sum(axis=1)
        for shares in told
    ]
    shown = [(160, "RAT"), (60, "R"), (260, "A")]
    counts = _counts(rows, verdicts, judges, shown, ("none", "partial", "all"))
    origin = "160 complete rows, 60 with R of three levels, 260 with A, two judges of R with three"
    return f"{origin} levels on all of them, seed 47", counts, None


def _flat_after(**before: tuple[str, ...]) -> dict[str, tuple[int, int]]:
    """Flat priors of rates of saturated judges, by what those before each said."""
    return {
        f"pass_given_{world}_after_{said}[{name}]": (1, 1)
        for world in ("miss_wrong", "miss_right", "hit_wrong", "hit_right")
        for name, verdicts in before.items()
        for said in verdicts
    }


def _saturated_pair() -> Made:
    """The second often says what the first said; on 100 rows it is alone."""
    rng = np.random.default_rng(45)
    rows = _rows(rng, 560)
    r, _, t = rows.T
    judges = tuple(Judge(name, of="task", dependence="saturated") for name in "ab")
    p = np.where(t, 0.85, np.where(r, 0.15, 0.4))
    first = _says(rng, p)
    second = np.where(rng.random(len(rows)) < 0.4, first, _says(rng, p)).astype(np.int8)
    first[np.r_[200:240, 300:360]] = -1
    counts = _counts(
        rows, [first, second], judges, [(240, "RAT"), (30, "RT"), (250, "A"), (40, "")]
    )
    spec = _flat_after(b=("0", "1"))
    origin = "240 complete rows, 30 without A, 250 with A, 40 without labels, two judges of T that"
    return f"{origin} often agree, the first silent on 100 rows, seed 45", counts, spec


def _saturated_three() -> Made:
    """All three often say what one of them said; each is silent on some rows."""
    rng = np.random.default_rng(48)
    rows = _rows(rng, 560)
    r, _, t = rows.T
    judges = tuple(Judge(name, of="task", dependence="saturated") for name in "abc")
    p = np.where(t, 0.85, np.where(r, 0.15, 0.35))
    common = _says(rng, p)
    verdicts = [
        np.where(rng.random(len(rows)) < 0.4, common, _says(rng, p)).astype(np.int8) for _ in judges
    ]
    for said, silent in zip(verdicts, (range(200, 240), range(300, 340), range(320, 380))):
        said[list(silent)] = -1
    counts = _counts(rows, verdicts, judges, [(240, "RAT"), (30, "RT"), (250, "A"), (40, "")])
    spec = _flat_after(b=("0", "1"), c=("00", "01", "10", "11"))
    origin = (
        "240 complete rows, 30 without A, 250 with A, 40 without labels, three judges of T that"
    )
    return f"{origin} often agree, each silent on some rows, seed 48", counts, spec


VERDICTS: Final[Mapping[str, Callable[[], Made]]] = {
    "levels_of_t": _levels_of_t,
    "levels_of_r_and_t": _levels_of_r_and_t,
    "t_by_r": _t_by_r,
    "r_by_t": _r_by_t,
    "levels_of_levels": _levels_of_levels,
    "t_and_a": _t_and_a,
    "saturated_pair": _saturated_pair,
    "saturated_three": _saturated_three,
}
