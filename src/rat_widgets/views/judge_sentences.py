"""What was found about judges, in sentences that can be pasted into a report.

The browser says the same (``js/src/core/judge-sentence.ts``), character by character;
``tests/golden/judge_wording.json`` holds vectors for both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rat_widgets.views.judge_lines import Labels, Triple, decimals, hundredths, passed_line
from rat_widgets.views.judge_words import (
    JUDGED,
    LEAST_WORTH,
    LEAST_WORTH_SHARE,
    NEAR_COIN,
    NEAR_TIE,
    VAGUE_JUDGED,
    Judged,
)
from rat_widgets.views.sentences import Segment
from rat_widgets.views.wording import (
    VAGUE_ESTIMATE,
    decimal,
    interval,
    rounded,
)

__all__ = ["JudgeFinding", "focus", "judge_deck", "judge_headline", "worst"]

_BARELY: Final = 0.97
_ROLES: Final = {"retrieval": "evidence", "task": "task", "abstention": "good"}


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeFinding:
    """What the headline and the line under it are made of: one truth and who judges it.

    Attributes
    ----------
    of : "retrieval", "task", "abstention" or None
        The truth, from `focus`; None when every judge is left out.
    key : str
        Of the judges of this truth the one with the smallest J, from `worst`; named where there
        are others.
    n_rows, n_verdicts : int
        Rows of the group, and those of them on which a judge of this truth decided.
    n_judges, n_present, n_human : int
        Judges of this truth, judges of any truth, and rows that a judge of this truth decided
        and a person labelled.
    n_alone : int
        Rows on which a judge of any truth tells what no person did ("cannot tell", too).
    tpr, fpr, youden : (mean, lower, upper)
        Of the judge `key`.
    naive, humans, joint : (mean, lower, upper)
        The quantity that the verdicts are about: with verdicts as labels, from human labels
        alone, and as the model has it.
    humans_policy, joint_policy : (mean, lower, upper)
        P(G), or the utility, from human labels alone and with the verdicts.
    policy_verdicts, task_verdicts : (n_labels, n_max)
        What all verdicts are worth beyond A of their rows, for P(G), or the utility, and for
        P(T); None when more than `n_max`.
    n_labelled : int
        Rows with a person's label of R or T.
    is_a_added : bool
        Whether A of rows that nobody labelled counts in `joint` and not in `humans`.
    is_rate : bool
        False when the policy is a utility.
    is_constrained : bool
        Whether the fit was told that judges are better than a coin.
    graded : str
        Of a judge that grades, what counts as a yes: "5", "4 or better". Empty otherwise.
    is_doubted : bool
        Whether the rows say that these judges err in other ways than the model has it.
    """

    of: str | None
    key: str
    n_rows: int
    n_verdicts: int
    n_judges: int
    n_present: int
    n_human: int
    n_alone: int
    tpr: Triple
    fpr: Triple
    youden: Triple
    naive: Triple
    humans: Triple
    joint: Triple
    humans_policy: Triple
    joint_policy: Triple
    policy_verdicts: Labels
    task_verdicts: Labels
    n_labelled: int
    is_a_added: bool
    is_rate: bool = True
    is_constrained: bool = False
    graded: str = ""
    is_doubted: bool = False

    @property
    def is_several(self) -> bool:
        """Whether several judges judge this truth."""
        return self.n_judges > 1

    @property
    def subject(self) -> str:
        """Who is spoken of: "the judge", by name where others judge other truths; "the judges"."""
        if self.is_several:
            return "the judges"
        return "the judge" if self.n_present == 1 else f"“{self.key}”"


def focus(candidates: Sequence[tuple[int, float, float]]) -> int:
    """Which truth the headline is about: the one whose verdicts mislead most.

    Parameters
    ----------
    candidates : sequence of (n_human, naive, joint)
        For each truth that is judged, rows with a verdict and the human label, and two means.

    Returns
    -------
    int
        The first whose difference is as large as any, but for a tie, among those with human
        labels, if there are some.
    """
    anchored = [i for i, (n_human, _, _) in enumerate(candidates) if n_human > 0]
    among = anchored or list(range(len(candidates)))
    return among[_first_largest([abs(candidates[i][1] - candidates[i][2]) for i in among])]


def worst(youden: Sequence[float]) -> int:
    """Which of some judges is spoken of: the first whose J is as small as any, but for a tie."""
    return _first_largest([-j for j in youden])


def _first_largest(values: Sequence[float]) -> int:
    """The first that is within a tie of the largest: the same whatever Monte Carlo error does."""
    largest = max(values)
    return next(i for i, x in enumerate(values) if rounded(1e6 * (largest - x)) <= 1e6 * NEAR_TIE)


def judge_headline(finding: JudgeFinding, *, is_whatif: bool = False) -> list[Segment]:
    """The finding in one sentence; with a pinned rate it starts with "What if"."""
    said = _headline(finding)
    if not is_whatif:
        return said
    (first, role), *rest = said
    return [("What if: ", "whatif"), (first[0].lower() + first[1:], role), *rest]


def _headline(finding: JudgeFinding) -> list[Segment]:
    if finding.n_rows == 0:
        return [("No labels yet. Every number below is the prior, not a finding.", "")]
    if finding.of is None:
        return [("Every judge is left out: what you see rests on the human labels.", "")]
    if finding.n_verdicts == 0:
        return [("No verdicts yet: what you see rests on the human labels and the prior.", "")]
    words = JUDGED[finding.of]
    it = finding.subject
    told = _told(words, finding)
    if finding.n_human == 0 and not finding.is_constrained:
        are = "they are" if finding.is_several else "it is"
        doubt = f", and nothing here shows how often {are} right."
        yes = _counting(finding)
        yes = f"{yes[0].lower()}{yes[1:]}" if yes else ""
        return [(f"No human labels of {words.letter}: {yes}{it} {told}{doubt}", "")]
    if finding.n_human == finding.n_verdicts:
        return [(_beside_labels(words, finding), ""), *_joint(finding)]
    return [(f"{_opening(finding, it)} {told}; {_corrected(finding)}", ""), *_joint(finding)]


def _beside_labels(words: Judged, finding: JudgeFinding) -> str:
    """How the sentence begins where people labelled all that was judged: it is about labels."""
    on = f" on {words.letter}" if finding.n_alone else ""
    what = "the utility a query is "
    if words.finds:
        what = f"of 100 queries people find {words.finds} in "
    elif finding.is_rate:
        what = "of 100 queries those that end as the policy asks are "
    return f"Every verdict{on} stands beside a human label: {what}"


def _told(words: Judged, finding: JudgeFinding) -> str:
    """What the verdicts say when they are taken as labels."""
    ending = "" if finding.is_several else "s"
    if not words.finds and not finding.is_rate:
        return f"see{ending} a utility of {decimal(finding.naive[0])} a query"
    n = rounded(100 * finding.naive[0])
    many = "almost none" if n <= 0 else "almost all" if n >= 100 else str(n)
    if words.finds:
        return f"find{ending} {words.finds} in {many} of 100 queries"
    return f"let{ending} {many} of 100 queries end as the policy asks"


def _opening(finding: JudgeFinding, it: str) -> str:
    """How the sentence begins: the verdicts mislead, or they hold up."""
    naive, joint = finding.naive, finding.joint
    apart = abs(rounded(100 * naive[0]) - rounded(100 * joint[0]))
    yes = _counting(finding)
    if apart > 1 or finding.n_human == 0 or finding.is_doubted or _is_vague(finding):
        return (
            f"{yes}{it}"
            if yes
            else f"Taken at {'their' if finding.is_several else 'its'} word {it}"
        )
    if finding.is_several:
        return "The judges' word holds up: they"
    the = "the" if yes else "The"
    whose = f"{the} judge's word" if finding.n_present == 1 else f"{the} word of {it}"
    return f"{yes}{whose} holds up: it"


def _counting(finding: JudgeFinding) -> str:
    """What counts as a yes of the one judge of a truth, where it grades."""
    is_one = finding.graded and not finding.is_several
    return f"Counting {finding.graded} as a yes, " if is_one else ""


def _corrected(finding: JudgeFinding) -> str:
    if finding.n_human == 0:
        better = "they beat a coin" if finding.is_several else "it beats a coin"
        return f"if {better}, as you said, it is "
    whose = "their" if finding.is_several else "its"
    if finding.is_doubted:
        return f"by a model that {whose} errors do not fit it is "
    return f"corrected for {whose} errors it is "


def _is_vague(finding: JudgeFinding) -> bool:
    return not _is_utility(finding) and finding.joint[2] - finding.joint[1] > VAGUE_JUDGED


def _is_utility(finding: JudgeFinding) -> bool:
    """Whether the number in the headline is a utility: only a judge of A speaks of the policy."""
    return finding.of == "abstention" and not finding.is_rate


def _joint(finding: JudgeFinding) -> list[Segment]:
    """The corrected number, with its interval, or as a range."""
    mean, low, high = finding.joint
    role = _ROLES[finding.of or "retrieval"]
    if _is_vague(finding):
        return [
            (f"anywhere between {rounded(100 * low)} and {rounded(100 * high)}", role),
            (".", ""),
        ]
    if _is_utility(finding):
        now, span = decimal(mean), decimals(low, high)
    else:
        now, span = hundredths(mean), interval(low, high)
    return [(now, role), (f" ({span})", "interval"), (".", "")]


def judge_deck(finding: JudgeFinding) -> list[Segment]:
    """Why, and whether the verdicts help: the line under the headline."""
    if finding.n_rows == 0:
        return [("Add rows with verdicts, and label about 100 of them by hand.", "")]
    if finding.of is None or finding.n_verdicts == 0:
        return []
    words = JUDGED[finding.of]
    if finding.n_human == 0:
        label = f"abel {words.letter} by hand on some of the judged rows"
        if finding.is_constrained:
            return [(f"That is an assumption; l{label} to see whether it holds.", "")]
        return [(f"L{label}: without that the verdicts fit many answers.", "")]
    flaw, is_flawed = _flaw(words, finding)
    if finding.graded and finding.is_several:
        flaw = f"Counting {finding.graded} as a yes, {flaw[0].lower()}{flaw[1:]}"
    if finding.n_alone == 0 and not finding.is_a_added:
        return [(f"{flaw}{_whose(finding)} teach nothing more than the labels beside them.", "")]
    return [(flaw, ""), *_help(finding, is_flawed)]


def _flaw(words: Judged, finding: JudgeFinding) -> tuple[str, bool]:
    """What the judge gets wrong, and whether that is at least 10 of 100."""
    it = f"“{finding.key}”" if finding.is_several else "it"
    if finding.youden[0] < NEAR_COIN or finding.youden[1] <= 0:
        who = it if finding.is_several else "It"
        return f"{passed_line(words, finding.tpr, finding.fpr, who)}. ", True
    naive, joint = finding.naive[0], finding.joint[0]
    is_lenient = naive >= joint
    if abs(rounded(100 * naive) - rounded(100 * joint)) <= 1:  # the larger of its errors
        is_lenient = finding.fpr[0] >= 1 - finding.tpr[0]
    if is_lenient:
        error = finding.fpr[0]
        text = f"Of 100 {words.bad} {it} {words.passes} {hundredths(error)}. "
    else:
        error = 1 - finding.tpr[0]
        text = f"Of 100 {words.good} {it} {words.fails} {hundredths(error)}. "
    return text, rounded(100 * error) >= 10


def _help(finding: JudgeFinding, is_flawed: bool) -> list[Segment]:
    """Whether P(G) is known better with the verdicts than without.

    Where people's labels leave P(G) open, or only P(T) is what the verdicts tell of, it is said of
    the quantity that is judged. Where they are worth next to nothing, what narrows it is A of the
    rows nobody labelled.
    """
    humans, joint = finding.humans_policy, finding.joint_policy
    is_rate, name = finding.is_rate, "P(G)" if finding.is_rate else "utility a query"
    letter = _letter_told(finding)
    if letter:
        humans, joint, name = finding.humans, finding.joint, f"P({letter})"
    before, after = (_policy_span(x, is_rate) for x in (humans, joint))
    whose = _whose(finding)
    alone = f"{before} on human labels alone"
    is_moved = not humans[1] <= joint[0] <= humans[2]
    is_worthless = _is_worthless(finding, letter)
    # The worth says whether they help, where there is one; draws would at times say otherwise.
    limit = _BARELY if is_worthless or letter == "R" else 1.0
    is_narrower = joint[2] - joint[1] <= limit * (humans[2] - humans[1]) and before != after
    if is_worthless and finding.is_a_added and (is_moved or is_narrower):
        takes = f"{whose} add next to nothing: A of the other rows takes {name} from {alone} to "
        check = " Check how the labelled rows were chosen." if is_moved else ""
        return [(takes, ""), (after, "strong"), (f".{check}", "")]
    if is_moved:
        lead = "move the answer"
    elif is_narrower and not is_worthless:
        lead = "still help" if is_flawed else "help"
    else:
        return [(f"{whose} add next to nothing: {name} is {alone} and {after} with both.", "")]
    ending = " with both."
    if is_moved:
        errors = "its errors depend" if finding.n_present == 1 else "errors depend"
        ending += f" Check whether {errors} on more than the truth."
    return [
        (f"{whose} {lead}: {name} goes from {alone} to ", ""),
        (after, "strong"),
        (ending, ""),
    ]


def _whose(finding: JudgeFinding) -> str:
    return "Its verdicts" if finding.n_present == 1 else "The verdicts"


def _letter_told(finding: JudgeFinding) -> str:
    """R or T where the line is about that quantity, and not about P(G) or the utility."""
    if finding.of not in ("retrieval", "task") or not finding.is_rate:
        return ""
    is_open = finding.humans_policy[2] - finding.humans_policy[1] > VAGUE_ESTIMATE
    is_of_task = finding.of == "task" and _is_worthless(finding, "")
    if is_open or (is_of_task and not _is_worthless(finding, "T")):
        return JUDGED[finding.of].letter
    return ""


def _is_worthless(finding: JudgeFinding, letter: str) -> bool:
    """Whether the verdicts tell next to nothing of a quantity beyond A of their rows.

    The worth is that for P(T), or for P(G) or the utility; for P(R) the one judge's J decides.
    """
    if letter == "R":
        return not finding.is_several and finding.youden[0] < NEAR_COIN
    n_labels, n_max = finding.task_verdicts if letter == "T" else finding.policy_verdicts
    if n_labels is None:
        return n_max == 0
    return n_labels < max(LEAST_WORTH, LEAST_WORTH_SHARE * finding.n_labelled)


def _policy_span(of: Triple, is_rate: bool) -> str:
    return f"{interval(of[1], of[2])}%" if is_rate else f"({decimals(of[1], of[2])})"
