"""Judges in VS Code's widget host: cured by keyboard, and readable in its themes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import Browser, Locator, expect

from .judge_dom import JudgesOnPage
from .vscode_page import VSCodeHost, VSCodePage
from .watch import Watch

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SETUP = """
import numpy as np
import pandas as pd
import rat_widgets as rat

frames = []
for i, name in enumerate(("one", "two")):
    df = rat.simulate(rat.Theta.from_array([0.42, 0.3, 0.06, 0.35, 0.8]), 700, seed=3 + i)
    miss, right = df["R"] == 0, (df["T"] == 1).to_numpy(dtype=bool, na_value=False)
    passes = np.where(right, 0.9, np.where(miss, 0.6, 0.1))
    df["jT"] = (np.random.default_rng([3, i]).random(700) < passes).astype(float)
    df.loc[250:, ["R", "T"]] = None
    frames.append(df.assign(system=name))
judge = rat.Judge("jT", of="task", name="soft", share="group")
table = pd.concat(frames, ignore_index=True)
"""


class Theme(NamedTuple):
    """The class of the body, what the widget makes of it, and colours that VS Code sets."""

    body: str
    reads: str
    background: str
    text: str
    border: str | None = None


# As VS Code sets them; for a light theme of high contrast it sets both classes.
THEMES = {
    "light": Theme("vscode-light", "light", "#ffffff", "#3b3b3b"),
    "dark": Theme("vscode-dark", "dark", "#1f1f1f", "#cccccc"),
    "high contrast": Theme("vscode-high-contrast", "dark", "#000000", "#ffffff", "#6fc3df"),
    "high contrast light": Theme(
        "vscode-high-contrast vscode-high-contrast-light", "light", "#ffffff", "#292929", "#0f4a85"
    ),
    "pale text": Theme("vscode-light", "light", "#fdf6e3", "#657b83"),
}

_DRESS = """([body, background, text, border]) => {
  document.body.className = body;
  document.body.dataset.vscodeThemeKind = body.split(" ").at(-1);
  const { style } = document.body;
  style.setProperty("--vscode-editor-background", background);
  style.setProperty("--vscode-editor-foreground", text);
  style.removeProperty("--vscode-contrastBorder");
  if (border) style.setProperty("--vscode-contrastBorder", border);
  style.background = background;
}"""


@pytest.fixture(scope="module")
def opened(browser: Browser, vscode_host: VSCodeHost) -> Iterator[tuple[VSCodePage, Watch]]:
    # The system wants the other theme than VS Code shows: the host has the last word.
    size = {"width": 900, "height": 2400}
    with VSCodePage.running(
        browser, vscode_host, SETUP, viewport=size, color_scheme="dark"
    ) as found:
        yield found


@pytest.fixture
def host(opened: tuple[VSCodePage, Watch]) -> Iterator[VSCodePage]:
    host, watch = opened
    host.clear()
    host.run("w = rat.judges(table, judges=[judge], by='system')\nw")
    yield host
    watch.assert_quiet()


def judges(host: VSCodePage) -> Locator:
    root = host.page.locator(".rat-widgets.rat-judges")
    root.wait_for()
    return root


def test_the_cure_is_a_tab_and_a_key_away_and_reaches_the_kernel(host: VSCodePage) -> None:
    root, keyboard = judges(host), host.page.keyboard
    root.locator("select.group").focus()
    keyboard.press("Tab")  # undo and reset have nothing to do yet
    take = root.locator("button.take-cure")
    expect(take).to_be_focused()
    keyboard.press("Space")
    expect(take).to_have_text("Back to independent errors")
    expect(take).to_be_focused()
    host.expect("w.controls['cured']", True)
    expect(root.locator(".systems .case")).to_have_count(2)
    keyboard.press("Tab")
    expect(root.locator(".copy-cure")).to_be_focused()
    keyboard.press("Shift+Tab")
    keyboard.press("Enter")
    expect(take).to_be_focused()
    host.expect("w.controls['cured']", False)


@pytest.mark.parametrize("name", THEMES)
def test_the_theme_of_the_editor_is_taken(host: VSCodePage, name: str, artifacts: Path) -> None:
    theme, root = THEMES[name], judges(host)
    host.page.evaluate(_DRESS, [theme.body, theme.background, theme.text, theme.border])
    expect(root).to_have_attribute("data-theme", theme.reads)
    shown = JudgesOnPage(root)
    for _ in range(2):
        host.page.wait_for_timeout(400)  # colours fade over
        assert shown.faint() == []
        assert shown.misfits() == []
        root.locator("button.take-cure").click()
    edge = root.locator("button.take-cure").evaluate("(e) => getComputedStyle(e).borderTopColor")
    assert (edge == _rgb(theme.border)) == (theme.border is not None)
    host.page.screenshot(path=artifacts / f"vscode-judges-{name.replace(' ', '-')}.png")


def _rgb(colour: str | None) -> str:
    """As a browser tells it."""
    if colour is None:
        return ""
    return f"rgb({', '.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))})"
