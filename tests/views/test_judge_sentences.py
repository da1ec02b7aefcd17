"""What is said of judges: golden vectors that the browser shares, and what sentences must say."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rat_widgets.views import judge_lines, judge_moves, judge_sentences
from rat_widgets.views.judge_assumption import Assumed, assumption_text
from rat_widgets.views.judge_cure import allowances, cure_line, cure_opening
from rat_widgets.views.judge_sentences import JudgeFinding, judge_deck, judge_headline
from rat_widgets.views.judge_words import (
    JUDGED,
    NEAR_COIN,
    NEAR_TIE,
    RATE_WORDS,
    rate_kind,
    rate_phrase,
)
from rat_widgets.views.sentences import plain

PATH = Path(__file__).parents[1] / "golden" / "judge_wording.json"
GOLDEN = json.loads(PATH.read_text("utf-8"))


def _lists(segments: Any) -> list[list[str]]:
    return [list(segment) for segment in segments]


def _without(vector: dict[str, Any], *out: str) -> dict[str, Any]:
    return {key: value for key, value in vector.items() if key not in out}


@pytest.mark.parametrize("vector", GOLDEN["findings"])
def test_findings_read_as_their_golden_vectors(vector: dict[str, Any]) -> None:
    finding = JudgeFinding(**vector["finding"])
    assert _lists(judge_headline(finding)) == vector["headline"]
    assert _lists(judge_headline(finding, is_whatif=True)) == vector["what_if"]
    assert _lists(judge_deck(finding)) == vector["deck"]


def test_lines_read_as_their_golden_vectors() -> None:
    for candidates, out in GOLDEN["focus"]:
        assert judge_sentences.focus(candidates) == out
    for youden, out in GOLDEN["worst"]:
        assert judge_sentences.worst(youden) == out
    for vector in GOLDEN["assumption"]:
        judges = [Assumed(**judge) for judge in vector["judges"]]
        assert assumption_text(judges, **vector["systems"]) == vector["text"]
    for vector in GOLDEN["moves_deck"]:
        said = judge_moves.moves_deck(**_without(vector, "segments"))
        assert _lists(said) == vector["segments"]
    for opening, task, policy, is_rate, is_all, segments in GOLDEN["cure_line"]:
        said = cure_line(opening, task, policy, is_rate=is_rate, is_all=is_all)
        assert _lists(said) == segments
    for vector in GOLDEN["cure_opening"]:
        case = _without(vector, "opening", "allowances")
        assert cure_opening(**case) == vector["opening"]
        assert allowances(**_without(case, "is_apart")) == vector["allowances"]
    for vector in GOLDEN["warnings"]:
        assert judge_lines.judge_warnings(**_without(vector, "warnings")) == vector["warnings"]
    for vector in GOLDEN["worth_line"]:
        said = judge_lines.worth_line(**_without(vector, "segments"))
        assert _lists(said) == vector["segments"]
    for now, before, errors, off, out in GOLDEN["steady"]:
        assert judge_lines.steady(now, before, errors=errors, off=off) == out
    for *arguments, out in GOLDEN["rate_line"]:
        assert judge_lines.rate_line(*arguments) == out
    for *arguments, out in GOLDEN["judge_line"]:
        assert judge_lines.judge_line(*arguments) == out


FINDING = JudgeFinding(**GOLDEN["findings"][0]["finding"])


def test_the_headline_and_the_deck_of_a_lenient_judge() -> None:
    naive = replace(FINDING, naive=(0.42, 0.41, 0.44))
    assert plain(judge_headline(naive)) == (
        "Taken at its word the judge finds evidence in 42 of 100 queries; corrected for its "
        "errors it is 22 (18–27)."
    )
    assert plain(judge_deck(naive)) == (
        "Of 100 misses it passes 27. Its verdicts still help: P(G) goes from 45–54% on human "
        "labels alone to 47–52% with both."
    )


probability = st.floats(0, 1)


@given(naive=probability, joint=probability, low=probability, of=st.sampled_from(list(JUDGED)))
def test_without_human_labels_no_corrected_number_is_said(
    naive: float, joint: float, low: float, of: str
) -> None:
    """Whatever the fit says, and whatever it is about, the verdicts alone are not believed."""
    finding = replace(
        FINDING,
        of=of,
        n_human=0,
        naive=(naive, 0.0, 1.0),
        joint=(joint, min(low, joint), 1.0),
    )
    said = plain(judge_headline(finding))
    assert said.startswith(f"No human labels of {JUDGED[of].letter}")
    assert "corrected" not in said
    assert "by hand" in plain(judge_deck(finding))


@given(tpr=probability, fpr=probability, half=st.floats(0, 0.4))
def test_a_judge_near_a_coin_is_told_of(tpr: float, fpr: float, half: float) -> None:
    j = (tpr - fpr, tpr - fpr - half, tpr - fpr + half)
    rates = {"tpr": (tpr, 0.0, 1.0), "fpr": (fpr, 0.0, 1.0)}
    said = judge_lines.judge_warnings(of="task", n_human=50, youden=j, **rates)
    assert bool(said) == (j[0] < NEAR_COIN or j[1] <= 0)
    finding = replace(FINDING, **rates, youden=j)
    both = f"{judge_lines.hundredths(tpr)} of 100 hits"
    assert not said or both in plain(judge_deck(finding))


@given(st.lists(st.tuples(st.integers(0, 2), probability, probability), min_size=1, max_size=3))
def test_the_focus_is_where_verdicts_mislead_most(
    candidates: list[tuple[int, float, float]],
) -> None:
    chosen = judge_sentences.focus(candidates)
    n_human, naive, joint = candidates[chosen]
    rivals = [c for c in candidates if c[0] > 0 or not any(n for n, _, _ in candidates)]
    assert (n_human > 0) == any(n for n, _, _ in candidates)
    largest = max(abs(c[1] - c[2]) for c in rivals)
    assert abs(naive - joint) >= largest - NEAR_TIE - 1e-6
    for n, a, b in candidates[:chosen]:
        assert abs(a - b) <= largest - NEAR_TIE + 1e-6 or (n == 0 and n_human > 0)


@given(
    st.lists(st.floats(0, 0.9), min_size=2, max_size=4, unique=True),
    st.lists(st.floats(-0.4 * NEAR_TIE, 0.4 * NEAR_TIE), min_size=4, max_size=4),
)
def test_noise_does_not_choose_between_judges_that_are_tied(
    values: list[float], noise: list[float]
) -> None:
    tied = [values[0] + off for off in noise[: len(values)]]
    assert judge_sentences.focus([(5, x + 0.05, 0.0) for x in tied]) == 0
    assert judge_sentences.worst(tied) == 0
    # Far apart the most misleading, and the worst, whatever the order is.
    apart = [round(x, 1) for x in values]
    if len(set(apart)) == len(apart):
        assert judge_sentences.focus([(5, x, 0.0) for x in apart]) == apart.index(max(apart))
        assert judge_sentences.worst(apart) == apart.index(min(apart))


def test_where_every_verdict_stands_beside_a_label_nothing_is_said_to_hold_up() -> None:
    """Taken at their word or corrected, it is people's labels that one would read."""
    beside = replace(FINDING, n_human=FINDING.n_verdicts, n_alone=0, is_a_added=False)
    assert plain(judge_headline(beside)) == (
        "Every verdict stands beside a human label: of 100 queries people find evidence in "
        "22 (18–27)."
    )
    assert plain(judge_deck(beside)) == (
        "Of 100 misses it passes 27. Its verdicts teach nothing more than the labels beside them."
    )
    others = replace(beside, n_alone=12, n_present=2)
    assert plain(judge_headline(others)).startswith("Every verdict on R stands beside")
    assert "help: P(G) goes from" in plain(judge_deck(others))


