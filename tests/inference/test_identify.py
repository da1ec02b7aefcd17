"""What the labels can pin down."""

import tracemalloc

import numpy as np
import pytest

from rat_widgets.inference.identify import (
    _derivatives,
    _derivatives_of,
    _differences,
    _generic,
    _generic_rates,
    _slopes,
    identify,
    unanchored,
)
from rat_widgets.labels.judges import Judge
from rat_widgets.labels.levels import TWO_LEVELS
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.simulated_tables import STRATEGIES, simulate

R, A_MISS, A_HIT, T_MISS, T_HIT = range(5)
JR = Judge("jR", of="retrieval")


def names(flags):
    return set(np.flatnonzero(flags).tolist())


def found(counts):
    shared = np.ones(len(counts.judges), dtype=bool)
    informed, identified = identify([counts], shared=shared)
    return names(informed[0]), names(identified[0])


@pytest.mark.parametrize(
    ("strategy", "informed", "identified"),
    [
        ("all_joint", {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}),
        ("all_r", {0, 1, 2}, {0, 1, 2}),
        ("all_t", {0, 1, 2, 3, 4}, set()),
        ("half_joint_r", {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}),
        ("half_joint_t", {0, 1, 2, 3, 4}, {0, 1, 2, 3, 4}),
        ("r_then_t", {0, 1, 2, 4}, {0, 1, 2, 4}),
        ("judge_only", {0, 1, 2}, set()),
        # R is never bought where the answer was wrong: G and T are pinned down, R is not.
        ("t_then_r", {0, 1, 2, 3, 4}, set()),
    ],
)
def test_each_strategy_from_nothing(counts_of_tables, qwen, strategy, informed, identified):
    counts = counts_of_tables([simulate(qwen, 400, strategy, seed=1)])
    assert found(counts) == (informed, identified)


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_joint_rows_identify_everything(counts_of_tables, qwen, strategy):
    counts = counts_of_tables([simulate(qwen, 400, strategy, n0=100, seed=1)])
    assert found(counts) == ({0, 1, 2, 3, 4}, {0, 1, 2, 3, 4})


def test_no_rows_inform_nothing(counts_of):
    assert found(counts_of([])) == (set(), set())
    assert found(counts_of([(-1, -1, -1)] * 5)) == (set(), set())


def test_abstentions_that_never_happen_are_information(counts_of):
    every = {0, 1, 2, 3, 4}
    assert found(counts_of([(1, 0, 1), (1, 0, 0), (0, 0, 1), (0, 0, 0)])) == (every, every)


def test_a_single_complete_row_informs_every_factor_it_passed(counts_of):
    informed, identified = found(counts_of([(1, 0, 1)]))
    assert {R, A_HIT, T_HIT} <= identified
    assert informed == identified


def test_a_judge_of_labelled_rows_is_identified(counts_of):
    counts = counts_of([(1, 0, 1, 1), (0, 0, 0, 0), (0, 1, -1, 1), (1, 1, -1, 0)], [JR])
    assert found(counts)[1] == {0, 1, 2, 3, 4, 5, 6}


def test_a_judge_without_labels_pins_nothing_down(counts_of_tables, qwen):
    rates = [(JR, 0.9, 0.3)]
    counts = counts_of_tables([simulate(qwen, 400, "judge_only", judges=rates, seed=1)], [JR])
    informed, identified = found(counts)
    assert informed == {R, A_MISS, A_HIT, 5, 6}
    assert identified == set()


def test_three_views_of_hidden_retrieval_identify_it(counts_of_tables, qwen):
    """Two judges and abstention, independent given R."""
    judges = [Judge("a", of="retrieval"), Judge("b", of="retrieval")]
    rates = [(judges[0], 0.9, 0.2), (judges[1], 0.8, 0.3)]
    counts = counts_of_tables([simulate(qwen, 2000, "judge_only", judges=rates, seed=1)], judges)
    assert found(counts)[1] == {R, A_MISS, A_HIT, 5, 6, 7, 8}


def test_a_shared_judge_carries_knowledge_between_groups(counts_of_tables, in_groups, qwen):
    labelled = counts_of_tables([simulate(qwen, 300, judges=[(JR, 0.9, 0.3)], seed=1)], [JR])
    judged = counts_of_tables(
        [simulate(qwen, 300, "judge_only", judges=[(JR, 0.9, 0.3)], seed=2)], [JR]
    )
    counts = in_groups({"a": labelled, "b": judged})
    groups = [counts.group(0), counts.group(1)]
    _, together = identify(groups, shared=np.array([True]))
    _, alone = identify(groups, shared=np.array([False]))
    assert names(together[1]) == {R, A_MISS, A_HIT, 5, 6}
    assert names(alone[1]) == set()
    assert unanchored(groups, shared=np.array([True])) == ((), ())
    assert unanchored(groups, shared=np.array([False])) == ((), ("retrieval",))


