"""Golden tables: what the engine `exact` says today is what the browser's engine is held to."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rat_widgets.derived.policy import Policy
from rat_widgets.derived.posterior import Posterior
from rat_widgets.inference.engine import sample
from rat_widgets.inference.exact import exact_mean_worlds
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors
from rat_widgets.model.worlds import WORLDS

CASES = json.loads((Path(__file__).parents[1] / "golden" / "engine.json").read_text("utf-8"))[
    "cases"
]
BY_NAME = {case["name"]: case for case in CASES}


def _table(case):
    patterns = [tuple(pattern) for pattern in case["patterns"]]
    return PatternCounts.from_patterns(patterns, case["counts"])


@pytest.mark.parametrize("name", BY_NAME)
def test_another_seed_of_the_exact_engine_gives_the_golden_numbers(name):
    case = BY_NAME[name]
    prior = {key: tuple(beta) for key, beta in case["priors"].items()}
    n = 40_000
    (draws,) = sample(_table(case), prior, engine="exact", draws=n, seed=99)
    posterior = Posterior(draws=draws, policy=Policy.from_spec(case["policy"])).pin(case["pins"])
    for key, (mean, sd, lower, upper) in case["mean_sd_lower_upper"].items():
        x = posterior[key].reshape(-1)
        # Weighted draws of the reversed parametrisation are worth about two thirds of their number.
        assert x.mean() == pytest.approx(mean, abs=4 * sd / np.sqrt(0.6 * n) + 1e-6), key
        ends = np.quantile(x, (0.025, 0.975))
        assert ends == pytest.approx((lower, upper), abs=0.025 * (upper - lower) + 1e-6), key


@pytest.mark.parametrize("name", [name for name, case in BY_NAME.items() if not case["pins"]])
def test_golden_means_are_those_of_the_sum_over_latent_tables(name):
    case = BY_NAME[name]
    prior = {key: tuple(beta) for key, beta in case["priors"].items()}
    worlds = dict(
        zip(WORLDS, exact_mean_worlds(_table(case), Priors.from_spec(prior, ())), strict=True)
    )
    golden = case["mean_sd_lower_upper"]
    exact = {
        "retrieval_success": sum(p for w, p in worlds.items() if w.startswith("hit")),
        "abstention": worlds["miss_abstained"] + worlds["hit_abstained"],
        "task_success": worlds["miss_right"] + worlds["hit_right"],
        "policy_adherence": worlds["miss_abstained"] + worlds["hit_right"],
    }
    for key, value in exact.items():
        mean, sd, _, _ = golden[key]
        assert mean == pytest.approx(value, abs=4 * sd / np.sqrt(200_000) + 1e-6), key


def test_the_all_t_tables_are_wide_as_published():
    """P(G) 0.55 wide at 300 to 1,000 rows of `qwen` where no row shows R."""
    _, _, lower, upper = BY_NAME["nothing_joint, 300 rows"]["mean_sd_lower_upper"][
        "policy_adherence"
    ]
    assert upper - lower == pytest.approx(0.55, abs=0.03)
