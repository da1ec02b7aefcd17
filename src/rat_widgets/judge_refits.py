"""Judges under what a reader has set: the fits that their widget is made of."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Any, Final

from rat_widgets.derived.judge_cures import cured
from rat_widgets.derived.judging import judge_measures
from rat_widgets.derived.naive import human_counts, naive_counts, with_judges
from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.shared_judges import JudgeDiffers, differs_here
from rat_widgets.errors import RatError
from rat_widgets.inference.constraint import judges_with
from rat_widgets.inference.draws import Draws
from rat_widgets.inference.engine import sample
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.judges import Judge
from rat_widgets.labels.keys import GroupKey
from rat_widgets.labels.together import together
from rat_widgets.model.emissions import emissions_of
from rat_widgets.model.priors import Priors, is_rate, judge_keys
from rat_widgets.present.judge import JudgeFit
from rat_widgets.present.judge_identity import cuts_of
from rat_widgets.views.judge import JudgeMoves

__all__ = ["JudgeRefits"]

# Squares of rates: of judges alone four that are saturated (63 rates) take a second, and so do two
# (16 rates) of six systems, whether or not these share them, for which a fit takes longer ways.
_CHEAP: Final = 5000
_SEVERAL: Final = 3


@dataclass(frozen=True, kw_only=True)
class JudgeRefits:
    """Posteriors, one per group, and what becomes of them under moves.

    Under moves every system stands by itself: what is pooled in the fit is pooled no more. With the
    cure so do systems for which a judge differs that the others share, and always those that the
    fit has `apart`.
    Fits are kept: those of verdicts as labels and of human labels alone for each choice of
    judges, and the joint one of the last moves.
    """

    posteriors: tuple[Posterior, ...]
    _beside: dict[tuple[str, ...], tuple[tuple[Posterior, ...], ...]] = field(
        init=False, default_factory=dict, repr=False
    )
    _joint: dict[str, tuple[Posterior, ...] | RatError] = field(
        init=False, default_factory=dict, repr=False
    )
    wanted_judges: tuple[Judge, ...] | None = field(init=False, repr=False)
    """The judges with everything allowed for that was found of their errors; those of the fit where
    only systems were found for which a judge differs, and None where nothing was found."""
    differs: tuple[JudgeDiffers, ...] = field(init=False, repr=False)
    """Systems, of these, for which a judge that they share is another one."""
    refusal: RatError | None = field(init=False, default=None, repr=False)
    """Why these cannot be fitted: saturated together they have more rates than anybody can fit."""

    def __post_init__(self) -> None:
        first = self.posteriors[0].counts
        findings = [found for p in self.posteriors for found in p.judge_findings]
        differs = [one for p in self.posteriors for one in differs_here(p)]
        object.__setattr__(self, "differs", tuple(differs))
        wanted = cured(first.judges, findings) if findings or differs else None
        object.__setattr__(self, "wanted_judges", wanted)
        try:
            emissions_of(wanted or (), first.retrieval_levels)
        except RatError as err:
            object.__setattr__(self, "refusal", err.with_traceback(None))

    @property
    def cured_judges(self) -> tuple[Judge, ...] | None:
        """The judges with everything allowed for that was found; None where there are none.

        Where their errors cannot be allowed for, and systems were found for which a judge differs,
        those of the fit: systems by themselves need no more rates.
        """
        if self.refusal is None:
            return self.wanted_judges
        return self.posteriors[0].counts.judges if self.differs else None

    @property
    def apart(self) -> tuple[int, ...]:
        """Positions of the systems that the cure fits by themselves.

        A judge differs for them, or the fit has them apart already.
        """
        keys = self._apart(cured=True)
        return tuple(i for i, p in enumerate(self.posteriors) if p.counts.groups[0] in keys)

    def _apart(self, *, cured: bool) -> set[tuple[object, ...]]:
        """Systems that are fitted by themselves."""
        odd = {one.group for one in self.differs} if cured and self.cured_judges else set()
        return {*odd, *(key for p in self.posteriors for key in p.counts.apart)}

    @property
    def is_cure_cheap(self) -> bool:
        """Whether the fit with the cure takes a second or two at most."""
        judges, counts = self.cured_judges or (), self.posteriors[0].counts
        n_rates = len(emissions_of(judges, counts.retrieval_levels).names)
        n_systems = len(self.posteriors)
        return n_rates**2 * (_SEVERAL * n_systems if n_systems > 1 else 1) <= _CHEAP

    def affordable(self) -> tuple[Judge, ...]:
        """As many of the judges as can be fitted with the cure, those that tell best first."""
        first = self.posteriors[0]
        keys = judge_keys(first.counts.judges)
        tells = [abs(float(m["youden"].mean())) for m in judge_measures(first).values()]
        kept: list[int] = []
        wanted = self.wanted_judges or ()
        for j in sorted(range(len(keys)), key=lambda j: -tells[j]):
            some = sorted([*kept, j])
            try:
                emissions_of(tuple(wanted[i] for i in some), first.counts.retrieval_levels)
            except RatError:
                continue
            kept = some
        return tuple(wanted[i] for i in kept)

    @property
    def is_pooled(self) -> bool:
        """Whether the fit pools over systems, which no refit does."""
        return self._all_groups().is_pooled

    @property
    def counts(self) -> tuple[PatternCounts, ...]:
        """Of each group."""
        return tuple(p.counts for p in self.posteriors)

    def fit(self, moves: JudgeMoves | None) -> JudgeFit:
        """Verdicts as labels, human labels alone, and both: what a view is made of.

        Raises
        ------
        RatError
            Where no engine can draw under the moves.
        """
        left_out = () if moves is None else tuple(sorted(moves.left_out))
        naive, humans = self._simple_fits(left_out)
        return JudgeFit(naive=naive, humans=humans, joint=self.joint(moves))

    def joint(self, moves: JudgeMoves | None) -> tuple[Posterior, ...]:
        """The posteriors under the moves; those that were given when there are none."""
        if moves is None:
            return self.posteriors
        key = repr(moves)
        if key not in self._joint:
            self._joint.clear()  # a reader moves on; only the last is asked for again
            try:
                self._joint[key] = self._refitted(moves)
            except RatError as err:
                self._joint[key] = err
        found = self._joint[key]
        if isinstance(found, RatError):
            raise found.with_traceback(None)
        return found

    def spec(self, moves: JudgeMoves | None) -> dict[str, Any]:
        """The priors under the moves, as `rat.fit` takes them.

        Rates of judges that are left out are not among them; a pinned rate has its prior.
        """
        every = self.priors(moves)
        left_out = () if moves is None else moves.left_out
        found: dict[str, Any] = {}
        for name, (alpha, beta) in every.to_dict().items():
            if is_rate(name) and not any(name.endswith(f"[{key}]") for key in left_out):
                found[name] = (alpha, beta)
        return {**_theta_spec(every), **found}

    def _kept(self, left_out: tuple[str, ...]) -> list[int]:
        keys = judge_keys(self.posteriors[0].counts.judges)
        return [i for i, key in enumerate(keys) if key not in left_out]

    def _simple_fits(self, left_out: tuple[str, ...]) -> tuple[tuple[Posterior, ...], ...]:
        """Verdicts as labels, and human labels alone, without the judges that are left out."""
        if left_out not in self._beside:
            kept = self._kept(left_out)
            counts, cuts = with_judges(self._together(), kept), self.posteriors[0].draws.cuts
            tables = (naive_counts(counts, [cuts[i] for i in kept]), human_counts(counts))
            self._beside[left_out] = tuple(self._fit(table, self.priors(None)) for table in tables)
        return self._beside[left_out]

    def _together(self, moves: JudgeMoves | None = None) -> PatternCounts:
        """All groups in the order of the posteriors' keys."""
        every = self._all_groups()
        judges = every.judges
        cured = moves is not None and moves.cured
        if cured and self.cured_judges is not None:
            judges = self.cured_judges
        odd = self._apart(cured=cured)
        apart = tuple(key for key in every.groups if key in odd)
        return replace(every, judges=tuple(map(_by_itself, judges)), apart=apart)

    def _all_groups(self) -> PatternCounts:
        return together(self.counts).without_answerable()

    def priors(self, moves: JudgeMoves | None) -> Priors:
        """The priors of the fit with what the reader has set."""
        fitted = self.posteriors[0].draws.priors
        if moves is None:
            return fitted
        if moves.cured:
            fitted = _priors_for(fitted, self._together(moves))
        edited = {
            name: [mean * labels, (1 - mean) * labels]
            for name, (mean, labels) in (moves.priors or {}).items()
        }
        made = Priors.from_dict({**fitted.to_dict(), **edited}, fitted.levels)
        return made.holding(fitted.held)

    def _fit(
        self,
        counts: PatternCounts,
        priors: Priors,
        exempt: Collection[str] = (),
    ) -> tuple[Posterior, ...]:
        """One posterior per group, in the order of the posteriors.

        Judges that are exempt need not be better than a coin, whatever the fit was told.
        """
        first = self.posteriors[0]
        chosen = Priors.from_spec(priors, counts.judges, counts.retrieval_levels)
        found = sample(
            counts,
            chosen,
            draws=first.draws.n_chains * first.draws.n_draws,
            chains=first.draws.n_chains,
            seed=first.draws.seed,
            constraint=self._constraint if counts.judges else None,
            exempt={*exempt, *first.draws.exempt},
        )
        drawn: dict[GroupKey, Draws] = dict(zip(counts.groups, found, strict=True))
        cuts = cuts_of(first)
        shown = tuple(cuts[key] for key in judge_keys(counts.judges))
        return tuple(
            replace(
                p,
                draws=replace(drawn[p.counts.groups[0]], cut_at=shown),
                answerability=None,
                labels=None,
            )
            for p in self.posteriors
        )

    @property
    def _constraint(self) -> str | None:
        is_told = any("constraint" in p.diagnosis.codes for p in self.posteriors)
        return "tpr>fpr" if is_told else None

    def _refitted(self, moves: JudgeMoves) -> tuple[Posterior, ...]:
        counts = with_judges(self._together(moves), self._kept(moves.left_out))
        keys = judge_keys(counts.judges)
        priors = _priors_for(self.priors(moves), counts)
        held = {k: value for k, value in (moves.pins or {}).items() if k in priors.names}
        exempt = judges_with(moves.priors or {}, keys)
        found = self._fit(counts, priors.holding(held), exempt)
        if moves.left_out:
            return found
        return tuple(
            replace(new, labels=old.labels) for new, old in zip(found, self.posteriors, strict=True)
        )


