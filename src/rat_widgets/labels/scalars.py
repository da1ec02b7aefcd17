"""How one raw cell of a label column reads: 0, 1, missing, or not a label."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from numbers import Real
from typing import Any, Final

import numpy as np

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.keys import is_missing

__all__ = ["INVALID", "MISSING", "LabelReader"]

MISSING: Final = -1
INVALID: Final = 2


class LabelReader:
    """Reads raw cells as labels: bool and 0/1 by themselves, anything else through `values`.

    Parameters
    ----------
    values : mapping, optional
        Raw cell -> 0, 1 or None (missing), for instance ``{"yes": 1, "no": 0}``.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When `values` is not a mapping, maps to something else, or maps a missing value.
    """

    def __init__(self, values: Mapping[Any, Any] | None) -> None:
        if values is not None and not isinstance(values, Mapping):
            raise ArgumentTypeError.build(
                f"`values` is {values!r}.", accepted='A mapping such as {"yes": 1, "no": 0}.'
            )
        self.mapping: dict[Any, int] = {}
        for raw, meaning in (values or {}).items():
            if is_missing(raw):
                raise ArgumentError.build(
                    f"`values` says that {raw!r} reads as {meaning!r}.",
                    accepted="A missing cell is a missing label, always.",
                    hint="fill such cells in the table before it is read.",
                )
            code = _number_code(meaning)
            if code == INVALID:
                raise ArgumentError.build(
                    f"`values` says that {raw!r} reads as {meaning!r}.",
                    accepted="0, 1 or None (missing).",
                )
            self.mapping[raw] = code

    @property
    def only_text(self) -> bool:
        """Whether numbers and booleans keep their own meaning."""
        return all(isinstance(raw, str) for raw in self.mapping)

    def read(self, raw: object) -> int:
        """0, 1, `MISSING` or `INVALID`."""
        if self.mapping:
            try:
                if raw in self.mapping:
                    return self.mapping[raw]
            except TypeError:  # not hashable: no label either
                return INVALID
        return _number_code(raw)


def _number_code(raw: object) -> int:
    if is_missing(raw):
        return MISSING
    if isinstance(raw, (Real, Decimal, np.bool_)):
        try:
            return 1 if raw == 1 else 0 if raw == 0 else INVALID
        except ArithmeticError:  # a signalling Decimal
            return INVALID
    return INVALID
