from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import rat_widgets as rat


@pytest.fixture(scope="session")
def frame() -> pd.DataFrame:
    """600 rows of the reference point `qwen`, a fifth of the T labels missing."""
    theta = rat.Theta(
        retrieval_success=0.2078,
        abstain_given_miss=0.4632,
        abstain_given_hit=0.0360,
        correct_given_miss=0.4447,
        correct_given_hit=0.6809,
    )
    frame = rat.simulate(theta, n=600, seed=11)
    hidden = np.random.default_rng(5).random(len(frame)) < 0.2
    frame["T"] = frame["T"].mask(hidden)
    frame["system"] = np.where(np.arange(len(frame)) % 3 == 0, "a", "b")
    frame["size"] = np.arange(len(frame)) % 2
    return frame


@pytest.fixture(scope="session")
def post(frame):
    return rat.fit(frame, seed=3)


@pytest.fixture(scope="session")
def posts(frame):
    return rat.fit(frame, by=["system", "size"], seed=3)
