"""How far people agree with each other: Cohen's kappa of pairs, Krippendorff's alpha of all."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations
from typing import Any, Final, Literal, get_args

import numpy as np
import pandas as pd
from jaxtyping import Bool, Float, Int

from rat_widgets._optional import require
from rat_widgets.derived.agreement_text import report_html, report_text
from rat_widgets.derived.alpha import alpha_of
from rat_widgets.derived.intervals import credible_interval, read_interval
from rat_widgets.derived.kappa import kappa_of_margins
from rat_widgets.derived.ratings import Ratings, read_ratings
from rat_widgets.errors import ArgumentError, ArgumentTypeError, MissingPackageError

__all__ = ["Agreement", "Coefficient", "Scale", "agreement"]

Scale = Literal["nominal", "ordinal", "interval", "ratio"]

_SCALES: Final = get_args(Scale)
_FEATURE: Final = "Krippendorff's alpha"
_MAX_CELLS: Final = 1 << 22
# Of patterns by values, which are looked through for every pair of raters.
_MAX_TABLE: Final = 1 << 24
_FEW: Final = 20


@dataclass(frozen=True, kw_only=True, slots=True)
class Coefficient:
    """A coefficient and its bootstrap interval; None where it is undefined."""

    value: float | None
    lower: float | None
    upper: float | None


_UNDEFINED: Final = Coefficient(value=None, lower=None, upper=None)


@dataclass(frozen=True, kw_only=True, slots=True)
class PairAgreement:
    """Two raters on the items that both rated.

    Attributes
    ----------
    raters : tuple of str
    n_items : int
    observed : float or None
        Share of these items with the same value.
    kappa : Coefficient
        Cohen's kappa, unweighted; undefined where one of the two gave all of them one value,
        since agreement is then what chance gives whatever the other says.
    """

    raters: tuple[str, str]
    n_items: int
    observed: float | None
    kappa: Coefficient


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreement:
    """How far raters agree; prints well and renders in a notebook.

    Attributes
    ----------
    raters : tuple of str
    values : tuple
        The values that occur, in order where the scale has one.
    n_items, n_ratings, n_shared : int
        Items with a rating, ratings, and items with two or more.
    observed : Coefficient
        Share of pairs of ratings of one item that are the same, pooled over items.
    pairs : tuple of PairAgreement
        All pairs of raters that share an item.
    kappa : Coefficient
        Cohen's kappa, averaged over the pairs where it is defined, weighted by their items.
    alpha : Coefficient or None
        Krippendorff's alpha over all raters; None where the package for it is not installed.
    scale : str
        What alpha takes differences for.
    n_bootstrap, ci_prob, seed
        How the intervals were made.
    notes : tuple of str
    """

    raters: tuple[str, ...]
    values: tuple[Any, ...]
    n_items: int
    n_ratings: int
    n_shared: int
    observed: Coefficient
    pairs: tuple[PairAgreement, ...]
    kappa: Coefficient
    alpha: Coefficient | None
    scale: str
    n_bootstrap: int
    ci_prob: float
    seed: int
    notes: tuple[str, ...] = ()

    def to_frame(self) -> pd.DataFrame:
        """One row per pair of raters: n_items, observed, kappa, lower, upper."""
        return pd.DataFrame(
            [
                (p.n_items, p.observed, p.kappa.value, p.kappa.lower, p.kappa.upper)
                for p in self.pairs
            ],
            index=pd.MultiIndex.from_tuples(
                [p.raters for p in self.pairs], names=["rater_1", "rater_2"]
            ),
            columns=["n_items", "observed", "kappa", "lower", "upper"],
        )

    def to_dict(self) -> dict[str, Any]:
        """The report as values that JSON can hold."""
        plain = asdict(self)
        for name in ("raters", "values", "notes"):
            plain[name] = list(plain[name])
        plain["pairs"] = [pair | {"raters": list(pair["raters"])} for pair in plain["pairs"]]
        return plain

    def __str__(self) -> str:
        return report_text(self)

    def __repr__(self) -> str:
        return report_text(self)

    def _repr_html_(self) -> str:
        return report_html(self)


def agreement(
    df: Any,
    item: str | Sequence[str],
    rater: str | Sequence[str],
    value: str | None = None,
    *,
    scale: Scale = "nominal",
    ci_prob: float = 0.95,
    n_bootstrap: int = 2000,
    seed: int = 0,
) -> Agreement:
    """How far raters agree about the same items.

    Parameters
    ----------
    df : frame
        One row per rating; or one row per item with a column per rater, which may be missing.
        Any frame that `Labels.from_frame` reads.
    item : str or sequence of str
        The column, or columns, that name what was rated.
    rater : str or sequence of str
        The column that names who rated; or, without `value`, the raters' columns.
    value : str, optional
        The column of ratings. Missing ratings are left out.
    scale : {"nominal", "ordinal", "interval", "ratio"}
        For alpha: values are only the same or not; have an order; or are numbers whose
        differences, or ratios, count (of a ratio scale 0 or more). Kappa is that of the same or
        not, always.
    ci_prob : float
        Share of the bootstrap inside the intervals, which are equal-tailed.
    n_bootstrap : int
        Times that the items are drawn anew, with replacement.
    seed : int
        The same seed gives the same intervals.

    Returns
    -------
    Agreement

    Notes
    -----
    Items are drawn, and all ratings of an item stay together; items that depend on each other,
    such as turns of one conversation, make true intervals wider. Resamples in which a
    coefficient is undefined (one value only) are left out. Alpha comes from the package
    ``krippendorff`` (Castro 2017), which has a licence of its own, GPL-3.0-or-later, and is
    installed with ``rat_widgets[agreement]``; without it the rest is there. Where it would take
    minutes, with many items and values, alpha is computed here by the same formula.

    References
    ----------
    Cohen (1960), "A Coefficient of Agreement for Nominal Scales". Krippendorff (2011),
    "Computing Krippendorff's Alpha-Reliability".

    Raises
    ------
    ArgumentError, ArgumentTypeError, MissingColumnError, LabelValueError, DuplicateItemError
        For columns that are not there, fewer than two raters, a rater who rated an item twice,
        values that the scale cannot order, or more items with different values than fit.
    """
    ci_prob, _ = read_interval(ci_prob, "eti")
    if scale not in _SCALES:
        raise ArgumentError.build(
            f"`scale` is {scale!r:.80}.", accepted=f"One of {', '.join(map(repr, _SCALES))}."
        )
    n_bootstrap = _count(n_bootstrap, "n_bootstrap", 100)
    seed = _count(seed, "seed", 0)
    ratings = read_ratings(df, item, rater, value, scale=scale)
    _require_room(ratings)
    resamples = _Resamples(ratings.items, n_bootstrap, seed, ci_prob)
    per_item = ratings.value_counts().sum(axis=1)
    alpha, missing = _alpha(ratings, resamples, scale)
    n_shared = int(ratings.items[per_item > 1].sum())
    pairs, kappa = _pairs(ratings, resamples)
    return Agreement(
        raters=ratings.raters,
        values=ratings.values,
        n_items=int(ratings.items.sum()),
        n_ratings=int(ratings.items @ per_item),
        n_shared=n_shared,
        observed=_observed(ratings, resamples),
        pairs=pairs,
        kappa=kappa,
        alpha=alpha,
        scale=scale,
        n_bootstrap=n_bootstrap,
        ci_prob=ci_prob,
        seed=seed,
        notes=(*missing, *_notes(ratings, n_shared, pairs)),
    )


@dataclass(frozen=True, slots=True)
class _Resamples:
    """Items drawn anew: how many of each pattern, `n` times."""

    items: Int[np.ndarray, " pattern"]
    n: int
    seed: int
    ci_prob: float

    def coefficient(self, of: Callable[[Any], Any]) -> Coefficient:
        """A coefficient and its interval.

        `of` takes items per pattern, shape (resample, pattern), and gives one number for each.
        """
        value = float(of(self.items[None])[0])
        if math.isnan(value):
            return _UNDEFINED
        drawn = np.concatenate([of(part) for part in self._parts()])
        lower, upper = credible_interval(drawn, ci_prob=self.ci_prob)
        return Coefficient(value=value, lower=float(lower), upper=float(upper))

    def _parts(self) -> Iterator[Int[np.ndarray, "resample pattern"]]:
        rng = np.random.default_rng(self.seed)
        n_items = int(self.items.sum())
        size = max(1, _MAX_CELLS // max(1, len(self.items)))
        for start in range(0, self.n, size):
            yield rng.multinomial(n_items, self.items / n_items, size=min(size, self.n - start))


def _require_room(ratings: Ratings) -> None:
    """Refuse a table of nearly as many values as ratings when it is a large one."""
    n_patterns, n_values = len(ratings.patterns), len(ratings.values)
    if n_patterns * n_values > _MAX_TABLE:
        raise ArgumentError.build(
            f"The ratings have {n_values:,} different values, and items show {n_patterns:,} "
            "different rows of them.",
            accepted=f"The product of the two is at most {_MAX_TABLE:,}.",
            hint="round the ratings: to tenths, say, or to whole numbers.",
        )


def _observed(ratings: Ratings, resamples: _Resamples) -> Coefficient:
    """Share of pairs of ratings of one item that are the same."""
    counts = ratings.value_counts()
    same = (counts * (counts - 1)).sum(axis=1)
    n = counts.sum(axis=1)
    return resamples.coefficient(lambda items: _share(items @ same, items @ (n * (n - 1))))


def _pairs(
    ratings: Ratings, resamples: _Resamples
) -> tuple[tuple[PairAgreement, ...], Coefficient]:
    """Each pair of raters, and the average kappa."""
    found: list[PairAgreement] = []
    kappas: list[Callable[[Any], tuple[Any, Any]]] = []
    for a, b in combinations(range(len(ratings.raters)), 2):
        one, other = ratings.patterns[:, a], ratings.patterns[:, b]
        both = (one >= 0) & (other >= 0)
        if not both.any():
            continue
        kappa = _kappa_of(one, other, both)
        is_constant = min(len(np.unique(one[both])), len(np.unique(other[both]))) == 1
        if not is_constant:
            kappas.append(kappa)
        n_items = int(ratings.items[both].sum())
        found.append(
            PairAgreement(
                raters=(ratings.raters[a], ratings.raters[b]),
                n_items=n_items,
                observed=int(ratings.items[both & (one == other)].sum()) / n_items,
                kappa=_UNDEFINED if is_constant else resamples.coefficient(_first(kappa)),
            )
        )
    if not kappas:
        return tuple(found), _UNDEFINED

    def average(items: Any) -> Any:
        values, weights = map(np.stack, zip(*(kappa(items) for kappa in kappas), strict=True))
        weights = np.where(np.isnan(values), 0, weights)
        return _share((np.nan_to_num(values) * weights).sum(axis=0), weights.sum(axis=0))

    return tuple(found), resamples.coefficient(average)


def _first(of: Callable[[Any], tuple[Any, Any]]) -> Callable[[Any], Any]:
    return lambda items: of(items)[0]


def _kappa_of(
    one: Int[np.ndarray, " pattern"],
    other: Int[np.ndarray, " pattern"],
    both: Bool[np.ndarray, " pattern"],
) -> Callable[[Any], tuple[Any, Any]]:
    """Items per pattern to kappa of two raters, and the items that both rated."""
    each = np.intersect1d(one[both], other[both])  # others are never agreed on by chance
    first, second = (
        ((v[:, None] == each) & both[:, None]).astype(np.float64) for v in (one, other)
    )
    same = (both & (one == other)).astype(np.float64)

    def kappa(items: Any) -> tuple[Any, Any]:
        n = items @ both
        return kappa_of_margins(items @ same, items @ first, items @ second, n=n), n

    return kappa


def _alpha(
    ratings: Ratings, resamples: _Resamples, scale: str
) -> tuple[Coefficient | None, tuple[str, ...]]:
    """Krippendorff's alpha, or the reason why there is none."""
    try:
        package = require("krippendorff", feature=_FEATURE, extra="agreement")
    except MissingPackageError as err:
        return None, (" ".join(str(err).splitlines()),)
    return resamples.coefficient(alpha_of(ratings, scale, resamples.n, package)), ()


