"""What verdicts are worth, in human labels."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.derived.factors import Factors, complete_information, factor_names, information
from rat_widgets.derived.worth import labels_worth, verdict_worth
from rat_widgets.errors import ArgumentError
from rat_widgets.labels.levels import TWO_LEVELS
from rat_widgets.model.likelihood import log_likelihood, pattern_probabilities
from rat_widgets.model.priors import Priors
from rat_widgets.model.worlds import PARAMETERS, worlds_of

APERTUS = rat.datasets.load("apertus")
APERTUS_POINT = rat.Theta.from_array([0.2072, 0.0390, 0.0050, 0.2585, 0.5157])
LENIENT = {"jR": {"of": "retrieval", "tpr": 0.95, "fpr": 0.5}}
R_JUDGE = rat.Judge("jR", of="retrieval")
JUDGES = {
    "jR": R_JUDGE,
    "jT": rat.Judge("jT", of="task"),
    "jA": rat.Judge("jA", of="abstention"),
    "jH": rat.Judge("jH", of="task", abstained_rate=0.3),
}
DOUBTFUL = {
    "jR": rat.Judge("jR", of="retrieval", unknown="unsure"),
    "jT": rat.Judge("jT", of="task", unknown="unsure", abstained_rate=0.3),
}
NAMES = factor_names(PARAMETERS, JUDGES, Priors.flat(tuple(JUDGES.values())).names)

inside = st.floats(0.05, 0.95)
seen = st.sampled_from((-1, 0, 1))


def values(theta, tpr, fpr):
    return np.array([*theta, *tpr, *fpr])


@given(
    st.lists(inside, min_size=5, max_size=5),
    st.lists(inside, min_size=4, max_size=4),
    st.lists(inside, min_size=4, max_size=4),
    st.lists(st.tuples(*[seen] * 8), min_size=1, max_size=6),
)
def test_factors_multiply_to_the_likelihood(theta, tpr, fpr, rows):
    patterns = np.array([(r, a, -1 if a == 1 else t, -1, *v) for r, a, t, *v in rows], np.int8)
    factors = Factors.of(patterns, tuple(JUDGES.values()), TWO_LEVELS, NAMES)
    ours = factors.joint(values(theta, tpr, fpr)).sum(axis=1)
    theirs = pattern_probabilities(
        patterns, np.array(theta), np.array(tpr), np.array(fpr), judges=tuple(JUDGES.values())
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)


@given(
    st.lists(inside, min_size=13, max_size=13),
    st.lists(st.tuples(*[seen] * 3, *[st.sampled_from((-1, 0, 1, 2))] * 2), min_size=1, max_size=6),
)
def test_factors_of_judges_that_may_not_tell_multiply_to_the_likelihood(at, rows):
    judges = tuple(DOUBTFUL.values())
    names = factor_names(PARAMETERS, DOUBTFUL, Priors.flat(judges).names)
    assert names == Priors.flat(judges).names
    at = np.array(at)
    patterns = np.array([(r, a, -1 if a == 1 else t, -1, *v) for r, a, t, *v in rows], np.int8)
    ours = Factors.of(patterns, tuple(DOUBTFUL.values()), TWO_LEVELS, names).joint(at).sum(axis=1)
    unknown = np.stack([at[11:], at[9:11]], axis=-1)  # given truth 0, given truth 1
    theirs = pattern_probabilities(
        patterns, at[:5], at[5:7], at[7:9], unknown=unknown, judges=judges
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-10)


def every_row(labels):
    """All patterns that rows with these columns seen can show."""
    patterns = np.full((1, 8), -1, np.int8)
    for column in labels:
        both = [patterns.copy(), patterns.copy()]
        both[0][:, column], both[1][:, column] = 0, 1
        patterns = np.concatenate(both)
    if 1 in labels:
        away = patterns[:, 1] == 1
        patterns[np.ix_(away, [2, 5, 7])] = -1
    return np.unique(patterns, axis=0)


@pytest.mark.parametrize(
    "labels", [(0, 1, 2), (1, 4), (1, 4, 5), (4, 6, 7), (0, 1, 5), (1, 2), (2, 4, 7)], ids=str
)
def test_information_is_the_curvature_of_the_likelihood(labels):
    """Against differences of `log_likelihood` at the counts that the point predicts."""
    at = values([0.3, 0.4, 0.1, 0.35, 0.7], [0.9, 0.8, 0.95, 0.85], [0.3, 0.2, 0.1, 0.25])
    patterns, judges = every_row(labels), tuple(JUDGES.values())
    patterns = np.concatenate([patterns, np.full((0, 8), -1, np.int8)])
    columns = [0, 1, 2, 3, 4, 5, 6, 7]
    factors = Factors.of(patterns[:, columns], tuple(JUDGES.values()), TWO_LEVELS, NAMES)
    counts = 1000 * factors.joint(at).sum(axis=1)
    logits = np.log(at / (1 - at))
    step = 1e-3

    def log_p(x):
        q = 1 / (1 + np.exp(-x))
        return log_likelihood(patterns, counts, q[..., :5], q[..., 5:9], q[..., 9:], judges=judges)

    eye = step * np.eye(len(at))
    corners = [log_p(logits + s * eye[:, None] + t * eye[None]) for s in (1, -1) for t in (1, -1)]
    curvature = -(corners[0] - corners[1] - corners[2] + corners[3]) / (4 * step**2)
    # differences of a step of 1e-3 err by step**2 times the fourth derivative, here below 1e-3
    np.testing.assert_allclose(information(factors, counts, at), curvature, atol=2e-3, rtol=1e-4)


@given(
    st.lists(inside, min_size=5, max_size=5),
    st.lists(st.integers(0, 60), min_size=10, max_size=10),
)
def test_labels_tell_more_when_a_was_not_seen_before(theta, counts):
    label, row = complete_information(np.array(theta), TWO_LEVELS)
    assert np.linalg.eigvalsh(label).min() > -1e-12
    assert np.linalg.eigvalsh(row - label).min() > -1e-12


@given(
    st.lists(inside, min_size=5, max_size=5),
    st.integers(10, 400),
    st.floats(0.5, 300),
    st.lists(st.floats(-1, 1), min_size=5, max_size=5).filter(lambda g: abs(g[0]) > 0.1),
)
def test_worth_gives_back_the_labels_that_were_added(theta, n, m, gradient):
    """The law that defines it: variance after m labels -> m."""
    theta, gradient = np.array(theta), np.array(gradient)
    label, row = complete_information(theta, TWO_LEVELS)
    without = n * row + np.diag(2 * theta * (1 - theta))
    variance = gradient @ np.linalg.solve(without + m * label, gradient)
    found = labels_worth(without, variance, label, gradient)
    assert found == pytest.approx(m, rel=1e-6)
    assert labels_worth(without, variance, label, gradient, n_max=m / 2) == math.inf
    assert labels_worth(without, gradient @ np.linalg.solve(without, gradient) * 1.01,
                        label, gradient) == 0  # fmt: skip


def judged(n, *, judges=LENIENT, n0=207, seed=0, **priors):
    frame = rat.simulate(APERTUS, n, "judge_only", n0=n0, judges=judges, seed=seed)
    known = [rat.Judge(c, of=j["of"], prior=priors.get(c)) for c, j in judges.items()]
    return frame, rat.fit(frame, judges=known, priors=None if priors else "flat", seed=seed)


@pytest.fixture(scope="module")
def cases():
    """The paper's 5.4: 207 joint rows, 5,000 verdicts of a lenient judge of R."""
    return [judged(5000, seed=seed) for seed in range(12)]


