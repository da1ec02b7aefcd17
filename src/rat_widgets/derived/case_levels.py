"""How a graded judge grades in each case that its errors depend on, draw by draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

if TYPE_CHECKING:
    from rat_widgets.inference.draws import Draws

__all__ = ["case_levels"]


def case_levels(draws: Draws) -> dict[str, Float[np.ndarray, "chain draw"]]:
    """P(level | truth, case, it decides) of graded judges whose errors depend on something.

    Returns
    -------
    dict
        ``level_{level}_given_{truth}_{case}[key]`` -> draws, shape (chain, draw). Nothing of judges
        whose truth has more than two levels.

    Notes
    -----
    A level is reached by splits from the top one down, so its probability is a product.
    """
    found: dict[str, Float[np.ndarray, "chain draw"]] = {}
    named = draws.by_name()
    for judge, emission in zip(draws.counts.judges, draws.emissions.judges, strict=True):
        if not judge.is_graded or judge.depends_on is None:
            continue
        first = f"split_{judge.answers[-1]}_given_"
        given = [kind.removeprefix(first) for kind in emission.kinds if kind.startswith(first)]
        for case in (name for name in given if name.startswith(("1_", "0_"))):
            left: Any = 1.0
            for level in reversed(judge.answers[1:]):
                split = named[f"split_{level}_given_{case}[{emission.key}]"]
                found[f"level_{level}_given_{case}[{emission.key}]"] = left * split
                left = left * (1 - split)
            found[f"level_{judge.answers[0]}_given_{case}[{emission.key}]"] = left
    return found
