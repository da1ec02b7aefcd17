"""Graded retrieval on a saved page: beside Python's answers, at every width, with any names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import rat_widgets as rat

from .test_saved_page import ARTIFACTS, WIDTHS, opened
from .tree_dom import TreeOnPage

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

LEVELS = ("none", "partial", "all")
STATS = ("retrieval[all]", "abstention", "task_success", "policy_adherence")
PINS = {"retrieval[all]": 0.7, "correct_given[partial]": 0.25}
HOSTILE = (
    '<img src=x onerror="window.hit=1">',
    "a name that nobody would give a level " * 3,
    "all",
)


def tree_of(*, hidden: bool = False, levels: tuple[str, ...] = LEVELS, **keywords: Any) -> Any:
    """The systems of `mtrag_human`; without the rows that hide R the browser draws by itself."""
    frame = rat.datasets.load("mtrag_human")
    if not hidden:
        frame = frame[frame["R"].notna()]
    frame["R"] = frame["R"].map(dict(zip(LEVELS, levels, strict=True)))
    return rat.tree(frame, by="system", retrieval_levels=levels, **keywords)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[bool, Path]:
    """Pages with and without rows that hide R."""
    folder = tmp_path_factory.mktemp("page")
    return {
        hidden: tree_of(hidden=hidden).save(folder / f"{hidden}.html") for hidden in (True, False)
    }


def whole(text: str) -> int:
    """The number before the sign of per cent."""
    return int(text.partition("%")[0].lstrip("<>"))


@pytest.mark.parametrize("hidden", [False, True])
def test_the_page_says_what_the_view_says(
    watched_page: Page, saved: dict[bool, Path], hidden: bool
) -> None:
    tree, view = opened(watched_page, saved[hidden]), tree_of(hidden=hidden).view
    assert (view.group.draws is None) is not hidden
    assert tree.headline == "".join(text for text, _ in view.headline())
    assert tree.deck == "".join(text for text, _ in view.deck()).strip()
    assert {world: n for world, (n, _) in tree.worlds().items()} == view.of_100()
    for key in STATS:
        own = view.group.quantities.get(key) or view.group.branches[key]
        assert tree.stat(key) == own.text
    for key, own in view.group.branches.items():
        assert tree.rate(key) == own.text
    quantities = tree.quantities()
    assert list(quantities)[:9] == [
        *(f"retrieval[{level}]" for level in LEVELS),
        *list(quantities)[3:9],
    ]
    assert quantities["lucky_share"] == view.group.quantities["lucky_share"].text
    assert (tree.ledger("task"), tree.ledger("policy")) == tree.totals()


@pytest.mark.parametrize("hidden", [False, True])
def test_levels_move_together_as_they_do_in_python(
    watched_page: Page, saved: dict[bool, Path], hidden: bool
) -> None:
    tree = opened(watched_page, saved[hidden])
    for key, pin in PINS.items():
        tree.box(key).fill(f"{100 * pin:g}")
        tree.box(key).press("Enter")
    w = tree_of(hidden=hidden, controls={"pins": PINS})
    group = w.view.group
    for key in (*STATS, "retrieval[none]", "retrieval[partial]"):
        in_python = group.quantities.get(key) or group.branches[key]
        shown = tree.stat(key) if key in STATS else tree.rate(key)
        # Two sets of draws, the smaller one of 1,000: a point at most between whole per cents.
        assert abs(whole(shown) - whole(in_python.text)) <= 1, key
    for world, (count, _) in tree.worlds().items():
        assert abs(count - w.view.of_100()[world]) <= 1, world
    assert w.posterior().pins == PINS


def test_a_slider_ends_where_the_others_leave_no_more(
    watched_page: Page, saved: dict[bool, Path]
) -> None:
    tree, keyboard = opened(watched_page, saved[False]), watched_page.keyboard
    tree.box("retrieval[all]").fill("62.5")
    tree.box("retrieval[all]").press("Enter")
    slider = tree.slider("retrieval[none]")
    expect(slider).to_have_attribute("max", "0.375")
    slider.focus()
    keyboard.press("End")
    assert 0.36 < float(slider.input_value()) <= 0.375
    needle, plot = (
        slider.bounding_box(),
        tree.branch("retrieval[none]").locator("svg").bounding_box(),
    )
    assert needle is not None
    assert plot is not None
    # The end of the slider stands where 37.5% of the axis are, 9 px from either end of the plot.
    assert needle["x"] + needle["width"] - 9 == pytest.approx(
        plot["x"] + 9 + 0.375 * (plot["width"] - 18), abs=0.6
    )
    expect(tree.slider("retrieval[partial]")).to_be_disabled()
    assert "no choice" in (tree.branch("retrieval[partial]").get_attribute("aria-label") or "")
    tree.branch("retrieval[none]").locator("button.unpin").click()
    expect(tree.slider("retrieval[partial]")).to_be_enabled()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("pins", [None, {"retrieval[all]": 0.6, "retrieval[none]": 0.1}])
def test_nothing_is_cut_off_or_covered(
    new_page: Callable[..., tuple[Page, object]],
    tmp_path: Path,
    width: int,
    pins: dict[str, float] | None,
) -> None:
    page, _ = new_page(viewport={"width": width, "height": 900})
    tree = opened(page, tree_of(controls={"pins": pins}).save(tmp_path / "tree.html"))
    tree.root.locator("summary").click()
    assert tree.misfits() == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.screenshot(
        path=ARTIFACTS / f"graded-{width}-{'pins' if pins else 'fit'}.png", full_page=True
    )


@pytest.mark.parametrize("width", [320, 900])
def test_levels_of_any_name_are_text_and_keep_to_their_place(
    new_page: Callable[..., tuple[Page, object]], tmp_path: Path, width: int
) -> None:
    page, _ = new_page(viewport={"width": width, "height": 900})
    w = tree_of(levels=HOSTILE)
    tree: TreeOnPage = opened(page, w.save(tmp_path / "tree.html"))
    assert page.evaluate("window.hit") is None
    assert tree.headline == "".join(text for text, _ in w.view.headline())
    overlaps = [told for told in tree.misfits() if not told.startswith("cut off")]
    assert overlaps == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_text_is_faint(
    new_page: Callable[..., tuple[Page, object]], saved: dict[bool, Path], scheme: str
) -> None:
    page, _ = new_page(viewport={"width": 1100, "height": 900}, color_scheme=scheme)
    tree = opened(page, saved[False])
    tree.box("retrieval[all]").fill("60")
    tree.box("retrieval[all]").press("Enter")
    assert tree.faint() == []
