"""The golden data sets ``cases``, ``pooled`` and ``verdicts``, which ``make golden`` writes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from rat_widgets.labels.counts import PatternCounts
from rat_widgets.model.priors import Priors
from stan_equivalents.verdicts import verdict_kind

__all__ = ["CASES", "Case", "case"]

_FOLDER: Final = Path(__file__).resolve().parents[1] / "tests" / "golden"
_FILES: Final = ("cases.json", "pooled.json", "verdicts.json")


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One data set with its priors.

    Attributes
    ----------
    name, origin : str
        What it is called, and how it came about.
    counts : PatternCounts
    priors : Priors
    """

    name: str
    origin: str
    counts: PatternCounts
    priors: Priors

    @property
    def kind(self) -> str:
        """Which Stan programs fit: what their names start with."""
        if self.counts.is_pooled:
            return "pooled"
        of_judges = verdict_kind(self.counts)
        if of_judges is not None:
            return of_judges
        if len(self.counts.retrieval_levels) > 2:
            return "graded"
        if self.counts.n_groups > 1:
            return "groups"
        return "judges" if self.counts.judges else "human"


@lru_cache
def _stored() -> dict[str, dict[str, Any]]:
    return {
        one["name"]: one
        for name in _FILES
        for one in json.loads((_FOLDER / name).read_text("utf-8"))["cases"]
    }


CASES: Final = tuple(_stored())
"""The names of all cases."""


@lru_cache
def case(name: str) -> Case:
    """The case of this name, one of `CASES`."""
    data = _stored()[name]
    counts = PatternCounts.from_dict(data["counts"])
    priors = Priors.from_dict(data["priors"], counts.retrieval_levels)
    return Case(name=name, origin=data["origin"], counts=counts, priors=priors)
