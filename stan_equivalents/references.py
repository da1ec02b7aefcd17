"""Stored long runs of Stan, one JSON file per case: what they gave, and how they came about."""

from __future__ import annotations

import json
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import numpy as np

from rat_widgets.inference import ess_bulk, r_hat
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors
from stan_equivalents.agreement import Summary, summaries
from stan_equivalents.cases import Case
from stan_equivalents.programs import (
    Run,
    log_density,
    parameter_keys,
    pooled_keys,
    programs_of,
    sample_stan,
)
from stan_equivalents.verdicts import simplices

__all__ = [
    "FOLDER",
    "SETTINGS",
    "Reference",
    "make",
    "points",
    "read",
    "run",
    "settings_of",
    "write",
]

FOLDER: Final = Path(__file__).parent / "reference"
SETTINGS: Final[Mapping[str, Any]] = {
    "n_chains": 4,
    "n_warmup": 1000,
    "n_draws": 50_000,
    "n_thin": 1,
    "delta": 0.95,
    "seed": 20261129,
}
# A long tail takes longer chains, for the same error of the interval's end.
_LONG: Final[Mapping[str, Any]] = {"n_draws": 200_000, "n_thin": 4}
_MORE: Final[Mapping[str, Mapping[str, Any]]] = {
    "nothing_but_t": _LONG,
    "graded_unseen_level": _LONG,
    "all_t_from_nothing_300": _LONG,
    "all_t_from_nothing_1000": _LONG,
}
_N_POINTS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One stored run.

    Attributes
    ----------
    case : Case
        As stored: the counts and priors that Stan saw.
    summary : mapping from key to Summary
    points : tuple of mappings
        Parameter values at which `log_density` was taken.
    log_density : mapping from program to tuple of float
        Log of prior times likelihood at each point.
    diagnostics, settings, versions : mapping
    """

    case: Case
    summary: Mapping[str, Summary]
    points: tuple[Mapping[str, float], ...]
    log_density: Mapping[str, tuple[float, ...]]
    diagnostics: Mapping[str, Any]
    settings: Mapping[str, Any]
    versions: Mapping[str, str]


def collapsed(case: Case) -> str:
    """The program that takes this case's pattern counts."""
    return f"{case.kind}_counts"


def points(case: Case) -> tuple[dict[str, float], ...]:
    """Points of the parameter space, the same in every run."""
    rng = np.random.default_rng(int(SETTINGS["seed"]))
    keys: tuple[str, ...] = parameter_keys(case.counts)
    if case.kind == "pooled":
        keys = sum(pooled_keys(case.counts).values(), ())
    found = []
    for _ in range(_N_POINTS):
        point = dict(zip(keys, np.round(rng.uniform(0.05, 0.95, len(keys)), 3).tolist()))
        if case.kind in ("graded", "level_judge"):
            point |= _summing_to_one(point, [key for key in keys if key.startswith("retrieval[")])
        for levels, _ in simplices(case.counts):
            point |= _summing_to_one(point, levels)
        # The rates of a shared judge are the same in all groups.
        for judge in case.counts.judges:
            if judge.share == "all" and case.counts.n_groups > 1:
                for rate in ("tpr", "fpr"):
                    same = [key for key in keys if key.endswith(f"{rate}[{judge.name}]")]
                    point |= dict.fromkeys(same, point[same[0]])
        found.append(point)
    return tuple(found)


def _summing_to_one(point: Mapping[str, float], keys: Sequence[str]) -> dict[str, float]:
    """The probabilities of these levels, scaled; what rounding leaves goes to the first."""
    first, *rest = keys
    total = sum(point[key] for key in (first, *rest))
    scaled = {key: round(point[key] / total, 3) for key in rest}
    return {first: round(1 - sum(scaled.values()), 3), **scaled}


def run(case: Case, **settings: Any) -> Run:
    """Draws of this case by Stan on the collapsed counts."""
    return sample_stan(collapsed(case), case, **{**settings_of(case.name), **settings})


def settings_of(name: str) -> dict[str, Any]:
    """The settings of the case's long run."""
    return {**SETTINGS, **_MORE.get(name, {})}


def make(case: Case) -> Reference:
    """A long run, and log densities by every program that takes the case."""
    drawn = run(case)
    at = points(case)
    parameters = np.stack([drawn.draws[key] for key in parameter_keys(case.counts)], axis=-1)
    return Reference(
        case=case,
        summary=summaries(drawn.draws),
        points=at,
        log_density={
            name: tuple(log_density(name, case, point) for point in at)
            for name in programs_of(case.kind)
        },
        diagnostics={
            "largest_r_hat": round(float(r_hat(parameters).max()), 6),
            "smallest_ess_bulk": round(float(ess_bulk(parameters).min())),
            "n_divergent": drawn.n_divergent,
        },
        settings=settings_of(case.name),
        versions={
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in ("pystan", "httpstan", "numpy")},
        },
    )


def write(reference: Reference) -> None:
    """Store one reference."""
    case = reference.case
    content = {
        "case": case.name,
        "origin": case.origin,
        "program": f"{collapsed(case)}.stan",
        "settings": reference.settings,
        "versions": reference.versions,
        "diagnostics": reference.diagnostics,
        "counts": case.counts.to_dict(),
        "priors": case.priors.to_dict(),
        "summary": {key: s.to_dict() for key, s in reference.summary.items()},
        "points": list(reference.points),
        "log_density": reference.log_density,
    }
    FOLDER.mkdir(exist_ok=True)
    lines = [f" {json.dumps(k)}: {_value(v)}" for k, v in content.items()]
    text = "{\n" + ",\n".join(lines) + "\n}\n"
    (FOLDER / f"{case.name}.json").write_text(text, encoding="utf-8")


def read(name: str) -> Reference:
    """The stored reference of this case."""
    data = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))
    counts = PatternCounts.from_dict(data["counts"])
    return Reference(
        case=Case(
            name=data["case"],
            origin=data["origin"],
            counts=counts,
            priors=Priors.from_dict(data["priors"], counts.retrieval_levels),
        ),
        summary={key: Summary(**value) for key, value in data["summary"].items()},
        points=tuple(data["points"]),
        log_density={name: tuple(values) for name, values in data["log_density"].items()},
        diagnostics=data["diagnostics"],
        settings=data["settings"],
        versions=data["versions"],
    )


def _value(value: Any) -> str:
    """JSON with one line per quantity, so that a change shows as what it changes."""
    if isinstance(value, dict) and any(isinstance(v, dict) for v in value.values()):
        inner = ",\n".join(
            f"  {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in value.items()
        )
        return "{\n" + inner + "\n }"
    return json.dumps(value, ensure_ascii=False)
