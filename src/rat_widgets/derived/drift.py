"""Has the judge changed? Versions on a frozen archive, and one judge over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from jaxtyping import Int, Int8

from rat_widgets.derived.columns import column_name
from rat_widgets.derived.drift_offsets import Offset, offset_between
from rat_widgets.derived.drift_rows import DriftRows, read_drift
from rat_widgets.derived.drift_windows import (
    Change,
    Window,
    changes_of,
    kappa_measured,
    share_measured,
    windows_of,
)
from rat_widgets.derived.intervals import read_interval
from rat_widgets.derived.printed import Measured, Printed, Rows, counted, shown
from rat_widgets.derived.scores import whole_number
from rat_widgets.labels.keys import one_line
from rat_widgets.labels.scalars import MISSING

__all__ = ["JudgeDrift", "judge_drift"]

_LEAST: Final = 20
_SURE: Final = 0.975


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class JudgeDrift(Printed):
    """Versions of a judge beside each other, and its verdicts over time; prints well.

    Attributes
    ----------
    verdict : str
        What the column is called.
    n_rows, n_missing, n_untimed : int
        Rows given; rows without a verdict, which are left out; rows with one that are in no
        window, for want of a time or, where people's labels are given, of a label.
    kappa : mapping
        Version -> agreement with people; empty without labels.
    offsets : tuple of Offset
        Every version but the first, compared with the first.
    windows : tuple of Window
        In the order of time.
    changes : tuple of Change
        Where the rates change.
    probability : float
        What a change had to reach to be marked.
    ci_prob : float
    notes : tuple of str
    """

    verdict: str
    n_rows: int
    n_missing: int
    n_untimed: int
    kappa: Mapping[str, Measured]
    offsets: tuple[Offset, ...]
    windows: tuple[Window, ...]
    changes: tuple[Change, ...]
    probability: float
    ci_prob: float
    notes: tuple[str, ...]

    @property
    def headline(self) -> str:
        """The result in one line."""
        said = []
        for o in self.offsets[:1]:
            points = [100 * (end or 0) for end in (o.offset.value, o.offset.lower, o.offset.upper)]
            said.append(
                f"{one_line(o.version)} passes {points[0]:+.1f} points more than "
                f"{one_line(o.reference)} ({points[1]:+.1f} to {points[2]:+.1f}; "
                f"{counted(o.n_pairs, 'item')})"
            )
        if self.windows:
            n = len(self.changes)
            said.append(
                f"{counted(n, 'change') if n else 'no change'} in "
                f"{counted(len(self.windows), 'window')} of time"
            )
        return f"{one_line(self.verdict)}: {'; '.join(said)}"

    def to_frame(self) -> pd.DataFrame:
        """One row per version: n_pairs, to_pass, to_fail, offset, lower, upper, p_more."""
        return pd.DataFrame(
            [(o.n_pairs, o.to_pass, o.to_fail, *_triple(o.offset), o.p_more) for o in self.offsets],
            index=pd.Index([o.version for o in self.offsets], name="version"),
            columns=["n_pairs", "to_pass", "to_fail", "offset", "lower", "upper", "p_more"],
        )

    def windows_frame(self) -> pd.DataFrame:
        """One row per window: start, end, n, pass_rate and kappa with intervals, changed."""
        changed = {change.window for change in self.changes}
        nothing = (None, None, None)
        return pd.DataFrame(
            [
                (w.start, w.end, w.n, *_triple(w.pass_rate),
                 *(nothing if w.kappa is None else _triple(w.kappa)), i in changed)
                for i, w in enumerate(self.windows)
            ],
            columns=["start", "end", "n", "pass_rate", "pass_lower", "pass_upper",
                     "kappa", "kappa_lower", "kappa_upper", "changed"],
        )  # fmt: skip

    def to_dict(self) -> dict[str, Any]:
        """The result as values that JSON can hold."""
        plain = asdict(self)
        for name in ("offsets", "windows", "changes", "notes"):
            plain[name] = list(plain[name])
        return plain

    def tables(self) -> Sequence[Rows]:
        """Versions, and windows."""
        interval = f"{100 * self.ci_prob:g}% interval"
        made: list[Rows] = []
        if self.offsets:
            head = (f"less {one_line(self.offsets[0].reference)}", "items", "to pass", "to fail",
                    "offset", interval)  # fmt: skip
            made.append([head, *(row for o in self.offsets for row in _offset_rows(o))])
        if self.kappa:
            made.append(
                [("kappa", "value", interval), *((one_line(v), *shown(m))
                                                 for v, m in self.kappa.items())]
            )  # fmt: skip
        if self.windows:
            changed = {change.window: change.probability for change in self.changes}
            has_kappa = self.windows[0].kappa is not None
            rows: list[tuple[str, ...]] = [
                ("since", "verdicts", "pass", "kappa" if has_kappa else "", interval, "changed")
            ]
            for i, w in enumerate(self.windows):
                measured = w.kappa if w.kappa is not None else w.pass_rate
                value, ends = shown(measured)
                mark = f"{changed[i]:.3f}" if i in changed else ""
                rows.append((w.start, f"{w.n:,}", shown(w.pass_rate)[0],
                             value if has_kappa else "", ends, mark))  # fmt: skip
            made.append(rows)
        return made


def judge_drift(
    df: Any,
    *,
    verdict: str,
    item: str | Sequence[str] | None = None,
    version: str | None = None,
    human: str | None = None,
    time: str | None = None,
    values: Mapping[Any, Any] | None = None,
    windows: int = 10,
    probability: float = 0.7,
    ci_prob: float = 0.95,
) -> JudgeDrift:
    """How versions of a judge differ on the same items, and where its rates change over time.

    Parameters
    ----------
    df : frame
        One row per verdict. Any frame that `Labels.from_frame` reads.
    verdict : str
        The column of verdicts: 1 is a pass and 0 a fail.
    item : str or sequence of str, optional
        The column, or columns, that tell items apart: what is compared is pairs.
    version : str, optional
        The column that names the judge's version. The first that the table has is what the
        others are compared with.
    human : str, optional
        The column of people's labels.
    time : str, optional
        The column of times: numbers, dates, or text that is a date (ISO 8601).
    values : mapping, optional
        How text reads: ``{"good": 1, "bad": 0}``.
    windows : int
        Most windows of time; they hold about equally many verdicts, 20 at least.
    probability : float
        Posterior probability from which a change is marked. With 0.7 a stable judge got a mark
        in 0 to 3 of 100 simulated tables (200 to 2,000 verdicts, ten windows).
    ci_prob : float
        Posterior probability inside the intervals, which are equal-tailed.

    Returns
    -------
    JudgeDrift

    Notes
    -----
    Offsets are of pairs: only items that flip move them, and their interval comes from 20,000
    draws of the shares of both flips (prior Dirichlet(1/2, 1/2, 1/2)); `p_more` is exact.

    With people's labels a change is one of the shares that the judge passes among answers that
    people fail, or pass: kappa is shown, and would move with the share of good answers alone.
    Without labels it is one of the share that passes, which new answers change as well as a new
    judge. See `rat_widgets.derived.drift_windows.changes_of` for the model.

    References
    ----------
    McNemar (1947), "Note on the Sampling Error of the Difference between Correlated Proportions
    or Percentages".

    Raises
    ------
    ArgumentError, ArgumentTypeError, DuplicateItemError, LabelValueError, MissingColumnError
        For columns that are not there, neither versions nor times, a version without items, an
        item twice in a version or with two labels, or times that are none.
    """
    ci_prob, _ = read_interval(ci_prob, "eti")
    probability, _ = read_interval(probability, "eti")
    windows = whole_number(windows, "windows", 1)
    rows = read_drift(
        df, verdict, item=item, version=version, human=human, time=time, values=values
    )
    offsets, kappa = _versions(rows, ci_prob)
    shown_windows, changes, n_untimed = _over_time(rows, windows, probability, ci_prob)
    return JudgeDrift(
        verdict=column_name(verdict, "verdict"),
        n_rows=rows.n_rows,
        n_missing=rows.n_rows - len(rows.verdict),
        n_untimed=n_untimed,
        kappa=kappa,
        offsets=offsets,
        windows=shown_windows,
        changes=changes,
        probability=probability,
        ci_prob=ci_prob,
        notes=_notes(rows, offsets, shown_windows),
    )


def _versions(rows: DriftRows, ci_prob: float) -> tuple[tuple[Offset, ...], dict[str, Measured]]:
    """Offsets from the first version, and each version's agreement with people."""
    if rows.version is None or rows.item is None:
        return (), {}
    n_items = int(rows.item.max()) + 1
    label = np.full(n_items, MISSING, dtype=np.int8)
    known = rows.label != MISSING
    label[rows.item[known]] = rows.label[known]
    said = np.full((len(rows.versions), n_items), MISSING, dtype=np.int8)
    said[rows.version, rows.item] = rows.verdict
    kappa: dict[str, Measured] = {}
    if known.any():
        kappa = {
            name: kappa_measured(_table(label, verdicts), ci_prob)
            for name, verdicts in zip(rows.versions, said, strict=True)
        }
    offsets = tuple(
        offset_between(
            said[0], said[i], label, names=(rows.versions[0], name), ci_prob=ci_prob,
            kappa=kappa.get(name),
        )
        for i, name in enumerate(rows.versions)
        if i
    )  # fmt: skip
    return offsets, kappa


