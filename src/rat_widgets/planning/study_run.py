"""The units of a study on the workers there are, in any order; what is finished is kept."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, MutableMapping
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from typing import Any, Final

from rat_widgets.errors import ArgumentTypeError, RatError, StudyError
from rat_widgets.planning.study_plan import Plan, Unit
from rat_widgets.planning.study_sums import Sums
from rat_widgets.planning.study_unit import run_unit

__all__ = ["Report", "read_progress", "run_units"]

Report = Callable[[int, int], Any]
"""Is told how many units are done, and of how many."""

# Enough to keep the workers of a cluster busy, and few enough to hold in memory.
_AHEAD: Final = 256


def run_units(
    plan: Plan, done: MutableMapping[Unit, Sums], *, executor: Executor | None, report: Report
) -> None:
    """Run the units that are not in `done`, and put them there as they come.

    Parameters
    ----------
    plan : Plan
    done : mapping
        Grows. Whatever goes wrong, it holds what was finished.
    executor : concurrent.futures.Executor or None
        Stays open. None: threads of this process.
    report : callable

    Raises
    ------
    StudyError
        When the executor, or a unit on it, breaks down.
    KeyboardInterrupt
        When the caller is interrupted.
    """
    running: dict[Future[Sums], Unit] = {}
    own = ThreadPoolExecutor(os.cpu_count() or 1, "rat_study") if executor is None else None
    try:
        _run(plan, done, own or executor, running, report)
    except (RatError, KeyboardInterrupt):
        raise
    except Exception as err:  # whatever an executor's machinery raises
        _keep_finished(running, done)
        raise StudyError.build(
            f"The executor broke down after {len(done):,} of {plan.n_units:,} units: {err!r}.",
            accepted="What was finished is kept, in the `study` of this error.",
            hint="`except rat.RatError as err: study = err.study.resume()` goes on; "
            "`executor=` takes another one.",
        ) from err
    finally:
        for future in running:
            future.cancel()
        if own is not None:
            own.shutdown()  # what is under way is soon done
        _keep_finished(running, done)


def _run(
    plan: Plan,
    done: MutableMapping[Unit, Sums],
    executor: Any,
    running: dict[Future[Sums], Unit],
    report: Report,
) -> None:
    left = iter([unit for unit in plan.units() if unit not in done])
    report(len(done), plan.n_units)
    _submit(plan, executor, left, running)
    while running:
        finished, _ = wait(running, return_when=FIRST_COMPLETED)
        for future in finished:
            done[running[future]] = future.result()
            del running[future]
        report(len(done), plan.n_units)
        _submit(plan, executor, left, running)


def _submit(
    plan: Plan, executor: Any, left: Iterator[Unit], running: dict[Future[Sums], Unit]
) -> None:
    while len(running) < _AHEAD:
        unit = next(left, None)
        if unit is None:
            return
        running[executor.submit(run_unit, plan, unit)] = unit


def _keep_finished(running: dict[Future[Sums], Unit], done: MutableMapping[Unit, Sums]) -> None:
    for future, unit in running.items():
        if future.done() and not future.cancelled() and future.exception() is None:
            done[unit] = future.result()


def read_progress(progress: Any) -> Report:
    """What to tell of the progress: a line of text, nothing, or a function of the caller's.

    Raises
    ------
    ArgumentTypeError
        When it is neither.
    """
    if isinstance(progress, bool):
        return _Line() if progress and _is_watched() else lambda done, total: None
    if callable(progress):
        return progress
    raise ArgumentTypeError.build(
        f"`progress` is {progress!r:.60}.",
        accepted="True, False, or a function of the number done and the number in all.",
    )


def _is_watched() -> bool:
    """Whether somebody sees a line that is written again and again."""
    return "ipykernel" in sys.modules or sys.stderr.isatty()


class _Line:
    """A line on the error stream: how much is done, and how long the rest will take."""

    _least_time_s: Final = 0.5

    def __init__(self) -> None:
        self._first: tuple[float, int] | None = None
        self._shown = 0.0

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if self._first is None:
            self._first = (now, done)
        since, before = self._first
        is_end = done >= total
        if now - since < self._least_time_s or (now - self._shown < 0.1 and not is_end):
            return
        self._shown = now
        rate = (done - before) / (now - since)
        left = f", {(total - done) / rate:.0f} s left" if rate and not is_end else ""
        bar = "#" * (30 * done // max(total, 1))
        text = f"study [{bar:<30}] {done:,} of {total:,} units{left}"
        sys.stderr.write(f"\r{text:<78}" + ("\n" if is_end else ""))
        sys.stderr.flush()
