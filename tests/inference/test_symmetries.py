"""What must not matter to an engine, and what must turn with the labels."""

import random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rat_widgets.errors import EngineError
from rat_widgets.inference import mcse_mean, sample
from rat_widgets.inference.exact import exact_mean_worlds
from rat_widgets.labels import Judge, Labels
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors
from rat_widgets.model.simulated_tables import simulate
from rat_widgets.model.worlds import PARAMETERS

ENGINES = ["exact", "laplace", "hmc"]
every_engine = pytest.mark.parametrize("engine", ENGINES)

label = st.sampled_from([None, 0, 1])
# R, A and T, then verdicts on R and on T; no answer that is right and declined.
rows = st.lists(
    st.tuples(*[label] * 5).filter(lambda row: row[1:3] != (1, 1)), min_size=1, max_size=30
)
# A seen everywhere: what `exact` takes.
rows_with_a = st.lists(
    st.tuples(label, st.sampled_from([0, 1]), label).filter(lambda row: row[1:3] != (1, 1)),
    min_size=1,
    max_size=30,
)


def read(table, columns="RATjk"):
    """Counts of rows, with judges where there are more columns than three."""
    columns = list(columns)[: len(table[0])]
    judges = [
        Judge(column, of=of, name=name)
        for column, of, name in zip(
            columns[3:], ("retrieval", "task"), ("first", "second"), strict=False
        )
    ]
    frame = pd.DataFrame(table, columns=columns, dtype=object)
    r, a, t = columns[:3]
    return Labels.from_frame(
        frame, retrieval=r, abstention=a, task=t, judges=judges, on_contradiction="error"
    ).counts


def draw(counts, engine, priors=None, *, n=64):
    """Draws of every parameter, shape (chain, draw, parameter)."""
    (found,) = sample(counts, priors, engine=engine, draws=n, seed=3)
    return np.concatenate([found.theta, found.tpr, found.fpr], axis=-1)


def tables_for(engine):
    return rows_with_a if engine == "exact" else rows


# --- what does not matter: the same draws, bit by bit --------------------------------------


@every_engine
@given(data=st.data(), seed=st.integers(0, 99))
@settings(max_examples=15)
def test_the_order_of_rows_and_the_names_of_columns_do_not_matter(engine, data, seed):
    table = data.draw(tables_for(engine))
    shuffled = random.Random(seed).sample(table, len(table))
    here = draw(read(table), engine)
    assert np.array_equal(here, draw(read(shuffled, ["p q", "<b>", "ä", "x.y", "%"]), engine))


@every_engine
@given(data=st.data())
@settings(max_examples=15)
def test_counts_are_sufficient(engine, data):
    """Rows one by one, patterns in another order, with patterns that nobody showed: the same."""
    counts = read(data.draw(tables_for(engine)))
    here = draw(counts, engine)
    by_row = np.repeat(counts.patterns, counts.counts[0], axis=0)[::-1]
    unseen = np.full((1, by_row.shape[1]), -1, dtype=np.int8)
    unseen[0, :2] = (1, 0)
    again = PatternCounts(
        judges=counts.judges,
        patterns=np.concatenate([unseen, by_row]),
        counts=np.array([[0, *[1] * len(by_row)]]),
    )
    assert np.array_equal(here, draw(again, engine))


@every_engine
@given(data=st.data())
@settings(max_examples=15)
def test_merging_counts_is_fitting_the_rows_together(engine, data):
    first, second = (data.draw(tables_for(engine)) for _ in range(2))
    merged = read(first) + read(second)
    assert np.array_equal(draw(merged, engine), draw(read(first + second), engine))


# --- what turns with the labels ------------------------------------------------------------

# Where each parameter goes when R is told the other way round, and when T is.
R_TURNED = {"order": [0, 2, 1, 4, 3], "flips": [0]}
T_TURNED = {"order": [0, 1, 2, 3, 4], "flips": [3, 4]}

priors = st.lists(st.tuples(st.floats(0.5, 5), st.floats(0.5, 5)), min_size=5, max_size=5).map(
    np.array
)


