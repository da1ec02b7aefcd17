"""What rows under a judge's rates say: its grades, and its rates in each system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rat_widgets.views.judge import JudgeIdentity, JudgeView
from rat_widgets.views.judge_lines import hundredths
from rat_widgets.views.judge_words import CASES, JUDGED
from rat_widgets.views.tree import Estimate

__all__ = [
    "LevelContent",
    "SystemContent",
    "level_rows_of",
    "systems_of",
    "systems_title",
]

_NOTHING = Estimate(value=None, lower=None, upper=None, text="\N{EN DASH}")


@dataclass(frozen=True, kw_only=True, slots=True)
class LevelContent:
    """A grade, or a pass in all: shares of what is good and of what is bad, with the rate's key."""

    name: str
    said: str
    passes: bool
    shares: tuple[tuple[str, Estimate], tuple[str, Estimate]]
    case: str = ""


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
    """A graded judge's grades, the best first, in all and in each case.

    Of one that does not grade, and depends on more than the truth, how often it passes in all.
    """
    rates, passes = view.group.rates, JUDGED[judge.of].passes
    if not judge.levels:
        if judge.emission is None:
            return ()
        good, bad = ((key, rates[key]) for key in (f"tpr[{judge.key}]", f"fpr[{judge.key}]"))
        return (LevelContent(name=passes, said=passes, passes=True, shares=(good, bad)),)
    return tuple(row for case in ("", *judge.cases) for row in _grades(view, judge, case))


def _grades(view: JudgeView, judge: JudgeIdentity, case: str) -> Iterator[LevelContent]:
    """Its grades in a case; of a truth that the case never has there is nothing to say."""
    where = CASES.get(case, f"where retrieval was {case}") if case else ""
    cut = 1 if judge.cut is None else judge.cut
    end = f"_{case}" if case else ""
    for i, level in reversed(list(enumerate(judge.levels))):
        keys = [f"level_{level}_given_{truth}{end}[{judge.key}]" for truth in (1, 0)]
        good, bad = ((key, view.group.rates.get(key, _NOTHING)) for key in keys)
        yield LevelContent(
            name=f"{level} \N{CHECK MARK}" if i >= cut else level,
            said=f"graded {level} {where}".rstrip(),
            passes=i >= cut,
            shares=(good, bad),
            case=where,
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
