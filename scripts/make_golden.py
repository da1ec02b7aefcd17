"""Write tests/golden/*.json: sentences and numbers that Python and the browser must share.

Inputs come from fixed seeds and from edge cases by hand; outputs from views/wording.py and
the engine `exact`, whose own tests pin the rules; of judges by long runs of `hmc` and `nuts`; for
cases.json by Stan. The JavaScript tests read the same files.
"""

from __future__ import annotations

import itertools
import json
import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
from golden_allocation import allocation_vectors
from golden_cases import POOLED, cases
from golden_emissions import EMISSION_ANSWERS, emission_cases, emission_inputs
from golden_judge_wording import judge_vectors
from golden_judged import ANSWERS, judge_cases, judge_inputs
from golden_verdicts import VERDICTS
from golden_wording import LEVELS, vectors

from rat_widgets.derived.policy import Policy
from rat_widgets.derived.posterior import Posterior
from rat_widgets.inference.engine import sample
from rat_widgets.inference.tally import label_cube
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors
from rat_widgets.model.simulated_tables import simulate
from rat_widgets.model.theta import Theta
from rat_widgets.model.worlds import PARAMETERS, worlds_of

GOLDEN = Path(__file__).parent.parent / "tests" / "golden"


def _one_line_each(data: dict[str, Any]) -> str:
    """JSON with one vector a line, so that a change shows as the vectors it changes."""

    def one(value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, default=float)

    parts = [
        f"{one(key)}: "
        + (one(v) if isinstance(v, str) else "[\n " + ",\n ".join(map(one, v)) + "\n]")
        for key, v in data.items()
    ]
    return "{" + ",\n".join(parts) + "}\n"


def betas() -> dict[str, Any]:
    """Small tables, and the five Betas of those whose posterior is their product."""
    rng = np.random.default_rng(20261129)
    seen = [
        (r, a, t) for r, a, t in itertools.product((-1, 0, 1), repeat=3) if not (a == 1 and t != -1)
    ]
    plain = [(r, a, t) for r, a, t in seen if r != -1 and (a != -1 or t != 0)]
    cases = []
    for i in range(60):
        pool = [*plain, (-1, -1, -1)] if i % 2 else seen
        rows = sorted({pool[j] for j in rng.integers(0, len(pool), 5)})
        counts = rng.integers(1, 40, len(rows)).tolist()
        prior = dict(zip(PARAMETERS, rng.integers(1, 5, (5, 2)).tolist(), strict=True))
        table = PatternCounts.from_patterns(rows, counts)
        cube = label_cube(table)
        is_product = not cube[-1].any() and not cube[:, -1, 0].any()
        shape = None
        if is_product:
            (draws,) = sample(table, {k: tuple(v) for k, v in prior.items()}, draws=16)
            assert draws.conjugate is not None
            shape = dict(zip(PARAMETERS, draws.conjugate.tolist(), strict=True))
        cases.append({"patterns": rows, "counts": counts, "priors": prior, "betas": shape})
    return {
        "origin": "scripts/make_golden.py; outputs by the engine exact",
        "cases": cases,
        "graded": graded_betas(),
    }


def graded_betas() -> list[dict[str, Any]]:
    """The same for more levels of retrieval: a Beta for each split of R, and two for each level."""
    rng = np.random.default_rng(20261202)
    cases = []
    for i in range(30):
        levels = LEVELS[i % len(LEVELS)]
        parameters = worlds_of(levels).parameters
        said = [(-1, -1), (0, -1), (1, -1), (0, 0), (0, 1), (-1, 1)]
        pool = [(r, a, t) for r in range(len(levels)) for a, t in said]
        hidden = [(-1, 0, 1), (-1, 1, -1), (1, -1, 0)]
        pool += hidden if i % 3 == 0 else [(-1, -1, -1)]
        rows = sorted({pool[j] for j in rng.integers(0, len(pool), 8)})
        counts = rng.integers(1, 40, len(rows)).tolist()
        said_of = parameters[len(levels) - 1 :]
        believed = {key: tuple(rng.integers(1, 5, 2).tolist()) for key in said_of}
        believed["retrieval"] = tuple(rng.integers(1, 5, len(levels)).tolist())
        theta = Priors.from_spec(believed, (), levels).theta
        prior = {key: [b.alpha, b.beta] for key, b in zip(parameters, theta, strict=True)}
        shape = None
        if not set(hidden) & set(rows):
            table = PatternCounts.from_patterns(rows, counts, retrieval_levels=levels)
            (draws,) = sample(table, believed, draws=16)
            assert draws.conjugate is not None
            shape = dict(zip(parameters, draws.conjugate.tolist(), strict=True))
        cases.append(
            {"levels": levels, "patterns": rows, "counts": counts, "priors": prior, "betas": shape}
        )
    return cases


_Rows = list[tuple[int, int, int]]


def _hidden(name: str, labels: Any) -> _Rows:
    """Rows of complete labels with some of them hidden, by a rule that the name tells."""
    r, a, t = (labels[c].fillna(-1).astype(int).to_numpy().copy() for c in "RAT")
    first = np.arange(len(r)) < 100
    if name in ("all_t", "nothing_joint"):
        r[~first if name == "all_t" else slice(None)] = -1
    elif name == "half_r":
        r[::2] = -1
    elif name == "mixed":
        r[1::3] = -1
        t[2::3] = -1
    elif name == "only_a":
        r[~first] = t[~first] = -1
    t[a == 1] = -1
    return list(zip(r.tolist(), a.tolist(), t.tolist(), strict=True))


