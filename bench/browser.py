"""The browser's answers in Chromium: sliders of trees and of judges, and full draws.

*Work* is what a move takes of the page's thread: script, style and layout, one move a frame.
*Painted* lasts from the mouse's move, which comes at any time, to the first task after the frame
that shows the answer. *Full draws* last from a move to the picture that they make, the rest
included that tells a drag from its end. The peers are the promises: 16 ms for an answer while
dragging; full draws within 60 ms without judges and 100 ms with two.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rat_widgets as rat

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
from find_chromium import find

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["rows"]

MOVES = 200
WARM = 20
PICKS = 30
ANSWER_MS, TREE_MS, JUDGES_MS = 16, 60, 100
QWEN = (0.2078, 0.4632, 0.0360, 0.4447, 0.6809)
LEVELS = ("none", "partial", "all")
GRADED = rat.GradedTheta(
    levels=LEVELS,
    retrieval=(0.25, 0.35, 0.4),
    abstain_given=(0.6, 0.35, 0.08),
    correct_given=(0.15, 0.45, 0.8),
)

# One move at the beginning of each frame; the time up to a forced layout.
_WORK = """async ([selector, n, warm]) => {
  const slider = document.querySelector(selector);
  const root = document.querySelector(".rat-widgets");
  const work = [];
  for (let i = 0; i < n + warm; i++) {
    await new Promise(requestAnimationFrame);
    const start = performance.now();
    slider.value = String(((37 * i) % 89 + 5) / 100);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    root.offsetHeight;
    if (i >= warm) work.push(performance.now() - start);
  }
  return work;
}"""

# Listens to what the mouse does; where the slider's thumb is.
_LISTEN = """(selector) => {
  const slider = document.querySelector(selector);
  slider.scrollIntoView({ block: "center" });
  window.painted = [];
  document.addEventListener("input", ({ timeStamp }) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => window.painted.push(performance.now() - timeStamp);
    channel.port2.postMessage(0);
  }), { capture: true });
  const { x, y, width, height } = slider.getBoundingClientRect();
  return [x + 9, width - 18, y + height / 2, Number(slider.value)];
}"""

# Changes a control and waits for the second picture: the first answer's, then that of full draws.
_FULL = """async ([selector, watched, values, warm]) => {
  const control = document.querySelector(selector);
  const shown = () => document.querySelector(watched).outerHTML;
  const [first, full] = [[], []];
  for (const [i, value] of values.entries()) {
    await new Promise((done) => setTimeout(done, 50));
    const start = performance.now();
    control.value = value;
    for (const type of ["input", "change"]) {
      control.dispatchEvent(new Event(type, { bubbles: true }));
    }
    document.querySelector(".rat-widgets").offsetHeight;
    const answered = performance.now() - start;
    const quick = shown();
    while (shown() === quick) await new Promise((done) => setTimeout(done, 0));
    if (i < warm) continue;
    first.push(answered);
    full.push(performance.now() - start);
  }
  return [first, full];
}"""


@dataclass(frozen=True)
class Slider:
    """A slider of a saved page that is moved."""

    name: str
    save: Callable[[Path], Path]
    selector: str
    promise_ms: float | None = ANSWER_MS


def rows() -> list[dict[str, object]]:
    """Median and p95 of each, ms."""
    from playwright.sync_api import sync_playwright

    found: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=find(), args=["--no-sandbox", "--disable-gpu"]
        )

        def opened(path: Path) -> Page:
            page = browser.new_page(viewport={"width": 1100, "height": 900})
            page.goto(path.as_uri())
            page.wait_for_timeout(1000)
            return page

        for i, slider in enumerate(_sliders()):
            page = opened(slider.save(Path(folder) / f"{i}.html"))
            work = page.evaluate(_WORK, [slider.selector, MOVES, WARM])
            found += _both(f"{slider.name}: work", work, slider.promise_ms)
            found += _both(f"{slider.name}: painted", _painted(page, slider), slider.promise_ms)
            page.close()
        found += _picks(opened(_tree(Path(folder) / "picks.html", PICKS + 4, hidden=True)))
        found += _full_draws(opened(_judges(Path(folder) / "two.html", 2, 1500)), 2, JUDGES_MS)
        found += _full_draws(opened(_judges(Path(folder) / "ten.html", 10, 900)), 10, None)
        browser.close()
    return found


def _sliders() -> list[Slider]:
    branch = '[data-branch="{}"] .slider'.format
    fpr = '[data-rate="fpr[judge 0]"] .slider'
    return [
        Slider(
            "a branch, R seen", lambda p: _tree(p, 1, hidden=False), branch("abstain_given_miss")
        ),
        Slider(
            "a branch, R hidden on a third",
            lambda p: _tree(p, 1, hidden=True),
            branch("abstain_given_miss"),
        ),
        Slider("a level of three", _graded, branch("retrieval[partial]")),
        Slider("a rate of two judges", lambda p: _judges(p, 2, 1500), fpr),
        Slider("a rate of ten judges", lambda p: _judges(p, 10, 900), fpr, None),
    ]


def _painted(page: Page, slider: Slider) -> list[float]:
    """Times from a mouse that drags a slider, at any moment between two frames."""
    left, width, y, value = page.evaluate(_LISTEN, slider.selector)
    rng = random.Random(0)
    page.mouse.move(left + value * width, y)
    page.mouse.down()
    for i in range(MOVES + WARM):
        page.mouse.move(left + ((37 * i) % 89 + 5) / 100 * width, y)
        time.sleep(rng.uniform(0.004, 0.020))
    page.mouse.up()
    page.wait_for_timeout(300)
    return list(page.evaluate("window.painted"))[WARM:]


def _picks(page: Page) -> list[dict[str, Any]]:
    values = [str(i + 1) for i in range(PICKS + 3)]
    watched = '[data-branch="correct_given_miss"] .dots'
    first, full = page.evaluate(_FULL, ["select.group", watched, values, 3])
    return [
        *_both("another system, R hidden: first answer, work", first, ANSWER_MS),
        *_both("another system, R hidden: full draws", full, TREE_MS),
    ]


def _full_draws(page: Page, n: int, promise_ms: float | None) -> list[dict[str, Any]]:
    values = [str(((37 * i) % 89 + 5) / 100) for i in range(PICKS + 5)]
    selector = '[data-rate="fpr[judge 0]"] .slider'
    _, full = page.evaluate(_FULL, [selector, ".beliefs", values, 5])
    return _both(f"a rate of {n} judges: full draws", full, promise_ms)


def _theta() -> rat.Theta:
    return rat.Theta(**dict(zip(rat.Theta.__dataclass_fields__, QWEN, strict=True)))


def _tree(path: Path, n_systems: int, *, hidden: bool) -> Path:
    frame = rat.simulate(_theta(), n=600 * n_systems, seed=1)
    frame["system"] = [f"system {i % n_systems}" for i in range(len(frame))]
    if hidden:
        frame.loc[frame.index % 3 == 0, "R"] = None
    return rat.tree(frame, by="system").save(path)


def _graded(path: Path) -> Path:
    return rat.tree(rat.simulate(GRADED, n=600, seed=1), retrieval_levels=LEVELS).save(path)


def _judges(path: Path, n: int, n_rows: int) -> Path:
    """So many judges of R and T by turns; people labelled 200 rows."""
    kinds = ["task" if i % 2 else "retrieval" for i in range(n)]
    judges = [rat.Judge(f"judge {i}", of=of) for i, of in enumerate(kinds)]
    rates = {
        judge.column: {"of": judge.of, "tpr": 0.9 - 0.03 * i, "fpr": 0.1 + 0.03 * i}
        for i, judge in enumerate(judges)
    }
    frame = rat.simulate(_theta(), n=n_rows, judges=rates, seed=1)
    frame.loc[200:, ["R", "T"]] = None
    return rat.judges(frame, judges=judges).save(path)


def _both(name: str, times_ms: list[float], promise: float | None) -> list[dict[str, Any]]:
    p95 = statistics.quantiles(times_ms, n=20)[-1]
    figures = {"median": statistics.median(times_ms), "p95": p95}
    rows: list[dict[str, Any]] = [
        {"name": f"{name}, {which}", "value": value, "unit": "ms"}
        for which, value in figures.items()
    ]
    if promise is not None:
        rows[1] |= {"peer": "the promise", "peer_value": promise, "ratio": promise / p95}
    return rows


if __name__ == "__main__":
    for row in rows():
        print(row)
