"""VS Code's widget host in a page, with a kernel of its own."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, Locator, Page

from .polling import until
from .servers import JupyterServer
from .tree_dom import TreeOnPage
from .watch import Watch


@dataclass(frozen=True, kw_only=True)
class VSCodeHost:
    """Where the page is, and the server whose kernels it talks to."""

    address: str
    server: JupyterServer


@dataclass(frozen=True, kw_only=True)
class VSCodePage:
    """The page after its start."""

    page: Page

    @classmethod
    def open(cls, page: Page, host: VSCodeHost) -> VSCodePage:
        """Load the manager and start a kernel."""
        page.goto(f"{host.address}/index.html")
        page.wait_for_function("() => window.startHost !== undefined")
        page.evaluate(
            "async ([address, token]) => { window.host = await window.startHost(address, token); }",
            [host.server.url, host.server.token],
        )
        return cls(page=page)

    @classmethod
    @contextmanager
    def running(
        cls, browser: Browser, host: VSCodeHost, setup: str, **context: Any
    ) -> Iterator[tuple[VSCodePage, Watch]]:
        """The host in a context of its own, with a kernel that has run the setup."""
        opened = browser.new_context(**context)
        opened.set_default_timeout(15_000)
        page, watch = opened.new_page(), Watch()
        watch.follow(page)
        found = cls.open(page, host)
        found.run(setup)
        yield found, watch
        found.close()
        opened.close()

    def run(self, code: str) -> str:
        """Run a cell, its widgets shown; what it printed."""
        said = self.page.evaluate("(code) => window.host.run(code)", textwrap.dedent(code))
        assert not said["error"], re.sub(r"\x1b\[[0-9;]*m", "", said["error"])
        return str(said["text"])

    def value(self, expression: str) -> Any:
        """The value of an expression in the kernel, by way of JSON."""
        return json.loads(self.run(f"import json; print(json.dumps({expression}))"))

    def expect(self, expression: str, wanted: Any, *, within_s: float = 10) -> None:
        """Ask the kernel until an expression has a value."""
        until(lambda: self.value(expression), wanted, within_s)

    def tree(self) -> TreeOnPage:
        """The first tree on the page."""
        first = self.trees().first
        first.wait_for()
        return TreeOnPage(first)

    def clear(self) -> None:
        """Take all outputs away, and the widgets in them."""
        self.run("import ipywidgets; ipywidgets.Widget.close_all()")
        self.page.evaluate("() => document.body.replaceChildren()")

    def trees(self) -> Locator:
        """Every tree on the page."""
        return self.page.locator(".rat-widgets.rat-tree")

    def close(self) -> None:
        """End the kernel."""
        self.page.evaluate("() => window.host.end()")
