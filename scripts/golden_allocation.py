"""Plans that Python and the browser must agree on: views with their answers, and sentences.

`make_golden.py` writes them; the JavaScript tests read the same file.
"""

from __future__ import annotations

import itertools
from dataclasses import asdict, replace
from typing import Any

import numpy as np

from rat_widgets.fitting import fit
from rat_widgets.living_allocation import LivingAllocation, planned_systems
from rat_widgets.model.simulated_tables import simulate
from rat_widgets.model.theta import Theta
from rat_widgets.views import allocation_sentences, allocation_words
from rat_widgets.views.allocation import AllocationAnswer, AllocationControls
from rat_widgets.views.allocation_sentences import Advice, Piece
from rat_widgets.views.wording import stored

__all__ = ["allocation_vectors"]

_QWEN = Theta(
    retrieval_success=0.2078,
    abstain_given_miss=0.4632,
    abstain_given_hit=0.0360,
    correct_given_miss=0.4447,
    correct_given_hit=0.6809,
)
_APERTUS = Theta(
    retrieval_success=0.2072,
    abstain_given_miss=0.0390,
    abstain_given_hit=0.0050,
    correct_given_miss=0.2585,
    correct_given_hit=0.5157,
)
_RATES = {"j": {"of": "retrieval", "tpr": 0.9, "fpr": 0.3}}


def allocation_vectors() -> dict[str, Any]:
    """Contents of allocation.json."""
    return {
        "origin": "scripts/golden_allocation.py; by planning/allocation.py and views",
        "plans": [case for system in _systems() for case in _cases(*system)],
        "advice": [_said(of) for of in _advice()],
        "words": _words(),
    }


def _systems() -> list[tuple[str, Any, dict[str, Any], list[dict[str, Any]]]]:
    """Name, what is planned, where it is labelled, and controls."""
    table = simulate(_QWEN, n=400, seed=1)
    table.loc[100:, ["R", "T"]] = None
    table.loc[150:179, "T"] = 0  # T alone, and R alone
    table.loc[180:199, "R"] = 1
    table.loc[table["A"] == 1, "T"] = None
    judged = simulate(_QWEN, n=300, judges=_RATES, seed=2)
    judged.loc[100:, ["R", "T"]] = None
    return [
        ("qwen, fresh", _QWEN, {}, [
            {},
            {"target": "task_success", "budget": 250},
            {"prices": {"R": 3, "T": 1}, "n0": 40},
            {"unit": "rows", "most": 600},
            {"budget": 0, "hidden": ["optimal"]},
        ]),
        ("apertus, pool", _APERTUS, {"pool": 900}, [
            {"budget": 1500},
            {"prices": {"R": 1, "T": 3}, "hidden": ["optimal", "r_then_t"]},
        ]),
        ("labels", fit(table, draws=400), {}, [{}, {"target": "lucky_share", "budget": 120}]),
        ("judged", fit(judged, judges=_judges(), draws=400), {}, [
            {"target": "tpr[j]", "budget": 150},
        ]),
    ]  # fmt: skip


def _judges() -> list[Any]:
    from rat_widgets.labels.judges import Judge

    return [Judge("j", of="retrieval")]


def _cases(
    name: str, x: Any, where: dict[str, Any], controls: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The view of the first controls; of the others what differs."""
    made = LivingAllocation(
        systems=planned_systems(x, {}),
        already=None,
        pool=where.get("pool"),
        policy=None,
        python="rat.allocate(df",
        generator="golden",
        ci_prob=0.95,
        first=AllocationControls(),
        room=3_600,
    )
    nothing = AllocationAnswer(now=0.0, budgets=(), courses=(), advised=None, parts=())
    base = replace(made.base_view, answer=nothing)
    cases = []
    for i, one in enumerate(controls):
        view = made.view_of(made.read_controls(one))
        said = {
            "name": f"{name}: {one}",
            "controls": view.controls.to_dict(),
            "answer": _short(view.to_dict()["answer"]),
            "headline": view.headline(),
            "deck": view.deck(),
        }
        cases.append({**said, "view": base.to_dict() if i == 0 else None})
    return cases


def _short(value: Any, digits: int = 6) -> Any:
    """Numbers with the digits that are compared; ends of the spread are compared to 1%."""
    if isinstance(value, dict):
        rough = ("lower", "upper", "width_lower", "width_upper")
        return {k: _short(v, 4 if k in rough else digits) for k, v in value.items()}
    if isinstance(value, list):
        return [_short(v, digits) for v in value]
    return float(f"{value:.{digits}g}") if isinstance(value, float) else value


def _advice() -> list[Advice]:
    """Edges by hand, and every combination that changes the words."""
    mock = Advice(
        course="r_then_t",
        pieces=(
            Piece(rows="answered", buy="R, then T where R=1", share=0.78, n_rows=295.87),
            Piece(rows="abstained", buy="R", share=0.22, n_rows=109.4),
        ),
        budget=500.0,
        spent=500.0,
        unit="labels",
        symbol="P(G)",
        role="good",
        is_rate=True,
        now=0.1923,
        width=0.0859,
        joint_width=0.0966,
        joint_needed=678.2,
        spread=None,
        pool="Labels go to new rows.",
    )
    one = Piece(rows="answered, R=1, j=0", buy="T", share=0.02, n_rows=1.2)
    made = [replace(mock, course=course) for course in (*allocation_words.COURSES, None)]
    made += [replace(mock, course="optimal", pieces=pieces) for pieces in ((), (one,), (one,) * 4)]
    for needed, budget in itertools.product((None, 500.0, 502.4, 12_345.0), (0.0, 500.0, 12.5)):
        made.append(replace(mock, joint_needed=needed, budget=budget))
    made += [replace(mock, spread=spread) for spread in ((0.08, 0.09), (0.08, 0.0801))]
    made.append(replace(mock, course="optimal", spent=240.0, unit="rows", joint_needed=None))
    made.append(replace(mock, is_rate=False, now=2.4, width=0.0424, symbol="P(G)"))
    return made


def _said(of: Advice) -> dict[str, Any]:
    return {
        "of": asdict(of),
        "headline": allocation_sentences.headline(of),
        "deck": allocation_sentences.deck(of),
    }


def _words() -> list[dict[str, Any]]:
    rng = np.random.default_rng(20261130)
    numbers = [0, 0.5, 1, 12.5, 99.5, 99.4, 100, 104.9, 105, 9_994.9, 9_995, 10_049, 123_456.7]
    numbers += [stored(x) for x in 10 ** rng.uniform(-3, 5, 20)]
    return [
        {
            "x": x,
            "about": allocation_words.about(x),
            "amount": allocation_words.amount(x),
            "half": allocation_words.half(x / 1e5),
            "half_utility": allocation_words.half(x / 100, is_rate=False),
        }
        for x in numbers
    ]
