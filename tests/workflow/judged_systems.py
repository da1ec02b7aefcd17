"""Systems that two judges have judged, one of which may be another judge for some."""

from __future__ import annotations

import numpy as np
import pandas as pd

import rat_widgets as rat

THETA = rat.Theta.from_array([0.42, 0.30, 0.06, 0.35, 0.80])
SYSTEMS = ("a", "b", "c", "own")
JUDGES = [rat.Judge("j", of="task"), rat.Judge("k", of="retrieval")]


def judged_systems(fpr: dict[str, float], *, n: int = 400, n_human: int = 150) -> pd.DataFrame:
    """Systems that judges "j" and "k" have judged, with the FPR that "j" has for each."""
    frames = []
    for i, (name, wrong) in enumerate(fpr.items()):
        frame = rat.simulate(THETA, n=n, seed=40 + i).astype(float)
        rng = np.random.default_rng([i, 7])
        right = frame["T"].fillna(0) == 1
        frame["j"] = (rng.random(n) < np.where(right, 0.9, wrong)).astype(float)
        frame["k"] = (rng.random(n) < np.where(frame["R"] == 1, 0.9, 0.1)).astype(float)
        frame.loc[n_human:, ["R", "T"]] = np.nan
        frames.append(frame.assign(system=name))
    return pd.concat(frames, ignore_index=True)
