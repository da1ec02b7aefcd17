"""Golden tables of judges with more to them than TPR and FPR, which Python and the browser share.

Rates go by their names here: P(what a row shows) and the verdicts themselves come from what is
said of each judge, without the library's listing of splits. What long runs make of the tables is
added by `golden_judged`.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from golden_judged import long_run

from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.priors import Priors
from rat_widgets.model.worlds import worlds_of

__all__ = ["EMISSION_ANSWERS", "emission_cases", "emission_inputs"]

EMISSION_ANSWERS: Final = ("statistics_and_errors",)
_FIRST_SEED: Final = 61
_TWO: Final = ("miss", "hit")
_THREE: Final = ("none", "partial", "all")
# Of the splits of R from the top level down, then A and T from the lowest level up.
_OF_TWO: Final = (0.55, 0.35, 0.1, 0.35, 0.75)
_OF_THREE: Final = (0.45, 0.5, 0.5, 0.25, 0.08, 0.2, 0.45, 0.8)

Value = Callable[[str], float]


class World(NamedTuple):
    """Level of retrieval, and A and T as 0 and 1; T is 0 where A is 1."""

    level: int
    a: int
    t: int


def _worlds(levels: Sequence[str], value: Value) -> Iterator[tuple[World, float]]:
    """Every world with its probability, walking down the tree."""
    if len(levels) == 2:
        hit = value("retrieval_success")
        of_level = [1 - hit, hit]
    else:
        left, of_level = 1.0, []
        for split in worlds_of(levels).parameters[: len(levels) - 1]:
            of_level.insert(0, left * value(split))
            left -= of_level[0]
        of_level.insert(0, left)
    for i, level in enumerate(levels):
        inside = f"_given_{level}" if len(levels) == 2 else f"_given[{level}]"
        declined, right = value(f"abstain{inside}"), value(f"correct{inside}")
        yield World(i, 1, 0), of_level[i] * declined
        yield World(i, 0, 0), of_level[i] * (1 - declined) * (1 - right)
        yield World(i, 0, 1), of_level[i] * (1 - declined) * right


def _place(judge: Judge, world: World, levels: Sequence[str]) -> tuple[bool, str]:
    """Whether what is judged is so, and how the cell of the world ends a rate's name."""
    is_hit = world.level == len(levels) - 1
    truth = {"retrieval": is_hit, "abstention": world.a == 1, "task": world.t == 1}[judge.of]
    if judge.dependence == "saturated":
        return truth, f"{levels[world.level]}_{'right' if world.t else 'wrong'}"
    by_level = judge.of == "retrieval" and len(levels) > 2
    words = [levels[world.level] if by_level else str(int(truth))]
    if judge.depends_on is not None:
        words += [
            {
                "retrieval": levels[world.level],
                "task": "right" if world.t else "not_right",
                "abstention": "abstained" if world.a else "answered",
            }[judge.depends_on]
        ]
    return truth, "_".join(words)


def _answers(
    judge: Judge, world: World, before: Sequence[int], levels: Sequence[str], value: Value
) -> list[float]:
    """P(each answer | world, what saturated judges before it said)."""
    truth, cell = _place(judge, world, levels)
    name, key = f"_given_{cell}", judge.name
    if judge.dependence == "saturated" and before:
        name += f"_after_{''.join(map(str, before))}"
    if judge.is_graded:
        left = 1.0
        p: list[float] = []
        for level in judge.answers[:0:-1]:
            p.insert(0, left * value(f"split_{level}{name}[{key}]"))
            left -= p[0]
        p.insert(0, left)
    else:
        if judge.dependence == "saturated":
            passes = value(f"pass{name}[{key}]")
        else:
            rate, _, context = cell.partition("_")
            context = "_".join([w for w in (rate,) if w not in "01" and not truth] + [context])
            context = context.strip("_")
            kind = "tpr" if truth else "fpr"
            passes = value(f"{kind}_given_{context}[{key}]" if context else f"{kind}[{key}]")
        p = [1 - passes, passes]
    if judge.has_unknown:
        silent = value(f"unknown_given_{cell}[{key}]")
        p = [x * (1 - silent) for x in p] + [silent]
    return p


