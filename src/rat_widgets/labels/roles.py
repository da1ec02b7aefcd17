"""Roles: which column of a table plays which part, checked against the columns there are."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rat_widgets.errors import ArgumentError, ArgumentTypeError, MissingColumnError
from rat_widgets.labels.frames import require_distinct
from rat_widgets.labels.judges import Judge
from rat_widgets.labels.treatment import CONTRADICTION, ERRORED_AS, Treatment

__all__ = ["FIRST_VERDICT", "NEVER", "Roles", "read_roles", "spoken_keywords"]

NEVER: Final = "never"
_LABELS: Final = ("retrieval", "abstention", "task", "answerable")
FIRST_VERDICT: Final = len(_LABELS)
"""Position of the first judge among the label columns."""
# a cluster or a stratum may well be the item, a group or a judge's verdict
_FREE: Final = ("stratum", "cluster")


@dataclass(frozen=True, kw_only=True, slots=True)
class Roles:
    """The column of each role; None where there is none."""

    retrieval: str | None
    abstention: str | None
    task: str | None
    judges: tuple[Judge, ...]
    by: tuple[str, ...]
    item: str | None
    errored: str | None
    answerable: str | None
    stratum: str | None
    cluster: str | None
    trial: str | None
    weight: str | None
    treatment: Treatment

    @property
    def labels(self) -> tuple[str | None, ...]:
        """Label columns in the order of a tally's codes."""
        judges = (judge.column for judge in self.judges)
        return (
            self.retrieval,
            self.abstention,
            self.task,
            self.answerable,
            *judges,
            self.errored,
        )

    @property
    def label_arguments(self) -> tuple[str, ...]:
        """What each of `labels` is called in `Labels.from_frame`."""
        judges = (f"judge {judge.name!r}" for judge in self.judges)
        return (*_LABELS, *judges, "errored")


def read_roles(
    columns: Sequence[Any],
    *,
    judges: object,
    by: object,
    on_contradiction: Any,
    errored_as: Any,
    levels: tuple[str, ...],
    **names: object,
) -> Roles:
    """The roles that the keywords of `Labels.from_frame` give to the columns.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When a keyword is not accepted, or a column has two roles.
    MissingColumnError
        When a column is not in the table.
    """
    _require_choice("on_contradiction", on_contradiction, CONTRADICTION)
    _require_choice("errored_as", errored_as, ERRORED_AS)
    require_distinct(columns)
    never = names["abstention"]
    always_answers = isinstance(never, str) and never == NEVER
    if always_answers:
        if NEVER in columns:
            raise ArgumentError.build(
                f"The table has a column called {NEVER!r}, so abstention={NEVER!r} is unclear.",
                accepted=f"{NEVER!r} says that the system answers every query.",
                hint="rename the column.",
            )
        names = {**names, "abstention": None}
    read = {role: _read_name(role, name, columns) for role, name in names.items()}
    checked_judges = _read_judges(judges, columns)
    grouping = _read_by(by, columns)
    _require_one_role_each(read, checked_judges, grouping)
    labelled = any(read[role] is not None for role in _LABELS)
    if not (labelled or checked_judges or always_answers):
        raise ArgumentError.build(
            "No label column is named: retrieval, abstention and task are all None.",
            accepted="At least one of them, or a judge.",
        )
    treatment = Treatment(
        judges=checked_judges,
        levels=levels,
        always_answers=always_answers,
        on_contradiction=on_contradiction,
        errored_as=errored_as,
    )
    return Roles(judges=checked_judges, by=grouping, treatment=treatment, **read)