def test_what_is_taken_for_granted_is_that_of_the_model_in_force() -> None:
    plain_one, depends = (Assumed("j", by, is_shared=True) for by in ("", "retrieval"))
    assert assumption_text([plain_one], n_systems=1) == (
        "Given the truth, the judge's errors are taken as independent of everything else."
    )
    said = assumption_text([depends], n_systems=3, apart=["other"])
    assert "independent of everything but retrieval. " in said
    assert said.endswith("Its rates are taken as the same in every system but “other”.")
    here = assumption_text([plain_one], n_systems=3, apart=["this"], is_apart=True)
    assert here.endswith("Its rates are those of this system alone.")


WORTHLESS = {"policy_verdicts": (0.86, 1300), "task_verdicts": (0.4, 1300), "n_labelled": 150}


@given(st.floats(0, 20), st.integers(0, 500), st.sampled_from(["help", "move the answer"]))
def test_verdicts_are_credited_from_a_label_and_a_hundredth_of_the_labelled_rows_on(
    worth: float, n_labelled: int, does: str
) -> None:
    joint = (0.7, 0.69, 0.71) if does == "move the answer" else FINDING.joint_policy
    said = plain(
        judge_deck(
            replace(
                FINDING,
                policy_verdicts=(worth, 1300),
                n_labelled=n_labelled,
                joint_policy=joint,
            )
        )
    )
    is_credited = worth >= 1 and worth >= 0.01 * n_labelled
    assert (f" {does}: P(G) goes from" in said) == is_credited
    assert ("add next to nothing: A of the other rows takes P(G) from" in said) != is_credited


