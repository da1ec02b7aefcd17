"""Beta priors, by name, and "mean and equivalent number of labels" in place of alpha and beta.

The Dirichlet prior of graded retrieval is a product of Betas, too: those of the splits from the
top level down.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, Self

import numpy as np
from jaxtyping import Float

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.levels import TWO_LEVELS, read_levels
from rat_widgets.model.worlds import worlds_of

__all__ = ["RATES", "Beta", "Priors", "is_rate", "judge_keys", "judge_rates", "unknown_keys"]


RATES: Final = ("tpr", "fpr", "unknown_given_1", "unknown_given_0")
"""Kinds of rates that a judge may have, in the order of parameters."""

# TPR and FPR under "weak": a slope towards a judge that tells right from wrong, worth two labels
# more than flat. bench/judge_priors.py compares it with others.
_WEAK: Final = {"tpr": (3.0, 1.0), "fpr": (1.0, 3.0)}

# Beyond these, logarithms of the density lose every digit.
_LEAST: Final = 1e-9
_MOST: Final = 1e12


@dataclass(frozen=True, slots=True)
class Beta:
    """A Beta(alpha, beta) prior of one probability.

    Raises
    ------
    ArgumentError
        When alpha or beta is not positive and finite.
    """

    alpha: float
    beta: float

    def __post_init__(self) -> None:
        for name in ("alpha", "beta"):
            object.__setattr__(self, name, _positive(getattr(self, name), name, self))

    @classmethod
    def from_mean(cls, mean: float, equivalent_labels: float) -> Self:
        """The prior with this mean that weighs as much as so many labels.

        `equivalent_labels` is alpha + beta: Beta(1, 1) counts as two labels, one of each kind,
        and a prior from `a` positive and `b` negative labels alone as a + b. After n real
        labels the posterior mean is the average of prior mean and observed rate, weighted by
        `equivalent_labels` and n.
        """
        mean = _number(mean, "mean")
        labels = _positive(equivalent_labels, "equivalent_labels", equivalent_labels)
        if not 0 < mean < 1:
            raise ArgumentError.build(
                f"The mean of a Beta prior is {mean!r}.",
                accepted="A number between 0 and 1, both excluded.",
                hint="To hold a probability at 0 or 1 use a what-if, not a prior.",
            )
        return cls(mean * labels, (1 - mean) * labels)

    @property
    def mean(self) -> float:
        """The mean, alpha / (alpha + beta)."""
        return self.alpha / (self.alpha + self.beta)

    @property
    def equivalent_labels(self) -> float:
        """The sum alpha + beta: the number of labels that weigh as much as this prior."""
        return self.alpha + self.beta


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
        if sizes != (n_theta, len(self.judges), len(self.judges)):
            raise ArgumentError.build(
                f"Priors got {sizes[0]} Betas for theta, {sizes[1]} for tpr, {sizes[2]} for fpr.",
                accepted=f"{n_theta} for theta and {len(self.judges)} (one per judge) for tpr and "
                "fpr.",
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
        flat = cls.flat(judges, levels)
        n = len(flat.judges)
        tpr, fpr = ((Beta(*_WEAK[rate]),) * n for rate in ("tpr", "fpr"))
        return replace(flat, tpr=tpr, fpr=fpr)

    @classmethod
    def _same(cls, alpha: float, judges: Sequence[Any], levels: tuple[str, ...]) -> Self:
        same = Beta(alpha, alpha)
        theta = (*_splits([alpha] * len(levels)), *(same,) * (2 * len(levels)))
        return cls._of(theta, judges, levels, lambda name: same)

    @classmethod
    def _of(
        cls,
        theta: tuple[Beta, ...],
        judges: Sequence[Any],
        levels: tuple[str, ...],
        prior: Callable[[str], Beta],
    ) -> Self:
        """Priors whose judges' rates are looked up by name."""
        keys, silent = judge_keys(judges), unknown_keys(judges)
        of_rates: dict[str, Any] = {
            rate: tuple(prior(f"{rate}[{key}]") for key in (silent if "unknown" in rate else keys))
            for rate in RATES
        }
        return cls(theta=theta, judges=keys, levels=levels, unknown=silent, **of_rates)

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
            ``tpr[judge]`` and ``fpr[judge]``, and plain ``tpr`` and ``fpr`` for every judge.
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
        keys = judge_keys(judges)
        of_judge = {
            f"{rate}[{key}]": rate
            for judge, key in zip(judges, keys, strict=True)
            for rate in judge_rates(judge)
        }
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
        found = {name: Beta(*sloped[rate]) for name, rate in of_judge.items() if rate in sloped}
        for judge, key in zip(judges, keys, strict=True):
            for rate, prior in (getattr(judge, "prior", None) or {}).items():
                found[f"{rate}[{key}]"] = _beta(prior, f"{rate}[{key}]")
        for name, rate in of_judge.items():
            if rate in spec:
                found[name] = _beta(spec[rate], rate)
        asked = [name for name in spec if name not in (*plain, "retrieval")]
        found |= {name: _beta(spec[name], name) for name in asked}
        flat = Beta(1, 1)
        splits = tuple(found.get(name, flat) for name in of.parameters[: of.n_levels - 1])
        if of.is_graded:
            splits = _splits(_dirichlet(spec.get("retrieval"), of.levels))
        theta = (*splits, *(found.get(name, flat) for name in given))
        return cls._of(theta, judges, of.levels, lambda name: found.get(name, flat))

    def _for(self, judges: Sequence[Any], levels: tuple[str, ...]) -> Priors:
        """These priors in the order of `judges`, every one of which must have its own here."""
        if levels != self.levels:
            raise ArgumentError.build(
                f"`priors` are for the levels of retrieval {self.levels!r}.",
                accepted=f"Priors for the levels of the labels, {levels!r}.",
                hint="Give a mapping instead, or Priors.from_spec(..., judges, levels).",
            )
        keys, silent = judge_keys(judges), unknown_keys(judges)
        if (keys, silent) == (self.judges, self.unknown):
            return self
        missing = [key for key in keys if key not in self.judges]
        missing += [key for key in silent if key not in self.unknown]
        if missing:
            raise ArgumentError.build(
                f"`priors` says nothing of the judge {missing[0]!r}.",
                accepted=f"It knows the judges {list(self.judges)!r}.",
                hint="Give a mapping instead, or Priors.from_spec(..., judges).",
            )
        known = dict(zip(self.names, self._betas(), strict=True))
        chosen = Priors._of(self.theta, judges, levels, known.__getitem__)
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
            if not 0 <= _number(value, name) <= 1:
                raise ArgumentError.build(
                    f"`{name}` is held at {_number(value, name)!r}.",
                    accepted="A probability from 0 to 1.",
                )
        return replace(self, held={**self.held, **{k: float(v) for k, v in rates.items()}})

    @property
    def held_at(self) -> dict[int, float]:
        """Position in `names` -> value, of the rates that are taken as given."""
        names = self.names
        return {names.index(name): value for name, value in self.held.items()}

    def _betas(self) -> tuple[Beta, ...]:
        """The prior of every parameter, in the order of `names`."""
        rates = (beta for rate in RATES for beta in getattr(self, rate))
        return (*self.theta, *rates)

    @property
    def names(self) -> tuple[str, ...]:
        """Every parameter: theta, ``tpr[...]``, ``fpr[...]``, then the rates of "cannot tell"."""
        rates = [f"{rate}[{key}]" for rate in ("tpr", "fpr") for key in self.judges]
        rates += [f"{rate}[{key}]" for rate in RATES[2:] for key in self.unknown]
        return (*worlds_of(self.levels).parameters, *rates)

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
        keys = tuple(name[4:-1] for name in data if name.startswith("tpr["))
        silent = tuple(name[16:-1] for name in data if name.startswith("unknown_given_1["))
        expected = {*parameters, *(f"{rate}[{key}]" for rate in RATES[:2] for key in keys)}
        expected |= {f"{rate}[{key}]" for rate in RATES[2:] for key in silent}
        if set(data) != expected:
            odd = sorted(set(data) ^ expected)
            raise ArgumentError.build(
                f"Priors.from_dict got keys that do not fit together: {odd}.",
                accepted=f"{', '.join(parameters)}, and tpr[...] and fpr[...] for each judge.",
            )
        unknown: dict[str, Any] = {
            rate: tuple(_beta(data[f"{rate}[{key}]"], f"{rate}[{key}]") for key in silent)
            for rate in RATES[2:]
        }
        return cls(
            theta=tuple(_beta(data[name], name) for name in parameters),
            judges=keys,
            tpr=tuple(_beta(data[f"tpr[{key}]"], f"tpr[{key}]") for key in keys),
            fpr=tuple(_beta(data[f"fpr[{key}]"], f"fpr[{key}]") for key in keys),
            levels=names,
            unknown=silent,
            **unknown,
        )


