"""Exact, independent draws where A or R is always seen, and verdicts stand on labelled rows.

Four ways, the first that fits:

- A not recorded but R always seen: two mixtures of Betas (`unrecorded`);
- every row shows R: the posterior is a product of Betas;
- R or T missing: a finite mixture of Beta products (`mixture`);
- the mixture's tables would be too large: the reversed parametrisation with importance
  weights (`reversed`), whose draws are independent as well.

Also the referee of the other engines in tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from jaxtyping import Float, Real

from rat_widgets.errors import EngineError
from rat_widgets.inference.diagnose import (
    Diagnosis,
    Message,
    convergence_messages,
    data_messages,
)
from rat_widgets.inference.diagnose_hidden import hidden_r
from rat_widgets.inference.diagnose_judges import judge_messages
from rat_widgets.inference.diagnose_verdicts import verdict_messages
from rat_widgets.inference.draws import Draws
from rat_widgets.inference.engine import POOLED, group_seed, package_versions
from rat_widgets.inference.identify import identify, unanchored
from rat_widgets.inference.mixture import Mixture, n_cells
from rat_widgets.inference.reversed import sample_reversed
from rat_widgets.inference.tally import MISSING, beta_parameters, label_cube, verdict_counts
from rat_widgets.inference.threads import spread
from rat_widgets.inference.unrecorded import Unrecorded
from rat_widgets.model.emissions import emissions_of

if TYPE_CHECKING:
    from rat_widgets.labels.counts import PatternCounts
    from rat_widgets.model.priors import Priors

__all__ = ["MAX_CELLS", "draw", "exact_mean_worlds", "refusal"]

# Tables of this many cells take about a tenth of a second and 100 MB.
MAX_CELLS: Final = 3_000_000
MAX_UNRECORDED: Final = 1_000_000


class _Theta(NamedTuple):
    """Draws of one group, and how they came about."""

    theta: Float[np.ndarray, "draw theta"]
    how: str
    ess: float
    conjugate: Float[np.ndarray, "theta 2"] | None = None
    messages: tuple[Message, ...] = ()


def refusal(counts: PatternCounts, priors: Priors) -> str | None:
    """Why this posterior is not known exactly, in one sentence; None when it is."""
    del priors
    return POOLED if counts.is_pooled else _refusal(counts)


def _refusal(counts: PatternCounts) -> str | None:
    cube = label_cube(counts)
    if cube[:, MISSING, 0].any() and cube[MISSING].any():
        return "A is not seen on some rows and R is not on others."
    if len(counts.retrieval_levels) > 2 and cube[MISSING].any():
        return f"R has {len(counts.retrieval_levels)} levels and is not seen on some rows."
    if cube[:, MISSING, 0].max() > MAX_UNRECORDED:
        return f"more than {MAX_UNRECORDED:,} rows show T=0 without A."
    if counts.is_scaled and (cube[:, MISSING, 0].any() or cube[MISSING].any()):
        return "counts are divided by a design effect, and mixtures need whole numbers."
    return _refusal_of_judges(counts)


def _refusal_of_judges(counts: PatternCounts) -> str | None:
    """Why their rates are not Betas by themselves."""
    for emission in emissions_of(counts.judges, counts.retrieval_levels).judges:
        if not emission.is_plain:
            return f"the errors of judge {emission.key!r} have more to them than TPR and FPR."
    for judge, seen in zip(counts.judges, verdict_counts(counts), strict=True):
        if seen[MISSING].any():
            letter = {"retrieval": "R", "abstention": "A", "task": "T"}[judge.of]
            return f"judge {judge.name!r} has verdicts on rows that do not show {letter}."
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
    """Independent draws for each group; see `Engine`.

    Raises
    ------
    EngineError
        When the tables are too large and the importance weights too uneven.
    """
    n = n_chains * n_draws
    shared = np.array([judge.share == "all" for judge in counts.judges], dtype=bool)
    groups = [counts.group(i) for i in range(counts.n_groups)]
    informed, identified = identify(groups, shared=shared, held=priors.held_at)
    mirrored = unanchored(groups, shared=shared, held=priors.held_at)
    pooled = verdict_counts(counts)
    thetas = spread(
        lambda group: _draw_theta(
            group, priors, n, np.random.default_rng(group_seed(seed, group.groups[0]))
        ),
        groups,
    )
    hidden = hidden_r(groups)
    result = []
    for i, (key, group) in enumerate(zip(counts.groups, groups, strict=True)):
        theta = thetas[i]
        own = verdict_counts(group)
        rates: dict[str, Float[np.ndarray, " draw"]] = {}
        for j, is_shared in enumerate(shared):
            stream = _judge_stream(seed, j, () if is_shared else key)
            rates |= _draw_rates(pooled[j] if is_shared else own[j], priors, j, n, stream)
        n_theta = theta.theta.shape[1]
        rates |= {name: np.full(n, value) for name, value in priors.held.items()}
        flat = np.array([rates[name] for name in priors.names[n_theta:]]).reshape(-1, n).T
        by_chain = flat.reshape(n_chains, n_draws, -1)
        drawn = theta.theta.reshape(n_chains, n_draws, n_theta)
        r_hat = dict.fromkeys(priors.names, 1.0)
        ess = {name: theta.ess if k < n_theta else float(n) for k, name in enumerate(priors.names)}
        messages = [
            *theta.messages,
            *convergence_messages(r_hat, ess, 0),
            *data_messages(group, informed[i], identified[i], mirrored[i], hidden),
            *judge_messages(group, drawn, by_chain, mirrored[i]),
            *verdict_messages(group),
        ]
        why = f"{reason} {theta.how}"
        result.append(
            Draws(
                theta=drawn,
                rates=by_chain,
                counts=group,
                priors=priors,
                seed=seed,
                engine="exact",
                reason=why,
                versions=package_versions("rat_widgets", "numpy"),
                diagnosis=Diagnosis(
                    engine="exact", reason=why, messages=tuple(messages), r_hat=r_hat, ess_bulk=ess
                ),
                conjugate=theta.conjugate,
            )
        )
    return tuple(result)


def exact_mean_worlds(counts: PatternCounts, priors: Priors) -> Float[np.ndarray, " world"]:
    """Posterior mean of P(world) of a single group, in the order of `Worlds.names`; no sampling.

    Raises
    ------
    EngineError
        When the posterior is not known exactly, or the tables are too large.
    """
    why_not = refusal(counts, priors)
    cube = label_cube(counts)
    is_graded = len(counts.retrieval_levels) > 2
    if why_not is None and not is_graded and n_cells(cube) > MAX_CELLS:
        why_not = f"the tables would have {n_cells(cube):,} cells."
    if why_not is not None:
        raise EngineError.build(f"The mean is not known exactly: {why_not}")
    kind = Unrecorded if is_graded or cube[:, MISSING, 0].any() else Mixture
    return kind.of(cube, priors.theta_array()).mean_worlds()


def _draw_theta(group: PatternCounts, priors: Priors, n: int, rng: np.random.Generator) -> _Theta:
    cube, prior = label_cube(group), priors.theta_array()
    if cube[:, MISSING, 0].any():
        theta = Unrecorded.of(cube, prior).sample(n, rng)
        return _Theta(
            theta, "A is not seen where T=0: a mixture of Betas for each level of R.", float(n)
        )
    if not cube[MISSING].any():
        shape = beta_parameters(cube, prior)
        theta = rng.beta(shape[:, 0], shape[:, 1], size=(n, len(shape)))
        n_betas = {5: "five"}.get(len(shape), str(len(shape)))
        how = f"Every row shows R: {n_betas} independent Betas."
        return _Theta(theta, how, float(n), shape)
    if n_cells(cube) <= MAX_CELLS:
        theta = Mixture.of(cube, prior).sample(n, rng)
        return _Theta(theta, "R is missing on some rows: a finite mixture of Betas.", float(n))
    theta, ess, fraction = sample_reversed(cube, prior, n, rng)
    weights = Message(
        "info",
        "importance_weights",
        f"Importance weights keep {fraction:.0%} of the proposals.",
        "",
    )
    how = "R is missing on many rows: reversed parametrisation with importance weights."
    return _Theta(theta, how, ess, None, (weights,))


def _judge_stream(seed: int, j: int, key: tuple[object, ...]) -> np.random.Generator:
    """The stream of one judge: that of a group, or with the key () of all of them."""
    return np.random.default_rng(group_seed(seed, ("judge", j, *key)))


def _draw_rates(
    tally: Real[np.ndarray, "3 3"], priors: Priors, j: int, n: int, rng: np.random.Generator
) -> dict[str, Float[np.ndarray, " draw"]]:
    """Draws of one judge's rates, independent, from verdicts on rows that show the truth."""
    prior = dict(zip(priors.names, priors.as_array(), strict=True))
    key = priors.judges[j]
    found = {}
    for truth, rate in ((1, "tpr"), (0, "fpr")):
        no, yes, _ = tally[truth]
        a, b = prior[f"{rate}[{key}]"]
        found[f"{rate}[{key}]"] = rng.beta(a + yes, b + no, size=n)
    if key in priors.unknown:
        for truth in (1, 0):
            name = f"unknown_given_{truth}[{key}]"
            no, yes, silent = tally[truth]
            a, b = prior[name]
            found[name] = rng.beta(a + silent, b + no + yes, size=n)
    return found
