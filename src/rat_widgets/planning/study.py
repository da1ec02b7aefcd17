"""The allocation study: how narrow, how right and how honest intervals are after a purchase."""

from __future__ import annotations

import json
import math
import warnings
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Self

import pandas as pd

from rat_widgets.errors import ArgumentTypeError, RatWarning, StudyError
from rat_widgets.planning.study_plan import Plan, Unit
from rat_widgets.planning.study_run import read_progress, run_units
from rat_widgets.planning.study_sums import Sums

__all__ = ["Cell", "Check", "Study"]

_KIND: Final = "allocation_study"
_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """How far widths are from those of an engine, in the random share that was checked.

    Attributes
    ----------
    n_widths : int
        Widths compared: tables times targets.
    rms : float
        Root mean square of the relative differences; NaN when none was checked. Of this the
        engine's own Monte Carlo error is about 0.005.
    """

    n_widths: int
    rms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One strategy at one budget."""

    strategy: str
    budget: float
    sums: Sums


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Study:
    """A study, finished or not: its plan and what came out so far.

    Attributes
    ----------
    plan : Plan
    parts : mapping
        Unit -> Sums, of the units that are done.
    """

    plan: Plan
    parts: Mapping[Unit, Sums] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", MappingProxyType(dict(self.parts)))

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, (type(self), self.plan, dict(self.parts))

    @property
    def is_complete(self) -> bool:
        """Whether every replication of every strategy and budget is done."""
        return len(self.parts) == self.plan.n_units

    @property
    def budgets(self) -> tuple[float, ...]:
        """Rows, or units of cost."""
        return self.plan.budgets

    @property
    def strategies(self) -> tuple[str, ...]:
        """Names of the strategies."""
        return tuple(strategy.name for strategy in self.plan.strategies)

    @property
    def targets(self) -> tuple[str, ...]:
        """Keys of the targets."""
        return tuple(target.key for target in self.plan.targets)

    @property
    def n_tables(self) -> int:
        """Posteriors that were computed."""
        return sum(sums.n for sums in self.parts.values())

    @property
    def check(self) -> Check:
        """The comparison with an engine in a random share of the tables."""
        n = sum(sums.n_checked for sums in self.parts.values())
        off = math.fsum(sums.off for sums in self.parts.values())
        return Check(n_widths=n, rms=math.sqrt(off / n) if n else math.nan)

    def cells(self) -> list[Cell]:
        """Strategies and budgets of which something is done, in the order of the plan."""
        found = []
        for s, strategy in enumerate(self.plan.strategies):
            for b, budget in enumerate(self.plan.budgets):
                units = (Unit(block, s, b) for block in range(self.plan.n_blocks))
                total = Sums.total(self.parts[unit] for unit in units if unit in self.parts)
                if total is not None:
                    found.append(Cell(strategy=strategy.name, budget=budget, sums=total))
        return found

    def table(self) -> pd.DataFrame:
        """One row per strategy, budget and target, each figure with its Monte Carlo error.

        Columns: ``strategy``, ``budget``, ``target``; ``width`` of the interval; ``mae``, the mean
        of |posterior mean - truth|; ``coverage``, how often the truth is inside; ``rows`` that
        were labelled on top of the start and their ``cost`` in units (labels times prices, and
        verdicts that have a price), the two rules of cost; ``replications``. ``width_mcse`` and
        the like are the Monte Carlo standard errors.
        ``table.attrs["budget"]`` says whether budgets are rows or units.
        """
        found = []
        for cell in self.cells():
            both = {name: cell.sums.of_tables(name) for name in ("rows", "cost")}
            for j, target in enumerate(self.targets):
                row: dict[str, Any] = {
                    "strategy": cell.strategy,
                    "budget": cell.budget,
                    "target": target,
                }
                figures = {
                    "width": cell.sums.of_target("width", j),
                    "mae": cell.sums.of_target("error", j),
                    "coverage": cell.sums.of_target("covers", j),
                    **both,
                }
                for name, (value, error) in figures.items():
                    row |= {name: value, f"{name}_mcse": error}
                found.append({**row, "replications": cell.sums.n})
        made = pd.DataFrame(found, columns=None if found else list(_COLUMNS))
        made.attrs["budget"] = "units" if self.plan.by_cost else "rows"
        return made

    def resume(self, *, executor: Executor | None = None, progress: Any = True) -> Self:
        """The study with what is left done, too; the same numbers as without a break.

        Parameters
        ----------
        executor : concurrent.futures.Executor, optional
            Where units run: a pool of threads or processes, or the executor of a Dask, Ray or
            MPI cluster. It stays open. Threads of this process when left out.
        progress : bool or callable
            True: a line of text where somebody watches. A function gets the number of units that
            are done, and of all.

        Raises
        ------
        StudyError
            When the executor breaks down; ``err.study`` holds what was finished.

        Warns
        -----
        RatWarning
            When interrupted (Ctrl-C, or a notebook's stop button): what is returned is the study
            so far.
        """
        if executor is not None and not callable(getattr(executor, "submit", None)):
            raise ArgumentTypeError.build(
                f"`executor` is {executor!r:.80}.",
                accepted="Something with the `submit` of concurrent.futures, or None.",
                hint="concurrent.futures.ProcessPoolExecutor(), or a Dask client's get_executor().",
            )
        report = read_progress(progress)
        done = dict(self.parts)
        try:
            run_units(self.plan, done, executor=executor, report=report)
        except StudyError as err:
            err.study = self._with(done)
            raise
        except KeyboardInterrupt:
            warnings.warn(
                f"Interrupted after {len(done):,} of {self.plan.n_units:,} units, which are kept.\n"
                "Hint: study.resume() goes on.",
                RatWarning,
                stacklevel=2,
            )
        return self._with(done)

    def _with(self, done: Mapping[Unit, Sums]) -> Self:
        return type(self)(plan=self.plan, parts=done)

    def to_dict(self) -> dict[str, Any]:
        """The study as values that JSON can hold."""
        parts = [[*unit, sums.to_dict()] for unit, sums in sorted(self.parts.items())]
        return {
            "kind": _KIND,
            "version": _VERSION,
            "plan": self.plan.to_dict(),
            "parts": parts,
        }

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The study that `to_dict` wrote; it can be resumed.

        Raises
        ------
        ArgumentTypeError
            When it is something else.
        """
        is_ours = isinstance(data, Mapping) and data.get("kind") == _KIND
        if not isinstance(data, Mapping) or not is_ours or data.get("version") != _VERSION:
            raise ArgumentTypeError.build(
                f"A study was expected, not {data!r:.80}.",
                accepted=f"What `to_json` wrote: kind {_KIND!r}, version {_VERSION}.",
            )
        try:
            parts = {Unit(*part[:3]): Sums.from_dict(part[3]) for part in data["parts"]}
            return cls(plan=Plan.from_dict(data["plan"]), parts=parts)
        except (KeyError, TypeError, IndexError) as err:
            raise ArgumentTypeError.build(
                f"The study cannot be read: {err}.", accepted="What `to_json` wrote."
            ) from err

    def to_json(self) -> str:
        """The study as JSON text."""
        return json.dumps(self.to_dict(), allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The study that `to_json` wrote.

        Raises
        ------
        ArgumentTypeError
            When it is something else.
        """
        try:
            data = json.loads(text)
        except (TypeError, ValueError) as err:
            raise ArgumentTypeError.build(
                f"This is not JSON: {err}.", accepted="The text that `to_json` wrote."
            ) from err
        return cls.from_dict(data)

    def __repr__(self) -> str:
        plan = self.plan
        unit = "units of cost" if plan.by_cost else "rows"
        begins = f"{plan.n0:,} joint rows" if plan.n0 is not None else "the rows in hand"
        state = "" if self.is_complete else f"; {len(self.parts):,} of {plan.n_units:,} units done"
        size = f"{len(plan.strategies)} strategies x {len(plan.budgets)} budgets ({unit})"
        begun = f"on top of {begins}, {plan.replications:,} replications"
        return f"{type(self).__name__}({size} {begun}{state})"


_FIGURES: Final = ("width", "mae", "coverage", "rows", "cost")
_COLUMNS: Final = (
    "strategy",
    "budget",
    "target",
    *(column for name in _FIGURES for column in (name, f"{name}_mcse")),
    "replications",
)


def _made(kind: type[Study], plan: Plan, parts: dict[Unit, Sums]) -> Study:
    return kind(plan=plan, parts=parts)
