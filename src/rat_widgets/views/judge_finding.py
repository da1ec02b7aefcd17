"""From a view of judges to its sentences: the browser goes the same way.

Rows are told by their patterns (R, A, T, then a verdict of each judge).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from rat_widgets.views.judge_cure import (
    JudgeDeparture,
    allowances,
    cure_allows,
    cure_line,
    cure_of,
    cure_opening,
)
from rat_widgets.views.judge_lines import Labels, Triple, judge_line, judge_warnings, worth_line
from rat_widgets.views.judge_moves import moves_deck
from rat_widgets.views.judge_sentences import (
    JudgeFinding,
    focus,
    judge_deck,
    judge_headline,
    worst,
)
from rat_widgets.views.judge_words import JUDGED
from rat_widgets.views.sentences import Segment
from rat_widgets.views.tree import Estimate
from rat_widgets.views.words import policy_kind

if TYPE_CHECKING:
    from rat_widgets.views.judge import JudgeIdentity, JudgeReportRow, JudgeView, JudgeWorth

__all__ = [
    "VerdictRows",
    "WorthRows",
    "cured",
    "deck",
    "departures",
    "finding",
    "headline",
    "is_bound",
    "line_of",
    "verdict_rows",
    "warnings",
    "worth",
    "worth_rows",
]

_COLUMNS = {"retrieval": 0, "abstention": 1, "task": 2}
_NOTHING: Triple = (0.0, 0.0, 1.0)


class VerdictRows(NamedTuple):
    """Rows that some judges decided: all of them, and those with the human label."""

    n: int
    n_human: int


class WorthRows(NamedTuple):
    """Rows with verdicts on what nobody labelled: without labels of R and T, and with one."""

    n_only: int
    n_partly: int


def verdict_rows(view: JudgeView, keys: Sequence[str]) -> VerdictRows:
    """Rows of the group shown that a judge of these decided, each row once.

    A row has the human label when somebody labelled the truth that one of these judges judged
    there.
    """
    at = _places(view, keys)
    n = n_human = 0
    for pattern, rows in zip(view.patterns, view.group.counts):
        labelled = {pattern[truth] >= 0 for verdict, truth in at if pattern[verdict] in (0, 1)}
        n += rows * bool(labelled)
        n_human += rows * (True in labelled)
    return VerdictRows(n, n_human)


def worth_rows(view: JudgeView) -> WorthRows:
    """Rows of the group shown on which a judge that takes part tells what no person did.

    The former are among those that the view's `rows` count as having verdicts only; "cannot
    tell" is a verdict in both.
    """
    at = _places(view, [judge.key for judge in view.present])
    n_only = n_partly = 0
    for pattern, rows in zip(view.patterns, view.group.counts):
        if any(pattern[verdict] >= 0 and pattern[truth] < 0 for verdict, truth in at):
            is_labelled = any(pattern[_COLUMNS[of]] >= 0 for of in ("retrieval", "task"))
            n_only += rows * (not is_labelled)
            n_partly += rows * is_labelled
    return WorthRows(n_only, n_partly)


def _places(view: JudgeView, keys: Sequence[str]) -> list[tuple[int, int]]:
    """Of each of these judges where a pattern has its verdict, and the truth that it judges."""
    return [(3 + i, _COLUMNS[j.of]) for i, j in enumerate(view.judges) if j.key in keys]


def triple(estimate: Estimate) -> Triple:
    """Mean and ends; anything from 0 to 1 where the estimate is undefined."""
    if estimate.value is None or estimate.lower is None or estimate.upper is None:
        return _NOTHING
    return (estimate.value, estimate.lower, estimate.upper)


def is_rate(view: JudgeView) -> bool:
    """Whether P(G) is a probability: not when the policy is a utility."""
    return policy_kind(view.policy.weights, view.levels) != "utility"


def is_bound(view: JudgeView, judge: JudgeIdentity) -> bool:
    """Whether this judge beats a coin because the caller said so.

    What a reader sets of its TPR or FPR, or set before the fit, takes the place of that.
    """
    moves = view.moves
    moved = {**(moves.priors or {}), **(moves.pins or {})} if moves else {}
    is_free = judge.key in view.exempt or any(rate in moved for rate in judge.rates[:2])
    return view.constraint is not None and not is_free


def finding(view: JudgeView) -> JudgeFinding:
    """What the headline and the deck are made of."""
    group, beliefs = view.group, view.group.beliefs
    of = _focus(view)
    judges = [judge for judge in view.present if judge.of == of]
    report = {row.key: row for row in group.report}
    key = judges[worst([triple(report[j.key].youden)[0] for j in judges])].key if judges else ""
    told = next((judge for judge in judges if judge.key == key), None)
    rows = verdict_rows(view, [judge.key for judge in judges])
    target = JUDGED[of].target if of else "retrieval_success"
    rates = group.rates
    return JudgeFinding(
        of=of,
        key=key,
        n_rows=group.n_rows,
        n_verdicts=rows.n,
        n_judges=len(judges),
        n_present=len(view.present),
        n_human=rows.n_human,
        n_alone=sum(worth_rows(view)),
        tpr=triple(rates[f"tpr[{key}]"]) if key else _NOTHING,
        fpr=triple(rates[f"fpr[{key}]"]) if key else _NOTHING,
        youden=triple(report[key].youden) if key else _NOTHING,
        naive=triple(beliefs.naive[target]),
        humans=triple(beliefs.humans[target]),
        joint=triple(beliefs.joint[target]),
        humans_policy=triple(beliefs.humans["policy_adherence"]),
        joint_policy=triple(beliefs.joint["policy_adherence"]),
        policy_verdicts=_beyond_a(group.worth["policy_adherence"]),
        task_verdicts=_beyond_a(group.worth["task_success"]),
        n_labelled=group.n_human,
        is_a_added=group.is_a_added,
        is_rate=is_rate(view),
        is_constrained=any(is_bound(view, judge) for judge in judges),
        graded=told.passing if told else "",
        is_doubted=_is_doubted(view, [judge.key for judge in judges]),
    )


def _is_doubted(view: JudgeView, keys: Sequence[str]) -> bool:
    """Whether something was found of these judges' errors here that is not allowed for."""
    found = [one.judges for one in view.group.departures if one.kind != "systems"]
    return cure_of(view) is None and any(not {*judges}.isdisjoint(keys) for judges in found)


