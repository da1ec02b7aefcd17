"""Labels: the validated label columns of one data frame, and the counts of their patterns."""

from __future__ import annotations

import html
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from jaxtyping import Float, Int64

from rat_widgets.errors import ArgumentError
from rat_widgets.labels.checks import DataReport, data_report
from rat_widgets.labels.clusters import (
    ClusteredRows,
    ClusterReport,
    cluster_report,
    clustered_rows,
)
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.frames import Frame, frame_of, free_name
from rat_widgets.labels.judges import Judge
from rat_widgets.labels.levels import read_levels
from rat_widgets.labels.places import Place, names_at, places
from rat_widgets.labels.roles import Roles, read_roles, spoken_keywords
from rat_widgets.labels.scalars import LabelReader, readers_of
from rat_widgets.labels.tally import Coder, Tally
from rat_widgets.labels.validate import require_labels, require_other_columns

__all__ = ["Labels"]


@dataclass(frozen=True, kw_only=True, slots=True, eq=False, repr=False)
class Labels:
    """What was observed about each query: made by `Labels.from_frame`, never changed.

    Parameters
    ----------
    counts : PatternCounts
        All that the model sees of the data.
    keywords : dict
        The keywords of `from_frame` that differ from its defaults.
    roles : Roles
        Which column plays which part.
    tally : Tally
        Raw labels before contradictions and errored rows were dealt with.
    source : Frame
        The table, as it was when it was handed over.
    clusters : tuple of ClusterReport
        What clusters do to each group; empty without `cluster`.
    """

    counts: PatternCounts
    keywords: Mapping[str, Any]
    roles: Roles
    tally: Tally
    source: Frame
    clusters: tuple[ClusterReport, ...] = ()

    @classmethod
    def from_frame(
        cls,
        df: Any,
        retrieval: str | None = "R",
        abstention: str | None = "A",
        task: str | None = "T",
        *,
        judges: Sequence[Judge] | Judge = (),
        by: str | Sequence[str] = (),
        item: str | None = None,
        values: Mapping[Any, Any] | None = None,
        retrieval_levels: Sequence[str | int] | None = None,
        errored: str | None = None,
        errored_as: Literal["excluded", "failures"] = "excluded",
        answerable: str | None = None,
        stratum: str | None = None,
        cluster: str | None = None,
        trial: str | None = None,
        weight: str | None = None,
        on_contradiction: Literal["error", "drop", "trust_abstention", "trust_answer"] = "error",
    ) -> Labels:
        """The labels of a table with one row per query (and system, and trial).

        Label cells are True and False, 1 and 0, or missing.

        Parameters
        ----------
        df : data frame
            pandas, Polars (eager or lazy), PyArrow, a DuckDB relation, or what narwhals reads.
        retrieval, abstention, task : str or None
            Columns of R, A and T; None when not recorded. ``abstention="never"`` says that
            the system answers every query.
        judges : sequence of Judge
        by : str or sequence of str
            Grouping columns: one posterior for each combination of their values.
        item : str, optional
            Identifies the query; pairs systems. An item occurs once per group (and trial).
        values : mapping, optional
            How raw cells read, ``{"yes": 1, "no": 0, "unsure": None}``, in all label columns.
        retrieval_levels : sequence of str or int, optional
            Graded retrieval: names of R's levels, the lowest first, ``("none", "partial", "all")``
            or ``(0, 1, 2, 3)``. Cells of R hold these, or numbers from 0 where names are words.
            The top level is a hit, every other one a miss.
        errored : str, optional
            Column that is true on rows whose call crashed or was refused by the provider.
        errored_as : "excluded" or "failures"
            Leave such rows out, or count them as answered and wrong.
        answerable : str, optional
            Label column: does the corpus hold an answer at all?
        cluster : str, optional
            What makes rows dependent: a conversation, a document, a repeated query. Counts are
            divided by the design effect that its labels show, `clusters`.
        stratum, trial, weight : str, optional
            How rows were chosen for labelling; the number of the repeat; a positive weight.
            Checked and kept.
        on_contradiction : "error", "drop", "trust_abstention" or "trust_answer"
            What to do with rows that say A=1 and T=1.

        Raises
        ------
        ArgumentError, ArgumentTypeError, MissingColumnError
            When a keyword is not accepted or a column is not there.
        LabelValueError, ContradictionError, DuplicateItemError
            When the cells are not what they should be.
        """
        levels = read_levels(retrieval_levels)
        clusters: tuple[ClusterReport, ...] = ()
        frame = frame_of(df)
        given = {
            "retrieval": retrieval,
            "abstention": abstention,
            "task": task,
            "judges": judges,
            "by": by,
            "item": item,
            "errored": errored,
            "errored_as": errored_as,
            "answerable": answerable,
            "stratum": stratum,
            "cluster": cluster,
            "trial": trial,
            "weight": weight,
            "on_contradiction": on_contradiction,
        }
        roles = read_roles(frame.columns, levels=levels, **given)
        readers = readers_of(values, retrieval_levels, roles.judges)
        coder = Coder(by=roles.by, readers=readers)
        tally = frame.tally(roles.by, roles.labels, coder)
        require_labels(frame, roles, readers, tally)
        require_other_columns(frame, roles)
        counts = roles.treatment.counts(tally, by=roles.by)
        if roles.cluster is not None:
            rows = clustered_rows(frame, roles, readers, roles.cluster)
            found = [cluster_report(rows.of(key), counts.columns) for key in counts.groups]
            counts = replace(counts, deff=np.array([one.deff for one in found]))
            clusters = tuple(found)
        return cls(
            counts=counts,
            clusters=clusters,
            keywords=spoken_keywords(
                {**given, "retrieval_levels": retrieval_levels}, roles, values
            ),
            roles=roles,
            tally=tally,
            source=frame,
        )

    def from_same(self, df: Any) -> Labels:
        """The labels of another table, read with the same keywords."""
        return Labels.from_frame(df, **self.keywords)

    @property
    def frame(self) -> Any:
        """The table that was read, as its own library knows it."""
        return self.source.native

    @property
    def column_names(self) -> tuple[Any, ...]:
        """Every column of the table, read or not."""
        return tuple(self.source.columns)

    def varies(self, column: str) -> bool:
        """Whether a column of the table holds more than one value."""
        import narwhals as nw

        distinct = nw.from_native(self.source.native).lazy().select(nw.col(column).n_unique())
        return bool(distinct.collect().item() > 1)

    @property
    def n_rows(self) -> int:
        """Rows of the table, errored and dropped ones included."""
        return int(self.tally.rows.sum())

    @property
    def judges(self) -> tuple[Judge, ...]:
        """The judges, in the order of their columns in `counts.patterns`."""
        return self.roles.judges

    @property
    def by(self) -> tuple[str, ...]:
        """The grouping columns."""
        return self.roles.by

    @property
    def retrieval(self) -> str | None:
        """The column of R."""
        return self.roles.retrieval

    @property
    def retrieval_levels(self) -> tuple[str, ...]:
        """Names of the levels of R, the lowest first."""
        return self.counts.retrieval_levels

    @property
    def abstention(self) -> str | None:
        """The column of A; ``"never"`` when the system answers every query."""
        return "never" if self.roles.treatment.always_answers else self.roles.abstention

    @property
    def task(self) -> str | None:
        """The column of T."""
        return self.roles.task

    @property
    def item(self) -> str | None:
        """The column that identifies the query."""
        return self.roles.item

    @property
    def errored(self) -> str | None:
        """The column that marks errored rows."""
        return self.roles.errored

    @property
    def answerable(self) -> str | None:
        """The column that says whether the corpus holds an answer."""
        return self.roles.answerable

    @property
    def stratum(self) -> str | None:
        """The column by which rows were chosen for labelling."""
        return self.roles.stratum

    @property
    def cluster(self) -> str | None:
        """The column whose rows depend on each other."""
        return self.roles.cluster

    @property
    def trial(self) -> str | None:
        """The column that numbers repeats of an item."""
        return self.roles.trial

    @property
    def weight(self) -> str | None:
        """The column of weights."""
        return self.roles.weight

    def check(self) -> DataReport:
        """The data report: what was seen, what was set aside, what cannot be learnt from it."""
        return data_report(self.tally, self.counts, self.roles, self.clusters)

    def clustered_rows(self) -> ClusteredRows:
        """Group, cluster and pattern of every row that counts; refused without `cluster`."""
        if self.cluster is None:
            raise ArgumentError.build("These labels have no clusters.", hint='cluster="<column>".')
        return self.rows_by(self.cluster)

    def rows_by(self, column: str) -> ClusteredRows:
        """Group, value of the column and pattern of every row that counts."""
        return clustered_rows(self.source, self.roles, self._readers(), column)

    def rows(self, probability: Float[np.ndarray, " pattern"], *, group: int | None = None) -> Any:
        """The rows whose pattern has a probability above 0, in their order.

        Parameters
        ----------
        probability : array, shape (pattern,)
            One number in [0, 1] for each row of ``counts.patterns``.
        group : int, optional
            Index into ``counts.groups``; rows of all groups by default.

        Returns
        -------
        data frame
            Of the library that was handed over (a relation comes as a PyArrow table), with
            all columns and one more, `probability`. Errored rows that were set aside and
            dropped rows are not in it.

        Raises
        ------
        ArgumentError
            When the shape or a number is something else, or there is no such group.
        FrameChangedError
            When the data behind the labels are no longer those that were counted.
        """
        weights = self._read_probability(probability)
        is_whole = isinstance(group, (int, np.integer)) and not isinstance(group, bool)
        if group is not None and not (is_whole and 0 <= group < self.counts.n_groups):
            raise ArgumentError.build(
                f"There is no group {group!r}.",
                accepted=f"Groups are numbered from 0 to {self.counts.n_groups - 1}.",
            )
        frame = self.source.collected()
        positions, values = [np.zeros(0, dtype=np.int64)], [np.zeros(0)]
        for place in self._places(frame):
            of_pattern = np.append(weights, 0.0)[place.pattern]
            if group is not None:
                of_pattern = of_pattern * (place.group == group)
            of_rows = of_pattern[place.combination]
            chosen = np.flatnonzero(of_rows > 0)
            positions.append(chosen + place.start)
            values.append(of_rows[chosen])
        return frame.taken(
            np.concatenate(positions),
            free_name("probability", frame.columns),
            np.concatenate(values),
        )

    def row_places(self) -> tuple[Int64[np.ndarray, " row"], Int64[np.ndarray, " row"]]:
        """Which of ``counts.patterns`` each row shows, and which of ``counts.groups`` it is in.

        Returns
        -------
        pattern, group : int64 arrays, shape (row,)
            -1 in both for rows that are not counted, and for errored rows, counted or not.

        Raises
        ------
        FrameChangedError
            When the data behind the labels are no longer those that were counted.
        """
        found = [np.zeros((2, 0), dtype=np.int64)]
        for place in self._places(self.source.collected()):
            is_out = (place.pattern == -1) | place.is_errored
            both = np.where(is_out, -1, np.stack([place.pattern, place.group]))
            found.append(both[:, place.combination])
        pattern, group = np.concatenate(found, axis=1)
        return pattern, group

    def names_at(self, positions: Int64[np.ndarray, " row"]) -> tuple[list[Any], list[Any] | None]:
        """How rows are called: by the index of a pandas frame, else by position; and by `item`.

        Parameters
        ----------
        positions : int64 array, shape (row,)
            Counted from 0.

        Returns
        -------
        rows : list
        items : list, or None when there is no column of items
        """
        return names_at(self.source.collected(), positions, self.item)

    def _places(self, frame: Frame) -> Iterator[Place]:
        return places(frame, self.counts, self.roles, Coder(by=self.by, readers=self._readers()))

    def _readers(self) -> tuple[LabelReader, ...]:
        return readers_of(
            self.keywords.get("values"),
            self.keywords.get("retrieval_levels"),
            self.judges,
        )

    def _read_probability(self, probability: object) -> Float[np.ndarray, " pattern"]:
        n_patterns = len(self.counts.patterns)
        try:
            weights = np.asarray(probability, dtype=np.float64)
        except (TypeError, ValueError) as err:
            raise ArgumentError.build(
                "`probability` is not an array of numbers.",
                accepted=f"One number in [0, 1] for each of the {n_patterns} patterns.",
            ) from err
        if weights.shape != (n_patterns,) or not ((weights >= 0) & (weights <= 1)).all():
            raise ArgumentError.build(
                f"`probability` has the shape {weights.shape}, or a number outside [0, 1].",
                accepted=f"One number in [0, 1] for each of the {n_patterns} patterns.",
            )
        return weights

    def __repr__(self) -> str:
        named = {
            "retrieval": self.retrieval,
            "abstention": self.abstention,
            "task": self.task,
            "item": self.item,
        }
        parts = [f"{self.n_rows:,} rows of a {self.source.kind} table"]
        parts += [f"{role}={column!r}" for role, column in named.items() if column is not None]
        if self.by:
            parts.append(f"{self.counts.n_groups:,} groups by {', '.join(map(repr, self.by))}")
        if self.judges:
            parts.append("judges " + ", ".join(repr(judge.name) for judge in self.judges))
        return f"Labels({'; '.join(parts)})"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(repr(self))}</p>{self.check()._repr_html_()}"