def _all_verdicts(
    judges: Sequence[Judge], world: World, levels: Sequence[str], value: Value
) -> Iterator[tuple[tuple[int, ...], float]]:
    """Every combination of answers with its probability in a world."""
    for said in itertools.product(*(range(judge.n_answers) for judge in judges)):
        p = 1.0
        before: list[int] = []
        for judge, answer in zip(judges, said, strict=True):
            p *= _answers(judge, world, before, levels, value)[answer]
            if judge.dependence == "saturated":
                before.append(answer)
        yield said, p


def _log_probability(
    pattern: Sequence[int], judges: Sequence[Judge], levels: Sequence[str], value: Value
) -> float:
    """Log P(what the row shows): everything that it may hide is summed out.

    Of a row that is known to have no answer a judge of the task says nothing.
    """
    labels, verdicts = pattern[:3], pattern[3:]
    asked = [
        -1 if labels[1] == 1 and judge.of == "task" else verdict
        for judge, verdict in zip(judges, verdicts, strict=True)
    ]
    total = 0.0
    for world, mass in _worlds(levels, value):
        if any(seen not in (-1, there) for seen, there in zip(labels, world, strict=True)):
            continue
        for said, p in _all_verdicts(judges, world, levels, value):
            if all(seen in (-1, answer) for seen, answer in zip(asked, said, strict=True)):
                total += mass * p
    return math.log(total)


def _named(name: str, words: Sequence[str], values: Sequence[float]) -> dict[str, float]:
    return {name.format(word): value for word, value in zip(words, values, strict=True)}


def _cases() -> list[dict[str, Any]]:
    graded = Judge("g", of="task", levels=(0, 1, 2, 3))
    of_levels = Judge("g", of="retrieval", levels=("poor", "fair", "good"), unknown="unsure")
    by_r = Judge("d", of="task", depends_on="retrieval")
    by_t = Judge("d", of="retrieval", depends_on="task")
    by_a = Judge("d", of="task", depends_on="abstention")
    pair = tuple(Judge(name, of="task", dependence="saturated") for name in "ab")
    value_of = {
        **_named("split_{}_given_1[g]", "321", (0.45, 0.5, 0.6)),
        **_named("split_{}_given_0[g]", "321", (0.1, 0.2, 0.4)),
        **_named("split_good_given_{}[g]", _THREE, (0.1, 0.3, 0.7)),
        **_named("split_fair_given_{}[g]", _THREE, (0.3, 0.6, 0.6)),
        **_named("unknown_given_{}[g]", _THREE, (0.2, 0.1, 0.05)),
        **_named("tpr_given_{}[d]", ("miss", "hit", "not_right", "right"), (0.8, 0.9, 0.75, 0.95)),
        **_named("fpr_given_{}[d]", ("miss", "hit", "not_right", "right"), (0.45, 0.1, 0.15, 0.5)),
        **_named("fpr_given_{}[d]", ("answered", "abstained"), (0.2, 0.02)),
        "tpr_given_answered[d]": 0.9,
    }
    for level, right in itertools.product(_TWO, ("wrong", "right")):
        at = 0.85 if right == "right" else {"miss": 0.4, "hit": 0.15}[level]
        value_of[f"pass_given_{level}_{right}[a]"] = at
        for said in (0, 1):  # it often says what the first one said
            value_of[f"pass_given_{level}_{right}_after_{said}[b]"] = 0.6 * at + 0.4 * said
    plain = [(150, "RAT"), (40, "RT"), (350, "A"), (60, "")]
    two: dict[str, Any] = {"levels": _TWO, "theta": _OF_TWO, "shown": plain, "value": value_of}
    three = {**two, "levels": _THREE, "theta": _OF_THREE}
    return [
        {**two, "name": "a graded judge of T", "judges": (graded,)},
        {**three, "name": "levels of R judged in levels", "judges": (of_levels,)},
        {**two, "name": "a judge of T that depends on R", "judges": (by_r,)},
        {**two, "name": "a judge of R that depends on T", "judges": (by_t,)},
        {**two, "name": "a judge of T that depends on A", "judges": (by_a,)},
        {**two, "name": "two saturated judges", "judges": pair, "silent": 0.2},
    ]


