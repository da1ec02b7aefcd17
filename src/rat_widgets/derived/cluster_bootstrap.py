"""Clusters drawn anew: the cluster Bayesian bootstrap, for tables whose every label was seen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Literal, get_args

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.derived.these_rows import row_theta
from rat_widgets.errors import ArgumentError
from rat_widgets.inference.diagnose import Message
from rat_widgets.inference.engine import group_seed
from rat_widgets.model.worlds import compatible_worlds, worlds_of

if TYPE_CHECKING:
    from rat_widgets.inference.draws import Draws
    from rat_widgets.labels.clusters import ClusteredRows
    from rat_widgets.labels.table import Labels

__all__ = ["ENGINE", "bootstrapped", "fallback", "read_cluster_method"]

ClusterMethod = Literal["deff", "bootstrap"]
ENGINE: Final = "bootstrap"
# Weights in memory at a time.
_AT_ONCE: Final = 4_000_000


def read_cluster_method(method: object, labels: Labels | None) -> ClusterMethod:
    """The method, checked.

    Raises
    ------
    ArgumentError
    """
    if not isinstance(method, str) or method not in get_args(ClusterMethod):
        raise ArgumentError.build(
            f"`cluster_method` is {method!r:.80}.", accepted="'deff' or 'bootstrap'."
        )
    if method == "deff":
        return "deff"
    if labels is None or labels.cluster is None:
        raise ArgumentError.build(
            "cluster_method='bootstrap' has no clusters to draw.",
            accepted="A table with a column that names each row's cluster.",
            hint='rat.fit(df, cluster="<column>", cluster_method="bootstrap")',
        )
    return "bootstrap"


def fallback(draws: Draws) -> Message | None:
    """Why clusters of this group cannot be drawn; None when they can."""
    counts = draws.counts
    rows = counts.counts[0]
    levels = len(counts.retrieval_levels)
    open_ = int(rows[compatible_worlds(counts.patterns, levels).sum(axis=1) > 1].sum())
    if counts.judges:
        why = "there are judges, whose rates it knows nothing of"
    elif open_:
        rows_lack = "1 row lacks" if open_ == 1 else f"{open_:,} rows lack"
        why = f"{rows_lack} a label"
    elif not rows.sum():
        why = "there are no rows"
    else:
        return None
    return Message(
        "info",
        "not_bootstrapped",
        f"Clusters were not drawn, since {why}.",
        "Counts are divided by the design effect instead.",
    )


def bootstrapped(draws: Draws, rows: ClusteredRows, *, seed: int) -> Draws:
    """Draws whose spread comes from which clusters there happen to be.

    Parameters
    ----------
    draws : Draws
        Of one group without judges, all of whose rows show everything.
    rows : ClusteredRows
        The rows of that group.
    seed : int

    Notes
    -----
    Per draw every cluster gets a weight, together Dirichlet(1, ..., 1), and the worlds' shares are
    those of the weighted rows. Priors do not take part but where no row gets to a question: what
    was never seen has no width.

    References
    ----------
    Rubin (1981), "The Bayesian Bootstrap".
    """
    tree = worlds_of(draws.counts.retrieval_levels)
    agrees = compatible_worlds(rows.patterns, tree.n_levels)
    table = _by_cluster(rows.cluster, agrees.argmax(axis=1), len(tree.names))
    rng = np.random.default_rng(group_seed(seed, ("clusters", *draws.counts.groups[0])))
    n = draws.n_chains * draws.n_draws
    width = max(1, _AT_ONCE // len(table))
    parts = [
        rng.standard_exponential((min(width, n - i), len(table))) @ table
        for i in range(0, n, width)
    ]
    totals = np.concatenate(parts)
    shares = totals / totals.sum(axis=1, keepdims=True)
    theta = row_theta(shares.reshape(draws.n_chains, draws.n_draws, -1), draws.theta, tree)
    reason = "Asked for by cluster_method='bootstrap': clusters drawn anew, each as a whole."
    names = draws.priors.names
    changed: dict[str, Any] = {"engine": ENGINE, "reason": reason}
    diagnosis = replace(
        draws.diagnosis,
        **changed,
        r_hat=dict.fromkeys(names, 1.0),
        ess_bulk=dict.fromkeys(names, float(n)),
    )
    return replace(draws, theta=theta, conjugate=None, diagnosis=diagnosis, **changed)


def _by_cluster(
    cluster: Int[np.ndarray, " row"], world: Int[np.ndarray, " row"], n_worlds: int
) -> Float[np.ndarray, "cluster world"]:
    """Rows of each cluster in each world."""
    names, place = np.unique(cluster, return_inverse=True)
    flat = np.bincount(place * n_worlds + world, minlength=len(names) * n_worlds)
    return flat.reshape(len(names), n_worlds).astype(np.float64)
