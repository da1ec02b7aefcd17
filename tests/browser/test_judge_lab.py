"""Judges in a real JupyterLab: what a reader moves reaches the kernel, and the reverse."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from .judge_dom import JudgesOnPage
from .lab_page import LabPage, write_notebook
from .servers import JupyterServer
from .systems import QWEN
from .watch import Watch

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

FPR, TPR = "fpr[lenient]", "tpr[lenient]"
CELLS = [
    f"""
    import rat_widgets as rat

    rates = {{"lenient": {{"of": "retrieval", "tpr": 0.9, "fpr": 0.3}}}}
    df = rat.simulate(rat.{QWEN!r}, 1500, judges=rates, seed=1)
    df.loc[200:, ["R", "T"]] = None
    """,
    """
    w = rat.judges(df, judges=[rat.Judge("lenient", of="retrieval")])
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
    write_notebook(lab_server.folder / "judges.ipynb", CELLS)
    lab = LabPage(page=page, server=lab_server, watch=watch)
    lab.open("judges.ipynb")
    yield lab
    context.close()


@pytest.fixture
def lab(opened: LabPage) -> Iterator[LabPage]:
    """Its cells have just been run; nothing must have gone wrong when a test is over."""
    opened.run_all()
    assert opened.errors() == []
    yield opened
    opened.watch.assert_quiet()


def judges_in(lab: LabPage) -> JudgesOnPage:
    root = lab.page.locator(".rat-widgets.rat-judges").first
    root.wait_for()
    return JudgesOnPage(root)


def test_a_pin_reaches_the_kernel_and_refits_there(lab: LabPage) -> None:
    judges = judges_in(lab)
    judges.box(FPR).fill("45")
    judges.box(FPR).press("Enter")
    lab.expect(f"w.controls['pins']['{FPR}']", 0.45)
    assert lab.value(f"float(w.posterior()['{FPR}'].std())") == pytest.approx(0, abs=1e-9)
    refitted, kept = lab.value(
        "[float(w.posterior()['retrieval_success'].mean()), "
        "w.view.group.beliefs.joint['retrieval_success'].value]"
    )
    assert refitted == pytest.approx(kept, abs=1e-4)
    here = judges.belief("retrieval_success")["both, corrected"].split("%")[0]
    # Half a point of rounding, and the Monte Carlo error of two means.
    assert int(here) / 100 == pytest.approx(refitted, abs=0.01)


def test_an_edited_prior_comes_back_from_the_kernel(lab: LabPage) -> None:
    judges = judges_in(lab)
    judges.mode(TPR, "prior").check(force=True)
    judges.box(TPR).fill("80")
    judges.box(TPR).press("Enter")
    judges.labels(TPR).fill("20")
    judges.labels(TPR).press("Enter")
    lab.expect(f"w.controls['priors']['{TPR}']", [0.8, 20])
    assert lab.value(f"list(w.priors()['{TPR}'])") == pytest.approx([16, 4])


def test_controls_that_the_kernel_sets_move_the_sliders(lab: LabPage) -> None:
    judges = judges_in(lab)
    lab.run(f"w.controls = {{'pins': {{'{FPR}': 0.1}}}}")
    expect(judges.mode(FPR, "pinned")).to_be_checked()
    expect(judges.box(FPR)).to_have_value("10")
    lab.run("w.controls = {}")
    expect(judges.mode(FPR, "posterior")).to_be_checked()


def test_more_labels_change_the_picture_and_keep_what_was_moved(lab: LabPage) -> None:
    judges = judges_in(lab)
    judges.box(FPR).fill("45")
    judges.box(FPR).press("Enter")
    lab.expect(f"w.controls['pins']['{FPR}']", 0.45)
    lab.run("w.update(df.head(400))")
    expect(judges.root.locator(".about")).to_contain_text("200 with verdicts only")
    expect(judges.box(FPR)).to_have_value("45")


def test_the_worker_of_a_widget_ends_with_it(lab: LabPage) -> None:
    def workers() -> int:
        return sum(worker.url.startswith("blob:") for worker in lab.page.workers)

    others = workers()
    judges = judges_in(lab)
    for value in ("45", "35"):
        judges.box(FPR).fill(value)
        judges.box(FPR).press("Enter")
        lab.page.wait_for_timeout(300)
    assert workers() == others + 1
    lab.run("w.close()")
    expect(judges.root).to_have_count(0)
    lab.page.wait_for_timeout(300)
    assert workers() == others