def judge_keys(judges: Sequence[Any]) -> tuple[str, ...]:
    """What stands in ``tpr[...]`` for each judge: its name, with the version where two share it."""
    names = [judge.name for judge in judges]
    return tuple(
        f"{judge.name} {judge.version}"
        if names.count(judge.name) > 1 and judge.version is not None
        else judge.name
        for judge in judges
    )


def is_rate(name: str) -> bool:
    """Whether a parameter of this name is a judge's rate."""
    return name.startswith(tuple(f"{rate}[" for rate in RATES))


def judge_rates(judge: Any) -> tuple[str, ...]:
    """Names of a judge's rates (of anything that is not a Judge: TPR and FPR)."""
    return tuple(getattr(judge, "rates", RATES[:2]))


def unknown_keys(judges: Sequence[Any]) -> tuple[str, ...]:
    """Keys of the judges that may say "cannot tell"."""
    keys = judge_keys(judges)
    return tuple(
        key for judge, key in zip(judges, keys, strict=True) if len(judge_rates(judge)) > 2
    )


def _splits(alpha: Sequence[float]) -> tuple[Beta, ...]:
    """The Betas of the splits of R, from the top level down, of a Dirichlet from the lowest up."""
    return tuple(Beta(alpha[i], math.fsum(alpha[:i])) for i in range(len(alpha) - 1, 0, -1))


