"""Design: the best way to spend a budget on labels, and what it should buy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Final, Self

import numpy as np
import pandas as pd

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.planning.design_text import design_html, design_text
from rat_widgets.planning.strategies import Strategy

__all__ = ["Allotment", "Comparison", "Design"]

_KIND: Final = "design"
_VERSION: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Allotment:
    """What is bought on rows of one kind.

    Attributes
    ----------
    rows : str
        "abstained", "answered", or what else they show already.
    buy : str
        "R", "T", "R and T", "R, then T where R=1", ...
    share : float
        Of the spending.
    n_rows, n_r, n_t, cost : float
        Rows, and expected labels and units.
    """

    rows: str
    buy: str
    share: float
    n_rows: float
    n_r: float
    n_t: float
    cost: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A strategy beside the design.

    Attributes
    ----------
    widths : mapping
        Target -> expected width at the same budget.
    ratio : float
        The design's criterion there, as a ratio of widths: below 1 where the design is narrower.
    budget : float or None
        Units that the strategy needs to do as well as the design; None when it never does.
    saving : float or None
        The share of these units that the design saves.
    """

    widths: Mapping[str, float]
    ratio: float
    budget: float | None
    saving: float | None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Design:
    """The best purchase for one budget, at one planning point and in expectation.

    Attributes
    ----------
    targets : mapping
        Quantity -> weight; they sum to 1.
    criterion : {"weighted", "minimax"}
        Whether the weighted sum or the largest of the weighted variances is smallest.
    prices : mapping
    budget, spent : float
        Units; less is spent where the pool runs out.
    ci_prob : float
    allotments : tuple of Allotment
    widths, widths_now : mapping
        Target -> width of its interval, after the purchase and before it.
    compared : mapping
        Strategy -> Comparison.
    gap : float
        No other purchase makes the criterion smaller by more (equivalence theorem).
    efficiency : float
        At least this share of the best criterion is reached; 1 but for rounding.
    pool : mapping or None
        Kind of row -> rows that might be labelled; None when rows are drawn fresh.
    n_drawn : float
        Fresh rows, A seen on each; they come in proportion P(A). 0 with a pool.
    mixture : Strategy or None
        The design as a strategy for fresh rows.
    theta : mapping
        The planning point.
    policy : mapping
        World -> weight.
    advice : str
        In one sentence.
    """

    targets: Mapping[str, float]
    criterion: str
    prices: Mapping[str, float]
    budget: float
    spent: float
    ci_prob: float
    allotments: tuple[Allotment, ...]
    widths: Mapping[str, float]
    widths_now: Mapping[str, float]
    compared: Mapping[str, Comparison]
    gap: float
    efficiency: float
    pool: Mapping[str, float] | None
    n_drawn: float
    mixture: Strategy | None
    theta: Mapping[str, float]
    policy: Mapping[str, float]
    advice: str = ""

    @property
    def width(self) -> float:
        """Expected width of the first target's interval."""
        return next(iter(self.widths.values()))

    @property
    def labels(self) -> dict[str, float]:
        """Expected number of labels of R and of T."""
        return {
            "R": sum(a.n_r for a in self.allotments),
            "T": sum(a.n_t for a in self.allotments),
        }

    @property
    def shares(self) -> dict[tuple[str, str], float]:
        """Shares of the spending by (rows, what is bought there)."""
        return {(a.rows, a.buy): a.share for a in self.allotments}

    @property
    def savings(self) -> dict[str, float | None]:
        """What is saved against each strategy at equal width; None where it never gets there."""
        return {name: c.saving for name, c in self.compared.items()}

    def table(self) -> pd.DataFrame:
        """One row per allotment: share of the spending, rows, labels of R and T, cost."""
        frame = pd.DataFrame([asdict(a) for a in self.allotments])
        return frame.set_index(["rows", "buy"])

    def comparison(self) -> pd.DataFrame:
        """One row per strategy: widths of the targets at equal cost, ratio, and what is saved."""
        rows = {
            name: {
                **{f"width[{target}]": width for target, width in c.widths.items()},
                "ratio": c.ratio,
                "budget": np.inf if c.budget is None else c.budget,
                "saving": np.nan if c.saving is None else c.saving,
            }
            for name, c in self.compared.items()
        }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("strategy")

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __str__(self) -> str:
        return design_text(self)

    def __repr__(self) -> str:
        return design_text(self)

    def _repr_html_(self) -> str:
        return design_html(self)

    def to_dict(self) -> dict[str, Any]:
        """The design as values that JSON can hold."""
        plain = {field.name: getattr(self, field.name) for field in fields(self)}
        plain["allotments"] = [asdict(a) for a in self.allotments]
        plain["compared"] = {name: asdict(c) for name, c in self.compared.items()}
        plain["mixture"] = None if self.mixture is None else self.mixture.to_dict()
        return {"kind": _KIND, "version": _VERSION, **plain}

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The design that `to_dict` wrote.

        Raises
        ------
        ArgumentTypeError
            When it is something else.
        """
        if not isinstance(data, Mapping) or (data.get("kind"), data.get("version")) != (
            _KIND,
            _VERSION,
        ):
            raise ArgumentTypeError.build(
                f"A design was expected, not {data!r:.80}.",
                accepted=f"What `Design.to_dict` wrote: kind {_KIND!r}, version {_VERSION}.",
            )
        given = {key: value for key, value in data.items() if key not in ("kind", "version")}
        try:
            given["allotments"] = tuple(Allotment(**a) for a in given["allotments"])
            given["compared"] = {n: Comparison(**c) for n, c in given["compared"].items()}
            mixture = given["mixture"]
            given["mixture"] = None if mixture is None else Strategy.from_dict(mixture)
            return cls(**given)
        except (AttributeError, KeyError, TypeError) as err:
            raise ArgumentTypeError.build(
                f"The design cannot be read: {err}.", accepted="What `Design.to_dict` wrote."
            ) from err

    def to_json(self) -> str:
        """The design as JSON text."""
        return json.dumps(self.to_dict(), allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The design that `to_json` wrote."""
        try:
            data = json.loads(text)
        except ValueError as err:
            raise ArgumentError.build(
                f"This is not JSON: {err}.", accepted="The text that `to_json` wrote."
            ) from err
        return cls.from_dict(data)
