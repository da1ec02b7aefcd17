"""What a person can move on judges, and what is moved in a view of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

from rat_widgets.errors import ViewError
from rat_widgets.views import codec

__all__ = ["JudgeControls", "JudgeMoves"]

_LEAST_LABELS: Final = 0.1
_MOST_LABELS: Final = 1e9


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeMoves:
    """What is changed against the fit: edited priors, pinned rates, judges left out, the cure.

    `priors` are (mean, equivalent number of labels) and `pins` values, by the rate's key. What was
    moved last stands last: the headline is about the last pin, or else the last prior. `cured` says
    that judges are those of the view's cure, and rates are theirs.
    """

    priors: dict[str, tuple[float, float]] | None = None
    pins: dict[str, float] | None = None
    left_out: tuple[str, ...] = ()
    cured: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeControls:
    """What a person can move: the group shown, priors, pins, judges left out, the cure.

    As in `JudgeMoves`; a rate that is in both `priors` and `pins` is pinned.
    """

    group: int = 0
    priors: dict[str, tuple[float, float]] | None = None
    pins: dict[str, float] | None = None
    left_out: tuple[str, ...] = ()
    cured: bool = False

    def __post_init__(self) -> None:
        _check_values(self)
        for name in ("priors", "pins"):
            if not getattr(self, name):
                object.__setattr__(self, name, None)

    @property
    def moves(self) -> JudgeMoves | None:
        """What is changed against the fit; None when nothing is."""
        if not (self.priors or self.pins or self.left_out or self.cured):
            return None
        return JudgeMoves(
            priors=self.priors, pins=self.pins, left_out=self.left_out, cured=self.cured
        )

    def to_dict(self) -> dict[str, object]:
        """Plain values, as the browser sends them."""
        return dict(codec.to_dict(self))

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Controls read from plain values; see `codec.from_dict` for the errors."""
        return codec.from_dict(cls, data)


def _check_values(controls: JudgeControls) -> None:
    """Values that any judge's controls may have; names are checked where the judges are known."""
    for key, value in (controls.pins or {}).items():
        if not 0 <= value <= 1:
            raise ViewError.build(
                f"`pins[{key!r}]` is {value!r}.",
                accepted="A pin is a probability from 0 to 1.",
                hint=f"did you mean {value / 100:g}?" if 1 < value <= 100 else None,
            )
    for key, (mean, labels) in (controls.priors or {}).items():
        if not 0 < mean < 1:
            raise ViewError.build(
                f"The mean in `priors[{key!r}]` is {mean!r}.",
                accepted="A number between 0 and 1, both excluded.",
                hint="pin the rate to hold it at 0 or 1.",
            )
        if not _LEAST_LABELS <= labels <= _MOST_LABELS:
            raise ViewError.build(
                f"The equivalent labels in `priors[{key!r}]` are {labels!r}.",
                accepted=f"A number from {_LEAST_LABELS:g} to {_MOST_LABELS:g}.",
            )
    if len(set(controls.left_out)) != len(controls.left_out):
        raise ViewError.build(
            f"`left_out` is {controls.left_out!r:.80}.", accepted="Each judge once."
        )
