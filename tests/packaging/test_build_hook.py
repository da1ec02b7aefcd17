"""The build hook: a source tree without built files, on a machine without Node."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
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
BUILD_S = 240


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sources of the browser side, built where they are by the hook's own Node."""
    root = tmp_path_factory.mktemp("tree")
    skip = shutil.ignore_patterns("node_modules", "*.tsbuildinfo")
    shutil.copytree(ROOT / "js", root / "js", ignore=skip)
    shutil.copytree(ROOT / "scripts", root / "scripts")
    # A machine that has a shell and nothing else.
    (root / "bin").mkdir()
    (root / "bin" / "sh").symlink_to(shutil.which("sh") or "/bin/sh")
    ended = subprocess.run(
        [sys.executable, "scripts/hatch_build.py"],
        cwd=root,
        env={**os.environ, "PATH": str(root / "bin")},
        capture_output=True,
        text=True,
        timeout=BUILD_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return root


@pytest.mark.parametrize("name", BUILT)
def test_the_hook_builds_what_is_missing_and_needs_no_node_of_the_machine(
    tree: Path, name: str
) -> None:
    assert (tree / "src" / "rat_widgets" / "static" / name).stat().st_size > 1000


@pytest.mark.parametrize("name", BUILT)
def test_the_built_files_in_use_are_those_of_the_sources(tree: Path, name: str) -> None:
    fresh = (tree / "src" / "rat_widgets" / "static" / name).read_text()
    in_use = (ROOT / "src" / "rat_widgets" / "static" / name).read_text()
    assert fresh == in_use, f"static/{name} is stale: `make js`"
