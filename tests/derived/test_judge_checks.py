"""Checks of judges as a posterior tells them: words, frame and cures."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets.derived.judge_check_text import call_of
from rat_widgets.derived.judge_findings import JudgeFinding
from rat_widgets.inference import departures
from rat_widgets.inference.diagnose import Message

from .judged_frames import JUDGES, judged_frame, message_of


def test_a_judge_that_is_lenient_after_a_miss_is_named_with_its_rates_and_its_cure() -> None:
    frame = judged_frame(after_miss=0.5)
    post = rat.fit(frame, judges=JUDGES, draws=1000)
    wrong = frame[(frame["A"] == 0) & (frame["T"] == 0)]
    hit, miss = (wrong[wrong["R"] == value]["jT"] for value in (1, 0))
    message = message_of(post, "judge_depends")
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
    frame = judged_frame(copied=0.9)
    post = rat.fit(frame, judges=judges, draws=1000)
    seen = frame[frame["T"].notna()]
    both = ((seen["jT"] != seen["T"]) & (seen["jT2"] != seen["T"])).sum()
    message = message_of(post, "judges_dependent")
    assert "'jT' and 'jT2' err together" in message.text
    assert f"on {both} of the " in message.text
    assert message.advice.count('dependence="saturated"') == 2
    assert post.judge_findings[0].cure == {"dependence": "saturated"}


@pytest.mark.parametrize("seed", range(4))
def test_of_three_judges_that_copy_that_is_what_is_said(seed) -> None:
    frame = judged_frame(seed, copied=0.85)
    rng = np.random.default_rng([seed, 9])
    frame["jT3"] = np.where(rng.random(len(frame)) < 0.85, frame["jT"], frame["jT2"])
    judges = [rat.Judge(column, of="task") for column in ("jT", "jT2", "jT3")]
    first, *_ = rat.fit(frame, judges=judges, draws=400).judge_findings
    assert first.cure == {"dependence": "saturated"}


def test_the_frame_has_every_check_and_says_which_were_said() -> None:
    post = rat.fit(judged_frame(after_miss=0.5), judges=JUDGES, draws=1000)
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
    post = rat.fit(judged_frame(), judges=JUDGES, draws=1000)
    assert not post.judge_findings
    assert not post.check_judges()["said"].any()
    assert not {"judge_depends", "judges_dependent"} & set(post.diagnosis.codes)


def test_nothing_is_checked_where_nobody_has_labelled() -> None:
    frame = judged_frame(n_human=0)
    post = rat.fit(frame, judges=JUDGES[:1], draws=1000, constraint="tpr>fpr")
    assert post.check_judges().empty
    seen = judged_frame(n_only=0)
    assert rat.fit(seen.drop(columns=["jR", "jT", "jT2"])).check_judges().empty
    assert list(rat.fit(seen).check_judges().columns) == list(post.check_judges().columns)


def test_pins_do_not_change_what_was_found() -> None:
    post = rat.fit(judged_frame(after_miss=0.5), judges=JUDGES, draws=1000)
    pinned = post.pin(retrieval_success=0.9)
    assert pinned.check_judges().equals(post.check_judges())


@pytest.mark.parametrize("engine", ["exact", "hmc"])
def test_every_engine_leads_to_the_same_checks(engine) -> None:
    frame = judged_frame(n_only=0)
    found = rat.fit(frame, judges=JUDGES, engine=engine, draws=1000).check_judges()
    other = rat.fit(frame, judges=JUDGES, engine="exact", seed=7).check_judges()
    # Modes are found to a thousandth of a logit from whatever start.
    np.testing.assert_allclose(found["p_value"], other["p_value"], atol=5e-3)


def test_copies_of_rows_are_no_more_evidence_when_clusters_say_so() -> None:
    one = judged_frame(after_miss=0.4, n_only=0).assign(query=range(200))
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
    frame = judged_frame(after_miss=0.5)
    cured = rat.fit(frame, judges=judges, draws=1000)
    assert not cured.judge_findings
    assert ("mini", "retrieval") not in set(
        cured.check_judges()[["judge", "other"]].itertuples(index=False, name=None)
    )
    saturated = [rat.Judge(j.column, of=j.of, dependence="saturated") for j in JUDGES]
    assert rat.fit(frame, judges=saturated, draws=1000).check_judges().empty


def test_a_graded_judge_is_checked_level_by_level() -> None:
    rng = np.random.default_rng(2)
    frame = judged_frame(n_human=300, n_only=0)
    level = 1 + 1.2 * (frame["T"] == 1) + 1.2 * (frame["R"] == 0) + rng.normal(0, 0.8, len(frame))
    frame["jT"] = np.clip(np.round(level), 0, 3).astype(int)
    judge = rat.Judge("jT", of="task", levels=(0, 1, 2, 3))
    message = message_of(rat.fit(frame, judges=judge, draws=1000), "judge_depends")
    assert "it gives 3 to" in message.text


def test_a_cure_can_be_pasted_and_keeps_what_the_caller_set_of_a_judge() -> None:
    rng = np.random.default_rng(2)
    frame = judged_frame(n_human=300, n_only=0)
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
    written = eval(call_of(judge, cure), {"rat": rat})
    said = Message("info", "", "", "")
    (wanted,) = rat.cured([judge], [JudgeFinding(judges=("j",), cure=cure, message=said)])
    assert written == wanted


def test_labels_bought_by_outcome_make_no_judge_look_dependent() -> None:
    # Wrong answers after a miss are labelled three times as often as others.
    found = []
    for seed in range(8):
        frame = judged_frame(seed, n_human=1500, n_only=0)
        failed = (frame["R"] == 0) & (frame["T"] == 0)
        rng = np.random.default_rng([seed, 2])
        hidden = rng.random(len(frame)) > np.where(failed, 0.45, 0.15)
        frame.loc[hidden, ["R", "T"]] = np.nan
        post = rat.fit(frame, judges=JUDGES, draws=400, selection="outcome")
        found.append(bool(post.judge_findings))
    # Binomial(8, LEVEL) is more than 3 in one of 200 runs; seeds are fixed.
    assert sum(found) <= 3


def test_what_is_detectable_is_found_in_nine_of_ten_tables_and_half_of_it_is_not() -> None:
    """The departure that well-behaved tables say they would show, in 40 others."""

    def checked(frame):
        return rat.fit(frame, judges=JUDGES, draws=400)

    told = pd.concat(
        checked(judged_frame(400 + seed)).check_judges().iloc[[2]] for seed in range(8)
    )
    assert told["judge"].eq("mini").all()
    least = told.loc[told["truth"] == 0, "detectable"].mean()
    said = {
        share: sum(
            bool(checked(judged_frame(500 + seed, after_miss=share * least)).judge_findings)
            for seed in range(40)
        )
        for share in (1, 0.5)
    }
    # Nine of ten to first order: 30 of 40 or fewer come in one of a hundred runs at 0.88.
    assert said[1] >= 31
    assert said[0.5] <= 26


def test_fewer_labels_can_tell_less() -> None:
    known = [
        rat.fit(judged_frame(7, n_human=n), judges=JUDGES, draws=400).check_judges()["detectable"]
        for n in (50, 800)
    ]
    assert (known[0] > known[1]).all()
    assert known[0].between(0, 1).all()


def test_what_is_detectable_is_worked_out_for_the_frame_alone(monkeypatch) -> None:
    post = rat.fit(judged_frame(7), judges=JUDGES, draws=400)
    expected = rat.fit(judged_frame(7), judges=JUDGES, draws=400).check_judges()["detectable"]
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


def test_with_few_labels_for_many_judges_nothing_is_said():
    """Of 40 judges that err each by itself, with two labelled rows a judge, a pair stood out."""
    rng = np.random.default_rng([1, 2, 40, 200])
    right = rng.random(200) < 0.4
    verdicts = {
        f"j{i}": np.where(right, rng.random(200) < 0.88, rng.random(200) < 0.17).astype(float)
        for i in range(40)
    }
    table = pd.DataFrame(verdicts).assign(A=0, T=np.where(rng.random(200) > 0.4, np.nan, right))
    columns = {"retrieval": None, "abstention": "A", "task": "T", "draws": 400}
    many, some = (
        rat.fit(table, judges=[rat.Judge(f"j{i}", of="task") for i in range(n)], **columns)
        for n in (40, 3)
    )
    assert many.judge_findings == ()
    assert many.check_judges()["detectable"].isna().all()
    assert some.check_judges()["detectable"].notna().any()
