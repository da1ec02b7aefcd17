"""The allocation study: its numbers, and its running, stopping and keeping."""

from __future__ import annotations

import inspect
import os
import pickle
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, RatError, RatWarning, StudyError
from rat_widgets.planning.study_unit import run_unit

QWEN = rat.Theta.from_array([0.2078, 0.4632, 0.0360, 0.4447, 0.6809])
APERTUS = rat.Theta.from_array([0.2072, 0.0390, 0.0050, 0.2585, 0.5157])
G, T = "policy_adherence", "task_success"


def study(x=QWEN, **keywords):
    small = {"budgets": (20, 40), "strategies": ("all_t", "r_then_t"), "replications": 120}
    quiet = {"progress": False, "check": 0.0}
    return rat.study_allocation(x, **{**small, **quiet, **keywords})


def by_strategy(made, target, column="width"):
    table = made.table()
    return table[table.target == target].set_index("strategy")[column]


def same(one, other):
    pd.testing.assert_frame_equal(one.table(), other.table(), check_exact=True)


class Inline(Executor):
    """Runs units where they are submitted; after so many it breaks down, or is interrupted."""

    def __init__(self, n_works=10**9, *, is_interrupted=False):
        self.left = n_works
        self.is_interrupted = is_interrupted

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        self.left -= 1
        if self.left < 0 and self.is_interrupted:
            raise KeyboardInterrupt
        if self.left < 0:
            future.set_exception(OSError("node lost"))
        else:
            future.set_result(fn(*args, **kwargs))
        return future


# Numbers ------------------------------------------------------------------------------------


def test_widths_of_qwen_at_500_rows_are_those_of_the_paper():
    """Appendix E: 0.105 and 0.132, 0.075 and 0.150; with n0 = 100 exactly 0.130 and 0.074."""
    made = study(budgets=(500,), strategies=("all_r", "all_t", "all_joint"), replications=200)
    g, t = by_strategy(made, G), by_strategy(made, T)
    # the standard error of a mean of 200 widths is below 0.0005
    assert by_strategy(made, G, "width_mcse").max() < 0.001
    assert g["all_r"] == pytest.approx(0.105, abs=0.004)
    assert g["all_t"] == pytest.approx(0.130, abs=0.004)
    assert t["all_t"] == pytest.approx(0.074, abs=0.004)
    assert t["all_r"] == pytest.approx(0.150, abs=0.004)
    mae = by_strategy(made, G, "mae")
    error = by_strategy(made, G, "mae_mcse")
    for name, published in (("all_joint", 0.018), ("all_r", 0.025), ("all_t", 0.026)):
        # both sides have 200 replications and round to 0.0005
        assert mae[name] == pytest.approx(published, abs=3 * 2**0.5 * error[name] + 0.0005)


@pytest.mark.parametrize(
    ("theta", "g", "t"),
    [
        (QWEN, (0.108, 0.126, 0.097, 0.086, 0.090), (0.155, 0.061, 0.091, 0.138, 0.084)),
        (APERTUS, (0.096, 0.108, 0.071, 0.059, 0.061), (0.174, 0.072, 0.096, 0.155, 0.082)),
    ],
    ids=["qwen", "apertus"],
)
def test_500_units_give_the_widths_of_theory_by_simulation(theta, g, t):
    """Asymptotic widths by the Fisher information; the exact ones differ by up to 0.005."""
    names = ("all_r", "all_t", "all_joint", "r_then_t", "t_then_r")
    made = study(theta, budgets=(500,), by_cost=True, strategies=names, replications=150)
    for target, expected in ((G, g), (T, t)):
        width = by_strategy(made, target)
        for name, value in zip(names, expected, strict=True):
            assert width[name] == pytest.approx(value, abs=0.006), (target, name)
        # in expectation, and within Monte Carlo error
        error = by_strategy(made, target, "width_mcse")
        slack = 3 * np.hypot(error["t_then_r"], error["all_joint"])
        assert width["t_then_r"] <= width["all_joint"] + slack
    assert by_strategy(made, G, "cost").to_numpy() == pytest.approx(500, abs=1)