def _beyond_a(worth: JudgeWorth) -> Labels:
    return (worth.worth_verdicts, worth.n_max)


def _focus(view: JudgeView) -> str | None:
    """The truth that the headline is about; None when every judge is left out.

    It is what the judge judges whose rate was moved last; of the fit, where verdicts mislead most.
    """
    truths = list(dict.fromkeys(judge.of for judge in view.present))
    if not truths:
        return None
    moves = view.moves
    moved = [*(moves.priors or {}), *(moves.pins or {})] if moves else []
    owners = {rate: judge.of for judge in view.present for rate in judge.rates}
    touched = [owners[rate] for rate in moved if rate in owners]
    if touched:
        return touched[-1]
    beliefs = view.group.beliefs
    candidates = []
    for of in truths:
        rows = verdict_rows(view, [judge.key for judge in view.present if judge.of == of])
        naive, joint = (triple(b[JUDGED[of].target])[0] for b in (beliefs.naive, beliefs.joint))
        candidates.append((rows.n_human, naive, joint))
    return truths[focus(candidates)]


def headline(view: JudgeView) -> list[Segment]:
    """The finding about the group that is shown, in one sentence."""
    is_whatif = view.moves is not None and bool(view.moves.pins)
    return judge_headline(finding(view), is_whatif=is_whatif)


def deck(view: JudgeView) -> list[Segment]:
    """Why, or what was changed: the line under the headline."""
    moves, fitted = view.moves, view.group.fitted
    if moves is None or fitted is None or not _is_whatif(view) or view.group.n_rows == 0:
        return judge_deck(finding(view))
    joint = view.group.beliefs.joint
    return moves_deck(
        pins=moves.pins or {},
        fitted={key: triple(estimate)[0] for key, estimate in fitted.items()},
        judges=[(judge.key, judge.of) for judge in view.judges],
        n_priors=len(moves.priors or {}),
        n_left_out=len(moves.left_out),
        beliefs={key: (triple(joint[key])[0], triple(fitted[key])[0]) for key in joint},
        is_rate=is_rate(view),
        cured=_allowances(view),
    )


def _allowances(view: JudgeView) -> list[str]:
    is_errors, apart = cure_allows(view)
    return allowances(is_errors=is_errors, apart=apart)


def _is_whatif(view: JudgeView) -> bool:
    """Whether something is moved beside the cure, which is a fit and no what-if."""
    moves = view.moves
    return moves is not None and bool(moves.priors or moves.pins or moves.left_out)


def cured(view: JudgeView) -> list[Segment]:
    """What the cure changes, where the estimates are under it and no more; else nothing."""
    fitted, joint = view.group.fitted, view.group.beliefs.joint
    cure = cure_of(view)
    if cure is None or fitted is None or _is_whatif(view):
        return []
    is_errors, apart = cure_allows(view)
    is_apart = view.controls.group in cure.apart
    opening = cure_opening(is_errors=is_errors, apart=apart, is_apart=is_apart)
    task, policy = (
        (fitted[key].text, joint[key].text) for key in ("task_success", "policy_adherence")
    )
    return cure_line(opening, task, policy, is_rate=is_rate(view), is_all=not departures(view))


def departures(view: JudgeView) -> list[JudgeDeparture]:
    """What was found of judges that all take part; under the cure, what it leaves to be found."""
    keys = {judge.key for judge in view.present}
    return [found for found in view.group.departures if keys.issuperset(found.judges)]


def worth(view: JudgeView) -> list[Segment]:
    """What all verdicts together are worth in joint human labels."""
    rows = worth_rows(view)
    policy, task = (view.group.worth[key] for key in ("policy_adherence", "task_success"))
    return worth_line(
        policy=(policy.worth, policy.n_max),
        task=(task.worth, task.n_max),
        policy_verdicts=_beyond_a(policy),
        task_verdicts=_beyond_a(task),
        n_only=rows.n_only,
        n_partly=rows.n_partly,
        n_human=verdict_rows(view, [judge.key for judge in view.present]).n_human,
        is_rate=is_rate(view),
    )


def line_of(row: JudgeReportRow) -> str:
    """A judge in three numbers."""
    return judge_line(triple(row.youden), row.agreement.value, row.kappa.value)


def warnings(view: JudgeView, judge: JudgeIdentity) -> list[str]:
    """What a reader must know beside a judge that takes part."""
    group = view.group
    row = next(row for row in group.report if row.key == judge.key)
    pins = (view.moves.pins if view.moves else None) or {}
    fitted = group.fitted or {}
    return judge_warnings(
        of=judge.of,
        n_human=row.n_human,
        tpr=triple(group.rates[f"tpr[{judge.key}]"]),
        fpr=triple(group.rates[f"fpr[{judge.key}]"]),
        youden=triple(row.youden),
        pins=[
            (rate, pins[rate], *triple(fitted[rate])[1:])
            for rate in judge.rates
            if rate in pins and rate in fitted
        ],
        is_constrained=is_bound(view, judge),
    )
