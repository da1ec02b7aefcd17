"""Posteriors to the view of a tree."""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Final, cast

import numpy as np
from jaxtyping import Float

from rat_widgets.derived.cluster_bootstrap import ENGINE
from rat_widgets.derived.intervals import CiKind, credible_interval
from rat_widgets.derived.policy import Policy
from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.quantities import POLICY, find_quantity
from rat_widgets.inference.tally import MISSING, label_cube
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.keys import KeyValue, key_labels
from rat_widgets.model.priors import is_rate
from rat_widgets.model.worlds import Worlds
from rat_widgets.present.node_labels import label_counts
from rat_widgets.present.rows import n_joint, rows_sentence
from rat_widgets.views import codec, wording
from rat_widgets.views.tree import (
    Estimate,
    Note,
    PackedDraws,
    PolicyWeights,
    TreeControls,
    TreeGroup,
    TreeView,
)

__all__ = ["finite", "policy_weights", "tree_view", "with_symbols"]

# What the groups of a view may weigh for each level of retrieval: with the rest of it 48 groups
# of two levels stay under 200 kB.
BYTES_PER_LEVEL: Final = 98_000
BYTES_PER_NUMBER: Final = 2 * 4 / 3  # 16 bits in base64
MOST_PER_GROUP: Final = 1_000
LEAST_PER_GROUP: Final = 40


def tree_view(
    posteriors: Sequence[Posterior],
    *,
    controls: TreeControls | None = None,
    python: str = "rat.tree(df",
    generator: str = "rat_widgets",
    ci_prob: float = 0.95,
    ci_kind: CiKind = "eti",
) -> TreeView:
    """The view of one system's tree, or of many with a picker.

    Parameters
    ----------
    posteriors : sequence of Posterior
        One per group, all under the same policy and the same pins.
    controls : TreeControls
        What is shown first.
    python : str
        The call that reproduces the view, without its closing bracket.
    generator : str
        Name and version of the writer.
    ci_prob, ci_kind
        As in `Posterior.summary`.
    """
    first = posteriors[0]
    labels = key_labels([p.counts.groups[0] for p in posteriors])
    patterns = _label_patterns([p.counts for p in posteriors])
    groups = tuple(
        _group(p, label, patterns, ci_prob=ci_prob, ci_kind=ci_kind)
        for p, label in zip(posteriors, labels, strict=True)
    )
    return TreeView(
        generator=generator,
        python=python,
        by=first.counts.by,
        ci_prob=ci_prob,
        ci_kind=ci_kind,
        seed=first.draws.seed,
        levels=first.tree.levels,
        policy=policy_weights(first.policy),
        priors={
            name: (beta.alpha, beta.beta)
            for name, beta in zip(first.tree.parameters, first.draws.priors.theta, strict=True)
        },
        patterns=tuple(patterns),
        groups=_with_draws(groups, posteriors),
        controls=controls or TreeControls(),
        pins=dict(first.pins) or None,
        estimand=first.estimand,
    )


def policy_weights(policy: Policy) -> PolicyWeights:
    """The policy as a view keeps it."""
    return PolicyWeights(name=policy.name, weights=policy.as_dict())


def _group(
    posterior: Posterior,
    label: str,
    patterns: Mapping[tuple[int, int, int], int],
    *,
    ci_prob: float,
    ci_kind: CiKind,
) -> TreeGroup:
    tree = posterior.tree
    quantities = posterior.quantities()
    draws = {
        **{key: q for key, q in quantities.items() if not is_rate(key)},
        **{world: posterior[world] for world in tree.names},
    }
    pinned = _constant(draws) if posterior.pins else set()
    estimates = _estimates(draws, ci_prob, ci_kind, {POLICY: posterior.policy.is_rate}, pinned)
    counts = posterior.counts
    key = counts.groups[0]
    return TreeGroup(
        key=tuple(map(finite, key)),
        label=label,
        n_rows=counts.n_rows,
        n_joint=n_joint(counts),
        branches={name: estimates[name] for name in tree.branches},
        worlds={world: estimates[world] for world in tree.names},
        quantities={
            key: e
            for key, e in estimates.items()
            if key not in tree.branches and key not in tree.names
        },
        labels=label_counts(counts),
        notes=tuple(
            Note(level=level, text=with_symbols(f"{text} {advice}".strip(), tree))
            for level, _, text, advice in posterior.diagnosis.messages
        ),
        counts=_aligned(counts, patterns),
        draws=None,
        rows=rows_sentence(
            counts,
            ci_prob,
            None if posterior.labels is None else posterior.labels.roles.treatment.errored_as,
            is_of_rows=posterior.is_of_rows,
        ),
        fitted=_fitted(posterior) if posterior.pins else None,
    )


def _constant(draws: Mapping[str, Float[np.ndarray, "chain draw"]]) -> set[str]:
    """What the pins leave no room to vary."""
    return {key for key, d in draws.items() if not np.isnan(d).any() and np.ptp(d) < 1e-12}


def _fitted(posterior: Posterior) -> dict[str, float]:
    """Means without the pins of what the view compares with them."""
    fit = posterior.unpin()
    quantities = fit.quantities()
    keys = (*fit.tree.branches, "task_success", POLICY)
    return {key: wording.stored(quantities[key].mean()) for key in keys}


def finite(value: KeyValue) -> KeyValue:
    """JSON has no infinity: as a key it is text."""
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value


