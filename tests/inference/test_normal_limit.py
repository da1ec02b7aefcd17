"""Ten million rows: what the engines give is the normal limit, worked out here on its own.

The counts are those that a point of the parameter space makes expected, so the posterior is at
that point, and its covariance is the inverse of the Fisher information: patterns weighted by
their probability, times the outer product of their scores.
"""

from itertools import product

import numpy as np
import pytest

from rat_widgets.inference import ess_bulk, mcse_mean, sample
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge

N_ROWS = 10_000_000
QWEN = np.array([0.2078, 0.4632, 0.0360, 0.4447, 0.6809])
RATES = np.array([0.9, 0.85, 0.3, 0.2])
JUDGES = (Judge("jR", of="retrieval"), Judge("jT", of="task"))
WORLDS = [(0, 1, 0), (1, 1, 0), (0, 0, 0), (0, 0, 1), (1, 0, 0), (1, 0, 1)]

# Shares of the rows by what they show of (R, A, T) and whether they are judged.
DESIGNS = {
    "complete": {((0, 1, 2), False): 1.0},
    "R missing on half": {((0, 1, 2), False): 0.5, ((1, 2), False): 0.5},
    "R or T missing": {((0, 1, 2), False): 0.2, ((1, 2), False): 0.4, ((0, 1), False): 0.4},
    "two judges": {((0, 1, 2), True): 0.5, ((1,), True): 0.5},
}


def pattern_probabilities(design, p):
    """Probability of every pattern that the design can show; the worlds and verdicts by hand."""
    r, a, t = p[0], p[1:3], p[3:5]
    found = {}
    for (seen, is_judged), share in DESIGNS[design].items():
        verdicts = list(product((0, 1), repeat=2)) if is_judged else [(-1, -1)]
        for (hit, declined, right), (j, k) in product(WORLDS, verdicts):
            chance = share * (r if hit else 1 - r) * (a[hit] if declined else 1 - a[hit])
            if not declined:
                chance *= t[hit] if right else 1 - t[hit]
            if is_judged:
                yes = p[5] if hit else p[7]
                chance *= yes if j else 1 - yes
                # No answer to judge: both verdicts are one pattern.
                yes = p[6] if right else p[8]
                chance *= 0.5 if declined else yes if k else 1 - yes
            shown = [x if i in seen else -1 for i, x in enumerate((hit, declined, right))]
            if declined:
                shown[2] = -1
            verdict = (j, -1 if declined else k) if design == "two judges" else ()
            key = (*shown, -1, *verdict)
            found[key] = found.get(key, 0.0) + chance
    return found


def normal_limit(design, p):
    """Standard deviations of the parameters at `N_ROWS` rows."""
    here = pattern_probabilities(design, p)
    probability, step = np.array(list(here.values())), 1e-6
    scores = []
    for k in range(len(p)):
        away = np.zeros(len(p))
        away[k] = step
        up, down = (
            np.array([*pattern_probabilities(design, x).values()]) for x in (p + away, p - away)
        )
        scores.append((up - down) / (2 * step) / probability)
    information = N_ROWS * np.array(scores) * probability @ np.array(scores).T
    return np.sqrt(np.diag(np.linalg.inv(information)))


@pytest.mark.parametrize(
    ("engine", "design"),
    [("exact", design) for design in DESIGNS if design != "two judges"]
    + [("hmc", design) for design in DESIGNS]
    + [("laplace", "two judges")],
)
def test_ten_million_rows_give_the_normal_limit(engine, design):
    is_judged = design == "two judges"
    p = np.concatenate([QWEN, RATES]) if is_judged else QWEN
    patterns = pattern_probabilities(design, p)
    assert sum(patterns.values()) == pytest.approx(1)
    counts = PatternCounts(
        judges=JUDGES if is_judged else (),
        patterns=np.array(list(patterns), dtype=np.int8),
        counts=np.rint(N_ROWS * np.array([list(patterns.values())])).astype(np.int64),
    )
    (draws,) = sample(counts, engine=engine, draws=16_000, seed=1)
    drawn = np.concatenate([draws.theta, draws.tpr, draws.fpr], axis=-1)
    limit = normal_limit(design, p)
    if engine != "laplace":
        assert max(draws.diagnosis.r_hat.values()) < 1.01
    # Flat priors and whole rows move the posterior by about one row in so many: 1 / sqrt(rows)
    # standard deviations, below 0.01 for the rarest kind of row.
    off = np.abs(drawn.mean(axis=(0, 1)) - p)
    assert (off < 4.5 * mcse_mean(drawn) + 0.02 * limit).all(), off / limit
    ratio = drawn.std(axis=(0, 1)) / limit
    worth = ess_bulk(np.abs(drawn - p)) if engine != "exact" else np.full(len(p), 8_000.0)
    assert (np.abs(ratio - 1) < 4.5 / np.sqrt(2 * worth) + 0.002).all(), ratio
