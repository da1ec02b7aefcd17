"""The view of a tree: what is said about one or many systems, world by world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Literal, Self

from rat_widgets.errors import ViewError
from rat_widgets.views import codec, sentences, wording
from rat_widgets.views.levels import TWO_LEVELS, TreeKeys, fit_together, keys_of

__all__ = [
    "Estimate",
    "NodeLabels",
    "Note",
    "PackedDraws",
    "PolicyWeights",
    "TreeControls",
    "TreeGroup",
    "TreeView",
]


# What every tree says, beside its branches.
_ALWAYS: Final = ("abstention", "task_success", "policy_adherence")

# How branches of graded retrieval begin; which levels there are only the view knows.
_GRADED: Final = ("retrieval[", "abstain_given[", "correct_given[")


@dataclass(frozen=True, kw_only=True, slots=True)
class Estimate:
    """A quantity and its wording, ready to show.

    `value` is the posterior mean, `lower` and `upper` the credible interval; all three are
    None when the quantity is undefined (its condition has no mass), and `text` says "–".
    """

    value: float | None
    lower: float | None
    upper: float | None
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class NodeLabels:
    """How many rows stand behind a node of the tree.

    `rows` are known to reach the node. Of these, `labelled` show the label that the node asks
    for, and `judged` lack it but have a judge's verdict on it. `possible` rows may reach the
    node: what they show agrees with it, but does not settle it. For a leaf, `labelled` is `rows`.
    """

    rows: int
    labelled: int
    judged: int
    possible: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Note:
    """One sentence that a reader must see, and what to do about it."""

    level: Literal["info", "warning", "problem"]
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class PolicyWeights:
    """Weight per world; `name` is a preset's name or "custom"."""

    name: str
    weights: dict[str, float]


