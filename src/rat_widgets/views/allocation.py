"""The view of a plan: the numbers that every budget, price and mixture is answered from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, Self

from rat_widgets.errors import ViewError
from rat_widgets.views import allocation_sentences, codec
from rat_widgets.views.allocation_controls import AllocationControls, AllocationPrices
from rat_widgets.views.allocation_sentences import Advice, Piece
from rat_widgets.views.allocation_words import COURSES, unit_words
from rat_widgets.views.sentences import Segment
from rat_widgets.views.tree import Note

__all__ = [
    "AllocationAnswer",
    "AllocationControls",
    "AllocationCourse",
    "AllocationGroup",
    "AllocationKnown",
    "AllocationPart",
    "AllocationPrices",
    "AllocationScheme",
    "AllocationStrategy",
    "AllocationStratum",
    "AllocationTarget",
    "AllocationView",
    "PlanNumbers",
]

_ROLES = {"r": "evidence", "t": "task", "good": "good"}


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanNumbers:
    """What is known and what a row adds, at one point of the parameter space.

    Symmetric matrices go row by row from the diagonal on. `base` is the information there is,
    `joint` that of one more joint row among the rows already labelled, `gains` that of one row
    under each scheme, on which `n_r` and `n_t` labels are bought on average; `gradients` go by
    target. `away` is P(A=1), `theta` the point itself.
    """

    theta: tuple[float, ...]

    base: tuple[float, ...]
    joint: tuple[float, ...]
    gains: tuple[tuple[float, ...], ...]
    gradients: dict[str, tuple[float, ...]]
    n_r: tuple[float, ...]
    n_t: tuple[float, ...]
    away: float


@dataclass(frozen=True, kw_only=True, slots=True)
class AllocationTarget:
    """A quantity whose interval labels can narrow; `hue` says what it is about.

    It is the sum of the worlds weighted by `over`, over that weighted by `given`; both are empty
    where it is none of the worlds of two levels.
    """

    key: str
    label: str
    symbol: str
    hue: Literal["r", "a", "t", "good", ""]
    is_rate: bool
    over: tuple[float, ...]
    given: tuple[float, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class AllocationStratum:
    """Rows that show the same, by A and what else they show; None rows: drawn as needed.

    `pattern` is what they show of R, A and T; -1 is nothing.
    """

    name: str
    pattern: tuple[int, int, int]
    n_rows: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class AllocationScheme:
    """What may be bought on the rows of a stratum: where A=1, and where A=0; "" is nothing.

    Where A=0 `first` is bought, and the other label where `first` came out 0, or 1, if `then` says.
    """

    stratum: int
    away: str
    answered: str
    first: Literal["", "R", "T"]
    then: tuple[bool, bool]


@dataclass(frozen=True, kw_only=True, slots=True)
class AllocationStrategy:
    """A named strategy: its rows under each scheme in one pass over the pool, or over a fresh row.

    `bits` are those that a fresh row tells of G, on which `n_r` and `n_t` labels are bought.
    """

    key: str
    rows: tuple[float, ...]
    bits: float | None
    bits_lower: float | None
    bits_upper: float | None
    n_r: float
    n_t: float


@dataclass(frozen=True, kw_only=True, slots=True)
class AllocationKnown:
    """Rows that are known before a purchase, by what they show of R, A and T; and the priors.

    The rows of a pool, whose A is seen, are among them; made-up joint rows are not.
    """

    patterns: tuple[tuple[int, int, int], ...]
    counts: tuple[float, ...]
    priors: dict[str, tuple[float, float]]


@dataclass(frozen=True, kw_only=True, slots=True)
class AllocationGroup:
    """One system's plan.

    `rows` says what is labelled already and `pool` what may be labelled. `n0` joint rows are made
    up; None where rows are in hand. `n_pass` rows make a pass. `spread` are the numbers at draws of
    the posterior, `values` those of the targets. `known` is what a simulated purchase adds to;
    None with judges or more than two levels of R.
    """

    key: tuple[str | int | float | bool, ...]
    label: str
    rows: str
    pool: str
    n0: float | None
    n_pass: float
    strata: tuple[AllocationStratum, ...]
    schemes: tuple[AllocationScheme, ...]
    strategies: tuple[AllocationStrategy, ...]
    values: dict[str, float]
    at: PlanNumbers
    spread: tuple[PlanNumbers, ...]
    notes: tuple[Note, ...]
    known: AllocationKnown | None


@dataclass(frozen=True, kw_only=True, slots=True)
class AllocationCourse:
    """Widths of one course at each budget, and at the budget that is asked.

    `lower` and `upper` are where 90% of the draws of the posterior put them; None without draws.
    `spent` is less than the budget where a pool runs out; `needed` is the budget with which the
    course gets as narrow as what is advised, None when it never does.
    """

    key: str
    widths: tuple[float, ...]
    lower: tuple[float, ...] | None
    upper: tuple[float, ...] | None
    width: float
    width_lower: float | None
    width_upper: float | None
    spent: float
    needed: float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class AllocationPart:
    """Part of the best mixture: rows of a kind, what is bought there, its share of the spending."""

    rows: str
    buy: str
    share: float
    n_rows: float
    cost: float


@dataclass(frozen=True, kw_only=True, slots=True)
class AllocationAnswer:
    """What follows from the controls. `advised` is a course's key, None when all are switched off.

    `now` is the width without a purchase.
    """

    now: float
    budgets: tuple[float, ...]
    courses: tuple[AllocationCourse, ...]
    advised: str | None
    parts: tuple[AllocationPart, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class AllocationView:
    """Everything that the planner shows.

    `factor` is the width of a normal interval in standard deviations. The answer is under the
    controls.
    """

    kind: Literal["allocation"] = "allocation"
    version: Literal[1] = 1
    generator: str
    python: str
    by: tuple[str, ...]
    ci_prob: float
    factor: float
    targets: tuple[AllocationTarget, ...]
    groups: tuple[AllocationGroup, ...]
    controls: AllocationControls
    answer: AllocationAnswer

    def __post_init__(self) -> None:
        if not 0 <= self.controls.group < len(self.groups):
            raise ViewError.build(
                f"The view shows group {self.controls.group} of {len(self.groups)}.",
                accepted="At least one group; `controls.group` is the position of one of them.",
            )
        keys = [target.key for target in self.targets]
        if self.controls.target not in keys:
            raise ViewError.build(
                f"`target` is {self.controls.target!r:.80}.",
                accepted=f"One of {', '.join(keys)}.",
            )
        if self.controls.n0 is not None and self.group.n0 is None:
            raise ViewError.build(
                f"`n0` is {self.controls.n0!r}, and rows are in hand.",
                accepted="A number of rows where they are made up: with a Theta.",
            )
        if self.answer.advised is not None:
            _require("answer.courses", self.courses, COURSES)
        for i, group in enumerate(self.groups):
            for numbers in (group.at, *group.spread):
                _require(f"groups[{i}].gradients", numbers.gradients, keys)
                if len(numbers.gains) != len(group.schemes):
                    raise ViewError.build(
                        f"groups[{i}] has {len(numbers.gains)} gains for "
                        f"{len(group.schemes)} schemes.",
                        accepted="One for each scheme.",
                    )

    @property
    def group(self) -> AllocationGroup:
        """The group that is shown."""
        return self.groups[self.controls.group]

    @property
    def target(self) -> AllocationTarget:
        """The target that is chosen."""
        return next(t for t in self.targets if t.key == self.controls.target)

    @property
    def courses(self) -> dict[str, AllocationCourse]:
        """Course by key."""
        return {course.key: course for course in self.answer.courses}

    @property
    def unit(self) -> str:
        """What budgets count: "labels", "units" or "rows"."""
        prices = self.controls.prices
        return unit_words(self.controls.unit, prices.R, prices.T)

    def advice(self) -> Advice:
        """What the sentences are made of."""
        answer, target, courses = self.answer, self.target, self.courses
        chosen = courses.get(answer.advised or "")
        spread = None
        if chosen and chosen.width_lower is not None and chosen.width_upper is not None:
            spread = (chosen.width_lower, chosen.width_upper)
        return Advice(
            course=answer.advised,
            pieces=tuple(
                Piece(rows=p.rows, buy=p.buy, share=p.share, n_rows=p.n_rows) for p in answer.parts
            ),
            budget=self.controls.budget,
            spent=chosen.spent if chosen else 0.0,
            unit=self.unit,
            symbol=target.symbol,
            role=_ROLES.get(target.hue, "strong"),
            is_rate=target.is_rate,
            now=answer.now,
            width=chosen.width if chosen else answer.now,
            joint_width=courses["all_joint"].width,
            joint_needed=courses["all_joint"].needed,
            spread=spread,
            pool=self.group.pool,
        )

    def headline(self) -> list[Segment]:
        """What to label, in one sentence."""
        return allocation_sentences.headline(self.advice())

    def deck(self) -> list[Segment]:
        """What it saves and how sure that is: the line under the headline."""
        return allocation_sentences.deck(self.advice())

    def to_dict(self) -> dict[str, object]:
        """Plain values for JSON."""
        return dict(codec.to_dict(self))

    def to_json(self) -> str:
        """Compact JSON text."""
        return codec.to_json(self)

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """A view read from plain values; see `codec.from_dict` for the errors."""
        return codec.from_dict(cls, data)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """A view read from JSON; see `codec.from_json` for the errors."""
        return codec.from_json(cls, text)


def _require(where: str, found: Iterable[str], names: Iterable[str]) -> None:
    absent = [name for name in names if name not in found]
    if absent:
        raise ViewError.build(
            f"At {where}: {absent[0]!r} is missing.",
            accepted=f"All of {', '.join(names)}.",
            hint="the value was written by another version of rat_widgets, or edited by hand.",
        )
