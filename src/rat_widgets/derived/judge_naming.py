"""What is said of judges' errors: departures from the model, one after the other.

Whether there is anything is asked of all tests together. What is named is what explains most of
it. Then the rest is asked again, without the verdicts that are concerned: a judge that leans on
something seems to lean on all that goes with it, and makes others seem to err together.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from jaxtyping import Float

from rat_widgets.inference.attribution import Departure, gains
from rat_widgets.inference.dependence import GroupScores, dependence_tests, group_scores
from rat_widgets.model.likelihood import FIRST_JUDGE

if TYPE_CHECKING:
    from rat_widgets.inference.departures import DependenceTests, JudgeTest, Tested
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.model.priors import Priors

__all__ = ["JudgeRows", "departure_of", "named"]

# More departures than these are not compared, the clearest first; and of pairs that others may join
# so many are looked at.
_MOST_COMPARED: Final = 30
_MOST_GROWN: Final = 3


class JudgeRows(NamedTuple):
    """Rows of a system, or of several that share these judges, and where their mode is looked for.

    From the answers `cuts` on verdicts of the judges pass.
    """

    counts: PatternCounts
    priors: Priors
    start: Float[np.ndarray, " parameter"]
    cuts: tuple[int, ...]

    def scores(self) -> GroupScores:
        """What tests are made of; see `group_scores`."""
        return group_scores(self.counts, self.priors, self.start)

    def only(self, groups: Collection[int]) -> JudgeRows:
        """The rows of these systems, by position."""
        return self._replace(counts=self.counts.select(sorted(groups)))

    def without(self, judges: Collection[int]) -> JudgeRows:
        """The rows as if these judges, by position, had said nothing."""
        patterns = self.counts.patterns.copy()
        patterns[:, [FIRST_JUDGE + j for j in judges]] = -1
        return self._replace(counts=replace(self.counts, patterns=patterns))


def departure_of(test: JudgeTest) -> Departure:
    """What a test is about."""
    return test.judges, test.context


def named(
    rows: JudgeRows,
    tests: DependenceTests,
    asked: Sequence[Departure],
    *,
    known: Sequence[Departure] = (),
    level: float,
) -> list[Departure]:
    """The departures that are worth a word, in the order in which they were found.

    Parameters
    ----------
    rows : JudgeRows
    tests : DependenceTests
        Of these rows.
    asked : sequence of pairs
        Departures that may be named.
    known : sequence of pairs
        Those that were found elsewhere.
    level : float
        Share of tables, all judges well-behaved, in which one is named.
    """
    left = _Left(rows, tests, level)
    past: list[Departure] = []
    for about in known:
        past.append(about)
        left = left.without([about], asked, past, level)
    while left.margin(tested := left.open(asked, past)) > 0:
        family = left.likeliest(tested)
        past += family
        left = left.without(family, asked, past, level)
    return past[len(known) :]


class _Left(NamedTuple):
    """Rows on which nothing that was found shows any more, and the tests on them.

    By chance they speak up in the share `level` of tables.
    """

    rows: JudgeRows
    tests: DependenceTests
    level: float

    def open(self, asked: Collection[Departure], past: Sequence[Departure]) -> Tested:
        """What may still be said beside what was."""

        def is_open(test: JudgeTest) -> bool:
            about = departure_of(test)
            return about in asked and all(_go_together(about, one) for one in past)

        return self.tests.all().only(is_open)

    def without(
        self,
        family: Sequence[Departure],
        asked: Collection[Departure],
        past: Sequence[Departure],
        level: float,
    ) -> _Left:
        """Without the verdicts concerned; of judges that go together two by two one stays.

        It is one of the first two, with which more is left to find.
        """
        judges = sorted({j for about, _ in family for j in about})
        is_by_twos = all(context is None and len(about) == 2 for about, context in family)
        silent = [[*{*judges} - {j}] for j in family[0][0]] if is_by_twos else [judges]
        ways = [
            _Left(rows, dependence_tests(rows.scores()), level / len(silent))
            for rows in map(self.rows.without, silent)
        ]
        return max(ways, key=lambda way: way.margin(way.open(asked, past)))

    def margin(self, tested: Tested) -> float:
        """By how much the evidence exceeds what chance gives in so many tables.

        Where rows can tell next to nothing chance gives no number to go by.
        """
        if max((test.log_bf for test in tested.tests), default=-np.inf) <= 0:
            return -np.inf
        return tested.evidence - tested.threshold(self.level)

    def likeliest(self, tested: Tested) -> list[Departure]:
        """What explains most: one departure, or several pairs that have a judge in common.

        All judges of one truth where no fewer of them explain as much, told by logs of Bayes
        factors: of a small part in each pair nothing but their sum can be seen.
        """
        told = sorted((t for t in tested.tests if t.log_bf > 0), key=lambda test: test.p)
        some = [t for t in told if not _is_of_all(t)][:_MOST_COMPARED]
        every = max((t for t in told if _is_of_all(t)), key=lambda t: t.log_bf, default=None)
        if not some:
            return [departure_of(told[0])]
        about = [departure_of(t) for t in some]
        gained = gains(*self.rows[:3], about)
        asked = [departure_of(t) for t in tested.tests]
        families = [
            self._grown(about[k], float(gained[k]), asked)
            for k in np.argsort(-gained, kind="stable")[:_MOST_GROWN]
        ]
        family, gain = max(families, key=lambda one: one[1])
        if every is not None and every.log_bf > max(gain, *(t.log_bf for t in some)):
            return [departure_of(every)]
        return family

    def _grown(
        self, start: Departure, gain: float, asked: Sequence[Departure]
    ) -> tuple[list[Departure], float]:
        """A departure and what it gains; a pair with others by which judges join it.

        They join one by one, as long as that explains more.
        """
        (judges, context), family = start, [start]
        if context or gain <= 0:
            return family, gain
        of = {self.rows.counts.judges[j].of for j in judges}
        while True:
            joins = {
                other: one
                for one in asked
                if one[1] is None and len(one[0]) == 2 and {*one[0]} & {*judges}
                for other in {*one[0]} - {*judges}
                if {self.rows.counts.judges[other].of} == of
            }
            if not joins:
                return family, gain
            gained = gains(*self.rows[:3], [((*judges, other), None) for other in joins])
            if gained.max() <= gain:
                return family, gain
            gain = float(gained.max())
            other = list(joins)[int(np.argmax(gained))]
            judges, family = (*judges, other), [*family, joins[other]]


def _is_of_all(test: JudgeTest) -> bool:
    """Whether it is about all judges of a truth, whom its score adds up."""
    return len(test.judges) > 2


def _go_together(one: Departure, other: Departure) -> bool:
    """Whether both may be said: of a judge one thing, but that it may err with several others."""
    first, second = set(one[0]), set(other[0])
    if not first & second:
        return True
    return not (one[1] or other[1] or first <= second or second <= first)
