"""Worth: the number of human labels that would tell as much as the verdicts of judges do."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from jaxtyping import Bool, Float

from rat_widgets.derived.factors import (
    Factors,
    complete_information,
    factor_names,
    information,
    observed_information,
)
from rat_widgets.derived.naive import leaves_abstention_out, with_judges
from rat_widgets.derived.quantities import POLICY, find_quantity, quantity_draws
from rat_widgets.errors import ArgumentError
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.priors import judge_keys
from rat_widgets.model.worlds import world_probabilities

if TYPE_CHECKING:
    from rat_widgets.derived.posterior import Posterior
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["Weighing", "Worth", "labels_worth", "rate_information", "verdict_worth"]

_RETRIEVAL, _ABSTENTION, _TASK = range(3)
# Logits of probabilities closer to 0 or 1 have no curvature left.
_EDGE: Final = 1e-6
_STEP: Final = 1e-4
_ROUNDING: Final = 1e-9
_MOST_LABELS: Final = 1e12
# Newton's steps double far from the end, and square the error near it: one that begins so close,
# relative to the variance, is the last.
_MOST_STEPS: Final = 100
_CLOSE: Final = 1e-7
# How much of what the priors know labelled rows may seem to take away before that is no peak.
_HOLLOW: Final = 0.5
# Labels that a rate which is held counts as.
_FIRM: Final = 1e9


@dataclass(frozen=True, slots=True, kw_only=True)
class Worth:
    """What verdicts add, in joint human labels.

    Attributes
    ----------
    n_labels : float
        Rows with labels of R and T, among rows whose A is seen, that would bring the target to
        the variance that it has with the verdicts; ``inf`` when more than `n_max`. What the
        verdicts add, and not what A adds.
    n_labels_with_rows : float
        The same beside the labelled rows alone: joint rows in place of all rows on which nobody
        labelled R or T, so that it is what the verdicts and A there add together. The same
        number as `n_labels` where people's labels alone have A of those rows, too (`human_counts`:
        R was never labelled, for one, so that rows that declined have nothing to label).
    n_max : int
        The most that was considered.
    sd_labelled, sd_without, sd_with : float
        Approximate posterior standard deviation of the target from the rows that people
        labelled, from all rows without the verdicts, and with them.
    """

    n_labels: float
    n_labels_with_rows: float
    n_max: int
    sd_labelled: float
    sd_without: float
    sd_with: float


def labels_worth(
    without: Float[np.ndarray, "theta theta"],
    variance: float,
    per_label: Float[np.ndarray, "theta theta"],
    gradient: Float[np.ndarray, " theta"],
    *,
    n_max: float = math.inf,
) -> float:
    """The smallest number of labels that brings a target's variance down to `variance`.

    Parameters
    ----------
    without : array, shape (theta, theta)
        Information, priors included, that there is without the verdicts; positive definite.
    variance : float
        Variance of the target with the verdicts.
    per_label : array, shape (theta, theta)
        What one more label adds to the information.
    gradient : array, shape (theta,)
        Derivatives of the target.
    n_max : float
        Give up beyond.

    Returns
    -------
    float
        At least 0, not rounded; ``inf`` when `n_max` labels are not enough.

    Notes
    -----
    In the coordinates in which `without` is the identity and `per_label` diagonal, the variance
    after m labels is a sum of ``u_i**2 / (1 + m * s_i)``, which falls with m and is convex:
    Newton's steps from 0 come closer and never go too far.
    """
    root = np.linalg.inv(np.linalg.cholesky(without))
    gains, axes = np.linalg.eigh(root @ per_label @ root.T)
    gains, parts = np.clip(gains, 0.0, None), (axes.T @ (root @ gradient)) ** 2

    limit, m = min(n_max, _MOST_LABELS), 0.0
    if parts.sum() <= variance * (1 + _ROUNDING):
        return 0.0
    for _ in range(_MOST_STEPS):
        left = parts / (1 + m * gains)
        over = float(left.sum()) - variance
        fall = float((left * gains / (1 + m * gains)).sum())
        if m > limit or fall <= 0:
            return math.inf
        m += over / fall
        if over <= _CLOSE * variance:
            break
    return m if m <= n_max else math.inf


def verdict_worth(
    posterior: Posterior,
    target: str = POLICY,
    *,
    judges: Iterable[str] | None = None,
    n_max: int | None = None,
    rates_known: Float[np.ndarray, "rate rate"] | None = None,
) -> Worth:
    """What the verdicts are worth in joint human labels, for one target.

    The smallest m such that m more rows with human labels of R and T, among rows whose A is
    seen, would bring the target to the variance that it has with the verdicts. A counts on
    both sides: worth is what the verdicts add, not what A adds. `Worth` says beside it what the
    judged rows are worth with their A.

    Parameters
    ----------
    posterior : Posterior
    target : str
        A key of the quantities of the worlds, such as "policy_adherence" or "task_success".
    judges : iterable of str, optional
        Keys of the judges whose verdicts are weighed, all others being left out on both sides;
        all judges by default.
    n_max : int, optional
        The most labels considered. By default twice the rows that lack a label which a verdict
        or A stands for: neither can tell more than the label, but for the approximation.
    rates_known : array, shape (rate, rate), optional
        What other groups that share the judges tell of their rates; see `rate_information`.

    Notes
    -----
    No refit: variances are those of the Fisher information at the posterior mean, priors
    included, and of the delta method on the logit scale. This is an approximation, good where
    the posterior is near normal; not near 0 and 1, with few labels, or with several modes. Pins
    are not regarded.

    Raises
    ------
    ArgumentError
        For a target or a judge that the posterior does not have.
    """
    weighing = Weighing.of(posterior)
    return weighing.worth(weighing.spread(judges, rates_known), target, n_max=n_max)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Weighing:
    """What `verdict_worth` takes for every target, and with the verdicts of any judges.

    Attributes
    ----------
    posterior : Posterior
    theta : array, shape (theta,)
        Posterior means of the free probabilities.
    gains : pair of arrays, shape (theta, theta)
        Information in the labels of one more row whose A was seen, and of one with its A.
    bare : pair of arrays, shape (theta, theta)
        Information without verdicts in all rows, and in those that people labelled. Both the same
        where A of the others counts among people's labels alone, and so are the gains.
    """

    posterior: Posterior
    theta: Float[np.ndarray, " theta"]
    gains: tuple[Float[np.ndarray, "theta theta"], ...]
    bare: tuple[Float[np.ndarray, "theta theta"], ...]

    @classmethod
    def of(cls, posterior: Posterior) -> Weighing:
        """What there is to weigh of a posterior."""
        counts = posterior.counts
        names, theta, held = _point(posterior, ())
        label, row = complete_information(theta, counts.retrieval_levels)
        seen = _information(with_judges(counts, []), (), names, theta, held)
        if leaves_abstention_out(counts):
            labelled = _information(_labelled_rows(counts), (), names, theta, held)
        else:
            row, labelled = label, seen
        return cls(posterior=posterior, theta=theta, gains=(label, row), bare=(seen, labelled))

    def spread(
        self,
        judges: Iterable[str] | None = None,
        rates_known: Float[np.ndarray, "rate rate"] | None = None,
    ) -> Float[np.ndarray, "theta theta"]:
        """Covariance of the logits of the free probabilities with the verdicts of some judges."""
        keys, counts = _judged_by(self.posterior.counts, judges)
        names, at, held = _point(self.posterior, keys)
        n = len(self.theta)
        whole = _information(counts, keys, names, at, held)
        if rates_known is not None:
            whole[n:, n:] += rates_known
        return np.asarray(np.linalg.inv(whole)[:n, :n])

    def worth(
        self,
        spread: Float[np.ndarray, "theta theta"],
        target: str,
        *,
        n_max: int | None = None,
    ) -> Worth:
        """The worth of verdicts that leave such a covariance, for one target."""
        gradient = _gradient(self.posterior, target, self.theta)
        after = float(gradient @ spread @ gradient)
        most = 2 * _n_open(self.posterior.counts) if n_max is None else n_max
        labels, rows = (
            labels_worth(bare, after, gain, gradient, n_max=most)
            for bare, gain in zip(self.bare, self.gains, strict=True)
        )
        without, labelled = (float(gradient @ np.linalg.solve(b, gradient)) for b in self.bare)
        return Worth(
            n_labels=labels,
            n_labels_with_rows=rows,
            n_max=most,
            sd_labelled=math.sqrt(labelled),
            sd_without=math.sqrt(without),
            sd_with=math.sqrt(after),
        )


def rate_information(
    posterior: Posterior, *, judges: Iterable[str] | None = None
) -> Float[np.ndarray, "rate rate"]:
    """What this group alone tells of the rates that judges share with other groups.

    Information about the logits of the judges' rates, their priors left out, everything else
    being as uncertain as it is; 0 for judges that are fitted once per group, and of groups that
    are apart. Groups add up.
    """
    keys, counts = _judged_by(posterior.counts, judges)
    names, at, held = _point(posterior, keys)
    n_theta = len(posterior.tree.parameters)
    is_alone = bool(counts.apart)
    pairs = zip(keys, counts.judges, strict=True)
    shared = [key for key, judge in pairs if judge.share == "all" and not is_alone]
    is_common = [name.endswith(tuple(f"[{key}]" for key in shared)) for name in names[n_theta:]]
    common = np.array([False] * n_theta + is_common)
    whole = _information(counts, keys, names, at, held) - np.diag(np.where(common, held, 0.0))
    own, between = whole[np.ix_(~common, ~common)], whole[np.ix_(~common, common)]
    told = np.zeros_like(whole)
    told[np.ix_(common, common)] = whole[np.ix_(common, common)] - between.T @ np.linalg.solve(
        own, between
    )
    return told[n_theta:, n_theta:]


def _judged_by(
    counts: PatternCounts, keys: Iterable[str] | None
) -> tuple[tuple[str, ...], PatternCounts]:
    """Some judges' keys, and the counts with their verdicts only."""
    known = judge_keys(counts.judges)
    if keys is None:
        return known, counts
    wanted = (keys,) if isinstance(keys, str) else tuple(keys)
    for key in wanted:
        if key not in known:
            raise ArgumentError.build(
                f"This posterior has no judge {key!r}.",
                accepted=f"Its judges are {', '.join(map(repr, known))}."
                if known
                else "It was fitted without judges.",
            )
    kept = [i for i, key in enumerate(known) if key in wanted]
    if not emissions_of(counts.judges, counts.retrieval_levels).are_plain:
        # Others may have a part in the errors of these: they stay, without their verdicts.
        silent = [FIRST_JUDGE + i for i, key in enumerate(known) if key not in wanted]
        patterns = counts.patterns.copy()
        patterns[:, silent] = -1
        return known, replace(counts, patterns=patterns)
    return tuple(known[i] for i in kept), with_judges(counts, kept)


