"""Rates of a judge that groups share, from each group's own labels: where they are not the same."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

import numpy as np
from jaxtyping import Float, Int

from rat_widgets.inference.diagnose_sharing import labelled_verdicts
from rat_widgets.labels.counts import PATTERN_COLUMNS, PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.labels.together import together
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.priors import Priors, judge_keys
from rat_widgets.model.worlds import compatible_worlds

__all__ = ["own_rates"]

_N_DRAWS = 4000

_Verdicts = Int[np.ndarray, "group verdict"]


def own_rates(
    counts: Sequence[PatternCounts],
    priors: Priors,
    judges: Collection[int],
    *,
    seed: int,
    cured: Sequence[Judge] | None = None,
) -> list[dict[str, Float[np.ndarray, "chain draw"]]]:
    """Draws of TPR and FPR per group, of judges that groups share.

    Parameters
    ----------
    counts : sequence of PatternCounts
        Of each group.
    priors : Priors
        Of the fit.
    judges : collection of int
        Positions of those that are not the same instrument in all groups.
    seed : int
    cured : sequence of Judge, optional
        The judges with what was found of their errors allowed for: of one that depends on something
        rates are those in each case.

    Returns
    -------
    list of dict
        For each group the rate's key -> draws, shape (1, 4000), of its Beta posterior from the
        group's rows with verdict and human label alone. Empty of groups without such rows; a
        case that no such row shows has the prior.

    Notes
    -----
    Not the rates of the fit, which has one set for all groups, but what they would be without the
    others.
    """
    found: list[dict[str, Float[np.ndarray, "chain draw"]]] = [{} for _ in counts]
    every = together(counts)
    at = {key: g for g, key in enumerate(every.groups)}
    keys, prior = judge_keys(every.judges), priors.to_dict()
    for j, labelled in labelled_verdicts(every, judges).items():
        judge = every.judges[j] if cured is None else cured[j]
        rates = list(_by_case(every, judge, j))
        if not rates:
            rates = [(kind, labelled[:, truth]) for kind, truth in (("tpr", 1), ("fpr", 0))]
        for g, one in enumerate(counts):
            row = at[one.groups[0]]
            if not labelled[row].sum(axis=1).all():
                continue
            for k, (kind, verdicts) in enumerate(rates):
                rng = np.random.default_rng([seed, j, g, k])
                a, b = prior[f"{kind.split('_', 1)[0]}[{keys[j]}]"]
                fails, passes = verdicts[row]
                found[g][f"{kind}[{keys[j]}]"] = rng.beta(a + passes, b + fails, (1, _N_DRAWS))
    return found


def _by_case(counts: PatternCounts, judge: Judge, j: int) -> Iterator[tuple[str, _Verdicts]]:
    """Of a judge that depends on something, each kind of rate with verdicts (0, 1) by group.

    Of rows that show the truth by a human label, and in which case they are.
    """
    if judge.depends_on is None:
        return
    (emission,) = emissions_of((judge,), counts.retrieval_levels).judges
    agrees = compatible_worlds(counts.patterns, len(counts.retrieval_levels))
    cells = np.where(agrees, emission.cell, -1).max(axis=1)
    is_known = (np.where(agrees, emission.cell, cells[:, None]) == cells[:, None]).all(axis=1)
    is_known &= counts.patterns[:, PATTERN_COLUMNS.index(judge.of)] >= 0
    verdict, rows = counts.patterns[:, FIRST_JUDGE + j], np.rint(counts.effective).astype(np.int64)
    # The last split on the way to a pass is the rate of passing; before it, whether it can tell.
    rates = np.array([by_code[0][1][-1][0] if by_code[0][1] else -1 for by_code in emission.paths])
    for rate, kind in enumerate(emission.kinds):
        if not kind.startswith("unknown"):
            inside = is_known & (rates[cells] == rate)
            both = [rows[:, inside & (verdict == v)].sum(axis=1) for v in (0, 1)]
            yield kind, np.stack(both, axis=1)
