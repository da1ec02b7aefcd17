"""Judge: checked when it is made, and the same after a journey through a dictionary."""

from __future__ import annotations

import copy
import pickle

import pytest

from rat_widgets.errors import RatError
from rat_widgets.labels import Judge


def test_a_judge_is_called_like_its_column_by_default():
    assert Judge("verdict", of="task").name == "verdict"
    assert Judge("verdict", of="task", name="gpt-4o-mini").identity == ("gpt-4o-mini", None)


def test_a_judge_comes_back_from_a_dictionary_a_copy_and_a_pickle():
    judge = Judge(
        "v",
        of="task",
        name="j",
        version="2",
        prior={"fpr": (1, 9), "tpr": [8, 2]},
        share="group",
        abstained_rate=0,
        cost=3,
    )
    assert judge.prior == {"tpr": (8.0, 2.0), "fpr": (1.0, 9.0)}
    for other in (
        Judge.from_dict(judge.to_dict()),
        copy.deepcopy(judge),
        pickle.loads(pickle.dumps(judge)),
    ):
        assert other == judge
        assert hash(other) == hash(judge)


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"column": 3}, "`column`"),
        ({"column": ""}, "`column`"),
        ({"of": "answer"}, "'retrieval', 'task', 'abstention'"),
        ({"name": 5}, "`name`"),
        ({"version": 5}, "`version`"),
        ({"share": "some"}, "'all', 'group', 'partial'"),
        ({"prior": {"tpr": (1, 0)}}, "positive"),
        ({"prior": {"tpr": 1}}, "positive"),
        ({"prior": {"recall": (1, 1)}}, "tpr"),
        ({"prior": {"tpr": (1, "x")}}, "number"),
        ({"abstained_rate": 2}, "from 0 to 1"),
        ({"abstained_rate": float("nan")}, "from 0 to 1"),
        ({"of": "retrieval", "abstained_rate": 0.5}, "abstained_rate"),
        ({"cost": -1}, "price"),
        ({"cost": True}, "number"),
        # integers that no float holds
        ({"cost": 10**400}, "price"),
        ({"prior": {"tpr": (10**400, 1)}}, "positive"),
        ({"abstained_rate": -(10**400)}, "from 0 to 1"),
    ],
)
def test_a_judge_that_makes_no_sense_is_refused(keywords, message):
    with pytest.raises(RatError, match=message):
        Judge(**{"column": "v", "of": "task", **keywords})


@pytest.mark.parametrize(
    "data", [None, [], {}, {"column": "a"}, {"column": "a", "of": "task", "x": 1}]
)
def test_what_is_not_a_judge_is_refused(data):
    with pytest.raises(RatError):
        Judge.from_dict(data)
