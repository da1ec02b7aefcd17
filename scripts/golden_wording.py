"""Vectors of the wording for tests/golden/wording.json; `scripts/make_golden.py` writes them."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from rat_widgets.derived.quantities import quantities_of
from rat_widgets.model.worlds import PARAMETERS, WORLDS, world_probabilities, worlds_of
from rat_widgets.views import sentences, wording, words
from rat_widgets.views.levels import LEAVES

POLICIES = {
    "adherence": (1, 0, 0, 0, 0, 1),
    "task_success": (0, 0, 0, 1, 0, 1),
    "no_harm": (1, 1, 0, 1, 0, 1),
    "one world": (0, 0, 0, 0, 0, 1),
    "nothing": (0, 0, 0, 0, 0, 0),
    "half": (1, 0.25, 0, 0.5, 0, 1),
    "utility": (0.2, -0.1, -1, 0.3, -1, 1),
}


def _args(
    theta: np.ndarray, weights: tuple[float, ...], n_rows: int, half: float | None = None
) -> dict[str, Any]:
    worlds = {w: wording.stored(p) for w, p in zip(WORLDS, world_probabilities(theta), strict=True)}
    policy = dict(zip(WORLDS, weights, strict=True))
    mean = sum(worlds[w] * policy[w] for w in WORLDS)
    task = worlds["miss_right"] + worlds["hit_right"]
    half = 1 / np.sqrt(n_rows + 3) if half is None else half

    def triple(x: float, low: float, high: float) -> list[float]:
        ends = (x, max(low, x - half), min(high, x + half))
        return [wording.stored(e) for e in ends]

    ends = (0.0, 1.0) if min(weights) >= 0 and max(weights) <= 1 else (-9.0, 9.0)
    return {
        "n_rows": n_rows,
        "worlds": worlds,
        "task": triple(task, 0, 1),
        "policy": triple(mean, *ends),
        "weights": policy,
    }


def _whatifs() -> list[dict[str, Any]]:
    """Arguments of `whatif_deck`: one to five pins under every kind of policy."""
    rng = np.random.default_rng(20261130)
    cases = []
    for i, weights in enumerate([*POLICIES.values()] * 3):
        pinned = rng.permutation(PARAMETERS)[: 1 + i % 5].tolist()
        pins = {key: wording.stored(rng.uniform()) for key in pinned} | {pinned[0]: i % 2}
        spread = 3 if min(weights) < 0 else 1
        cases.append(
            {
                "pins": pins,
                "branches": {key: wording.stored(rng.uniform()) for key in PARAMETERS},
                "task": [wording.stored(x) for x in rng.uniform(size=2)],
                "policy": [wording.stored(spread * x) for x in rng.uniform(size=2)],
                "weights": dict(zip(WORLDS, weights, strict=True)),
            }
        )
    return [*cases, {**cases[0], "task": [0.3, 0.3], "policy": [0.5, 0.501]}]


def _node_labels() -> list[dict[str, int]]:
    counts = [(0, 0, 0, 0), (0, 0, 0, 12), (1, 1, 0, 0), (376, 310, 20, 12), (7500, 0, 7500, 0)]
    return [dict(zip(("rows", "labelled", "judged", "possible"), c, strict=True)) for c in counts]


def vectors() -> dict[str, Any]:
    """Every vector, inputs and outputs."""
    rng = np.random.default_rng(20260829)
    thetas = [rng.beta(a, a, 5) for a in (0.1, 0.3, 1.0, 3.0) for _ in range(3)]
    thetas += [np.zeros(5), np.ones(5), np.array([1.0, 0, 0, 0, 1]), np.full(5, 0.5)]
    numbers = [0, 0.0004, 0.0049, 0.005, 0.0149, 0.015, 0.2, 0.285, 0.5, 0.985, 0.995, 0.9951, 1]
    numbers += [round(float(x), 5) for x in rng.uniform(size=20)]
    spans = [
        (0.46, 0.54),
        (0, 0),
        (0, 1),
        (-0.03, 0.02),
        (-0.2, -0.1),
        (-0.004, 0.3),
        (0.285, 0.295),
    ]
    cases = [
        _args(theta, weights, n_rows)
        for (theta, weights), n_rows in zip(
            itertools.product(thetas, POLICIES.values()), itertools.cycle([600, 12, 1, 7500, 0, 90])
        )
    ]
    # Many rows that still leave much open, and what they do settle.
    for weights in POLICIES.values():
        for n_rows, theta in ((7500, thetas[8]), (200, thetas[9]), (201, thetas[10])):
            wide = _args(theta, weights, n_rows, half=0.4)
            cases += [wide, {**wide, "task": [0.33, 0.328, 0.332]}]
    deck_cases = [
        {k: v for k, v in {**case, "n_joint": case["n_rows"] // 2}.items() if k != "task"}
        for case in cases
    ]
    return {
        "origin": "scripts/make_golden.py, seed 20260829; outputs by views/wording.py",
        "percent": [[x, wording.percent(x)] for x in [*numbers, None]],
        "interval": [[*s, wording.interval(*s)] for s in spans],
        "count": [[n, wording.count(n)] for n in (0, 1, 999, 1000, 7500, 10_000_000)],
        "estimate": [
            [*args, is_rate, wording.estimate(*args, is_rate=is_rate)]
            for args in [
                (0.5, 0.46, 0.54),
                (0.001, 0, 0.01),
                (-0.123, -0.2, 0.004),
                (None,) * 3,
                (1000, -999.994, 999_999.6),
                (999.996, 0, 1e8),
            ]
            for is_rate in (True, False)
        ],
        "of_100": [
            {
                "worlds": c["worlds"],
                "policy": c["weights"],
                "out": wording.of_100(c["worlds"], c["weights"]),
            }
            for c in cases
        ],
        "is_right": [
            [world, policy, words.is_right(world, policy)]
            for weights in POLICIES.values()
            for policy in [dict(zip(WORLDS, weights, strict=True))]
            for world in WORLDS
        ],
        "leaf_words": [
            [world, is_right, words.leaf_words(world, is_right=is_right)]
            for world in LEAVES
            for is_right in (True, False)
        ],
        "label_line": [
            {"letter": letter, "labels": labels, "out": wording.label_line(letter, **labels)}
            for letter in "RAT"
            for labels in _node_labels()
        ],
        "rows_line": [
            {
                "labels": labels,
                "out": wording.rows_line(rows=labels["rows"], possible=labels["possible"]),
            }
            for labels in _node_labels()
        ],
        "pin_percent": [[x, wording.pin_percent(x)] for x in [*numbers, 0.0001, 0.9999]],
        "headline": [
            {**c, "is_whatif": is_whatif, "segments": sentences.headline(**c, is_whatif=is_whatif)}
            for i, c in enumerate(cases)
            for is_whatif in ((False, True) if i % 3 == 0 else (False,))
        ]
        + [
            {**c, "is_of_rows": True, "segments": sentences.headline(**c, is_of_rows=True)}
            for c in (*cases[::4], {**cases[0], "n_rows": 1})
        ],
        "whatif_deck": [{**c, "segments": sentences.whatif_deck(**c)} for c in _whatifs()],
        "deck": [{**c, "segments": sentences.deck(**c)} for c in deck_cases],
        **graded_vectors(),
    }


LEVELS = (
    ("none", "partial", "all"),
    ("miss", "some", "hit"),
    ("poor", "fair", "good", "great"),
    ("<b>0</b>", "rightly {n} _wrong", "“all”", "all = 1", "a" * 40),
)
"""Scales of retrieval: the one with words of its own, and others that are called by their names."""


def graded_words(levels: tuple[str, ...]) -> dict[str, Any]:
    """The words of every part of a tree with these levels, in the order of the picture."""
    of = words.words_of(levels)
    return {
        "levels": levels,
        "leaves": [[world, *both] for world, both in of.worlds.items()],
        "steps": [[k, s.letter, s.title, s.asks, s.tail] for k, s in of.steps.items()],
        "pins": [list(pin) for pin in of.pins.items()],
        "stats": [[key, *stat] for key, stat in of.stats.items()],
        "presets": dict(of.presets),
        "quantities": [
            [q.key, q.symbol, q.label, q.numerator, q.denominator] for q in quantities_of(levels)
        ],
    }


def _graded_weights(levels: tuple[str, ...]) -> list[dict[str, float]]:
    of = words.words_of(levels)
    leaves = of.keys.leaves
    presets = [{w: float(w in ones) for w in leaves} for ones in of.presets.values()]
    rising = {w: i / (len(leaves) - 1) for i, w in enumerate(reversed(leaves))}
    return [
        *presets,
        {w: float(w == leaves[0]) for w in leaves},
        dict.fromkeys(leaves, 0.0),
        {w: wording.stored(x) for w, x in rising.items()},
        {w: wording.stored(2 * x - 1) for w, x in rising.items()},
    ]


def _graded_args(
    levels: tuple[str, ...], theta: np.ndarray, weights: dict[str, float], n_rows: int, half: float
) -> dict[str, Any]:
    names = worlds_of(levels).names
    chances = dict(zip(names, world_probabilities(theta).tolist(), strict=True))
    worlds = {w: wording.stored(p) for w, p in chances.items()}
    task = sum(p for w, p in worlds.items() if w.endswith("_right"))
    mean = sum(weights[w] * worlds[w] for w in names)
    return {
        "levels": levels,
        "n_rows": n_rows,
        "worlds": worlds,
        "task": [wording.stored(x) for x in (task, max(0, task - half), min(1, task + half))],
        "policy": [wording.stored(x) for x in (mean, mean - half, mean + half)],
        "weights": weights,
    }


def _graded_whatif(
    levels: tuple[str, ...], weights: dict[str, float], i: int, rng: np.random.Generator
) -> dict[str, Any]:
    branches = worlds_of(levels).branches
    pinned = rng.permutation(branches)[: 1 + i % 4].tolist()
    return {
        "levels": levels,
        "pins": {key: wording.stored(rng.uniform() / len(levels)) for key in pinned},
        "branches": {key: wording.stored(rng.uniform()) for key in branches},
        "task": [wording.stored(x) for x in rng.uniform(size=2)],
        "policy": [wording.stored(x) for x in rng.uniform(size=2)],
        "weights": weights,
    }


def graded_vectors() -> dict[str, Any]:
    """The same for more than two levels of retrieval; vectors say which."""
    rng = np.random.default_rng(20261201)
    cases, whatifs = [], []
    sizes = itertools.cycle([(600, 0.04), (12, 0.3), (7500, 0.01), (0, 0.4), (90, 0.1), (1, 0.2)])
    for levels, each in itertools.product(LEVELS, range(3)):
        theta = rng.beta(0.4 + each, 0.4 + each, 3 * len(levels) - 1)
        for i, weights in enumerate(_graded_weights(levels)):
            n_rows, half = next(sizes)
            cases.append(_graded_args(levels, theta, weights, n_rows, half))
            if each == 0:
                whatifs.append(_graded_whatif(levels, weights, i, rng))
    without_task = [{k: v for k, v in case.items() if k != "task"} for case in cases]
    decks = [{**case, "n_joint": case["n_rows"] // 2} for case in without_task]
    return {
        "graded_words": [graded_words(levels) for levels in LEVELS],
        "graded_of_100": [
            {
                "levels": c["levels"],
                "worlds": c["worlds"],
                "policy": c["weights"],
                "out": wording.of_100(c["worlds"], c["weights"], c["levels"]),
            }
            for c in cases
        ],
        "graded_headline": [
            {
                **c,
                "is_whatif": bool(i % 2),
                "segments": sentences.headline(**c, is_whatif=bool(i % 2)),
            }
            for i, c in enumerate(cases)
        ],
        "graded_whatif_deck": [{**c, "segments": sentences.whatif_deck(**c)} for c in whatifs],
        "graded_deck": [{**c, "segments": sentences.deck(**c)} for c in decks],
    }
