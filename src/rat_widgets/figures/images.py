"""Pictures as files: PNG and PDF through Kaleido and a Chromium that is installed."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from rat_widgets._optional import require
from rat_widgets.errors import ArgumentError, BrowserError, FileError

if TYPE_CHECKING:
    import plotly.graph_objects as go

__all__ = ["IMAGE_SUFFIXES", "write_image"]

IMAGE_SUFFIXES: Final = (".png", ".pdf")

_PNG_SCALE: Final = 2.0


def write_image(figure: go.Figure, path: str | Path, *, scale: float | None = None) -> Path:
    """Write a figure to a .png or .pdf file, in the size that the figure has.

    Parameters
    ----------
    figure : plotly.graph_objects.Figure
    path : path
        The suffix chooses the format. The folder must exist.
    scale : float, optional
        Pixels of the image per px of the figure; 2 for PNG, 1 for PDF.

    Returns
    -------
    Path
        Where the file is.

    Raises
    ------
    ArgumentError
        When the suffix is another one or the folder does not exist.
    MissingPackageError
        When Kaleido is not installed.
    FileError
        When the file cannot be written.
    BrowserError
        When no Chromium is found, or it does not start.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in IMAGE_SUFFIXES:
        raise ArgumentError.build(
            f"Cannot write a picture to {str(path)!r}.",
            accepted=f"Accepted suffixes: {', '.join(IMAGE_SUFFIXES)}.",
        )
    if not target.parent.is_dir():
        raise ArgumentError.build(
            f"The folder {str(target.parent)!r} does not exist.", hint="make it first."
        )
    kaleido = require("kaleido", feature=f"Saving as {suffix}", extra="images")
    if scale is None:
        scale = _PNG_SCALE if suffix == ".png" else 1.0
    drawn = _render(kaleido, figure, suffix[1:], scale)
    try:
        target.write_bytes(drawn)
    except OSError as err:
        raise FileError.build(
            f"{str(path)!r:.200} cannot be written: {err.strerror or err}.",
            hint="choose another folder or name.",
        ) from err
    return target


def _render(kaleido: Any, figure: go.Figure, form: str, scale: float) -> bytes:
    options = {
        "format": form,
        "width": figure.layout.width,
        "height": figure.layout.height,
        "scale": scale,
    }
    loud = [logging.getLogger(name) for name in ("kaleido", "choreographer")]
    levels = [logger.level for logger in loud]
    for logger in loud:
        logger.setLevel(logging.CRITICAL)
    try:
        # Kaleido would load MathJax from the network; our texts hold no TeX.
        page = kaleido.PageGenerator(mathjax=False)
        return bytes(kaleido.calc_fig_sync(figure, opts=options, kopts={"page_generator": page}))
    except Exception as err:
        if not _is_about_the_browser(err):
            raise
        raise BrowserError.build(
            f"No Chromium could be started to draw the picture ({type(err).__name__}).",
            accepted="Kaleido draws .png and .pdf with an installed Chrome or Chromium.",
            hint="install Chromium, name it in the environment variable BROWSER_PATH, or save "
            "as .svg or .html, which need no browser.",
        ) from err
    finally:
        for logger, level in zip(loud, levels):
            logger.setLevel(level)


def _is_about_the_browser(err: BaseException) -> bool:
    """Whether Kaleido or Choreographer says that there is no browser, or that it went away."""
    names = {cls.__name__ for cls in type(err).__mro__}
    return bool(names & {"ChromeNotFoundError", "BrowserFailedError", "BrowserClosedError"})