def _dirichlet(spec: Any, levels: tuple[str, ...]) -> list[float]:
    """The parameters of the Dirichlet prior of R, the lowest level first."""
    if spec is None:
        return [1.0] * len(levels)
    accepted = f"One positive number per level: {', '.join(levels)}."
    hint = "priors={'retrieval': [" + ", ".join(["1"] * len(levels)) + "]}"
    if isinstance(spec, Mapping) and set(spec) == set(levels):
        spec = [spec[level] for level in levels]
    is_list = isinstance(spec, (list, tuple, np.ndarray))
    if not is_list or len(spec) != len(levels):
        raise ArgumentError.build(
            f"The prior of `retrieval` is {spec!r:.80}.", accepted=accepted, hint=hint
        )
    return [_positive(value, "alpha", f"the prior of `retrieval`, {spec!r:.80}") for value in spec]


def _beta(value: Any, name: str) -> Beta:
    """A Beta from any of the accepted spellings."""
    if isinstance(value, Beta):
        return value
    try:
        if isinstance(value, Mapping):
            if set(value) == {"mean", "equivalent_labels"}:
                return Beta.from_mean(value["mean"], value["equivalent_labels"])
        elif len(value) == 2 and not isinstance(value, str):
            return Beta(value[0], value[1])
    except TypeError:
        pass
    except ArgumentError as err:
        raise ArgumentError(f"The prior of `{name}`: {err}") from err
    raise ArgumentError.build(
        f"The prior of `{name}` is {value!r}.",
        accepted='A pair (alpha, beta), a Beta, or {"mean": ..., "equivalent_labels": ...}.',
    )


def _number(value: Any, name: str) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer beyond 1.8e308, which the checks of its range refuse
        return -math.inf if value < 0 else math.inf
    except (TypeError, ValueError) as err:
        raise ArgumentTypeError.build(f"`{name}` is {value!r}.", accepted="A number.") from err


def _positive(value: Any, name: str, shown: object) -> float:
    number = _number(value, name)
    if not (number > 0 and math.isfinite(number)):
        raise ArgumentError.build(
            f"{name} is {number!r}" + (f" in {shown}." if math.isfinite(number) else "."),
            accepted="A positive, finite number.",
        )
    if not _LEAST <= number <= _MOST:
        raise ArgumentError.build(
            f"{name} is {number!r} in {shown}.", accepted=f"A number from {_LEAST:g} to {_MOST:g}."
        )
    return number