def with_symbols(text: str, tree: Worlds) -> str:
    """Names of code, such as ``abstain_given_hit``, as readers know them: P(A=1 | R=1)."""
    symbols = {name: find_quantity(name, tree.levels).symbol for name in tree.branches}
    if not tree.is_graded:
        for name, symbol in symbols.items():
            text = re.sub(rf"\b{name}\b", symbol, text)
        return text
    for stick in tree.parameters:
        if stick not in symbols:  # "retrieval[partial | below all]"
            level, _, above = stick.removeprefix("retrieval[").removesuffix("]").partition(" | ")
            symbols[stick] = f"P(R={level} | R {above})"
    # Longest first, each place once: a level's name may hold another's.
    names = sorted(symbols, key=len, reverse=True)
    return re.sub("|".join(map(re.escape, names)), lambda found: symbols[found[0]], text)


def _estimates(
    draws: Mapping[str, Float[np.ndarray, "chain draw"]],
    ci_prob: float,
    ci_kind: CiKind,
    is_rate: Mapping[str, bool],
    pinned: Set[str],
) -> dict[str, Estimate]:
    table = np.stack([d.reshape(-1) for d in draws.values()])
    lower, upper = credible_interval(table, ci_prob=ci_prob, ci_kind=ci_kind)
    undefined = np.isnan(lower)
    mean = np.where(undefined, np.nan, np.nan_to_num(table).mean(axis=1))
    partly = np.isnan(table).any(axis=1) & ~undefined
    for i in np.flatnonzero(partly):
        mean[i] = np.nanmean(table[i])
    return {
        key: _estimate(
            mean[i], lower[i], upper[i], is_rate=is_rate.get(key, True), is_pinned=key in pinned
        )
        for i, key in enumerate(draws)
    }


def _estimate(
    mean: float, lower: float, upper: float, *, is_rate: bool, is_pinned: bool
) -> Estimate:
    if np.isnan(mean):
        return Estimate(value=None, lower=None, upper=None, text=wording.estimate(None, None, None))
    value, low, high = (wording.stored(x) for x in (mean, lower, upper))
    if is_pinned and is_rate:
        return Estimate(value=value, lower=value, upper=value, text=wording.pinned(value))
    return Estimate(
        value=value, lower=low, upper=high, text=wording.estimate(value, low, high, is_rate=is_rate)
    )


def _label_patterns(all_counts: Sequence[PatternCounts]) -> dict[tuple[int, int, int], int]:
    """Distinct (R, A, T) over all groups -> position."""
    found = {
        cast("tuple[int, int, int]", tuple(row))
        for c in all_counts
        for row in c.patterns[:, :3].tolist()
    }
    return {pattern: i for i, pattern in enumerate(sorted(found))}


def _aligned(
    counts: PatternCounts, patterns: Mapping[tuple[int, int, int], int]
) -> tuple[int, ...]:
    totals = [0] * len(patterns)
    for row, n in zip(counts.patterns[:, :3].tolist(), counts.counts[0].tolist(), strict=True):
        totals[patterns[cast("tuple[int, int, int]", tuple(row))]] += n
    return tuple(totals)


def _with_draws(
    groups: tuple[TreeGroup, ...], posteriors: Sequence[Posterior]
) -> tuple[TreeGroup, ...]:
    """The groups with draws where a browser cannot draw by itself, as many as there is room for."""
    n_packed = sum(not _browser_draws(p) for p in posteriors)
    if n_packed == 0:
        return groups
    tree = posteriors[0].tree
    room = BYTES_PER_LEVEL * tree.n_levels - len(codec.to_json(groups).encode())
    per_draw = BYTES_PER_NUMBER * len(tree.parameters)
    fitting = int(room / (n_packed * per_draw)) // 10 * 10
    n = min(MOST_PER_GROUP, max(LEAST_PER_GROUP, fitting))
    return tuple(
        group if _browser_draws(p) else replace(group, draws=_packed(p, n))
        for group, p in zip(groups, posteriors, strict=True)
    )


def _browser_draws(posterior: Posterior) -> bool:
    """Whether the browser's engine can draw from counts of (R, A, T) alone.

    It does not know the verdicts of judges, and where T=0 may be an abstention there can be
    more modes than the one it starts from. Graded retrieval it draws as Betas only, and
    shares of the rows in hand, clustered rows and labels bought by outcome not at all.
    """
    if (
        posterior.selection != "verdict"
        or posterior.is_of_rows
        or posterior.counts.is_scaled
        or posterior.engine == ENGINE
    ):
        return False
    if posterior.draws.conjugate is not None or posterior.tree.is_graded:
        return posterior.draws.conjugate is not None
    return not posterior.counts.judges and not label_cube(posterior.counts)[:, MISSING, 0].any()


def _packed(posterior: Posterior, n: int) -> PackedDraws:
    """Evenly thinned draws of the free probabilities, 16 bits each."""
    theta = posterior.unpin().theta.reshape(-1, len(posterior.tree.parameters))
    chosen = theta[np.linspace(0, len(theta) - 1, min(n, len(theta))).astype(int)]
    quantised = np.floor(chosen * 65_535 + 0.5).astype("<u2")
    return PackedDraws(n=len(chosen), theta=base64.b64encode(quantised.tobytes()).decode("ascii"))