def _over_time(
    rows: DriftRows, n_windows: int, probability: float, ci_prob: float
) -> tuple[tuple[Window, ...], tuple[Change, ...], int]:
    """Windows, changes, and the verdicts that are in no window."""
    if rows.time is None:
        return (), (), 0
    has_labels = bool((rows.label != MISSING).any())
    kept = ~np.isnan(rows.time)
    if has_labels:
        kept &= rows.label != MISSING
    order = np.flatnonzero(kept)[np.argsort(rows.time[kept], kind="stable")]
    n_windows = max(1, min(n_windows, len(order) // _LEAST))
    place = windows_of(rows.time[order], n_windows)
    label = rows.label[order] if has_labels else np.zeros(len(order), dtype=np.int8)
    n_kinds = 2 if has_labels else 1
    counts = np.zeros((int(place.max(initial=-1)) + 1, n_kinds, 2), dtype=np.int64)
    np.add.at(counts, (place, label, rows.verdict[order]), 1)
    kinds = ("fail", "pass") if has_labels else ("all",)
    arrivals = _arrivals(rows, order, place)
    made = []
    for w, table in enumerate(counts):
        inside = order[place == w]
        n, n_pass = int(table.sum()), int(table[:, 1].sum())
        made.append(
            Window(
                start=rows.times[inside[0]],
                end=rows.times[inside[-1]],
                n=n,
                pass_rate=share_measured(n_pass, n, ci_prob),
                kappa=kappa_measured(table, ci_prob) if has_labels else None,
                by_label={
                    kind: share_measured(yes, no + yes, ci_prob)
                    for kind, (no, yes) in zip(kinds, table.tolist(), strict=True)
                    if has_labels and no + yes
                },
                arrivals=arrivals.get(w, ()),
            )
        )
    changes = changes_of(counts, [w.start for w in made], kinds, probability)
    return tuple(made), changes, len(rows.verdict) - len(order)


def _arrivals(
    rows: DriftRows, order: Int[np.ndarray, " verdict"], place: Int[np.ndarray, " verdict"]
) -> dict[int, tuple[str, ...]]:
    """Versions by the window of their first verdict."""
    found: dict[int, tuple[str, ...]] = {}
    if rows.version is not None:
        seen, first = np.unique(rows.version[order], return_index=True)
        for v, at in sorted(zip(seen.tolist(), first.tolist(), strict=True), key=lambda p: p[1]):
            w = int(place[at])
            found[w] = (*found.get(w, ()), rows.versions[v])
    return found


def _table(label: Int8[np.ndarray, " item"], said: Int8[np.ndarray, " item"]) -> Int[Any, "2 2"]:
    kept = (label != MISSING) & (said != MISSING)
    table = np.zeros((2, 2), dtype=np.int64)
    np.add.at(table, (label[kept], said[kept]), 1)
    return table


def _offset_rows(o: Offset) -> list[tuple[str, ...]]:
    head = (f"{o.n_pairs:,}", f"{o.to_pass:,}", f"{o.to_fail:,}")
    rows: list[tuple[str, ...]] = [(one_line(o.version), *head, *shown(o.offset, 3))]
    for name, measured in o.by_label.items():
        rows.append((f"  where people {name}", "", "", "", *shown(measured, 3)))
    return rows


def _triple(m: Measured) -> tuple[float | None, float | None, float | None]:
    return m.value, m.lower, m.upper


def _notes(
    rows: DriftRows, offsets: Sequence[Offset], windows: Sequence[Window]
) -> tuple[str, ...]:
    notes = []
    for o in offsets:
        if o.n_pairs == 0:
            notes.append(f"{one_line(o.version)} and {one_line(o.reference)} share no item.")
        elif max(o.p_more, 1 - o.p_more) > _SURE:
            way = "passes more" if o.p_more > 0.5 else "fails more"
            notes.append(
                f"{one_line(o.version)} {way} of the same items than {one_line(o.reference)}: "
                "their pass rates are not comparable without correction."
            )
    if len(windows) == 1:
        notes.append(f"Fewer than {2 * _LEAST} verdicts in time: one window shows no change.")
    if windows and windows[0].kappa is None:
        notes.append(
            "Without people's labels a change may be one of the answers: judge a frozen archive "
            "again, or give `human`."
        )
    if windows and rows.version is not None and len(rows.versions) > 1:
        notes.append("The windows hold verdicts of all versions.")
    return tuple(notes)
