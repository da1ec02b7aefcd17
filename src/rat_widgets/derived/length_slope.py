"""Does a judge like long answers? Its verdicts on length, among answers that people judge alike."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from rat_widgets.derived.columns import Columns, column_name
from rat_widgets.derived.intervals import read_interval, weighted_quantiles
from rat_widgets.derived.length_course import LengthBin, LengthCurve, bins_of, curves_of
from rat_widgets.derived.logistic_slope import Cells, cells_of, intercepts_at, slope_posterior
from rat_widgets.derived.printed import Measured, Printed, Rows, counted, shown
from rat_widgets.errors import ArgumentError
from rat_widgets.labels.keys import one_line
from rat_widgets.labels.scalars import MISSING

__all__ = ["LengthSlope", "length_slope"]

_CALL: Final = 'rat.length_slope("verdict", "length", "human", data=df)'
_LENGTHS: Final = "Lengths are numbers above 0, in characters, words or tokens, or missing."
_CLASSES: Final = ("fail", "pass")
_SURE: Final = 0.95


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class LengthSlope(Printed):
    """How a judge's verdicts move with the length of answers; prints well in a notebook, too.

    Attributes
    ----------
    verdict, length, human : str or None
        What the columns are called.
    n_rows, n_missing : int
        Rows given; rows that lack a value, which are left out.
    slope : Measured
        Log odds of a pass per doubling of the length, among answers with the same label of
        people; without people's labels, among all.
    change : Measured
        The same as a change of the share that passes, averaged over the rows in hand.
    p_longer : float
        Posterior probability that longer answers pass more often.
    by_label : mapping
        "fail" and "pass" -> slope among the answers that people fail, and pass.
    n_by_label : mapping
        Rows of each.
    unadjusted : Measured
        Slope among all rows, people's labels disregarded: quality and taste in one.
    bins : tuple of LengthBin
        What the judge passes of answers of about one length, by people's label.
    curves : tuple of LengthCurve
        The same under the slope.
    ci_prob : float
    notes : tuple of str
    """

    verdict: str
    length: str
    human: str | None
    n_rows: int
    n_missing: int
    slope: Measured
    change: Measured
    p_longer: float
    by_label: Mapping[str, Measured]
    n_by_label: Mapping[str, int]
    unadjusted: Measured
    bins: tuple[LengthBin, ...]
    curves: tuple[LengthCurve, ...]
    ci_prob: float
    notes: tuple[str, ...]

    @property
    def odds_ratio(self) -> Measured:
        """Factor of the odds of a pass per doubling of the length."""
        value, lower, upper = (
            None if end is None else math.exp(end)
            for end in (self.slope.value, self.slope.lower, self.slope.upper)
        )
        return Measured(value=value, lower=lower, upper=upper)

    @property
    def headline(self) -> str:
        """The result in one line."""
        points = [100 * (end or 0) for end in (self.change.value, self.change.lower)]
        points.append(100 * (self.change.upper or 0))
        among = "" if self.human is None else " of the same quality"
        return (
            f"{one_line(self.verdict)}: an answer{among} that is twice as long passes "
            f"{points[0]:+.1f} points more often ({points[1]:+.1f} to {points[2]:+.1f}; "
            f"{counted(self.n_rows - self.n_missing, 'row')})"
        )

    def to_frame(self) -> pd.DataFrame:
        """One row per slope: n, slope, lower, upper."""
        rows = self._rows()
        return pd.DataFrame(
            [(n, m.value, m.lower, m.upper) for _, n, m in rows],
            index=pd.Index([name for name, _, _ in rows], name="among"),
            columns=["n", "slope", "lower", "upper"],
        )

    def to_dict(self) -> dict[str, Any]:
        """The result as values that JSON can hold."""
        plain = asdict(self)
        return plain | {name: list(plain[name]) for name in ("bins", "curves", "notes")}

    def tables(self) -> Sequence[Rows]:
        """The slopes."""
        head = ("log odds per doubling", "rows", "slope", f"{100 * self.ci_prob:g}% interval")
        return ([head, *((name, f"{n:,}", *shown(m)) for name, n, m in self._rows())],)

    def _rows(self) -> list[tuple[str, int, Measured]]:
        n = self.n_rows - self.n_missing
        if self.human is None:
            return [("all answers", n, self.slope)]
        rows = [("answers with the same label", n, self.slope)]
        rows += [(f"people {c}", self.n_by_label[c], m) for c, m in self.by_label.items()]
        return [*rows, ("all answers, labels disregarded", n, self.unadjusted)]


def length_slope(
    verdict: Any,
    length: Any,
    human: Any = None,
    *,
    data: Any = None,
    values: Mapping[Any, Any] | None = None,
    ci_prob: float = 0.95,
) -> LengthSlope:
    """Slope of a judge's verdicts on the length of the answers, per doubling.

    Parameters
    ----------
    verdict : column, or str with `data`
        1 is a pass and 0 a fail.
    length : column, or str with `data`
        Above 0: characters, words or tokens.
    human : column, or str with `data`, optional
        People's labels of the same answers. With them the slope is that among answers that
        people judge alike, so that longer answers may be better without being blamed for it.
    data : frame, optional
        Any frame that `Labels.from_frame` reads.
    values : mapping, optional
        How text reads: ``{"good": 1, "bad": 0}``.
    ci_prob : float
        Posterior probability inside the intervals, which are equal-tailed.

    Returns
    -------
    LengthSlope

    Notes
    -----
    logit P(verdict pass) = a + b log2(length), with an intercept a for each label of people and
    one slope b; priors Normal(0, 5) and Normal(0, 2). `by_label` has a slope for each: a judge
    may forgive long wrong answers and still be right about the others. People who like long
    answers themselves hide the judge's liking; quality that a label of two values does not
    tell apart is left in the slope.

    Raises
    ------
    ArgumentError, ArgumentTypeError, LabelValueError, MissingColumnError
        For columns of different lengths or with other values, one verdict or one length alone.

    Examples
    --------
    >>> report = length_slope([0, 0, 1, 1] * 20, [50, 100, 100, 200] * 20)
    >>> report.slope.lower > 0
    True
    """
    ci_prob, _ = read_interval(ci_prob, "eti")
    columns = Columns(data, values, _CALL)
    verdicts = columns.labels(verdict, "verdict")
    lengths = columns.numbers(length, "length", low=np.nextafter(0, 1), high=np.inf,
                              accepted=_LENGTHS)  # fmt: skip
    labels = np.zeros_like(verdicts) if human is None else columns.labels(human, "human")
    kept = (verdicts != MISSING) & (labels != MISSING) & ~np.isnan(lengths)
    passed, label = verdicts[kept].astype(np.int64), labels[kept].astype(np.int64)
    _require_variety(passed, lengths[kept], len(verdicts))
    x = np.log2(lengths[kept])
    middle = float(x.mean())
    x = x - middle
    found = np.unique(label)
    group = np.searchsorted(found, label)
    cells = cells_of(x, passed, group)
    slope, p_longer = _slope(cells, ci_prob)
    names = ["all"] if human is None else [_CLASSES[c] for c in found.tolist()]
    by_label = {
        _CLASSES[c]: _slope(_of_one(x, passed, label == c), ci_prob)[0]
        for c in (found if human is not None else ())
        if len(np.unique(x[label == c])) > 1
    }
    return LengthSlope(
        verdict=column_name(verdict, "verdict"),
        length=column_name(length, "length"),
        human=None if human is None else column_name(human, "human"),
        n_rows=len(verdicts),
        n_missing=int((~kept).sum()),
        slope=slope,
        change=_change(slope, cells),
        p_longer=p_longer,
        by_label=by_label,
        n_by_label={c: int((label == i).sum()) for i, c in enumerate(_CLASSES)}
        if human is not None
        else {},
        unadjusted=_slope(_of_one(x, passed, passed >= 0), ci_prob)[0],
        bins=bins_of(lengths[kept], passed, group, names, ci_prob),
        curves=curves_of(slope.value or 0.0, cells, middle, names),
        ci_prob=ci_prob,
        notes=_notes(human is not None, by_label, p_longer),
    )


def _require_variety(
    passed: Int[np.ndarray, " row"], length: Float[np.ndarray, " row"], n_rows: int
) -> None:
    """Rows that can have a slope."""
    if not len(passed):
        raise ArgumentError.build(
            f"None of {n_rows:,} rows has a value in every column.",
            accepted="Rows with a verdict, a length and, where `human` is given, a label.",
        )
    if len(np.unique(passed)) == 1:
        said = "pass" if passed[0] else "fail"
        raise ArgumentError.build(
            f"The judge says {said} on all {len(passed):,} rows.",
            accepted="Verdicts that differ: a constant has no slope.",
        )
    if len(np.unique(length)) == 1:
        raise ArgumentError.build(
            f"All answers have the length {length[0]:g}.", accepted="Lengths that differ."
        )


def _of_one(
    x: Float[np.ndarray, " row"], passed: Int[np.ndarray, " row"], which: Bool[np.ndarray, " row"]
) -> Cells:
    """Some rows as one group."""
    return cells_of(x[which], passed[which], np.zeros(int(which.sum()), dtype=np.int64))


def _slope(cells: Cells, ci_prob: float) -> tuple[Measured, float]:
    """Median and interval of the slope, and the probability that it is above 0."""
    grid, weight = slope_posterior(cells)
    tail = (1 - ci_prob) / 2
    _, (lower, value, upper) = weighted_quantiles(grid, weight, np.array([tail, 0.5, 1 - tail]))
    middles = np.cumsum(weight) - weight / 2
    p_above = 1 - float(np.interp(0, grid, middles, left=0, right=1))
    return Measured(value=float(value), lower=float(lower), upper=float(upper)), p_above


def _change(slope: Measured, cells: Cells) -> Measured:
    """Change of the share that passes when each answer of these rows is twice as long."""
    from scipy.special import expit

    def at(found: float | None) -> float:
        b = found or 0.0
        logit = intercepts_at(np.array([b]), cells)[0][0, cells.group] + b * cells.x
        return float(cells.n @ (expit(logit + b) - expit(logit)) / cells.n.sum())

    return Measured(value=at(slope.value), lower=at(slope.lower), upper=at(slope.upper))


def _notes(has_people: bool, by_label: Mapping[str, Measured], p_longer: float) -> tuple[str, ...]:
    notes = []
    if not has_people:
        notes.append(
            "Without people's labels this is no bias: longer answers may be better. Give `human`."
        )
    elif p_longer > _SURE or p_longer < 1 - _SURE:
        kind = "longer" if p_longer > 0.5 else "shorter"
        notes.append(f"Among answers that people judge alike the judge passes {kind} ones more.")
    ends = [(m.lower or 0, m.upper or 0) for m in by_label.values()]
    if len(ends) == 2 and (ends[0][0] > ends[1][1] or ends[1][0] > ends[0][1]):
        notes.append("The slope differs between answers that people pass and fail: see each.")
    return tuple(notes)
