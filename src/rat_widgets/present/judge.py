"""Posteriors to the view of judges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, cast

import numpy as np
from jaxtyping import Float

from rat_widgets.derived.intervals import (
    CiKind,
)
from rat_widgets.derived.judging import judge_agreement, judge_measures, verdict_counts
from rat_widgets.derived.naive import leaves_abstention_out
from rat_widgets.derived.own_rates import own_rates
from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.quantities import POLICY
from rat_widgets.derived.worth import Weighing, Worth, rate_information
from rat_widgets.inference.convergence import mcse_mean
from rat_widgets.labels.counts import PATTERN_COLUMNS, PatternCounts
from rat_widgets.labels.keys import key_labels
from rat_widgets.model.priors import judge_keys
from rat_widgets.present.judge_identity import (
    cuts_of,
    departures,
    identities,
    rates_of,
)
from rat_widgets.present.judge_notes import notes_of
from rat_widgets.present.judge_spreads import Style, density, estimate, estimates, pinned
from rat_widgets.present.rows import judged_rows_sentence
from rat_widgets.present.tree import finite, policy_weights
from rat_widgets.views import judge_lines, wording
from rat_widgets.views.judge import (
    WORTHS,
    JudgeBeliefs,
    JudgeControls,
    JudgeCure,
    JudgeDeparture,
    JudgeGroup,
    JudgeMoves,
    JudgeNoCure,
    JudgeReportRow,
    JudgeView,
    JudgeWorth,
    Spread,
)
from rat_widgets.views.tree import Estimate, Note

__all__ = ["JudgeFit", "judge_view"]

_FIRST_JUDGE: Final = len(PATTERN_COLUMNS)
_POINTS: Final = 48
_HIGHEST: Final = 99

_Draws = Float[np.ndarray, "chain draw"]


@dataclass(frozen=True, kw_only=True)
class JudgeFit:
    """Three fits of the same groups: verdicts as labels, human labels alone, and the model."""

    naive: tuple[Posterior, ...]
    humans: tuple[Posterior, ...]
    joint: tuple[Posterior, ...]


def judge_view(
    fit: JudgeFit,
    counts: Sequence[PatternCounts],
    *,
    base: JudgeView | None = None,
    moves: JudgeMoves | None = None,
    controls: JudgeControls | None = None,
    cure: JudgeCure | None = None,
    no_cure: JudgeNoCure | None = None,
    under_moves: tuple[Note, ...] = (),
    python: str = "rat.judges(df",
    generator: str = "rat_widgets",
    ci_prob: float = 0.95,
    ci_kind: CiKind = "eti",
) -> JudgeView:
    """The view of the judges of one system, or of many with a picker.

    Parameters
    ----------
    fit : JudgeFit
        Under the moves.
    counts : sequence of PatternCounts
        Of each group, with the verdicts of all judges, those that are left out too.
    base : JudgeView, optional
        The view without moves.
    moves : JudgeMoves, optional
        What was changed.
    controls : JudgeControls
        What is shown first.
    cure, no_cure : JudgeCure, JudgeNoCure, optional
        The judges with what was found of their errors allowed for, or why there are none.
    under_moves : tuple of Note
        What is to be said when anything is moved.
    python, generator : str
        The call that reproduces the view, without its closing bracket; the writer.
    ci_prob, ci_kind
        As in `Posterior.summary`.
    """
    first = fit.joint[0]
    style = Style(ci_prob=ci_prob, ci_kind=ci_kind)
    patterns = _patterns(counts)
    told = _told(fit.joint)
    differ = {one.judge for one in first.judges_that_differ} if base is None else set()
    own = own_rates(counts, first.draws.priors, differ, seed=first.draws.seed)
    labels = key_labels([c.groups[0] for c in counts])
    groups = tuple(
        _group(
            (fit.naive[i], fit.humans[i], fit.joint[i]),
            one,
            label,
            patterns=patterns,
            told=told[i],
            style=style,
            own=estimates(style.spreads(own[i])) if base is None else base.groups[i].own,
            before=None if base is None or moves is None else base.groups[i],
            notes=() if base is None else base.under_moves,
            found=_known_departures(base, moves, i),
            systems=dict(zip((c.groups[0] for c in counts), labels, strict=True)),
        )
        for i, (one, label) in enumerate(zip(counts, labels, strict=True))
    )
    is_told = any("constraint" in p.diagnosis.codes for p in fit.joint)
    return JudgeView(
        generator=generator,
        python=python,
        by=first.counts.by,
        ci_prob=ci_prob,
        ci_kind=ci_kind,
        seed=first.draws.seed,
        levels=first.tree.levels,
        constraint=("tpr>fpr" if is_told else None) if base is None else base.constraint,
        exempt=first.draws.exempt if base is None else base.exempt,
        policy=policy_weights(first.policy),
        apart=tuple(g for g, p in enumerate(fit.joint) if p.counts.apart)
        if base is None
        else base.apart,
        judges=identities(counts[0].judges, counts[0].retrieval_levels, cuts_of(first))
        if base is None
        else base.judges,
        priors=_priors(first) if base is None else base.priors,
        patterns=tuple(patterns),
        groups=groups,
        controls=controls or JudgeControls(),
        moves=moves,
        cure=cure if base is None else base.cure,
        no_cure=no_cure if base is None else base.no_cure,
        under_moves=under_moves if base is None else base.under_moves,
    )


def _priors(posterior: Posterior) -> dict[str, tuple[float, float]]:
    return {name: (a, b) for name, (a, b) in posterior.draws.priors.to_dict().items()}


def _patterns(counts: Sequence[PatternCounts]) -> dict[tuple[int, ...], int]:
    """Distinct (R, A, T, verdicts) over all groups -> position."""
    found = {tuple(row) for c in counts for row in _shown(c)}
    return {pattern: i for i, pattern in enumerate(sorted(found))}


def _shown(counts: PatternCounts) -> list[list[int]]:
    columns = [0, 1, 2, *range(_FIRST_JUDGE, counts.patterns.shape[1])]
    return cast("list[list[int]]", counts.patterns[:, columns].tolist())


def _group(
    members: tuple[Posterior, Posterior, Posterior],
    counts: PatternCounts,
    label: str,
    *,
    patterns: Mapping[tuple[int, ...], int],
    told: Mapping[str, Float[np.ndarray, "rate rate"]],
    style: Style,
    own: dict[str, Estimate] | None,
    before: JudgeGroup | None,
    notes: tuple[Note, ...],
    found: tuple[JudgeDeparture, ...] | None,
    systems: Mapping[tuple[Any, ...], str],
) -> JudgeGroup:
    joint = members[2]
    pins = joint.draws.priors.held
    rates = rates_of(joint)
    spreads = style.spreads(rates)
    totals = [0] * len(patterns)
    for row, n in zip(_shown(counts), counts.counts[0].tolist(), strict=True):
        totals[patterns[tuple(row)]] += n
    n_human, n_only = _labelled(counts)
    labels = joint.labels
    beliefs = JudgeBeliefs(
        **{
            way: _beliefs(posterior, style)
            for way, posterior in zip(("naive", "humans", "joint"), members, strict=True)
        }
    )
    errors = _errors(joint)
    weighing = Weighing.of(joint)
    if before is not None:
        steadied = _steadied(beliefs.joint, errors, before, is_rate=joint.policy.is_rate)
        beliefs = replace(beliefs, joint=steadied)
    return JudgeGroup(
        key=tuple(map(finite, counts.groups[0])),
        label=label,
        n_rows=counts.n_rows,
        n_human=n_human,
        n_only=n_only,
        is_a_added=leaves_abstention_out(counts),
        counts=tuple(totals),
        beliefs=beliefs,
        rates={key: pinned(pins[key]) if key in pins else s for key, s in spreads.items()},
        densities={key: density(draws) for key, draws in rates.items() if key not in pins},
        report=_report(joint, told, style, weighing),
        worth=_worths(weighing, None, told.get("")),
        notes=(*notes, *notes_of(joint, is_moved=before is not None)),
        rows=judged_rows_sentence(
            counts,
            style.ci_prob,
            n_human=n_human,
            n_only=n_only,
            errored_as=None if labels is None else labels.roles.treatment.errored_as,
        ),
        errors=errors if before is None else before.errors,
        fitted=None if before is None else _fitted(before),
        deff=(float(counts.deff[0, 0]), float(counts.deff[0, 1])),
        departures=departures(joint, systems, is_cured=before is not None)
        if found is None
        else found,
        own=own or None,
    )


def _known_departures(
    base: JudgeView | None, moves: JudgeMoves | None, i: int
) -> tuple[JudgeDeparture, ...] | None:
    """What was found of the fit, or of the fit with the cure; None where that was not looked at.

    A check of rates that a reader has set would find that the rows speak against them: there is
    none, and nothing is known of a fit with the cure that was not made beforehand.
    """
    if base is None or moves is None:
        return None
    if not moves.cured:
        return base.groups[i].departures
    if base.cure is not None and base.cure.groups:
        return base.cure.groups[i].departures
    return () if moves.priors or moves.pins else None


def _labelled(counts: PatternCounts) -> tuple[int, int]:
    """Rows with a person's label of R or T, and rows with verdicts and neither."""
    rows = counts.counts[0]
    by_people = (counts.patterns[:, [0, 2]] >= 0).any(axis=1)
    judged = (counts.patterns[:, _FIRST_JUDGE:] >= 0).any(axis=1)
    return int(rows[by_people].sum()), int(rows[judged & ~by_people].sum())


