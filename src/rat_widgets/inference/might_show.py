"""What the rows of a table might have shown in place of what they show, if the model holds.

Variances of the tests of judges are taken over it. Where rows were chosen for labelling by
anything but verdicts, verdicts are what chance decides: rows keep the labels that they show, and
every combination of verdicts has its probability. Where the labelled rows have other verdicts
than the rest, as they have when people looked at what a judge had failed, rows keep their
verdicts, and the labels are what might have been others. The former needs fewer rows: rare
combinations of verdicts count by how rare they are and not by how many of them were seen.
"""

from __future__ import annotations

from itertools import product
from math import prod
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from jaxtyping import Float, Int8
from scipy.special import chdtrc

from rat_widgets.model.likelihood import FIRST_JUDGE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rat_widgets.labels.counts import PatternCounts

__all__ = ["MightShow", "what_rows_might_show"]

# Chance to take rows for chosen by verdict that were not, over all judges.
_SELECTED: Final = 0.01
# More patterns than these are not gone through.
_MOST_PATTERNS: Final = 6000

_Pattern = tuple[int, ...]


class MightShow(NamedTuple):
    """Patterns that were seen, and those that might have been in their place.

    Attributes
    ----------
    patterns : array, shape (pattern, column)
    seen : array, shape (pattern,)
        Rows with the pattern; 0 of most that might have been.
    stratum : array, shape (pattern,)
        Patterns of one stratum might have been in each other's place.
    n : array, shape (stratum,)
        Rows.
    """

    patterns: Int8[np.ndarray, "pattern column"]
    seen: Float[np.ndarray, " pattern"]
    stratum: np.ndarray
    n: Float[np.ndarray, " stratum"]

    def expected(self, total: Float[np.ndarray, " pattern"]) -> Float[np.ndarray, " pattern"]:
        """Rows of each pattern, of which this is the probability under the model."""
        of_stratum = np.bincount(self.stratum, total, len(self.n))
        return self.n[self.stratum] * total / of_stratum[self.stratum]


def what_rows_might_show(counts: PatternCounts) -> MightShow:
    """Of a table of one group."""
    number = counts.effective.sum(axis=0)
    seen: dict[_Pattern, float] = {}
    for (r, a, t, _, *verdicts), n in zip(counts.patterns.tolist(), number.tolist(), strict=True):
        if n:
            pattern = (r, a, t, -1, *verdicts)
            seen[pattern] = seen.get(pattern, 0) + n
    answers = [judge.n_answers for judge in counts.judges]
    if (
        not _chosen_by_verdict(counts, seen)
        and len({_kept(pattern) for pattern in seen}) * prod(answers) <= _MOST_PATTERNS
    ):
        return _made(counts, seen, _kept, lambda key: _verdicts(key, answers))
    n_levels = len(counts.retrieval_levels)
    return _made(counts, seen, _asked, lambda key: _labels(key, n_levels))


def _made(
    counts: PatternCounts,
    seen: dict[_Pattern, float],
    stratum_of: Callable[[_Pattern], _Pattern],
    alternatives: Callable[[_Pattern], Iterator[_Pattern]],
) -> MightShow:
    strata: dict[_Pattern, float] = {}
    for pattern, n in seen.items():
        strata[stratum_of(pattern)] = strata.get(stratum_of(pattern), 0) + n
    patterns = [(pattern, i) for i, key in enumerate(strata) for pattern in alternatives(key)]
    return MightShow(
        np.array([p for p, _ in patterns], np.int8).reshape(-1, counts.patterns.shape[1]),
        np.array([seen.get(p, 0) for p, _ in patterns], dtype=float),
        np.array([i for _, i in patterns], dtype=int),
        np.array(list(strata.values()), dtype=float),
    )


def _kept(pattern: _Pattern) -> _Pattern:
    """Labels as they are, and which verdicts there are."""
    return (*pattern[:FIRST_JUDGE], *(min(v, 0) for v in pattern[FIRST_JUDGE:]))


def _verdicts(key: _Pattern, answers: list[int]) -> Iterator[_Pattern]:
    given = [range(n) if v >= 0 else (-1,) for v, n in zip(key[FIRST_JUDGE:], answers, strict=True)]
    for verdicts in product(*given):
        yield (*key[:FIRST_JUDGE], *verdicts)


def _asked(pattern: _Pattern) -> _Pattern:
    """A and verdicts as they are, and which labels there are."""
    r, a, t, _, *verdicts = pattern
    return (min(r, 0), a, min(t, 0), -1, *verdicts)


def _labels(key: _Pattern, n_levels: int) -> Iterator[_Pattern]:
    r, a, t, _, *verdicts = key
    for level, right in product(
        range(n_levels) if r >= 0 else (-1,), range(2) if t >= 0 else (-1,)
    ):
        yield (level, a, right, -1, *verdicts)


def _chosen_by_verdict(counts: PatternCounts, seen: dict[_Pattern, float]) -> bool:
    """Whether, among rows alike in A, verdicts go with the labels that there are."""
    rows = np.array(list(seen.values()))
    patterns = np.array(list(seen), dtype=int).reshape(len(rows), -1)
    labels = 2 * (patterns[:, 0] >= 0) + (patterns[:, 2] >= 0)
    p_values = []
    for j, judge in enumerate(counts.judges):
        verdict = patterns[:, FIRST_JUDGE + j]
        for a in (-1, 0, 1):
            table = np.zeros((4, judge.n_answers))
            some = (patterns[:, 1] == a) & (verdict >= 0)
            np.add.at(table, (labels[some], verdict[some]), rows[some])
            table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
            if min(table.shape) > 1:
                p_values.append(_independence(table))
    return bool(p_values) and min(p_values) * len(p_values) < _SELECTED


def _independence(table: Float[np.ndarray, "row column"]) -> float:
    """P-value of Pearson's test that rows and columns of a table go by chance alone.

    Written out here, for `scipy.stats` takes half a second to import.
    """
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    pearson = ((table - expected) ** 2 / expected).sum()
    return float(chdtrc((table.shape[0] - 1) * (table.shape[1] - 1), pearson))
