"""Optional packages, asked for inside the function that needs them."""

from __future__ import annotations

import importlib
from types import ModuleType

from rat_widgets.errors import MissingPackageError

__all__ = ["require"]


def require(package: str, *, feature: str, extra: str) -> ModuleType:
    """The imported package, or an error that names the extra that installs it.

    Raises
    ------
    MissingPackageError
        When the package, or something that it needs itself, cannot be imported.
    """
    try:
        return importlib.import_module(package)
    except ImportError as err:
        raise MissingPackageError.for_package(package, feature, extra) from err
