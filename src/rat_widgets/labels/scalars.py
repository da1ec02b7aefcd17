"""How one raw cell of a label column reads: 0, 1, missing, or not a label."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, Final

import numpy as np

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.keys import is_missing

__all__ = [
    "INVALID",
    "MISSING",
    "UNKNOWN",
    "GradeReader",
    "LabelReader",
    "LevelReader",
    "VerdictReader",
    "readers_of",
]

MISSING: Final = -1
INVALID: Final = 2
UNKNOWN: Final = 2


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

    n_values = 2
    """Labels run from 0 to one less; a cell that is no label reads as this number."""

    def __init__(self, values: Mapping[Any, Any] | None) -> None:
        if values is not None and not isinstance(values, Mapping):
            raise ArgumentTypeError.build(
                f"`values` is {values!r}.", accepted='A mapping such as {"yes": 1, "no": 0}.'
            )
        self.given: Mapping[Any, Any] = dict(values or {})
        self.mapping: dict[Any, int] = {}
        for raw, meaning in (values or {}).items():
            if is_missing(raw):
                raise ArgumentError.build(
                    f"`values` says that {raw!r} reads as {meaning!r}.",
                    accepted="A missing cell is a missing label, always.",
                    hint="fill such cells in the table before it is read.",
                )
            code = self._code(meaning)
            if code == self.n_values:
                raise ArgumentError.build(
                    f"`values` says that {raw!r} reads as {meaning!r}.", accepted=self._meanings()
                )
            self.mapping[raw] = code

    def _code(self, raw: object) -> int:
        """What a cell means by itself."""
        return _number_code(raw)

    def _meanings(self) -> str:
        return "0, 1 or None (missing)."

    @property
    def takes_bool(self) -> bool:
        """Whether True and False are read as 1 and 0."""
        return True

    def accepted(self) -> str:
        """What cells may hold, in one sentence."""
        return "Labels are True and False, 1 and 0, or missing; text only through `values`."

    @property
    def only_text(self) -> bool:
        """Whether numbers and booleans keep their own meaning."""
        return all(isinstance(raw, str) for raw in self.mapping)

    def read(self, raw: object) -> int:
        """0, 1, `MISSING`, or `n_values` where it is not a label."""
        if self.mapping:
            try:
                if raw in self.mapping:
                    return self.mapping[raw]
            except TypeError:  # not hashable: no label either
                return self.n_values
        return self._code(raw)


class LevelReader(LabelReader):
    """Reads levels of retrieval: their names, or numbers.

    Numbers count from 0 for the lowest, unless the names are whole numbers: of levels "1" to "5"
    the cell 1 is the lowest.

    Parameters
    ----------
    values : mapping, optional
        Raw cell -> name or number of a level, or None (missing). An entry for text that is itself
        the name of a level counts here only where it names a level: ``{"yes": 1}`` is about 0 and 1
        in other columns.
    levels : sequence of str or int
        The lowest first.
    """

    def __init__(self, values: Mapping[Any, Any] | None, levels: Sequence[str | int]) -> None:
        self.levels = tuple(map(str, levels))
        self.numbers = _whole_numbers(self.levels) or tuple(range(len(self.levels)))
        self.n_values = len(self.levels)
        super().__init__(values)
        for raw, meaning in self.given.items():
            if isinstance(raw, str) and raw in self.levels and not isinstance(meaning, str):
                del self.mapping[raw]

    @property
    def only_text(self) -> bool:
        """No: numbers are levels, and their meaning is looked up."""
        return False

    @property
    def takes_bool(self) -> bool:
        """Only of two levels: of more, which ones would they be?"""
        return self.n_values == 2

    def _code(self, raw: object) -> int:
        if isinstance(raw, str):
            return self.levels.index(raw) if raw in self.levels else self.n_values
        if is_missing(raw):
            return MISSING
        is_bool = isinstance(raw, (bool, np.bool_))
        if (is_bool and not self.takes_bool) or not isinstance(raw, (Real, Decimal, np.bool_)):
            return self.n_values
        return next((i for i, n in enumerate(self.numbers) if raw == n), self.n_values)

    def _meanings(self) -> str:
        return f"One of {self._names()}, {self._range('a number')}, or None (missing)."

    def accepted(self) -> str:
        """What cells may hold, in one sentence."""
        return f"Levels are {self._names()}, or {self._range('numbers')}, or missing."

    def _names(self) -> str:
        return ", ".join(map(repr, self.levels))

    def _range(self, what: str) -> str:
        if self.numbers == tuple(range(self.n_values)):
            return f"{what} from 0 to {self.n_values - 1}"
        return f"the same as {what}"


def _whole_numbers(names: Sequence[str]) -> tuple[int, ...] | None:
    """The names as numbers, where all of them are; None else."""
    try:
        return tuple(map(int, names))
    except ValueError:
        return None


class VerdictReader(LabelReader):
    """Reads verdicts of a judge one of whose answers is that it cannot tell.

    Parameters
    ----------
    values : mapping, optional
        As of `LabelReader`.
    unknown : str or number
        The cell that reads as `UNKNOWN`.
    """

    n_values = 3

    def __init__(self, values: Mapping[Any, Any] | None, unknown: str | float) -> None:
        self.unknown = unknown
        super().__init__(values)

    @property
    def only_text(self) -> bool:
        """Whether numbers keep their own meaning: not where one of them is "cannot tell"."""
        return isinstance(self.unknown, str) and super().only_text

    def read(self, raw: object) -> int:
        """0, 1, `UNKNOWN`, `MISSING`, or `n_values` where it is no verdict."""
        is_plain = isinstance(raw, (str, Real, Decimal)) and not is_missing(raw)
        if is_plain and raw == self.unknown:
            return UNKNOWN
        return super().read(raw)

    def _code(self, raw: object) -> int:
        code = _number_code(raw)
        return self.n_values if code == INVALID else code

    def accepted(self) -> str:
        """What cells may hold, in one sentence."""
        return (
            f"Verdicts are True and False, 1 and 0, {self.unknown!r} (cannot tell), or missing; "
            "other text only through `values`."
        )


class GradeReader(LabelReader):
    """Reads the levels of a graded judge, or its scores cut into levels.

    Parameters
    ----------
    levels : sequence of numbers or str
        The lowest first.
    cuts : sequence of float or None
        Where scores from 0 to 1 are cut; a score at a cut, as far as its column can hold that, is
        in the level above. None where cells hold levels.
    unknown : str, number or None
        The cell that reads as one more than the top level: outside the order.
    """

    def __init__(
        self,
        levels: Sequence[str | float],
        cuts: Sequence[float] | None,
        unknown: str | float | None,
    ) -> None:
        self.levels, self.cuts, self.unknown = tuple(levels), cuts, unknown
        self._rounded = _as_stored(self.levels if cuts is None else cuts)
        self.n_values = len(self.levels) + (unknown is not None)
        super().__init__(None)

    @property
    def only_text(self) -> bool:
        """No: numbers are levels or scores, and their meaning is looked up."""
        return False

    @property
    def takes_bool(self) -> bool:
        """No: neither is a level or a score."""
        return False

    def _code(self, raw: Any) -> int:
        if is_missing(raw):
            return MISSING
        is_plain = isinstance(raw, (str, Real, Decimal)) and not isinstance(raw, bool)
        if not is_plain:
            return self.n_values
        if self.unknown is not None and raw == self.unknown:
            return len(self.levels)
        if self.cuts is None:
            found = next((i for i, level in enumerate(self.levels) if raw == level), None)
            return self._rounded.get(raw, self.n_values) if found is None else found
        if isinstance(raw, str) or not 0 <= raw <= 1:
            return self.n_values
        score = float(raw)
        return max(bisect_right(self.cuts, score), self._rounded.get(score, -1) + 1)

    def accepted(self) -> str:
        """What cells may hold, in one sentence."""
        also = "" if self.unknown is None else f", {self.unknown!r} (cannot tell)"
        if self.cuts is not None:
            return f"Scores are numbers from 0 to 1{also}, or missing."
        return f"Its levels are {', '.join(map(repr, self.levels))}{also}, or missing."


def _as_stored(numbers: Sequence[Any]) -> dict[float, int]:
    """Where each of these numbers stands, by what columns of 32 and 16 bits make of it.

    Engines hand their cells over in 64 bits, so that 0.7 reads 0.699999988.
    """
    with np.errstate(over="ignore"):
        return {
            float(kind(number)): i
            for kind in (np.float32, np.float16)
            for i, number in enumerate(numbers)
            if isinstance(number, float)
        }


def readers_of(
    values: Mapping[Any, Any] | None,
    levels: Sequence[str | int] | None,
    judges: Sequence[Any],
) -> tuple[LabelReader, ...]:
    """A reader for each label column: R, A, T, answerable, the judges, errored.

    Where levels are named, an entry of `values` that names one is for R alone.

    Parameters
    ----------
    values : mapping or None
    levels : sequence of str or int, or None
        Names of the levels of R; None where cells are 0 and 1.
    judges : sequence of Judge
    """
    of_levels = LevelReader(values, levels) if levels is not None else None
    if of_levels is not None:
        values = {raw: to for raw, to in of_levels.given.items() if not isinstance(to, str)}
    plain = LabelReader(values)
    of_judges = [_reader_of_judge(judge, values, plain) for judge in judges]
    return (of_levels or plain, plain, plain, plain, *of_judges, plain)


def _reader_of_judge(
    judge: Any, values: Mapping[Any, Any] | None, plain: LabelReader
) -> LabelReader:
    if judge.is_graded:
        return GradeReader(judge.levels, judge.cuts, judge.unknown)
    return plain if judge.unknown is None else VerdictReader(values, judge.unknown)


def _number_code(raw: object) -> int:
    if is_missing(raw):
        return MISSING
    if isinstance(raw, (Real, Decimal, np.bool_)):
        try:
            return 1 if raw == 1 else 0 if raw == 0 else INVALID
        except ArithmeticError:  # a signalling Decimal
            return INVALID
    return INVALID
