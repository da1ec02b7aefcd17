"""The Stan programs: their data blocks, what their names mean, and runs of them with PyStan."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from itertools import product
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors, judge_keys
from rat_widgets.model.worlds import worlds_of
from stan_equivalents.cases import Case
from stan_equivalents.verdicts import (
    KINDS,
    OF,
    SITES,
    has_place,
    verdict_block,
    verdict_kind,
    worded,
)

__all__ = [
    "PROGRAMS",
    "Run",
    "build",
    "data_block",
    "log_density",
    "parameter_keys",
    "place_of",
    "pooled_keys",
    "programs_of",
    "sample_stan",
]

FOLDER: Final = Path(__file__).parent
PROGRAMS: Final = tuple(path.stem for path in sorted(FOLDER.glob("*.stan")))

# Kinds of programs whose R has several levels.
_OF_LEVELS: Final = ("graded", "level_judge")
_TREE: Final = ("theta_R", "theta_A", "theta_T")
_SECONDS: Final = re.compile(r"([\d.e+-]+) seconds \(")


class Place(NamedTuple):
    """One number of a Stan program: a variable, and indices that count from 0."""

    variable: str
    at: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What Stan drew, under our names.

    Attributes
    ----------
    draws : mapping from key to array, shape (chain, draw)
    n_divergent : int
    seconds : tuple of float
        Of each chain, by Stan's own clock: warm-up and sampling, no start, no transport.
    called_s : float
        Of PyStan's `sample` of a built program, by the clock on the wall; all chains at once.
    seconds_per_gradient : float
        Of the sampling alone, over all chains.
    """

    draws: Mapping[str, Float[np.ndarray, "chain draw"]]
    n_divergent: int
    seconds: tuple[float, ...]
    called_s: float
    seconds_per_gradient: float


def kind_of(program: str) -> str:
    """Which cases a program is for: its name without "_rows" or "_counts"."""
    return program.rpartition("_")[0]


def programs_of(kind: str) -> tuple[str, ...]:
    """The programs for the cases of a kind."""
    return tuple(program for program in PROGRAMS if kind_of(program) == kind)


def _sites(program: str) -> tuple[str, ...]:
    """The parameters of a program."""
    return (*_TREE, *SITES.get(kind_of(program), ("tpr", "fpr")))


def data_block(program: str, counts: PatternCounts, priors: Priors) -> dict[str, Any]:
    """The data of a program, as values that JSON can hold."""
    patterns, n = counts.patterns.astype(int), counts.counts.astype(int)
    per_row = program.endswith("_rows")
    if per_row:
        patterns = np.repeat(patterns, n[0], axis=0)
    prior, n_judges = priors.as_array(), len(counts.judges)
    n_theta = len(priors.theta)
    block: dict[str, Any] = {
        "N" if per_row else "P": len(patterns),
        **{letter: patterns[:, i].tolist() for i, letter in enumerate("RAT")},
        **_theta_prior(program, prior[:n_theta]),
    }
    if not per_row:
        block["n"] = (n if counts.n_groups > 1 else n[0]).tolist()
    if kind_of(program) in KINDS:
        return block | verdict_block(kind_of(program), counts, priors, patterns[:, 4:])
    if not program.startswith("human"):
        rates = [judge.abstained_rate for judge in counts.judges]
        block |= {
            "J": n_judges,
            "v": patterns[:, 4:].tolist(),
            "of": [OF[judge.of] for judge in counts.judges],
            "abstained_rate": [-1.0 if rate is None else rate for rate in rates],
            "tpr_prior": prior[n_theta : n_theta + n_judges].tolist(),
            "fpr_prior": prior[n_theta + n_judges :].tolist(),
        }
    if program.startswith("pooled"):
        block["G"] = counts.n_groups
    if program.startswith("groups"):
        pair = _pairs(counts)
        _, first = np.unique(pair, return_index=True)
        judge_of_pair = first % n_judges
        block |= {
            "G": counts.n_groups,
            "K": len(first),
            "pair": (pair + 1).tolist(),
            **{
                f"{rate}_prior": [block[f"{rate}_prior"][j] for j in judge_of_pair]
                for rate in ("tpr", "fpr")
            },
        }
    return block


