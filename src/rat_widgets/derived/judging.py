"""How far judges can be trusted: their rates in the terms of those who read their verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from rat_widgets.derived.intervals import CiKind, credible_interval, read_interval
from rat_widgets.derived.worth import Weighing, rate_information
from rat_widgets.errors import ArgumentError
from rat_widgets.labels.counts import PATTERN_COLUMNS
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.priors import judge_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rat_widgets.derived.posterior import Posterior
    from rat_widgets.labels.counts import PatternCounts

__all__ = [
    "MEASURES",
    "VerdictCounts",
    "cohen_kappa",
    "judge_agreement",
    "judge_measures",
    "judge_table",
    "negative_predictive_value",
    "positive_predictive_value",
    "shared_rates",
    "verdict_counts",
]

MEASURES: Final = ("tpr", "fpr", "ppv", "npv", "kappa", "youden")
"""What `judge_measures` gives, in reading order."""

_TARGETS: Final = {"worth": "policy_adherence", "worth_task_success": "task_success"}


class VerdictCounts(NamedTuple):
    """Rows on which a judge gave its verdict.

    Attributes
    ----------
    n_human : int
        Decided (0 or 1), and a person said what is true.
    n_only : int
        Decided, and nobody did.
    n_unknown : int
        The judge said "unknown".
    """

    n_human: int
    n_only: int
    n_unknown: int


def positive_predictive_value(
    prevalence: Float[np.ndarray, "*draws"],
    tpr: Float[np.ndarray, "*draws"],
    fpr: Float[np.ndarray, "*draws"],
) -> Float[np.ndarray, "*draws"]:
    """Probability that what a judge passes is good (PPV), per draw.

    Parameters
    ----------
    prevalence, tpr, fpr : array, shape (...)
        Probabilities in [0, 1].

    Returns
    -------
    array, shape (...)
        NaN where the judge passes nothing.
    """
    return _ratio(prevalence * tpr, prevalence * tpr + (1 - prevalence) * fpr)


def negative_predictive_value(
    prevalence: Float[np.ndarray, "*draws"],
    tpr: Float[np.ndarray, "*draws"],
    fpr: Float[np.ndarray, "*draws"],
) -> Float[np.ndarray, "*draws"]:
    """Probability that what a judge fails is bad (NPV), per draw; NaN where it fails nothing."""
    return positive_predictive_value(1 - prevalence, 1 - fpr, 1 - tpr)


def cohen_kappa(
    prevalence: Float[np.ndarray, "*draws"],
    tpr: Float[np.ndarray, "*draws"],
    fpr: Float[np.ndarray, "*draws"],
) -> Float[np.ndarray, "*draws"]:
    """Agreement of a judge with the truth beyond chance (Cohen's kappa), per draw.

    Parameters
    ----------
    prevalence, tpr, fpr : array, shape (...)
        Probabilities in [0, 1].

    Returns
    -------
    array, shape (...)
        NaN where truth and verdict are one and the same constant.

    Notes
    -----
    With p the prevalence and q = p TPR + (1 - p) FPR the share that the judge passes, agreement
    is o = p TPR + (1 - p)(1 - FPR), by chance e = p q + (1 - p)(1 - q), and kappa is
    (o - e) / (1 - e) = 2 p (1 - p) (TPR - FPR) / (p (1 - q) + (1 - p) q). It falls with rare
    failures although TPR and FPR stay; Youden's J = TPR - FPR does not.

    References
    ----------
    Cohen (1960), "A Coefficient of Agreement for Nominal Scales".
    """
    passed = prevalence * tpr + (1 - prevalence) * fpr
    chance = prevalence * (1 - passed) + (1 - prevalence) * passed
    return _ratio(2 * prevalence * (1 - prevalence) * (tpr - fpr), chance)


def judge_measures(
    posterior: Posterior, *, cut: Mapping[str, Any] | None = None
) -> dict[str, dict[str, Float[np.ndarray, "chain draw"]]]:
    """Judge's key -> measure -> draws, for every judge and all of `MEASURES`.

    Parameters
    ----------
    posterior : Posterior
    cut : mapping, optional
        Key of a graded judge -> the level from which on it passes; see `read_cuts`.

    Notes
    -----
    PPV, NPV and kappa are those of the verdicts that decide, at the model's prevalence: of a
    judge of retrieval P(R=1), of abstention P(A=1), of the task P(T=1 | A=0), since only
    answers are judged there. A judge that also says "unknown" decides more often on one truth
    than on the other, which shifts the prevalence among its decisions. The prevalence is the
    population's whatever the estimand, as the rates are.
    """
    return {
        key: {
            "tpr": tpr,
            "fpr": fpr,
            "ppv": positive_predictive_value(prevalence, tpr, fpr),
            "npv": negative_predictive_value(prevalence, tpr, fpr),
            "kappa": cohen_kappa(prevalence, tpr, fpr),
            "youden": tpr - fpr,
        }
        for key, (prevalence, tpr, fpr) in _decisions(posterior, cut).items()
    }


def judge_agreement(
    posterior: Posterior, *, cut: Mapping[str, Any] | None = None
) -> dict[str, Float[np.ndarray, "chain draw"]]:
    """Judge's key -> P(its verdict is right) among those that decide, per draw.

    At the model's prevalence, as in `judge_measures`: p TPR + (1 - p)(1 - FPR).
    """
    return {
        key: p * tpr + (1 - p) * (1 - fpr)
        for key, (p, tpr, fpr) in _decisions(posterior, cut).items()
    }


def read_cuts(posterior: Posterior, cut: Mapping[str, Any] | None) -> tuple[int, ...]:
    """Of each judge the answer, counted from 0, from which on a verdict passes.

    Parameters
    ----------
    cut : mapping or None
        Key of a graded judge -> one of its levels but the lowest. Of the others the level that
        tells best: the largest posterior mean of TPR - FPR.

    Raises
    ------
    ArgumentError
        For a judge without levels, or a level that it does not have.
    """
    judges = posterior.counts.judges
    keys = judge_keys(judges)
    found = dict(zip(keys, posterior.draws.cuts, strict=True))
    for key, level in (cut or {}).items():
        graded = [k for k, judge in zip(keys, judges, strict=True) if judge.is_graded]
        if key not in graded:
            raise ArgumentError.build(
                f"`cut` names {key!r}, which is no graded judge of this posterior.",
                accepted=f"Graded judges: {', '.join(map(repr, graded)) or 'there are none'}.",
            )
        levels = judges[keys.index(key)].levels or ()
        places = [i for i, name in enumerate(levels) if name == level or str(name) == str(level)]
        if not places or places[0] == 0:
            raise ArgumentError.build(
                f"`cut` of judge {key!r} is {level!r}.",
                accepted=f"The lowest that passes, one of {', '.join(map(repr, levels[1:]))}.",
            )
        found[key] = places[0]
    return tuple(found[key] for key in keys)


def _decisions(
    posterior: Posterior, cut: Mapping[str, Any] | None
) -> dict[str, tuple[Float[np.ndarray, "chain draw"], ...]]:
    """Judge's key -> P(good) among what it decides, TPR and FPR."""
    found = posterior.for_population().quantities()
    judges, draws = posterior.counts.judges, posterior.draws
    unknown = draws.unknown if judges else None
    decided: dict[str, tuple[Float[np.ndarray, "chain draw"], ...]] = {}
    rates = zip(judge_keys(judges), judges, draws.verdict_rates, read_cuts(posterior, cut))
    for j, (key, judge, verdicts, level) in enumerate(rates):
        prevalence = _prevalence(found, judge.of)
        if judge.has_unknown and unknown is not None:
            good = prevalence * (1 - unknown[..., j, 1])
            bad = (1 - prevalence) * (1 - unknown[..., j, 0])
            prevalence = _ratio(good, good + bad)
        decided[key] = (prevalence, verdicts.tpr(level), verdicts.fpr(level))
    return decided


def _prevalence(
    found: Mapping[str, Float[np.ndarray, "chain draw"]], of: str
) -> Float[np.ndarray, "chain draw"]:
    """P(what is judged is good), among what is judged."""
    if of == "retrieval":
        levels = [name for name in found if name.startswith("retrieval[")]
        return found[levels[-1] if levels else "retrieval_success"]
    return found[{"task": "selective_accuracy", "abstention": "abstention"}[of]]


def verdict_counts(counts: PatternCounts) -> dict[str, VerdictCounts]:
    """Judge's key -> rows with a verdict, with and without the human label beside it."""
    rows = counts.counts.sum(axis=0)
    found = {}
    for j, (key, judge) in enumerate(zip(judge_keys(counts.judges), counts.judges, strict=True)):
        verdicts = counts.patterns[:, FIRST_JUDGE + j]
        is_decided = (verdicts >= 0) & (verdicts < len(judge.answers))
        is_seen = counts.patterns[:, PATTERN_COLUMNS.index(judge.of)] != -1
        found[key] = VerdictCounts(
            n_human=int(rows[is_decided & is_seen].sum()),
            n_only=int(rows[is_decided & ~is_seen].sum()),
            n_unknown=int(rows[verdicts >= len(judge.answers)].sum()),
        )
    return found


def judge_table(
    posterior: Posterior,
    *,
    ci_prob: float = 0.95,
    ci_kind: CiKind = "eti",
    rates_known: Mapping[str, Float[np.ndarray, "rate rate"]] | None = None,
    cut: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """One row per judge; see `Posterior.judge_summary`."""
    ci_prob, ci_kind = read_interval(ci_prob, ci_kind)
    seen, measures = verdict_counts(posterior.counts), judge_measures(posterior, cut=cut)
    weighing = Weighing.of(posterior)
    rows = []
    for key, judge in zip(seen, posterior.counts.judges, strict=True):
        told = None if rates_known is None else rates_known[key]
        row: dict[str, Any] = {"of": judge.of, **seen[key]._asdict()}
        for name, draws in measures[key].items():
            row |= dict(zip(_interval_columns(name), _summary(draws, ci_prob, ci_kind)))
        spread = weighing.spread([key], told)
        for column, target in _TARGETS.items():
            worth = weighing.worth(spread, target)
            row |= {column: worth.n_labels_with_rows, f"{column}_verdicts": worth.n_labels}
        rows.append(row)
    frame = pd.DataFrame(rows, index=pd.Index(list(seen), name="judge"), columns=_columns())
    frame.attrs = {"ci_prob": ci_prob, "ci_kind": ci_kind}
    return frame


def shared_rates(members: Sequence[Posterior]) -> list[dict[str, Float[np.ndarray, "rate rate"]]]:
    """For each group what all the others tell of the rates of each judge, by key.

    Groups that are `apart` tell the others nothing, and are told nothing.
    """
    keys = judge_keys(members[0].counts.judges)
    told = {key: [rate_information(p, judges=[key]) for p in members] for key in keys}
    sums = {key: np.sum(each, axis=0) for key, each in told.items()}
    return [
        {key: 0 * sums[key] if p.counts.apart else sums[key] - told[key][g] for key in keys}
        for g, p in enumerate(members)
    ]


def _columns() -> list[str]:
    measures = [column for name in MEASURES for column in _interval_columns(name)]
    worth = [*_TARGETS, *(f"{column}_verdicts" for column in _TARGETS)]
    return ["of", *VerdictCounts._fields, *measures, *worth]


def _interval_columns(name: str) -> list[str]:
    return [name, f"{name}_lower", f"{name}_upper"]


def _summary(
    draws: Float[np.ndarray, "chain draw"], ci_prob: float, ci_kind: CiKind
) -> list[float]:
    """Mean and interval over the draws in which the measure is defined."""
    flat = draws.reshape(-1)
    defined = flat[~np.isnan(flat)]
    if not len(defined):
        return [np.nan] * 3
    lower, upper = credible_interval(defined, ci_prob=ci_prob, ci_kind=ci_kind)
    return [float(defined.mean()), float(lower), float(upper)]


def _ratio(part: Any, whole: Any) -> Float[np.ndarray, "*draws"]:
    part, whole = np.asarray(part), np.asarray(whole)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(whole > 0, part / whole, np.nan)
