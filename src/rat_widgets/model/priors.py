"""Beta priors, by name, and "mean and equivalent number of labels" in place of alpha and beta."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np
from jaxtyping import Float

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.model.worlds import PARAMETERS

__all__ = ["Beta", "Priors", "judge_keys"]


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
    theta : tuple of five Beta
        In the order of `PARAMETERS`.
    judges : tuple of str
        The judges' keys, as in ``tpr[key]``; see `judge_keys`.
    tpr, fpr : tuple of Beta
        One per judge: P(verdict 1 | truth 1) and P(verdict 1 | truth 0).
    """

    theta: tuple[Beta, ...]
    judges: tuple[str, ...] = ()
    tpr: tuple[Beta, ...] = ()
    fpr: tuple[Beta, ...] = ()

    def __post_init__(self) -> None:
        for name in ("theta", "tpr", "fpr"):
            betas = getattr(self, name)
            if not isinstance(betas, tuple) or not all(isinstance(b, Beta) for b in betas):
                raise ArgumentTypeError.build(
                    f"`{name}` of Priors is {betas!r:.80}.",
                    accepted="A tuple of Beta.",
                    hint="Priors.from_spec reads pairs, means and names.",
                )
        sizes = (len(self.theta), len(self.tpr), len(self.fpr))
        if sizes != (len(PARAMETERS), len(self.judges), len(self.judges)):
            raise ArgumentError.build(
                f"Priors got {sizes[0]} Betas for theta, {sizes[1]} for tpr, {sizes[2]} for fpr.",
                accepted=f"5 for theta and {len(self.judges)} (one per judge) for tpr and fpr.",
                hint="Priors.from_spec(None, judges) makes flat ones.",
            )

    @classmethod
    def flat(cls, judges: Sequence[Any] = ()) -> Self:
        """Beta(1, 1) for every parameter."""
        return cls._same(Beta(1, 1), judges)

    @classmethod
    def jeffreys(cls, judges: Sequence[Any] = ()) -> Self:
        """Beta(1/2, 1/2) for every parameter."""
        return cls._same(Beta(0.5, 0.5), judges)

    @classmethod
    def _same(cls, prior: Beta, judges: Sequence[Any]) -> Self:
        keys = judge_keys(judges)
        each = (prior,) * len(keys)
        return cls(theta=(prior,) * len(PARAMETERS), judges=keys, tpr=each, fpr=each)

    @classmethod
    def from_spec(cls, spec: Any, judges: Sequence[Any] = ()) -> Priors:
        """Priors from what a caller writes.

        Parameters
        ----------
        spec : None, Priors, "flat", "jeffreys" or mapping
            A mapping goes from a parameter's name to ``(alpha, beta)``, a `Beta`, or
            ``{"mean": m, "equivalent_labels": n}``. Names: the five of `PARAMETERS`,
            ``tpr[judge]`` and ``fpr[judge]``, and plain ``tpr`` and ``fpr`` for every judge.
            What the mapping leaves out is the judge's own prior where it has one, else flat.
        judges : sequence of Judge

        Raises
        ------
        ArgumentError
            When a name is not a parameter, or a Beta parameter is not positive.
        """
        if isinstance(spec, Priors):
            return spec._for(judges)
        if isinstance(spec, str) and spec == "jeffreys":
            return cls.jeffreys(judges)
        if spec is None or (isinstance(spec, str) and spec == "flat"):
            spec = {}
        if not isinstance(spec, Mapping):
            raise ArgumentTypeError.build(
                f"`priors` is {spec!r}.",
                accepted='None, "flat", "jeffreys", a Priors, or a mapping from parameter to Beta.',
                hint='priors={"retrieval_success": (2, 3)}',
            )
        keys = judge_keys(judges)
        of_judge = {f"{rate}[{key}]": rate for rate in ("tpr", "fpr") for key in keys}
        known = [*PARAMETERS, *of_judge, *(("tpr", "fpr") if keys else ())]
        for name in spec:
            if name not in known:
                raise ArgumentError.build(
                    f"`priors` has the key {name!r}, which is not a parameter.",
                    accepted=f"The parameters are {', '.join(known)}.",
                )
        found: dict[str, Beta] = {}
        for judge, key in zip(judges, keys, strict=True):
            for rate, prior in (getattr(judge, "prior", None) or {}).items():
                found[f"{rate}[{key}]"] = _beta(prior, f"{rate}[{key}]")
        for name, rate in of_judge.items():
            if rate in spec:
                found[name] = _beta(spec[rate], rate)
        found |= {name: _beta(spec[name], name) for name in spec if name not in ("tpr", "fpr")}
        flat = Beta(1, 1)
        return cls(
            theta=tuple(found.get(name, flat) for name in PARAMETERS),
            judges=keys,
            tpr=tuple(found.get(f"tpr[{key}]", flat) for key in keys),
            fpr=tuple(found.get(f"fpr[{key}]", flat) for key in keys),
        )

    def _for(self, judges: Sequence[Any]) -> Priors:
        """These priors in the order of `judges`, every one of which must have its own here."""
        keys = judge_keys(judges)
        if keys == self.judges:
            return self
        missing = [key for key in keys if key not in self.judges]
        if missing:
            raise ArgumentError.build(
                f"`priors` says nothing of the judge {missing[0]!r}.",
                accepted=f"It knows the judges {list(self.judges)!r}.",
                hint="Give a mapping instead, or Priors.from_spec(..., judges).",
            )
        order = [self.judges.index(key) for key in keys]
        return Priors(
            theta=self.theta,
            judges=keys,
            tpr=tuple(self.tpr[i] for i in order),
            fpr=tuple(self.fpr[i] for i in order),
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Every parameter: the five of theta, then ``tpr[...]`` and ``fpr[...]``."""
        rates = [f"{rate}[{key}]" for rate in ("tpr", "fpr") for key in self.judges]
        return (*PARAMETERS, *rates)

    def as_array(self) -> Float[np.ndarray, "parameter 2"]:
        """Alpha and beta of every parameter, in the order of `names`."""
        return np.array([(p.alpha, p.beta) for p in (*self.theta, *self.tpr, *self.fpr)])

    def theta_array(self) -> Float[np.ndarray, "5 2"]:
        """Alpha and beta of the five probabilities, in the order of `PARAMETERS`."""
        return self.as_array()[: len(PARAMETERS)]

    def to_dict(self) -> dict[str, list[float]]:
        """Name -> [alpha, beta]; what `from_dict` reads."""
        return dict(zip(self.names, self.as_array().tolist(), strict=True))

    @classmethod
    def from_dict(cls, data: Mapping[str, Sequence[float]]) -> Self:
        """The priors that `to_dict` wrote."""
        if not isinstance(data, Mapping) or not all(isinstance(name, str) for name in data):
            raise ArgumentTypeError.build(
                f"Priors.from_dict got {data!r:.80}.",
                accepted="A mapping from a parameter's name to [alpha, beta], as `to_dict` writes.",
            )
        keys = tuple(name[4:-1] for name in data if name.startswith("tpr["))
        expected = {*PARAMETERS, *(f"{rate}[{key}]" for rate in ("tpr", "fpr") for key in keys)}
        if set(data) != expected:
            odd = sorted(set(data) ^ expected)
            raise ArgumentError.build(
                f"Priors.from_dict got keys that do not fit together: {odd}.",
                accepted="The five probabilities, and tpr[...] and fpr[...] for each judge.",
            )
        return cls(
            theta=tuple(_beta(data[name], name) for name in PARAMETERS),
            judges=keys,
            tpr=tuple(_beta(data[f"tpr[{key}]"], f"tpr[{key}]") for key in keys),
            fpr=tuple(_beta(data[f"fpr[{key}]"], f"fpr[{key}]") for key in keys),
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
    except (TypeError, ValueError) as err:
        raise ArgumentTypeError.build(f"`{name}` is {value!r}.", accepted="A number.") from err


def _positive(value: Any, name: str, shown: object) -> float:
    number = _number(value, name)
    if not (number > 0 and math.isfinite(number)):
        raise ArgumentError.build(
            f"{name} is {number!r} in {shown}.", accepted="A positive, finite number."
        )
    if not _LEAST <= number <= _MOST:
        raise ArgumentError.build(
            f"{name} is {number!r} in {shown}.", accepted=f"A number from {_LEAST:g} to {_MOST:g}."
        )
    return number
