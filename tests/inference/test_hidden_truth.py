"""Annotators as judges of a T that no row shows (Dawid and Skene 1979), and what identifies it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import rat_widgets as rat

SEVEN = [f"ann{i}" for i in range(1, 8)]
POINT = rat.Theta(
    retrieval_success=0.6,
    abstain_given_miss=0.4,
    abstain_given_hit=0.05,
    correct_given_miss=0.3,
    correct_given_hit=0.8,
)
RATES = {"a": (0.9, 0.1), "b": (0.8, 0.15), "c": (0.95, 0.3), "d": (0.85, 0.05)}


def votes(n: int, people: str, seed: int) -> pd.DataFrame:
    """Rows with R, A and votes; T hidden."""
    judges = {k: {"of": "task", "tpr": RATES[k][0], "fpr": RATES[k][1]} for k in people}
    return rat.simulate(POINT, n, judges=judges, seed=seed).assign(T=None)


def dawid_skene(said: np.ndarray) -> tuple[float, np.ndarray, np.ndarray]:
    """P(T=1), TPR and FPR by expectation and maximisation, begun at the majority of the votes.

    ``said`` has the votes, shape (row, annotator), NaN where there is none.
    """
    seen = ~np.isnan(said)
    one = np.where(seen, said, 0.0)
    truth = one.sum(1) / seen.sum(1)
    for _ in range(2000):
        share = truth.mean()
        tpr = (truth[:, None] * one).sum(0) / (truth[:, None] * seen).sum(0)
        fpr = ((1 - truth)[:, None] * one).sum(0) / ((1 - truth)[:, None] * seen).sum(0)
        yes, no = (
            np.prod(np.where(seen, np.where(one == 1, rate, 1 - rate), 1.0), axis=1)
            for rate in (tpr, fpr)
        )
        before, truth = truth, share * yes / (share * yes + (1 - share) * no)
        if np.abs(before - truth).max() < 1e-10:
            break
    return float(share), tpr, fpr


def fitted(df: pd.DataFrame, people: list[str], **how):
    judges = [rat.Judge(name, of="task") for name in people]
    return rat.fit(df, task=None, judges=judges, **how)


def test_rotating_annotators_are_as_dawid_and_skene_find_them():
    """Four people, three on each row, chosen anew; rows that declined carry no votes on T.

    One level of R alone is seen, so that nothing but votes tells of T. Priors are flat: posterior
    means and the maximum of the likelihood differ by skewness and a label on either side of a rate.
    """
    df = votes(3000, "abcd", seed=1).assign(R=1)
    out = np.random.default_rng(2).integers(4, size=len(df))
    for i, name in enumerate("abcd"):
        df[name] = df[name].astype(float).where(out != i)
    post = fitted(df, list("abcd"), constraint="tpr>fpr")
    said = df.loc[df["A"] == 0, list("abcd")].to_numpy(float)
    for key, value in estimates(said, list("abcd")).items():
        assert abs(post[key].mean() - value) < 0.5 * post[key].std(), key


def test_the_seven_annotators_of_mtrag_human_are_as_dawid_and_skene_find_them():
    """Some of the seven voted on 60 answers, 12 of them wrong, and maxima lie at the edge."""
    df = rat.datasets.load("mtrag_human").assign(R=1)
    post = fitted(df, SEVEN, constraint="tpr>fpr", draws=1000)
    said = df.loc[df["A"] == 0, SEVEN].to_numpy(float, na_value=np.nan)
    for key, value in estimates(said, SEVEN).items():
        low, high = np.quantile(post[key], (0.01, 0.99))
        assert low - 0.02 < value < high + 0.02, key


def estimates(said: np.ndarray, people: list[str]) -> dict[str, float]:
    """What Dawid and Skene's algorithm says of a table where R=1 on every row."""
    share, tpr, fpr = dawid_skene(said)
    rates = {"tpr": tpr, "fpr": fpr}
    named = {f"{k}[{p}]": float(rates[k][i]) for k in rates for i, p in enumerate(people)}
    return {"correct_given_hit": share, **named}


def test_nothing_tells_the_truth_from_its_mirror_image_until_somebody_says():
    """With T turned round TPR and FPR of everybody change places, and right answers with wrong."""
    df = votes(1500, "abc", seed=3)
    open_ = fitted(df, list("abc"), draws=8000)
    told = fitted(df, list("abc"), draws=8000, constraint="tpr>fpr")
    assert "not_anchored" in open_.diagnosis.codes
    assert "not_anchored" not in told.diagnosis.codes
    # one solution has TPR where the other has FPR: that is no finding about any of the three
    assert not {"judge_uninformative", "judge_vague"} & set(open_.diagnosis.codes)
    right = open_["tpr[a]"] > open_["fpr[a]"]
    assert 0.3 < right.mean() < 0.7  # the jumps between modes are few
    for key, mirrored in (("selective_accuracy", None), ("tpr[b]", "fpr[b]")):
        expected, error = told[key].mean(), 3 * told[key].std() / np.sqrt(400)
        other = open_[mirrored] if mirrored else 1 - open_[key]
        assert open_[key][right].mean() == pytest.approx(expected, abs=error)
        assert other[~right].mean() == pytest.approx(expected, abs=error)


def test_one_annotator_who_is_bound_anchors_the_others():
    df = votes(1500, "abc", seed=4)
    judges = [rat.Judge(name, of="task") for name in "abc"]
    how = {"task": None, "judges": judges, "constraint": "tpr>fpr"}
    all_, one = (rat.fit(df, **how, exempt=exempt) for exempt in ((), ("b", "c")))
    for key in ("task_success", "tpr[b]", "fpr[c]"):
        assert one[key].mean() == pytest.approx(all_[key].mean(), abs=0.2 * all_[key].std())


@pytest.mark.parametrize(("retrieval", "is_open"), [("R", False), (None, True)])
def test_two_annotators_need_a_third_view(retrieval, is_open):
    """R is one, since right answers are more common after a hit; without it rates are open."""
    df = votes(300, "ab", seed=5)
    post = fitted(df, ["a", "b"], retrieval=retrieval, constraint="tpr>fpr", draws=400)
    named = [m.text for m in post.diagnosis.messages if m.code == "not_identified"]
    assert any("tpr[a]" in text for text in named) is is_open


def test_answers_that_somebody_adjudicated_are_an_anchor():
    df = votes(800, "abc", seed=6)
    truth = (df[["a", "b", "c"]].astype(float).sum(axis=1) >= 2).astype(float)
    df["T"] = truth.where((df.index < 60) & (df["A"] == 0))
    post = rat.fit(df, judges=[rat.Judge(name, of="task") for name in "abc"])
    assert "not_anchored" not in post.diagnosis.codes
    assert (post["tpr[a]"] > post["fpr[a]"]).all()
