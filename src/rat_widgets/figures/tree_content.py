"""What each part of a tree's picture says, taken from the view: no place, no colour value.

The SVG, the Plotly figure, the plain text and the HTML table all read this one value, so they
cannot say different things. Numbers and their wording come from the view as they are; only
whole queries of 100 are made here, by `rat_widgets.views.wording.of_100`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from rat_widgets.figures.flow import one_line, without_controls
from rat_widgets.views import wording
from rat_widgets.views.levels import TreeKeys
from rat_widgets.views.sentences import Segment
from rat_widgets.views.tree import Estimate, NodeLabels, Note, TreeGroup, TreeView
from rat_widgets.views.words import (
    POLICY_NAMES,
    TreeWords,
    is_right,
    leaf_words,
    policy_kind,
    words_of,
)

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
    """One step of the tree: its title, the question with its count, the estimate.

    The question is `question`, `answer` (the count) and `tail`; `phrase` says it in words. `seen`
    are the labels in words; "" where they are said once for all levels, at the root.
    """

    key: str
    letter: str
    hue: Hue
    title: str
    question: str
    answer: str
    tail: str
    phrase: str
    estimate: Estimate
    labels: NodeLabels
    seen: str
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
    """All that the picture of one group says, in reading order.

    `root` are the labels of R in words, for where each level is a branch.
    """

    keys: TreeKeys
    name: str
    place: str
    headline: tuple[Segment, ...]
    deck: tuple[Segment, ...]
    notes: tuple[Note, ...]
    stats: tuple[StatContent, ...]
    root: str
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
    words = words_of(view.levels)
    keys = words.keys
    kind = policy_kind(weights, view.levels)
    is_defined = all(group.worlds[world].value is not None for world in keys.leaves)
    whole = view.of_100() if is_defined else None
    leaves = tuple(_leaf(group, world, weights, words, whole) for world in keys.leaves)
    is_binary = kind not in ("weights", "utility")
    policy = group.quantities.get("policy_adherence", _UNDEFINED)
    policy_total = parts_of(policy)[0].removesuffix("%")
    if whole is not None and is_binary:
        policy_total = str(sum(whole[w] for w in keys.leaves if weights[w] == 1))
    task_total = "\N{EN DASH}"
    if whole is not None:
        task_total = str(sum(whole[band.right] for band in keys.bands))
    stats = _stats(group, weights, kind, words)
    shown = {stat.key for stat in stats} | set(keys.branches)
    return TreeContent(
        keys=keys,
        name=group.label if view.by else "",
        place=_place(view),
        headline=tuple(view.headline()),
        deck=tuple((without_controls(text), role) for text, role in view.deck()),
        notes=group.notes,
        stats=stats,
        root=node_labels_text("R", group.labels.get(keys.top.retrieval, _NO_LABELS)),
        branches={
            key: _branch(group, key, whole, words, by_step=view.controls.unit == "step")
            for key in keys.branches
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


def _stats(
    group: TreeGroup, weights: Mapping[str, float], kind: str, words: TreeWords
) -> tuple[StatContent, ...]:
    is_utility = kind == "utility"
    low, high = min(0.0, *weights.values()), max(0.0, *weights.values())
    # Weights have a mean, and only a yes or no has a probability.
    symbol_of_g = "mean" if kind in ("weights", "utility") else "P(G)"
    names = {**words.stats, "policy_adherence": (POLICY_NAMES[kind], symbol_of_g)}
    hues: tuple[Hue, ...] = ("r", "a", "t", "good")
    stats = []
    for (key, (name, symbol)), hue in zip(names.items(), hues, strict=True):
        estimate = group.quantities.get(key, group.branches.get(key, _UNDEFINED))
        is_rate = key != "policy_adherence" or not is_utility
        stats.append(
            StatContent(
                key=key,
                label=one_line(name),
                symbol=one_line(symbol),
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
    group: TreeGroup,
    key: str,
    whole: Mapping[str, int] | None,
    words: TreeWords,
    *,
    by_step: bool,
) -> BranchContent:
    step, phrase = words.steps[key], one_line(words.pins[key])
    estimate = group.branches.get(key, _UNDEFINED)
    labels = group.labels.get(key, _NO_LABELS)
    number = parts_of(estimate)[0].removesuffix("%")
    tail = step.tail
    if estimate.value is None:
        question, answer, tail = "no query gets here", "", ""
    elif step.letter == "R":
        band = next(band for band in words.keys.bands if band.retrieval == key)
        found = number if whole is None else str(sum(whole[w] for w in band.leaves))
        question, answer = f"{step.asks} ", found
    elif by_step or whole is None:
        question, answer = f"of 100 such, {step.asks} ", number
    else:
        reached, after = _counted(key, words.keys)
        n = sum(whole[world] for world in reached)
        question, answer = f"of {n}, {step.asks} ", str(whole[after])
    is_dotted = labels.labelled == 0 and labels.judged == 0
    return BranchContent(
        key=key,
        letter=step.letter,
        hue=_HUES[step.letter],
        title=one_line(step.title),
        question=question,
        answer=answer,
        tail=tail,
        phrase=phrase[0].upper() + phrase[1:],
        estimate=estimate,
        labels=labels,
        seen="" if step.tail else node_labels_text(step.letter, labels),
        is_grey=is_dotted or _is_vague(estimate),
        is_dotted=is_dotted,
    )


def _counted(key: str, keys: TreeKeys) -> tuple[tuple[str, ...], str]:
    """The worlds that reach a branch of A or T, and the one after its "yes"."""
    for band in keys.bands:
        if key == band.abstain:
            return band.leaves, band.abstained
        if key == band.correct:
            return (band.right, band.wrong), band.right
    raise KeyError(key)


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
    words: TreeWords,
    whole: Mapping[str, int] | None,
) -> LeafContent:
    levels = words.keys.levels
    kind = policy_kind(weights, levels)
    labels = group.labels.get(world, _NO_LABELS)
    n = "\N{EN DASH}" if whole is None else str(whole[world])
    weight = weight_text(weights[world])
    if kind in ("weights", "utility"):
        in_policy = f"\N{MULTIPLICATION SIGN}\N{THIN SPACE}{weight}" if weights[world] else ""
    else:
        in_policy = n if weights[world] == 1 else ""
    return LeafContent(
        world=world,
        words=one_line(leaf_words(world, is_right=is_right(world, weights, levels), levels=levels)),
        verdict=_verdict(weights[world], kind),
        weight=weight,
        count=n,
        in_task=n if world.endswith("_right") else "",
        in_policy=in_policy,
        estimate=group.worlds[world],
        labels=labels,
        rows=wording.count(labels.rows),
        seen=wording.rows_line(rows=labels.rows, possible=labels.possible),
    )
