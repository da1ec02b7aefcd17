"""Which system the judges' widget shows first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rat_widgets.derived.posterior import Posterior
    from rat_widgets.inference.diagnose import Message

__all__ = ["opening_group"]

# Errors that do not go by the model, and judges that are another one for a system.
_FOUND: Final = frozenset({"judge_depends", "judges_dependent", "rates_differ"})
_OF_JUDGES: Final = _FOUND | {
    *("rates_unchecked", "passed_unchecked", "judge_is_label", "judge_uninformative"),
}


def opening_group(members: Sequence[Posterior]) -> int:
    """The first system of which the gravest is told about its judges; the first where nothing is.

    What was found of a judge's errors comes before what could not be looked at, a warning before
    information. What is told in the same words of several systems is about none of them: it was
    found of a judge that they share.
    """
    told = [_about_judges(member) for member in members]
    times = Counter(message.text for messages in told for message in messages)
    grades = [
        max((_grade(message) for message in messages if times[message.text] == 1), default=0)
        for messages in told
    ]
    return grades.index(max(grades))


def _about_judges(posterior: Posterior) -> list[Message]:
    return [m for m in posterior.diagnosis.messages if m.code in _OF_JUDGES]


def _grade(message: Message) -> int:
    if message.code in _FOUND:
        return 3
    return {"problem": 2, "warning": 2, "info": 1}[message.level]
