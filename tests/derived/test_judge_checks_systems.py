"""Checks of judges over several systems, which share them or do not."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets.errors import ArgumentError

from .judged_frames import JUDGES, THETA, judged_frame, message_of

OWN = [rat.Judge(j.column, of=j.of, name=j.name, share="group") for j in JUDGES]


@pytest.mark.parametrize("as_counts", [False, True])
def test_groups_share_what_may_be_said_by_chance(as_counts) -> None:
    # The same table as many times as there are groups: what is clear alone may not be among many.
    one = judged_frame(5, n_human=200, n_only=0, after_miss=0.26)
    alone = rat.fit(one, judges=OWN, draws=1000)
    many = pd.concat([one.assign(system=i) for i in range(12)])
    labels = rat.Labels.from_frame(many, judges=OWN, by="system")
    posts = rat.fit(labels.counts if as_counts else labels, draws=1000)
    assert alone.judge_findings
    assert not posts.sel(system=0).judge_findings
    there = posts.sel(system=0).check_judges()
    p, q = (checks["p_value"].min() for checks in (alone.check_judges(), there))
    assert q == pytest.approx(p, rel=0.1)
    assert (there["n_systems"] == 1).all()


def test_of_judges_that_groups_share_the_rows_of_all_are_evidence() -> None:
    # In none of six systems is it clear; of one instrument it is.
    frames = [judged_frame(seed, n_human=40, n_only=100, after_miss=0.35) for seed in range(6)]
    many = pd.concat([frame.assign(system=i) for i, frame in enumerate(frames)])
    own = rat.fit(many, judges=OWN, by="system", draws=400)
    assert not own.judge_findings
    posts = rat.fit(many, judges=JUDGES, by="system", draws=400)
    (finding,) = posts.judge_findings
    assert finding.cure == {"depends_on": "retrieval"}
    wrong = many[(many["A"] == 0) & (many["T"] == 0) & (many["R"] == 0)]
    assert f"{wrong['jT'].sum():.0f} of {len(wrong)} where retrieval failed" in finding.message.text
    assert finding.message.text.endswith("(over the rows of 6 systems).")
    for post in posts:
        assert post.judge_findings == (finding,)
        assert finding.message in post.diagnosis.messages
    checks = posts.check_judges()
    assert (checks["n_systems"] == 6).all()
    pd.testing.assert_frame_equal(
        posts.sel(system=0).check_judges(), posts.sel(system=5).check_judges()
    )
    again = pickle.loads(pickle.dumps(posts))
    assert again.judge_findings == posts.judge_findings


def _system(name, seed, *, hits=0.6, rates=(0.85, 0.2), n=300, labelled=0.3, by_verdict=False):
    """A system with a judge of T that errs by the truth alone."""
    rng = np.random.default_rng([seed, 2])
    frame = rat.simulate(replace(THETA, retrieval_success=hits), n=n, seed=seed).astype(float)
    tpr, fpr = rates
    frame["jT"] = (rng.random(n) < np.where(frame["T"] == 1, tpr, fpr)).astype(float)
    is_labelled = rng.random(n) < labelled
    if by_verdict:
        is_labelled = frame["jT"] == 0
    frame.loc[~is_labelled, ["R", "T"]] = np.nan
    return frame.assign(system=name)


def test_a_system_for_which_a_judge_differs_does_not_make_its_errors_look_dependent() -> None:
    # Where P(hit) differs, too, hits and misses are judged by different mixtures of two judges.
    n_depends = n_differs = 0
    for seed in range(12):
        frames = [
            _system(i, 100 * seed + i, hits=hits, rates=(0.5, 0.05) if i == 4 else (0.85, 0.2))
            for i, hits in enumerate((0.9, 0.75, 0.6, 0.4, 0.2))
        ]
        posts = rat.fit(pd.concat(frames), judges=[JUDGES[1]], by="system", draws=400)
        n_depends += bool(posts.judge_findings)
        n_differs += any(one.group == (4,) for one in posts.members[0].judges_that_differ)
    assert n_differs >= 10
    assert n_depends <= 3


def test_errors_that_depend_do_not_make_a_judge_look_different_where_hits_are_rare() -> None:
    n_depends = n_differs = 0
    for seed in range(10):
        frames = []
        for i, hits in enumerate((0.9, 0.75, 0.6, 0.4, 0.2)):
            theta = replace(THETA, retrieval_success=hits)
            frame = rat.simulate(theta, n=1000, seed=100 * seed + i).astype(float)
            rng = np.random.default_rng([seed, i, 3])
            passes = np.where(frame["T"] == 1, 0.85, np.where(frame["R"] == 1, 0.1, 0.4))
            frame["jT"] = (rng.random(1000) < passes).astype(float)
            frame.loc[300:, ["R", "T"]] = np.nan
            frames.append(frame.assign(system=i))
        posts = rat.fit(pd.concat(frames), judges=[JUDGES[1]], by="system", draws=400)
        n_depends += any(f.cure == {"depends_on": "retrieval"} for f in posts.judge_findings)
        n_differs += bool(posts.members[0].judges_that_differ)
    assert n_depends >= 9
    assert n_differs <= 3


def test_a_check_that_leaves_a_system_out_says_so_there_too() -> None:
    """A judge that leans on retrieval in four systems, and is another one for the fifth."""
    frames = [_system(i, 10 + i, n=600, rates=(0.85, 0.05)) for i in range(4)]
    for i, frame in enumerate(frames):
        drawn = rat.simulate(replace(THETA, retrieval_success=0.6), n=600, seed=10 + i).astype(
            float
        )
        rng = np.random.default_rng([i, 5])
        is_led = (drawn["R"] == 0) & (drawn["T"] != 1) & (rng.random(600) < 0.5)
        frame.loc[is_led & (frame["A"] == 0), "jT"] = 1.0
    frames.append(_system(4, 14, n=600, rates=(0.3, 0.05)))
    posts = rat.fit(pd.concat(frames), judges=[JUDGES[1]], by="system", draws=400)
    assert [one.group for one in posts.members[0].judges_that_differ] == [(4,)]
    (finding,) = posts.judge_findings
    said = finding.message.text
    assert "(over the rows of 4 systems for which no judge differs)" in said
    assert message_of(posts.sel(system=4), "judge_depends").text == said
    alike = rat.fit(pd.concat(frames[:4]), judges=[JUDGES[1]], by="system", draws=400)
    (finding,) = alike.judge_findings
    assert "(over the rows of 4 systems)" in finding.message.text


def test_what_differs_is_told_by_rows_that_show_it() -> None:
    odd = {"n": 1500, "rates": (0.4, 0.1), "by_verdict": True}
    frames = [_system("a", 1), _system("b", 2, **odd), _system("c", 3)]
    posts = rat.fit(pd.concat(frames), judges=[JUDGES[1]], by="system", draws=400)
    (differs,) = posts.members[0].judges_that_differ
    assert differs.group == ("b",)
    assert "were chosen for labelling by what it says" in differs.message.text
    assert "passes 0 of" not in differs.message.text
    frames = [_system("a", 1), _system("b", 2, by_verdict=True), _system("c", 3, rates=(0.3, 0.1))]
    posts = rat.fit(pd.concat(frames), judges=[JUDGES[1]], by="system", draws=400)
    message = message_of(posts.sel(system="c"), "rates_differ")
    right = frames[0][(frames[0]["A"] == 0) & (frames[0]["T"] == 1)]
    assert f"the other groups' {right['jT'].sum():.0f} of {len(right)}" in message.text


def test_of_a_system_without_labels_no_count_of_them_is_told() -> None:
    rng = np.random.default_rng(4)
    frames = []
    for i, labelled in enumerate((0.5, 0.0, 0.5)):
        frame = _system(i, i, n=1500, labelled=labelled)
        drawn = rat.simulate(replace(THETA, retrieval_success=0.6), n=1500, seed=i).astype(float)
        truth = drawn["T"] == 1
        for name, passes in (("v1", (0.85, 0.2)), ("v2", (0.2, 0.2) if i == 1 else (0.85, 0.2))):
            frame[name] = (rng.random(1500) < np.where(truth, *passes)).astype(float)
        frames.append(frame)
    judges = [JUDGES[1], rat.Judge("v1", of="task"), rat.Judge("v2", of="task")]
    posts = rat.fit(pd.concat(frames), judges=judges, by="system", draws=400)
    (differs,) = posts.members[0].judges_that_differ
    assert differs.group == (1,)
    assert "none of which has a human label of the answer; it may be" in differs.message.text
    assert "0 of 0" not in differs.message.text


def test_a_system_without_a_label_to_look_at_is_no_evidence() -> None:
    frames = [judged_frame(seed, n_human=200, n_only=0, after_miss=0.5) for seed in range(3)]
    frames[1][["R", "T"]] = np.nan
    many = pd.concat([frame.assign(system=i) for i, frame in enumerate(frames)])
    posts = rat.fit(many, judges=JUDGES, by="system", draws=400, selection="outcome")
    assert (posts.check_judges()["n_systems"] == 2).all()
    (finding,) = posts.judge_findings
    assert finding.judges == ("mini",)


def test_judges_that_are_shared_and_judges_that_are_not_have_checks_of_their_own() -> None:
    judges = [OWN[0], JUDGES[1]]
    frames = [
        judged_frame(seed, n_human=120, after_miss=0.4).assign(system=seed) for seed in range(3)
    ]
    posts = rat.fit(pd.concat(frames), judges=judges, by="system", draws=400)
    checks = posts.sel(system=1).check_judges()
    assert dict(zip(zip(checks["judge"], checks["other"]), checks["n_systems"], strict=True)) == {
        ("mini", "retrieval"): 3,
        ("jR", "abstention"): 1,
        ("jR", "task"): 1,
        ("jR", "mini"): 1,
    }
    assert checks["n_human"].tolist()[1:3] == [120, 120]
    assert [found.judges for found in posts.judge_findings] == [("mini",)]


def test_several_systems_have_the_findings_and_the_checks_of_each() -> None:
    frame = pd.concat(
        [judged_frame(after_miss=0.5).assign(s="a"), judged_frame(1, after_miss=0.5).assign(s="b")]
    )
    posts = rat.fit(frame, judges=OWN, by="s", draws=400)
    assert posts.judge_findings == sum((p.judge_findings for p in posts), ())
    cured = rat.cured(JUDGES, posts.judge_findings)
    assert [judge.depends_on for judge in cured] == [None, "retrieval"]
    checks = posts.check_judges()
    for p, key in zip(posts, "ab", strict=True):
        pd.testing.assert_frame_equal(checks.loc[key], p.check_judges(), check_names=False)
    with pytest.raises(ArgumentError, match=r"'a' is a group.*\n.*\nHint: posts.sel\(s='a'\)"):
        posts["a"]


def test_what_is_found_of_shared_judges_is_let_in_where_others_are_looked_at():
    """A lenient judge of answers that systems share made a system's own judge of R look odd."""
    rng = np.random.default_rng([77, 3])
    frames = []
    for system in "abc":
        r = rng.random(2300) < rng.uniform(0.4, 0.7)
        a = rng.random(2300) < np.where(r, 0.1, 0.4)
        t = (rng.random(2300) < np.where(r, 0.75, 0.35)) & ~a
        j_r = rng.random(2300) < np.where(r, 0.88, 0.12)
        j_t = rng.random(2300) < np.where(t, 0.9, 0.1 + 0.35 * ~r)
        frame = pd.DataFrame({"R": r, "A": a, "T": t, "jR": j_r, "jT": j_t}).astype(float)
        frame.loc[300:, ["R", "T"]] = np.nan
        frames.append(frame.assign(system=system))
    judges = [rat.Judge("jR", of="retrieval", share="group"), rat.Judge("jT", of="task")]
    posts = rat.fit(pd.concat(frames, ignore_index=True), by="system", judges=judges, draws=400)
    assert [found.judges for found in posts.judge_findings] == [("jT",)]
