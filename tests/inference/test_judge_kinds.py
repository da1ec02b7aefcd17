"""Judges of several kinds at their edges: two levels, empty levels, columns nobody looked at."""

import numpy as np
import pytest

import rat_widgets as rat
from rat_widgets.errors import LabelValueError, MissingColumnError
from rat_widgets.inference import ess_bulk, mcse_mean, sample
from rat_widgets.labels.counts import PatternCounts

GRADES = {"levels": (0, 1, 2, 3), "given_1": (0.1, 0.2, 0.3, 0.4), "given_0": (0.4, 0.3, 0.2, 0.1)}
G = rat.Judge("g", of="retrieval", levels=(0, 1, 2, 3))


def simulated(n, seed, **spec):
    return rat.simulate(rat.datasets.load("qwen"), n=n, judges={"g": spec}, seed=seed)


def test_a_judge_of_two_levels_is_a_judge_of_0_and_1():
    """Its prior, Dirichlet(1, 1), is the flat one of TPR and FPR: the same posterior."""
    rows = [
        [1, 0, 1, -1, 1],
        [0, 0, 0, -1, 0],
        [0, 0, 1, -1, 1],
        [0, 1, -1, -1, 0],
        [1, 0, 0, -1, 0],
    ]
    rows += [[-1, 0, -1, -1, 1], [-1, 0, -1, -1, 0]]
    plain, two = (
        sample(
            PatternCounts.from_patterns(rows, [9, 20, 5, 12, 3, 40, 60], judges=[judge]),
            engine="hmc",
            draws=8000,
            seed=3,
        )[0]
        for judge in (
            rat.Judge("g", of="retrieval"),
            rat.Judge("g", of="retrieval", levels=("no", "yes")),
        )
    )
    for name in ("theta", "tpr", "fpr"):
        one, other = getattr(plain, name), getattr(two, name)
        for k in range(one.shape[-1]):
            a, b = one[..., k], other[..., k]
            error = np.hypot(mcse_mean(a), mcse_mean(b))
            assert abs(a.mean() - b.mean()) < 4.5 * error, (name, k)
            # An sd from n effective draws errs by 1 / sqrt(2 n), relative to itself.
            error = np.hypot(*(1 / np.sqrt(2 * ess_bulk(draws)) for draws in (a, b)))
            assert error < 0.05
            assert b.std() == pytest.approx(a.std(), rel=4.5 * error), (name, k)


def test_a_level_that_nobody_gives_keeps_what_its_prior_says():
    """R seen everywhere: P(level | truth) is Dirichlet(2/4 + rows), also where rows are 0."""
    df = simulated(300, 1, of="retrieval", **GRADES)
    df.loc[df["g"] == 2, "g"] = 1
    post = rat.fit(df, judges=[G], draws=8000, seed=2)
    for truth in (0, 1):
        seen = df.loc[df["R"] == truth, "g"].value_counts().reindex(range(4), fill_value=0)
        for level in range(4):
            draws = post[f"level_{level}_given_{truth}[g]"]
            exact = (0.5 + seen[level]) / (2 + seen.sum())
            assert abs(draws.mean() - exact) < 4.5 * mcse_mean(draws), (truth, level)


@pytest.mark.parametrize("has_column", [True, False])
def test_a_dependence_on_what_nobody_saw_is_said_to_be_open(has_column):
    df = simulated(
        120, 1, of="task", depends_on="retrieval",
        tpr={"hit": 0.9, "miss": 0.9}, fpr={"hit": 0.1, "miss": 0.4},
    )  # fmt: skip
    judge = rat.Judge("g", of="task", depends_on="retrieval")
    df["R"] = None
    given = {"judges": [judge], "draws": 800}
    if has_column:
        post = rat.fit(df, **given)
    else:
        post = rat.fit(df.drop(columns="R"), retrieval=None, **given)
    (message,) = (m for m in post.draws.diagnosis.messages if m.code == "not_identified")
    assert message.level == "problem"
    for rate in ("tpr_given_miss[g]", "fpr_given_hit[g]", "retrieval_success"):
        assert rate in message.text
    assert "Label R" in message.advice
    assert np.isfinite(post["task_success"]).all()