def _theta_prior(program: str, prior: Float[np.ndarray, "theta 2"]) -> dict[str, Any]:
    """The priors of the free probabilities; with graded retrieval a Dirichlet and the rest.

    Our priors split R from the top level down, alpha against what all lower levels weigh.
    """
    if kind_of(program) not in _OF_LEVELS:
        return {"theta_prior": prior.tolist()}
    k = (len(prior) + 1) // 3
    split, abstain, correct = np.split(prior, (k - 1, 2 * k - 1))
    return {
        "K": k,
        "retrieval_prior": [float(split[-1, 1]), *split[::-1, 0].tolist()],
        "abstain_prior": abstain.tolist(),
        "correct_prior": correct.tolist(),
    }


def place_of(program: str, counts: PatternCounts) -> dict[str, Place]:
    """Our key -> where the program has it, read from the name map beside the program.

    In a name map j stands for a judge, g for a group, k for a pair of rates, l for a level of
    retrieval and m for an answer of a judge. With several groups a key is ``group: name``.
    """
    names = json.loads((FOLDER / f"{program}.json").read_text("utf-8"))["names"]
    pair, keys = _pairs(counts), judge_keys(counts.judges)
    levels = counts.retrieval_levels
    found = {}
    for (stan, ours), g in product(names.items(), range(counts.n_groups)):
        variable, _, inside = stan.rstrip("]").partition("[")
        tokens = inside.split(",") if inside else []
        each_judge = range(len(keys)) if {"j", "k"} & set(tokens) else [0]
        each_level = range(len(levels)) if "l" in tokens else [0]
        each_answer = range(len(counts.judges[0].answers)) if "m" in tokens else [0]
        for j, level, m in product(each_judge, each_level, each_answer):
            letters = {"g": g, "j": j, "l": level, "m": m, "k": int(pair[g, j]) if keys else 0}
            index = tuple(letters[t] if t in letters else int(t) - 1 for t in tokens)
            if not has_place(variable, index, counts.judges):
                continue
            key = worded(ours, counts, j, m).replace("[at level]", levels[level])
            key = key.replace("[level]", f"[{levels[level]}]")
            group = f"{counts.groups[g][0]}: " if counts.n_groups > 1 else ""
            found[group + key] = Place(variable, index)
    return found


def _pairs(counts: PatternCounts) -> Int[np.ndarray, "group judge"]:
    """Number of the pair of rates that each judge has in each group."""
    pair = np.zeros((counts.n_groups, len(counts.judges)), dtype=int)
    n_pairs = 0
    for j, judge in enumerate(counts.judges):
        n_own = 1 if judge.share == "all" else counts.n_groups
        pair[:, j] = n_pairs + np.arange(counts.n_groups) % n_own
        n_pairs += n_own
    return pair


def build(program: str, case: Case, *, seed: int = 1) -> Any:
    """The compiled program with its data: half a minute, then from PyStan's cache."""
    import stan

    code = (FOLDER / f"{program}.stan").read_text("utf-8")
    with _quiet():
        return stan.build(
            code, data=data_block(program, case.counts, case.priors), random_seed=seed
        )


def sample_stan(
    program: str,
    case: Case,
    *,
    seed: int,
    n_chains: int = 4,
    n_warmup: int = 1000,
    n_draws: int = 1000,
    n_thin: int = 1,
    delta: float = 0.9,
) -> Run:
    """Draws by Stan's NUTS, of which every `n_thin`-th is kept.

    The same seed, data and settings return the fit that PyStan stored.
    """
    model = build(program, case, seed=seed)
    start = time.perf_counter()
    with _quiet():
        fit = model.sample(
            num_chains=n_chains,
            num_warmup=n_warmup,
            num_samples=n_draws,
            num_thin=n_thin,
            delta=delta,
            init=[_start(program, case, chain=chain, seed=seed) for chain in range(n_chains)],
        )
    called_s = time.perf_counter() - start
    draws = {}
    for key, (variable, index) in place_of(program, case.counts).items():
        # PyStan runs through the chains first, then through the draws.
        values = np.asarray(fit[variable])
        draws[key] = values[index if values.ndim > 1 and index else 0].reshape(-1, n_chains).T
    seconds = tuple(_elapsed(output, "Total") for output in fit.stan_outputs)
    sampling = sum(_elapsed(output, "Sampling") for output in fit.stan_outputs)
    # Each kept draw stands for `n_thin` of about the same length.
    n_gradients = n_thin * float(np.asarray(fit["n_leapfrog__"]).sum())
    return Run(
        draws=draws,
        n_divergent=int(np.asarray(fit["divergent__"]).sum()),
        seconds=seconds,
        called_s=called_s,
        seconds_per_gradient=sampling / n_gradients,
    )


