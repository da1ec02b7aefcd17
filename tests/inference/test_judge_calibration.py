"""Simulation-based calibration of judges that have more to them than TPR and FPR.

As in `test_calibration`: truths come from the prior and a data set from each; the rank of the
truth among 9 nearly independent draws is then uniform on 0 to 9 (Talts et al. 2018). Verdicts
are simulated here by the names of the rates, without the library's listing of splits.
"""

from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import pytest

from rat_widgets.inference import sample
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.priors import Priors

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("without_shape_checks")]

N_DATA_SETS = {"graded": 40, "task by retrieval": 160, "retrieval by task": 80, "saturated": 30}
N_ROWS = 24
N_RANKS = 10
THIN = 16
# Chi-squared with 9 degrees of freedom is above this once in 10,000 times, twice where 30 data
# sets leave 3 a rank. A run has at most nineteen quantities, so a right engine fails at most four
# runs in a thousand.
WORST = 33.7


@dataclass
class Row:
    """One query: R, A and T as 0 and 1, T=0 where the system declined."""

    r: int
    a: int
    t: int


def graded(row, p, rng, _):
    """Levels 3, 2, 1 are each taken or not, from the top down."""
    for level in (3, 2, 1):
        if rng.random() < p[f"split_{level}_given_{row.r}[g]"]:
            return level
    return 0


def lenient_after_a_miss(row, p, rng, _):
    kind = "tpr" if row.t else "fpr"
    return int(rng.random() < p[f"{kind}_given_{'hit' if row.r else 'miss'}[d]"])


def led_by_the_answer(row, p, rng, _):
    kind = "tpr" if row.r else "fpr"
    return int(rng.random() < p[f"{kind}_given_{'right' if row.t else 'not_right'}[d]"])


def first(row, p, rng, _):
    world = f"{'hit' if row.r else 'miss'}_{'right' if row.t else 'wrong'}"
    return int(rng.random() < p[f"pass_given_{world}[a]"])


def second(row, p, rng, before):
    world = f"{'hit' if row.r else 'miss'}_{'right' if row.t else 'wrong'}"
    return int(rng.random() < p[f"pass_given_{world}_after_{before[0]}[b]"])


PAIR = tuple(Judge(n, of="task", dependence="saturated", share="group") for n in "ab")
CASES = {
    "graded": (
        (Judge("g", of="retrieval", levels=(0, 1, 2, 3), share="group"),),
        (graded,),
        {"split_3_given_1[g]": (4, 2)},
    ),
    "task by retrieval": (
        (Judge("d", of="task", depends_on="retrieval", share="group"),),
        (lenient_after_a_miss,),
        {"tpr_given_hit[d]": (6, 2)},
    ),
    "retrieval by task": (
        (Judge("d", of="retrieval", depends_on="task", share="group"),),
        (led_by_the_answer,),
        {"fpr_given_not_right[d]": (6, 2)},
    ),
    "saturated": (PAIR, (first, second), {"pass_given_hit_right_after_1[b]": (12, 2)}),
}


