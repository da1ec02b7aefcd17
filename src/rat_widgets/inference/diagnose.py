"""Diagnosis: is a posterior trustworthy, why not, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np
from jaxtyping import Bool

from rat_widgets.model.likelihood import FIRST_JUDGE
from rat_widgets.model.priors import Priors, judge_keys
from rat_widgets.model.worlds import worlds_of

if TYPE_CHECKING:
    from rat_widgets.inference.diagnose_hidden import Hidden
    from rat_widgets.labels.counts import PatternCounts

__all__ = [
    "MAX_R_HAT",
    "MIN_ESS_BULK",
    "Diagnosis",
    "Message",
    "convergence_messages",
    "data_messages",
    "mirror_message",
]

MAX_R_HAT: Final = 1.01
# Vehtari et al. (2021): 100 per chain for R-hat and the ESS themselves to be reliable.
MIN_ESS_BULK: Final = 400
# Of some thousand trajectories so many divergent ones are no reason to distrust what they say.
_STRAY: Final = 3

Level = Literal["info", "warning", "problem"]

# Of more probabilities some are named and the others counted: saturated judges have dozens.
_MOST_NAMED: Final = 10


class Message(NamedTuple):
    """One finding about a posterior.

    Attributes
    ----------
    level : "info", "warning" or "problem"
    code : str
        Stable, for programs: ``not_identified``, ``prior_only``, ``r_hat``, ...
    text, advice : str
        What was found; what to do.
    """

    level: Level
    code: str
    text: str
    advice: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """Whether to trust a posterior.

    Attributes
    ----------
    engine, reason : str
        Who drew, and why it was this engine.
    messages : tuple of Message
        The worst first.
    r_hat, ess_bulk : mapping
        Parameter -> value. Of independent draws R-hat is 1 by construction and the ESS is
        the number of draws, less what importance weights cost.
    n_divergent : int
        Divergent transitions; 0 for engines that have none.
    """

    engine: str
    reason: str
    messages: tuple[Message, ...] = ()
    r_hat: Mapping[str, float] = field(default_factory=dict)
    ess_bulk: Mapping[str, float] = field(default_factory=dict)
    n_divergent: int = 0

    def __post_init__(self) -> None:
        order = ("problem", "warning", "info")
        messages = sorted((Message(*m) for m in self.messages), key=lambda m: order.index(m.level))
        object.__setattr__(self, "messages", tuple(messages))

    @property
    def ok(self) -> bool:
        """True when nothing was found that makes the numbers untrustworthy."""
        return not any(message.level == "problem" for message in self.messages)

    @property
    def codes(self) -> tuple[str, ...]:
        """The codes of the messages, the worst first."""
        return tuple(message.code for message in self.messages)

    def to_dict(self) -> dict[str, Any]:
        """The diagnosis as values that JSON can hold."""
        return {
            "ok": self.ok,
            "engine": self.engine,
            "reason": self.reason,
            "messages": [message._asdict() for message in self.messages],
            "r_hat": dict(self.r_hat),
            "ess_bulk": dict(self.ess_bulk),
            "n_divergent": self.n_divergent,
        }

    def __str__(self) -> str:
        but = ", but read the warnings" * any(m.level == "warning" for m in self.messages)
        lines = [
            f"Trustworthy{but}." if self.ok else "Not to be trusted as it stands.",
            f"Engine: {self.engine}. {self.reason}",
        ]
        if self.r_hat:
            lines.append(
                f"Largest R-hat {max(self.r_hat.values()):.3f}, "
                f"smallest bulk ESS {min(self.ess_bulk.values()):.0f}, "
                f"{_divergent(self.n_divergent)}."
            )
        for message in self.messages:
            lines.append(f"{message.level}: {message.text}")
            if message.advice:
                lines.append(f"  -> {message.advice}")
        return "\n".join(lines)

    __repr__ = __str__


def _divergent(n: int) -> str:
    return f"{n:,} divergent transition{'' if n == 1 else 's'}"


def convergence_messages(
    r_hat: Mapping[str, float], ess_bulk: Mapping[str, float], n_divergent: int
) -> list[Message]:
    """What R-hat, ESS and divergences say."""
    messages: list[Message] = []
    again = "Draw more, for example draws=16000; if it stays, the data leave several answers open."
    unmixed = {name: value for name, value in r_hat.items() if not value <= MAX_R_HAT}
    if unmixed:
        worst = max(unmixed, key=lambda name: unmixed[name])
        messages.append(
            Message(
                "problem",
                "r_hat",
                f"The chains disagree: R-hat of {worst} is {unmixed[worst]:.2f} "
                f"(above {MAX_R_HAT} in {len(unmixed)} of {len(r_hat)} parameters).",
                again,
            )
        )
    few = {name: value for name, value in ess_bulk.items() if not value >= MIN_ESS_BULK}
    if few:
        worst = min(few, key=lambda name: few[name])
        messages.append(
            Message(
                "warning",
                "ess",
                f"Few effective draws: bulk ESS of {worst} is {few[worst]:.0f}, "
                f"below {MIN_ESS_BULK}.",
                "Draw more, for example draws=16000.",
            )
        )
    if n_divergent:
        messages.append(
            Message(
                "problem" if n_divergent > 10 else "warning" if n_divergent > _STRAY else "info",
                "divergent",
                f"{_divergent(n_divergent)}: parts of the posterior may be missed.",
                again,
            )
        )
    return messages


def data_messages(
    counts: PatternCounts,
    informed: Bool[np.ndarray, " parameter"],
    identified: Bool[np.ndarray, " parameter"],
    mirrored: Sequence[str] = (),
    hidden: Hidden | None = None,
) -> list[Message]:
    """What the labels of one group cannot say, and which labels would.

    Parameters
    ----------
    counts : PatternCounts
        A single group.
    informed, identified : arrays of bool, shape (parameter,)
        One group's row of what `identify` returns.
    mirrored : sequence of "retrieval", "task"
        Truths that nothing anchors; see `unanchored`.
    hidden : Hidden, optional
        Said in place of probabilities of the tree that are not identified; see `hidden_r`.
    """
    if counts.n_rows == 0 or not informed.any():
        got = "There are no rows" if counts.n_rows == 0 else "No row shows any label"
        return [
            Message(
                "problem",
                "no_labels",
                f"{got}: every number is the prior's.",
                "Label some rows; on each of them R, A and T where it was answered.",
            )
        ]
    names = Priors.flat(counts.judges, counts.retrieval_levels).names
    prior_only = [name for name, yes in zip(names, informed, strict=True) if not yes]
    loose = [
        name
        for name, yes, fixed in zip(names, informed, identified, strict=True)
        if yes and not fixed
    ]
    messages: list[Message] = []
    messages += [mirror_message(of) for of in mirrored]
    if loose and hidden and hidden.names.issuperset(loose):
        messages.append(hidden.message)
    elif loose:
        messages.append(
            Message(
                "problem",
                "not_identified",
                f"The labels do not pin down {_and(loose)}: many values explain them equally "
                "well, and how wide these are is decided by the prior.",
                _what_to_label(counts, loose),
            )
        )
    if prior_only:
        messages.append(
            Message(
                "problem",
                "prior_only",
                f"The labels say nothing about {_and(prior_only)}: what is shown is the prior.",
                _what_to_label(counts, prior_only),
            )
        )
    return messages + _unseen_levels(counts) + _few_labels(counts)


def mirror_message(of: str) -> Message:
    """Nothing anchors a truth, "retrieval" or "task"."""
    letter = "R" if of == "retrieval" else "T"
    return Message(
        "problem",
        "not_anchored",
        f"No human label of {letter} says which of two mirror solutions is meant "
        f"(every {letter} exchanged, judges that are right becoming wrong).",
        f"Label {letter} by hand on some judged rows, or say that judges are better than a "
        "coin: constraint='tpr>fpr'.",
    )


def _unseen_levels(counts: PatternCounts) -> list[Message]:
    """Levels of retrieval that no row is known to have, where R is seen on some."""
    levels = counts.retrieval_levels
    rows = counts.counts.sum(axis=0)
    shown = counts.patterns[:, 0]
    n = int(rows[shown >= 0].sum())
    unseen = [r for r in range(len(levels)) if not rows[shown == r].any()]
    if n == 0 or not unseen:
        return []
    worlds = worlds_of(levels)
    given = worlds.parameters[worlds.n_levels - 1 :]
    about = [given[i] for r in unseen for i in (r, worlds.n_levels + r)]
    names = _and([repr(levels[r]) for r in unseen], "or")
    rest = " and on rows that do not show R" if rows[shown == -1].any() else ""
    of = "The one row that shows R is not" if n == 1 else f"None of the {n:,} rows that show R is"
    return [
        Message(
            "warning",
            "level_unseen",
            f"{of} {names}: {_and(about)} rest on the prior{rest}.",
            "Label R on more rows, or give these probabilities priors that you would defend.",
        )
    ]


def _few_labels(counts: PatternCounts) -> list[Message]:
    rows = counts.counts.sum(axis=0)
    shown = (counts.patterns[:, :3] >= 0) * rows[:, None]
    n_labels = {name: int(n) for name, n in zip("RAT", shown.sum(axis=0), strict=True)}
    few = {name: n for name, n in n_labels.items() if 0 < n < 30}
    if not few:
        return []
    return [
        Message(
            "info",
            "few_labels",
            f"Few labels ({', '.join(f'{n} of {name}' for name, n in few.items())}): "
            "the prior still weighs in.",
            "Compare with priors='jeffreys' before relying on the ends of the intervals.",
        )
    ]


def _what_to_label(counts: PatternCounts, names: Sequence[str]) -> str:
    """The labels that would help the parameters named."""
    r, a, t = (counts.patterns[:, i] >= 0 for i in range(3))
    if not any(name in worlds_of(counts.retrieval_levels).parameters for name in names):
        return _what_to_check(counts, names)
    about_task = any(name.startswith("correct") for name in names)
    advice = (
        (
            not a.any(),
            "Record abstention (A), or say abstention='never' if the system always answers.",
        ),
        (
            about_task and not t.any(),
            "Label T on some answered rows, best on rows where R is labelled too.",
        ),
        (not r.any(), "Label R on some rows, together with T where the row was answered."),
        (not (r & t).any(), "Label R and T on the same rows, at least on some."),
        (True, "Label R, A and T on a random part of the rows."),
    )
    return next(text for applies, text in advice if applies)


def _what_to_check(counts: PatternCounts, names: Sequence[str]) -> str:
    """The labels that would help the judges' rates named."""
    judges = zip(counts.judges, judge_keys(counts.judges), strict=True)
    for j, (judge, key) in enumerate(judges):
        column, letter = {"retrieval": (0, "R"), "abstention": (1, "A"), "task": (2, "T")}[judge.of]
        said, truth = (counts.patterns[:, i] >= 0 for i in (FIRST_JUDGE + j, column))
        if any(name.endswith(f"[{key}]") for name in names) and not (said & truth).any():
            return f"Label {letter} by hand on some of the rows that {key!r} judged."
    return "Label by hand some rows of both kinds that the judge has judged."


def _and(names: Sequence[str], word: str = "and") -> str:
    if len(names) > _MOST_NAMED:
        names = [*names[: _MOST_NAMED - 1], f"{len(names) - _MOST_NAMED + 1} others"]
    return f"{', '.join(names[:-1])} {word} {names[-1]}" if len(names) > 1 else names[0]
