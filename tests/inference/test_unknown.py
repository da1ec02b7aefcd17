"""Judges that may say that they cannot tell: likelihood, engines, mirror images, the constraint."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, EngineError
from rat_widgets.inference.engine import sample
from rat_widgets.labels.judges import Judge
from rat_widgets.model.collapsed import collapse
from rat_widgets.model.likelihood import JudgeTable, log_likelihood, pattern_probabilities

JUDGES = (Judge("jR", of="retrieval", unknown="?"), Judge("jT", of="task", unknown="?"))
inside = st.floats(0.02, 0.98)


def counts_of(df, judges):
    return rat.Labels.from_frame(df, judges=list(judges)).counts


def simulated(theta, *, silent=(0.1, 0.3), n=800, n0=200, seed=1):
    """Verdicts of a judge of R, some withheld depending on the truth, most rows judge only."""
    rng = np.random.default_rng([seed, 1])  # not the stream that the table comes from
    df = rat.simulate(theta, n0 + n, "all_joint", seed=seed)
    hit = df["R"].to_numpy(dtype=int)
    says = (rng.random(len(df)) < np.where(hit, 0.85, 0.2)).astype(object)
    says[rng.random(len(df)) < np.where(hit, silent[1], silent[0])] = "?"
    df["jR"] = says
    df.loc[n0:, ["R", "T"]] = None
    return df


@given(st.lists(inside, min_size=13, max_size=13))
def test_the_verdicts_of_a_row_are_a_distribution(values):
    p = np.array(values)
    verdicts = [(r, t) for r in (0, 1, 2) for t in (0, 1, 2)]
    patterns = np.array([[-1, 0, -1, -1, r, t] for r, t in verdicts])
    table = JudgeTable.of(JUDGES)
    chance = pattern_probabilities(
        patterns, p[:5], p[5:7], p[7:9], unknown=table.unknown(p[9:11], p[11:]), judges=table
    )
    alone = pattern_probabilities(np.array([[-1, 0, -1, -1, -1, -1]]), p[:5])
    assert chance.sum() == pytest.approx(alone[0], rel=1e-12)


@given(
    st.lists(inside, min_size=13, max_size=13),
    st.lists(
        st.tuples(
            st.sampled_from((-1, 0, 1)),
            st.sampled_from((-1, 0, 1)),
            st.sampled_from((-1, 0)),
            st.just(-1),
            st.sampled_from((-1, 0, 1, 2)),
            st.sampled_from((-1, 0, 1, 2)),
        ),
        min_size=1,
        max_size=12,
    ),
)
def test_the_collapsed_likelihood_is_the_likelihood(values, rows):
    p = np.array(values)
    counts = rat.PatternCounts.from_patterns(rows, [1] * len(rows), judges=JUDGES)
    table = JudgeTable.of(JUDGES)
    unknown = table.unknown(p[9:11], p[11:])
    expected = log_likelihood(
        counts.patterns, counts.counts[0], p[:5], p[5:7], p[7:9], unknown=unknown, judges=table
    )
    few = collapse(counts)
    log = np.concatenate([np.log(p), np.log1p(-p)])
    found = few.ones[0] @ np.log(p) + few.zeros[0] @ np.log1p(-p)
    terms = np.exp(few.exponents @ log + few.log_factor).sum(axis=1)
    assert found + few.rows[0] @ np.log(terms) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_labelled_rows_alone_give_betas_of_all_four_rates(qwen):
    df = simulated(qwen, n=0, n0=600)
    (draws,) = sample(counts_of(df, JUDGES[:1]))
    assert draws.engine == "exact"
    hit, says = df["R"] == 1, df["jR"]
    silent = (hit & (says == "?")).sum()
    mean = (1 + silent) / (2 + hit.sum())
    found = draws.by_name()["unknown_given_1[jR]"]
    assert found.mean() == pytest.approx(mean, abs=5 * found.std() / np.sqrt(found.size))
    yes = (hit & (says == True)).sum()  # noqa: E712
    tpr = draws.by_name()["tpr[jR]"]
    expected = (1 + yes) / (2 + hit.sum() - silent)
    assert tpr.mean() == pytest.approx(expected, abs=5 * tpr.std() / np.sqrt(tpr.size))


def test_engines_agree_where_verdicts_stand_alone(qwen):
    counts = counts_of(simulated(qwen), JUDGES[:1])
    (ours,) = sample(counts, engine="hmc", draws=8000, seed=1)
    (theirs,) = sample(counts, engine="nuts", seed=2)
    for name, a in ours.by_name().items():
        b = theirs.by_name()[name]
        assert a.mean() == pytest.approx(b.mean(), abs=0.12 * a.std()), name
        assert a.std() == pytest.approx(b.std(), rel=0.12), name


def test_silence_that_depends_on_the_truth_teaches_about_it(qwen):
    """A judge that cannot tell on misses alone: taken as missing verdicts, P(R) comes out high."""
    df = simulated(qwen, silent=(0.6, 0.02), n=3000, n0=150, seed=3)
    told = rat.fit(df, judges=[Judge("jR", of="retrieval", unknown="?")])
    deaf = rat.fit(df.assign(jR=df["jR"].where(df["jR"] != "?", None)), judges=JUDGES[:1])
    widths = [np.ptp(np.quantile(p["retrieval_success"], (0.025, 0.975))) for p in (told, deaf)]
    assert widths[0] < widths[1]
    low, high = np.quantile(told["retrieval_success"], (0.0005, 0.9995))
    assert low < qwen.retrieval_success < high


def test_the_truth_is_covered_when_a_judge_may_be_silent(qwen):
    """Coverage of 95% intervals over 80 tables: binomial, five standard errors."""
    n = 80
    tables = [simulated(qwen, n=300, n0=80, seed=seed).assign(table=seed) for seed in range(n)]
    judge = Judge("jR", of="retrieval", unknown="?", share="group")
    counts = rat.Labels.from_frame(pd.concat(tables), judges=judge, by="table").counts
    covered = 0
    for draws in sample(counts, engine="hmc", draws=1000, seed=1):
        low, high = np.quantile(draws.by_name()["unknown_given_1[jR]"], (0.025, 0.975))
        covered += low <= 0.3 <= high
    assert abs(covered / n - 0.95) < 5 * np.sqrt(0.95 * 0.05 / n)


def test_weak_priors_do_not_hide_that_no_person_checked_the_judges(qwen, counts_of_tables):
    judges = [Judge("jR", of="retrieval"), Judge("kR", of="retrieval")]
    rates = [(judges[0], 0.9, 0.15), (judges[1], 0.85, 0.1)]
    counts = counts_of_tables(
        [rat.simulate(qwen, 3000, "judge_only", judges=rates, seed=1)], judges
    )
    (draws,) = sample(counts, "weak", draws=1200, seed=1)
    assert "not_anchored" in draws.diagnosis.codes
    assert any(message.level == "problem" for message in draws.diagnosis.messages)


def test_a_constraint_keeps_the_solution_in_which_judges_are_better_than_a_coin(
    qwen, counts_of_tables
):
    judges = [Judge("jR", of="retrieval"), Judge("kR", of="retrieval")]
    rates = [(judges[0], 0.9, 0.15), (judges[1], 0.85, 0.1)]
    counts = counts_of_tables(
        [rat.simulate(qwen, 3000, "judge_only", judges=rates, seed=1)], judges
    )
    few = {"draws": 1200, "seed": 1}
    (free,) = sample(counts, **few)
    (told,) = sample(counts, **few, constraint="tpr>fpr")
    assert "not_anchored" in free.diagnosis.codes
    assert not {"not_anchored", "several_modes"} & set(told.diagnosis.codes)
    assert "constraint" in told.diagnosis.codes
    # What is said of a judge's rates is said of the draws that were kept.
    rates = np.concatenate([told.tpr, told.fpr], axis=-1).reshape(-1, 4)
    widths = np.ptp(np.quantile(rates, (0.025, 0.975), axis=0), axis=0)
    vague = [m for m in told.diagnosis.messages if m.code == "judge_vague"]
    assert len(vague) == (widths > 0.3).sum() < 4
    assert (told.tpr > told.fpr).all()
    assert told.theta.shape == free.theta.shape
    kept = (free.tpr > free.fpr).all(axis=-1)
    mine, theirs = told.theta[..., 0].ravel(), free.theta[kept][:, 0]
    assert mine.mean() == pytest.approx(theirs.mean(), abs=0.4 * mine.std())
    again = sample(counts, **few, constraint="tpr>fpr")[0]
    assert (again.theta == told.theta).all()


def test_a_constraint_that_changes_nothing_changes_nothing(apertus, counts_of_tables):
    judge = Judge("jR", of="retrieval")
    table = rat.simulate(apertus, 800, "judge_only", n0=200, judges=[(judge, 0.95, 0.1)], seed=2)
    counts = counts_of_tables([table], [judge])
    (free,), (told,) = sample(counts), sample(counts, constraint="tpr>fpr")
    for name, a in told.by_name().items():
        b = free.by_name()[name]
        assert a.mean() == pytest.approx(b.mean(), abs=0.12 * b.std()), name


def test_groups_that_share_a_judge_keep_the_same_draws(qwen, apertus):
    judge = Judge("jR", of="retrieval")
    tables = [
        rat.simulate(theta, 400, "judge_only", judges=[(judge, 0.9, 0.2)], seed=i)
        for i, theta in enumerate((qwen, apertus))
    ]
    both = pd.concat([t.assign(system=name) for t, name in zip(tables, "ab", strict=True)])
    counts = rat.Labels.from_frame(both, judges=judge, by="system").counts
    one, other = sample(counts, constraint="tpr>fpr", draws=800)
    assert (one.tpr == other.tpr).all()
    assert (one.tpr > one.fpr).all()


def test_a_vague_rate_comes_with_the_number_of_labels_that_would_place_it(
    apertus, counts_of_tables
):
    """With that many more labels of this kind the interval is about 20 points wide."""
    judge = Judge("jR", of="retrieval")
    table = rat.simulate(apertus, 40, judges=[(judge, 0.8, 0.2)], seed=3)
    counts = counts_of_tables([table], [judge])
    (draws,) = sample(counts)
    (message,) = [
        m for m in draws.diagnosis.messages if m.code == "judge_vague" and "TPR" in m.text
    ]
    more = int(message.advice.split()[1])
    hits = table[table["R"] == 1]
    yes = int(hits["jR"].sum())
    rate = yes / len(hits)
    a, b = 1 + yes + rate * more, 1 + len(hits) - yes + (1 - rate) * more
    width = 3.92 * np.sqrt(a * b / ((a + b) ** 2 * (a + b + 1)))
    assert 0.15 < width < 0.22


def test_constraints_that_make_no_sense_are_refused(qwen, counts_of_tables):
    counts = counts_of_tables([rat.simulate(qwen, 50, seed=1)])
    with pytest.raises(ArgumentError, match="there are no judges"):
        sample(counts, constraint="tpr>fpr")
    judge = Judge("jR", of="retrieval")
    judged = counts_of_tables(
        [rat.simulate(qwen, 400, n0=0, judges=[(judge, 0.1, 0.9)], seed=1)], [judge]
    )
    with pytest.raises(ArgumentError, match="`constraint` is 'fpr>tpr'"):
        sample(judged, constraint="fpr>tpr")
    with pytest.raises(EngineError, match="no better than a coin"):
        sample(judged, constraint="tpr>fpr")
