"""The priors of all parameters: Betas, by name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

import numpy as np
from jaxtyping import Float

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.levels import TWO_LEVELS, read_levels
from rat_widgets.model.betas import Beta, read_beta, read_dirichlet, read_number, split_betas
from rat_widgets.model.emissions import KINDS, Emissions, emissions_of, judge_keys
from rat_widgets.model.rate_names import is_rate, key_of, kind_of
from rat_widgets.model.worlds import worlds_of

__all__ = ["RATES", "Beta", "Priors", "is_rate", "judge_keys", "kind_of"]


RATES: Final = KINDS
"""Kinds of rates of a judge of 0 and 1, in the order of parameters."""

# TPR and FPR under "weak": a slope towards a judge that tells right from wrong, worth two labels
# more than flat. bench/judge_priors.py compares it with others.
_WEAK: Final = {"tpr": (3.0, 1.0), "fpr": (1.0, 3.0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Priors:
    """The prior of every parameter: independent Betas.

    Parameters
    ----------
    theta : tuple of 3K - 1 Beta
        In the order of `Worlds.parameters`; with two levels the five of `PARAMETERS`.
    judges : tuple of str
        The judges' keys, as in ``tpr[key]``; see `judge_keys`.
    tpr, fpr : tuple of Beta
        One per judge: P(verdict 1 | truth 1) and P(verdict 1 | truth 0).
    levels : tuple of str
        Levels of retrieval, the lowest first.
    unknown : tuple of str
        Keys of the judges that may say "cannot tell".
    unknown_given_1, unknown_given_0 : tuple of Beta
        One for each of these: P(cannot tell | truth 1) and P(cannot tell | truth 0).
    held : mapping
        Rates that are taken as given, by name, in place of their prior; see `holding`.
    others : mapping
        Rate -> Beta of the judges that have others than these: graded ones, and those whose
        errors depend on more than the truth. Such judges have no part in `tpr` and `fpr`.
    """

    theta: tuple[Beta, ...]
    judges: tuple[str, ...] = ()
    tpr: tuple[Beta, ...] = ()
    fpr: tuple[Beta, ...] = ()
    levels: tuple[str, ...] = TWO_LEVELS
    unknown: tuple[str, ...] = ()
    unknown_given_1: tuple[Beta, ...] = ()
    unknown_given_0: tuple[Beta, ...] = ()
    held: Mapping[str, float] = field(default_factory=dict, hash=False)
    others: Mapping[str, Beta] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        for name in ("theta", *RATES):
            betas = getattr(self, name)
            if not isinstance(betas, tuple) or not all(isinstance(b, Beta) for b in betas):
                raise ArgumentTypeError.build(
                    f"`{name}` of Priors is {betas!r:.80}.",
                    accepted="A tuple of Beta.",
                    hint="Priors.from_spec reads pairs, means and names.",
                )
        object.__setattr__(self, "levels", read_levels(self.levels))
        sizes = (len(self.theta), len(self.tpr), len(self.fpr))
        n_theta = len(worlds_of(self.levels).parameters)
        n_plain = len(self._plain)
        if sizes != (n_theta, n_plain, n_plain):
            raise ArgumentError.build(
                f"Priors got {sizes[0]} Betas for theta, {sizes[1]} for tpr, {sizes[2]} for fpr.",
                accepted=f"{n_theta} for theta and {n_plain} (one per judge) for tpr and fpr.",
                hint="Priors.from_spec(None, judges) makes flat ones.",
            )
        silent = (len(self.unknown_given_1), len(self.unknown_given_0))
        if silent != (len(self.unknown),) * 2 or not set(self.unknown) <= set(self.judges):
            raise ArgumentError.build(
                f'Priors got {silent[0]} and {silent[1]} Betas for the rates of "cannot tell".',
                accepted=f"{len(self.unknown)}, one for each of `unknown`, judges of `judges`.",
                hint="Priors.from_spec(None, judges) makes flat ones.",
            )

    @classmethod
    def flat(cls, judges: Sequence[Any] = (), levels: Sequence[str] | None = None) -> Self:
        """Beta(1, 1) for every probability; Dirichlet(1, ...) for the levels of R."""
        return cls._same(1.0, judges, read_levels(levels))

    @classmethod
    def jeffreys(cls, judges: Sequence[Any] = (), levels: Sequence[str] | None = None) -> Self:
        """Beta(1/2, 1/2) for every probability; Dirichlet(1/2, ...) for the levels of R."""
        return cls._same(0.5, judges, read_levels(levels))

    @classmethod
    def weak(cls, judges: Sequence[Any] = (), levels: Sequence[str] | None = None) -> Self:
        """Flat but for the judges: Beta(3, 1) for every TPR, Beta(1, 3) for every FPR.

        It takes a judge to be better than a coin, which only human labels can show: not for
        judges that no person has checked.
        """
        return replace(cls.flat(judges, levels), **_sloped(judges, levels))

    @classmethod
    def _same(cls, alpha: float, judges: Sequence[Any], levels: tuple[str, ...]) -> Self:
        same = Beta(alpha, alpha)
        theta = (*split_betas([alpha] * len(levels)), *(same,) * (2 * len(levels)))
        emissions = _emissions(judges, levels)
        # Twice alpha is the mass of each rate's prior, and of the levels of a graded judge.
        scaled = {name: Beta(alpha * a, alpha * b) for name, (a, b) in _defaults(emissions).items()}
        return cls._of(theta, judges, levels, emissions, scaled)

    @classmethod
    def _of(
        cls,
        theta: tuple[Beta, ...],
        judges: Sequence[Any],
        levels: tuple[str, ...],
        emissions: Emissions,
        priors: Mapping[str, Beta],
    ) -> Self:
        """Priors whose judges' rates are looked up by name."""
        plain = [judge for judge in emissions.judges if judge.is_plain]
        silent = tuple(judge.key for judge in plain if len(judge.kinds) > 2)
        of_rates: dict[str, Any] = {
            rate: tuple(
                priors[f"{rate}[{key}]"]
                for key in (silent if "unknown" in rate else [judge.key for judge in plain])
            )
            for rate in RATES
        }
        own = {name for judge in plain for name in judge.names}
        others = {name: priors[name] for name in emissions.names if name not in own}
        return cls(
            theta=theta,
            judges=judge_keys(judges),
            levels=levels,
            unknown=silent,
            others=others,
            **of_rates,
        )

    @classmethod
    def from_spec(
        cls, spec: Any, judges: Sequence[Any] = (), levels: Sequence[str] | None = None
    ) -> Priors:
        """Priors from what a caller writes.

        Parameters
        ----------
        spec : None, "flat", "weak", "jeffreys", Priors or mapping
            None is flat. "flat" and "weak" leave a judge its own prior where it has one. A
            mapping goes from a parameter's name to ``(alpha, beta)``, a `Beta`, or
            ``{"mean": m, "equivalent_labels": n}``. Names: the five of `PARAMETERS`,
            ``tpr[judge]`` and ``fpr[judge]``, and plain ``tpr`` and ``fpr`` for every judge. Of
            other rates the name as in ``posterior.draws.priors.names``, or its kind before the
            bracket.
            With more than two levels of retrieval: ``abstain_given[level]`` and
            ``correct_given[level]``, and ``retrieval`` with the Dirichlet's parameters, one per
            level, as a sequence from the lowest level up or a mapping.
            What the mapping leaves out is the judge's own prior where it has one, else flat.
        judges : sequence of Judge
        levels : sequence of str, optional
            Levels of retrieval, the lowest first; miss and hit when left out.

        Raises
        ------
        ArgumentError
            When a name is not a parameter, or a Beta parameter is not positive.
        """
        of = worlds_of(read_levels(levels))
        if isinstance(spec, Priors):
            return spec._for(judges, of.levels)
        if isinstance(spec, str) and spec == "jeffreys":
            return cls.jeffreys(judges, of.levels)
        sloped = _WEAK if isinstance(spec, str) and spec == "weak" else {}
        if spec is None or sloped or (isinstance(spec, str) and spec == "flat"):
            spec = {}
        if not isinstance(spec, Mapping):
            raise ArgumentTypeError.build(
                f"`priors` is {spec!r}.",
                accepted='None, "flat", "weak", "jeffreys", a Priors, or a mapping from parameter '
                "to Beta.",
                hint='priors={"retrieval_success": (2, 3)}',
            )
        emissions = _emissions(judges, of.levels)
        of_judge = {name: kind_of(name) for name in emissions.names}
        plain = tuple(dict.fromkeys(of_judge.values()))
        given = of.parameters[of.n_levels - 1 :]
        named = ("retrieval", *given) if of.is_graded else of.parameters
        known = [*named, *of_judge, *plain]
        for name in spec:
            if name not in known:
                raise ArgumentError.build(
                    f"`priors` has the key {name!r}, which is not a parameter.",
                    accepted=f"The parameters are {', '.join(known)}.",
                )
        brought = {
            f"{kind}[{key}]"
            for judge, key in zip(judges, judge_keys(judges), strict=True)
            for kind in getattr(judge, "prior", None) or {}
        }
        found = {name: Beta(*ab) for name, ab in emissions.prior().items()}
        found |= {
            name: Beta(*sloped[rate])
            for name, rate in of_judge.items()
            if rate in sloped and name not in brought
        }
        for name, rate in of_judge.items():
            if rate in spec:
                found[name] = read_beta(spec[rate], rate)
        asked = [name for name in spec if name not in (*plain, "retrieval")]
        found |= {name: read_beta(spec[name], name) for name in asked}
        flat = Beta(1, 1)
        splits = tuple(found.get(name, flat) for name in of.parameters[: of.n_levels - 1])
        if of.is_graded:
            splits = split_betas(read_dirichlet(spec.get("retrieval"), of.levels))
        theta = (*splits, *(found.get(name, flat) for name in given))
        return cls._of(theta, judges, of.levels, emissions, found)

    def _for(self, judges: Sequence[Any], levels: tuple[str, ...]) -> Priors:
        """These priors in the order of `judges`, every one of which must have its own here."""
        if levels != self.levels:
            raise ArgumentError.build(
                f"`priors` are for the levels of retrieval {self.levels!r}.",
                accepted=f"Priors for the levels of the labels, {levels!r}.",
                hint="Give a mapping instead, or Priors.from_spec(..., judges, levels).",
            )
        emissions = _emissions(judges, levels)
        known = dict(zip(self.names, self._betas(), strict=True))
        if list(emissions.names) == self.names_of_rates:
            return self
        for judge in emissions.judges:
            if not set(judge.names) <= set(known):
                raise ArgumentError.build(
                    f"`priors` says nothing of the judge {judge.key!r}."
                    if judge.key not in self.judges
                    else f"`priors` says nothing of some rates of the judge {judge.key!r}.",
                    accepted=f"It knows the judges {list(self.judges)!r}.",
                    hint="Give a mapping instead, or Priors.from_spec(..., judges).",
                )
        chosen = Priors._of(self.theta, judges, levels, emissions, known)
        return replace(chosen, held={k: v for k, v in self.held.items() if k in chosen.names})

    def holding(self, rates: Mapping[str, float]) -> Priors:
        """These priors with some rates of judges taken as given: a fit conditions on them.

        Parameters
        ----------
        rates : mapping
            ``tpr[key]`` and the like -> a value from 0 to 1.

        Raises
        ------
        ArgumentError
            For a name that is not a rate of these judges, or a value out of range.
        """
        known = [name for name in self.names if is_rate(name)]
        if not isinstance(rates, Mapping):
            raise ArgumentTypeError.build(
                f"Priors.holding got {rates!r:.80}.",
                accepted=f"A mapping from rate to value; the rates are {', '.join(known)}.",
            )
        for name, value in rates.items():
            if name not in known:
                raise ArgumentError.build(
                    f"{name!r} is not a rate that can be held.",
                    accepted=f"The rates are {', '.join(map(repr, known))}.",
                )
            if not 0 <= read_number(value, name) <= 1:
                raise ArgumentError.build(
                    f"`{name}` is held at {read_number(value, name)!r}.",
                    accepted="A probability from 0 to 1.",
                )
        return replace(self, held={**self.held, **{k: float(v) for k, v in rates.items()}})

    @property
    def held_at(self) -> dict[int, float]:
        """Position in `names` -> value, of the rates that are taken as given."""
        names = self.names
        return {names.index(name): value for name, value in self.held.items()}

    @property
    def _plain(self) -> tuple[str, ...]:
        """Keys of the judges of 0 and 1 whose errors depend on the truth alone."""
        other = {key_of(name) for name in self.others}
        return tuple(key for key in self.judges if key not in other)

    def _rates(self) -> dict[str, Beta]:
        """The prior of every rate, kind after kind and judge after judge."""
        found: dict[str, Beta] = {}
        for rate in RATES:
            keys = self.unknown if "unknown" in rate else self._plain
            found |= {f"{rate}[{k}]": b for k, b in zip(keys, getattr(self, rate), strict=True)}
        found |= self.others
        if not self.others:
            return found
        place = {key: i for i, key in enumerate(self.judges)}
        kinds = dict.fromkeys([*RATES, *(kind_of(name) for name in self.others)])
        rank = {kind: i for i, kind in enumerate(kinds)}
        order = sorted(found, key=lambda name: (rank[kind_of(name)], place[key_of(name)]))
        return {name: found[name] for name in order}

    def _betas(self) -> tuple[Beta, ...]:
        """The prior of every parameter, in the order of `names`."""
        return (*self.theta, *self._rates().values())

    @property
    def names_of_rates(self) -> list[str]:
        """Every rate of the judges."""
        return list(self._rates())

    @property
    def names(self) -> tuple[str, ...]:
        """Every parameter: theta, ``tpr[...]``, ``fpr[...]``, then the other kinds of rates."""
        return (*worlds_of(self.levels).parameters, *self._rates())

    def as_array(self) -> Float[np.ndarray, "parameter 2"]:
        """Alpha and beta of every parameter, in the order of `names`."""
        return np.array([(p.alpha, p.beta) for p in self._betas()])

    def theta_array(self) -> Float[np.ndarray, "theta 2"]:
        """Alpha and beta of the free probabilities, in the order of `Worlds.parameters`."""
        return self.as_array()[: len(self.theta)]

    def to_dict(self) -> dict[str, list[float]]:
        """Name -> [alpha, beta]; what `from_dict` reads."""
        return dict(zip(self.names, self.as_array().tolist(), strict=True))

    @classmethod
    def from_dict(
        cls, data: Mapping[str, Sequence[float]], levels: Sequence[str] | None = None
    ) -> Self:
        """The priors that `to_dict` wrote, for the levels of retrieval that they had."""
        if not isinstance(data, Mapping) or not all(isinstance(name, str) for name in data):
            raise ArgumentTypeError.build(
                f"Priors.from_dict got {data!r:.80}.",
                accepted="A mapping from a parameter's name to [alpha, beta], as `to_dict` writes.",
            )
        names = read_levels(levels)
        parameters = worlds_of(names).parameters
        rates = {name: read_beta(beta, name) for name, beta in data.items() if is_rate(name)}
        kinds: dict[str, dict[str, Beta]] = {}
        for name, beta in rates.items():
            kinds.setdefault(key_of(name), {})[kind_of(name)] = beta
        plain = {k: of for k, of in kinds.items() if tuple(of) in (RATES, RATES[:2])}
        incomplete = [k for k, of in kinds.items() if k not in plain and set(of) < set(RATES)]
        odd = [name for name in data if name not in parameters and name not in rates]
        odd += [name for name in parameters if name not in data]
        odd += [f"{kind}[{key}]" for key in incomplete for kind in kinds[key]]
        if odd:
            raise ArgumentError.build(
                f"Priors.from_dict got keys that do not fit together: {sorted(odd)}.",
                accepted=f"{', '.join(parameters)}, and tpr[...] and fpr[...] for each judge.",
            )
        silent = tuple(key for key, of in plain.items() if len(of) > 2)
        of_rates: dict[str, Any] = {
            rate: tuple(plain[key][rate] for key in (silent if "unknown" in rate else plain))
            for rate in RATES
        }
        return cls(
            theta=tuple(read_beta(data[name], name) for name in parameters),
            judges=tuple(kinds),
            levels=names,
            unknown=silent,
            others={name: beta for name, beta in rates.items() if key_of(name) not in plain},
            **of_rates,
        )


def _emissions(judges: Sequence[Any], levels: tuple[str, ...]) -> Emissions:
    return emissions_of(tuple(judges), levels)


def _sloped(judges: Sequence[Any], levels: Sequence[str] | None) -> dict[str, Any]:
    """The fields of `Priors` that "weak" changes."""
    plain = [j for j in _emissions(judges, read_levels(levels)).judges if j.is_plain]
    return {rate: (Beta(*_WEAK[rate]),) * len(plain) for rate in ("tpr", "fpr")}


def _defaults(emissions: Emissions) -> dict[str, tuple[float, float]]:
    """Rate -> alpha and beta of a flat prior, whatever the judges bring."""
    return {
        name: beta
        for judge in emissions.judges
        for name, beta in zip(judge.names, judge.flat, strict=True)
    }
