"""Posteriors: one posterior per group, addressed by the columns that made the groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from rat_widgets.derived.arviz import to_arviz
from rat_widgets.derived.diagnoses import Diagnoses
from rat_widgets.derived.intervals import CiKind
from rat_widgets.derived.judging import judge_table, shared_rates
from rat_widgets.derived.policy import Policy
from rat_widgets.derived.pooling import pooling_table
from rat_widgets.derived.posterior import Posterior
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.keys import is_missing, key_labels, plain_value

if TYPE_CHECKING:
    from rat_widgets.derived.judge_findings import JudgeFinding
    from rat_widgets.derived.shared_judges import JudgeDiffers

__all__ = ["Posteriors"]


@dataclass(frozen=True, eq=False)
class Posteriors:
    """Posteriors over groups, in the order of `groups`.

    ``posteriors[key]`` gives draws, shape (group, chain, draw).
    """

    members: tuple[Posterior, ...]

    def __post_init__(self) -> None:
        members = self.members
        if (
            not isinstance(members, tuple)
            or not members
            or not all(isinstance(p, Posterior) for p in members)
        ):
            raise ArgumentTypeError.build(
                f"Posteriors got {members!r:.80}.", accepted="A tuple of at least one Posterior."
            )

    @property
    def by(self) -> tuple[str, ...]:
        """Columns that made the groups."""
        return self.members[0].counts.by

    @property
    def groups(self) -> pd.Index:
        """The groups: an Index for one column of `by`, a MultiIndex for several."""
        keys = [p.counts.groups[0] for p in self.members]
        if len(self.by) == 1:
            return pd.Index([key[0] for key in keys], name=self.by[0])
        return pd.MultiIndex.from_tuples(keys, names=self.by)

    @property
    def labels_of_groups(self) -> tuple[str, ...]:
        """One text per group, each another: its values, joined by a middle dot."""
        return key_labels([p.counts.groups[0] for p in self.members])

    @property
    def diagnosis(self) -> Diagnoses:
        """Group -> Diagnosis, as a mapping that prints what is said of each group in a line."""
        return Diagnoses(dict(zip(self.groups, (p.diagnosis for p in self.members), strict=True)))

    @property
    def pooling(self) -> pd.DataFrame:
        """What is typical of the systems and how much they differ, where they were pooled.

        One row per pooled probability; of the tree those of "abstention" and "selective_accuracy"
        alone where nothing that was recorded tells of R. ``typical`` is its value for a system in
        the middle; ``tau``, on the logit scale, is how far systems are from there: the standard
        deviation for probabilities of the tree, and for a judge's rates the distance that half of
        the systems keep within. Means with 95% intervals, as `_lower` and `_upper`; draws are in
        ``posts.members[0].draws.pooling``.

        Raises
        ------
        ArgumentError
            When nothing was pooled.
        """
        pooled = (p.draws.pooling for p in self.members if p.draws.pooling is not None)
        return pooling_table(next(pooled, None))

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[Posterior]:
        return iter(self.members)

    def __getitem__(self, key: str) -> Float[np.ndarray, "group chain draw"]:
        is_value = isinstance(key, (str, int, float))
        if is_value and key not in self.keys() and len(self.by) == 1 and key in set(self.groups):
            raise ArgumentError.build(
                f"{key!r} is a group, not a quantity.",
                accepted="posts[quantity] gives the draws of a quantity, of every group.",
                hint=f"posts.sel({self.by[0]}={key!r})",
            )
        return np.stack([p[key] for p in self.members])

    def keys(self) -> list[str]:
        """Keys of `summary`."""
        return self.members[0].keys()

    def sel(self, **values: Any) -> Posterior | Posteriors:
        """The posterior of one group, or those of all groups that agree.

        Parameters
        ----------
        **values
            Column of `by` = value, or a list of values. When every column gets one value the
            answer is a `Posterior`; else it is `Posteriors`.

        Raises
        ------
        ArgumentError
            When a column is not in `by`, or no group agrees.
        """
        for column in values:
            if column not in self.by:
                raise ArgumentError.build(
                    f"The groups have no column {column!r}.",
                    accepted=f"They were made by {', '.join(map(repr, self.by))}.",
                )
        found = [p for p in self.members if _agrees(p.group, values)]
        if not found:
            asked = ", ".join(f"{k}={v!r}" for k, v in values.items())
            some = "; ".join(self.labels_of_groups[:10])
            more = " and others" if len(self) > 10 else ""
            raise ArgumentError.build(
                f"No group has {asked}.", accepted=f"Groups are {some}{more}."
            )
        scalar = all(not isinstance(v, (list, tuple, set)) for v in values.values())
        if scalar and set(values) == set(self.by):
            return found[0]
        return Posteriors(tuple(found))

    def with_policy(self, policy: str | Mapping[str, float] | Policy) -> Posteriors:
        """The same draws read under another policy."""
        spec = Policy.from_spec(policy, self.members[0].tree.levels)
        return Posteriors(tuple(p.with_policy(spec) for p in self.members))

    def pin(self, pins: Mapping[str, float] | None = None, **named: float) -> Posteriors:
        """The same what-if in every group; see `Posterior.pin`."""
        return Posteriors(tuple(p.pin(pins, **named) for p in self.members))

    def unpin(self) -> Posteriors:
        """The posteriors as they were fitted."""
        return Posteriors(tuple(p.unpin() for p in self.members))

    def for_these_rows(self, seed: int | None = None) -> Posteriors:
        """Numbers about exactly the rows in hand; see `Posterior.for_these_rows`."""
        return Posteriors(tuple(p.for_these_rows(seed) for p in self.members))

    def for_population(self) -> Posteriors:
        """Numbers about queries like these, in every group: the default."""
        return Posteriors(tuple(p.for_population() for p in self.members))

    @property
    def estimand(self) -> str:
        """What the numbers are about: "population" or "these_rows"."""
        return self.members[0].estimand

    @property
    def selection(self) -> str:
        """How rows were chosen for human labels, as `fit` was told."""
        return self.members[0].selection

    def summary(self, *, ci_prob: float = 0.95, ci_kind: CiKind = "eti") -> pd.DataFrame:
        """`Posterior.summary` of every group, with the columns of `by` before the quantity."""
        tables = [p.summary(ci_prob=ci_prob, ci_kind=ci_kind) for p in self.members]
        return self._stacked(tables, "quantity")

    @property
    def judges(self) -> pd.DataFrame:
        """How far each judge can be trusted in each group: `judge_summary` with its defaults."""
        return self.judge_summary()

    def judge_summary(self, *, ci_prob: float = 0.95, ci_kind: CiKind = "eti") -> pd.DataFrame:
        """`Posterior.judge_summary` of every group, with the columns of `by` before the judge.

        What the other groups tell of a judge that all share counts in what its verdicts are
        worth here.
        """
        told = shared_rates(self.members)
        tables = [
            judge_table(p, ci_prob=ci_prob, ci_kind=ci_kind, rates_known=known)
            for p, known in zip(self.members, told, strict=True)
        ]
        return self._stacked(tables, "judge")

    @property
    def judge_findings(self) -> tuple[JudgeFinding, ...]:
        """What was found of the judges' errors in any group, as `rat.cured` takes it.

        What was found of judges that the groups share is told once.
        """
        told: list[JudgeFinding] = []
        for found in (found for p in self.members for found in p.judge_findings):
            if found not in told:
                told.append(found)
        return tuple(told)

    @property
    def judges_that_differ(self) -> tuple[JudgeDiffers, ...]:
        """Systems of the fit for which a judge that they share is another one."""
        return tuple(dict.fromkeys(one for p in self.members for one in p.judges_that_differ))

    def check_judges(self) -> pd.DataFrame:
        """`Posterior.check_judges` of every group, with the columns of `by` before the check."""
        tables = [p.check_judges() for p in self.members]
        return self._stacked([t.set_axis(range(len(t))) for t in tables], "row")

    def _stacked(self, tables: Sequence[pd.DataFrame], name: str) -> pd.DataFrame:
        """One table with the groups in the index, before the index of each."""
        keys = [p.counts.groups[0] for p in self.members]
        rows = [(*key, row) for key, t in zip(keys, tables, strict=True) for row in t.index]
        if rows:
            index = pd.MultiIndex.from_tuples(rows, names=[*self.by, name])
        else:
            index = pd.MultiIndex.from_arrays([[]] * (len(self.by) + 1), names=[*self.by, name])
        frame = pd.concat(tables).set_axis(index)
        frame.attrs = dict(tables[0].attrs)
        return frame

    def to_arviz(self) -> Any:
        """An ArviZ container with dims chain, draw, group and judge.

        Raises
        ------
        MissingPackageError
            When ArviZ is not installed.
        """
        return to_arviz(self.members, self.labels_of_groups)

    def __repr__(self) -> str:
        return (
            f"Posteriors({len(self)} groups by {', '.join(self.by)}; "
            f"{sum(p.counts.n_rows for p in self.members):,} rows)"
        )


def _agrees(group: Mapping[str, Any], values: Mapping[str, Any]) -> bool:
    for column, wanted in values.items():
        options = wanted if isinstance(wanted, (list, tuple, set)) else (wanted,)
        # keys hold plain values: numbers of NumPy are Python's there, dates are text
        if not any(
            np.ndim(o) == 0 and not is_missing(o) and plain_value(o) == group[column]
            for o in options
        ):
            return False
    return True
