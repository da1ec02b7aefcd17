"""What each part of a tree's picture says, taken from the view: no place, no colour value.

The SVG, the Plotly figure, the plain text and the HTML table all read this one value, so they
cannot say different things. Numbers and their wording come from the view as they are; only
whole queries of 100 are made here, by `rat_widgets.views.wording.of_100`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from rat_widgets.views import wording, words
from rat_widgets.views.levels import LEAVES
from rat_widgets.views.sentences import Segment
from rat_widgets.views.tree import Estimate, NodeLabels, Note, TreeGroup, TreeView

__all__ = [
    "BranchContent",
    "LeafContent",
    "StatContent",
    "TreeContent",
    "node_labels_text",
    "parts_of",
    "tree_content",
    "weight_text",
]

Hue = Literal["r", "a", "t", "good"]
Verdict = Literal["good", "bad", "partly"]

_UNDEFINED: Final = Estimate(value=None, lower=None, upper=None, text="\N{EN DASH}")
_NO_LABELS: Final = NodeLabels(rows=0, labelled=0, judged=0, possible=0)

# The question of each branch in a sentence, and the world after its "yes".
_BRANCHES: Final[Mapping[str, tuple[str, str]]] = {
    "retrieval_success": ("retrieval finds the evidence", ""),
    "abstain_given_hit": ("declines although the evidence was found", "hit_abstained"),
    "abstain_given_miss": ("declines when the evidence is missing", "miss_abstained"),
    "correct_given_hit": ("right when answering with the evidence", "hit_right"),
    "correct_given_miss": ("right when answering without the evidence", "miss_right"),
}
_HUES: Final[Mapping[str, Hue]] = {"R": "r", "A": "a", "T": "t"}


@dataclass(frozen=True, kw_only=True, slots=True)
class StatContent:
    """One number of the strip; `scale` are the ends of its axis, `is_rate` says per cent."""

    key: str
    label: str
    symbol: str
    hue: Hue
    estimate: Estimate
    scale: tuple[float, float]
    is_rate: bool
    is_grey: bool
    is_dotted: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class BranchContent:
    """One step of the tree: its title, the question with its count, the estimate."""

    key: str
    letter: str
    hue: Hue
    title: str
    question: str
    answer: str
    phrase: str
    estimate: Estimate
    labels: NodeLabels
    is_grey: bool
    is_dotted: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class LeafContent:
    """One world: words, the policy's verdict, whole queries of 100 and the ledger's entries."""

    world: str
    words: str
    verdict: Verdict
    weight: str
    count: str
    in_task: str
    in_policy: str
    estimate: Estimate
    labels: NodeLabels
    rows: str
    seen: str


@dataclass(frozen=True, kw_only=True, slots=True)
class TreeContent:
    """All that the picture of one group says, in reading order."""

    name: str
    place: str
    headline: tuple[Segment, ...]
    deck: tuple[Segment, ...]
    notes: tuple[Note, ...]
    stats: tuple[StatContent, ...]
    branches: Mapping[str, BranchContent]
    leaves: tuple[LeafContent, ...]
    task_head: str
    policy_head: str
    task_total: str
    policy_total: str
    others: tuple[tuple[str, Estimate], ...]
    rows: str
    is_utility: bool


def parts_of(estimate: Estimate) -> tuple[str, str]:
    """The wording in two: the number, and the interval without its brackets."""
    number, _, interval = estimate.text.partition(" (")
    return number, interval.removesuffix(")")


def node_labels_text(letter: str, labels: NodeLabels) -> str:
    """The labels behind a branch, in words."""
    return wording.label_line(
        letter,
        rows=labels.rows,
        labelled=labels.labelled,
        judged=labels.judged,
        possible=labels.possible,
    )


def tree_content(view: TreeView) -> TreeContent:
    """What the tree says about the group that the view's controls show."""
    group = view.group
    weights = view.policy.weights
    kind = words.policy_kind(weights)
    is_defined = all(group.worlds[world].value is not None for world in LEAVES)
    whole = view.of_100() if is_defined else None
    leaves = tuple(_leaf(group, world, weights, kind, whole) for world in LEAVES)
    is_binary = kind not in ("weights", "utility")
    policy = group.quantities.get("policy_adherence", _UNDEFINED)
    policy_total = parts_of(policy)[0].removesuffix("%")
    if whole is not None and is_binary:
        policy_total = str(sum(whole[w] for w in LEAVES if weights[w] == 1))
    task_total = "\N{EN DASH}"
    if whole is not None:
        task_total = str(whole["hit_right"] + whole["miss_right"])
    stats = _stats(group, weights, kind)
    shown = {stat.key for stat in stats} | set(_BRANCHES)
    return TreeContent(
        name=group.label if view.by else "",
        place=_place(view),
        headline=tuple(view.headline()),
        deck=tuple(view.deck()),
        notes=group.notes,
        stats=stats,
        branches={
            key: _branch(group, key, whole, by_step=view.controls.unit == "step")
            for key in _BRANCHES
        },
        leaves=leaves,
        task_head="correct answer",
        policy_head="right by policy" if is_binary else "weight in policy",
        task_total=task_total,
        policy_total=policy_total,
        others=tuple(
            (key.replace("_", " "), estimate)
            for key, estimate in group.quantities.items()
            if key not in shown
        ),
        rows=group.rows,
        is_utility=kind == "utility",
    )


