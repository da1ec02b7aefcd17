"""Answerability in retrieval's place: right whatever labels are missing, or flagged."""

import numpy as np
import pytest

from rat_widgets.inference.answerability import sample_answerability
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors

# R, A, T, answerable; 60% of the unanswerable and 10% of the answerable are declined.
COMPLETE = {
    (0, 1, -1, 0): 600,
    (0, 0, 1, 0): 300,
    (0, 0, 0, 0): 100,
    (1, 1, -1, 1): 100,
    (1, 0, 1, 1): 600,
    (1, 0, 0, 1): 300,
}


def drawn(patterns):
    counts = PatternCounts.from_patterns(list(patterns), list(patterns.values()))
    (draws,) = sample_answerability(counts, Priors.flat(), seed=1)
    return draws


def test_complete_rows_give_betas():
    draws = drawn(COMPLETE)
    np.testing.assert_array_equal(draws.conjugate[:3], [(1001, 1001), (601, 401), (101, 901)])
    assert draws.diagnosis.messages == ()


def test_a_right_answer_without_a_record_of_abstention_was_an_answer():
    """Nothing is lost when A is recorded where T=0 only: T=1 implies A=0."""
    patterns = {
        (r, -1 if t == 1 else a, t if a == 0 else -1, ok): n
        for (r, a, t, ok), n in COMPLETE.items()
    }
    np.testing.assert_array_equal(drawn(patterns).conjugate[:3], drawn(COMPLETE).conjugate[:3])


def test_abstentions_that_were_never_recorded_are_flagged_and_stay_wide():
    patterns = {(r, -1, max(t, 0), ok): 0 for (r, a, t, ok) in COMPLETE}
    for (r, _, t, ok), n in COMPLETE.items():
        patterns[r, -1, max(t, 0), ok] += n
    draws = drawn(patterns)
    assert "answerability_not_identified" in draws.diagnosis.codes
    recall = draws.theta[..., 1]
    assert recall.min() < 0.1
    assert recall.max() > 0.6


def test_without_answerability_there_is_no_second_fit():
    counts = PatternCounts.from_patterns([(1, 0, 1)], [3])
    assert sample_answerability(counts, Priors.flat()) == (None,)


@pytest.mark.parametrize("answerable", [0, 1])
def test_that_no_question_was_of_the_other_kind_is_information(answerable):
    patterns = {
        (r, a, t, answerable): n for (r, a, t, ok), n in COMPLETE.items() if ok == answerable
    }
    assert drawn(patterns).diagnosis.ok
