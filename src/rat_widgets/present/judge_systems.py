"""Systems whose judges have rates of their own: which these are, and what is found there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from rat_widgets._markup import first_named, named
from rat_widgets.views.judge_words import JUDGED

if TYPE_CHECKING:
    from rat_widgets.derived.posterior import Posterior
    from rat_widgets.views.judge import JudgeIdentity, JudgeView

__all__ = ["COLUMNS", "judge_systems", "judge_systems_note"]

COLUMNS: Final = ("judge", "TPR", "FPR", "checked by people", "found there")
_MOST_FOUND: Final = 5
_NOTHING: Final = "No clear difference from the others."


def judge_systems(view: JudgeView, posteriors: Sequence[Posterior]) -> list[tuple[str, ...]]:
    """One row per judge and set of its rates: those of systems by themselves, then of the others.

    Parameters
    ----------
    view : JudgeView
        Without moves.
    posteriors : sequence of Posterior
        One per group of the view.

    Returns
    -------
    list of tuple
        Systems, judge, TPR, FPR, verdicts that stand beside a human label, and what was found of
        the judge there alone. Empty where every judge has one set of rates for all systems.
    """
    alone, rest = _alone(view)
    if len(view.groups) < 2 or not (alone or _own(view)):
        return []
    times = Counter(m.text for p in posteriors for m in p.diagnosis.messages)
    rows = [
        _row(view, judge, [g], _found(view, posteriors, judge, g, times))
        for g in alone
        for judge in view.judges
    ]
    for j, judge in enumerate(view.judges):
        if judge.is_shared and rest:
            rows.append(_row(view, judge, rest, _found_among(posteriors[rest[0]], j)))
        else:
            rows += [
                _row(view, judge, [g], " ".join(_told(posteriors[g], judge, times))) for g in rest
            ]
    return rows


def judge_systems_note(view: JudgeView) -> str:
    """Which systems stand by themselves, and what their rates rest on."""
    alone, rest = _alone(view)
    said = []
    if alone:
        which = first_named(view.groups[g].label for g in alone)
        one = len(alone) == 1
        said.append(
            f"Fitted by {'itself' if one else 'themselves'}: {which}. "
            f"{'Its' if one else 'Their'} rates are from {'its' if one else 'their'} own rows "
            "alone."
        )
    shared = [judge.key for judge in view.judges if judge.is_shared]
    if shared and len(rest) > 1:
        all_of = "The other" if alone else "All"
        said.append(f"{all_of} {len(rest):,} share the rates of {_listed(shared)}.")
    if own := _own(view):
        said.append(f"Rates of {_listed(own)} may differ by system.")
    return " ".join(said)


def _alone(view: JudgeView) -> tuple[list[int], list[int]]:
    """Positions of the systems that are fitted by themselves, and of the others."""
    return list(view.apart), [g for g in range(len(view.groups)) if g not in view.apart]


def _own(view: JudgeView) -> list[str]:
    """Judges that have rates of their own in every system."""
    return [judge.key for judge in view.judges if not judge.is_shared]


def _listed(names: Sequence[str]) -> str:
    *most, last = map(named, names)
    return f"{', '.join(most)} and {last}" if most else last


def _row(
    view: JudgeView, judge: JudgeIdentity, which: Sequence[int], found: str
) -> tuple[str, ...]:
    first = view.groups[which[0]]
    reports = [row for g in which for row in view.groups[g].report if row.key == judge.key]
    human, rest = sum(r.n_human for r in reports), sum(r.n_only for r in reports)
    return (
        first.label if len(which) == 1 else f"the other {len(which):,}" if view.apart else "all",
        judge.key,
        *(first.rates[f"{kind}[{judge.key}]"].text for kind in ("tpr", "fpr")),
        f"{human:,} of {human + rest:,}",
        found,
    )


def _found(
    view: JudgeView,
    posteriors: Sequence[Posterior],
    judge: JudgeIdentity,
    g: int,
    times: Counter[str],
) -> str:
    """What is found of a judge in a system by itself: against the others, and of its errors."""
    _, rest = _alone(view)
    said = list(_told(posteriors[g], judge, times))
    if judge.is_shared and rest:
        differs = list(_differences(posteriors[g], posteriors[rest[0]], judge, view.ci_prob))
        does = JUDGED[judge.of].passes.capitalize()
        against = f"{does} {' and '.join(differs)} than for the others." if differs else _NOTHING
        said.insert(0, against)
    return " ".join(said)


def _found_among(sharing: Posterior, j: int) -> str:
    """For which of the systems that share its rates a judge is found to be another one."""
    found = [one.message.text for one in sharing.judges_that_differ if one.judge == j]
    return " ".join(found[:_MOST_FOUND])


def _differences(
    here: Posterior, there: Posterior, judge: JudgeIdentity, ci_prob: float
) -> Iterator[str]:
    """Of what is good and of what is bad: whether it passes more or fewer, where that is clear.

    The two fits share nothing, so that any pairing of their draws is as good as another.
    """
    words = JUDGED[judge.of]
    for kind, what in (("tpr", words.good), ("fpr", words.bad)):
        key = f"{kind}[{judge.key}]"
        one, other = (np.ravel(p.draws.told()[key]) for p in (here, there))
        n = min(len(one), len(other))
        more = float((one[:n] > other[:n]).mean())
        if not (1 - ci_prob) / 2 <= more <= (1 + ci_prob) / 2:
            yield f"{'more' if more > 0.5 else 'fewer'} {what}"


def _told(posterior: Posterior, judge: JudgeIdentity, times: Counter[str]) -> Iterator[str]:
    """What the diagnosis says of the judge in this system and in no other."""
    for message in posterior.diagnosis.messages:
        if times[message.text] == 1 and repr(judge.key) in message.text:
            yield message.text
