"""Judge: a column of verdicts, what it judges, and its identity."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Final, Literal, get_args

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.judge_scale import read_scale
from rat_widgets.labels.keys import is_missing

__all__ = ["Judge", "JudgeDependence", "JudgeShare", "JudgeTarget"]

JudgeTarget = Literal["retrieval", "task", "abstention"]
JudgeShare = Literal["all", "group", "partial"]
JudgeDependence = Literal["independent", "saturated"]

_TARGETS: Final = get_args(JudgeTarget)
_SHARES: Final = get_args(JudgeShare)
_DEPENDENCES: Final = get_args(JudgeDependence)
# What else people call what is judged; where a word is not known, an answer is meant.
_MEANT: Final[dict[str, JudgeTarget]] = {
    **dict.fromkeys(("r", "context", "contexts", "evidence", "retriever", "passages"), "retrieval"),
    **dict.fromkeys(("a", "refusal", "abstain", "declined", "abstained"), "abstention"),
}
_RATES: Final = ("tpr", "fpr")
_UNKNOWN_RATES: Final = ("unknown_given_1", "unknown_given_0")
_FIELDS: Final = (
    "column",
    "of",
    "name",
    "version",
    "prior",
    "share",
    "abstained_rate",
    "cost",
    "unknown",
    "levels",
    "cuts",
    "monotone",
    "depends_on",
    "dependence",
)


@dataclass(frozen=True, slots=True)
class Judge:
    """One column of verdicts about retrieval, task or abstention.

    A judge is described by its true positive rate (TPR), P(verdict = 1 | truth = 1), and its
    false positive rate (FPR), P(verdict = 1 | truth = 0); both are estimated, never assumed. A
    judge that may answer that it cannot say has two rates more, P(unknown | truth), and its TPR
    and FPR are those of the verdicts that decide.

    Parameters
    ----------
    column : str
        The column of the table that holds the verdicts.
    of : "retrieval", "task" or "abstention"
        What the verdict is about.
    name : str, optional
        How the judge is called in results; the column's name by default.
    version : str, optional
        Model, rubric or prompt version: part of the judge's identity.
    prior : mapping, optional
        ``{"tpr": (alpha, beta), "fpr": (alpha, beta)}``, Beta parameters; any may be left out.
        Of a judge with `unknown` also ``unknown_given_1`` and ``unknown_given_0``.
    share : "all", "group" or "partial"
        Of its rates over groups: one for all groups (but those that `rat.fit` takes `apart`); one
        for each, on its own; or one for each, pooled as far as the groups are alike, and the
        groups' trees with them.
    abstained_rate : float, optional
        Of a task judge: P(verdict = 1) on abstentions, where that differs from the FPR.
    cost : float, optional
        Price of one verdict, in the unit of the other prices.
    unknown : str or number, optional
        The cell that says that the judge cannot tell, such as ``"unsure"``: an answer of its
        own, which may well depend on the truth, and not a missing verdict.
    levels : sequence of numbers or str, optional
        The answers of a graded judge, the lowest first: ``(0, 1, 2, 3)`` or
        ``("poor", "fair", "good")``. It has P(level | truth) in place of TPR and FPR, which are
        then those of "at this level or above".
    cuts : sequence of float, optional
        Of a judge that gives scores from 0 to 1: where they are cut into levels, ascending. To be
        fixed before labels are seen.
    monotone : bool
        Of a graded judge: whether a higher level must speak for the truth more than a lower one
        (the likelihood ratio rises with the level).
    depends_on : "retrieval", "task" or "abstention", optional
        What else its errors depend on: a judge of the task that is more lenient where retrieval
        failed has ``depends_on="retrieval"``, and rates of its own in each of the two cases.
    dependence : "independent" or "saturated"
        "saturated" gives it a rate of its own in each world and, with several such judges, for
        each pattern of the verdicts of the judges before it: nothing is assumed of its errors,
        which costs about half of what its verdicts tell.
    """

    column: str
    of: JudgeTarget = ""  # type: ignore[assignment]  # left out: refused below, in our words
    name: str = field(default="", kw_only=True)
    version: str | None = field(default=None, kw_only=True)
    prior: Mapping[str, tuple[float, ...]] | None = field(default=None, kw_only=True, hash=False)
    share: JudgeShare = field(default="all", kw_only=True)
    abstained_rate: float | None = field(default=None, kw_only=True)
    cost: float | None = field(default=None, kw_only=True)
    unknown: str | float | None = field(default=None, kw_only=True)
    levels: tuple[str | float, ...] | None = field(default=None, kw_only=True)
    cuts: tuple[float, ...] | None = field(default=None, kw_only=True)
    monotone: bool = field(default=False, kw_only=True)
    depends_on: JudgeTarget | None = field(default=None, kw_only=True)
    dependence: JudgeDependence = field(default="independent", kw_only=True)

    def __post_init__(self) -> None:
        _require_text(self.column, "column")
        unnamed = self.name is None or (isinstance(self.name, str) and not self.name)
        object.__setattr__(self, "name", self.column if unnamed else self.name)
        _require_text(self.name, "name")
        if self.version is not None:
            _require_text(self.version, "version")
        _require_target(self.of, self.column)
        _require_choice(self.share, "share", _SHARES)
        is_graded = self.levels is not None or self.cuts is not None
        _require_unknown(self.unknown, self.name, is_graded)
        _require_choice(self.dependence, "dependence", _DEPENDENCES)
        levels, cuts = read_scale(self.levels, self.cuts, self.name, self.unknown)
        object.__setattr__(self, "levels", levels)
        object.__setattr__(self, "cuts", cuts)
        self._require_dependence()
        object.__setattr__(self, "prior", read_prior_of(self, self.prior))
        if self.abstained_rate is not None:
            if self.of != "task":
                raise ArgumentError.build(
                    f"Judge {self.name!r} judges {self.of} and has an `abstained_rate`.",
                    accepted="Only a judge of the task sees abstentions as answers.",
                    hint='leave `abstained_rate` out, or say of="task".',
                )
            rate = _number(self.abstained_rate, "abstained_rate")
            if not 0 <= rate <= 1:
                raise ArgumentError.build(
                    f"`abstained_rate` of judge {self.name!r} is {rate!r}.",
                    accepted="It is a probability, from 0 to 1.",
                )
            object.__setattr__(self, "abstained_rate", rate)
        if self.cost is not None:
            cost = _number(self.cost, "cost")
            if not (cost >= 0 and math.isfinite(cost)):
                raise ArgumentError.build(
                    f"`cost` of judge {self.name!r} is {cost!r}.",
                    accepted="It is a price per verdict: 0 or a positive number.",
                )
            object.__setattr__(self, "cost", cost)

    @property
    def identity(self) -> tuple[str, str | None]:
        """Name and version: what makes two columns the same instrument."""
        return (self.name, self.version)

    @property
    def has_unknown(self) -> bool:
        """Whether "cannot tell" is one of its answers."""
        return self.unknown is not None

    @property
    def rates(self) -> tuple[str, ...]:
        """Kinds of rates of a judge of 0 and 1 whose errors depend on nothing but the truth."""
        return (*_RATES, *(_UNKNOWN_RATES if self.has_unknown else ()))

    @property
    def is_graded(self) -> bool:
        """Whether its answers are levels, or scores cut into levels, and not 0 and 1."""
        return self.levels is not None

    @property
    def is_plain(self) -> bool:
        """Whether TPR and FPR (and P(cannot tell)) are all there is to it."""
        is_alone = self.depends_on is None and self.dependence == "independent"
        return is_alone and not self.is_graded

    @property
    def answers(self) -> tuple[str, ...]:
        """Its answers as text, the lowest first, without "cannot tell"."""
        if self.levels is None:
            return ("0", "1")
        return tuple(str(level) for level in self.levels)

    def top_level(self, top: int) -> int | None:
        """Its top grade where it grades retrieval of three levels or more in as many; else None."""
        is_alike = self.of == "retrieval" and top > 1 and len(self.answers) == top + 1
        return top if is_alike else None

    @property
    def n_answers(self) -> int:
        """How many answers it may give; "cannot tell" is the last of them."""
        return len(self.answers) + self.has_unknown

    def _require_dependence(self) -> None:
        """What else its errors depend on."""
        if not isinstance(self.monotone, bool):
            raise ArgumentTypeError.build(
                f"`monotone` of judge {self.name!r} is {self.monotone!r}.",
                accepted="True or False.",
            )
        if self.monotone and not self.is_graded:
            raise ArgumentError.build(
                f"Judge {self.name!r} is `monotone` and has no levels.",
                accepted="A judge with `levels` or `cuts`.",
                hint='of a judge of 0 and 1 say rat.fit(..., constraint="tpr>fpr").',
            )
        others = tuple(target for target in _TARGETS if target != self.of)
        if self.depends_on is None:
            return
        if self.depends_on not in others:
            raise ArgumentError.build(
                f"`depends_on` of judge {self.name!r}, of {self.of}, is {self.depends_on!r}.",
                accepted=f"None, or what else its errors depend on: "
                f"{' or '.join(map(repr, others))}.",
            )
        if self.dependence == "saturated":
            raise ArgumentError.build(
                f"Judge {self.name!r} has depends_on={self.depends_on!r} and "
                "dependence='saturated'.",
                accepted="One of them: a saturated judge has a rate in every world already.",
            )
        if self.depends_on == "abstention" and self.abstained_rate is not None:
            raise ArgumentError.build(
                f"Judge {self.name!r} depends on abstention and has an `abstained_rate`.",
                accepted="One of them: the rate on abstentions is estimated, or known.",
            )

    def to_dict(self) -> dict[str, Any]:
        """The judge as values that JSON can hold."""
        prior = None if self.prior is None else {k: list(v) for k, v in self.prior.items()}
        return {
            "column": self.column,
            "of": self.of,
            "name": self.name,
            "version": self.version,
            "prior": prior,
            "share": self.share,
            "abstained_rate": self.abstained_rate,
            "cost": self.cost,
            "unknown": self.unknown,
            **self._extras(),
        }

    def _extras(self) -> dict[str, Any]:
        """What goes beyond a judge of 0 and 1 with TPR and FPR; nothing of one that is none."""
        said: dict[str, Any] = {}
        if self.cuts is not None:
            said["cuts"] = list(self.cuts)
        elif self.levels is not None:
            said["levels"] = list(self.levels)
        if self.monotone:
            said["monotone"] = True
        if self.depends_on is not None:
            said["depends_on"] = self.depends_on
        if self.dependence != "independent":
            said["dependence"] = self.dependence
        return said

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Judge:
        """The judge that `to_dict` wrote.

        Raises
        ------
        ArgumentError, ArgumentTypeError
            When a key is not known, is missing, or holds something else.
        """
        if not isinstance(data, Mapping):
            raise ArgumentTypeError.build(
                f"A judge was expected, not {type(data).__name__}.",
                accepted=f"A mapping with the keys {', '.join(_FIELDS)}.",
            )
        unknown = [repr(key) for key in data if key not in _FIELDS]
        absent = [repr(key) for key in ("column", "of") if key not in data]
        if unknown or absent:
            raise ArgumentError.build(
                "A judge has "
                + " and ".join(
                    [f"the unknown key {key}" for key in unknown[:5]]
                    + [f"no key {key}" for key in absent]
                )
                + ".",
                accepted=f"The keys are {', '.join(_FIELDS)}.",
            )
        return cls(**data)


def _require_text(value: object, argument: str) -> None:
    if not isinstance(value, str) or not value:
        raise ArgumentTypeError.build(
            f"`{argument}` of a Judge is {value!r}.",
            accepted="It is text and not empty.",
        )


def _require_choice(value: object, argument: str, choices: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in choices:
        raise ArgumentError.build(
            f"`{argument}` of a Judge is {value!r}.",
            accepted=f"It is one of {', '.join(map(repr, choices))}.",
        )


def _require_target(of: object, column: str) -> None:
    if isinstance(of, str) and of in _TARGETS:
        return
    got = f"`of` of a Judge is {of!r}."
    if isinstance(of, str) and not of:
        got = f"rat.Judge({column!r}) does not say what it judges."
    meant = _MEANT.get(of.strip().casefold(), "task") if isinstance(of, str) else "task"
    raise ArgumentError.build(
        got,
        accepted=f"`of` is one of {', '.join(map(repr, _TARGETS))}.",
        hint=f"rat.Judge({column!r}, of={meant!r})",
    )


def _number(value: object, argument: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ArgumentTypeError.build(
            f"`{argument}` of a Judge is {value!r:.80}.", accepted="It is a number."
        )
    try:
        return float(value)
    except OverflowError:  # an integer beyond 1.8e308, which the checks of its range refuse
        return -math.inf if value < 0 else math.inf


def _require_unknown(unknown: object, name: str, is_graded: bool) -> None:
    if unknown is None or (isinstance(unknown, str) and unknown):
        return
    is_number = isinstance(unknown, Real) and not isinstance(unknown, bool)
    if not is_number or (unknown in (0, 1) and not is_graded) or is_missing(unknown):
        raise ArgumentError.build(
            f"`unknown` of judge {name!r} is {unknown!r}.",
            accepted="The text or the number that stands for a judge that cannot tell; not 0, 1, "
            "True, False or a missing value.",
            hint='rat.Judge("verdict", of="task", unknown="unsure")',
        )


def read_prior_of(judge: Judge, prior: object) -> dict[str, tuple[float, ...]] | None:
    """The prior as numbers, by the kind of rate; of a graded judge by the truth."""
    if prior is None:
        return None
    accepted = 'It is a mapping such as {"tpr": (8, 2), "fpr": (2, 8)}, with positive numbers.'
    if judge.is_graded:
        accepted = (
            'It is a mapping such as {"given_1": (1, 2, 4), "given_0": (4, 2, 1)}, a positive '
            "number for each level, the lowest first."
        )
    if not isinstance(prior, Mapping) or not all(isinstance(name, str) for name in prior):
        raise ArgumentError.build(f"`prior` of a Judge is {prior!r}.", accepted=accepted)
    if judge.is_plain and not set(prior) <= set(judge.rates):
        raise ArgumentError.build(f"`prior` of a Judge is {prior!r}.", accepted=accepted)
    read: dict[str, tuple[float, ...]] = {}
    known = [*(rate for rate in judge.rates if rate in prior)]
    for rate in [*known, *(name for name in prior if name not in known)]:
        values = prior[rate]
        is_levels = judge.is_graded and rate.startswith("given_")
        n_values = len(judge.answers) if is_levels else 2
        if not isinstance(values, (tuple, list)) or len(values) != n_values:
            raise ArgumentError.build(f"`prior[{rate!r}]` is {values!r}.", accepted=accepted)
        numbers = tuple(_number(value, f"prior[{rate!r}]") for value in values)
        if not all(0 < value < math.inf for value in numbers):
            shown = ", ".join(map(repr, numbers))
            raise ArgumentError.build(f"`prior[{rate!r}]` is ({shown}).", accepted=accepted)
        read[rate] = numbers
    return read or None
