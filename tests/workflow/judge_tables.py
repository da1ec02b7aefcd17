"""Tables with verdicts, simulated: a lenient judge of R and one of T over few human labels."""

from __future__ import annotations

import numpy as np
import pandas as pd

import rat_widgets as rat

QWEN = rat.Theta.from_array([0.2078, 0.4632, 0.0360, 0.4447, 0.6809])
OF_R = rat.Judge("jR", of="retrieval", name="lenient")
OF_T = rat.Judge("jT", of="task", name="strict")
JUDGES = [OF_R, OF_T]


def judged_table(
    n: int = 600,
    n_human: int = 120,
    *,
    of_r: tuple[float, float] = (0.93, 0.27),
    of_t: tuple[float, float] = (0.86, 0.16),
    seed: int = 1,
) -> pd.DataFrame:
    """Rows with R, A and T by people on the first `n_human`, A and both verdicts on all.

    `of_r` and `of_t` are the judges' TPR and FPR.
    """
    table = rat.simulate(QWEN, n=n, seed=seed)
    rng = np.random.default_rng(seed + 1_000)
    hit = table["R"].to_numpy(dtype=float) == 1
    right = table["T"].fillna(0).to_numpy(dtype=float) == 1
    frame = pd.DataFrame(
        {
            "R": hit.astype(float),
            "A": table["A"].to_numpy(dtype=float),
            "T": np.where(table["A"] == 1, np.nan, right),
            "jR": (rng.random(n) < np.where(hit, *of_r)).astype(float),
            "jT": np.where(table["A"] == 1, np.nan, rng.random(n) < np.where(right, *of_t)),
            "question": [f"secret question {i}" for i in range(n)],
        }
    )
    frame.loc[n_human:, ["R", "T"]] = np.nan
    return frame
