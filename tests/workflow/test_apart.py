"""`rat.fit(..., apart=)`: systems that share no judge with the others."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, CountsError, EngineError
from rat_widgets.labels.counts import PatternCounts

from .judged_systems import JUDGES, SYSTEMS, judged_systems

KEYS = ("task_success", "policy_adherence", "tpr[j]", "fpr[j]", "tpr[k]")


SMALL = judged_systems(dict.fromkeys(SYSTEMS, 0.1), n=60, n_human=30)
TABLE = judged_systems({"a": 0.1, "b": 0.1, "c": 0.1, "own": 0.6})
FITTED: dict[str, Any] = {"judges": JUDGES, "by": "system"}


def _fit(table: Any, **keywords: Any) -> rat.Posteriors:
    found = rat.fit(table, **{**FITTED, **keywords})
    assert isinstance(found, rat.Posteriors)
    return found


@settings(max_examples=8, deadline=None)
@given(odd=st.sets(st.sampled_from(SYSTEMS), min_size=1))
def test_each_part_is_the_fit_of_its_rows_alone(odd: set[str]) -> None:
    posts = _fit(SMALL, apart=sorted(odd))
    assert list(posts.groups) == list(SYSTEMS)
    rest = [name for name in SYSTEMS if name not in odd]
    own = [replace(judge, share="group") for judge in JUDGES]
    for part, judges in [(rest, JUDGES), *(([name], own) for name in odd)]:
        if not part:
            continue
        alone = _fit(SMALL[SMALL["system"].isin(part)], judges=judges)
        for name in part:
            one, other = posts.sel(system=name), alone.sel(system=name)
            for key in KEYS:
                np.testing.assert_array_equal(one[key], other[key])
            assert one.diagnosis.messages == other.diagnosis.messages
            said = "Apart from the other groups, as asked. " if name in odd else ""
            assert one.draws.reason == one.diagnosis.reason == said + other.draws.reason
            assert one.counts.judges == tuple(JUDGES)
            assert one.counts.apart == (((name,),) if name in odd else ())


@pytest.mark.parametrize("human", [60, 30])
def test_draws_of_systems_apart_do_not_go_together(human: int) -> None:
    """Exact (every row labelled) and by steps: a difference of two systems is as wide as it is."""
    table = judged_systems(dict.fromkeys(SYSTEMS, 0.1), n=60, n_human=human)
    posts = _fit(table, apart=["b", "own"])
    for key in KEYS:
        draws = posts[key].reshape(len(SYSTEMS), -1)
        between = np.corrcoef(draws)[np.triu_indices(len(SYSTEMS), 1)]
        # "a" and "c", the second of the six pairs, share their judges.
        apart = np.delete(between, 1)
        assert np.abs(apart).max() < 5 / np.sqrt(400), key  # of 4,000 draws some are worth 400
        if key.startswith("tpr"):
            assert between[1] > 0.99


def test_what_is_found_to_differ_is_taken_apart_and_then_nothing_is_found() -> None:
    posts = _fit(TABLE)
    (found,) = posts.judges_that_differ
    assert found.group == ("own",)
    assert "apart=['own'] fits the system by itself" in found.message.advice
    apart = _fit(TABLE, apart=posts.judges_that_differ)
    assert apart.judges_that_differ == ()
    assert not any("rates_differ" in one.codes for one in apart.diagnosis.values())
    rates = [float(p["fpr[j]"].mean()) for p in apart]
    assert rates[0] == rates[1] == rates[2]
    assert rates[0] == pytest.approx(0.1, abs=0.05)
    assert rates[3] == pytest.approx(0.6, abs=0.15)


def test_verdicts_of_a_system_apart_are_worth_what_its_rows_tell() -> None:
    posts, alone = _fit(TABLE, apart="own"), _fit(TABLE[TABLE["system"] == "own"])
    both = [p.judge_summary().loc["own"] for p in (posts, alone)]
    worth = [column for column in both[0] if column.startswith("worth")]
    assert worth
    pd.testing.assert_frame_equal(both[0][worth], both[1][worth])
    rest = _fit(TABLE[TABLE["system"] != "own"]).judge_summary()
    pd.testing.assert_frame_equal(posts.judge_summary().drop("own"), rest)


def test_how_a_group_is_named() -> None:
    two = SMALL.assign(version=np.where(SMALL["system"] < "c", 1, 2))
    found = _fit(SMALL, apart="own").members
    for apart in (["own"], ("own",), pd.Index(["own"]), [("own",)], (x for x in ["own"])):
        one = _fit(SMALL, apart=apart).members
        assert [p.counts.apart for p in one] == [p.counts.apart for p in found]
    for apart in (("own", 2), [("own", 2)], [["own", 2]], [("own", np.int64(2))]):
        posts = _fit(two, by=["system", "version"], apart=apart)
        assert [p.counts.apart for p in posts] == [(), (), (), (("own", 2),)]
    assert [p.counts.apart for p in _fit(SMALL, apart=None)] == [()] * 4


@pytest.mark.parametrize("noun", [rat.tree, rat.judges, rat.allocate])
def test_groups_of_a_generator_are_still_apart_in_other_data(noun: Any) -> None:
    widget = noun(SMALL, **FITTED, apart=(name for name in ["own"]))
    assert "apart=['own']" in widget.view.python
    before = [p.counts.apart for p in _posteriors(widget)]
    widget.update(SMALL)
    assert [p.counts.apart for p in _posteriors(widget)] == before
    assert before == [(), (), (), (("own",),)]


def _posteriors(widget: Any) -> list[rat.Posterior]:
    """Of every group what the widget holds."""
    names = [group.label for group in widget.view.groups]
    found = []
    for i in range(len(names)):
        widget.controls = {"group": i}
        found.append(widget.posterior())
    return found


def test_what_is_no_group_is_refused() -> None:
    with pytest.raises(ArgumentError, match=r"there is no group 'owm'\.\nGroups: 'a', 'b', 'c'"):
        _fit(SMALL, apart=["a", "owm"])
    with pytest.raises(ArgumentError, match=r"no group 3"):
        _fit(SMALL, apart=3)
    with pytest.raises(ArgumentError, match=r"the table has no groups.*\n.*\n.*by="):
        rat.fit(SMALL, judges=JUDGES, apart=["a"])
    with pytest.raises(ArgumentError, match=r"no group `apart`, or one group"):
        _fit(SMALL, apart=["a"], selection="outcome")
    with pytest.raises(EngineError, match="There is no engine 'pool'"):
        _fit(SMALL, engine="pool", apart=["a"])


def test_one_apart_is_pooled_with_nobody() -> None:
    pooled = [replace(JUDGES[0], share="partial")]
    posts = _fit(SMALL, judges=pooled, apart="a")
    assert [p.draws.engine for p in posts][1:] == ["pooled"] * 3
    assert "fpr[j]" in posts.pooling.index
    alone = _fit(SMALL[SMALL["system"] == "a"], judges=[replace(JUDGES[0], share="group")])
    np.testing.assert_array_equal(posts.members[0]["fpr[j]"], alone.members[0]["fpr[j]"])


def test_where_all_but_one_are_apart_nothing_is_pooled() -> None:
    pooled = [replace(judge, share="partial") for judge in JUDGES]
    posts = _fit(SMALL, judges=pooled, apart=["a", "b", "c"])
    assert {p.draws.engine for p in posts} <= {"exact", "hmc"}
    assert (
        _fit(SMALL, judges=pooled, engine="pooled", apart=SYSTEMS).members[0].draws.engine == "hmc"
    )
    with pytest.raises(ArgumentError, match="were not pooled"):
        _ = posts.pooling


def test_counts_keep_what_is_apart() -> None:
    counts = _fit(SMALL).members
    every = counts[0].counts + counts[1].counts + counts[3].counts
    apart = replace(every, apart=(("own",), ("a",)))
    assert apart.apart == (("a",), ("own",))
    assert apart != every
    assert hash(apart) != hash(every)
    assert PatternCounts.from_json(apart.to_json()) == apart
    assert [part.groups for part in apart.parts()] == [(("b",),), (("a",),), (("own",),)]
    assert [part.apart for part in apart.parts()] == [(), (("a",),), (("own",),)]
    assert every.parts() == [every]
    assert apart.group(0) + apart.group(1) + apart.group(2) == apart
    assert apart.pooled().apart == ()
    assert apart.without_answerable().apart == apart.apart
    with pytest.raises(CountsError, match=r"`apart` holds \('c',\), which is no group"):
        replace(every, apart=(("c",),))
    for wrong in ([["c"]], "own", [3]):
        with pytest.raises(CountsError, match="apart"):
            PatternCounts.from_dict({**apart.to_dict(), "apart": wrong})


def test_widgets_say_it_again_and_keep_it_under_moves() -> None:
    found = _fit(TABLE).judges_that_differ
    widget = rat.judges(TABLE, **FITTED, apart=found)
    assert "apart=['own']" in widget.view.python
    assert "apart=['own']" in rat.tree(SMALL, **FITTED, apart=["own"]).view.python
    assert widget.view.apart == (3,)
    assert widget.view.cure is None
    widget.controls = {"pins": {"tpr[k]": 0.9}, "group": "own"}
    moved = widget.view
    own = rat.judges(TABLE[TABLE["system"] == "own"], **FITTED)
    own.controls = {"pins": {"tpr[k]": 0.9}}
    assert moved.group.rates["fpr[j]"].text == own.view.group.rates["fpr[j]"].text
    assert rat.judges(_fit(TABLE, apart="own")).view.apart == (3,)


def test_new_rows_without_the_system_are_fitted_as_they_are() -> None:
    for make in (rat.judges, rat.tree):
        widget = make(SMALL, **FITTED, apart=["own", "a"])
        widget.update(SMALL[SMALL["system"] != "own"])
        assert [one.label for one in widget.view.groups] == ["a", "b", "c"]
    judges = rat.judges(SMALL, **FITTED, apart=["own", "a"])
    judges.update(SMALL[SMALL["system"] != "own"])
    assert judges.view.apart == (0,)
    judges.update(SMALL)
    assert judges.view.apart == (0, 3)


def test_rates_by_system_are_those_of_the_fits() -> None:
    from rat_widgets.figures.judge_rows_content import systems_of, systems_title

    view = rat.judges(TABLE, **FITTED, apart="own").view
    judge = view.judges[0]
    rows = {row.name: row.fpr.text for row in systems_of(view, judge)}
    assert rows["own"] == view.groups[3].rates["fpr[j]"].text
    assert rows["a"] == rows["b"] == view.groups[0].rates["fpr[j]"].text
    assert systems_title(view, judge) == "By system it passes"
