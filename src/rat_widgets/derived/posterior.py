"""Posterior: draws and a policy, with the labels they came from when there are some."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from rat_widgets.derived.arviz import to_arviz
from rat_widgets.derived.by_key import draws_of, every_quantity
from rat_widgets.derived.headline import headline
from rat_widgets.derived.intervals import CiKind
from rat_widgets.derived.judge_checks import JudgeChecks, judge_checks
from rat_widgets.derived.judge_findings import JudgeFinding
from rat_widgets.derived.judging import judge_table
from rat_widgets.derived.nodes import NODES, node_worlds
from rat_widgets.derived.pins import pinned_theta, read_pins
from rat_widgets.derived.policy import Policy
from rat_widgets.derived.shared_judges import differs_here
from rat_widgets.derived.summary import summarise
from rat_widgets.derived.these_rows import (
    Estimand,
    pattern_memberships,
    read_estimand,
    read_rows_seed,
    row_theta,
    row_worlds,
)
from rat_widgets.errors import ArgumentError, NoRowsError
from rat_widgets.inference.draws import Draws
from rat_widgets.model.worlds import Worlds, world_probabilities, worlds_of

if TYPE_CHECKING:
    from rat_widgets.derived.shared_judges import JudgeDiffers
    from rat_widgets.inference.diagnose import Diagnosis
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.labels.table import Labels

__all__ = ["NODES", "Posterior", "node_worlds"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Posterior:
    """What the data and the priors say about one system.

    ``posterior[key]`` gives draws, shape (chain, draw), of any quantity, of a world's
    probability, or of a judge's rate (``tpr[name]``, ``fpr[name]``; of one that may say
    that it cannot tell ``unknown_given_1[name]`` and ``unknown_given_0[name]``).

    Attributes
    ----------
    draws : Draws
        Draws of the parameters, the counts they rest on, engine, seed and versions.
    policy : Policy
        What each world is worth; ``posterior["policy_adherence"]`` follows it.
    answerability : Draws or None
        A second fit in which *answerable* stands in retrieval's place; None without that label.
    labels : Labels or None
        The rows, when the posterior was fitted from a table.
    notices : tuple
        Messages of the diagnosis that come from the labels and not from the draws.
    pins : mapping
        Probability -> the value it was set to in every draw: a what-if, made by `pin`. Empty
        for a posterior as it was fitted.
    estimand : "population" or "these_rows"
        What the numbers are about: queries like these, or exactly the rows in hand, of which
        the labels that were seen are known. The judges' rates are the population's either way.
    rows_seed : int
        Seed of what nobody saw of the rows in hand.
    selection : str
        "verdict"; "outcome" or a column where human labels tell of the judges' rates only.
    """

    draws: Draws
    policy: Policy
    answerability: Draws | None = None
    labels: Labels | None = None
    group_index: int | None = None
    notices: tuple[Any, ...] = ()
    pins: Mapping[str, float] = field(default_factory=dict)
    estimand: Estimand = "population"
    rows_seed: int = 0
    selection: str = "verdict"

    def __post_init__(self) -> None:
        read_estimand(self.estimand)

    @property
    def counts(self) -> PatternCounts:
        """Pattern counts of this system."""
        return self.draws.counts

    @property
    def engine(self) -> str:
        """Name of the engine that drew."""
        return self.draws.engine

    @property
    def group(self) -> dict[str, str | int | float | bool]:
        """Column -> value of this system's group; empty when there are no groups."""
        return dict(zip(self.counts.by, self.counts.groups[0], strict=True))

    @property
    def tree(self) -> Worlds:
        """Names of the levels of retrieval, of the worlds, and of the tree's probabilities."""
        return worlds_of(self.counts.retrieval_levels)

    @cached_property
    def worlds(self) -> Float[np.ndarray, "chain draw world"]:
        """Probability of each world, per draw, in the order of ``tree.names``."""
        if self.is_of_rows and not self.pins:
            return self._shares
        return world_probabilities(self.theta)

    @cached_property
    def theta(self) -> Float[np.ndarray, "chain draw theta"]:
        """The free probabilities, per draw, in the order of ``tree.parameters``, under the pins.

        Of the rows in hand they are shares of rows; where no row gets to the question, those of
        the population.
        """
        theta = self.draws.theta
        if self.is_of_rows:
            theta = row_theta(self._shares, theta, self.tree)
        return pinned_theta(theta, self.pins, self.tree) if self.pins else theta

    @property
    def is_of_rows(self) -> bool:
        """Whether the numbers are about exactly the rows in hand."""
        return self.estimand == "these_rows"

    @cached_property
    def _shares(self) -> Float[np.ndarray, "chain draw world"]:
        """Share of each world among the rows in hand, per draw."""
        return row_worlds(self.draws, seed=self.rows_seed)

    @property
    def diagnosis(self) -> Diagnosis:
        """Whether to trust this posterior, why, and what to do."""
        diagnosis = self.draws.diagnosis
        asked = self.answerability
        found = [one.message for one in self.judge_findings]
        found += [one.message for one in differs_here(self)]
        more = (*(() if asked is None else asked.diagnosis.messages), *self.notices, *found)
        if not more:
            return diagnosis
        return dataclasses.replace(diagnosis, messages=(*diagnosis.messages, *more))

    def keys(self) -> list[str]:
        """Keys of `summary`: quantities, then the judges' rates."""
        return list(self.quantities())

    def quantities(self) -> dict[str, Float[np.ndarray, "chain draw"]]:
        """Draws of every quantity and every judge's rates, by key."""
        return every_quantity(self)

    def __getitem__(self, key: str) -> Float[np.ndarray, "chain draw"]:
        return draws_of(self, key)

    def with_policy(self, policy: str | Mapping[str, float] | Policy) -> Posterior:
        """The same draws read under another policy."""
        return dataclasses.replace(self, policy=Policy.from_spec(policy, self.tree.levels))

    def pin(self, pins: Mapping[str, float] | None = None, **named: float) -> Posterior:
        """A what-if: these probabilities set in every draw, the others as they were fitted.

        The others keep their draws: pinning asks what would happen if a system declined more
        often, say, and is not an observation that would teach anything about the rest.

        Parameters
        ----------
        pins : mapping
            Any of ``tree.branches``, with two levels of retrieval the five probabilities -> a
            value from 0 to 1. Pinned levels of graded retrieval leave the rest to the other
            levels, in the proportions of each draw.
        **named
            The same as keywords: ``posterior.pin(abstain_given_miss=0.7)``.

        Returns
        -------
        Posterior
            With the pins of this one as well; a name that is given again takes the new value.
            Quantities of answerability, which stand on a fit of their own, are left out, and a
            conditional whose condition has no mass is NaN. `rows` and `membership` stay those
            of the fit, since rows are what was seen.

        Raises
        ------
        ArgumentError
            For a name that is not a branch, a value out of range, or pinned levels of retrieval
            that do not add up.
        """
        tree = self.tree
        asked = {**self.pins, **read_pins(pins, tree), **read_pins(named, tree)}
        moved = dataclasses.replace(self, pins={k: asked[k] for k in tree.branches if k in asked})
        _ = moved.theta  # pins that do not add up are an error here, not later
        return moved

    def unpin(self) -> Posterior:
        """The posterior as it was fitted."""
        return dataclasses.replace(self, pins={}) if self.pins else self

    def for_these_rows(self, seed: int | None = None) -> Posterior:
        """The same draws read as numbers about exactly the rows in hand.

        Labels that were seen count as known, and per draw of the parameters the worlds of what
        was not seen are drawn given what each row shows: intervals are no wider than those of
        the population, and have no width where every label was seen. Right for a report on
        one finished table; a comparison, a gate or a plan asks for the population.

        Parameters
        ----------
        seed : int, optional
            That of the fit when left out. The same seed gives the same numbers.

        Returns
        -------
        Posterior
            Its quantities, worlds and policy are shares of the rows that were counted (errored
            rows as ``errored_as`` says); rates of judges, `membership` and `rows` stay.
        """
        if self.selection != "verdict":
            raise ArgumentError.build(
                f"Labels were bought by outcome, selection={self.selection!r}.",
                accepted="Numbers about the population there.",
            )
        chosen = self.draws.seed if seed is None else read_rows_seed(seed)
        return dataclasses.replace(self, estimand="these_rows", rows_seed=chosen)

    def for_population(self) -> Posterior:
        """The same draws read as numbers about queries like these: the default."""
        if not self.is_of_rows:
            return self
        return dataclasses.replace(self, estimand="population", rows_seed=0)

    def summary(self, *, ci_prob: float = 0.95, ci_kind: CiKind = "eti") -> pd.DataFrame:
        """One row per quantity.

        Parameters
        ----------
        ci_prob : float
            Posterior probability inside the interval.
        ci_kind : {"eti", "hdi"}
            Equal-tailed or shortest.

        Returns
        -------
        DataFrame
            Index: the keys of `keys`. Columns: mean, sd, lower, upper, ess_bulk, r_hat and
            mcse (Monte Carlo standard error of the mean). Missing where a quantity is undefined.
            ``attrs`` keep ci_prob, ci_kind and the estimand.
        """
        frame = summarise(self.quantities(), ci_prob=ci_prob, ci_kind=ci_kind)
        frame.attrs["estimand"] = self.estimand
        return frame

    @property
    def judges(self) -> pd.DataFrame:
        """How far each judge can be trusted: `judge_summary` with its defaults."""
        return self.judge_summary()

    def judge_summary(
        self,
        *,
        ci_prob: float = 0.95,
        ci_kind: CiKind = "eti",
        cut: Mapping[str, Any] | None = None,
    ) -> pd.DataFrame:
        """One row per judge.

        Parameters
        ----------
        ci_prob : float
            Posterior probability inside the intervals.
        ci_kind : {"eti", "hdi"}
            Equal-tailed or shortest.
        cut : mapping, optional
            Key of a graded judge -> the level from which on it passes, as TPR and FPR count;
            the one that tells best when left out. A way of showing, not a refit.

        Returns
        -------
        DataFrame
            Index: the judges' keys, as in ``tpr[key]``. Columns: ``of``, what is judged;
            ``n_human`` and ``n_only``, rows that the judge decided with and without the human
            label beside them, and ``n_unknown``, rows on which it said "unknown"; the means of
            ``tpr``, ``fpr``, ``ppv``, ``npv``, ``kappa`` and ``youden`` (TPR - FPR) with the
            ends of their intervals in ``..._lower`` and ``..._upper``; ``worth`` for
            policy_adherence and ``worth_task_success``, what the judged rows are worth with
            their A, in joint human labels, and in ``..._verdicts`` what the verdicts add beyond
            that A; ``inf`` where it is more than there are rows. See `judging.judge_measures` and
            `worth.verdict_worth`.
        """
        return judge_table(self, ci_prob=ci_prob, ci_kind=ci_kind, cut=cut)

    def check_judges(self) -> pd.DataFrame:
        """Whether judges err by the truth alone, and each by itself; see `JudgeChecks.frame`."""
        return self._judge_checks.frame()

    @cached_property
    def judge_findings(self) -> tuple[JudgeFinding, ...]:
        """What `check_judges` found, with the keywords of `rat.Judge` that cure it."""
        return self._judge_checks.findings

    @property
    def judges_that_differ(self) -> tuple[JudgeDiffers, ...]:
        """Systems, this or others of the fit, for which a judge that they share is another one."""
        return self._judge_checks.differs

    @cached_property
    def _judge_checks(self) -> JudgeChecks:
        return judge_checks(self)

    def membership(self, node: str | Iterable[str]) -> Float[np.ndarray, " pattern"]:
        """P(row belongs to the node | what its pattern shows), for ``counts.patterns``.

        Exactly 0 or 1 where the pattern settles it.
        """
        return self._membership(node_worlds(node, self.policy), self.counts.patterns)

    def _membership(
        self, worlds: tuple[str, ...], patterns: np.ndarray
    ) -> Float[np.ndarray, " pattern"]:
        joint = pattern_memberships(self.draws, patterns)
        inside = joint[..., [self.tree.names.index(w) for w in worlds]].sum(axis=-1)
        return np.asarray((inside / joint.sum(axis=-1)).mean(axis=0))

    def rows(self, node: str | Iterable[str]) -> Any:
        """The rows behind a node, as a frame of the kind that was given.

        Parameters
        ----------
        node : str or worlds
            One of the worlds; an inner node ("hit", "miss_answered", ...); "good" or "bad"
            (by the policy); or several worlds.

        Returns
        -------
        frame
            All columns of the rows that are, or may be, in the node, in their own order, and
            ``probability``: 1 where the labels settle it, less where labels are missing.

        Raises
        ------
        NoRowsError
            When the posterior came without labels.
        """
        worlds = node_worlds(node, self.policy)
        if self.labels is None:
            raise NoRowsError.build(
                "This posterior came without rows: it was fitted from counts or loaded.",
                hint="fit a data frame or Labels to be able to ask for rows.",
            )
        probability = self._membership(worlds, self.labels.counts.patterns)
        return self.labels.rows(probability, group=self.group_index)

    def to_arviz(self) -> Any:
        """An ArviZ container (ArviZ 1.x: a DataTree) with dims chain, draw and judge.

        Raises
        ------
        MissingPackageError
            When ArviZ is not installed.
        """
        return to_arviz([self])

    def __repr__(self) -> str:
        return headline(self)