def _by_itself(judge: Judge) -> Judge:
    """The judge, pooled over no systems."""
    return replace(judge, share="group") if judge.share == "partial" else judge


def _priors_for(priors: Priors, counts: PatternCounts) -> Priors:
    """The priors of these judges.

    A judge has other rates, with the priors that it brings, where it is cured, or where one before
    it is left out that is saturated, too.
    """
    rates = emissions_of(counts.judges, counts.retrieval_levels).names
    if set(rates) <= set(priors.names):
        return Priors.from_spec(priors, counts.judges, counts.retrieval_levels)
    known = {name: pair for name, pair in priors.to_dict().items() if name in rates}
    spec = {**_theta_spec(priors), **known}
    return Priors.from_spec(spec, counts.judges, counts.retrieval_levels)


def _theta_spec(priors: Priors) -> dict[str, Any]:
    """Priors of the free probabilities as `Priors.from_spec` takes them."""
    n_splits = len(priors.levels) - 1
    names = priors.names[: len(priors.theta)]
    pairs = {n: (b.alpha, b.beta) for n, b in zip(names, priors.theta, strict=True)}
    if n_splits == 1:
        return dict(pairs)
    splits = priors.theta[:n_splits]  # from the top level down
    levels = [splits[-1].beta, *(split.alpha for split in reversed(splits))]
    return {"retrieval": levels, **{n: pairs[n] for n in names[n_splits:]}}
