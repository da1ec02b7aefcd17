"""Judges of a view that are not plain."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rat_widgets.errors import ViewError
from rat_widgets.views import codec
from rat_widgets.views.judge import JudgeEmission, JudgeIdentity
from rat_widgets.views.judge_identity import check_emissions

# Two saturated judges with a cell for misses and one for hits.
FIRST = JudgeEmission(
    kinds=("pass_given_miss", "pass_given_hit"),
    start=(0.2, 0.8),
    cell=(0, 1, 0, 0, 1, 1),
    paths=tuple(((((rate, 0),), ((rate, 1),)),) for rate in (0, 1)),
    fixed=(None,) * 6,
)
SECOND = JudgeEmission(
    kinds=tuple(f"pass_given_{w}_after_{v}" for w in ("miss", "hit") for v in (0, 1)),
    start=(0.2, 0.2, 0.8, 0.8),
    cell=(0, 1, 0, 0, 1, 1),
    parents=(0,),
    paths=tuple(
        tuple((((2 * cell + code, 0),), ((2 * cell + code, 1),)) for code in (0, 1))
        for cell in (0, 1)
    ),
    fixed=(None,) * 6,
)


def _identity(key: str, **more: Any) -> JudgeIdentity:
    return JudgeIdentity(
        key=key,
        name=key,
        version=None,
        of="task",
        is_shared=True,
        abstained_rate=None,
        has_unknown=False,
        cost=None,
        **more,
    )


JUDGES = (_identity("a", emission=FIRST), _identity("b", emission=SECOND))


def test_the_rates_are_those_of_the_emission() -> None:
    assert JUDGES[0].rates == ("pass_given_miss[a]", "pass_given_hit[a]")
    assert _identity("p").rates == ("tpr[p]", "fpr[p]")


def test_plain_values_give_the_judge_back() -> None:
    judge = _identity("b", emission=SECOND, levels=("low", "high"), cut=1, depends_on="retrieval")
    assert codec.from_json(JudgeIdentity, codec.to_json(judge)) == judge


def test_a_judge_written_before_there_were_emissions_is_plain() -> None:
    data = codec.to_dict(_identity("p"))
    for name in ("emission", "levels", "cut", "depends_on"):
        del data[name]
    assert codec.from_dict(JudgeIdentity, data) == _identity("p")


def test_emissions_that_fit_together_are_accepted() -> None:
    check_emissions(JUDGES, n_worlds=6)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cell": (0, 1)}, "knows 2 worlds"),
        ({"start": (0.5,)}, "1 starts"),
        ({"start": (0.2, 0.2, 0.8, 1.0)}, "no probability"),
        ({"cell": (0, 1, 0, 0, 1, 2)}, "2 cells"),
        ({"parents": (1,)}, "the parents (1,)"),
        ({"parents": ()}, "does not fit its parents"),
        ({"paths": (SECOND.paths[0], (((), (), ()), ((), (), ())))}, "does not fit its answers"),
        ({"kinds": ("x", "y", "z"), "start": (0.5,) * 3}, "a split of no rate"),
    ],
)
def test_emissions_that_do_not_fit_are_refused(change: dict[str, Any], said: str) -> None:
    other = replace(JUDGES[1], emission=replace(SECOND, **change))
    with pytest.raises(ViewError, match="judge 'b'") as refused:
        check_emissions((JUDGES[0], other), n_worlds=6)
    assert said in str(refused.value)


def test_levels_without_an_emission_are_refused() -> None:
    with pytest.raises(ViewError, match="is missing"):
        check_emissions((_identity("g", levels=("0", "1", "2")),), n_worlds=6)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"levels": ("one",)}, "two and more"),
        ({"levels": ("a", "a")}, "that differ"),
        ({"cut": 2}, "above the lowest: 1 to 1"),
        ({"levels": ("a", "b", "c"), "cut": 0}, "1 to 2"),
    ],
)
def test_levels_and_cuts_that_do_not_fit_are_refused(more: dict[str, Any], said: str) -> None:
    with pytest.raises(ViewError) as refused:
        _identity("j", **more)
    assert said in str(refused.value)
