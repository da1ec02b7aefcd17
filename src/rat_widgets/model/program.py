"""The NumPyro program: sites by the names of the parameters, and the likelihood of the counts.

Several groups at once. Densities are written by hand and added with `numpyro.factor`, so that
compiling the program stays cheap; jax and numpyro are imported when it runs, not before.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.model.likelihood import JudgeTable, log_likelihood
from rat_widgets.model.memberships import RowTerms, pattern_log_likelihood
from rat_widgets.model.worlds import PARAMETERS

__all__ = ["ProgramData", "TermsData", "program", "program_of_terms", "rates_by_group"]


class ProgramData(NamedTuple):
    """What the program conditions on, as arrays: another data set of the same shape is no
    reason to compile again.

    Attributes
    ----------
    patterns : array of int, shape (pattern, 4 + judge)
    counts : array, shape (group, pattern)
    theta_prior : array, shape (3K - 1, 2)
        Alpha and beta of each free probability, for K levels of retrieval.
    tpr_prior, fpr_prior : array, shape (judge, 2)
    judges : JudgeTable
    unknown_prior : array, shape (2, unknown judge, 2)
        Of P(cannot tell) given truth 1, and given truth 0.
    """

    patterns: Int[np.ndarray, "pattern column"]
    counts: Float[np.ndarray, "group pattern"]
    theta_prior: Float[np.ndarray, "theta 2"]
    tpr_prior: Float[np.ndarray, "judge 2"]
    fpr_prior: Float[np.ndarray, "judge 2"]
    judges: JudgeTable
    unknown_prior: Float[np.ndarray, "2 unknown 2"] = np.zeros((2, 0, 2))


def program(
    data: ProgramData,
    *,
    shared: tuple[bool, ...] = (),
    parameters: tuple[str, ...] = PARAMETERS,
    silent: tuple[int, ...] = (),
) -> None:
    """Sites named as in `parameters`, shape (group,), and the judges' rates.

    Sites ``tpr`` and ``fpr``, shape (shared judge,), hold the rates of judges that are one
    instrument for all groups; ``tpr_by_group`` and ``fpr_by_group``, shape (group, other
    judge), those of the others; likewise ``unknown_given_1`` and ``unknown_given_0`` of the
    judges that may say "cannot tell". A site without judges does not exist.

    Parameters
    ----------
    data : ProgramData
    shared : tuple of bool
        Per judge, whether its rates are the same in all groups.
    parameters : tuple of str
        Names of the free probabilities, as in `Worlds.parameters`.
    silent : tuple of int
        Positions of the judges that may say "cannot tell".
    """
    import jax.numpy as jnp
    import numpyro

    n_groups = data.counts.shape[0]
    theta = jnp.stack(
        [_probability(name, (n_groups,), data.theta_prior[i]) for i, name in enumerate(parameters)],
        axis=-1,
    )
    of_silent = tuple(shared[j] for j in silent)
    kinds = {"tpr": (data.tpr_prior, shared), "fpr": (data.fpr_prior, shared)}
    for kind, prior in zip(("unknown_given_1", "unknown_given_0"), data.unknown_prior, strict=True):
        kinds[kind] = (prior, of_silent)
    sites = {}
    for rate, (prior, is_shared) in kinds.items():
        one = np.flatnonzero(is_shared)
        own = np.flatnonzero(~np.asarray(is_shared, dtype=bool))
        if len(one):
            sites[rate] = _probability(rate, (len(one),), prior[one])
        if len(own):
            name = f"{rate}_by_group"
            sites[name] = _probability(name, (n_groups, len(own)), prior[own])
    # One row for all groups when no judge has rates of its own in each.
    n_rows = 1 if all(shared) else n_groups
    tpr, fpr, *unknown = (
        rates_by_group(sites, rate, n_groups=n_rows, shared=is_shared, xp=jnp)
        for rate, (_, is_shared) in kinds.items()
    )
    either = data.judges.unknown(*unknown, xp=jnp) if silent else None
    numpyro.factor(
        "labels",
        log_likelihood(
            data.patterns,
            data.counts,
            theta,
            tpr,
            fpr,
            unknown=either,
            judges=data.judges,
            xp=jnp,
        ).sum(),
    )


class TermsData(NamedTuple):
    """What `program_of_terms` conditions on, as arrays.

    Attributes
    ----------
    terms : RowTerms
    counts : array, shape (group, pattern)
    theta_prior, rate_prior : array, shape (3K - 1, 2), (rate, 2)
    """

    terms: RowTerms
    counts: Float[np.ndarray, "group pattern"]
    theta_prior: Float[np.ndarray, "theta 2"]
    rate_prior: Float[np.ndarray, "rate 2"]


def program_of_terms(
    data: TermsData, *, shared: tuple[bool, ...], parameters: tuple[str, ...]
) -> None:
    """The same for judges of any kind: sites as in `parameters`, ``rates``, ``rates_by_group``.

    Parameters
    ----------
    data : TermsData
    shared : tuple of bool
        Per rate, whether it is the same in all groups: these make up the site ``rates``, shape
        (shared rate,), the others ``rates_by_group``, shape (group, other rate).
    parameters : tuple of str
    """
    import jax.numpy as jnp
    import numpyro

    n_groups = data.counts.shape[0]
    theta = jnp.stack(
        [_probability(name, (n_groups,), data.theta_prior[i]) for i, name in enumerate(parameters)],
        axis=-1,
    )
    one, own = np.flatnonzero(shared), np.flatnonzero(~np.asarray(shared, dtype=bool))
    sites = {}
    if len(one):
        sites["rates"] = _probability("rates", (len(one),), data.rate_prior[one])
    if len(own):
        sites["rates_by_group"] = _probability(
            "rates_by_group", (n_groups, len(own)), data.rate_prior[own]
        )
    rates = rates_by_group(sites, "rates", n_groups=n_groups, shared=shared, xp=jnp)
    said = pattern_log_likelihood(data.terms, data.counts, theta, rates, xp=jnp)
    numpyro.factor("labels", said.sum())


def rates_by_group(
    sites: Mapping[str, Any],
    rate: str,
    *,
    n_groups: int,
    shared: tuple[bool, ...],
    xp: Any = np,
) -> Any:
    """The sites of one kind of rate put together, shape (..., group, judge); None without any."""
    columns = []
    for j, is_shared in enumerate(shared):
        place = sum(other == is_shared for other in shared[:j])
        if is_shared:
            value = sites[rate][..., place]
            columns.append(xp.broadcast_to(value[..., None], (*value.shape, n_groups)))
        else:
            columns.append(sites[f"{rate}_by_group"][..., place])
    return xp.stack(columns, axis=-1) if columns else None


def _probability(name: str, shape: tuple[int, ...], prior: Any) -> Any:
    """A site of probabilities with Beta priors, whose density is written out."""
    import jax.numpy as jnp
    import numpyro
    from numpyro import distributions as dist

    uniform = dist.Uniform(0.0, 1.0).expand(shape).to_event(len(shape))
    value = numpyro.sample(name, uniform)
    density = (prior[..., 0] - 1) * jnp.log(value) + (prior[..., 1] - 1) * jnp.log1p(-value)
    numpyro.factor(f"{name}_prior", density.sum())
    return value
