"""Everything that a page complains about or asks for, kept and judged at the end."""

from __future__ import annotations

from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import ConsoleMessage, Dialog, Page, Request, WebSocket

OWN = ("file", "data", "blob", "about", "chrome-error")


@dataclass
class Watch:
    """What happened on a page.

    `expected` are beginnings of console errors that belong to the host and not to us.
    """

    expected: tuple[str, ...] = ()
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def follow(self, page: Page) -> None:
        """Listen to a page from now on."""
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))
        page.on("crash", lambda _: self.complaints.append("the page crashed"))
        page.on("dialog", self._dialog)
        page.on("request", self._request)
        page.on("websocket", self._websocket)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(self.expected or ("\0",)):
            self.complaints.append(f"console: {message.text} ({message.location.get('url', '')})")

    def _dialog(self, dialog: Dialog) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        self.requests.append(request.url)

    def _websocket(self, socket: WebSocket) -> None:
        self.requests.append(socket.url)

    @property
    def abroad(self) -> list[str]:
        """Requests that left the machine."""
        return [u for u in self.requests if not _is_local(u)]

    def assert_quiet(self) -> None:
        """No error was logged or thrown, no dialog opened, nothing asked of the network."""
        assert self.complaints == []
        assert self.abroad == []


def _is_local(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme in OWN or parts.hostname in ("127.0.0.1", "localhost")
