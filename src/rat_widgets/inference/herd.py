"""Many walkers of many groups at once, and the steps they take.

Three kinds of step leave the posterior as it is: a leapfrog trajectory, whitened by the roots at
the modes; a jump between two modes, the affine map that takes one Gaussian to the other; and
independent tries, several points of a proposal of which each walker takes one or none. Where
groups share rates, a group's own logits move first, given the rates, and are accepted group by
group; then the rates move, and every group's logits lean along. So a thousand groups need no
shorter steps than one.

References
----------
Neal (2011), "MCMC using Hamiltonian dynamics". Liu, Liang, Wong (2000), "The multiple-try method
and local optimization in Metropolis sampling", JASA 95.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from jaxtyping import Bool, Float, Int

from rat_widgets.inference.approach import Offers
from rat_widgets.inference.blocks import Block
from rat_widgets.inference.peaks import Peaks
from rat_widgets.inference.proposals import angles
from rat_widgets.inference.surface import Value, log_volume
from rat_widgets.inference.threads import gram, product

__all__ = ["FIRST_STEP", "Herd"]

# How often trajectories should be accepted, and how often on bent ground.
_TARGET_ACCEPT: Final = 0.9
_CAREFUL_ACCEPT: Final = 0.97
# And where a step costs much: fewer of them, though more are in vain.
_COSTLY_ACCEPT: Final = 0.75
FIRST_STEP: Final = 0.8
_LONGEST_STEP: Final = 1.0
_JITTER: Final = 0.2
_DIVERGENT: Final = 1000.0

_Logits = Float[np.ndarray, "group parameter walker"]
_Map = Callable[[Float[np.ndarray, "..."]], Float[np.ndarray, "..."]]


@dataclass(slots=True, kw_only=True)
class Herd:
    """The walkers of some groups, and how they move."""

    block: Block
    peaks: Peaks
    streams: Sequence[np.random.Generator]
    jumps: Sequence[np.random.Generator]
    tries: Sequence[np.random.Generator]
    logits: _Logits
    value: Value
    # Leapfrog step of each group's own logits, and of the shared ones.
    own_step: Float[np.ndarray, " group"]
    common_step: Float[np.ndarray, " one"]
    n_divergent: Int[np.ndarray, " group"]
    is_careful: bool = False

    def take(self, groups: Int[np.ndarray, " group"]) -> Herd:
        """The walkers of some groups that share nothing."""
        return replace(
            self,
            block=self.block.take(groups),
            peaks=self.peaks.take(groups),
            streams=[self.streams[g] for g in groups],
            jumps=[self.jumps[g] for g in groups],
            tries=[self.tries[g] for g in groups],
            logits=self.logits[groups],
            value=Value(*(x[groups] for x in self.value)),
            own_step=self.own_step[groups],
            n_divergent=self.n_divergent[groups],
        )

    def respread(self, logits: Float[np.ndarray, "group parameter seen"]) -> Peaks:
        """Where there is one mode, the walkers' mean and the root of their covariance."""
        n, peaks = self.block.n_own, self.peaks
        alone = (peaks.weight > 0).sum(axis=1) == 1
        if self.block.n_shared:
            if peaks.n_peaks > 1:
                return peaks
            alone = np.broadcast_to(alone, len(logits))
        mean = logits.mean(axis=2)
        away = logits - mean[..., None]
        own = away[:, :n] - peaks.lean[:, 0] @ away[:, n:]
        root, centre = peaks.own_root.copy(), peaks.centre.copy()
        centre[alone, :, 0] = mean[alone]
        root[alone, 0] = _blended(peaks.own_root[:, 0], own, self.logits.shape[2])[alone]
        common = peaks.common_root
        if self.block.n_shared:
            common = _blended(common[:1], away[:1, n:], self.logits.shape[2])
        return replace(peaks, centre=centre, own_root=root, common_root=common)

    def step(self, n_steps: int, n_common_steps: int, *, tuning: float = 0.0) -> None:
        """One transition of every walker; `tuning` is how much the step lengths follow."""
        target = _CAREFUL_ACCEPT if self.is_careful else _TARGET_ACCEPT
        if self.block.surface.is_costly and not self.is_careful:
            target = _COSTLY_ACCEPT
        peak = self._choose(1)[0]
        n = self.block.n_own
        row = np.arange(len(self.logits))
        root = self.peaks.own_root[row, peak]
        if n:
            accepted = self._trajectory(
                momentum=self._normal(n),
                push=lambda p: self._widened(product(root, p)),
                pull=lambda g: product(np.swapaxes(root, 1, 2), g[:, :n]),
                step=self.own_step,
                n_steps=n_steps,
                total=lambda x: x,
            )
            self.own_step = _tuned(self.own_step, accepted - target, tuning)
        if self.block.n_shared:
            lean = self.peaks.lean[row, peak]
            common = self.peaks.common_root[peak[0]]
            accepted = self._trajectory(
                momentum=self.streams[0].standard_normal((1, len(common), self.logits.shape[2])),
                push=lambda p: self._leaning(lean, common @ p[0]),
                pull=lambda g: (
                    common.T @ (g[:, n:] + np.swapaxes(lean, 1, 2) @ g[:, :n]).sum(axis=0)
                )[None],
                step=self.common_step,
                n_steps=n_common_steps,
                total=self.block.total,
            )
            self.common_step = _tuned(self.common_step, accepted - target, tuning)
        if self.peaks.n_peaks > 1:
            self._jump()

    def attempt(
        self, proposal: Offers, *, n_steps: int, n_tries: int
    ) -> tuple[Float[np.ndarray, "group parameter walker step"], Float[np.ndarray, " group"]]:
        """Steps of groups that share nothing, each to one of some independent tries or nowhere.

        A try y has the weight w(y), its density over the proposal's. One is chosen by weight and
        taken with probability sum w / (sum w - w(y) + w(x)), where x is the walker. Exchanging
        x and y exchanges the two sums, so the posterior stays.

        Returns
        -------
        Where the walkers were, and the fraction of steps that were taken.
        """
        n_groups, _, n_walkers = self.logits.shape
        angle, offered = proposal.offer(self.tries, n_steps * n_tries * n_walkers)
        density, points = self.block.surface.of_angles(angle)
        weights = density - offered
        weights = weights.reshape(n_groups, n_steps, n_tries, n_walkers)
        here = self.value.log_density + log_volume(self.logits)
        here -= proposal.log_density(angles(self.logits))
        chance = np.stack([rng.random((2, n_steps, n_walkers)) for rng in self.tries])
        walker = np.arange(n_walkers)
        at = np.broadcast_to(walker, here.shape)
        places, n_taken = [], np.zeros(n_groups)
        for i in range(n_steps):
            offered = weights[:, i]
            top = np.maximum(offered.max(axis=1), here)
            total = np.cumsum(np.exp(offered - top[:, None]), axis=1)
            every = total[:, -1]
            chosen = (chance[:, 0, i, None] * every[:, None] >= total[:, :-1]).sum(axis=1)
            there = np.take_along_axis(offered, chosen[:, None], axis=1)[:, 0]
            others = every - np.exp(there - top) + np.exp(here - top)
            taken = chance[:, 1, i] * others < every
            at = np.where(taken, ((i * n_tries + chosen) + 1) * n_walkers + walker, at)
            here = np.where(taken, there, here)
            places.append(at)
            n_taken += taken.mean(axis=1)
        pool = np.concatenate([self.logits, points], axis=2)
        place = np.stack(places, axis=-1).reshape(n_groups, 1, -1)
        path = np.take_along_axis(pool, place, axis=2).reshape(*self.logits.shape, n_steps)
        self.stand(path[..., -1])
        return path, n_taken / n_steps

    def stand(self, logits: _Logits) -> None:
        """Put the walkers here."""
        self.logits = np.ascontiguousarray(logits)
        self.value = self.block.surface(self.logits)

    def _trajectory(
        self,
        *,
        momentum: Float[np.ndarray, "unit direction walker"],
        push: _Map,
        pull: _Map,
        step: Float[np.ndarray, " unit"],
        n_steps: int,
        total: _Map,
    ) -> Float[np.ndarray, " unit"]:
        """Leapfrog steps, accepted or not per unit and walker; the mean probability to accept.

        `push` takes a momentum to a shift of the logits, `pull` a gradient to a force.
        """
        n_units = len(momentum)
        draws = self._uniform(n_units)
        length = (step * (1 + _JITTER * (2 * draws[:, 0] - 1)))[:, None, None]
        start = total(self.value.log_density) - 0.5 * (momentum**2).sum(axis=1)
        logits, value = self.logits, self.value
        with np.errstate(over="ignore", invalid="ignore"):
            momentum = momentum + 0.5 * length * pull(value.gradient)
            for i in range(n_steps):
                logits = logits + push(length * momentum)
                value = self.block.surface(logits)
                last = 0.5 if i == n_steps - 1 else 1.0
                momentum = momentum + last * length * pull(value.gradient)
            end = total(value.log_density) - 0.5 * (momentum**2).sum(axis=1)
            gain = end - start
        gain = np.where(np.isfinite(gain), gain, -np.inf)
        accept = np.log(draws[:, 1:]) < gain
        self._move(accept, logits, value)
        self.n_divergent = self.n_divergent + (gain < -_DIVERGENT).sum(axis=1)
        return np.exp(np.minimum(gain, 0.0)).mean(axis=1)

    def _jump(self) -> None:
        """Offer every walker the way from one mode to another, either way equally often."""
        pair = self._choose(2)
        chance = np.stack([rng.random((2, self.logits.shape[2])) for rng in self.jumps])
        forth, gain_forth = self._carried(pair[0], pair[1])
        back, gain_back = self._carried(pair[1], pair[0])
        # Each walker for itself: were all offered the same way, all would be in one mode.
        goes = chance[:, 0] < 0.5
        logits = np.where(np.broadcast_to(goes, forth[:, 0].shape)[:, None], forth, back)
        value = self.block.surface(logits)
        gain = self.block.total(value.log_density) - self.block.total(self.value.log_density)
        gain = gain + np.where(goes, gain_forth, gain_back)
        self._move(np.log(chance[:, 1]) < gain, logits, value)

    def _carried(
        self, start: Int[np.ndarray, " group"], target: Int[np.ndarray, " group"]
    ) -> tuple[_Logits, Float[np.ndarray, "unit 1"]]:
        """Every walker as far from the target mode as it is from the first, in units of each.

        With the log of how much wider the target is.
        """
        n, peaks = self.block.n_own, self.peaks
        row = np.arange(len(self.logits))
        here = self.logits - peaks.centre[row, :, start][..., None]
        white = here[:, :n] - peaks.lean[row, start] @ here[:, n:]
        moved = peaks.own_root[row, target] @ np.linalg.solve(peaks.own_root[row, start], white)
        if self.block.n_shared:
            first, last = peaks.common_root[start[0]], peaks.common_root[target[0]]
            common = np.broadcast_to(last @ np.linalg.solve(first, here[0, n:]), here[:, n:].shape)
            moved = np.concatenate([moved + peaks.lean[row, target] @ common, common], axis=1)
        unit = np.arange(len(peaks.weight))
        wider = peaks.log_volume[unit, target[unit]] - peaks.log_volume[unit, start[unit]]
        return peaks.centre[row, :, target][..., None] + moved, wider[:, None]

    def _move(self, accept: Bool[np.ndarray, "unit walker"], logits: _Logits, value: Value) -> None:
        accept = np.broadcast_to(accept, value.log_density.shape)
        self.logits = np.where(accept[:, None], logits, self.logits)
        self.value = Value(
            np.where(accept, value.log_density, self.value.log_density),
            np.where(accept[:, None], value.gradient, self.value.gradient),
        )

    def _choose(self, n: int) -> Int[np.ndarray, "n group"]:
        """Modes of each group's unit, different from each other where there are several."""
        n_peaks = (self.peaks.weight > 0).sum(axis=1)
        if self.peaks.n_peaks == 1:
            return np.zeros((n, len(self.logits)), dtype=np.intp)
        drawn = np.stack([rng.random(2) for rng in self.jumps], axis=1)
        first = (drawn[0] * n_peaks).astype(np.intp)
        away = 1 + (drawn[1] * (n_peaks - 1)).astype(np.intp)
        both = np.stack([first, (first + away) % n_peaks])
        return np.broadcast_to(both[:n], (n, len(self.logits))) if self.block.n_shared else both[:n]

    def _normal(self, n: int) -> Float[np.ndarray, "group n walker"]:
        shape = (n, self.logits.shape[2])
        if self.block.n_shared:
            return self.streams[0].standard_normal((len(self.logits), *shape))
        return np.stack([rng.standard_normal(shape) for rng in self.streams])

    def _uniform(self, n_units: int) -> Float[np.ndarray, "unit walker_and_one"]:
        n = 1 + self.logits.shape[2]
        if self.block.n_shared:
            return self.streams[0].random((n_units, n))
        return np.stack([rng.random(n) for rng in self.streams])

    def _widened(self, own: Float[np.ndarray, "group own walker"]) -> _Logits:
        if not self.block.n_shared:
            return own
        still = np.zeros((len(own), self.block.n_shared, own.shape[2]))
        return np.concatenate([own, still], axis=1)

    def _leaning(
        self,
        lean: Float[np.ndarray, "group own shared"],
        common: Float[np.ndarray, "shared walker"],
    ) -> _Logits:
        every = np.broadcast_to(common, (len(lean), *common.shape))
        return np.concatenate([lean @ common, every], axis=1)


def _blended(
    root: Float[np.ndarray, "*group n n"],
    away: Float[np.ndarray, "*group n seen"],
    n_independent: int,
) -> Float[np.ndarray, "*group n n"]:
    """The root of the covariance of what was seen, leaning on the one there was."""
    n = root.shape[-1]
    if not n:
        return root
    believed = root @ np.swapaxes(root, -1, -2)
    found = gram(away, away) / away.shape[-1]
    weight = n_independent / (n_independent + n)
    return np.linalg.cholesky(weight * found + (1 - weight) * believed)


def _tuned(
    step: Float[np.ndarray, " unit"], surplus: Float[np.ndarray, " unit"], rate: float
) -> Float[np.ndarray, " unit"]:
    """The step length, longer where more is accepted than should be, and the other way round."""
    return np.minimum(step * np.exp(rate * surplus), _LONGEST_STEP) if rate else step
