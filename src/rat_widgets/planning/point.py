"""Point: where a plan is made, what is known there, and what labels would add.

Everything is in logits of the parameters, where the Fisher information of labels is that of the
scores of a few patterns, and a prior Beta(a, b) knows as much as a + b labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Self

import numpy as np
from jaxtyping import Float, Int8

from rat_widgets.derived.factors import (
    Factors,
    expected_scores,
    factor_names,
    known_information,
)
from rat_widgets.derived.meant import quantity_hint
from rat_widgets.derived.policy import Policy
from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.quantities import POLICY, find_quantity, quantities_of, quantity_draws
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.priors import Priors, judge_keys
from rat_widgets.model.worlds import Worlds, world_probabilities
from rat_widgets.planning.patterns import theta_array, tree_of

__all__ = ["Point", "read_already"]

# Logits of probabilities closer to 0 or 1 have no curvature left.
_EDGE: Final = 1e-6
_STEP: Final = 1e-4
# Labels that a rate which is held counts as.
_FIRM: Final = 1e9


@dataclass(frozen=True, kw_only=True, eq=False)
class Point:
    """One planning point.

    Attributes
    ----------
    names : tuple of str
        Parameters: the free probabilities, then the judges' rates; see `factor_names`.
    values : array, shape (factor,)
        Where the plan is made: the truth as supposed, or the posterior mean.
    prior : array, shape (factor,)
        Information in the priors about each logit.
    tree : Worlds
    judges : tuple of Judge
        Whose verdicts rows may show.
    policy : Policy
    """

    names: tuple[str, ...]
    values: Float[np.ndarray, " factor"]
    prior: Float[np.ndarray, " factor"]
    tree: Worlds
    judges: tuple[Judge, ...]
    policy: Policy

    @classmethod
    def of(cls, x: Any, *, policy: Any = None) -> Self:
        """The point of a Theta or a GradedTheta with flat priors, or of a Posterior's mean."""
        if isinstance(x, Posterior):
            return cls._of_posterior(x if policy is None else x.with_policy(policy))
        tree, values = tree_of(x), theta_array(x)
        if values.ndim != 1:
            raise ArgumentError.build(
                f"A plan is made at one point; `theta` has the shape {values.shape}.",
                accepted="A Theta, a GradedTheta, a Posterior, or an array of shape (3K - 1,).",
            )
        values = np.clip(values, _EDGE, 1 - _EDGE)
        flat = Priors.from_spec(None, (), tree.levels).to_dict()
        weight = np.array([sum(flat[name]) for name in tree.parameters])
        return cls(
            names=tree.parameters,
            values=values,
            prior=weight * values * (1 - values),
            tree=tree,
            judges=(),
            policy=Policy.from_spec("adherence" if policy is None else policy, tree.levels),
        )

    @classmethod
    def _of_posterior(cls, post: Posterior) -> Self:
        draws, tree, judges = post.draws, post.tree, post.counts.judges
        priors = draws.priors.to_dict()
        names = factor_names(tree.parameters, judge_keys(judges), priors)
        rates = draws.by_name()
        theta = post.theta.mean(axis=(0, 1))
        values = np.array([*theta, *(rates[name].mean() for name in names[len(theta) :])])
        values = np.clip(values, _EDGE, 1 - _EDGE)
        held = {*draws.priors.held, *post.pins}
        weight = np.array([_FIRM if name in held else sum(priors[name]) for name in names])
        return cls(
            names=names,
            values=values,
            prior=weight * values * (1 - values),
            tree=tree,
            judges=judges,
            policy=post.policy,
        )

    @cached_property
    def theta(self) -> Float[np.ndarray, " theta"]:
        """The free probabilities."""
        return self.values[: len(self.tree.parameters)]

    @cached_property
    def worlds(self) -> Float[np.ndarray, " world"]:
        """P(world)."""
        return world_probabilities(self.theta)

    @property
    def n_columns(self) -> int:
        """Columns of a pattern: four labels and a verdict of each judge."""
        return FIRST_JUDGE + len(self.judges)

    def factors(self, patterns: Int8[np.ndarray, "pattern column"]) -> Factors:
        """What the patterns are made of."""
        return Factors.of(patterns, self.judges, self.tree.levels, self.names)

    def known(
        self,
        patterns: Int8[np.ndarray, "pattern column"],
        counts: Float[np.ndarray, " pattern"],
    ) -> Float[np.ndarray, "factor factor"]:
        """Information in the priors and in rows that show these patterns."""
        return known_information(self.factors(patterns), counts, self.values, self.prior)

    def joint_rows(self, n: float) -> tuple[np.ndarray, np.ndarray]:
        """Patterns and expected counts of `n` rows with R, A and T."""
        tree = self.tree
        patterns = np.full((len(tree.names), self.n_columns), -1, dtype=np.int8)
        patterns[:, 0], patterns[:, 1] = tree.level, tree.abstained
        patterns[:, 2] = np.where(tree.abstained == 1, -1, tree.right)
        return patterns, n * self.worlds

    def scores(
        self, patterns: Int8[np.ndarray, "pattern column"]
    ) -> Float[np.ndarray, "pattern factor"]:
        """Derivatives of log P(pattern)."""
        return expected_scores(self.factors(patterns), self.values)

    def gradient(self, target: str) -> Float[np.ndarray, " factor"]:
        """Derivatives of a quantity, or of a judge's rate, with respect to the logits.

        Raises
        ------
        ArgumentError
            When there is no such target, or it is undefined at this point.
        """
        found = np.zeros(len(self.names))
        n_theta = len(self.theta)
        if target in self.names[n_theta:]:
            place = self.names.index(target)
            found[place] = self.values[place] * (1 - self.values[place])
            return found
        quantities = quantities_of(self.tree.levels)
        known = [q.key for q in quantities]
        if target not in known:
            raise ArgumentError.build(
                f"There is no target {target!r}.",
                accepted=f"Targets are {', '.join([*known, *self.names[n_theta:]])}.",
                hint=quantity_hint(target, quantities),
            )
        logits = np.log(self.theta) - np.log1p(-self.theta)
        steps = np.concatenate([np.eye(n_theta), -np.eye(n_theta)]) * _STEP
        worlds = world_probabilities(1 / (1 + np.exp(-(logits + steps))))
        if target == POLICY:
            moved = self.policy.value(worlds)
        else:
            levels = self.tree.levels
            moved = quantity_draws(find_quantity(target, levels), worlds, levels)
        up, down = np.split(np.asarray(moved), 2)
        found[:n_theta] = (up - down) / (2 * _STEP)
        return found


