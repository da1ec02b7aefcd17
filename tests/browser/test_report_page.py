"""A report opened from disk: parts that follow each other, names of any kind, still pictures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, Page, expect

import rat_widgets as rat
from rat_widgets.report.pictures import WIDTHS

from .polling import until
from .probes import faint, misfits
from .systems import HOSTILE
from .watch import Watch

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

THETA = rat.Theta.from_array([0.42, 0.30, 0.06, 0.35, 0.80])
LONG = "x" * 300
NAMES = (
    "ordinary", LONG, *HOSTILE, "\N{RIGHT-TO-LEFT OVERRIDE}turned", "\N{ROCKET}" * 80, "a\n\nb",
)  # fmt: skip
Opener = Callable[..., tuple[Page, Watch]]


def judged(names: tuple[str, ...], by: str = "system") -> pd.DataFrame:
    """Systems with a judge who is lenient with the second one."""
    frames = []
    for i, name in enumerate(names):
        frame = rat.simulate(THETA, n=200, seed=i).astype(float)
        rng = np.random.default_rng(i)
        right = frame["T"].fillna(0) == 1
        passes = np.where(right, 0.9, 0.6 if i == 1 else 0.1)
        frame["j"] = (rng.random(200) < passes).astype(float)
        frame.loc[100:, ["R", "T"]] = np.nan
        frames.append(frame.assign(**{by: name}))
    return pd.concat(frames, ignore_index=True)


def figures() -> dict[str, Any]:
    """A picture of each tool, and one of a study."""
    rng = np.random.default_rng(1)
    score = rng.beta(1.2, 1.2, 600).round(2)
    people = (rng.random(600) < score).astype(int)
    verdict = (rng.random(600) < 0.2 + 0.6 * people).astype(int)
    frame = pd.DataFrame({"day": np.arange(600) // 10, "verdict": verdict, "people": people})
    return {
        "Is the score a probability?": rat.reliability(score, people),
        "Which rows should a person decide?": rat.escalation_band(score, people, target=0.1),
        "Does it like long answers?": rat.length_slope(verdict, rng.integers(20, 400, 600), people),
        "Has it drifted?": rat.judge_drift(frame, time="day", verdict="verdict", human="people"),
        "What to label next": rat.study_allocation(
            THETA, budgets=(50, 100), strategies=["all_r", "all_t"], replications=4, progress=False
        ),
    }


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three systems, the second by itself, and pictures."""
    posts = rat.fit(
        judged(("first", "second", "third")),
        by="system", judges=[rat.Judge("j", of="task")], apart=["second"], draws=800,
    )  # fmt: skip
    path = tmp_path_factory.mktemp("report") / "report.html"
    return rat.report(posts, path, figures=figures(), controls={"group": "first"})


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Reports of systems with names of every kind: of all, of one, and without judges."""
    folder, by = tmp_path_factory.mktemp("hostile"), "system " + "y" * 80
    frame, judges = judged(NAMES, by), [rat.Judge("j", of="task", name="z" * 200)]
    kept = {"by": by, "draws": 400}
    return {
        "all": rat.report(frame, folder / "all.html", judges=judges, apart=[LONG], **kept),
        "one": rat.report(frame[frame[by] == LONG], folder / "one.html", judges=judges, **kept),
        "tree": rat.report(
            frame.drop(columns="j"), folder / "tree.html", controls={"group": LONG}, **kept
        ),
    }


def opened(page: Page, path: Path) -> Page:
    page.goto(path.as_uri())
    page.locator(".rat-widgets").first.wait_for()
    return page


def pickers(page: Page) -> list[Locator]:
    return [page.locator(f".{root} select.group") for root in ("rat-tree", "rat-judges")]


def shown(page: Page) -> list[str]:
    return [picker.locator("option:checked").inner_text() for picker in pickers(page)]


@pytest.mark.parametrize("here", [0, 1])
def test_a_system_chosen_by_keyboard_in_one_part_is_shown_by_the_other(
    watched_page: Page, saved: Path, here: int
) -> None:
    page = opened(watched_page, saved)
    there = page.locator((".rat-judges", ".rat-tree")[here]).locator(".headline")
    before = there.inner_text()
    picker = pickers(page)[here]
    picker.focus()
    page.keyboard.press("ArrowDown")
    assert shown(page) == ["second", "second"]
    expect(there).not_to_have_text(before)
    expect(picker).to_be_focused()
    page.keyboard.press("ArrowDown")
    assert shown(page) == ["third", "third"]
    page.keyboard.press("Home")
    assert shown(page) == ["first", "first"]
    expect(there).to_have_text(before)


def test_what_a_reader_has_set_in_the_other_part_stays(watched_page: Page, saved: Path) -> None:
    page = opened(watched_page, saved)
    tree = page.locator(".rat-tree")
    tree.locator(".branch input.box").first.fill("90")
    page.keyboard.press("Enter")
    expect(tree.locator(".headline")).to_contain_text("What if")
    pickers(page)[1].select_option("1")
    assert shown(page) == ["second", "second"]
    expect(tree.locator(".headline")).to_contain_text("What if")


@pytest.mark.parametrize("width", [360, 1100])
@pytest.mark.parametrize("anchor", ["auto", "none"])  # some browsers hold the place by themselves
def test_the_part_in_hand_does_not_move_when_the_one_above_changes(
    new_page: Opener, saved: Path, width: int, anchor: str
) -> None:
    page, _ = new_page(viewport={"width": width, "height": 700})
    opened(page, saved)
    page.add_style_tag(content=f"* {{ overflow-anchor: {anchor}; }}")
    tree, judges = page.locator(".rat-tree"), page.locator(".rat-judges")
    top = "(e) => Math.round(e.getBoundingClientRect().top)"
    height = "(e) => e.getBoundingClientRect().height"
    picker = pickers(page)[1]
    picker.scroll_into_view_if_needed()
    picker.focus()
    before, heights = judges.evaluate(top), {tree.evaluate(height)}
    for key in ("ArrowDown", "ArrowDown", "Home"):
        page.keyboard.press(key)
        page.wait_for_timeout(150)
        assert abs(judges.evaluate(top) - before) <= 1, key
        heights.add(tree.evaluate(height))
    assert len(heights) > 1  # something was there to move it


@pytest.mark.parametrize("width", [320, 360, 900, 1600])
@pytest.mark.parametrize("which", ["all", "one", "tree"])
def test_no_name_makes_the_page_scroll_sideways(
    new_page: Opener, hostile: dict[str, Path], which: str, width: int
) -> None:
    page, watch = new_page(viewport={"width": width, "height": 900})
    opened(page, hostile[which])
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for title in page.locator("h1, h2").all():
        box = title.bounding_box()
        assert box is None or box["x"] + box["width"] <= width
    assert page.evaluate("window.hostile") is None
    assert watch.abroad == []


def test_a_name_that_is_cut_stays_reachable_in_full(
    watched_page: Page, hostile: dict[str, Path]
) -> None:
    page = opened(watched_page, hostile["all"])
    name = page.locator(f'.name[title="{LONG}"]').first
    assert name.inner_text() == LONG
    assert name.evaluate("(e) => e.scrollHeight > e.clientHeight")  # three lines of it are shown
    opened(page, hostile["one"])
    assert LONG in page.locator("h1").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 360, 900, 1600])
def test_pictures_are_there_in_one_width_that_fits(
    new_page: Opener, saved: Path, width: int, scheme: Any
) -> None:
    page, watch = new_page(
        viewport={"width": width, "height": 900}, color_scheme=scheme, java_script_enabled=False
    )
    page.goto(saved.as_uri())
    drawn = page.locator(".picture svg:visible")
    expect(drawn).to_have_count(len(figures()))
    layout = max((w for w in WIDTHS if w <= width), default=WIDTHS[0])
    for picture in drawn.all():
        assert picture.get_attribute("width") == str(layout)
        box = picture.bounding_box()
        assert box is not None
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= width
        assert 0.9 < box["width"] / layout < 1.11  # letters about as large as they were laid out
        assert misfits_of(picture) == []
        ground = picture.locator("> rect").first.evaluate("(e) => getComputedStyle(e).fill")
        assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(18, 21, 26)"}[scheme]
    assert watch.requests == [saved.as_uri()]


def misfits_of(picture: Locator) -> list[str]:
    """Texts of a picture that reach beyond it."""
    found: list[str] = picture.evaluate(
        """(svg) => {
          const frame = svg.getBoundingClientRect();
          return [...svg.querySelectorAll("text")].filter((e) => {
            const b = e.getBoundingClientRect();
            return b.left < frame.left - 1 || b.right > frame.right + 1;
          }).map((e) => e.textContent);
        }"""
    )
    return found


def test_the_text_of_a_picture_can_be_selected_and_is_told_to_those_who_listen(
    watched_page: Page, saved: Path
) -> None:
    page = opened(watched_page, saved)
    picture = page.locator(".picture svg:visible").first
    text = picture.locator("text").first
    text.scroll_into_view_if_needed()
    box, mouse = text.bounding_box(), page.mouse
    assert box is not None
    middle = box["y"] + box["height"] / 2
    mouse.move(box["x"] + 1, middle)
    mouse.down()
    mouse.move(box["x"] + box["width"] - 2, middle, steps=4)
    mouse.up()
    chosen = page.evaluate("getSelection().toString().trim()")
    said = text.text_content() or ""
    assert chosen in said
    assert len(chosen) > 0.8 * len(said)
    tree = picture.aria_snapshot()
    name = picture.get_attribute("aria-label")
    assert name is not None
    assert f'img "{name}"' in tree
    hidden = page.locator(".picture svg:not(:visible)")
    assert hidden.count() == len(figures()) * (len(WIDTHS) - 1)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 360, 900, 1600])
def test_rates_by_system_are_readable(
    new_page: Opener, saved: Path, width: int, scheme: Any
) -> None:
    page, _ = new_page(viewport={"width": width, "height": 3000}, color_scheme=scheme)
    opened(page, saved)
    part = page.locator("section.prose", has_text="Rates by system")
    assert misfits(part) == []
    # What changes on its way in is faint for a moment.
    until(lambda: faint(page.locator("main")), [], 5)
    rows = part.get_by_role("row")
    assert rows.filter(has=page.get_by_role("rowheader")).count() == 2
    second = part.get_by_role("row", name="second")
    expect(second).to_contain_text("Passes more wrong answers than for the others.")
    if width < 620:  # every cell is under the one before
        tops = [box["y"] for c in second.get_by_role("cell").all() if (box := c.bounding_box())]
        assert tops == sorted(set(tops))


def test_measures_of_judges_are_read_whole_on_a_phone(watched_page: Page, saved: Path) -> None:
    """The last column is not cut: the table is as wide as the page."""
    watched_page.set_viewport_size({"width": 360, "height": 900})
    page = opened(watched_page, saved)
    section = page.locator(".prose", has=page.get_by_role("heading", name="Judges of first"))
    scroll = section.locator(".scroll")
    expect(scroll.get_by_text("policy_adherence").first).to_be_visible()
    assert scroll.evaluate("(e) => e.scrollWidth - e.clientWidth") == 0
