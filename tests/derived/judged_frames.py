"""Tables with a judge of R and two of T, for the checks of judges' errors."""

from __future__ import annotations

import numpy as np

import rat_widgets as rat

THETA = rat.Theta(
    retrieval_success=0.5,
    abstain_given_miss=0.4,
    abstain_given_hit=0.1,
    correct_given_miss=0.35,
    correct_given_hit=0.7,
)
JUDGES = [rat.Judge("jR", of="retrieval"), rat.Judge("jT", of="task", name="mini")]


def judged_frame(seed=0, *, n_human=200, n_only=800, after_miss=0.0, copied=0.0):
    """Of wrong answers after a miss more pass; `jT2` copies a share of the verdicts of `jT`."""
    rng = np.random.default_rng([seed, 1])
    frame = rat.simulate(THETA, n=n_human + n_only, seed=seed).astype(float)
    r, t = frame["R"].to_numpy(), frame["T"].fillna(0).to_numpy()
    passes = np.where(t == 1, 0.9, 0.1 + after_miss * (r == 0))
    frame["jR"] = (rng.random(len(frame)) < np.where(r == 1, 0.9, 0.1)).astype(float)
    frame["jT"] = (rng.random(len(frame)) < passes).astype(float)
    other = (rng.random(len(frame)) < passes).astype(float)
    frame["jT2"] = np.where(rng.random(len(frame)) < copied, frame["jT"], other)
    frame.loc[n_human:, ["R", "T"]] = np.nan
    return frame


def message_of(post, code):
    """The message of this code in a diagnosis."""
    return next(m for m in post.diagnosis.messages if m.code == code)
