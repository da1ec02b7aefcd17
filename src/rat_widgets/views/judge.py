"""The view of judges: how far their verdicts can be trusted, and what is believed with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, Self

from rat_widgets.errors import ViewError
from rat_widgets.views import codec, judge_finding
from rat_widgets.views.judge_controls import JudgeControls, JudgeMoves
from rat_widgets.views.judge_cure import (
    JudgeCure,
    JudgeCured,
    JudgeDeparture,
    JudgeNoCure,
    cure_of,
)
from rat_widgets.views.judge_identity import JudgeEmission, JudgeIdentity, check_emissions
from rat_widgets.views.levels import TWO_LEVELS, keys_of
from rat_widgets.views.sentences import Segment
from rat_widgets.views.tree import Estimate, Note, PolicyWeights

__all__ = [
    "Density",
    "JudgeBeliefs",
    "JudgeControls",
    "JudgeCure",
    "JudgeCured",
    "JudgeDeparture",
    "JudgeEmission",
    "JudgeGroup",
    "JudgeIdentity",
    "JudgeMoves",
    "JudgeNoCure",
    "JudgeReportRow",
    "JudgeView",
    "JudgeWorth",
    "Spread",
]

BELIEFS: Final = ("retrieval_success", "task_success", "policy_adherence")
"""What is believed three ways; of graded retrieval the first is its top level."""

WORTHS: Final = ("policy_adherence", "task_success")
"""What the worth of verdicts is told for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Spread(Estimate):
    """An estimate with the quartiles of its draws, for a mark that shows more than its ends.

    `middle` is the lower quartile, the median and the upper quartile; None when undefined.
    """

    middle: tuple[float, float, float] | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Density:
    """The shape of a rate's posterior: heights from 0 to 99 at equal steps from `start` to `stop`.

    What is left out at either end is too low to be seen.
    """

    start: float
    stop: float
    heights: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeWorth:
    """What verdicts tell of one quantity, in joint human labels; names as in `post.judges`.

    `worth` is what the judged rows tell with their A, `worth_verdicts` what the verdicts add
    beyond A of these rows; None when it is more than `n_max`. `text` and `text_verdicts` say them.
    """

    worth: float | None
    worth_verdicts: float | None
    n_max: int
    text: str
    text_verdicts: str


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeReportRow:
    """How far one judge can be trusted.

    Rows that it decided with and without the human label beside them are `n_human` and
    `n_only`; on `n_unknown` it could not tell. `agreement` is the share of its decisions that
    are right, `worth` goes by quantity.
    """

    key: str
    n_human: int
    n_only: int
    n_unknown: int
    ppv: Estimate
    npv: Estimate
    agreement: Estimate
    kappa: Estimate
    youden: Estimate
    worth: dict[str, JudgeWorth]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeBeliefs:
    """What is believed three ways, by quantity.

    `naive` takes every verdict for the label where no person's is there, `humans` leaves all
    verdicts out, `joint` is the model's.
    """

    naive: dict[str, Spread]
    humans: dict[str, Spread]
    joint: dict[str, Spread]


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeGroup:
    """One system's judges.

    `counts` goes with `JudgeView.patterns`. `n_human` rows show a person's label of R or T,
    `n_only` show verdicts without one. `rates`, `densities` and `report` are those of the judges
    that take part. `worth` is that of all their verdicts together, by quantity. `rows` says in
    one sentence what there is. `errors` are the Monte Carlo standard errors of the fit's joint
    means, by quantity. `fitted` are the rates and the joint beliefs without moves where the view
    shows moves, else None; joint means that cannot be told from those of the fit stand as these.
    `is_a_added` says that A of rows that nobody labelled counts in `beliefs.joint` and not in
    `beliefs.humans`. `deff` rows of a cluster say as much as one independent row, of rows with a
    human label of R or T and of the others: the model divides `counts` by it. `departures` are ways
    in which judges err here that the model does not allow for. `own` are TPR and FPR of judges that
    groups share and that differ between them, from this
    group's rows with a human label alone, by the rate's key.
    """

    key: tuple[str | int | float | bool, ...]
    label: str
    n_rows: int
    n_human: int
    n_only: int
    is_a_added: bool
    counts: tuple[int, ...]
    beliefs: JudgeBeliefs
    rates: dict[str, Spread]
    densities: dict[str, Density]
    report: tuple[JudgeReportRow, ...]
    worth: dict[str, JudgeWorth]
    notes: tuple[Note, ...]
    rows: str
    errors: dict[str, float]
    fitted: dict[str, Estimate] | None = None
    deff: tuple[float, float] = (1.0, 1.0)
    departures: tuple[JudgeDeparture, ...] = ()
    own: dict[str, Estimate] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeView:
    """Everything that the judges' widget shows, as values with their wording.

    `patterns` are the distinct rows by what they show: R, A, T, then the verdict of each judge,
    -1 meaning not seen and 2 "cannot tell". `priors` are the Beta parameters of one group's
    probabilities, theta and rates, as they were fitted. `constraint` is "tpr>fpr" where the fit
    was told that judges are better than a coin, which is not about the judges in `exempt`. `cure`
    holds the judges with everything allowed for that `departures` of the groups tell, `no_cure` why
    their errors are not: a cure beside it is of systems alone. `apart` are positions, ascending, of
    groups that the fit takes by themselves.
    `under_moves` is to be said when anything is moved. All estimates are under
    `moves`; those in `controls` are what the reader has set and the browser has yet to apply.
    """

    kind: Literal["judge"] = "judge"
    version: Literal[1] = 1
    generator: str
    python: str
    by: tuple[str, ...]
    ci_prob: float
    ci_kind: Literal["eti", "hdi"] = "eti"
    seed: int
    levels: tuple[str, ...] = TWO_LEVELS
    constraint: Literal["tpr>fpr"] | None = None
    exempt: tuple[str, ...] = ()
    policy: PolicyWeights
    apart: tuple[int, ...] = ()
    judges: tuple[JudgeIdentity, ...]
    priors: dict[str, tuple[float, float]]
    patterns: tuple[tuple[int, ...], ...]
    groups: tuple[JudgeGroup, ...]
    controls: JudgeControls
    moves: JudgeMoves | None = None
    cure: JudgeCure | None = None
    no_cure: JudgeNoCure | None = None
    under_moves: tuple[Note, ...] = ()

    def __post_init__(self) -> None:
        if not self.judges:
            raise ViewError.build("The view has no judges.", accepted="At least one judge.")
        if not 0 <= self.controls.group < len(self.groups):
            raise ViewError.build(
                f"The view shows group {self.controls.group} of {len(self.groups)}.",
                accepted="At least one group; `controls.group` is the position of one of them.",
            )
        _require("policy.weights", self.policy.weights, keys_of(self.levels).leaves)
        check_emissions(self.judges, n_worlds=3 * len(self.levels))
        _require("priors", self.priors, _rates_of(self.judges))
        self._check_apart("The view", self.apart)
        if self.cure is not None:
            self._check_cure(self.cure)
        for moves in filter(None, (self.moves, self.controls.moves)):
            _check_names(moves, self.judges, self.cure)
        for i, group in enumerate(self.groups):
            self._check_group(f"groups[{i}]", group)

    def _check_cure(self, cure: JudgeCure) -> None:
        keys = [judge.key for judge in cure.judges]
        if keys != [judge.key for judge in self.judges]:
            raise ViewError.build(
                f"The cure of the view is about the judges {keys!r:.80}.",
                accepted="The judges of the view, in their order.",
            )
        if len(cure.groups) not in (0, len(self.groups)):
            raise ViewError.build(
                f"The cure of the view is about {len(cure.groups)} groups of {len(self.groups)}.",
                accepted="All groups, or none.",
            )
        self._check_apart("The cure of the view", cure.apart)
        check_emissions(cure.judges, n_worlds=3 * len(self.levels))
        _require("cure.priors", cure.priors, _rates_of(cure.judges))

    def _check_apart(self, of: str, apart: tuple[int, ...]) -> None:
        if list(apart) != sorted({*apart} & {*range(len(self.groups))}):
            raise ViewError.build(
                f"{of} fits the groups {apart!r:.80} by themselves.",
                accepted=f"Positions from 0 to {len(self.groups) - 1}, each once, in order.",
            )

    def _check_group(self, where: str, group: JudgeGroup) -> None:
        present = [rate for judge in self.present for rate in self.told_of(judge)]
        for way in ("naive", "humans", "joint"):
            _require(f"{where}.beliefs.{way}", getattr(group.beliefs, way), BELIEFS)
        _require(f"{where}.rates", group.rates, present)
        _require(f"{where}.worth", group.worth, WORTHS)
        _require(f"{where}.errors", group.errors, BELIEFS)
        _require(f"{where}.report", {row.key: row for row in group.report}, self._present_keys())
        if len(group.counts) != len(self.patterns):
            raise ViewError.build(
                f"{where} has {len(group.counts)} counts for {len(self.patterns)} patterns.",
                accepted="One count for each pattern.",
            )

    @property
    def shown(self) -> tuple[JudgeIdentity, ...]:
        """The judges as they are taken to err: those of the cure where that is on."""
        cure = cure_of(self)
        return self.judges if cure is None else cure.judges

    def prior(self, rate: str) -> tuple[float, float]:
        """The prior of a rate of the judges shown."""
        cure = cure_of(self)
        return (self.priors if cure is None else cure.priors)[rate]

    @property
    def present(self) -> tuple[JudgeIdentity, ...]:
        """The judges that take part in the estimates."""
        left_out = self.moves.left_out if self.moves else ()
        return tuple(judge for judge in self.shown if judge.key not in left_out)

    def told_of(self, judge: JudgeIdentity) -> tuple[str, ...]:
        """Keys of the rates that the view tells of a judge that takes part.

        Of one whose rates go by the verdicts of another that is left out TPR and FPR alone: there
        are fewer cases, and other rates, without those verdicts.
        """
        of = judge.emission
        if of is None or all(self.shown[i] in self.present for i in of.parents):
            return judge.told
        return tuple(rate for rate in judge.told if rate not in judge.rates)

    def _present_keys(self) -> tuple[str, ...]:
        return tuple(judge.key for judge in self.present)

    @property
    def group(self) -> JudgeGroup:
        """The group that is shown."""
        return self.groups[self.controls.group]

    def headline(self) -> list[Segment]:
        """The finding about the group that is shown, in one sentence."""
        return judge_finding.headline(self)

    def deck(self) -> list[Segment]:
        """Why, or what was changed: the line under the headline."""
        return judge_finding.deck(self)

    def worth_line(self) -> list[Segment]:
        """What all verdicts together are worth in human labels; the first piece stands large."""
        return judge_finding.worth(self)

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


