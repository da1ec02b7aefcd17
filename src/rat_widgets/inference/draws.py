"""Draws: what every engine returns, for one group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.model.emissions import Emissions, emissions_of
from rat_widgets.model.likelihood import JudgeTable
from rat_widgets.model.priors import Priors
from rat_widgets.model.verdicts import VerdictRates, best_cut, verdict_rates
from rat_widgets.model.worlds import branch_probabilities, worlds_of

if TYPE_CHECKING:
    from rat_widgets.inference.diagnose import Diagnosis
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["Draws", "Pooling", "Siblings", "common_cuts", "siblings_of"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pooling:
    """What is typical of the systems that were pooled, and how much they differ.

    On the logit scale: system g has ``logit(p_g) = mu + tau z_g``, z_g standard normal for
    probabilities of the tree and standard Cauchy for a judge's rates.

    Attributes
    ----------
    names : tuple of str
        The probabilities that are pooled, as in ``priors.names``; of the tree "abstention" and
        "selective_accuracy" where nothing that was recorded tells of R.
    mu, tau : array, shape (chain, draw, pooled)
        float64, read-only.
    """

    names: tuple[str, ...]
    mu: Float[np.ndarray, "chain draw pooled"]
    tau: Float[np.ndarray, "chain draw pooled"]

    def __post_init__(self) -> None:
        for name in ("mu", "tau"):
            object.__setattr__(self, name, _read_only(getattr(self, name)))

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), **{f.name: getattr(self, f.name) for f in fields(self)}), ()

    def take(self, chosen: Int[np.ndarray, "chain kept 1"]) -> Pooling:
        """Some of the draws, by their number in each chain."""
        mu, tau = (np.take_along_axis(x, chosen, axis=1) for x in (self.mu, self.tau))
        return Pooling(names=self.names, mu=mu, tau=tau)


def _read_only(value: Any) -> Float[np.ndarray, ...]:
    array = np.array(value, dtype=np.float64)
    array.setflags(write=False)
    return array


@dataclass(frozen=True, slots=True, eq=False)
class Siblings:
    """All groups that were fitted together; the draws of each have the same.

    Attributes
    ----------
    counts : PatternCounts
        Of all groups.
    kept : dict
        What was worked out of all of them, for the next group that asks.
    """

    counts: PatternCounts
    kept: dict[str, Any] = field(default_factory=dict, repr=False)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.counts,)


def siblings_of(counts: PatternCounts) -> list[Siblings | None]:
    """Of each group all that it is fitted together with; None where it is fitted by itself."""
    found: dict[tuple[Any, ...], Siblings | None] = {}
    for part in counts.parts():
        found |= dict.fromkeys(part.groups, Siblings(part) if part.n_groups > 1 else None)
    return [found[key] for key in counts.groups]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Draws:
    """Posterior draws of one group's parameters, and how they came about.

    Attributes
    ----------
    theta : array, shape (chain, draw, 3K - 1)
        The free probabilities in the order of `Worlds.parameters`, of K levels of retrieval:
        with two levels the five of `PARAMETERS`. float64, read-only.
    rates : array, shape (chain, draw, rate)
        The judges' rates, in the order of ``priors.names``: TPR of every judge, FPR of every
        judge, then P(cannot tell) given truth 1 and given truth 0 of those that may say so, and
        the rates of graded and dependent judges; see `emissions`.
    counts : PatternCounts
        The data, of this group alone.
    priors : Priors
    seed : int
        As given by the caller.
    engine, reason : str
        The engine's name, and in one sentence why it was this one.
    versions : mapping
        Package -> version.
    diagnosis : Diagnosis
    conjugate : array, shape (3K - 1, 2), or None
        Alpha and beta of each free probability where the posterior is exactly a product of Betas.
    exempt : tuple of str
        Keys of the judges that a constraint was not about, where there was one.
    pooling : Pooling or None
        Of engine "pooled": what the groups were pooled to, the same value for all of them.
    cut_at : tuple of int or None
        Of each judge the answer from which on a verdict passes; None: what tells best, and the top
        grade of one that has as many as R has levels.
    siblings : Siblings or None
        All groups of the fit, where there are several.
    """

    theta: Float[np.ndarray, "chain draw theta"]
    rates: Float[np.ndarray, "chain draw rate"]
    counts: PatternCounts
    priors: Priors
    seed: int
    engine: str
    reason: str
    versions: Mapping[str, str]
    diagnosis: Diagnosis
    conjugate: Float[np.ndarray, "theta 2"] | None = None
    exempt: tuple[str, ...] = ()
    pooling: Pooling | None = None
    cut_at: tuple[int, ...] | None = None
    siblings: Siblings | None = None

    def __post_init__(self) -> None:
        for name in ("theta", "rates", "conjugate"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _read_only(value))
        object.__setattr__(self, "versions", dict(self.versions))

    def __reduce__(self) -> tuple[Any, ...]:
        # made anew, so that copies are read-only too
        return partial(type(self), **{f.name: getattr(self, f.name) for f in fields(self)}), ()

    @property
    def n_chains(self) -> int:
        """Number of chains."""
        return self.theta.shape[0]

    @property
    def n_draws(self) -> int:
        """Draws per chain."""
        return self.theta.shape[1]

    @property
    def tpr(self) -> Float[np.ndarray, "chain draw judge"]:
        """TPR of each judge, in the order of ``counts.judges``; of graded ones at `cuts`."""
        if self.emissions.are_plain:
            return self.rates[..., : len(self.counts.judges)]
        return self._stacked([r.tpr(c) for r, c in zip(self.verdict_rates, self.cuts, strict=True)])

    @property
    def fpr(self) -> Float[np.ndarray, "chain draw judge"]:
        """FPR of each judge, in the order of ``counts.judges``; of graded ones at `cuts`."""
        n = len(self.counts.judges)
        if self.emissions.are_plain:
            return self.rates[..., n : 2 * n]
        return self._stacked([r.fpr(c) for r, c in zip(self.verdict_rates, self.cuts, strict=True)])

    @property
    def unknown(self) -> Float[np.ndarray, "chain draw judge 2"]:
        """P(cannot tell) of each judge given truth 0 and truth 1; 0 of those that never say so."""
        if not self.emissions.are_plain:
            each = [
                np.stack([r.unknown_given_0, r.unknown_given_1], axis=-1)
                for r in self.verdict_rates
            ]
            return np.stack(each, axis=-2)
        given_1, given_0 = np.split(self.rates[..., 2 * len(self.counts.judges) :], 2, axis=-1)
        return JudgeTable.of(self.counts.judges, self.counts.retrieval_levels).unknown(
            given_1, given_0
        )

    @property
    def verdict_rates(self) -> tuple[VerdictRates, ...]:
        """How each judge answers given what is true, draw by draw."""
        worlds = worlds_of(self.counts.retrieval_levels)
        emissions = self.emissions
        return tuple(
            verdict_rates(emissions, j, self.theta, self.rates, worlds)
            for j in range(len(emissions.judges))
        )

    @property
    def cuts(self) -> tuple[int, ...]:
        """Of each judge the answer from which on a verdict passes: `cut_at`, or `common_cuts`."""
        return common_cuts([self]) if self.cut_at is None else self.cut_at

    @property
    def emissions(self) -> Emissions:
        """How the verdicts of the judges arise."""
        return emissions_of(self.counts.judges, self.counts.retrieval_levels)

    def _stacked(self, each: list[Float[np.ndarray, "chain draw"]]) -> Any:
        return np.stack(each, axis=-1) if each else np.zeros((*self.theta.shape[:-1], 0))

    def by_name(self) -> dict[str, Float[np.ndarray, "chain draw"]]:
        """Draws of every probability of `Worlds.branches`, then of every rate of the judges."""
        shown = branch_probabilities(self.theta)
        branches = worlds_of(self.counts.retrieval_levels).branches
        named = {name: shown[..., i] for i, name in enumerate(branches)}
        rates = self.priors.names[self.theta.shape[-1] :]
        return named | {name: self.rates[..., i] for i, name in enumerate(rates)}

    def told(self) -> dict[str, Float[np.ndarray, "chain draw"]]:
        """`by_name` as people read it: of graded and dependent judges TPR and FPR as well.

        Splits of a graded judge give way to ``level_{level}_given_1[key]``, P(level | truth 1),
        and ``level_{level}_given_0[key]``, among verdicts that decide.
        """
        named = self.by_name()
        if self.emissions.are_plain:
            return named
        found = {name: x for name, x in named.items() if not name.startswith("split_")}
        each = zip(
            self.counts.judges, self.emissions.judges, self.verdict_rates, self.cuts, strict=True
        )
        for judge, emission, rates, cut in each:
            if emission.is_plain:
                continue
            found[f"tpr[{emission.key}]"] = rates.tpr(cut)
            found[f"fpr[{emission.key}]"] = rates.fpr(cut)
            if judge.has_unknown:
                found[f"unknown_given_1[{emission.key}]"] = rates.unknown_given_1
                found[f"unknown_given_0[{emission.key}]"] = rates.unknown_given_0
            if judge.is_graded:
                for truth, given in ((1, rates.given_1), (0, rates.given_0)):
                    for level, answer in enumerate(judge.answers):
                        name = f"level_{answer}_given_{truth}[{emission.key}]"
                        found[name] = given[..., level]
        return found

    def __repr__(self) -> str:
        return (
            f"Draws({self.n_chains} chains x {self.n_draws} draws, "
            f"{len(self.counts.judges)} judges, engine={self.engine!r}, seed={self.seed})"
        )


def common_cuts(groups: Sequence[Draws]) -> tuple[int, ...]:
    """Of each judge of all these groups the answer from which on a verdict passes.

    What tells truths apart best, by the mean over groups. Where R has several levels a judge that
    gives as many grades means them as these, and passes with the top one.
    """
    counts = groups[0].counts
    if all(len(judge.answers) == 2 for judge in counts.judges):
        return (1,) * len(counts.judges)
    top = len(counts.retrieval_levels) - 1
    told = zip(*(draws.verdict_rates for draws in groups), strict=True)
    return tuple(
        judge.top_level(top) or (best_cut(_joined(rates)) if len(judge.answers) > 2 else 1)
        for judge, rates in zip(counts.judges, told, strict=True)
    )


def _joined(rates: Sequence[VerdictRates]) -> VerdictRates:
    """The draws of all of them."""
    return VerdictRates(*(np.concatenate(each) for each in zip(*rates, strict=True)))
