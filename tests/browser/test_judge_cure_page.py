"""What was found of judges' errors on a saved page: cured by one click, with no kernel."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import rat_widgets as rat
from rat_widgets.views import judge_finding
from rat_widgets.views.sentences import plain

from .judge_dom import opened
from .watch import Watch

if TYPE_CHECKING:
    from rat_widgets.views.judge import JudgeView

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

THETA = rat.Theta.from_array([0.42, 0.30, 0.06, 0.35, 0.80])
NAMES = ("gpt-4o", "claude")


@cache
def widget() -> Any:
    """Two judges of the task that are wrong together on hard questions."""
    n, rng = 1500, np.random.default_rng(9)
    frame = rat.simulate(THETA, n=n, seed=2).astype(float)
    right = frame["T"].fillna(0).to_numpy() == 1
    wrong = np.where(rng.random(n) < 0.35, 0.5, 0.05)
    luck = rng.random(n)
    for name in NAMES:
        own = np.where(wrong > 0.1, rng.random(n), luck)
        frame[name] = np.where(own < wrong, ~right, right).astype(float)
    frame.loc[300:, ["R", "T"]] = np.nan
    return rat.judges(frame, judges=[rat.Judge(name, of="task") for name in NAMES])


def python_view(**controls: Any) -> JudgeView:
    widget().controls = controls
    return widget().view  # type: ignore[no-any-return]


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    python_view()
    return widget().save(tmp_path_factory.mktemp("page") / "together.html")  # type: ignore[no-any-return]


def numbers(text: str) -> list[int]:
    return [int(n) for n in re.findall(r"\d+", text)]


def test_one_click_cures_and_says_what_python_says(watched_page: Page, saved: Path) -> None:
    judges = opened(watched_page, saved)
    cure = judges.root.locator(".cure")
    before = judges.belief("task_success")
    (found,) = python_view().group.departures
    expect(cure.locator(".found")).to_have_text(found.text)
    cure.get_by_role("button", name="Let the judges err together").click()
    expect(cure.locator(".line")).to_contain_text(before["both, corrected"].split(" (")[0])
    watched_page.wait_for_timeout(2500)
    view = python_view(cured=True)
    for quantity, spread in view.group.beliefs.joint.items():
        here = numbers(judges.belief(quantity)["both, corrected"])
        # Monte Carlo error of an end of an interval, in whole points.
        assert max(abs(a - b) for a, b in zip(here, numbers(spread.text), strict=True)) <= 1
    line, told = cure.locator(".line").inner_text(), plain(judge_finding.cured(view))
    assert line.partition(",")[0] == told.partition(",")[0]
    for quantity in ("task_success", "policy_adherence"):
        assert judges.tells(line, quantity)
    assert "dependence='saturated'" in cure.locator("code").inner_text()
    assert judges.misfits() == []
    cure.get_by_role("button", name="Back to independent errors").click()
    assert judges.belief("task_success") == before


def test_the_cure_is_taken_and_left_from_the_keyboard(watched_page: Page, saved: Path) -> None:
    judges = opened(watched_page, saved)
    button = judges.root.locator("button.take-cure")
    button.focus()
    watched_page.keyboard.press("Enter")
    expect(button).to_be_focused()
    expect(button).to_have_text("Back to independent errors")
    expect(judges.judge("claude").locator("table.levels")).to_contain_text("of 100 right answers")
    judges.root.locator("button.undo").focus()
    watched_page.keyboard.press("Enter")
    expect(button).to_have_text("Let the judges err together")
    expect(judges.root.locator(".finding")).to_be_focused()
    assert judges.slider("tpr[gpt-4o]").count() == 1


@pytest.mark.parametrize("width", [360, 900, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_cure_fits_and_is_readable(
    new_page: Callable[..., tuple[Page, Watch]], saved: Path, width: int, scheme: Any
) -> None:
    page, watch = new_page(viewport={"width": width, "height": 3000}, color_scheme=scheme)
    judges = opened(page, saved)
    judges.check_readable_with_the_cure()
    assert watch.abroad == []
