"""Draws: what every engine returns, for one group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from rat_widgets.model.likelihood import JudgeTable
from rat_widgets.model.priors import Priors
from rat_widgets.model.worlds import branch_probabilities, worlds_of

if TYPE_CHECKING:
    from rat_widgets.inference.diagnose import Diagnosis
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["Draws"]


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
        judge, then P(cannot tell) given truth 1 and given truth 0 of those that may say so.
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

    def __post_init__(self) -> None:
        for name in ("theta", "rates", "conjugate"):
            value = getattr(self, name)
            if value is not None:
                array = np.array(value, dtype=np.float64)
                array.setflags(write=False)
                object.__setattr__(self, name, array)
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
        """TPR of each judge, in the order of ``counts.judges``."""
        return self.rates[..., : len(self.counts.judges)]

    @property
    def fpr(self) -> Float[np.ndarray, "chain draw judge"]:
        """FPR of each judge, in the order of ``counts.judges``."""
        n = len(self.counts.judges)
        return self.rates[..., n : 2 * n]

    @property
    def unknown(self) -> Float[np.ndarray, "chain draw judge 2"]:
        """P(cannot tell) of each judge given truth 0 and truth 1; 0 of those that never say so."""
        given_1, given_0 = np.split(self.rates[..., 2 * len(self.counts.judges) :], 2, axis=-1)
        return JudgeTable.of(self.counts.judges).unknown(given_1, given_0)

    def by_name(self) -> dict[str, Float[np.ndarray, "chain draw"]]:
        """Draws of every probability of `Worlds.branches`, then of every rate of the judges."""
        shown = branch_probabilities(self.theta)
        branches = worlds_of(self.counts.retrieval_levels).branches
        named = {name: shown[..., i] for i, name in enumerate(branches)}
        rates = self.priors.names[self.theta.shape[-1] :]
        return named | {name: self.rates[..., i] for i, name in enumerate(rates)}

    def __repr__(self) -> str:
        return (
            f"Draws({self.n_chains} chains x {self.n_draws} draws, "
            f"{len(self.counts.judges)} judges, engine={self.engine!r}, seed={self.seed})"
        )
