"""Find or install a Chromium for the browser tests: the system's, else apt's, else Playwright's.

python scripts/find_chromium.py             print its path; exit 1 when there is none
python scripts/find_chromium.py --install   install one first when there is none
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


def find() -> str | None:
    """Path of a Chromium that is there, or None."""
    given = os.environ.get("RAT_CHROMIUM")
    if given and Path(given).exists():
        return given
    for name in NAMES:
        path = shutil.which(name)
        if path:
            return path
    return _playwright_chromium()


def _playwright_chromium() -> str | None:
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        return None
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def install() -> None:
    """Try apt, then Playwright's own download."""
    for command in (
        [*_as_root(), "apt-get", "update", "-qq"],
        [*_as_root(), "apt-get", "install", "-y", "-qq", "chromium"],
    ):
        if shutil.which("apt-get") is None or subprocess.run(command, check=False).returncode:
            break
    if find() is None:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=False)


def _as_root() -> list[str]:
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [] if is_root or shutil.which("sudo") is None else ["sudo", "-n"]


def main(argv: list[str]) -> int:
    """Print the path; returns the exit code."""
    if find() is None and "--install" in argv:
        install()
    path = find()
    if path is None:
        print("No Chromium: install one, or set RAT_CHROMIUM to its path.", file=sys.stderr)
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
