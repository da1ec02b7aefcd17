"""What a fit says about the table that it came from, beside what the draws say."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from rat_widgets.derived.quantities import POLICY
from rat_widgets.inference.diagnose import Message
from rat_widgets.labels.checks_text import cluster_text
from rat_widgets.labels.table import Labels
from rat_widgets.labels.unreadable import unreadable_verdicts

if TYPE_CHECKING:
    from rat_widgets.derived.posterior import Posterior

__all__ = ["notices_of", "of_population", "pooled_column", "pooled_text"]

_FEW_CLUSTERS: Final = 20
# Names of columns that tell systems apart.
_SYSTEMS: Final = frozenset(
    [
        "system",
        "systems",
        "model",
        "llm",
        "generator",
        "retriever",
        "config",
        "configuration",
        "variant",
        "pipeline",
    ]
)


def notices_of(labels: Labels) -> tuple[Message, ...]:
    """What a fit should say about the table: what it cannot read, and does not use."""
    told = (_unreadable, _clusters, _unused_columns, _pooled_systems)
    return tuple(message for tell in told for message in tell(labels))


def of_population(posterior: Posterior) -> Posterior:
    """The posterior about queries like these, with a note of what these rows' numbers are.

    For what answers about the population only.
    """
    if not posterior.is_of_rows:
        return posterior
    named = {"P(T)": "task_success", "P(G)": POLICY}
    table = posterior.summary().loc[list(named.values()), ["mean", "lower", "upper"]]
    said = " and ".join(
        f"{name} is {100 * mean:.1f}% ({100 * lower:.1f} to {100 * upper:.1f})"
        for name, (mean, lower, upper) in zip(named, table.to_numpy(), strict=True)
    )
    message = Message(
        "info",
        "estimand",
        "What is shown here, and every move, is about queries like these, since judges' rates "
        f"are. Of exactly these {posterior.counts.n_rows:,} rows {said}.",
        "The tree shows these rows.",
    )
    return replace(posterior.for_population(), notices=(*posterior.notices, message))


def _unreadable(labels: Labels) -> list[Message]:
    return [
        Message("warning", "unreadable", lost.text, lost.advice)
        for lost in unreadable_verdicts(labels.tally, labels.roles)
        if lost.is_notable
    ]


def _clusters(labels: Labels) -> list[Message]:
    """What the column of clusters does to the group in which it does most."""
    if not labels.clusters:
        return []
    worst = max(labels.clusters, key=lambda found: max(found.deff))
    where = " where clusters matter most" if len(labels.clusters) > 1 else ""
    advice = "Intervals are as wide as so many fewer independent rows would make them."
    messages = [
        Message("info", "clusters", f"{labels.cluster!r}{where}: {cluster_text(worst)}.", advice)
    ]
    few = min(found.n_clusters for found in labels.clusters)
    if few < _FEW_CLUSTERS:
        messages.append(
            Message(
                "warning",
                "few_clusters",
                f"{few} {'cluster says' if few == 1 else 'clusters say'} little of how alike the "
                "rows of one cluster are: the design effect is rough.",
                f"{_FEW_CLUSTERS} clusters and more give intervals that can be trusted.",
            )
        )
    return messages


def _unused_columns(labels: Labels) -> list[Message]:
    dependent = [n for n in ("trial",) if getattr(labels, n) is not None and not labels.cluster]
    messages = []
    if dependent:
        messages.append(
            Message(
                "info",
                "columns_not_used",
                f"Every row counts once: {_named(dependent)} kept with the labels but not used "
                "by this fit.",
                "Rows that hang together make the true intervals wider than these.",
            )
        )
    if labels.weight is not None:
        messages.append(
            Message(
                "info",
                "columns_not_used",
                "Every row counts once: `weight` is kept with the labels but not used by this fit.",
                "The rates are those of the rows, not of what they stand for.",
            )
        )
    if labels.stratum is not None and labels.stratum not in labels.by:
        messages.append(
            Message(
                "info",
                "columns_not_used",
                "`stratum` is kept with the labels but not used by this fit.",
                f"Where strata were labelled differently, fit each alone: by={labels.stratum!r}.",
            )
        )
    return messages


def _named(names: list[str]) -> str:
    text = " and ".join(f"`{name}`" for name in names)
    return f"{text} {'is' if len(names) == 1 else 'are'}"


def pooled_column(labels: Labels) -> str | None:
    """A column that looks like the name of the system, in a table read as one system."""
    if labels.by:
        return None
    used = {value for value in labels.keywords.values() if isinstance(value, str)}
    for name in labels.column_names:
        is_name = isinstance(name, str) and name.casefold() in _SYSTEMS
        if is_name and name not in used and labels.varies(name):
            return str(name)
    return None


def pooled_text(column: str) -> str:
    """What is said of a table that has such a column."""
    return f"All rows are read as one system; the table has a column {column!r}."


def _pooled_systems(labels: Labels) -> list[Message]:
    column = pooled_column(labels)
    if column is None:
        return []
    return [
        Message(
            "info",
            "pooled",
            pooled_text(column),
            f"If it names systems, by={column!r} gives each its own tree.",
        )
    ]
