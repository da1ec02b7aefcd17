"""One view told by the trait, by the Plotly figure, by a page and by Python: the same numbers."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pandas as pd
import pytest
from playwright.sync_api import Page

import rat_widgets as rat
from rat_widgets.figures.tree import numbers_in

from .systems import LEVELS, hidden_retrieval, three_levels, two_systems
from .tree_dom import STATS, TreeOnPage

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

CASES = {
    "complete": (two_systems, {"by": ["system"], "controls": {"group": 1}}),
    "few rows": (lambda: two_systems(12), {"by": ["system"]}),
    "R partly missing": (hidden_retrieval, {}),
    "another policy": (two_systems, {"by": ["system"], "policy": "no_harm"}),
    "weights": (two_systems, {"by": ["system"], "policy": {"hit_right": 1, "miss_right": 0.5}}),
    "one row": (lambda: two_systems(1).head(1), {}),
    "three levels": (three_levels, {"retrieval_levels": LEVELS}),
    "three levels, R partly missing": (
        lambda: three_levels(is_hidden=True),
        {"retrieval_levels": LEVELS, "policy": {"all_right": 1, "partial_right": 0.5}},
    ),
}
# Monte Carlo error of an end of a 95% interval of about normal shape, as a share of its width:
# sqrt(0.025 * 0.975 / draws) / (0.0584 * 3.92), that is 1.1% with Python's 4,000 draws and 2.2%
# with the 1,000 that may travel in a view. Four standard errors of the difference.
END_ERROR = 4 * math.hypot(0.011, 0.022)


def opened(page: Page, w: object, folder: Path) -> TreeOnPage:
    page.goto(w.save(folder / "tree.html").as_uri())  # type: ignore[attr-defined]
    root = page.locator(".rat-widgets.rat-tree")
    root.wait_for()
    return TreeOnPage(root)


@pytest.mark.parametrize("case", CASES)
def test_trait_figure_and_page_say_the_same(watched_page: Page, tmp_path: Path, case: str) -> None:
    table, keywords = CASES[case]
    w = rat.tree(table(), **keywords)
    view = w.view
    group = view.group
    in_view = {**group.branches, **group.worlds, **group.quantities}
    trait = w._view["groups"][view.controls.group]
    in_trait = {**trait["branches"], **trait["worlds"], **trait["quantities"]}
    in_figure = numbers_in(w.figure())
    tree = opened(watched_page, w, tmp_path)

    for key, estimate in in_view.items():
        numbers = (estimate.value, estimate.lower, estimate.upper, estimate.text)
        assert tuple(in_trait[key][part] for part in ("value", "lower", "upper", "text")) == numbers
        if key in in_figure:
            assert tuple(in_figure[key]) == numbers
    assert {*group.worlds, *group.branches, *STATS[1:]} <= set(in_figure)

    assert {*group.branches, *STATS[1:]} <= set(tree.rates())
    assert tree.rates() == {key: in_view[key].text for key in tree.rates()}
    assert tree.quantities() == {key: in_view[key].text for key in tree.quantities()}
    assert {*group.branches, *group.quantities} <= set(tree.quantities())
    ends = {world: interval_of(estimate.text) for world, estimate in group.worlds.items()}
    assert {world: ends for world, (_, ends) in tree.worlds().items()} == ends
    assert {world: n for world, (n, _) in tree.worlds().items()} == view.of_100()
    assert tree.headline == "".join(text for text, _ in view.headline())


def interval_of(text: str) -> str:
    found = re.search(r"\(([^)]*)\)", text)
    assert found is not None
    return found[1]


@pytest.mark.parametrize("case", ["complete", "R partly missing"])
@pytest.mark.parametrize(
    "clicked",
    [("miss_right",), ("hit_right",), ("miss_right", "hit_abstained"), ("miss_abstained",)],
    ids="+".join,
)
def test_a_policy_set_in_the_browser_reads_as_python_computes_it(
    watched_page: Page, tmp_path: Path, case: str, clicked: tuple[str, ...]
) -> None:
    table, keywords = CASES[case]
    w = rat.tree(table(), **keywords)
    tree = opened(watched_page, w, tmp_path)
    policy = dict(w.view.policy.weights)
    for world in clicked:
        tree.sign(world).click()
        policy[world] = 1 - policy[world]
    w.controls = {**w.controls, "policy": policy}

    value, lower, upper = numbers(tree.stat("policy_adherence"))
    draws = w.posterior()["policy_adherence"]
    wanted = w.view.group.quantities["policy_adherence"]
    assert f"{value}%" == wanted.text.split(" ")[0]
    assert wanted.value == pytest.approx(draws.mean(), abs=2e-5)
    allowed = 100 * END_ERROR * (wanted.upper - wanted.lower) + 1
    assert lower == pytest.approx(100 * wanted.lower, abs=allowed)
    assert upper == pytest.approx(100 * wanted.upper, abs=allowed)
    assert tree.totals() == (sums(w.view, 1, "task"), sums(w.view, 1, "policy"))


def numbers(text: str) -> tuple[int, int, int]:
    found = re.fullmatch(r"(\d+)% \((\d+)–(\d+)\)", text)
    assert found is not None, text
    return int(found[1]), int(found[2]), int(found[3])


def sums(view: object, weight: float, column: str) -> int:
    weights = view.policy.weights  # type: ignore[attr-defined]
    counts = view.of_100()  # type: ignore[attr-defined]
    if column == "task":
        return sum(n for world, n in counts.items() if world.endswith("_right"))
    return sum(n for world, n in counts.items() if weights[world] == weight)


@pytest.mark.parametrize("unit", ["queries", "step"])
def test_copy_as_python_makes_the_same_tree_again(
    watched_page: Page, tmp_path: Path, unit: str
) -> None:
    df = two_systems()
    w = rat.tree(df, by=["system"], ci_prob=0.9)
    tree = opened(watched_page, w, tmp_path)
    tree.sign("miss_right").click()
    tree.sign("hit_abstained").click()
    tree.picker.select_option("1")
    tree.unit(unit).check(force=True)

    again = run_copied(tree, df)
    weights = dict(w.view.policy.weights) | {"miss_right": 1.0, "hit_abstained": 1.0}
    assert again.view.policy.weights == weights
    assert (again.controls["group"], again.controls["unit"]) == (1, unit)
    assert again.view.ci_prob == 0.9
    assert again.view.group.label == "Qwen3.5 9B"


def test_copy_as_python_keeps_names_with_quotes(watched_page: Page, tmp_path: Path) -> None:
    df = two_systems(40).rename(columns={"system": "sys\"'\n\\tem, policy={"})
    w = rat.tree(df, by=[df.columns[-1]], policy={"hit_right": 1, "miss_wrong": -1})
    tree = opened(watched_page, w, tmp_path)
    tree.picker.select_option("1")
    again = run_copied(tree, df)
    assert again.view.by == (df.columns[-1],)
    assert again.view.policy == w.view.policy
    assert again.controls["group"] == 1


def run_copied(tree: TreeOnPage, df: pd.DataFrame) -> rat.tree:  # type: ignore[valid-type]
    """What the copied call makes; pages opened from disk may write to the clipboard."""
    context = tree.root.page.context
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    tree.root.locator("button.copy-python").click()
    tree.root.get_by_role("status").filter(has_text="Copied").wait_for()
    copied = json.loads(
        tree.root.page.evaluate("async () => JSON.stringify(await navigator.clipboard.readText())")
    )
    return eval(copied, {"rat": rat, "df": df})
