"""R never seen, judges or none: P(T) still has an answer, in every table, with its coverage."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets.inference.engine import sample
from rat_widgets.labels.judges import Judge
from rat_widgets.model.worlds import RIGHT, world_probabilities

N_TABLES = 60
JR, JT = (Judge(f"j{of[0].upper()}", of=of, share="group") for of in ("retrieval", "task"))
CELLS = {
    "no judges": (),
    "a judge of T": ((JT, 0.9, 0.15),),
    "a judge of R": ((JR, 0.95, 0.5),),
    "both": ((JR, 0.9, 0.3), (JT, 0.85, 0.2)),
}


@pytest.mark.parametrize("n", [30, 300])
@pytest.mark.parametrize("cell", CELLS)
def test_task_success_is_answered_without_any_label_of_r(qwen, cell, n):
    """T by people on 30 or 300 rows, verdicts on as many more; 60 tables at once."""
    rates = CELLS[cell]
    tables = []
    for seed in range(N_TABLES):
        table = rat.simulate(qwen, n, "judge_only", n0=n, judges=list(rates), seed=seed)
        tables.append(table.assign(R=None, table=seed))
    counts = rat.Labels.from_frame(
        pd.concat(tables), judges=[judge for judge, _, _ in rates], by="table"
    ).counts
    truth = float(world_probabilities(qwen.as_array()) @ RIGHT)
    covered, widths = 0, []
    for draws in sample(counts, draws=800, seed=1):
        worlds = world_probabilities(draws.theta)
        assert np.isfinite(worlds).all()
        low, high = np.quantile(worlds @ RIGHT, (0.025, 0.975))
        covered += low <= truth <= high
        widths.append(high - low)
        assert "not_identified" in draws.diagnosis.codes
        assert cell == "a judge of T" or not draws.diagnosis.ok
    share = covered / N_TABLES
    # Three and a half standard errors of a coverage of 0.95 over 60 tables.
    assert share >= 0.95 - 3.5 * np.sqrt(0.95 * 0.05 / N_TABLES)
    assert max(widths) < 0.6


def test_what_hits_and_misses_share_is_as_likely_the_one_as_the_other():
    """Nothing tells hits from misses, so P(R) is as likely p as 1 - p: no modes, no leaning.

    A ridge on which every start ends elsewhere is one answer, and not several. 3,548 answers with
    verdicts of GPT-4, of which people judged 213.
    """
    df = rat.datasets.load("openqa_nq301")
    seen = np.random.default_rng(0).random(len(df)) < 0.06
    judge = Judge("T_gpt4", of="task")
    few = df.assign(T=df["T"].where(seen))
    counts = rat.Labels.from_frame(few, retrieval=None, judges=[judge]).counts
    above, middle, n_effective = [], [], 0.0
    for seed in range(8):
        (draws,) = sample(counts, engine="hmc", seed=seed)
        assert "several_modes" not in {m.code for m in draws.diagnosis.messages}
        p = draws.theta[..., 0]
        above.append((p > 0.9).mean() - (p < 0.1).mean())
        middle.append(p.mean() - 0.5)
        n_effective += draws.diagnosis.ess_bulk["retrieval_success"]
    # P(R) is spread at most as far as two points at 0 and 1, and so is which tail it is in.
    assert abs(np.mean(middle)) < 4.5 * 0.5 / np.sqrt(n_effective)
    assert abs(np.mean(above)) < 4.5 * 1.0 / np.sqrt(n_effective)


def test_mirror_images_are_no_ridge(qwen):
    """Three judges of R that no person checked: two solutions, and no way between them."""
    judges = [Judge(f"j{i}", of="retrieval") for i in range(3)]
    table = rat.simulate(
        qwen, 3000, "judge_only", n0=0, judges=[(judge, 0.9, 0.2) for judge in judges], seed=1
    )
    (draws,) = sample(rat.Labels.from_frame(table, judges=judges).counts, engine="hmc", seed=1)
    assert "several_modes" in {m.code for m in draws.diagnosis.messages}