def width(post, key="policy_adherence"):
    row = post.summary().loc[key]
    return row["upper"] - row["lower"]


def test_verdicts_on_5000_rows_narrow_the_interval_as_in_the_paper(cases):
    """0.092 to 0.079 (ours, on data of the paper's 5.4); a width varies by 0.006 between seeds,
    so that the mean of twelve has a standard error of 0.0018."""
    labelled = [width(rat.fit(frame.iloc[:207].drop(columns="jR"))) for frame, _ in cases]
    assert np.mean(labelled) == pytest.approx(0.092, abs=4 * 0.0018)
    assert np.mean([width(post) for _, post in cases]) == pytest.approx(0.079, abs=4 * 0.0018)


def test_judged_rows_are_worth_74_joint_rows_and_27_of_that_are_the_verdicts(cases):
    """74: ours, from 0.092 to 0.079 on the labelled rows; the standard deviation between seeds
    is 10.5. With A counted on both sides, 27; of 5.9. Four standard errors of twelve."""
    worth = [verdict_worth(post) for _, post in cases]
    assert np.mean([w.n_labels_with_rows for w in worth]) == pytest.approx(74, abs=4 * 3.0)
    assert np.mean([w.n_labels for w in worth]) == pytest.approx(27, abs=4 * 1.7)


def test_the_approximate_variances_are_those_of_the_draws(cases):
    """Without a refit, within 3% of three fits on average over twelve data sets."""
    ratios = []
    for frame, post in cases:
        worth = verdict_worth(post)
        sds = (worth.sd_with, worth.sd_without, worth.sd_labelled)
        tables = (post, rat.fit(frame.drop(columns="jR")), rat.fit(frame.iloc[:207, :3]))
        ratios.append([s / p["policy_adherence"].std() for s, p in zip(sds, tables, strict=True)])
    assert np.mean(ratios, axis=0) == pytest.approx([1, 1, 1], abs=0.03)


