"""Trees in VS Code's widget host: its own manager, a real kernel, no JupyterLab."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from .systems import APERTUS, QWEN
from .tree_dom import TreeOnPage
from .vscode_page import VSCodeHost, VSCodePage
from .watch import Watch

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SETUP = f"""
import pandas as pd
import rat_widgets as rat

apertus = rat.simulate(rat.{APERTUS!r}, n=600, strategy="all_joint", seed=0)
qwen = rat.simulate(rat.{QWEN!r}, n=600, strategy="all_joint", seed=1)
parts = [apertus.assign(system="Apertus 8B"), qwen.assign(system="Qwen3.5 9B")]
df = pd.concat(parts, ignore_index=True)
"""


@pytest.fixture(scope="module")
def opened(browser: Browser, vscode_host: VSCodeHost) -> Iterator[tuple[VSCodePage, Watch]]:
    """The host with a kernel that has read the table."""
    size = {"width": 1000, "height": 1000}
    with VSCodePage.running(browser, vscode_host, SETUP, viewport=size) as found:
        yield found


@pytest.fixture
def host(opened: tuple[VSCodePage, Watch]) -> Iterator[VSCodePage]:
    """A fresh tree, called `w` in the kernel; nothing must have gone wrong in the end."""
    host, watch = opened
    host.clear()
    host.run("w = rat.tree(df, by=['system'], controls={'group': 1})\nw")
    yield host
    watch.assert_quiet()


def test_moves_reach_the_kernel(host: VSCodePage) -> None:
    tree = host.tree()
    assert tree.picker.evaluate("(e) => e.selectedOptions[0].text") == "Qwen3.5 9B"
    tree.sign("miss_right").click()
    tree.unit("step").check(force=True)
    tree.picker.focus()
    host.page.keyboard.type("Ape")
    host.expect("[w.controls['group'], w.controls['unit']]", [0, "step"])
    host.expect("w.view.policy.weights['miss_right']", 1)
    assert host.value("w.view.group.label") == "Apertus 8B"
    worded = host.value("w.view.group.quantities['policy_adherence'].text")
    assert tree.stat("policy_adherence").split()[0] == worded.split()[0]


def test_signs_answer_to_the_keyboard(host: VSCodePage) -> None:
    tree = host.tree()
    tree.sign("hit_right").focus()
    host.page.keyboard.press("ArrowDown")
    host.page.keyboard.press("Space")
    expect(tree.sign("hit_wrong")).to_have_attribute("aria-pressed", "true")
    host.expect("w.controls['policy']['hit_wrong']", 1)


def test_more_labels_redraw_the_tree(host: VSCodePage) -> None:
    tree = host.tree()
    tree.sign("miss_right").click()
    host.run("w.update(pd.concat([df, df], ignore_index=True))")
    expect(tree.root.locator(".rows")).to_contain_text("1,200 rows")
    expect(tree.sign("miss_right")).to_have_attribute("aria-pressed", "true")


def test_rows_of_a_leaf_are_those_of_the_group_shown(host: VSCodePage) -> None:
    assert host.value("set(w.rows('hit_wrong')['system']) == {'Qwen3.5 9B'}")


def test_the_theme_of_the_editor_is_followed_at_once(host: VSCodePage, artifacts: Path) -> None:
    root = host.tree().root
    expect(root).to_have_attribute("data-theme", "light")
    for theme in ("dark", "light"):
        host.page.evaluate(
            """(theme) => {
              document.body.className = theme;
              document.body.dataset.vscodeThemeKind = theme;
            }""",
            f"vscode-{theme}",
        )
        expect(root).to_have_attribute("data-theme", theme)
        host.page.wait_for_timeout(300)  # colours fade over
        assert host.tree().faint() == []
        host.page.screenshot(path=artifacts / f"vscode-host-{theme}.png")


def test_a_closed_widget_leaves_and_its_neighbour_stays(host: VSCodePage) -> None:
    host.run("other = rat.tree(apertus)\nother")
    expect(host.trees()).to_have_count(2)
    host.run("w.close()")
    expect(host.trees()).to_have_count(1)
    before = TreeOnPage(host.trees()).totals()
    TreeOnPage(host.trees()).sign("miss_right").click()
    assert TreeOnPage(host.trees()).totals() != before


def test_nothing_overlaps_in_a_narrow_editor(host: VSCodePage) -> None:
    host.page.set_viewport_size({"width": 420, "height": 900})
    expect(host.tree().root).to_have_attribute("data-mode", "outline")
    assert host.tree().misfits() == []
    host.page.set_viewport_size({"width": 1000, "height": 1000})
