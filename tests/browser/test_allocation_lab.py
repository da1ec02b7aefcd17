"""The planner in a real JupyterLab: what a reader moves reaches the kernel, and the reverse."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from .allocation_dom import PlannerOnPage
from .lab_page import LabPage, write_notebook
from .servers import JupyterServer
from .systems import QWEN
from .watch import Watch

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

CELLS = [
    f"""
    import rat_widgets as rat

    df = rat.simulate(rat.{QWEN!r}, 600, seed=1)
    df.loc[100:, ["R", "T"]] = None
    """,
    """
    w = rat.allocate(df)
    w
    """,
]


@pytest.fixture(scope="module")
def opened(browser: Browser, lab_server: JupyterServer) -> Iterator[LabPage]:
    """The notebook, opened once."""
    context = browser.new_context(viewport={"width": 1600, "height": 1400})
    context.set_default_timeout(15_000)
    page, watch = context.new_page(), Watch()
    watch.follow(page)
    write_notebook(lab_server.folder / "plan.ipynb", CELLS)
    lab = LabPage(page=page, server=lab_server, watch=watch)
    lab.open("plan.ipynb")
    yield lab
    context.close()


@pytest.fixture
def lab(opened: LabPage) -> Iterator[LabPage]:
    """Its cells have just been run; nothing must have gone wrong when a test is over."""
    opened.run_all()
    assert opened.errors() == []
    yield opened
    opened.watch.assert_quiet()


def planner_in(lab: LabPage) -> PlannerOnPage:
    root = lab.page.locator(".rat-widgets.rat-allocation").first
    root.wait_for()
    return PlannerOnPage(root)


def test_a_move_reaches_the_kernel_which_says_the_same(lab: LabPage) -> None:
    planner = planner_in(lab)
    planner.box("budget").fill("200")
    planner.box("budget").press("Enter")
    planner.box("T").fill("2")
    planner.box("T").press("Enter")
    lab.expect("[w.controls['budget'], w.controls['prices']['T']]", [200, 2])
    said = lab.value("''.join(text for text, _ in w.view.headline())")
    assert planner.headline == said


def test_controls_that_the_kernel_sets_move_the_sliders(lab: LabPage) -> None:
    planner = planner_in(lab)
    lab.run("w.controls = {'budget': 300, 'target': 'task_success'}")
    expect(planner.box("budget")).to_have_value("300")
    expect(planner.root.locator(".headline")).to_contain_text("P(T)")
    lab.run("w.controls = {}")
    expect(planner.box("budget")).to_have_value("500")


def test_more_labels_change_the_picture_and_keep_what_was_moved(lab: LabPage) -> None:
    planner = planner_in(lab)
    planner.box("budget").fill("200")
    planner.box("budget").press("Enter")
    lab.expect("w.controls['budget']", 200)
    lab.run("w.update(df.head(400))")
    expect(planner.root.locator(".foot .rows")).to_contain_text("400 rows")
    expect(planner.box("budget")).to_have_value("200")
