"""A plan on a saved page: moved by mouse and keyboard, with no kernel and no network."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import rat_widgets as rat

from .allocation_dom import PlannerOnPage
from .watch import Watch

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

WIDTHS = (320, 360, 620, 900, 1100, 1600, 3840)
QWEN = rat.Theta(
    retrieval_success=0.2078,
    abstain_given_miss=0.4632,
    abstain_given_hit=0.036,
    correct_given_miss=0.4447,
    correct_given_hit=0.6809,
)


@cache
def posterior() -> Any:
    df = rat.simulate(QWEN, n=1000, seed=1)
    df.loc[100:, ["R", "T"]] = None
    return rat.fit(df, draws=2000)


@pytest.fixture(scope="module")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan at a point that is supposed."""
    return rat.allocate(QWEN).save(tmp_path_factory.mktemp("page") / "plan.html")


@pytest.fixture(scope="module")
def in_hand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A plan for rows in hand."""
    return rat.allocate(posterior()).save(tmp_path_factory.mktemp("page") / "plan.html")


def opened(page: Page, path: Path) -> PlannerOnPage:
    page.goto(path.as_uri())
    root = page.locator(".rat-widgets.rat-allocation")
    root.wait_for()
    return PlannerOnPage(root)


@pytest.fixture
def planner(watched_page: Page, made_up: Path) -> PlannerOnPage:
    return opened(watched_page, made_up)


@pytest.mark.parametrize("controls", [{}, {"target": "task_success", "budget": 200}])
def test_a_saved_page_says_what_python_says(
    watched_page: Page, tmp_path: Path, controls: dict[str, Any]
) -> None:
    w = rat.allocate(posterior(), controls=controls)
    planner = opened(watched_page, w.save(tmp_path / "plan.html"))
    assert planner.headline == "".join(text for text, _ in w.view.headline())
    assert planner.deck == "".join(text for text, _ in w.view.deck())
    for course in w.view.answer.courses:
        assert float(planner.width(course.key)[1:]) == pytest.approx(50 * course.width, abs=0.051)


def test_a_saved_page_asks_nobody_for_anything(
    new_page: Callable[..., tuple[Page, Watch]], in_hand: Path
) -> None:
    page, watch = new_page()
    opened(page, in_hand)
    page.wait_for_timeout(300)
    assert watch.requests == [in_hand.as_uri()]


def test_dragging_the_budget_moves_the_needle_and_the_advice(planner: PlannerOnPage) -> None:
    before = planner.headline
    planner.drag("budget", 0.8)
    expect(planner.box("budget")).to_have_value("800")
    assert planner.headline != before
    assert "800 more labels" in planner.headline
    needle = planner.root.locator(".needle").bounding_box()
    slider = planner.slider("budget").bounding_box()
    assert needle is not None
    assert slider is not None
    thumb = slider["x"] + 9 + 0.8 * (slider["width"] - 18)
    assert needle["x"] + needle["width"] / 2 == pytest.approx(thumb, abs=1)
    planner.root.locator("button.reset").click()
    assert planner.headline == before


def test_prices_move_the_advice(planner: PlannerOnPage) -> None:
    planner.box("R").fill("3")
    planner.box("R").press("Enter")
    design = rat.optimal_design(QWEN, already=100, budget=500, prices={"R": 3, "T": 1})
    assert float(planner.width("optimal")[1:]) == pytest.approx(50 * design.width, abs=0.051)
    assert "more units" in planner.headline
    planner.drag("T", 0.9)
    value = float(planner.box("T").input_value())
    assert value == pytest.approx(6.3, abs=1)
    planner.root.locator("button.undo").click()
    expect(planner.box("T")).to_have_value("1")
    expect(planner.box("R")).to_have_value("3")


def test_rows_in_hand_are_what_a_plan_begins_with(planner: PlannerOnPage) -> None:
    planner.box("n0").fill("400")
    planner.box("n0").press("Tab")
    now = rat.allocate(QWEN, already=400).view.answer.now
    assert f"from ±{50 * now:.1f}" in planner.headline


def test_every_control_works_from_the_keyboard(planner: PlannerOnPage, watched_page: Page) -> None:
    keyboard = watched_page.keyboard
    planner.slider("budget").focus()
    keyboard.press("ArrowRight")
    expect(planner.box("budget")).to_have_value("510")
    keyboard.press("Home")
    expect(planner.box("budget")).to_have_value("0")
    assert planner.headline == "Without more labels P(G) stays at ±9.6 points."
    keyboard.press("End")
    expect(planner.slider("budget")).to_have_attribute("aria-valuetext", "1,000 more labels")
    planner.slider("R").focus()
    keyboard.press("ArrowRight")
    expect(planner.box("R")).to_have_value("1.1")
    planner.switch("optimal").focus()
    keyboard.press("Space")
    expect(planner.switch("optimal")).not_to_be_checked()
    expect(planner.switch("optimal")).to_be_focused()
    planner.root.locator("input[value=units]").focus()
    keyboard.press("ArrowRight")
    expect(planner.root.locator("input[value=rows]")).to_be_checked()
    assert "more rows" in planner.headline
    expect(planner.slider("R")).to_be_disabled()
    planner.root.locator("select.target").focus()
    keyboard.press("ArrowDown")
    assert "P(T)" in planner.headline
    planner.root.locator("button.reset").focus()
    keyboard.press("Enter")
    expect(planner.box("budget")).to_have_value("500")
    expect(planner.root.locator(".finding")).to_be_focused()


def test_tab_reaches_every_control_once(planner: PlannerOnPage, watched_page: Page) -> None:
    wanted = planner.root.locator(
        "select:visible, input[type=radio]:checked, input[type=checkbox], .slider:visible, "
        ".box:visible, button:visible:enabled"
    ).count()
    watched_page.locator("body").evaluate("(e) => { e.tabIndex = -1; e.focus(); }")
    stops = 0
    for _ in range(wanted + 5):
        watched_page.keyboard.press("Tab")
        if not watched_page.evaluate(
            "() => document.activeElement.closest('.rat-allocation') !== null"
        ):
            break
        stops += 1
    assert stops == wanted


def test_every_part_has_a_name_for_a_screen_reader(planner: PlannerOnPage) -> None:
    root = planner.root
    for name in ("Budget", "Price of a label of R", "Price of a label of T"):
        expect(root.get_by_role("slider", name=name, exact=True)).to_be_visible()
        expect(root.get_by_role("textbox", name=name, exact=True)).to_be_visible()
    expect(root.get_by_role("checkbox", name=re.compile("^R, then T"))).to_be_visible()
    expect(root.get_by_role("combobox", name="What is to be narrow")).to_be_visible()
    expect(root.get_by_role("heading", level=2)).to_have_text(re.compile("^Label "))
    expect(root.get_by_role("table", name=re.compile("With 500 more labels"))).to_be_visible()
    for picture in root.locator("svg:not([aria-hidden=true])").all():
        assert picture.get_attribute("role") == "img"
        assert picture.get_attribute("aria-label")


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_off_or_covered(
    new_page: Callable[..., tuple[Page, Watch]], in_hand: Path, made_up: Path, width: int
) -> None:
    page, _ = new_page(viewport={"width": width, "height": 900})
    for path in (made_up, in_hand):
        planner = opened(page, path)
        for budget in ("500", "40", "1000", "2500", "0"):
            planner.box("budget").fill(budget)
            planner.box("budget").press("Enter")
            assert planner.misfits() == [], budget
        planner.root.locator("select.target").select_option("retrieval_blame")
        planner.box("R").fill("12.75")
        planner.box("R").press("Enter")
        assert planner.misfits() == []
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        for part in (".left", ".right"):
            over = planner.root.locator(part).evaluate("(e) => e.scrollWidth - e.clientWidth")
            assert over <= 1, part


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 900, 1600])
def test_every_text_can_be_read(
    new_page: Callable[..., tuple[Page, Watch]],
    in_hand: Path,
    scheme: str,
    width: int,
    artifacts: Path,
) -> None:
    page, _ = new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    planner = opened(page, in_hand)
    planner.drag("budget", 0.3)
    planner.switch("all_t").uncheck()
    assert planner.faint() == []
    planner.root.screenshot(path=artifacts / f"plan-{scheme}-{width}.png")


def test_the_picture_answers_while_it_is_dragged(
    new_page: Callable[..., tuple[Page, Watch]], in_hand: Path
) -> None:
    page, _ = new_page(viewport={"width": 1100, "height": 900})
    planner = opened(page, in_hand)
    # Processor time, not the clock: 50 ms a move, on a machine that does nothing else.
    assert work_of_a_move(page, planner, "budget") < 0.05
    assert work_of_a_move(page, planner, "R") < 0.05


def work_of_a_move(page: Page, planner: PlannerOnPage, knob: str, n: int = 40) -> float:
    """Processor time that the page's thread takes for one move of a slider, in s."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(m["value"] for m in metrics if m["name"] == "TaskDuration")

    def move(n: int) -> None:
        planner.slider(knob).evaluate(
            """async (slider, n) => {
              const [low, high] = [Number(slider.min), Number(slider.max)];
              for (let i = 0; i < n; i++) {
                slider.value = String(low + (high - low) * Math.abs(Math.sin(1 + i / 9)));
                slider.dispatchEvent(new Event("input", { bubbles: true }));
                await new Promise(requestAnimationFrame);
              }
            }""",
            n,
        )

    move(15)
    before = spent()
    move(n)
    return (spent() - before) / n