def test_a_refit_with_so_many_labels_more_is_as_narrow(cases):
    """27 rows of the pool with labels in place of verdicts, against the fit with verdicts."""
    wide, narrow = [], []
    for seed, (_, post) in enumerate(cases):
        n = round(verdict_worth(post).n_labels)
        pool = rat.simulate(APERTUS, 5000 - n, "judge_only", n0=207 + n, seed=seed)
        narrow.append(rat.fit(pool, seed=seed)["policy_adherence"].std())
        wide.append(post["policy_adherence"].std())
    # sd of one ratio between seeds is about 0.08: other labels give another posterior
    assert np.mean(narrow) / np.mean(wide) == pytest.approx(1, abs=4 * 0.08 / math.sqrt(12))


def test_a_coin_is_worth_nothing():
    coin = {"jR": {"of": "retrieval", "tpr": 0.5, "fpr": 0.5}}
    worth = verdict_worth(judged(5000, judges=coin)[1])
    assert 0 <= worth.n_labels < 3


def test_a_perfect_judge_of_r_and_t_is_worth_the_labels_it_stands_for():
    judges = {c: {"of": of, "tpr": 1.0, "fpr": 0.0} for c, of in
              (("jR", "retrieval"), ("jT", "task"))}  # fmt: skip
    sure = {"tpr": (1e5, 1), "fpr": (1, 1e5)}
    _, post = judged(60_000, judges=judges, n0=40_000, jR=sure, jT=sure)
    for target in ("policy_adherence", "task_success", "retrieval_success"):
        # the judged rows are a sample, in which a share of 0.2 varies by 0.8%
        assert verdict_worth(post, target).n_labels == pytest.approx(60_000, rel=4 * 0.008)


@pytest.mark.parametrize("buys", ["t_then_r", "r_then_t", "half_joint_t"])
def test_labels_that_were_bought_by_what_others_said_tell_what_the_draws_say(buys):
    """R only where T=1 or A=1, say: what is hidden is not made up as the other rows predict."""
    frame = rat.simulate(APERTUS_POINT, 400, buys, n0=100, seed=1, judges=LENIENT)
    more = rat.simulate(APERTUS_POINT, 2000, "judge_only", seed=2, judges=LENIENT)
    post = rat.fit(pd.concat([frame, more]), judges=R_JUDGE)
    for target in ("policy_adherence", "task_success"):
        # a normal approximation with 500 labelled rows, and 1.1% from 4,000 draws
        sd = float(post[target].std())
        assert verdict_worth(post, target).sd_with == pytest.approx(sd, rel=0.05)


def with_verdicts(post, times):
    """The same posterior mean beside so many times the rows that only a judge has judged."""
    counts = post.counts
    alone = (counts.patterns[:, :3] >= 0).sum(axis=1) == 1
    more = np.where(alone, times * counts.counts, counts.counts)
    return replace(post, draws=replace(post.draws, counts=replace(counts, counts=more)))


def test_more_verdicts_are_never_worth_less(cases):
    post = judged(500)[1]
    for target in ("policy_adherence", "task_success"):
        worths = [verdict_worth(with_verdicts(post, k), target) for k in (0, 1, 2, 4, 8, 16)]
        assert worths[0].n_labels == 0
        for name in ("n_labels", "n_labels_with_rows"):
            found = [getattr(w, name) for w in worths]
            assert (np.diff(found) > -1e-3).all(), found
        assert (np.diff([w.sd_with for w in worths]) <= 1e-12).all()


def test_a_verdict_tells_no_more_than_the_label_it_is_about(cases):
    for _, post in cases:
        worth = verdict_worth(post)
        assert worth.n_max == 2 * 5000
        assert worth.n_labels < 5000
        assert worth.sd_with <= worth.sd_without <= worth.sd_labelled


def test_judges_are_weighed_one_by_one_or_together():
    two = LENIENT | {"jT": {"of": "task", "tpr": 0.9, "fpr": 0.2}}
    post = judged(2000, judges=two)[1]
    alone = [verdict_worth(post, judges=[key]).n_labels for key in two]
    assert max(alone) < verdict_worth(post).n_labels
    assert verdict_worth(post, judges=[]).n_labels == 0
    assert verdict_worth(post, judges=list(two)) == verdict_worth(post)


