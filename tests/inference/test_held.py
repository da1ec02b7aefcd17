"""Rates of judges that are taken as given: the fit conditions on them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rat_widgets.errors import ArgumentError, EngineError
from rat_widgets.inference.convergence import mcse_mean
from rat_widgets.inference.engine import sample
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.priors import Priors
from rat_widgets.model.simulated_tables import simulate
from rat_widgets.model.theta import Theta

JUDGE = Judge("j", of="retrieval")
VERDICTS = PatternCounts.from_patterns(
    [[-1, -1, -1, -1, 1], [-1, -1, -1, -1, 0]], [420, 580], judges=[JUDGE]
)


def _flat(counts: PatternCounts) -> Priors:
    return Priors.flat(counts.judges)


def _both(tpr: float, fpr: float) -> Priors:
    return _flat(VERDICTS).holding({"tpr[j]": tpr, "fpr[j]": fpr})


@settings(max_examples=15, deadline=None)
@given(tpr=st.floats(0.5, 1.0), fpr=st.floats(0.0, 0.4))
def test_verdicts_alone_give_the_prevalence_when_both_rates_are_held(
    tpr: float, fpr: float
) -> None:
    """Against the posterior on a grid: p = theta TPR + (1 - theta) FPR, 420 of 1,000 pass."""
    (draws,) = sample(VERDICTS, _both(tpr, fpr), draws=4000, seed=1)
    theta = np.linspace(0.00005, 0.99995, 10_000)
    p = np.clip(theta * tpr + (1 - theta) * fpr, 1e-12, 1 - 1e-12)
    log_density = 420 * np.log(p) + 580 * np.log(1 - p)
    weight = np.exp(log_density - log_density.max())
    mean = (theta * weight).sum() / weight.sum()
    sd = np.sqrt(((theta - mean) ** 2 * weight).sum() / weight.sum())
    drawn = draws.theta[..., 0]
    assert abs(drawn.mean() - mean) < 4 * mcse_mean(drawn) + 1e-4
    assert drawn.std() == pytest.approx(sd, rel=0.1)
    assert (draws.rates == (tpr, fpr)).all()
    assert draws.diagnosis.ok or "prior_only" in draws.diagnosis.codes


def test_held_rates_are_the_limit_of_firm_priors() -> None:
    theta = Theta(
        retrieval_success=0.3,
        abstain_given_miss=0.4,
        abstain_given_hit=0.1,
        correct_given_miss=0.3,
        correct_given_hit=0.8,
    )
    table = simulate(theta, n=400, seed=3)
    rng = np.random.default_rng(4)
    rows = table[["R", "A", "T"]].fillna(-1).to_numpy(dtype=int)
    verdict = np.where(rng.random(400) < np.where(rows[:, 0] == 1, 0.9, 0.3), 1, 0)
    rows[150:, [0, 2]] = -1
    patterns = np.column_stack([rows, np.full(400, -1), verdict]).tolist()
    counts = PatternCounts.from_patterns(patterns, [1] * 400, judges=[JUDGE])
    held = _flat(counts).holding({"fpr[j]": 0.4})
    firm = Priors.from_spec({"fpr[j]": (4e8, 6e8)}, counts.judges)
    one, other = (sample(counts, p, draws=8000, seed=5)[0] for p in (held, firm))
    for k in range(5):
        a, b = one.theta[..., k], other.theta[..., k]
        error = np.hypot(mcse_mean(a), mcse_mean(b))
        assert abs(a.mean() - b.mean()) < 4.5 * error
    # and a law: the tighter the rate, the more the pinned fit differs from the free one
    free = sample(counts, None, draws=8000, seed=5)[0]
    assert one.theta[..., 0].mean() < free.theta[..., 0].mean()


@pytest.mark.parametrize("engine", ["laplace", "hmc"])
def test_a_rate_at_the_edge_that_labels_contradict_is_a_limit_and_no_crash(engine: str) -> None:
    """A hit that the judge failed, and TPR held at 1."""
    rows = [[1, 0, 1, -1, 0], [0, 0, 0, -1, 0], [-1, 0, -1, -1, 0], [-1, 0, -1, -1, 1]]
    counts = PatternCounts.from_patterns(rows, [5, 20, 30, 30], judges=[JUDGE])
    for tpr, fpr in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)):
        priors = _flat(counts).holding({"tpr[j]": tpr, "fpr[j]": fpr})
        (draws,) = sample(counts, priors, engine=engine, draws=400)
        assert np.isfinite(draws.theta).all()
        assert (draws.rates == (tpr, fpr)).all()


def test_groups_that_share_a_judge_share_the_held_rate() -> None:
    many = PatternCounts(
        by=("g",),
        groups=(("a",), ("b",)),
        judges=(JUDGE,),
        patterns=np.array([[-1, 0, -1, -1, 1], [-1, 0, -1, -1, 0]]),
        counts=np.array([[30, 70], [60, 40]]),
    )
    a, b = sample(many, _flat(many).holding({"tpr[j]": 0.9, "fpr[j]": 0.1}), draws=4000)
    assert a.theta[..., 0].mean() == pytest.approx(0.25, abs=0.03)
    assert b.theta[..., 0].mean() == pytest.approx(0.625, abs=0.03)


def test_what_cannot_be_held_is_refused() -> None:
    priors = _flat(VERDICTS)
    with pytest.raises(ArgumentError, match="'tpr\\[j\\]', 'fpr\\[j\\]'"):
        priors.holding({"retrieval_success": 0.4})
    with pytest.raises(ArgumentError, match="from 0 to 1"):
        priors.holding({"tpr[j]": 1.4})
    with pytest.raises(EngineError, match="held"):
        sample(VERDICTS, _both(0.9, 0.1), engine="nuts")


def test_held_rates_follow_their_judge_when_judges_are_reordered() -> None:
    other = Judge("k", of="task")
    priors = Priors.flat([JUDGE, other]).holding({"tpr[j]": 0.9, "fpr[k]": 0.2})
    turned = Priors.from_spec(priors, [other, JUDGE])
    assert turned.held == priors.held
    assert {turned.names[k]: v for k, v in turned.held_at.items()} == priors.held
    alone = Priors.from_spec(priors, [other])
    assert alone.held == {"fpr[k]": 0.2}
