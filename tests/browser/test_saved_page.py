"""A saved page opened from disk: alive with no kernel, no server and no network."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import rat_widgets as rat

from .systems import HOSTILE, hidden_retrieval, hostile_systems, two_systems
from .tree_dom import TreeOnPage

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARTIFACTS = Path(__file__).parent / "artifacts"
WIDTHS = (320, 360, 900, 1100, 1600)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems in one page; the second one is shown."""
    w = rat.tree(two_systems(), by=["system"], controls={"group": 1})
    return w.save(tmp_path_factory.mktemp("page") / "tree.html")


@pytest.fixture
def tree(watched_page: Page, saved: Path) -> TreeOnPage:
    """The tree of that page."""
    return opened(watched_page, saved)


def opened(page: Page, path: Path) -> TreeOnPage:
    page.goto(path.as_uri())
    root = page.locator(".rat-widgets.rat-tree")
    root.wait_for()
    return TreeOnPage(root)


def test_a_saved_page_shows_the_system_that_was_chosen(tree: TreeOnPage) -> None:
    view = rat.tree(two_systems(), by=["system"], controls={"group": 1}).view
    assert tree.headline == "".join(text for text, _ in view.headline())
    assert tree.picker.evaluate("(e) => e.selectedOptions[0].text") == "Qwen3.5 9B"


def test_a_saved_page_asks_nobody_for_anything(
    new_page: Callable[..., tuple[Page, object]], saved: Path
) -> None:
    page, watch = new_page()
    opened(page, saved)
    page.wait_for_timeout(200)
    assert watch.requests == [saved.as_uri()]  # type: ignore[attr-defined]


def test_a_click_on_a_sign_changes_what_counts_and_the_totals_follow(tree: TreeOnPage) -> None:
    fitted = tree.stat("policy_adherence")
    before, lucky = tree.totals(), tree.worlds()["miss_right"][0]
    expect(tree.sign("miss_right")).to_have_attribute("aria-pressed", "false")
    tree.sign("miss_right").click()
    expect(tree.sign("miss_right")).to_have_attribute("aria-pressed", "true")
    assert lucky > 0
    assert tree.totals() == (before[0], before[1] + lucky)
    assert tree.stat("policy_adherence") != fitted
    tree.root.locator("button.reset").click()
    assert tree.stat("policy_adherence") == fitted
    assert tree.totals() == before


def test_undo_takes_back_one_change_at_a_time(tree: TreeOnPage) -> None:
    tree.sign("miss_right").click()
    once = tree.stat("policy_adherence")
    tree.sign("hit_abstained").click()
    tree.root.locator("button.undo").click()
    assert tree.stat("policy_adherence") == once
    expect(tree.sign("hit_abstained")).to_have_attribute("aria-pressed", "false")


def test_ledger_columns_add_up_in_every_system_under_every_policy(tree: TreeOnPage) -> None:
    for group in ("0", "1"):
        tree.picker.select_option(group)
        for world in ("miss_right", "miss_abstained", "hit_wrong", "hit_right"):
            tree.sign(world).click()
            assert (tree.ledger("task"), tree.ledger("policy")) == tree.totals()
            assert sum(count for count, _ in tree.worlds().values()) == 100


def test_a_policy_stays_when_another_system_is_picked(tree: TreeOnPage) -> None:
    tree.sign("miss_right").click()
    tree.picker.select_option("0")
    expect(tree.sign("miss_right")).to_have_attribute("aria-pressed", "true")


def test_the_unit_changes_leaves_and_not_rates(tree: TreeOnPage) -> None:
    rates, leaf = tree.rates(), tree.leaf("hit_right").inner_text()
    tree.unit("step").check(force=True)
    assert tree.rates() == rates
    assert tree.leaf("hit_right").inner_text() != leaf


