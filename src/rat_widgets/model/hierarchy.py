"""NumPyro partial pooling over systems: each has its own probabilities, all are of one kind.

A pooled probability of group g is ``p_g = expit(mu + tau z_g)``: `expit(mu)` is what is typical of
the systems and `tau` how much they differ, on the logit scale. With tau = 0 all systems are the
same; as tau grows each stands for itself. The data decide.

- Of the tree z_g is standard normal: systems differ a little, all of them.
- Of a judge's rates z_g is standard Cauchy: for most systems the judge is the same, and one may
  be far off, as its own family is. A normal would take eleven systems that are alike as proof that
  the twelfth is alike, too.

- The prior of a probability is the prior of its typical value: ``expit(mu) ~ Beta(alpha, beta)``,
  so that a flat one is flat and systems that do not differ are one table with that prior.
- ``tau ~ HalfNormal(1)``: at one standard deviation a system with p = 0.5 has a neighbour at 0.73.

The data enter through `Collapsed`, so that whatever judges there are is no matter here.

References
----------
Papaspiliopoulos, Roberts, Sköld (2007), "A general framework for the parametrization of
hierarchical models", Statistical Science 22(1): centred where a group's own data are strong,
non-centred where they are weak, and what is between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from jaxtyping import Bool, Float

if TYPE_CHECKING:
    from rat_widgets.model.collapsed import Collapsed

__all__ = [
    "TAU_SCALE",
    "PoolingData",
    "Roles",
    "hierarchy",
    "hierarchy_log_density",
    "parameters_of_groups",
    "pooling_data",
]

TAU_SCALE: Final = 1.0
"""Scale of the half-normal prior of every tau, on the logit scale."""

# How far a guess of tau, which decides on the centring alone, may go: what is centred too much
# diverges where tau is small, what is centred too little only walks longer.
_LEAST_TAU, _MOST_TAU = 0.1, 0.3


class Roles(NamedTuple):
    """Which parameters are pooled, which the same in all groups, which each group's own.

    Positions among the parameters, in ascending order; what is in none of them is held.
    """

    pooled: tuple[int, ...]
    common: tuple[int, ...]
    own: tuple[int, ...]
    n_tree: int
    """How many of the pooled, the first ones, are probabilities of the tree."""


class PoolingData(NamedTuple):
    """What the program conditions on, as arrays; see `Collapsed` for the first five.

    Attributes
    ----------
    ones, zeros : array, shape (group, parameter)
    rows : array, shape (group, mixed)
    exponents : array, shape (mixed, term, 2 * parameter)
    log_factor : array, shape (mixed, term)
    prior : array, shape (parameter, 2)
        Alpha and beta; of a pooled parameter those of its typical value.
    centring : array, shape (group, pooled)
        How far each is written as centred, from 0 to 1. It changes how the sampler walks and not
        what it draws from.
    tau_scale : float
        Scale of the half-normal prior of tau.
    """

    ones: Float[np.ndarray, "group parameter"]
    zeros: Float[np.ndarray, "group parameter"]
    rows: Float[np.ndarray, "group mixed"]
    exponents: Float[np.ndarray, "mixed term exponent"]
    log_factor: Float[np.ndarray, "mixed term"]
    prior: Float[np.ndarray, "parameter 2"]
    centring: Float[np.ndarray, "group pooled"]
    tau_scale: float = TAU_SCALE


def pooling_data(
    collapsed: Collapsed,
    prior: Float[np.ndarray, "parameter 2"],
    roles: Roles,
    tau_scale: float = TAU_SCALE,
) -> PoolingData:
    """The data of the program, with the centring that the labels of each group suggest."""
    at = list(roles.pooled)
    return PoolingData(
        ones=collapsed.ones,
        zeros=collapsed.zeros,
        rows=collapsed.rows,
        exponents=collapsed.exponents,
        log_factor=collapsed.log_factor,
        prior=prior,
        centring=_centring(collapsed.ones[:, at], collapsed.zeros[:, at]) * _is_normal(roles),
        tau_scale=tau_scale,
    )


def _is_normal(roles: Roles) -> Bool[np.ndarray, " pooled"]:
    """Which of the pooled are normal among the systems; the others are Cauchy."""
    return np.arange(len(roles.pooled)) < roles.n_tree


def _cauchy(normal: Any, xp: Any) -> Any:
    """The standard Cauchy quantile at the normal's own: ``tan(pi (ndtr(x) - 1/2))``."""
    if xp is np:
        from scipy.special import ndtr
    else:
        from jax.scipy.special import ndtr
    # By the nearer tail, so that no digit is lost in the other.
    return xp.sign(normal) / xp.tan(xp.pi * ndtr(-xp.abs(normal)))


