"""What the judge benchmarks feed to every tool, and how they score it."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.labels.judges import Judge
from rat_widgets.model.worlds import worlds_of

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

import judge_priors
from judge_callers import PEERS, Peer, interval
from judge_scores import Score, difference
from judge_tables import (
    JUDGES,
    POINTS,
    TARGETS,
    Cell,
    counts_of,
    grid,
    real_tables,
    tables,
)

CELL = Cell("qwen", 50, 5000, 0.9, 0.3)

ends = st.floats(0, 1)


def score(lower, upper, truth):
    return Score.of(np.array([[[lower, upper]]]), np.array([truth]))


@given(ends, ends, ends)
def test_the_score_is_the_width_plus_forty_times_the_miss(a, b, truth):
    lower, upper = min(a, b), max(a, b)
    miss = 0.0 if lower <= truth <= upper else min(abs(truth - lower), abs(truth - upper))
    found = score(lower, upper, truth)
    assert found.score == pytest.approx(upper - lower + 40 * miss, abs=1e-12)
    assert found.coverage == (miss == 0)


@given(st.lists(st.tuples(ends, ends), min_size=4, max_size=4), ends)
def test_a_difference_of_scores_is_that_of_their_means(pairs, truth):
    one = np.sort(np.array([pairs, pairs[::-1]]), axis=-1)
    truths, other = np.array([truth, 0.5]), one / 2
    apart, error = difference(one, other, truths)
    means = [Score.of(e, truths).score for e in (one, other)]
    assert apart == pytest.approx(means[0] - means[1], abs=1e-9)
    assert difference(one, one, truths) == (0.0, 0.0)
    assert error >= 0


def test_what_tables_have_in_common_drops_out_of_a_difference():
    """Intervals that differ by 0.01 on every table, whatever their width."""
    x = np.random.default_rng(0).random((1, 50))
    one, other = (np.stack([0 * x, x + more], axis=-1) for more in (0.01, 0.0))
    assert difference(one, other, np.array([0.0])) == pytest.approx((0.01, 0.0), abs=1e-12)


def test_the_central_interval_scores_best_on_average():
    """A proper score: of a known normal, no other interval of this form is better."""
    x = np.random.default_rng(0).normal(0.5, 0.05, 200_000)
    mean = {
        z: Score.of(np.array([[[0.5 - z * 0.05, 0.5 + z * 0.05]]] * len(x)), x).score
        for z in (1.5, 1.96, 2.5)
    }
    assert min(mean, key=mean.get) == 1.96


def test_a_tool_that_refuses_gets_the_whole_interval():
    found = score(np.nan, np.nan, 0.3)
    assert (found.score, found.coverage, found.n_refused) == (1.0, 1.0, 1)

    def refuses(y, f, rest):
        raise ValueError

    assert np.isnan(interval(Peer("numpy", "numpy", refuses, ""), *[np.zeros(2)] * 3)).all()


def test_intervals_are_cut_to_what_a_probability_can_be():
    peer = Peer("numpy", "numpy", lambda y, f, rest: (-0.2, 1.4), "")
    assert interval(peer, *[np.zeros(2)] * 3) == (0.0, 1.0)


def test_tables_have_the_rates_of_their_cell():
    (table,) = tables(replace(CELL, n_verdicts=200_000, more_after_miss=0.4), 1)
    answered = table.a == 0
    found = {
        "tpr of R": table.jr[table.r == 1].mean(),
        "fpr of R": table.jr[table.r == 0].mean(),
        "tpr of T": table.jt[table.t == 1].mean(),
        "fpr of T, hit": table.jt[answered & (table.t == 0) & (table.r == 1)].mean(),
        "fpr of T, miss": table.jt[answered & (table.t == 0) & (table.r == 0)].mean(),
    }
    # Five standard errors of the smallest class, some 13,000 rows.
    assert found == pytest.approx(
        dict(zip(found, (0.9, 0.3, 0.9, 0.3, 0.7), strict=True)), abs=0.022
    )


@pytest.mark.parametrize("target", TARGETS)
def test_other_tools_are_fed_the_same_targets(target):
    (table,) = tables(replace(CELL, n_human=100_000, tpr=1.0, fpr=0.0), 1)
    human, verdict, rest = table.one_number(target)
    truth = CELL.truths[target]
    # Five binomial standard errors; a perfect judge says what people say.
    assert human.mean() == pytest.approx(truth, abs=5 * np.sqrt(0.25 / len(human)))
    np.testing.assert_array_equal(human, verdict)
    assert (len(human), len(rest)) == (100_000, 5000)
    _, proxies, _ = table.proxies(target)
    np.testing.assert_array_equal(proxies[:, 0], verdict)


@pytest.mark.parametrize("point", POINTS)
def test_the_truths_are_the_librarys(point):
    cell = replace(CELL, point=point)
    world, tree = np.array(list(POINTS[point].worlds().values())), worlds_of()
    assert cell.truths["task_success"] == pytest.approx(world[tree.right == 1].sum())
    g = np.array(rat.Policy.from_spec("adherence").weights)
    assert cell.truths["policy_adherence"] == pytest.approx(world @ g)


def test_counts_are_those_of_the_table_read_as_a_frame():
    some = list(tables(replace(CELL, n_verdicts=100), 3))
    frames = []
    for i, table in enumerate(some):
        seen = np.arange(len(table.r)) < table.n_human
        frame = pd.DataFrame({"R": table.r, "A": table.a, "T": table.t}).astype("Int8")
        frame.loc[~seen, ["R", "T"]] = pd.NA
        frame.loc[frame["A"] == 1, "T"] = pd.NA
        frames.append(frame.assign(jR=table.jr, jT=table.jt, table=i))
    read = rat.Labels.from_frame(pd.concat(frames), judges=JUDGES, by="table").counts
    assert counts_of(some) == read


def test_every_tool_gets_the_same_tables_whatever_their_number():
    few, more = list(tables(CELL, 1)), list(tables(CELL, 2))
    np.testing.assert_array_equal(few[0].jt, more[0].jt)
    assert not np.array_equal(more[0].jt, more[1].jt)
    assert len(set(grid(((0.9, 0.3),)))) == 12


def test_the_real_table_hides_all_but_some_labels():
    (table,), truth = real_tables(1)
    counts = counts_of([table], JUDGES[1:])
    labelled = (counts.patterns[:, 2] >= 0).astype(int)
    abstained = int(table.a[:100].sum())
    assert int(counts.counts[0] @ labelled) == 100 - abstained
    assert counts.n_rows == 3548
    # People accept 2,461 of the 3,527 answers that were given.
    assert truth == pytest.approx(2461 / 3548)


def test_weighted_draws_are_those_of_the_other_prior():
    """Against a fit under that prior: both ends within five of their Monte Carlo errors."""
    many = list(tables(Cell("qwen", 100, 500, 0.9, 0.3), 2))
    by_weights = dict(judge_priors._cell(many))["Beta(4, 1)"]
    fitted = judge_priors.ours(many, priors={"tpr": (4, 1), "fpr": (1, 4)})
    # sd 0.03, 4,000 draws: an end's error is about 0.03 * 2.7 / sqrt(4,000 / 2).
    np.testing.assert_allclose(by_weights, fitted, atol=5 * 0.0018)


def test_peers_say_how_they_are_called():
    assert all(peer.how for peer in PEERS.values())
    assert Judge("jT", of="task", share="group") in JUDGES


@pytest.mark.parametrize("where", ["grid", "openqa_nq301"])
def test_the_documentation_shows_what_was_measured(where):
    root = Path(__file__).resolve().parents[2]
    measured = json.loads((root / "bench/measured/judge_peers.json").read_text())
    text = (root / "docs/judges.md").read_text()
    by_target = measured["scores"][where]
    for tool in next(iter(by_target.values())):
        told = [
            f"{by_target[target][tool][value]:.3f}"
            for target in by_target
            for value in ("score", "width", "coverage")
        ]
        assert f"| {tool} | {' | '.join(told)} |" in text
