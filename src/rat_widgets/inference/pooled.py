"""The engine of judges with ``share="partial"``: partial pooling over systems, by NumPyro's NUTS.

Where a judge is pooled, so are the probabilities of the tree: both come from the same systems.
Judges with ``share="all"`` stay one instrument, and those with ``share="group"`` have rates of
their own in each group. Compiled once per shape, in float64, as `nuts` is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from jaxtyping import Float

from rat_widgets.inference.convergence import convergence
from rat_widgets.inference.diagnose import (
    Diagnosis,
    convergence_messages,
    data_messages,
)
from rat_widgets.inference.diagnose_hidden import hidden_r
from rat_widgets.inference.diagnose_judges import judge_messages
from rat_widgets.inference.diagnose_verdicts import verdict_messages
from rat_widgets.inference.draws import Draws, Pooling
from rat_widgets.inference.engine import group_seed, package_versions
from rat_widgets.inference.identify import identify, unanchored
from rat_widgets.inference.nuts import float64
from rat_widgets.inference.start import starting_point
from rat_widgets.inference.surface import expit
from rat_widgets.inference.unsplit import (
    as_hits,
    is_unsplit,
    split_at_random,
    unsplit_names,
    unsplit_parameters,
)
from rat_widgets.model.collapsed import collapse
from rat_widgets.model.hierarchy import (
    TAU_SCALE,
    PoolingData,
    Roles,
    hierarchy,
    parameters_of_groups,
    pooling_data,
)
from rat_widgets.model.priors import judge_keys

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.model.priors import Priors

__all__ = ["draw", "refusal", "roles_of"]

_N_WARMUP: Final = 500
_TARGET_ACCEPT: Final = 0.95
_START_SPREAD: Final = 0.1
_START_TAU: Final = 0.3
_FARTHEST: Final = 4.0
_GROUP_SIZES: Final = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
_MIXED_SIZES: Final = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024)
_TERM_SIZES: Final = (2, 4, 6, 9, 12, 18, 27)


class _Shape(NamedTuple):
    """What a program is compiled for, beside the shapes of its arrays."""

    roles: Roles
    n_chains: int
    n_draws: int
    n_warmup: int


def refusal(counts: PatternCounts, priors: Priors) -> str | None:
    """Why there is nothing to pool, in one sentence; None where there is."""
    del priors
    if not any(judge.share == "partial" for judge in counts.judges):
        return 'no judge has share="partial".'
    if counts.n_groups < 2:
        return "there is one system, and pooling takes several."
    return None


def roles_of(counts: PatternCounts, priors: Priors) -> Roles:
    """Which parameters are pooled: those of the tree, and the rates of judges that are."""
    sharing = dict(zip(judge_keys(counts.judges), (j.share for j in counts.judges), strict=True))
    n_theta, held = len(priors.theta), priors.held_at
    found: dict[str, list[int]] = {"partial": [], "all": [], "group": []}
    is_bare = is_unsplit(counts)
    tree = unsplit_parameters(counts) if is_bare else range(n_theta)
    for k, name in enumerate(priors.names):
        if k < n_theta and k not in tree:
            continue
        of = "partial"
        if k >= n_theta:
            of = next(share for key, share in sharing.items() if name.endswith(f"[{key}]"))
        if k not in held:
            found[of].append(k)
    n_tree = sum(k < n_theta for k in found["partial"])
    pooled, common, own = (tuple(found[of]) for of in ("partial", "all", "group"))
    return Roles(pooled, common, own, n_tree)


def draw(
    counts: PatternCounts,
    priors: Priors,
    *,
    n_chains: int,
    n_draws: int,
    seed: int,
    reason: str,
) -> tuple[Draws, ...]:
    """Draws for each group, all together; see `Engine`."""
    groups = [counts.group(i) for i in range(counts.n_groups)]
    roles = roles_of(counts, priors)
    is_bare = is_unsplit(counts)
    shown = as_hits(counts) if is_bare else counts
    collapsed = collapse(shown, priors.held_at)
    data = pooling_data(collapsed, priors.as_array(), roles, TAU_SCALE)
    shape = _Shape(roles, n_chains, n_draws, _N_WARMUP)
    stream = group_seed(seed, ("pooled", *counts.groups))
    sites, n_divergent = _run(data, _starts(shown, data, roles), shape, stream)
    logits = parameters_of_groups(sites, data.centring, roles, len(priors.names))
    every = np.moveaxis(expit(logits), 2, 0)
    for place, value in priors.held_at.items():
        every[..., place] = value
    if is_bare:
        rng, n_theta = np.random.default_rng(stream), len(priors.theta)
        every[..., :n_theta] = split_at_random(every[..., :n_theta], priors, rng)
    shown_as = unsplit_names(counts) if is_bare else {}
    names = tuple(shown_as.get(k, priors.names[k]) for k in roles.pooled)
    pooling = Pooling(names=names, mu=sites["mu"], tau=sites["tau"])
    of_pool = _measured(pooling)
    shared = np.array([judge.share != "group" for judge in counts.judges], dtype=bool)
    informed, identified = identify(groups, shared=shared, held=priors.held_at)
    mirrored = unanchored(groups, shared=shared, held=priors.held_at)
    hidden = hidden_r(groups)
    result = []
    for i, group in enumerate(groups):
        theta, rates = np.split(every[i], [len(priors.theta)], axis=-1)
        rhat, ess = _convergence(priors.names, every[i], of_pool)
        messages = (
            *convergence_messages(rhat, ess, n_divergent),
            *data_messages(group, informed[i], identified[i], mirrored[i], hidden),
            *judge_messages(group, theta, rates, mirrored[i]),
            *verdict_messages(group),
        )
        diagnosis = Diagnosis(
            engine="pooled",
            reason=reason,
            messages=messages,
            r_hat=rhat,
            ess_bulk=ess,
            n_divergent=n_divergent,
        )
        result.append(
            Draws(
                theta=theta,
                rates=rates,
                counts=group,
                priors=priors,
                seed=seed,
                engine="pooled",
                reason=reason,
                versions=package_versions("rat_widgets", "numpy", "jax", "numpyro"),
                diagnosis=diagnosis,
                pooling=pooling,
            )
        )
    return tuple(result)


_Measured = tuple[dict[str, float], dict[str, float]]


def _measured(pooling: Pooling) -> _Measured:
    """R-hat and ESS of what is typical of the systems and of how much they differ."""
    names = [f"{kind}[{name}]" for kind in ("mu", "tau") for name in pooling.names]
    both = convergence(np.concatenate([pooling.mu, pooling.tau], axis=-1))
    rhat, ess = (dict(zip(names, x.tolist(), strict=True)) for x in both)
    return rhat, ess


def _convergence(
    names: Sequence[str], every: Float[np.ndarray, "chain draw parameter"], of_pool: _Measured
) -> _Measured:
    rhat, ess = (dict(zip(names, x.tolist(), strict=True)) for x in convergence(every))
    return rhat | of_pool[0], ess | of_pool[1]


def _starts(
    counts: PatternCounts, data: PoolingData, roles: Roles
) -> dict[str, Float[np.ndarray, ...]]:
    """The sites where judges are good ones and the tree is that of the labelled rows."""
    p = starting_point([counts.group(i) for i in range(counts.n_groups)]).as_array()
    logits = np.clip(np.log(p) - np.log1p(-p), -_FARTHEST, _FARTHEST)
    at, w = list(roles.pooled), data.centring
    mu = logits[:, at].mean(axis=0)
    is_tree = np.arange(len(at)) < roles.n_tree  # rates start where they are the same for all
    sites = {
        "mu": mu,
        "tau": np.full(len(at), np.log(_START_TAU)),
        "place": w * mu + (logits[:, at] - mu) * _START_TAU ** (w - 1) * is_tree,
    }
    if roles.common:
        sites["common"] = logits[:, list(roles.common)].mean(axis=0)
    if roles.own:
        sites["own"] = logits[:, list(roles.own)]
    return sites


def _run(
    data: PoolingData,
    starts: dict[str, Float[np.ndarray, ...]],
    shape: _Shape,
    stream: np.random.SeedSequence,
) -> tuple[dict[str, Float[np.ndarray, "chain draw ..."]], int]:
    """Draws of the sites without the groups that pad, and how many transitions diverged."""
    import jax

    n_groups = len(data.rows)
    padded = _padded(data)
    rng = np.random.default_rng(stream)
    init = {}
    for name, value in starts.items():
        more = ((0, len(padded.rows) - n_groups), (0, 0)) if value.ndim == 2 else ((0, 0),)
        start = np.pad(value, more)
        size = (shape.n_chains, *start.shape)
        init[name] = start + _START_SPREAD * rng.standard_normal(size)
    with float64():
        key = jax.random.PRNGKey(int(stream.generate_state(1)[0]))
        samples, diverging = _compiled(shape)(key, padded, init)
        sites = {name: np.asarray(value) for name, value in samples.items()}
        n_divergent = int(np.asarray(diverging).sum())
    for name in ("place", "own"):
        if name in sites:
            sites[name] = sites[name][:, :, :n_groups]
    return sites, n_divergent


@lru_cache(maxsize=16)
def _compiled(shape: _Shape) -> Callable[..., Any]:
    """The jitted sampler; jax keeps one executable per shape of its arguments."""
    import jax
    from numpyro.infer import MCMC, NUTS

    def run(key: Any, data: PoolingData, init: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        mcmc = MCMC(
            NUTS(hierarchy, target_accept_prob=_TARGET_ACCEPT),
            num_warmup=shape.n_warmup,
            num_samples=shape.n_draws,
            num_chains=shape.n_chains,
            chain_method="vectorized",
            progress_bar=False,
        )
        if shape.n_chains == 1:
            init = {name: value[0] for name, value in init.items()}
        mcmc.run(key, data, roles=shape.roles, init_params=init, extra_fields=("diverging",))
        samples = mcmc.get_samples(group_by_chain=True)
        return samples, mcmc.get_extra_fields(group_by_chain=True)["diverging"]

    return jax.jit(run)


def _padded(data: PoolingData) -> PoolingData:
    """Groups without rows, and mixed patterns that no row shows, up to the next of a few sizes."""
    n_groups, n_mixed = data.rows.shape
    height = next((n for n in _GROUP_SIZES if n >= n_groups), n_groups)
    more = height - n_groups
    by_group: dict[str, Any] = {
        name: np.pad(getattr(data, name), ((0, more), (0, 0)))
        for name in ("ones", "zeros", "rows", "centring")
    }
    if not n_mixed:
        return data._replace(**by_group)
    n_terms, n_exponents = data.exponents.shape[1:]
    width = next((n for n in _MIXED_SIZES if n >= n_mixed), n_mixed)
    depth = next((n for n in _TERM_SIZES if n >= n_terms), n_terms)
    exponents = np.zeros((width, depth, n_exponents))
    exponents[:n_mixed, :n_terms] = data.exponents
    log_factor = np.full((width, depth), -np.inf)
    log_factor[:, 0] = 0.0
    log_factor[:n_mixed, :n_terms] = data.log_factor
    by_group["rows"] = np.pad(by_group["rows"], ((0, 0), (0, width - n_mixed)))
    return data._replace(**by_group, exponents=exponents, log_factor=log_factor)
