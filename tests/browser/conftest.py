"""A real browser, a real JupyterLab and VS Code's widget host, each started once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from .npm import install_locked, run
from .servers import JupyterServer, file_server, jupyter_server
from .vscode_page import VSCodeHost
from .watch import Watch

ROOT = Path(__file__).parents[2]
ARTIFACTS = Path(__file__).parent / "artifacts"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

LAB_OPTIONS = ("--LabApp.expose_app_in_browser=True",)


@pytest.fixture(scope="session")
def chromium() -> str:
    """Path of the browser. Missing is a failure: a skip would hide that nothing was tested."""
    if os.environ.get("RAT_SKIP_BROWSER") == "1":
        pytest.skip("RAT_SKIP_BROWSER=1")
    found = subprocess.run(
        [sys.executable, ROOT / "scripts" / "find_chromium.py"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    path = found.stdout.strip()
    if found.returncode or not path:
        pytest.fail(
            "No Chromium was found. `python scripts/find_chromium.py --install` gets one; "
            "RAT_SKIP_BROWSER=1 leaves these tests out.",
            pytrace=False,
        )
    return path


# Not for the whole session: while Playwright is open, its event loop counts as running in this
# thread, and tests elsewhere that start one of their own would fail.
@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """Chromium without a window."""
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS))
        yield opened
        opened.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., tuple[Page, Watch]]]:
    """Opens watched pages, each in a profile of its own; they must have been quiet at the end."""
    opened: list[tuple[BrowserContext, Watch]] = []

    def open_one(*, expected: tuple[str, ...] = (), **options: object) -> tuple[Page, Watch]:
        context = browser.new_context(**options)  # type: ignore[arg-type]
        context.set_default_timeout(15_000)
        page, watch = context.new_page(), Watch(expected=expected)
        watch.follow(page)
        opened.append((context, watch))
        return page, watch

    yield open_one
    for context, _ in opened:
        context.close()
    for _, watch in opened:
        watch.assert_quiet()


@pytest.fixture
def watched_page(new_page: Callable[..., tuple[Page, Watch]]) -> Page:
    """One watched page."""
    return new_page(viewport={"width": 1100, "height": 900})[0]


@pytest.fixture(scope="session")
def lab_server(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[JupyterServer]:
    """JupyterLab with settings of its own."""
    home = tmp_path_factory.mktemp("lab")
    with jupyter_server(home, app="lab", options=LAB_OPTIONS) as server:
        yield server


@pytest.fixture(scope="session")
def artifacts() -> Path:
    """Where pictures for looking at go; not in git."""
    ARTIFACTS.mkdir(exist_ok=True)
    return ARTIFACTS


@pytest.fixture(scope="session")
def vscode_host(chromium: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[VSCodeHost]:
    """VS Code's widget host on loopback, and a Jupyter server that has kernels for it."""
    folder = Path(__file__).parent / "vscode-host"
    install_locked(folder)
    site = tmp_path_factory.mktemp("vscode") / "site"
    site.mkdir()
    run(folder, "node", "build.mjs", str(site / "build" / "host.js"))
    for name in ("index.html", "node_modules"):
        (site / name).symlink_to(folder / name)
    (site / "nbextensions").symlink_to(Path(sys.prefix) / "share" / "jupyter" / "nbextensions")
    with file_server(site) as address:
        options = (f"--ServerApp.allow_origin={address}",)
        with jupyter_server(site.parent / "jupyter", app="server", options=options) as server:
            yield VSCodeHost(address=address, server=server)
