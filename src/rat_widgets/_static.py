"""Built JavaScript and CSS, as text."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from rat_widgets.errors import RatError

__all__ = ["static_text"]

STATIC = Path(__file__).parent / "static"


@cache
def static_text(name: str) -> str:
    """The text of one built file of ``rat_widgets/static``.

    Raises
    ------
    RatError
        When the package was installed without its built JavaScript.
    """
    path = STATIC / name
    if not path.exists():
        raise RatError.build(
            f"The built file static/{name} is missing from this installation.",
            hint="install the wheel, or run `make js` in a source tree.",
        )
    return path.read_text("utf-8")
