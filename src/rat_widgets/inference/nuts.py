"""The reference engine: NumPyro's NUTS on the collapsed counts, compiled once per shape.

`MCMC.run` compiles anew on every call; inside one jitted function of (key, data, start) it is
compiled once. Tables of patterns and groups are padded to a few sizes, so that new data are
rarely a new shape. Everything runs in float64, inside jax's own context for it: at ten million
rows float32 gives chains that never mix, and no divergence to show it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.inference.convergence import ess_bulk, r_hat
from rat_widgets.inference.diagnose import (
    Diagnosis,
    convergence_messages,
    data_messages,
)
from rat_widgets.inference.diagnose_hidden import hidden_r
from rat_widgets.inference.diagnose_judges import judge_messages
from rat_widgets.inference.diagnose_verdicts import verdict_messages
from rat_widgets.inference.draws import Draws
from rat_widgets.inference.engine import POOLED, group_seed, package_versions
from rat_widgets.inference.identify import identify, unanchored
from rat_widgets.inference.logits import Plan
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.likelihood import JudgeTable
from rat_widgets.model.memberships import row_terms
from rat_widgets.model.priors import RATES
from rat_widgets.model.program import (
    ProgramData,
    TermsData,
    program,
    program_of_terms,
    rates_by_group,
)
from rat_widgets.model.worlds import worlds_of

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.model.priors import Priors

__all__ = ["draw", "float64", "refusal"]

_N_WARMUP: Final = 500
_TARGET_ACCEPT: Final = 0.9
_PATTERN_SIZES: Final = (16, 32, 64, 128, 256, 512, 1024)
_GROUP_SIZES: Final = (1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024)
_START_SPREAD: Final = 0.1
_FARTHEST: Final = 6.0
# A mode of less than this share of the heaviest one's mass gets no chain to start from it.
_COMPARABLE: Final = 0.05
_N_MEAN: Final = 200


class _Shape(NamedTuple):
    """What a program is compiled for: names of theta, which judges are shared, which may say
    "cannot tell", chains and draws; and which rates are shared, where some judge is not plain.
    """

    parameters: tuple[str, ...]
    shared: tuple[bool, ...]
    silent: tuple[int, ...]
    n_chains: int
    n_draws: int
    shared_rates: tuple[bool, ...] | None = None

    @property
    def kinds(self) -> dict[str, tuple[bool, ...]]:
        """Kinds of rates, and which judges of each are shared."""
        if self.shared_rates is not None:
            return {"rates": self.shared_rates}
        silent = tuple(self.shared[j] for j in self.silent)
        return dict(zip(RATES, (self.shared, self.shared, silent, silent), strict=True))


class _Fit(NamedTuple):
    """Draws of several groups, and how many transitions of each chain diverged."""

    theta: Float[np.ndarray, "group chain draw theta"]
    rates: Float[np.ndarray, "group chain draw rate"]
    n_divergent: int


class _Table(NamedTuple):
    """Patterns, and judges of any kind, before products are listed for them."""

    patterns: Int[np.ndarray, "pattern column"]
    counts: Float[np.ndarray, "group pattern"]
    theta_prior: Float[np.ndarray, "theta 2"]
    rate_prior: Float[np.ndarray, "rate 2"]
    judges: tuple[Any, ...]
    levels: tuple[str, ...]

    def as_terms(self) -> TermsData:
        """The products of these patterns."""
        terms = row_terms(self.patterns, self.judges, self.levels)
        return TermsData(terms, self.counts, self.theta_prior, self.rate_prior)


def refusal(counts: PatternCounts, priors: Priors) -> str | None:
    """Why its program does not know this posterior; None where it does."""
    if counts.is_pooled:
        return POOLED
    if priors.held:
        return "a rate of a judge is held, which its program does not know."
    return None


def draw(
    counts: PatternCounts,
    priors: Priors,
    *,
    n_chains: int,
    n_draws: int,
    seed: int,
    reason: str,
) -> tuple[Draws, ...]:
    """Draws for each group, together where they share a judge; see `Engine`."""
    groups = [counts.group(i) for i in range(counts.n_groups)]
    shared = tuple(judge.share == "all" for judge in counts.judges)
    how: dict[str, Any] = {"n_chains": n_chains, "n_draws": n_draws, "seed": seed, "reason": reason}
    if any(shared):
        return _draw_jointly(counts, priors, shared=shared, **how)
    return tuple(
        draws for group in groups for draws in _draw_jointly(group, priors, shared=shared, **how)
    )


def _draw_jointly(
    counts: PatternCounts,
    priors: Priors,
    *,
    shared: tuple[bool, ...],
    n_chains: int,
    n_draws: int,
    seed: int,
    reason: str,
) -> tuple[Draws, ...]:
    groups = [counts.group(i) for i in range(counts.n_groups)]
    if len(groups) == 1:
        shared = (True,) * len(shared)
    one = np.array(shared, dtype=bool)
    informed, identified = identify(groups, shared=one)
    mirrored = unanchored(groups, shared=one)
    keys = [group.groups[0] for group in groups]
    stream = group_seed(seed, keys[0] if len(keys) == 1 else ("joint", *keys))
    emissions = emissions_of(counts.judges, counts.retrieval_levels)
    shape = _Shape(
        worlds_of(counts.retrieval_levels).parameters,
        shared,
        tuple(j for j, judge in enumerate(counts.judges) if judge.has_unknown),
        n_chains,
        n_draws,
        None if emissions.are_plain else tuple(shared[j] for j in emissions.owner),
    )
    fit = _run(_data(groups, priors), _starts(counts, priors, n_chains), shape, stream)
    hidden = hidden_r(groups)
    result = []
    for i, group in enumerate(groups):
        theta, rates = fit.theta[i], fit.rates[i]
        every = np.concatenate([theta, rates], axis=-1)
        rhat = dict(zip(priors.names, r_hat(every).tolist(), strict=True))
        ess = dict(zip(priors.names, ess_bulk(every).tolist(), strict=True))
        messages = [
            *convergence_messages(rhat, ess, fit.n_divergent),
            *data_messages(group, informed[i], identified[i], mirrored[i], hidden),
            *judge_messages(group, theta, rates, mirrored[i]),
            *verdict_messages(group),
        ]
        diagnosis = Diagnosis(
            engine="nuts",
            reason=reason,
            messages=tuple(messages),
            r_hat=rhat,
            ess_bulk=ess,
            n_divergent=fit.n_divergent,
        )
        result.append(
            Draws(
                theta=theta,
                rates=rates,
                counts=group,
                priors=priors,
                seed=seed,
                engine="nuts",
                reason=reason,
                versions=package_versions("rat_widgets", "numpy", "jax", "numpyro"),
                diagnosis=diagnosis,
            )
        )
    return tuple(result)


def _data(groups: Sequence[PatternCounts], priors: Priors) -> ProgramData | _Table:
    """The groups on one table of patterns."""
    judges = groups[0].judges
    patterns = np.unique(np.concatenate([_shown(group.patterns) for group in groups]), axis=0)
    place = {row.tobytes(): i for i, row in enumerate(patterns)}
    counts = np.zeros((len(groups), len(patterns)))
    for g, group in enumerate(groups):
        for row, n in zip(_shown(group.patterns), group.effective[0], strict=True):
            counts[g, place[row.tobytes()]] += n
    levels = groups[0].retrieval_levels
    if not emissions_of(judges, levels).are_plain:
        theta, rates = np.split(priors.as_array(), [len(priors.theta)])
        return _Table(patterns, counts, theta, rates, judges, levels)
    table = JudgeTable.of(judges, levels)
    n, n_unknown = len(judges), len(table.place)
    theta, tpr, fpr, unknown = np.split(
        priors.as_array(), np.cumsum([len(priors.theta), n, n]).tolist()
    )
    by_truth = unknown.reshape(2, n_unknown, 2)
    return ProgramData(patterns, counts, theta, tpr, fpr, table, by_truth)


def _starts(
    counts: PatternCounts, priors: Priors, n_chains: int
) -> Float[np.ndarray, "chain group parameter"]:
    """Logits at a mode for every chain, chains taking turns among modes of some weight."""
    plan = Plan(counts, priors, 0, 1, _N_MEAN)
    mean = np.clip(plan.draws.mean(axis=(1, 2)), 1e-4, 1 - 1e-4)
    logits = np.repeat((np.log(mean) - np.log1p(-mean))[None], n_chains, axis=0)
    for block, peaks in plan.blocks:
        for chain in range(n_chains):
            for i, g in enumerate(block.groups):
                weight = peaks.weight[0 if block.n_shared else i]
                real = np.flatnonzero(weight > _COMPARABLE * weight.max())
                peak = real[chain % len(real)]
                logits[chain, g, block.parameters] = peaks.centre[i, :, peak]
        if block.n_shared:
            common = block.parameters[block.n_own :]
            logits[:, :, common] = logits[:, block.groups[:1], :][:, :, common]
    return np.clip(logits, -_FARTHEST, _FARTHEST)


def _shown(patterns: Any) -> Any:
    """The patterns without *answerable*, on which the main model does not depend."""
    patterns = patterns.copy()
    patterns[:, 3] = -1
    return patterns


def _run(
    data: ProgramData | _Table,
    starts: Float[np.ndarray, "chain group parameter"],
    shape: _Shape,
    stream: np.random.SeedSequence,
) -> _Fit:
    import jax

    n_groups = len(data.counts)
    table = _padded(data)
    padded = table.as_terms() if isinstance(table, _Table) else table
    rng = np.random.default_rng(stream)
    init = _initial(starts, len(padded.counts), shape, rng)
    with float64():
        key = jax.random.PRNGKey(int(stream.generate_state(1)[0]))
        samples, diverging = _compiled(shape)(key, padded, init)
        sites = {name: np.asarray(value) for name, value in samples.items()}
        n_divergent = int(np.asarray(diverging).sum())
    theta = np.stack([sites[name] for name in shape.parameters], axis=-1)
    rates = []
    for rate, shared in shape.kinds.items():
        value = rates_by_group(sites, rate, n_groups=len(padded.counts), shared=shared)
        rates.append(np.empty((*theta.shape[:-1], 0)) if value is None else value)
    every = np.moveaxis(np.concatenate([theta, *rates], axis=-1), 2, 0)[:n_groups]
    theta, flat = np.split(every, [len(shape.parameters)], axis=-1)
    return _Fit(theta, flat, n_divergent)


@lru_cache(maxsize=16)
def _compiled(shape: _Shape) -> Callable[..., Any]:
    """The jitted sampler; jax keeps one executable per shape of its arguments."""
    import jax
    from numpyro.infer import MCMC, NUTS

    model: Callable[..., None] = program
    how: dict[str, Any] = {"shared": shape.shared, "silent": shape.silent}
    if shape.shared_rates is not None:
        model, how = program_of_terms, {"shared": shape.shared_rates}

    def run(key: Any, data: Any, init: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        kernel = NUTS(model, target_accept_prob=_TARGET_ACCEPT)
        mcmc = MCMC(
            kernel,
            num_warmup=_N_WARMUP,
            num_samples=shape.n_draws,
            num_chains=shape.n_chains,
            chain_method="vectorized",
            progress_bar=False,
        )
        if shape.n_chains == 1:
            init = {name: value[0] for name, value in init.items()}
        mcmc.run(
            key,
            data,
            parameters=shape.parameters,
            **how,
            init_params=init,
            extra_fields=("diverging",),
        )
        samples = mcmc.get_samples(group_by_chain=True)
        return samples, mcmc.get_extra_fields(group_by_chain=True)["diverging"]

    return jax.jit(run)


def float64() -> AbstractContextManager[Any]:
    """Double precision inside the block and nowhere else; jax moved the name."""
    import jax

    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(True)
    from jax.experimental import enable_x64

    return enable_x64()


def _padded(data: ProgramData | _Table) -> ProgramData | _Table:
    """Patterns and groups without rows up to the next of a few sizes."""
    n_groups, n_patterns = data.counts.shape
    width = next((n for n in _PATTERN_SIZES if n >= n_patterns), n_patterns)
    height = next((n for n in _GROUP_SIZES if n >= n_groups), n_groups)
    patterns = np.full((width, data.patterns.shape[1]), -1, dtype=np.int32)
    patterns[:n_patterns] = data.patterns
    counts = np.zeros((height, width))
    counts[:n_groups, :n_patterns] = data.counts
    return data._replace(patterns=patterns, counts=counts)


def _initial(
    starts: Float[np.ndarray, "chain group parameter"],
    n_groups: int,
    shape: _Shape,
    rng: np.random.Generator,
) -> dict[str, Float[np.ndarray, "chain ..."]]:
    """The sites near their start for every chain; groups that pad start at 1/2."""
    every = np.zeros((len(starts), n_groups, starts.shape[2]))
    every[:, : starts.shape[1]] = starts
    sites = {name: every[:, :, i] for i, name in enumerate(shape.parameters)}
    column = len(shape.parameters)
    for rate, shared in shape.kinds.items():
        one = np.array(shared, dtype=bool)
        of_rate = every[:, :, column : column + len(one)]
        column += len(one)
        if one.any():
            sites[rate] = of_rate[:, 0, one]
        if (~one).any():
            sites[f"{rate}_by_group"] = of_rate[:, :, ~one]
    return {
        name: logit + _START_SPREAD * rng.standard_normal(logit.shape)
        for name, logit in sites.items()
    }
