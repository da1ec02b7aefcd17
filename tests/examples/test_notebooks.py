"""The examples run from top to bottom in a fresh kernel, and are stored clean."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("examples")

EXAMPLES = Path(__file__).parents[2] / "examples"
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
RUN_S = 120

# In a process of its own: nbclient starts an event loop, which other tests may be running.
RUNNER = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=60, kernel_name="python3", allow_errors=False).execute(cwd=".")
nbformat.write(notebook, "run.ipynb")
"""


@pytest.fixture(scope="module", params=NOTEBOOKS, ids=lambda path: path.stem)
def stored(request: pytest.FixtureRequest) -> Path:
    """One notebook as it is in the repository."""
    return request.param


@pytest.fixture(scope="module")
def folder(stored: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where it was run: what it wrote, and ``run.ipynb`` with its outputs."""
    place = tmp_path_factory.mktemp(stored.stem)
    ended = subprocess.run(
        [sys.executable, "-c", RUNNER, str(stored)],
        cwd=place,
        capture_output=True,
        text=True,
        timeout=RUN_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr[-4000:]
    return place


def outputs(folder: Path) -> list[dict]:
    cells = json.loads((folder / "run.ipynb").read_text())["cells"]
    return [out for cell in cells for out in cell.get("outputs", [])]


def test_there_are_examples() -> None:
    assert [path.name for path in NOTEBOOKS] != []


def test_an_example_runs_and_every_widget_has_a_picture_for_places_without_javascript(
    folder: Path,
) -> None:
    widgets = [
        out["data"]
        for out in outputs(folder)
        if "application/vnd.jupyter.widget-view+json" in out.get("data", {})
    ]
    assert widgets
    for data in widgets:
        assert "<svg" in "".join(data["text/html"])
        text = "".join(data["text/plain"]).casefold()
        assert "of 100 queries" in text or "more labels bring" in text


def test_an_example_warns_of_nothing(folder: Path) -> None:
    said = [out for out in outputs(folder) if out["output_type"] == "stream"]
    assert [out["text"] for out in said if out["name"] == "stderr"] == []


def test_an_example_is_stored_without_outputs_and_without_traces_of_a_machine(stored: Path) -> None:
    notebook = json.loads(stored.read_text())
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell for cell in code if cell["outputs"] or cell["execution_count"]] == []
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert set(notebook["metadata"]) == {"kernelspec", "language_info"}
    assert [cell for cell in notebook["cells"] if cell["metadata"]] == []


def test_the_quickstart_saves_a_page(folder: Path) -> None:
    if (folder / "tree.html").exists():
        assert (folder / "tree.html").stat().st_size < 400_000
    else:
        assert "quickstart" not in folder.name