def test_a_is_credited_only_where_it_is_what_was_added() -> None:
    said = plain(judge_deck(replace(FINDING, **WORTHLESS, is_a_added=False)))
    assert said.endswith(
        "Its verdicts add next to nothing: P(G) is 45–54% on human labels alone and 47–52% with "
        "both."
    )


def test_verdicts_that_tell_of_the_task_alone_are_credited_with_that() -> None:
    of_task = replace(FINDING, of="task", **WORTHLESS)
    told = replace(of_task, task_verdicts=(30.0, 1300))
    assert "help: P(T) goes from" in plain(judge_deck(told))
    assert "A of the other rows takes P(G) from" in plain(judge_deck(of_task))


def test_verdicts_that_move_the_answer_are_not_praised() -> None:
    moved = replace(FINDING, joint_policy=(0.7, 0.69, 0.71))
    assert "move the answer" in plain(judge_deck(moved))
    same = replace(FINDING, joint_policy=FINDING.humans_policy)
    assert "add next to nothing" in plain(judge_deck(same))


def test_worth_beyond_the_rows_there_are_is_said_to_be_so() -> None:
    policy, task = (None, 10_000), (74.4, 10_000)
    said = judge_lines.worth_line(
        policy=policy,
        task=task,
        policy_verdicts=policy,
        task_verdicts=task,
        n_only=5,
        n_partly=0,
        n_human=9,
    )
    assert said[0] == (">10,000", "big")
    assert said[1][0].endswith("about P(T), 74.")


def test_what_the_verdicts_tell_beyond_a_is_said_beside_it() -> None:
    said = judge_lines.worth_line(
        policy=(74.2, 10_000),
        task=(12.2, 10_000),
        policy_verdicts=(27.1, 10_000),
        task_verdicts=(9.8, 10_000),
        n_only=5000,
        n_partly=9,
        n_human=207,
    )
    assert said[0] == ("74", "big")
    assert plain(said[1:]) == (
        "human labels would teach as much about P(G) as 5,000 more rows with verdicts and verdicts "
        "on 9 rows labelled in part do; about P(T), 12. Beyond A of those rows it is 27 for P(G) "
        "and 10 for P(T)."
    )


@given(probability, probability, st.tuples(*[st.floats(0, 0.1)] * 2), st.floats(0, 0.2))
def test_a_mean_that_noise_may_have_moved_stays(
    now: float, before: float, errors: tuple[float, float], off: float
) -> None:
    told = judge_lines.steady(now, before, errors=errors, off=off)
    assert told in (now, before)
    apart = abs(now - before)
    # Far below three errors it is the fit's mean, and far above the one under the moves.
    if apart < 2.9 * max(errors) + off:
        assert told == before
    if apart > 3.1 * sum(errors) + off:
        assert told == now


def test_a_judge_is_named_where_others_judge_other_truths() -> None:
    named = plain(judge_headline(replace(FINDING, n_present=2)))
    assert named.startswith("Taken at its word “gpt-4o-mini” finds evidence in ")
    holds = replace(FINDING, n_present=2, naive=FINDING.joint)
    assert plain(judge_headline(holds)).startswith("The word of “gpt-4o-mini” holds up: it finds")
    assert "the judge finds" in plain(judge_headline(FINDING))


def test_every_rate_of_every_judge_has_a_phrase() -> None:
    phrases = {rate_phrase(kind, of) for kind in RATE_WORDS for of in JUDGED}
    assert len(phrases) == len(RATE_WORDS) * len(JUDGED)
    assert rate_kind("unknown_given_1[a[b]]") == "unknown_given_1"


@pytest.mark.parametrize(
    ("cured", "said"),
    [
        (("a",), "You a and left out 1 judge. Against the fit, "),
        (("a", "b"), "You a, b and left out 1 judge. Against the fit, "),
    ],
)
def test_what_was_done_is_told_in_one_list(cured: tuple[str, ...], said: str) -> None:
    beliefs = dict.fromkeys(("retrieval_success", "task_success", "policy_adherence"), (0.5, 0.5))
    deck = judge_moves.moves_deck(
        pins={}, fitted={}, judges=[], n_priors=0, n_left_out=1, beliefs=beliefs, cured=cured
    )
    assert plain(deck).startswith(said)
