"""Judges as a view knows them: who they are, how they err, and what their cure is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from rat_widgets.derived.judge_checks import JudgeFinding
from rat_widgets.derived.posterior import Posterior
from rat_widgets.labels.judges import Judge
from rat_widgets.model.emissions import Emission, emissions_of
from rat_widgets.model.priors import Priors, judge_keys
from rat_widgets.present.python_call import python_value
from rat_widgets.present.tree import with_symbols
from rat_widgets.views.judge_cure import DepartureKind, JudgeCure, JudgeDeparture
from rat_widgets.views.judge_identity import JudgeEmission, JudgeIdentity

__all__ = ["cuts_of", "departures", "identities", "judge_cure"]


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
    before: Sequence[Judge], after: Sequence[Judge], priors: Priors, cuts: Mapping[str, int]
) -> JudgeCure:
    """The judges with their cure; graded ones pass from the level on that they pass from now."""
    changed = [new for old, new in zip(before, after, strict=True) if old != new]
    return JudgeCure(
        judges=identities(after, priors.levels, cuts),
        priors={name: (a, b) for name, (a, b) in priors.to_dict().items()},
        python=tuple(python_value(judge).replace("(column=", "(", 1) for judge in changed),
    )


def departures(posterior: Posterior) -> tuple[JudgeDeparture, ...]:
    """What was found of the judges' errors that the model does not allow for."""
    return tuple(
        JudgeDeparture(
            judges=found.judges,
            kind=_kind(found),
            text=with_symbols(found.message.text, posterior.tree),
            advice=found.message.advice,
        )
        for found in posterior.judge_findings
    )


def _kind(found: JudgeFinding) -> DepartureKind:
    if len(found.judges) > 1:
        return "together"
    return cast("DepartureKind", found.cure.get("depends_on", "saturated"))


def cuts_of(posterior: Posterior) -> dict[str, int]:
    """From which answer on a verdict of each judge passes."""
    keys = judge_keys(posterior.counts.judges)
    return dict(zip(keys, posterior.draws.cuts, strict=True))