def test_tab_reaches_every_control_and_leaves_the_tree_again(
    tree: TreeOnPage, watched_page: Page
) -> None:
    wanted = tree.root.locator(
        "select:visible, input:checked, .slider, .box, button:visible:enabled, summary"
    ).count()
    stops = walk(watched_page, limit=wanted + 5)
    assert len(stops) == len(set(stops)) == wanted
    assert {s for s in stops if s.startswith(("slider", "box"))} == {
        f"{what} {key}" for key in rat.Theta.__dataclass_fields__ for what in ("slider", "box")
    }
    assert sum(s.startswith("sign") for s in stops) == 6


def walk(page: Page, limit: int) -> list[str]:
    """What Tab stops at, from the top of the page until it leaves the tree."""
    stops = []
    page.locator("body").evaluate("(e) => { e.tabIndex = -1; e.focus(); }")
    for _ in range(limit):
        page.keyboard.press("Tab")
        stop = page.evaluate("""() => {
          const e = document.activeElement;
          if (!e.closest(".rat-tree")) return null;
          const branch = e.closest("[data-branch]")?.dataset.branch;
          const world = e.closest("[data-world]")?.dataset.world;
          if (branch) return `${e.className} ${branch}`;
          return world ? `sign ${world}` : e.className || e.localName;
        }""")
        if stop is None:
            break
        stops.append(stop)
    return stops


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_key_on_a_sign_does_what_a_click_does(
    tree: TreeOnPage, watched_page: Page, key: str
) -> None:
    tree.sign("hit_wrong").focus()
    watched_page.keyboard.press(key)
    expect(tree.sign("hit_wrong")).to_have_attribute("aria-pressed", "true")
    expect(tree.sign("hit_wrong")).to_be_focused()


def test_arrow_keys_move_between_outcomes_and_to_the_branch_above(
    tree: TreeOnPage, watched_page: Page
) -> None:
    tree.sign("hit_right").focus()
    watched_page.keyboard.press("ArrowDown")
    expect(tree.sign("hit_wrong")).to_be_focused()
    watched_page.keyboard.press("ArrowLeft")
    expect(tree.slider("correct_given_hit")).to_be_focused()


def test_picker_and_unit_work_from_the_keyboard(tree: TreeOnPage, watched_page: Page) -> None:
    tree.picker.focus()
    watched_page.keyboard.type("Ape")
    expect(tree.picker).to_have_value("0")
    tree.unit("queries").focus()
    watched_page.keyboard.press("ArrowRight")
    expect(tree.unit("step")).to_be_checked()


def test_focus_on_a_branch_shows_dots_instead_of_the_curve(tree: TreeOnPage) -> None:
    branch = tree.branch("retrieval_success")
    picture = branch.screenshot()
    tree.slider("retrieval_success").focus()
    assert branch.screenshot() != picture


def test_every_part_has_a_name_for_a_screen_reader(tree: TreeOnPage) -> None:
    root = tree.root
    expect(root.get_by_role("combobox", name="system")).to_be_visible()
    expect(root.get_by_role("radio", name="of 100 queries")).to_be_checked()
    expect(root.get_by_role("radio", name="of the step before")).to_be_visible()
    expect(root.get_by_role("heading", level=2)).to_have_text(re.compile("^Of 100 queries, "))
    expect(root.locator("[aria-live=polite], [role=status]")).to_have_count(3)
    for key in rat.Theta.__dataclass_fields__:
        assert re.fullmatch(r".+\. <?\d+% \(\d+–\d+\)\. .+\.", name_of(tree, f"branch={key}"))
    signs = root.get_by_role("button", name=re.compile(r"^(had the evidence|no evidence), "))
    expect(signs).to_have_count(6)
    expect(root.get_by_role("button", name="Copy the sentence")).to_be_visible()
    expect(root.get_by_role("button", name="Copy as Python")).to_be_visible()
    nameless = root.locator("svg:not([aria-hidden=true]):not([aria-label])")
    assert [e.evaluate("(s) => s.closest('[aria-label]') !== null") for e in nameless.all()] == [
        True
    ] * nameless.count()