def _start(program: str, case: Case, *, chain: int, seed: int) -> dict[str, Any]:
    """Plausible starts: random ones may stay at false modes where joint rows are few."""
    rng = np.random.default_rng([seed, chain])
    counts = case.counts
    shapes: dict[str, tuple[int, ...]] = {"theta_R": (), "theta_A": (2,), "theta_T": (2,)}
    if program.startswith("groups"):
        shapes = {name: (counts.n_groups, *shape) for name, shape in shapes.items()}
    kind = kind_of(program)
    if kind in _OF_LEVELS:
        shapes = dict.fromkeys(shapes, (len(counts.retrieval_levels),))
    if program.startswith("pooled"):
        return _pooled_start(counts, rng)
    start = {name: rng.uniform(0.3, 0.7, shape).tolist() for name, shape in shapes.items()}
    if kind in _OF_LEVELS:
        start["theta_R"] = (np.array(start["theta_R"]) / sum(start["theta_R"])).tolist()
    if kind in KINDS:
        return start | _judges_start(kind, counts, rng)
    if kind != "human":
        n_pairs = int(_pairs(counts).max(initial=-1)) + 1
        start |= {
            "tpr": rng.uniform(0.7, 0.9, n_pairs).tolist(),
            "fpr": rng.uniform(0.1, 0.3, n_pairs).tolist(),
        }
    return start


def _judges_start(kind: str, counts: PatternCounts, rng: np.random.Generator) -> dict[str, Any]:
    """Good judges, whose levels rise with the truth."""
    n = len(counts.judges)
    if kind in {"saturated_judge", "saturated_three"}:
        n_rates = 2**n - 1
        low, high = rng.uniform(0.1, 0.3, (2, n_rates)), rng.uniform(0.7, 0.9, (2, n_rates))
        of_world = np.stack([low, high], axis=1).reshape(4, n_rates)
        ends = {"first": (0, 1), "second": (1, 3), "third": (3, 7)}
        start = {site: of_world[:, slice(*ends[site])].tolist() for site in SITES[kind]}
        return start | {"first": of_world[:, 0].tolist()}
    if kind == "dependent_judge":
        return {
            "tpr": rng.uniform(0.7, 0.9, (n, 2)).tolist(),
            "fpr": rng.uniform(0.1, 0.3, (n, 2)).tolist(),
        }
    if kind == "level_judge":
        n_levels, n_answers = len(counts.retrieval_levels), len(counts.judges[0].answers)
        apart = np.linspace(0, 1, n_levels)[:, None] - np.linspace(0, 1, n_answers)
        mean = np.exp(-np.abs(apart)) / np.exp(-np.abs(apart)).sum(axis=1, keepdims=True)
        return {"given": [[rng.dirichlet(20 * p).tolist() for p in mean] for _ in range(n)]}
    rising = np.arange(1.0, len(counts.judges[0].answers) + 1)
    levels = rng.dirichlet(20 * rising / rising.sum(), n)
    return {"given_1": levels.tolist(), "given_0": levels[:, ::-1].tolist()}


