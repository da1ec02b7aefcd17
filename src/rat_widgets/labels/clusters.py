"""Rows that hang together: how alike the rows of one cluster are, and what that costs.

n rows in clusters say as much as n / deff independent ones, with Kish's design effect
deff = 1 + (m - 1) rho. Here m = sum of m_c squared / n is the mean size of a row's own cluster,
and rho the intraclass correlation: the share of a label's variance that lies between clusters,
estimated by an analysis of variance. Each label has its own; the one with the largest design
effect is taken, so that intervals are wide enough for all of them.

Rows that people labelled are spread over clusters more thinly than rows that only a judge has
seen, and each of them says more. With the same rho they have a design effect by their own sizes;
that of the other rows is such that all rows together are worth what their number and all sizes
allow: verdicts beside labels in the same clusters add less than verdicts elsewhere.

References
----------
Kish (1965), "Survey Sampling", section 5.4; Donner (1986), "A Review of Inference Procedures for
the Intraclass Correlation Coefficient".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int, Int64

from rat_widgets.labels.coding import value_codes
from rat_widgets.labels.effective import kinds_of_rows
from rat_widgets.labels.frames import Frame
from rat_widgets.labels.keys import GroupKey, is_missing, plain_value
from rat_widgets.labels.roles import Roles
from rat_widgets.labels.scalars import LabelReader
from rat_widgets.labels.tally import Coder

__all__ = ["ClusterReport", "ClusteredRows", "cluster_report", "clustered_rows"]

_ABSTENTION, _TASK, _ANSWERABLE = 1, 2, 3


class ClusteredRows(NamedTuple):
    """The counted rows, each with its group and its cluster.

    Attributes
    ----------
    groups : tuple of keys
    group, cluster : int64 arrays, shape (row,)
        A row without a value in the column of clusters is a cluster of its own.
    patterns : int8 array, shape (row, 4 + judge)
    values : tuple
        What the numbers in `cluster` from 0 on stand for.
    """

    groups: tuple[GroupKey, ...]
    group: Int64[np.ndarray, " row"]
    cluster: Int64[np.ndarray, " row"]
    patterns: Int[np.ndarray, "row column"]
    values: tuple[object, ...] = ()

    def of(self, group: GroupKey) -> ClusteredRows:
        """The rows of one group."""
        chosen = self.group == (self.groups.index(group) if group in self.groups else -1)
        return ClusteredRows(
            (group,), np.zeros(chosen.sum(), np.int64), self.cluster[chosen], self.patterns[chosen]
        )


class ClusterReport(NamedTuple):
    """What clusters do to one group.

    Attributes
    ----------
    n_rows, n_clusters : int
    correlation : float
        Intraclass correlation of the label whose design effect is the largest; 0 where every
        row is a cluster of its own, 1 where there is but one cluster, which shows nothing.
    deff : tuple of two floats
        Design effects, at least 1: of rows with a human label of R or T, and of the others.
    label : str
        That label: R, A, T or a judge's name; "" where none has a design effect above 1.
    n_labelled : int
        Rows with a human label of R or T.
    """

    n_rows: int
    n_clusters: int
    correlation: float
    deff: tuple[float, float]
    label: str
    n_labelled: int


def clustered_rows(
    frame: Frame, roles: Roles, readers: Sequence[LabelReader], cluster: str
) -> ClusteredRows:
    """Group, cluster and pattern of every row that counts, in one pass over the table."""
    coder = Coder(by=roles.by, readers=readers)
    index: dict[object, int] = {}
    number: dict[GroupKey, int] = {}
    found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []
    n_alone = 0
    for (own, *chunks), n_rows in frame.slices([cluster, *roles.by, *roles.labels]):
        part = coder.slice_codes(chunks, n_rows)
        judged = roles.treatment.judged(part.codes)
        kept = judged.is_counted[part.combination]
        keys = [number.setdefault(key, len(number)) for key in coder.keys(part.by)]
        group = np.array(keys, dtype=np.int64)[part.combination]
        codes, values = value_codes(own)
        table = np.array([_code(value, index) for value in values] + [-1], dtype=np.int64)
        clusters = table[codes]
        alone = np.flatnonzero(clusters == -1)
        clusters[alone] = -2 - n_alone - np.arange(len(alone))
        n_alone += len(alone)
        found.append((group[kept], clusters[kept], judged.patterns[part.combination[kept]]))
    width = 4 + len(roles.judges)
    empty = (np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros((0, width), np.int8))
    group, clusters, patterns = (np.concatenate(each) for each in zip(empty, *found, strict=True))
    return ClusteredRows(tuple(number), group, clusters, patterns, tuple(index))


def _code(value: object, index: dict[object, int]) -> int:
    return -1 if is_missing(value) else index.setdefault(plain_value(value), len(index))


def cluster_report(rows: ClusteredRows, names: Sequence[str]) -> ClusterReport:
    """The design effect of one group's rows.

    Parameters
    ----------
    rows : ClusteredRows
        Of one group.
    names : sequence of str
        What the columns of the patterns are called.
    """
    n_rows = len(rows.cluster)
    n_clusters = len(np.unique(rows.cluster))
    most, correlation, label = 1.0, 0.0, ""
    for column, name in enumerate(names):
        if column == _ANSWERABLE:
            continue
        values = rows.patterns[:, column].astype(float)
        if column == _TASK:  # who declined did not solve it
            values[rows.patterns[:, _ABSTENTION] == 1] = 0.0
        seen = values != -1
        size, rho = _intraclass(values[seen], rows.cluster[seen])
        if 1 + (size - 1) * rho > most:
            most, correlation, label = 1 + (size - 1) * rho, rho, name
    effects = _effects(rows, correlation)
    n_labelled = int(kinds_of_rows(rows.patterns)[0].sum())
    return ClusterReport(n_rows, n_clusters, correlation, effects, label, n_labelled)


def _effects(rows: ClusteredRows, correlation: float) -> tuple[float, float]:
    """Of labelled rows and of the others, which are worth what all are beyond the labelled."""
    labelled, others = kinds_of_rows(rows.patterns)
    n_labelled, n_others = float(labelled.sum()), float(others.sum())
    effect = 1 + (_own_size(rows.cluster[labelled]) - 1) * correlation
    of_all = 1 + (_own_size(rows.cluster) - 1) * correlation
    every = (n_labelled + n_others) / of_all
    beyond = max(every - n_labelled / effect, min(1.0, n_others))
    return effect, max(1.0, n_others / beyond) if n_others else 1.0


def _own_size(cluster: Int64[np.ndarray, " row"]) -> float:
    """Mean size of a row's own cluster; 1 where there is no row."""
    sizes = np.unique(cluster, return_counts=True)[1].astype(np.float64)
    return float((sizes**2).sum() / sizes.sum()) if len(sizes) else 1.0


def _intraclass(
    values: Float[np.ndarray, " row"], cluster: Int64[np.ndarray, " row"]
) -> tuple[float, float]:
    """Mean size of a row's own cluster, and the intraclass correlation, from 0 to 1."""
    n = len(values)
    if n == 0:
        return 1.0, 0.0
    _, place, sizes = np.unique(cluster, return_inverse=True, return_counts=True)
    size = float((sizes.astype(float) ** 2).sum() / n)
    k = len(sizes)
    if k == n or np.ptp(values) == 0:
        return size, 0.0
    if k == 1:
        return size, 1.0
    means = np.bincount(place, weights=values) / sizes
    within = float(((values - means[place]) ** 2).sum() / (n - k))
    between = float((sizes * (means - values.mean()) ** 2).sum() / (k - 1))
    usual = (n - size) / (k - 1)
    variance = max(0.0, (between - within) / usual)
    total = variance + within
    return size, min(1.0, variance / total) if total > 0 else 0.0
