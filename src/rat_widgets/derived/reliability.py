"""What a judge's score is worth as a probability: reliability curve, calibration error, cure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

import numpy as np
import pandas as pd
from jaxtyping import Float, Int

from rat_widgets.derived.intervals import beta_interval, credible_interval, read_interval
from rat_widgets.derived.isotonic import isotonic_curve, on_curve
from rat_widgets.derived.printed import Measured, Printed, Rows, counted, shown
from rat_widgets.derived.scores import Scored, read_scored, read_scores, whole_number
from rat_widgets.errors import ArgumentError
from rat_widgets.labels.keys import one_line

__all__ = ["Bin", "Reliability", "Spacing", "reliability"]

Spacing = Literal["width", "count"]

_CALL: Final = 'rat.reliability("score", "human", data=df)'
_N_DRAWS: Final = 2000
_N_FOLDS: Final = 5
_FEW: Final = 10
_MANY: Final = 50
_MOST_BINS: Final = 10_000


@dataclass(frozen=True, kw_only=True, slots=True)
class Bin:
    """Rows with scores from `low` to `high`: their mean score and the share that people pass."""

    low: float
    high: float
    n: int
    mean_score: float
    share: Measured


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class Reliability(Printed):
    """A score beside people's labels; prints well and renders in a notebook.

    Attributes
    ----------
    score, human : str
        What the two columns are called.
    n_rows, n_missing : int
        Rows given; rows that lack the score or the label, which are left out.
    bins : tuple of Bin
        Bins that hold a row, by score.
    ece : Measured
        Expected calibration error as it is usually given, with an interval for the true one.
    ece_by_chance : float
        What it would be on average with these scores if every score were the true probability.
    p_calibrated : float
        How often it would then be as large as here, or larger.
    brier, brier_constant, brier_recalibrated : Measured
        Mean squared distance of score and label; that of the share of passes, said of every row;
        that of the recalibrated score on rows that it was not fitted to.
    knots : tuple of (float, float)
        Score -> recalibrated score, linear between.
    ci_prob : float
    notes : tuple of str
    """

    score: str
    human: str
    n_rows: int
    n_missing: int
    bins: tuple[Bin, ...]
    ece: Measured
    ece_by_chance: float
    p_calibrated: float
    brier: Measured
    brier_constant: Measured
    brier_recalibrated: Measured
    knots: tuple[tuple[float, float], ...]
    ci_prob: float
    notes: tuple[str, ...]

    @property
    def n(self) -> int:
        """Rows that were compared."""
        return self.n_rows - self.n_missing

    @property
    def headline(self) -> str:
        """The result in one line."""
        left_out = f", {self.n_missing:,} left out" if self.n_missing else ""
        return (
            f"{one_line(self.score)} beside {one_line(self.human)}: calibration error "
            f"{self.ece.value:.3f}, where a calibrated score would show {self.ece_by_chance:.3f} "
            f"({counted(self.n, 'row')}{left_out})"
        )

    def recalibrated(self, score: Any) -> Float[np.ndarray, " row"]:
        """Scores turned into shares that people pass, by isotonic regression.

        Parameters
        ----------
        score : column
            Numbers in [0, 1]; missing ones stay NaN.

        Returns
        -------
        array, shape (row,)
            Never lower for a higher score; constant beyond the scores that were seen.

        Notes
        -----
        Use it on rows that it was not fitted to: on its own it is calibrated by construction.
        """
        at, to = np.array(self.knots).T
        return on_curve(read_scores(score, "report.recalibrated(scores)"), at, to)

    def to_frame(self) -> pd.DataFrame:
        """One row per bin: low, high, n, mean_score, share, lower, upper."""
        return pd.DataFrame(
            [
                (b.low, b.high, b.n, b.mean_score, b.share.value, b.share.lower, b.share.upper)
                for b in self.bins
            ],
            columns=["low", "high", "n", "mean_score", "share", "lower", "upper"],
        )

    def to_dict(self) -> dict[str, Any]:
        """The report as values that JSON can hold."""
        plain = asdict(self) | {"n": self.n}
        for name in ("bins", "knots", "notes"):
            plain[name] = [list(v) if isinstance(v, tuple) else v for v in plain[name]]
        return plain

    def tables(self) -> Sequence[Rows]:
        """The measures, and the curve."""
        interval = f"{100 * self.ci_prob:g}% interval"
        measures: list[tuple[str, ...]] = [("", "value", interval)]
        for name, measured in (
            ("expected calibration error", self.ece),
            ("Brier score", self.brier),
            ("  of one share for all rows", self.brier_constant),
            ("  recalibrated, on other rows", self.brier_recalibrated),
        ):
            measures.append((name, *shown(measured, 3)))
        curve: list[tuple[str, ...]] = [("score", "rows", "mean score", "people pass", interval)]
        for b in self.bins:
            span = f"{b.low:.2f} to {b.high:.2f}"
            curve.append((span, f"{b.n:,}", f"{b.mean_score:.2f}", *shown(b.share)))
        return measures, curve


def reliability(
    score: Any,
    human: Any,
    bins: int = 10,
    *,
    spacing: Spacing = "width",
    data: Any = None,
    values: Mapping[Any, Any] | None = None,
    ci_prob: float = 0.95,
    seed: int = 0,
) -> Reliability:
    """Reliability curve, expected calibration error and Brier score of a score in [0, 1].

    Parameters
    ----------
    score : column, or str with `data`
        Probability of a pass in the judge's eyes, from 0 to 1. A series, array or list; or the
        name of a column of `data`.
    human : column, or str with `data`
        Labels of people: 1 is a pass and 0 a fail. Rows that lack one are left out.
    bins : int
        Number of bins, up to 10,000; empty ones are left out.
    spacing : {"width", "count"}
        Bins that are equally wide, or that hold about equally many rows. Rows with one score are
        in one bin always.
    data : frame, optional
        Any frame that `Labels.from_frame` reads.
    values : mapping, optional
        How text reads: ``{"good": 1, "bad": 0}``.
    ci_prob : float
        Probability inside the intervals, which are equal-tailed.
    seed : int
        The same seed gives the same intervals.

    Returns
    -------
    Reliability

    Notes
    -----
    The expected calibration error is the mean over rows of the distance, in their bin, between
    the mean score and the share that people pass. It cannot be negative, so chance alone makes
    it positive, the more the fewer rows a bin holds: `ece_by_chance` says how much. Its interval
    is for the error of these bins with endlessly many rows. It comes from 2,000 redraws of the
    labels within bins; with b the mean of the redraws less the value, the lower end is the
    redraws' less 2 b, and 0 where a calibrated score would do as badly in more than
    ``(1 - ci_prob) / 2`` of draws; the upper end is the redraws' less b. Coarser bins hide error
    inside a bin.

    Shares of bins have the Beta posterior with Jeffreys' prior; Brier scores, means over rows,
    have a normal interval. `brier_recalibrated` fits the isotonic regression to four fifths of
    the rows and scores the rest, five times.

    Rows count as independent: several answers to one question make true intervals wider.

    References
    ----------
    Brier (1950), "Verification of Forecasts Expressed in Terms of Probability". Naeini, Cooper
    and Hauskrecht (2015), "Obtaining Well Calibrated Probabilities Using Bayesian Binning".
    Zadrozny and Elkan (2002), "Transforming Classifier Scores into Accurate Multiclass
    Probability Estimates".

    Raises
    ------
    ArgumentError, ArgumentTypeError, LabelValueError, MissingColumnError
        For columns that are not a score and labels of one length, or share no row.

    Examples
    --------
    >>> scores = [0.1] * 10 + [0.9] * 10
    >>> report = reliability(scores, [0] * 9 + [1] + [0] * 5 + [1] * 5)
    >>> round(report.ece.value, 3)
    0.2
    """
    bins = whole_number(bins, "bins", 1, most=_MOST_BINS)
    ci_prob, _ = read_interval(ci_prob, "eti")
    seed = whole_number(seed, "seed", 0)
    if spacing not in ("width", "count"):
        raise ArgumentError.build(
            f"`spacing` is {spacing!r:.80}.", accepted='"width" or "count": what bins share.'
        )
    rows = read_scored(score, human, data=data, values=values, call=_CALL)
    edges = _edges(rows.score, bins, spacing)
    place = np.clip(np.searchsorted(edges, rows.score, side="right") - 1, 0, len(edges) - 2)
    made = _bins(rows, edges, place, ci_prob)
    ece, by_chance, p_calibrated = _calibration_error(rows, place, ci_prob, seed)
    base = np.full(len(rows.label), rows.label.mean())
    at, to = isotonic_curve(rows.score, rows.label)
    return Reliability(
        score=rows.names[0],
        human=rows.names[1],
        n_rows=rows.n_rows,
        n_missing=rows.n_missing,
        bins=made,
        ece=ece,
        ece_by_chance=by_chance,
        p_calibrated=p_calibrated,
        brier=_brier(rows.score, rows.label, ci_prob),
        brier_constant=_brier(base, rows.label, ci_prob),
        brier_recalibrated=_brier(_on_other_rows(rows, seed), rows.label, ci_prob),
        knots=tuple(zip(at.tolist(), to.tolist(), strict=True)),
        ci_prob=ci_prob,
        notes=_notes(rows, made, p_calibrated),
    )


def _edges(score: Float[np.ndarray, " row"], n: int, spacing: str) -> Float[np.ndarray, " edge"]:
    if spacing == "width":
        return np.arange(n + 1) / n  # 3/5 is 0.6; the fourth of linspace(0, 1, 6) is a little more
    edges = np.unique(np.quantile(score, np.linspace(0, 1, n + 1), method="inverted_cdf"))
    return edges if len(edges) > 1 else np.array([edges[0], edges[0]])


def _bins(
    rows: Scored,
    edges: Float[np.ndarray, " edge"],
    place: Int[np.ndarray, " row"],
    ci_prob: float,
) -> tuple[Bin, ...]:
    made = []
    for b in np.unique(place):
        inside = place == b
        n, n_pass = int(inside.sum()), int(rows.label[inside].sum())
        lower, upper = beta_interval(n_pass, n - n_pass, ci_prob=ci_prob, prior=0.5)
        made.append(
            Bin(
                low=float(edges[b]),
                high=float(edges[b + 1]),
                n=n,
                mean_score=float(rows.score[inside].mean()),
                share=Measured(value=n_pass / n, lower=lower, upper=upper),
            )
        )
    return tuple(made)


def _calibration_error(
    rows: Scored, place: Int[np.ndarray, " row"], ci_prob: float, seed: int
) -> tuple[Measured, float, float]:
    """The error with its interval, its mean under calibration, and how rare it is there."""
    rng = np.random.default_rng(seed)
    n = np.bincount(place)
    score, passed = (np.bincount(place, weights=w) for w in (rows.score, rows.label))
    total = len(rows.score)
    value = float(np.abs(passed - score).sum() / total)
    redrawn = rng.binomial(n, (passed + 0.5) / (n + 1), size=(_N_DRAWS, len(n)))
    draws = np.abs(redrawn - score).sum(axis=1) / total
    null = np.abs(_calibrated(rows, place, rng) - score).sum(axis=1) / total
    p_calibrated = float((1 + (null >= value - 1e-12).sum()) / (1 + len(null)))
    lower, upper = (float(end) for end in credible_interval(draws, ci_prob=ci_prob))
    bias = max(float(draws.mean()) - value, 0.0)
    is_surely_off = p_calibrated <= (1 - ci_prob) / 2
    return (
        Measured(
            value=value,
            lower=max(lower - 2 * bias, 0.0) if is_surely_off else 0.0,
            upper=min(max(upper - bias, value), 1.0),
        ),
        float(null.mean()),
        p_calibrated,
    )


def _calibrated(
    rows: Scored, place: Int[np.ndarray, " row"], rng: np.random.Generator
) -> Float[np.ndarray, "draw bin"]:
    """Passes per bin when each score is the true probability.

    Drawn one distinct score at a time; in bins of many different ones, from the normal
    distribution with the same mean and variance.
    """
    passed = np.zeros((_N_DRAWS, int(place.max()) + 1))
    for b in np.unique(place):
        kinds, n = np.unique(rows.score[place == b], return_counts=True)
        if len(kinds) > _MANY:
            spread = np.sqrt((n * kinds * (1 - kinds)).sum())
            passed[:, b] = rng.normal(n @ kinds, spread, size=_N_DRAWS)
        else:
            passed[:, b] = rng.binomial(n, kinds, size=(_N_DRAWS, len(n))).sum(axis=1)
    return passed


def _brier(
    score: Float[np.ndarray, " row"], label: Int[np.ndarray, " row"], ci_prob: float
) -> Measured:
    from scipy.special import ndtri

    loss = (score - label) ** 2
    value = float(loss.mean())
    if len(loss) < 2:
        return Measured(value=value, lower=None, upper=None)
    reach = float(ndtri((1 + ci_prob) / 2) * loss.std(ddof=1) / np.sqrt(len(loss)))
    return Measured(value=value, lower=max(value - reach, 0.0), upper=min(value + reach, 1.0))


def _on_other_rows(rows: Scored, seed: int) -> Float[np.ndarray, " row"]:
    """Recalibrated scores, each by a curve that was fitted without its row."""
    n = len(rows.score)
    folds = min(_N_FOLDS, n)
    fold = np.random.default_rng(seed).permutation(n) % folds
    scores = np.array(rows.score)
    for k in range(folds if folds > 1 else 0):
        out = fold == k
        scores[out] = on_curve(rows.score[out], *isotonic_curve(rows.score[~out], rows.label[~out]))
    return scores


def _notes(rows: Scored, bins: Sequence[Bin], p_calibrated: float) -> tuple[str, ...]:
    notes = []
    share = rows.label.mean()
    if share in (0, 1):
        said = "pass" if share else "fail"
        notes.append(f"People say {said} on every row: nothing tells a good score from a constant.")
    if len(np.unique(rows.score)) == 1:
        notes.append("Every row has the same score: it tells no pass from a fail.")
    if p_calibrated > 0.05:
        notes.append(
            "These rows do not show that the score is off: a calibrated one does as badly in "
            f"{p_calibrated:.2f} of draws."
        )
    few = sum(b.n < _FEW for b in bins)
    if few:
        notes.append(
            f"{few:,} of {len(bins):,} bins hold{'s' if few == 1 else ''} fewer than {_FEW} rows: "
            'take fewer `bins`, or spacing="count".'
        )
    return tuple(notes)