def name_of(tree: TreeOnPage, data: str) -> str:
    kind, value = data.split("=")
    return tree.root.locator(f'[data-{kind}="{value}"]').get_attribute("aria-label") or ""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("unit", ["queries", "step"])
def test_nothing_is_cut_off_or_covered(
    new_page: Callable[..., tuple[Page, object]], saved: Path, width: int, unit: str
) -> None:
    page, _ = new_page(viewport={"width": width, "height": 900})
    tree = opened(page, saved)
    tree.unit(unit).check(force=True)
    tree.sign("miss_right").click()
    tree.root.locator("summary").click()
    assert tree.misfits() == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width


STATES = {
    "no rows": (0, {}),
    "one row": (1, {}),
    "few rows": (12, {}),
    "utility": (600, {"policy": {"hit_right": 1, "miss_wrong": -1.5, "hit_wrong": -1}}),
    "weights": (600, {"policy": {"hit_right": 1, "miss_right": 0.25, "miss_abstained": 1}}),
    "millions of rows": (3_000_000, {}),
}


@pytest.mark.parametrize("width", [320, 900])
@pytest.mark.parametrize("state", STATES)
def test_unusual_states_fit_too(
    new_page: Callable[..., tuple[Page, object]], tmp_path: Path, state: str, width: int
) -> None:
    n, keywords = STATES[state]
    w = rat.tree(two_systems(max(n, 1)).query("system == 'Qwen3.5 9B'").head(n), **keywords)
    page, _ = new_page(viewport={"width": width, "height": 900})
    tree = opened(page, w.save(tmp_path / "tree.html"))
    assert tree.headline == "".join(text for text, _ in w.view.headline())
    assert tree.misfits() == []
    tree.sign("miss_right").click()
    assert tree.misfits() == []
    assert "NaN" not in tree.root.inner_text()
    assert "undefined" not in tree.root.inner_text()
    page.screenshot(path=ARTIFACTS / f"state-{state.replace(' ', '-')}-{width}.png", full_page=True)


@pytest.mark.parametrize("width", [320, 1100])
def test_signs_are_large_enough_to_hit(
    new_page: Callable[..., tuple[Page, object]], saved: Path, width: int
) -> None:
    page, _ = new_page(viewport={"width": width, "height": 900})
    tree = opened(page, saved)
    for sign in tree.root.locator("button.sign").all():
        box = sign.bounding_box()
        assert box is not None
        assert min(box["width"], box["height"]) >= 32


@pytest.mark.parametrize("width", [360, 1100, 1600])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark_follow_the_reader(
    new_page: Callable[..., tuple[Page, object]],
    saved: Path,
    artifacts: Path,
    width: int,
    scheme: str,
) -> None:
    other = "dark" if scheme == "light" else "light"
    page, _ = new_page(viewport={"width": width, "height": 900}, color_scheme=other)
    tree = opened(page, saved)
    expect(tree.root).to_have_attribute("data-theme", other)
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    expect(tree.root).to_have_attribute("data-theme", scheme)
    light = page.evaluate("""() => {
      const colour = getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number);
      return colour[0] + colour[1] + colour[2] > 380;
    }""")
    assert light is (scheme == "light")
    page.wait_for_timeout(300)  # colours fade over
    assert tree.faint() == []
    page.screenshot(path=artifacts / f"page-{scheme}-{width}.png", full_page=True)


def test_without_javascript_a_picture_and_a_table_stand_there(
    new_page: Callable[..., tuple[Page, object]], saved: Path
) -> None:
    page, _ = new_page(java_script_enabled=False)
    page.goto(saved.as_uri())
    expect(page.locator(".rat-tree")).to_have_count(0)
    expect(page.locator("svg[role=img]")).to_be_visible()
    table = page.get_by_role("table")
    expect(table).to_be_visible()
    assert table.get_by_role("row").count() >= 6 + 5 + 4


