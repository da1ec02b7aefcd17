"""Is a judge that groups share the same instrument in all of them? Scores of its rates by group.

A group in which a judge has rates of its own has another slope at the rates that all groups share.
All rows count: those that show the truth say how often the judge passes what is right and what is
wrong, those that do not whether P(right) of the group, as people label it, goes with how much the
judge passes there. What the group's own probabilities explain is taken out (`dependence`), and
what the rates of all groups would be without it. What is found of errors that depend can be let in.

Rates that differ are a normal vector around 0 on the scale of logits; its Bayes factor against
none, and how large the sum of all is by chance, as in `departures`.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.special import logsumexp

from rat_widgets.inference.departures import (
    LEANING,
    LEAST_INFORMATION,
    JudgeTest,
    chance_threshold,
)
from rat_widgets.inference.dependence import GroupScores, drawn_tables
from rat_widgets.inference.threads import product as inner

if TYPE_CHECKING:
    from rat_widgets.labels.judges import Judge

__all__ = ["Differs", "SharingTests", "sharing_tests"]

# Of rates of which no rows tell.
_FAINT: Final = 1e-6
_DIGITS: Final = 5
# Tables drawn from the model, and numbers that their slopes may take.
_MOST_DRAWN: Final = 1000
_FEWEST: Final = 200
_NUMBERS: Final = 20_000_000


class Differs(NamedTuple):
    """A group for which a judge is another one, both by position, and its log Bayes factor."""

    group: int
    judge: int
    log_bf: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SharingTests:
    """Slopes of the judges' rates by group, made by `sharing_tests`.

    Attributes
    ----------
    slopes : array, shape (1 + draw, group, rate)
        Of the table, then of tables drawn from the model; after the judges' rates what is let in.
    information : array, shape (group, rate, rate)
    prior_information : array, shape (rate, rate)
        Of what is let in, and next to nothing of the judges' rates: that a prior is not like the
        rows of any group does not say that groups differ.
    rates : tuple of arrays
        The rates of each judge, by position among them all; none of saturated judges and of what
        is held.
    """

    slopes: Float[np.ndarray, "draw group rate"]
    information: Float[np.ndarray, "group rate rate"]
    prior_information: Float[np.ndarray, "rate rate"]
    rates: tuple[Int[np.ndarray, " own"], ...]

    def found(self, level: float) -> list[Differs]:
        """Judges that differ in a group, the clearest first, each then with rates of its own there.

        Several judges may differ in one group; one group at least is left that others differ from.
        """
        left = self
        found: list[Differs] = []
        # Fewer rates exceed less by chance: what exceeds an earlier threshold need not be drawn.
        threshold = np.inf
        while True:
            (factors,) = left._factors(slice(1), found)
            # Where rows can tell next to nothing chance gives no number to go by.
            if not factors.max(initial=-np.inf) > 0:
                break
            together = logsumexp(factors)
            if not together > threshold:
                by_chance = left._factors(slice(1, None), found)
                threshold = chance_threshold(logsumexp(by_chance, axis=(1, 2)), level)
                if not together > threshold:
                    break
            # Of two groups either differs from the other by as much: the first is named.
            clearest = int(factors.round(_DIGITS).argmax())
            g, j = (int(i) for i in np.unravel_index(clearest, factors.shape))
            found.append(Differs(g, j, float(factors[g, j])))
            left = left._apart(g, self.rates[j])
        return found

    def _apart(self, group: int, own: Int[np.ndarray, " own"]) -> SharingTests:
        """With rates of its own in a group: what these explain there is taken out."""
        slopes, information = self.slopes.copy(), self.information.copy()
        there = information[group]
        known = there[np.ix_(own, own)] + _FAINT * np.eye(len(own))
        explained = np.linalg.solve(known, there[own])  # own, rate
        information[group] = there - there[:, own] @ explained
        slopes[:, group] -= slopes[:, group, own] @ explained
        return replace(self, slopes=slopes, information=information)

    def _factors(
        self, tables: slice = slice(None), apart: Collection[Differs] = ()
    ) -> Float[np.ndarray, "table group judge"]:
        """Log Bayes factors of rates of its own, of each group and judge; -inf: nothing to tell."""
        slopes, information = self.slopes[tables], self.information
        total = slopes.sum(axis=1)
        known = information.sum(axis=0) + self.prior_information
        taken = np.linalg.solve(known, information)  # group, rate, rate
        left = slopes - np.einsum("dr,grs->dgs", total, taken)
        variance = information - information @ taken
        found = np.full((*slopes.shape[:2], len(self.rates)), -np.inf)
        is_named = np.isin(np.arange(slopes.shape[1]), [one.group for one in apart])
        for j, own in enumerate(self.rates):
            if not len(own):
                continue
            v = variance[:, own[:, None], own]
            grown = np.eye(len(own)) + LEANING**2 * v
            weight = LEANING**2 * np.linalg.inv(grown)
            u = left[:, :, own]
            log_bf = np.einsum("dgr,grs,dgs->dg", u, weight, u) - np.linalg.slogdet(grown)[1]
            told = np.trace(v, axis1=1, axis2=2) > LEAST_INFORMATION
            told[[one.group for one in apart if one.judge == j]] = False
            if (~is_named).sum() == 1:
                told &= is_named
            found[:, told, j] = log_bf[:, told] / 2
        return found


def sharing_tests(
    scores: GroupScores, judges: tuple[Judge, ...], *, given: Sequence[JudgeTest] = ()
) -> SharingTests:
    """Of judges that all groups share; what was found to lean on something is let in.

    A tilt that groups share is one more rate of theirs, around 0 by a normal prior of `LEANING`.
    """
    about = {(test.judges, test.context) for test in given}
    tilts = [
        i for i, tilt in enumerate(scores.scores[0].tilts) if (tilt.judges, tilt.context) in about
    ]
    n = len(scores.rates) + len(tilts)
    n_draws = int(np.clip(_NUMBERS // (len(scores.parts) * max(1, n)), _FEWEST, _MOST_DRAWN))
    slopes, information = [], []
    for g, (one, part) in enumerate(zip(scores.scores, scores.parts, strict=True)):
        left = np.concatenate([part.gaps, part.score[:, tilts]], axis=1)
        every = np.concatenate([one.gaps[:, scores.rates], one.score[:, tilts]], axis=1)
        slope = np.concatenate([part.slope, part.u[tilts]])
        slopes.append(np.vstack([slope, inner(drawn_tables(one.expected, n_draws, g), left)]))
        information.append(inner(every.T, left * one.expected[:, None]))
    place = {int(rate): i for i, rate in enumerate(scores.rates)}
    rates = [
        [] if judge.dependence == "saturated" else [place[rate] for rate in places if rate in place]
        for judge, places in zip(judges, scores.places, strict=True)
    ]
    around = np.concatenate([np.full(len(scores.rates), _FAINT), np.full(len(tilts), LEANING**-2)])
    return SharingTests(
        slopes=np.stack(slopes, axis=1),
        information=np.array(information),
        prior_information=np.diag(around),
        rates=tuple(np.array(one, dtype=int) for one in rates),
    )