@dataclass(frozen=True, kw_only=True, slots=True)
class PackedDraws:
    """Posterior draws of the free probabilities, for a browser that cannot draw them itself.

    `theta` is base64 of little-endian uint16, row by row (draw, parameter), 65535 meaning 1;
    parameters are in the order of `TreeView.priors`.
    """

    n: int
    theta: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeGroup:
    """One system's tree.

    `branches` are the probabilities that the picture shows, `worlds` its leaves, `quantities`
    what follows from them, each by its key. `counts` goes with `TreeView.patterns`. `draws` is
    None where the browser draws by itself from these counts and the priors. `rows`
    says in one sentence what was labelled. `fitted` are the means without pins of the branches,
    P(T) and P(G) where the view is a what-if, else None.
    """

    key: tuple[str | int | float | bool, ...]
    label: str
    n_rows: int
    n_joint: int
    branches: dict[str, Estimate]
    worlds: dict[str, Estimate]
    quantities: dict[str, Estimate]
    labels: dict[str, NodeLabels]
    notes: tuple[Note, ...]
    counts: tuple[int, ...]
    draws: PackedDraws | None
    rows: str
    fitted: dict[str, float] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeControls:
    """What a person can move: the group shown, the unit, the policy (None: as fitted), the pins.

    `pins` are the probabilities that a what-if sets, by branch; None when there is no what-if.
    """

    group: int = 0
    unit: Literal["queries", "step"] = "queries"
    policy: dict[str, float] | None = None
    pins: dict[str, float] | None = None

    def __post_init__(self) -> None:
        _check_probabilities(self.pins)
        if not self.pins:
            object.__setattr__(self, "pins", None)

    def to_dict(self) -> dict[str, object]:
        """Plain values, as the browser sends them."""
        return dict(codec.to_dict(self))

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Controls read from plain values; see `codec.from_dict` for the errors."""
        return codec.from_dict(cls, data)


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeView:
    """Everything that the tree shows, as values with their wording.

    `levels` are those of retrieval, the lowest first; the last one is a hit. `patterns` are the
    distinct (R, A, T) that rows show, R as the position of its level, -1 meaning not seen;
    `priors` the Beta parameters of each free probability, where more than two levels are split
    from the top down. `python` is the call that made the view, without its closing bracket, for
    *copy as Python*. All estimates are under `policy`; a policy
    in `controls` is one that the reader has set and the browser has yet to apply. The same goes
    for pins: those of the view are in its estimates, those of `controls` are yet to be. With the
    estimand "these_rows" the numbers are shares of the rows in hand, and every group has draws.
    """

    kind: Literal["tree"] = "tree"
    version: Literal[1] = 1
    generator: str
    python: str
    by: tuple[str, ...]
    ci_prob: float
    ci_kind: Literal["eti", "hdi"] = "eti"
    seed: int
    levels: tuple[str, ...] = TWO_LEVELS
    policy: PolicyWeights
    priors: dict[str, tuple[float, float]]
    patterns: tuple[tuple[int, int, int], ...]
    groups: tuple[TreeGroup, ...]
    controls: TreeControls
    pins: dict[str, float] | None = None
    estimand: Literal["population", "these_rows"] = "population"

    def __post_init__(self) -> None:
        keys = self._keys()
        _check_pins(self.pins, keys)
        _check_pins(self.controls.pins, keys)
        if not 0 <= self.controls.group < len(self.groups):
            raise ViewError.build(
                f"The view shows group {self.controls.group} of {len(self.groups)}.",
                accepted="At least one group; `controls.group` is the position of one of them.",
            )
        _require("policy.weights", self.policy.weights, keys.leaves)
        for i, group in enumerate(self.groups):
            _require(f"groups[{i}].worlds", group.worlds, keys.leaves)
            _require(f"groups[{i}].branches", group.branches, keys.branches)
            _require(f"groups[{i}].quantities", group.quantities, _ALWAYS)
            if self.estimand == "these_rows" and group.draws is None:
                raise ViewError.build(
                    f"At groups[{i}]: there are no draws of these rows.",
                    accepted="Draws with every group: a browser can draw for the population only.",
                )
            if self.pins:
                fitted = group.fitted or {}
                _require(f"groups[{i}].fitted", fitted, (*keys.branches, *_ALWAYS[1:]))

    def _keys(self) -> TreeKeys:
        """The names that follow from the levels, which are checked."""
        levels = self.levels
        if len(set(levels)) != len(levels) or len(levels) < 2:
            raise ViewError.build(
                f"`levels` is {levels!r:.80}.",
                accepted="At least two different names, the lowest level first.",
            )
        if len(levels) == 2 and levels != TWO_LEVELS:
            raise ViewError.build(
                f"`levels` is {levels!r:.80}.",
                accepted=f"Two levels are called {', '.join(TWO_LEVELS)}.",
            )
        return keys_of(levels)

    @property
    def group(self) -> TreeGroup:
        """The group that is shown."""
        return self.groups[self.controls.group]

    def headline(self) -> list[sentences.Segment]:
        """The finding about the group that is shown, in one sentence."""
        group = self.group
        return sentences.headline(
            n_rows=group.n_rows,
            worlds=_means(group),
            task=_triple(group.quantities["task_success"]),
            policy=_triple(group.quantities["policy_adherence"]),
            weights=self.policy.weights,
            is_whatif=bool(self.pins),
            is_of_rows=self.estimand == "these_rows",
            levels=self.levels,
        )

    def deck(self) -> list[sentences.Segment]:
        """Why, or what to do: the line under the headline."""
        group = self.group
        if self.pins and group.fitted is not None:
            now = {key: group.quantities[key].value or 0.0 for key in _ALWAYS[1:]}
            return sentences.whatif_deck(
                pins=self.pins,
                branches=group.fitted,
                task=(now["task_success"], group.fitted["task_success"]),
                policy=(now["policy_adherence"], group.fitted["policy_adherence"]),
                weights=self.policy.weights,
                levels=self.levels,
            )
        return sentences.deck(
            n_rows=group.n_rows,
            n_joint=group.n_joint,
            worlds=_means(group),
            policy=_triple(group.quantities["policy_adherence"]),
            weights=self.policy.weights,
            levels=self.levels,
        )

    def of_100(self) -> dict[str, int]:
        """Whole queries of 100 in each world, which add up."""
        return wording.of_100(_means(self.group), self.policy.weights, self.levels)

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


def _check_probabilities(pins: Mapping[str, float] | None) -> None:
    """Pins of any tree: the five branches of two levels, or those that begin as graded ones do."""
    for key, value in (pins or {}).items():
        if key not in keys_of().branches and not key.startswith(_GRADED):
            raise ViewError.build(
                f"`pins` has {key!r}.",
                accepted=f"Its keys are among {', '.join(keys_of().branches)}.",
            )
        if not 0 <= value <= 1:
            raise ViewError.build(
                f"`pins[{key!r}]` is {value!r}.",
                accepted="A pin is a probability from 0 to 1.",
                hint=f"did you mean {value / 100:g}?" if 1 < value <= 100 else None,
            )


def _check_pins(pins: Mapping[str, float] | None, keys: TreeKeys) -> None:
    """Pins of a tree with these keys."""
    if not pins:
        return
    _check_probabilities(pins)
    unknown = [key for key in pins if key not in keys.branches]
    if unknown:
        raise ViewError.build(
            f"`pins` has {unknown[0]!r}.",
            accepted=f"Its keys are among {', '.join(keys.branches)}.",
        )
    if not fit_together(pins, keys):
        total = sum(pins.get(band.retrieval, 0.0) for band in keys.bands)
        raise ViewError.build(
            f"The pinned levels of retrieval add up to {total:.6g}.",
            accepted="At most 1, and 1 exactly when every level is pinned.",
            hint="leave one of them out: it takes what the others leave.",
        )


def _require(where: str, found: Mapping[str, object], names: Iterable[str]) -> None:
    absent = [name for name in names if name not in found]
    if absent:
        raise ViewError.build(
            f"At {where}: {absent[0]!r} is missing.",
            accepted=f"All of {', '.join(names)}.",
            hint="the value was written by another version of rat_widgets, or edited by hand.",
        )


def _means(group: TreeGroup) -> dict[str, float]:
    return {world: e.value or 0.0 for world, e in group.worlds.items()}


def _triple(estimate: Estimate) -> tuple[float, float, float]:
    return (estimate.value or 0.0, estimate.lower or 0.0, estimate.upper or 0.0)
