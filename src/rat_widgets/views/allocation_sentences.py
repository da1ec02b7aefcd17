"""What a plan advises, in sentences that can be pasted into a report.

The browser says the same (``js/src/core/allocation-sentence.ts``), character by character.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rat_widgets.views.allocation_words import COURSES, OPTIMAL, about, amount, half, kind_words
from rat_widgets.views.sentences import Segment
from rat_widgets.views.wording import pin_percent, rounded

__all__ = ["Advice", "Piece", "deck", "headline", "mix_line"]

_MOST_PIECES = 3
_AS_MANY = 0.005


@dataclass(frozen=True, kw_only=True, slots=True)
class Piece:
    """A part of the best mix: so many rows of a kind, what is bought there, of the spending."""

    rows: str
    buy: str
    share: float
    n_rows: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Advice:
    """What the sentences are made of.

    `course` is the key of what is advised, None when everything is left out. `now`, `width`, and
    `joint_width` are widths: without a purchase, after it, and with R and T on every row instead,
    which would need `joint_needed` (None: never gets there). `spent` is less than the budget
    where the rows run out. `spread` is where 90% of the draws
    put the width. `role` is the hue of the target, `pool` a sentence about the rows.
    """

    course: str | None
    pieces: tuple[Piece, ...]
    budget: float
    spent: float
    unit: str
    symbol: str
    role: str
    is_rate: bool
    now: float
    width: float
    joint_width: float
    joint_needed: float | None
    spread: tuple[float, float] | None
    pool: str


def headline(of: Advice) -> list[Segment]:
    """What to do, and what it brings."""
    if of.course is None:
        return [("Every plan is switched off: switch one on to compare.", "")]
    now, then = half(of.now, is_rate=of.is_rate), half(of.width, is_rate=of.is_rate)
    points = " points" if of.is_rate else ""
    if of.budget <= 0:
        return [("Without more labels ", ""), (f"{of.symbol} stays at {now}{points}", of.role),
                (".", "")]  # fmt: skip
    does = _does(of)
    more = f"{amount(of.budget) if _is_spent(of) else about(of.spent)} more {of.unit} bring "
    return [
        (f"{does[0].upper()}{does[1:]}: {more}", ""),
        (f"{of.symbol} from {now} to {then}{points}", of.role),
        (f"{_joint(of)}.", ""),
    ]


def _is_spent(of: Advice) -> bool:
    """Whether the whole budget can be spent."""
    return of.spent >= (1 - _AS_MANY) * of.budget


def _joint(of: Advice) -> str:
    if of.course == "all_joint":
        return ""
    if of.joint_needed is None:
        return "; R and T on every row never get there"
    if of.joint_needed < (1 + _AS_MANY) * of.spent:
        return "; R and T on every row need no more"
    return f"; R and T on every row would need {about(of.joint_needed)}"


def _does(of: Advice) -> str:
    if of.course != OPTIMAL:
        return COURSES[of.course or OPTIMAL].does
    pieces = [mix_line(piece) for piece in of.pieces if rounded(piece.n_rows) >= 1]
    if not pieces:
        return "label what the mix below says"
    if len(pieces) > _MOST_PIECES:
        rest = len(pieces) - _MOST_PIECES + 1
        pieces = [*pieces[: _MOST_PIECES - 1], f"{rest} smaller purchases"]
    return f"label {_joined(pieces)}"


def mix_line(piece: Piece) -> str:
    """One part of the mix: "R, then T where R=1, on 300 rows that answered"."""
    n = "1 row" if rounded(piece.n_rows) == 1 else f"{about(piece.n_rows)} rows"
    pause = "," if ", then" in piece.buy else ""
    return f"{piece.buy}{pause} on {n}{kind_words(piece.rows).removeprefix('rows')}"


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])}, and {parts[-1]}"


def deck(of: Advice) -> list[Segment]:
    """What it saves, how sure that is, and which rows it is about."""
    pool = (of.pool, "")
    if of.course is None or of.budget <= 0:
        return [pool]
    said: list[Segment] = []
    if of.course != "all_joint":
        joint = half(of.joint_width, is_rate=of.is_rate)
        said.append((f"R and T on every row reach {joint} with this budget", ""))
        if of.joint_needed is not None and of.joint_needed >= (1 + _AS_MANY) * of.spent:
            saved = pin_percent(rounded(100 * (1 - of.spent / of.joint_needed)) / 100)
            said += [("; ", ""), (f"this saves {saved}", "strong")]
        said.append((". ", ""))
    if of.spread is not None:
        low, high = (half(x, is_rate=of.is_rate) for x in of.spread)
        if low != high:
            may = "As the rates are not known exactly, it may end anywhere from"
            said.append((f"{may} {low} to {high} (90% of draws). ", ""))
    if not _is_spent(of):
        said.append(("There is nothing more to buy on these rows. ", ""))
    return [*said, pool]
