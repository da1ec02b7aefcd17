"""Where files may be written, and writing them: refused with a reason, never a traceback."""

from __future__ import annotations

from os import PathLike, fsencode, fspath
from os.path import isdir
from pathlib import Path

from rat_widgets.errors import ArgumentError, ArgumentTypeError, FileError

__all__ = ["require_rows_fit", "require_yes_or_no", "target_file", "write_text"]


def target_file(path: object, suffixes: tuple[str, ...], refusal: str) -> Path:
    """Where to write; refused before anything is computed when that cannot be."""
    accepted = f"The name of a file that ends in {', '.join(suffixes)}."
    if not isinstance(path, (str, PathLike)) or not isinstance(fspath(path), str):
        raise ArgumentTypeError.build(f"{refusal} {path!r:.80}.", accepted=accepted)
    try:
        target = Path(path).expanduser()
    except RuntimeError as err:
        raise FileError.build(f"{str(path)!r:.200}: {err}", hint="write the folder out.") from err
    if not _can_be_a_name(target):
        raise ArgumentError.build(
            f"{refusal} {str(target)!r:.200}: no file can be called so.", accepted=accepted
        )
    if target.suffix.lower() not in suffixes:
        raise ArgumentError.build(f"{refusal} {target.name!r:.80}.", accepted=accepted)
    if not isdir(target.parent):
        raise FileError.build(
            f"The folder {str(target.parent)!r:.200} does not exist.",
            hint="make it first, or choose another.",
        )
    if isdir(target):
        raise FileError.build(f"{str(target)!r:.200} is a folder.", accepted=accepted)
    return target


def _can_be_a_name(target: Path) -> bool:
    """Whether the file system has a spelling for it: no zeros, no halves of a surrogate pair."""
    try:
        return b"\0" not in fsencode(target)
    except UnicodeEncodeError:
        return False


def require_yes_or_no(include_rows: object) -> None:
    """Rows get into a page by True and nothing else."""
    if not isinstance(include_rows, bool):
        raise ArgumentTypeError.build(
            f"`include_rows` is {include_rows!r:.80}.", accepted="True or False."
        )


def require_rows_fit(path: Path, include_rows: object) -> None:
    """Rows are asked for by True, and for a page only."""
    require_yes_or_no(include_rows)
    if include_rows and path.suffix.lower() != ".html":
        raise ArgumentError.build(
            f"include_rows=True was asked for with {path.name!r}.",
            accepted="Rows can be put into a page (.html) only.",
        )


def write_text(path: Path, text: str) -> Path:
    """Write a text; returns the path."""
    try:
        # half of a surrogate pair, which text of Python may hold, is written as its escape
        path.write_text(text, encoding="utf-8", errors="backslashreplace")
    except OSError as err:
        raise FileError.build(
            f"{str(path)!r:.200} cannot be written: {err.strerror or err}.",
            hint="choose another folder or name.",
        ) from err
    return path
