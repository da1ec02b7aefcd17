"""Rates of a judge that groups share, from each group's own labels: where they are not the same."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from rat_widgets.inference.diagnose_sharing import labelled_verdicts
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors, judge_keys

__all__ = ["own_rates"]

_N_DRAWS = 4000


def own_rates(
    counts: Sequence[PatternCounts], priors: Priors, *, seed: int
) -> list[dict[str, Float[np.ndarray, "chain draw"]]]:
    """Draws of TPR and FPR per group, of judges that are not the same instrument in all of them.

    Parameters
    ----------
    counts : sequence of PatternCounts
        Of each group.
    priors : Priors
        Of the fit.
    seed : int

    Returns
    -------
    list of dict
        For each group the rate's key -> draws, shape (1, 4000), of its Beta posterior from the
        group's rows with verdict and human label alone. Empty where judges are the same everywhere,
        and of groups without such rows.

    Notes
    -----
    Not the rates of the fit, which has one set for all groups, but what they would be without the
    others.
    """
    found: list[dict[str, Float[np.ndarray, "chain draw"]]] = [{} for _ in counts]
    together = sum(counts[1:], counts[0])
    at = {key: g for g, key in enumerate(together.groups)}
    keys, prior = judge_keys(together.judges), priors.to_dict()
    for j, labelled in labelled_verdicts(together).items():
        for g, one in enumerate(counts):
            rows = labelled[at[one.groups[0]]]
            if not rows.sum(axis=1).all():
                continue
            for truth, kind in ((1, "tpr"), (0, "fpr")):
                name = f"{kind}[{keys[j]}]"
                rng = np.random.default_rng([seed, j, g, truth])
                a, b = prior[name]
                fails, passes = rows[truth]
                found[g][name] = rng.beta(a + passes, b + fails, size=(1, _N_DRAWS))
    return found
