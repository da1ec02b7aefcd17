"""A judge beside people, from two columns: may it gate a release?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final

import numpy as np
from jaxtyping import Int

from rat_widgets.derived.intervals import beta_interval, credible_interval, read_interval
from rat_widgets.derived.judge_report_text import notes_of, reasons_of, report_html, report_text
from rat_widgets.derived.judging import cohen_kappa
from rat_widgets.derived.kappa import kappa_of_table
from rat_widgets.derived.printed import Measured
from rat_widgets.derived.verdicts import read_pair
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.scalars import MISSING, UNKNOWN

__all__ = ["BARS", "JudgeReport", "judge_report"]

BARS: Final = {"kappa": 0.6, "fail_recall": 0.8, "probability": 0.0}
"""What a judge needs by default to gate; see `judge_report`."""

_CLASSES: Final = ("fail", "pass")
_LEAST: Final = {"kappa": -1.0, "fail_recall": 0.0, "probability": 0.0}
_N_DRAWS: Final = 20_000


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeReport:
    """A judge's verdicts beside people's labels; prints well and renders in a notebook.

    Attributes
    ----------
    human, judge : str
        What the two columns are called.
    table : tuple of tuples of int
        Rows by people's label (fail, pass) and the judge's verdict (fail, pass).
    n_rows, n_missing, n_unknown : int
        Rows given; rows that lack the label or the verdict; labelled rows on which the judge
        said "unknown". Neither of the last two is in the table.
    accuracy, kappa : Measured
    precision, recall : mapping
        "fail" and "pass" -> Measured. The recall of "fail" is the share of people's failures
        that the judge fails, its precision the share of its failures that people fail.
    human_distribution, judge_distribution : mapping
        "fail" and "pass" -> rows of the table.
    bars : mapping
        What is asked of the judge: least kappa, least recall of "fail", and least probability
        that both are truly met.
    probability : float
        Posterior probability that both bars are met.
    ci_prob : float
        Probability inside the intervals.
    may_gate : bool
        Whether every bar is met.
    reasons, notes : tuple of str
        One sentence per bar; what else to know.
    """

    human: str
    judge: str
    table: tuple[tuple[int, int], tuple[int, int]]
    n_rows: int
    n_missing: int
    n_unknown: int
    accuracy: Measured
    kappa: Measured
    precision: Mapping[str, Measured]
    recall: Mapping[str, Measured]
    human_distribution: Mapping[str, int]
    judge_distribution: Mapping[str, int]
    bars: Mapping[str, float]
    probability: float
    ci_prob: float
    may_gate: bool
    reasons: tuple[str, ...]
    notes: tuple[str, ...]

    @property
    def n(self) -> int:
        """Rows that were compared."""
        return sum(map(sum, self.table))

    @property
    def verdict(self) -> str:
        """The judgement in words: "may gate" or "may not"."""
        return "may gate" if self.may_gate else "may not"

    def to_dict(self) -> dict[str, Any]:
        """The report as values that JSON can hold."""
        plain = asdict(self) | {"n": self.n, "verdict": self.verdict}
        plain["table"] = [list(row) for row in self.table]
        plain["reasons"], plain["notes"] = list(self.reasons), list(self.notes)
        return plain

    def __str__(self) -> str:
        return report_text(self)

    def __repr__(self) -> str:
        return report_text(self)

    def _repr_html_(self) -> str:
        return report_html(self)


def judge_report(
    human: Any,
    judge: Any,
    *,
    data: Any = None,
    values: Mapping[Any, Any] | None = None,
    unknown: Any = None,
    may_gate: Mapping[str, float] | None = None,
    ci_prob: float = 0.95,
) -> JudgeReport:
    """Compare a judge with people on the same rows, and say whether it may gate.

    Parameters
    ----------
    human, judge : column, or str with `data`
        Labels of people and verdicts of the judge, row by row: 1 is a pass and 0 a fail. A
        series, array or list; or the names of two columns of `data`.
    data : frame, optional
        Any frame that `Labels.from_frame` reads.
    values : mapping, optional
        How text reads: ``{"good": 1, "bad": 0}``.
    unknown : value or collection of values, optional
        Verdicts that decide nothing, such as ``"unsure"``: counted, and not compared.
    may_gate : mapping, optional
        The bars: "kappa" (0.6), "fail_recall" (0.8), and "probability" (0), the least posterior
        probability that the first two are met; what is left out keeps its default.
    ci_prob : float
        Posterior probability inside the intervals, which are equal-tailed.

    Returns
    -------
    JudgeReport

    Notes
    -----
    Every row with a label and a verdict counts, abstentions too, where the two columns hold
    something there; ``judge_report("T", "verdict", data=df[df["A"] == 0])`` is about answers.

    The values are those of the rows in hand, and so is the verdict unless a "probability" is
    asked for. Intervals are for what the rows stand for: of accuracy, precision and recall the
    Beta posterior with a flat prior; of kappa 20,000 draws of P(pass), P(verdict pass | pass)
    and P(verdict pass | fail), each with a flat prior.

    Accuracy is no bar: where 88 of 100 answers are good, a judge that passes everything has
    0.88, and kappa 0. Kappa from 0.6 is called substantial by Landis and Koch (1977); a recall
    of 0.8 lets one failure in five through. Both are conventions: set your own.

    Raises
    ------
    ArgumentError, ArgumentTypeError, LabelValueError, MissingColumnError
        For columns that are not two columns of labels of one length, or bars that are none.

    Examples
    --------
    >>> people = [0] * 12 + [1] * 88
    >>> judge_report(people, [1] * 100).verdict
    'may not'
    >>> judge_report(people, [0] * 10 + [1] * 2 + [0] * 3 + [1] * 85).verdict
    'may gate'
    """
    bars = _read_bars(may_gate)
    ci_prob, _ = read_interval(ci_prob, "eti")
    truth, verdicts, names = read_pair(human, judge, data, values, unknown)
    is_seen = (truth != MISSING) & (verdicts != MISSING)
    is_unknown = is_seen & (verdicts == UNKNOWN)
    kept = is_seen & ~is_unknown
    table = np.zeros((2, 2), dtype=np.int64)
    np.add.at(table, (truth[kept], verdicts[kept]), 1)
    return _report(
        table,
        names=names,
        bars=bars,
        ci_prob=ci_prob,
        n_rows=len(truth),
        n_missing=int((~is_seen).sum()),
        n_unknown=int(is_unknown.sum()),
    )


def _report(
    table: Int[np.ndarray, "2 2"],
    *,
    names: tuple[str, str],
    bars: Mapping[str, float],
    ci_prob: float,
    **rows: int,
) -> JudgeReport:
    (caught, missed), (refused, passed) = table.tolist()
    kappa, probability = _kappa(table, bars, ci_prob)

    def share(n_yes: int, n_no: int) -> Measured:
        lower, upper = beta_interval(n_yes, n_no, ci_prob=ci_prob)
        value = n_yes / (n_yes + n_no) if n_yes + n_no else None
        return Measured(value=value, lower=lower, upper=upper)

    recall = {"fail": share(caught, missed), "pass": share(passed, refused)}
    observed = {"kappa": kappa.value, "fail_recall": recall["fail"].value}
    observed["probability"] = probability
    met = {bar: value is not None and value >= bars[bar] for bar, value in observed.items()}
    return JudgeReport(
        human=names[0],
        judge=names[1],
        table=((caught, missed), (refused, passed)),
        **rows,
        accuracy=share(caught + passed, missed + refused),
        kappa=kappa,
        precision={"fail": share(caught, refused), "pass": share(passed, missed)},
        recall=recall,
        human_distribution=dict(zip(_CLASSES, table.sum(axis=1).tolist(), strict=True)),
        judge_distribution=dict(zip(_CLASSES, table.sum(axis=0).tolist(), strict=True)),
        bars=dict(bars),
        probability=probability,
        ci_prob=ci_prob,
        may_gate=all(met.values()),
        reasons=reasons_of(observed, bars, met),
        notes=notes_of(table.tolist(), probability, all(met.values()), rows["n_unknown"]),
    )


def _kappa(
    table: Int[np.ndarray, "2 2"], bars: Mapping[str, float], ci_prob: float
) -> tuple[Measured, float]:
    """Kappa, and the probability that both bars are met."""
    rng = np.random.default_rng(0)
    (caught, missed), (refused, passed) = table.tolist()
    prevalence = rng.beta(1 + refused + passed, 1 + caught + missed, _N_DRAWS)
    tpr = rng.beta(1 + passed, 1 + refused, _N_DRAWS)
    fpr = rng.beta(1 + missed, 1 + caught, _N_DRAWS)
    draws = cohen_kappa(prevalence, tpr, fpr)
    lower, upper = credible_interval(draws, ci_prob=ci_prob)
    value = float(kappa_of_table(table))
    is_met = (draws >= bars["kappa"]) & (1 - fpr >= bars["fail_recall"])
    return (
        Measured(
            value=None if math.isnan(value) else value, lower=float(lower), upper=float(upper)
        ),
        float(is_met.mean()),
    )


def _read_bars(given: object) -> dict[str, float]:
    accepted = (
        'A mapping with any of "kappa" (-1 to 1), "fail_recall" and "probability" (0 to 1), '
        'such as {"kappa": 0.7, "fail_recall": 0.9}.'
    )
    if given is None:
        return dict(BARS)
    if not isinstance(given, Mapping):
        raise ArgumentTypeError.build(f"`may_gate` is {given!r:.80}.", accepted=accepted)
    for bar, value in given.items():
        is_number = isinstance(value, (int, float, np.integer, np.floating))
        if bar not in BARS or isinstance(value, bool) or not is_number:
            raise ArgumentError.build(f"`may_gate` has {bar!r}: {value!r:.80}.", accepted=accepted)
        if not _LEAST[bar] <= value <= 1:
            hint = f"did you mean {value / 100:g}?" if 1 < value <= 100 else None
            raise ArgumentError.build(
                f"`may_gate` has {bar!r}: {value!r:.80}.", accepted=accepted, hint=hint
            )
    return {bar: float(given.get(bar, BARS[bar])) for bar in BARS}
