"""What rows under a judge's rates say: its grades, and its rates in each system."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rat_widgets.views.judge import JudgeIdentity, JudgeView
from rat_widgets.views.judge_lines import hundredths
from rat_widgets.views.judge_words import JUDGED
from rat_widgets.views.tree import Estimate

__all__ = [
    "LevelContent",
    "SystemContent",
    "level_rows_of",
    "systems_of",
    "systems_title",
]


@dataclass(frozen=True, kw_only=True, slots=True)
class LevelContent:
    """A grade, or a pass in all: shares of what is good and of what is bad, with the rate's key."""

    name: str
    said: str
    passes: bool
    shares: tuple[tuple[str, Estimate], tuple[str, Estimate]]


@dataclass(frozen=True, kw_only=True, slots=True)
class SystemContent:
    """One judge's rates in one system."""

    name: str
    is_shown: bool
    tpr: Estimate
    fpr: Estimate
    numbers: str
    said: str


def level_rows_of(view: JudgeView, judge: JudgeIdentity) -> tuple[LevelContent, ...]:
    """A graded judge's grades, the best first; of one that depends on more how often it passes."""
    rates, passes = view.group.rates, JUDGED[judge.of].passes

    def shares(kinds: tuple[str, str]) -> tuple[tuple[str, Estimate], tuple[str, Estimate]]:
        good, bad = (f"{kind}[{judge.key}]" for kind in kinds)
        return ((good, rates[good]), (bad, rates[bad]))

    if not judge.levels:
        if judge.emission is None:
            return ()
        both = shares(("tpr", "fpr"))
        return (LevelContent(name=passes, said=passes, passes=True, shares=both),)
    cut = 1 if judge.cut is None else judge.cut
    return tuple(
        LevelContent(
            name=f"{level} \N{CHECK MARK}" if i >= cut else level,
            said=f"graded {level}",
            passes=i >= cut,
            shares=shares((f"level_{level}_given_1", f"level_{level}_given_0")),
        )
        for i, level in reversed(list(enumerate(judge.levels)))
    )


def systems_of(view: JudgeView, judge: JudgeIdentity) -> tuple[SystemContent, ...]:
    """Every system with rates of its own, where the judge is best first."""
    words = JUDGED[judge.of]
    if len(view.groups) < 2 or (view.moves is not None and view.moves.cured):
        return ()
    found: list[SystemContent] = []
    for i, group in enumerate(view.groups):
        rates: Mapping[str, Estimate] = (group.own or {}) if judge.is_shared else group.rates
        tpr, fpr = (rates.get(f"{kind}[{judge.key}]") for kind in ("tpr", "fpr"))
        if tpr is None or fpr is None:
            continue
        numbers = ["\N{EN DASH}" if x.value is None else hundredths(x.value) for x in (tpr, fpr)]
        found.append(
            SystemContent(
                name=group.label or f"Group {i + 1}",
                is_shown=i == view.controls.group,
                tpr=tpr,
                fpr=fpr,
                numbers=" \N{MIDDLE DOT} ".join(numbers),
                said=f"{tpr.text} of {words.good}, {fpr.text} of {words.bad}",
            )
        )
    return tuple(sorted(found, key=lambda row: (row.fpr.value or 0.0) - (row.tpr.value or 0.0)))


def systems_title(judge: JudgeIdentity) -> str:
    """What stands over the systems."""
    where = ", on its rows with a human label," if judge.is_shared else ""
    return f"By system{where} it {JUDGED[judge.of].passes}"
