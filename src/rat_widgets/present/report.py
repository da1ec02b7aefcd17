"""The tables of a report: what stands beside the living tree."""

from __future__ import annotations

from collections.abc import Iterator

from rat_widgets.derived.intervals import CiKind, credible_interval
from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.quantities import POLICY, find_quantity
from rat_widgets.model.priors import is_rate
from rat_widgets.views import wording
from rat_widgets.views.tree import TreeView
from rat_widgets.views.words import words_of

__all__ = ["computed", "judge_rates", "overview", "overview_columns", "quantities"]


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


def judge_rates(posterior: Posterior, *, ci_prob: float, ci_kind: CiKind) -> list[tuple[str, ...]]:
    """One row per judge's rate: ``tpr[name]`` or ``fpr[name]``, and the estimate."""
    rows: list[tuple[str, ...]] = []
    for key, draws in posterior.draws.by_name().items():
        if is_rate(key):
            lower, upper = credible_interval(draws.reshape(-1), ci_prob=ci_prob, ci_kind=ci_kind)
            rows.append((key, wording.estimate(float(draws.mean()), float(lower), float(upper))))
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