def test_coverage_is_nominal_when_truths_are_draws_of_the_posterior():
    """Truths from the posterior of the rows in hand: coverage is 95% exactly, on average."""
    table = rat.simulate(QWEN, 60, "all_t", n0=30, seed=2)
    made = study(
        rat.fit(table), budgets=(30,), strategies=("all_r", "all_t", "t_then_r"), replications=1000
    )
    frame = made.table()
    # 1,000 replications, six cells: 4 Monte Carlo errors
    assert (frame.coverage - 0.95).abs().max() < 4 * frame.coverage_mcse.max()
    assert made.plan.n0 is None
    assert made.plan.start.n_rows == 90


def test_coverage_at_the_reference_points_is_between_93_and_97_per_cent_pooled():
    frame = pd.concat(
        study(theta, budgets=(50, 500), strategies=None, replications=150, seed=4).table()
        for theta in (QWEN, APERTUS)
    )
    pooled = frame.groupby("strategy").coverage.mean()
    assert pooled.between(0.93, 0.97).all()


def test_more_rows_never_widen_the_interval():
    made = study(budgets=(50, 200, 800), strategies=("all_r", "all_t", "t_then_r"))
    for _, curve in made.table().groupby(["strategy", "target"]):
        assert (np.diff(curve.sort_values("budget").width) < 0).all()


def test_monte_carlo_errors_are_those_of_repetition():
    """The spread of a mean over seeds is what the table says of it."""
    many = pd.concat(
        study(budgets=(40,), strategies=("all_t",), replications=50, seed=seed).table()
        for seed in range(40)
    )
    for name in ("width", "mae", "coverage"):
        for _, cell in many.groupby("target"):
            ratio = cell[name].std() / cell[f"{name}_mcse"].mean()
            # a standard deviation of 40 has an error of 11%
            assert 0.6 < ratio < 1.45


def test_a_random_share_of_the_widths_is_checked_against_an_engine():
    check = study(check=0.2, budgets=(100,)).check
    assert check.n_widths > 40
    # 0.5% of it is the reference's own error
    assert 0.003 < check.rms < 0.015


def test_costs_follow_both_rules():
    made = study(
        budgets=(1000,), strategies=("all_r", "all_t", "all_joint"), prices={"R": 3, "T": 1}
    )
    cost, rows = by_strategy(made, G, "cost"), by_strategy(made, G, "rows")
    answered = 1 - (0.7922 * 0.4632 + 0.2078 * 0.0360)
    assert rows.tolist() == [1000] * 3
    assert cost["all_r"] == 3000
    assert cost["all_t"] == pytest.approx(1000 * answered, abs=10)
    assert cost["all_joint"] == pytest.approx(3000 + 1000 * answered, abs=10)


def test_verdicts_narrow_the_interval_as_published():
    """5.4 and STATS: a lenient judge of R on 5,000 rows takes 0.092 to 0.079, MAE unchanged."""
    made = study(
        APERTUS,
        n0=207,
        budgets=(1, 5000),
        strategies=("judge_only",),
        targets=G,
        judges={"jR": {"of": "retrieval", "tpr": 0.95, "fpr": 0.5}},
        replications=60,
    )
    width = made.table().set_index("budget").width
    assert width[1] == pytest.approx(0.092, abs=0.003)
    assert width[5000] == pytest.approx(0.079, abs=0.003)


def test_verdicts_that_have_a_price_are_in_the_cost():
    judge = rat.Judge("jT", of="task", cost=0.01)
    made = study(judges=[(judge, 0.9, 0.2)], budgets=(200,), strategies=("all_r",), replications=50)
    table = made.table()
    # T is judged where the system answered
    answered = 1 - (0.7922 * 0.4632 + 0.2078 * 0.0360)
    assert table.cost.iloc[0] == pytest.approx(200 + 2 * answered, abs=0.1)


def test_other_targets_and_policies_are_taken():
    made = study(targets=("selective_accuracy", G), policy="no_harm", budgets=(50,))
    assert made.targets == ("selective_accuracy", G)
    plain = study(budgets=(50,))
    assert not np.allclose(by_strategy(made, G), by_strategy(plain, G))