@pytest.mark.parametrize("width", [360, 900, 1600])
def test_simulated_purchases_refine_the_widths(
    new_page: Callable[..., tuple[Page, Watch]], in_hand: Path, width: int, artifacts: Path
) -> None:
    page, _ = new_page(viewport={"width": width, "height": 900})
    planner = opened(page, in_hand)
    planner.root.get_by_role("button", name="Refine by simulation").click()
    expect(planner.root.locator("progress")).to_be_visible()
    expect(planner.root.get_by_role("button", name="Stop")).to_be_visible()
    done = planner.root.locator(".simulate .count")
    expect(done).to_have_text(re.compile("^480 simulated purchases"), timeout=60_000)
    for course in ("optimal", "all_joint", "all_r"):
        said = planner.row(course).locator(".simulated").inner_text()
        half, error = map(float, re.findall(r"[\d.]+", said))
        # The first order is good to 6%, and the simulation to its own error.
        assert half == pytest.approx(float(planner.width(course)[1:]), rel=0.06, abs=1.5 * error)
    assert planner.misfits() == []
    planner.root.screenshot(path=artifacts / f"plan-simulated-{width}.png")
    planner.slider("budget").focus()
    page.keyboard.press("ArrowRight")
    expect(done).to_have_text("")


def test_names_of_systems_are_text_and_nothing_else(
    new_page: Callable[..., tuple[Page, Watch]], tmp_path: Path
) -> None:
    evil = "</script><img src=x onerror=alert(1)>"
    df = rat.simulate(QWEN, n=200, seed=4)
    df["system"] = [evil, "b"] * 100
    page, _ = new_page()
    w = rat.allocate(df, by=["system"], draws=400, controls={"group": evil})
    planner = opened(page, w.save(tmp_path / "evil.html"))
    assert planner.root.locator("img").count() == 0
    expect(planner.root.locator("select.group option").nth(w.controls["group"])).to_have_text(evil)