def _value(case: Mapping[str, Any]) -> Value:
    tree = dict(zip(worlds_of(case["levels"]).parameters, case["theta"], strict=True))
    return lambda name: tree[name] if name in tree else case["value"][name]


def _table(case: Mapping[str, Any], seed: int) -> PatternCounts:
    rng = np.random.default_rng(seed)
    levels, judges, value = case["levels"], case["judges"], _value(case)
    worlds, masses = zip(*_worlds(levels, value), strict=True)
    every = {
        world: list(zip(*_all_verdicts(judges, world, levels, value), strict=True))
        for world in worlds
    }
    rows: Counter[tuple[int, ...]] = Counter()
    for n, letters in case["shown"]:
        for _ in range(n):
            world = worlds[rng.choice(len(worlds), p=masses)]
            answers, p = every[world]
            said = list(answers[rng.choice(len(answers), p=p)])
            shown = [
                there if letter in letters else -1
                for letter, there in zip("RAT", world, strict=True)
            ]
            if shown[1] == 1:
                shown[2] = -1
                said = [
                    -1 if judge.of == "task" else answer
                    for judge, answer in zip(judges, said, strict=True)
                ]
            if rng.random() < case.get("silent", 0):
                said[0] = -1
            rows[tuple(shown + said)] += 1
    patterns = sorted(rows)
    return PatternCounts(
        judges=judges,
        retrieval_levels=levels,
        patterns=np.insert(np.array(patterns), 3, -1, axis=1),
        counts=np.array([[rows[pattern] for pattern in patterns]]),
    )


def _point(names: Sequence[str], seed: int) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    return dict(zip(names, np.round(rng.uniform(0.05, 0.95, len(names)), 3).tolist(), strict=True))


def _input(case: Mapping[str, Any], table: PatternCounts, seed: int) -> dict[str, Any]:
    levels = table.retrieval_levels
    emissions = emissions_of(table.judges, levels)
    judges = [
        {
            "key": judge.name,
            "of": judge.of,
            "is_shared": True,
            "abstained_rate": None,
            "has_unknown": judge.has_unknown,
            "levels": list(judge.answers) if judge.is_graded else [],
            "cut": None,
            "depends_on": judge.depends_on,
            "dependence": judge.dependence,
            "emission": {
                name: getattr(emission, name)
                for name in ("kinds", "start", "cell", "parents", "paths", "fixed")
            },
        }
        for judge, emission in zip(table.judges, emissions.judges, strict=True)
    ]
    priors = Priors.from_spec(None, table.judges, levels)
    patterns = np.delete(table.patterns, 3, axis=1).tolist()
    point = _point(priors.names, seed)
    return {
        "name": case["name"],
        "levels": list(levels),
        "judges": judges,
        "patterns": patterns,
        "counts": table.counts.tolist(),
        "priors": priors.to_dict(),
        "pins": {},
        "point": point,
        "log_likelihood": [
            round(_log_probability(p, table.judges, levels, point.__getitem__), 12)
            for p in patterns
        ],
    }


def emission_inputs() -> list[dict[str, Any]]:
    """Every case without what long runs make of it."""
    return [
        _input(case, _table(case, _FIRST_SEED + i), _FIRST_SEED + i)
        for i, case in enumerate(_cases())
    ]


def emission_cases() -> dict[str, Any]:
    """Every case with means, ends and their Monte Carlo errors."""
    cases = []
    for i, case in enumerate(_cases()):
        table = _table(case, _FIRST_SEED + i)
        priors = Priors.from_spec(None, table.judges, table.retrieval_levels)
        answers = (long_run(table, priors, "hmc"),)
        made = _input(case, table, _FIRST_SEED + i)
        cases.append(made | dict(zip(EMISSION_ANSWERS, answers, strict=True)))
    return {
        "origin": "scripts/golden_emissions.py; log P(pattern) at a point by its own walk down the "
        "tree; 12 runs of 12,000 draws of the engine hmc: mean, sd, 2.5%, 50%, 97.5%, each with "
        "its Monte Carlo error",
        "cases": cases,
    }