def test_the_promised_keywords_are_there():
    promised = "budgets n0 strategies targets prices by_cost replications seed progress executor"
    assert set(promised.split()) <= set(inspect.signature(rat.study_allocation).parameters)


# Running ------------------------------------------------------------------------------------


def test_every_executor_gives_the_same_study():
    made = study()
    with ThreadPoolExecutor(3) as threads, ProcessPoolExecutor(2) as processes:
        for executor in (Inline(), threads, processes):
            same(study(executor=executor), made)


def test_a_cell_does_not_depend_on_what_else_is_studied():
    both, one = study(), study(strategies=("all_t",), budgets=(40,))
    chosen = both.table().query("strategy == 'all_t' and budget == 40").reset_index(drop=True)
    pd.testing.assert_frame_equal(chosen, one.table(), check_dtype=False)


def test_the_seed_decides():
    same(study(seed=3), study(seed=3))
    assert not study(seed=3).table().width.equals(study(seed=4).table().width)


def test_an_interrupted_study_keeps_what_is_finished_and_goes_on():
    with pytest.warns(RatWarning, match=r"study.resume\(\)"):
        part = study(executor=Inline(5, is_interrupted=True))
    assert len(part.parts) == 5
    assert not part.is_complete
    assert "5 of 12 units done" in repr(part)
    same(part.resume(progress=False), study())


def test_the_studys_own_threads_stop_when_interrupted():
    def stop(done, total):
        if done >= 3:
            raise KeyboardInterrupt

    with pytest.warns(RatWarning, match="Interrupted"):
        part = study(budgets=range(10, 60), strategies=("all_r", "all_t"), progress=stop)
    assert 3 <= len(part.parts) < part.plan.n_units


def test_an_executor_that_breaks_down_loses_nothing():
    with pytest.raises(StudyError, match="node lost") as caught:
        study(executor=Inline(n_works=5))
    part = caught.value.study
    assert len(part.parts) == 5
    assert "resume" in str(caught.value)
    same(part.resume(progress=False), study())


class Dying(ProcessPoolExecutor):
    """A pool whose worker dies of its fourth task."""

    n = 0

    def submit(self, fn, /, *args, **kwargs):
        self.n += 1
        return super().submit(os._exit, 1) if self.n == 4 else super().submit(fn, *args, **kwargs)


def test_a_pool_whose_worker_dies_loses_nothing():
    with Dying(1) as pool, pytest.raises(StudyError, match="broke down") as caught:
        study(executor=pool)
    same(caught.value.study.resume(progress=False), study())


def test_what_is_done_is_not_done_again():
    half = study(executor=Inline())
    half = type(half)(plan=half.plan, parts=dict(list(half.parts.items())[:5]))
    counting = Inline()
    half.resume(executor=counting, progress=False)
    assert 10**9 - counting.left == half.plan.n_units - 5


def test_progress_is_told_to_a_function():
    told = []
    study(progress=lambda done, total: told.append((done, total)), executor=Inline())
    assert told[0] == (0, 12)
    assert told[-1] == (12, 12)


def test_nothing_is_written_unless_somebody_watches(capsys):
    study(progress=True)
    assert capsys.readouterr() == ("", "")


def test_an_unfinished_study_survives_json_and_can_be_resumed():
    whole = study(budgets=(20.0, 40.0), by_cost=True, targets={"mine": {"hit_right": 0.5}})
    part = type(whole)(plan=whole.plan, parts=dict(list(whole.parts.items())[:5]))
    read = rat.AllocationStudy.from_json(part.to_json())
    assert read.to_json() == part.to_json()
    same(read.resume(progress=False), whole)


def test_a_study_of_a_posterior_with_judges_survives_json():
    judges = {"jR": {"of": "retrieval", "tpr": 0.9, "fpr": 0.2}}
    table = rat.simulate(QWEN, 60, "all_r", n0=40, judges=judges, seed=1)
    post = rat.fit(table, judges=[rat.Judge("jR", of="retrieval")], draws=400)
    made = study(post, budgets=(20,), strategies=("all_t",), replications=20)
    read = rat.AllocationStudy.from_json(made.to_json())
    same(read, made)
    same(type(read)(plan=read.plan).resume(progress=False), made)


