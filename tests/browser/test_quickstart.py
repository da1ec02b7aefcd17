"""The quickstart in a real JupyterLab, from its first cell to its last."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from .lab_page import LabPage
from .servers import JupyterServer
from .tree_dom import TreeOnPage
from .watch import Watch

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

QUICKSTART = Path(__file__).parents[2] / "examples" / "01_quickstart.ipynb"


@pytest.fixture
def lab(browser: Browser, lab_server: JupyterServer, artifacts: Path) -> Iterator[LabPage]:
    """The quickstart, run."""
    shutil.copy(QUICKSTART, lab_server.folder)
    context = browser.new_context(viewport={"width": 1400, "height": 1300})
    context.set_default_timeout(15_000)
    page, watch = context.new_page(), Watch()
    watch.follow(page)
    lab = LabPage(page=page, server=lab_server, watch=watch)
    lab.open(QUICKSTART.name)
    lab.run_all()
    assert lab.errors() == []
    yield lab
    page.screenshot(path=artifacts / "quickstart.png")
    context.close()
    watch.assert_quiet()


def test_the_quickstart_shows_its_trees_and_answers_to_them(lab: LabPage) -> None:
    tree = TreeOnPage(lab.show_cell("one = ray").locator(".rat-tree"))
    tree.root.wait_for()
    assert tree.headline.startswith("Of 100 queries, ")
    assert tree.misfits() == []
    tree.sign("miss_right").click()
    lab.expect("w.view.policy.weights['miss_right']", 1)
    assert lab.value("set(w.rows('hit_wrong')['system']) == {'gpt-3.5-turbo'}")

    utility = TreeOnPage(lab.show_cell("utility = ").locator(".rat-tree"))
    utility.root.wait_for()
    assert "utility is" in utility.headline
    assert utility.misfits() == []

    systems = TreeOnPage(lab.show_cell("systems = ").locator(".rat-tree"))
    assert systems.picker.locator("option").count() == 48
    systems.picker.select_option("gpt-4-1106-preview")
    lab.expect("systems.view.group.label", "gpt-4-1106-preview")

    figure = lab.show_cell("w.figure()").locator(".js-plotly-plot")
    expect(figure.locator("svg.main-svg").first).to_be_visible()
    assert (lab.server.folder / "tree.html").exists()
