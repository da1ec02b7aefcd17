"""Which judges are named where some of several err together, or one leans on something."""

from __future__ import annotations

import numpy as np
import pytest

import rat_widgets as rat

from .judged_frames import THETA

N_TABLES = 24


def frame_of(seed, *, copies, others=0, copied=0.85, lenient=0.0, n=1000, n_human=100):
    """So many judges that copy one that is not shown, and so many that do not.

    The first of these passes more wrong answers after a miss.
    """
    rng = np.random.default_rng([seed, 7])
    frame = rat.simulate(THETA, n=n, seed=seed).astype(float)
    r, t = frame["R"].to_numpy(), frame["T"].fillna(0).to_numpy()
    passes = np.where(t == 1, 0.88, 0.12)
    hidden = rng.random(n) < passes
    for k in range(copies):
        own = rng.random(n) < passes
        frame[f"c{k}"] = np.where(rng.random(n) < copied, hidden, own).astype(float)
    for k in range(others):
        more = lenient * (k == 0) * (r == 0) * (t == 0)
        frame[f"x{k}"] = (rng.random(n) < passes + more).astype(float)
    frame.loc[n_human:, ["R", "T"]] = np.nan
    return frame


def found_in(frame):
    """Judges of each finding, and its cure."""
    columns = [c for c in frame if c not in ("R", "A", "T")]
    post = rat.fit(frame, judges=[rat.Judge(c, of="task") for c in columns], draws=64)
    return [(one.judges, *one.cure.items()) for one in post.judge_findings]


@pytest.mark.parametrize(
    ("copies", "others", "least"),
    # Shares of bench/judge_naming.py less three errors: 0.85, 0.90 and 0.74.
    [(2, 1, 15), (2, 3, 17), (3, 2, 11)],
)
def test_of_several_judges_those_are_named_that_copy(copies, others, least) -> None:
    tables = [frame_of(seed, copies=copies, others=others) for seed in range(N_TABLES)]
    right = [((*(f"c{k}" for k in range(copies)),), ("dependence", "saturated"))]
    assert sum(found_in(table) == right for table in tables) >= least


def test_where_all_err_together_a_little_all_are_named() -> None:
    tables = [frame_of(seed, copies=5, copied=0.5) for seed in range(10)]
    right = [(("c0", "c1", "c2", "c3", "c4"), ("dependence", "saturated"))]
    assert sum(found_in(table) == right for table in tables) >= 9


def test_a_judge_that_leans_on_something_is_named_beside_two_that_copy() -> None:
    tables = [frame_of(seed, copies=2, others=2, lenient=0.7, n_human=300) for seed in range(10)]
    right = {
        (("c0", "c1"), ("dependence", "saturated")),
        (("x0",), ("depends_on", "retrieval")),
    }
    assert sum(set(found_in(table)) == right for table in tables) >= 7
