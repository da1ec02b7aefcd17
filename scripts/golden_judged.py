"""Golden cases of judges: tables, beliefs, and what long runs of the engine `hmc` make of them."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from rat_widgets.derived.judging import shared_rates
from rat_widgets.derived.policy import Policy
from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.worth import verdict_worth
from rat_widgets.inference.engine import sample
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.priors import Priors, judge_keys
from rat_widgets.model.worlds import world_probabilities, worlds_of

_QWEN = (0.2078, 0.4632, 0.0360, 0.4447, 0.6809)
_APERTUS = (0.2072, 0.0390, 0.005, 0.2585, 0.5157)
_GRADED = (0.35, 0.4, 0.55, 0.2, 0.05, 0.2, 0.45, 0.85)
_SEEDS, _DRAWS = 12, 12_000
_FIRST_SEED = 7
_UNKNOWN = 2
ANSWERS = ("statistics_and_errors", "worth")
# A pin is a prior that a million labels stand behind.
_FIRM = 1e6

_Row = tuple[int, ...]


def _rows(
    theta: tuple[float, ...],
    judges: dict[Judge, tuple[float, ...]],
    shown: list[tuple[int, str, str]],
    *,
    levels: tuple[str, ...],
    seed: int,
) -> Counter[_Row]:
    """Rows by pattern; `shown` says of how many rows which labels and which judges are seen."""
    rng = np.random.default_rng(seed)
    worlds = worlds_of(levels)
    rows: Counter[_Row] = Counter()
    for n, letters, names in shown:
        world = rng.choice(len(worlds.names), size=n, p=world_probabilities(np.array(theta)))
        truths = {"retrieval": worlds.hit, "abstention": worlds.abstained, "task": worlds.right}
        columns = [
            np.where(letter in letters, truth[world], -1)
            for letter, truth in zip(
                "RAT", (worlds.level, worlds.abstained, worlds.right), strict=True
            )
        ]
        columns[2] = np.where(columns[1] == 1, -1, columns[2])
        for judge, (tpr, fpr, *silent) in judges.items():
            truth = truths[judge.of][world] == 1
            says = (rng.random(n) < np.where(truth, tpr, fpr)).astype(int)
            if silent:
                says[rng.random(n) < np.where(truth, *silent)] = _UNKNOWN
            void = (judge.of == "task") & (columns[1] == 1)
            columns.append(np.where((judge.name in names.split()) & ~void, says, -1))
        rows.update(tuple(int(x) for x in row) for row in np.stack(columns, axis=1))
    return rows


def _cases() -> list[dict[str, Any]]:
    jr = Judge("jR", of="retrieval")
    jt = Judge("jT", of="task")
    js = Judge("jS", of="task", abstained_rate=0.1)
    ja = Judge("jA", of="abstention")
    shy = Judge("shy", of="retrieval", unknown="unsure")
    own = Judge("own", of="task", share="group")
    lenient = {jr: (0.95, 0.5)}
    pair = {jr: (0.9, 0.3), jt: (0.92, 0.15)}
    first = [(200, "RAT", "jR jT"), (2000, "A", "jR jT")]
    two = {"theta": [_QWEN], "judges": pair, "shown": [first]}
    return [
        {"name": "a lenient judge of R", "theta": [_APERTUS], "judges": lenient}
        | {"shown": [[(207, "RAT", "jR"), (5000, "A", "jR")]]},
        {"name": "two judges", **two},
        {"name": "two judges, a rate pinned", **two, "pins": {"fpr[jR]": 0.35}},
        {"name": "two judges, a prior edited", **two, "priors": {"tpr[jT]": (45.0, 5.0)}},
        {"name": "few labels, two judges of T and a detector", "theta": [_QWEN]}
        | {"judges": {jt: (0.9, 0.2), js: (0.8, 0.1), ja: (0.97, 0.02)}}
        | {"shown": [[(60, "RAT", "jT jS jA"), (90, "R", "jT jS jA"), (250, "A", "jT jA")]]},
        {"name": "a judge that may not tell", "theta": [_QWEN]}
        | {"judges": {shy: (0.9, 0.2, 0.1, 0.4), jt: (0.85, 0.2)}}
        | {"shown": [[(120, "RAT", "shy jT"), (700, "A", "shy jT"), (100, "T", "shy")]]},
        # By another engine: short walks have to cross the ridges that are left here.
        {"name": "R never seen, a judge of T", "theta": [_QWEN], "engine": "nuts"}
        | {"judges": {jt: (0.9, 0.2)}}
        | {"shown": [[(100, "AT", "jT"), (400, "A", "jT")]]},
        {"name": "R in three levels", "theta": [_GRADED], "judges": {jt: (0.85, 0.2)}}
        | {"levels": ("none", "partial", "all")}
        | {"shown": [[(150, "RAT", "jT"), (80, "AT", "jT"), (600, "A", "jT")]]},
        {"name": "three groups that share a judge", "theta": [_QWEN, _APERTUS, _QWEN]}
        | {"judges": {jr: (0.9, 0.25), own: (0.85, 0.2)}}
        | {"shown": [[(n, "RAT", "jR own"), (300, "A", "jR own")] for n in (80, 120, 25)]},
    ]


def _table(case: dict[str, Any], seed: int) -> PatternCounts:
    levels = case.get("levels", ("miss", "hit"))
    each = [
        _rows(theta, case["judges"], shown, levels=levels, seed=seed + 100 * g)
        for g, (theta, shown) in enumerate(zip(case["theta"], case["shown"], strict=True))
    ]
    patterns = sorted(set().union(*each))
    full = np.insert(np.array(patterns), 3, -1, axis=1)
    several = len(each) > 1
    return PatternCounts(
        by=("system",) if several else (),
        groups=tuple((f"s{g}",) for g in range(len(each))) if several else ((),),
        judges=tuple(case["judges"]),
        retrieval_levels=levels,
        patterns=full,
        counts=np.array([[rows[p] for p in patterns] for rows in each]),
    )


def _input(case: dict[str, Any], table: PatternCounts) -> dict[str, Any]:
    judges = [
        {
            "key": judge.name,
            "of": judge.of,
            "is_shared": judge.share == "all",
            "abstained_rate": judge.abstained_rate,
            "has_unknown": judge.has_unknown,
        }
        for judge in table.judges
    ]
    return {
        "name": case["name"],
        "levels": list(table.retrieval_levels),
        "judges": judges,
        "patterns": np.delete(table.patterns, 3, axis=1).tolist(),
        "counts": table.counts.tolist(),
        "priors": _given(case, table).to_dict(),
        "pins": case.get("pins", {}),
    }


def _given(case: dict[str, Any], table: PatternCounts) -> Priors:
    return Priors.from_spec(case.get("priors", {}), table.judges, table.retrieval_levels)


def _held(case: dict[str, Any], table: PatternCounts) -> Priors:
    """The priors, those of pinned rates firm."""
    pins = {k: [_FIRM * p, _FIRM * (1 - p)] for k, p in case.get("pins", {}).items()}
    return Priors.from_dict({**_given(case, table).to_dict(), **pins}, table.retrieval_levels)


def _statistics(draws: Any, weights: np.ndarray) -> dict[str, list[float]]:
    """Mean, sd and the 2.5%, 50% and 97.5% quantiles of every probability and P(T), P(G)."""
    theta = draws.theta.reshape(-1, draws.theta.shape[-1])
    rates = draws.rates.reshape(len(theta), -1)
    worlds = world_probabilities(theta)
    sums = (worlds @ weights.T).T
    keys = [*draws.priors.names, "top_level", "task_success", "policy_adherence"]
    every = [*theta.T, *rates.T, *sums]
    return {
        key: [float(v) for v in (x.mean(), x.std(), *np.quantile(x, (0.025, 0.5, 0.975)))]
        for key, x in zip(keys, every, strict=True)
    }


def long_run(
    table: PatternCounts, priors: Priors, engine: str
) -> list[dict[str, list[list[float]]]]:
    """Of each group and quantity the statistics over independent runs, and their errors."""
    worlds = worlds_of(table.retrieval_levels)
    good = worlds.hit * worlds.right + (1 - worlds.hit) * worlds.abstained
    weights = np.stack([worlds.hit, worlds.right, good]).astype(float)
    runs = [
        [
            _statistics(d, weights)
            for d in sample(table, priors, engine=engine, draws=_DRAWS, seed=s)
        ]
        for s in range(_SEEDS)
    ]
    found = []
    for g in range(table.n_groups):
        of = {}
        for key in runs[0][g]:
            values = np.array([run[g][key] for run in runs])
            error = values.std(axis=0, ddof=1) / np.sqrt(_SEEDS)
            of[key] = [[round(float(v), 6) for v in x] for x in (values.mean(axis=0), error)]
        found.append(of)
    return found


def _worth(table: PatternCounts, priors: Priors) -> list[dict[str, list[float]]]:
    """Of each group and judge the worth for P(T) and for P(G), in labels."""
    drawn = sample(table, priors, engine="hmc", draws=4 * _DRAWS, seed=1)
    policy = Policy.from_spec("adherence", table.retrieval_levels)
    members = [Posterior(draws=draws, policy=policy) for draws in drawn]
    told = shared_rates(members)
    return [
        {
            key: [
                round(verdict_worth(of, target, judges=[key], rates_known=known[key]).n_labels, 4)
                for target in ("task_success", "policy_adherence")
            ]
            for key in judge_keys(table.judges)
        }
        for of, known in zip(members, told, strict=True)
    ]


def judge_inputs() -> list[dict[str, Any]]:
    """Every case without its answer: what takes no time to make again."""
    return [_input(case, _table(case, seed=_FIRST_SEED + i)) for i, case in enumerate(_cases())]


def judge_cases() -> dict[str, Any]:
    """Every case with its answer."""
    cases = []
    for i, case in enumerate(_cases()):
        table = _table(case, seed=_FIRST_SEED + i)
        held = _held(case, table)
        answers = (long_run(table, held, case.get("engine", "hmc")), _worth(table, held))
        cases.append(_input(case, table) | dict(zip(ANSWERS, answers, strict=True)))
    return {
        "origin": f"scripts/make_golden.py; {_SEEDS} runs of {_DRAWS:,} draws of the engine hmc, "
        "or nuts where R is never seen; mean, sd, 2.5%, 50%, 97.5%, each with its Monte Carlo "
        "error",
        "cases": cases,
    }