def _require_choice(argument: str, value: object, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise ArgumentError.build(
            f"`{argument}` is {value!r}.", accepted=f"One of {', '.join(map(repr, choices))}."
        )


def _read_name(role: str, name: object, columns: Sequence[Any]) -> str | None:
    if name is None:
        return None
    if not isinstance(name, str):
        raise ArgumentTypeError.build(
            f"`{role}` is {name!r}.",
            accepted="The name of a column, as text, or None when it was not recorded.",
        )
    if name not in columns:
        raise MissingColumnError.for_column(
            name, role, [str(c) for c in columns], _missing_hint(role, name, columns)
        )
    return name


def _missing_hint(role: str, name: str, columns: Sequence[Any]) -> str:
    known = {str(column).casefold(): str(column) for column in columns}
    close = difflib.get_close_matches(name.casefold(), known, n=2, cutoff=0.6)
    candidates = [c for c in close if len(name) > 1 or c == name.casefold()]
    if not candidates and role in ("retrieval", "abstention", "task"):
        candidates = [c for c in known if c.startswith(role[:5])][:2]
    parts = []
    if candidates:
        meant = " or ".join(f"{role}={known[c]!r}" for c in candidates)
        parts.append(f"did you mean {meant}?")
    elif role in _LABELS:
        parts.append(f'name it with `{role}="<column>"`.')
    if role == "abstention":
        parts.append(
            'abstention=None when it was not recorded, "never" when the system always answers.'
        )
    elif role in ("retrieval", "task"):
        parts.append(f"{role}=None when it was not recorded.")
    return " ".join(parts) or "check the spelling."


def _read_judges(judges: object, columns: Sequence[Any]) -> tuple[Judge, ...]:
    listed = (judges,) if isinstance(judges, Judge) else judges
    accepted = 'A list of judges, for instance [rat.Judge("verdict", of="task")].'
    if listed is None:
        return ()
    if isinstance(listed, str) or not isinstance(listed, Iterable):
        raise ArgumentTypeError.build(f"`judges` is {judges!r}.", accepted=accepted)
    read: list[Judge] = []
    for judge in listed:
        if not isinstance(judge, Judge):
            raise ArgumentTypeError.build(f"`judges` holds {judge!r}.", accepted=accepted)
        if judge.column not in columns:
            raise MissingColumnError.for_column(
                judge.column,
                "judges",
                [str(c) for c in columns],
                _missing_hint("judges", judge.column, columns).replace("judges=", "the column "),
            )
        if judge.identity in [other.identity for other in read]:
            raise ArgumentError.build(
                f"Two judges are called {judge.name!r}"
                + (f", version {judge.version!r}." if judge.version else "."),
                accepted="Every judge has a name of its own.",
                hint='tell them apart with Judge(..., name="...") or version="...".',
            )
        read.append(judge)
    return tuple(read)


def _read_by(by: object, columns: Sequence[Any]) -> tuple[str, ...]:
    listed = [by] if isinstance(by, str) else () if by is None else by
    accepted = "The name of a column, or a list of names."
    if not isinstance(listed, Iterable):
        raise ArgumentTypeError.build(f"`by` is {by!r}.", accepted=accepted)
    read: list[str] = []
    for name in listed:
        column = _read_name("by", name, columns)
        if column is None:
            raise ArgumentTypeError.build(f"`by` is {by!r}.", accepted=accepted)
        if column in read:
            raise ArgumentError.build(f"`by` names {column!r} twice.", accepted=accepted)
        read.append(column)
    return tuple(read)


def _require_one_role_each(
    names: dict[str, str | None], judges: Sequence[Judge], by: Sequence[str]
) -> None:
    parts = [(role, column) for role, column in names.items() if role not in _FREE]
    parts += [(f"judge {judge.name!r}", judge.column) for judge in judges]
    parts += [("by", column) for column in by]
    role_of: dict[str, str] = {}
    for role, column in parts:
        if column is None:
            continue
        if column in role_of:
            raise ArgumentError.build(
                f"The column {column!r} has two roles: {role_of[column]} and {role}.",
                accepted="Every column has one role.",
                hint="a role without a column of its own is None.",
            )
        role_of[column] = role


def spoken_keywords(
    given: Mapping[str, Any], roles: Roles, values: Mapping[Any, Any] | None
) -> dict[str, Any]:
    """The keywords that differ from their defaults, in the spelling of `from_frame`."""
    defaults: dict[str, Any] = {
        "retrieval": "R",
        "abstention": "A",
        "task": "T",
        "errored_as": "excluded",
        "on_contradiction": "error",
    }
    plain = {
        **given,
        "judges": list(roles.judges) or None,
        "by": given["by"] if isinstance(given["by"], str) else list(roles.by) or None,
        "values": dict(values) if values else None,
    }
    if given["retrieval_levels"] is not None:
        plain["retrieval_levels"] = tuple(given["retrieval_levels"])
    return {name: value for name, value in plain.items() if value != defaults.get(name)}