def _pooled_start(counts: PatternCounts, rng: np.random.Generator) -> dict[str, Any]:
    """Systems that are all the same, with good judges."""
    g, j = counts.n_groups, len(counts.judges)
    bounds = [(0.3, 0.7)] * 5 + [(0.7, 0.9)] * j + [(0.1, 0.3)] * j
    return {
        "typical": [rng.uniform(*ends) for ends in bounds],
        "tau": rng.uniform(0.2, 0.6, 5 + 2 * j).tolist(),
        "z": rng.uniform(-0.2, 0.2, (g, 5)).tolist(),
        "place": rng.uniform(0.4, 0.6, (g, 2 * j)).tolist(),
    }


def pooled_keys(counts: PatternCounts) -> dict[str, tuple[str, ...]]:
    """Variable of the pooled program -> keys of its entries, in its order, in a stored point."""
    keys = judge_keys(counts.judges)
    tree = worlds_of(counts.retrieval_levels).parameters
    rates = tuple(f"{rate}[{key}]" for rate in ("tpr", "fpr") for key in keys)
    names = [str(group[0]) for group in counts.groups]
    return {
        "typical": tuple(f"typical {name}" for name in (*tree, *rates)),
        "tau": tuple(f"tau {name}" for name in (*tree, *rates)),
        "z": tuple(f"{g}: z {name}" for g in names for name in tree),
        "place": tuple(f"{g}: place {name}" for g in names for name in rates),
    }


def _pooled_log_density(model: Any, counts: PatternCounts, point: Mapping[str, float]) -> float:
    at: dict[str, Any] = {
        name: np.array([point[key] for key in keys]) for name, keys in pooled_keys(counts).items()
    }
    at |= {name: at[name].reshape(counts.n_groups, -1) for name in ("z", "place")}
    values = {name: value.tolist() for name, value in at.items()}
    return float(model.log_prob(model.unconstrain_pars(values), adjust_transform=False))


def log_density(program: str, case: Case, point: Mapping[str, float]) -> float:
    """Log of prior times likelihood at a point given by our keys, normalised priors included.

    The density is that of the variables of the program; a simplex counts without its last entry.
    """
    if program.startswith("pooled"):
        return _pooled_log_density(build(program, case), case.counts, point)
    sites = _sites(program)
    values: dict[str, dict[tuple[int, ...], float]] = {}
    for key, (variable, index) in place_of(program, case.counts).items():
        if variable in sites:
            values.setdefault(variable, {})[index] = point[key]
    model = build(program, case)
    if kind_of(program) in ("graded", *KINDS):
        whole = _start(program, case, chain=0, seed=1)
        at = {site: _filled(whole[site], values.get(site, {})) for site in sites}
        return float(model.log_prob(model.unconstrain_pars(at), adjust_transform=False))
    # Parameters in the order of the program; within each the last index runs fastest.
    flat = np.array([v for site in sites for _, v in sorted(values.get(site, {}).items())])
    logits = (np.log(flat) - np.log1p(-flat)).tolist()
    return float(model.log_prob(logits, adjust_transform=False))


def _filled(whole: Any, values: Mapping[tuple[int, ...], float]) -> Any:
    """A variable as a number or nested lists, with these entries, by their indices."""
    array = np.array(whole, dtype=float)
    for index, value in values.items():
        array[index] = value
    return array.tolist()


def parameter_keys(counts: PatternCounts) -> tuple[str, ...]:
    """Our keys of everything that has a prior, group by group."""
    kind = verdict_kind(counts)
    if kind is not None:
        program = programs_of(kind)[0]
        places = place_of(program, counts)
        return tuple(key for key, place in places.items() if place.variable in _sites(program))
    names = (
        *worlds_of(counts.retrieval_levels).branches,
        *(f"{rate}[{key}]" for rate in ("tpr", "fpr") for key in judge_keys(counts.judges)),
    )
    if counts.n_groups == 1:
        return names
    return tuple(f"{group[0]}: {name}" for group in counts.groups for name in names)


def _elapsed(output: bytes, phase: str) -> float:
    """Seconds of one chain, from the lines that Stan itself writes."""
    mark = f"seconds ({phase})".encode()
    lines = [line for line in output.splitlines() if mark in line]
    found = _SECONDS.search(lines[-1].decode("utf-8")) if lines else None
    return float(found[1]) if found else float("nan")


@contextmanager
def _quiet() -> Iterator[None]:
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        yield