def _notes(ratings: Ratings, n_shared: int, pairs: Sequence[PairAgreement]) -> tuple[str, ...]:
    notes = []
    if not n_shared:
        notes.append("No item was rated by two people: agreement cannot be seen.")
    elif len(ratings.values) == 1:
        notes.append("Every rating is the same: no coefficient tells agreement from chance.")
    elif constant := [" and ".join(p.raters) for p in pairs if p.kappa.value is None]:
        notes.append(
            f"Kappa of {len(constant):,} pair{'s' * (len(constant) > 1)} is undefined and not in "
            "the average: one of the two gave every item of both the same value "
            f"({'; '.join(constant[:3])}{'; ...' if len(constant) > 3 else ''})."
        )
    if 0 < n_shared < _FEW:
        were = "1 item was" if n_shared == 1 else f"{n_shared} items were"
        notes.append(f"Only {were} rated twice: intervals are rough.")
    return tuple(notes)


def _share(part: Any, whole: Any) -> Float[np.ndarray, " resample"]:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(np.asarray(whole) > 0, part / np.asarray(whole, dtype=np.float64), np.nan)


def _count(value: object, argument: str, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise ArgumentTypeError.build(f"`{argument}` is {value!r:.80}.", accepted="A whole number.")
    if value < least:
        raise ArgumentError.build(f"`{argument}` is {value!r}.", accepted=f"{least} or more.")
    return int(value)
