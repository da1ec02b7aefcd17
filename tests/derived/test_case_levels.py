"""Grades in each case that a graded judge's errors depend on."""

from __future__ import annotations

import numpy as np
import pytest

import rat_widgets as rat
from rat_widgets.derived.case_levels import case_levels
from rat_widgets.model.worlds import worlds_of

THETA = rat.Theta.from_array([0.42, 0.30, 0.06, 0.35, 0.80])


def _draws(judge: rat.Judge) -> rat.Draws:
    frame = rat.simulate(THETA, n=60, seed=1).astype(float)
    rng = np.random.default_rng(2)
    frame["g"] = rng.integers(0, 3, 60).astype(object)
    frame.loc[:5, "g"] = "?"
    return rat.fit(frame, judges=[judge], draws=200).draws


JUDGES = {
    "task on R": rat.Judge("g", of="task", levels=(0, 1, 2), unknown="?", depends_on="retrieval"),
    "task on A": rat.Judge("g", of="task", levels=(0, 1, 2), unknown="?", depends_on="abstention"),
    "R on task": rat.Judge("g", of="retrieval", levels=(0, 1, 2), unknown="?", depends_on="task"),
}
CASE_OF = {
    "task on R": lambda w, i: ("miss", "hit")[int(w.level[i])],
    "task on A": lambda w, i: ("answered", "abstained")[int(w.abstained[i])],
    "R on task": lambda w, i: ("not_right", "right")[int(w.right[i])],
}


@pytest.mark.parametrize("name", JUDGES)
def test_grades_in_a_case_are_those_of_its_worlds(name: str) -> None:
    draws = _draws(JUDGES[name])
    found, worlds = case_levels(draws), worlds_of(draws.counts.retrieval_levels)
    answers = draws.emissions.answers(0, draws.rates)
    truth = worlds.hit if name == "R on task" else worlds.right
    seen = set()
    for i in range(len(worlds.names)):
        case = f"{int(truth[i])}_{CASE_OF[name](worlds, i)}"
        decided = answers[..., i, :3].sum(axis=-1)
        for level in range(3):
            key = f"level_{level}_given_{case}[g]"
            seen.add(key)
            np.testing.assert_allclose(found[key] * decided, answers[..., i, level], atol=1e-12)
    assert seen == set(found)


def test_judges_whose_grades_depend_on_the_truth_alone_have_none() -> None:
    for more in ({}, {"dependence": "saturated"}):
        judge = rat.Judge("g", of="task", levels=(0, 1, 2), unknown="?", **more)  # type: ignore[arg-type]
        assert case_levels(_draws(judge)) == {}
