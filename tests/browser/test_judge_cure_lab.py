"""What was found of judges' errors in a real JupyterLab: cured there, the kernel knows of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from .judge_dom import JudgesOnPage
from .lab_page import LabPage, write_notebook
from .servers import JupyterServer
from .watch import Watch

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

CELLS = [
    """
    import numpy as np
    import rat_widgets as rat

    df = rat.simulate(rat.Theta.from_array([0.42, 0.3, 0.06, 0.35, 0.8]), 900, seed=3)
    miss, right = df["R"] == 0, (df["T"] == 1).to_numpy(dtype=bool, na_value=False)
    passes = np.where(right, 0.9, np.where(miss, 0.55, 0.1))
    df["jT"] = (np.random.default_rng([3, 1]).random(900) < passes).astype(float)
    df.loc[300:, ["R", "T"]] = None
    w = rat.judges(df, judges=[rat.Judge("jT", of="task", name="soft")])
    w
    """,
]


@pytest.fixture
def lab(browser: Browser, lab_server: JupyterServer) -> Iterator[LabPage]:
    context = browser.new_context(viewport={"width": 1600, "height": 1400})
    context.set_default_timeout(15_000)
    page, watch = context.new_page(), Watch()
    watch.follow(page)
    write_notebook(lab_server.folder / "cure.ipynb", CELLS)
    lab = LabPage(page=page, server=lab_server, watch=watch)
    lab.open("cure.ipynb")
    lab.run_all()
    assert lab.errors() == []
    yield lab
    watch.assert_quiet()
    context.close()


def test_the_cure_reaches_the_kernel_and_comes_from_it(lab: LabPage) -> None:
    root = lab.page.locator(".rat-widgets.rat-judges")
    take = root.locator("button.take-cure")
    take.click()
    expect(root.locator('[data-rate="fpr_given_miss[soft]"]')).to_have_count(1)
    lab.expect("w.controls['cured']", True)
    assert lab.value("w.posterior().counts.judges[0].depends_on") == "retrieval"
    told = lab.value("w.view.group.beliefs.joint['task_success'].value")
    here = JudgesOnPage(root).belief("task_success")["both, corrected"].split("%")[0]
    # Half a point of rounding, and the Monte Carlo error of two means.
    assert int(here) / 100 == pytest.approx(told, abs=0.01)
    lab.run("w.controls = {}")
    expect(root.locator('[data-rate="fpr[soft]"]')).to_have_count(1)
    expect(take).to_have_text("Give it rates of its own where retrieval failed")
