"""The browser's answers in Chromium: a what-if on one tree, and full draws where R is hidden.

Two figures per move. *Work* is script, style and layout, measured up to a forced layout;
*painted* lasts from the event to the first task after the frame that shows it, so it holds the
wait for the screen's beat, up to 17 ms at 60 frames a second. The peer of both is the promise:
16 ms for an answer while dragging, 60 ms for full draws.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import rat_widgets as rat

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
from find_chromium import find

__all__ = ["rows"]

MOVES = 200
PICKS = 30
QWEN = (0.2078, 0.4632, 0.0360, 0.4447, 0.6809)

# Runs in the page: `move(i)` changes something, `isDone()` tells when the answer stands.
_MOVES = """async ([n, dragged]) => {
  const slider = document.querySelector(`[data-branch="${dragged}"] .slider`);
  const root = document.querySelector(".rat-tree");
  const shown = () => new Promise((done) => requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => done();
    channel.port2.postMessage(0);
  }));
  const [work, painted] = [[], []];
  for (let i = 0; i < n + 20; i++) {
    await new Promise((done) => setTimeout(done, 3 + (7 * i) % 13));
    const start = performance.now();
    slider.value = String(((37 * i) % 100) / 100);
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    root.offsetHeight;
    const worked = performance.now() - start;
    await shown();
    if (i < 20) continue;
    work.push(worked);
    painted.push(performance.now() - start);
  }
  return [work, painted];
}"""

_PICKS = """async (n) => {
  const select = document.querySelector("select.group");
  const dots = document.querySelector('[data-branch="correct_given_miss"] .dots');
  const [first, full] = [[], []];
  for (let i = 0; i < n; i++) {
    const start = performance.now();
    select.value = String(i + 1);
    select.dispatchEvent(new Event("change", { bubbles: true }));
    document.querySelector(".rat-tree").offsetHeight;
    first.push(performance.now() - start);
    const before = dots.getAttribute("d");
    while (dots.getAttribute("d") === before) await new Promise((done) => setTimeout(done, 0));
    full.push(performance.now() - start);
  }
  return [first.slice(3), full.slice(3)];
}"""


def rows() -> list[dict[str, object]]:
    """Median and p95 of each, ms."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=find(), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 1100, "height": 900})
        complete = _page(Path(folder) / "complete.html", 1, hidden=False)
        hidden = _page(Path(folder) / "hidden.html", PICKS + 1, hidden=True)
        found: list[dict[str, object]] = []
        for name, path in (("R seen", complete), ("R hidden on a third", hidden)):
            page.goto(path.as_uri())
            page.wait_for_timeout(500)
            work, painted = page.evaluate(_MOVES, [MOVES, "abstain_given_miss"])
            found += _both(f"a slider's move, {name}: work", work, 16)
            found += _both(f"a slider's move, {name}: painted", painted, None)
        page.goto(hidden.as_uri())
        page.wait_for_timeout(500)
        first, full = page.evaluate(_PICKS, PICKS)
        found += _both("another system, R hidden: first answer, work", first, 16)
        found += _both("another system, R hidden: full draws shown", full, 60)
        browser.close()
    return found


def _page(path: Path, n_systems: int, *, hidden: bool) -> Path:
    theta = rat.Theta(**dict(zip(rat.Theta.__dataclass_fields__, QWEN, strict=True)))
    frame = rat.simulate(theta, n=600 * n_systems, seed=1)
    frame["system"] = [f"system {i % n_systems}" for i in range(len(frame))]
    if hidden:
        frame.loc[frame.index % 3 == 0, "R"] = None
    return rat.tree(frame, by="system").save(path)


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
