"""Full draws in a worker: the same picture as without one, and nothing left behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page

import rat_widgets as rat

from .systems import QWEN, two_systems
from .test_judge_page import FPR, JUDGES, verdicts
from .test_judge_page import opened as opened_judges
from .test_saved_page import opened as opened_tree
from .watch import Watch

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

REFUSAL = "Creating a worker from"
# What the host allows: its own workers, none by its policy, none at all.
HOSTS = ("worker", "policy", "none")


@pytest.fixture(scope="module")
def judges_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two judges."""
    w = rat.judges(verdicts(1500), judges=JUDGES)
    return w.save(tmp_path_factory.mktemp("page") / "judges.html")


@pytest.fixture(scope="module")
def tree_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two systems, R hidden on a third of the rows, so that the browser walks for both."""
    frame = two_systems()
    frame.loc[::3, "R"] = None
    w = rat.tree(frame, by=["system"])
    return w.save(tmp_path_factory.mktemp("page") / "tree.html")


def host(
    new_page: Callable[..., tuple[Page, Watch]], path: Path, kind: str
) -> tuple[Page, Watch, Path]:
    """A page of a host that allows workers, refuses them, or knows none; and what it opens."""
    expected = (REFUSAL,) if kind == "policy" else ()
    page, watch = new_page(expected=expected, viewport={"width": 1100, "height": 900})
    if kind == "none":
        page.add_init_script("delete globalThis.Worker")
    if kind == "policy":
        text = path.read_text(encoding="utf-8")
        assert "worker-src blob:" in text
        path = path.with_name(f"strict-{path.name}")
        path.write_text(text.replace("worker-src blob:", "worker-src 'none'"), encoding="utf-8")
    return page, watch, path


# The picture in full: every path and number, without the names of elements.
_DRAWN = """() => document.querySelector(".rat-widgets").innerHTML
  .replace(/(judge|mode|unit)-[a-z0-9]+/g, "$1")"""
_MOVE = f"""(control, value) => {{
  control.value = value;
  for (const type of ["input", "change"]) {{
    control.dispatchEvent(new Event(type, {{ bubbles: true }}));
  }}
  return ({_DRAWN})();
}}"""


def answers(control: Locator, value: str) -> str:
    """The picture when the full draws have taken the place of the first answer to a move."""
    page = control.page
    quick = control.evaluate(_MOVE, value)
    page.wait_for_function(f"(quick) => ({_DRAWN})() !== quick", arg=quick)
    full = page.evaluate(_DRAWN)
    page.wait_for_timeout(500)
    assert page.evaluate(_DRAWN) == full
    return str(full)


def test_judges_say_the_same_with_a_worker_and_without(
    new_page: Callable[..., tuple[Page, Watch]], judges_page: Path
) -> None:
    full, n_workers = {}, {}
    for kind in HOSTS:
        page, watch, path = host(new_page, judges_page, kind)
        full[kind] = answers(opened_judges(page, path).slider(FPR), "0.45")
        n_workers[kind] = len(page.workers)
        assert all(url.startswith(("file:", "blob:")) for url in watch.requests)
    assert n_workers == {"worker": 1, "policy": 0, "none": 0}
    assert full["worker"] == full["policy"] == full["none"]


def test_a_tree_says_the_same_with_a_worker_and_without(
    new_page: Callable[..., tuple[Page, Watch]], tree_page: Path
) -> None:
    full, n_workers = {}, {}
    for kind in HOSTS:
        page, _, path = host(new_page, tree_page, kind)
        picker = opened_tree(page, path).root.locator("select.group")
        full[kind] = answers(picker, "1")
        n_workers[kind] = len(page.workers)
    assert n_workers == {"worker": 1, "policy": 0, "none": 0}
    assert full["worker"] == full["policy"] == full["none"]


def test_a_page_that_nobody_moves_starts_no_worker(watched_page: Page, judges_page: Path) -> None:
    opened_judges(watched_page, judges_page)
    watched_page.wait_for_timeout(1000)
    assert watched_page.workers == []


def moved(slider: Locator, n: int, pause_ms: int) -> None:
    """So many moves of a slider, a pause after each."""
    slider.evaluate(
        """async (slider, [n, pause]) => {
          for (let i = 0; i < n; i++) {
            slider.value = String((7 + 37 * i) % 89 / 100);
            slider.dispatchEvent(new Event("input", { bubbles: true }));
            await new Promise((done) => setTimeout(done, pause));
          }
        }""",
        [n, pause_ms],
    )


def test_two_hundred_moves_leave_one_worker_and_no_growth(
    watched_page: Page, judges_page: Path
) -> None:
    slider = opened_judges(watched_page, judges_page).slider(FPR)
    session = watched_page.context.new_cdp_session(watched_page)

    def weight() -> tuple[float, float]:
        session.send("HeapProfiler.collectGarbage")
        usage = session.send("Runtime.getHeapUsage")
        heap = usage["usedSize"] + usage.get("backingStorageSize", 0)
        return heap, session.send("Memory.getDOMCounters")["nodes"]

    # Some are answered in full, as many as are kept and more; the others leave them behind.
    moved(slider, 12, 250)
    heap, nodes = weight()
    moved(slider, 200, 60)
    moved(slider, 12, 250)
    after_heap, after_nodes = weight()
    print(heap, after_heap, nodes, after_nodes)
    assert len(watched_page.workers) == 1
    assert after_heap - heap < 1_000_000
    assert after_nodes - nodes < 200


@pytest.fixture(scope="module")
def eight_judges(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Judges enough for full draws to take much longer than a frame."""
    names = [f"judge {i}" for i in range(8)]
    rates = {
        name: {"of": "task" if i % 2 else "retrieval", "tpr": 0.9 - 0.03 * i, "fpr": 0.1 + 0.03 * i}
        for i, name in enumerate(names)
    }
    df = rat.simulate(QWEN, 900, judges=rates, seed=2)
    df.loc[200:, ["R", "T"]] = None
    chosen = [rat.Judge(name, of="task" if i % 2 else "retrieval") for i, name in enumerate(names)]
    return rat.judges(df, judges=chosen).save(tmp_path_factory.mktemp("page") / "eight.html")


def page_work(page: Page, path: Path, n: int) -> float:
    """Processor time that the page's own thread takes for a move and its full answer, in s."""
    slider = opened_judges(page, path).slider("tpr[judge 0]")
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent() -> float:
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(m["value"] for m in metrics if m["name"] == "TaskDuration")

    moved(slider, 3, 1500)
    before = spent()
    moved(slider, n, 1500)
    return (spent() - before) / n


def test_the_page_is_spared_the_work_of_full_draws(
    new_page: Callable[..., tuple[Page, Watch]], eight_judges: Path
) -> None:
    spent = {}
    for kind in ("worker", "none"):
        page, _, path = host(new_page, eight_judges, kind)
        spent[kind] = page_work(page, path, 5)
    print(spent)
    assert spent["worker"] < 0.5 * spent["none"]
