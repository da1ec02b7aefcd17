"""Arguments to workflow to exit code."""

from __future__ import annotations

import argparse
import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from rat_widgets import __version__
from rat_widgets.errors import ArgumentError, FileError, RatError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 done, 2 not understood, 1 refused."""
    arguments = _parser().parse_args(argv)
    try:
        print(_run(arguments), flush=True)
    except BrokenPipeError:  # whoever reads has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except RatError as err:
        print(f"rat-widgets: {err}", file=sys.stderr)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="rat-widgets", description="What a RAG system really does, from a table of labels."
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (
        ("check", "the data report: what was labelled, and what is not identified"),
        ("summary", "every quantity with its interval"),
        ("tree", "the tree, to .html, .svg, .png, .pdf or .json"),
        ("report", "data report, tree and every quantity, to .html"),
    ):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument(
            "table", help="a .csv, .tsv, .parquet or .json file, or a bundled data set"
        )
        _add_columns(command)
        if name != "check":
            command.add_argument(
                "--policy", default="adherence", help="adherence, task_success or no_harm"
            )
            command.add_argument(
                "--estimand",
                default="population",
                choices=("population", "these_rows"),
                help="queries like these, or exactly the rows in hand; population by default",
            )
        if name in ("tree", "report"):
            command.add_argument("--out", required=True, help="file to write")
    return parser


def _add_columns(command: argparse.ArgumentParser) -> None:
    for role, default in (("retrieval", "R"), ("abstention", "A"), ("task", "T")):
        command.add_argument(
            f"--{role}",
            default=default,
            help=f"column, or 'none' when it was not recorded; {default} by default",
        )
    command.add_argument(
        "--levels",
        metavar="LOWEST,...,HIGHEST",
        help="names of the levels of retrieval when there are more than two: none,partial,all",
    )
    command.add_argument(
        "--by", action="append", default=[], help="column that makes groups; may be repeated"
    )
    command.add_argument(
        "--values",
        action="append",
        default=[],
        metavar="TEXT=LABEL",
        help="how text reads: yes=1, no=0, n/a=none; may be repeated",
    )
    command.add_argument(
        "--judge",
        action="append",
        default=[],
        metavar="COLUMN:OF[:KEY=VALUE...]",
        help="a judge's verdicts, whether of retrieval, task or abstention, and keywords of "
        "rat.Judge: grade:task:levels=0..3; may be repeated",
    )
    command.add_argument("--item", help="column that names the query")
    command.add_argument("--trial", help="column that tells repeats of a query apart")
    command.add_argument("--errored", help="column that is true where a call failed")
    command.add_argument("--answerable", help="column: does the corpus hold an answer?")
    command.add_argument(
        "--on-contradiction",
        default="error",
        choices=("error", "drop", "trust_abstention", "trust_answer"),
        help="what to make of T=1 with A=1",
    )


def _columns(arguments: argparse.Namespace) -> dict[str, Any]:
    """Keywords of `Labels.from_frame`."""
    from rat_widgets.labels.judges import Judge

    same = ("by", "item", "trial", "errored", "answerable", "on_contradiction")
    columns: dict[str, Any] = {name: getattr(arguments, name) for name in same}
    for role in ("retrieval", "abstention", "task"):
        column = getattr(arguments, role)
        columns[role] = None if column.casefold() == "none" else column
    if arguments.levels is not None:
        columns["retrieval_levels"] = [name.strip() for name in arguments.levels.split(",")]
    columns["values"] = dict(map(_reading, arguments.values)) or None
    columns["judges"] = [Judge.from_dict(_judge(text)) for text in arguments.judge]
    return columns


def _judge(text: str) -> dict[str, Any]:
    """What --judge says: column, of, and the keywords behind them."""
    rest, _, last = text.rpartition(":")
    said: dict[str, Any] = {}
    while last.partition("=")[0] in _JUDGE_KEYS and "=" in last:
        key, _, value = last.partition("=")
        said[key] = _JUDGE_KEYS[key](value)
        text, (rest, _, last) = rest, rest.rpartition(":")
    if "=" in last and ":" in rest:
        raise ArgumentError.build(
            f"--judge {text!r} ends in {last!r}.",
            accepted=f"Behind the column and what is judged {', '.join(_JUDGE_KEYS)}, each with a "
            "value: --judge grade:task:levels=0..3.",
        )
    column, of = _parts(text, ":", "--judge", "verdict:task")
    return {"column": column, "of": of, **said}


def _levels(text: str) -> list[str | float]:
    """``0..3``, or the answers themselves with commas between them."""
    first, dots, last = text.partition("..")
    try:
        ends = (int(first), int(last)) if dots else (0, 0)
    except ValueError:
        ends = (0, 0)
    if 0 < ends[1] - ends[0] < _MOST_LEVELS:
        return [*range(ends[0], ends[1] + 1)]
    if dots:
        raise ArgumentError.build(
            f"levels={text} is no range of whole numbers, the lowest first.",
            accepted="levels=0..3, or the answers: levels=poor,fair,good.",
        )
    return [_number_or_text(one.strip()) for one in text.split(",")]


def _cuts(text: str) -> list[str | float]:
    return [_number_or_text(one.strip()) for one in text.split(",")]


def _number_or_text(text: str) -> str | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _yes_or_no(text: str) -> bool | str:
    return {"true": True, "yes": True, "false": False, "no": False}.get(text.casefold(), text)


_MOST_LEVELS: Final = 1000
# Keywords of rat.Judge that can be said in a word, and how they are read.
_JUDGE_KEYS: Final[dict[str, Callable[[str], Any]]] = {
    "levels": _levels,
    "cuts": _cuts,
    "monotone": _yes_or_no,
    "unknown": _number_or_text,
    "depends_on": str,
    "dependence": str,
    "share": str,
    "name": str,
}


def _reading(text: str) -> tuple[str, int | None]:
    raw, label = _parts(text, "=", "--values", "yes=1")
    labels: dict[str, int | None] = {"1": 1, "0": 0, "none": None}
    if label.casefold() not in labels:
        raise ArgumentError.build(
            f"--values {text!r} reads {raw!r} as {label!r}.",
            accepted="A text reads as 1, 0 or none.",
        )
    return raw, labels[label.casefold()]


def _parts(text: str, sign: str, option: str, example: str) -> tuple[str, str]:
    """What stands before and after the last `sign`."""
    before, found, after = text.rpartition(sign)
    if not (before and found and after):
        raise ArgumentError.build(
            f"{option} {text!r} has no {sign!r} between two words.",
            accepted=f"Such as {option} {example}.",
        )
    return before, after


def _run(arguments: argparse.Namespace) -> str:
    from rat_widgets import workflow
    from rat_widgets.labels.table import Labels

    table, keywords = _table(arguments.table), _said(_columns(arguments))
    if arguments.command == "check":
        return str(Labels.from_frame(table, **keywords).check())
    # a frame and its keywords, so that *copy as Python* is a call of df
    keywords |= {} if arguments.policy == "adherence" else {"policy": arguments.policy}
    keywords |= {} if arguments.estimand == "population" else {"estimand": arguments.estimand}
    if arguments.command == "summary":
        return str(workflow.fit(table, **keywords).summary().to_string())
    if arguments.command == "tree":
        return str(workflow.tree(table, **keywords).save(arguments.out))
    return str(workflow.report(table, arguments.out, **keywords))


def _said(columns: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords that differ from the defaults of `Labels.from_frame`."""
    from rat_widgets.labels.table import Labels

    defaults = inspect.signature(Labels.from_frame).parameters
    return {
        name: value
        for name, value in columns.items()
        if value != [] and value != defaults[name].default
    }


def _table(name: str) -> Any:
    import pandas as pd

    from rat_widgets.datasets.tables import load, table_names

    if name in table_names():
        return load(name)
    path = Path(name)
    readers: dict[str, Callable[[Path], Any]] = {
        ".csv": pd.read_csv,
        ".tsv": partial(pd.read_csv, sep="\t"),
        ".parquet": pd.read_parquet,
        ".json": pd.read_json,
    }
    accepted = f"A file that ends in {', '.join(readers)}, or one of {', '.join(table_names())}."
    suffix = path.suffix.lower()
    if suffix not in readers or not path.is_file():
        why = "is not a table that can be read" if suffix not in readers else "is not a file"
        raise ArgumentError.build(f"{name!r} {why}.", accepted=accepted)
    try:
        return readers[suffix](path)
    except Exception as err:  # whatever a parser raises
        said = " ".join(str(err).split()) or type(err).__name__
        raise FileError.build(
            f"{name!r} cannot be read as {suffix}: {said:.200}", accepted=accepted
        ) from err