def test_versions_of_one_judge_are_told_apart():
    frame = rat.simulate(APERTUS, 800, "judge_only", n0=100, seed=2, judges={
        "a": {"of": "retrieval", "tpr": 0.95, "fpr": 0.05},
        "b": {"of": "retrieval", "tpr": 0.6, "fpr": 0.5},
    })  # fmt: skip
    judges = [rat.Judge(c, of="retrieval", name="gpt", version=c) for c in "ab"]
    post = rat.fit(frame, judges=judges)
    good, bad = (verdict_worth(post, judges=[f"gpt {c}"]).n_labels for c in "ab")
    assert good > 3 * bad


def test_other_groups_that_share_the_judge_make_its_verdicts_worth_more():
    frame, _ = judged(4000, n0=400, seed=5)
    frame["system"] = np.arange(len(frame)) % 4
    posts = rat.fit(frame, judges=[R_JUDGE], by="system", seed=1)
    together = posts.judges["worth"].to_numpy()
    assert (together > [p.judges["worth"].iloc[0] for p in posts]).all()
    own = rat.fit(frame, judges=[replace(R_JUDGE, share="group")], by="system", seed=1)
    each = [p.judges["worth"].iloc[0] for p in own]
    assert own.judges["worth"].to_numpy() == pytest.approx(each)


def test_graded_retrieval_has_a_worth_too():
    levels = ("none", "partial", "all")
    truth = rat.GradedTheta(
        levels=levels, retrieval=(0.2, 0.3, 0.5), abstain_given=(0.5, 0.2, 0.05),
        correct_given=(0.2, 0.4, 0.8),
    )  # fmt: skip
    judges = {"jT": {"of": "task", "tpr": 0.9, "fpr": 0.1}}
    frame = rat.simulate(truth, 2000, "judge_only", n0=150, judges=judges, seed=3)
    post = rat.fit(frame, judges=[rat.Judge("jT", of="task")], retrieval_levels=levels)
    worth = verdict_worth(post, "task_success")
    assert worth.sd_with == pytest.approx(post["task_success"].std(), rel=0.1)
    assert 100 < worth.n_labels < 2000
    assert len(worlds_of(levels).parameters) == 8


def test_verdicts_that_do_not_decide_tell_something_too():
    """A judge that is silent more often on misses, against the draws."""
    frame, _ = judged(2000, n0=300, seed=7)
    truth = rat.simulate(APERTUS, 2000, n0=300, seed=7)["R"].to_numpy(int)
    is_silent = np.random.default_rng(7).random(len(frame)) < np.where(truth == 1, 0.1, 0.5)
    frame["jR"] = frame["jR"].astype(object).where(~is_silent, "unsure")
    post = rat.fit(frame, judges=[DOUBTFUL["jR"]], seed=7)
    worth = verdict_worth(post)
    assert worth.sd_with == pytest.approx(post["policy_adherence"].std(), rel=0.05)
    dropped = frame.assign(jR=frame["jR"].where(~is_silent, None))
    assert worth.n_labels > verdict_worth(rat.fit(dropped, judges=[R_JUDGE], seed=7)).n_labels


def test_r_never_seen_is_no_exception():
    frame, _ = judged(1000)
    frame["R"] = frame["R"].mask(frame["R"] >= 0)
    post = rat.fit(frame, judges=[R_JUDGE])
    assert math.isfinite(verdict_worth(post, "task_success").n_labels)
    assert not math.isnan(verdict_worth(post).n_labels)


@pytest.mark.parametrize("n_hidden", [0, 200])
def test_rows_that_declined_are_no_verdicts_where_r_was_never_seen(n_hidden):
    """Nobody has to label them: with R hidden, A says all there is, to people as to the model."""
    df = rat.datasets.load("openqa_nq301")
    df = df[df["system"] == "text-davinci-003_zeroshot"].reset_index(drop=True).astype({"T": float})
    df.loc[: n_hidden - 1, "T"] = None
    judge = rat.Judge("T_davinci3", of="task")
    post = rat.fit(df, judges=[judge], retrieval=None, abstention="A", task="T")
    worth = verdict_worth(post, "task_success")
    assert df["A"].sum() == 21
    assert worth.n_labels_with_rows == pytest.approx(worth.n_labels, rel=1e-6)
    assert (worth.n_labels > 5) == (n_hidden > 0)
    assert (worth.n_labels < 0.01) == (n_hidden == 0)


def test_unknown_judges_and_targets_are_refused(cases):
    post = cases[0][1]
    with pytest.raises(ArgumentError, match="'jR'"):
        verdict_worth(post, judges=["gpt"])
    with pytest.raises(ArgumentError, match="selective_accuracy"):
        verdict_worth(post, "accuracy")
