"""What rows under a judge's rates say: its grades, and its rates in each system."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rat_widgets.views.judge import JudgeIdentity, JudgeView
from rat_widgets.views.judge_cure import cure_of
from rat_widgets.views.judge_lines import hundredths
from rat_widgets.views.judge_words import CASES, JUDGED, rate_kind
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
    """One judge's rates in one system, in one of the cases that they depend on."""

    name: str
    is_shown: bool
    tpr: Estimate
    fpr: Estimate
    numbers: str
    said: str
    case: str = ""


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
    """Every system with rates of its own, where the judge is best first, in each of its cases."""
    told = _told_apart(view, judge)
    cases = _cases(judge) if judge.sliders and len(view.levels) == 2 else ("",)
    found: dict[int, list[SystemContent]] = {}
    for i, rates in told.items():
        row = [_system(view, judge, i, rates, case) for case in cases]
        if any(one.tpr.value is not None or one.fpr.value is not None for one in row):
            found[i] = row
    apart = {
        i: sum((one.tpr.value or 0.0) - (one.fpr.value or 0.0) for one in row)
        for i, row in found.items()
    }
    best_first = sorted(found, key=lambda i: -apart[i])
    return tuple(found[i][c] for c in range(len(cases)) for i in best_first)


def _told_apart(view: JudgeView, judge: JudgeIdentity) -> dict[int, Mapping[str, Estimate]]:
    """Of each system, by its position, rates that need not be those of the others."""
    if len(view.groups) < 2:
        return {}
    cure = cure_of(view)
    if cure is not None and cure.groups and judge.is_shared:
        return {i: group.rates for i, group in enumerate(cure.groups)}
    if _is_of_labels(view, judge):
        return {i: group.own or {} for i, group in enumerate(view.groups)}
    return {i: group.rates for i, group in enumerate(view.groups)}


def _is_of_labels(view: JudgeView, judge: JudgeIdentity) -> bool:
    """Whether rates by system are those of labels alone: the fit has one set for all systems."""
    cure = cure_of(view)
    return judge.is_shared and not (view.apart if cure is None else cure.apart)


def _cases(judge: JudgeIdentity) -> tuple[str, ...]:
    """The cases that a judge's errors depend on: "hit" and "miss"; "" of one that has none."""
    kinds = [rate_kind(rate) for rate in judge.sliders]
    ends = [kind.partition("_given_")[2] for kind in kinds if kind.startswith(("tpr", "fpr"))]
    return tuple(dict.fromkeys(ends))


def _system(
    view: JudgeView, judge: JudgeIdentity, i: int, rates: Mapping[str, Estimate], case: str
) -> SystemContent:
    words, end = JUDGED[judge.of], f"_given_{case}" if case else ""
    tpr, fpr = (rates.get(f"{kind}{end}[{judge.key}]", _NOTHING) for kind in ("tpr", "fpr"))
    numbers = ["\N{EN DASH}" if x.value is None else hundredths(x.value) for x in (tpr, fpr)]
    return SystemContent(
        name=view.groups[i].label,
        is_shown=i == view.controls.group,
        tpr=tpr,
        fpr=fpr,
        numbers=" \N{MIDDLE DOT} ".join(numbers),
        said=f"{tpr.text} of {words.good}, {fpr.text} of {words.bad}",
        case=CASES.get(case, ""),
    )


def systems_title(view: JudgeView, judge: JudgeIdentity) -> str:
    """What stands over the systems."""
    where = ", on its rows with a human label," if _is_of_labels(view, judge) else ""
    return f"By system{where} it {JUDGED[judge.of].passes}"
