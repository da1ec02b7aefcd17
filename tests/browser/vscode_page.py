"""VS Code's widget host in a page, with a kernel of its own."""

from __future__ import annotations

import json
import textwrap
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page

from .servers import JupyterServer


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

    def run(self, code: str) -> str:
        """Run a cell, its widgets shown; what it printed."""
        said = self.page.evaluate("(code) => window.host.run(code)", textwrap.dedent(code))
        assert not said["error"], said["error"]
        return str(said["text"])

    def value(self, expression: str) -> Any:
        """The value of an expression in the kernel, by way of JSON."""
        return json.loads(self.run(f"import json; print(json.dumps({expression}))"))

    def trees(self) -> Locator:
        """Every tree on the page."""
        return self.page.locator(".rat-widgets.rat-tree")

    def close(self) -> None:
        """End the kernel."""
        self.page.evaluate("() => window.host.end()")
