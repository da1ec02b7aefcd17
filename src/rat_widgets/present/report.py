"""The tables of a report: what stands beside the living tree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rat_widgets._markup import first_named, named
from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.quantities import POLICY, find_quantity
from rat_widgets.present.standing import Standing
from rat_widgets.views.judge import JudgeView
from rat_widgets.views.tree import TreeGroup, TreeView
from rat_widgets.views.words import words_of

__all__ = [
    "computed",
    "computed_note",
    "judge_measures",
    "overview",
    "overview_columns",
    "quantities",
    "shown_note",
]

_ESTIMANDS: Final = {
    "population": "population: queries like these",
    "these_rows": "these_rows: exactly the rows in hand, labels that were seen known",
}


def overview_columns(view: TreeView) -> dict[str, str]:
    """Quantities of the table of systems, with the symbols of its columns: R, A, T and G."""
    stats = words_of(view.levels).stats
    return {key: symbol for key, (_, symbol) in stats.items()} | {POLICY: "P(G)"}


def overview(view: TreeView, order: Sequence[Standing]) -> list[tuple[str, ...]]:
    """One row per group in its place: name, rows, R, A, T and G, what its diagnosis warns of."""
    keys = overview_columns(view)
    return [
        (
            group.label,
            f"{group.n_rows:,}",
            *({**group.branches, **group.quantities}[key].text for key in keys),
            _warned(group),
        )
        for group, _, _ in order
    ]


def computed_note(view: TreeView) -> str:
    """Of which system it is told how the tree was computed, and what there is about the others."""
    n = len(view.groups)
    if n < 2:
        return ""
    warned = [g.label for g in view.groups if g is not view.group and _warned(g)]
    others = "No other has warnings."
    if warned:
        others = f"{len(warned):,} {'other has' if len(warned) == 1 else 'others have'} warnings: "
        others += f"{first_named(warned)}."
    return f"{shown_note(view)} {others}"


def shown_note(view: TreeView | JudgeView) -> str:
    """Of which system a part tells that does not follow the picker; nothing of one alone."""
    n = len(view.groups)
    if n < 2:
        return ""
    return (
        f"{named(view.group.label)} is one of {n:,} systems: the one that was shown when this page "
        "was written, whatever is picked above."
    )


def _warned(group: TreeGroup) -> str:
    """'1 problem, 2 warnings'; nothing when there are none."""
    counts = {level: sum(n.level == level for n in group.notes) for level in ("problem", "warning")}
    return ", ".join(f"{n} {level}{'s' if n > 1 else ''}" for level, n in counts.items() if n)


def quantities(view: TreeView) -> list[tuple[str, ...]]:
    """One row per quantity of the group shown: key, probability, estimate, meaning."""
    rows: list[tuple[str, ...]] = []
    for key, estimate in {**view.group.branches, **view.group.quantities}.items():
        quantity = find_quantity(key, view.levels)
        meaning = ". ".join(filter(None, (quantity.label, quantity.caution)))
        rows.append((key, quantity.symbol, estimate.text, meaning))
    return rows


def judge_measures(view: JudgeView) -> list[tuple[str, ...]]:
    """One row per rate and measure of each judge: its key, the estimate, what it is based on."""
    rows: list[tuple[str, ...]] = []
    group = view.group
    for judge, row in zip(view.present, group.report, strict=True):
        seen = f"{row.n_human:,} verdicts beside a human label, {row.n_only:,} alone"
        seen += f", {row.n_unknown:,} unknown" if row.n_unknown else ""
        read = f"graded {judge.passing}; {seen}" if judge.passing else seen
        for rate in _rates(view.told_of(judge)):
            is_cut = rate.startswith(("tpr[", "fpr["))
            rows.append((rate, group.rates[rate].text, read if is_cut else seen))
        for name in ("ppv", "npv", "agreement", "kappa", "youden"):
            rows.append((f"{name}[{judge.key}]", getattr(row, name).text, ""))
        for key, worth in row.worth.items():
            name = "worth" if key == POLICY else f"worth_{key}"
            labels = f"human labels, for {key}"
            of_rows, of_verdicts = f"{labels}: its rows, with their A", f"{labels}: beyond that A"
            rows.append((f"{name}[{judge.key}]", worth.text, of_rows))
            rows.append((f"{name}_verdicts[{judge.key}]", worth.text_verdicts, of_verdicts))
    return rows


def _rates(told: Sequence[str]) -> list[str]:
    """TPR and FPR, then the rest; P(level | truth) in place of the splits that it is made of."""
    rates = [rate for rate in told if not rate.startswith("split_")]
    return sorted(rates, key=lambda rate: not rate.startswith(("tpr[", "fpr[")))


def computed(posterior: Posterior) -> Iterator[tuple[str, str]]:
    """How the numbers came about: verdict, engine, seed, policy, versions, messages."""
    diagnosis = posterior.diagnosis
    yield "verdict", "trustworthy" if diagnosis.ok else "not to be trusted as it stands"
    yield "engine", f"{posterior.engine}. {posterior.draws.reason}"
    yield "seed", str(posterior.draws.seed)
    yield "policy", posterior.policy.name
    yield "estimand", _ESTIMANDS[posterior.estimand]
    yield from posterior.draws.versions.items()
    for message in diagnosis.messages:
        yield message.level, f"{message.text} {message.advice}".strip()