def _believed(posterior: Posterior) -> dict[str, _Draws]:
    """P(R), of several levels that of the top one, P(T) and P(G)."""
    tree = posterior.tree
    hit = tree.branches[0 if tree.n_levels == 2 else tree.n_levels - 1]
    return {
        "retrieval_success": posterior[hit],
        "task_success": posterior["task_success"],
        POLICY: posterior[POLICY],
    }


def _beliefs(posterior: Posterior, style: Style) -> dict[str, Spread]:
    return style.spreads(_believed(posterior), rates={POLICY: posterior.policy.is_rate})


def _errors(posterior: Posterior) -> dict[str, float]:
    """Monte Carlo standard errors of the means."""
    found = {key: mcse_mean(draws) for key, draws in _believed(posterior).items()}
    return {key: wording.stored(np.nan_to_num(error)) for key, error in found.items()}


def _steadied(
    joint: Mapping[str, Spread], errors: Mapping[str, float], fit: JudgeGroup, *, is_rate: bool
) -> dict[str, Spread]:
    """The beliefs with the fit's mean where the move changes it by no more than noise."""
    found = dict(joint)
    for key, spread in joint.items():
        before = fit.beliefs.joint[key].value
        if spread.value is None or before is None:
            continue
        both = (errors[key], fit.errors[key])
        value = judge_lines.steady(spread.value, before, errors=both)
        text = wording.estimate(value, spread.lower, spread.upper, is_rate=is_rate or key != POLICY)
        found[key] = replace(spread, value=value, text=text)
    return found


