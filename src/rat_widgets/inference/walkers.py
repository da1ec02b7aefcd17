"""Walks of many walkers: Hamiltonian steps with independent tries between them.

Groups that share nothing, with one mode each, start at weighted draws of a proposal that has come
near the posterior (`approach`); those with several modes send scouts first. From then on several
steps in a row are independent tries, which forget where a walker was, and every so often comes a
Hamiltonian one, which reaches what the tries seldom propose. Where few tries are taken, the
proposal is fitted to where the walkers went and the walk begins anew; only the last walk is kept,
and in it nothing is tuned.

Groups that share rates, those of many judges, and those of which no fitted proposal is like the
posterior (classes that no label names), take Hamiltonian steps alone, with lengths tuned in a
warm-up, and once more with longer trajectories where they mix slowly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, Self

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.inference.along import along
from rat_widgets.inference.approach import Offers, approach, follower, resampled, truncated
from rat_widgets.inference.blocks import Block
from rat_widgets.inference.herd import FIRST_STEP, Herd
from rat_widgets.inference.peaks import Peaks
from rat_widgets.inference.proposals import Proposal, angles
from rat_widgets.inference.surface import expit

__all__ = ["Walks", "gaussian_draws", "walk"]

# Scouts: how many, of how many weighted draws, and their steps before and while they are watched.
_N_SCOUTS: Final = 64
_N_WEIGHTED: Final = 1024
_N_ARRIVING, _N_WATCHED = 6, 8
# Between two Hamiltonian steps, of so many leaps, are steps of several independent tries each.
_N_LEAPS: Final = 3
_N_BETWEEN, _N_TRIES = 4, 3
# Where one straight component is enough there are more: tries reach all there is.
_N_BETWEEN_STRAIGHT: Final = 16
# Steps in which the length of the leaps is found, where walkers stand well from the first.
_N_TUNED: Final = 4
# Fraction of steps taken below which the proposal is fitted, and fitted once more; to how many
# steps of all walkers, and with how many components.
_FEW_TAKEN: Final = (0.8, 0.7)
# And below which tries are given up: no mixture of few t distributions is like the posterior.
_SELDOM_TAKEN: Final = 0.3
_N_FITTED: Final = 2048
_MOST_ROUNDS: Final = 64
_N_COMPONENTS: Final = 8
# Probabilities beyond which no proposal is fitted: a bend of 17 has 153 coefficients for the last
# alone, and a try of that many is hardly ever taken.
_MOST_FOLLOWED: Final = 16

# Warm-up where rates are shared: settle, see how far the walkers spread, tune to that.
_N_SETTLING, _N_SPREADING, _N_TUNING = 10, 14, 10
_N_AHEAD: Final = 32
# Length of a trajectory: a quarter of the period of a whitened Gaussian, after which neither
# means nor widths are remembered; and where the posterior is so bent that walkers hardly mix.
# There lengths take turns, since half a period would bring every width back.
_TRAJECTORY: Final = 1.57
_LONG_TRAJECTORY: Final = 4.0
_TURNS: Final = (1.0, 0.4, 0.7)
_FEWEST_LEAPS, _MOST_LEAPS = 2, 48
# Draws per effective draw above which groups walk once more, with longer trajectories, and by
# which the second walk is thinned.
_SLOW: Final = 4.0
# And the fraction of its steps above which a walk says nothing of where it would go.
_STUCK: Final = 0.5
_THINNING: Final = 12.0
_MOST_THINNING: Final = 8

_Path = Float[np.ndarray, "group parameter walker step"]


class Walks(NamedTuple):
    """Where the walkers were.

    Attributes
    ----------
    logits : array, shape (group, parameter, walker, step)
    n_divergent : array of int, shape (group,)
        Trajectories to recorded positions, of the group or of rates that it shares, that left
        the energy surface.
    """

    logits: _Path
    n_divergent: Int[np.ndarray, " group"]

    @classmethod
    def empty(cls, herd: Herd, n_steps: int) -> Self:
        """Room for the walks of a herd."""
        path = np.empty((*herd.logits.shape, n_steps))
        return cls(path, np.zeros(len(path), dtype=np.int64))

    def put(self, groups: Int[np.ndarray, " group"], walks: Walks) -> None:
        """Fill in the walks of some groups."""
        self.logits[groups], self.n_divergent[groups] = walks


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
    spawned = [stream.spawn(3) for stream in streams]
    own, jumps, tries = ([np.random.default_rng(three[i]) for three in spawned] for i in range(3))
    if block.n_shared:
        logits = gaussian_draws(block, peaks, own, n_walkers)
    else:
        logits = np.repeat(peaks.centre[..., :1], n_walkers, axis=2)
    herd = Herd(
        block=block,
        peaks=peaks,
        streams=own,
        jumps=jumps,
        tries=tries,
        logits=logits,
        value=block.surface(logits),
        own_step=np.full(len(block.groups), FIRST_STEP),
        common_step=np.full(1, FIRST_STEP),
        n_divergent=np.zeros(len(block.groups), dtype=np.int64),
    )
    if block.n_shared:
        return _walk_together(herd, n_steps)
    walks = Walks.empty(herd, n_steps)
    if len(block.parameters) > _MOST_FOLLOWED:
        herd.stand(gaussian_draws(block, peaks, own, n_walkers))
        return _walk_alone(herd, n_steps)
    alone = (peaks.weight > 0).sum(axis=1) == 1
    if alone.any():
        single = np.flatnonzero(alone)
        part = herd.take(single)
        part.peaks = part.peaks.at_first()
        walks.put(single, _walk_near(part, n_steps))
    if not alone.all():
        several = np.flatnonzero(~alone)
        part = herd.take(several)
        walks.put(several, _walk_apart(part, _scout(part), n_steps, _FEW_TAKEN))
    return walks


def _walk_near(herd: Herd, n_steps: int) -> Walks:
    """A walk of groups with one mode each, from where weighted draws have come."""
    walks = Walks.empty(herd, n_steps)
    n_walkers = herd.logits.shape[2]
    for is_open in (False, True):
        mine = np.flatnonzero(herd.peaks.is_flat == is_open)
        if not len(mine):
            continue
        some = herd.take(mine)
        first = along(some) if is_open else Proposal.at(some.peaks)
        for near in approach(some.block, first, some.streams, n_walkers):
            part = some.take(near.groups)
            part.peaks = part.respread(near.logits)
            part.stand(near.logits[..., :n_walkers])
            part.is_careful = not near.proposal.is_straight
            for i in range(_N_TUNED * (1 + part.is_careful)):
                part.step(_N_LEAPS, 0, tuning=1 / (1 + i / 3))
            walked = _walk_apart(part, near.proposal, n_steps, _FEW_TAKEN)
            walks.put(mine[near.groups], walked)
    return walks


def _scout(herd: Herd) -> Proposal:
    """Tune the step, whiten by where scouts go, put the walkers there; a first proposal."""
    n_walkers = herd.logits.shape[2]
    herd.stand(_weighted_draws(herd, _N_SCOUTS))
    for i in range(_N_ARRIVING):
        herd.step(2, 2, tuning=1 / (1 + i / 3))
    seen = []
    for i in range(_N_WATCHED):
        herd.step(3, 3, tuning=1 / (4 + i))
        seen.append(herd.logits)
    every = np.concatenate(seen[::-1], axis=2)
    herd.stand(every[..., np.arange(n_walkers) % every.shape[2]])
    return Proposal.at(herd.peaks)


def _walk_apart(herd: Herd, proposal: Offers, n_steps: int, few_taken: tuple[float, ...]) -> Walks:
    """A walk of groups that share nothing, those apart whose proposal has to be fitted first."""
    herd.step(_N_LEAPS, 0)
    _, taken = herd.attempt(proposal, n_steps=_N_BETWEEN, n_tries=_N_TRIES)
    is_slow = taken < (few_taken[0] if few_taken else _SELDOM_TAKEN)
    if not is_slow.any():
        return _record_apart(herd, proposal, n_steps)
    walks = Walks.empty(herd, n_steps)
    if not is_slow.all():
        fast = np.flatnonzero(~is_slow)
        walks.put(fast, _record_apart(herd.take(fast), proposal.take(fast), n_steps))
    slow = np.flatnonzero(is_slow)
    part = herd.take(slow)
    if not few_taken:
        walks.put(slow, _walk_alone(part, n_steps))
    else:
        fitted = _fitted(part, proposal.take(slow))
        walks.put(slow, _walk_apart(part, fitted, n_steps, few_taken[1:]))
    return walks


def _fitted(herd: Herd, proposal: Offers) -> Offers:
    """A proposal that follows the walkers, while they take shorter steps on bent ground."""
    herd.is_careful = True
    seen = []
    for i in range(min(_MOST_ROUNDS, -(-_N_FITTED // herd.logits.shape[2]))):
        herd.step(_N_LEAPS, 0, tuning=1 / (1 + i / 3))
        seen.append(herd.attempt(proposal, n_steps=1, n_tries=_N_TRIES)[0][..., 0])
    every = np.concatenate(seen, axis=2)
    if herd.peaks.n_peaks > 1:
        return Proposal.fitted(every, _N_COMPONENTS)
    even = np.ones((len(every), every.shape[2]))
    return follower(proposal).fitted(angles(every), even)


def _record_apart(herd: Herd, proposal: Offers, n_steps: int) -> Walks:
    """Positions of the walkers, Hamiltonian steps and tries by turns."""
    path = np.empty((*herd.logits.shape, n_steps))
    herd.n_divergent = np.zeros(len(path), dtype=np.int64)
    n_between = _N_BETWEEN_STRAIGHT if proposal.is_straight else _N_BETWEEN
    for i in range(0, n_steps, n_between):
        herd.step(_N_LEAPS, 0)
        n = min(n_between, n_steps - i)
        path[..., i : i + n] = herd.attempt(proposal, n_steps=n, n_tries=_N_TRIES)[0]
    # What tries seldom reach is under-seen by walks that are not much longer than it takes to get
    # there: a long tail would come out short. Walkers that hardly move at all are past help.
    slowness = _slowness(path)
    slow = np.flatnonzero((slowness > _SLOW) & (slowness < _STUCK * n_steps))
    n_divergent = herd.n_divergent.copy()
    if len(slow):
        path[slow], n_divergent[slow] = _walk_alone(herd.take(slow), n_steps)
    return Walks(path, n_divergent)


def _walk_alone(herd: Herd, n_steps: int) -> Walks:
    """A walk of groups that share nothing by Hamiltonian steps, each with lengths of its own."""
    _spread(herd)
    path, n_divergent = _record_alike(herd, n_steps, np.ones(len(herd.logits)), _TRAJECTORY)
    slowness = _slowness(path)
    slow = np.flatnonzero(slowness > _SLOW)
    if len(slow):
        part = herd.take(slow)
        part.is_careful = True
        _whiten(part, path[slow].reshape(len(slow), path.shape[1], -1))
        thinning = np.minimum(np.ceil(slowness[slow] / _THINNING), _MOST_THINNING)
        path[slow], n_divergent[slow] = _record_alike(part, n_steps, thinning, _LONG_TRAJECTORY)
    return Walks(path, n_divergent)


def _record_alike(
    herd: Herd, n_steps: int, thinning: Float[np.ndarray, " group"], trajectory: float
) -> Walks:
    """Recorded walks of groups, those of one thinning and one number of leaps side by side.

    So a group's walk does not depend on the groups beside it.
    """
    path = np.empty((*herd.logits.shape, n_steps))
    n_divergent = np.zeros(len(path), dtype=np.int64)
    leaps = [_n_leaps(step[None], trajectory) for step in herd.own_step]
    alike: dict[tuple[int, int], list[int]] = {}
    for g, (often, n) in enumerate(zip(thinning.tolist(), leaps, strict=True)):
        alike.setdefault((int(often), n), []).append(g)
    for (often, _), members in alike.items():
        part = herd.take(np.array(members))
        path[members], n_divergent[members] = _record_together(part, n_steps, often, trajectory)
    return Walks(path, n_divergent)


def _walk_together(herd: Herd, n_steps: int) -> Walks:
    """A walk of groups that share rates, by Hamiltonian steps."""
    _spread(herd)
    walks = _record_together(herd, n_steps, 1, _TRAJECTORY)
    # One group in fifty may be slower.
    slowness = float(np.quantile(_slowness(walks.logits), 0.98, method="higher"))
    if slowness <= _SLOW:
        return walks
    herd.is_careful = True
    _whiten(herd, walks.logits.reshape(*walks.logits.shape[:2], -1))
    thinning = min(int(np.ceil(slowness / _THINNING)), _MOST_THINNING)
    return _record_together(herd, n_steps, thinning, _LONG_TRAJECTORY)


def _spread(herd: Herd) -> None:
    """Settle, see how far the walkers spread, and tune to that.

    Where steps cost much some go ahead; the others start at places where they have been.
    """
    n_walkers = herd.logits.shape[2]
    ahead = min(n_walkers, _N_AHEAD) if herd.block.surface.is_costly else n_walkers
    herd.stand(herd.logits[..., :ahead])
    for i in range(_N_SETTLING):
        herd.step(2, 2, tuning=1 / (1 + i / 3))
    seen = []
    for i in range(_N_SPREADING):
        herd.step(3, 3, tuning=1 / (4 + i))
        seen.append(herd.logits)
    _whiten(herd, np.concatenate(seen, axis=2))
    if ahead < n_walkers:
        every = np.concatenate([herd.logits, *seen[:1:-2]], axis=2)
        herd.stand(every[..., np.arange(n_walkers) % every.shape[2]])


def _whiten(herd: Herd, seen: Float[np.ndarray, "group parameter seen"]) -> None:
    """Whiten by where the walkers were, and tune the step lengths to that."""
    herd.peaks = herd.respread(seen)
    for i in range(_N_TUNING):
        herd.step(2, 2, tuning=1 / (1 + i / 3))


def _record_together(herd: Herd, n_steps: int, thinning: int, trajectory: float) -> Walks:
    """Every so many positions of the walkers, Hamiltonian steps alone."""
    path = np.empty((*herd.logits.shape, n_steps))
    herd.n_divergent = np.zeros(len(path), dtype=np.int64)
    leaps = [_n_leaps(step, trajectory) for step in (herd.own_step, herd.common_step)]
    for i in range(n_steps):
        for j in range(thinning):
            turn = _TURNS[(i * thinning + j) % len(_TURNS)] if trajectory > _TRAJECTORY else 1.0
            herd.step(*(max(_FEWEST_LEAPS, round(n * turn)) for n in leaps))
        path[..., i] = herd.logits
    return Walks(path, herd.n_divergent)


def _slowness(path: _Path) -> Float[np.ndarray, " group"]:
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
    return worst


def _weighted_draws(herd: Herd, n: int) -> Float[np.ndarray, "group parameter draw"]:
    """Draws near the modes by importance weights."""
    angle, log_density = Proposal.at(herd.peaks).offer(herd.streams, _N_WEIGHTED)
    density, points = herd.block.surface.of_angles(angle)
    return resampled(points, truncated(density - log_density)[0], herd.streams, n)


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


def _n_leaps(step: Float[np.ndarray, " unit"], trajectory: float) -> int:
    leaps = np.clip(np.rint(trajectory / step), _FEWEST_LEAPS, _MOST_LEAPS)
    return int(np.median(leaps))
