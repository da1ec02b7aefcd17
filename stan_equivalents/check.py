"""Compare every engine with Stan: ``python -m stan_equivalents.check [case ...]``.

Builds and samples the Stan programs with PyStan and exits with 1 where an engine disagrees.
``--stored`` compares with the runs in ``reference/`` and needs no PyStan; ``--write`` makes
those runs again. Exit code 2: PyStan is not there, or a case is not known.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from rat_widgets.errors import EngineError

# Also when run by the file's name.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from stan_equivalents import references
from stan_equivalents.agreement import (
    APPROXIMATE,
    MOST_ERRORS,
    MOST_WIDTH,
    Summary,
    compare,
    engines,
    our_draws,
    our_log_density,
    summaries,
)
from stan_equivalents.cases import CASES, Case, case
from stan_equivalents.programs import log_density, programs_of

SEED: Final = 7
MOST_LOG_DENSITY: Final = 1e-9
# Enough for Monte Carlo errors of widths well below the two per cent that are asked for.
OUR_DRAWS: Final[Mapping[str, int]] = {"exact": 200_000}
OUR_DRAWS_ELSE: Final = 80_000
# Cases whose long tails take this many times more.
LONG_TAILS: Final[Mapping[str, int]] = {"graded_unseen_level": 4, "pooled": 4}


class Line(NamedTuple):
    """One line of the table, and whether it is as it should be."""

    cells: tuple[str, ...]
    is_well: bool


def main(argv: list[str]) -> int:
    """Run; returns the exit code."""
    parser = argparse.ArgumentParser(prog="check", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("case", nargs="*", help=", ".join(CASES))
    parser.add_argument("--stored", action="store_true", help="compare with stored runs")
    parser.add_argument("--write", action="store_true", help="make the stored runs again")
    options = parser.parse_args(argv)
    unknown = [name for name in options.case if name not in CASES]
    if unknown:
        print(f"There is no case {unknown[0]!r}; there are {', '.join(CASES)}.", file=sys.stderr)
        return 2
    if not options.stored and importlib.util.find_spec("stan") is None:
        print("PyStan is not installed: install it, or compare with --stored.", file=sys.stderr)
        return 2
    names = options.case or list(CASES)
    if options.write:
        for name in names:
            references.write(references.make(case(name)))
            print(f"reference/{name}.json", references.read(name).diagnostics, flush=True)
        return 0
    print(_row(("case", "what", "quantities", "mean (MC errors)", "width", "")))
    well = True
    for name in names:
        for line in _stored(name) if options.stored else _fresh(name):
            print(_row(line.cells), flush=True)
            well &= line.is_well
    print(
        f"Means within {MOST_ERRORS} Monte Carlo errors and widths within {MOST_WIDTH:.0%}: "
        f"{'yes' if well else 'NO'}."
    )
    return 0 if well else 1


def _stored(name: str) -> Iterator[Line]:
    """Our engines, and our density, beside the stored run."""
    found = references.read(name)
    yield from _densities(found.case, found.points, found.log_density)
    yield from _engines(found.case, found.summary)


def _fresh(name: str) -> Iterator[Line]:
    """Our engines, our density and the stored run beside a new run with another seed."""
    this = case(name)
    at = references.points(this)
    programs = programs_of(this.kind)
    yield from _densities(
        this, at, {p: tuple(log_density(p, this, point) for point in at) for p in programs}
    )
    fresh = summaries(references.run(this, seed=SEED).draws)
    if (references.FOLDER / f"{name}.json").exists():
        yield _compared(name, "stored run", references.read(name).summary, fresh)
    yield from _engines(this, fresh)


def _densities(
    this: Case, at: tuple[Mapping[str, float], ...], theirs: Mapping[str, tuple[float, ...]]
) -> Iterator[Line]:
    ours = [our_log_density(this, point) for point in at]
    for program, values in theirs.items():
        worst = max(abs(a - b) / max(1, abs(b)) for a, b in zip(ours, values, strict=True))
        cells = (this.name, f"{program}.stan", f"{len(at)} points", f"log density {worst:.0e}", "")
        yield Line((*cells, _verdict(worst <= MOST_LOG_DENSITY)), worst <= MOST_LOG_DENSITY)


def _engines(this: Case, theirs: Mapping[str, Summary]) -> Iterator[Line]:
    for engine in engines():
        n = OUR_DRAWS.get(engine, OUR_DRAWS_ELSE) * LONG_TAILS.get(this.name, 1)
        try:
            draws = our_draws(this, engine, theirs, draws=n, seed=SEED)
        except EngineError as err:
            why = str(err).splitlines()[0].partition(": ")[2]
            yield Line((this.name, engine, "", "", "", f"refuses: {why}"), True)
            continue
        yield _compared(this.name, engine, summaries(draws), theirs)


def _compared(
    name: str, what: str, ours: Mapping[str, Summary], theirs: Mapping[str, Summary]
) -> Line:
    found = compare(ours, theirs)
    mean = max((c.mean_errors for c in found), key=abs)
    width = max((c.width for c in found), key=abs)
    agrees = all(c.agrees for c in found)
    verdict = "shown only" if what in APPROXIMATE else _verdict(agrees)
    worst = [c.key for c in found if not c.agrees]
    cells = (name, what, str(len(found)), f"{mean:+.1f}", f"{width:+.1%}")
    return Line((*cells, " ".join([verdict, *worst[:3]])), agrees or what in APPROXIMATE)


def _verdict(is_well: bool) -> str:
    return "agrees" if is_well else "DIFFERS"


def _row(cells: tuple[str, ...]) -> str:
    widths = (22, 28, 11, 18, 8, 0)
    return "  ".join(f"{c:<{w}}" for c, w in zip(cells, widths, strict=True)).rstrip()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
