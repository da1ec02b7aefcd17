"""Trees in a real JupyterLab: what a reader moves reaches the kernel, and the reverse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from .lab_page import LabPage, write_notebook
from .servers import JupyterServer
from .systems import APERTUS, QWEN
from .watch import Watch

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

# The tables of `systems`, spelt out for a kernel that knows the package only.
CELLS = [
    f"""
    import ipywidgets
    import pandas as pd
    import rat_widgets as rat

    apertus = rat.simulate(rat.{APERTUS!r}, n=600, strategy="all_joint", seed=0)
    qwen = rat.simulate(rat.{QWEN!r}, n=600, strategy="all_joint", seed=1)
    parts = [apertus.assign(system="Apertus 8B"), qwen.assign(system="Qwen3.5 9B")]
    df = pd.concat(parts, ignore_index=True)
    """,
    """
    w = rat.tree(df, by=["system"], controls={"group": 1})
    w
    """,
    """
    w
    """,
    """
    other = rat.tree(df[df["system"] == "Apertus 8B"])
    ipywidgets.VBox([other, ipywidgets.Label("below the tree")])
    """,
]


@pytest.fixture(scope="module")
def opened(browser: Browser, lab_server: JupyterServer) -> Iterator[LabPage]:
    """The notebook, opened once."""
    context = browser.new_context(viewport={"width": 1600, "height": 1400})
    context.set_default_timeout(15_000)
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    page, watch = context.new_page(), Watch()
    watch.follow(page)
    write_notebook(lab_server.folder / "trees.ipynb", CELLS)
    lab = LabPage(page=page, server=lab_server, watch=watch)
    lab.open("trees.ipynb")
    yield lab
    context.close()


@pytest.fixture
def lab(opened: LabPage) -> Iterator[LabPage]:
    """Its cells have just been run; nothing must have gone wrong when a test is over."""
    opened.run_all()
    assert opened.errors() == []
    opened.tree(2)
    yield opened
    opened.watch.assert_quiet()


def test_a_click_on_a_sign_reaches_the_kernel(lab: LabPage) -> None:
    tree = lab.tree()
    assert lab.value("w.view.policy.name") == "adherence"
    tree.sign("miss_right").click()
    lab.expect("w.view.policy.weights['miss_right']", 1)
    assert lab.value("w.view.policy.name") == "custom"
    lab.expect(
        "w.view.group.quantities['policy_adherence'].text[:3]", tree.stat("policy_adherence")[:3]
    )
    mean, shown = lab.value(
        "[float(w.posterior()['policy_adherence'].mean()), "
        "w.view.group.quantities['policy_adherence'].value]"
    )
    assert mean == pytest.approx(shown, abs=2e-5)


def test_a_what_if_by_mouse_reaches_the_kernel(lab: LabPage) -> None:
    tree = lab.tree()
    fitted = lab.value("float(w.posterior()['policy_adherence'].mean())")
    tree.drag("abstain_given_miss", 0.7)
    lab.expect("w.controls['pins']", {"abstain_given_miss": 0.7})
    assert tree.headline.startswith("What if: of 100 queries, ")
    assert lab.value("w.posterior().pins") == {"abstain_given_miss": 0.7}
    assert lab.value("w.view.headline()[0][0]") == "What if: "
    pinned = lab.value("float(w.posterior()['policy_adherence'].mean())")
    assert abs(pinned - fitted) > 0.05
    assert abs(round(100 * pinned) - int(tree.stat("policy_adherence").partition("%")[0])) <= 1
    tree.root.locator("button.undo").click()
    lab.expect("w.controls['pins']", None)
    assert lab.value("float(w.posterior()['policy_adherence'].mean())") == fitted


def test_a_what_if_by_keyboard_and_box_is_not_taken_for_shortcuts(lab: LabPage) -> None:
    tree, keyboard = lab.tree(), lab.page.keyboard
    tree.slider("correct_given_hit").focus()
    keyboard.press("End")
    keyboard.press("ArrowLeft")
    lab.expect("w.controls['pins']", {"correct_given_hit": 0.99})
    tree.box("retrieval_success").focus()
    keyboard.press("Control+A")
    keyboard.type("33")
    keyboard.press("Enter")
    lab.expect("w.controls['pins']", {"retrieval_success": 0.33, "correct_given_hit": 0.99})
    lab.run("w.controls = {**w.controls, 'pins': {'abstain_given_hit': 0.25}}")
    expect(tree.box("abstain_given_hit")).to_have_value("25")
    expect(tree.root.locator(".branch.moved")).to_have_count(1)
    assert lab.page.locator(".jp-Cell").count() == len(CELLS)


def test_a_what_if_copied_as_python_runs_in_the_kernel(lab: LabPage) -> None:
    tree = lab.tree()
    tree.box("abstain_given_miss").fill("12.5")
    tree.box("abstain_given_miss").press("Enter")
    lab.expect("w.controls['pins']", {"abstain_given_miss": 0.125})
    tree.root.locator("button.copy-python").click()
    tree.root.get_by_role("status").filter(has_text="Copied").wait_for()
    copied = lab.page.evaluate("() => navigator.clipboard.readText()")
    lab.run(f"again = {copied}")
    assert lab.value("again.controls == w.controls and again.view.group == w.view.group")


def test_the_keyboard_sets_group_unit_and_policy(lab: LabPage) -> None:
    tree, keyboard = lab.tree(), lab.page.keyboard
    tree.picker.focus()
    keyboard.press("ArrowUp")
    lab.expect("w.controls['group']", 0)
    tree.unit("queries").focus()
    keyboard.press("ArrowRight")
    lab.expect("w.controls['unit']", "step")
    tree.sign("hit_wrong").focus()
    keyboard.press("Space")
    expect(tree.sign("hit_wrong")).to_be_focused()
    keyboard.press("ArrowDown")
    expect(tree.sign("hit_abstained")).to_be_focused()
    keyboard.press("Enter")
    expect(tree.sign("hit_abstained")).to_be_focused()
    lab.expect("[w.controls['policy'][k] for k in ('hit_wrong', 'hit_abstained')]", [1, 1])
    assert lab.page.locator(".jp-Cell").count() == len(CELLS)


def test_letters_typed_into_the_picker_are_not_shortcuts_of_the_notebook(lab: LabPage) -> None:
    tree = lab.tree()
    tree.picker.focus()
    lab.page.keyboard.type("Ape")
    expect(tree.picker).to_have_value("0")
    assert lab.page.locator(".jp-Cell").count() == len(CELLS)
    lab.expect("w.controls['group']", 0)


def test_tab_walks_through_the_tree_and_out_of_it(lab: LabPage) -> None:
    tree = lab.tree()
    tree.picker.focus()
    seen = []
    for _ in range(30):
        lab.page.keyboard.press("Tab")
        seen.append(tree.root.evaluate("(root) => root.contains(document.activeElement)"))
    assert sum(seen) >= 1 + 2 * 5 + 6 + 1 + 2
    assert seen == sorted(seen, reverse=True)


def test_many_quick_clicks_end_in_the_same_state_on_both_sides(lab: LabPage) -> None:
    tree = lab.tree()
    for _ in range(7):
        for world in ("miss_right", "hit_wrong", "miss_wrong"):
            tree.sign(world).click()
    pressed = tree.sign("miss_wrong").get_attribute("aria-pressed")
    assert pressed == "true"
    lab.expect(
        "[w.controls['policy'][k] for k in ('miss_right', 'hit_wrong', 'miss_wrong')]", [1, 1, 1]
    )


def test_controls_set_in_python_move_the_picture(lab: LabPage) -> None:
    tree = lab.tree()
    policy = {"hit_right": 1, "miss_right": 1}
    lab.run(f"w.controls = {{'group': 0, 'unit': 'step', 'policy': {policy}}}")
    expect(tree.picker).to_have_value("0")
    expect(tree.unit("step")).to_be_checked()
    expect(tree.sign("miss_right")).to_have_attribute("aria-pressed", "true")
    expect(tree.sign("miss_abstained")).to_have_attribute("aria-pressed", "false")


def test_moves_can_be_followed_until_told_to_stop(lab: LabPage) -> None:
    lab.run("seen = []; stop = w.on_change(lambda controls: seen.append(controls['unit']))")
    lab.tree().unit("step").check(force=True)
    lab.expect("seen", ["step"])
    lab.run("stop()")
    lab.tree().unit("queries").check(force=True)
    lab.expect("w.controls['unit']", "queries")
    assert lab.value("seen") == ["step"]


def test_more_labels_redraw_the_tree_and_keep_what_the_reader_set(lab: LabPage) -> None:
    tree = lab.tree()
    before = tree.root.locator(".rows").inner_text()
    tree.sign("miss_right").click()
    tree.unit("step").check(force=True)
    lab.expect("w.controls['unit']", "step")
    lab.run("w.update(pd.concat([df, df.assign(system='A new one'), df], ignore_index=True))")
    expect(tree.root.locator(".rows")).not_to_have_text(before)
    expect(tree.sign("miss_right")).to_have_attribute("aria-pressed", "true")
    expect(tree.unit("step")).to_be_checked()
    assert tree.picker.evaluate("(e) => e.selectedOptions[0].text") == "Qwen3.5 9B"
    assert lab.value("w.view.group.label") == "Qwen3.5 9B"
    assert lab.value("[w.view.group.n_rows, len(w.view.groups)]") == [1200, 3]
    assert tree.stat("policy_adherence")[:3] == lab.value(
        "w.view.group.quantities['policy_adherence'].text[:3]"
    )


def test_rows_of_a_leaf_come_from_the_group_that_is_shown(lab: LabPage) -> None:
    lab.tree().picker.select_option("0")
    lab.expect("w.controls['group']", 0)
    assert lab.value("sorted(set(w.rows('hit_wrong')['system']))") == ["Apertus 8B"]
    assert lab.value(
        "len(w.rows('hit_wrong')) == int(((apertus['R'] == 1) & (apertus['T'] == 0)).sum())"
    )


def test_copy_as_python_runs_in_the_kernel(lab: LabPage) -> None:
    tree = lab.tree()
    tree.sign("miss_wrong").click()
    tree.picker.select_option("0")
    tree.root.locator("button.copy-python").click()
    tree.root.get_by_role("status").filter(has_text="Copied").wait_for()
    copied = lab.page.evaluate("() => navigator.clipboard.readText()")
    lab.run(f"again = {copied}")
    lab.expect("w.controls['group']", 0)
    assert lab.value("again.view.policy == w.view.policy and again.view.group == w.view.group")


def test_pictures_of_one_widget_move_together_and_other_widgets_stay(lab: LabPage) -> None:
    first, again, other = (lab.tree(n) for n in range(3))
    first.sign("miss_right").click()
    expect(again.sign("miss_right")).to_have_attribute("aria-pressed", "true")
    again.picker.select_option("0")
    expect(first.picker).to_have_value("0")
    lab.expect("w.controls['group']", 0)
    expect(other.sign("miss_right")).to_have_attribute("aria-pressed", "false")
    assert lab.value("other.controls['policy']") is None
    expect(lab.page.get_by_text("below the tree", exact=True)).to_be_visible()


def test_the_theme_of_the_lab_is_followed_at_once(lab: LabPage, artifacts: Path) -> None:
    root = lab.tree().root
    expect(root).to_have_attribute("data-theme", "light")
    assert lab.tree().faint() == []
    lab.page.screenshot(path=artifacts / "lab-light.png")
    lab.command("apputils:change-theme", theme="JupyterLab Dark")
    expect(root).to_have_attribute("data-theme", "dark")
    lab.page.wait_for_timeout(300)  # colours fade over
    assert lab.tree().faint() == []
    lab.page.screenshot(path=artifacts / "lab-dark.png")
    lab.command("apputils:change-theme", theme="JupyterLab Light")
    expect(root).to_have_attribute("data-theme", "light")


def test_a_narrow_output_gets_the_outline(lab: LabPage) -> None:
    tree = lab.tree()
    assert tree.root.get_attribute("data-mode") == "columns"
    lab.page.set_viewport_size({"width": 760, "height": 1400})
    expect(tree.root).to_have_attribute("data-mode", "outline")
    assert tree.misfits() == []
    lab.page.set_viewport_size({"width": 1600, "height": 1400})
    expect(tree.root).to_have_attribute("data-mode", "columns")
    assert tree.misfits() == []


def test_running_a_cell_again_and_again_leaves_no_old_trees_behind(lab: LabPage) -> None:
    def weight() -> tuple[float, float]:
        session = lab.page.context.new_cdp_session(lab.page)
        session.send("HeapProfiler.collectGarbage")
        counted = session.send("Memory.getDOMCounters")
        session.detach()
        return counted["nodes"], counted["jsEventListeners"]

    for _ in range(2):
        lab.run_all()
    nodes, listeners = weight()
    of_one_tree = lab.tree().root.evaluate("(root) => root.querySelectorAll('*').length")
    for _ in range(6):
        lab.run_all()
    lab.tree(2)
    after_nodes, after_listeners = weight()
    print(nodes, after_nodes, of_one_tree, listeners, after_listeners)
    assert lab.trees().count() == 3
    assert after_nodes - nodes < 2 * of_one_tree
    assert after_listeners - listeners < 60


def test_closing_a_widget_takes_its_picture_away(lab: LabPage) -> None:
    lab.run("w.close()")
    expect(lab.trees()).to_have_count(1)


def test_a_tree_whose_kernel_is_gone_still_answers(lab: LabPage) -> None:
    # ipywidgets says this itself, in the place where it swallows the error.
    lab.watch.expected += ("Could not send widget sync message",)
    tree = lab.tree(2)
    before = tree.totals()
    lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.shutdown()")
    tree.sign("miss_right").click()
    assert tree.totals()[1] > before[1]
    lab.page.evaluate("() => window.jupyterapp.shell.currentWidget.sessionContext.startKernel()")
    lab.wait_idle()
