"""Two versions of a judge on the same items: how far apart, and which way verdicts flip."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
from jaxtyping import Int8

from rat_widgets.derived.intervals import credible_interval
from rat_widgets.derived.printed import Measured
from rat_widgets.labels.scalars import MISSING

__all__ = ["Offset", "offset_between"]

_N_DRAWS: Final = 20_000
_CLASSES: Final = ("fail", "pass")


@dataclass(frozen=True, kw_only=True, slots=True)
class Offset:
    """One version of a judge beside the version it is compared with, on the items of both.

    Attributes
    ----------
    version, reference : str
    n_pairs : int
        Items with a verdict of both.
    to_pass, to_fail : int
        Items that this version passes and the other fails, and the other way.
    offset : Measured
        Share that this version passes less the share that the other does.
    p_more : float
        Posterior probability that a flip is a fail that becomes a pass more often than the
        other way.
    by_label : mapping
        "fail" and "pass" -> the offset among items with that label of people: of the false and
        of the true positive rate.
    kappa : Measured or None
        Agreement of this version with people, on all its labelled items.
    """

    version: str
    reference: str
    n_pairs: int
    to_pass: int
    to_fail: int
    offset: Measured
    p_more: float
    by_label: Mapping[str, Measured]
    kappa: Measured | None


def offset_between(
    old: Int8[np.ndarray, " item"],
    new: Int8[np.ndarray, " item"],
    label: Int8[np.ndarray, " item"],
    *,
    names: tuple[str, str],
    kappa: Measured | None,
    ci_prob: float,
) -> Offset:
    """The offset of `new` from `old`, item by item; `MISSING` where there is no verdict."""
    both = (old != MISSING) & (new != MISSING)
    to_pass, to_fail, n = _flips(old[both], new[both])
    by_label = {}
    for code, name in enumerate(_CLASSES):
        inside = both & (label == code)
        if inside.any():
            by_label[name] = _difference(*_flips(old[inside], new[inside]), ci_prob)
    return Offset(
        version=names[1],
        reference=names[0],
        n_pairs=n,
        to_pass=to_pass,
        to_fail=to_fail,
        offset=_difference(to_pass, to_fail, n, ci_prob),
        p_more=_p_more(to_pass, to_fail),
        by_label=by_label,
        kappa=kappa,
    )


def _flips(old: Int8[np.ndarray, " item"], new: Int8[np.ndarray, " item"]) -> tuple[int, int, int]:
    return int(((old == 0) & (new == 1)).sum()), int(((old == 1) & (new == 0)).sum()), len(old)


def _difference(to_pass: int, to_fail: int, n: int, ci_prob: float) -> Measured:
    """Difference of two shares on the same items, which only flips move.

    Posterior of the shares of both flips and of none with the prior Dirichlet(1/2, 1/2, 1/2).
    """
    counts = np.array([to_pass, to_fail, n - to_pass - to_fail]) + 0.5
    draws = np.random.default_rng(0).dirichlet(counts, size=_N_DRAWS)
    lower, upper = credible_interval(draws[:, 0] - draws[:, 1], ci_prob=ci_prob)
    return Measured(
        value=(to_pass - to_fail) / n if n else None, lower=float(lower), upper=float(upper)
    )


def _p_more(to_pass: int, to_fail: int) -> float:
    """P(a flip is to a pass > 1/2) with Jeffreys' prior; as in McNemar's test, flips alone tell."""
    from scipy.special import betaincc

    return float(betaincc(to_pass + 0.5, to_fail + 0.5, 0.5))
