"""Which of several departures from the model explains a table best.

Where judges err in another way than the model says, whatever hangs together with it looks wrong,
too: two judges that copy each other outvote a third on rows without labels, whose errors then
seem to go with everything. Scores at the mode of the model cannot tell these apart. Here each
departure is let in by itself, the likelihood is maximized anew, by expectation and maximization
in turn, and what it has gained is compared.

A departure lets the answers of one judge have probabilities of their own for each value of
something else: of another variable, or of the verdict of another judge. Where both judge the same
truth that is every way in which two can err together; a third is let lean on what half of them say.
Each probability that is added is charged half the log of the number of rows, so that the gain is,
roughly, the log of a Bayes factor (Schwarz 1978).

References
----------
Schwarz (1978), "Estimating the dimension of a model".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
from jaxtyping import Bool, Float, Int

from rat_widgets.inference.splits import splits_of
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.worlds import compatible_worlds, worlds_of

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.model.priors import Priors

__all__ = ["Departure", "gains"]

# Positions of judges, and the variable that the errors of one may lean on.
Departure: TypeAlias = tuple[tuple[int, ...], str | None]

# Labels by which probabilities are held away from 0 and 1; and those of what is given beforehand.
_FAINT: Final = 0.1
_FIRM: Final = 1e9
_ALL: Final = 1 - 2.0**-53
# Of what cannot be.
_TINY: Final = 1e-300
_MOST_STEPS: Final = 300
_FEWEST_STEPS: Final = 5
# In units of the log likelihood.
_CLOSE: Final = 1e-3


class _Answers(NamedTuple):
    """The answers of one judge, with probabilities of their own in every cell, a class of worlds.

    They may have others for each value of something that rows show; of most judges there is one.

    Attributes
    ----------
    shown : array of 0 and 1, shape (pattern, value * answer)
        What the pattern shows.
    cell : array, shape (world,)
    known : array, shape (value, answer, cell)
        What is known beforehand, as labels.
    """

    shown: Float[np.ndarray, "pattern shown"]
    cell: Int[np.ndarray, " world"]
    known: Float[np.ndarray, "value answer cell"]

    def likeliest(
        self, members: Float[np.ndarray, "pattern world"]
    ) -> Float[np.ndarray, "value answer cell"]:
        """Probabilities, where so many rows of each pattern are in each world."""
        by_world = self.shown.T @ members
        by_cell = np.zeros((self.known.shape[2], len(by_world)))
        np.add.at(by_cell, self.cell, by_world.T)
        every = by_cell.T.reshape(self.known.shape) + self.known
        return every / every.sum(axis=1, keepdims=True)

    def n_free(self) -> int:
        """Probabilities that rows may tell of."""
        n_values, n_answers, n_cells = self.known.shape
        seen = self.shown.reshape(-1, n_values, n_answers).any(axis=(0, 2)).sum()
        return int(seen) * n_cells * (n_answers - 1)


class _Fit(NamedTuple):
    """A maximum of the log likelihood, and where it is."""

    height: float
    theta: Float[np.ndarray, "group parameter"]
    answers: list[Float[np.ndarray, "value answer cell"]]


@dataclass(frozen=True, kw_only=True)
class _Table:
    """Patterns of all groups, one group after the other, and what their likelihood is made of.

    Attributes
    ----------
    rows : array, shape (pattern,)
    group : array, shape (pattern,)
    agrees : array, shape (pattern, world)
    held : array, shape (2, world, parameter)
        Splits of the tree that come out yes on the way to a world, and those that come out no.
    known : array, shape (2, parameter)
        What is known of them beforehand, as labels.
    judges : tuple of _Answers
    """

    rows: Float[np.ndarray, " pattern"]
    group: Int[np.ndarray, " pattern"]
    agrees: Bool[np.ndarray, "pattern world"]
    held: Float[np.ndarray, "2 world parameter"]
    known: Float[np.ndarray, "2 parameter"]
    judges: tuple[_Answers, ...]

    def climb(self, start: _Fit) -> _Fit:
        """The maximum that is reached from a start."""
        shown = np.concatenate([judge.shown for judge in self.judges], axis=1)
        height, theta, answers = start
        for step in range(_MOST_STEPS):
            worlds = np.log(theta) @ self.held[0].T + np.log1p(-theta) @ self.held[1].T
            of_answers = [
                np.log(p[..., judge.cell]).reshape(-1, len(judge.cell))
                for judge, p in zip(self.judges, answers, strict=True)
            ]
            log = worlds[self.group] + shown @ np.concatenate(of_answers)
            # Relative to the best world: of tens of judges nothing else is a number.
            top = np.where(self.agrees, log, -np.inf).max(axis=1, keepdims=True)
            joint = np.exp(np.minimum(log - top, 0.0)) * self.agrees
            total = joint.sum(axis=1, keepdims=True)
            last, height = height, float(self.rows @ (top + np.log(total))[:, 0])
            if step >= _FEWEST_STEPS and height - last < _CLOSE:
                break
            members = joint * (self.rows[:, None] / total)
            by_group = np.zeros((len(theta), members.shape[1]))
            np.add.at(by_group, self.group, members)
            yes, no = np.einsum("gw,swp->sgp", by_group, self.held) + self.known[:, None]
            theta = yes / (yes + no)
            answers = [judge.likeliest(members) for judge in self.judges]
        return _Fit(height, theta, answers)


def gains(
    counts: PatternCounts,
    priors: Priors,
    start: Float[np.ndarray, " parameter"],
    departures: Sequence[Departure],
) -> Float[np.ndarray, " departure"]:
    """What each departure explains, let in by itself.

    Parameters
    ----------
    counts : PatternCounts
        One group, or several that share all judges. Verdicts of saturated judges are not regarded.
    priors : Priors
        What is beyond a flat prior counts as labels.
    start : array, shape (parameter,)
        Posterior means, from where the maximum is looked for.
    departures : sequence of pairs
        A judge by its position, in a tuple of one, and the variable that its errors may lean on;
        or judges that may err together, and None: the second with the first, each other with what
        at least half of those before it say.

    Returns
    -------
    array, shape (departure,)
        Log likelihood gained, less what is charged for the probabilities that are added.
    """
    verdicts, table = _table(counts, priors)
    found = table.climb(_from(counts, start, table))
    charge = 0.5 * np.log(table.rows.sum())
    gained = []
    for departure in departures:
        freed = _freed(counts, table.judges, verdicts, departure)
        judges, answers = list(table.judges), list(found.answers)
        for j, one in freed.items():
            answers[j] = _as_before(answers[j], judges[j], one)
            judges[j] = one
        there = replace(table, judges=tuple(judges)).climb(found._replace(answers=answers))
        added = sum(one.n_free() - table.judges[j].n_free() for j, one in freed.items())
        gained.append(there.height - found.height - charge * added)
    return np.array(gained)


def _freed(
    counts: PatternCounts,
    judges: Sequence[_Answers],
    verdicts: Int[np.ndarray, "pattern judge"],
    departure: Departure,
) -> dict[int, _Answers]:
    """Position -> answers of the judges that a departure frees."""
    (first, *others), context = departure
    if context:
        return {first: _by_variable(judges[first], _values(counts, context))}
    freed = {}
    for k, j in enumerate(others):
        before = verdicts[:, [first, *others[:k]]]
        n_answers = [len(counts.judges[i].answers) for i in (first, *others[:k])]
        said = before[:, 0] if k == 0 else _half_pass(before, np.array(n_answers))
        freed[j] = _by_verdict(judges[j], said, verdicts[:, j])
    return freed


def _half_pass(
    verdicts: Int[np.ndarray, "pattern judge"], n_answers: Int[np.ndarray, " judge"]
) -> Int[np.ndarray, " pattern"]:
    """Whether at least half of the judges pass a row, -1 where none says anything.

    Of grades those in the upper half pass; "cannot tell" is no verdict.
    """
    told = (verdicts >= 0) & (verdicts < n_answers)
    passes = told & (2 * verdicts >= n_answers)
    return np.where(told.any(axis=1), 2 * passes.sum(axis=1) >= told.sum(axis=1), -1)


def _table(
    counts: PatternCounts, priors: Priors
) -> tuple[Int[np.ndarray, "pattern judge"], _Table]:
    """Verdicts that are regarded, -1 where there is none; and the table."""
    worlds = worlds_of(counts.retrieval_levels)
    patterns = counts.patterns.astype(int)
    patterns[:, FIRST_JUDGE - 1] = -1
    for j, judge in enumerate(counts.judges):
        if judge.dependence == "saturated":
            patterns[:, FIRST_JUDGE + j] = -1
    group, which = np.nonzero(counts.effective > 0)
    keys = np.column_stack([group, patterns[which]])
    distinct, where = np.unique(keys, axis=0, return_inverse=True)
    seen = distinct[:, 1:]
    held = np.zeros((2, len(worlds.names), len(worlds.parameters)))
    for w in range(len(worlds.names)):
        for parameter, outcome in worlds.held(w):
            held[1 - outcome, w, parameter] = 1
    verdicts, prior = seen[:, FIRST_JUDGE:], _beyond_flat(counts, priors)
    return verdicts, _Table(
        rows=np.bincount(where.reshape(-1), counts.effective[group, which]),
        group=distinct[:, 0],
        agrees=compatible_worlds(seen.astype(np.int8), worlds.n_levels),
        held=held,
        known=prior[: len(worlds.parameters)].T + _FAINT,
        judges=_judges(counts, verdicts, prior, priors.held_at),
    )


def _beyond_flat(counts: PatternCounts, priors: Priors) -> Float[np.ndarray, "parameter 2"]:
    """What is known beforehand, as labels."""
    emissions = emissions_of(counts.judges, counts.retrieval_levels)
    flat = np.ones((len(priors.names), 2))
    first = len(flat) - len(emissions.names)
    for one, places in zip(emissions.judges, emissions.places, strict=True):
        flat[[first + rate for rate in places]] = one.flat
    return np.maximum(priors.as_array() - flat, 0)


def _judges(
    counts: PatternCounts,
    verdicts: Int[np.ndarray, "pattern judge"],
    prior: Float[np.ndarray, "parameter 2"],
    held_at: dict[int, float],
) -> tuple[_Answers, ...]:
    """As the model has them; what is known of rates counts for the answers that they lead to."""
    labels = prior.sum(axis=1)
    mean = (prior[:, 0] + _TINY) / (labels + 2 * _TINY)
    for place, value in held_at.items():
        labels[place], mean[place] = _FIRM, np.clip(value, _TINY, _ALL)
    splits = splits_of(counts.patterns[:1], counts.judges, counts.retrieval_levels)
    by_world = splits.answer_probabilities(mean)
    judges = []
    for j, judge in enumerate(emissions_of(counts.judges, counts.retrieval_levels).judges):
        speakers = _speakers(judge.cell)
        asked = splits.answers[j, speakers].any(axis=(1, 2))
        # Where no rate is asked the answer is given beforehand.
        weight = np.array([labels[one].max() if one.any() else _FIRM for one in asked])
        known = weight * by_world[j, speakers, : judge.n_answers].T + _FAINT * asked.any(axis=1)
        shown = _one_of(verdicts[:, j], judge.n_answers)
        judges.append(_Answers(shown, np.array(judge.cell), np.maximum(known, _TINY)[None]))
    return tuple(judges)


def _from(counts: PatternCounts, start: Float[np.ndarray, " parameter"], table: _Table) -> _Fit:
    """The start, as probabilities of answers."""
    splits = splits_of(counts.patterns[:1], counts.judges, counts.retrieval_levels)
    by_world = np.maximum(splits.answer_probabilities(start), _TINY)
    answers = [
        by_world[j, _speakers(judge.cell), : judge.known.shape[1]].T[None]
        for j, judge in enumerate(table.judges)
    ]
    theta = start[: table.known.shape[1]]
    return _Fit(-np.inf, np.repeat(theta[None], counts.n_groups, axis=0), answers)


def _speakers(cell: Sequence[int] | Int[np.ndarray, " world"]) -> list[int]:
    """Of each cell the first of its worlds."""
    return [list(cell).index(c) for c in range(max(cell) + 1)]


def _one_of(value: Int[np.ndarray, " pattern"], n: int) -> Float[np.ndarray, "pattern value"]:
    """A column for each value; a row of zeros where it is -1."""
    return (value[:, None] == np.arange(n)).astype(float)


def _by_variable(judge: _Answers, value: Int[np.ndarray, " world"]) -> _Answers:
    """Answers that have other probabilities for each value of a variable of the worlds."""
    pairs = np.column_stack([judge.cell, value])
    distinct, cell = np.unique(pairs, axis=0, return_inverse=True)
    known = np.full((1, judge.known.shape[1], len(distinct)), _FAINT)
    return judge._replace(cell=cell.reshape(-1), known=known)


def _by_verdict(
    judge: _Answers, other: Int[np.ndarray, " pattern"], own: Int[np.ndarray, " pattern"]
) -> _Answers:
    """Answers that have other probabilities for each verdict of another judge, and for none."""
    n_answers, n_values = judge.known.shape[1], int(other.max(initial=-1)) + 2
    code = np.where(own >= 0, (other + 1) * n_answers + own, -1)
    known = np.full((n_values, n_answers, judge.known.shape[2]), _FAINT)
    return judge._replace(shown=_one_of(code, n_values * n_answers), known=known)


def _as_before(
    p: Float[np.ndarray, "value answer cell"], judge: _Answers, freed: _Answers
) -> Float[np.ndarray, "each_value answer each_cell"]:
    """The probabilities of the model, in the cells and for the values of the freed answers."""
    n_values = len(freed.known)
    of_cell = p[:, :, judge.cell[_speakers(freed.cell)]]
    return np.repeat(of_cell, n_values, axis=0) if n_values > 1 else of_cell


def _values(counts: PatternCounts, context: str) -> Int[np.ndarray, " world"]:
    """The value of a variable in each world."""
    worlds = worlds_of(counts.retrieval_levels)
    value = {"retrieval": worlds.level, "abstention": worlds.abstained, "task": worlds.right}
    return np.asarray(value[context]).astype(int)
