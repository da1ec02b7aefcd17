"""How far two sets of draws agree: means and ends of intervals, with their Monte Carlo errors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Final, Self

import numpy as np
from jaxtyping import Float
from scipy.special import betaln, ndtri

from rat_widgets.derived.policy import Policy
from rat_widgets.derived.posterior import Posterior
from rat_widgets.inference import ess_bulk, mcse_mean, sample
from rat_widgets.inference.draws import Draws
from rat_widgets.inference.engine import engine_names
from rat_widgets.inference.pooled import roles_of
from rat_widgets.model.collapsed import collapse
from rat_widgets.model.hierarchy import hierarchy_log_density, pooling_data
from rat_widgets.model.likelihood import log_likelihood
from rat_widgets.model.memberships import pattern_log_likelihood, row_terms
from rat_widgets.model.worlds import level_sticks
from stan_equivalents.cases import Case
from stan_equivalents.programs import pooled_keys
from stan_equivalents.verdicts import KINDS, simplices

__all__ = [
    "APPROXIMATE",
    "MOST_ERRORS",
    "MOST_WIDTH",
    "Comparison",
    "Summary",
    "compare",
    "engines",
    "our_draws",
    "our_log_density",
    "summaries",
]

MOST_ERRORS: Final = 4.5
"""Difference of two means, in its Monte Carlo standard errors, that still counts as none."""
MOST_WIDTH: Final = 0.02
"""Relative difference of two 95% widths that still counts as none."""
APPROXIMATE: Final = frozenset({"laplace"})
"""Engines that promise a preview: shown beside the others, not judged."""

_TAIL: Final = 0.025


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One quantity: mean, equal-tailed 95% interval, and the standard error of each."""

    mean: float
    sd: float
    lower: float
    upper: float
    se_mean: float
    se_lower: float
    se_upper: float

    @property
    def width(self) -> float:
        """Of the interval."""
        return self.upper - self.lower

    def to_dict(self) -> dict[str, float]:
        """The numbers by name, to ten significant digits."""
        return {name: float(f"{value:.10g}") for name, value in asdict(self).items()}

    @classmethod
    def of(cls, draws: Float[np.ndarray, "chain draw"]) -> Self:
        """The summary of these draws."""
        lower, upper = np.quantile(draws, [_TAIL, 1 - _TAIL])
        return cls(
            mean=float(draws.mean()),
            sd=float(draws.std(ddof=1)),
            lower=float(lower),
            upper=float(upper),
            se_mean=float(mcse_mean(draws)),
            se_lower=_se_of_quantile(draws, _TAIL),
            se_upper=_se_of_quantile(draws, 1 - _TAIL),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """One quantity of ours beside the reference.

    Attributes
    ----------
    key : str
    mean_errors : float
        Difference of the means over its Monte Carlo standard error.
    end_errors : float
        The same for the interval's ends, the larger of the two.
    width : float
        Our width over the reference's, minus 1.
    """

    key: str
    mean_errors: float
    end_errors: float
    width: float

    @property
    def agrees(self) -> bool:
        """Mean within Monte Carlo error, width within two per cent."""
        return abs(self.mean_errors) <= MOST_ERRORS and abs(self.width) <= MOST_WIDTH


def compare(ours: Mapping[str, Summary], theirs: Mapping[str, Summary]) -> list[Comparison]:
    """Every quantity of the reference, with ours; a missing one is a KeyError."""
    found = []
    for key, b in theirs.items():
        a = ours[key]
        ends = (
            _errors(a.lower - b.lower, a.se_lower, b.se_lower),
            _errors(a.upper - b.upper, a.se_upper, b.se_upper),
        )
        found.append(
            Comparison(
                key=key,
                mean_errors=_errors(a.mean - b.mean, a.se_mean, b.se_mean),
                end_errors=max(ends, key=abs),
                width=a.width / b.width - 1,
            )
        )
    return found


def summaries(draws: Mapping[str, Float[np.ndarray, "chain draw"]]) -> dict[str, Summary]:
    """The summary of every quantity."""
    return {key: Summary.of(values) for key, values in draws.items()}


def engines() -> tuple[str, ...]:
    """The names of all engines, without "auto"."""
    return tuple(name for name in engine_names() if name != "auto")


def our_draws(
    case: Case, engine: str, keys: Iterable[str], *, draws: int, seed: int
) -> dict[str, Float[np.ndarray, "chain draw"]]:
    """Draws of these quantities by one of our engines.

    Raises
    ------
    EngineError
        When the engine refuses this posterior.
    """
    drawn = sample(case.counts, case.priors, engine=engine, draws=draws, seed=seed)
    policy = Policy.from_spec("adherence", case.counts.retrieval_levels)
    by_group = {
        str(one.counts.groups[0][0]) if case.counts.by else "": Posterior(draws=one, policy=policy)
        for one in drawn
    }
    shares = _shares(by_group[""].draws) if not case.counts.by else {}
    found = {}
    for key in keys:
        group, _, name = key.rpartition(": ")
        found[key] = shares[key] if key in shares else by_group[group][name]
    return found


def _shares(draws: Draws) -> dict[str, Float[np.ndarray, "chain draw"]]:
    """P(level | truth) of graded judges, also where a truth is one of several levels of R."""
    named, found = draws.by_name(), {}
    for levels, splits in simplices(draws.counts):
        left = np.ones(draws.theta.shape[:2])
        for level, split in zip(levels[:0:-1], splits, strict=True):
            found[level] = left * named[split]
            left = left - found[level]
        found[levels[0]] = left
    return found


def our_log_density(case: Case, point: Mapping[str, float]) -> float:
    """Log of prior times likelihood at a point, by `rat_widgets.model.likelihood`."""
    counts, names = case.counts, case.priors.names
    if case.kind == "pooled":
        return _pooled_log_density(case, point)
    if case.kind in KINDS:
        return _verdict_log_density(case, point)
    n, n_theta = len(counts.judges), len(case.priors.theta)
    total, seen = 0.0, set()
    for g, group in enumerate(counts.groups):
        label = f"{group[0]}: " if counts.n_groups > 1 else ""
        own_point = {key.removeprefix(label): value for key, value in point.items()}
        if case.kind == "graded":
            splits, log_jacobian = _splits(own_point, counts.retrieval_levels)
            own_point |= dict(zip(names, splits, strict=False))
            total -= log_jacobian
        values = np.array([own_point[name] for name in names])
        theta, tpr, fpr = np.split(values, (n_theta, n_theta + n))
        total += float(
            log_likelihood(counts.patterns, counts.counts[g], theta, tpr, fpr, judges=counts.judges)
        )
        # The prior of a shared judge counts once.
        shared = [True] * n_theta + [judge.share == "group" for judge in counts.judges] * 2
        for name, x, prior, own in zip(names, values, case.priors.as_array(), shared, strict=True):
            if own or name not in seen:
                total += _log_beta(x, *prior)
            seen.add(name)
    return total


def _verdict_log_density(case: Case, point: Mapping[str, float]) -> float:
    """The same of judges of any kind, by `rat_widgets.model.memberships`."""
    counts, prior = case.counts, case.priors
    values, total = dict(point), 0.0
    if len(counts.retrieval_levels) > 2:
        of_r, log_jacobian = _splits(point, counts.retrieval_levels)
        values |= dict(zip(prior.names, of_r, strict=False))
        total -= log_jacobian
    for levels, splits in simplices(counts):
        p = np.array([point[key] for key in levels])
        values |= dict(zip(splits, level_sticks(p).tolist(), strict=True))
        total -= _log_left(p)
    at = np.array([values[name] for name in prior.names])
    theta, rates = np.split(at, [len(prior.theta)])
    terms = row_terms(counts.patterns, counts.judges, counts.retrieval_levels)
    total += float(pattern_log_likelihood(terms, counts.counts[0].astype(float), theta, rates))
    return total + sum(float(_log_beta(x, *of)) for x, of in zip(at, prior.as_array(), strict=True))


def _pooled_log_density(case: Case, point: Mapping[str, float]) -> float:
    """The same of pooled systems, by `rat_widgets.model.hierarchy`, without centring."""
    counts = case.counts
    roles = roles_of(counts, case.priors)
    prior = case.priors.as_array()
    data = pooling_data(collapse(counts), prior, roles)
    data = data._replace(centring=np.zeros_like(data.centring))
    at = {k: np.array([point[key] for key in keys]) for k, keys in pooled_keys(counts).items()}
    typical, tau, uniform = at["typical"], at["tau"], at["place"].reshape(counts.n_groups, -1)
    normal = np.concatenate([at["z"].reshape(counts.n_groups, -1), ndtri(uniform)], axis=1)
    sites = {"mu": np.log(typical) - np.log1p(-typical), "tau": tau, "place": normal}
    total = float(hierarchy_log_density(sites, data, roles))
    # Densities of the program's own variables, normalised.
    used = prior[list(roles.pooled)]
    total -= float((np.log(typical) + np.log1p(-typical) + betaln(*used.T)).sum())
    total += float((0.5 * normal[:, roles.n_tree :] ** 2).sum())
    total -= 0.5 * math.log(2 * math.pi) * counts.n_groups * roles.n_tree
    return total + float((0.5 * math.log(2 / math.pi) - 0.5 * tau**2).sum())


def _splits(point: Mapping[str, float], levels: tuple[str, ...]) -> tuple[tuple[float, ...], float]:
    """The splits of R, and the log derivative of the levels' probabilities by them."""
    p = np.array([point[f"retrieval[{level}]"] for level in levels])
    return tuple(level_sticks(p).tolist()), _log_left(p)


def _log_left(p: Float[np.ndarray, " level"]) -> float:
    """The log derivative of the probabilities of levels by their splits from the top one down.

    Stan's density is that of the probabilities. Each split is a share of what the higher levels
    leave, so that the derivative is the product of what is left.
    """
    return float(np.log(np.cumsum(p)[1:-1]).sum())


def _log_beta(x: float, alpha: float, beta: float) -> float:
    from math import lgamma, log, log1p

    constant = lgamma(alpha + beta) - lgamma(alpha) - lgamma(beta)
    return constant + (alpha - 1) * log(x) + (beta - 1) * log1p(-x)


def _se_of_quantile(draws: Float[np.ndarray, "chain draw"], p: float) -> float:
    """Half the distance between the quantiles one standard error below p and above it."""
    below = (draws <= np.quantile(draws, p)).astype(float)
    error = np.sqrt(p * (1 - p) / ess_bulk(below))
    low, high = np.quantile(draws, np.clip([p - error, p + error], 0, 1))
    return float(high - low) / 2


def _errors(difference: float, one: float, other: float) -> float:
    """The difference over the standard error of a difference."""
    error = float(np.hypot(one, other))
    return float(difference / error) if error else float(np.sign(difference)) * float("inf")
