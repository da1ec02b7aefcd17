"""Installing a folder's npm packages once, whoever else needs them at the same time."""

from __future__ import annotations

import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from . import npm


def test_a_process_waits_for_another_that_installs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two files of tests in two processes once deleted each other's packages."""
    (tmp_path / "package-lock.json").write_text("{}")
    packages = tmp_path / "node_modules"
    at_once = threading.Barrier(2)
    installs = 0

    def ci(folder: Path, *command: str) -> str:
        nonlocal installs
        installs += 1
        shutil.rmtree(packages, ignore_errors=True)
        time.sleep(0.2)
        packages.mkdir()
        return ""

    def needs_them() -> bool:
        at_once.wait()
        npm.install_locked(tmp_path)
        return packages.is_dir()

    monkeypatch.setattr(npm, "run", ci)
    with ThreadPoolExecutor(2) as pool:
        found = [future.result() for future in [pool.submit(needs_them) for _ in range(2)]]
    assert found == [True, True]
    assert installs == 1
