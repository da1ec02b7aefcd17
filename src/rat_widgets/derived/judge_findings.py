"""What was found of judges' errors, in words and with its cure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rat_widgets.derived.judge_check_text import depends_message
from rat_widgets.derived.judge_together_text import together_message
from rat_widgets.model.priors import judge_keys

if TYPE_CHECKING:
    from rat_widgets.inference.departures import JudgeTest
    from rat_widgets.inference.diagnose import Message
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["JudgeFinding", "families", "finding_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeFinding:
    """One departure from the model, and its cure as keywords of `rat.Judge`.

    Attributes
    ----------
    judges : tuple of str
        Keys of the judges concerned, as in ``tpr[key]``.
    cure : dict
        What to add to each of these judges: ``{"depends_on": "retrieval"}`` or
        ``{"dependence": "saturated"}``; see `judge_cures.cured`.
    message : Message
        The same in words.
    """

    judges: tuple[str, ...]
    cure: dict[str, str]
    message: Message


def families(said: Sequence[JudgeTest]) -> list[list[JudgeTest]]:
    """Tests that are one finding: of judges that err together those with a judge in common.

    In the order of the first of each.
    """
    found: list[list[JudgeTest]] = []
    for test in said:
        joined = [
            family
            for family in found
            if not (test.context or family[0].context)
            and any(set(test.judges) & set(one.judges) for one in family)
        ]
        if not joined:
            found.append([test])
            continue
        first, *others = joined
        first += [*(one for family in others for one in family), test]
        found = [family for family in found if not any(family is one for one in others)]
    return found


def finding_of(
    counts: PatternCounts, cuts: Sequence[int], tests: Sequence[JudgeTest], *, is_some: bool = False
) -> JudgeFinding:
    """What tests found that are one finding.

    Parameters
    ----------
    counts : PatternCounts
        The rows that were looked at.
    cuts : sequence of int
        From these answers on, counted from 0, verdicts of the judges pass.
    tests : sequence of JudgeTest
        One of `families`.
    is_some : bool
        Whether these are the rows of some systems: not of those for which a judge differs.
    """
    first = tests[0]
    keys = judge_keys(counts.judges)
    judges = sorted({j for test in tests for j in test.judges})
    if first.context:
        is_known = counts.judges[judges[0]].depends_on is not None
        cure = {"dependence": "saturated"} if is_known else {"depends_on": str(first.context)}
        message = depends_message(counts, first, cure, cuts[judges[0]], is_some=is_some)
    else:
        cure = {"dependence": "saturated"}
        message = together_message(counts, judges, cuts, is_some=is_some)
    return JudgeFinding(judges=tuple(keys[j] for j in judges), cure=cure, message=message)
