"""Posteriors of many tables with verdicts: weighted draws against an engine's."""

from __future__ import annotations

import numpy as np
import pytest

import rat_widgets as rat
from rat_widgets.planning import judged as module
from rat_widgets.planning.judged import judged
from rat_widgets.planning.study_plan import Unit
from rat_widgets.planning.study_read import plan_study
from rat_widgets.planning.study_unit import simulate_unit

GRADES = {"given_1": (0.05, 0.15, 0.3, 0.5), "given_0": (0.5, 0.3, 0.15, 0.05)}
PROBABILITIES = np.array([0.05, 0.5, 0.95])


def plan_of(theta, judges, how):
    frame = rat.simulate(theta, 300, "judge_only", n0=60, judges=how, seed=1)
    post = rat.fit(frame, judges=judges, draws=800)
    return plan_study(
        post, n0=None, strategies="r_then_t", budgets=[100], prices={"R": 1, "T": 1},
        targets=("policy_adherence", "correct_given_hit"), by_cost=True, replications=24, seed=3,
        ci_prob=0.95, check=0.0, priors=None, policy="adherence", judges=(),
    )  # fmt: skip


def fitted(plan, seed):
    made = simulate_unit(plan, Unit(0, 0, 0))
    rng = np.random.default_rng(seed)
    return judged(plan, *made.tables, rng=rng, probabilities=PROBABILITIES)


@pytest.mark.parametrize("is_monotone", [False, True])
def test_quantiles_are_those_of_an_engine(apertus, monkeypatch, is_monotone):
    judge = rat.Judge("j", of="task", levels=(0, 1, 2, 3), monotone=is_monotone)
    how = {"j": {"of": "task", "levels": (0, 1, 2, 3), **GRADES}}
    plan = plan_of(apertus, [judge], how)
    mine = fitted(plan, 1)
    assert not mine.is_sampled.any()
    monkeypatch.setattr(module, "_LEAST_FRACTION", 2.0)
    theirs = fitted(plan, 1)
    assert theirs.is_sampled.all()
    sd = (theirs.values[2] - theirs.values[0]) / 3.29
    # An end of 90% from 400 draws errs by 0.1 sd; both, averaged over 24 tables, by 0.03.
    off = ((mine.values - theirs.values) / sd).mean(axis=1)
    assert np.abs(off).max() < 0.03 * 4
    assert np.abs(((mine.mean - theirs.mean) / sd).mean(axis=0)).max() < 0.02 * 4


def test_where_too_much_depends_on_each_other_an_engine_draws(apertus):
    judges = [rat.Judge(f"j{k}", of="task", dependence="saturated") for k in range(2)]
    how = {f"j{k}": {"of": "task", "tpr": 0.8, "fpr": 0.2} for k in range(2)}
    fit = fitted(plan_of(apertus, judges, how), 1)
    assert fit.is_sampled.all()
    assert (np.diff(fit.values, axis=0) > 0).all()
