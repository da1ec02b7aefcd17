"""A what-if on a saved page: by mouse, keyboard and box, at every width, beside Python's answer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import rat_widgets as rat
from rat_widgets.model.worlds import PARAMETERS

from .systems import two_systems
from .test_saved_page import ARTIFACTS, WIDTHS, opened
from .tree_dom import STATS, TreeOnPage

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

PINS = {"abstain_given_miss": 0.7}


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems, R hidden on a third of the rows of both, so that the browser fits by itself."""
    frame = two_systems()
    frame.loc[::3, "R"] = None
    w = rat.tree(frame, by=["system"], controls={"group": 1})
    assert all(group.draws is None for group in w.view.groups)
    return w.save(tmp_path_factory.mktemp("page") / "tree.html")


@pytest.fixture
def tree(watched_page: Page, saved: Path) -> TreeOnPage:
    """The tree of that page."""
    return opened(watched_page, saved)


def whole(text: str) -> int:
    """The number before the sign of per cent."""
    return int(text.partition("%")[0].lstrip("<>"))


def test_a_drag_pins_the_branch_and_undo_takes_the_whole_drag_back(tree: TreeOnPage) -> None:
    before, rates = tree.headline, tree.rates()
    tree.drag("abstain_given_miss", 0.7)
    assert tree.headline.startswith("What if: of 100 queries, ")
    assert tree.deck.startswith("You set declines when the evidence is missing: 70% instead of")
    expect(tree.box("abstain_given_miss")).to_have_value("70")
    assert tree.stat("retrieval_success") == rates["retrieval_success"]
    assert tree.stat("policy_adherence") != rates["policy_adherence"]
    tree.root.locator("button.undo").click()
    assert (tree.headline, tree.rates()) == (before, rates)


def test_what_the_browser_answers_is_what_python_answers(tree: TreeOnPage) -> None:
    frame = two_systems()
    frame.loc[::3, "R"] = None
    w = rat.tree(frame, by=["system"], controls={"group": 1, "pins": PINS})
    tree.box("abstain_given_miss").fill("70")
    tree.box("abstain_given_miss").press("Enter")
    group = w.view.group
    for key in STATS:
        in_python = group.quantities.get(key, group.branches.get(key))
        assert in_python is not None
        # Two sets of 4,000 draws: a point at most between their whole per cents.
        assert abs(whole(tree.stat(key)) - whole(in_python.text)) <= 1
    for world, (count, _) in tree.worlds().items():
        assert abs(count - w.view.of_100()[world]) <= 1
    assert w.posterior().pins == PINS
    assert whole(tree.quantities()["abstain_given_miss"]) == 70


def test_the_keyboard_moves_a_slider_resets_it_and_moves_on(
    tree: TreeOnPage, watched_page: Page
) -> None:
    before, keyboard = tree.headline, watched_page.keyboard
    slider = tree.slider("correct_given_hit")
    slider.focus()
    keyboard.press("End")
    expect(tree.box("correct_given_hit")).to_have_value("100")
    keyboard.press("ArrowLeft")
    expect(tree.box("correct_given_hit")).to_have_value("99")
    told = slider.get_attribute("aria-valuetext") or ""
    assert told.startswith("99%, of ")
    assert "what if, the fit has" in told
    expect(tree.root.locator(".finding [role=status]")).to_have_text(tree.headline)
    keyboard.press("Tab")
    expect(tree.box("correct_given_hit")).to_be_focused()
    keyboard.press("Tab")
    keyboard.press("Enter")
    expect(slider).to_be_focused()
    assert tree.headline == before


def test_a_condition_without_mass_is_undefined_and_says_why(tree: TreeOnPage) -> None:
    tree.slider("retrieval_success").focus()
    tree.root.page.keyboard.press("End")
    assert tree.rate("correct_given_miss") == "– (no query gets here)"
    assert tree.quantities()["unsupported_answering"] == "– (undefined: R=0 has no probability)"
    assert tree.stat("retrieval_success") == "100% (pinned)"
    assert "NaN" not in tree.root.inner_text()
    assert (tree.ledger("task"), tree.ledger("policy")) == tree.totals()


def test_pins_stay_when_another_system_is_picked_and_go_with_one_press(tree: TreeOnPage) -> None:
    for key in PARAMETERS:
        tree.box(key).fill("50")
        tree.box(key).press("Enter")
    assert tree.stat("task_success") == "25% (pinned)"
    tree.picker.select_option("0")
    assert tree.stat("task_success") == "25% (pinned)"
    tree.root.get_by_role("button", name="back to the fit").click()
    assert tree.headline.startswith("Of 100 queries")
    expect(tree.root.locator(".finding")).to_be_focused()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_a_what_if_fits_and_can_be_read_at_every_width(
    new_page: Callable[..., tuple[Page, object]], saved: Path, width: int, theme: str
) -> None:
    page, _ = new_page(viewport={"width": width, "height": 1000}, color_scheme=theme)
    tree = opened(page, saved)
    for key, value in (("abstain_given_miss", "70"), ("correct_given_hit", "12.5")):
        tree.box(key).fill(value)
        tree.box(key).press("Enter")
    page.wait_for_timeout(250)
    ARTIFACTS.mkdir(exist_ok=True)
    page.screenshot(path=ARTIFACTS / f"what-if-{theme}-{width}.png", full_page=True)
    assert tree.misfits() == []
    assert tree.faint() == []


def test_two_hundred_moves_leave_nothing_behind(tree: TreeOnPage, watched_page: Page) -> None:
    session = watched_page.context.new_cdp_session(watched_page)

    def weight() -> tuple[float, float]:
        session.send("HeapProfiler.collectGarbage")
        heap = session.send("Runtime.getHeapUsage")["usedSize"]
        return heap, session.send("Memory.getDOMCounters")["nodes"]

    def move(n: int) -> None:
        tree.slider("abstain_given_miss").evaluate(
            """(slider, n) => {
              for (let i = 0; i < n; i++) {
                slider.value = String((i % 100) / 100);
                slider.dispatchEvent(new Event("input", { bubbles: true }));
              }
            }""",
            n,
        )
        watched_page.wait_for_timeout(100)

    move(40)
    heap, nodes = weight()
    move(200)
    after_heap, after_nodes = weight()
    print(heap, after_heap, nodes, after_nodes)
    assert after_heap - heap < 1_000_000
    assert after_nodes - nodes < 200
