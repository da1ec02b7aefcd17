"""Do judges err as the model takes for granted? What was tested, found, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from rat_widgets.derived.judge_check_text import truth_of
from rat_widgets.derived.judge_findings import JudgeFinding, families, finding_of
from rat_widgets.derived.judge_naming import JudgeRows, departure_of, named
from rat_widgets.derived.selection import VERDICT
from rat_widgets.derived.shared_judges import SharedRows, differs_of, shared_rows
from rat_widgets.inference.attribution import Departure
from rat_widgets.inference.departures import JudgeTest
from rat_widgets.inference.dependence import GroupScores, dependence_tests
from rat_widgets.inference.sharing import sharing_tests
from rat_widgets.labels.counts import PATTERN_COLUMNS
from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.priors import judge_keys

if TYPE_CHECKING:
    from rat_widgets.derived.posterior import Posterior
    from rat_widgets.derived.shared_judges import JudgeDiffers
    from rat_widgets.inference.sharing import Differs
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["LEVEL", "JudgeChecks", "judge_checks"]

LEVEL: Final = 0.1
"""Share of tables, all judges well-behaved, in which something is said.

Of tables with several systems it is the share in which anything is said of any of them: that judges
which they share depend on something or err together, that such a judge is another one for some of
them, or anything of judges that they do not share, each with the same part of it.
"""

# With fewer labelled rows for each judge nothing is said.
_LABELS_PER_JUDGE: Final = 4

_COLUMNS: Final = (
    *("check", "judge", "other", "truth", "n_human"),
    *("statistic", "p_value", "log_bayes_factor", "detectable", "n_systems", "said"),
)


@dataclass(frozen=True, kw_only=True)
class _Checked:
    """Tests on rows, and those that are spoken of.

    In the share `level` of tables, all judges well-behaved, there is one.
    """

    rows: JudgeRows = field(repr=False)
    level: float
    tests: tuple[JudgeTest, ...] = ()
    said: tuple[JudgeTest, ...] = ()

    @cached_property
    def detectable(self) -> tuple[float, ...]:
        """Of each test the departure that would be spoken of in nine of ten tables.

        A diagnosis says nothing of it. Scores are worked out anew: of many judges they, and what
        they are by chance, are too large to be kept until somebody asks.
        """
        if not self.tests:
            return ()
        if _are_few(self.rows.counts):
            return (np.nan,) * len(self.tests)
        about = {departure_of(test) for test in self.tests}
        every = dependence_tests(self.rows.scores()).all()
        return every.only(lambda test: departure_of(test) in about).detectable(self.level)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeChecks:
    """All checks of one system's judges.

    Attributes
    ----------
    parts : tuple
        Checks of judges that several systems share, on the rows of all of them but those in
        `differs`, first; and checks on the rows of this system alone. Those that the diagnosis
        speaks of begin with what explains most.
    differs : tuple of JudgeDiffers
        Systems, this or others, for which a judge that they share is another one.
    """

    parts: tuple[_Checked, ...]
    differs: tuple[JudgeDiffers, ...] = ()

    @property
    def findings(self) -> tuple[JudgeFinding, ...]:
        """What was found, in words and with a cure: what explains most first.

        Pairs that err together and have a judge in common are one finding.
        """
        return tuple(
            finding_of(
                part.rows.counts, part.rows.cuts, tests, is_some=bool(self.differs) and i == 0
            )
            for i, part in enumerate(self.parts)
            for tests in families(part.said)
        )

    def frame(self) -> pd.DataFrame:
        """One row per check.

        Returns
        -------
        DataFrame
            ``check``, "depends_on" (its errors depend on another variable) or
            "together" (judges err together); the key of the ``judge``, and the ``other``: the
            variable, or the other judges' keys; the ``truth`` among which it shows most (1, 0, or
            the level of R); ``n_human``, rows that show everything concerned; ``statistic``, a
            standard normal where all is well, positive where the judge passes more with the other
            variable at 1, or where judges agree more than the truth explains; ``p_value``;
            ``log_bayes_factor``, natural log of the Bayes factor of a departure of ordinary size
            against none, 0 where the rows tell nothing; ``detectable``, the least departure that is
            spoken of in nine of ten tables, to first order, if it is the only one: how far the
            judge's shares of passes (the mean of its levels, from 0 to 1) in that truth differ with
            the other variable, or the correlation of the judges' errors, NaN where the rows tell
            nothing; ``n_systems``, on how many systems' rows it was looked at; and ``said``,
            whether the diagnosis speaks of it. Checks that no labelled row speaks of are left out.
            See `inference.dependence`.
        """
        rows = [
            _row(part, test, detectable)
            for part in self.parts
            for test, detectable in zip(part.tests, part.detectable, strict=True)
        ]
        frame = pd.DataFrame(rows, columns=list(_COLUMNS))
        floats = dict.fromkeys(("statistic", "p_value", "log_bayes_factor", "detectable"), float)
        whole = dict.fromkeys(("n_human", "n_systems"), int)
        return frame.astype({"truth": "Int8", **whole, **floats, "said": bool})


def _row(part: _Checked, test: JudgeTest, detectable: float) -> dict[str, Any]:
    counts = part.rows.counts
    keys = judge_keys(counts.judges)
    first, *others = (keys[j] for j in test.judges)
    return {
        "check": "depends_on" if test.context else "together",
        "judge": first,
        "other": test.context or ", ".join(others),
        "truth": test.truth,
        "n_human": _rows_with_labels(counts, test),
        "statistic": test.z,
        "p_value": test.p,
        "log_bayes_factor": test.log_bf if np.isfinite(test.log_bf) else 0.0,
        "detectable": detectable,
        "n_systems": counts.n_groups,
        "said": any(test is one for one in part.said),
    }


def judge_checks(posterior: Posterior) -> JudgeChecks:
    """The checks of a posterior's judges on the rows that it was fitted from.

    Judges that several systems share are one instrument: checks of them alone are made on the
    rows of all these systems but those for which one of them differs, once for all of them.
    """
    draws, judges = posterior.draws, posterior.counts.judges
    if not judges:
        return JudgeChecks(parts=())
    siblings = draws.siblings
    n_groups = 1 if siblings is None else siblings.counts.n_groups
    shared = shared_rows(draws)
    positions = set() if shared is None else set(shared.positions)
    is_all = len(positions) == len(judges)
    # Shared judges may depend on something, and may differ; the others' checks have the rest.
    level = LEVEL / ((2 if positions else 0) + (0 if is_all else 1))
    parts: list[_Checked] = []
    differs: tuple[JudgeDiffers, ...] = ()
    known: list[Departure] = []
    if siblings is not None and shared is not None:
        key = f"shared judges, labels by {posterior.selection}"
        if key not in siblings.kept:
            siblings.kept[key] = _of_shared(posterior, shared, level)
        together, differs = siblings.kept[key]
        parts.append(together)
        known = [
            (tuple(shared.positions[j] for j in one.judges), one.context) for one in together.said
        ]
    if not is_all and (own := _own_rows(posterior)).counts.n_rows:

        def is_asked(test: JudgeTest) -> bool:
            return not positions.issuperset(test.judges)

        parts.append(_checked(own, own.scores(), level / n_groups, is_asked, known=known))
    return JudgeChecks(parts=tuple(parts), differs=differs)


def _own_rows(posterior: Posterior) -> JudgeRows:
    """The rows of the posterior's system alone."""
    draws = posterior.draws
    means = np.concatenate([x.mean(axis=(0, 1)) for x in (draws.theta, draws.rates)])
    counts = _looked_at(posterior, posterior.counts.without_answerable())
    return JudgeRows(counts, draws.priors, means, draws.cuts)