def test_with_r_seen_on_some_rows_the_same_dependence_is_not_open():
    df = simulated(
        120, 1, of="task", depends_on="retrieval",
        tpr={"hit": 0.9, "miss": 0.9}, fpr={"hit": 0.1, "miss": 0.4},
    )  # fmt: skip
    judge = rat.Judge("g", of="task", depends_on="retrieval")
    post = rat.fit(df, judges=[judge], draws=800)
    assert "not_identified" not in post.draws.diagnosis.codes


def test_a_score_outside_0_to_1_is_refused_by_column_value_and_row():
    df = rat.simulate(rat.datasets.load("qwen"), n=20, seed=1)
    df["s"] = 0.4
    df.loc[7, "s"] = 1.5
    judge = rat.Judge("s", of="retrieval", cuts=(0.3, 0.6))
    with pytest.raises(LabelValueError, match=r"column 's'.* holds 1\.5 in 1 row \(row 7"):
        rat.fit(df, judges=[judge], draws=400)


def test_monotone_with_few_labels_still_rises_in_every_draw():
    df = simulated(12, 1, of="retrieval", **GRADES)
    judge = rat.Judge("g", of="retrieval", levels=(0, 1, 2, 3), monotone=True)
    free, rising = (rat.fit(df, judges=[j], draws=400, seed=1) for j in (G, judge))
    for post, is_free in ((free, True), (rising, False)):
        rates = post.draws.verdict_rates[0]
        slopes = np.diff(np.log(rates.given_1) - np.log(rates.given_0), axis=-1)
        assert (slopes < -1e-9).any() == is_free
    assert "few_labels" in rising.draws.diagnosis.codes


@pytest.mark.parametrize(
    ("hidden", "depends_on", "open_rates"),
    [
        ("T", "task", ("tpr_given_right[g]", "fpr_given_right[g]")),
        ("A", "abstention", ("tpr_given_abstained[g]", "fpr_given_abstained[g]")),
    ],
)
def test_a_judge_of_r_that_depends_on_what_nobody_saw_leaves_r_alone(
    hidden, depends_on, open_rates
):
    """R is seen on every row: P(R) is a Beta, whatever the verdicts; their rates are open."""
    df = simulated(120, 1, of="retrieval", tpr=0.9, fpr=0.2)
    judge = rat.Judge("g", of="retrieval", depends_on=depends_on)
    post = rat.fit(df.assign(**{hidden: None}), judges=[judge], draws=4000, seed=3)
    (message,) = (m for m in post.diagnosis.messages if m.code == "not_identified")
    assert all(rate in message.text for rate in open_rates)
    draws = post["retrieval_success"]
    hits, n = int(df["R"].sum()), len(df)
    assert abs(draws.mean() - (1 + hits) / (2 + n)) < 4.5 * mcse_mean(draws)


def test_clusters_of_one_row_change_nothing_for_any_kind_of_judge():
    df = simulated(80, 1, of="retrieval", **GRADES)
    df["d"] = rat.simulate(
        rat.datasets.load("qwen"), n=80, judges={"d": {"of": "task", "tpr": 0.9, "fpr": 0.2}},
        seed=1,
    )["d"]  # fmt: skip
    df.loc[40:, "R"] = None
    judges = [G, rat.Judge("d", of="task", depends_on="retrieval")]
    plain = rat.fit(df, judges=judges, draws=400, seed=1)
    alone = rat.fit(df.assign(c=range(80)), judges=judges, cluster="c", draws=400, seed=1)
    assert np.array_equal(plain.draws.rates, alone.draws.rates)
    assert alone.counts == plain.counts


def test_a_selection_column_that_does_not_exist_is_named_whatever_the_judges_are():
    df = simulated(80, 1, of="retrieval", **GRADES)
    for judge in (G, rat.Judge("g", of="retrieval", levels=(0, 1, 2, 3), monotone=True)):
        with pytest.raises(MissingColumnError, match="'bought'"):
            rat.fit(df, judges=[judge], selection="bought")
        # where there is such a column, the labels there tell of the grades and of nothing else
        post = rat.fit(df.assign(bought=True), judges=[judge], selection="bought", draws=400)
        told = rat.fit(df, judges=[judge], draws=400)
        assert post["retrieval_success"].std() > 1.5 * told["retrieval_success"].std()