def _is_labelled(counts: PatternCounts) -> Bool[np.ndarray, " pattern"]:
    """Whether a person said R or T."""
    return np.asarray((counts.patterns[:, [_RETRIEVAL, _TASK]] >= 0).any(axis=1))


def _labelled_rows(counts: PatternCounts) -> PatternCounts:
    """The rows of which a person said R or T, as people saw them."""
    labelled = replace(counts, counts=np.where(_is_labelled(counts), counts.counts, 0))
    return with_judges(labelled, [])


def _information(
    counts: PatternCounts,
    keys: tuple[str, ...],
    names: tuple[str, ...],
    at: Float[np.ndarray, " factor"],
    held: Float[np.ndarray, " factor"],
) -> Float[np.ndarray, "factor factor"]:
    """Information in rows and priors about the logits of the parameters.

    Of rows that people labelled what is observed, for one label may have been bought by what
    another said; of the others, of which A and verdicts alone are known, what is expected. That
    grows with their number, as the curvature at a point that is not their own peak need not.
    """
    factors, rows = _rows(counts, keys, names)
    by_people = _is_labelled(counts)
    labelled = observed_information(factors, np.where(by_people, rows, 0.0), at)
    if np.linalg.eigvalsh(labelled + _HOLLOW * np.diag(held))[0] <= 0:
        labelled = information(factors, np.where(by_people, rows, 0.0), at)
    others = information(factors, np.where(by_people, 0.0, rows), at)
    return labelled + others + np.diag(held)