def _of_shared(
    posterior: Posterior, shared: SharedRows, level: float
) -> tuple[_Checked, tuple[JudgeDiffers, ...]]:
    """What the rows of all systems say of the judges that they share."""
    counts = _looked_at(posterior, shared.counts)
    rows = JudgeRows(counts, shared.priors, shared.start, shared.cuts)
    if not counts.n_rows:
        return _Checked(rows=rows, level=level), ()
    rows = rows.only(np.flatnonzero(counts.rows_per_group).tolist())
    scores = rows.scores()
    odd = sharing_tests(scores, counts.judges).found(level)
    checked = _of_alike(rows, scores, odd, level)
    if odd and checked.said:
        # Errors that depend look like judges that differ where P(hit) does.
        odd = sharing_tests(scores, counts.judges, given=checked.said).found(level)
        checked = _of_alike(rows, scores, odd, level)
    return checked, differs_of(shared._replace(counts=rows.counts), odd)


def _of_alike(
    rows: JudgeRows, scores: GroupScores, odd: Sequence[Differs], level: float
) -> _Checked:
    """Checks without the systems for which a judge is another one.

    Their mixture with the others looks like errors that depend on something.
    """
    if odd:
        rows = rows.only({*range(rows.counts.n_groups)} - {one.group for one in odd})
        rows = rows._replace(start=rows.scores().nearer(rows.start))
        scores = rows.scores()
    return _checked(rows, scores, level, lambda _test: True)