def _report(
    posterior: Posterior,
    told: Mapping[str, Float[np.ndarray, "rate rate"]],
    style: Style,
    weighing: Weighing,
) -> tuple[JudgeReportRow, ...]:
    seen, agreed = verdict_counts(posterior.counts), judge_agreement(posterior)
    rows = []
    for key, draws in judge_measures(posterior).items():
        by_name = {**draws, "agreement": agreed[key]}
        names = ("ppv", "npv", "agreement", "kappa", "youden")
        signed = {"kappa": False, "youden": False}
        spreads = style.spreads({name: by_name[name] for name in names}, rates=signed)
        rows.append(
            JudgeReportRow(
                key=key,
                n_human=seen[key].n_human,
                n_only=seen[key].n_only,
                n_unknown=seen[key].n_unknown,
                **{name: estimate(spread) for name, spread in spreads.items()},
                worth=_worths(weighing, [key], told.get(key)),
            )
        )
    return tuple(rows)


def _told(
    members: Sequence[Posterior],
) -> list[dict[str, Float[np.ndarray, "rate rate"]]]:
    """For each group what the others tell of shared rates: by judge alone, and of all under "".

    Groups that are fitted by themselves tell the others nothing, and are told nothing.
    """
    keys = judge_keys(members[0].counts.judges)
    if len(members) == 1 or not any(judge.share == "all" for judge in members[0].counts.judges):
        return [{} for _ in members]
    wanted: dict[str, list[str] | None] = {"": None, **{key: [key] for key in keys}}
    found: list[dict[str, Float[np.ndarray, "rate rate"]]] = [{} for _ in members]
    sharing = [g for g, p in enumerate(members) if not p.counts.apart]
    for name, judges in wanted.items():
        each = [rate_information(members[g], judges=judges) for g in sharing]
        total = np.sum(each, axis=0)
        for g, own in zip(sharing, each, strict=True):
            found[g][name] = total - own
    return found


def _worths(
    weighing: Weighing, judges: list[str] | None, told: Float[np.ndarray, "rate rate"] | None
) -> dict[str, JudgeWorth]:
    """What the verdicts of some judges are worth, for each target."""
    if not weighing.posterior.counts.judges:
        nothing = judge_lines.worth_text(0.0, 0)
        none = JudgeWorth(
            worth=0.0, worth_verdicts=0.0, n_max=0, text=nothing, text_verdicts=nothing
        )
        return dict.fromkeys(WORTHS, none)
    spread = weighing.spread(judges, told)
    return {target: _worth(weighing.worth(spread, target)) for target in WORTHS}


def _worth(worth: Worth) -> JudgeWorth:
    of_rows, of_verdicts = (
        None if np.isinf(x) else wording.stored(x)
        for x in (worth.n_labels_with_rows, worth.n_labels)
    )
    return JudgeWorth(
        worth=of_rows,
        worth_verdicts=of_verdicts,
        n_max=worth.n_max,
        text=judge_lines.worth_text(of_rows, worth.n_max),
        text_verdicts=judge_lines.worth_text(of_verdicts, worth.n_max),
    )


def _fitted(group: JudgeGroup) -> dict[str, Estimate]:
    return estimates({**group.rates, **group.beliefs.joint})
