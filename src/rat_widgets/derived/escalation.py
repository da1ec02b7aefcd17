"""Which scores are in doubt: a cheap judge decides the clear rows, a better one the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from rat_widgets.derived.band_course import BandStep, course_of, share_of
from rat_widgets.derived.cascade import Outcome, Prices, best_band, outcome_of, read_prices
from rat_widgets.derived.intervals import read_interval
from rat_widgets.derived.printed import Measured, Printed, Rows, counted, shown
from rat_widgets.derived.scores import Scored, number, read_scored, read_scores, whole_number
from rat_widgets.errors import ArgumentError
from rat_widgets.labels.keys import one_line

__all__ = ["EscalationBand", "Route", "escalation_band"]

_CALL: Final = 'rat.escalation_band("score", "human", data=df, target=0.05)'
_ROUTES: Final = ("cascade", "everything sent", "nothing sent")
_FEW: Final = 30


@dataclass(frozen=True, kw_only=True, slots=True)
class Route:
    """One way to judge: the share of rows sent on, the error rate, the cost of a row."""

    sent: Measured
    error: Measured
    cost: float


@dataclass(frozen=True, kw_only=True, slots=True, repr=False)
class EscalationBand(Printed):
    """The scores that are sent on, and the whole cascade on rows it was not fitted to.

    Attributes
    ----------
    low, high : float
        A score below `low` is a fail, above `high` a pass; from `low` to `high` it is sent on.
    score, human : str
        What the two columns are called.
    n_rows, n_missing, n_fit : int
        Rows given; rows that lack a value, which are left out; rows that chose the band.
    held_out : Outcome
        The other rows: how many went which way, and how many ended wrongly.
    routes : mapping
        "cascade", "everything sent" and "nothing sent" (the best single threshold) -> Route, on
        the held-out rows.
    accuracy : mapping
        "fail" and "pass" -> Measured: how often the automatic verdict is right, held out.
    course : tuple of BandStep
        What sending less or more would bring: the bands with fewest errors on the rows of the
        fit, by the share that they send on, each reported on the held-out rows.
    target, probability : float or None
        Largest error rate asked for, and how sure the rows of the fit had to be of it.
    p_target : float or None
        Posterior probability, on the held-out rows, that the error rate is no larger.
    prices : Prices
    ci_prob : float
    notes : tuple of str
    """

    low: float
    high: float
    score: str
    human: str
    n_rows: int
    n_missing: int
    n_fit: int
    held_out: Outcome
    routes: Mapping[str, Route]
    accuracy: Mapping[str, Measured]
    course: tuple[BandStep, ...]
    target: float | None
    probability: float
    p_target: float | None
    prices: Prices
    ci_prob: float
    notes: tuple[str, ...]

    @property
    def headline(self) -> str:
        """The result in one line."""
        cascade = self.routes["cascade"]
        fails = f"fail below {self.low:.4g}" if self.low > 0 else "fail none"
        passes = f"pass above {self.high:.4g}" if self.high < 1 else "pass none"
        return (
            f"{one_line(self.score)}: {fails}, {passes}, send on the rest: "
            f"{100 * (cascade.sent.value or 0):.0f}% of rows, "
            f"{100 * (cascade.error.value or 0):.1f}% wrong "
            f"({counted(self.held_out.n, 'row')} held out, {self.n_fit:,} chose the band)"
        )

    def decide(self, score: Any) -> np.ndarray:
        """What becomes of scores: "fail", "send" or "pass"; None where the score is missing.

        Parameters
        ----------
        score : column
            Numbers in [0, 1].
        """
        numbers = read_scores(score, "band.decide(scores)")
        found = np.full(len(numbers), "send", dtype=object)
        found[numbers < self.low] = "fail"
        found[numbers > self.high] = "pass"
        found[np.isnan(numbers)] = None
        return found

    def to_frame(self) -> pd.DataFrame:
        """One row per route: share sent and error rate with intervals, and cost per row."""
        return pd.DataFrame(
            [
                (*_triple(r.sent), *_triple(r.error), r.cost)
                for r in (self.routes[name] for name in _ROUTES)
            ],
            index=pd.Index(_ROUTES, name="route"),
            columns=["sent", "sent_lower", "sent_upper", "error", "lower", "upper", "cost"],
        )

    def to_dict(self) -> dict[str, Any]:
        """The result as values that JSON can hold."""
        return asdict(self) | {
            "course": [asdict(step) for step in self.course],
            "notes": list(self.notes),
        }

    def tables(self) -> Sequence[Rows]:
        """The routes, and the automatic verdicts."""
        interval = f"{100 * self.ci_prob:g}% interval"
        routes: list[tuple[str, ...]] = [("", "sent on", "wrong", interval, "cost of a row")]
        for name in _ROUTES:
            route = self.routes[name]
            routes.append((name, shown(route.sent)[0], *shown(route.error, 3), f"{route.cost:.4g}"))
        clear: list[tuple[str, ...]] = [("automatic", "rows", "right", interval)]
        for name, n in (("fail", self.held_out.n_failed), ("pass", self.held_out.n_passed)):
            clear.append((name, f"{n:,}", *(shown(self.accuracy[name]) if n else ("", ""))))
        return routes, clear


def escalation_band(
    score: Any,
    human: Any,
    *,
    target: float | None = None,
    cost: Mapping[str, float] | None = None,
    expensive: Any = None,
    probability: float = 0.9,
    split: float = 0.5,
    data: Any = None,
    values: Mapping[Any, Any] | None = None,
    ci_prob: float = 0.95,
    seed: int = 0,
) -> EscalationBand:
    """The band of scores that goes to an expensive judge or a person, and what comes of it.

    Parameters
    ----------
    score : column, or str with `data`
        The cheap judge's score, from 0 (surely a fail) to 1 (surely a pass).
    human : column, or str with `data`
        Labels of people, the truth: 1 is a pass and 0 a fail.
    target : float, optional
        Largest share of all rows that may end in another verdict than people's. The band is the
        cheapest that keeps to it.
    cost : mapping, optional
        Prices of a verdict, "cheap" (0) and "expensive" (1), and of an error, "error", or
        "false_pass" and "false_fail". With a price of errors there need be no `target`: the band
        is the one that costs least. One of the two is needed.
    expensive : column, or str with `data`, optional
        Verdicts of the expensive judge on the same rows, with its own errors. Without it a
        person decides, and is right.
    probability : float
        How sure the rows of the fit have to be that the target is met. 0.5 is about "the error
        rate seen is the target"; the band with the fewest errors seen is often lucky.
    split : float
        Share of the rows that chooses the band; the others report on it.
    data : frame, optional
        Any frame that `Labels.from_frame` reads.
    values : mapping, optional
        How text reads: ``{"good": 1, "bad": 0}``.
    ci_prob : float
        Posterior probability inside the intervals, which are equal-tailed.
    seed : int
        The same seed splits the rows the same way.

    Returns
    -------
    EscalationBand

    Notes
    -----
    Rows are split at random, passes and fails each in the same share. All bands between
    neighbouring scores are tried (at most 256 thresholds). Every number of the result is of the
    held-out rows; shares have the Beta posterior with Jeffreys' prior. Rows count as
    independent: several answers to one question make true intervals wider.

    Raises
    ------
    ArgumentError, ArgumentTypeError, LabelValueError, MissingColumnError
        For columns that are not a score and labels of one length, one class or one score alone,
        fewer than two rows of a class on either side, or neither a target nor a price of errors.

    Examples
    --------
    >>> scores = [0.1, 0.2, 0.5, 0.6, 0.8, 0.9] * 20
    >>> people = [0, 0, 0, 1, 1, 1] * 10 + [0, 0, 1, 0, 1, 1] * 10
    >>> band = escalation_band(scores, people, target=0.05)
    >>> band.decide([0.1, 0.5, 0.9]).tolist()
    ['fail', 'send', 'pass']
    """
    ci_prob, _ = read_interval(ci_prob, "eti")
    probability, _ = read_interval(probability, "eti")
    seed = whole_number(seed, "seed", 0)
    prices = read_prices(cost)
    target = None if target is None else number(target, "target", 0, 1)
    if target is None and not prices.has_errors:
        raise ArgumentError.build(
            "There is neither a `target` nor a price of errors: sending nothing costs least.",
            accepted="A largest error rate, or what an error costs, or both.",
            hint='target=0.05, or cost={"expensive": 1, "error": 20}.',
        )
    rows = read_scored(score, human, expensive, data=data, values=values, call=_CALL)
    is_fit = _split(rows, number(split, "split", 0, 1), seed)
    fit, rest = _taken(rows, is_fit), _taken(rows, ~is_fit)
    low, high, reached = best_band(fit, prices, target, probability)
    cut, _, _ = best_band(fit, prices, None, probability, may_send=False)
    outcome = outcome_of(rest, low, high)
    return EscalationBand(
        low=low,
        high=high,
        score=rows.names[0],
        human=rows.names[1],
        n_rows=rows.n_rows,
        n_missing=rows.n_missing,
        n_fit=int(is_fit.sum()),
        held_out=outcome,
        routes={
            "cascade": _route(outcome, prices, ci_prob),
            "everything sent": _route(outcome_of(rest, 0, 1), prices, ci_prob, is_cheap=False),
            "nothing sent": _route(outcome_of(rest, cut, cut), prices, ci_prob),
        },
        accuracy={
            "fail": share_of(outcome.n_failed - outcome.wrongly_failed, outcome.n_failed, ci_prob),
            "pass": share_of(outcome.n_passed - outcome.wrongly_passed, outcome.n_passed, ci_prob),
        },
        course=course_of(fit, rest, prices, (low, high), ci_prob),
        target=target,
        probability=probability,
        p_target=None if target is None else _p_below(outcome, target),
        prices=prices,
        ci_prob=ci_prob,
        notes=_notes(outcome, target, reached),
    )


def _split(rows: Scored, split: float, seed: int) -> np.ndarray:
    """Which rows choose the band; as large a share of the passes as of the fails."""
    rng = np.random.default_rng(seed)
    if len(np.unique(rows.score)) < 2:
        raise ArgumentError.build(
            f"Every row has the score {rows.score[0]:g}.",
            accepted="Scores that differ: one score tells no clear row from a doubtful one.",
        )
    is_fit = np.zeros(len(rows.label), dtype=bool)
    for label, name in ((0, "fail"), (1, "pass")):
        members = rng.permutation(np.flatnonzero(rows.label == label))
        n_fit = round(split * len(members))
        if n_fit < 2 or len(members) - n_fit < 2:
            raise ArgumentError.build(
                f"People say {name} on {len(members):,} row{'s' * (len(members) != 1)} with a "
                f"score; {n_fit:,} would choose the band.",
                accepted="Two rows or more of either class to choose the band, and as many to "
                "report on it.",
            )
        is_fit[members[:n_fit]] = True
    if len(np.unique(rows.score[is_fit])) < 2:
        raise ArgumentError.build(
            "The rows that choose the band all have one score.", accepted="Scores that differ."
        )
    return is_fit


def _taken(rows: Scored, which: np.ndarray) -> Scored:
    return Scored(
        score=rows.score[which],
        label=rows.label[which],
        expensive=None if rows.expensive is None else rows.expensive[which],
        names=rows.names,
        n_rows=int(which.sum()),
        n_missing=0,
    )


def _route(outcome: Outcome, prices: Prices, ci_prob: float, *, is_cheap: bool = True) -> Route:
    return Route(
        sent=share_of(outcome.n_sent, outcome.n, ci_prob),
        error=share_of(outcome.n_wrong, outcome.n, ci_prob),
        cost=outcome.cost(prices, is_cheap_asked=is_cheap),
    )


def _p_below(outcome: Outcome, target: float) -> float:
    from scipy.special import betainc

    wrong = outcome.n_wrong
    return float(betainc(wrong + 0.5, outcome.n - wrong + 0.5, target))


def _triple(m: Measured) -> tuple[float | None, float | None, float | None]:
    return m.value, m.lower, m.upper


def _notes(outcome: Outcome, target: float | None, reached: bool) -> tuple[str, ...]:
    notes = []
    if not reached:
        notes.append(
            f"No band was sure enough to keep to {target:g}: this one had fewest errors. Label "
            "more rows, raise `target`, or send rows to somebody who errs less."
        )
    elif target is not None and outcome.n_wrong / outcome.n > target:
        notes.append(f"On the held-out rows the error rate is above the target of {target:g}.")
    if outcome.n_sent == outcome.n:
        notes.append("Everything is sent on: the score saves nothing here.")
    if outcome.n_sent == 0:
        notes.append("Nothing is sent on: the score alone is good enough.")
    if outcome.n < _FEW:
        notes.append(f"Only {outcome.n:,} rows were held out: intervals are wide.")
    return tuple(notes)