def engine() -> dict[str, Any]:
    """Counts, priors, policy and pins, with what the engine `exact` makes of them."""
    qwen, apertus = (
        (0.2078, 0.4632, 0.0360, 0.4447, 0.6809),
        (0.2072, 0.0390, 0.005, 0.2585, 0.5157),
    )
    flat = dict.fromkeys(PARAMETERS, (1.0, 1.0))
    informed = {**flat, "retrieval_success": (3.0, 8.0), "abstain_given_hit": (1.0, 9.0)}
    jeffreys = dict.fromkeys(PARAMETERS, (0.5, 0.5))
    plan = [
        ("complete", qwen, 600, flat, {}),
        ("complete", apertus, 60, jeffreys, {"abstain_given_miss": 0.5}),
        ("half_r", qwen, 300, flat, {}),
        ("mixed", qwen, 600, informed, {"retrieval_success": 0.8, "correct_given_hit": 0.9}),
        ("mixed", apertus, 90, flat, {}),
        ("all_t", qwen, 600, flat, {}),
        ("all_t", apertus, 600, informed, {"abstain_given_miss": 0.4}),
        ("nothing_joint", qwen, 300, flat, {}),
        ("nothing_joint", qwen, 1000, flat, {"retrieval_success": 0.5}),
        ("only_a", qwen, 500, flat, {}),
    ]
    cases = []
    for i, (hidden, values, n, prior, pins) in enumerate(plan):
        theta = Theta(**dict(zip(PARAMETERS, values, strict=True)))
        rows = _hidden(hidden, simulate(theta, n=n, seed=40 + i))
        patterns = sorted(set(rows))
        counts = [rows.count(p) for p in patterns]
        table = PatternCounts.from_patterns(patterns, counts)
        (draws,) = sample(table, prior, engine="exact", draws=200_000, seed=i)
        posterior = Posterior(draws=draws, policy=Policy.from_spec("adherence")).pin(pins)
        keys = (*PARAMETERS, "abstention", "task_success", "policy_adherence")
        summary = {}
        for key in keys:
            x = posterior[key].reshape(-1)
            ends = np.quantile(x, (0.025, 0.975))
            summary[key] = [round(float(v), 6) for v in (x.mean(), x.std(), *ends)]
        cases.append(
            {
                "name": f"{hidden}, {n} rows" + (f", {len(pins)} pinned" if pins else ""),
                "patterns": patterns,
                "counts": counts,
                "priors": prior,
                "policy": "adherence",
                "pins": pins,
                "mean_sd_lower_upper": summary,
            }
        )
    return {
        "origin": "scripts/make_golden.py; 200,000 draws of the engine exact, fixed seeds",
        "cases": cases,
    }


def _agree(stored: Any, made: Any) -> bool:
    """The same but for the last digits, which another processor's logarithms may change."""
    if isinstance(stored, dict) and isinstance(made, dict):
        return list(stored) == list(made) and all(_agree(stored[k], made[k]) for k in stored)
    if isinstance(stored, list) and isinstance(made, list):
        same_length = len(stored) == len(made)
        return same_length and all(map(_agree, stored, made))
    if isinstance(stored, float) and isinstance(made, float):
        return math.isclose(stored, made, abs_tol=1e-4)
    return type(stored) is type(made) and bool(stored == made)


def _went_in(stored: dict[str, Any], name: str, answers: tuple[str, ...]) -> list[Any]:
    """The stored cases of a file without their answers."""
    cases = stored.get(name, {"cases": []})["cases"]
    return [{key: value for key, value in case.items() if key not in answers} for case in cases]


def _plain(value: Any) -> Any:
    """As JSON reads it."""
    return json.loads(json.dumps(value))


def main(argv: list[str]) -> int:
    """Write or check; returns the exit code."""
    wanted = {"wording.json": vectors(), "betas.json": betas(), "engine.json": engine()}
    wanted["judge_wording.json"] = judge_vectors()
    wanted["allocation.json"] = allocation_vectors()
    wanted["cases.json"] = {
        "origin": "scripts/golden_cases.py; by Stan: stan_equivalents/reference",
        "cases": cases(),
    }
    wanted["pooled.json"] = {
        "origin": "scripts/golden_cases.py; by Stan: stan_equivalents/reference",
        "cases": cases(POOLED),
    }
    wanted["verdicts.json"] = {
        "origin": "scripts/golden_verdicts.py; by Stan: stan_equivalents/reference",
        "cases": cases(VERDICTS),
    }
    if "--check" not in argv:
        GOLDEN.mkdir(parents=True, exist_ok=True)
        wanted |= {"judges.json": judge_cases(), "emissions.json": emission_cases()}
        for name, data in wanted.items():
            (GOLDEN / name).write_text(_one_line_each(data), encoding="utf-8")
        return 0
    stored = {path.name: json.loads(path.read_text("utf-8")) for path in GOLDEN.glob("*.json")}
    agrees = {
        name: name in stored and _agree(stored[name], json.loads(_one_line_each(data)))
        for name, data in wanted.items()
    }
    # Long runs take minutes and differ by processor: only what went into them is made again.
    agrees["judges.json"] = _went_in(stored, "judges.json", ANSWERS) == _plain(judge_inputs())
    agrees["emissions.json"] = _agree(
        _went_in(stored, "emissions.json", EMISSION_ANSWERS), _plain(emission_inputs())
    )
    for name in (name for name, same in agrees.items() if not same):
        print(f"tests/golden/{name} differs: run `make golden`.", file=sys.stderr)
    return 0 if all(agrees.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
