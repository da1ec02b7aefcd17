"""Places: which pattern each row of a table shows, which group it is in, how it is called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Bool, Int, Int64

from rat_widgets.errors import FrameChangedError
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.frames import Frame, free_name
from rat_widgets.labels.roles import Roles
from rat_widgets.labels.tally import Coder, SliceCodes, tally_of

__all__ = ["Place", "names_at", "places"]


class Place(NamedTuple):
    """Where the rows of one slice belong, by the combinations of cells that they show.

    Attributes
    ----------
    start : int
        Position of the slice's first row.
    pattern, group : int64 arrays, shape (combination,)
        Which of the counts' patterns and groups; pattern -1 where rows are not counted, group
        -1 where a value is missing.
    is_errored : bool array, shape (combination,)
        Whether the call went wrong, counted or not.
    combination : int array, shape (row,)
        Which combination each row shows.
    """

    start: int
    pattern: Int64[np.ndarray, " combination"]
    group: Int64[np.ndarray, " combination"]
    is_errored: Bool[np.ndarray, " combination"]
    combination: Int[np.ndarray, " row"]


def places(frame: Frame, counts: PatternCounts, roles: Roles, coder: Coder) -> Iterator[Place]:
    """Slice by slice where rows belong.

    Raises
    ------
    FrameChangedError
        At the latest after the last slice, when the rows are not those that were counted.
    """
    number = {pattern.tobytes(): i for i, pattern in enumerate(counts.patterns)}
    group_number = {key: i for i, key in enumerate(counts.groups)}
    parts: list[SliceCodes] = []
    start = 0
    for chunks, n_rows in frame.slices([*roles.by, *roles.labels]):
        part = coder.slice_codes(chunks, n_rows)
        judged = roles.treatment.judged(part.codes)
        has_group = (part.by != -1).all(axis=1)
        if (judged.is_counted & ~has_group).any():
            raise _changed()
        pattern, group = np.full((2, len(part.rows)), -1, dtype=np.int64)
        for i in np.flatnonzero(judged.is_counted):
            pattern[i] = number.get(judged.patterns[i].tobytes(), -1)
            if pattern[i] == -1:
                raise _changed()
        group[has_group] = [group_number.get(k, -1) for k in coder.keys(part.by[has_group])]
        yield Place(start, pattern, group, judged.is_errored, part.combination)
        parts.append(replace(part, combination=part.combination[:0].copy()))
        start += n_rows
    found = roles.treatment.counts(tally_of(coder, iter(parts)), by=roles.by)
    if replace(found, deff=counts.deff) != counts:
        raise _changed()


def names_at(
    frame: Frame, positions: Int64[np.ndarray, " row"], item: str | None
) -> tuple[list[Any], list[Any] | None]:
    """How rows of a frame in memory are called; see `Labels.names_at`."""
    import narwhals as nw

    taken = frame.taken(positions, free_name("place", frame.columns), positions.astype(float))
    is_pandas = nw.dependencies.is_pandas_dataframe(taken)
    rows = list(taken.index) if is_pandas else positions.tolist()
    if item is None:
        return rows, None
    return rows, nw.from_native(taken, eager_only=True).get_column(item).to_list()


def _changed() -> FrameChangedError:
    return FrameChangedError.build(
        "The table no longer holds the rows that were counted.",
        hint="read it again with `labels.from_same(df)`.",
    )