def turned(counts, which):
    """The labels of R (0) or of T (2) told the other way round; judges still say what they said."""
    patterns = counts.patterns.copy()
    column = patterns[:, which]
    patterns[:, which] = np.where(column >= 0, 1 - column, column)
    if which == 2:
        patterns[counts.patterns[:, 1] == 1, 2] = -1
    return PatternCounts(judges=counts.judges, patterns=patterns, counts=counts.counts)


def turned_beta(prior, order, flips):
    """The priors, shape (5, 2), that go with the labels."""
    found = prior[order].copy()
    found[flips] = found[flips][:, ::-1]
    return found


def spec(prior):
    return dict(zip(PARAMETERS, map(tuple, prior.tolist()), strict=True))


@given(table=rows_with_a, prior=priors)
@settings(max_examples=60)
def test_means_of_worlds_turn_with_the_labels(table, prior):
    counts = read(table)
    here = exact_mean_worlds(counts, Priors.from_spec(spec(prior)))
    # In the order of the worlds: miss and hit change places; wrong and right do.
    for which, how, worlds in (
        (0, R_TURNED, [1, 0, 4, 5, 2, 3]),
        (2, T_TURNED, [0, 1, 3, 2, 5, 4]),
    ):
        other = Priors.from_spec(spec(turned_beta(prior, **how)))
        np.testing.assert_allclose(
            exact_mean_worlds(turned(counts, which), other)[worlds], here, rtol=1e-9
        )


def assert_same_means(a, b):
    """Of parameters and of their squares, within Monte Carlo error: 4.5 standard errors."""
    for power in (1, 2):
        x, y = a**power, b**power
        error = np.hypot(mcse_mean(x), mcse_mean(y))
        gap = np.abs(x.mean(axis=(0, 1)) - y.mean(axis=(0, 1)))
        assert (gap < 4.5 * error).all(), gap / error


@pytest.mark.parametrize("engine", ["exact", "hmc"])
@pytest.mark.parametrize(("which", "how"), [(0, R_TURNED), (2, T_TURNED)])
def test_draws_turn_with_the_labels(counts_of_tables, qwen, engine, which, how):
    counts = counts_of_tables([simulate(qwen, 120, "half_joint_t", n0=20, seed=4)])
    prior = np.array([[2, 3], [0.7, 1], [1, 4], [3, 0.8], [2, 2.0]])
    here = draw(counts, engine, spec(prior), n=8000)[..., how["order"]]
    here[..., how["flips"]] = 1 - here[..., how["flips"]]
    there = draw(turned(counts, which), engine, spec(turned_beta(prior, **how)), n=8000)
    assert_same_means(here, there)


@pytest.mark.parametrize("which", [0, 2])
def test_the_rates_of_a_judge_change_places_with_the_classes(counts_of_tables, qwen, which):
    """TPR and FPR of the judge of R, or of the judge of T where A is seen."""
    judges = [Judge("jR", of="retrieval"), Judge("jT", of="task")]
    rates = [(judges[0], 0.85, 0.2), (judges[1], 0.9, 0.3)]
    table = simulate(qwen, 200, "judge_only", n0=60, judges=rates, seed=5)
    counts = counts_of_tables([table], judges)
    how = R_TURNED if which == 0 else T_TURNED
    tpr, fpr = (5, 7) if which == 0 else (6, 8)
    order = [*how["order"], 5, 6, 7, 8]
    order[tpr], order[fpr] = fpr, tpr
    here = draw(counts, "hmc", n=8000)[..., order]
    here[..., how["flips"]] = 1 - here[..., how["flips"]]
    assert_same_means(here, draw(turned(counts, which), "hmc", n=8000))


# --- any table has a posterior -------------------------------------------------------------


@given(table=rows)
@settings(max_examples=40)
def test_every_table_of_labels_gets_draws_inside_0_and_1_or_a_reason(table):
    counts = read(table)
    for engine in ENGINES:
        try:
            p = draw(counts, engine, n=16)
        except EngineError as err:
            assert engine == "exact"
            assert "cannot draw" in str(err)  # noqa: PT017
        else:
            assert ((p >= 0) & (p <= 1)).all()
