"""What is taken for granted of judges' errors, in a sentence or two.

The browser says the same (``js/src/core/judge-assumption.ts``), character by character;
``tests/golden/judge_wording.json`` holds vectors for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from rat_widgets.views.judge_cure import cure_of

if TYPE_CHECKING:
    from rat_widgets.views.judge import JudgeView

__all__ = ["Assumed", "assumption", "assumption_text"]


_BY: Final = {
    "retrieval": "retrieval",
    "task": "the answer",
    "abstention": "abstention",
    "case": "R, A and T",
}


class Assumed(NamedTuple):
    """What a judge's errors go by beside the truth.

    Attributes
    ----------
    name : str
    by : str
        "retrieval", "task" or "abstention"; "case" of a judge with rates in every case and, where
        others have them, too, for every verdict of theirs; empty where errors go by nothing else.
    is_shared : bool
        Whether all systems have one set of its rates.
    """

    name: str
    by: str
    is_shared: bool


def assumption(view: JudgeView) -> str:
    """What the model in force takes for granted of judges that take part, or of all where none do.

    Under the cure that is the cure's.
    """
    cure = cure_of(view)
    apart = view.apart if cure is None else cure.apart
    judges = []
    for judge in view.present or view.shown:
        is_saturated = any(rate.startswith("pass_given_") for rate in judge.rates)
        by = "case" if is_saturated else judge.depends_on or ""
        judges.append(Assumed(judge.key, by, judge.is_shared))
    return assumption_text(
        judges,
        n_systems=len(view.groups),
        apart=[view.groups[i].label for i in apart],
        is_apart=view.controls.group in apart,
    )


def assumption_text(
    judges: Sequence[Assumed], *, n_systems: int, apart: Sequence[str] = (), is_apart: bool = False
) -> str:
    """What is assumed of these judges in so many systems.

    `apart` are systems that are fitted by themselves, and `is_apart` says that the one shown is
    among them.
    """
    errors = _several(judges) if len(judges) > 1 else _one(judges[0])
    rates = _rates(judges, n_systems, apart, is_apart)
    return f"Given the truth, {errors}.{f' {rates}.' if rates else ''}"


def _one(judge: Assumed) -> str:
    what = f"everything but {_BY[judge.by]}" if judge.by else "everything else"
    return f"the judge's errors are taken as independent of {what}"


def _several(judges: Sequence[Assumed]) -> str:
    said: list[str] = []
    for by in dict.fromkeys(judge.by for judge in judges if judge.by):
        names = [judge.name for judge in judges if judge.by == by]
        on = "each other" if by == "case" and len(names) > 1 else _BY[by]
        depend = "on" if said else "may depend on"
        said.append(f"{'those' if said else 'errors'} of {_listed(names)} {depend} {on}")
    but = f", but {' and '.join(said)}" if said else ""
    return f"judges are taken as independent of each other and of everything else{but}"


def _rates(judges: Sequence[Assumed], n_systems: int, apart: Sequence[str], is_apart: bool) -> str:
    """What is assumed of rates in several systems; nothing of one system."""
    if n_systems < 2:
        return ""
    whose = "Their" if len(judges) > 1 else "Its"
    if is_apart:
        return f"{whose} rates are those of this system alone"
    one, others = ([j.name for j in judges if j.is_shared is is_one] for is_one in (True, False))
    if not one:
        return f"{whose} rates may differ by system"
    but = f" but {f'“{apart[0]}”' if len(apart) == 1 else len(apart)}" if apart else ""
    same = f"are taken as the same in every system{but}"
    if not others:
        return f"{whose} rates {same}"
    return f"Rates of {_listed(one)} {same}, those of {_listed(others)} may differ by system"


def _listed(names: Sequence[str]) -> str:
    """Names in quotes: “a”, “b” and “c”."""
    *most, last = (f"“{name}”" for name in names)
    return f"{', '.join(most)} and {last}" if most else last
