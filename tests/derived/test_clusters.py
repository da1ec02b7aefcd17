"""Rows that come in clusters: design effects, and clusters drawn anew."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.labels.clusters import ClusteredRows, cluster_report

THETA = rat.Theta(
    retrieval_success=0.6,
    abstain_given_miss=0.5,
    abstain_given_hit=0.1,
    correct_given_miss=0.3,
    correct_given_hit=0.8,
)
RATES = {"jt": {"of": "task", "tpr": 0.9, "fpr": 0.2}}
JUDGES = [rat.Judge("jt", of="task")]
COLUMNS = ("retrieval", "abstention", "task", "answerable")


def copies(n=80, times=3, seed=0, n_seen=None, **keywords):
    """The same rows several times, each under the name of its original."""
    frame = rat.simulate(THETA, n=n, seed=seed, **keywords)
    if n_seen is not None:
        frame.loc[n_seen:, ["R", "T"]] = None
    frame["c"] = np.arange(n)
    return pd.concat([frame] * times, ignore_index=True)


def report(values, clusters):
    patterns = np.full((len(values), 4), -1, dtype=np.int8)
    patterns[:, 0] = values
    rows = ClusteredRows(((),), np.zeros(len(values), np.int64), np.asarray(clusters), patterns)
    return cluster_report(rows, COLUMNS)


@pytest.mark.parametrize("judges", [(), JUDGES])
def test_copies_say_no_more_than_the_rows_that_were_copied(judges):
    """Counts of three copies, divided by three, are the counts of one, whatever the engine."""
    keywords = {"judges": RATES} if judges else {}
    n_seen = 40 if judges else None
    many = rat.fit(copies(n_seen=n_seen, **keywords), cluster="c", judges=judges)
    one = rat.fit(copies(times=1, n_seen=n_seen, **keywords).drop(columns="c"), judges=judges)
    assert many.counts.deff[0, 0] == pytest.approx(3.0)
    assert many.counts.deff[0, 1] == pytest.approx(3.0 if judges else 1.0)
    both = [p.summary().loc["task_success", ["mean", "lower", "upper"]] for p in (many, one)]
    assert both[0].to_numpy() == pytest.approx(both[1].to_numpy(), abs=1e-6)
    assert many.counts.n_rows == 240


@pytest.mark.parametrize("engine", ["hmc", "laplace", "nuts"])
def test_every_engine_divides_the_counts(engine):
    many, one = (
        rat.fit(copies(60, times, n_seen=30), cluster="c", engine=engine, draws=8000)
        for times in (3, 1)
    )
    # Two runs of 2,000 effective draws at least: five standard errors of a difference.
    far = 5 * one["policy_adherence"].std() * np.sqrt(2 / 2000)
    assert many["policy_adherence"].mean() == pytest.approx(one["policy_adherence"].mean(), abs=far)
    assert many["policy_adherence"].std() == pytest.approx(one["policy_adherence"].std(), rel=0.12)


def test_mixtures_need_whole_numbers_and_say_so():
    with pytest.raises(rat.errors.EngineError, match="design effect"):
        rat.fit(copies(n_seen=40), cluster="c", engine="exact")


def test_clusters_of_one_change_nothing():
    frame = copies(times=1, n_seen=40)
    plain, clustered = rat.fit(frame.drop(columns="c")), rat.fit(frame, cluster="c")
    assert np.array_equal(plain.draws.theta, clustered.draws.theta)
    assert clustered.counts == plain.counts
    blank = frame.assign(c=None)  # a row without a cluster is one of its own
    assert rat.fit(blank, cluster="c").counts == plain.counts


@given(
    st.lists(st.booleans(), min_size=4, max_size=40),
    st.integers(1, 5),
    st.randoms(use_true_random=False),
)
@settings(max_examples=50)
def test_a_design_effect_is_at_least_1_and_at_most_the_size_of_clusters(values, size, random):
    clusters = np.arange(len(values)) // size
    found = report(np.array(values, dtype=np.int8), clusters)
    sizes = np.bincount(clusters)
    assert 1 <= found.deff[0] <= (sizes**2).sum() / sizes.sum() + 1e-9
    order = list(range(len(values)))
    random.shuffle(order)
    shuffled = report(np.array(values, dtype=np.int8)[order], clusters[order])
    assert shuffled.deff == pytest.approx(found.deff)


def test_the_correlation_is_that_of_an_analysis_of_variance():
    """Two clusters of 2 with (1, 1) and (1, 0): MSB 1/4, MSW 1/4, so nothing lies between."""
    assert report([1, 1, 1, 0], [0, 0, 1, 1]).deff == (1, 1)
    # (1, 1, 1), (0, 0, 1), (0, 0, 0): MSB = 3 (5/9)^2 + ... = 7/9, MSW = (2/3) / 6 = 1/9.
    found = report([1, 1, 1, 0, 0, 1, 0, 0, 0], [0] * 3 + [1] * 3 + [2] * 3)
    between, within = 7 / 9, 1 / 9
    variance = (between - within) / 3
    assert found.correlation == pytest.approx(variance / (variance + within))
    assert found.deff == pytest.approx((1 + 2 * found.correlation, 1))
    assert found.label == "retrieval"


@given(st.integers(0, 10**6), st.integers(2, 30), st.floats(0.05, 0.95))
@settings(max_examples=40)
def test_all_rows_are_worth_what_all_sizes_allow_wherever_the_labels_are(seed, size, share):
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(12), size)
    truth = rng.random(12)[cluster] > rng.random(len(cluster))
    labelled = rng.random(len(cluster)) < share
    patterns = np.full((len(cluster), 5), -1, dtype=np.int8)
    patterns[:, 4] = truth
    patterns[labelled, 2] = truth[labelled]
    rows = ClusteredRows(((),), np.zeros(len(cluster), np.int64), cluster, patterns)
    found = cluster_report(rows, (*COLUMNS, "judge"))
    n = np.array([labelled.sum(), (~labelled).sum()])
    worth = n / found.deff
    every = len(cluster) / (1 + (size - 1) * found.correlation)
    # Labels beside each other are worth no more than all rows; the others have at least one.
    assert found.deff[0] <= 1 + (size - 1) * found.correlation + 1e-9
    if n[1] and every - worth[0] > 1:
        assert worth.sum() == pytest.approx(min(every, worth[0] + n[1]))


def test_labels_that_are_thin_in_their_clusters_say_nearly_all_they_say_elsewhere():
    """25 questions of 100 rows, 100 labels: a label more or less is one more or less."""
    rng = np.random.default_rng(0)
    cluster = np.repeat(np.arange(25), 100)
    truth = (rng.beta(2, 2, 25)[cluster] > rng.random(len(cluster))).astype(float)
    frame = pd.DataFrame({"T": truth, "c": cluster})
    frame["j"] = np.where(rng.random(len(cluster)) < 0.9, truth, 1 - truth)
    hidden = rng.permutation(len(cluster))[100:]
    frame.loc[hidden, "T"] = np.nan
    judges = [rat.Judge("j", of="task")]
    how = {"judges": judges, "retrieval": None, "abstention": "never", "draws": 1000}
    post = rat.fit(frame, cluster="c", **how)
    effect, other = post.counts.deff[0]
    assert effect < 2 < 20 < other
    plain = rat.fit(frame, **how)

    def width(post, key):
        return float(np.subtract(*np.quantile(post[key], (0.975, 0.025))))

    # A judge's rates hang on the labels and not on how many verdicts there are.
    assert width(post, "tpr[j]") < 1.8 * width(plain, "tpr[j]")
    # The rate hangs on the questions: at least as wide as 25 of them allow.
    assert width(post, "task_success") > 3.9 * np.sqrt(0.05 / 25) * 0.8


def test_where_every_cluster_has_one_label_the_report_says_that_labels_count_as_they_are():
    frame = pd.DataFrame({"c": np.repeat(np.arange(30), 8), "j": np.repeat([0.0, 1.0] * 15, 8)})
    frame["T"] = frame["j"].where(~frame["c"].duplicated())
    judges = [rat.Judge("j", of="task")]
    labels = rat.Labels.from_frame(
        frame, cluster="c", judges=judges, retrieval=None, abstention="never"
    )
    effect, other = labels.counts.deff[0]
    assert effect == 1 < other
    said = f"effect 1.00 where people labelled R or T, and elsewhere by {other:.2f}"
    assert said in str(labels.check())


def test_each_group_has_its_own_design_effect():
    alone, thrice = copies(times=1), copies()
    frame = pd.concat([alone.assign(s="a"), thrice.assign(s="b")], ignore_index=True)
    labels = rat.Labels.from_frame(frame, by="s", cluster="c")
    assert labels.counts.deff[:, 0] == pytest.approx([1.0, 3.0])
    assert "from 1.00 (a) to 3.00 (b)" in str(labels.check())
    assert labels.counts.pooled().deff[0, 0] == pytest.approx(320 / 160)
    assert rat.PatternCounts.from_json(labels.counts.to_json()) == labels.counts
    assert (labels.counts.group(1) + labels.counts.group(1)).deff[0, 0] == pytest.approx(3.0)


def test_one_cluster_tells_nothing_apart():
    post = rat.fit(copies(n=20, times=1).assign(c="only"), cluster="c")
    assert post.counts.deff[0, 0] == pytest.approx(20.0)
    assert "few_clusters" in post.diagnosis.codes


def test_drawn_clusters_agree_with_the_variance_of_a_ratio():
    """The Bayesian bootstrap's variance of a mean over clusters of one size, in closed form."""
    frame = copies(200)
    post = rat.fit(frame, cluster="c", cluster_method="bootstrap", draws=20_000)
    right = ((frame["T"] == 1) & (frame["A"] == 0))[:200].to_numpy(float)
    assert post.engine == "bootstrap"
    assert post["task_success"].mean() == pytest.approx(right.mean(), abs=0.002)
    exact = np.sqrt(right.var() / 201)  # Dirichlet(1, ..., 1) weights
    assert post["task_success"].std() == pytest.approx(exact, rel=0.03)
    again = rat.fit(frame, cluster="c", cluster_method="bootstrap", draws=20_000)
    assert np.array_equal(post["task_success"], again["task_success"])


