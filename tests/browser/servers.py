"""Servers that the browser tests talk to: Jupyter's, and one for plain files. Loopback only."""

from __future__ import annotations

import functools
import http.server
import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SETTINGS = Path(__file__).parent / "jupyter" / "jupyter_server_config.py"
START_S = 60
STOP_S = 10


@dataclass(frozen=True, kw_only=True)
class JupyterServer:
    """A running server, the folder it serves and the token it asks for."""

    url: str
    token: str
    folder: Path


def free_port() -> int:
    """A port that nobody listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def jupyter_server(
    home: Path, *, app: str, options: tuple[str, ...] = ()
) -> Iterator[JupyterServer]:
    """Jupyter in its own process group and with its own settings, ended on the way out.

    Parameters
    ----------
    home : Path
        Empty folder for settings, log and notebooks.
    app : {"lab", "server"}
        JupyterLab, or the bare server with kernels only.
    options : tuple of str
        More command line options.
    """
    notebooks = home / "notebooks"
    notebooks.mkdir(parents=True)
    port, token = free_port(), secrets.token_hex(16)
    command = [
        *(sys.executable, "-m", "jupyter", app, "--no-browser", "--allow-root"),
        *("--ServerApp.ip=127.0.0.1", f"--ServerApp.port={port}", "--ServerApp.port_retries=0"),
        *(f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={notebooks}"),
        *options,
    ]
    with (home / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=notebooks,
            env=_own_settings(home),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_until_it_answers(f"{url}/api/status?token={token}", process, home / "server.log")
            yield JupyterServer(url=url, token=token, folder=notebooks)
        finally:
            _end_group(process)


@contextmanager
def file_server(folder: Path) -> Iterator[str]:
    """The files of a folder on a loopback port; yields the address."""
    handler = functools.partial(_QuietHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
            thread.join(STOP_S)


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *args: object) -> None:
        """Say nothing."""


def _own_settings(home: Path) -> dict[str, str]:
    folders = {
        "JUPYTER_CONFIG_DIR": home / "config",
        "JUPYTER_DATA_DIR": home / "data",
        "JUPYTER_RUNTIME_DIR": home / "runtime",
        "IPYTHONDIR": home / "ipython",
        "JUPYTERLAB_SETTINGS_DIR": home / "settings",
        "JUPYTERLAB_WORKSPACES_DIR": home / "workspaces",
    }
    for folder in folders.values():
        folder.mkdir(parents=True, exist_ok=True)
    (home / "config" / SETTINGS.name).symlink_to(SETTINGS)
    quiet = home / "settings" / "@jupyterlab" / "apputils-extension"
    quiet.mkdir(parents=True)
    (quiet / "notification.jupyterlab-settings").write_text(
        json.dumps({"checkForUpdates": False, "doNotDisturbMode": True, "fetchNews": "false"})
    )
    return {**os.environ, **{name: str(folder) for name, folder in folders.items()}}


def _wait_until_it_answers(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.2)
    raise RuntimeError(f"Jupyter did not start:\n{log.read_text(errors='replace')[-4000:]}")


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """End the server and the kernels that it started."""
    for sign in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        # The first interrupt asks the server whether it is meant; the second one ends it.
        with _gone():
            os.killpg(process.pid, sign)
        try:
            process.wait(timeout=1 if sign is signal.SIGINT else STOP_S)
            break
        except subprocess.TimeoutExpired:
            continue
    with _gone():
        os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def _gone() -> Iterator[None]:
    try:
        yield
    except ProcessLookupError:
        return
