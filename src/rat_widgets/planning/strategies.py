"""Strategies: which label is bought next on a row, given what is seen there.

A strategy is a value: one rule for every row, or shares of the rows by several rules.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, Final, Self, cast

from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.model.simulated_tables import STRATEGIES
from rat_widgets.planning.rules import NextLabel, Rule

__all__ = ["NAMED", "Rule", "Strategy", "read_strategies", "read_strategy"]

_KIND: Final = "strategy"
_VERSION: Final = 1
# Shares are typed by people, thirds as 0.333: no more than that is forgiven.
_ROUNDING: Final = 2e-3
_EXACT: Final = 1e-12


@dataclass(frozen=True, slots=True, repr=False)
class Strategy:
    """Which labels are bought: one rule for every row, or shares of the rows by several.

    Equal strategies are equal values; they can be keys, and `to_json` keeps them.

    Parameters
    ----------
    name : str
        How it is called in tables.
    parts : tuple of (share, Rule)
        Shares of the rows, which sum to 1. A row's share is decided before anything is seen.

    Examples
    --------
    >>> Strategy.from_function(
    ...     lambda seen: "T" if "T" not in seen else "R" if seen.get("T") == 1 else None,
    ...     name="t_then_r_where_right",
    ... )
    Strategy('t_then_r_where_right', A=1: nothing; A=0: T, then R where T=1)
    """

    name: str
    parts: tuple[tuple[float, Rule], ...]

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ArgumentTypeError.build(
                f"`name` of a Strategy is {self.name!r}.", accepted="It is text and not empty."
            )
        merged: dict[Rule, float] = {}
        for share, rule in self.parts:
            if not isinstance(rule, Rule):
                raise ArgumentTypeError.build(
                    f"`parts` of a Strategy holds {rule!r:.60}.",
                    accepted="Pairs of a share and a Rule.",
                    hint="Strategy.from_function and Strategy.mix make strategies.",
                )
            merged[rule] = merged.get(rule, 0.0) + _share(share, rule.text())
        total = math.fsum(merged.values())
        if abs(total - 1) > _ROUNDING:
            raise ArgumentError.build(
                f"The shares of the strategy {self.name!r} sum to {total:.4g}.",
                accepted="Shares of the rows, which sum to 1.",
            )
        scale = total if abs(total - 1) > _EXACT else 1.0  # or JSON would move the last digit
        parts = tuple((share / scale, rule) for rule, share in merged.items() if share > 0)
        object.__setattr__(self, "parts", parts)

    @classmethod
    def from_function(cls, next_label: NextLabel, *, name: str | None = None) -> Self | Strategy:
        """The strategy of a function from what is seen on a row to the next label, or None.

        Parameters
        ----------
        next_label : callable
            Gets a mapping with "A" and the labels that were bought, each 0 or 1; gives "R", "T"
            or None. It is asked once in every state: later changes of what it looks at do not
            count. "T" where A=1 is T=0 for free.
        name : str, optional
            The name of the strategy there is, if it is one of those; else the function's.
        """
        rule = Rule.from_function(next_label)
        return cls(name, ((1.0, rule),)) if name else _named(((1.0, rule),), _name_of(next_label))

    @classmethod
    def mix(cls, shares: Mapping[Any, float], *, name: str | None = None) -> Self | Strategy:
        """Shares of the rows by several strategies.

        Parameters
        ----------
        shares : mapping
            Strategy, or its name -> share of the rows; they sum to 1.
        name : str, optional
            "50% all_joint + 50% all_t" and the like when left out.
        """
        if not isinstance(shares, Mapping) or not shares:
            raise ArgumentTypeError.build(
                f"Strategy.mix got {shares!r:.80}.",
                accepted="A mapping from strategies or their names to shares of the rows.",
                hint='Strategy.mix({"all_joint": 0.5, "all_r": 0.5})',
            )
        read = [(read_strategy(s), _share(share, repr(s))) for s, share in shares.items()]
        parts = tuple((share * inner, rule) for s, share in read for inner, rule in s.parts)
        said = " + ".join(f"{100 * share:.3g}% {s.name}" for s, share in read if share > 0)
        return cls(name, parts) if name else _named(parts, said or "nothing")

    @property
    def is_pure(self) -> bool:
        """Whether all rows follow one rule."""
        return len(self.parts) == 1

    @property
    def buys_nothing(self) -> bool:
        """Whether no label is ever bought."""
        return all(rule.buys_nothing for _, rule in self.parts)

    def __repr__(self) -> str:
        if self.is_pure:
            return f"Strategy({self.name!r}, {self.parts[0][1].text()})"
        said = " | ".join(f"{100 * share:.3g}%: {rule.text()}" for share, rule in self.parts)
        return f"Strategy({self.name!r}, {said})"

    def to_dict(self) -> dict[str, Any]:
        """The strategy as values that JSON can hold."""
        return {
            "kind": _KIND,
            "version": _VERSION,
            "name": self.name,
            "parts": [
                {
                    "share": share,
                    "abstained": rule.abstained,
                    "first": rule.first,
                    "then": list(rule.then),
                }
                for share, rule in self.parts
            ],
        }

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """The strategy that `to_dict` wrote.

        Raises
        ------
        ArgumentError, ArgumentTypeError
            When it is something else.
        """
        if not isinstance(data, Mapping) or (data.get("kind"), data.get("version")) != (
            _KIND,
            _VERSION,
        ):
            raise ArgumentTypeError.build(
                f"A strategy was expected, not {data!r:.80}.",
                accepted=f"What `Strategy.to_dict` wrote: kind {_KIND!r}, version {_VERSION}.",
            )
        try:
            parts = tuple(
                (part["share"], Rule(part["abstained"], part["first"], tuple(part["then"])))
                for part in data["parts"]
            )
            return cls(data["name"], parts)
        except (KeyError, TypeError) as err:
            raise ArgumentTypeError.build(
                f"The strategy cannot be read: {err}.", accepted="What `Strategy.to_dict` wrote."
            ) from err

    def to_json(self) -> str:
        """The strategy as JSON text."""
        return json.dumps(self.to_dict(), allow_nan=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """The strategy that `to_json` wrote."""
        try:
            return cls.from_dict(json.loads(text))
        except ValueError as err:
            if isinstance(err, ArgumentError):
                raise
            raise ArgumentError.build(
                f"This is not JSON: {err}.", accepted="The text that `to_json` wrote."
            ) from err


def _share(value: object, who: str) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise ArgumentTypeError.build(
            f"The share of {who} is {value!r}.", accepted="A number from 0 to 1."
        )
    if not 0 <= float(value) <= 1 + _ROUNDING:
        raise ArgumentError.build(f"The share of {who} is {value!r}.", accepted="From 0 to 1.")
    return float(value)


def _name_of(function: object) -> str:
    name = getattr(function, "__name__", "")
    return name if isinstance(name, str) and name.isidentifier() else "custom"


_RULES: Final[Mapping[str, Rule]] = {
    "all_joint": Rule(True, "R", (True, True)),
    "all_r": Rule(True, "R"),
    "all_t": Rule(False, "T"),
    "r_then_t": Rule(True, "R", (False, True)),
    "t_then_r": Rule(True, "T", (False, True)),
    "judge_only": Rule(False, None),
}
_HALVES: Final = {"half_joint_r": ("all_joint", "all_r"), "half_joint_t": ("all_joint", "all_t")}


def _parts_of(name: str) -> tuple[tuple[float, Rule], ...]:
    pure = _HALVES.get(name, (name,))
    return tuple((1 / len(pure), _RULES[part]) for part in pure)


NAMED: Final[Mapping[str, Strategy]] = {
    name: Strategy(name, _parts_of(name)) for name in STRATEGIES
}
"""The strategies that have a name of their own."""


def _named(parts: tuple[tuple[float, Rule], ...], otherwise: str) -> Strategy:
    """A strategy under the name of the one that does the same, when there is one."""
    made = Strategy(otherwise, parts)
    for strategy in NAMED.values():
        if {r: s for s, r in strategy.parts} == {r: s for s, r in made.parts}:
            return strategy
    return made


def read_strategy(x: object) -> Strategy:
    """A strategy from a name, a Strategy, a Rule, a mapping of shares, or a function.

    Parameters
    ----------
    x : str, Strategy, Rule, mapping or callable
        ``"r_then_t"``; ``{"all_joint": 0.5, "all_r": 0.5}``; a function as `Strategy.from_function`
        takes it.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        For an unknown name, which lists those there are, and for what is none of these.
    """
    if isinstance(x, Strategy):
        return x
    if isinstance(x, Rule):
        return _named(((1.0, x),), "custom")
    if isinstance(x, Mapping):
        return Strategy.mix(x)
    if isinstance(x, str):
        if x in NAMED:
            return NAMED[x]
        raise ArgumentError.build(
            f"{x!r} is not a labelling strategy.", accepted=f"One of {', '.join(NAMED)}."
        )
    if callable(x):
        return Strategy.from_function(x)
    raise ArgumentTypeError.build(
        f"A strategy cannot be made of {x!r:.80}.",
        accepted=f"A name ({', '.join(NAMED)}), a Strategy, shares by name, or a function from "
        "what is seen to 'R', 'T' or None.",
    )


def read_strategies(x: object) -> dict[str, Strategy]:
    """Strategies by name.

    Parameters
    ----------
    x : None, iterable or mapping
        All that have a name when None; anything that `read_strategy` takes; several of these; or
        a mapping from names of one's own to strategies.
    """
    if x is None:
        return dict(NAMED)
    if isinstance(x, Mapping) and not all(isinstance(v, Real) for v in x.values()):
        return {name: Strategy(name, read_strategy(one).parts) for name, one in x.items()}
    is_one = isinstance(x, (str, Strategy, Rule, Mapping)) or not isinstance(x, Iterable)
    found: dict[str, Strategy] = {}
    for one in [x] if is_one else cast("Iterable[object]", x):
        strategy = read_strategy(one)
        if strategy.name in found:
            raise ArgumentError.build(
                f"Two strategies are called {strategy.name!r}.",
                accepted="Each name once.",
                hint='strategies={"mine": ..., "other": ...} names them.',
            )
        found[strategy.name] = strategy
    if not found:
        raise ArgumentError.build("`strategies` is empty.", accepted="At least one strategy.")
    return found
