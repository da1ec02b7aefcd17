"""Simulation-based calibration of partial pooling: pass or fail.

Typical values, spreads and the systems' own probabilities are drawn from the prior (rates of the
judge Cauchy about their typical value, the tree's normal), then four systems of 40 rows that people
labelled and 100 with A and verdicts of a judge of T, then the model is fitted. If it draws from
the posterior, the rank of what was drawn among the posterior's draws is uniform (Talts et al.
2018). Ranks are taken among 63 draws that lie far apart, put into eight bins, and tested by
chi-square, for each probability over systems and for each typical value and spread.

The same with a prior of spreads four times as wide as the one that was drawn from must be noticed.

``RAT_BENCH_TABLES`` sets the number of tables (100).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pandas as pd
from judge_scores import save
from scipy.stats import chisquare

from rat_widgets.fitting import fit
from rat_widgets.inference import pooled
from rat_widgets.labels.judges import Judge

N_SYSTEMS: Final = 4
N_HUMAN: Final = 40
N_ONLY: Final = 100
N_RANKS: Final = 63
N_BINS: Final = 8
JUDGE: Final = Judge("jT", of="task", share="partial")
TAUS: Final = {"as drawn": 1.0, "four times as wide": 4.0}


def rows() -> list[dict[str, Any]]:
    """Least p-value, times the number of tests; below 0.01 is a failure."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "100"))
    found, details = [], {}
    usual = pooled.TAU_SCALE
    for name, scale in TAUS.items():
        try:
            pooled.TAU_SCALE = scale
            ranks = [_ranks(number) for number in range(n_tables)]
        finally:
            pooled.TAU_SCALE = usual
        p_values = dict(_tested(ranks))
        details[name] = {key: float(f"{p:.3g}") for key, p in p_values.items()}
        least = min(p_values, key=lambda key: p_values[key])
        found.append(
            {
                "name": f"pooled, prior of spreads {name}: {len(p_values)} tests of {n_tables} "
                f"tables, least {least}",
                "value": min(1.0, len(p_values) * p_values[least]),
                "unit": "p by Bonferroni",
            }
        )
    save("pooled_calibration", {"n_tables": n_tables, "p_values": details}, {})
    return found


def _ranks(number: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng([63, number])
    names = ("theta",) * 5 + ("rate",) * 2
    typical = rng.random(len(names))
    tau = np.abs(rng.standard_normal(len(names)))
    z = rng.standard_normal((N_SYSTEMS, len(names)))
    z[:, 5:] = rng.standard_cauchy((N_SYSTEMS, 2))
    logits = np.log(typical) - np.log1p(-typical) + tau * z
    p = 1 / (1 + np.exp(-np.clip(logits, -700, 700)))
    frame = pd.concat([_system(p[g], rng).assign(system=g) for g in range(N_SYSTEMS)])
    posts = fit(frame, judges=[JUDGE], by="system", seed=number, draws=2000)
    one = posts.members[0].draws
    keys = one.priors.names
    found: dict[str, list[float]] = {}
    for g, post in enumerate(posts.members):
        every = np.concatenate([post.draws.theta, post.draws.rates], axis=-1)
        for k, key in enumerate(keys):
            found.setdefault(key, []).append(_rank(every[..., k], p[g, k]))
    for k, key in enumerate(one.pooling.names):
        found[f"typical {key}"] = [_rank(one.pooling.mu[..., k], _logit(typical[k]))]
        found[f"tau {key}"] = [_rank(one.pooling.tau[..., k], tau[k])]
    return {key: np.array(value) for key, value in found.items()}


def _logit(p: float) -> float:
    return float(np.log(p) - np.log1p(-p))


def _rank(draws: np.ndarray, truth: float) -> float:
    flat = draws.reshape(-1)
    kept = flat[np.linspace(0, len(flat) - 1, N_RANKS).astype(int)]
    return float((kept < truth).sum())


def _tested(ranks: list[dict[str, np.ndarray]]) -> Iterator[tuple[str, float]]:
    for key in ranks[0]:
        every = np.concatenate([one[key] for one in ranks])
        counts = np.bincount((every * N_BINS // (N_RANKS + 1)).astype(int), minlength=N_BINS)
        yield key, float(chisquare(counts).pvalue)


def _system(p: np.ndarray, rng: np.random.Generator) -> pd.DataFrame:
    n = N_HUMAN + N_ONLY
    hit = rng.random(n) < p[0]
    abstained = rng.random(n) < np.where(hit, p[2], p[1])
    right = (rng.random(n) < np.where(hit, p[4], p[3])) & ~abstained
    frame = pd.DataFrame({"R": hit, "A": abstained, "T": right}).astype(float)
    frame["jT"] = (rng.random(n) < np.where(right, p[5], p[6])).astype(float)
    frame.loc[N_HUMAN:, ["R", "T"]] = np.nan
    return frame
