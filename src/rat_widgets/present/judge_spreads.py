"""Draws as the numbers that a view of judges shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Float

from rat_widgets.derived.intervals import (
    CiKind,
    density_on_grid,
    interval_and_quartiles,
)
from rat_widgets.views import wording
from rat_widgets.views.judge import Density, Spread
from rat_widgets.views.tree import Estimate

__all__ = ["Style", "density", "estimate", "estimates", "pinned"]

_POINTS: Final = 48
_HIGHEST: Final = 99

_Draws = Float[np.ndarray, "chain draw"]


@dataclass(frozen=True, kw_only=True)
class Style:
    """How draws are summarised and worded."""

    ci_prob: float
    ci_kind: CiKind

    def spreads(
        self, draws: Mapping[str, _Draws], *, rates: Mapping[str, bool] | None = None
    ) -> dict[str, Spread]:
        """Each key's spread; `rates` says which are not probabilities."""
        if not draws:
            return {}
        table = np.stack([np.asarray(d).reshape(-1) for d in draws.values()])
        lower, upper, middle = interval_and_quartiles(
            table, ci_prob=self.ci_prob, ci_kind=self.ci_kind
        )
        found = {}
        for i, key in enumerate(draws):
            defined = table[i][~np.isnan(table[i])]
            mean = float(defined.mean()) if len(defined) else float("nan")
            found[key] = _spread(
                (mean, float(lower[i]), float(upper[i])),
                middle[:, i].tolist(),
                is_rate=(rates or {}).get(key, True),
            )
        return found


def _spread(triple: tuple[float, float, float], middle: list[float], *, is_rate: bool) -> Spread:
    if np.isnan(triple[0]):
        return Spread(
            value=None, lower=None, upper=None, text=wording.estimate(*[None] * 3), middle=None
        )
    value, low, high = (wording.stored(x) for x in triple)
    text = wording.estimate(value, low, high, is_rate=is_rate)
    q25, q50, q75 = (wording.stored(x) for x in middle)
    return Spread(value=value, lower=low, upper=high, text=text, middle=(q25, q50, q75))


def pinned(value: float) -> Spread:
    """A rate that is held."""
    at = wording.stored(value)
    return Spread(value=at, lower=at, upper=at, text=wording.pinned(at), middle=(at, at, at))


def density(draws: _Draws) -> Density:
    """The shape of a rate's posterior."""
    start, stop, heights = density_on_grid(np.asarray(draws).reshape(-1), _POINTS)
    return Density(
        start=wording.stored(start),
        stop=wording.stored(stop),
        heights=tuple(int(h) for h in np.round(_HIGHEST * heights)),
    )


def estimate(spread: Spread) -> Estimate:
    """The same without its quartiles."""
    return Estimate(value=spread.value, lower=spread.lower, upper=spread.upper, text=spread.text)


def estimates(spreads: Mapping[str, Spread]) -> dict[str, Estimate]:
    """The same of each key."""
    return {key: estimate(spread) for key, spread in spreads.items()}