def _centring(
    ones: Float[np.ndarray, "group pooled"], zeros: Float[np.ndarray, "group pooled"]
) -> Float[np.ndarray, "group pooled"]:
    """What a group's own labels are worth, as a share of that and what the pool would tell.

    Of labels that are known for sure; tau is guessed by moments (DerSimonian and Laird 1986).
    """
    logit = np.log(ones + 0.5) - np.log(zeros + 0.5)
    # Fisher information of a logit: n p (1 - p).
    known = (ones + 0.5) * (zeros + 0.5) / (ones + zeros + 1) * (ones + zeros > 0)
    total = np.maximum(known.sum(axis=0), np.finfo(float).tiny)
    mean = (known * logit).sum(axis=0) / total
    excess = (known * (logit - mean) ** 2).sum(axis=0) - (known > 0).sum(axis=0) + 1
    scale = np.maximum(total - (known**2).sum(axis=0) / total, np.finfo(float).tiny)
    tau = np.clip(np.sqrt(np.maximum(excess, 0) / scale), _LEAST_TAU, _MOST_TAU)
    return known / (known + tau**-2)


def hierarchy(data: PoolingData, *, roles: Roles) -> None:
    """The program: sites ``mu``, ``tau``, ``place``, and logits ``common`` and ``own``.

    ``mu`` and ``tau``, shape (pooled,); ``place``, shape (group, pooled), from which
    `parameters_of_groups` makes the groups' logits; ``common``, shape (common,); ``own``, shape
    (group, own). A site without parameters does not exist.

    Parameters
    ----------
    data : PoolingData
    roles : Roles
    """
    import jax.numpy as jnp
    import numpyro
    from numpyro import distributions as dist

    n_groups = data.rows.shape[0]

    def free(name: str, shape: tuple[int, ...]) -> Any:
        real = dist.ImproperUniform(dist.constraints.real, (), shape)
        return numpyro.sample(name, real)

    sites = {}
    if roles.pooled:
        sites["mu"] = free("mu", (len(roles.pooled),))
        spread = dist.HalfNormal(data.tau_scale).expand((len(roles.pooled),)).to_event(1)
        sites["tau"] = numpyro.sample("tau", spread)
        sites["place"] = free("place", (n_groups, len(roles.pooled)))
    if roles.common:
        sites["common"] = free("common", (len(roles.common),))
    if roles.own:
        sites["own"] = free("own", (n_groups, len(roles.own)))
    numpyro.factor("posterior", hierarchy_log_density(sites, data, roles, xp=jnp))


def hierarchy_log_density(
    sites: dict[str, Any], data: PoolingData, roles: Roles, *, xp: Any = np
) -> Any:
    """Log of prior times likelihood of the sites, but for the prior of tau.

    Densities are those of logits and of `place`; constants are left out.
    """
    total = 0.0
    alpha, beta = data.prior[:, 0], data.prior[:, 1]
    for name, at in (("mu", roles.pooled), ("common", roles.common), ("own", roles.own)):
        if at:
            yes, no = _logs(sites[name], xp)
            which = list(at)
            total = total + (alpha[..., which] * yes + beta[..., which] * no).sum()
    if roles.pooled:
        mu, tau, w = sites["mu"], sites["tau"], data.centring
        away = (sites["place"] - w * mu) / tau**w
        total = total - (0.5 * away**2 + w * xp.log(tau)).sum()
    logits = parameters_of_groups(sites, data.centring, roles, data.ones.shape[1], xp=xp)
    yes, no = _logs(logits, xp)
    total = total + (data.ones * yes + data.zeros * no).sum()
    if data.rows.shape[1]:
        logs = xp.concatenate([yes, no], axis=-1)
        terms = xp.einsum("mte,ge->gmt", data.exponents, logs) + data.log_factor
        most = terms.max(axis=-1, keepdims=True)
        mixed = most[..., 0] + xp.log(xp.exp(terms - most).sum(axis=-1))
        total = total + (data.rows * mixed).sum()
    return total


def parameters_of_groups(
    sites: dict[str, Any], centring: Any, roles: Roles, n_parameters: int, *, xp: Any = np
) -> Any:
    """The logit of every parameter in every group, shape (..., group, parameter).

    Parameters that are held have 0.
    """
    n_groups = centring.shape[0]
    columns: list[Any] = [None] * n_parameters
    batch: tuple[int, ...] = ()
    if roles.pooled:
        mu, tau = (sites[name][..., None, :] for name in ("mu", "tau"))
        # place ~ N(w mu, tau^w); with w = 1 it is the logit, with w = 0 it is z, or what makes it.
        away = sites["place"] - centring * mu
        if roles.n_tree < len(roles.pooled):
            rest = _cauchy(away[..., roles.n_tree :], xp)
            away = xp.concatenate([away[..., : roles.n_tree], rest], axis=-1)
        logit = mu + tau ** (1 - centring) * away
        batch = logit.shape[:-2]
        for i, k in enumerate(roles.pooled):
            columns[k] = logit[..., i]
    for i, k in enumerate(roles.own):
        columns[k] = sites["own"][..., i]
        batch = columns[k].shape[:-1]
    for i, k in enumerate(roles.common):
        one = sites["common"][..., i, None]
        batch = one.shape[:-1]
        columns[k] = xp.broadcast_to(one, (*batch, n_groups))
    nothing = xp.zeros((*batch, n_groups))
    return xp.stack([nothing if c is None else c for c in columns], axis=-1)


def _logs(logits: Any, xp: Any) -> tuple[Any, Any]:
    """Logs of expit(x) and of 1 - expit(x)."""
    return -xp.logaddexp(0.0, -logits), -xp.logaddexp(0.0, logits)
