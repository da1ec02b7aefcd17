"""One notebook in a real JupyterLab, driven the way a person and a kernel would."""

from __future__ import annotations

import json
import re
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page

from .polling import until
from .servers import JupyterServer
from .tree_dom import TreeOnPage
from .watch import Watch

READY_MS = 60_000

# The sign in the page that the kernel is idle comes before the kernel listens: ask it itself.
_READY = """() => {
  const panel = window.jupyterapp?.shell?.currentWidget;
  const kernel = panel?.sessionContext?.session?.kernel;
  return Boolean(panel?.context?.isReady && panel.sessionContext.isReady
    && kernel?.connectionStatus === "connected" && kernel.status === "idle");
}"""

_SHOW = """async (text) => {
  const { content } = window.jupyterapp.shell.currentWidget;
  const index = content.widgets.findIndex((cell) => cell.model.sharedModel.source.startsWith(text));
  content.activeCellIndex = index;
  await content.scrollToItem(index, "center");
  return index;
}"""

_EXECUTE = """async (code) => {
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const future = kernel.requestExecute({ code, stop_on_error: false, store_history: false });
  const said = { text: "", error: "" };
  future.onIOPub = (message) => {
    const { content, header } = message;
    if (header.msg_type === "stream") said.text += content.text;
    if (header.msg_type === "error") said.error = content.traceback.join("\\n");
  };
  await future.done;
  return said;
}"""


@dataclass(frozen=True, kw_only=True)
class LabPage:
    """A notebook that is open, its kernel listening."""

    page: Page
    server: JupyterServer
    watch: Watch

    def open(self, name: str) -> None:
        """Open a notebook of the server's folder in a fresh workspace."""
        address = f"{self.server.url}/lab/tree/{name}?token={self.server.token}&reset"
        self.page.goto(address, timeout=READY_MS)
        self.page.locator(".jp-Notebook .jp-CodeCell").first.wait_for(timeout=READY_MS)
        self.wait_idle()

    def wait_idle(self) -> None:
        """Wait for a kernel that has nothing left to do."""
        self.page.wait_for_function(_READY, timeout=READY_MS)

    def command(self, name: str, **arguments: Any) -> None:
        """Run one of JupyterLab's commands."""
        self.page.evaluate(
            "([name, args]) => window.jupyterapp.commands.execute(name, args)", [name, arguments]
        )

    def run_all(self) -> None:
        """Run the whole notebook and wait for its end."""
        self.command("notebook:run-all-cells")
        self.wait_idle()

    def show_cell(self, text: str) -> Locator:
        """Scroll to the cell whose source begins with a text; JupyterLab draws those in sight."""
        index = self.page.evaluate(_SHOW, text)
        cell = self.page.locator(f'.jp-Cell[data-windowed-list-index="{index}"]')
        cell.scroll_into_view_if_needed()
        return cell

    def run(self, code: str) -> str:
        """Run code in the notebook's kernel, outside any cell; what it printed."""
        said = self.page.evaluate(_EXECUTE, textwrap.dedent(code))
        assert not said["error"], re.sub(r"\x1b\[[0-9;]*m", "", said["error"])
        return str(said["text"])

    def value(self, expression: str) -> Any:
        """The value of an expression in the kernel, by way of JSON."""
        return json.loads(self.run(f"import json; print(json.dumps({expression}))"))

    def expect(self, expression: str, wanted: Any, *, within_s: float = 10) -> None:
        """Ask the kernel until an expression has a value; messages may overtake one another."""
        until(lambda: self.value(expression), wanted, within_s)

    def tree(self, n: int = 0) -> TreeOnPage:
        """The n-th tree on the page."""
        tree = self.trees().nth(n)
        tree.wait_for()
        return TreeOnPage(tree)

    def trees(self) -> Locator:
        """Every tree on the page."""
        return self.page.locator(".rat-widgets.rat-tree")

    def errors(self) -> list[str]:
        """Tracebacks among the outputs of the notebook's cells."""
        kind = '[data-mime-type="application/vnd.jupyter.error"]'
        return self.page.locator(f".jp-OutputArea-output{kind}").all_inner_texts()


def write_notebook(path: Path, cells: list[str]) -> Path:
    """A notebook of code cells."""
    import nbformat

    notebook = nbformat.v4.new_notebook(
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
        cells=[nbformat.v4.new_code_cell(textwrap.dedent(c).strip()) for c in cells],
    )
    nbformat.write(notebook, path)
    return path
