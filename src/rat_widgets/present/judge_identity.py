"""Judges as a view knows them: who they are, how they err, and what their cure is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

import numpy as np
from jaxtyping import Float

from rat_widgets.derived.case_levels import case_levels
from rat_widgets.derived.judge_findings import JudgeFinding
from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.shared_judges import JudgeDiffers, differs_here
from rat_widgets.inference.diagnose import Message
from rat_widgets.labels.judges import Judge
from rat_widgets.labels.keys import GroupKey, key_labels
from rat_widgets.model.emissions import Emission, emissions_of
from rat_widgets.model.priors import Priors, is_rate, judge_keys
from rat_widgets.present.judge_notes import notes_of, stands_alone
from rat_widgets.present.judge_spreads import Style, estimates
from rat_widgets.present.python_call import python_value
from rat_widgets.present.tree import with_symbols
from rat_widgets.views.judge_cure import (
    DepartureKind,
    JudgeCure,
    JudgeCured,
    JudgeDeparture,
    JudgeNoCure,
)
from rat_widgets.views.judge_identity import JudgeEmission, JudgeIdentity

__all__ = [
    "cured_groups",
    "cuts_of",
    "departures",
    "identities",
    "judge_cure",
    "no_cure",
    "rates_of",
]


# So many systems for which a judge differs are named.
_MOST_NAMED: Final = 2

_Draws = Float[np.ndarray, "chain draw"]


def identities(
    judges: Sequence[Judge], levels: tuple[str, ...], cuts: Mapping[str, int]
) -> tuple[JudgeIdentity, ...]:
    """Who judges what; `cuts` say from which level on a graded judge passes, by its key."""
    emissions = emissions_of(tuple(judges), levels).judges
    return tuple(
        JudgeIdentity(
            key=emission.key,
            name=judge.name,
            version=judge.version,
            of=judge.of,
            is_shared=judge.share == "all",
            abstained_rate=judge.abstained_rate,
            has_unknown=judge.has_unknown,
            cost=judge.cost,
            emission=None if emission.is_plain else _emission(emission),
            levels=judge.answers if judge.is_graded else (),
            cut=cuts.get(emission.key) if judge.is_graded else None,
            is_monotone=judge.monotone,
            depends_on=judge.depends_on,
        )
        for judge, emission in zip(judges, emissions, strict=True)
    )


def _emission(emission: Emission) -> JudgeEmission:
    return JudgeEmission(
        kinds=emission.kinds,
        start=emission.start,
        cell=emission.cell,
        parents=emission.parents,
        paths=emission.paths,
        fixed=emission.fixed,
    )


def judge_cure(
    before: Sequence[Judge],
    after: Sequence[Judge],
    priors: Priors,
    cuts: Mapping[str, int],
    groups: tuple[JudgeCured, ...],
    *,
    apart: tuple[int, ...] = (),
    systems: Sequence[GroupKey] = (),
) -> JudgeCure:
    """The judges with their cure; graded ones pass from the level on that they pass from now.

    `apart` are positions of the groups that are fitted by themselves, `systems` their keys.
    """
    changed = [judge_call(new) for old, new in zip(before, after, strict=True) if old != new]
    names = ", ".join(python_value(key[0] if len(key) == 1 else key) for key in systems)
    return JudgeCure(
        judges=identities(after, priors.levels, cuts),
        priors={name: (a, b) for name, (a, b) in priors.to_dict().items()},
        python=(*changed, *([f"apart=[{names}]"] if systems else [])),
        groups=groups,
        apart=apart,
    )


def judge_call(judge: Judge) -> str:
    """The call that makes a judge."""
    text = python_value(judge).replace("(column=", "(", 1)
    return text.replace(f", name={judge.name!r}", "", 1) if judge.name == judge.column else text


def no_cure(refusal: str, judges: Sequence[Judge], n_all: int) -> JudgeNoCure:
    """Why errors of all these judges cannot be allowed for, and those of which they can."""
    why, most = (f"{line[0].lower()}{line[1:].rstrip('.')}" for line in refusal.splitlines()[:2])
    said = f"No button allows for these errors: {why}; {most} can be fitted."
    if not judges:
        return JudgeNoCure(text=said, python="")
    return JudgeNoCure(
        text=f"{said} {len(judges)} of the {n_all} judges can have it together.",
        python=f"[{', '.join(map(judge_call, judges))}]",
    )


def cured_groups(
    members: Sequence[Posterior],
    own: Sequence[Mapping[str, _Draws]] | None,
    style: Style,
) -> tuple[JudgeCured, ...]:
    """What the fit with the cure says of each group.

    `own` are draws of `own_rates`; None where groups are fitted by themselves, so that rates of
    all judges are told.
    """
    judges = zip(judge_keys(members[0].counts.judges), members[0].counts.judges, strict=True)
    which = tuple(f"[{key}]" for key, judge in judges if own is None or judge.share != "all")
    told = [
        {key: draws for key, draws in rates_of(p).items() if key.endswith(which)} for p in members
    ]
    own = own or [{} for _ in members]
    keys = [p.counts.groups[0] for p in members]
    systems = dict(zip(keys, key_labels(keys), strict=True))
    return tuple(
        JudgeCured(
            rates=estimates(style.spreads({**_passes(rates), **own_rates})),
            departures=departures(member, systems, is_cured=True),
            notes=notes_of(member, is_moved=True),
        )
        for member, rates, own_rates in zip(members, told, own, strict=True)
    )


def _passes(rates: Mapping[str, _Draws]) -> dict[str, _Draws]:
    """TPR and FPR, in all and in each case."""
    return {key: draws for key, draws in rates.items() if key.startswith(("tpr", "fpr"))}


def rates_of(posterior: Posterior) -> dict[str, _Draws]:
    """Draws of every rate, and of what graded and dependent judges are told by."""
    draws = posterior.draws
    both = {**draws.by_name(), **draws.told(), **case_levels(draws)}
    names = draws.priors.names
    told = ("tpr[", "fpr[", "level_")
    return {
        key: draws
        for key, draws in both.items()
        if is_rate(key) and (key in names or key.startswith(told))
    }


def departures(
    posterior: Posterior, systems: Mapping[tuple[Any, ...], str], *, is_cured: bool
) -> tuple[JudgeDeparture, ...]:
    """What was found of the judges' errors here that the model does not allow for.

    That a judge which groups share is another one here comes last, unless that could be cured and
    this group does not stand alone; or where it is none, that it is for others of these systems,
    given with their names, with which this one shares its rates.
    """
    keys = judge_keys(posterior.counts.judges)
    told = [(found.judges, _kind(found), found.message) for found in posterior.judge_findings]
    here = differs_here(posterior)
    if is_cured or stands_alone(posterior):
        told += [((keys[one.judge],), "system", one.message) for one in here]
    if not here:
        told += [((keys[j],), "systems", message) for j, message in _elsewhere(posterior, systems)]
    return tuple(
        JudgeDeparture(
            judges=judges,
            kind=kind,
            text=with_symbols(message.text, posterior.tree),
            advice=message.advice,
        )
        for judges, kind, message in told
    )


def _elsewhere(
    posterior: Posterior, systems: Mapping[tuple[Any, ...], str]
) -> Iterator[tuple[int, Message]]:
    """Of each judge that differs for other systems: its position, and that it does."""
    keys = judge_keys(posterior.counts.judges)
    found: dict[int, list[JudgeDiffers]] = {}
    for one in posterior.judges_that_differ:
        if one.group in systems:
            found.setdefault(one.judge, []).append(one)
    for j, ones in found.items():
        which = " and ".join(repr(systems[one.group]) for one in ones)
        if len(ones) > _MOST_NAMED:
            which = f"{len(ones)} systems"
        text = f"{keys[j]!r} is not the same judge for {which}, with which its rates are shared."
        yield j, ones[0].message._replace(text=text)


def _kind(found: JudgeFinding) -> DepartureKind:
    if len(found.judges) > 1:
        return "together"
    return cast("DepartureKind", found.cure.get("depends_on", "saturated"))


def cuts_of(posterior: Posterior) -> dict[str, int]:
    """From which answer on a verdict of each judge passes."""
    keys = judge_keys(posterior.counts.judges)
    return dict(zip(keys, posterior.draws.cuts, strict=True))
