"""Diagnosis: what is said of a posterior."""

import re

import pytest

import rat_widgets as rat
from rat_widgets.inference import Diagnosis, Message, sample
from rat_widgets.inference.diagnose import convergence_messages
from rat_widgets.labels.judges import Judge
from rat_widgets.model.simulated_tables import simulate

_OF = {"a": "task", "b": "task", "c": "retrieval"}


def diagnosis(counts):
    return sample(counts)[0].diagnosis


def test_complete_labels_are_trusted(counts_of_tables, qwen):
    found = diagnosis(counts_of_tables([simulate(qwen, 300, seed=1)]))
    assert found.ok
    assert found.messages == ()
    assert str(found).startswith("Trustworthy.")


@pytest.mark.parametrize(
    ("level", "first"),
    [("info", "Trustworthy."), ("warning", "Trustworthy, but read the warnings.")],
)
def test_what_is_trusted_with_a_warning_says_so_first(level, first):
    messages = (Message(level, "code", "A text.", ""),)
    found = Diagnosis(engine="exact", reason="", messages=messages)
    assert found.ok
    assert str(found).splitlines()[0] == first


@pytest.mark.parametrize(
    ("strategy", "code", "advice"),
    [
        ("all_t", "not_identified", "Label R"),
        ("all_r", "prior_only", "Label T"),
        ("t_then_r", "not_identified", "random part"),
    ],
)
def test_labels_that_cannot_answer_are_flagged_with_advice(
    counts_of_tables, qwen, strategy, code, advice
):
    found = diagnosis(counts_of_tables([simulate(qwen, 500, strategy, seed=1)]))
    assert not found.ok
    message = next(m for m in found.messages if m.code == code)
    assert advice in message.advice
    assert message.text in str(found)


def test_no_rows_and_no_labels_are_said_to_be_the_prior(counts_of):
    assert diagnosis(counts_of([])).codes == ("no_labels",)
    assert "There are no rows" in str(diagnosis(counts_of([])))
    assert "No row shows any label" in str(diagnosis(counts_of([(-1, -1, -1)])))


def test_abstention_that_was_never_recorded_is_flagged(counts_of):
    found = diagnosis(counts_of([(1, -1, -1)] * 40 + [(0, -1, -1)] * 40))
    assert "abstain_given_hit" in str(found)
    assert "abstention='never'" in str(found)


def test_a_useless_judge_is_named(counts_of_tables, qwen):
    judge = Judge("coin", of="retrieval")
    counts = counts_of_tables([simulate(qwen, 400, judges=[(judge, 0.5, 0.5)], seed=2)], [judge])
    found = diagnosis(counts)
    assert "judge_uninformative" in found.codes
    assert "'coin'" in str(found)


def test_few_labels_are_mentioned(counts_of):
    assert "few_labels" in diagnosis(counts_of([(1, 0, 1), (0, 1, -1), (0, 0, 0)])).codes


def test_chains_that_disagree_are_a_problem():
    messages = convergence_messages({"a": 1.5, "b": 1.0}, {"a": 30.0, "b": 4000.0}, 20)
    found = Diagnosis(engine="nuts", reason="", messages=tuple(messages))
    assert not found.ok
    assert set(found.codes) == {"r_hat", "ess", "divergent"}
    assert "R-hat of a is 1.50" in str(found)


@pytest.mark.parametrize(
    ("n", "said"), [(1, "1 divergent transition:"), (2, "2 divergent transitions:")]
)
def test_divergences_are_counted_in_words_that_fit(n, said):
    (message,) = convergence_messages({"a": 1.0}, {"a": 4000.0}, n)
    assert message.text.startswith(said)
    summary = str(
        Diagnosis(engine="nuts", reason="", r_hat={"a": 1.0}, ess_bulk={"a": 4000.0}, n_divergent=n)
    )
    assert said.replace(":", ".") in summary


def test_statistics_that_do_not_exist_are_a_problem():
    messages = convergence_messages({"a": float("nan")}, {"a": float("nan")}, 0)
    assert [m.code for m in messages] == ["r_hat", "ess"]


def test_messages_come_worst_first():
    messages = [Message(level, level, "", "") for level in ("info", "problem", "warning")]
    found = Diagnosis(engine="e", reason="", messages=tuple(messages))
    assert found.codes == ("problem", "warning", "info")


@pytest.mark.parametrize(("judges", "is_quiet"), [(["j"], True), ([], False), (["j", "r"], False)])
def test_r_that_nothing_tells_of_is_spoken_of_once_where_answers_were_judged(judges, is_quiet):
    """Nobody asked for R: P(T) is to be trusted, whatever P(R) rests on."""
    rates = {
        "j": {"of": "task", "tpr": 0.9, "fpr": 0.2},
        "r": {"of": "retrieval", "tpr": 0.9, "fpr": 0.2},
    }
    df = rat.simulate(rat.datasets.load("qwen"), 600, judges=rates, seed=3)
    df.loc[100:, "T"] = None
    post = rat.fit(
        df, retrieval=None, judges=[Judge(key, of=rates[key]["of"]) for key in judges], seed=1
    )
    about_r = [m for m in post.diagnosis.messages if m.code in ("not_identified", "several_modes")]
    assert post.diagnosis.ok is is_quiet
    if is_quiet:
        ((level, _, text, _),) = about_r
        assert level == "info"
        assert text.startswith("No row shows R and no judge speaks of it")
    else:
        assert "problem" in {m.level for m in post.diagnosis.messages}


def test_messages_stand_in_the_order_of_their_levels_and_else_as_they_came():
    levels = ("info", "warning", "info", "problem", "warning")
    messages = tuple(Message(level, str(i), "A text.", "") for i, level in enumerate(levels))
    assert Diagnosis(engine="exact", reason="", messages=messages).codes == tuple("31402")


def test_of_many_probabilities_some_are_named():
    theta = rat.Theta.from_array([0.6, 0.4, 0.1, 0.3, 0.8])
    said = {key: {"of": of, "tpr": 0.9, "fpr": 0.2} for key, of in _OF.items()}
    table = rat.simulate(theta, 60, judges=said, seed=1).assign(R=None)
    judges = [rat.Judge(key, of=of, dependence="saturated") for key, of in _OF.items()]
    found = rat.fit(table, judges=judges, draws=400).diagnosis
    (message,) = [m for m in found.messages if m.code == "not_identified"]
    # Of 5 of the tree and dozens of rates 9 are named.
    assert re.search(r"pass_given_hit_right\[a\] and \d\d others: many values", message.text)
    assert len(message.text) < 500


def test_saturated_judges_of_answers_are_no_reason_to_distrust_where_nobody_looked_at_r():
    theta = rat.Theta.from_array([0.6, 0.4, 0.1, 0.3, 0.8])
    said = {key: {"of": "task", "tpr": 0.9, "fpr": 0.2} for key in "ab"}
    table = rat.simulate(theta, 300, judges=said, seed=1).drop(columns="R")
    judges = [rat.Judge(key, of="task", dependence="saturated") for key in said]
    found = rat.fit(table, retrieval=None, judges=judges).diagnosis
    assert found.ok
    (message,) = [m for m in found.messages if m.code == "not_identified"]
    assert message.level == "info"
    assert "No row shows R" in message.text
    assert "several_modes" not in found.codes


@pytest.mark.parametrize(
    ("n", "level"), [(1, "info"), (3, "info"), (4, "warning"), (11, "problem")]
)
def test_a_stray_divergent_trajectory_is_information(n, level):
    (message,) = convergence_messages({"a": 1.0}, {"a": 4000.0}, n)
    assert (message.code, message.level) == ("divergent", level)
