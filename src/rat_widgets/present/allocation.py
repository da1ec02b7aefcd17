"""Outlooks to the view of a plan, and a view's controls to its answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from jaxtyping import Float
from scipy.special import ndtri

from rat_widgets.derived.policy import Policy
from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.quantities import POLICY, quantities_of
from rat_widgets.labels.keys import key_labels
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.worlds import PARAMETERS
from rat_widgets.planning.allocation import OPTIMAL, Allocation, Course, Terms, allocate_budget
from rat_widgets.planning.outlook import Numbers, Outlook
from rat_widgets.planning.targets import Target
from rat_widgets.present.rows import rows_sentence
from rat_widgets.present.tree import finite, with_symbols
from rat_widgets.views import wording
from rat_widgets.views.allocation import (
    AllocationAnswer,
    AllocationControls,
    AllocationCourse,
    AllocationGroup,
    AllocationKnown,
    AllocationPart,
    AllocationScheme,
    AllocationStrategy,
    AllocationStratum,
    AllocationTarget,
    AllocationView,
    PlanNumbers,
)
from rat_widgets.views.allocation_words import COURSES
from rat_widgets.views.tree import Note
from rat_widgets.views.words import POLICY_NAMES, policy_kind

__all__ = ["PlannedGroup", "allocation_answer", "allocation_view"]

_EXACT: Final = 8
_ROUGH: Final = 4
# P(R), P(T) and P(G) stand first: they are what most plans are for.
_FIRST: Final = (POLICY, "task_success", "retrieval_success")
_SHORT: Final = {POLICY: "P(G)", "task_success": "P(T)", "retrieval_success": "P(R)"}
_HUES: Final[dict[str, Literal["r", "a", "t", "good"]]] = {
    "retrieval": "r", "abstention": "a", "task": "t", "policy": "good"
}  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PlannedGroup:
    """One system: its outlook, and its posterior where there is one."""

    outlook: Outlook
    posterior: Posterior | None


def allocation_view(
    groups: Sequence[PlannedGroup],
    policy: Policy,
    *,
    controls: AllocationControls,
    python: str = "rat.allocate(df",
    generator: str = "rat_widgets",
    ci_prob: float = 0.95,
) -> AllocationView:
    """The view of one system's plan, or of many with a picker.

    Parameters
    ----------
    groups : sequence of PlannedGroup
    policy : Policy
    controls : AllocationControls
        What is shown first; the answer is under these.
    python, generator : str
        The call that reproduces the view, without its closing bracket; the writer.
    ci_prob : float
        Probability inside the intervals.
    """
    posteriors = [g.posterior for g in groups]
    keys = [() if p is None else p.counts.groups[0] for p in posteriors]
    first = posteriors[0]
    common = [
        target
        for target in groups[0].outlook.targets
        if all(target in group.outlook.targets for group in groups)
    ]
    return AllocationView(
        generator=generator,
        python=python,
        by=() if first is None else first.counts.by,
        ci_prob=ci_prob,
        factor=2 * float(ndtri((1 + ci_prob) / 2)),
        targets=_targets(common, policy),
        groups=tuple(
            _group(group, key, label, common, ci_prob)
            for group, key, label in zip(groups, keys, key_labels(keys), strict=True)
        ),
        controls=controls,
        answer=allocation_answer(groups[controls.group].outlook, controls, ci_prob),
    )


def allocation_answer(
    outlook: Outlook, controls: AllocationControls, ci_prob: float
) -> AllocationAnswer:
    """What follows from the controls for one group."""
    n0 = outlook.n0 if controls.n0 is None else controls.n0
    terms = Terms(
        target=controls.target,
        budget=controls.budget,
        most=controls.end,
        prices={"R": controls.prices.R, "T": controls.prices.T},
        n0=n0 or 0.0,
        by_rows=controls.unit == "rows",
        left_out=controls.hidden,
    )
    return _answer(allocate_budget(outlook, terms, ci_prob=ci_prob))


def _answer(found: Allocation) -> AllocationAnswer:
    return AllocationAnswer(
        now=_rounded(found.now),
        budgets=_listed(found.budgets, _EXACT),
        courses=tuple(_course(key, found.courses[key]) for key in COURSES),
        advised=found.advised,
        parts=tuple(
            AllocationPart(
                rows=part.rows,
                buy=part.buy,
                share=_rounded(part.share),
                n_rows=_rounded(part.n_rows),
                cost=_rounded(part.cost),
            )
            for part in found.parts
        ),
    )


def _course(key: str, course: Course) -> AllocationCourse:
    return AllocationCourse(
        key=key,
        widths=_listed(course.widths, _EXACT),
        lower=None if course.lower is None else _listed(course.lower, _EXACT),
        upper=None if course.upper is None else _listed(course.upper, _EXACT),
        width=_rounded(course.width),
        width_lower=None if course.width_lower is None else _rounded(course.width_lower),
        width_upper=None if course.width_upper is None else _rounded(course.width_upper),
        spent=_rounded(course.spent),
        needed=None if course.needed is None else _rounded(course.needed),
    )


def _targets(keys: Sequence[str], policy: Policy) -> tuple[AllocationTarget, ...]:
    known = {q.key: q for q in quantities_of(policy.levels)}
    weights, levels = policy.as_dict(), policy.levels
    made = {}
    for key in keys:
        if key not in known:
            made[key] = AllocationTarget(
                key=key, label="", symbol=key, hue="", is_rate=True, over=(), given=()
            )
            continue
        q = known[key]
        exact = Target.of_quantity(key, policy) if len(levels) == 2 else None
        label = POLICY_NAMES[policy_kind(weights, levels)] if key == POLICY else q.label
        made[key] = AllocationTarget(
            key=key,
            label=label,
            symbol=_SHORT.get(key, q.symbol),
            hue=_HUES[q.about],
            is_rate=policy.is_rate if key == POLICY else True,
            over=() if exact is None else exact.over,
            given=() if exact is None else exact.given,
        )
    ordered = [key for key in _FIRST if key in made]
    return tuple(made[key] for key in [*ordered, *(k for k in made if k not in ordered)])


def _group(
    group: PlannedGroup, key: Any, label: str, targets: Sequence[str], ci_prob: float
) -> AllocationGroup:
    outlook, posterior = group.outlook, group.posterior
    notes: tuple[Note, ...] = ()
    rows = "The point is taken as the truth, with flat priors."
    if posterior is not None:
        notes = _notes(posterior)
        labels = posterior.labels
        errored = None if labels is None else labels.roles.treatment.errored_as
        rows = rows_sentence(posterior.counts, ci_prob, errored).partition(" Ranges are ")[0]
    return AllocationGroup(
        key=tuple(map(finite, key)),
        label=label,
        rows=rows,
        pool=_pool(outlook),
        n0=outlook.n0,
        n_pass=outlook.n_pass,
        strata=tuple(
            AllocationStratum(
                name=stratum.name,
                pattern=_shown(stratum.pattern),
                n_rows=None if np.isinf(stratum.n_rows) else stratum.n_rows,
            )
            for stratum in outlook.strata
        ),
        schemes=tuple(
            AllocationScheme(
                stratum=scheme.stratum,
                away="R" if scheme.rule.abstained else "",
                answered="" if scheme.rule.first is None else scheme.rule.text_of_answers(),
                first=scheme.rule.first or "",
                then=scheme.rule.then,
            )
            for scheme in outlook.schemes
        ),
        strategies=tuple(
            AllocationStrategy(
                key=key,
                rows=_listed(outlook.passes[key], _EXACT),
                bits=outlook.bits[key].bits,
                bits_lower=outlook.bits[key].lower,
                bits_upper=outlook.bits[key].upper,
                n_r=outlook.bits[key].n_r,
                n_t=outlook.bits[key].n_t,
            )
            for key in COURSES
            if key != OPTIMAL
        ),
        values={
            key: wording.stored(value)
            for key, value in zip(outlook.targets, outlook.values, strict=True)
            if key in targets
        },
        at=_plan_numbers(outlook, outlook.at, targets, _EXACT),
        spread=tuple(_plan_numbers(outlook, at, targets, _ROUGH) for at in outlook.spread),
        notes=notes,
        known=_known(outlook),
    )


def _known(outlook: Outlook) -> AllocationKnown | None:
    """What a simulated purchase adds to, where the browser can fit what comes out."""
    patterns, counts = outlook.known
    if patterns.shape[1] > FIRST_JUDGE or len(outlook.at.theta) != len(PARAMETERS):
        return None
    shown: dict[tuple[int, int, int], float] = {}
    for pattern, n in zip(patterns, counts.tolist(), strict=True):
        key = _shown(pattern)
        shown[key] = shown.get(key, 0.0) + n
    return AllocationKnown(
        patterns=tuple(shown), counts=tuple(shown.values()), priors=dict(outlook.priors)
    )


def _shown(pattern: Any) -> tuple[int, int, int]:
    retrieval, abstention, task = (int(x) for x in pattern[:3])
    return retrieval, abstention, task


def _notes(posterior: Posterior) -> tuple[Note, ...]:
    return tuple(
        Note(level=level, text=with_symbols(f"{text} {advice}".strip(), posterior.tree))
        for level, _, text, advice in posterior.diagnosis.messages
        if level != "info"
    )


def _pool(outlook: Outlook) -> str:
    """Which rows may be labelled."""
    if outlook.is_fresh:
        return "Labels go to new rows, on each of which A is seen for free."
    n = {"abstained": 0.0, "answered": 0.0}
    for stratum in outlook.strata:
        n[stratum.name.partition(",")[0]] += stratum.n_rows
    total, away, answered = (
        wording.count(wording.rounded(x)) for x in (sum(n.values()), *n.values())
    )
    return (
        f"Labels go to the {total} rows whose A is seen and that lack one: {answered} answered, "
        f"{away} declined."
    )


def _plan_numbers(
    outlook: Outlook, at: Numbers, targets: Sequence[str], digits: int
) -> PlanNumbers:
    upper = np.triu_indices(len(at.base))
    return PlanNumbers(
        base=_listed(at.base[upper], digits),
        joint=() if outlook.n0 is None else _listed(at.joint[upper], digits),
        gains=tuple(_listed(gain[upper], digits) for gain in at.gains),
        gradients={
            key: _listed(at.gradients[i], digits)
            for i, key in enumerate(outlook.targets)
            if key in targets
        },
        n_r=_listed(at.n_r, digits),
        n_t=_listed(at.n_t, digits),
        away=_rounded(at.away),
        theta=_listed(at.theta, digits),
    )


def _listed(values: Float[np.ndarray, " value"], digits: int) -> tuple[float, ...]:
    return tuple(_rounded(x, digits) for x in np.asarray(values).tolist())


def _rounded(x: float, digits: int = _EXACT) -> float:
    """So many significant digits: a view is read by people, too."""
    return float(f"{x:.{digits}g}") + 0.0