def data_set(rng, judges, speak, p):
    """R, A and T each missing on a part of the rows, and the last ones without R and T.

    What is missing depends on nothing. Judges of T judge an abstention as a wrong answer. Of a
    pair of judges T alone and the first one's verdict are missing, which is enough for sums over
    what was hidden and quicker to fit.
    """
    labels = np.full((N_ROWS, 4 + len(judges)), -1, dtype=np.int8)
    for i in range(N_ROWS):
        r = int(rng.random() < p["retrieval_success"])
        place = "hit" if r else "miss"
        a = int(rng.random() < p[f"abstain_given_{place}"])
        t = int(not a and rng.random() < p[f"correct_given_{place}"])
        labels[i, :3] = r, a, t
        for j, say in enumerate(speak):
            labels[i, 4 + j] = say(Row(r, a, t), p, rng, labels[i, 4:])
    if len(judges) > 1:  # R and A seen; the later verdict also without the earlier one
        labels[rng.random(N_ROWS) < 0.4, 2] = -1
        labels[rng.random(N_ROWS) < 0.2, 4] = -1
    else:
        labels[N_ROWS * 5 // 8 :, [0, 2]] = -1
        labels[:, :3][rng.random((N_ROWS, 3)) < 0.3] = -1
    return labels


def unevenness(name, *, believed=None, seed=0):
    """Chi-squared of the ranks of every rate, of theta, P(G) and P(T); all fitted in one call."""
    judges, speak, _ = CASES[name]
    n, rng = N_DATA_SETS[name], np.random.default_rng(seed)
    prior = Priors.from_spec(None, judges)
    if len(judges) > 1:  # priors that lean on 0 and 1 are right and slow: quicker ones
        rates = [rate for rate in prior.names if rate.startswith("pass_")]
        prior = Priors.from_spec(dict.fromkeys(rates, (2, 2)), judges)
    believed = prior.to_dict() | (believed or {})
    truths = rng.beta(*prior.as_array().T, size=(n, len(prior.names)))
    named = [dict(zip(prior.names, p, strict=True)) for p in truths]
    every = PatternCounts(
        by=("data set",),
        groups=tuple((f"{i:04d}",) for i in range(n)),
        judges=judges,
        patterns=np.concatenate([data_set(rng, judges, speak, p) for p in named]),
        counts=np.repeat(np.eye(n, dtype=np.int64), N_ROWS, axis=1),
    )
    fits = sample(every, believed, engine="hmc", draws=(N_RANKS - 1) * THIN, chains=4, seed=seed)
    counted = defaultdict(lambda: np.zeros(N_RANKS))
    for draws, p in zip(fits, named, strict=True):
        found = np.concatenate([draws.theta, draws.rates], axis=-1).reshape(-1, len(p))[::THIN]
        assert len(found) == N_RANKS - 1
        fitted = quantities(dict(zip(draws.priors.names, found.T, strict=True)))
        for key, truth in quantities(p).items():
            counted[key][(fitted[key] < truth).sum()] += 1
    expected = n / N_RANKS
    return {key: ((c - expected) ** 2 / expected).sum() for key, c in counted.items()}


def quantities(p):
    """The parameters, then P(G) and P(T)."""
    r = p["retrieval_success"]
    declined = (1 - r) * p["abstain_given_miss"]
    right_miss = (1 - r) * (1 - p["abstain_given_miss"]) * p["correct_given_miss"]
    right_hit = r * (1 - p["abstain_given_hit"]) * p["correct_given_hit"]
    return {**p, "P(G)": declined + right_hit, "P(T)": right_miss + right_hit}


@pytest.mark.parametrize("name", CASES)
def test_ranks_of_the_truth_are_uniform(name):
    found = unevenness(name)
    assert max(found.values()) < WORST, found


@pytest.mark.parametrize("name", CASES)
def test_a_wrong_prior_of_one_rate_is_noticed_at_that_rate(name):
    wrong = CASES[name][2]
    found = unevenness(name, believed=wrong)
    (rate,) = wrong
    assert found[rate] > WORST


def test_levels_upside_down_are_noticed(monkeypatch):
    """A judge whose answers are counted from the wrong end."""
    judges, _, wrong = CASES["graded"]
    turned = (lambda *args: 3 - graded(*args),)
    monkeypatch.setitem(CASES, "graded", (judges, turned, wrong))
    assert max(unevenness("graded").values()) > WORST


def test_a_judge_who_looks_at_the_other_case_is_noticed(monkeypatch):
    """Rates of hits taken on misses, and the other way round."""
    judges, _, wrong = CASES["task by retrieval"]
    turned = (lambda row, *rest: lenient_after_a_miss(Row(1 - row.r, row.a, row.t), *rest),)
    monkeypatch.setitem(CASES, "task by retrieval", (judges, turned, wrong))
    assert max(unevenness("task by retrieval").values()) > WORST