def _rates_of(judges: Iterable[JudgeIdentity]) -> list[str]:
    return [rate for judge in judges for rate in judge.rates]


def _check_names(
    moves: JudgeMoves, judges: tuple[JudgeIdentity, ...], cure: JudgeCure | None
) -> None:
    if moves.cured and cure is None:
        raise ViewError.build(
            "`cured` is True, and nothing was found of the judges that could be cured.",
            accepted="False, or True where the diagnosis says how judges err.",
            hint="a system for which a judge may be another one, and nothing shows it, is fitted "
            'by itself with apart=[...], or pooled with share="partial".',
        )
    rates = _rates_of(cure.judges if moves.cured and cure is not None else judges)
    for field, names, known in (
        ("pins", moves.pins or {}, rates),
        ("priors", moves.priors or {}, rates),
        ("left_out", moves.left_out, [judge.key for judge in judges]),
    ):
        unknown = [name for name in names if name not in known]
        if unknown:
            raise ViewError.build(
                f"`{field}` has {unknown[0]!r:.80}.",
                accepted=f"Its names are among {', '.join(map(repr, known))}.",
            )


def _require(where: str, found: Mapping[str, object], names: Iterable[str]) -> None:
    absent = [name for name in names if name not in found]
    if absent:
        raise ViewError.build(
            f"At {where}: {absent[0]!r} is missing.",
            accepted=f"All of {', '.join(names)}.",
            hint="the value was written by another version of rat_widgets, or edited by hand.",
        )
