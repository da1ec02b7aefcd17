"""The tables of a report: what stands beside the living tree."""

from __future__ import annotations

from collections.abc import Iterator

from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.quantities import POLICY, find_quantity
from rat_widgets.views.judge import JudgeView
from rat_widgets.views.tree import TreeView
from rat_widgets.views.words import words_of

__all__ = ["computed", "judge_measures", "overview", "overview_columns", "quantities"]


def overview_columns(view: TreeView) -> dict[str, str]:
    """Quantities of the table of systems, with the symbols of its columns: R, A, T and G."""
    stats = words_of(view.levels).stats
    return {key: symbol for key, (_, symbol) in stats.items()} | {POLICY: "P(G)"}


def overview(view: TreeView) -> list[tuple[str, ...]]:
    """One row per group: its name, rows, and R, A, T and G; the highest G first."""
    keys = overview_columns(view)
    groups = sorted(view.groups, key=lambda g: -(g.quantities["policy_adherence"].value or 0.0))
    return [
        (
            group.label,
            f"{group.n_rows:,}",
            *({**group.branches, **group.quantities}[key].text for key in keys),
        )
        for group in groups
    ]


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
        for rate in judge.rates:
            rows.append((rate, group.rates[rate].text, seen))
        for name in ("ppv", "npv", "agreement", "kappa", "youden"):
            rows.append((f"{name}[{judge.key}]", getattr(row, name).text, ""))
        for key, worth in row.worth.items():
            name = "worth" if key == POLICY else f"worth_{key}"
            labels = f"human labels, for {key}"
            of_rows, of_verdicts = f"{labels}: its rows, with their A", f"{labels}: beyond that A"
            rows.append((f"{name}[{judge.key}]", worth.text, of_rows))
            rows.append((f"{name}_verdicts[{judge.key}]", worth.text_verdicts, of_verdicts))
    return rows


def computed(posterior: Posterior) -> Iterator[tuple[str, str]]:
    """How the numbers came about: verdict, engine, seed, policy, versions, messages."""
    diagnosis = posterior.diagnosis
    yield "verdict", "trustworthy" if diagnosis.ok else "not to be trusted as it stands"
    yield "engine", f"{posterior.engine}. {posterior.draws.reason}"
    yield "seed", str(posterior.draws.seed)
    yield "policy", posterior.policy.name
    yield from posterior.draws.versions.items()
    for message in diagnosis.messages:
        yield message.level, f"{message.text} {message.advice}".strip()
