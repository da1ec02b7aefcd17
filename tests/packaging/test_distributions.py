"""What is inside the wheel and the source distribution."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from .conftest import Distribution

pytestmark = pytest.mark.xdist_group("packaging")

BUILT = (
    "tree.js",
    "tree.css",
    "judge.js",
    "judge.css",
    "allocation.js",
    "allocation.css",
    "report.js",
    "page.js",
)


@pytest.mark.parametrize("name", BUILT)
def test_the_wheel_carries_the_built_browser_side(wheel: Distribution, name: str) -> None:
    assert wheel.sizes[f"rat_widgets/static/{name}"] > 1000


@pytest.mark.parametrize("name", BUILT)
def test_the_sdist_carries_the_built_browser_side(sdist: Distribution, name: str) -> None:
    assert sdist.sizes[f"src/rat_widgets/static/{name}"] > 1000


def test_the_wheel_carries_types_licence_and_label_tables(wheel: Distribution) -> None:
    names = set(wheel.sizes)
    assert "rat_widgets/py.typed" in names
    licences = {Path(n).name for n in names if ".dist-info/licenses/" in n}
    assert licences == {"LICENSE", "NOTICE"}
    tables = [n for n in names if n.startswith("rat_widgets/datasets/")]
    for table in ("ray_docs", "squad_mistral", "mtrag_human", "openqa_nq301", "llmjudge_r"):
        assert any(table in n for n in tables)


def test_the_wheel_holds_the_package_and_nothing_beside_it(wheel: Distribution) -> None:
    tops = {name.split("/", 1)[0] for name in wheel.sizes}
    assert tops == {"rat_widgets", next(t for t in tops if t.endswith(".dist-info"))}
    strange = [n for n in wheel.sizes if n.endswith((".ts", ".map", ".ipynb", ".pyc", ".gitkeep"))]
    assert strange == []


def test_the_sdist_holds_all_that_a_build_and_a_test_run_need(sdist: Distribution) -> None:
    for name in (
        "pyproject.toml",
        "LICENSE",
        "NOTICE",
        "README.md",
        "scripts/hatch_build.py",
        "js/package-lock.json",
        "js/src/entries/tree.ts",
        "tests/packaging/test_distributions.py",
        "examples/01_quickstart.ipynb",
    ):
        assert name in sdist.sizes


def test_the_sdist_leaves_out_what_others_made(sdist: Distribution) -> None:
    parts = {part for name in sdist.sizes for part in name.split("/")}
    assert not parts & {"node_modules", ".venv", "__pycache__", "artifacts", "dist", ".git"}


def test_distributions_are_small(wheel: Distribution, sdist: Distribution) -> None:
    assert wheel.path.stat().st_size < 1_000_000
    assert sdist.path.stat().st_size < 2_000_000


@pytest.mark.parametrize(("widget", "most"), [("tree", 150), ("judge", 150), ("allocation", 150)])
def test_the_widget_is_small(wheel: Distribution, widget: str, most: int) -> None:
    """In kB, before compression."""
    names = (f"{widget}.js", f"{widget}.css")
    assert sum(wheel.sizes[f"rat_widgets/static/{name}"] for name in names) < 1000 * most


def test_the_wheel_draws_a_tree_in_a_fresh_process(wheel: Distribution, tmp_path: Path) -> None:
    with zipfile.ZipFile(wheel.path) as archive:
        archive.extractall(tmp_path / "site")
    code = """
import rat_widgets as rat
ray = rat.datasets.load("ray_docs")
w = rat.tree(ray[ray["system"] == "gpt-3.5-turbo"])
print(rat.__file__)
print(w.save("tree.html").stat().st_size)
"""
    ended = subprocess.run(
        [sys.executable, "-W", "error::DeprecationWarning:rat_widgets", "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    place, size = ended.stdout.splitlines()
    assert Path(place).is_relative_to(tmp_path)
    assert 10_000 < int(size) < 400_000
