"""Every exception and warning of the package, with builders that write the message.

A message has up to three parts: what was got, with the value and the place; what is
accepted; and one ``Hint:`` with the next step. Each class is also a subclass of the
built-in that a caller would catch.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Self

__all__ = [
    "ArgumentError",
    "ArgumentTypeError",
    "BrowserError",
    "ContradictionError",
    "CountsError",
    "DuplicateItemError",
    "EngineError",
    "FileError",
    "FrameChangedError",
    "FrameError",
    "LabelValueError",
    "MissingColumnError",
    "MissingPackageError",
    "NoRowsError",
    "RatError",
    "RatWarning",
    "StudyError",
    "ViewError",
]


def _message(got: str, accepted: str | None, hint: str | None) -> str:
    lines = [got]
    if accepted:
        lines.append(accepted)
    if hint:
        lines.append(f"Hint: {hint}")
    return "\n".join(lines)


def _listing(values: Iterable[object], limit: int = 20) -> str:
    """'R', 'A', 'T' with an end when there are many."""
    shown = [repr(v) for v in values]
    more = len(shown) - limit
    return ", ".join(shown[:limit]) + (f" and {more} more" if more > 0 else "")


class RatError(Exception):
    """Base of every error that rat_widgets raises on purpose."""

    @classmethod
    def build(cls, got: str, *, accepted: str | None = None, hint: str | None = None) -> Self:
        """An error whose message says what was got, what is accepted and what to do next."""
        return cls(_message(got, accepted, hint))

    def __str__(self) -> str:  # KeyError would show the message quoted and on one line
        return str(self.args[0]) if self.args else ""


class RatWarning(UserWarning):
    """Base of every warning that rat_widgets gives."""


class ArgumentError(RatError, ValueError):
    """An argument has a value that is not accepted."""


class ArgumentTypeError(RatError, TypeError):
    """An argument has a type that is not accepted, or is not known."""


class MissingColumnError(RatError, KeyError):
    """A column was asked for that the table does not have."""

    @classmethod
    def for_column(cls, name: object, argument: str, columns: Sequence[str], hint: str) -> Self:
        """The error for one missing column, listing the columns there are."""
        there = f"It has {_listing(columns)}." if columns else "It has no columns."
        return cls.build(
            f"The table has no column {name!r} (asked for by `{argument}`).",
            accepted=there,
            hint=hint,
        )


class LabelValueError(RatError, ValueError):
    """A label column holds a value that is not a label."""


class ContradictionError(RatError, ValueError):
    """Rows say both "abstained" and "task solved"."""


class CountsError(RatError, ValueError):
    """Pattern counts that do not fit together, or JSON that does not hold any."""


class DuplicateItemError(RatError, ValueError):
    """An item occurs more than once in one group."""


class FileError(RatError, OSError):
    """A file cannot be written where it was asked for."""


class FrameError(RatError, RuntimeError):
    """The table's own library cannot read or compute it."""


class FrameChangedError(RatError, RuntimeError):
    """The data behind the labels are no longer those that were counted."""


class EngineError(RatError, ValueError):
    """The engine cannot draw from this posterior."""


class NoRowsError(RatError, LookupError):
    """Rows were asked of a posterior that came without labels."""


class StudyError(RatError, RuntimeError):
    """A study's executor broke down.

    Attributes
    ----------
    study : AllocationStudy or None
        What was finished; its `resume` goes on.
    """

    study: Any = None


class BrowserError(RatError, RuntimeError):
    """No browser could be started to draw a picture."""


class ViewError(RatError, ValueError):
    """A view's JSON is not what this version of the package writes."""


class MissingPackageError(RatError, ImportError):
    """An optional package is not installed."""

    @classmethod
    def for_package(cls, package: str, feature: str, extra: str) -> Self:
        """The error for one optional package, with the command that installs it."""
        return cls.build(
            f"{feature} needs the package {package!r}, which is not installed.",
            hint=f"pip install 'rat_widgets[{extra}]'",
        )