def test_where_labels_are_missing_clusters_are_not_drawn_and_it_is_said_why():
    hidden = rat.fit(copies(n_seen=60), cluster="c", cluster_method="bootstrap")
    assert hidden.engine != "bootstrap"
    assert any("rows lack a label" in m.text for m in hidden.diagnosis.messages)
    assert hidden.counts.deff == pytest.approx(np.full((1, 2), 3.0))


def test_what_is_not_accepted_is_said():
    frame = copies(10)
    with pytest.raises(rat.errors.MissingColumnError, match="nobody"):
        rat.fit(frame, cluster="nobody")
    with pytest.raises(rat.errors.ArgumentError, match="no clusters to draw"):
        rat.fit(frame, cluster_method="bootstrap")
    with pytest.raises(rat.errors.ArgumentError, match="'deff' or 'bootstrap'"):
        rat.fit(frame, cluster="c", cluster_method="jackknife")
    counts = rat.Labels.from_frame(frame).counts
    with pytest.raises(rat.errors.CountsError, match="deff"):
        rat.PatternCounts(patterns=counts.patterns, counts=counts.counts, deff=[0.5])
    both = rat.PatternCounts(patterns=counts.patterns, counts=counts.counts, deff=[[2, 4]])
    one = rat.PatternCounts(patterns=counts.patterns, counts=counts.counts, deff=[2])
    assert both.deff.tolist() == [[2, 4]]
    assert one.deff.tolist() == [[2, 2]]


