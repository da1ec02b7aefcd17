"""Human labels bought by outcome: they tell of the judges, and of nothing else.

Labels may be bought at random, by A or by a judge's verdict: what is in the model. Where rows
were chosen for what they turned out to be (complaints, known failures) their labels say nothing
of how often that happens, but what the judges say given these truths is as good as elsewhere.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from jaxtyping import Int64

from rat_widgets.errors import ArgumentError, ArgumentTypeError, LabelValueError, MissingColumnError
from rat_widgets.inference.draws import Draws
from rat_widgets.labels.counts import PATTERN_COLUMNS, PatternCounts
from rat_widgets.labels.effective import carried_effects, kinds_of_rows
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.memberships import counted_verdicts
from rat_widgets.model.priors import Priors
from rat_widgets.model.worlds import compatible_worlds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rat_widgets.inference.diagnose import Message
    from rat_widgets.labels.table import Labels
    from rat_widgets.model.emissions import Emissions, Step

__all__ = [
    "VERDICT",
    "about_rates_only",
    "anchored",
    "chosen_by_outcome",
    "without_outcome_labels",
]

VERDICT: Final = "verdict"
OUTCOME: Final = "outcome"
_RETRIEVAL, _TASK, _ANSWERABLE = 0, 2, 3
_BOUGHT: Final = (_RETRIEVAL, _TASK, _ANSWERABLE)
# What is said where no human label is left that tells of rates.
_ABOUT_ANCHORS: Final = ("not_anchored", "not_identified")


def chosen_by_outcome(
    counts: PatternCounts, labels: Labels | None, selection: object
) -> Int64[np.ndarray, "group pattern"] | None:
    """Of the rows of each pattern those whose labels were bought by outcome; None for "verdict".

    Parameters
    ----------
    counts : PatternCounts
    labels : Labels or None
        The table of the counts.
    selection : str
        "verdict", "outcome" (all rows that show a human label), or a column of the table that
        is true on the rows that were chosen by outcome.

    Raises
    ------
    ArgumentError, ArgumentTypeError, MissingColumnError, LabelValueError
        When there is no such column, its cells are not true or false, or there is no judge.
    """
    if not isinstance(selection, str):
        raise ArgumentTypeError.build(
            f"`selection` is {selection!r:.80}.", accepted="'verdict', 'outcome' or a column."
        )
    if selection == VERDICT:
        return None
    is_column = selection != OUTCOME
    if is_column and labels is None:
        raise ArgumentError.build(
            f"`selection` is {selection!r}, and there is no table to look into.",
            accepted="'verdict' or 'outcome', or a column of a data frame.",
        )
    if is_column and labels is not None and selection not in labels.column_names:
        raise MissingColumnError.for_column(
            selection,
            "selection",
            [str(name) for name in labels.column_names],
            "'verdict' and 'outcome' need no column.",
        )
    _require_judges(counts)
    shows = (counts.patterns[:, _BOUGHT] != -1).any(axis=1)
    if not is_column or labels is None:
        return np.asarray(np.where(shows, counts.counts, 0))
    return np.asarray(np.where(shows, _flagged(counts, labels, selection), 0))


def _require_judges(counts: PatternCounts) -> None:
    if not counts.judges:
        raise ArgumentError.build(
            "`selection` says that labels were bought by outcome, and there is no judge.",
            accepted="At least one judge: such labels tell of judges and of nothing else.",
            hint='judges=[rat.Judge("verdict", of="task")]',
        )
    is_own = bool(counts.apart) or any(judge.share != "all" for judge in counts.judges)
    if counts.n_groups > 1 and is_own:
        raise ArgumentError.build(
            "Labels were bought by outcome, and a judge has rates of its own in some group.",
            accepted="Judges with share='all' and no group `apart`, or one group.",
            hint="fit each group by itself.",
        )


def _flagged(
    counts: PatternCounts, labels: Labels, column: str
) -> Int64[np.ndarray, "group pattern"]:
    """Rows of each pattern on which the column is true."""
    rows = labels.rows_by(column)
    odd = [value for value in rows.values if value not in (0, 1)]
    if odd:
        raise LabelValueError.build(
            f"The column {column!r} (selection) holds {odd[0]!r:.40}.",
            accepted="True where a row's labels were bought by outcome, else False or missing.",
        )
    yes = [i for i, value in enumerate(rows.values) if value == 1]
    number = {pattern.tobytes(): i for i, pattern in enumerate(counts.patterns)}
    place = {key: i for i, key in enumerate(counts.groups)}
    found = np.zeros(counts.counts.shape, dtype=np.int64)
    chosen = np.isin(rows.cluster, yes)
    both = np.column_stack([rows.group[chosen], rows.patterns[chosen]])
    for (group, *pattern), n in zip(*np.unique(both, axis=0, return_counts=True), strict=True):
        key = np.array(pattern, dtype=np.int8).tobytes()
        found[place[rows.groups[group]], number[key]] += n
    return found


def without_outcome_labels(
    counts: PatternCounts, chosen: Int64[np.ndarray, "group pattern"]
) -> PatternCounts:
    """The counts with human labels of R and T (and answerable) hidden on the chosen rows."""
    hidden = counts.patterns.copy()
    hidden[:, _BOUGHT] = -1
    shown, patterns = np.tile(counts.patterns, (2, 1)), np.concatenate([counts.patterns, hidden])
    rows = np.concatenate([counts.counts - chosen, chosen], axis=1)
    return replace(
        counts,
        patterns=patterns,
        counts=rows,
        deff=carried_effects(rows, counts.deff, shown, patterns),
    )


def about_rates_only(
    counts: PatternCounts, chosen: Int64[np.ndarray, "group pattern"], priors: Priors
) -> Priors:
    """Priors of the rates with P(verdict | truth) of the chosen rows counted in.

    Notes
    -----
    A row with truth y and verdict j contributes P(j | y), one TPR or FPR, which is a label of
    that rate's Beta prior; of a judge with levels, or with rates for more than the truth, it is
    one label of every split on the way, of those that the labels leave no doubt about. Its A and
    j, of which nobody chose it, stay in the counts with the truth hidden: what the verdicts of
    chosen rows say of the rates is counted in both places, which is a composite likelihood, not
    a full one. Rows in clusters are divided by their design effect.
    """
    emissions = emissions_of(counts.judges, counts.retrieval_levels)
    found = dict(priors.to_dict())
    agrees = compatible_worlds(counts.patterns, len(counts.retrieval_levels))
    rows = (chosen / (counts.deff @ kinds_of_rows(counts.patterns))).sum(axis=0)
    for i in np.flatnonzero(rows):
        verdicts = counted_verdicts(counts.patterns[i], emissions)
        for rate, outcome in _certain(emissions, verdicts, np.flatnonzero(agrees[i]).tolist()):
            beta = list(found[emissions.names[rate]])
            beta[1 - outcome] += float(rows[i])
            found[emissions.names[rate]] = beta
    return Priors.from_dict(found, priors.levels).holding(priors.held)


def _certain(emissions: Emissions, verdicts: Sequence[int], worlds: Sequence[int]) -> set[Step]:
    """Splits on the way to the verdicts in whichever of the worlds the row is."""
    ways = [set(steps) for world in worlds for steps, _ in emissions.products(verdicts, world)]
    return set.intersection(*ways) if ways else set()


def anchored(
    draws: Draws,
    counts: PatternCounts,
    chosen: Int64[np.ndarray, "group pattern"],
    priors: Priors,
) -> Draws:
    """The draws of one group with the table and the priors as they were given.

    What the diagnosis says of mirror solutions goes where the chosen rows tell them apart.
    """
    by_of: dict[str, bool] = {}
    for j, judge in enumerate(counts.judges):
        by_of[judge.of] = by_of.get(judge.of, False) or _shows_every_truth(counts, chosen, j)
    gone: tuple[str, ...] = _ABOUT_ANCHORS if by_of.get("retrieval") and by_of.get("task") else ()
    if by_of.get("task") and not gone:
        gone = _ABOUT_ANCHORS[:1]
    messages: tuple[Message, ...] = tuple(
        message for message in draws.diagnosis.messages if message.code not in gone
    )
    diagnosis = replace(draws.diagnosis, messages=messages)
    return replace(draws, priors=priors, conjugate=None, diagnosis=diagnosis)


def _shows_every_truth(
    counts: PatternCounts, chosen: Int64[np.ndarray, "group pattern"], j: int
) -> bool:
    """Whether chosen rows show the verdicts of judge `j` beside each value of its truth."""
    of = counts.judges[j].of
    n_values = len(counts.retrieval_levels) if of == "retrieval" else 2
    said = (counts.patterns[:, FIRST_JUDGE + j] >= 0) & (chosen.sum(axis=0) > 0)
    shown = counts.patterns[said, PATTERN_COLUMNS.index(of)]
    return len(np.unique(shown[shown >= 0])) == n_values
