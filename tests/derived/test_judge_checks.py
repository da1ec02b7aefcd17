"""Checks of judges as a posterior tells them: words, frame and cures."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets.derived.judge_check_text import _call
from rat_widgets.derived.judge_checks import JudgeFinding
from rat_widgets.errors import ArgumentError
from rat_widgets.inference import departures
from rat_widgets.inference.diagnose import Message

THETA = rat.Theta(
    retrieval_success=0.5,
    abstain_given_miss=0.4,
    abstain_given_hit=0.1,
    correct_given_miss=0.35,
    correct_given_hit=0.7,
)
JUDGES = [rat.Judge("jR", of="retrieval"), rat.Judge("jT", of="task", name="mini")]


def _frame(seed=0, *, n_human=200, n_only=800, after_miss=0.0, copied=0.0):
    rng = np.random.default_rng([seed, 1])
    frame = rat.simulate(THETA, n=n_human + n_only, seed=seed).astype(float)
    r, t = frame["R"].to_numpy(), frame["T"].fillna(0).to_numpy()
    passes = np.where(t == 1, 0.9, 0.1 + after_miss * (r == 0))
    frame["jR"] = (rng.random(len(frame)) < np.where(r == 1, 0.9, 0.1)).astype(float)
    frame["jT"] = (rng.random(len(frame)) < passes).astype(float)
    other = (rng.random(len(frame)) < passes).astype(float)
    frame["jT2"] = np.where(rng.random(len(frame)) < copied, frame["jT"], other)
    frame.loc[n_human:, ["R", "T"]] = np.nan
    return frame


def _message(post, code):
    return next(m for m in post.diagnosis.messages if m.code == code)


def test_a_judge_that_is_lenient_after_a_miss_is_named_with_its_rates_and_its_cure() -> None:
    frame = _frame(after_miss=0.5)
    post = rat.fit(frame, judges=JUDGES, draws=1000)
    wrong = frame[(frame["A"] == 0) & (frame["T"] == 0)]
    hit, miss = (wrong[wrong["R"] == value]["jT"] for value in (1, 0))
    message = _message(post, "judge_depends")
    assert message.level == "warning"
    assert (
        f"'mini' depend on retrieval: of the labelled wrong answers it passes {hit.sum():.0f} of "
        f"{len(hit)} where retrieval succeeded and {miss.sum():.0f} of {len(miss)} where "
        "retrieval failed." in message.text
    )
    assert 'rat.Judge("jT", of="task", name="mini", depends_on="retrieval")' in message.advice
    (finding,) = post.judge_findings
    assert finding.judges == ("mini",)
    assert finding.cure == {"depends_on": "retrieval"}
    assert finding.message == message


def test_judges_that_err_together_are_named_with_how_often() -> None:
    judges = [rat.Judge("jT", of="task"), rat.Judge("jT2", of="task")]
    frame = _frame(copied=0.9)
    post = rat.fit(frame, judges=judges, draws=1000)
    seen = frame[frame["T"].notna()]
    both = ((seen["jT"] != seen["T"]) & (seen["jT2"] != seen["T"])).sum()
    message = _message(post, "judges_dependent")
    assert "'jT' and 'jT2' err together" in message.text
    assert f"on {both} of the " in message.text
    assert message.advice.count('dependence="saturated"') == 2
    assert post.judge_findings[0].cure == {"dependence": "saturated"}


@pytest.mark.parametrize("seed", range(4))
def test_of_three_judges_that_copy_that_is_what_is_said(seed) -> None:
    frame = _frame(seed, copied=0.85)
    rng = np.random.default_rng([seed, 9])
    frame["jT3"] = np.where(rng.random(len(frame)) < 0.85, frame["jT"], frame["jT2"])
    judges = [rat.Judge(column, of="task") for column in ("jT", "jT2", "jT3")]
    first, *_ = rat.fit(frame, judges=judges, draws=400).judge_findings
    assert first.cure == {"dependence": "saturated"}


def test_the_frame_has_every_check_and_says_which_were_said() -> None:
    post = rat.fit(_frame(after_miss=0.5), judges=JUDGES, draws=1000)
    frame = post.check_judges()
    assert list(zip(frame["check"], frame["judge"], frame["other"], strict=True)) == [
        ("depends_on", "jR", "abstention"),
        ("depends_on", "jR", "task"),
        ("depends_on", "mini", "retrieval"),
        ("together", "jR", "mini"),
    ]
    assert frame["said"].tolist() == [False, False, True, False]
    # A wrong answer that passes after a miss: fewer pass where retrieval succeeded.
    assert frame.loc[2, "truth"] == 0
    assert frame.loc[2, "statistic"] < -3
    # R of every labelled row says what a judge of retrieval should have said; T of answers only.
    assert frame.loc[0, "n_human"] == 200


def test_good_judges_are_not_spoken_of() -> None:
    post = rat.fit(_frame(), judges=JUDGES, draws=1000)
    assert not post.judge_findings
    assert not post.check_judges()["said"].any()
    assert not {"judge_depends", "judges_dependent"} & set(post.diagnosis.codes)


def test_nothing_is_checked_where_nobody_has_labelled() -> None:
    frame = _frame(n_human=0)
    post = rat.fit(frame, judges=JUDGES[:1], draws=1000, constraint="tpr>fpr")
    assert post.check_judges().empty
    seen = _frame(n_only=0)
    assert rat.fit(seen.drop(columns=["jR", "jT", "jT2"])).check_judges().empty
    assert list(rat.fit(seen).check_judges().columns) == list(post.check_judges().columns)


OWN = [rat.Judge(j.column, of=j.of, name=j.name, share="group") for j in JUDGES]


@pytest.mark.parametrize("as_counts", [False, True])
def test_groups_share_what_may_be_said_by_chance(as_counts) -> None:
    # The same table as many times as there are groups: what is clear alone may not be among many.
    one = _frame(5, n_human=200, n_only=0, after_miss=0.26)
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
    frames = [_frame(seed, n_human=40, n_only=100, after_miss=0.35) for seed in range(6)]
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
    message = _message(posts.sel(system="c"), "rates_differ")
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
    frames = [_frame(seed, n_human=200, n_only=0, after_miss=0.5) for seed in range(3)]
    frames[1][["R", "T"]] = np.nan
    many = pd.concat([frame.assign(system=i) for i, frame in enumerate(frames)])
    posts = rat.fit(many, judges=JUDGES, by="system", draws=400, selection="outcome")
    assert (posts.check_judges()["n_systems"] == 2).all()
    (finding,) = posts.judge_findings
    assert finding.judges == ("mini",)


def test_judges_that_are_shared_and_judges_that_are_not_have_checks_of_their_own() -> None:
    judges = [OWN[0], JUDGES[1]]
    frames = [_frame(seed, n_human=120, after_miss=0.4).assign(system=seed) for seed in range(3)]
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


def test_pins_do_not_change_what_was_found() -> None:
    post = rat.fit(_frame(after_miss=0.5), judges=JUDGES, draws=1000)
    pinned = post.pin(retrieval_success=0.9)
    assert pinned.check_judges().equals(post.check_judges())


@pytest.mark.parametrize("engine", ["exact", "hmc"])
def test_every_engine_leads_to_the_same_checks(engine) -> None:
    frame = _frame(n_only=0)
    found = rat.fit(frame, judges=JUDGES, engine=engine, draws=1000).check_judges()
    other = rat.fit(frame, judges=JUDGES, engine="exact", seed=7).check_judges()
    # Modes are found to a thousandth of a logit from whatever start.
    np.testing.assert_allclose(found["p_value"], other["p_value"], atol=5e-3)


def test_copies_of_rows_are_no_more_evidence_when_clusters_say_so() -> None:
    one = _frame(after_miss=0.4, n_only=0).assign(query=range(200))
    copies = pd.concat([one] * 3)
    found = {
        name: rat.fit(frame, judges=JUDGES, draws=1000, **more).check_judges()["p_value"].min()
        for name, frame, more in (
            ("one", one, {}),
            ("copies", copies, {}),
            ("clusters", copies, {"cluster": "query"}),
        )
    }
    assert found["copies"] < found["one"] ** 2
    assert found["clusters"] == pytest.approx(found["one"], rel=0.05)


def test_the_cure_leaves_nothing_to_say_and_is_not_asked_for_again() -> None:
    judges = [JUDGES[0], rat.Judge("jT", of="task", name="mini", depends_on="retrieval")]
    frame = _frame(after_miss=0.5)
    cured = rat.fit(frame, judges=judges, draws=1000)
    assert not cured.judge_findings
    assert ("mini", "retrieval") not in set(
        cured.check_judges()[["judge", "other"]].itertuples(index=False, name=None)
    )
    saturated = [rat.Judge(j.column, of=j.of, dependence="saturated") for j in JUDGES]
    assert rat.fit(frame, judges=saturated, draws=1000).check_judges().empty


def test_a_graded_judge_is_checked_level_by_level() -> None:
    rng = np.random.default_rng(2)
    frame = _frame(n_human=300, n_only=0)
    level = 1 + 1.2 * (frame["T"] == 1) + 1.2 * (frame["R"] == 0) + rng.normal(0, 0.8, len(frame))
    frame["jT"] = np.clip(np.round(level), 0, 3).astype(int)
    judge = rat.Judge("jT", of="task", levels=(0, 1, 2, 3))
    message = _message(rat.fit(frame, judges=judge, draws=1000), "judge_depends")
    assert "it gives 3 to" in message.text


def test_a_cure_can_be_pasted_and_keeps_what_the_caller_set_of_a_judge() -> None:
    rng = np.random.default_rng(2)
    frame = _frame(n_human=300, n_only=0)
    level = 2 + 1.2 * (frame["T"] == 1) + 1.2 * (frame["R"] == 0) + rng.normal(0, 0.8, len(frame))
    frame["jT"] = np.clip(np.round(level), 1, 5)
    judges = [rat.Judge("jT", of="task", name="g", levels=(1, 2, 3, 4, 5), cost=0.5)]
    post = rat.fit(frame, judges=judges, draws=1000)
    (finding,) = post.judge_findings
    assert "it gives 4 or better to" in finding.message.text
    written = finding.message.advice.split(": ", 1)[1].rsplit(". Without", 1)[0]
    assert (eval(written, {"rat": rat}),) == rat.cured(judges, post.judge_findings)


@pytest.mark.parametrize("keywords", [{"cuts": (0.25, 0.5)}, {"unknown": "unsure"}], ids=str)
@pytest.mark.parametrize(
    "cure", [{"depends_on": "retrieval"}, {"dependence": "saturated"}], ids=str
)
def test_a_judge_is_written_with_its_cure(keywords, cure) -> None:
    prior = {"prior": {"tpr": (2, 1)}} if "unknown" in keywords else {"monotone": True}
    judge = rat.Judge("j", of="task", depends_on="abstention", **keywords)
    if "dependence" not in cure:
        judge = rat.Judge("j", of="task", version="2", **prior, **keywords)
    written = eval(_call(judge, cure), {"rat": rat})
    said = Message("info", "", "", "")
    (wanted,) = rat.cured([judge], [JudgeFinding(judges=("j",), cure=cure, message=said)])
    assert written == wanted


def test_several_systems_have_the_findings_and_the_checks_of_each() -> None:
    frame = pd.concat(
        [_frame(after_miss=0.5).assign(s="a"), _frame(1, after_miss=0.5).assign(s="b")]
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


def test_labels_bought_by_outcome_make_no_judge_look_dependent() -> None:
    # Wrong answers after a miss are labelled three times as often as others.
    found = []
    for seed in range(8):
        frame = _frame(seed, n_human=1500, n_only=0)
        failed = (frame["R"] == 0) & (frame["T"] == 0)
        rng = np.random.default_rng([seed, 2])
        hidden = rng.random(len(frame)) > np.where(failed, 0.45, 0.15)
        frame.loc[hidden, ["R", "T"]] = np.nan
        post = rat.fit(frame, judges=JUDGES, draws=400, selection="outcome")
        found.append(bool(post.judge_findings))
    # Binomial(8, LEVEL) is more than 3 in one of 200 runs; seeds are fixed.
    assert sum(found) <= 3


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


def test_what_is_detectable_is_found_in_nine_of_ten_tables_and_half_of_it_is_not() -> None:
    """The departure that well-behaved tables say they would show, in 40 others."""

    def checked(frame):
        return rat.fit(frame, judges=JUDGES, draws=400)

    told = pd.concat(checked(_frame(400 + seed)).check_judges().iloc[[2]] for seed in range(8))
    assert told["judge"].eq("mini").all()
    least = told.loc[told["truth"] == 0, "detectable"].mean()
    said = {
        share: sum(
            bool(checked(_frame(500 + seed, after_miss=share * least)).judge_findings)
            for seed in range(40)
        )
        for share in (1, 0.5)
    }
    # Nine of ten to first order: 30 of 40 or fewer come in one of a hundred runs at 0.88.
    assert said[1] >= 31
    assert said[0.5] <= 26


def test_fewer_labels_can_tell_less() -> None:
    known = [
        rat.fit(_frame(7, n_human=n), judges=JUDGES, draws=400).check_judges()["detectable"]
        for n in (50, 800)
    ]
    assert (known[0] > known[1]).all()
    assert known[0].between(0, 1).all()


def test_what_is_detectable_is_worked_out_for_the_frame_alone(monkeypatch) -> None:
    post = rat.fit(_frame(7), judges=JUDGES, draws=400)
    expected = rat.fit(_frame(7), judges=JUDGES, draws=400).check_judges()["detectable"]
    asked = []
    worked_out = departures.Tested.detectable
    monkeypatch.setattr(
        departures.Tested,
        "detectable",
        lambda self, level: asked.append(level) or worked_out(self, level),
    )
    assert post.diagnosis.messages
    assert not asked
    saved = pickle.loads(pickle.dumps(post))
    for one in (post, post, saved):
        assert one.check_judges()["detectable"].tolist() == expected.tolist()
    assert len(asked) == 2