def _point(
    posterior: Posterior, keys: tuple[str, ...]
) -> tuple[tuple[str, ...], Float[np.ndarray, " factor"], Float[np.ndarray, " factor"]]:
    """Names of the parameters, the posterior mean, and the information in their priors."""
    draws = posterior.draws
    priors = draws.priors.to_dict()
    names = factor_names(posterior.tree.parameters, keys, priors)
    theta = draws.theta.mean(axis=(0, 1))
    rates = draws.by_name()
    at = np.array([*theta, *(rates[name].mean() for name in names[len(theta) :])])
    at = np.clip(at, _EDGE, 1 - _EDGE)
    weight = [_FIRM if name in draws.priors.held else sum(priors[name]) for name in names]
    return names, at, np.array(weight) * at * (1 - at)


def _rows(
    counts: PatternCounts, keys: tuple[str, ...], names: tuple[str, ...]
) -> tuple[Factors, Float[np.ndarray, " pattern"]]:
    factors = Factors.of(counts.patterns, counts.judges, counts.retrieval_levels, names, keys)
    return factors, counts.effective.sum(axis=0)


def _n_open(counts: PatternCounts) -> int:
    """Rows that lack a label of R or T."""
    patterns = counts.patterns
    lacks_task = (patterns[:, _TASK] == -1) & (patterns[:, _ABSTENTION] != 1)
    return int(counts.counts.sum(axis=0)[(patterns[:, _RETRIEVAL] == -1) | lacks_task].sum())


def _gradient(
    posterior: Posterior, target: str, theta: Float[np.ndarray, " theta"]
) -> Float[np.ndarray, " theta"]:
    """Derivatives of the target with respect to the logits of the free probabilities."""
    logits = np.log(theta) - np.log1p(-theta)
    steps = np.concatenate([np.eye(len(theta)), -np.eye(len(theta))]) * _STEP
    worlds = world_probabilities(1 / (1 + np.exp(-(logits + steps))))
    if target == POLICY:
        values = posterior.policy.value(worlds)
    else:
        levels = posterior.tree.levels
        values = quantity_draws(find_quantity(target, levels), worlds, levels)
    up, down = np.split(np.asarray(values), 2)
    return (up - down) / (2 * _STEP)