@pytest.mark.parametrize("seed", range(40))
def test_groups_with_shared_judges_are_what_one_joint_matrix_says(counts_of, seed):
    """Against the rank of all derivatives at once, on small tables of any pattern."""
    rng = np.random.default_rng(seed)
    kinds = rng.choice(["retrieval", "abstention", "task"], rng.integers(1, 3))
    judges = [Judge(f"j{i}", of=kind) for i, kind in enumerate(kinds.tolist())]
    shared = rng.random(len(judges)) < 0.7
    groups = [
        counts_of(rng.integers(-1, 2, (rng.integers(1, 5), 3 + len(judges))), judges)
        for _ in range(rng.integers(1, 4))
    ]
    width = 5 + 2 * len(judges)
    column = np.arange(len(groups) * width).reshape(-1, width)
    is_common = np.concatenate([np.zeros(5, dtype=bool), shared, shared])
    column[:, is_common] = column[0, is_common]
    blocks = [placed(d, at, column.size) for d, at in zip(_derivatives_of(groups), column)]
    joint = np.concatenate(blocks)
    informed = (np.abs(joint) > 1e-7).any(axis=0)
    _, singular, right = np.linalg.svd(joint[:, informed])
    free = right[(singular > 1e-7 * singular.max(initial=0)).sum() :]
    identified = np.zeros(column.size, dtype=bool)
    identified[informed] = (np.abs(free) < 1e-5).all(axis=0)
    here = identify(groups, shared=shared)
    np.testing.assert_array_equal(here[0], informed[column])
    np.testing.assert_array_equal(here[1], identified[column])


def placed(block, where, width):
    rows = np.zeros((len(block), width))
    rows[:, where] = block
    return rows


def test_two_thousand_groups_may_share_a_judge(counts_of):
    """One joint matrix would have 10,002 columns; two groups find the same."""
    judge = Judge("jR", of="retrieval")
    group = counts_of([(1, 0, 1, 1), (0, 1, -1, 0), (1, 0, 0, 1)], [judge])
    many = identify([group] * 2000, shared=np.array([True]))
    two = identify([group] * 2, shared=np.array([True]))
    for all_of_them, few in zip(many, two, strict=True):
        np.testing.assert_array_equal(all_of_them[::1999], few)


KINDS = {
    "no judge": (),
    "plain": (Judge("a", of="retrieval"), Judge("b", of="abstention"), Judge("c", of="task")),
    "verdicts on what abstained": (Judge("a", of="task", abstained_rate=0.2),),
    "cannot tell": (Judge("a", of="retrieval", unknown="?"), Judge("b", of="task")),
    "two truths": (Judge("a", of="task", depends_on="retrieval"), Judge("b", of="task")),
    "graded": (Judge("a", of="task", levels=("low", "some", "high")), Judge("b", of="retrieval")),
}


@pytest.mark.parametrize("kind", KINDS)
def test_derivatives_are_the_limits_of_differences(counts_of, kind):
    """Row by row, against central differences: their error is 1e-5 squared, times the third."""
    judges = KINDS[kind]
    rng = np.random.default_rng(1)
    rows = rng.integers(-1, 2, (60, 3 + len(judges)))
    for j, judge in enumerate(emissions_of(judges).judges):
        rows[:, 3 + j] = rng.integers(-1, judge.n_answers, len(rows))
    outcomes = counts_of(rows, judges).patterns
    point = np.concatenate([_generic(5), _generic_rates(judges, TWO_LEVELS)])
    exact = _slopes(outcomes, point, judges, TWO_LEVELS)
    np.testing.assert_allclose(exact, _differences(outcomes, point, judges, TWO_LEVELS), atol=1e-7)
    assert np.abs(exact).max() > 1


def test_rows_of_graded_judges_take_memory_by_their_number():
    """Not by its square, as one matrix of every row's products for every row would."""
    judges = tuple(Judge(f"j{i}", of="task", levels=("low", "some", "high")) for i in range(12))
    rng = np.random.default_rng(1)
    rows = np.insert(rng.integers(0, 3, (2000, 12)), 0, [[-1]] * 4, axis=1).astype(np.int8)
    tracemalloc.start()
    _derivatives(rows.tobytes(), rows.dtype.str, judges, TWO_LEVELS)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 200e6