def test_a_study_can_be_pickled():
    made = study()
    same(pickle.loads(pickle.dumps(made)), made)


def test_memory_does_not_grow_with_replications():
    small, large = (study(replications=n, budgets=(20,), executor=Inline()) for n in (60, 3300))
    assert large.plan.n_units <= 64 * len(large.strategies)
    million = study(replications=1, budgets=(20,)).plan
    million = type(million)(
        **{name: getattr(million, name) for name in million.__slots__} | {"replications": 10**6}
    )
    assert million.n_units <= 64 * 2
    assert len(large.to_json()) < 70 * len(small.to_json())


def test_work_grows_with_cells_and_with_nothing_else():
    """One posterior per replication and cell, whatever the size of the tables."""
    plan = study(budgets=(20, 2000), strategies=("all_t",), replications=50).plan
    sums = [run_unit(plan, unit) for unit in plan.units()]
    assert [part.n for part in sums] == [50, 50]
    assert [part.n_sampled for part in sums] == [0, 0]


# Input --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"prices": {"R": 0, "T": 1}}, "price of R is 0"),
        ({"prices": {"R": -1, "T": 1}}, "price of R is -1"),
        ({"budgets": (0,)}, "`budgets` is 0"),
        ({"budgets": (20.5,)}, "Whole numbers of rows"),
        ({"budgets": ()}, "empty"),
        ({"budgets": (20, 20)}, "twice"),
        ({"budgets": (0.5,), "by_cost": True}, "price of one label"),
        ({"budgets": (5,), "by_cost": True, "strategies": "judge_only"}, "buys .almost. nothing"),
        ({"targets": "adherence"}, "no target 'adherence'"),
        ({"strategies": "all_in"}, "all_in"),
        ({"n0": -1}, "`n0` is -1"),
        ({"replications": 0}, "`replications` is 0"),
        ({"seed": 1.5}, "`seed` is 1.5"),
        ({"check": 2}, "`check` is 2"),
        ({"ci_prob": 95}, "0.95"),
        ({"by_cost": 1}, "`by_cost` is 1"),
        ({"progress": "yes"}, "`progress` is 'yes'"),
        ({"executor": 4}, "`executor` is 4"),
        ({"engine": "exact"}, "no keyword 'engine'"),
    ],
)
def test_bad_input_says_what_is_accepted(keywords, says):
    with pytest.raises(RatError, match=says):
        study(**keywords)


def test_a_target_that_is_undefined_at_the_truth_is_refused():
    never = rat.Theta.from_array([0, 0.5, 0.5, 0.5, 0.5])
    with pytest.raises(ArgumentError, match="'abstain_given_hit' is undefined"):
        study(never, targets="abstain_given_hit")
    assert np.isfinite(study(never).table().width).all()


def test_one_system_at_a_time():
    table = rat.simulate(QWEN, 60, seed=1).assign(system=["a", "b"] * 30)
    with pytest.raises(ArgumentError, match="2 systems"):
        study(table, by="system")


def test_levels_of_retrieval_are_refused():
    graded = rat.GradedTheta(
        retrieval={"none": 0.2, "partial": 0.3, "all": 0.5},
        abstain_given=(0.6, 0.3, 0.1),
        correct_given=(0.1, 0.5, 0.9),
    )
    with pytest.raises(RatError, match="3 levels"):
        study(rat.simulate(graded, 60), retrieval_levels=("none", "partial", "all"), draws=100)


def test_a_what_if_is_refused():
    post = rat.fit(rat.simulate(QWEN, 60), draws=100).pin(retrieval_success=0.5)
    with pytest.raises(ArgumentError, match="what-if"):
        study(post)


@pytest.mark.parametrize("text", ["", "{}", '{"kind": "allocation_study", "version": 1}', "[1]"])
def test_other_json_is_refused(text):
    with pytest.raises(RatError):
        rat.AllocationStudy.from_json(text)