def read_already(x: Any, point: Point) -> tuple[np.ndarray, np.ndarray]:
    """Patterns and counts of the rows that are labelled already.

    Parameters
    ----------
    x : None, int, PatternCounts, or anything with `counts`
        None: none. A number: so many joint rows, made up as the point predicts.
    """
    if x is None:
        x = 0
    counts = x if isinstance(x, PatternCounts) else getattr(x, "counts", None)
    if isinstance(counts, PatternCounts):
        return _patterns_of(counts, point)
    if isinstance(x, bool) or not isinstance(x, (int, float, np.integer, np.floating)):
        raise ArgumentTypeError.build(
            f"`already` is {x!r:.80}.",
            accepted="Labels, PatternCounts, or a number of rows that show R, A and T.",
        )
    if not 0 <= x < np.inf:
        raise ArgumentError.build(f"`already` is {x!r}.", accepted="0 or more rows.")
    return point.joint_rows(float(x))


def _patterns_of(counts: PatternCounts, point: Point) -> tuple[np.ndarray, np.ndarray]:
    if counts.n_groups > 1:
        raise ArgumentError.build(
            f"There are {counts.n_groups:,} groups.",
            accepted="One system: a plan is made for each.",
            hint="counts.group(i), or counts.pooled().",
        )
    if counts.retrieval_levels != point.tree.levels:
        raise ArgumentError.build(
            f"R has the levels {_listed(counts.retrieval_levels)} in the labels.",
            accepted=f"Those of the planning point: {_listed(point.tree.levels)}.",
        )
    if counts.judges and counts.judges != point.judges:
        raise ArgumentError.build(
            "The labels have verdicts of judges whose rates are not known here.",
            accepted="Labels without judges, or a posterior that was fitted with the same judges.",
            hint="plan from the posterior: rat.optimal_design(rat.fit(labels)).",
        )
    n = len(counts.patterns)
    patterns = np.full((n, point.n_columns), -1, dtype=np.int8)
    patterns[:, : counts.patterns.shape[1]] = counts.patterns
    patterns[:, 3] = -1  # answerability is about another tree
    return patterns, counts.counts.sum(axis=0).astype(float)


def _listed(values: Sequence[str]) -> str:
    return ", ".join(values)


def targets_of(
    target: str | Sequence[str] | Mapping[str, float],
) -> dict[str, float]:
    """Weights of the targets; they sum to 1."""
    hint = 'target={"policy_adherence": 1, "task_success": 1}'
    if isinstance(target, str):
        return {target: 1.0}
    if isinstance(target, Mapping):
        weights = dict(target)
    elif isinstance(target, Sequence) and all(isinstance(t, str) for t in target):
        weights = dict.fromkeys(target, 1.0)
    else:
        raise ArgumentTypeError.build(
            f"`target` is {target!r:.80}.",
            accepted="The key of a quantity, several of them, or a mapping to weights.",
            hint=hint,
        )
    for key, weight in weights.items():
        is_number = isinstance(weight, (int, float)) and not isinstance(weight, bool)
        if not is_number or not 0 < weight < np.inf:
            raise ArgumentError.build(
                f"The weight of the target {key!r} is {weight!r}.",
                accepted="A positive number.",
                hint=hint,
            )
    if not weights:
        raise ArgumentError.build("`target` is empty.", accepted="At least one.", hint=hint)
    total = sum(weights.values())
    return {str(key): float(weight) / total for key, weight in weights.items()}