def test_with_javascript_the_picture_for_others_is_not_there(tree: TreeOnPage) -> None:
    expect(tree.root.page.locator(".rat-fallback")).to_be_hidden()


def test_names_that_look_like_markup_are_shown_and_never_run(
    watched_page: Page, tmp_path: Path
) -> None:
    table = hostile_systems()
    w = rat.tree(table, by=[table.columns[-1]])
    tree = opened(watched_page, w.save(tmp_path / "tree.html"))
    shown = tree.picker.locator("option").evaluate_all("(all) => all.map((o) => o.textContent)")
    assert sorted(one_line(n) for n in shown) == sorted(one_line(n) for n in HOSTILE)
    for index in range(len(HOSTILE)):
        tree.picker.select_option(str(index))
        # Names as long as a paragraph are cut, with the whole of them in the accessible name.
        assert [m for m in tree.misfits() if not m.startswith("cut off")] == []
    expect(tree.picker).to_have_accessible_name(table.columns[-1])
    foreign = "img, script, b[onmouseover], iframe, a"
    assert tree.root.locator(foreign).count() == 0
    assert watched_page.locator("body script:not(.rat-view)").count() == 1


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("hidden", ["R", "A"])
def test_a_page_with_hidden_labels_answers_moves_from_its_own_draws_or_those_it_brought(
    watched_page: Page, tmp_path: Path, hidden: str
) -> None:
    table = hidden_retrieval()
    if hidden == "A":
        table["R"] = table["R"].fillna(0)
        table["A"] = table["A"].astype(float).mask((table["T"] == 0) & (table.index % 2 == 0))
    w = rat.tree(table)
    tree = opened(watched_page, w.save(tmp_path / "tree.html"))
    assert (w.view.group.draws is None) == (hidden == "R")
    expect(tree.picker).to_be_hidden()
    fitted = tree.stat("policy_adherence")
    tree.sign("miss_right").click()
    assert tree.stat("policy_adherence") != fitted


def test_a_report_is_alive_too_and_shows_its_labels(watched_page: Page, tmp_path: Path) -> None:
    path = rat.report(two_systems(), tmp_path / "report.html", by=["system"])
    tree = opened(watched_page, path)
    before = tree.totals()
    tree.sign("miss_right").click()
    assert tree.totals() != before
    expect(watched_page.get_by_role("heading", name="How the tree of")).to_be_visible()


def test_rows_in_a_page_are_text(watched_page: Page, tmp_path: Path) -> None:
    table = two_systems(40).assign(answer="<img src=x onerror=alert(5)>")
    w = rat.tree(table, by=["system"])
    opened(watched_page, w.save(tmp_path / "tree.html", include_rows=True))
    watched_page.locator("section.prose summary").click()
    cells = watched_page.get_by_role("cell", name="<img src=x onerror=alert(5)>")
    assert cells.count() == 40
    assert watched_page.locator("img").count() == 0


def test_a_report_of_900_px_cuts_no_sentence_and_its_heads_have_two_lines(
    watched_page: Page, tmp_path: Path
) -> None:
    """The engine's line ran out of its box, and "right by policy" took three lines."""
    frame = two_systems()
    sentence = rat.fit(frame, by=["system"]).members[0].draws.reason
    watched_page.set_viewport_size({"width": 900, "height": 900})
    opened(watched_page, rat.report(frame, tmp_path / "report.html", by=["system"]))
    engine = watched_page.locator("td", has_text=sentence)
    box = "(e) => e.closest('.scroll').scrollWidth - e.closest('.scroll').clientWidth"
    assert engine.evaluate(box) <= 0
    lines = "(e) => e.scrollHeight / parseFloat(getComputedStyle(e).lineHeight)"
    heads = watched_page.locator(".ledger b")
    assert [round(heads.nth(i).evaluate(lines)) for i in range(heads.count())] == [2, 2]
