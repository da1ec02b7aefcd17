"""A judge's rates by system on a saved page: side by side, and each a click away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page, expect

import rat_widgets as rat
from rat_widgets.figures.judge_rows_content import systems_of

from .judge_dom import opened
from .watch import Watch

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

THETA = rat.Theta.from_array([0.42, 0.30, 0.06, 0.35, 0.80])
# A judge's FPR in each; the names are as long as names of systems are.
SYSTEMS = {"bm25 · qwen-72b": 0.1, "dense retriever, two stages · gpt-4o": 0.5, "<hybrid>": 0.3}


def widget(*, after_miss: float = 0.0) -> Any:
    """A judge with rates of its own in each system, more lenient after a miss."""
    frames = []
    for i, (name, fpr) in enumerate(SYSTEMS.items()):
        frame = rat.simulate(THETA, n=500, seed=i).astype(float)
        right = frame["T"].fillna(0).to_numpy() == 1
        rng = np.random.default_rng([i, 1])
        passes = np.where(right, 0.9, fpr + after_miss * (frame["R"] == 0))
        frame["jT"] = (rng.random(500) < passes).astype(float)
        frame.loc[150:, ["R", "T"]] = np.nan
        frames.append(frame.assign(system=name))
    judge = rat.Judge("jT", of="task", share="group")
    return rat.judges(pd.concat(frames), judges=[judge], by="system")


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return widget().save(tmp_path_factory.mktemp("page") / "systems.html")  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def dependent(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Path]:
    made = widget(after_miss=0.45)
    return made, made.save(tmp_path_factory.mktemp("page") / "cured.html")


def test_a_click_and_a_key_show_another_system(watched_page: Page, saved: Path) -> None:
    judges = opened(watched_page, saved)
    rows, current = judges.root.locator("button.system"), '[aria-current="true"]'
    by_fpr = sorted(SYSTEMS, key=lambda name: SYSTEMS[name])
    assert rows.locator(".who").all_inner_texts() == by_fpr
    before = judges.belief("task_success")
    rows.nth(2).click()
    expect(rows.nth(2)).to_have_attribute("aria-current", "true")
    assert judges.root.locator("select.group option:checked").inner_text() == by_fpr[2]
    assert judges.belief("task_success") != before
    fpr = judges.box("fpr[jT]").input_value()
    assert rows.nth(2).locator(".of-100").inner_text().endswith(f"· {fpr}")
    rows.nth(0).focus()
    watched_page.keyboard.press("Enter")
    expect(rows.nth(0)).to_be_focused()
    assert judges.root.locator(f".system{current} .who").all_inner_texts() == by_fpr[:1]


@pytest.mark.parametrize("width", [320, 360, 900, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_systems_fit_and_are_readable(
    new_page: Callable[..., tuple[Page, Watch]], saved: Path, width: int, scheme: Any
) -> None:
    page, watch = new_page(viewport={"width": width, "height": 3000}, color_scheme=scheme)
    judges = opened(page, saved)
    assert [m for m in judges.misfits() if "dense retriever" not in m] == []
    assert judges.faint() == []
    assert watch.abroad == []


def test_after_the_cure_rates_are_those_with_it_in_each_case(
    watched_page: Page, dependent: tuple[Any, Path]
) -> None:
    made, path = dependent
    judges = opened(watched_page, path)
    judges.root.locator("button.take-cure").click()
    made.controls = {"cured": True}
    view = made.view
    told = systems_of(view, view.shown[0])
    rows, cases = judges.root.locator("button.system"), judges.root.locator(".systems .case")
    assert cases.all_inner_texts() == list(dict.fromkeys(row.case for row in told))
    assert rows.locator(".who").all_inner_texts() == [row.name for row in told]
    assert rows.locator(".of-100").all_inner_texts() == [row.numbers for row in told]
    expect(judges.root.locator(".systems summary")).to_contain_text("with the cure,")
    expect(judges.root.locator(".cure .line")).to_contain_text("Nothing more is found with that.")
    # The same systems in every case, one click away in each.
    assert rows.count() == 2 * len(SYSTEMS)
    rows.nth(4).click()
    for row in (rows.nth(1), rows.nth(4)):
        expect(row).to_have_attribute("aria-current", "true")
    expect(rows.nth(4)).to_be_focused()


@pytest.mark.parametrize("width", [320, 360, 900, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_with_the_cure_they_fit_and_are_readable(
    new_page: Callable[..., tuple[Page, Watch]],
    dependent: tuple[Any, Path],
    width: int,
    scheme: Any,
) -> None:
    page, watch = new_page(viewport={"width": width, "height": 3000}, color_scheme=scheme)
    judges = opened(page, dependent[1])
    judges.root.locator("button.take-cure").click()
    page.wait_for_timeout(300)
    assert [m for m in judges.misfits() if "dense retriever" not in m] == []
    assert judges.faint() == []
    assert watch.abroad == []
