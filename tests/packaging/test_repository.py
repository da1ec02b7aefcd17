"""Tracked files name no registry host, no download address and no folder of one machine."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOSTS = ("registry" + ".npmjs.org", "registry" + ".yarnpkg.com", "files." + "pythonhosted.org")
HOSTS += ("pypi" + ".org", "deb" + ".debian.org", "proxy" + ".golang.org", "crates" + ".io")
HOME = re.compile(r"(?<![\w.$}])/(?:home|Users|root|work|tmp|var/folders)/[A-Za-z0-9._-]+")


def tracked() -> Iterator[tuple[str, str]]:
    """Name and text of every tracked text file."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, timeout=30, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    for name in filter(None, listed.stdout.decode().split("\0")):
        path = ROOT / name
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
            if b"\0" not in content:
                yield name, content.decode("utf-8", errors="replace")


def test_no_tracked_file_names_a_package_registry() -> None:
    assert [(n, host) for n, text in tracked() for host in HOSTS if host in text] == []


def test_no_tracked_file_names_a_folder_of_one_machine() -> None:
    assert [(n, found.group()) for n, text in tracked() for found in HOME.finditer(text)] == []


def test_lock_files_hold_no_download_address() -> None:
    locks = [(n, text) for n, text in tracked() if Path(n).name.endswith(("-lock.json", ".lock"))]
    assert locks
    assert [n for n, text in locks if re.search(r'"resolved":\s*"[a-z+]+:', text)] == []


def test_built_files_and_caches_are_not_tracked() -> None:
    names = [n for n, _ in tracked()]
    assert [n for n in names if "node_modules/" in n or "__pycache__/" in n] == []
    assert [n for n in names if n.startswith("src/rat_widgets/static/")] in (
        [],
        ["src/rat_widgets/static/.gitkeep"],
    )