def _looked_at(posterior: Posterior, counts: PatternCounts) -> PatternCounts:
    """Rows bought by outcome are another mixture of worlds: they are looked at by themselves."""
    if posterior.selection == VERDICT:
        return counts
    has_label = (counts.patterns[:, [0, 2]] >= 0).any(axis=1)
    return replace(counts, counts=counts.counts * has_label)


def _checked(
    rows: JudgeRows,
    scores: GroupScores,
    level: float,
    is_asked: Callable[[JudgeTest], bool],
    *,
    known: Sequence[Departure] = (),
) -> _Checked:
    """Tests on these rows, which have these scores, of what is asked; what is known is let in."""
    tests = dependence_tests(scores)
    every = tests.all().tests
    kept = [one for one in every if is_asked(one) and _rows_with_labels(rows.counts, one) > 0]
    said: list[JudgeTest] = []
    if not _are_few(rows.counts):
        about = {departure_of(test): test for test in kept}
        found = named(rows, tests, list(about), known=known, level=level)
        said = [about[one] for one in found]
    return _Checked(rows=rows, level=level, tests=tuple(kept), said=tuple(said))


def _are_few(counts: PatternCounts) -> bool:
    """Whether rows with a verdict and its truth are too few for so many judges.

    With two labelled rows a judge the rates follow the labels so closely that what chance does is
    no guide to the scores.
    """
    verdicts = counts.patterns[:, FIRST_JUDGE:]
    truths = np.stack([truth_of(counts, judge.of) for judge in counts.judges], axis=1)
    shown = ((verdicts >= 0) & (truths >= 0)).any(axis=1)
    return bool(counts.counts[:, shown].sum() < _LABELS_PER_JUDGE * len(counts.judges))


def _rows_with_labels(counts: PatternCounts, test: JudgeTest) -> int:
    """Rows that show all that a test is about: verdicts, their truths, and the context.

    Where A=1 was seen there is no T, which is known all the same.
    """
    shown = counts.patterns >= 0
    shown[:, PATTERN_COLUMNS.index("task")] |= counts.patterns[:, 1] == 1
    columns = [FIRST_JUDGE + j for j in test.judges]
    about = {counts.judges[j].of for j in test.judges} | ({test.context} if test.context else set())
    columns += [PATTERN_COLUMNS.index(name) for name in about]
    return int(counts.counts.sum(axis=0)[shown[:, columns].all(axis=1)].sum())