def test_views_bring_draws_or_the_design_effect():
    many = rat.tree(copies(), cluster="c").view
    assert many.groups[0].draws is not None
    judged = rat.judges(copies(n_seen=40, judges=RATES), cluster="c", judges=JUDGES).view
    assert judged.groups[0].deff == pytest.approx((3.0, 3.0))
    assert sum(judged.groups[0].counts) == 240


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "duckdb"])
def test_every_kind_of_table_has_the_same_clusters(kind):
    frame = copies(30)
    if kind == "polars":
        import polars as pl

        frame = pl.from_pandas(frame)
    elif kind == "pyarrow":
        import pyarrow as pa

        frame = pa.Table.from_pandas(frame)
    elif kind == "duckdb":
        import duckdb

        frame = duckdb.from_df(frame)
    labels = rat.Labels.from_frame(frame, cluster="c")
    assert labels.counts.deff[0, 0] == pytest.approx(3.0)
    assert labels.clusters[0].n_clusters == 30


def test_intervals_of_clustered_rows_cover():
    """Copies of three: ignored they cover too seldom. 120 tables; five standard errors."""
    rng_tables = [copies(60, seed=seed) for seed in range(120)]
    truth = THETA.worlds()["miss_right"] + THETA.worlds()["hit_right"]
    covered = {}
    for cluster in ("c", None):
        ends = np.array(
            [
                np.quantile(rat.fit(t, cluster=cluster, draws=1000)["task_success"], (0.025, 0.975))
                for t in rng_tables
            ]
        )
        covered[cluster] = ((ends[:, 0] <= truth) & (truth <= ends[:, 1])).mean()
    assert covered["c"] > 0.95 - 5 * np.sqrt(0.95 * 0.05 / 120)
    assert covered[None] < covered["c"] - 0.05