def _place(view: TreeView) -> str:
    """Which of several groups is shown, such as "3 of 48"."""
    if len(view.groups) < 2:
        return ""
    return f"{wording.count(view.controls.group + 1)} of {wording.count(len(view.groups))}"


def _is_vague(estimate: Estimate) -> bool:
    if estimate.lower is None or estimate.upper is None:
        return True
    return estimate.upper - estimate.lower > wording.VAGUE_ESTIMATE


def _stats(group: TreeGroup, weights: Mapping[str, float], kind: str) -> tuple[StatContent, ...]:
    is_utility = kind == "utility"
    low, high = min(0.0, *weights.values()), max(0.0, *weights.values())
    # Weights have a mean, and only a yes or no has a probability.
    symbol_of_g = "mean" if kind in ("weights", "utility") else "P(G)"
    names = {**words.STATS, "policy_adherence": (words.POLICY_NAMES[kind], symbol_of_g)}
    hues: tuple[Hue, ...] = ("r", "a", "t", "good")
    stats = []
    for (key, (name, symbol)), hue in zip(names.items(), hues, strict=True):
        estimate = group.quantities.get(key, group.branches.get(key, _UNDEFINED))
        is_rate = key != "policy_adherence" or not is_utility
        stats.append(
            StatContent(
                key=key,
                label=name,
                symbol=symbol,
                hue=hue,
                estimate=estimate,
                scale=(0.0, 1.0) if is_rate else (low, high),
                is_rate=is_rate,
                is_grey=group.n_rows == 0 or (is_rate and _is_vague(estimate)),
                is_dotted=group.n_rows == 0,
            )
        )
    return tuple(stats)


def _branch(
    group: TreeGroup, key: str, whole: Mapping[str, int] | None, *, by_step: bool
) -> BranchContent:
    letter, title, verb = words.STEPS[key]
    phrase, after = _BRANCHES[key]
    estimate = group.branches.get(key, _UNDEFINED)
    labels = group.labels.get(key, _NO_LABELS)
    number = parts_of(estimate)[0].removesuffix("%")
    if estimate.value is None:
        question, answer = "no query gets here", ""
    elif key == "retrieval_success":
        hits = None if whole is None else sum(n for w, n in whole.items() if w.startswith("hit"))
        question, answer = f"{verb} ", number if hits is None else str(hits)
    elif by_step or whole is None:
        question, answer = f"of 100 such, {verb} ", number
    else:
        side = after.partition("_")[0]
        reached = sum(
            n
            for world, n in whole.items()
            if world.startswith(side) and (letter == "A" or not world.endswith("abstained"))
        )
        question, answer = f"of {reached}, {verb} ", str(whole[after])
    is_dotted = labels.labelled == 0 and labels.judged == 0
    return BranchContent(
        key=key,
        letter=letter,
        hue=_HUES[letter],
        title=title,
        question=question,
        answer=answer,
        phrase=phrase[0].upper() + phrase[1:],
        estimate=estimate,
        labels=labels,
        is_grey=is_dotted or _is_vague(estimate),
        is_dotted=is_dotted,
    )


def weight_text(weight: float) -> str:
    """A weight as the deck words it: "0.20", with a true minus sign."""
    return parts_of(
        Estimate(
            value=weight,
            lower=weight,
            upper=weight,
            text=wording.estimate(weight, weight, weight, is_rate=False),
        )
    )[0]


def _verdict(weight: float, kind: str) -> Verdict:
    if kind == "utility":
        return "good" if weight > 0 else "bad" if weight < 0 else "partly"
    return "good" if weight >= 1 else "bad" if weight <= 0 else "partly"


def _leaf(
    group: TreeGroup,
    world: str,
    weights: Mapping[str, float],
    kind: str,
    whole: Mapping[str, int] | None,
) -> LeafContent:
    labels = group.labels.get(world, _NO_LABELS)
    n = "\N{EN DASH}" if whole is None else str(whole[world])
    weight = weight_text(weights[world])
    if kind in ("weights", "utility"):
        in_policy = f"\N{MULTIPLICATION SIGN}\N{THIN SPACE}{weight}" if weights[world] else ""
    else:
        in_policy = n if weights[world] == 1 else ""
    return LeafContent(
        world=world,
        words=words.leaf_words(world, is_right=words.is_right(world, weights)),
        verdict=_verdict(weights[world], kind),
        weight=weight,
        count=n,
        in_task=n if world.endswith("right") else "",
        in_policy=in_policy,
        estimate=group.worlds[world],
        labels=labels,
        rows=wording.count(labels.rows),
        seen=wording.rows_line(rows=labels.rows, possible=labels.possible),
    )
