"""Hamiltonian Monte Carlo on logits, whitened by the curvature at the mode; many walkers at once.

Each walker starts at a draw from the Gaussian at a mode and takes leapfrog steps whose length
is tuned per group. Where groups share rates, a group's own logits move first, given the rates,
and are accepted group by group; then the rates move, and every group's logits lean along. So
a thousand groups need no shorter steps than one. Where a unit has several modes each step also
offers a jump between two of them, the affine map that takes one Gaussian to the other: it keeps
their shares right however deep the valley between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, Final, NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from rat_widgets.inference.blocks import Block
from rat_widgets.inference.peaks import Peaks
from rat_widgets.inference.surface import Value, expit

__all__ = ["Walks", "gaussian_draws", "walk"]

# Warm-up: settle, then see how far the walkers spread, then tune to that.
_N_SETTLING, _N_SPREADING, _N_TUNING = 10, 14, 10
# How often trajectories should be accepted, and how often on bent ground.
_TARGET_ACCEPT: Final = 0.9
_CAREFUL_ACCEPT: Final = 0.97
_FIRST_STEP: Final = 0.8
_LONGEST_STEP: Final = 1.0
# Length of a trajectory: a quarter of the period of a whitened Gaussian, after which neither
# means nor widths are remembered; and where the posterior is so bent that walkers hardly mix.
# There lengths take turns, since half a period would bring every width back.
_TRAJECTORY: Final = 1.57
_LONG_TRAJECTORY: Final = 4.0
_TURNS: Final = (1.0, 0.4, 0.7)
_FEWEST_LEAPS, _MOST_LEAPS = 2, 48
# Draws per effective draw above which a group walks once more, with longer trajectories, and by
# which the second walk is thinned.
_SLOW: Final = 4.0
_THINNING: Final = 12.0
_MOST_THINNING: Final = 8
_JITTER: Final = 0.2
_DIVERGENT: Final = 1000.0

_Logits = Float[np.ndarray, "group parameter walker"]
_Map = Callable[[Float[np.ndarray, "..."]], Float[np.ndarray, "..."]]


class Walks(NamedTuple):
    """Where the walkers were.

    Attributes
    ----------
    logits : array, shape (group, parameter, walker, step)
    n_divergent : array of int, shape (group,)
        Trajectories to recorded positions, of the group or of rates that it shares, that left
        the energy surface.
    """

    logits: Float[np.ndarray, "group parameter walker step"]
    n_divergent: Int[np.ndarray, " group"]


@dataclass(slots=True, kw_only=True)
class _Herd:
    """The walkers of some groups, and how they move."""

    block: Block
    peaks: Peaks
    streams: Sequence[np.random.Generator]
    jumps: Sequence[np.random.Generator]
    logits: _Logits
    value: Value
    # Leapfrog step of each group's own logits, and of the shared ones.
    own_step: Float[np.ndarray, " group"]
    common_step: Float[np.ndarray, " one"]
    n_divergent: Int[np.ndarray, " group"]
    is_careful: bool = False

    def take(self, groups: Int[np.ndarray, " group"]) -> _Herd:
        """The walkers of some groups that share nothing."""
        return replace(
            self,
            block=replace(
                self.block,
                surface=self.block.surface.take(groups),
                groups=self.block.groups[groups],
            ),
            peaks=_of_units(self.peaks, groups),
            streams=[self.streams[g] for g in groups],
            jumps=[self.jumps[g] for g in groups],
            logits=self.logits[groups],
            value=Value(*(x[groups] for x in self.value)),
            own_step=self.own_step[groups],
            n_divergent=self.n_divergent[groups],
        )

    def warm_up(self) -> None:
        """Leave the Gaussian, tune the step lengths, and whiten by where the walkers go."""
        for i in range(_N_SETTLING):
            self.step(2, 2, tuning=1 / (1 + i / 3))
        seen = []
        for i in range(_N_SPREADING):
            self.step(3, 3, tuning=1 / (4 + i))
            seen.append(self.logits)
        self.whiten(np.concatenate(seen, axis=2))

    def whiten(self, seen: Float[np.ndarray, "group parameter seen"]) -> None:
        """Whiten by where the walkers were, and tune the step lengths to that."""
        self.peaks = self._respread(seen)
        for i in range(_N_TUNING):
            self.step(2, 2, tuning=1 / (1 + i / 3))

    def _respread(self, logits: Float[np.ndarray, "group parameter seen"]) -> Peaks:
        """The roots replaced by those of the walkers' covariance where there is one mode."""
        n, peaks = self.block.n_own, self.peaks
        alone = (peaks.weight > 0).sum(axis=1) == 1
        if self.block.n_shared:
            if peaks.n_peaks > 1:
                return peaks
            alone = np.broadcast_to(alone, len(logits))
        away = logits - logits.mean(axis=2, keepdims=True)
        own = away[:, :n] - peaks.lean[:, 0] @ away[:, n:]
        root = peaks.own_root.copy()
        root[alone, 0] = _blended(peaks.own_root[:, 0], own, self.logits.shape[2])[alone]
        common = peaks.common_root
        if self.block.n_shared:
            common = _blended(common[:1], away[:1, n:], self.logits.shape[2])
        return replace(peaks, own_root=root, common_root=common)

    def step(self, n_steps: int, n_common_steps: int, *, tuning: float = 0.0) -> None:
        """One transition of every walker; `tuning` is how much the step lengths follow."""
        target = _CAREFUL_ACCEPT if self.is_careful else _TARGET_ACCEPT
        peak = self._choose(1)[0]
        n = self.block.n_own
        row = np.arange(len(self.logits))
        root = self.peaks.own_root[row, peak]
        if n:
            accepted = self._trajectory(
                momentum=self._normal(n),
                push=lambda p: self._widened(root @ p),
                pull=lambda g: np.swapaxes(root, 1, 2) @ g[:, :n],
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


def walk(
    block: Block,
    peaks: Peaks,
    streams: Sequence[np.random.SeedSequence],
    *,
    n_walkers: int,
    n_steps: int,
) -> Walks:
    """Walk from the modes: `n_steps` positions of each walker, after a warm-up.

    Parameters
    ----------
    block : Block
    peaks : Peaks
    streams : sequence of SeedSequence
        One per unit of the block.
    n_walkers, n_steps : int
    """
    spawned = [stream.spawn(2) for stream in streams]
    own, jumps = ([np.random.default_rng(pair[i]) for pair in spawned] for i in (0, 1))
    logits = gaussian_draws(block, peaks, own, n_walkers)
    n_groups = len(block.groups)
    herd = _Herd(
        block=block,
        peaks=peaks,
        streams=own,
        jumps=jumps,
        logits=logits,
        value=block.surface(logits),
        own_step=np.full(n_groups, _FIRST_STEP),
        common_step=np.full(1, _FIRST_STEP),
        n_divergent=np.zeros(n_groups, dtype=np.int64),
    )
    herd.warm_up()
    path, diverged = _record(herd, n_steps, np.ones(n_groups, dtype=np.intp), _TRAJECTORY)
    slowness = _slowness(block, path)
    slow = np.flatnonzero(slowness > _SLOW)
    if len(slow):
        again = herd if block.n_shared or len(slow) == n_groups else herd.take(slow)
        again.is_careful = True
        again.whiten(path[slow].reshape(len(slow), path.shape[1], -1))
        thinning = np.minimum(np.ceil(slowness[slow] / _THINNING), _MOST_THINNING).astype(np.intp)
        path[slow], diverged[slow] = _record(again, n_steps, thinning, _LONG_TRAJECTORY)
    return Walks(path, diverged)


def _record(
    herd: _Herd, n_steps: int, thinning: Int[np.ndarray, " group"], trajectory: float
) -> tuple[Float[np.ndarray, "group parameter walker step"], Int[np.ndarray, " group"]]:
    """Every so many positions of the walkers of each group, and its divergent trajectories."""
    n_groups = len(herd.logits)
    path = np.empty((*herd.logits.shape, n_steps))
    diverged = np.zeros(n_groups, dtype=np.int64)
    leaps = _n_leaps(herd.own_step, trajectory)
    if herd.block.n_shared:
        leaps[:] = int(np.median(leaps))
    n_common = int(_n_leaps(herd.common_step, trajectory)[0])
    ways = np.stack([leaps, thinning], axis=1)
    for n, every in np.unique(ways, axis=0).tolist():
        which = np.flatnonzero((ways == (n, every)).all(axis=1))
        part = herd if len(which) == n_groups else herd.take(which)
        for i in range(n_steps):
            for j in range(every):
                part.n_divergent = np.zeros(len(which), dtype=np.int64)
                turn = _TURNS[(i * every + j) % len(_TURNS)] if trajectory > _TRAJECTORY else 1.0
                part.step(*(max(_FEWEST_LEAPS, round(m * turn)) for m in (n, n_common)))
            path[which, ..., i] = part.logits
            diverged[which] += part.n_divergent
        if part is not herd:
            herd.logits[which] = part.logits
            herd.value.log_density[which] = part.value.log_density
            herd.value.gradient[which] = part.value.gradient
    return path, diverged


def _slowness(
    block: Block, path: Float[np.ndarray, "group parameter walker step"]
) -> Float[np.ndarray, " group"]:
    """How many draws make an effective one, at worst: from how far walkers' means are apart.

    Both of the probabilities, for where they are, and of their squares, for how wide they are.
    """
    p = expit(path)
    flat = p.reshape(*p.shape[:2], -1)
    away = p - flat.mean(axis=2)[..., None, None]
    worst = np.zeros(len(path))
    for x in (away, away**2):
        spread = x.reshape(flat.shape).var(axis=2)
        apart = path.shape[3] * x.mean(axis=3).var(axis=2, ddof=min(1, path.shape[2] - 1))
        ratio = apart / np.maximum(spread, np.finfo(float).tiny)
        worst = np.maximum(worst, np.max(ratio, axis=1))
    if not block.n_shared:
        return worst
    # All walk on when more than one group in fifty is slow; shared rates are in each of them.
    return np.full_like(worst, np.quantile(worst, 0.98, method="higher"))


def gaussian_draws(
    block: Block, peaks: Peaks, streams: Sequence[np.random.Generator], n: int
) -> Float[np.ndarray, "group parameter draw"]:
    """Draws from the Gaussians at the modes, as many from each as its share of the mass."""
    n_groups, n_own = len(block.groups), block.n_own
    drawn = []
    for rng in streams:
        n_here = n_groups if block.n_shared else 1
        drawn.append((rng.random(), rng.standard_normal((n_here, n_own, n))))
    offset = np.array([offset for offset, _ in drawn])[:, None]
    white = np.concatenate([normal for _, normal in drawn])
    # Spread over the walkers in a fixed order that deals every mode to every chain.
    place = (np.arange(n) * 0.6180339887498949 + offset) % 1
    ends = np.cumsum(peaks.weight, axis=1)[:, None, :-1]
    peak = (place[..., None] >= ends).sum(axis=-1)
    each = np.broadcast_to(peak, (n_groups, n))
    logits = np.empty((n_groups, len(block.parameters), n))
    common = streams[0].standard_normal((block.n_shared, n))
    for k in range(peaks.n_peaks):
        shift = peaks.common_root[k] @ common
        own = peaks.own_root[:, k] @ white + peaks.lean[:, k] @ shift
        every = np.broadcast_to(shift, (n_groups, *shift.shape))
        there = peaks.centre[:, :, k, None] + np.concatenate([own, every], axis=1)
        logits = np.where((each == k)[:, None], there, logits)
    return logits


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
    found = away @ np.swapaxes(away, -1, -2) / away.shape[-1]
    weight = n_independent / (n_independent + n)
    return np.linalg.cholesky(weight * found + (1 - weight) * believed)


def _tuned(
    step: Float[np.ndarray, " unit"], surplus: Float[np.ndarray, " unit"], rate: float
) -> Float[np.ndarray, " unit"]:
    """The step length, longer where more is accepted than should be, and the other way round."""
    return np.minimum(step * np.exp(rate * surplus), _LONGEST_STEP) if rate else step


def _n_leaps(step: Float[np.ndarray, " unit"], trajectory: float) -> Int[np.ndarray, " unit"]:
    return np.clip(np.rint(trajectory / step), _FEWEST_LEAPS, _MOST_LEAPS).astype(np.intp)


def _of_units(peaks: Peaks, units: Int[np.ndarray, " unit"]) -> Peaks:
    """The modes of some units that share nothing."""
    alone = {"common_root": peaks.common_root}
    taken: dict[str, Any] = {
        f.name: getattr(peaks, f.name)[units] for f in fields(peaks) if f.name not in alone
    }
    return Peaks(**taken, **alone)
