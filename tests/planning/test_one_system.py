"""A plan is for one system, and reads well whatever there is left to gain."""

from __future__ import annotations

import dataclasses
import warnings

import pandas as pd
import pytest

import rat_widgets as rat
from rat_widgets.errors import ArgumentError, RatWarning


@pytest.fixture(scope="module")
def two_systems() -> pd.DataFrame:
    tables = {
        name: rat.simulate(rat.datasets.load(point), 100, "judge_only", n0=50, seed=1)
        for name, point in (("a", "qwen"), ("b", "apertus"))
    }
    return pd.concat([t.assign(system=name) for name, t in tables.items()], ignore_index=True)


def study(x, **keywords):
    few = {"budgets": [20], "strategies": "all_joint", "replications": 50}
    return rat.study_allocation(x, **few, progress=False, **keywords)


ALL = [rat.optimal_design, rat.information, rat.allocate, rat.next_labels, study]


@pytest.mark.parametrize("plan", ALL)
def test_planning_a_table_of_several_systems_as_one_is_said_aloud(plan, two_systems):
    with pytest.warns(RatWarning, match=r"read as one system; the table has a column 'system'"):
        plan(two_systems)


@pytest.mark.parametrize("plan", [rat.optimal_design, rat.information])
def test_one_system_and_a_posterior_are_planned_without_a_warning(plan, two_systems):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plan(two_systems[two_systems["system"] == "a"])
        plan(rat.fit(two_systems))


@pytest.mark.parametrize("plan", [rat.optimal_design, rat.study_allocation])
def test_several_systems_are_refused_before_any_is_fitted(plan, two_systems, monkeypatch):
    """With the way to one of them, as it can be pasted."""
    monkeypatch.setattr("rat_widgets.fitting.fit", None)
    with pytest.raises(ArgumentError, match=r"2 systems, by system: 'a', 'b'\.") as caught:
        plan(two_systems, by="system")
    monkeypatch.undo()
    assert "One system: " in str(caught.value)
    made, _, call = str(caught.value).partition("Hint: ")[2].partition(", then ")
    space = {"rat": rat, "df": two_systems}
    exec(made, space)
    chosen = call[call.index("posts.sel") : -2]
    assert eval(chosen, space).group == {"system": "a"}


def test_a_column_that_is_no_name_in_python_is_quoted_in_the_hint(two_systems):
    odd = two_systems.rename(columns={"system": "which one"})
    with pytest.raises(ArgumentError, match=r"posts\.sel\(\*\*\{'which one': 'a'\}\)"):
        rat.optimal_design(odd, by="which one")


def test_widths_before_and_after_never_read_the_same(qwen):
    """Little is left to gain on many rows: three decimals would say 0.021 twice."""
    design = rat.optimal_design(qwen, already=12_000, budget=50)
    before, after = design.widths_now["policy_adherence"], design.width
    assert f"{before:.3f}" == f"{after:.3f}"
    said = design.advice.partition("policy_adherence from ")[2].partition(",")[0].split(" to ")
    assert said == [f"{before:.4f}", f"{after:.4f}"]
    assert f"{design.compared['all_joint'].widths['policy_adherence']:.4f}" in str(design)


def test_a_purchase_of_no_row_has_no_line(qwen):
    design = rat.optimal_design(qwen, already=100, budget=500)
    nothing = dataclasses.replace(design.allotments[0], rows="answered, T=0", n_rows=0.3, share=0.0)
    longer = dataclasses.replace(design, allotments=(*design.allotments, nothing))
    assert "answered, T=0" not in str(longer)
    assert "answered, T=0" not in longer._repr_html_()
    assert "answered, T=0" in str(longer.table())


def test_one_row_is_one_row(qwen):
    one = {"abstained": 0, "answered": 1}
    advice = rat.optimal_design(qwen, already=100, pool=one, budget=2).advice
    assert "on 1 row that was answered" in advice
