"""Vectors of the judges' sentences: inputs by hand and from a fixed seed, outputs by Python.

`make_golden.py` writes them; the JavaScript tests read the same file.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import asdict
from typing import Any

import numpy as np

from rat_widgets.views import judge_lines, judge_moves, judge_sentences, judge_words
from rat_widgets.views.judge_assumption import Assumed, assumption_text
from rat_widgets.views.judge_cure import allowances, cure_line, cure_opening
from rat_widgets.views.judge_lines import Triple
from rat_widgets.views.judge_sentences import JudgeFinding
from rat_widgets.views.wording import stored

__all__ = ["judge_vectors"]

_OF = ("retrieval", "task", "abstention")


def _triple(mean: float, half: float, low: float = 0.0, high: float = 1.0) -> Triple:
    return (stored(mean), stored(max(low, mean - half)), stored(min(high, mean + half)))


def _mock() -> dict[str, Any]:
    """A judge of retrieval that passes 27 of 100 misses."""
    return {
        "of": "retrieval",
        "key": "gpt-4o-mini",
        "n_rows": 5200,
        "n_verdicts": 5200,
        "n_judges": 1,
        "n_present": 1,
        "n_human": 200,
        "n_alone": 5000,
        "tpr": _triple(0.93, 0.06),
        "fpr": _triple(0.27, 0.035),
        "youden": _triple(0.66, 0.08),
        "naive": _triple(0.425, 0.015),
        "humans": _triple(0.21, 0.055),
        "joint": _triple(0.22, 0.045),
        "humans_policy": _triple(0.495, 0.045),
        "joint_policy": _triple(0.495, 0.025),
        "policy_verdicts": (469.2, 10_000),
        "task_verdicts": (74.0, 10_000),
        "n_labelled": 200,
        "is_a_added": True,
    }


def _by_hand() -> list[dict[str, Any]]:
    """One case for each sentence there is."""
    mock = _mock()
    changes: list[dict[str, Any]] = [
        {},
        {"of": "task", "naive": _triple(0.41, 0.01), "joint": _triple(0.335, 0.035)},
        {"of": "abstention", "naive": _triple(0.3, 0.01), "joint": _triple(0.4, 0.03)},
        {"of": "abstention", "is_rate": False, "naive": (-0.2, -0.25, -0.15)},
        {"of": None, "n_judges": 0, "n_present": 0},
        {"n_rows": 0, "n_verdicts": 0, "n_human": 0},
        {"n_verdicts": 0, "n_human": 0},
        {"n_human": 0},
        {"n_human": 0, "n_judges": 3, "n_present": 3},
        {"n_human": 0, "is_constrained": True},
        {"n_human": 0, "is_constrained": True, "n_judges": 2, "joint": _triple(0.4, 0.3)},
        {"naive": _triple(0.225, 0.01)},
        {"naive": _triple(0.225, 0.01), "n_judges": 2, "n_present": 2},
        {"naive": _triple(0.225, 0.01), "joint": _triple(0.22, 0.2)},
        {"naive": _triple(0.1, 0.01)},
        {"naive": _triple(0.002, 0.001), "joint": (0.003, 0.0, 0.01)},
        {"naive": (1.0, 0.999, 1.0), "joint": (0.998, 0.99, 1.0), "fpr": _triple(0.02, 0.01)},
        {"tpr": _triple(0.52, 0.1), "fpr": _triple(0.48, 0.1), "youden": _triple(0.04, 0.1, -1)},
        {"youden": _triple(0.3, 0.4, -1), "n_judges": 2},
        {"joint_policy": _triple(0.7, 0.02)},
        {"joint_policy": _triple(0.495, 0.046)},
        {"is_rate": False, "humans_policy": (0.1, -0.1, 0.3), "joint_policy": (0.1, 0.0, 0.2)},
        {"humans_policy": _triple(0.4, 0.35), "joint_policy": _triple(0.4, 0.33)},
        {"of": "task", "humans_policy": _triple(0.4, 0.35), "humans": _triple(0.5, 0.1)},
        {"of": "abstention", "humans_policy": _triple(0.4, 0.35)},
        {"key": "<b>“x”</b>", "n_judges": 2, "n_present": 3},
        {"n_present": 2},
        {"n_present": 2, "naive": _triple(0.225, 0.01)},
        {"n_present": 3, "n_human": 0},
        {"n_present": 3, "n_human": 0, "is_constrained": True},
        {"graded": "5"},
        {"graded": "4 or better", "n_judges": 2, "n_present": 2, "naive": _triple(0.1, 0.01)},
        {"graded": "<b>", "youden": _triple(0.04, 0.1, -1)},
        {"graded": "2 or better of 0\N{EN DASH}3", "naive": _triple(0.225, 0.01), "n_present": 2},
        {"graded": "5", "naive": _triple(0.225, 0.01)},
        {"graded": "5", "n_human": 0},
        {"is_doubted": True},
        {"is_doubted": True, "naive": _triple(0.225, 0.01), "n_judges": 2, "n_present": 2},
        {"is_doubted": True, "graded": "5", "naive": _triple(0.225, 0.01)},
        {"graded": "5", "n_human": 0, "is_constrained": True},
        *_worthless(),
        *_beside_labels(),
    ]
    return [{**mock, **change} for change in changes]


def _worthless() -> list[dict[str, Any]]:
    """Verdicts that are worth next to nothing, or just more, beyond A of their rows."""
    little = {"policy_verdicts": (0.86, 1300), "n_labelled": 90}
    is_open = {"humans_policy": _triple(0.4, 0.35), "humans": _triple(0.5, 0.1)}
    return [
        little,
        {**little, "policy_verdicts": (1.0, 1300)},
        {**little, "policy_verdicts": (1.49, 1300), "n_labelled": 150, "n_present": 2},
        {**little, "policy_verdicts": (None, 0)},
        {**little, "joint_policy": _triple(0.7, 0.02)},
        {**little, "is_a_added": False},
        {**little, "is_a_added": False, "joint_policy": _triple(0.7, 0.02)},
        {**little, "joint_policy": _triple(0.495, 0.046)},
        {**is_open, "of": "task", "task_verdicts": (0.2, 1300)},
        {**is_open, "of": "task", **little},
        {**little, "of": "task"},
        {**little, "of": "task", "task_verdicts": (0.2, 1300)},
        {**is_open, "fpr": _triple(0.9, 0.05), "youden": _triple(0.03, 0.06, -1)},
    ]


def _beside_labels() -> list[dict[str, Any]]:
    """Every verdict of a truth stands beside a human label; those of another may not."""
    cases: list[dict[str, Any]] = [
        {},
        {"n_alone": 12, "n_present": 2},
        {"n_judges": 2, "n_present": 2, "graded": "5"},
        {"of": "task", "joint": _triple(0.4, 0.3)},
        {"of": "abstention"},
        {"of": "abstention", "is_rate": False},
        {"of": "abstention", "is_a_added": True, "policy_verdicts": (0.0, 1300)},
    ]
    beside = {"n_human": 90, "n_verdicts": 90, "n_alone": 0, "is_a_added": False}
    return [{**beside, **case} for case in cases]


def _at_random(rng: np.random.Generator, n: int) -> list[dict[str, Any]]:
    cases = []
    for i in range(n):
        tpr, fpr = rng.beta(4, 2), rng.beta(2, 4)
        half = 0.5 * rng.beta(1, 4)
        n_judges = int(rng.integers(1, 4))
        cases.append(
            {
                "of": _OF[i % 3],
                "key": f"judge {i}",
                "n_rows": int(rng.integers(1, 10_000)),
                "n_verdicts": int(rng.integers(0, 5_000)),
                "n_judges": n_judges,
                "n_present": n_judges + i % 2,
                "n_human": int(rng.integers(0, 300)) * (i % 4 != 0),
                "n_alone": 400 * (i % 7),
                "tpr": _triple(tpr, half),
                "fpr": _triple(fpr, half),
                "youden": _triple(tpr - fpr, half, -1),
                "naive": _triple(rng.uniform(), 0.02),
                "humans": _triple(rng.uniform(), 2 * half),
                "joint": _triple(rng.uniform(), half),
                "humans_policy": _triple(0.5, 0.2 * rng.uniform()),
                "joint_policy": _triple(0.5, 0.2 * rng.uniform()),
                "policy_verdicts": (stored(float(rng.choice([0.0, 0.9, 30.0]))), 1300),
                "task_verdicts": (stored(float(rng.choice([0.0, 0.9, 30.0]))), 1300),
                "n_labelled": int(rng.integers(0, 300)),
                "is_a_added": bool(i % 2),
                "is_rate": bool(i % 5),
                "is_constrained": bool(i % 3 == 0),
            }
        )
    return cases


def _findings(rng: np.random.Generator) -> list[dict[str, Any]]:
    found = []
    for case in [*_by_hand(), *_at_random(rng, 60)]:
        finding = JudgeFinding(**case)
        found.append(
            {
                "finding": asdict(finding),
                "headline": judge_sentences.judge_headline(finding),
                "what_if": judge_sentences.judge_headline(finding, is_whatif=True),
                "deck": judge_sentences.judge_deck(finding),
            }
        )
    return found


def _moves(rng: np.random.Generator) -> list[dict[str, Any]]:
    cases = []
    for i, (n_pins, n_priors, n_left_out) in enumerate(
        itertools.product((0, 1, 2, 4), (0, 1, 3), (0, 1, 2))
    ):
        if not (n_pins or n_priors or n_left_out or i == 0):
            continue
        judges = [("a", _OF[i % 3]), ("b", _OF[(i + 1) % 3])][: 1 + (n_pins > 2 or i % 2)]
        rates = [f"{kind}[{key}]" for key, _ in judges for kind in judge_words.RATE_WORDS]
        case: dict[str, Any] = {
            "pins": {rate: stored(rng.uniform()) for rate in rng.permutation(rates)[:n_pins]},
            "fitted": {rate: stored(rng.uniform()) for rate in rates[: 1 if i % 5 == 4 else None]},
            "judges": judges,
            "n_priors": n_priors,
            "n_left_out": n_left_out,
            "beliefs": {
                key: [stored(x) for x in rng.uniform(size=2)]
                for key in ("retrieval_success", "task_success", "policy_adherence")
            },
            "is_rate": bool(i % 4),
            "cured": allowances(is_errors=i % 3 == 0, apart=_APART[i % 5 % 3]),
        }
        cases.append({**case, "segments": judge_moves.moves_deck(**case)})
    return cases


_APART: tuple[list[str], ...] = ([], ["dense · gpt-4o"], ["bm25", "dense"])


def _cure_openings() -> list[dict[str, Any]]:
    """What a cure may allow for, of a system that is fitted by itself and of another one."""
    cases = []
    for is_errors, apart in itertools.product((True, False), _APART):
        for is_apart in (True, False) if apart else (False,):
            case: dict[str, Any] = {"is_errors": is_errors, "apart": apart}
            opening = cure_opening(**case, is_apart=is_apart)
            said = allowances(**case)
            cases.append({**case, "is_apart": is_apart, "opening": opening, "allowances": said})
    return [case for case in cases if case["is_errors"] or case["apart"]]


def _cures() -> list[list[Any]]:
    """P(T) and P(G), or the utility, before and after a cure."""
    opening = "With this system fitted by itself"
    told = [("61% (55–67)", "54% (47–61)"), ("52% (46–58)", "52% (46–58)"), ("0.1", "−0.2")]
    told += [("71% (65–75)", "71% (65–76)"), ("0.24 (0.19 to 0.29)", "0.24 (0.18 to 0.29)")]
    return [
        [
            *(opening, task, policy, is_rate, is_all),
            cure_line(opening, task, policy, is_rate=is_rate, is_all=is_all),
        ]
        for task, policy in itertools.product(told, told)
        for is_rate, is_all in itertools.product((True, False), repeat=2)
    ]


def _assumptions() -> list[dict[str, Any]]:
    """What is taken for granted of one judge and of several, in one system and in many."""
    alike = [Assumed("a", by, is_shared=True) for by in ("", "retrieval", "case")]
    other, free = Assumed("b", "case", is_shared=True), Assumed("c", "task", is_shared=False)
    several = [[one, *more] for one in alike for more in ((), (other,), (free,), (other, free))]
    several.append(
        [Assumed("a", "retrieval", is_shared=False), Assumed("b", "retrieval", is_shared=False)]
    )
    systems: list[dict[str, Any]] = [
        {"n_systems": 1, "apart": [], "is_apart": False},
        {"n_systems": 3, "apart": [], "is_apart": False},
        {"n_systems": 3, "apart": ["<x>"], "is_apart": False},
        {"n_systems": 3, "apart": ["x", "y"], "is_apart": True},
        {"n_systems": 4, "apart": ["x", "y"], "is_apart": False},
    ]
    return [
        {
            "judges": [judge._asdict() for judge in judges],
            "systems": where,
            "text": assumption_text(judges, **where),
        }
        for judges, where in itertools.product(several, systems)
    ]


def _warnings(rng: np.random.Generator) -> list[dict[str, Any]]:
    rates = [(0.93, 0.27, 0.08), (0.5, 0.48, 0.1), (0.2, 0.7, 0.1), (0.6, 0.3, 0.4)]
    rates += [tuple(rng.uniform(size=3)) for _ in range(8)]
    cases = []
    for i, (tpr, fpr, half) in enumerate(rates):
        pins = [
            ("tpr[j]", stored(rng.uniform()), 0.4, 0.6),
            ("fpr[j]", 0.62, 0.4, 0.6),
            ("unknown_given_0[j]", 0.0, 0.1, 0.2),
        ]
        for n_human, is_constrained in ((40, False), (0, False), (0, True)):
            case: dict[str, Any] = {
                "of": _OF[i % 3],
                "n_human": n_human,
                "tpr": _triple(tpr, half),
                "fpr": _triple(fpr, half),
                "youden": _triple(tpr - fpr, half, -1),
                "pins": pins[: i % 4],
                "is_constrained": is_constrained,
            }
            cases.append({**case, "warnings": judge_lines.judge_warnings(**case)})
    return cases


def _worths() -> list[dict[str, Any]]:
    worths = [(469.2, 10_000), (None, 10_000), (0.0, 50), (0.3, 50), (1.2, 50), (0.04, 50)]
    cases: list[dict[str, Any]] = []
    for policy, task in itertools.product(worths, worths):
        for n_only, n_partly, n_human, is_rate in (
            (5000, 0, 200, True),
            (280, 9, 200, True),
            (1, 0, 9, False),
            (1, 1, 9, True),
            (0, 1, 9, True),
            (0, 0, 9, True),
            (10, 2, 0, True),
            (0, 0, 0, True),
        ):
            case: dict[str, Any] = {
                "policy": policy,
                "task": task,
                "policy_verdicts": [policy, (540.0, 10_000), (None, 10_000)][len(cases) % 3],
                "task_verdicts": [task, (3.0, 50)][len(cases) % 2],
                "n_only": n_only,
                "n_partly": n_partly,
                "n_human": n_human,
                "is_rate": is_rate,
            }
            cases.append({**case, "segments": judge_lines.worth_line(**case)})
    return cases


def _steadied(rng: np.random.Generator) -> list[list[Any]]:
    """Means under moves and of the fit, on either side of where they can be told apart."""
    cases: list[list[Any]] = [
        [0.5123, 0.5495, [0.0276, 0.0183], 0.0],
        [0.3651, 0.5495, [0.01, 0.0183], 0.1817],
        [0.44, 0.5495, [0.01, 0.0183], 0.0],
        [0.25, 0.25, [0.0, 0.0], 0.0],
        [0.25001, 0.25, [0.0, 0.0], 0.0],
    ]
    for _ in range(20):
        before, errors = rng.uniform(), [stored(x) for x in rng.uniform(0, 0.02, size=2)]
        off = float(rng.choice([0.0, 0.01]))
        now = before + rng.normal() * (judge_words.NOISE * math.hypot(*errors) + off)
        cases.append([stored(now), stored(before), errors, off])
    return [[*c, judge_lines.steady(*c[:2], errors=tuple(c[2]), off=c[3])] for c in cases]


def judge_vectors() -> dict[str, Any]:
    """Every vector, inputs and outputs."""
    rng = np.random.default_rng(20261210)
    numbers = [_triple(*x) for x in [(0.27, 0.03), (0.001, 0.002), (0.999, 0.002), (0.5, 0.4)]]
    signed = [_triple(0.66, 0.08, -1), _triple(0.02, 0.1, -1), _triple(-0.3, 0.1, -1)]
    ties = [[(5, 0.4, 0.2), (5, 0.2, 0.4)], [(0, 0.9, 0.1), (3, 0.4, 0.4)], [(0, 0.1, 0.2)]]
    ties += [[(5, 0.4, 0.2), (5, 0.2, second)] for second in (0.425, 0.43, 0.431, 0.5)]
    triples = [[tuple(x) for x in rng.uniform(size=(3, 3)).round(5).tolist()] for _ in range(6)]
    candidates = [*ties, *([(int(10 * a), b, c) for a, b, c in each] for each in triples)]
    return {
        "origin": "scripts/golden_judge_wording.py, seed 20261210; outputs by views/judge_*.py",
        "findings": _findings(rng),
        "focus": [[each, judge_sentences.focus(each)] for each in candidates],
        "worst": [
            [youden, judge_sentences.worst(youden)]
            for youden in ([0.5], [0.5, 0.48, 0.52], [0.5, 0.3, 0.28], [0.2, -0.1, -0.14, -0.2])
        ],
        "moves_deck": _moves(rng),
        "cure_opening": _cure_openings(),
        "cure_line": _cures(),
        "assumption": _assumptions(),
        "warnings": _warnings(rng),
        "worth_line": _worths(),
        "steady": _steadied(rng),
        "rate_line": [
            [kind, of, x, judge_lines.rate_line(kind, of, x)]
            for kind in judge_words.RATE_WORDS
            for of in _OF
            for x in numbers
        ],
        "judge_line": [
            [youden, agreement, kappa, judge_lines.judge_line(youden, agreement, kappa)]
            for youden in signed
            for agreement, kappa in ((0.77, 0.5), (None, None), (0.999, -0.03))
        ],
    }
